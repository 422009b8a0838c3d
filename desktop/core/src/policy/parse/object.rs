//! What a line is about: class, command, tool, and for deny and ask lines host, server, path and recipient.

use super::{Word, Wrong, end, folder, tail};
use crate::policy::{
    Effect,
    line::{LineClass, Object},
    names::{self, nearest},
    trouble::{choice, quoted},
};

/// Longer host names and recipients there are not.
const LONGEST_NAME: usize = 320;

/// Words that stand for classes no line may name, and for what no line can see: what to tell who writes them.
const NEVER: &[(&str, &str)] = &[
    (
        "destructive",
        "Destructive actions always ask, whatever a line says. To refuse a command, deny it by name: `deny command rm`.",
    ),
    (
        "spend",
        "What costs money always asks, whatever a line says. To refuse it, deny the command or tool by name.",
    ),
    (
        "guard",
        "What changes Countersign or an agent's settings always asks or is refused, whatever a line says.",
    ),
    (
        "unknown",
        "What nobody foresaw always asks. To refuse it, deny the command or tool by name: `deny command frob`.",
    ),
    (
        "amount",
        "Countersign can't tell which number of a call is an amount; what costs money always asks. Deny the tool instead.",
    ),
    ("computer", "A computer on the network is a host: `deny host build.example`."),
    ("site", "A site is a host, with every host below it: `deny host example.com`."),
    ("domain", "A domain is a host, with every host below it: `deny host example.com`."),
    ("url", "Deny the host: `deny host example.com`. An allow line never covers an address."),
    ("file", "A file or folder is a path: `deny path ~/notes`."),
    ("folder", "A file or folder is a path: `deny path ~/notes`."),
    ("mcp", "The tools of an MCP server are `deny server NAME`; one of them is `deny tool mcp__NAME__TOOL`."),
    ("agent", "Which agents a policy is for is a line of its own: `agents claude codex`."),
    ("all", "A line names one class, command or tool; there is none for everything."),
    ("everything", "A line names one class, command or tool; there is none for everything."),
];

/// The words behind a verb.
pub(super) fn object(
    effect: Effect,
    verb: Word<'_>,
    rest: &[Word<'_>],
    line: &str,
    home: &str,
) -> Result<Object, Wrong> {
    let Some((kind, rest)) = rest.split_first() else {
        let what = format!("what to {} is missing", effect.name());
        return Err(Wrong::new(end(verb), what, expected(effect)));
    };
    if let Some(class) = LineClass::ALL.iter().find(|class| class.name() == kind.text) {
        return match rest.first() {
            None => Ok(Object::Class(*class)),
            Some(more) => Err(Wrong::new(
                more.column,
                format!("{} is too much: a line names one class", quoted(more.text)),
                "Write a line for each class, and a note on a line of its own.",
            )),
        };
    }
    match kind.text {
        "command" => command(*kind, rest),
        "tool" => tool(effect, *kind, rest),
        "host" => narrow(effect, *kind).and_then(|()| host(*kind, rest)),
        "server" => narrow(effect, *kind).and_then(|()| server(*kind, rest)),
        "path" => narrow(effect, *kind).and_then(|()| path(*kind, rest, line, home)),
        "recipient" => narrow(effect, *kind).and_then(|()| recipient(*kind, rest)),
        _ => Err(unknown(effect, *kind)),
    }
}

fn expected(effect: Effect) -> String {
    let classes: Vec<&str> = LineClass::ALL.iter().map(|class| class.name()).collect();
    let classes = choice(&classes);
    match effect {
        Effect::Allow => format!("Write {classes}, or `command` with its words, or `tool` with its name."),
        Effect::Ask | Effect::Deny => format!(
            "Write {classes}, or `command` with its words, or `tool`, `server`, `host`, `path` or `recipient` with its \
             name."
        ),
    }
}

fn unknown(effect: Effect, kind: Word<'_>) -> Wrong {
    let lower = kind.text.to_lowercase();
    let what = format!("{} is no class", quoted(kind.text));
    if let Some((_, fix)) = NEVER.iter().find(|(word, _)| *word == lower) {
        return Wrong::new(kind.column, what, *fix);
    }
    let mut known: Vec<&str> = LineClass::ALL.iter().map(|class| class.name()).collect();
    known.extend(["command", "tool"]);
    if effect != Effect::Allow {
        known.extend(["server", "host", "path", "recipient"]);
    }
    let fix = match nearest(kind.text, &known) {
        Some(word) => format!("Did you mean `{word}`? {}", expected(effect)),
        None => expected(effect),
    };
    Wrong::new(kind.column, what, fix)
}

fn command(kind: Word<'_>, rest: &[Word<'_>]) -> Result<Object, Wrong> {
    let Some((last, before)) = rest.split_last() else {
        let fix = "Write the command's words, such as `command git push`.";
        return Err(Wrong::new(end(kind), "the command's words are missing", fix));
    };
    let is_open = last.text == "*";
    let words = if is_open { before } else { rest };
    if words.is_empty() {
        let fix = "Write the command's words before the star, such as `command git log *`.";
        return Err(Wrong::new(last.column, "`*` stands alone", fix));
    }
    if let Some(star) = words.iter().find(|word| word.text.contains('*')) {
        let fix = "A `*` is the last word, by itself: `command git log *`; it lets more words follow.";
        return Err(Wrong::new(star.column, format!("{} is not the end", quoted(star.text)), fix));
    }
    Ok(Object::Command { words: words.iter().map(|word| word.text.to_owned()).collect(), is_open })
}

