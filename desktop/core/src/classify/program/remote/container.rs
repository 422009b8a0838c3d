//! Containers and machines on this computer. Looking at the local engine is yellow and may be allowed by a line; running
//! runs code; removing loses what a container or volume holds; another engine than the local one is the network.

use super::{
    super::entry::{
        DESTRUCTIVE, Does, Entry, Fixed, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE, OUTSIDE_ASKS, READ_ASKS,
        RUNS_CODE, UNKNOWN, UNKNOWN_RED, WRITE_WIDE,
    },
    args,
    cli::{self, Cli, PROBE, SERVICE},
};
use crate::classify::{facts::Reach, finding::Finding, word::Command};

/// Containers, images, virtual machines.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["docker", "podman", "nerdctl", "finch"],
        does: Does::Code(|c, _| engine(c)),
        why: "containers on this computer",
    },
    Entry {
        names: &["docker-compose", "podman-compose"],
        does: Does::Code(|c, _| compose_alone(c)),
        why: "compose under its own name",
    },
    Entry {
        names: &[
            "buildah", "ctr", "crictl", "img", "nixpacks", "pack", "kaniko", "ko", "jib", "s2i",
            "devcontainer", "toolbox", "distrobox", "apptainer", "singularity", "charliecloud", "runc",
            "crun", "machinectl", "bocker",
        ],
        does: Does::Code(|c, _| LOCAL.judge_local(c)),
        why: "containers on this computer",
    },
    Entry {
        names: &[
            "skopeo", "crane", "oras", "regctl", "gcrane", "notation", "notary", "dive", "trivy", "grype",
            "syft", "hub-tool", "dockle", "clair",
        ],
        does: Does::Code(|c, _| REGISTRY.judge(c)),
        why: "talks to a registry",
    },
    Entry {
        names: &[
            "minikube", "kind", "k3d", "k0s", "k0sctl", "crc", "virsh", "virt-install", "virt-clone",
            "vagrant", "lxc", "incus", "lxd", "multipass", "colima", "lima", "limactl", "orb", "orbctl",
            "VBoxManage", "vboxmanage", "prlctl", "vmrun", "utmctl", "tart", "docker-machine", "lxc-destroy",
            "lxc-start", "lxc-stop", "lxc-create", "lxc-ls", "qm", "pct", "pvesh", "xe", "govc", "firectl",
            "ignite", "wsl", "wsl.exe", "waydroid", "anbox", "quickemu", "emulator", "avdmanager",
            "sdkmanager",
        ],
        does: Does::Code(|c, _| MACHINES.judge_local(c)),
        why: "virtual machines and small clusters on this computer",
    },
];

/// Looks at the local engine, where environments and their secrets show.
const LOOKS_CLOSELY: Fixed = Fixed { reach: Reach::Never, ..READ_ASKS };

const ENGINE: &[(&str, Fixed)] = &[
    ("ps|images|logs|top|port|diff|history|version|info|stats|events", READ_ASKS),
    ("container|containers ls|list|ps|logs|top|port|diff|stats", READ_ASKS),
    ("image|images ls|list|history|tree", READ_ASKS),
    ("volume|network|context|plugin|pod|machine|builder|buildx|manifest ls|list|ps|du", READ_ASKS),
    ("system df|info|events", READ_ASKS),
    ("inspect", LOOKS_CLOSELY),
    ("container|image|volume|network|context|pod|machine|plugin inspect", LOOKS_CLOSELY),
    (
        "build|run|create|start|restart|stop|pause|unpause|wait|exec|attach|rename|update|tag|import|load|commit|unshare|play|generate",
        RUNS_CODE,
    ),
    (
        "container run|create|start|restart|stop|pause|unpause|wait|exec|attach|rename|update|commit",
        RUNS_CODE,
    ),
    ("image build|tag|load|import", RUNS_CODE),
    ("buildx build|bake|create|use|inspect", RUNS_CODE),
    ("builder build|inspect", RUNS_CODE),
    ("bake|init|debug|scout|sbom", RUNS_CODE),
    ("volume|network create", RUNS_CODE),
    ("network connect|disconnect", RUNS_CODE),
    ("pod create|start|stop|restart", RUNS_CODE),
    ("machine init|start|stop", RUNS_CODE),
    ("context use|create|update", UNKNOWN_RED.because("changes which engine is used")),
    ("cp|save|export", WRITE_WIDE),
    ("container cp|export", WRITE_WIDE),
    ("image save", WRITE_WIDE),
    ("kill", UNKNOWN_RED.because("ends a container by name")),
    ("container kill", UNKNOWN_RED.because("ends a container by name")),
    ("rm|rmi", DESTRUCTIVE.because("removes containers or images")),
    (
        "container|image|volume|network|pod|machine|context|builder|buildx|manifest|plugin|secret|config|stack|service|node|swarm|checkpoint rm|remove|prune|leave",
        DESTRUCTIVE,
    ),
    ("system prune|reset", DESTRUCTIVE.because("removes what no container uses")),
    ("pull", NETWORK_READ),
    ("image pull", NETWORK_READ),
    ("push", OUTSIDE),
    ("image push", OUTSIDE),
    ("search", NETWORK_READ_ASKS),
    ("manifest inspect", NETWORK_READ_ASKS),
    ("login|logout", OUTSIDE_ASKS),
    ("plugin install|enable|disable|upgrade|set|create|push", UNKNOWN_RED),
    (
        "swarm|service|stack|node|secret|config|trust|manifest|cloud|extension|model|mcp|offload|pass",
        OUTSIDE_ASKS,
    ),
    ("desktop|system", UNKNOWN_RED),
];

