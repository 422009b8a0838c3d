//! What each word of a command is, by its program's habits, and which paths it so names.

use std::collections::BTreeSet;

use super::{
    evident,
    habit::{CONTAINER_OPTIONS, CONTAINERS, GIT_LEAVES, HABITS, Habit, Role, UNLISTED},
    place, script, start, token,
};
use crate::classify::word::{Command, Word};

/// A path that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// As written.
    pub(super) written: String,
    /// Whether it stands in a longer text that nobody is known to run: what it says of a store is no use of it.
    pub(super) is_loose: bool,
}

/// The paths that a command's words name, its program aside.
pub(super) fn named(command: &Command) -> Vec<Named> {
    let mut found = Found::default();
    for (word, role) in command.arguments().iter().zip(roles(command)) {
        for (text, role) in split(word, role) {
            read(&text, word, role, &mut found);
        }
    }
    found.named
}

/// What was found, each once.
#[derive(Default)]
struct Found {
    named: Vec<Named>,
    seen: BTreeSet<(String, bool)>,
}

impl Found {
    fn add(&mut self, written: &str, is_loose: bool) {
        if !written.is_empty() && self.seen.insert((written.to_owned(), is_loose)) {
            self.named.push(Named { written: written.to_owned(), is_loose });
        }
    }
}

/// Whether a command surely leaves what it names as it is.
pub(super) fn leaves(command: &Command) -> bool {
    command.name() == "git" && sub_command(command).is_some_and(|sub| GIT_LEAVES.contains(&sub))
}

/// Which part of a word is what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it.
    Whole(Role),
    /// From this byte on.
    Value(usize, Role),
}

fn split(word: &Word, role: Part) -> Vec<(String, Role)> {
    match role {
        Part::Whole(role) => vec![(word.text.clone(), role)],
        Part::Value(at, role) => vec![(word.text.get(at..).unwrap_or_default().to_owned(), role)],
    }
}

fn read(text: &str, word: &Word, role: Role, found: &mut Found) {
    let is_one_word = !text.contains(char::is_whitespace);
    match role {
        Role::Excluded => {}
        Role::Text => {
            if is_one_word && tells(text) {
                found.add(text, false);
            }
        }
        Role::Filter => {
            if is_one_word && evident::begins(text) {
                found.add(text, false);
            }
        }
        Role::Choice => {
            let name = text.rsplit('/').next().unwrap_or(text);
            if !text.starts_with('!') && (place::is_env(name) || tells(text)) {
                found.add(text, false);
            }
        }
        Role::Sed => script::sed(text).into_iter().for_each(|token| found.add(token, false)),
        Role::Awk => script::awk(text).into_iter().for_each(|token| found.add(token, false)),
        // `-r` takes code from one interpreter and a file from another.
        Role::Code if !token::is_more_than_a_path(text) => path(text, word, found),
        Role::Code => script::code(text).into_iter().for_each(|token| found.add(token, false)),
        Role::Path
        | Role::Copy
        | Role::Volume
        | Role::Mount
        | Role::Label
        | Role::Switch
        | Role::Revision => parts(text, role).into_iter().for_each(|part| path(part, word, found)),
    }
}

/// A word, or a part of it, that is a path or has one.
fn path(text: &str, word: &Word, found: &mut Found) {
    let mut whole = token::Found::default();
    token::whole(text, &mut whole);
    let is_text = token::is_more_than_a_path(text);
    for token in token::tokens(&Word { text: text.to_owned(), ..word.clone() }) {
        let is_loose = is_text && !whole.tokens.contains(&token);
        found.add(&token, is_loose);
    }
}

/// The parts of a word that may be paths on this computer.
fn parts(text: &str, role: Role) -> Vec<&str> {
    let (left, right) = text.split_once(':').unwrap_or((text, ""));
    let is_part = match role {
        Role::Copy => {
            let is_container =
                !left.is_empty() && !left.contains(['/', '.', '~', '$']) && right.starts_with('/');
            !is_container
        }
        Role::Volume => return vec![text.split_once(":/").map_or(text, |(outside, _)| outside)],
        Role::Mount => {
            let is_source = |part: &&str| part.starts_with("source=") || part.starts_with("src=");
            return text.split(',').filter(is_source).collect();
        }
        Role::Label => {
            let repository = text.trim_start_matches('-');
            let label = repository.trim_start_matches(|c: char| c == '@' || c.is_alphanumeric());
            !label.starts_with("//")
        }
        Role::Switch => {
            let name = left.strip_prefix('/').unwrap_or_default();
            let is_switch =
                (1..=2).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '?');
            !is_switch
        }
        Role::Revision => return vec![revision(text)],
        Role::Path
        | Role::Text
        | Role::Filter
        | Role::Choice
        | Role::Excluded
        | Role::Sed
        | Role::Awk
        | Role::Code => true,
    };
    if is_part { vec![text] } else { Vec::new() }
}

