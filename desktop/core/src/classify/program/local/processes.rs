//! `kill`: one process by its number is yellow; a group, all, or what can't be told is red (LVL-3). Countersign itself
//! is refused (REF-3).

use super::READ_NEVER;
use crate::classify::{
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, Does, Entry, UNKNOWN, UNKNOWN_RED},
        remote,
    },
    scene::Scene,
    word::Command,
};

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry { names: &["kill"], does: Does::Code(kill), why: "signals processes by number, group or all" },
    Entry { names: &["renice"], does: Does::Always(UNKNOWN), why: "changes priorities" },
    Entry {
        names: &["gcore"],
        does: Does::Always(UNKNOWN_RED),
        why: "reach into other processes",
    },
];

fn kill(command: &Command, _: &Scene<'_>) -> Finding {
    let mut words = command.arguments().iter().map(|word| (word.text.as_str(), word.is_known)).peekable();
    // The signal, which is no target: `-9`, `-KILL`, `-s KILL`, `-n 9`.
    match words.peek() {
        Some(("-l" | "-L" | "--list" | "--table", _)) => return READ_NEVER.finding(),
        Some(("-s" | "-n" | "--signal" | "-q" | "--queue", _)) => {
            words.next();
            words.next();
        }
        Some((text, _)) if text.starts_with('-') && *text != "--" && *text != "-1" => {
            words.next();
        }
        // `kill -1 PID` sends a signal, `kill -1` alone means everybody: the stricter holds.
        Some(_) | None => {}
    }
    let mut finding = UNKNOWN.because("Ends a process.").finding();
    let mut has_target = false;
    for (text, is_known) in words {
        if text == "--" {
            continue;
        }
        has_target = true;
        let is_job = text.strip_prefix('%').is_some_and(|job| job.chars().all(|c| c.is_ascii_alphanumeric()));
        let is_number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        if text.starts_with('-') || text == "0" {
            finding.worsen(DESTRUCTIVE.because("Ends a whole group of processes, or all.").finding());
        } else if !is_known || !(is_number || is_job) || text == "1" {
            finding
                .worsen(UNKNOWN_RED.because("Which processes it ends can't be told beforehand.").finding());
        }
    }
    if !has_target {
        // From elsewhere: `xargs kill`.
        finding.worsen(UNKNOWN_RED.because("Which processes it ends can't be told beforehand.").finding());
    }
    refuse_own(finding, command)
}

/// Ending Countersign is refused, by any name that means it: `kill $(pgrep countersign)`.
fn refuse_own(mut finding: Finding, command: &Command) -> Finding {
    let means_it =
        command.arguments().iter().any(|word| word.text.to_ascii_lowercase().contains("countersign"));
    if means_it {
        finding.worsen(remote::countersign_is_meant());
    }
    finding
}
