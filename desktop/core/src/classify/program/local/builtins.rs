//! The shell's own commands. Those that change what later commands mean are unknown; what they contain is opened
//! elsewhere.

use super::{READ_NEVER, READ_SECRETS};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, NO_OPTIONS, Options, READ, RUNS_CODE, UNKNOWN, UNKNOWN_RED},
        variable,
        walk::operands,
    },
    scene::Scene,
    word::Command,
};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["cd", "chdir"],
        does: Does::Code(cd),
        why: "goes to a folder; the shell follows where it leads",
    },
    Entry {
        names: &["pushd", "popd", "dirs"],
        does: Does::Always(READ_NEVER),
        why: "go to folders of a list",
    },
    Entry {
        names: &["export", "declare", "typeset", "local", "readonly", "setenv", "integer", "float"],
        does: Does::Code(declare),
        why: "set variables for whatever comes later",
    },
    Entry { names: &["alias"], does: Does::Code(alias), why: "changes what a name means later" },
    Entry {
        names: &[
            "unalias", "unset", "set", "shopt", "setopt", "unsetopt", "emulate", "enable", "ulimit", "bind",
            "bindkey", "complete", "compgen", "compopt", "autoload", "zmodload", "zstyle", "fc", "let",
            "caller", "times", "limit", "unlimit",
        ],
        does: Does::Always(UNKNOWN),
        why: "change how the shell works from here on",
    },
    Entry { names: &["source", "."], does: Does::Code(source), why: "runs a file in this shell" },
    Entry { names: &["history"], does: Does::Code(history), why: "prints old commands, or changes them" },
    Entry {
        names: &["read", "mapfile", "readarray", "getopts", "vared", "select"],
        does: Does::Always(UNKNOWN),
        why: "set variables from their input",
    },
    Entry {
        names: &["type", "where", "jobs", "wait"],
        does: Does::Always(READ_NEVER),
        why: "tell of names and jobs",
    },
    Entry {
        names: &["hash", "rehash"],
        does: Does::Code(hash),
        why: "remembers where programs are; -p says where",
    },
    Entry {
        names: &["fg", "bg", "disown", "suspend", "coproc"],
        does: Does::Always(UNKNOWN),
        why: "move jobs",
    },
    Entry {
        names: &["exit", "logout", "return", "break", "shift"],
        does: Does::Always(READ_NEVER),
        why: "end or go on",
    },
    Entry {
        names: &["trap"],
        does: Does::Always(UNKNOWN),
        why: "keeps a command for later, which is opened elsewhere",
    },
    Entry {
        names: &["eval"],
        does: Does::Always(UNKNOWN),
        why: "runs its words as text, which is opened elsewhere",
    },
];

fn cd(command: &Command, _: &Scene<'_>) -> Finding {
    const CD: Options = Options { letters: "LPe", ..NO_OPTIONS };
    match operands(&[&CD], command.arguments()).as_deref() {
        Some([folder])
            if folder.is_known && !folder.is_glob && folder.text != "-" && !folder.text.starts_with('+') =>
        {
            READ.finding()
        }
        // To the home folder.
        Some([]) => READ_NEVER.because("Goes to the home folder.").finding(),
        Some(_) | None => UNKNOWN.because("Where it goes can't be told beforehand.").finding(),
    }
}

fn declare(command: &Command, _: &Scene<'_>) -> Finding {
    let arguments = command.arguments();
    if arguments.iter().all(|word| word.text.starts_with('-') && word.is_known) {
        return READ_SECRETS.finding();
    }
    let is_risky = arguments.iter().any(|word| {
        let name = word.text.split('=').next().unwrap_or(&word.text);
        // A word that can't be known may set anything: `export $(cat file)`.
        (!word.is_known && !word.text.contains('=')) || variable::is_risky(name)
    });
    if is_risky {
        return UNKNOWN_RED.because("Sets a variable that decides what runs later.").finding();
    }
    UNKNOWN.because("Sets variables for whatever comes later.").finding()
}

fn alias(command: &Command, _: &Scene<'_>) -> Finding {
    let is_listing = command.arguments().iter().all(|word| word.is_known && !word.text.contains('='));
    if is_listing {
        READ_NEVER.finding()
    } else {
        UNKNOWN.because("Changes what a name means later.").finding()
    }
}

fn source(command: &Command, _: &Scene<'_>) -> Finding {
    match command.arguments().first() {
        Some(file) if file.is_known && !file.is_glob => {
            let mut finding = RUNS_CODE.because("Runs a file in this shell.").finding();
            finding.drivers.push(file.text.clone());
            finding
        }
        Some(_) | None => UNKNOWN_RED.because("What it runs can't be told beforehand.").finding(),
    }
}

fn history(command: &Command, _: &Scene<'_>) -> Finding {
    let is_listing = command.arguments().iter().all(|word| word.text.chars().all(|c| c.is_ascii_digit()));
    if is_listing {
        READ_SECRETS.finding()
    } else {
        UNKNOWN.because("Changes the list of old commands.").finding()
    }
}

fn hash(command: &Command, _: &Scene<'_>) -> Finding {
    match command.arguments() {
        [] => READ_NEVER.finding(),
        _ => UNKNOWN_RED.because("Changes which program a name starts.").finding(),
    }
}
