//! Programs that make, copy, move and link files. What may overwrite something is a write that no line answers (POL-7);
//! what empties a file is destructive.

use super::deletes::is_device;
use super::{OPTION_UNKNOWN, RUNS_OTHER, WRITE_RED};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{
            DESTRUCTIVE, Does, Entry, LOSES_FILE, NO_OPTIONS, OUTSIDE_ASKS, Options, READ_ASKS, UNKNOWN,
            UNKNOWN_RED, WRITE, WRITE_WIDE,
        },
        walk::{Looks, operands},
    },
    scene::Scene,
    word::Command,
};

pub(crate) const ENTRIES: &[Entry] = &[
    Entry { names: &["mkdir", "gmkdir"], does: Does::Within(MKDIR, WRITE, WRITE_WIDE), why: "makes folders" },
    Entry {
        names: &["touch", "gtouch"],
        does: Does::Within(TOUCH, WRITE, WRITE_WIDE),
        why: "makes empty files or changes times",
    },
    Entry { names: &["mkfifo"], does: Does::Always(WRITE_WIDE), why: "makes pipes with a name" },
    Entry { names: &["mknod"], does: Does::Always(UNKNOWN_RED), why: "makes devices" },
    Entry {
        names: &["mktemp", "gmktemp", "tempfile"],
        does: Does::Code(mktemp),
        why: "makes files in a temporary folder",
    },
    Entry { names: &["cp", "gcp"], does: Does::Code(copy), why: "copies; without -n over what is there" },
    Entry { names: &["mv", "gmv"], does: Does::Code(copy), why: "moves; without -n over what is there" },
    Entry {
        names: &["ln", "gln", "link"],
        does: Does::Code(ln),
        why: "makes links; -f in place of what is there",
    },
    Entry {
        names: &["install", "ginstall"],
        does: Does::Code(install),
        why: "copies with mode; -d makes folders",
    },
    Entry { names: &["ditto", "xcopy", "robocopy"], does: Does::Always(WRITE_WIDE), why: "copy trees" },
    Entry {
        names: &["rename", "prename", "file-rename", "rename.ul", "mmv", "vidir"],
        does: Does::Always(UNKNOWN.because("Renames many files by a pattern or a program text.")),
        why: "rename many files; some run Perl for it",
    },
    Entry {
        names: &["rsync"],
        does: Does::Code(rsync),
        why: "copies trees, to other machines too; --delete deletes",
    },
    Entry {
        names: &["patch", "gpatch"],
        does: Does::Always(WRITE_WIDE),
        why: "changes files as its input says",
    },
    Entry {
        names: &["split", "gsplit"],
        does: Does::Code(split),
        why: "writes many files; --filter starts a program",
    },
    Entry { names: &["csplit", "gcsplit"], does: Does::Always(WRITE_WIDE), why: "writes many files" },
    Entry {
        names: &["dos2unix", "unix2dos", "mac2unix", "recode"],
        does: Does::Always(WRITE_WIDE),
        why: "change files in place",
    },
    Entry { names: &["indent", "unifdef", "sponge"], does: Does::Code(sponge), why: "write files" },
];

const MKDIR: Options = Options {
    letters: "pv",
    valued: "m",
    long: &["parents", "verbose"],
    long_valued: &["mode"],
    ..NO_OPTIONS
};

const TOUCH: Options = Options {
    letters: "acfhm",
    valued: "dtr",
    long: &["no-create", "no-dereference"],
    long_valued: &["date", "time"],
    ..NO_OPTIONS
};

fn mktemp(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("u", &["dry-run"]) {
        return READ_ASKS.finding();
    }
    // Without a template of its own it writes to the temporary folder.
    if looks.operands.is_empty() || looks.has("tp", &["tmpdir"]) {
        return WRITE_RED.because("Makes a file in a temporary folder.").finding();
    }
    WRITE_WIDE.finding()
}

