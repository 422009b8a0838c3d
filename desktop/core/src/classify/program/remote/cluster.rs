//! Cluster command lines. `kubectl get` and `describe` may be allowed by a line (POL-7), secrets excepted.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE_ASKS, RUNS_CODE},
    args,
    cli::{Cli, SERVICE},
};
use crate::classify::{facts::Reach, finding::Finding, word::Command};

/// Clusters and what manages them.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "kubectl", "oc", "k", "kubecolor", "microk8s.kubectl", "k3s", "microk8s", "kubectx", "kubens",
            "kubeadm", "kuberlr",
        ],
        does: Does::Code(|c, _| kubectl(c)),
        why: "acts on a cluster",
    },
    Entry {
        names: &["helm", "helm3", "helmfile", "helmsman"],
        does: Does::Code(|c, _| HELM.judge(c)),
        why: "installs into a cluster",
    },
    Entry {
        names: &[
            "kustomize", "kubeconform", "kubeval", "kube-linter", "kubescape", "jsonnet", "tanka", "tk",
            "ytt", "kbld", "conftest", "opa", "cue", "dhall",
        ],
        does: Does::Always(RUNS_CODE),
        why: "renders or checks files here",
    },
    Entry {
        names: &[
            "argocd", "argo", "flux", "fluxctl", "istioctl", "linkerd", "cilium", "hubble", "velero", "kn",
            "tkn", "rancher", "k9s", "stern", "kubetail", "kail", "skaffold", "tilt", "devspace", "okteto",
            "telepresence", "garden", "werf", "kapp", "kluctl", "kpt", "clusterctl", "kubefed", "crossplane",
            "vcluster", "loft", "talosctl", "rke", "calicoctl", "etcdctl", "etcdutl", "kubeseal", "kubevirt",
            "virtctl", "krew", "odo", "kompose", "odigos", "litmusctl", "tkg", "tanzu", "dagger", "earthly",
            "acorn", "kots", "replicated", "porter", "draft",
        ],
        does: Does::Code(|c, _| TOOLS.judge(c)),
        why: "acts on a cluster",
    },
    Entry {
        names: &[
            "vault", "bao", "consul", "nomad", "boundary", "waypoint", "serf", "nats-server", "teleport",
            "tctl", "doppler", "infisical", "chamber", "akeyless", "conjur", "berglas", "teller", "envkey",
        ],
        does: Does::Code(|c, _| VAULT.judge(c)),
        why: "secrets, jobs and keys of a cluster",
    },
    Entry {
        names: &[
            "rabbitmqadmin", "rabbitmqctl", "rabbitmq-plugins", "kafka-topics", "kafka-topics.sh",
            "kafka-console-producer", "kafka-console-producer.sh", "kafka-console-consumer",
            "kafka-console-consumer.sh", "kafka-configs", "kafka-configs.sh", "kafka-consumer-groups",
            "kafka-consumer-groups.sh", "kafka-delete-records", "kafka-delete-records.sh", "kafka-acls",
            "rpk", "pulsar-admin", "pulsarctl", "nsqadmin", "activemq", "artemis", "zookeeper-shell",
            "zkCli.sh", "temporal", "airflow", "prefect", "dagster", "spark-submit", "beeline", "hive",
            "emqx_ctl",
        ],
        does: Does::Code(|c, _| QUEUES.judge(c)),
        why: "queues and jobs on a server",
    },
    Entry {
        names: &["hdfs", "hadoop"],
        does: Does::Code(|c, _| hdfs(c)),
        why: "a file system elsewhere, whose verbs are options",
    },
    Entry {
        names: &[
            "salt", "salt-call", "salt-ssh", "salt-cloud", "puppet", "chef", "chef-client", "knife", "bolt",
            "cf-agent", "mgmt", "pyinfra", "fab", "cap", "capistrano", "kamal", "dokku", "caprover",
            "coolify", "deployer", "mina", "nixops", "colmena", "morph", "deploy-rs",
        ],
        does: Does::Code(|c, _| SERVICE.judge(c)),
        why: "changes other machines",
    },
];

