//! Wrappers that need more than a row: those that split strings, end their inner command with a sign, or hand texts on.

use super::{Inside, Opened, needs_rights, passes_on, split_assignments, text, walk};
use crate::classify::{
    finding::Finding,
    program::entry::{OUTSIDE_ASKS, Options, UNKNOWN, UNKNOWN_RED},
    word::{Command, Word},
};

pub(super) fn open(name: &str, command: &Command) -> Option<Opened> {
    let words = command.arguments();
    match name {
        "env" | "genv" => env(words),
        "find" | "gfind" | "bfs" => execs(command, &["-exec", "-execdir", "-ok", "-okdir"]),
        "fd" | "fdfind" => execs(command, &["-x", "-X", "--exec", "--exec-batch"]),
        "parallel" | "rust-parallel" => parallel(words),
        "su" | "runuser" | "sg" => su(words),
        "script" | "scriptreplay" => script(words),
        "ssh" | "slogin" | "mosh" | "autossh" | "rsh" => ssh(words),
        "hyperfine" | "concurrently" => each_text(words),
        "tmux" | "screen" | "zellij" => terminal(name, words),
        "git" => git(words),
        "at" | "batch" => later(command),
        _ => None,
    }
}

fn opened(base: Option<Finding>, inside: Vec<Inside>) -> Option<Opened> {
    Some(Opened { base, inside, is_read: true, own: None })
}

/// `env [options] [NAME=value …] command`, and `-S`, which splits a string into words.
fn env(words: &[Word]) -> Option<Opened> {
    const OPTIONS: Options = Options {
        letters: "i0v",
        valued: "uCSPa",
        long: &["ignore-environment", "null", "debug", "list-signal-handling"],
        long_valued: &["unset", "chdir", "split-string", "argv0"],
        number: false,
    };
    let walked = walk(words, &OPTIONS);
    let rest = words.get(walked.first..).unwrap_or_default();
    let rest = if rest.first().is_some_and(|word| word.text == "-") {
        rest.get(1..).unwrap_or_default()
    } else {
        rest
    };
    let all = rest;
    let (assigned, rest) = split_assignments(rest);
    let mut base = passes_on();
    let split = walked.values.iter().find(|(name, _)| name == "S" || name == "split-string");
    if let Some((_, string)) = split {
        base.worsen(UNKNOWN.finding());
        let words: Vec<Word> = core::iter::once(string.clone()).chain(all.iter().cloned()).collect();
        return Some(Opened {
            base: Some(base),
            inside: vec![text(&words)],
            is_read: walked.is_read,
            own: None,
        });
    }
    if rest.is_empty() {
        return (!walked.is_read).then(|| Opened {
            base: None,
            inside: Vec::new(),
            is_read: false,
            own: None,
        });
    }
    let inside = vec![Inside::Words { words: rest.to_vec(), many: false, assigned }];
    Some(Opened { base: Some(base), inside, is_read: walked.is_read, own: None })
}

/// The commands behind some options, up to `;` or `+`.
fn execs(command: &Command, options: &[&str]) -> Option<Opened> {
    let mut inside = Vec::new();
    let mut own = Vec::new();
    let mut words = command.words.iter();
    while let Some(word) = words.next() {
        if !options.contains(&word.text.as_str()) {
            own.push(word.clone());
            continue;
        }
        let inner: Vec<Word> =
            words.by_ref().take_while(|word| word.text != ";" && word.text != "+").cloned().collect();
        inside.push(Inside::many(&inner));
    }
    inside.retain(|inside| !inside.is_empty());
    if inside.is_empty() { None } else { Some(Opened { base: None, inside, is_read: true, own: Some(own) }) }
}

