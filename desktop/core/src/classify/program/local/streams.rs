//! Programs that stand in pipes and yet write files or run programs: `tee`, `awk`.

use super::{READ_NEVER, RUNS_OTHER, deletes::is_device};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, Does, Entry, LOSES_FILE, READ_ASKS, RUNS_CODE, UNKNOWN, WRITE, WRITE_WIDE},
        walk::Looks,
    },
    scene::Scene,
    word::Command,
};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["tee", "gtee"],
        does: Does::Code(tee),
        why: "writes its input over files, with -a behind them",
    },
    Entry {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk", "goawk", "frawk"],
        does: Does::Code(awk),
        why: "runs a program text, which can write files and start programs",
    },
    Entry {
        names: &["pv", "mbuffer", "buffer", "pee"],
        does: Does::Code(meter),
        why: "pass their input on; -o writes a file",
    },
];

fn tee(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let targets =
        || looks.operands.iter().filter(|word| !word.text.starts_with("/dev/") || is_device(&word.text));
    if targets().next().is_none() {
        return READ_NEVER.finding();
    }
    if targets().any(|word| is_device(&word.text)) {
        return DESTRUCTIVE.because("Overwrites a device.").finding();
    }
    let is_appended = looks
        .options
        .iter()
        .any(|option| *option == "--append" || (!option.starts_with("--") && option.contains('a')));
    match (is_appended, looks.is_certain) {
        (true, true) => WRITE.finding(),
        (true, false) => WRITE_WIDE.finding(),
        (false, true) => LOSES_FILE.because("Writes its input over files.").finding(),
        (false, false) => {
            DESTRUCTIVE.because("Which files it overwrites can't be told beforehand.").finding()
        }
    }
}

/// Words and signs of awk that start programs or read variables.
#[rustfmt::skip]
const AWK_RUNS: &[&str] = &[
    "system", "|", "getline", "@load", "@include", "@namespace", "ENVIRON", "PROCINFO", "inplace",
    "extension(",
];

fn awk(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let mut finding = READ_NEVER.finding();
    let mut words = command.arguments().iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let file = text
            .strip_prefix("-f")
            .or_else(|| text.strip_prefix("--file="))
            .or_else(|| text.strip_prefix("-E"));
        if let Some(file) = file.filter(|_| !text.starts_with("--field")) {
            let driver = if file.is_empty() {
                words.next().map(|word| word.text.clone())
            } else {
                Some(file.to_owned())
            };
            finding.worsen(RUNS_CODE.because("Runs a program from a file.").finding());
            finding.drivers.extend(driver);
        } else if !word.is_known {
            finding.worsen(UNKNOWN.because("Its program can't be told beforehand.").finding());
        } else if AWK_RUNS.iter().any(|sign| text.replace("||", "").contains(sign)) {
            finding.worsen(RUNS_OTHER.finding());
        } else if writes(text) {
            finding.worsen(LOSES_FILE.because("Its program writes files.").finding());
        }
    }
    if looks.has(
        "liDdpo",
        &["load", "include", "debug", "dump-variables", "profile", "pretty-print", "exec", "file"],
    ) {
        finding.worsen(UNKNOWN.finding());
    }
    finding
}

/// Whether a program text may redirect its output: a `>` that is no comparison with a number or field in a condition.
fn writes(text: &str) -> bool {
    let is_printed = text.contains("print");
    text.split('>').skip(1).any(|behind| {
        let behind = behind.trim_start_matches('>').trim_start();
        let is_compared = behind.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '=' | '$'));
        !is_compared || (is_printed && text.find("print") < text.find('>'))
    })
}

fn meter(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if command.name() == "pee" {
        return RUNS_OTHER.finding();
    }
    if looks.has("o", &["output", "store-and-forward"]) { LOSES_FILE.finding() } else { READ_ASKS.finding() }
}
