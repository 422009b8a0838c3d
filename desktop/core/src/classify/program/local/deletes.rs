//! Programs that delete or empty files (LVL-3): single named files of the project are yellow, trees, patterns and
//! whatever comes from elsewhere are red; all of it is destructive.

use super::READ_NEVER;
use crate::classify::{
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, Does, Entry, Fixed, LOSES_FILE, READ_ASKS},
        walk::Looks,
    },
    scene::Scene,
    word::{Command, Word},
};
use countersign_proto::text::Shown;

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry { names: &["rm", "grm"], does: Does::Code(rm), why: "deletes files, with -r trees" },
    Entry {
        names: &["unlink", "gunlink", "rmdir", "grmdir"],
        does: Does::Code(single),
        why: "delete a file or an empty folder",
    },
    Entry {
        names: &["shred", "gshred"],
        does: Does::Code(single),
        why: "overwrites files so that nothing can be got back",
    },
    Entry { names: &["truncate", "gtruncate"], does: Does::Code(single), why: "cuts files" },
    Entry {
        names: &["gtrash"],
        does: Does::Always(DESTRUCTIVE.because("Moves files or whole folders to the trash.")),
        why: "move trees out of the project",
    },
    Entry {
        names: &[
            "trash-rm", "sdmem", "fdupes", "rmlint", "rdfind", "jdupes", "tmpreaper", "tmpwatch", "deltree",
        ],
        does: Does::Always(DESTRUCTIVE),
        why: "delete trees, or files that they choose themselves",
    },
    Entry {
        names: &["dd", "gdd"],
        does: Does::Code(dd),
        why: "copies bytes; of= is overwritten, a disk as well",
    },
    Entry { names: &["fallocate"], does: Does::Code(single), why: "makes or empties ranges of files" },
];

fn rm(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("rR", &["recursive", "no-preserve-root"]) {
        return named(DESTRUCTIVE, "delete", &looks, " and everything in it");
    }
    delete(&looks)
}

fn single(command: &Command, _: &Scene<'_>) -> Finding {
    delete(&Looks::of(command.arguments()))
}

/// Deletion of what these operands name.
fn delete(looks: &Looks<'_>) -> Finding {
    if looks.operands.is_empty() && looks.has("V", &["help", "version"]) {
        return READ_ASKS.finding();
    }
    // Without operands they come from elsewhere: `xargs rm`.
    if looks.operands.is_empty()
        || !looks.is_certain
        || looks.texts().any(|text| matches!(text, "." | ".." | "/"))
    {
        return named(
            DESTRUCTIVE.because("Which files are lost can't be told beforehand."),
            "delete",
            looks,
            "",
        );
    }
    if looks.texts().any(is_device) {
        return DESTRUCTIVE.because("Overwrites a device.").finding();
    }
    named(LOSES_FILE, "delete or empty", looks, "")
}

fn named(fixed: Fixed, verb: &str, looks: &Looks<'_>, behind: &str) -> Finding {
    let mut finding = fixed.finding();
    if let Some(list) = list(&looks.operands) {
        finding.headline = Some(Shown::line(&format!("Wants to {verb} {list}{behind}")));
    }
    finding
}

/// The first operands as words for a person: "a, b and 3 more".
pub(super) fn list(operands: &[&Word]) -> Option<String> {
    let texts: Vec<&str> = operands.iter().map(|word| word.text.as_str()).collect();
    match texts.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [one, two] => Some(format!("{one} and {two}")),
        [one, two, rest @ ..] => Some(format!("{one}, {two} and {} more", rest.len())),
    }
}

/// Whether a path is a device that holds something.
pub(super) fn is_device(path: &str) -> bool {
    const HARMLESS: &[&str] =
        &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom"];
    path.starts_with("/dev/") && !HARMLESS.contains(&path)
}

fn dd(command: &Command, _: &Scene<'_>) -> Finding {
    let mut finding = READ_NEVER.finding();
    for word in command.arguments() {
        let text = word.text.as_str();
        if let Some(target) = text.strip_prefix("of=") {
            let is_lost = is_device(target) || !word.is_known || word.is_glob;
            let fixed = if is_lost { DESTRUCTIVE } else { LOSES_FILE };
            if target != "/dev/null" {
                finding.worsen(fixed.because("Overwrites a file or device.").finding());
            }
        } else if !word.is_known || word.is_glob {
            finding.worsen(DESTRUCTIVE.because("What it overwrites can't be told beforehand.").finding());
        }
    }
    finding
}
