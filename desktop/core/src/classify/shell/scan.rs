//! Cuts any text into commands, as well as that can be done without running it: quotes, substitutions, here-documents,
//! groups and keywords. Tolerant and total: what it can't read it marks as odd, and goes on. It only ever serves to
//! find more, so where two readings are possible it takes the one that shows more commands.

mod brace;
mod dollar;
mod frame;
mod here;
mod operator;

use self::frame::{Frame, Level};
use super::part::{Assigned, Cut, Part};
use crate::classify::word::Word;

/// How deep substitutions may nest before a text counts as unreadable.
pub(super) const MOST_NESTED: u8 = 8;
/// How many quotes, braces and substitutions may be open at once.
const MOST_LEVELS: usize = 48;

/// The commands of a text that stands `nest` substitutions deep.
pub(super) fn scan(text: &str, nest: u8) -> Cut {
    let text: Vec<char> = text.chars().collect();
    let mut out = Cut::default();
    scan_into(&text, nest, false, &mut out);
    out
}

/// Cuts a text; of a here-document's body only what is expanded in it.
fn scan_into(text: &[char], nest: u8, is_body: bool, out: &mut Cut) {
    if nest > MOST_NESTED {
        out.is_deep = true;
        return;
    }
    let mut scanner = Scanner {
        text,
        at: 0,
        levels: Vec::new(),
        frame: Frame::new(nest, 0, false),
        outer: Vec::new(),
        out,
    };
    if is_body {
        scanner.levels.push(Level::Body);
    }
    scanner.run();
}

