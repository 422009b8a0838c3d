//! Which words of which programs are no paths: patterns, messages, delimiters, scripts. Data; a program that is not
//! listed may mean a path by any of its words. Mistakes here are small: even a word that is no path counts as one where
//! it plainly begins as one (`role`).

/// How a program takes its words.
#[derive(Debug)]
pub(super) struct Habit {
    /// Bare names, or two words for a sub-command.
    pub(super) names: &'static [&'static str],
    /// Options with a dash each, whose value is text: glued, behind `=` or the next word. One with a single letter may
    /// also stand at the end of a cluster (`-am`).
    pub(super) text: &'static [&'static str],
    /// Options whose value is what the first operand would be otherwise.
    pub(super) script: &'static [&'static str],
    /// Options whose value is a file that holds it.
    pub(super) file: &'static [&'static str],
    /// Options whose value chooses names of files.
    pub(super) choice: &'static [&'static str],
    /// Options whose value chooses names of files to leave out.
    pub(super) excluded: &'static [&'static str],
    /// Options with another value, so that it is not taken for an operand.
    pub(super) valued: &'static [&'static str],
    /// The first operand.
    pub(super) first: Role,
    /// All other operands.
    pub(super) rest: Role,
}

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A path, or an option with one.
    Path,
    /// A message, a pattern, a delimiter.
    Text,
    /// A filter of fields, where `.env` is one.
    Filter,
    /// A pattern that chooses names of files.
    Choice,
    /// A pattern that leaves files out: whatever it says is not looked at.
    Excluded,
    /// A sed script.
    Sed,
    /// An awk script.
    Awk,
    /// Code with string literals.
    Code,
    /// A file of a container (`api:/x`), or a path.
    Copy,
    /// A path and where a container sees it (`./src:/app`).
    Volume,
    /// The same with names (`type=bind,source=./src,target=/app`).
    Mount,
    /// A build label (`//src:app`), or a path.
    Label,
    /// A switch (`/s`), or a path.
    Switch,
    /// A file in a commit (`HEAD:src/a`), a path with magic before it (`:/src`), or a path.
    Revision,
}

const NONE: Habit = Habit {
    names: &[],
    text: &[],
    script: &[],
    file: &[],
    choice: &[],
    excluded: &[],
    valued: &[],
    first: Role::Path,
    rest: Role::Path,
};

/// What a program's words are where no habit is listed.
pub(super) const UNLISTED: &Habit = &NONE;

