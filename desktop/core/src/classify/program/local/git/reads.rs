//! Git's commands that read. Those of the green list come with their options by allow list; every other option gets a
//! card, and those that start programs or write files are what they are. `branch`, `tag`, `stash`, `remote`,
//! `worktree` and `config` also write and stand elsewhere.

mod options;

use self::options::*;
use super::super::{OPTION_UNKNOWN, READ_NEVER, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, Fixed, LOSES_FILE, Options, READ, READ_ASKS, WRITE_WIDE},
        walk::{Looks, may_hide_option, operands},
    },
    scene::Scene,
    word::{Command, Word},
};

#[rustfmt::skip]
pub(super) const ENTRIES: &[Entry] = &[
    Entry { names: &["status"], does: Does::Code(status), why: "shows what changed" },
    Entry { names: &["diff"], does: Does::Code(diff), why: "shows changes; --output writes a file" },
    Entry { names: &["log", "show"], does: Does::Code(log), why: "show commits; --output writes a file" },
    Entry { names: &["rev-parse"], does: Does::Code(rev_parse), why: "names commits and folders" },
    Entry { names: &["ls-files"], does: Does::Code(ls_files), why: "lists files" },
    Entry { names: &["blame"], does: Does::Code(blame), why: "shows who changed which line" },
    Entry { names: &["describe"], does: Does::Code(describe), why: "names a commit by its tags" },
    Entry {
        names: &[
            "shortlog", "whatchanged", "annotate", "grep", "merge-base", "cat-file", "rev-list", "ls-tree",
            "show-ref", "show-branch", "for-each-ref", "name-rev", "cherry", "count-objects", "var",
            "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "diff-tree", "diff-index",
            "diff-files", "range-diff", "get-tar-commit-id", "patch-id", "stripspace", "column",
            "fmt-merge-msg", "version", "verify-pack", "show-index", "pack-redundant", "last-modified",
            "repo",
        ],
        does: Does::Code(asks),
        why: "read, but stand on no green list",
    },
    Entry {
        names: &[
            "verify-commit", "verify-tag", "help", "fsck", "merge-tree", "interpret-trailers", "mailinfo",
        ],
        does: Does::Code(asks_never),
        why: "read, but start a verifier or viewer, or may write beside it",
    },
    Entry { names: &["hash-object"], does: Does::Code(hash_object), why: "adds up a file; -w stores it" },
    Entry {
        names: &["archive"],
        does: Does::Code(archive),
        why: "packs a tree; -o writes a file, --remote asks a server",
    },
    Entry {
        names: &["format-patch"],
        does: Does::Code(format_patch),
        why: "writes patches; --stdout prints them",
    },
    Entry { names: &["bundle"], does: Does::Code(bundle), why: "packs a repository into a file" },
    Entry {
        names: &["fast-export"],
        does: Does::Code(asks),
        why: "prints a repository; --export-marks writes a file",
    },
];

/// The operands of a Git command with nothing but these options.
pub(super) fn known<'c>(lists: &[&Options], arguments: &'c [Word]) -> Option<Vec<&'c Word>> {
    // `-M90%`, `-C`, `-uno`, `-I`: letters whose value can only be glued, and is a number or one of three words.
    let is_glued = |word: &Word| {
        let Some(text) = word.text.strip_prefix('-') else { return false };
        let number = text.strip_prefix(['M', 'C', 'B', 'U', 'n']).unwrap_or("");
        let is_number =
            !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '%' | '/'));
        word.is_known && (is_number || matches!(text, "uno" | "uall" | "unormal"))
    };
    let paths = arguments.iter().position(|word| word.text == "--").unwrap_or(arguments.len());
    let (options, paths) = arguments.split_at_checked(paths)?;
    let mut found = Vec::new();
    // Every stretch between two of them is taken apart for itself.
    for stretch in options.split(is_glued) {
        found.extend(operands(lists, stretch)?);
    }
    found.extend(paths.get(1..).unwrap_or_default());
    Some(found)
}

fn green(lists: &[&Options], command: &Command) -> Finding {
    let arguments = command.arguments();
    match known(lists, arguments) {
        Some(_) if !may_hide_option(arguments) => READ.finding(),
        Some(_) => OPTION_UNKNOWN.finding(),
        None => harm(arguments).unwrap_or(OPTION_UNKNOWN).finding(),
    }
}

/// What the options do that make a read more than a read, shortened or not.
fn harm(arguments: &[Word]) -> Option<Fixed> {
    let looks = Looks::of(arguments);
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "ext-diff", "textconv", "open-files-in-pager", "exec", "upload-pack", "receive-pack", "extcmd",
        "filters", "show-signature",
    ];
    if looks.has("O", STARTS) {
        Some(RUNS_OTHER)
    } else if looks.has("", &["output", "export-marks"]) {
        Some(LOSES_FILE.because("Writes its output over a file."))
    } else {
        None
    }
}

fn status(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&STATUS], command)
}

fn diff(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&DIFF], command)
}

fn log(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&DIFF, &LOG], command)
}

fn rev_parse(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&REV_PARSE], command)
}

fn ls_files(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&LS_FILES], command)
}

fn blame(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&BLAME], command)
}

fn describe(command: &Command, _: &Scene<'_>) -> Finding {
    green(&[&DESCRIBE], command)
}

fn asks(command: &Command, _: &Scene<'_>) -> Finding {
    harm(command.arguments()).unwrap_or(READ_ASKS).finding()
}

fn asks_never(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("", &["in-place", "lost-found"]) || command.name() == "mailinfo" {
        return WRITE_WIDE.finding();
    }
    harm(command.arguments()).unwrap_or(READ_NEVER).finding()
}

fn hash_object(command: &Command, _: &Scene<'_>) -> Finding {
    if Looks::of(command.arguments()).has("w", &[]) { WRITE_WIDE.finding() } else { READ_ASKS.finding() }
}

fn archive(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let mut finding = READ_ASKS.finding();
    if looks.has("", &["exec"]) {
        finding.worsen(RUNS_OTHER.finding());
    }
    if looks.has("", &["remote"]) {
        finding.worsen(super::network::asks("Asks a server for a tree.").finding());
    }
    if looks.has("o", &["output"]) {
        finding.worsen(LOSES_FILE.because("Writes its output over a file.").finding());
    }
    finding
}

fn format_patch(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let harm = harm(
        &command
            .arguments()
            .iter()
            .filter(|word| !word.text.starts_with("--output-directory"))
            .cloned()
            .collect::<Vec<_>>(),
    );
    if let Some(harm) = harm {
        return harm.finding();
    }
    if looks.has_exactly("--stdout") { READ_ASKS.finding() } else { WRITE_WIDE.finding() }
}

fn bundle(command: &Command, _: &Scene<'_>) -> Finding {
    match Looks::of(command.arguments()).texts().next() {
        Some("verify" | "list-heads") => READ_ASKS.finding(),
        Some("create") => LOSES_FILE.because("Writes a bundle over a file.").finding(),
        Some(_) | None => WRITE_WIDE.finding(),
    }
}

/// `git reflog` without a word that loses it: a log.
pub(super) fn reflog(command: &Command) -> Finding {
    let arguments = command.arguments();
    match known(&[&DIFF, &LOG], arguments) {
        Some(_) => READ_ASKS.finding(),
        None => harm(arguments).unwrap_or(OPTION_UNKNOWN).finding(),
    }
}

/// `git stash list`: a log of the stash.
pub(super) fn stash_list(command: &Command) -> Finding {
    green(&[&DIFF, &LOG], command)
}