fn parallel(words: &[Word]) -> Option<Opened> {
    const OPTIONS: Options = Options {
        letters: "0kmqtuvX",
        valued: "adjInNLPSs",
        long: &[
            "null",
            "keep-order",
            "verbose",
            "dry-run",
            "bar",
            "eta",
            "line-buffer",
            "pipe",
            "will-cite",
            "ungroup",
            "no-notice",
            "halt-on-error",
        ],
        long_valued: &[
            "jobs", "arg-file", "joblog", "results", "colsep", "delay", "timeout", "halt", "load", "retries",
            "tmpdir", "wd", "workdir", "sshlogin",
        ],
        number: false,
    };
    let walked = walk(words, &OPTIONS);
    let rest = words.get(walked.first..).unwrap_or_default();
    let end = rest.iter().position(|word| word.text.starts_with(":::")).unwrap_or(rest.len());
    let (inner, given) = rest.split_at_checked(end)?;
    let mut base = passes_on();
    let mut inside = Vec::new();
    if inner.is_empty() {
        // What it is given are the commands.
        base.worsen(UNKNOWN_RED.because("runs commands that come from elsewhere").finding());
        inside.extend(given.iter().skip(1).map(Inside::text));
    } else {
        inside.push(text(inner));
        inside.push(Inside::many(inner));
    }
    Some(Opened { base: Some(base), inside, is_read: walked.is_read, own: None })
}

/// `su [-] [user] [-c text]`: options may stand anywhere.
fn su(words: &[Word]) -> Option<Opened> {
    let mut inside = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let cluster = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let takes_next = cluster.is_some_and(|cluster| cluster.ends_with('c')) || word.text == "--command";
        if takes_next && let Some(value) = words.get(at + 1) {
            inside.push(Inside::text(value));
        }
        if let Some(value) = word.text.strip_prefix("--command=").or_else(|| word.text.strip_prefix("-c")) {
            inside.push(Inside::Text { text: value.to_owned(), is_known: word.is_known });
        }
    }
    if let Some(at) = words.iter().position(|word| word.text == "--") {
        inside.push(Inside::words(words.get(at + 1..).unwrap_or_default()));
    }
    opened(Some(needs_rights("runs as another user")), inside)
}

fn script(words: &[Word]) -> Option<Opened> {
    const OPTIONS: Options = Options {
        letters: "aefqrdkp",
        valued: "cEIOoTmBt",
        long: &["append", "quiet", "flush", "return", "force"],
        long_valued: &["command", "log-out", "log-in", "log-io", "log-timing", "echo", "output-limit"],
        number: false,
    };
    let walked = walk(words, &OPTIONS);
    let texts = walked.values.iter().filter(|(name, _)| name == "c" || name == "command");
    let mut inside: Vec<Inside> = texts.map(|(_, value)| Inside::text(value)).collect();
    // BSD: `script FILE command …`; util-linux: `script FILE -- command …` and options behind the file.
    let rest = words.get(walked.first + 1..).unwrap_or_default();
    if !rest.is_empty() {
        let again = walk(rest, &OPTIONS);
        let texts = again.values.iter().filter(|(name, _)| name == "c" || name == "command");
        inside.extend(texts.map(|(_, value)| Inside::text(value)));
        inside.push(Inside::words(rest.get(again.first..).unwrap_or_default()));
    }
    inside.retain(|inside| !inside.is_empty());
    if inside.is_empty() {
        None
    } else {
        Some(Opened { base: Some(UNKNOWN.finding()), inside, is_read: walked.is_read, own: None })
    }
}

fn ssh(words: &[Word]) -> Option<Opened> {
    const OPTIONS: Options = Options {
        letters: "46AaCfGgKkMNnqsTtVvXxYy",
        valued: "BbcDEeFIiJLlmOoPpQRSWw",
        long: &[],
        long_valued: &["ssh", "port"],
        number: false,
    };
    let base = OUTSIDE_ASKS.because("runs something on another machine").finding();
    let walked = walk(words, &OPTIONS);
    let rest = words.get(walked.first + 1..).unwrap_or_default();
    // Options may stand behind the host too.
    let again = walk(rest, &OPTIONS);
    let rest = rest.get(again.first..).unwrap_or_default();
    let mut inside = Vec::new();
    for (name, value) in walked.values.iter().chain(&again.values) {
        let runs_here = value.text.to_ascii_lowercase();
        if name == "o" && (runs_here.starts_with("proxycommand") || runs_here.starts_with("localcommand")) {
            let command = value.text.split_once(['=', ' ']).map_or("", |(_, command)| command);
            inside.push(Inside::Text { text: command.to_owned(), is_known: value.is_known });
        }
    }
    if !rest.is_empty() {
        inside.push(text(rest));
    }
    Some(Opened { base: Some(base), inside, is_read: walked.is_read && again.is_read, own: None })
}