const COMPOSE: &[(&str, Fixed)] = &[
    ("ps|logs|images|ls|top|port|version|events|stats|volumes", READ_ASKS),
    ("config|convert", LOOKS_CLOSELY),
    ("up|build|run|exec|start|restart|stop|create|pause|unpause|watch|wait|attach|scale|commit", RUNS_CODE),
    ("cp|export", WRITE_WIDE),
    ("down|rm", DESTRUCTIVE.because("removes the project's containers")),
    ("kill", UNKNOWN_RED.because("ends containers by name")),
    ("pull", NETWORK_READ),
    ("push|publish", OUTSIDE_ASKS),
];

/// Options in front of the sub-command that take the next word.
const ENGINE_VALUED: &[&str] = &[
    "--config",
    "--log-level",
    "-l",
    "--namespace",
    "-n",
    "--root",
    "--runtime",
    "--storage-driver",
    "--tlscacert",
    "--tlscert",
    "--tlskey",
];
const COMPOSE_VALUED: &[&str] = &[
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--profile",
    "--env-file",
    "--project-directory",
    "--ansi",
    "--progress",
    "--parallel",
];
/// Options that name another engine than the local one.
const ELSEWHERE: &[&str] =
    &["-H", "--host", "-c", "--context", "--connection", "--url", "--identity", "--remote", "-r"];
const ELSEWHERE_VALUED: &[&str] = &["-H", "--host", "-c", "--context", "--connection", "--url", "--identity"];

fn engine(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let valued: Vec<&str> =
        ENGINE_VALUED.iter().chain(COMPOSE_VALUED).chain(ELSEWHERE_VALUED).copied().collect();
    let found = args::operands(command, &valued);
    let is_compose = found.words.first() == Some(&"compose");
    let (table, words) = match found.words.split_first() {
        Some((_, rest)) if is_compose => (COMPOSE, rest),
        _ => (ENGINE, found.words.as_slice()),
    };
    let mut finding = judged(table, words, command, is_compose);
    if command.name() != "docker" && finding.class == OUTSIDE.class {
        // POL-7 names `docker push` alone.
        finding.reach = finding.reach.min(Reach::Never);
    }
    // Before the sub-command only: `run -c`, `logs -H` are other options.
    let is_elsewhere =
        args::texts(command).take_while(|text| found.words.first() != Some(text)).any(|text| {
            ELSEWHERE.iter().any(|option| text == *option || text.starts_with(&format!("{option}=")))
                || text.starts_with("-H")
        });
    let is_told_elsewhere =
        command.assigned.iter().any(|name| name.starts_with("DOCKER_") || name.starts_with("CONTAINER_"));
    if is_elsewhere || is_told_elsewhere {
        let other = if finding.class == READ_ASKS.class { NETWORK_READ_ASKS } else { OUTSIDE_ASKS };
        finding.worsen(other.because("reaches another container engine").finding());
    }
    settle(finding, words, command, found.sure > usize::from(is_compose))
}

fn compose_alone(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let valued: Vec<&str> = COMPOSE_VALUED.iter().chain(ELSEWHERE_VALUED).copied().collect();
    let found = args::operands(command, &valued);
    let finding = judged(COMPOSE, &found.words, command, true);
    settle(finding, &found.words, command, found.sure > 0)
}