/// The one word that has to follow.
fn one<'a>(kind: Word<'_>, rest: &[Word<'a>], fix: &str) -> Result<Word<'a>, Wrong> {
    match rest {
        [] => Err(missing(kind, fix)),
        [name] => Ok(*name),
        [_, more, ..] => Err(Wrong::new(more.column, format!("{} is too much", quoted(more.text)), fix)),
    }
}

fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn tool(effect: Effect, kind: Word<'_>, rest: &[Word<'_>]) -> Result<Object, Wrong> {
    const FIX: &str = "Write the exact name of one tool, such as `tool WebFetch`.";
    let Some(name) = rest.first() else { return Err(missing(kind, FIX)) };
    if !is_plain_name(name.text) {
        let fix = match (effect, name.text.strip_prefix(names::SERVER_PREFIX)) {
            (Effect::Ask | Effect::Deny, Some(of)) if of.ends_with('*') => {
                format!("For every tool of an MCP server write `{} server NAME`. {FIX}", effect.name())
            }
            _ => FIX.to_owned(),
        };
        return Err(Wrong::new(name.column, format!("{} is no plain name", quoted(name.text)), fix));
    }
    let name = one(kind, rest, FIX)?;
    if effect == Effect::Allow && (names::is_shell(name.text) || names::is_shell_input(name.text)) {
        let fix =
            "Allow single commands: `allow command git status`. A shell can only be denied or asked about.";
        return Err(Wrong::new(name.column, format!("{} is a shell", quoted(name.text)), fix));
    }
    if effect == Effect::Allow && names::is_of_server(name.text) {
        let fix = "Such a tool can only be denied or asked about; what it does nobody can tell.";
        return Err(Wrong::new(
            name.column,
            format!("{} is a tool of an MCP server", quoted(name.text)),
            fix,
        ));
    }
    Ok(Object::Tool(name.text.to_owned()))
}

fn missing(kind: Word<'_>, fix: &str) -> Wrong {
    Wrong::new(end(kind), format!("the {}'s name is missing", kind.text), fix)
}

/// Hosts, servers, paths and recipients can be denied and asked about; allow lines stay exact (EFF-2).
fn narrow(effect: Effect, kind: Word<'_>) -> Result<(), Wrong> {
    match effect {
        Effect::Ask | Effect::Deny => Ok(()),
        Effect::Allow => Err(Wrong::new(
            kind.column,
            format!("{} can only be denied or asked about", quoted(kind.text)),
            expected(effect),
        )),
    }
}

fn host(kind: Word<'_>, rest: &[Word<'_>]) -> Result<Object, Wrong> {
    const FIX: &str =
        "Write the host's name alone, such as `host example.com`; the hosts below it are included.";
    let name = one(kind, rest, FIX)?;
    let host = name.text.to_lowercase();
    let is_host = host.len() <= LONGEST_NAME
        && host
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-'));
    let is_address = host.parse::<core::net::IpAddr>().is_ok();
    if is_host || is_address {
        return Ok(Object::Host(host));
    }
    Err(Wrong::new(name.column, format!("{} is no host", quoted(name.text)), FIX))
}

fn server(kind: Word<'_>, rest: &[Word<'_>]) -> Result<Object, Wrong> {
    const FIX: &str = "Write the name of one MCP server, such as `server github`, without `mcp__`.";
    let name = one(kind, rest, FIX)?;
    if is_plain_name(name.text) && !names::is_of_server(name.text) {
        return Ok(Object::Server(name.text.to_owned()));
    }
    Err(Wrong::new(name.column, format!("{} is no plain name", quoted(name.text)), FIX))
}

fn path(kind: Word<'_>, rest: &[Word<'_>], line: &str, home: &str) -> Result<Object, Wrong> {
    const FIX: &str = "Write one absolute path, or one that begins with `~/`, such as `path ~/notes`.";
    let Some(first) = rest.first() else {
        return Err(Wrong::new(end(kind), "the path is missing", FIX));
    };
    let written = tail(line, *first);
    if written.contains(['*', '?']) {
        let fix = "A path covers all that is in it; name the folder.";
        return Err(Wrong::new(first.column, format!("{} is a pattern", quoted(written)), fix));
    }
    let path = folder(written, first.column, home, FIX)?;
    Ok(Object::Path { written: written.to_owned(), path })
}

fn recipient(kind: Word<'_>, rest: &[Word<'_>]) -> Result<Object, Wrong> {
    const FIX: &str =
        "Write one address, number or name as it stands in calls, such as `recipient boss@example.com`.";
    let name = one(kind, rest, FIX)?;
    if name.text.len() <= LONGEST_NAME && !name.text.contains('*') {
        return Ok(Object::Recipient(name.text.to_owned()));
    }
    Err(Wrong::new(name.column, format!("{} is no recipient", quoted(name.text)), FIX))
}
