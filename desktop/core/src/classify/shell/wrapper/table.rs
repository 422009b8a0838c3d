//! The table of wrappers. Options only as far as they decide where the inner command begins.

use countersign_proto::request::{Class, Level};

use crate::classify::{
    facts::Reach,
    program::entry::{Fixed, NO_OPTIONS, Options, UNKNOWN_RED},
};

/// What stands behind a wrapper's own words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inner {
    /// A program and its arguments.
    Words,
    /// The same, run for many names that nobody sees.
    Many,
    /// Words that are joined and given to a shell.
    Text,
}

/// One row.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    /// Words that must stand in front: `run` of `uv run`.
    pub(super) sub: &'static [&'static str],
    pub(super) options: Options,
    /// Words of its own before the inner command: `5` of `timeout 5 make`.
    pub(super) operands: u8,
    /// Options whose value is a text for a shell.
    pub(super) texts: &'static [&'static str],
    pub(super) inner: Inner,
    /// What it does by itself; `None` where the lists say it.
    pub(super) base: Option<Fixed>,
}

/// Passes on and does nothing else.
const PASSES: Option<Fixed> = Some(Fixed::of(Class::Read, Level::Yellow, Reach::File));
/// Runs with other rights, in another root or namespace.
const RIGHTS: Option<Fixed> = Some(UNKNOWN_RED.because("runs with other rights than yours"));
/// Runs later, or out of sight.
const LATER: Option<Fixed> = Some(UNKNOWN_RED.because("runs something later or as a service"));

const PLAIN: Wrapper = Wrapper {
    names: &[],
    sub: &[],
    options: NO_OPTIONS,
    operands: 0,
    texts: &[],
    inner: Inner::Words,
    base: PASSES,
};

const fn options(
    letters: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    long_valued: &'static [&'static str],
) -> Options {
    Options { letters, valued, long, long_valued, number: false }
}