/// `cp` and `mv`.
fn copy(command: &Command, _: &Scene<'_>) -> Finding {
    // With `-n`, and nothing behind it that could take it back, nothing is overwritten.
    const CAREFUL: Options = Options {
        letters: "nvaprRLPHdx",
        long: &["archive", "no-clobber", "recursive", "update=none", "verbose"],
        ..NO_OPTIONS
    };
    let looks = Looks::of(command.arguments());
    let (sources, target) = match looks.operands.split_last() {
        Some((target, sources)) => (sources, target.text.as_str()),
        None => (looks.operands.as_slice(), ""),
    };
    let is_moved = command.name().ends_with("mv");
    if is_device(target) || (is_moved && target.starts_with("/dev/")) {
        return DESTRUCTIVE.because("Overwrites a device, or loses the file in it.").finding();
    }
    if sources.iter().any(|word| matches!(word.text.as_str(), "/dev/null" | "/dev/zero")) {
        let fixed = if looks.is_certain { LOSES_FILE } else { DESTRUCTIVE };
        return fixed.because("Empties a file.").finding();
    }
    let is_careful = looks.options.iter().any(|option| {
        *option == "--no-clobber"
            || *option == "--update=none"
            || (!option.starts_with("--") && option.contains('n'))
    });
    let known = operands(&[&CAREFUL], command.arguments());
    if is_careful && known.is_some_and(|found| found.len() > 1) && looks.is_certain {
        return WRITE.finding();
    }
    if looks.operands.is_empty() {
        return UNKNOWN.finding();
    }
    WRITE_WIDE.finding()
}

fn ln(command: &Command, _: &Scene<'_>) -> Finding {
    if Looks::of(command.arguments()).has("fF", &["force"]) {
        return LOSES_FILE.because("Puts a link in the place of a file.").finding();
    }
    WRITE_WIDE.finding()
}

fn install(command: &Command, _: &Scene<'_>) -> Finding {
    const FOLDERS: Options = Options { letters: "dv", valued: "m", ..NO_OPTIONS };
    let looks = Looks::of(command.arguments());
    if looks.has("s", &["strip", "strip-program"]) {
        return RUNS_OTHER.finding();
    }
    if looks.has_exactly("-d") && operands(&[&FOLDERS], command.arguments()).is_some() {
        return WRITE.finding();
    }
    WRITE_WIDE.finding()
}

fn rsync(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let mut finding = WRITE_WIDE.finding();
    let has = |starts: &[&str]| {
        looks.options.iter().any(|option| starts.iter().any(|start| option.starts_with(start)))
    };
    if has(&["--del", "--remove"]) {
        finding.worsen(DESTRUCTIVE.because("Deletes files that the other side does not have.").finding());
    }
    if looks.has("e", &["rsh", "rsync-path", "early-exec"]) || has(&["--daemon", "--config", "--password"]) {
        finding.worsen(RUNS_OTHER.finding());
    }
    if looks.texts().any(is_remote) {
        finding.worsen(OUTSIDE_ASKS.because("Copies to or from another machine.").finding());
    }
    if looks.operands.iter().any(|word| !word.is_known) {
        finding.worsen(UNKNOWN_RED.because("Where it copies to can't be told beforehand.").finding());
    }
    finding
}

/// `host:path`, `user@host:path`, `host::module`, `rsync://…`: a colon in front of any slash.
pub(super) fn is_remote(text: &str) -> bool {
    text.split('/').next().is_some_and(|first| first.contains(':'))
}

fn split(command: &Command, _: &Scene<'_>) -> Finding {
    if Looks::of(command.arguments()).has("", &["filter"]) {
        RUNS_OTHER.finding()
    } else {
        WRITE_WIDE.finding()
    }
}

fn sponge(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.operands.is_empty() { OPTION_UNKNOWN.finding() } else { LOSES_FILE.finding() }
}
