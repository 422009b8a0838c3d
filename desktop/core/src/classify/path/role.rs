//! What each word of a command is, by its program's habits, and which paths it so names.

use super::{
    evident,
    habit::{CONTAINER_OPTIONS, CONTAINERS, GIT_LEAVES, HABITS, Habit, Role, UNLISTED},
    place, token,
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
    let mut found = Vec::new();
    for (word, role) in command.arguments().iter().zip(roles(command)) {
        for (text, role) in split(word, role) {
            read(&text, word, role, &mut found);
        }
    }
    found
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

fn read(text: &str, word: &Word, role: Role, found: &mut Vec<Named>) {
    let mut add = |written: &str, is_loose: bool| {
        if !written.is_empty()
            && !found.iter().any(|seen: &Named| seen.written == written && seen.is_loose <= is_loose)
        {
            found.push(Named { written: written.to_owned(), is_loose });
        }
    };
    match role {
        Role::Path => {
            let word = Word { text: text.to_owned(), ..word.clone() };
            let is_text = token::is_more_than_a_path(text);
            let mut whole = token::Found::default();
            token::whole(text, &mut whole);
            for token in token::tokens(&word) {
                let is_loose = is_text && !whole.tokens.contains(&token);
                add(&token, is_loose);
            }
        }
        Role::Text => {
            if !text.contains(char::is_whitespace) && tells(text) {
                add(text, false);
            }
        }
        Role::Filter => {
            if !text.contains(char::is_whitespace) && evident::begins(text) {
                add(text, false);
            }
        }
        Role::Choice => {
            let name = text.rsplit('/').next().unwrap_or(text);
            if !text.starts_with('!') && (place::is_env(name) || tells(text)) {
                add(text, false);
            }
        }
        Role::Excluded => {}
        Role::Sed => super::script::sed(text).into_iter().for_each(|token| add(token, false)),
        Role::Awk => super::script::awk(text).into_iter().for_each(|token| add(token, false)),
        Role::Code => super::script::code(text).into_iter().for_each(|token| add(token, false)),
        Role::Copy => {
            let (outside, inside) = text.split_once(':').unwrap_or((text, ""));
            let is_container =
                inside.starts_with('/') && !outside.is_empty() && !outside.contains(['/', '.', '~', '$']);
            if !is_container {
                read(text, word, Role::Path, found);
            }
        }
        Role::Volume => {
            let outside = text.split_once(":/").map_or(text, |(outside, _)| outside);
            read(outside, word, Role::Path, found);
        }
        Role::Mount => {
            for part in text.split(',') {
                if part.starts_with("source=") || part.starts_with("src=") {
                    read(part, word, Role::Path, found);
                }
            }
        }
        Role::Label => {
            let is_label = text
                .trim_start_matches('-')
                .trim_start_matches(|c: char| c == '@' || c.is_alphanumeric())
                .starts_with("//");
            if !is_label {
                read(text, word, Role::Path, found);
            }
        }
        Role::Switch => {
            let is_switch = text.strip_prefix('/').is_some_and(|rest| {
                let name = rest.split(':').next().unwrap_or(rest);
                !name.is_empty()
                    && name.len() <= 2
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '?')
            });
            if !is_switch {
                read(text, word, Role::Path, found);
            }
        }
        Role::Revision => {
            if let Some(magic) = text.strip_prefix(':') {
                let path = magic.trim_start_matches(['/', '!', '^']);
                let path = path
                    .strip_prefix('(')
                    .and_then(|rest| rest.split_once(')'))
                    .map_or(path, |(_, path)| path);
                read(path, word, Role::Path, found);
            } else if let Some((revision, path)) = text.split_once(':')
                && !revision.is_empty()
                && !text.starts_with(['-', '/', '~', '$', '.'])
                && !text.contains("://")
                && !super::start::is_windows(text)
            {
                read(path.trim_start_matches('/'), word, Role::Path, found);
            } else {
                read(text, word, Role::Path, found);
            }
        }
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
    let has_script = command.arguments().iter().any(|word| {
        let text = word.text.as_str();
        habit.script.iter().chain(habit.file).any(|option| option_value(text, option).is_some())
    });
    let mut roles = Vec::new();
    let mut next: Option<Role> = None;
    let mut is_first = !has_script;
    let mut all_operands = false;
    let skips_sub = habit.names.iter().any(|name| name.contains(' ') && name.starts_with(command.name()));
    let mut sub_is_due = skips_sub || command.name() == "git";
    for word in command.arguments() {
        let text = word.text.as_str();
        if let Some(role) = next.take() {
            roles.push(Part::Whole(role));
            continue;
        }
        if text == "--" && !all_operands {
            all_operands = true;
            roles.push(Part::Whole(Role::Text));
            continue;
        }
        if !all_operands && text.len() > 1 && text.starts_with('-') {
            let (role, value_is_next) = option(habit, is_container, text);
            next = value_is_next;
            roles.push(role);
            continue;
        }
        if sub_is_due && sub_command(command) == Some(text) {
            sub_is_due = false;
            roles.push(Part::Whole(Role::Text));
            continue;
        }
        roles.push(Part::Whole(if is_first { habit.first } else { habit.rest }));
        is_first = false;
    }
    roles
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
