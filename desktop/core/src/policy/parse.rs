//! Reads the line language (POL-1). Total: every text gives a policy, or errors that say where, what, and what would be
//! right. Nothing is guessed: a word that is almost right is named in the error, never taken for the right one.

mod object;

use countersign_proto::text::{is_control, is_hidden};

use self::object::object;
use super::{
    Effect,
    line::{Line, Object, Policy, Project},
    names::{self, nearest},
    place,
    trouble::{MOST, ParseError, Remark, choice, quoted},
};

/// The longest text that is read, in bytes: what a store keeps and a phone can be shown, with room to spare.
pub const LONGEST_TEXT: usize = 128 * 1024;
/// The most lines that are read, notes and blank ones included.
pub const MOST_LINES: usize = 10_000;
/// The longest line that is read, in bytes.
pub const LONGEST_LINE: usize = 4096;

const VERBS: &[&str] = &["allow", "ask", "deny", "project", "agents"];

/// Words that people write for a verb.
const MEANT: &[(&str, &str)] = &[
    ("permit", "allow"),
    ("accept", "allow"),
    ("approve", "allow"),
    ("grant", "allow"),
    ("block", "deny"),
    ("forbid", "deny"),
    ("refuse", "deny"),
    ("reject", "deny"),
    ("never", "deny"),
    ("prompt", "ask"),
    ("confirm", "ask"),
    ("folder", "project"),
    ("agent", "agents"),
];

/// A word of a line and where it begins.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    column: u32,
}

/// What is wrong with a line, before its number is put on.
#[derive(Debug)]
struct Wrong {
    column: u32,
    what: String,
    fix: String,
}

impl Wrong {
    fn new(column: u32, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { column, what: what.into(), fix: fix.into() }
    }

    fn at(self, line: u32) -> ParseError {
        ParseError { line, column: self.column, what: self.what, fix: self.fix }
    }
}

/// Reads a policy. `home` is the user's home folder, for `~`; empty where it is unknown.
///
/// # Errors
/// Everything that is wrong, in the order of the text: at least one error, at most [`MOST`].
pub fn parse(text: &str, home: &str) -> Result<Policy, Vec<ParseError>> {
    if text.len() > LONGEST_TEXT {
        let fix = format!("A policy has at most {LONGEST_TEXT} bytes; say the same with fewer lines.");
        return Err(vec![Wrong::new(1, "this text is too long", fix).at(1)]);
    }
    let mut reader = Reader { home, ..Reader::default() };
    for (number, line) in (1..).zip(text.split('\n')) {
        if number as usize > MOST_LINES {
            let fix = format!("A policy has at most {MOST_LINES} lines.");
            reader.errors.push(Wrong::new(1, "there are too many lines", fix).at(number));
        } else if let Err(wrong) = reader.read(number, line.strip_suffix('\r').unwrap_or(line)) {
            reader.errors.push(wrong.at(number));
        }
        if reader.errors.len() >= MOST || number as usize > MOST_LINES {
            break;
        }
    }
    if reader.errors.is_empty() { Ok(reader.policy) } else { Err(reader.errors) }
}

#[derive(Debug, Default)]
struct Reader<'a> {
    home: &'a str,
    policy: Policy,
    errors: Vec<ParseError>,
}

impl Reader<'_> {
    fn read(&mut self, number: u32, line: &str) -> Result<(), Wrong> {
        let is_note = line.trim_start_matches([' ', '\t']).starts_with('#');
        check_characters(line, is_note)?;
        let words = words(line);
        let (Some((verb, rest)), false) = (words.split_first(), is_note) else { return Ok(()) };
        let effect = match verb.text {
            "project" => return self.project(line, *verb, rest),
            "agents" => return self.agents(*verb, rest),
            "allow" => Effect::Allow,
            "ask" => Effect::Ask,
            "deny" => Effect::Deny,
            _ => return Err(unknown_verb(*verb)),
        };
        let object = object(effect, *verb, rest, line, self.home)?;
        self.remark(number, effect, &object);
        self.policy.lines.push(Line { number, effect, object });
        Ok(())
    }

    fn project(&mut self, line: &str, verb: Word<'_>, rest: &[Word<'_>]) -> Result<(), Wrong> {
        const FIX: &str =
            "Write one absolute folder, or one that begins with `~/`, such as `project ~/site`.";
        let Some(first) = rest.first() else {
            return Err(Wrong::new(end(verb), "the folder is missing", FIX));
        };
        if self.policy.project.is_some() {
            let fix = "A policy is for one folder; give the other folder a policy of its own.";
            return Err(Wrong::new(verb.column, "this is the second folder", fix));
        }
        if let Some(second) = rest.iter().skip(1).find(|word| word.text.starts_with(['/', '~'])) {
            let fix = "A policy is for one folder; give the other folder a policy of its own.";
            return Err(Wrong::new(second.column, "this is a second folder", fix));
        }
        let written = tail(line, *first);
        let path = folder(written, first.column, self.home, FIX)?;
        if path == "/" {
            let fix = "A policy for every folder has no `project` line.";
            return Err(Wrong::new(first.column, "`/` is no project folder", fix));
        }
        if place::plain(self.home).is_some_and(|home| home == path) {
            let fix =
                "Name a folder in it, such as `~/site`; a policy for every folder has no `project` line.";
            return Err(Wrong::new(first.column, "the home folder is no project folder", fix));
        }
        self.policy.project = Some(Project { written: written.to_owned(), path });
        Ok(())
    }

    fn agents(&mut self, verb: Word<'_>, rest: &[Word<'_>]) -> Result<(), Wrong> {
        let known = choice(names::AGENTS);
        if rest.is_empty() {
            let fix =
                format!("Name some of {known}, with spaces between them; without this line it is for all.");
            return Err(Wrong::new(end(verb), "the agents are missing", fix));
        }
        if self.policy.agents.is_some() {
            let fix = "Name all agents on one line.";
            return Err(Wrong::new(verb.column, "this is the second `agents` line", fix));
        }
        let mut agents: Vec<String> = Vec::new();
        for word in rest {
            if !names::AGENTS.contains(&word.text) {
                let meant = names::AGENTS
                    .iter()
                    .find(|name| word.text.starts_with(**name))
                    .copied()
                    .or_else(|| nearest(word.text, names::AGENTS));
                let fix = match meant {
                    Some(name) => {
                        format!("Did you mean `{name}`? Known are {known}, with spaces between them.")
                    }
                    None => format!("Known are {known}."),
                };
                return Err(Wrong::new(word.column, format!("{} is no agent", quoted(word.text)), fix));
            }
            if !agents.iter().any(|name| name == word.text) {
                agents.push(word.text.to_owned());
            }
        }
        self.policy.agents = Some(agents);
        Ok(())
    }

    /// Notes what is probably not meant, though it is no error (POL-1 lists those).
    fn remark(&mut self, number: u32, effect: Effect, object: &Object) {
        let Object::Command { words, .. } = object else { return };
        let strange = |c: char| !(c.is_alphanumeric() || "-_./:=,+%~^@".contains(c));
        let Some(word) = words.iter().find(|word| word.contains(strange)) else { return };
        let word = quoted(word);
        let words = match effect {
            Effect::Allow => format!(
                "this line never allows anything: {word} holds what only a shell reads, and such commands always ask."
            ),
            Effect::Ask | Effect::Deny => format!(
                "words are compared as they are, so {word} stands for itself only; a line names one command, \
                 without operators and quotes, and a note has a line of its own."
            ),
        };
        self.policy.remarks.push(Remark { line: number, words });
    }
}

