//! `find`: green with tests and printing only. What it starts is opened by the shell's side; what it deletes or writes
//! by itself is judged here.

use super::{OPTION_UNKNOWN, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, Does, Entry, LOSES_FILE, READ},
        walk::may_be_option,
    },
    scene::Scene,
    word::Command,
};

pub(crate) const ENTRIES: &[Entry] = &[Entry {
    names: &["find", "gfind", "bfs"],
    does: Does::Code(find),
    why: "finds files; -delete deletes them, -exec and its kin start programs, -fprint and its kin write files",
}];

/// Tests, joints and ways to print. None of them starts or writes anything.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "!", "(", ")", ",", "-H", "-L", "-P", "-X", "-E", "-d", "-s", "-x", "-a", "-and", "-daystart", "-depth",
    "-empty", "-executable", "-false", "-follow", "-ignore_readdir_race", "-ls", "-mount", "-noleaf",
    "-nogroup", "-not", "-nouser", "-o", "-or", "-print", "-print0", "-prune", "-quit", "-readable",
    "-true", "-warn", "-nowarn", "-writable", "-xdev",
];

/// Those with a value behind them.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-ctime", "-fstype", "-gid", "-group", "-ilname",
    "-iname", "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname", "-maxdepth", "-mindepth",
    "-mmin", "-mtime", "-name", "-newer", "-newermt", "-newerat", "-newerct", "-path", "-perm", "-printf",
    "-regex", "-regextype", "-samefile", "-size", "-type", "-uid", "-used", "-user", "-wholename", "-xtype",
];

fn find(command: &Command, _: &Scene<'_>) -> Finding {
    let mut finding = READ.finding();
    let mut words = command.arguments().iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if !text.starts_with('-') && !matches!(text, "!" | "(" | ")" | ",") {
            if may_be_option(word) {
                finding.worsen(OPTION_UNKNOWN.finding());
            }
            continue;
        }
        match text {
            "-delete" => finding.worsen(DESTRUCTIVE.because("Deletes whatever it finds.").finding()),
            "-exec" | "-execdir" | "-ok" | "-okdir" => finding.worsen(RUNS_OTHER.finding()),
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                finding.worsen(LOSES_FILE.because("Writes its list over a file.").finding());
            }
            text if HARMLESS.contains(&text) => {}
            text if VALUED.contains(&text) => {
                // Its value is no option, whatever it looks like.
                let value = words.next().filter(|value| value.is_known);
                // A pattern in its place can match files called like options; no option of its holds a point.
                if value.is_none_or(|value| may_be_option(value) && !value.text.contains('.')) {
                    finding.worsen(OPTION_UNKNOWN.finding());
                }
            }
            _ => finding.worsen(OPTION_UNKNOWN.finding()),
        }
    }
    finding
}
