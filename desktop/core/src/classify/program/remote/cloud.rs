//! Cloud providers' command lines. Each talks to a server: red. Only `gcloud … list` may be allowed by a line (POL-7).

use super::{
    super::entry::{
        DESTRUCTIVE, Does, Entry, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE_ASKS, RUNS_CODE, SPEND,
    },
    cli::{Cli, PAID_SERVICE, SERVICE},
};

/// Cloud providers.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "aws", "aws2", "awslocal", "aws-vault", "saml2aws", "granted", "assume", "awsume", "leapp",
            "aws-sso",
        ],
        does: Does::Code(|c, _| AWS.judge(c)),
        why: "Amazon: verbs are the first part of an operation's name",
    },
    Entry {
        names: &["gcloud"],
        does: Does::Code(|c, _| GCLOUD.judge(c)),
        why: "Google: `… list` is in POL-7",
    },
    Entry { names: &["gsutil"], does: Does::Code(|c, _| GSUTIL.judge(c)), why: "Google storage" },
    Entry {
        names: &["bq", "cbt", "gcr"],
        does: Does::Code(|c, _| BQ.judge(c)),
        why: "Google data: `bq rm`, `bq query`",
    },
    Entry {
        names: &["az", "azd", "func", "m365"],
        does: Does::Code(|c, _| AZ.judge(c)),
        why: "Azure: the verb is the last word of the group",
    },
    Entry {
        names: &[
            "doctl", "hcloud", "linode-cli", "linode", "vultr-cli", "vultr", "scw", "oci", "ibmcloud",
            "ovhai", "exo", "civo", "aliyun", "tccli", "yc", "upctl", "openstack", "nova", "cinder", "glance",
            "packet", "metal", "equinix", "paperspace", "gradient", "vastai", "runpodctl", "prime", "brev",
            "jarvislabs", "kamatera", "cloudscale", "stackit", "contabo", "phoenixnap", "nebius", "crusoe",
            "sky", "dstack",
        ],
        does: Does::Code(|c, _| MACHINES.judge(c)),
        why: "rents machines: creating one costs money",
    },
    Entry {
        names: &[
            "eksctl", "kops", "rosa", "ocm", "aks-engine", "gke-gcloud-auth-plugin", "copilot-cli", "ecs-cli",
            "eb", "awsebcli", "lightsailctl", "aws-nuke", "cloud-nuke",
        ],
        does: Does::Code(|c, _| CLUSTERS.judge(c)),
        why: "makes and removes whole clusters",
    },
    Entry {
        names: &[
            "sam", "samcli", "chalice", "zappa", "serverless", "sls", "cdk", "aws-cdk", "cdktf", "cdk8s",
            "sst", "amplify", "ampx", "arc", "up", "apex", "claudia", "stacker", "sceptre", "cfn", "rain",
            "aws-sam-cli", "localstack",
        ],
        does: Does::Code(|c, _| STACKS.judge(c)),
        why: "deploys stacks of cloud resources",
    },
    Entry {
        names: &[
            "databricks", "snow", "snowsql", "confluent", "astrocloud", "airbyte", "fivetran", "mongocli",
            "atlas", "elastic", "ecctl", "planetscale", "pscale", "turso", "neonctl", "neon", "xata",
            "upstash", "ccloud", "tembo", "aiven", "avn", "fauna", "nhost", "convex", "appwrite",
            "instaclustr", "timescale", "tiger", "ticloud", "singlestore",
        ],
        does: Does::Code(|c, _| PAID_SERVICE.judge(c)),
        why: "data services elsewhere",
    },
    Entry {
        names: &[
            "huggingface-cli", "hf", "wandb", "mlflow", "comet", "neptune", "clearml", "replicate",
            "modal", "kaggle", "openai", "anthropic", "llm", "sgpt", "mods", "fabric-ai", "cog", "banana",
            "beam", "baseten", "truss", "together", "fal", "lightning", "determined", "det", "zenml",
            "bentoml", "roboflow", "ollama", "elevenlabs", "aichat", "groq",
        ],
        does: Does::Code(|c, _| SERVICE.judge(c)),
        why: "model services elsewhere, or a server that loads models",
    },
    Entry {
        names: &["dvc"],
        does: Does::Code(|c, _| DATA_VERSIONS.judge(c)),
        why: "runs the project's stages; keeps data elsewhere",
    },
];

