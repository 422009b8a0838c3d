//! Looking at a command's arguments without knowing every option of its program: what is not known makes the answer
//! unsure, never quieter.

use crate::classify::word::{Command, Word};

/// The arguments that are no option, and how many of them surely are.
#[derive(Debug)]
pub(super) struct Operands<'a> {
    pub(super) words: Vec<&'a str>,
    /// How many stand in front of the first unknown option, the next word of which may be its value.
    pub(super) sure: usize,
}

/// Every argument's text.
pub(super) fn texts(command: &Command) -> impl Iterator<Item = &str> {
    command.arguments().iter().map(|word| word.text.as_str())
}

/// The operands, where `valued` names the options (`-n`, `--namespace`) that take the next word.
pub(super) fn operands<'a>(command: &'a Command, valued: &[&str]) -> Operands<'a> {
    let mut words = Vec::new();
    let mut sure = None;
    let mut is_value = false;
    let mut only_operands = false;
    for text in texts(command) {
        if core::mem::take(&mut is_value) {
            continue;
        }
        if only_operands || !is_option(text) {
            words.push(text);
        } else if text == "--" {
            only_operands = true;
        } else if valued.contains(&text) {
            is_value = true;
        } else if !text.contains('=') {
            sure.get_or_insert(words.len());
        }
    }
    let sure = sure.unwrap_or(usize::MAX);
    Operands { words, sure }
}

/// Whether a word is written like an option.
pub(super) fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}

/// Whether one of these options stands there: `--force`, `--force=…`, a one-letter one also among others (`-rf`).
pub(super) fn has(command: &Command, names: &[&str]) -> bool {
    texts(command).take_while(|text| *text != "--").any(|text| names.iter().any(|name| is_named(text, name)))
}

fn is_named(text: &str, name: &str) -> bool {
    if text == name {
        return true;
    }
    if text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) {
        return true;
    }
    let letter =
        name.strip_prefix('-').filter(|letter| letter.chars().count() == 1 && !letter.starts_with('-'));
    letter.is_some_and(|letter| {
        text.starts_with('-')
            && !text.starts_with("--")
            && text.split('=').next().is_some_and(|t| t.contains(letter))
    })
}

/// The values of an option: `--host h`, `--host=h`, and for a one-letter one `-hh`.
pub(super) fn values<'a>(command: &'a Command, names: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = texts(command).peekable();
    while let Some(text) = words.next() {
        for name in names {
            if text == *name {
                found.extend(words.peek().copied());
            } else if let Some(rest) = text.strip_prefix(name) {
                if let Some(value) = rest.strip_prefix('=') {
                    found.push(value);
                } else if name.len() == 2 && !name.starts_with("--") {
                    found.push(rest);
                }
            }
        }
    }
    found
}

/// Whether the command only asks the program for its version or help: one argument, spelled out.
pub(super) fn is_probe(command: &Command) -> bool {
    let [only] = command.arguments() else { return false };
    only.is_known && matches!(only.text.as_str(), "--version" | "--help") && command.assigned.is_empty()
}

/// Whether a word brings in what another command prints or a file holds.
pub(super) fn is_computed(word: &Word) -> bool {
    !word.is_known && (word.text.contains("$(") || word.text.contains('`') || word.text.contains("<("))
}

/// The words of a name: `terminate-instances`, `apps:destroy`, `db_drop`.
pub(super) fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(['-', ':', '_', '.', '/']).filter(|part| !part.is_empty())
}

/// The host in an address, a `user@host`, a `host:path` or a bare name with a dot.
pub(crate) fn host(text: &str) -> Option<&str> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let is_address = rest.len() != text.len();
    let authority = rest.split(['/', '?', '#']).next()?;
    let name = authority.rsplit_once('@').map_or(authority, |(_, name)| name);
    let is_account = name.len() != authority.len();
    let bare = match name.strip_prefix('[') {
        Some(inner) => inner.split(']').next()?,
        None => name.split(':').next()?,
    };
    let is_named =
        is_address || is_account || bare == "localhost" || bare.contains('.') || name.contains(':');
    let is_clean =
        !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '_'));
    (is_named && is_clean && !bare.starts_with(['.', '-'])).then_some(bare)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A command of plain words.
    pub(in crate::classify::program::remote) fn command(text: &str) -> Command {
        Command {
            words: text.split(' ').map(Word::plain).collect(),
            assigned: Vec::new(),
            is_fed: false,
            fed_text: None,
            folder: None,
        }
    }

    #[test]
    fn an_options_value_is_no_operand() {
        let line = command("kubectl -n prod delete pod api");
        assert_eq!(operands(&line, &["-n"]).words, ["delete", "pod", "api"]);
        assert_eq!(operands(&line, &["-n"]).sure, usize::MAX);
        assert_eq!(operands(&line, &[]).sure, 0);
    }

    #[test]
    fn a_letter_is_found_among_others() {
        assert!(has(&command("docker rm -vf api"), &["-f"]));
        assert!(has(&command("x --force=true"), &["--force"]));
        assert!(!has(&command("x --forced"), &["--force"]));
        assert!(!has(&command("x -- -f"), &["-f"]));
    }

    #[test]
    fn values_are_found_in_every_spelling() {
        for line in ["psql -h db.test", "psql -hdb.test", "psql --host=db.test", "psql --host db.test"] {
            assert_eq!(values(&command(line), &["-h", "--host"]), ["db.test"], "{line}");
        }
    }

    #[test]
    fn hosts_are_read_from_addresses_accounts_and_copies() {
        assert_eq!(host("https://u:p@api.test:8443/x?y"), Some("api.test"));
        assert_eq!(host("u@evil.test:/tmp"), Some("evil.test"));
        assert_eq!(host("localhost:3000/health"), Some("localhost"));
        assert_eq!(host("http://[::1]:80/"), Some("::1"));
        assert_eq!(host("README"), None);
        assert_eq!(host("-o"), None);
    }
}