pub(super) const TABLE: &[Wrapper] = &[
    // Priority, time, buffers, terminals: nothing changes but how it runs.
    Wrapper {
        names: &["nice", "gnice"],
        options: Options { number: true, ..options("", "n", &[], &["adjustment"]) },
        ..PLAIN
    },
    Wrapper {
        names: &["ionice"],
        options: options("t", "cnpPu", &["ignore"], &["class", "classdata"]),
        ..PLAIN
    },
    Wrapper { names: &["chrt"], options: options("abdfimoRrv", "DPT", &[], &[]), operands: 1, ..PLAIN },
    Wrapper {
        names: &["taskset"],
        options: options("apc", "", &["all-tasks", "cpu-list"], &[]),
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        options: options(
            "fpv",
            "ks",
            &["foreground", "preserve-status", "verbose"],
            &["kill-after", "signal"],
        ),
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "nohup",
            "ssh-agent",
            "dbus-launch",
            "chronic",
            "eatmydata",
            "catchsegv",
            "unbuffer",
            "torsocks",
            "torify",
            "proxychains",
            "proxychains4",
            "dbus-run-session",
            "builtin",
            "-",
            // Grammar that stands where a program's name should.
            "!",
            "{",
            "if",
            "then",
            "elif",
            "else",
            "while",
            "until",
            "do",
            "coproc",
            "noglob",
            "nocorrect",
        ],
        options: options("pqu", "f", &[], &[]),
        ..PLAIN
    },
    Wrapper {
        names: &["time", "gtime"],
        options: options(
            "apqvV",
            "fo",
            &["append", "portability", "quiet", "verbose"],
            &["format", "output"],
        ),
        ..PLAIN
    },
    Wrapper { names: &["stdbuf"], options: options("", "ioe", &[], &["input", "output", "error"]), ..PLAIN },
    Wrapper { names: &["setsid"], options: options("cfw", "", &["ctty", "fork", "wait"], &[]), ..PLAIN },
    Wrapper {
        names: &["setarch", "linux32", "linux64", "i386", "x86_64"],
        options: options("BFILRSTXZv3", "", &[], &[]),
        ..PLAIN
    },
    Wrapper {
        names: &[
            "prlimit",
            "numactl",
            "cgexec",
            "caffeinate",
            "systemd-inhibit",
            "rlwrap",
            "faketime",
            "xvfb-run",
            "valgrind",
            "heaptrack",
            "softlimit",
            "chpst",
            "envdir",
            "setpriv",
            "tsp",
            "sem",
            "dumb-init",
            "tini",
            "fakeroot",
            "firejail",
            "bwrap",
            "start-stop-daemon",
            "daemonize",
            "run-parts",
            "choom",
            "coreutils",
            "uutils",
            "doas-run",
            "ltrace-ng",
            "winpty",
            "reptyr",
            "dtach",
            "abduco",
            "nvm-exec",
            "with-contenv",
            "ccache",
            "sccache",
            "distcc",
            "scl",
        ],
        options: options("dimsu", "", &[], &[]),
        base: None,
        ..PLAIN
    },
    Wrapper { names: &["command"], options: options("p", "", &[], &[]), ..PLAIN },
    Wrapper { names: &["exec"], options: options("cl", "a", &[], &[]), ..PLAIN },
    Wrapper { names: &["busybox", "toybox"], ..PLAIN },
    Wrapper {
        names: &["strace", "ltrace"],
        options: options(
            "cCdDfFhiknqrtTvVwxyYzZLS",
            "aAeEIoOpPsuUbXln",
            &["follow-forks", "quiet"],
            &["trace", "output", "user"],
        ),
        base: None,
        ..PLAIN
    },
    Wrapper {
        names: &["flock"],
        options: options(
            "sxnueoFv",
            "wEc",
            &["shared", "exclusive", "nonblock", "no-fork", "close", "verbose"],
            &["timeout", "wait", "command", "conflict-exit-code"],
        ),
        operands: 1,
        texts: &["c", "command"],
        ..PLAIN
    },
    Wrapper {
        names: &["watch"],
        options: options(
            "bcdegtprwCx",
            "nqs",
            &[
                "beep",
                "color",
                "no-color",
                "differences",
                "errexit",
                "chgexit",
                "exec",
                "precise",
                "no-title",
                "no-wrap",
            ],
            &["interval", "equexit"],
        ),
        inner: Inner::Text,
        ..PLAIN
    },
    Wrapper {
        names: &["xargs", "gxargs"],
        options: options(
            "0oprtxil",
            "adEILnPs",
            &["null", "no-run-if-empty", "verbose", "exit", "interactive", "open-tty", "show-limits"],
            &[
                "arg-file",
                "delimiter",
                "eof",
                "max-args",
                "max-procs",
                "replace",
                "max-lines",
                "max-chars",
                "process-slot-var",
            ],
        ),
        inner: Inner::Many,
        ..PLAIN
    },
    Wrapper { names: &["entr"], options: options("acdnprsxz", "", &[], &[]), base: None, ..PLAIN },
    Wrapper {
        names: &["watchexec"],
        options: options(
            "cnpqrvW",
            "efwisdoN",
            &["restart", "clear", "no-shell", "postpone"],
            &["exts", "filter", "watch", "ignore", "signal", "shell"],
        ),
        inner: Inner::Text,
        base: None,
        ..PLAIN
    },
    // The name of a file or profile stands first.
    Wrapper { names: &["direnv"], sub: &["exec"], operands: 1, base: None, ..PLAIN },
    Wrapper {
        names: &["dotenv", "dotenvx", "env-cmd"],
        options: options("oq", "efv", &["override"], &["file"]),
        base: None,
        ..PLAIN
    },
    Wrapper { names: &["doppler", "op", "infisical", "chamber"], sub: &["run"], base: None, ..PLAIN },
    Wrapper { names: &["aws-vault"], sub: &["exec"], operands: 1, base: None, ..PLAIN },
    // Tools of languages that start a program of the project or of a package.
    Wrapper {
        names: &["npx", "bunx", "pnpx", "uvx"],
        options: options(
            "yqn",
            "pwc",
            &["yes", "no", "quiet", "no-install", "ignore-existing", "bun"],
            &["package", "call", "workspace", "from", "with", "python"],
        ),
        texts: &["c", "call"],
        base: None,
        ..PLAIN
    },
    Wrapper {
        names: &["npm", "pnpm", "yarn"],
        sub: &["exec"],
        options: options("yrq", "cw", &["yes", "recursive", "parallel"], &["package", "call", "workspace"]),
        texts: &["c", "call"],
        base: None,
        ..PLAIN
    },
    Wrapper {
        names: &["npm"],
        sub: &["x"],
        options: options("yrq", "cw", &["yes"], &["package", "call"]),
        texts: &["c", "call"],
        base: None,
        ..PLAIN
    },
    Wrapper { names: &["bun"], sub: &["x"], base: None, ..PLAIN },
    Wrapper { names: &["pnpm", "yarn"], sub: &["dlx"], base: None, ..PLAIN },
    Wrapper {
        names: &["uv"],
        sub: &["run"],
        options: options(
            "qvm",
            "pw",
            &["quiet", "frozen", "locked", "isolated", "no-project", "no-sync", "all-extras", "dev"],
            &["with", "python", "package", "group", "extra", "env-file", "project", "directory"],
        ),
        base: None,
        ..PLAIN
    },
    Wrapper {
        names: &["poetry", "pipenv", "pdm", "hatch", "rye", "pixi", "volta", "devbox", "flox"],
        sub: &["run"],
        base: None,
        ..PLAIN
    },
    Wrapper {
        names: &["conda", "mamba", "micromamba"],
        sub: &["run"],
        options: options("v", "np", &["no-capture-output", "live-stream"], &["name", "prefix", "cwd"]),
        base: None,
        ..PLAIN
    },
    Wrapper { names: &["rustup"], sub: &["run"], operands: 1, base: None, ..PLAIN },
    Wrapper {
        names: &["bundle", "mise", "asdf", "rbenv", "pyenv", "nodenv", "goenv", "rtx", "opam", "stack"],
        sub: &["exec"],
        base: None,
        ..PLAIN
    },
    Wrapper { names: &["mise"], sub: &["x"], base: None, ..PLAIN },
    Wrapper {
        names: &["nix"],
        sub: &["develop"],
        options: options("", "c", &[], &["command"]),
        texts: &["c", "command"],
        base: None,
        ..PLAIN
    },
    Wrapper {
        names: &["nix-shell"],
        options: options("", "pI", &["pure"], &["run", "command", "packages"]),
        texts: &["run", "command"],
        base: None,
        ..PLAIN
    },
    Wrapper { names: &["corepack"], base: None, ..PLAIN },
    Wrapper { names: &["perf"], sub: &["stat"], base: None, ..PLAIN },
    Wrapper { names: &["perf"], sub: &["record"], base: None, ..PLAIN },
    Wrapper {
        names: &["gdb", "lldb", "rr"],
        options: options("", "", &["args", "batch"], &[]),
        base: None,
        ..PLAIN
    },
    // Other rights, roots and namespaces.
    Wrapper {
        names: &["sudo", "sudoedit"],
        options: options(
            "AbEeHiKklnPSsVvB",
            "aCcDghpRrtTUu",
            &[
                "preserve-env",
                "background",
                "non-interactive",
                "stdin",
                "login",
                "shell",
                "set-home",
                "askpass",
                "bell",
                "validate",
                "list",
            ],
            &[
                "user",
                "group",
                "host",
                "prompt",
                "chdir",
                "chroot",
                "role",
                "type",
                "close-from",
                "command-timeout",
                "other-user",
            ],
        ),
        base: RIGHTS,
        ..PLAIN
    },
    Wrapper { names: &["doas"], options: options("Lns", "aCu", &[], &[]), base: RIGHTS, ..PLAIN },
    Wrapper {
        names: &["pkexec", "run0", "gksudo", "kdesu", "lxsudo"],
        options: options("", "u", &["disable-internal-agent", "keep-cwd"], &["user"]),
        base: RIGHTS,
        ..PLAIN
    },
    Wrapper { names: &["gosu", "su-exec", "setuidgid"], operands: 1, base: RIGHTS, ..PLAIN },
    Wrapper {
        names: &["chroot", "arch-chroot", "schroot"],
        options: options("", "c", &["skip-chdir"], &["userspec", "groups"]),
        operands: 1,
        base: RIGHTS,
        ..PLAIN
    },
    Wrapper {
        names: &["unshare", "nsenter", "capsh", "systemd-nspawn", "machinectl"],
        options: options(
            "imnpuUCTfrcahZ",
            "tSGwD",
            &["mount", "uts", "ipc", "net", "pid", "user", "fork", "map-root-user", "all"],
            &["target", "root", "wd", "setuid", "setgid"],
        ),
        base: RIGHTS,
        ..PLAIN
    },
    Wrapper {
        names: &["systemd-run"],
        options: options(
            "GPqrtS",
            "HMpu",
            &["user", "scope", "wait", "pty", "pipe", "collect", "no-block"],
            &["unit", "property", "slice", "on-active", "on-calendar", "description"],
        ),
        base: LATER,
        ..PLAIN
    },
];