const DATA_VERSIONS: Cli = Cli {
    subs: &[
        (
            "repro|run|exp|stage|status|diff|dag|metrics|params|plots|root|version|freeze|unfreeze|doctor",
            RUNS_CODE,
        ),
        ("exp push", OUTSIDE_ASKS),
        ("exp pull", NETWORK_READ_ASKS),
        ("pull|fetch|get|get-url|import|import-url|list|ls", NETWORK_READ_ASKS),
    ],
    ..SERVICE
};

const AWS: Cli = Cli {
    valued: &[
        "--profile",
        "--region",
        "--output",
        "--endpoint-url",
        "--query",
        "--color",
        "--ca-bundle",
        "--cli-read-timeout",
        "--cli-connect-timeout",
    ],
    subs: &[
        ("s3 ls|presign", NETWORK_READ_ASKS),
        ("s3 mv", OUTSIDE_ASKS),
        ("s3 rm|rb", DESTRUCTIVE.because("deletes stored objects")),
        ("s3 cp|sync|website", OUTSIDE_ASKS.because("copies to or from storage elsewhere")),
        ("s3 mb", OUTSIDE_ASKS),
        ("s3api head-object|head-bucket", NETWORK_READ_ASKS),
        ("sts get-caller-identity", NETWORK_READ_ASKS),
        (
            "iam create-access-key|create-user|attach-user-policy|put-user-policy",
            OUTSIDE_ASKS.because("changes who may do what"),
        ),
        ("ec2 stop-instances|reboot-instances", OUTSIDE_ASKS),
        (
            "ec2 start-instances|run-instances|request-spot-instances|create-fleet",
            SPEND.because("starts paid machines"),
        ),
        ("ec2 create-security-group|create-key-pair|create-tags|create-vpc|create-subnet", OUTSIDE_ASKS),
        ("ecs update-service|run-task|create-service", OUTSIDE_ASKS),
        ("autoscaling set-desired-capacity|update-auto-scaling-group", SPEND.because("scales paid machines")),
        ("application-autoscaling register-scalable-target", SPEND.because("scales paid machines")),
        ("route53domains register-domain|renew-domain|transfer-domain", SPEND.because("buys a domain")),
        ("savingsplans create-savings-plan", SPEND),
        ("kms schedule-key-deletion|disable-key", DESTRUCTIVE.because("loses what a key protects")),
        ("cloudformation deploy|create-stack|update-stack", OUTSIDE_ASKS),
        ("logs tail|filter-log-events", NETWORK_READ_ASKS),
        ("configure", OUTSIDE_ASKS.because("changes the account this machine uses")),
        ("sso|login|logout", OUTSIDE_ASKS),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

const GCLOUD: Cli = Cli {
    valued: &[
        "--project",
        "--account",
        "--format",
        "--region",
        "--zone",
        "--configuration",
        "--verbosity",
        "--filter",
        "--limit",
        "--location",
        "--impersonate-service-account",
        "--billing-project",
    ],
    subs: &[
        ("* list", NETWORK_READ),
        ("* * list", NETWORK_READ),
        ("* * * list", NETWORK_READ),
        ("* * * * list", NETWORK_READ),
        ("auth list", NETWORK_READ),
        ("auth print-access-token|print-identity-token", NETWORK_READ_ASKS.because("prints a token")),
        ("auth *", OUTSIDE_ASKS),
        ("auth application-default *", OUTSIDE_ASKS),
        ("config get|get-value", NETWORK_READ_ASKS),
        ("config set|unset", OUTSIDE_ASKS),
        ("run deploy", OUTSIDE_ASKS),
        ("app deploy", OUTSIDE_ASKS),
        ("functions deploy", OUTSIDE_ASKS),
        ("builds submit", OUTSIDE_ASKS),
        ("storage ls|cat|du", NETWORK_READ_ASKS),
        ("compute ssh|scp", OUTSIDE_ASKS),
        ("compute commitments create", SPEND),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

const GSUTIL: Cli = Cli {
    valued: &["-o", "-h", "-u", "-i"],
    subs: &[
        ("ls|cat|du|stat|hash|version", NETWORK_READ_ASKS),
        ("rm|rb", DESTRUCTIVE.because("deletes stored objects")),
        ("rsync", OUTSIDE_ASKS),
        ("mb|cp|mv|acl|iam|setmeta|cors", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

const BQ: Cli = Cli {
    valued: &["--project_id", "--dataset_id", "--location", "--format"],
    subs: &[
        ("ls|show|head|info|version|help|wait", NETWORK_READ_ASKS),
        ("rm", DESTRUCTIVE.because("deletes tables")),
        ("query|mk|load|cp|extract|insert|update|cancel", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

const AZ: Cli = Cli {
    valued: &["--subscription", "--output", "-o", "--query", "-g", "--resource-group", "-n", "--name"],
    subs: &[
        ("account show|list", NETWORK_READ_ASKS),
        ("account clear", DESTRUCTIVE),
        ("login|logout|configure", OUTSIDE_ASKS),
        ("group create", OUTSIDE_ASKS),
        ("account set", OUTSIDE_ASKS),
        ("vm deallocate", OUTSIDE_ASKS),
        ("acr login|build", OUTSIDE_ASKS),
        ("webapp up|deploy", OUTSIDE_ASKS),
        ("rest", OUTSIDE_ASKS),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

const MACHINES: Cli = Cli {
    valued: &[
        "-t",
        "--access-token",
        "-o",
        "--output",
        "--format",
        "--context",
        "-c",
        "--config",
        "--project-id",
        "--region",
        "--profile",
        "--token",
    ],
    subs: &[
        ("auth|login|logout|configure|context", OUTSIDE_ASKS),
        ("auth init", OUTSIDE_ASKS),
        ("compute droplet create", SPEND.because("starts a paid machine")),
        ("server poweron|change-type|enable-backup|rebuild", SPEND),
        ("server rebuild", DESTRUCTIVE.because("writes the machine anew")),
        ("server shutdown|poweroff|reboot|stop", OUTSIDE_ASKS),
        ("ssh-key|firewall|network create|add|import", OUTSIDE_ASKS),
        ("compute ssh", OUTSIDE_ASKS),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

const CLUSTERS: Cli = Cli {
    valued: &["--profile", "--region", "-r", "--name", "--state"],
    subs: &[
        ("create|scale|upgrade", SPEND.because("makes or scales a paid cluster")),
        ("deploy|use|init", OUTSIDE_ASKS),
        ("create iamserviceaccount|iamidentitymapping|addon", OUTSIDE_ASKS),
    ],
    pays: true,
    otherwise: DESTRUCTIVE.because("may remove whole accounts' resources"),
};

const STACKS: Cli = Cli {
    valued: &[
        "--profile",
        "--region",
        "-r",
        "--stage",
        "-s",
        "--stack-name",
        "-c",
        "--context",
        "--app",
        "-a",
        "--config",
        "--env",
    ],
    subs: &[
        ("remove|destroy|delete|del|unbind", DESTRUCTIVE.because("removes a stack and what it holds")),
        ("deploy|sync|up|dev|watch|bootstrap|import|rollback|invoke|push|publish", OUTSIDE_ASKS),
        (
            "ls|list|diff|info|logs|metrics|validate|doctor|status|context|docs|print|outputs",
            NETWORK_READ_ASKS,
        ),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};
    use crate::classify::facts::Reach;

    fn holds(cli: &Cli, cases: &[(&str, Class)]) {
        for (line, class) in cases {
            let finding = cli.judge(&command(line));
            assert_eq!((finding.class, finding.level), (*class, Level::Red), "{line}");
        }
    }

    #[test]
    fn amazon_is_judged_by_the_verb_in_an_operations_name() {
        holds(
            &AWS,
            &[
                ("aws s3 ls", Class::ReadExternal),
                ("aws --profile p ec2 describe-instances", Class::ReadExternal),
                ("aws s3 cp a s3://b/", Class::External),
                ("aws s3 sync . s3://b --delete", Class::Destructive),
                ("aws s3 rm s3://b/data --recursive", Class::Destructive),
                ("aws s3 rb s3://b --force", Class::Destructive),
                ("aws ec2 terminate-instances --instance-ids i-1", Class::Destructive),
                ("aws rds delete-db-instance --db-instance-identifier a", Class::Destructive),
                ("aws logs delete-log-group --log-group-name g", Class::Destructive),
                ("aws dynamodb delete-table --table-name t", Class::Destructive),
                ("aws ec2 run-instances --image-id ami-1", Class::Spend),
                ("aws rds create-db-instance --db-instance-class db.r6g.large", Class::Spend),
                ("aws lambda update-function-code --function-name f", Class::External),
                ("aws iam create-access-key", Class::External),
                ("aws secretsmanager get-secret-value --secret-id s", Class::ReadExternal),
            ],
        );
    }

    #[test]
    fn google_lists_may_be_allowed_by_a_line_and_nothing_else() {
        for (line, reach) in [
            ("gcloud compute instances list", Reach::Class),
            ("gcloud --project p run services list --format json", Reach::Class),
            ("gcloud projects list", Reach::Class),
            ("gcloud projects describe p", Reach::Never),
            ("gcloud secrets versions access latest", Reach::Never),
        ] {
            assert_eq!(GCLOUD.judge(&command(line)).reach, reach, "{line}");
        }
        holds(
            &GCLOUD,
            &[
                ("gcloud projects delete my-proj", Class::Destructive),
                ("gcloud compute instances create gpu-1", Class::Spend),
                ("gcloud container clusters resize c --num-nodes 9", Class::Spend),
                ("gcloud run deploy api --source .", Class::External),
                ("gcloud compute instances describe a", Class::ReadExternal),
            ],
        );
    }

    #[test]
    fn other_providers_follow_the_same_verbs() {
        holds(
            &GSUTIL,
            &[
                ("gsutil -m rm -r gs://b", Class::Destructive),
                ("gsutil cp a gs://b", Class::External),
                ("gsutil rsync -d a gs://b", Class::External),
            ],
        );
        holds(
            &AZ,
            &[
                ("az vm create -n vm -g rg", Class::Spend),
                ("az group delete -n rg --yes", Class::Destructive),
                ("az storage blob upload -f a", Class::External),
                ("az vm list", Class::ReadExternal),
            ],
        );
        holds(
            &MACHINES,
            &[
                ("doctl compute droplet create web", Class::Spend),
                ("hcloud server create --type cx51", Class::Spend),
                ("hcloud server delete a", Class::Destructive),
                ("linode-cli linodes list", Class::ReadExternal),
                ("doctl compute droplet delete 1", Class::Destructive),
            ],
        );
        holds(
            &CLUSTERS,
            &[
                ("eksctl create cluster --nodes 6", Class::Spend),
                ("eksctl delete cluster a", Class::Destructive),
                ("eksctl get cluster", Class::ReadExternal),
            ],
        );
        holds(
            &STACKS,
            &[
                ("cdk destroy --force", Class::Destructive),
                ("sls remove", Class::Destructive),
                ("cdk diff", Class::ReadExternal),
                ("sam deploy", Class::External),
            ],
        );
    }
}
