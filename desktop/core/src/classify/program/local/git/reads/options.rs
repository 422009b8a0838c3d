//! The options that keep Git's reads green, each list whole. What is not here gets a card.

use crate::classify::program::entry::{NO_OPTIONS, Options};

/// Options of everything that shows differences. Glued numbers (`-M90%`) are taken off before.
#[rustfmt::skip]
pub(super) const DIFF: Options = Options {
    letters: "pusDzbwaRrcmtqWMCB0123h",
    valued: "USGlX",
    long: &[
        "abbrev", "anchored", "binary", "break-rewrites", "cached", "cc", "check", "color", "color-moved",
        "color-words", "compact-summary", "cumulative", "dd", "dirstat", "exit-code", "find-copies",
        "find-copies-harder", "find-renames", "first-parent", "follow", "full-index", "function-context",
        "histogram", "ignore-all-space", "ignore-blank-lines", "ignore-cr-at-eol", "ignore-space-at-eol",
        "ignore-space-change", "ignore-submodules", "indent-heuristic", "irreversible-delete",
        "ita-invisible-in-index", "line-prefix", "merge-base", "minimal", "name-only", "name-status",
        "no-abbrev", "no-color", "no-color-moved", "no-ext-diff", "no-indent-heuristic", "no-patch",
        "no-prefix", "no-relative", "no-rename-empty", "no-renames", "no-textconv", "numstat", "ours",
        "base", "theirs", "patch", "patch-with-raw", "patch-with-stat", "patience", "pickaxe-all",
        "pickaxe-regex", "quiet", "raw", "relative", "rename-empty", "shortstat", "staged", "stat",
        "submodule", "summary", "text", "unified", "word-diff", "default-prefix",
    ],
    long_valued: &[
        "abbrev", "anchored", "break-rewrites", "color", "color-moved", "color-moved-ws", "color-words",
        "diff-algorithm", "diff-filter", "diff-merges", "dirstat", "dst-prefix", "find-copies",
        "find-object", "find-renames", "ignore-matching-lines", "ignore-submodules", "inter-hunk-context",
        "line-prefix", "output-indicator-context", "output-indicator-new", "output-indicator-old",
        "relative", "rotate-to", "skip-to", "src-prefix", "stat", "stat-count", "stat-graph-width",
        "stat-name-width", "stat-width", "submodule", "unified", "word-diff", "word-diff-regex",
        "ws-error-highlight",
    ],
    number: true,
};

/// Options of everything that lists commits.
#[rustfmt::skip]
pub(super) const LOG: Options = Options {
    letters: "iEFPg",
    valued: "nL",
    long: &[
        "all", "all-match", "ancestry-path", "author-date-order", "basic-regexp", "bisect", "boundary",
        "branches", "cherry", "cherry-mark", "cherry-pick", "children", "clear-decorations", "date-order",
        "decorate", "dense", "diff-merges", "do-walk", "encode-email-headers", "exclude-first-parent-only",
        "expand-tabs", "extended-regexp", "first-parent", "fixed-strings", "full-diff", "full-history",
        "graph", "invert-grep", "left-only", "left-right", "log-size", "mailmap", "merge", "merges",
        "no-decorate", "no-diff-merges", "no-expand-tabs", "no-graph", "no-mailmap", "no-max-parents",
        "no-merges", "no-min-parents", "no-notes", "no-use-mailmap", "no-walk", "not", "notes", "oneline",
        "parents", "perl-regexp", "pretty", "reflog", "regexp-ignore-case", "relative-date", "remotes",
        "remerge-diff", "remove-empty", "reverse", "right-only", "show-linear-break", "show-notes",
        "show-pulls", "simplify-by-decoration", "simplify-merges", "since-as-filter", "single-worktree",
        "source", "sparse", "tags", "topo-order", "use-mailmap", "walk-reflogs",
    ],
    long_valued: &[
        "after", "ancestry-path", "author", "before", "branches", "committer", "date", "decorate",
        "decorate-refs", "decorate-refs-exclude", "encoding", "exclude", "expand-tabs", "format", "glob",
        "grep", "grep-reflog", "max-count", "max-parents", "min-parents", "no-walk", "notes", "pretty",
        "remotes", "show-linear-break", "show-notes", "since", "since-as-filter", "skip", "tags", "until",
    ],
    number: true,
};

#[rustfmt::skip]
pub(super) const STATUS: Options = Options {
    letters: "sbvzu",
    long: &[
        "ahead-behind", "branch", "column", "find-renames", "ignored", "ignore-submodules", "long",
        "no-ahead-behind", "no-column", "no-renames", "null", "porcelain", "renames", "short", "show-stash",
        "untracked-files", "verbose",
    ],
    long_valued: &["column", "find-renames", "ignored", "ignore-submodules", "porcelain", "untracked-files"],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const REV_PARSE: Options = Options {
    letters: "q",
    long: &[
        "abbrev-ref", "absolute-git-dir", "all", "branches", "git-common-dir", "git-dir",
        "is-bare-repository", "is-inside-git-dir", "is-inside-work-tree", "is-shallow-repository", "quiet",
        "remotes", "revs-only", "short", "show-cdup", "show-object-format", "show-prefix",
        "show-superproject-working-tree", "show-toplevel", "symbolic", "symbolic-full-name", "tags",
        "verify",
    ],
    long_valued: &[
        "abbrev-ref", "short", "git-path", "path-format", "branches", "tags", "remotes", "exclude", "glob",
    ],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const LS_FILES: Options = Options {
    letters: "cdomikstuvzf",
    valued: "x",
    long: &[
        "abbrev", "cached", "debug", "deduplicate", "deleted", "directory", "empty-directory", "eol",
        "error-unmatch", "exclude-standard", "full-name", "ignored", "killed", "modified",
        "no-empty-directory", "others", "recurse-submodules", "resolve-undo", "sparse", "stage", "unmerged",
    ],
    long_valued: &["abbrev", "exclude", "format", "with-tree"],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const BLAME: Options = Options {
    letters: "bclsptfnweMCh",
    valued: "LS",
    long: &[
        "color-by-age", "color-lines", "first-parent", "incremental", "line-porcelain", "minimal",
        "no-progress", "porcelain", "progress", "root", "score-debug", "show-email", "show-name",
        "show-number", "show-stats",
    ],
    long_valued: &["abbrev", "date", "ignore-rev", "reverse", "since"],
    ..NO_OPTIONS
};

#[rustfmt::skip]
pub(super) const DESCRIBE: Options = Options {
    long: &[
        "all", "always", "broken", "contains", "debug", "dirty", "exact-match", "first-parent", "long",
        "tags",
    ],
    long_valued: &["abbrev", "broken", "candidates", "dirty", "exclude", "match"],
    ..NO_OPTIONS
};
