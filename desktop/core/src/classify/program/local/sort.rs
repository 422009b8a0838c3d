//! `sort` and `uniq`: on the green list, but one of their options, or an operand, is a file that they write.

use super::{OPTION_UNKNOWN, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, LOSES_FILE, NO_OPTIONS, Options, READ},
        walk::{Looks, may_hide_option, operands},
    },
    scene::Scene,
    word::Command,
};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["sort", "gsort"],
        does: Does::Code(sort),
        why: "prints lines in order; -o writes a file, --compress-program starts a program, -T writes elsewhere",
    },
    Entry {
        names: &["uniq", "guniq"],
        does: Does::Code(uniq),
        why: "drops doubles; a second operand is written",
    },
];

#[rustfmt::skip]
const SORT: Options = Options {
    letters: "bdfgiMhnRrVcCmszu",
    valued: "kSt",
    long: &[
        "check", "debug", "dictionary-order", "general-numeric-sort", "help", "human-numeric-sort",
        "ignore-case", "ignore-leading-blanks", "ignore-nonprinting", "merge", "month-sort", "numeric-sort",
        "random-sort", "reverse", "stable", "unique", "version", "version-sort", "zero-terminated",
    ],
    long_valued: &[
        "batch-size", "buffer-size", "check", "field-separator", "key", "parallel", "random-source", "sort",
    ],
    number: false,
};

#[rustfmt::skip]
const UNIQ: Options = Options {
    letters: "cdDuiz",
    valued: "fsw",
    long: &[
        "all-repeated", "count", "group", "help", "ignore-case", "repeated", "unique", "version",
        "zero-terminated",
    ],
    long_valued: &["all-repeated", "check-chars", "group", "skip-chars", "skip-fields"],
    ..NO_OPTIONS
};

fn sort(command: &Command, _: &Scene<'_>) -> Finding {
    match operands(&[&SORT], command.arguments()) {
        Some(_) if !may_hide_option(command.arguments()) => return READ.finding(),
        Some(_) => return OPTION_UNKNOWN.finding(),
        None => {}
    }
    let looks = Looks::of(command.arguments());
    if looks.has("", &["compress-program"]) {
        RUNS_OTHER.finding()
    } else if looks.has("o", &["output"]) {
        LOSES_FILE.because("Writes the sorted lines over a file.").finding()
    } else {
        OPTION_UNKNOWN.finding()
    }
}

fn uniq(command: &Command, _: &Scene<'_>) -> Finding {
    match operands(&[&UNIQ], command.arguments()) {
        Some(found) if found.iter().any(|word| word.is_glob || !word.is_known) || found.len() > 1 => {
            LOSES_FILE.because("Writes its lines over the second file.").finding()
        }
        Some(_) => READ.finding(),
        None => OPTION_UNKNOWN.finding(),
    }
}