/// The path in what Git takes for a path or a revision: `HEAD:/a` and `:/a` begin at the top of the repository.
fn revision(text: &str) -> &str {
    if let Some(magic) = text.strip_prefix(':') {
        let path = magic.trim_start_matches(['/', '!', '^']);
        let long = path.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        return long.map_or(path, |(_, path)| path);
    }
    let is_path =
        text.starts_with(['-', '/', '~', '$', '.']) || text.contains("://") || start::is_windows(text);
    match text.split_once(':') {
        Some((revision, path)) if !is_path && !revision.is_empty() => path.trim_start_matches('/'),
        _ => text,
    }
}

/// Whether a text that should be no path plainly is one.
fn tells(text: &str) -> bool {
    let names: Vec<&str> = text.split('/').filter(|name| !name.is_empty()).collect();
    evident::begins(text)
        || token::file_address(text).is_some()
        || (names.len() == 1 && text.to_ascii_lowercase().starts_with(".env") && place::is_env(text))
        || (text.contains('/') && place::is_named_store(&names))
}

/// The sub-command of a program: its first word that is no option and no value of one.
fn sub_command(command: &Command) -> Option<&str> {
    let mut words = command.arguments().iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--context", "-H", "--host"]
            .contains(&text)
        {
            words.next();
        } else if !text.starts_with('-') {
            return Some(text);
        }
    }
    None
}

fn habit(command: &Command) -> &'static Habit {
    let name = command.name();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let sub = sub_command(command).unwrap_or_default();
    // python3.12 is python3.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_it = |listed: &str| match listed.split_once(' ') {
        Some((program, listed)) => program == name && listed == sub,
        None => listed == name || (!bare.is_empty() && listed == bare),
    };
    HABITS.iter().find(|habit| habit.names.iter().any(|listed| is_it(listed))).unwrap_or(UNLISTED)
}

/// What each argument is.
fn roles(command: &Command) -> Vec<Part> {
    let habit = habit(command);
    let is_container = CONTAINERS.contains(&command.name());
    let is_script = |word: &Word| {
        habit.script.iter().chain(habit.file).any(|option| option_value(&word.text, option).is_some())
    };
    let mut is_first = !command.arguments().iter().any(is_script);
    let mut sub = has_sub_command(command, habit).then(|| sub_command(command)).flatten();
    let mut next: Option<Role> = None;
    let mut all_operands = false;
    let mut role = |word: &Word| {
        let text = word.text.as_str();
        if let Some(role) = next.take() {
            return Part::Whole(role);
        }
        if text == "--" && !all_operands {
            all_operands = true;
            return Part::Whole(Role::Text);
        }
        if !all_operands && text.len() > 1 && text.starts_with('-') {
            let (role, value_is_next) = option(habit, is_container, text);
            next = value_is_next;
            return role;
        }
        if sub.take_if(|sub| *sub == text).is_some() {
            return Part::Whole(Role::Text);
        }
        let role = if is_first { habit.first } else { habit.rest };
        is_first = false;
        Part::Whole(role)
    };
    command.arguments().iter().map(&mut role).collect()
}

/// Whether a program's first operand is the name of what it does.
fn has_sub_command(command: &Command, habit: &Habit) -> bool {
    let name = command.name();
    name == "git" || habit.names.iter().any(|listed| listed.contains(' ') && listed.starts_with(name))
}

/// What an option word is, and what the word behind it, where that is its value.
fn option(habit: &Habit, is_container: bool, text: &str) -> (Part, Option<Role>) {
    let script = if habit.first == Role::Path { Role::Code } else { habit.first };
    let kinds: [(&[&str], Role); 6] = [
        (habit.excluded, Role::Excluded),
        (habit.text, Role::Text),
        (habit.script, script),
        (habit.file, Role::Path),
        (habit.choice, Role::Choice),
        (habit.valued, Role::Path),
    ];
    let listed = kinds.iter().flat_map(|(options, role)| options.iter().map(move |option| (*option, *role)));
    let container = if is_container { CONTAINER_OPTIONS } else { &[] };
    for (known, role) in listed.chain(container.iter().copied()) {
        match option_value(text, known) {
            // `-f/etc/x` is a path by any reading of it.
            Some(Value::Glued(_)) if role == Role::Path => break,
            Some(Value::Glued(at)) => return (Part::Value(at, role), None),
            Some(Value::Next) => return (Part::Whole(Role::Path), Some(role)),
            None => {}
        }
    }
    (Part::Whole(Role::Path), None)
}

/// Where an option's value is.
enum Value {
    /// In the same word, from this byte on.
    Glued(usize),
    /// The next word.
    Next,
}

/// The value of a known option in a word, where the word is that option.
fn option_value(text: &str, known: &str) -> Option<Value> {
    if text == known {
        return Some(Value::Next);
    }
    if known.len() > 2 {
        let rest = text.strip_prefix(known)?;
        return rest.starts_with('=').then_some(Value::Glued(known.len() + 1));
    }
    let letter = known.chars().nth(1)?;
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    // In a cluster only letters stand before it: `-am`, `-nE`.
    let at = letters.find(|c: char| c == letter || !c.is_ascii_alphabetic())?;
    if !letters.get(at..)?.starts_with(letter) {
        return None;
    }
    let end = 1 + at + letter.len_utf8();
    if end == text.len() { Some(Value::Next) } else { Some(Value::Glued(end)) }
}
