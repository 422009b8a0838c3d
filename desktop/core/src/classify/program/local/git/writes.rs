//! Git's commands that write and can be undone: those that run no hooks first, then those that do (POL-5), then those
//! that drive other programs.

use super::super::{OPTION_UNKNOWN, RUNS_OTHER};
use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::{
        entry::{
            DESTRUCTIVE, Does, Entry, Fixed, LOSES_FILE, NO_OPTIONS, Options, READ_ASKS, RUNS_CODE, UNKNOWN,
            UNKNOWN_RED, WRITE, WRITE_HOOKS, WRITE_WIDE,
        },
        walk::{Looks, operands},
    },
    scene::Scene,
    word::Command,
};
use countersign_proto::request::{Class, Level};

#[rustfmt::skip]
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["add", "stage"],
        does: Does::Within(ADD, WRITE, WRITE_HOOKS),
        why: "stages files; -e opens an editor",
    },
    Entry {
        names: &["mv"],
        does: Does::Within(MV, WRITE, WRITE_WIDE),
        why: "renames; -f over what is there",
    },
    Entry { names: &["rm"], does: Does::Code(remove), why: "deletes files and unstages them" },
    Entry {
        names: &["init", "init-db"],
        does: Does::Code(init),
        why: "makes a repository; a template brings hooks in",
    },
    Entry { names: &["apply"], does: Does::Code(apply), why: "changes files as a patch says" },
    Entry {
        names: &[
            "gc", "repack", "maintenance", "pack-refs", "commit-graph", "multi-pack-index", "prune-packed",
            "update-server-info", "index-pack", "unpack-objects", "pack-objects",
        ],
        does: Does::Code(upkeep),
        why: "rearrange the repository; pruning loses commits that nothing names",
    },
    Entry {
        names: &[
            "commit-tree", "mktag", "mktree", "write-tree", "merge-file", "merge-one-file", "unpack-file",
            "mailsplit", "bugreport", "diagnose", "update-index", "sparse-checkout", "rerere", "notes",
            "replay", "quiltimport", "history", "checkout--worker",
        ],
        does: Does::Code(small),
        why: "write objects, the index or small files; some of their words delete",
    },
    Entry {
        names: &["commit", "merge", "rebase", "cherry-pick", "revert", "am"],
        does: Does::Code(steps),
        why: "make commits and run hooks; giving up or skipping throws work away",
    },
    Entry {
        names: &["bisect"],
        does: Does::Code(bisect),
        why: "checks commits out; `run` runs a program on each",
    },
    Entry {
        names: &[
            "mergetool", "difftool", "gui", "citool", "gitk", "instaweb", "hook", "for-each-repo",
            "merge-index",
        ],
        does: Does::Code(drives),
        why: "start other programs",
    },
    Entry {
        names: &["sh-setup", "sh-i18n", "sh-i18n--envsubst", "stash-create"],
        does: Does::Always(UNKNOWN),
        why: "parts of Git's own scripts",
    },
    Entry {
        names: &["flow", "absorb", "town", "machete", "branchless", "stack", "spice"],
        does: Does::Always(UNKNOWN),
        why: "add-ons that change branches",
    },
];

#[rustfmt::skip]
const ADD: Options = Options {
    letters: "AunvfNp",
    long: &[
        "all", "dry-run", "force", "ignore-errors", "ignore-missing", "ignore-removal", "intent-to-add",
        "no-all", "no-ignore-removal", "no-warn-embedded-repo", "patch", "refresh", "renormalize", "sparse",
        "update", "verbose",
    ],
    long_valued: &["chmod"],
    ..NO_OPTIONS
};

const MV: Options = Options { letters: "knv", long: &["dry-run", "sparse", "verbose"], ..NO_OPTIONS };

fn remove(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    // Git expands patterns by itself, in whole trees.
    let is_wide =
        |text: &str| text.contains(['*', '?', '[']) || text.starts_with(':') || text.ends_with(['/', '.']);
    if looks.has("r", &["pathspec-from-file"])
        || !looks.is_certain
        || looks.operands.is_empty()
        || looks.texts().any(is_wide)
    {
        return DESTRUCTIVE.because("Deletes whole folders, or whatever matches.").finding();
    }
    if looks.has_exactly("--cached") {
        return WRITE_WIDE.finding();
    }
    LOSES_FILE.because("Deletes files.").finding()
}

fn init(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("", &["template", "separate-git-dir", "shared"]) {
        RUNS_OTHER.finding()
    } else {
        WRITE_WIDE.finding()
    }
}

