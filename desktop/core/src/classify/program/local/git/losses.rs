//! Git's commands that lose local work whatever their words are (LVL-3). Those that lose it with some options only
//! stand with the command.

use crate::classify::{
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, Does, Entry, READ_ASKS, WRITE_WIDE},
        walk::Looks,
    },
    scene::Scene,
    word::Command,
};

#[rustfmt::skip]
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "filter-branch", "filter-repo", "prune", "obliterate", "delete-merged-branches",
            "delete-branch", "undo", "fast-import",
        ],
        does: Does::Always(DESTRUCTIVE.because("Rewrites or throws away commits.")),
        why: "rewrite history, or drop what nothing names",
    },
    Entry {
        names: &["clean"],
        does: Does::Code(clean),
        why: "deletes files that Git does not know; -n only lists them",
    },
    Entry {
        names: &["reflog"],
        does: Does::Code(reflog),
        why: "lists where branches were; expire, delete and drop lose it",
    },
    Entry {
        names: &["update-ref"],
        does: Does::Always(DESTRUCTIVE.because("Moves or deletes a branch or tag.")),
        why: "moves or deletes any ref",
    },
    Entry {
        names: &["symbolic-ref"],
        does: Does::Code(symbolic),
        why: "reads, moves or deletes a symbolic ref",
    },
    Entry { names: &["replace"], does: Does::Code(replace), why: "shows one object in the place of another" },
    Entry {
        names: &["read-tree"],
        does: Does::Code(read_tree),
        why: "fills the index; -u and --reset change files",
    },
    Entry {
        names: &["checkout-index"],
        does: Does::Code(checkout_index),
        why: "copies the index to files; -f over changes",
    },
];

fn clean(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let is_listing = looks.has_exactly("--dry-run")
        || looks.options.iter().any(|option| !option.starts_with("--") && option.contains('n'));
    if is_listing && !looks.has("fi", &["force", "interactive"]) {
        return READ_ASKS.finding();
    }
    DESTRUCTIVE.because("Deletes files that Git does not know.").finding()
}

fn reflog(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match looks.texts().next() {
        Some("expire" | "delete" | "drop" | "write") => {
            DESTRUCTIVE.because("Throws away the way back to lost commits.").finding()
        }
        _ => super::reads::reflog(command),
    }
}

fn symbolic(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("d", &["delete"]) {
        return DESTRUCTIVE.because("Deletes a ref.").finding();
    }
    if looks.operands.len() < 2 { READ_ASKS.finding() } else { WRITE_WIDE.finding() }
}

fn replace(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("df", &["delete", "force"]) {
        return DESTRUCTIVE.because("Deletes or overwrites a replacement.").finding();
    }
    if looks.has("l", &["list"]) || looks.operands.is_empty() {
        READ_ASKS.finding()
    } else {
        WRITE_WIDE.finding()
    }
}

fn read_tree(command: &Command, _: &Scene<'_>) -> Finding {
    if Looks::of(command.arguments()).has("um", &["reset", "empty", "prefix"]) {
        return DESTRUCTIVE.because("Overwrites the index or files.").finding();
    }
    WRITE_WIDE.finding()
}

fn checkout_index(command: &Command, _: &Scene<'_>) -> Finding {
    if Looks::of(command.arguments()).has("f", &["force"]) {
        return DESTRUCTIVE.because("Overwrites changed files.").finding();
    }
    WRITE_WIDE.finding()
}
