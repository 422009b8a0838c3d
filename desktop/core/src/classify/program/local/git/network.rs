//! Git's commands that talk to other machines. Every one is red; only a plain `git fetch` may be answered by a line
//! (POL-7). A push has a file of its own.

use super::super::{OPTION_UNKNOWN, RUNS_OTHER};
use super::writes::PULL;
use crate::classify::{
    finding::Finding,
    program::{
        entry::{
            DESTRUCTIVE, Does, Entry, Fixed, NETWORK_READ, NETWORK_READ_ASKS, NO_OPTIONS, OUTSIDE_ASKS,
            Options, READ, READ_ASKS, UNKNOWN_RED, WRITE_WIDE,
        },
        walk::{Looks, operands},
    },
    scene::Scene,
    word::{Command, Word},
};

#[rustfmt::skip]
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["push", "send-pack", "http-push"],
        does: Does::Code(super::push::push),
        why: "sends commits out",
    },
    Entry { names: &["fetch"], does: Does::Code(fetch), why: "reads commits from a remote" },
    Entry { names: &["pull"], does: Does::Code(pull), why: "fetches and merges" },
    Entry {
        names: &[
            "clone", "ls-remote", "fetch-pack", "http-fetch", "request-pull", "archimport", "cvsimport",
            "backfill",
        ],
        does: Does::Code(of_addresses),
        why: "read from another machine",
    },
    Entry {
        names: &["submodule"],
        does: Does::Code(submodule),
        why: "changes other repositories inside this one",
    },
    Entry {
        names: &["subtree"],
        does: Does::Code(subtree),
        why: "takes other repositories in and sends parts out",
    },
    Entry { names: &["lfs"], does: Does::Code(lfs), why: "keeps large files on a server" },
    Entry {
        names: &["send-email", "imap-send", "cvsexportcommit"],
        does: Does::Always(OUTSIDE_ASKS.because("Sends patches out.")),
        why: "send patches out",
    },
    Entry {
        names: &["svn", "p4", "tfs", "hg", "bzr"],
        does: Does::Code(foreign),
        why: "talk to other kinds of servers",
    },
    Entry {
        names: &[
            "daemon", "http-backend", "cvsserver", "upload-pack", "upload-archive", "receive-pack", "shell",
            "gitweb",
        ],
        does: Does::Always(OUTSIDE_ASKS.because("Serves a repository to others.")),
        why: "serve a repository",
    },
    Entry {
        names: &[
            "credential", "credential-cache", "credential-store", "credential-manager",
            "credential-osxkeychain", "credential-libsecret", "askpass",
        ],
        does: Does::Always(UNKNOWN_RED.because("Reads or stores passwords.")),
        why: "print and store passwords",
    },
    Entry {
        names: &["remote-http", "remote-https", "remote-ftp", "remote-ftps", "remote-ext", "remote-fd"],
        does: Does::Always(UNKNOWN_RED),
        why: "parts of Git that start programs or talk to servers",
    },
    Entry {
        names: &["scalar"],
        does: Does::Always(UNKNOWN_RED),
        why: "clones, and has the system run upkeep by the clock",
    },
];

/// A read from the network that no line may allow.
pub(super) const fn asks(words: &'static str) -> Fixed {
    NETWORK_READ_ASKS.because(words)
}

/// Addresses of helpers that are programs: `ext::sh -c …`.
pub(super) fn helper(arguments: &[Word]) -> Finding {
    let starts = arguments.iter().any(|word| word.text.contains("ext::") || word.text.contains("fd::"));
    if starts { UNKNOWN_RED.because("The address starts a program.").finding() } else { READ.finding() }
}

/// Options of fetches and clones that start programs or bring hooks in.
fn starts(looks: &Looks<'_>, letters: &str) -> bool {
    looks.has(letters, &["upload-pack", "exec", "receive-pack", "template", "config", "server-option"])
}

/// The host of an address; nothing for a remote's name or a path.
pub(super) fn host(address: &str) -> Option<String> {
    let (rest, is_url) = match address.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (address, false),
    };
    let authority = rest.split('/').next()?;
    let authority = authority.rsplit('@').next()?;
    let (host, _) = match authority.split_once(':') {
        Some((host, behind)) => (host, behind),
        None if is_url => (authority, ""),
        None => return None,
    };
    (!host.is_empty()).then(|| host.to_owned())
}

fn with_hosts(mut finding: Finding, looks: &Looks<'_>) -> Finding {
    finding.hosts.extend(looks.texts().filter_map(host));
    finding
}

/// Whatever reads from an address.
pub(super) fn of_addresses(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let mut finding = NETWORK_READ_ASKS.finding();
    let letters = if command.name() == "clone" { "uc" } else { "" };
    if starts(&looks, letters) {
        finding.worsen(RUNS_OTHER.finding());
    }
    finding.worsen(helper(command.arguments()));
    with_hosts(finding, &looks)
}

