//! Programs that change who may do what with files. Recursive forms are red (LVL-3), as is whatever gives a program
//! its owner's rights.

use super::WRITE_RED;
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, UNKNOWN, WRITE, WRITE_WIDE},
        walk::Looks,
    },
    scene::Scene,
    word::Command,
};

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry { names: &["chmod", "gchmod"], does: Does::Code(chmod), why: "changes modes" },
    Entry {
        names: &["chown", "chgrp", "gchown", "xattr", "chflags", "SetFile"],
        does: Does::Code(owner),
        why: "change owners, groups and attributes",
    },
    Entry { names: &["umask"], does: Does::Always(UNKNOWN), why: "changes the mode of files made later" },
];

const TREE: &str = "Changes a whole tree.";

fn chmod(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("R", &["recursive"]) {
        return WRITE_RED.because(TREE).finding();
    }
    let mode = looks.texts().next().unwrap_or_default();
    let digits = mode.trim_start_matches('0');
    let is_number = mode.chars().all(|c| c.is_ascii_digit());
    // `+s`, `4755`: the program then runs with its owner's rights. `--reference` may bring them too.
    let gives_rights =
        if is_number { digits.len() > 3 } else { mode.contains('s') && mode.contains(['+', '=']) };
    if gives_rights || looks.options.iter().any(|option| option.contains("+s")) {
        return WRITE_RED.because("Gives whoever runs the file its owner's rights.").finding();
    }
    let is_open_to_all = if is_number {
        digits.ends_with(['2', '3', '6', '7'])
    } else {
        mode.contains('w') && mode.contains(['+', '=']) && mode.contains(['o', 'a'])
    };
    if looks.operands.len() < 2
        || is_open_to_all
        || looks.has("", &["reference"])
        || looks.texts().any(|t| t == ".")
    {
        return WRITE_WIDE.finding();
    }
    WRITE.finding()
}

fn owner(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("R", &["recursive"]) || (command.name() == "xattr" && looks.has("r", &[])) {
        return WRITE_RED.because(TREE).finding();
    }
    WRITE_WIDE.finding()
}
