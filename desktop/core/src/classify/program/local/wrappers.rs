//! What programs that start others do by themselves. The shell's side opens what they start and adds it.

use super::{OPTION_UNKNOWN, READ_NEVER, READ_SECRETS};
use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::{
        entry::{Does, Entry, Fixed, LOSES_FILE, UNKNOWN},
        walk::Looks,
    },
    scene::Scene,
    word::Command,
};
use countersign_proto::request::{Class, Level};

/// Adds nothing of its own to what it starts, but is not on the green list.
const WRAPS: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::Never).because("Starts another command.");

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "nice", "nohup", "timeout", "gtimeout", "stdbuf", "setsid", "ionice", "chrt", "taskset",
            "setarch", "linux32", "linux64", "unbuffer", "command", "builtin", "exec", "noglob",
            "nocorrect", "catchsegv", "chronic", "ts", "systemd-cat", "watch", "retry",
        ],
        does: Does::Always(WRAPS),
        why: "start a command with another priority, limit, output or time",
    },
    Entry {
        names: &["env", "genv"],
        does: Does::Code(env),
        why: "prints variables, or starts a command with others",
    },
    Entry { names: &["time", "gtime"], does: Does::Code(time), why: "measures a command; -o writes a file" },
    Entry {
        names: &["xargs", "gxargs", "parallel", "flock", "lockfile-run"],
        does: Does::Always(WRAPS),
        why: "start commands with words from elsewhere, or one after the other",
    },
    Entry { names: &["busybox", "toybox"], does: Does::Always(WRAPS), why: "hold many programs in one" },
    Entry {
        names: &["script", "scriptreplay", "screen", "tmux", "byobu", "zellij", "uftrace"],
        does: Does::Always(UNKNOWN.because("Starts or drives another command.")),
        why: "watch, record or drive other programs",
    },
];

fn env(command: &Command, _: &Scene<'_>) -> Finding {
    let is_listing = command.arguments().iter().all(|word| matches!(word.text.as_str(), "-0" | "--null"));
    if is_listing { READ_SECRETS.finding() } else { WRAPS.finding() }
}

fn time(command: &Command, _: &Scene<'_>) -> Finding {
    // Only options in front of the command are its own.
    let own =
        command.arguments().iter().take_while(|word| word.text.starts_with('-')).cloned().collect::<Vec<_>>();
    let looks = Looks::of(&own);
    if looks.has("o", &["output"]) {
        return LOSES_FILE.because("Writes its figures over a file.").finding();
    }
    match command.arguments() {
        [] => READ_NEVER.finding(),
        _ if looks.has("f", &["format"]) => OPTION_UNKNOWN.finding(),
        _ => WRAPS.finding(),
    }
}
