//! Countersign itself (REF-3): what an agent may ask of its command line, and no program may stop or remove.

use super::{
    super::entry::{Does, Entry, Fixed, UNKNOWN, UNKNOWN_RED},
    args,
};
use crate::classify::{
    facts::{Reach, Refused, RefusedFor},
    finding::Finding,
    word::Command,
};
use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

/// Countersign's programs.
pub(super) const ENTRIES: &[Entry] = &[Entry {
    names: &[
        "countersign",
        "countersignd",
        "countersign-daemon",
        "countersign-hook",
        "countersign-relay",
        "countersign-cli",
    ],
    does: Does::Code(|c, _| own(c)),
    why: "an agent decides nothing about its own guard",
}];

/// What is about the guard: nobody may allow it.
const GUARD: Fixed = Fixed::of(Class::Guard, Level::Red, Reach::Never);

/// Sub-commands that only look or ask, each with the word that must follow, where one must.
const HARMLESS: &[(&str, Option<&[&str]>)] = &[
    ("status", None),
    ("doctor", None),
    ("pending", None),
    ("log", None),
    ("ask", None),
    ("classify", None),
    ("version", None),
    ("help", None),
    ("--version", None),
    ("--help", None),
    ("policy", Some(&["check", "explain"])),
];

fn own(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).collect();
    let is_known = command.arguments().iter().take(2).all(|word| word.is_known);
    let is_harmless = command.name() == "countersign"
        && is_known
        && HARMLESS.iter().any(|(sub, then)| {
            words.first() == Some(sub)
                && then.is_none_or(|then| words.get(1).is_some_and(|word| then.contains(word)))
        });
    // `doctor --fix` and kin would change something.
    let changes = args::has(command, &["--fix", "--repair", "--reset", "--yes"]);
    if is_harmless && !changes {
        return UNKNOWN.because("asks Countersign something").finding();
    }
    refused(
        "only the person gives Countersign orders; agents may ask for status, doctor, pending, log, ask, classify, policy check and policy explain",
    )
}

/// A refusal that is about Countersign.
pub(super) fn refused(words: &str) -> Finding {
    let mut finding = GUARD.because("concerns Countersign itself").finding();
    finding.refused = Some(Refused { about: RefusedFor::Countersign, words: Shown::line(words) });
    finding
}

/// Whether any word names Countersign, or is a pattern that would find it.
pub(super) fn is_named(command: &Command) -> bool {
    args::texts(command).any(|text| {
        let low = text.to_ascii_lowercase();
        low.contains("countersign") || (low.contains(['*', '?', '[']) && finds(&low))
    })
}

/// Whether a pattern of file or unit names finds one of Countersign's.
fn finds(pattern: &str) -> bool {
    ["countersign", "countersignd", "countersign-hook", "countersign.service", "countersign.socket"]
        .iter()
        .any(|name| is_match(pattern, name))
}

/// `*`, `?` and `[…]` (taken for any one letter) against a whole name. Each step moves on in one of the two.
fn is_match(pattern: &str, name: &str) -> bool {
    let mut shape: Vec<char> = Vec::new();
    let mut is_inside = false;
    for letter in pattern.chars() {
        match letter {
            '[' => {
                is_inside = true;
                shape.push('?');
            }
            ']' if is_inside => is_inside = false,
            _ if is_inside => {}
            _ => shape.push(letter),
        }
    }
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(seen) {
        match shape.get(at) {
            Some('*') => {
                back = Some((at, seen));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == letter => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                at = star + 1;
                seen = from + 1;
            }
        }
    }
    shape.get(at..).unwrap_or_default().iter().all(|letter| *letter == '*')
}

/// Red, and refused where it is about Countersign: for programs that stop, remove or change services and processes.
pub(super) fn unless_named(command: &Command, fixed: Fixed) -> Finding {
    if is_named(command) { refused("would stop or change Countersign") } else { fixed.finding() }
}

/// Ends processes by a pattern: Countersign is meant also where only a part of its name is said.
pub(super) fn ends_by_name(command: &Command) -> Finding {
    let is_part = args::texts(command)
        .any(|text| text.len() >= 4 && "countersignd".contains(&text.to_ascii_lowercase()));
    if is_part {
        refused("would stop Countersign")
    } else {
        unless_named(command, UNKNOWN_RED.because("ends processes by name"))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::args::tests::command, *};

    #[test]
    fn an_agent_may_only_ask() {
        for line in [
            "countersign status --json",
            "countersign doctor",
            "countersign pending",
            "countersign log",
            "countersign ask --effect external",
            "countersign policy check a.policy",
            "countersign policy explain ls",
            "countersign classify --jsonl",
        ] {
            let finding = own(&command(line));
            assert_eq!((finding.level, finding.class), (Level::Yellow, Class::Unknown), "{line}");
            assert!(finding.refused.is_none(), "{line}");
        }
    }

    #[test]
    fn every_other_order_is_refused() {
        for line in [
            "countersign approve 7f3a",
            "countersign policy accept site.policy",
            "countersign policy",
            "countersign --json status",
            "countersign deny 1",
            "countersign pair",
            "countersign unlock",
            "countersign setup",
            "countersign rules remove 1",
            "countersign doctor --fix",
            "countersign-hook",
            "countersignd",
            "countersign status-all",
        ] {
            let finding = own(&command(line));
            assert_eq!((finding.level, finding.class), (Level::Red, Class::Guard), "{line}");
            assert!(finding.refused.is_some(), "{line}");
        }
    }

    #[test]
    fn countersign_is_meant_by_name_pattern_and_part() {
        for line in [
            "systemctl --user disable countersign",
            "systemctl stop Countersign.service",
            "systemctl stop c*",
            "systemctl stop counter?ign.service",
            "systemctl stop [c]ountersign",
        ] {
            assert!(unless_named(&command(line), UNKNOWN_RED).refused.is_some(), "{line}");
        }
        assert!(unless_named(&command("systemctl stop postgres*"), UNKNOWN_RED).refused.is_none());
        assert!(ends_by_name(&command("pkill -f counter")).refused.is_some());
        assert!(ends_by_name(&command("pkill -f node")).refused.is_none());
    }
}
