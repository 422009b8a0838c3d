//! Programs that signal processes: one by its number is yellow; by name, by group or all is red (LVL-3). Countersign
//! itself is refused (REF-3).

use super::super::entry::{DESTRUCTIVE, Does, Entry, READ_ASKS, UNKNOWN, UNKNOWN_RED};
use crate::classify::{
    facts::{Refused, RefusedFor},
    finding::Finding,
    scene::Scene,
    word::Command,
};
use countersign_proto::text::Shown;

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry { names: &["kill"], does: Does::Code(kill), why: "signals processes by number, group or all" },
    Entry {
        names: &[
            "pkill", "killall", "killall5", "skill", "snice", "slay", "xkill", "pkillall", "fkill",
            "kill-port",
        ],
        does: Does::Code(by_name),
        why: "signal processes by name",
    },
    Entry { names: &["fuser"], does: Does::Code(fuser), why: "lists who uses a file; -k kills them" },
    Entry { names: &["renice"], does: Does::Always(UNKNOWN), why: "changes priorities" },
    Entry {
        names: &["gcore", "prlimit", "reptyr", "nsenter"],
        does: Does::Always(UNKNOWN_RED),
        why: "reach into other processes",
    },
];

fn kill(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut words = command.arguments().iter().map(|word| (word.text.as_str(), word.is_known)).peekable();
    // The signal, which is no target: `-9`, `-KILL`, `-s KILL`, `-n 9`.
    match words.peek() {
        Some(("-l" | "-L" | "--list" | "--table", _)) => return READ_ASKS.finding(),
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
    refuse_own(finding, command, scene)
}

fn by_name(command: &Command, scene: &Scene<'_>) -> Finding {
    refuse_own(UNKNOWN_RED.because("Ends processes by name.").finding(), command, scene)
}

fn fuser(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = super::super::walk::Looks::of(command.arguments());
    if looks.has("k", &["kill"]) {
        return UNKNOWN_RED.because("Ends whatever uses a file or port.").finding();
    }
    READ_ASKS.finding()
}

/// Ending Countersign is refused, by any name that means it.
fn refuse_own(mut finding: Finding, command: &Command, _: &Scene<'_>) -> Finding {
    const OWN: &str = "countersign";
    let means_it = command.arguments().iter().any(|word| {
        let text = word.text.to_ascii_lowercase();
        let text = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        text.contains(OWN) || (text.len() > 3 && OWN.contains(text))
    });
    if means_it {
        finding.refused = Some(Refused {
            about: RefusedFor::Countersign,
            words: Shown::line("An agent may not stop Countersign."),
        });
    }
    finding
}