/// A folder or file as a line names it: absolute, or below `~`.
fn folder(written: &str, column: u32, home: &str, fix: &str) -> Result<String, Wrong> {
    let is_home = written == "~" || written.starts_with("~/");
    if !is_home && !written.starts_with('/') {
        return Err(Wrong::new(column, format!("{} is not an absolute path", quoted(written)), fix));
    }
    let whole = if is_home { place::at_home(written, home) } else { Some(written.to_owned()) };
    let Some(whole) = whole else {
        let fix = "Write the absolute path.";
        return Err(Wrong::new(column, "`~` can't be told here: no home folder is known", fix));
    };
    place::plain(&whole).ok_or_else(|| {
        Wrong::new(column, format!("{} climbs with `..`", quoted(written)), "Write the folder that is meant.")
    })
}

fn unknown_verb(verb: Word<'_>) -> Wrong {
    let lower = verb.text.to_lowercase();
    let meant = MEANT
        .iter()
        .find(|(word, _)| *word == lower)
        .map(|(_, verb)| *verb)
        .or_else(|| nearest(verb.text, VERBS));
    let begin = format!("A line begins with {}, or with `#` for a note.", choice(VERBS));
    let fix = meant.map_or_else(|| begin.clone(), |verb| format!("Did you mean `{verb}`? {begin}"));
    Wrong::new(verb.column, format!("{} is no verb", quoted(verb.text)), fix)
}

/// Refuses what a reader of the text would not see as it is.
fn check_characters(line: &str, is_note: bool) -> Result<(), Wrong> {
    if line.len() > LONGEST_LINE {
        let fix = format!("A line has at most {LONGEST_LINE} bytes.");
        return Err(Wrong::new(1, "this line is too long", fix));
    }
    let is_bad = |c: char| c != '\t' && if is_note { is_control(c) } else { is_hidden(c) };
    let Some((column, c)) = (1..).zip(line.chars()).find(|(_, c)| is_bad(*c)) else { return Ok(()) };
    let what = format!("the character U+{:04X} can't be seen, or looks like another one", u32::from(c));
    Err(Wrong::new(column, what, "Type the line anew with ordinary letters and spaces."))
}

/// A line's words with their columns.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut begin: Option<(usize, u32)> = None;
    for (column, (at, c)) in (1..).zip(line.char_indices()) {
        match (begin, matches!(c, ' ' | '\t')) {
            (None, false) => begin = Some((at, column)),
            (Some((from, first)), true) => {
                words.extend(line.get(from..at).map(|text| Word { text, column: first }));
                begin = None;
            }
            (None, true) | (Some(_), false) => {}
        }
    }
    if let Some((from, column)) = begin {
        words.extend(line.get(from..).map(|text| Word { text, column }));
    }
    words
}

/// A line from a word on, for paths that hold spaces.
fn tail<'a>(line: &'a str, from: Word<'_>) -> &'a str {
    let skip = from.column.saturating_sub(1) as usize;
    let at = line.char_indices().nth(skip).map_or(line.len(), |(at, _)| at);
    line.get(at..).unwrap_or_default().trim_end_matches([' ', '\t'])
}

/// The column behind a word.
fn end(word: Word<'_>) -> u32 {
    word.column.saturating_add(u32::try_from(word.text.chars().count()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
