//! The options that keep a program of the green list green, each list whole. What is not here gets a card.

use crate::classify::program::entry::{NO_OPTIONS, Options};

#[rustfmt::skip]
pub(super) const LS: Options = Options {
    letters: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
    valued: "ITw",
    long: &[
        "all", "almost-all", "author", "classify", "color", "context", "dereference",
        "dereference-command-line", "dereference-command-line-symlink-to-dir", "directory", "escape",
        "file-type", "full-time", "group-directories-first", "help", "hide-control-chars", "human-readable",
        "hyperlink", "ignore-backups", "inode", "kibibytes", "literal", "no-group", "numeric-uid-gid",
        "quote-name", "recursive", "reverse", "show-control-chars", "si", "size", "version", "zero",
    ],
    long_valued: &[
        "block-size", "classify", "color", "format", "hide", "hyperlink", "ignore", "indicator-style",
        "quoting-style", "sort", "tabsize", "time", "time-style", "width",
    ],
    number: false,
};

pub(super) const PWD: Options = Options { letters: "LP", long: &["logical", "physical"], ..NO_OPTIONS };

#[rustfmt::skip]
pub(super) const CAT: Options = Options {
    letters: "AbeEnstTuv",
    long: &[
        "help", "number", "number-nonblank", "show-all", "show-ends", "show-nonprinting", "show-tabs",
        "squeeze-blank", "version",
    ],
    ..NO_OPTIONS
};

pub(super) const HEAD: Options = Options {
    letters: "qvz",
    valued: "nc",
    long: &["help", "quiet", "silent", "verbose", "version", "zero-terminated"],
    long_valued: &["bytes", "lines"],
    number: true,
};

pub(super) const TAIL: Options = Options {
    letters: "qvzfFr",
    valued: "ncbs",
    long: &["follow", "help", "quiet", "retry", "silent", "verbose", "version", "zero-terminated"],
    long_valued: &["bytes", "follow", "lines", "max-unchanged-stats", "pid", "sleep-interval"],
    number: true,
};