fn apply(command: &Command, _: &Scene<'_>) -> Finding {
    const LOOKS: Options =
        Options { letters: "vqz", long: &["check", "stat", "numstat", "summary", "verbose"], ..NO_OPTIONS };
    let looks = Looks::of(command.arguments());
    let is_dry =
        looks.has_exactly("--check") || looks.has_exactly("--stat") || looks.has_exactly("--numstat");
    if is_dry && operands(&[&LOOKS], command.arguments()).is_some() {
        return READ_ASKS.finding();
    }
    if looks.has("", &["unsafe-paths"]) {
        return super::super::WRITE_RED.because("May change files outside the project.").finding();
    }
    WRITE_WIDE.finding()
}

fn upkeep(command: &Command, _: &Scene<'_>) -> Finding {
    const PRUNES: &str = "Throws commits away that no branch names.";
    let looks = Looks::of(command.arguments());
    match command.name() {
        "gc" if looks.has("", &["prune", "force", "expire-to", "cruft"]) => {
            DESTRUCTIVE.because(PRUNES).finding()
        }
        "repack" if looks.has("d", &["expire-to", "cruft-expiration"]) => {
            DESTRUCTIVE.because(PRUNES).finding()
        }
        "multi-pack-index" if looks.texts().any(|text| text == "expire") => WRITE_WIDE.finding(),
        "maintenance" if looks.texts().next() != Some("run") => {
            UNKNOWN_RED.because("Changes what the system runs by the clock.").finding()
        }
        "pack-objects" if looks.has("", &["unpack-unreachable"]) => DESTRUCTIVE.because(PRUNES).finding(),
        _ => WRITE_WIDE.finding(),
    }
}

fn small(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match (command.name(), looks.texts().next()) {
        ("sparse-checkout", Some("list" | "check-rules"))
        | ("rerere", Some("status" | "diff" | "remaining"))
        | ("notes", None | Some("list" | "show" | "get-ref")) => READ_ASKS.finding(),
        ("notes", Some("remove" | "prune")) | ("rerere", Some("clear" | "forget" | "gc")) => {
            DESTRUCTIVE.because("Throws notes or remembered merges away.").finding()
        }
        ("notes", _) if looks.has("f", &["force"]) => DESTRUCTIVE.because("Overwrites notes.").finding(),
        ("sparse-checkout", Some("clean")) => DESTRUCTIVE.because("Deletes folders.").finding(),
        ("bugreport" | "diagnose", _) => WRITE_WIDE.finding(),
        ("history", _) => WRITE_HOOKS.finding(),
        _ => WRITE_WIDE.finding(),
    }
}

/// Commands that make commits, step by step.
fn steps(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let is_given_up = ["--abort", "--skip", "--ab", "--abo", "--abor", "--sk", "--ski"]
        .iter()
        .any(|word| looks.has_exactly(word));
    if is_given_up {
        return DESTRUCTIVE.because("Throws away what is in progress.").finding();
    }
    match command.name() {
        "rebase" if looks.has("x", &["exec"]) => RUNS_OTHER.finding(),
        "rebase" if looks.has("f", &["force-rebase"]) => WRITE_HOOKS.finding(),
        _ => WRITE_HOOKS.finding(),
    }
}

fn bisect(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match looks.texts().next() {
        Some("run") => {
            let mut finding = RUNS_CODE.because("Runs a program on each commit.").finding();
            finding.drivers.extend(looks.texts().nth(1).filter(|text| text.contains('/')).map(str::to_owned));
            finding
        }
        Some("log" | "view" | "visualize" | "terms") => READ_ASKS.finding(),
        Some("start" | "good" | "bad" | "new" | "old" | "reset" | "skip" | "next" | "replay") => {
            WRITE_HOOKS.finding()
        }
        Some(_) | None => OPTION_UNKNOWN.finding(),
    }
}

fn drives(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match command.name() {
        "difftool" | "mergetool" if looks.has("x", &["extcmd"]) => RUNS_OTHER.finding(),
        "difftool" | "mergetool" | "gui" | "citool" | "gitk" => {
            UNKNOWN.because("Opens another program.").finding()
        }
        "hook" => RUNS_CODE.because("Runs hooks.").finding(),
        "instaweb" => UNKNOWN_RED.because("Starts a web server.").finding(),
        _ => RUNS_OTHER.finding(),
    }
}

/// A pull: it fetches and then merges, with hooks.
pub(super) const PULL: Fixed = Fixed::of(Class::Write, Level::Red, Reach::File).bringing_in();
