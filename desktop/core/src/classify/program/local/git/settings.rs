//! Git's settings: some of them start programs, or say where pushes go.

use super::super::READ_SECRETS;
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, READ_ASKS, UNKNOWN, UNKNOWN_RED, WRITE_WIDE},
        walk::Looks,
    },
    scene::Scene,
    word::Command,
};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    names: &["config"],
    does: Does::Code(config),
    why: "reads and writes settings; many of them start programs",
}];

/// Settings that only change how things look, who commits, or what is asked.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "advice.", "color.", "column.", "user.name", "user.email", "core.quotepath", "core.autocrlf",
    "core.eol", "core.safecrlf", "core.filemode", "core.ignorecase", "core.abbrev",
    "core.precomposeunicode", "core.longpaths", "core.whitespace", "core.commentchar",
    "core.bigfilethreshold", "init.defaultbranch", "log.date", "log.decorate", "log.follow",
    "log.abbrevcommit", "diff.renames", "diff.algorithm", "diff.mnemonicprefix", "diff.noprefix",
    "diff.colormoved", "diff.context", "diff.renamelimit", "merge.conflictstyle", "merge.ff",
    "merge.renamelimit", "pull.rebase", "pull.ff", "rebase.autostash", "rebase.autosquash",
    "rerere.enabled", "status.", "tag.sort", "branch.sort", "commit.gpgsign", "tag.gpgsign",
    "commit.verbose", "fetch.prune", "gc.auto", "help.autocorrect", "blame.", "grep.linenumber",
    "grep.column", "feature.manyfiles", "versionsort.", "stash.showpatch", "i18n.", "index.threads",
    "pack.threads", "http.postbuffer", "submodule.recurse", "protocol.version",
];

/// Whether a setting, `name` or `name=value`, starts nothing and sends nothing elsewhere.
pub(super) fn is_harmless(setting: &str) -> bool {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let name = name.to_ascii_lowercase();
    HARMLESS.iter().any(|known| if known.ends_with('.') { name.starts_with(known) } else { name == *known })
        && !value.starts_with('!')
}

fn config(command: &Command, _: &Scene<'_>) -> Finding {
    const GETS: &[&str] =
        &["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool"];
    const LISTS: &[&str] = &["--list", "-l"];
    const WRITES: &[&str] =
        &["add", "replace-all", "unset", "unset-all", "rename-section", "remove-section", "edit"];
    let looks = Looks::of(command.arguments());
    let texts: Vec<&str> = looks.texts().collect();
    let is_one = |words: &[&str]| words.iter().any(|word| looks.has_exactly(word));
    if !looks.is_certain {
        return UNKNOWN_RED.because("Which setting it is can't be told beforehand.").finding();
    }
    if looks.has("e", &["edit"]) || texts.first() == Some(&"edit") {
        return UNKNOWN.because("Opens an editor.").finding();
    }
    let is_elsewhere = looks.has("f", &["global", "system", "file", "blob"]);
    let is_writing = looks.has("", WRITES);
    if !is_writing && is_one(GETS) {
        return if is_elsewhere { READ_SECRETS.finding() } else { READ_ASKS.finding() };
    }
    if !is_writing && (is_one(LISTS) || texts.first() == Some(&"list")) {
        return READ_SECRETS.finding();
    }
    let (name, is_set) = match texts.as_slice() {
        ["get", ..] if !is_writing => {
            return if is_elsewhere { READ_SECRETS.finding() } else { READ_ASKS.finding() };
        }
        ["set" | "unset" | "rename-section" | "remove-section", name, ..] => (*name, true),
        [name] if name.contains('.') => (*name, is_writing),
        [name, ..] => (*name, true),
        [] => return READ_ASKS.finding(),
    };
    match (is_set, is_elsewhere) {
        (false, false) => READ_ASKS.finding(),
        (false, true) => READ_SECRETS.finding(),
        (true, _) if !is_harmless(name) => UNKNOWN_RED
            .because("Changes a setting of Git that can start programs or say where a push goes.")
            .finding(),
        (true, true) => {
            super::super::WRITE_RED.because("Changes Git's settings outside the project.").finding()
        }
        (true, false) => WRITE_WIDE.because("Changes a setting of Git.").finding(),
    }
}