pub(super) const WC: Options = Options {
    letters: "clmLw",
    long: &["bytes", "chars", "help", "lines", "max-line-length", "version", "words"],
    long_valued: &["total"],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const GREP: Options = Options {
    letters: "EFGPivwxycLlqsbHhnTUZazorRI",
    valued: "efmABCDd",
    long: &[
        "basic-regexp", "binary", "byte-offset", "color", "colour", "count", "dereference-recursive",
        "extended-regexp", "files-with-matches", "files-without-match", "fixed-strings", "help",
        "ignore-case", "initial-tab", "invert-match", "line-buffered", "line-number", "line-regexp",
        "no-filename", "no-group-separator", "no-ignore-case", "no-messages", "null", "null-data",
        "only-matching", "perl-regexp", "quiet", "recursive", "silent", "text", "version", "with-filename",
        "word-regexp",
    ],
    long_valued: &[
        "after-context", "before-context", "binary-files", "color", "colour", "context", "devices",
        "directories", "exclude", "exclude-dir", "exclude-from", "file", "group-separator", "include",
        "label", "max-count", "regexp",
    ],
    number: true,
};

#[rustfmt::skip]
pub(super) const RG: Options = Options {
    letters: "FLPSUVabcilnNopqsuvwxhHI0.",
    valued: "eEfgdmtTABCjrM",
    long: &[
        "auto-hybrid-regex", "binary", "block-buffered", "byte-offset", "case-sensitive", "column", "count",
        "count-matches", "crlf", "files", "files-with-matches", "files-without-match", "fixed-strings",
        "follow", "glob-case-insensitive", "heading", "help", "hidden", "ignore-case", "include-zero",
        "invert-match", "json", "line-buffered", "line-number", "line-regexp", "max-columns-preview",
        "mmap", "multiline", "multiline-dotall", "no-column", "no-config", "no-filename", "no-heading",
        "no-hidden", "no-ignore", "no-ignore-dot", "no-ignore-exclude", "no-ignore-files",
        "no-ignore-global", "no-ignore-messages", "no-ignore-parent", "no-ignore-vcs", "no-line-number",
        "no-messages", "no-mmap", "no-pcre2-unicode", "no-require-git", "no-unicode", "null", "null-data",
        "one-file-system", "only-matching", "passthru", "pcre2", "pcre2-version", "pretty", "quiet",
        "smart-case", "sort-files", "stats", "text", "trim", "type-list", "unrestricted", "version",
        "vimgrep", "with-filename", "word-regexp",
    ],
    long_valued: &[
        "after-context", "before-context", "color", "colors", "context", "context-separator",
        "dfa-size-limit", "encoding", "engine", "field-context-separator", "field-match-separator", "file",
        "glob", "hyperlink-format", "iglob", "ignore-file", "max-columns", "max-count", "max-depth",
        "max-filesize", "maxdepth", "path-separator", "regex-size-limit", "regexp", "replace", "sort",
        "sortr", "threads", "type", "type-add", "type-clear", "type-not",
    ],
    number: false,
};

#[rustfmt::skip]
pub(super) const UNAME: Options = Options {
    letters: "asnrvmpio",
    long: &[
        "all", "hardware-platform", "help", "kernel-name", "kernel-release", "kernel-version", "machine",
        "nodename", "operating-system", "processor", "version",
    ],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const DF: Options = Options {
    letters: "ahHiklPTv",
    valued: "Btx",
    long: &[
        "all", "help", "human-readable", "inodes", "local", "no-sync", "output", "portability",
        "print-type", "si", "total", "version",
    ],
    long_valued: &["block-size", "exclude-type", "output", "type"],
    number: false,
};

pub(super) const UPTIME: Options =
    Options { letters: "psV", long: &["help", "pretty", "raw", "since", "version"], ..NO_OPTIONS };

pub(super) const WHICH: Options = Options { letters: "as", long: &["all"], ..NO_OPTIONS };

pub(super) const STAT: Options = Options {
    letters: "LftFlnqrsx",
    valued: "c",
    long: &["dereference", "file-system", "help", "terse", "version"],
    long_valued: &["cached", "format", "printf"],
    number: false,
};

#[rustfmt::skip]
pub(super) const FILE: Options = Options {
    letters: "bihkLNnrv0dlE",
    valued: "FeP",
    long: &[
        "brief", "dereference", "extension", "help", "keep-going", "mime", "mime-encoding", "mime-type",
        "no-dereference", "no-pad", "print0", "raw", "version",
    ],
    long_valued: &["separator"],
    number: false,
};

#[rustfmt::skip]
pub(super) const DU: Options = Options {
    letters: "aAbchklLmPsSxD0H",
    valued: "dtXB",
    long: &[
        "all", "apparent-size", "bytes", "count-links", "dereference", "dereference-args", "help",
        "human-readable", "inodes", "no-dereference", "null", "one-file-system", "separate-dirs", "si",
        "summarize", "time", "total", "version",
    ],
    long_valued: &["block-size", "exclude", "exclude-from", "max-depth", "threshold", "time", "time-style"],
    number: false,
};

#[rustfmt::skip]
pub(super) const TREE: Options = Options {
    letters: "adfilxsphugDFCnANSqtrcUQvJX",
    valued: "LPIHT",
    long: &[
        "device", "dirsfirst", "du", "filesfirst", "gitignore", "help", "ignore-case", "inodes",
        "matchdirs", "metafirst", "noreport", "prune", "si", "version",
    ],
    long_valued: &["charset", "filelimit", "sort", "timefmt"],
    number: false,
};

#[rustfmt::skip]
pub(super) const DIFF: Options = Options {
    letters: "qsabBdeEfiHnNprtTuwyZcv",
    valued: "UCIFLWxXS",
    long: &[
        "brief", "color", "context", "ed", "expand-tabs", "help", "ignore-all-space", "ignore-blank-lines",
        "ignore-case", "ignore-file-name-case", "ignore-space-change", "ignore-tab-expansion",
        "ignore-trailing-space", "initial-tab", "left-column", "minimal", "new-file", "no-dereference",
        "no-ignore-file-name-case", "normal", "rcs", "recursive", "report-identical-files",
        "show-c-function", "side-by-side", "speed-large-files", "strip-trailing-cr", "suppress-blank-empty",
        "suppress-common-lines", "text", "unidirectional-new-file", "unified", "version",
    ],
    long_valued: &[
        "color", "context", "exclude", "exclude-from", "from-file", "horizon-lines",
        "ignore-matching-lines", "label", "palette", "show-function-line", "starting-file", "tabsize",
        "to-file", "unified", "width",
    ],
    number: true,
};

pub(super) const CMP: Options = Options {
    letters: "blsv",
    valued: "in",
    long: &["help", "print-bytes", "quiet", "silent", "verbose", "version"],
    long_valued: &["bytes", "ignore-initial"],
    number: false,
};

pub(super) const CUT: Options = Options {
    letters: "nsz",
    valued: "bcdf",
    long: &["complement", "help", "only-delimited", "version", "zero-terminated"],
    long_valued: &["bytes", "characters", "delimiter", "fields", "output-delimiter"],
    number: false,
};

pub(super) const TR: Options = Options {
    letters: "cCdstu",
    long: &["complement", "delete", "help", "squeeze-repeats", "truncate-set1", "version"],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const NL: Options = Options {
    letters: "p",
    valued: "bdfhilnsvw",
    long: &["help", "no-renumber", "version"],
    long_valued: &[
        "body-numbering", "footer-numbering", "header-numbering", "join-blank-lines", "line-increment",
        "number-format", "number-separator", "number-width", "section-delimiter", "starting-line-number",
    ],
    number: false,
};