const KUBECTL: Cli = Cli {
    valued: &[
        "-n",
        "--namespace",
        "-o",
        "--output",
        "-l",
        "--selector",
        "-c",
        "--container",
        "--field-selector",
        "--sort-by",
        "--context",
        "--request-timeout",
        "--tail",
        "--since",
    ],
    subs: &[
        ("get|describe", NETWORK_READ),
        ("logs|top|explain|api-resources|api-versions|version|cluster-info|events|diff", NETWORK_READ_ASKS),
        ("auth can-i|whoami", NETWORK_READ_ASKS),
        ("config current-context|get-contexts|get-clusters|get-users|view", NETWORK_READ_ASKS),
        ("config delete-context|delete-cluster|delete-user|unset", DESTRUCTIVE),
        ("config", OUTSIDE_ASKS),
        ("rollout status|history", NETWORK_READ_ASKS),
        ("rollout restart|undo|pause|resume", OUTSIDE_ASKS),
        ("delete|drain", DESTRUCTIVE.because("removes cluster resources")),
        ("adm drain|prune", DESTRUCTIVE),
        (
            "apply|create|replace|patch|edit|scale|autoscale|run|expose|label|annotate|set|exec|cp|attach|port-forward|proxy|debug|cordon|uncordon|taint|wait",
            OUTSIDE_ASKS,
        ),
        ("kustomize", RUNS_CODE),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

fn kubectl(command: &Command) -> Finding {
    let mut finding = KUBECTL.judge(command);
    let is_listed = |text: &str| args::is_option(text) && !is_plain_flag(text);
    let is_private = args::texts(command).any(|text| {
        let low = text.to_ascii_lowercase();
        low.split([',', '/']).any(|kind| kind.starts_with("secret"))
            || low.starts_with("go-template")
            || is_listed(text)
    });
    if is_private {
        finding.reach = Reach::Never;
    }
    // A replacement by force deletes first.
    let deletes_first =
        args::has(command, &["--force"]) && args::texts(command).any(|text| text == "replace");
    if deletes_first || args::texts(command).any(|text| text == "--replicas=0") {
        finding.worsen(DESTRUCTIVE.because("takes running resources away").finding());
    }
    finding
}

/// Options with which `get` and `describe` stay what a line may allow.
fn is_plain_flag(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    KUBECTL.valued.contains(&name)
        || matches!(
            name,
            "-A" | "--all-namespaces"
                | "-w"
                | "--watch"
                | "--show-labels"
                | "--no-headers"
                | "--ignore-not-found"
                | "--show-kind"
        )
        || text.starts_with("-o") && text.len() > 2
        || text.starts_with("-n") && text.len() > 2
}

const HELM: Cli = Cli {
    valued: &[
        "-n",
        "--namespace",
        "--kube-context",
        "--kubeconfig",
        "-f",
        "--values",
        "--set",
        "-e",
        "--environment",
    ],
    subs: &[
        ("template|lint|create|package", RUNS_CODE),
        ("list|ls|status|get|history|show|inspect|search|env|version|verify|diff", NETWORK_READ_ASKS),
        ("uninstall|delete|del|un|destroy", DESTRUCTIVE.because("removes a release")),
        (
            "rollback|upgrade|install|push|pull|registry|repo|dependency|dep|plugin|test|apply|sync",
            OUTSIDE_ASKS,
        ),
        ("repo list|ls", NETWORK_READ_ASKS),
        ("repo remove|rm", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

const TOOLS: Cli = Cli {
    valued: &["-n", "--namespace", "--context", "--server", "--kubeconfig", "--endpoints"],
    subs: &[
        ("get|list|logs|status|describe|check|version", NETWORK_READ_ASKS),
        ("app get|list|diff|history|logs|manifests|wait", NETWORK_READ_ASKS),
        ("app sync|create|set|rollback", OUTSIDE_ASKS),
        ("del", DESTRUCTIVE),
        ("reset|wipe", DESTRUCTIVE),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

const VAULT: Cli = Cli {
    valued: &["-address", "-namespace", "-token", "-http-addr", "-region", "-format", "-mount"],
    subs: &[
        ("kv get|list", NETWORK_READ_ASKS.because("reads secrets")),
        ("kv delete|destroy|metadata", DESTRUCTIVE.because("deletes secrets")),
        ("kv metadata get", NETWORK_READ_ASKS),
        ("kv put|patch|undelete|rollback", OUTSIDE_ASKS),
        ("read|list|status|version|members|catalog|info|monitor", NETWORK_READ_ASKS),
        ("job stop", DESTRUCTIVE.because("stops a job and what it runs")),
        ("stop", DESTRUCTIVE.because("stops a job and what it runs")),
        ("lease|token|auth|secrets|policy list|lookup|read", NETWORK_READ_ASKS),
        ("secrets|auth disable", DESTRUCTIVE.because("deletes all it holds")),
        ("lease|token revoke", DESTRUCTIVE),
        ("operator seal|step-down", OUTSIDE_ASKS),
        ("leave|force-leave", DESTRUCTIVE),
        ("system gc", DESTRUCTIVE),
        ("secrets get|download", NETWORK_READ_ASKS.because("reads secrets")),
        ("run", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

const QUEUES: Cli = Cli {
    valued: &[
        "-n",
        "--bootstrap-server",
        "--zookeeper",
        "--vhost",
        "-V",
        "-H",
        "-u",
        "-p",
        "--host",
        "--port",
        "--topic",
    ],
    subs: &[
        ("db reset|clean", DESTRUCTIVE.because("empties the database")),
        ("db downgrade", DESTRUCTIVE),
        ("dags delete", DESTRUCTIVE),
        ("dfs|fs", OUTSIDE_ASKS),
        ("force_reset|stop_app|forget_cluster_node|purge_queue", DESTRUCTIVE),
        ("list|list_queues|status|cluster_status|show|topic", NETWORK_READ_ASKS),
        ("topic create|produce", OUTSIDE_ASKS),
        ("topic delete|trim-prefix", DESTRUCTIVE),
        ("namenode", DESTRUCTIVE),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

fn hdfs(command: &Command) -> Finding {
    let removes = |text: &str| {
        text.starts_with("-rm") || matches!(text, "-expunge" | "-format" | "-truncate" | "-deleteSnapshot")
    };
    if args::texts(command).any(removes) { DESTRUCTIVE.finding() } else { SERVICE.judge(command) }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn clusters_are_read_changed_or_emptied() {
        for (line, class) in [
            ("kubectl get pods", Class::ReadExternal),
            ("kubectl logs api-0", Class::ReadExternal),
            ("kubectl apply -f k8s/deploy.yaml", Class::External),
            ("kubectl apply -f k8s --prune", Class::Destructive),
            ("kubectl rollout restart deploy/api", Class::External),
            ("kubectl exec -it api-0 -- ls", Class::External),
            ("kubectl scale deploy/api --replicas=0", Class::Destructive),
            ("kubectl delete namespace prod", Class::Destructive),
            ("kubectl -n prod delete pod api-0", Class::Destructive),
            ("kubectl --odd prod delete pod api-0", Class::Destructive),
            ("kubectl drain node-1 --force", Class::Destructive),
            ("kubectl replace --force -f a.yaml", Class::Destructive),
        ] {
            let finding = kubectl(&command(line));
            assert_eq!((finding.class, finding.level), (class, Level::Red), "{line}");
        }
    }

    #[test]
    fn a_line_may_allow_looking_at_a_cluster_but_never_at_its_secrets() {
        for (line, reach) in [
            ("kubectl get pods -n prod -o wide", Reach::Class),
            ("kubectl -n prod describe pod api-0", Reach::Class),
            ("kubectl get pods -A", Reach::Class),
            ("kubectl get secret db -o yaml", Reach::Never),
            ("kubectl get pods,secrets", Reach::Never),
            ("kubectl get --raw /api", Reach::Never),
            ("kubectl --server=x.test get pods", Reach::Never),
            ("kubectl logs api-0", Reach::Never),
        ] {
            assert_eq!(kubectl(&command(line)).reach, reach, "{line}");
        }
    }

    #[test]
    fn cluster_tools_follow_their_verbs() {
        for (cli, line, class) in [
            (&HELM, "helm upgrade --install api chart", Class::External),
            (&HELM, "helm uninstall api", Class::Destructive),
            (&HELM, "helm list -A", Class::ReadExternal),
            (&TOOLS, "argocd app delete a", Class::Destructive),
            (&TOOLS, "argocd app sync a", Class::External),
            (&TOOLS, "etcdctl del --prefix a", Class::Destructive),
            (&VAULT, "vault kv delete secret/app", Class::Destructive),
            (&VAULT, "vault kv get secret/app", Class::ReadExternal),
            (&VAULT, "vault secrets disable kv", Class::Destructive),
            (&VAULT, "nomad job stop -purge a", Class::Destructive),
            (&VAULT, "consul kv delete a", Class::Destructive),
            (&QUEUES, "rabbitmqadmin delete queue name=q", Class::Destructive),
            (&QUEUES, "rabbitmqctl force_reset", Class::Destructive),
            (&QUEUES, "kafka-topics --delete --topic t", Class::Destructive),
            (&QUEUES, "airflow db reset", Class::Destructive),
        ] {
            assert_eq!(cli.judge(&command(line)).class, class, "{line}");
        }
        assert_eq!(hdfs(&command("hdfs dfs -rm -r data")).class, Class::Destructive);
    }
}