/// The table's word on it, with what its options add.
fn judged(
    table: &'static [(&'static str, Fixed)],
    words: &[&str],
    command: &Command,
    is_compose: bool,
) -> Finding {
    let fixed = match cli::longest(table, words) {
        Some((_, fixed)) => fixed,
        None if cli::destroys(words) => DESTRUCTIVE,
        None => UNKNOWN,
    };
    let mut finding = fixed.finding();
    if is_compose {
        finding.drivers.extend(args::values(command, &["-f", "--file"]).into_iter().map(str::to_owned));
    }
    let verb = words.first().copied().unwrap_or_default();
    if finding.class == RUNS_CODE.class && (verb == "build" || words.contains(&"build")) {
        finding.drivers.push("Dockerfile".into());
    }
    if is_compose && finding.drivers.is_empty() {
        finding.drivers = [
            "compose.yaml",
            "compose.yml",
            "docker-compose.yml",
            "docker-compose.yaml",
            "docker-compose.override.yml",
            "compose.override.yaml",
        ]
        .map(String::from)
        .to_vec();
    }
    let starts = matches!(verb, "run" | "create" | "exec" | "container" | "up" | "play" | "update");
    if starts && has_privilege(command) {
        finding.worsen(UNKNOWN_RED.because("gives a container power over this computer").finding());
    }
    if words.contains(&"build") || words.contains(&"bake") || words.contains(&"buildx") {
        if args::has(command, &["--push"])
            || args::texts(command).any(|text| text.contains("type=registry") || text.contains("push=true"))
        {
            finding.worsen(OUTSIDE_ASKS.because("pushes the image").finding());
        }
        if args::texts(command).any(|text| text.contains("://") || text.starts_with("git@")) {
            finding.worsen(NETWORK_READ_ASKS.because("builds from an address").finding());
        }
    }
    let is_config = is_compose && matches!(verb, "config" | "convert");
    if is_config && args::has(command, &["-o", "--output", "--lock-image-digests"]) {
        finding.worsen(WRITE_WIDE.finding());
    }
    finding
}

/// What an unknown option in front of the sub-command may hide.
fn settle(mut finding: Finding, words: &[&str], command: &Command, is_sure: bool) -> Finding {
    let is_plain = command.arguments().iter().all(|word| word.is_known);
    if !is_sure && words.first().is_some_and(|word| !is_verb(word)) && cli::destroys(words) {
        finding.worsen(DESTRUCTIVE.finding());
    }
    if !is_plain || args::texts(command).any(|text| text.contains("://")) {
        finding.reach = finding.reach.min(Reach::Never);
    }
    // `--rmi all`, `--volumes`, `-v` on a removal take more; the table has made those destructive already.
    if args::has(command, &["--rmi", "--renew-anon-volumes", "-V", "--remove-orphans"])
        && words.first() == Some(&"up")
    {
        finding.worsen(DESTRUCTIVE.because("removes containers or their volumes").finding());
    }
    finding
}

fn is_verb(word: &str) -> bool {
    ENGINE.iter().chain(COMPOSE).any(|(pattern, _)| {
        pattern.split(' ').next().is_some_and(|first| first.split('|').any(|one| one == word))
    })
}

fn has_privilege(command: &Command) -> bool {
    const POWERS: &[&str] = &[
        "--privileged",
        "--cap-add",
        "--device",
        "--security-opt",
        "--pid=host",
        "--net=host",
        "--network=host",
        "--ipc=host",
        "--userns=host",
        "--uts=host",
        "--cgroupns=host",
        "--volumes-from",
    ];
    let words: Vec<&str> = args::texts(command).collect();
    let is_pair = words.windows(2).any(|pair| {
        matches!(pair, [option, value] if matches!(*option, "--pid" | "--net" | "--network" | "--ipc" | "--userns" | "--uts") && (*value == "host" || value.starts_with("container:")))
    });
    is_pair
        || words
            .iter()
            .any(|text| POWERS.iter().any(|power| text.starts_with(power)) || text.contains("docker.sock"))
}

/// A command line for something on this computer.
struct Here {
    reads: &'static [(&'static str, Fixed)],
    otherwise: Fixed,
}

impl Here {
    fn judge_local(&self, command: &Command) -> Finding {
        if args::is_probe(command) {
            return PROBE.finding();
        }
        let found = args::operands(command, &["-c", "--connect", "-p", "--profile", "-n", "--namespace"]);
        let known = self.reads.iter().find(|(pattern, _)| cli::matches(pattern, &found.words));
        let has_deleting = cli::has_destroying_option(command) || command.name().ends_with("-destroy");
        if cli::destroys(&found.words)
            || has_deleting
            || args::texts(command).any(|text| matches!(text, "--unregister" | "unregistervm" | "undefine"))
        {
            return DESTRUCTIVE.because("removes a machine or a container").finding();
        }
        let mut finding = known.map_or(self.otherwise, |(_, fixed)| *fixed).finding();
        if found.sure == 0 {
            finding.reach = finding.reach.min(Reach::Never);
        }
        finding
    }
}

const LOCAL: Here = Here {
    reads: &[
        ("images|ps|containers|list|info|version|inspect|logs|stats", READ_ASKS),
        ("push", OUTSIDE_ASKS),
        ("pull", NETWORK_READ_ASKS),
        ("images|image|i pull", NETWORK_READ_ASKS),
        ("images|image|i push", OUTSIDE_ASKS),
        ("login|logout", OUTSIDE_ASKS),
    ],
    otherwise: RUNS_CODE,
};

