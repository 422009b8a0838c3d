//! Every part of a word that may be a path (LVL-3): the word itself, what is glued to an option, what stands behind `=`,
//! `@`, `:`, `,` or `file://`, and what a longer text in it plainly names. Any name counts as one: it may be a link.

use std::collections::BTreeSet;

use super::{evident, start};
use crate::classify::word::Word;

/// The most that one word may become by its braces.
const MAX_BRACES: usize = 64;
/// The longest word whose braces are opened one by one.
const MAX_BRACED: usize = 1024;
/// How many plain names of one word are looked at; a word with more is none that a person wrote.
const MAX_PARTS: usize = 256;

/// What may be a path in a word, each once, in the word's order.
pub(in crate::classify) fn tokens(word: &Word) -> Vec<String> {
    let mut found = Found::default();
    for text in braces(&word.text) {
        whole(&text, &mut found);
        if is_more_than_a_path(&text) {
            for token in evident::scan(&text) {
                found.add(token);
            }
        }
    }
    found.tokens
}

/// Whether a word may hold paths in its middle: a script, a sentence, code.
pub(super) fn is_more_than_a_path(text: &str) -> bool {
    text.trim().contains(|c: char| c.is_whitespace() || "\"'`()<>|&".contains(c))
}

/// What was found, each once.
#[derive(Default)]
pub(super) struct Found {
    pub(super) tokens: Vec<String>,
    seen: BTreeSet<String>,
}

impl Found {
    pub(super) fn add(&mut self, token: &str) {
        // Past the bound only what says by itself that it is a path: a plain name could be no more than a link.
        let is_due = self.tokens.len() < MAX_PARTS
            || token.starts_with(['/', '~', '.', '$', '%', '\\'])
            || token.contains("..")
            || start::is_windows(token);
        if is_due && !token.is_empty() && self.seen.insert(token.to_owned()) {
            self.tokens.push(token.to_owned());
        }
    }
}

/// A word as one thing: a path, an option with one, a list of them.
pub(super) fn whole(text: &str, found: &mut Found) {
    if let Some(path) = file_address(text) {
        found.add(&path);
        return;
    }
    if is_address(text) {
        climbing_address(text, found);
        return;
    }
    if let Some(letters) = text.strip_prefix('-') {
        option(letters, found);
    } else {
        plain(text, found);
    }
    // A variable for a known folder is expanded wherever it stands in the word.
    for (at, _) in text.match_indices('$').skip_while(|(at, _)| *at == 0) {
        if let Some(rest) = text.get(at..)
            && (start::is_known_variable(rest) || start::is_windows(rest))
        {
            found.add(rest);
        }
    }
    parts(text, found);
}

/// A path as it stands; one that begins with something unknown only where the rest tells.
fn plain(text: &str, found: &mut Found) {
    let text = text.trim_matches(|c| matches!(c, '"' | '\''));
    if let Some(path) = file_address(text) {
        found.add(&path);
        return;
    }
    if is_address(text) {
        climbing_address(text, found);
        return;
    }
    let is_unknown =
        text.starts_with(['$', '`', '%']) && !start::is_known_variable(text) && !start::is_windows(text);
    if !is_unknown || evident::tells_by_its_end(text) {
        found.add(text);
    }
}

/// An option: `-f/etc/x`, `-xzf/etc/x`, `--file=/etc/x` (whose value the parts find). `text` is without its first dash.
fn option(text: &str, found: &mut Found) {
    if text.starts_with('-') {
        return;
    }
    let mut letters = text.chars();
    letters.next();
    // The value of a first letter: anything.
    let value = letters.as_str();
    if value.contains(['/', '.', '~', '$', '\\']) {
        plain(value, found);
    }
    // The value of a later one: only what is plainly a path, since `-Isrc/lib` is none that begins at `/lib`.
    for (at, _) in value.char_indices().skip(1) {
        let Some(rest) = value.get(at..) else { continue };
        if evident::begins(rest) {
            found.add(rest);
            break;
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            break;
        }
    }
}

