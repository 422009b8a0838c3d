//! `sed`: `-n N[,M]p` is on the green list; other scripts are taken apart, because `w` writes files and `e` runs
//! programs from inside a script.

mod script;

use self::script::Script;
use super::{OPTION_UNKNOWN, READ_NEVER, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, Fixed, LOSES_FILE, Options, READ, RUNS_CODE, UNKNOWN, WRITE_WIDE},
        walk::{Looks, operands},
    },
    scene::Scene,
    word::{Command, Word},
};

pub(crate) const ENTRIES: &[Entry] = &[Entry {
    names: &["sed", "gsed"],
    does: Does::Code(sed),
    why: "prints lines changed by a script, or changes files with -i; the script can write files and run programs",
}];

#[rustfmt::skip]
const SED: Options = Options {
    letters: "nErszubaiI",
    valued: "efl",
    long: &[
        "debug", "follow-symlinks", "help", "in-place", "null-data", "posix", "quiet", "regexp-extended",
        "sandbox", "separate", "silent", "unbuffered", "version",
    ],
    long_valued: &["expression", "file", "in-place", "line-length"],
    number: false,
};

fn sed(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let is_in_place = looks.has("iI", &["in-place"]);
    let mut finding = if is_in_place {
        WRITE_WIDE.because("Changes files in place.").finding()
    } else {
        READ_NEVER.finding()
    };
    let Some(given) = given(command.arguments(), is_in_place) else {
        finding.worsen(OPTION_UNKNOWN.finding());
        // A script that can't be found may still be one of these words.
        for word in command.arguments() {
            finding.worsen(harm(&word.text).unwrap_or(READ_NEVER).finding());
        }
        return finding;
    };
    if !is_in_place && looks.has("n", &["quiet", "silent"]) && given.is_plain && is_range(&given.scripts) {
        return READ.finding();
    }
    for file in given.files {
        finding.worsen(RUNS_CODE.because("Runs a script from a file.").finding());
        finding.drivers.push(file);
    }
    for script in &given.scripts {
        if !script.is_known {
            finding.worsen(UNKNOWN.because("Its script can't be told beforehand.").finding());
        }
        if let Some(harm) = harm(&script.text) {
            finding.worsen(harm.finding());
        }
    }
    finding
}

fn harm(script: &str) -> Option<Fixed> {
    match Script::of(script) {
        Script::Prints => None,
        Script::Writes => Some(LOSES_FILE.because("Its script writes files.")),
        Script::Runs => Some(RUNS_OTHER),
        Script::Unclear => Some(UNKNOWN.because("Its script can't be read.")),
    }
}

/// The scripts and script files of a `sed`.
struct Given<'c> {
    scripts: Vec<&'c Word>,
    files: Vec<String>,
    /// Whether it has no more options than the green form.
    is_plain: bool,
}

fn given(arguments: &[Word], is_in_place: bool) -> Option<Given<'_>> {
    // `-i.bak`: a suffix glued to the option is its value.
    let found = operands(&[&SED], arguments).or_else(|| {
        let is_suffix = |word: &&Word| word.text.starts_with("-i");
        let rest: Vec<Word> = arguments.iter().filter(|word| !is_suffix(word)).cloned().collect();
        (is_in_place && operands(&[&SED], &rest).is_some()).then(|| Looks::of(arguments).operands)
    })?;
    let mut given = Given { scripts: Vec::new(), files: Vec::new(), is_plain: true };
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if !matches!(name, "expression" | "file") {
                continue;
            }
            given.is_plain = false;
            match (name, value) {
                ("file", Some(value)) => given.files.push(value.to_owned()),
                ("file", None) => given.files.push(words.next()?.text.clone()),
                (_, Some(_)) => return None,
                (_, None) => given.scripts.push(words.next()?),
            }
        } else if text.starts_with('-') && text.len() > 1 {
            // What stands behind an `i` is its suffix.
            let Some(at) = text.split('i').next().and_then(|own| own.find(['e', 'f', 'l'])) else { continue };
            let is_last = at + 1 == text.len();
            given.is_plain = false;
            match (text.chars().nth(at), is_last) {
                (Some('l'), _) => {}
                (Some('f'), true) => given.files.push(words.next()?.text.clone()),
                (Some('e'), true) => given.scripts.push(words.next()?),
                _ => return None,
            }
        }
    }
    if given.scripts.is_empty() && given.files.is_empty() {
        // BSD's `-i ''` has its suffix as a word of its own.
        given.scripts.push(found.iter().find(|word| !word.text.is_empty())?);
    }
    Some(given)
}

/// `N[,M]p`, where the last line may be `$`.
fn is_range(scripts: &[&Word]) -> bool {
    let [script] = scripts else { return false };
    let Some(range) = script.text.strip_suffix('p') else { return false };
    let is_line = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let (first, last) = range.split_once(',').unwrap_or((range, "1"));
    script.is_known && (is_line(first) || first == "$") && (is_line(last) || last == "$")
}
