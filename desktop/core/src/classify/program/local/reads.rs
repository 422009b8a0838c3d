//! Programs that only read, but are not on the green list: a card, which a policy may answer.

use super::{OPTION_UNKNOWN, READ_NEVER, READ_ODD, READ_SECRETS, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, LOSES_FILE, NO_OPTIONS, Options, READ_ASKS, UNKNOWN, WRITE_WIDE},
        walk::{Looks, operands},
    },
    scene::Scene,
    word::Command,
};

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "basename", "dirname", "realpath", "readlink", "greadlink", "grealpath", "pathchk", "whereis",
            "pwdx",
        ],
        does: Does::Always(READ_ASKS),
        why: "print facts of the system or of paths",
    },
    Entry {
        names: &[
            "sleep", "gsleep", "usleep", "seq", "gseq", "jot", "factor", "expr", "numfmt", "yes", "sync",
        ],
        does: Does::Always(READ_NEVER),
        why: "wait, count or print; they touch no file's content",
    },
    Entry {
        names: &["test", "[", "[["],
        does: Does::Code(condition),
        why: "look at files and texts; an arithmetic comparison evaluates what stands in brackets",
    },
    Entry {
        names: &[
            "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "b3sum",
            "cksum", "sum", "md5", "shasum", "crc32", "sha1", "sha256", "sha512",
        ],
        does: Does::Always(READ_ASKS),
        why: "add up files",
    },
    Entry {
        names: &[
            "tac", "rev", "comm", "join", "paste", "fold", "fmt", "expand", "unexpand", "pr", "ptx", "od",
            "hexdump", "hd", "strings", "column", "colrm", "look", "tsort", "zcat", "gzcat", "bzcat",
            "xzcat", "lzcat", "zstdcat", "lz4cat", "zgrep", "zegrep", "zfgrep", "bzgrep", "xzgrep", "zdiff",
            "zcmp", "xzdiff", "bzdiff", "nm", "objdump", "readelf", "size", "addr2line", "c++filt", "otool",
            "cloc", "tokei", "scc", "wdiff", "cdiff", "colordiff", "diff3", "ul", "dwdiff", "isutf8",
            "errno", "ascii", "figlet", "toilet", "cowsay", "clear", "eza", "exa", "lsd", "pdfinfo",
            "mediainfo", "mdls", "namei",
        ],
        does: Does::Always(READ_ASKS),
        why: "print what they read, changed in form",
    },
    Entry {
        names: &["locate", "plocate", "mlocate", "slocate", "mdfind"],
        does: Does::Always(READ_ODD.because("Lists files of the whole machine.")),
        why: "look names up wherever they are",
    },
    Entry {
        names: &["printenv", "envsubst"],
        does: Does::Always(READ_SECRETS),
        why: "prints variables, secrets among them",
    },
    Entry {
        names: &["printf", "gprintf"],
        does: Does::Within(NO_OPTIONS, READ_NEVER, UNKNOWN),
        why: "prints; -v sets a variable of the shell",
    },
    Entry {
        names: &["jq", "gojq", "jaq"],
        does: Does::Code(jq),
        why: "prints parts of JSON; `env` shows variables, -f and imports read programs",
    },
    Entry {
        names: &["yq", "dasel", "xq", "tomlq"],
        does: Does::Code(in_place),
        why: "print parts of YAML and TOML; -i writes the file",
    },
    Entry {
        names: &["base64", "base32", "basenc", "gbase64", "uuencode", "uudecode"],
        does: Does::Code(to_file),
        why: "encode and decode; -o writes a file",
    },
    Entry {
        names: &["xxd"],
        does: Does::Code(xxd),
        why: "prints bytes; a second operand is a file it writes",
    },
    Entry {
        names: &["iconv", "xmllint", "xsltproc"],
        does: Does::Code(to_file),
        why: "print; --output writes a file",
    },
    Entry {
        names: &["shuf", "gshuf", "uuid", "sdiff", "lipo"],
        does: Does::Code(to_file),
        why: "shuffles lines; -o writes a file",
    },
    Entry {
        names: &["ldd"],
        does: Does::Always(UNKNOWN.because("May start the program that it looks at.")),
        why: "lists libraries, for which it may start the program",
    },
    Entry {
        names: &["bc", "dc"],
        does: Does::Always(UNKNOWN),
        why: "calculate; dc runs shell commands with `!`",
    },
    Entry {
        names: &["ag", "ack", "ugrep", "ug", "sift", "pt"],
        does: Does::Code(pagers),
        why: "search trees; options of theirs start pagers, filters and editors",
    },
    Entry {
        names: &["bat", "batcat"],
        does: Does::Code(pagers),
        why: "prints files; --pager starts a program",
    },
    Entry {
        names: &["fd", "fdfind"],
        does: Does::Code(fd),
        why: "finds files; -x and -X start programs on them",
    },
    Entry {
        names: &["delta", "difft", "difftastic", "diff-so-fancy", "vimdiff", "kdiff3", "meld"],
        does: Does::Code(pagers),
        why: "show differences, some in a pager or editor",
    },
    Entry {
        names: &["pinky"],
        does: Does::Always(READ_ASKS),
        why: "tell of users of this machine; of others over the network, where the engine sees the `@`",
    },
];