/// What stands between the characters that join things in one word.
fn parts(text: &str, found: &mut Found) {
    if !text.contains(['=', '@', ':', ',', ';']) {
        return;
    }
    if let Some((_, value)) = text.split_once('=') {
        plain(value, found);
        if is_address(value) && !value.contains([',', ';']) {
            return;
        }
    }
    let has_default = text.contains("${");
    // A colon also belongs to a drive, so the parts that keep it count too.
    let with_colon = text.split(['=', '@', ',', ';']).filter(|part| part.contains(':'));
    for part in with_colon.chain(text.split(['=', '@', ':', ',', ';'])) {
        let part = part.trim_matches(|c| "\"'()[]{}<>;!".contains(c));
        // `${x:-/etc/y}`: what a default begins with belongs to the form.
        let part = if has_default { part.trim_start_matches(['-', '+', '?']) } else { part };
        if !part.is_empty() && !part.starts_with('-') {
            plain(part, found);
        }
    }
    // Behind `=` or `,` a whole address may stand, whose colon the split took away.
    for (at, _) in text.match_indices("file:") {
        if let Some(path) = text.get(at..).and_then(file_address) {
            found.add(&path);
        }
    }
}

/// To who opens files, an address is a path through a folder called `https:`.
fn climbing_address(text: &str, found: &mut Found) {
    if text.split('/').any(|name| name == "..") {
        found.add(text);
    }
}

/// Whether a text is an address on the network: what follows its `//` is a host, and no path here.
fn is_address(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.:".contains(c))
            && !scheme.eq_ignore_ascii_case("file")
    })
}

/// The path of a `file:` address.
pub(super) fn file_address(text: &str) -> Option<String> {
    let scheme = text.get(..5)?;
    let rest = text.get(5..)?;
    if !scheme.eq_ignore_ascii_case("file:") || !rest.starts_with('/') {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        // `file:///x`, or a host's.
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest),
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    Some(unescape(path))
}

/// Takes `%41` back to `A`; what is no such escape stays.
pub(in crate::classify) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match behind {
            [high, low, ..] if *first == b'%' => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                digit(high).zip(digit(low)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = behind.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a word's braces make of it, the word itself first: `~/.{ssh,aws}` names both. Nested ones are opened one after
/// the other; past the bound a group counts as any name, and so does a sequence (`{a..z}`).
fn braces(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    let mut next = 0;
    while let Some(text) = all.get(next).cloned() {
        next += 1;
        let Some((before, inside, after)) = inner_braces(&text) else { continue };
        let parts: Vec<&str> = if inside.contains(',') { inside.split(',').collect() } else { vec!["*"] };
        if all.len() + parts.len() <= MAX_BRACES && text.len() <= MAX_BRACED {
            all.extend(parts.iter().map(|part| format!("{before}{part}{after}")));
        } else {
            all.push(without_braces(&text));
        }
    }
    all
}

/// A word with a `*` for all from its first brace to its last.
fn without_braces(text: &str) -> String {
    let before = text.split('{').next().unwrap_or_default();
    let after = text.rsplit('}').next().unwrap_or_default();
    format!("{before}*{after}")
}

/// The first innermost `{a,b}` or `{a..b}` of a text, and what stands around it.
fn inner_braces(text: &str) -> Option<(&str, &str, &str)> {
    let mut open = None;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open = Some(at),
            '}' => {
                if let Some(start) = open {
                    let inside = text.get(start + 1..at)?;
                    let is_group = inside.contains(',') || inside.contains("..");
                    if is_group && !text.get(..start)?.ends_with('$') {
                        return Some((text.get(..start)?, inside, text.get(at + 1..)?));
                    }
                }
                open = None;
            }
            _ => {}
        }
    }
    None
}
