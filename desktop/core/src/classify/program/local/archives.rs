//! Archivers and packers: listing reads, unpacking and packing write, some options start programs or delete what was
//! packed.

use super::{OPTION_UNKNOWN, RUNS_OTHER, WRITE_RED, copies::is_remote};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, Does, Entry, LOSES_FILE, OUTSIDE_ASKS, READ_ASKS, WRITE_WIDE},
        walk::Looks,
    },
    scene::Scene,
    word::Command,
};

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["tar", "gtar", "bsdtar"],
        does: Does::Code(tar),
        why: "packs, unpacks, lists; five options start programs",
    },
    Entry {
        names: &["zip"],
        does: Does::Code(zip),
        why: "packs; -m deletes what it packed, -TT starts a program",
    },
    Entry { names: &["unzip", "zipinfo"], does: Does::Code(unzip), why: "unpacks; -l and its kin list" },
    Entry {
        names: &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd", "lz4",
            "unlz4", "pigz", "unpigz", "compress", "uncompress", "brotli", "lzip", "lzop", "pbzip2",
        ],
        does: Does::Code(packer),
        why: "put a packed file in the place of a file, or the other way; -c prints",
    },
    Entry {
        names: &["7z", "7za", "7zr", "7zz", "rar", "unrar"],
        does: Does::Code(worded),
        why: "pack and unpack; the first word says what",
    },
    Entry { names: &["gcc-ar", "llvm-ar"], does: Does::Always(WRITE_WIDE), why: "packs object files" },
    Entry { names: &["cpio", "pax"], does: Does::Code(cpio), why: "pack and unpack by lists" },
    Entry {
        names: &["unar", "lsar", "dtrx", "atool", "aunpack", "apack", "shar", "unshar"],
        does: Does::Always(WRITE_WIDE),
        why: "pack and unpack",
    },
    Entry {
        names: &[
            "zipcloak", "zipnote", "zipsplit", "mkisofs", "genisoimage", "xorriso", "mksquashfs",
            "unsquashfs",
        ],
        does: Does::Always(WRITE_WIDE),
        why: "write archives and images",
    },
];

fn tar(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "to-command", "checkpoint-action", "use-compress-program", "rsh-command", "rmt-command",
        "info-script", "new-volume-script",
    ];
    // The first word may be a cluster without its dash: `tar xzf a.tgz`.
    let first = command.arguments().first().map_or("", |word| word.text.as_str());
    let bundle = if first.starts_with('-') { "" } else { first };
    let has =
        |letters: &str, long: &[&str]| looks.has(letters, long) || bundle.contains(|c| letters.contains(c));
    let mut finding =
        if has("xcruA", &["extract", "get", "create", "append", "update", "catenate", "concatenate"]) {
            WRITE_WIDE.finding()
        } else if has("td", &["list", "diff", "compare"]) {
            READ_ASKS.finding()
        } else {
            OPTION_UNKNOWN.finding()
        };
    if has("IF", STARTS) {
        finding.worsen(RUNS_OTHER.finding());
    }
    if looks.has("", &["remove-files", "recursive-unlink", "unlink-first"]) {
        finding.worsen(DESTRUCTIVE.because("Deletes what it packs or unpacks over.").finding());
    }
    if looks.has("", &["delete"]) {
        finding.worsen(LOSES_FILE.finding());
    }
    if has("P", &["absolute-names", "absolute-paths"]) {
        finding.worsen(WRITE_RED.because("May unpack outside the project.").finding());
    }
    // `-f host:file` is on another machine; a member's name with a colon only looks like one.
    if looks.texts().any(is_remote) && !looks.has("", &["force-local"]) {
        finding.worsen(OUTSIDE_ASKS.because("The archive may be on another machine.").finding());
    }
    finding
}

fn zip(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("", &["unzip-command"]) || looks.options.iter().any(|option| option.starts_with("-TT")) {
        return RUNS_OTHER.finding();
    }
    if looks.has("m", &["move"]) {
        return DESTRUCTIVE.because("Deletes what it packed.").finding();
    }
    if looks.has("d", &["delete"]) {
        return LOSES_FILE.because("Deletes parts of an archive.").finding();
    }
    WRITE_WIDE.finding()
}

fn unzip(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if command.name() == "zipinfo" || looks.has("lvtZpcz", &[]) {
        READ_ASKS.finding()
    } else {
        WRITE_WIDE.finding()
    }
}

fn packer(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("o", &["output", "output-dir-flat"]) {
        return LOSES_FILE.because("Writes its output over a file.").finding();
    }
    let prints = looks.has("ctl", &["stdout", "to-stdout", "test", "list"]) && !looks.has("", &["rm"]);
    if prints { READ_ASKS.finding() } else { WRITE_WIDE.finding() }
}

fn worded(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.options.iter().any(|option| option.starts_with("-sdel") || *option == "-df" || *option == "-dw")
    {
        return DESTRUCTIVE.because("Deletes what it packed.").finding();
    }
    match looks.texts().next() {
        Some("l" | "t" | "lt" | "lb" | "v" | "vt" | "vb" | "p" | "h" | "i" | "b") => READ_ASKS.finding(),
        Some("d") => LOSES_FILE.because("Deletes parts of an archive.").finding(),
        Some("m" | "mf") => DESTRUCTIVE.because("Deletes what it packed.").finding(),
        Some(_) | None => WRITE_WIDE.finding(),
    }
}

fn cpio(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("", &["rsh-command", "to-stdout-command"])
        || looks.has("H", &[]) && looks.texts().any(is_remote)
    {
        return RUNS_OTHER.finding();
    }
    if looks.has("t", &["list"]) { READ_ASKS.finding() } else { WRITE_WIDE.finding() }
}