/// The list. The first that names the program, with its sub-command or without, holds.
pub(super) const HABITS: &[Habit] = &[
    Habit {
        names: &[
            "echo",
            "printf",
            "true",
            "false",
            ":",
            "expr",
            "tr",
            "seq",
            "say",
            "notify-send",
            "logger",
            "wall",
            "figlet",
            "cowsay",
            "sleep",
        ],
        first: Role::Text,
        rest: Role::Text,
        ..NONE
    },
    Habit {
        names: &[
            "grep",
            "egrep",
            "fgrep",
            "zgrep",
            "zegrep",
            "zfgrep",
            "ugrep",
            "pcregrep",
            "pcre2grep",
            "bzgrep",
            "xzgrep",
            "git grep",
        ],
        text: &["--color", "--colour", "--label", "--binary-files"],
        excluded: &["--exclude", "--exclude-dir"],
        script: &["-e", "--regexp"],
        file: &["-f", "--file"],
        choice: &["--include"],
        valued: &[
            "-A",
            "-B",
            "-C",
            "-m",
            "-d",
            "-D",
            "--max-count",
            "--context",
            "--after-context",
            "--before-context",
            "--max-depth",
            "--threads",
        ],
        first: Role::Text,
        ..NONE
    },
    Habit {
        names: &["rg", "ripgrep", "ag", "ack", "pt"],
        text: &[
            "-r",
            "--replace",
            "-E",
            "--encoding",
            "--colors",
            "--color",
            "--context-separator",
            "--field-match-separator",
            "--type-add",
        ],
        excluded: &["--ignore", "--ignore-dir"],
        script: &["-e", "--regexp"],
        file: &["-f", "--file", "--files"],
        choice: &["-g", "--glob", "--iglob", "-G"],
        valued: &[
            "-A",
            "-B",
            "-C",
            "-m",
            "-t",
            "-T",
            "-j",
            "-M",
            "-d",
            "--type",
            "--type-not",
            "--sort",
            "--sortr",
            "--max-count",
            "--max-depth",
            "--threads",
            "--max-columns",
            "--engine",
            "--context",
            "--after-context",
            "--before-context",
            "--max-filesize",
        ],
        first: Role::Text,
        ..NONE
    },
    Habit {
        names: &["find", "gfind", "bfs"],
        text: &[
            "-name",
            "-iname",
            "-path",
            "-ipath",
            "-wholename",
            "-iwholename",
            "-regex",
            "-iregex",
            "-lname",
            "-ilname",
            "-printf",
            "-regextype",
            "-size",
            "-mtime",
            "-ctime",
            "-atime",
            "-mmin",
            "-perm",
            "-type",
            "-maxdepth",
            "-mindepth",
            "-user",
            "-group",
        ],
        ..NONE
    },
    Habit {
        names: &["fd", "fdfind"],
        excluded: &["-E", "--exclude"],
        text: &["-e", "--extension", "-t", "--type", "-d", "--max-depth", "--and"],
        first: Role::Text,
        ..NONE
    },
    Habit {
        names: &["sed", "gsed"],
        text: &["-l", "--line-length"],
        script: &["-e", "--expression"],
        file: &["-f", "--file"],
        first: Role::Sed,
        ..NONE
    },
    Habit {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk", "goawk"],
        text: &["-F", "--field-separator"],
        script: &["-e", "--source"],
        file: &["-f", "--file", "-E", "--exec"],
        valued: &["-v", "--assign"],
        first: Role::Awk,
        ..NONE
    },
    Habit {
        names: &[
            "perl",
            "ruby",
            "python",
            "python2",
            "python3",
            "node",
            "nodejs",
            "bun",
            "deno",
            "php",
            "lua",
            "luajit",
            "Rscript",
            "osascript",
            "julia",
            "raku",
            "elixir",
            "ghci",
            "runghc",
            "groovy",
            "scala",
            "swift",
        ],
        script: &["-e", "-E", "-c", "-r", "-R", "-p", "--eval", "--print", "--run"],
        ..NONE
    },
    Habit {
        names: &["jq", "gojq", "jaq", "yq", "xq", "tomlq", "dasel", "gron", "jless", "fx"],
        text: &["--indent", "--tab"],
        file: &["-f", "--from-file"],
        first: Role::Filter,
        ..NONE
    },
    Habit {
        names: &["cut", "gcut"],
        text: &["-d", "--delimiter", "--output-delimiter", "-f", "-c", "-b"],
        ..NONE
    },
    Habit { names: &["paste", "numfmt"], text: &["-d", "--delimiters", "--delimiter", "--format"], ..NONE },
    Habit { names: &["sort", "gsort", "join"], text: &["-t", "--field-separator", "-k", "--key"], ..NONE },
    Habit { names: &["column"], text: &["-s", "-o", "--separator", "--output-separator", "-N"], ..NONE },
    Habit {
        names: &["xargs", "gxargs"],
        text: &["-d", "--delimiter", "-I", "-i", "-E", "-n", "-P", "-L", "-s"],
        ..NONE
    },
    Habit { names: &["nl"], text: &["-s", "-b", "-h", "-f", "-d"], ..NONE },
    Habit { names: &["csplit"], rest: Role::Text, ..NONE },
    Habit { names: &["split"], text: &["-t", "--separator"], ..NONE },
    Habit {
        names: &["date", "gdate"],
        text: &["-d", "--date", "-I", "--iso-8601", "--rfc-3339"],
        first: Role::Text,
        rest: Role::Text,
        file: &["-f", "--file", "-r", "--reference"],
        ..NONE
    },
    Habit { names: &["stat", "gstat"], text: &["-c", "--format", "--printf", "-f"], ..NONE },
    Habit { names: &["less", "more", "most"], text: &["-p", "--pattern"], ..NONE },
    Habit {
        names: &["pgrep", "pkill", "pidof", "killall", "man", "apropos", "whatis", "info", "tldr", "whereis"],
        first: Role::Text,
        rest: Role::Text,
        ..NONE
    },
    Habit {
        names: &[
            "git commit",
            "git tag",
            "git stash",
            "git merge",
            "git notes",
            "git revert",
            "git cherry-pick",
        ],
        text: &["-m", "--message", "--author", "--date", "--trailer", "--cleanup", "--grep"],
        file: &["-F", "--file"],
        rest: Role::Revision,
        first: Role::Revision,
        ..NONE
    },
    Habit {
        names: &[
            "git log",
            "git shortlog",
            "git rev-list",
            "git show",
            "git diff",
            "git reflog",
            "git whatchanged",
            "git blame",
            "git annotate",
        ],
        text: &[
            "-S",
            "-G",
            "-L",
            "--grep",
            "--author",
            "--committer",
            "--since",
            "--until",
            "--after",
            "--before",
            "--format",
            "--pretty",
            "--date",
            "--word-diff-regex",
            "--glob",
            "--branches",
            "--tags",
            "--remotes",
            "--exclude",
        ],
        first: Role::Revision,
        rest: Role::Revision,
        ..NONE
    },
    Habit {
        names: &[
            "git remote",
            "git clone",
            "git fetch",
            "git pull",
            "git push",
            "git ls-remote",
            "git submodule",
            "git config",
            "git init",
            "git worktree",
            "git bundle",
            "git archive",
        ],
        ..NONE
    },
    Habit {
        names: &["git"],
        text: &["--format", "--sort", "--contains", "--points-at"],
        first: Role::Revision,
        rest: Role::Revision,
        ..NONE
    },
    Habit {
        names: &["gh", "glab", "hub", "tea"],
        text: &[
            "-t",
            "--title",
            "-b",
            "--body",
            "-n",
            "--notes",
            "-m",
            "--message",
            "-l",
            "--label",
            "--search",
            "-S",
            "-q",
            "--jq",
            "--template",
            "-d",
            "--description",
            "--subject",
            "-c",
            "--comment",
        ],
        ..NONE
    },
    Habit {
        names: &["docker cp", "podman cp", "nerdctl cp", "kubectl cp", "oc cp"],
        first: Role::Copy,
        rest: Role::Copy,
        ..NONE
    },
    Habit {
        names: &["bazel", "bazelisk", "buck", "buck2", "pants", "please", "plz", "blaze", "gn"],
        first: Role::Label,
        rest: Role::Label,
        ..NONE
    },
    Habit {
        names: &[
            "jest",
            "vitest",
            "mocha",
            "playwright",
            "ava",
            "cypress",
            "npx",
            "npm",
            "pnpm",
            "yarn",
            "bunx",
        ],
        text: &["-t", "--testNamePattern", "--test-name-pattern", "-g", "--grep", "--title"],
        ..NONE
    },
    Habit { names: &["pytest", "py.test", "tox", "nox"], text: &["-k", "-m"], ..NONE },
    Habit { names: &["go test"], text: &["-run", "-bench", "-skip", "-fuzz", "-ldflags"], ..NONE },
    Habit { names: &["rspec"], text: &["-e", "--example", "-t", "--tag"], ..NONE },
    Habit {
        names: &[
            "cmd",
            "cmd.exe",
            "dir",
            "del",
            "erase",
            "rd",
            "xcopy",
            "robocopy",
            "taskkill",
            "tasklist",
            "reg",
            "schtasks",
            "icacls",
            "net",
            "ipconfig",
            "findstr",
            "msbuild",
            "where",
            "attrib",
            "msiexec",
            "wmic",
            "tasklist.exe",
            "taskkill.exe",
        ],
        first: Role::Switch,
        rest: Role::Switch,
        ..NONE
    },
];

/// Programs that run containers.
pub(super) const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl", "docker-compose", "finch"];

/// Their options about what a container sees: only what is before the colon lies on this computer.
pub(super) const CONTAINER_OPTIONS: &[(&str, Role)] = &[
    ("-v", Role::Volume),
    ("--volume", Role::Volume),
    ("--mount", Role::Mount),
    ("-w", Role::Excluded),
    ("--workdir", Role::Excluded),
    ("--tmpfs", Role::Excluded),
    ("--entrypoint", Role::Excluded),
];

/// Git sub-commands that name files without changing what they hold.
pub(super) const GIT_LEAVES: &[&str] = &[
    "add",
    "commit",
    "stage",
    "diff",
    "log",
    "show",
    "status",
    "blame",
    "ls-files",
    "check-ignore",
    "check-attr",
    "grep",
    "shortlog",
    "cat-file",
    "rev-parse",
    "rev-list",
    "annotate",
    "describe",
    "push",
    "fetch",
];