struct Scanner<'t> {
    text: &'t [char],
    at: usize,
    /// Quotes and braces that are open within the current frame's word.
    levels: Vec<Level>,
    /// The commands of the innermost substitution.
    frame: Frame,
    /// Those around it, with the levels that were open there.
    outer: Vec<(Frame, Vec<Level>)>,
    out: &'t mut Cut,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(c) = self.next() {
            match self.levels.last() {
                None => self.command(c),
                Some(Level::Double { .. }) => self.in_double(c),
                Some(Level::Brace { .. }) => self.in_brace(c),
                Some(Level::Body) => self.in_body(c),
            }
            if self.outer.len() + self.levels.len() > MOST_LEVELS
                || self.frame.nest > MOST_NESTED
                || self.frame.is_deep()
            {
                self.out.is_deep = true;
                break;
            }
        }
        self.end();
    }

    /// Closes whatever is still open.
    fn end(&mut self) {
        if !matches!(self.levels.last(), None | Some(Level::Body)) || !self.outer.is_empty() {
            self.out.is_odd = true;
        }
        loop {
            self.end_word();
            self.end_part(None);
            if !self.frame.here.is_empty() || self.frame.is_unfinished() {
                self.out.is_odd = true;
            }
            match self.outer.pop() {
                Some((frame, _)) => self.frame = frame,
                None => break,
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += usize::from(c.is_some());
        c
    }

    /// The character `ahead` of the next one.
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn next_is(&mut self, c: char) -> bool {
        let is_next = self.peek(0) == Some(c);
        self.at += usize::from(is_next);
        is_next
    }

    /// One character outside of quotes.
    fn command(&mut self, c: char) {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' => {
                self.end_word();
                self.end_part(Some(super::part::Joint::Then));
                self.read_here_documents();
            }
            '\\' => match self.next() {
                Some('\n') => {}
                Some(next) => self.frame.word_mut().push_quoted(next),
                None => self.out.is_odd = true,
            },
            '\'' => self.single_quotes(),
            '"' => self.open_double(),
            '$' => self.dollar(),
            '`' => self.backtick(),
            '#' if self.frame.word.is_none() => self.comment(),
            '<' | '>' if self.peek(0) == Some('(') && !self.frame.is_test => {
                self.at += 1;
                self.open_substitution(2, false);
            }
            '<' | '>' => self.angle(c),
            '|' | '&' | ';' => self.separator(c),
            '(' => self.open_paren(),
            ')' => self.close_paren(),
            _ => self.frame.word_mut().push(c),
        }
    }

    fn comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn single_quotes(&mut self) {
        self.frame.word_mut().quote();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.frame.word_mut().push_quoted(c),
                None => {
                    self.out.is_odd = true;
                    return;
                }
            }
        }
    }

    fn open_double(&mut self) {
        let is_silent = self.is_silent();
        if !is_silent {
            self.frame.word_mut().quote();
        }
        self.levels.push(Level::Double { is_silent });
    }

    /// Whether the word gets this text anyway, as written, from a brace around it.
    fn is_silent(&self) -> bool {
        match self.levels.last() {
            Some(Level::Brace { .. }) => true,
            Some(Level::Double { is_silent }) => *is_silent,
            Some(Level::Body) | None => false,
        }
    }

    fn in_double(&mut self, c: char) {
        match c {
            '"' => {
                self.levels.pop();
            }
            '\\' => match self.next() {
                Some('\n') => {}
                Some(next @ ('$' | '`' | '"' | '\\')) => self.push_quoted(next),
                Some(next) => {
                    self.push_quoted('\\');
                    self.push_quoted(next);
                }
                None => {}
            },
            '$' => self.dollar(),
            '`' => self.backtick(),
            _ => self.push_quoted(c),
        }
    }

    fn in_body(&mut self, c: char) {
        match c {
            '\\' => {
                self.next();
            }
            '$' => self.dollar(),
            '`' => self.backtick(),
            _ => {}
        }
    }

    fn in_brace(&mut self, c: char) {
        match c {
            '}' => self.close_brace(),
            '\\' => {
                self.next();
            }
            '"' => self.open_double(),
            // Quoting or not, depending on what stands around: both readings must be looked at.
            '\'' => self.out.is_odd = true,
            '$' => self.dollar(),
            '`' => self.backtick(),
            '<' | '>' if self.peek(0) == Some('(') => {
                self.at += 1;
                self.open_substitution(2, false);
            }
            _ => {}
        }
    }

    fn push_quoted(&mut self, c: char) {
        if !self.is_silent() && !matches!(self.levels.last(), Some(Level::Body)) {
            self.frame.word_mut().push_quoted(c);
        }
    }

    /// Gives the current word a piece that can't be known, as written from `start` to here.
    fn push_unknown(&mut self, start: usize) {
        if self.is_silent() || matches!(self.levels.last(), Some(Level::Body)) {
            return;
        }
        let written = self.text.get(start..self.at).unwrap_or_default();
        self.frame.word_mut().push_unknown(written.iter());
    }

    /// Gives the current word a piece as it is written, from `start` to here.
    fn push_written(&mut self, start: usize) {
        for at in start..self.at {
            if let Some(&c) = self.text.get(at) {
                self.push_quoted(c);
            }
        }
    }

    /// Enters a `$(`, `<(` or `>(`, whose opening has `length` characters and is just behind.
    fn open_substitution(&mut self, length: usize, is_doubtful: bool) {
        let frame = Frame::new(self.frame.nest + 1, self.at.saturating_sub(length), is_doubtful);
        let levels = core::mem::take(&mut self.levels);
        self.outer.push((core::mem::replace(&mut self.frame, frame), levels));
    }

    fn close_substitution(&mut self) {
        self.end_part(None);
        if !self.frame.here.is_empty() || self.frame.is_unfinished() {
            self.out.is_odd = true;
        }
        let start = self.frame.start;
        if let Some((frame, levels)) = self.outer.pop() {
            self.frame = frame;
            self.levels = levels;
            self.push_unknown(start);
        }
    }

    /// Reads a text in backticks, whose commands stand one level deeper.
    fn backtick(&mut self) {
        let start = self.at - 1;
        let mut inner = Vec::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '\\' | '$')) => inner.push(c),
                    Some(c) => inner.extend(['\\', c]),
                    None => {}
                },
                Some(c) => inner.push(c),
                None => {
                    self.out.is_odd = true;
                    break;
                }
            }
        }
        scan_into(&inner, self.frame.nest + 1, false, self.out);
        self.push_unknown(start);
    }

    fn end_word(&mut self) {
        let Some(built) = self.frame.word.take() else { return };
        for word in brace::expand(built) {
            self.frame.take_word(word, self.out);
        }
    }

    /// Ends the command; `next` is how another one follows, if one does.
    fn end_part(&mut self, next: Option<super::part::Joint>) {
        self.end_word();
        self.frame.end_part(next, self.out);
    }
}

/// The name and value of `NAME=value`, `NAME+=value` or `NAME[i]=value`.
pub(super) fn assignment(word: &Word) -> Option<Assigned> {
    let (left, value) = word.text.split_once('=')?;
    let name = left.strip_suffix('+').unwrap_or(left);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let mut letters = name.chars();
    let begins = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !begins || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let value = Word { text: value.to_owned(), ..word.clone() };
    Some(Assigned { name: name.to_owned(), values: vec![value] })
}

/// Every part counts only where it is red: for texts that are perhaps no commands.
pub(super) fn doubt(parts: &mut [Part]) {
    for part in parts {
        part.is_doubtful = true;
    }
}
