//! Turns what hides into visible escapes. A character is judged alone (hidden or not), by its place (a mark that floods
//! or that has nothing to stand on) and by its word (a letter that poses as a Latin one). Escapes that are already there
//! are left alone and are part of no word, which is why escaping twice changes nothing.

use super::{
    character::{
        Script, imitated, is_arabic, is_emoji, is_hidden, is_mark, is_sign_twin, is_twin, is_virama,
        joins_next, script,
    },
    command::is_command,
};

/// Most marks that one character may carry.
const MARKS: usize = 4;
/// How often a text is looked at again, since what is left may be judged in another way.
const TURNS: usize = 4;

/// The text with everything hidden in it made visible, but for what `keep` keeps. What does not come to rest has all of
/// it made visible that is no plain ASCII.
pub(super) fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut text = text.to_owned();
    for _ in 0..TURNS {
        let next = turn(&text, &keep);
        if next == text {
            return text;
        }
        text = next;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ' '..='~') || keep(c) { out.push(c) } else { push_escape(&mut out, c) }
    }
    out
}

fn turn(text: &str, keep: impl Fn(char) -> bool) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return text.to_owned();
    }
    let pieces = classify(text, keep);
    let home = at_home(&pieces);
    let mut out = String::with_capacity(text.len());
    for chunk in pieces.chunk_by(|a, b| (a.kind == Kind::Blank) == (b.kind == Kind::Blank)) {
        let place = Place {
            home: &home,
            beside_latin: chunk.iter().any(|piece| piece.script() == Some(Script::Latin)),
            in_name: is_name(chunk),
        };
        for group in chunk.chunk_by(|a, b| a.is_in_word() == b.is_in_word()) {
            if group.first().is_some_and(|piece| piece.is_in_word()) {
                push_word(&mut out, group, place);
            } else {
                group.iter().for_each(|piece| push_sign(&mut out, *piece, place));
            }
        }
    }
    out
}

