//! Looks for more in any text: our own tolerant scan, a second opinion by tree-sitter's bash grammar, and where one of
//! them stumbles, a scan that ignores quotes. It only ever raises what is already said of a text.

mod tree;

use std::collections::BTreeSet;

use super::{
    lexer::MOST_BYTES,
    part::{Cut, Joint, Part},
    scan,
};
use crate::classify::word::Word;

/// How many joints a text may have for a second opinion: the parser's work grows with their square.
const MOST_JOINTS: usize = 512;

/// What was found in a text.
#[derive(Debug)]
pub(super) struct Found {
    /// Its commands, and further down those that are perhaps none.
    pub(super) cut: Cut,
    /// Whether it could be read as shell grammar.
    pub(super) is_read: bool,
}

/// Finds the commands of any text of at most [`MOST_BYTES`], standing `nest` deep.
pub(super) fn find(text: &str, nest: u8) -> Found {
    let mut cut = scan::scan(text, nest);
    let mut is_read = !cut.is_odd && !cut.is_deep;
    if cut.is_deep || text.len() > MOST_BYTES {
        return Found { cut, is_read: false };
    }
    let seen: BTreeSet<Vec<String>> = cut.parts.iter().map(words_of).collect();
    let is_joint = |byte: &u8| matches!(byte, b'|' | b'&' | b';' | b'(' | b'{' | b'[' | b'=');
    let is_many = text.bytes().filter(is_joint).count() > MOST_JOINTS;
    let tree = if is_many { tree::Look::default() } else { tree::look(text) };
    is_read &= tree.is_whole;
    cut.is_deep |= tree.is_deep;
    let mut more = Vec::new();
    for piece in &tree.pieces {
        let inner = scan::scan(piece, nest);
        more.extend(inner.parts.into_iter().filter(|part| !seen.contains(&words_of(part))));
    }
    for piece in &tree.raw {
        more.extend(blind(piece, nest));
    }
    if !is_read {
        more.extend(blind(text, nest));
    }
    scan::doubt(&mut more);
    cut.parts.extend(more);
    Found { cut, is_read }
}

fn words_of(part: &Part) -> Vec<String> {
    part.words.iter().map(|word| word.text.clone()).collect()
}

/// Commands as they would be if no quote held anything together.
fn blind(text: &str, nest: u8) -> Vec<Part> {
    let is_end = |c: char| matches!(c, '\n' | ';' | '|' | '&' | '(' | ')' | '`' | '{' | '}');
    let mut parts = Vec::new();
    for piece in text.split(is_end) {
        let piece: String = piece.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        let words: Vec<Word> = piece
            .split(|c: char| c.is_whitespace() || matches!(c, '<' | '>'))
            .map(|word| word.trim_start_matches('$'))
            .filter(|word| !word.is_empty())
            .map(|word| Word { is_quoted: true, ..Word::plain(word) })
            .collect();
        if !words.is_empty() {
            parts.push(Part { words, ..Part::new(Joint::Then, nest) });
        }
    }
    parts
}
