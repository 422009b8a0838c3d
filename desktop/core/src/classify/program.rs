//! What single programs do: closed lists, each entry with its reason. A program that is not listed is yellow and
//! `unknown` (REQ-3). A list says what a program with these options does, as if all its operands were in the project;
//! paths, redirects and inner commands are the shell's business.

pub(crate) mod entry;
pub(crate) mod local;
pub(crate) mod remote;
pub(crate) mod walk;

mod folder;
pub(crate) mod variable;

use std::{collections::BTreeMap, sync::LazyLock};

use countersign_proto::request::Level;

use self::entry::{Entry, RUNS_CODE, UNKNOWN, UNKNOWN_RED};
use super::{finding::Finding, scene::Scene, word::Command};

/// Every list.
const LISTS: &[&[&[Entry]]] = &[local::LISTS, remote::LISTS];

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Entry>> = LazyLock::new(|| {
    let entries = LISTS.iter().copied().flatten().copied().flatten();
    entries.flat_map(|entry| entry.names.iter().map(move |name| (*name, entry))).collect()
});

/// Every entry of every list, for texts that tell a person what they hold.
pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    LISTS.iter().copied().flatten().copied().flatten()
}

/// What a command does by itself, its program looked up by its bare name.
pub(crate) fn judge(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut finding = match command.words.first() {
        Some(word) if word.is_known && !word.is_glob => judge_program(command, scene),
        Some(_) => UNKNOWN_RED.because("What it starts can't be told beforehand.").finding(),
        None => UNKNOWN.finding(),
    };
    if finding.level == Level::Green && command.arguments().iter().any(|word| !word.is_known) {
        finding.worsen(UNKNOWN.because("Not all of its words can be told beforehand.").finding());
    }
    for name in &command.assigned {
        finding.worsen(variable::judge(name));
    }
    finding
}

fn judge_program(command: &Command, scene: &Scene<'_>) -> Finding {
    let written = command.written();
    let listed = by_name(command, scene);
    if !written.contains('/') || is_system_path(written) {
        return listed.unwrap_or_else(|| UNKNOWN.because("Not a known program.").finding());
    }
    // A file of that name, which need not be the program of that name. What the program of that name would do counts
    // too, so that a path is no way around a list.
    let mut finding = RUNS_CODE.because("Runs a file by its path.").finding();
    finding.drivers.push(written.to_owned());
    if let Some(listed) = listed {
        finding.worsen(listed);
    }
    finding
}

/// Whether a path is a system's own folder of programs with a name behind it.
fn is_system_path(written: &str) -> bool {
    const FOLDERS: &[&str] = &["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"];
    FOLDERS.iter().any(|folder| written.strip_prefix(folder).is_some_and(|name| !name.contains('/')))
}

fn by_name(command: &Command, scene: &Scene<'_>) -> Option<Finding> {
    let name = command.name();
    if let Some(entry) = BY_NAME.get(name) {
        return Some(entry.judge(command, scene));
    }
    // Other ways to write a name. None of them is surely that program, so each is at least unknown.
    let mut finding = if let Some(sub) = name.strip_prefix("git-") {
        local::git::judge_dashed(sub, command, scene)
    } else {
        kin(name).find_map(|name| BY_NAME.get(name.as_str()))?.judge(command, scene)
    };
    finding.worsen(RUNS_CODE.finding());
    Some(finding)
}

/// Names that a name may stand for: `RM` on file systems that fold case, `python3.12`, `rm.exe`, GNU's `grm`,
/// `wrangler@latest`.
fn kin(name: &str) -> impl Iterator<Item = String> {
    let lower = name.to_ascii_lowercase();
    let bare =
        [".exe", ".cmd", ".bat"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower).to_owned();
    let unversioned =
        bare.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')).to_owned();
    let gnu = bare.strip_prefix('g').map(str::to_owned);
    // A package's version, as runners take it: `wrangler@latest`.
    let package = bare.split_once('@').map(|(name, _)| name.to_owned());
    [Some(lower), Some(bare), Some(unversioned), gnu, package].into_iter().flatten()
}

#[cfg(test)]
mod tests;
