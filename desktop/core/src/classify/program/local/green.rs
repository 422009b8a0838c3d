//! The closed green list (LVL-1): programs that only read and print, each with the options that keep it so. Options
//! come by allow list; what is missing here gets a card, nothing worse. `sort`, `uniq`, `sed`, `find`, `ps` and Git
//! need code and stand elsewhere.

mod options;

use self::options::*;
use super::{OPTION_UNKNOWN, READ_ODD, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, NO_OPTIONS, Options, READ, UNKNOWN, UNKNOWN_RED},
        walk::{Looks, may_hide_option, operands},
    },
    scene::Scene,
    word::Command,
};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["ls", "gls"],
        does: Does::Reads(LS, READ_ODD),
        why: "lists names; no option of it runs or writes anything",
    },
    Entry { names: &["pwd"], does: Does::Reads(PWD, READ_ODD), why: "prints the current folder" },
    Entry { names: &["cat", "gcat"], does: Does::Reads(CAT, READ_ODD), why: "prints files" },
    Entry { names: &["head"], does: Does::Reads(HEAD, READ_ODD), why: "prints the beginning of files" },
    Entry { names: &["tail"], does: Does::Reads(TAIL, READ_ODD), why: "prints the end of files" },
    Entry {
        names: &["wc"],
        does: Does::Reads(WC, READ_ODD),
        why: "counts; --files0-from reads names from a file",
    },
    Entry {
        names: &["grep", "egrep", "fgrep"],
        does: Does::Code(grep),
        why: "searches files; a search of a tree is green only where nothing private lies in it",
    },
    Entry {
        names: &["rg"],
        does: Does::Code(rg),
        why: "searches trees; --pre and --hostname-bin run programs, -z runs unpackers",
    },
    Entry { names: &["echo"], does: Does::Always(READ), why: "prints its words, whatever they are" },
    Entry { names: &["true", "false", ":"], does: Does::Always(READ), why: "do nothing" },
    Entry { names: &["uname"], does: Does::Reads(UNAME, READ_ODD), why: "names the system" },
    Entry {
        names: &["df"],
        does: Does::Reads(DF, READ_ODD),
        why: "shows free space; --sync writes buffers out",
    },
    Entry { names: &["uptime"], does: Does::Reads(UPTIME, READ_ODD), why: "shows how long the system runs" },
    Entry { names: &["ps"], does: Does::Code(ps), why: "lists processes; with `e` their environments too" },
    Entry { names: &["which"], does: Does::Reads(WHICH, READ_ODD), why: "finds programs" },
    Entry { names: &["whoami"], does: Does::Reads(NO_OPTIONS, READ_ODD), why: "names the user" },
    Entry { names: &["date"], does: Does::Code(date), why: "prints the time; it can also set it" },
    Entry { names: &["stat"], does: Does::Reads(STAT, READ_ODD), why: "prints facts of files" },
    Entry {
        names: &["file"],
        does: Does::Reads(FILE, READ_ODD),
        why: "tells a file's kind; -f reads names, -m and -C take and write magic files, -z runs unpackers",
    },
    Entry { names: &["du"], does: Does::Reads(DU, READ_ODD), why: "adds up sizes" },
    Entry {
        names: &["tree"],
        does: Does::Code(tree),
        why: "draws a tree; -o writes a file, -R starts itself with -o",
    },
    Entry { names: &["diff"], does: Does::Reads(DIFF, READ_ODD), why: "compares files; -l starts pr" },
    Entry { names: &["cmp"], does: Does::Reads(CMP, READ_ODD), why: "compares files" },
    Entry { names: &["cut"], does: Does::Reads(CUT, READ_ODD), why: "prints columns" },
    Entry { names: &["tr"], does: Does::Reads(TR, READ_ODD), why: "replaces characters of its input" },
    Entry { names: &["nl"], does: Does::Reads(NL, READ_ODD), why: "numbers lines" },
];

fn grep(command: &Command, scene: &Scene<'_>) -> Finding {
    let Some(found) = operands(&[&GREP], command.arguments()) else { return READ_ODD.finding() };
    let looks = Looks::of(command.arguments());
    if !looks.has("rRd", &["recursive", "dereference-recursive", "directories"]) {
        return READ.finding();
    }
    let has_pattern = looks.has("ef", &["regexp", "file"]);
    search(command, scene, found.get(usize::from(!has_pattern)..).unwrap_or_default())
}