fn fetch(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const PLAIN: Options = Options {
        letters: "aqvtnjk46",
        long: &[
            "all", "auto-gc", "ipv4", "ipv6", "no-auto-gc", "no-auto-maintenance", "no-tags", "progress",
            "quiet", "tags", "unshallow", "verbose", "no-recurse-submodules", "atomic",
        ],
        long_valued: &["depth", "deepen", "jobs", "shallow-since"],
        ..NO_OPTIONS
    };
    let looks = Looks::of(command.arguments());
    let mut finding = NETWORK_READ_ASKS.finding();
    let is_name = |word: &&Word| {
        word.is_known
            && !word.is_glob
            && host(&word.text).is_none()
            && !word.text.contains([':', '+', '*'])
            && !word.text.starts_with(['.', '/', '~'])
    };
    if operands(&[&PLAIN], command.arguments()).is_some_and(|found| found.iter().all(is_name)) {
        return NETWORK_READ.finding();
    }
    if starts(&looks, "") {
        finding.worsen(RUNS_OTHER.finding());
    }
    // A branch of one's own is overwritten.
    let is_forced = looks.has("fu", &["force", "update-head-ok", "refetch-force"])
        || looks.texts().any(|text| text.starts_with('+'));
    if is_forced && looks.texts().any(|text| text.contains(':')) {
        finding.worsen(DESTRUCTIVE.because("Overwrites a local branch.").finding());
    }
    finding.worsen(helper(command.arguments()));
    with_hosts(finding, &looks)
}

fn pull(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let mut finding = PULL.because("Fetches and merges.").finding();
    if starts(&looks, "") {
        finding.worsen(RUNS_OTHER.finding());
    }
    if looks.has("f", &["force"]) || looks.texts().any(|text| text.starts_with('+')) {
        finding.worsen(DESTRUCTIVE.because("Overwrites a local branch.").finding());
    }
    finding.worsen(helper(command.arguments()));
    with_hosts(finding, &looks)
}

fn submodule(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match looks.texts().next() {
        None | Some("status" | "summary") => READ_ASKS.finding(),
        Some("init" | "sync" | "set-url" | "set-branch" | "absorbgitdirs") => {
            let mut finding = WRITE_WIDE.finding();
            finding.worsen(helper(command.arguments()));
            finding
        }
        Some("update" | "add") if looks.has("f", &["force"]) => {
            DESTRUCTIVE.because("Throws away changes in submodules.").finding()
        }
        Some("update" | "add") => {
            let mut finding = asks("Fetches submodules.").finding();
            finding.worsen(helper(command.arguments()));
            with_hosts(finding, &looks)
        }
        Some("deinit") => DESTRUCTIVE.because("Deletes the files of submodules.").finding(),
        Some("foreach") => RUNS_OTHER.because("Runs a command in every submodule.").finding(),
        Some(_) => OPTION_UNKNOWN.finding(),
    }
}

fn subtree(command: &Command, scene: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if !looks.texts().any(|text| text == "push") {
        return match looks.texts().next() {
            Some("split" | "merge") => super::super::super::entry::WRITE_HOOKS.finding(),
            Some(_) | None => PULL.because("Fetches and merges.").finding(),
        };
    }
    // `push REMOTE BRANCH`: judged as such a push.
    let mut words = vec![Word::plain("push")];
    words.extend(
        looks.operands.iter().skip_while(|word| word.text != "push").skip(1).map(|word| (*word).clone()),
    );
    super::push::push(&Command { words, ..command.clone() }, scene)
}

fn lfs(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match looks.texts().next() {
        Some("ls-files" | "status" | "env" | "version" | "logs" | "pointer") => READ_ASKS.finding(),
        Some("fetch" | "pull" | "clone" | "locks") => asks("Fetches large files.").finding(),
        Some("push" | "lock" | "unlock") => OUTSIDE_ASKS.because("Sends large files out.").finding(),
        Some("migrate" | "prune" | "dedup") => {
            DESTRUCTIVE.because("Rewrites commits or deletes files.").finding()
        }
        Some("install" | "uninstall" | "update") => {
            UNKNOWN_RED.because("Changes hooks and settings of Git.").finding()
        }
        Some(_) | None => WRITE_WIDE.finding(),
    }
}

fn foreign(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match looks.texts().next() {
        Some(
            "dcommit" | "commit" | "set-tree" | "commit-diff" | "submit" | "branch" | "tag" | "push"
            | "rcheckin" | "checkin" | "mkdirs" | "propset" | "delete",
        ) => OUTSIDE_ASKS.because("Sends commits to another server.").finding(),
        Some("reset") => DESTRUCTIVE.because("Throws away commits.").finding(),
        Some(_) | None => asks("Talks to another server.").finding(),
    }
}