const MACHINES: Here = Here {
    reads: &[
        (
            "status|list|ls|get|info|version|dominfo|dumpxml|domstate|ip|global-status|ssh-config|port|validate|box",
            READ_ASKS,
        ),
        ("cluster|node|profile list|ls", READ_ASKS),
        (
            "up|halt|reload|suspend|resume|ssh|provision|init|stop|shell|exec|start|launch|create|load",
            RUNS_CODE,
        ),
        ("cluster create|start|stop", RUNS_CODE),
    ],
    otherwise: UNKNOWN_RED,
};

const REGISTRY: Cli = Cli {
    valued: &["--platform", "--authfile", "-f", "--format"],
    subs: &[
        ("inspect|list-tags|manifest|digest|ls|catalog|tag", NETWORK_READ_ASKS),
        ("copy|push|append|mutate|sync|login|cp|sign", OUTSIDE_ASKS),
        ("image|fs|config|repo|sbom", NETWORK_READ_ASKS),
    ],
    ..SERVICE
};

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn looking_at_the_local_engine_may_be_allowed_by_a_line() {
        for line in [
            "docker ps -a",
            "docker images",
            "docker logs api --tail 50",
            "podman ps",
            "docker container ls",
            "docker compose ps",
            "docker compose logs -f api",
            "docker system df",
        ] {
            let finding = engine(&command(line));
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::Read, Level::Yellow, Reach::Class),
                "{line}"
            );
        }
    }

    #[test]
    fn running_and_building_runs_code() {
        for line in [
            "docker build -t app:dev .",
            "docker compose up -d",
            "docker compose -f dev.yml run --rm api pytest",
            "docker run --rm app:dev npm test",
            "docker exec api ls",
            "docker buildx build -t a .",
            "docker stop api",
        ] {
            let finding = engine(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Unknown, Level::Yellow), "{line}");
        }
        assert_eq!(compose_alone(&command("docker-compose up -d")).level, Level::Yellow);
    }

    #[test]
    fn removing_is_destructive_however_it_is_said() {
        for line in [
            "docker system prune -af --volumes",
            "docker volume rm pgdata",
            "docker rm -f api",
            "docker rmi -f app:dev",
            "docker image rm a",
            "docker container prune -f",
            "docker builder prune",
            "docker buildx prune",
            "docker compose down -v",
            "docker compose down",
            "docker compose --odd x down -v",
            "docker --log-level debug rm api",
            "podman system reset -f",
            "podman pod rm a",
            "docker network prune",
            "docker swarm leave --force",
            "docker stack rm a",
        ] {
            let finding = engine(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{line}");
        }
        assert_eq!(compose_alone(&command("docker-compose down -v")).class, Class::Destructive);
    }

    #[test]
    fn registries_and_other_engines_are_the_network() {
        for (line, class, reach) in [
            ("docker push me/app:1", Class::External, Reach::Class),
            ("docker pull postgres:16", Class::ReadExternal, Reach::Class),
            ("docker login", Class::External, Reach::Never),
            ("docker search nginx", Class::ReadExternal, Reach::Never),
            ("docker -H ssh://u@host.test ps", Class::ReadExternal, Reach::Never),
            ("docker --context prod run a", Class::External, Reach::Never),
            ("docker buildx build --push -t a .", Class::External, Reach::Never),
        ] {
            let finding = engine(&command(line));
            assert_eq!((finding.class, finding.level, finding.reach), (class, Level::Red, reach), "{line}");
        }
        let mut line = command("docker ps");
        line.assigned.push("DOCKER_HOST".into());
        assert_eq!(engine(&line).level, Level::Red);
    }

    #[test]
    fn a_container_with_power_over_the_computer_is_red() {
        for line in [
            "docker run --privileged a",
            "docker run --pid=host a",
            "docker run --net host a",
            "docker run -v /var/run/docker.sock:/s a",
            "docker run --cap-add SYS_ADMIN a",
        ] {
            assert_eq!(engine(&command(line)).level, Level::Red, "{line}");
        }
    }

    #[test]
    fn virtual_machines_are_looked_at_run_or_removed() {
        for (line, class) in [
            ("vagrant status", Class::Read),
            ("vagrant up", Class::Unknown),
            ("vagrant destroy -f", Class::Destructive),
            ("minikube delete", Class::Destructive),
            ("kind delete cluster", Class::Destructive),
            ("virsh undefine vm", Class::Destructive),
            ("lxc delete c --force", Class::Destructive),
            ("VBoxManage unregistervm a --delete", Class::Destructive),
            ("colima start", Class::Unknown),
        ] {
            assert_eq!(MACHINES.judge_local(&command(line)).class, class, "{line}");
        }
    }
}