fn rg(command: &Command, scene: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("", &["pre", "pre-glob", "hostname-bin"]) {
        return RUNS_OTHER.finding();
    }
    let Some(found) = operands(&[&RG], command.arguments()) else { return OPTION_UNKNOWN.finding() };
    if may_hide_option(command.arguments()) {
        return UNKNOWN.because("A pattern of file names may become an option.").finding();
    }
    let has_pattern = looks.has("ef", &["regexp", "files", "type-list"]);
    search(command, scene, found.get(usize::from(!has_pattern)..).unwrap_or_default())
}

/// LVL-1: a search of trees is green only where none of them holds a closed or `.env` file.
fn search(command: &Command, scene: &Scene<'_>, places: &[&crate::classify::word::Word]) -> Finding {
    const ASKS: &str = "Searches a tree that may hold a private file.";
    let asks = || super::super::entry::READ_ASKS.because(ASKS).finding();
    let Some(folder) = command.folder.as_deref() else { return asks() };
    let holds = |place: &str| scene.world.holds_private(&super::super::folder::join(folder, place));
    let is_open = if places.is_empty() {
        !holds(".")
    } else {
        // Where a pattern leads can't be told: the folder around it stands for it.
        places.iter().all(|word| !holds(if word.is_glob || !word.is_known { "." } else { &word.text }))
    };
    if is_open { READ.finding() } else { asks() }
}

/// `ps` lists processes. In BSD style (without a dash, or where a cluster is read so) `e` shows environments, as does
/// macOS' `-E`.
fn ps(command: &Command, _: &Scene<'_>) -> Finding {
    const VALUED: &str = "opgGuUtCsqk";
    #[rustfmt::skip]
    const LONG: &[&str] = &[
        "cols", "columns", "cumulative", "deselect", "forest", "format", "group", "headers", "help",
        "lines", "no-headers", "no-heading", "noheader", "noheaders", "pid", "ppid", "quick-pid", "rows",
        "sid", "sort", "tty", "user", "version", "width",
    ];
    let is_plain = |text: &str| {
        if let Some(long) = text.strip_prefix("--") {
            return LONG.contains(&long.split('=').next().unwrap_or(long));
        }
        if let Some(letters) = text.strip_prefix('-') {
            let flags = letters.split(|c| VALUED.contains(c)).next().unwrap_or(letters);
            let is_known = flags.chars().all(|c| "AadeFfljLMHyTwcNVxZ".contains(c) || c.is_ascii_digit());
            return is_known && !(letters.contains('e') && letters.contains(['x', 'u']));
        }
        // Process numbers, or BSD flags: none of them with an `e`.
        let is_number = text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' '));
        is_number || text.chars().all(|c| "axuljhsvwfnrTLmcNSkgtUo".contains(c))
    };
    let mut is_green = true;
    let mut is_value = false;
    for word in command.arguments() {
        let is_known = word.is_known && !word.is_glob && !word.text.contains("env");
        is_green &= is_known && (is_value || is_plain(&word.text));
        // Only a cluster that ends in such a letter takes the next word.
        let first = word.text.find(|c| VALUED.contains(c));
        is_value =
            !is_value && !word.text.starts_with("--") && first.is_some_and(|at| at + 1 == word.text.len());
    }
    if is_green { READ.finding() } else { super::READ_SECRETS.finding() }
}

/// `date` prints the time with at most one `+FORMAT`; another operand or `-s` sets it.
fn date(command: &Command, _: &Scene<'_>) -> Finding {
    const DATE: Options = Options {
        letters: "uRI",
        long: &["help", "iso-8601", "rfc-email", "universal", "utc", "version"],
        long_valued: &["iso-8601", "rfc-3339"],
        ..NO_OPTIONS
    };
    if let Some(found) = operands(&[&DATE], command.arguments()) {
        return match found.as_slice() {
            [] => READ.finding(),
            [format] if format.text.starts_with('+') => READ.finding(),
            _ => UNKNOWN_RED.because("Sets the clock.").finding(),
        };
    }
    let looks = Looks::of(command.arguments());
    if looks.has("s", &["set"]) {
        return UNKNOWN_RED.because("Sets the clock.").finding();
    }
    READ_ODD.finding()
}

fn tree(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match operands(&[&TREE], command.arguments()) {
        Some(_) if !may_hide_option(command.arguments()) => READ.finding(),
        _ if looks.has("oR", &["output"]) => {
            super::super::entry::LOSES_FILE.because("Writes its drawing over a file.").finding()
        }
        _ => OPTION_UNKNOWN.finding(),
    }
}