/// Every operand is a text for a shell.
fn each_text(words: &[Word]) -> Option<Opened> {
    let texts = words.iter().filter(|word| !word.text.starts_with('-'));
    let inside: Vec<Inside> = texts.map(Inside::text).collect();
    if inside.is_empty() { None } else { opened(Some(UNKNOWN.finding()), inside) }
}

/// Keys that are typed into a terminal, and commands that start in a new one.
fn terminal(name: &str, words: &[Word]) -> Option<Opened> {
    let starts = [
        "send-keys",
        "send",
        "new-session",
        "new",
        "new-window",
        "neww",
        "split-window",
        "splitw",
        "respawn-pane",
        "run-shell",
        "run",
        "pipe-pane",
        "if-shell",
        "display-popup",
        "popup",
        "-dm",
        "-dmS",
        "-Dm",
        "stuff",
        "exec",
        "action",
        "send-prefix",
    ];
    let at = words.iter().position(|word| starts.contains(&word.text.as_str()))?;
    let rest = words.get(at + 1..).unwrap_or_default();
    let mut inside: Vec<Inside> = rest
        .iter()
        .filter(|word| word.text.contains(' '))
        .map(|word| Inside::Text { text: word.text.replace("\\n", "\n"), is_known: word.is_known })
        .collect();
    let options = Options {
        letters: "dDPAEXlRMHNfhvbaIr",
        valued: "tscnxyeF",
        ..crate::classify::program::entry::NO_OPTIONS
    };
    let walked = walk(rest, &options);
    let inner = rest.get(walked.first..).unwrap_or_default();
    let ends_in_key =
        |word: &&Word| matches!(word.text.as_str(), "Enter" | "C-m" | "KPEnter" | "Space" | "C-j");
    let inner: Vec<Word> = inner.iter().take_while(|word| !ends_in_key(word)).cloned().collect();
    if name == "screen" && inner.len() > 1 {
        inside.push(text(inner.get(1..).unwrap_or_default()));
    }
    if !inner.is_empty() {
        inside.push(text(&inner));
    }
    if inside.is_empty() { None } else { opened(Some(UNKNOWN.finding()), inside) }
}

/// The sub-commands of git that run a command they are given, and aliases that are one.
fn git(words: &[Word]) -> Option<Opened> {
    let mut inside = Vec::new();
    let mut add = |word: &Word| inside.push(Inside::text(word));
    let behind = |first: &str, second: &str| {
        let at = words.iter().position(|word| word.text == first)?;
        let inner = words.get(at + 1..)?;
        let next = inner.iter().position(|word| word.text == second)?;
        inner.get(next + 1..)
    };
    for (at, word) in words.iter().enumerate() {
        let value = word.text.split_once('=').map(|(_, value)| value);
        if let Some(command) = value.and_then(|value| value.strip_prefix('!')) {
            // `-c alias.x=!command`
            add(&Word { text: command.to_owned(), ..word.clone() });
        }
        let is_filter = word.text.starts_with("--") && word.text.ends_with("-filter");
        if is_filter || matches!(word.text.as_str(), "-x" | "--exec" | "--extcmd") {
            words.get(at + 1).into_iter().for_each(&mut add);
        }
        if let Some(command) =
            word.text.strip_prefix("--exec=").or_else(|| word.text.strip_prefix("--extcmd="))
        {
            add(&Word { text: command.to_owned(), ..word.clone() });
        }
        if let Some(command) = word.text.strip_prefix('!') {
            // `config alias.x '!command'`
            add(&Word { text: command.to_owned(), ..word.clone() });
        }
    }
    if let Some(rest) = behind("submodule", "foreach") {
        let rest: Vec<Word> = rest
            .iter()
            .filter(|word| word.text != "--recursive" && word.text != "--quiet")
            .cloned()
            .collect();
        inside.push(text(&rest));
    }
    if let Some(rest) = behind("bisect", "run") {
        inside.push(Inside::words(rest));
    }
    inside.retain(|inside| !inside.is_empty());
    if inside.is_empty() { None } else { opened(None, inside) }
}

/// What `at` and `batch` are fed runs later.
fn later(command: &Command) -> Option<Opened> {
    let fed = command.fed_text.iter();
    let inside = fed.map(|text| Inside::Text { text: text.clone(), is_known: true }).collect();
    opened(Some(UNKNOWN_RED.because("runs something later").finding()), inside)
}
