//! Turns what hides into visible escapes. A character is judged alone (hidden or not), by its place (a mark that floods
//! or that has nothing to stand on) and by its word (a letter that poses as a Latin one). Escapes that are already there
//! are left alone and are part of no word, which is why escaping twice changes nothing.

use std::collections::BTreeSet;

use super::character::{Script, is_hidden, is_mark, is_twin, script};

/// Most marks that one character may carry.
const MARKS: usize = 4;

/// The text with everything hidden in it made visible, but for what `keep` keeps.
pub(super) fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return text.to_owned();
    }
    let pieces = classify(text, keep);
    let home = at_home(&pieces);
    let mut out = String::with_capacity(text.len());
    for chunk in pieces.chunk_by(|a, b| (a.kind == Kind::Blank) == (b.kind == Kind::Blank)) {
        let beside_latin = chunk.iter().any(|piece| piece.script() == Some(Script::Latin));
        for group in chunk.chunk_by(|a, b| a.is_in_word() == b.is_in_word()) {
            push_group(&mut out, group, |script| beside_latin || !home.contains(&script));
        }
    }
    out
}

/// Whether a shown text holds the escape of a character that hides, reorders or imitates: one that is no plain ASCII.
pub(super) fn has_escapes(text: &str) -> bool {
    text.match_indices("\\u{").any(|(at, start)| {
        let hex = text.get(at + start.len()..).unwrap_or_default();
        let digits: String = hex.chars().take_while(char::is_ascii_hexdigit).take(6).collect();
        u32::from_str_radix(&digits, 16).is_ok_and(|code| !(0x20..0x7f).contains(&code))
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A space, or a line break or tab that is kept: it ends a chunk.
    Blank,
    /// Part of a word.
    Letter,
    /// A mark on the character before it.
    Mark,
    /// Shown as it is, part of no word.
    Other,
    /// Part of an escape that was there before.
    Escape,
    /// To be shown as an escape wherever it stands.
    Hidden,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    c: char,
    kind: Kind,
}

impl Piece {
    fn is_in_word(self) -> bool {
        matches!(self.kind, Kind::Letter | Kind::Mark)
    }

    fn script(self) -> Option<Script> {
        if self.kind == Kind::Letter { script(self.c) } else { None }
    }
}

fn classify(text: &str, keep: impl Fn(char) -> bool) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(text.len());
    let mut escape_left = 0;
    let mut rest = text.chars();
    loop {
        if escape_left == 0 {
            escape_left = escape_length(rest.as_str());
        }
        let Some(c) = rest.next() else { break };
        let kind = match c {
            _ if escape_left > 0 => Kind::Escape,
            ' ' => Kind::Blank,
            c if keep(c) => Kind::Blank,
            c if is_hidden(c) => Kind::Hidden,
            c if is_mark(c) => Kind::Mark,
            c if c.is_alphanumeric() => Kind::Letter,
            _ => Kind::Other,
        };
        escape_left = usize::saturating_sub(escape_left, 1);
        pieces.push(Piece { c, kind });
    }
    hide_loose_marks(&mut pieces);
    pieces
}

/// Length in characters of the escape that a text begins with, 0 where it begins with none.
fn escape_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('\\') else { return 0 };
    let digits = |text: &str| text.chars().take_while(char::is_ascii_hexdigit).count();
    if rest.starts_with(['n', 'r', 't']) {
        2
    } else if rest.strip_prefix('x').is_some_and(|hex| digits(hex) >= 2) {
        4
    } else if let Some(hex) = rest.strip_prefix("u{") {
        let n = digits(hex);
        if (1..=6).contains(&n) && hex.chars().nth(n) == Some('}') { n + 4 } else { 0 }
    } else {
        0
    }
}

/// Marks that have nothing to stand on would be drawn on our own text, and many on one character hide what is around.
fn hide_loose_marks(pieces: &mut [Piece]) {
    let mut base = false;
    for group in pieces.chunk_by_mut(|a, b| (a.kind == Kind::Mark) == (b.kind == Kind::Mark)) {
        if group.first().is_some_and(|piece| piece.kind != Kind::Mark) {
            base = group.last().is_some_and(|piece| matches!(piece.kind, Kind::Letter | Kind::Other));
        } else if !base || group.len() > MARKS {
            group.iter_mut().for_each(|mark| mark.kind = Kind::Hidden);
        }
    }
}

/// Scripts that the text is really written in: one of its words has a letter that no Latin one looks like.
fn at_home(pieces: &[Piece]) -> BTreeSet<Script> {
    let words = pieces.split(|piece| !piece.is_in_word());
    words.filter_map(|word| Word::of(word).only_script.filter(|_| !Word::of(word).is_all_twins)).collect()
}

struct Word {
    /// Letters of two scripts, of which each has twins in the other.
    is_mixed: bool,
    /// The one script, where there is one.
    only_script: Option<Script>,
    /// Every letter looks like a Latin one.
    is_all_twins: bool,
}

impl Word {
    fn of(word: &[Piece]) -> Self {
        let scripts: BTreeSet<Script> = word.iter().filter_map(|piece| piece.script()).collect();
        let mut letters = word.iter().filter(|piece| piece.kind == Kind::Letter && piece.c.is_alphabetic());
        Self {
            is_mixed: scripts.len() > 1,
            only_script: scripts.first().copied().filter(|_| scripts.len() == 1),
            is_all_twins: letters.all(|piece| is_twin(piece.c)),
        }
    }

    fn is_posing(&self, is_foreign: impl Fn(Script) -> bool) -> bool {
        self.is_mixed || (self.is_all_twins && self.only_script.is_some_and(is_foreign))
    }
}

fn push_group(out: &mut String, group: &[Piece], is_foreign: impl Fn(Script) -> bool) {
    let posing = Word::of(group).is_posing(is_foreign);
    // A mark goes the way of the letter that carries it.
    let mut escaped = false;
    for piece in group {
        escaped = match piece.kind {
            Kind::Hidden => true,
            Kind::Letter => posing && piece.script().is_some_and(|script| script != Script::Latin),
            Kind::Mark => escaped,
            Kind::Blank | Kind::Other | Kind::Escape => false,
        };
        if escaped { push_escape(out, piece.c) } else { out.push(piece.c) }
    }
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
    }
}