/// Whether a shown text holds the escape of a character that hides, reorders or imitates: one that is no plain ASCII.
pub(super) fn has_escapes(text: &str) -> bool {
    text.match_indices("\\u{").any(|(at, start)| {
        let hex = text.get(at + start.len()..).unwrap_or_default();
        let digits: String = hex.chars().take_while(char::is_ascii_hexdigit).take(6).collect();
        let is_whole = hex.get(digits.len()..).is_some_and(|rest| rest.starts_with('}'));
        is_whole && u32::from_str_radix(&digits, 16).is_ok_and(|code| !(0x20..0x7f).contains(&code))
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

    /// Whether it is of ASCII, or a letter of a script that is near to Latin.
    fn is_near(self) -> bool {
        self.c.is_ascii() || self.script().is_some_and(Script::is_near)
    }

    /// Whether it is a letter of a script that is far from Latin.
    fn is_far(self) -> bool {
        self.script().is_some_and(|script| !script.is_near())
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
            // What joins or shapes two characters that are seen goes the way of the first.
            c if shapes(c, pieces.last(), rest.clone().next()) => Kind::Mark,
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

/// Whether an invisible character is there to shape those around it, and can be seen by that.
fn shapes(c: char, last: Option<&Piece>, next: Option<char>) -> bool {
    let Some(last) = last.filter(|last| matches!(last.kind, Kind::Letter | Kind::Mark | Kind::Other)) else {
        return false;
    };
    match c {
        '\u{fe0f}' => {
            is_emoji(last.c) || (matches!(last.c, '0'..='9' | '#' | '*') && next == Some('\u{20e3}'))
        }
        '\u{200d}' => {
            is_virama(last.c) || ((is_emoji(last.c) || last.c == '\u{fe0f}') && next.is_some_and(is_emoji))
        }
        '\u{200c}' => is_virama(last.c) || (joins_next(last.c) && next.is_some_and(is_arabic)),
        _ => false,
    }
}

/// Scripts that the text is really written in: one of its words has a letter that no Latin one looks like.
fn at_home(pieces: &[Piece]) -> Vec<Script> {
    let mut home = Vec::new();
    for word in pieces.split(|piece| !piece.is_in_word()) {
        let of = Word::of(word);
        let Some(script) = of.only_script.filter(|_| of.spelled.is_none()) else { continue };
        if !home.contains(&script) {
            home.push(script);
        }
    }
    home
}

/// Whether what stands between blanks is written as names of hosts and files are: signs between letters.
fn is_name(chunk: &[Piece]) -> bool {
    chunk.windows(3).any(|three| match three {
        [before, sign, after] => {
            before.is_in_word() && after.is_in_word() && matches!(sign.c, '.' | '/' | '@' | ':' | '_')
        }
        _ => false,
    })
}

/// Where a word stands.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    /// Scripts of the text.
    home: &'a [Script],
    /// Between the same blanks there are Latin letters.
    beside_latin: bool,
    /// Between the same blanks stands a name.
    in_name: bool,
}

impl Place<'_> {
    fn is_foreign(self, script: Script) -> bool {
        self.beside_latin || !self.home.contains(&script)
    }
}

struct Word {
    /// Letters of two scripts, of which each has twins in the other.
    is_mixed: bool,
    /// The one script, where there is one.
    only_script: Option<Script>,
    /// What it spells in ASCII, where every letter looks like one.
    spelled: Option<String>,
}

impl Word {
    fn of(word: &[Piece]) -> Self {
        let mut scripts: Vec<Script> = Vec::new();
        for script in word.iter().filter_map(|piece| piece.script()) {
            if !scripts.contains(&script) {
                scripts.push(script);
            }
        }
        let letters = word.iter().filter(|piece| piece.kind == Kind::Letter && piece.c.is_alphabetic());
        Self {
            is_mixed: scripts.iter().filter(|script| script.is_near()).count() > 1,
            only_script: scripts.first().copied().filter(|_| scripts.len() == 1),
            spelled: letters.map(|piece| imitated(piece.c)).collect(),
        }
    }

    /// Whether its letters of near scripts pose as Latin ones.
    fn is_posing(&self, place: Place<'_>) -> bool {
        let Some(script) = self.only_script.filter(|script| script.is_near()) else { return self.is_mixed };
        self.spelled.as_ref().is_some_and(|spelled| {
            let is_name = place.in_name && spelled.chars().count() > 1;
            place.is_foreign(script) || is_name || is_command(&spelled.to_ascii_lowercase())
        })
    }
}

fn push_word(out: &mut String, word: &[Piece], place: Place<'_>) {
    let is_posing = Word::of(word).is_posing(place);
    let has_ascii = word.iter().any(|piece| piece.c.is_ascii_alphanumeric());
    // A mark goes the way of the letter that carries it.
    let mut escaped = false;
    for run in
        word.chunk_by(|a, b| a.kind == Kind::Mark || b.kind == Kind::Mark || a.is_near() == b.is_near())
    {
        // Of other scripts only what is all twins poses, and only beside ASCII or where nothing else is of its script.
        let mut far = run.iter().filter(|piece| piece.is_far());
        let is_far_posing = far.clone().all(|piece| is_twin(piece.c))
            && (has_ascii
                || far.any(|piece| piece.script().is_some_and(|script| !place.home.contains(&script))));
        for piece in run {
            escaped = match (piece.kind, piece.script()) {
                (Kind::Mark, _) => escaped,
                (Kind::Hidden, _) => true,
                (Kind::Letter, Some(Script::Latin) | None) => false,
                (Kind::Letter, Some(script)) if script.is_near() => is_posing,
                (Kind::Letter, Some(_)) => is_far_posing,
                (Kind::Blank | Kind::Other | Kind::Escape, _) => false,
            };
            if escaped { push_escape(out, piece.c) } else { out.push(piece.c) }
        }
    }
}

fn push_sign(out: &mut String, piece: Piece, place: Place<'_>) {
    let poses = || {
        is_sign_twin(piece.c)
            && place.beside_latin
            && script(piece.c).is_some_and(|script| !place.home.contains(&script))
    };
    let is_escaped = match piece.kind {
        Kind::Hidden => true,
        Kind::Other => poses(),
        Kind::Letter | Kind::Mark | Kind::Blank | Kind::Escape => false,
    };
    if is_escaped { push_escape(out, piece.c) } else { out.push(piece.c) }
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
    }
}
