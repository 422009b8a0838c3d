//! Shells, and the builtins that read text as commands.

use super::wrapper::Inside;
use crate::classify::word::{Command, Word};

/// Programs that read commands.
const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "pdksh", "oksh", "ash", "fish", "rbash", "rzsh",
    "csh", "tcsh", "yash", "posh", "elvish", "nu", "xonsh", "hush", "rc", "es", "osh", "ysh",
];
/// Programs that run what they are fed, though it is no shell text.
const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "ipython",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "perl",
    "ruby",
    "irb",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "wish",
    "expect",
    "osascript",
    "Rscript",
    "R",
    "julia",
    "ghci",
    "runghc",
    "elixir",
    "iex",
    "erl",
    "escript",
    "groovy",
    "scala",
    "kotlin",
    "jshell",
    "guile",
    "racket",
    "sbcl",
    "clisp",
    "emacs",
    "octave",
    "swift",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "dc",
    "bc",
    "gdb",
    "ed",
    "ex",
    "m4",
    "make",
    "gmake",
    "qjs",
    "pwsh",
    "powershell",
    "cmd",
    "j",
    "raku",
    "crystal",
    "nim",
    "sqlite3",
];

/// Whether a program is a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Whether a program runs text in a language of its own.
pub(super) fn is_interpreter(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || (INTERPRETERS.contains(&base) && base.len() > 2)
}

/// Whether an interpreter that is piped into may take that as its program: not those for which it is data.
pub(super) fn runs_what_it_is_piped(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let takes_data = ["awk", "gawk", "mawk", "nawk", "bc", "dc", "m4", "sqlite"];
    is_interpreter(name) && !takes_data.contains(&base) && !takes_data.contains(&name)
}

/// What a shell is told to run.
#[derive(Debug)]
pub(super) enum Told {
    /// `-c text`.
    Text(Word),
    /// A script file.
    File(Word),
    /// What it is fed, or what somebody types.
    Input,
}

/// What a shell is told to run, and whether it also reads a start-up file that is named.
pub(super) fn told(command: &Command) -> (Told, bool) {
    let words = command.arguments();
    let mut is_text = false;
    let mut is_input = false;
    let mut reads_more = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        at += 1;
        if text == "--" || text == "-" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            match long {
                "rcfile" | "init-file" => {
                    reads_more = true;
                    at += 1;
                }
                "command" => is_text = true,
                "init-command" => {
                    reads_more = true;
                    at += 1;
                }
                _ => {
                    reads_more |= long.starts_with("rcfile=") || long.starts_with("init-");
                    if let Some(text) = long.strip_prefix("command=") {
                        return (Told::Text(Word { text: text.to_owned(), ..word.clone() }), reads_more);
                    }
                }
            }
            continue;
        }
        let Some(cluster) = text.strip_prefix('-').or_else(|| text.strip_prefix('+')) else {
            at -= 1;
            break;
        };
        is_text |= text.starts_with('-') && cluster.contains('c');
        is_input |= cluster.contains('s');
        if cluster.contains(['o', 'O']) {
            at += 1;
        }
    }
    let told = match words.get(at) {
        Some(word) if is_text => Told::Text(word.clone()),
        Some(word) if !is_input => Told::File(word.clone()),
        _ => Told::Input,
    };
    (told, reads_more)
}

/// Text that a builtin reads as commands.
pub(super) fn builtin_text(command: &Command) -> Option<Vec<Inside>> {
    let words = command.arguments();
    match command.name() {
        "eval" => (!words.is_empty()).then(|| vec![super::wrapper::text(words)]),
        "trap" => {
            let words =
                if words.first().is_some_and(|word| word.text == "--") { words.get(1..)? } else { words };
            let is_listing =
                words.len() < 2 || words.first().is_some_and(|word| word.text == "-p" || word.text == "-");
            (!is_listing).then(|| words.first().map(Inside::text).into_iter().collect())
        }
        "alias" => {
            let values = words.iter().filter_map(|word| {
                let (_, value) = word.text.split_once('=')?;
                Some(Inside::Text { text: value.to_owned(), is_known: word.is_known })
            });
            Some(values.collect())
        }
        "bind" | "complete" | "compgen" | "fc" | "history" | "hash" | "enable" | "mapfile" | "readarray" => {
            // `-x key:command`, `-C command`, `-s command`: whatever text stands there.
            Some(words.iter().filter(|word| !word.text.starts_with('-')).map(Inside::text).collect())
        }
        _ => None,
    }
}
