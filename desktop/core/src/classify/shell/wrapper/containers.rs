//! Commands inside containers: what they do there is judged as if it were here, since what a container shares is not
//! known.

use super::{Inside, Opened, walk};
use crate::classify::{
    program::entry::Options,
    word::{Command, Word},
};

/// Options of `run` and `exec` that take a value, in all container tools.
const OPTIONS: Options = Options {
    letters: "ditqPT",
    valued: "eaulhvwpmcnf",
    long: &[
        "rm",
        "detach",
        "interactive",
        "tty",
        "init",
        "privileged",
        "read-only",
        "no-healthcheck",
        "quiet",
        "no-deps",
        "build",
        "service-ports",
        "no-TTY",
        "publish-all",
        "stdin",
        "replace",
        "use-aliases",
    ],
    long_valued: &[
        "env",
        "env-file",
        "attach",
        "user",
        "label",
        "hostname",
        "volume",
        "workdir",
        "publish",
        "memory",
        "name",
        "network",
        "net",
        "entrypoint",
        "mount",
        "platform",
        "pull",
        "restart",
        "cpus",
        "gpus",
        "add-host",
        "cap-add",
        "cap-drop",
        "device",
        "dns",
        "expose",
        "ip",
        "ipc",
        "link",
        "log-driver",
        "log-opt",
        "pid",
        "security-opt",
        "shm-size",
        "tmpfs",
        "ulimit",
        "userns",
        "container",
        "namespace",
        "context",
        "file",
        "index",
        "project-name",
        "detach-keys",
        "cidfile",
        "runtime",
        "stop-signal",
        "volumes-from",
        "image",
        "profile",
    ],
    number: false,
};

pub(super) fn open(name: &str, command: &Command) -> Option<Opened> {
    let words = command.arguments();
    match name {
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "lxc" | "incus" => {
            inner(words, &["exec", "run"])
        }
        "kubectl" | "oc" | "k3s" | "microk8s" => behind_dashes(words, &["exec", "run", "debug"]),
        "vagrant" | "multipass" | "limactl" | "colima" | "gcloud" | "heroku" | "fly" | "flyctl" => {
            behind_dashes(words, &["ssh", "exec", "shell", "console", "run", "run:detached"])
        }
        _ => None,
    }
}

fn inner(words: &[Word], subs: &[&str]) -> Option<Opened> {
    let at = words.iter().position(|word| subs.contains(&word.text.as_str()))?;
    let rest = words.get(at + 1..)?;
    let walked = walk(rest, &OPTIONS);
    // The container or image stands first.
    let words = rest.get(walked.first + 1..).unwrap_or_default();
    let mut inside = Vec::new();
    if let Some((_, entry)) = walked.values.iter().find(|(name, _)| name == "entrypoint") {
        let words: Vec<Word> = core::iter::once(entry.clone()).chain(words.iter().cloned()).collect();
        inside.push(Inside::words(&words));
    } else if !words.is_empty() {
        inside.push(Inside::words(words));
    }
    if inside.is_empty() {
        None
    } else {
        Some(Opened { base: None, inside, is_read: walked.is_read, own: None })
    }
}

fn behind_dashes(words: &[Word], subs: &[&str]) -> Option<Opened> {
    let at = words.iter().position(|word| subs.contains(&word.text.as_str()))?;
    let rest = words.get(at + 1..)?;
    let mut inside = Vec::new();
    if let Some(dashes) = rest.iter().position(|word| word.text == "--") {
        inside.push(Inside::words(rest.get(dashes + 1..).unwrap_or_default()));
    } else {
        let walked = walk(rest, &OPTIONS);
        // `exec POD command`, the old way; `run command`.
        for skipped in 0..2 {
            inside.push(Inside::words(rest.get(walked.first + skipped..).unwrap_or_default()));
        }
    }
    for pair in rest.windows(2) {
        if let [option, value] = pair
            && matches!(option.text.as_str(), "-c" | "-C" | "--command")
        {
            inside.push(Inside::text(value));
        }
    }
    inside.retain(|inside| !inside.is_empty());
    if inside.is_empty() { None } else { Some(Opened { base: None, inside, is_read: true, own: None }) }
}