fn condition(command: &Command, _: &Scene<'_>) -> Finding {
    let has_code = command.arguments().iter().any(|word| word.text.contains("$(") || word.text.contains('`'));
    if has_code { UNKNOWN.finding() } else { READ_NEVER.finding() }
}

fn jq(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const JQ: Options = Options {
        letters: "ncrjaCMSesRh",
        long: &[
            "arg", "args", "argjson", "ascii-output", "color-output", "compact-output", "exit-status",
            "help", "join-output", "jsonargs", "monochrome-output", "null-input", "raw-input", "raw-output",
            "raw-output0", "seq", "slurp", "slurpfile", "rawfile", "sort-keys", "stream", "tab",
            "unbuffered", "version",
        ],
        long_valued: &["indent"],
        ..NO_OPTIONS
    };
    let shows_variables =
        command.arguments().iter().any(|word| word.text.to_ascii_lowercase().contains("env"));
    match operands(&[&JQ], command.arguments()) {
        Some(_) if !shows_variables => READ_ASKS.finding(),
        Some(_) => UNKNOWN.because("May show variables, secrets among them.").finding(),
        None => OPTION_UNKNOWN.finding(),
    }
}

fn in_place(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    // dasel names its writes by a word.
    if looks.has("isw", &["in-place", "inplace", "split-exp"])
        || looks.texts().any(|text| matches!(text, "put" | "delete"))
    {
        return WRITE_WIDE.finding();
    }
    let has_variables =
        command.arguments().iter().any(|word| word.text.contains("env") || word.text.contains("load"));
    if has_variables { UNKNOWN.finding() } else { READ_ASKS.finding() }
}

fn to_file(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("o", &["output", "output-file"]) || command.name() == "uudecode" {
        return LOSES_FILE.because("Writes its output over a file.").finding();
    }
    // Single-dash long options (`-output`) look like clusters and count as `o`.
    READ_ASKS.finding()
}

fn xxd(command: &Command, _: &Scene<'_>) -> Finding {
    const XXD: Options = Options { letters: "abCeEipruvd", valued: "cglnosR", ..NO_OPTIONS };
    match operands(&[&XXD], command.arguments()) {
        Some(found) if found.len() < 2 && !found.iter().any(|word| word.is_glob) => READ_ASKS.finding(),
        Some(_) => LOSES_FILE.because("Writes its output over a file.").finding(),
        None => OPTION_UNKNOWN.finding(),
    }
}

fn pagers(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "pager", "filter", "view", "query", "output", "diff-args", "external", "config-file", "ackrc",
        "build",
    ];
    if looks.has("", STARTS) { RUNS_OTHER.finding() } else { READ_ODD.finding() }
}

fn fd(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    if looks.has("xX", &["exec", "exec-batch"]) { RUNS_OTHER.finding() } else { READ_ASKS.finding() }
}
