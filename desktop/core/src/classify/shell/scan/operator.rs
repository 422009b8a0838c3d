//! Operators: redirects, separators and parentheses.

use super::{
    Scanner,
    frame::{Here, Wanted},
};
use crate::classify::shell::part::{How, Joint};

/// How far is looked for the end of `((`; a longer one is read as commands.
const MOST_ARITHMETIC: usize = 256;

impl Scanner<'_> {
    /// A redirect, whose `<` or `>` is just behind.
    pub(super) fn angle(&mut self, c: char) {
        if self.frame.is_test {
            // A comparison.
            self.end_word();
            return;
        }
        self.drop_stream_number();
        self.end_word();
        self.frame.wanted = if c == '<' { self.input() } else { self.output() };
    }

    /// `2>` and `{fd}>`: the word before names a stream.
    fn drop_stream_number(&mut self) {
        let is_number = self.frame.word.as_ref().is_some_and(|built| {
            let text = built.word.text.as_str();
            let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            let is_name = name.is_some_and(|name| !name.is_empty() && !name.contains(','));
            !built.word.is_quoted
                && built.word.is_known
                && (is_name || text.bytes().all(|b| b.is_ascii_digit()))
        });
        if is_number {
            self.frame.word = None;
        }
    }

    fn input(&mut self) -> Wanted {
        if self.next_is('<') {
            if self.next_is('<') {
                return Wanted::HereString;
            }
            if self.frame.is_doubtful() {
                // A shift in arithmetic. If it is a here-document after all, its lines are read as commands.
                self.out.is_odd = true;
                return Wanted::Stream;
            }
            let is_indented = self.next_is('-');
            self.frame.here.push(Here { delimiter: None, is_literal: false, is_indented, readers: None });
            return Wanted::Delimiter;
        }
        if self.next_is('>') {
            return Wanted::Target(How::Both);
        }
        if self.next_is('&') { Wanted::Stream } else { Wanted::Target(How::Read) }
    }

    fn output(&mut self) -> Wanted {
        if self.next_is('>') {
            // zsh: `>>|` and `>>!`.
            let _ = self.next_is('|') || self.next_is('!');
            return Wanted::Target(How::Append);
        }
        if self.next_is('&') {
            // `>&2` and `>&-` name a stream; `>&file` is a file.
            let is_stream = self.peek(0).is_some_and(|c| c.is_ascii_digit() || c == '-');
            return if is_stream { Wanted::Stream } else { Wanted::Target(How::Over) };
        }
        if self.peek(0) == Some('!') && self.peek(1).is_some_and(|c| !matches!(c, '\n' | ';' | '&' | '|')) {
            // zsh's `>!` overwrites what follows; to bash the target is a file whose name begins with `!`.
            self.at += 1;
        } else {
            let _ = self.next_is('|');
        }
        Wanted::Target(How::Over)
    }

    /// `|`, `&`, `;` and what they begin.
    pub(super) fn separator(&mut self, c: char) {
        match c {
            '|' if self.frame.is_pattern => self.end_word(),
            '|' => {
                let joint = if self.next_is('|') {
                    Joint::Or
                } else {
                    let _ = self.next_is('&');
                    Joint::Pipe
                };
                self.end_part(Some(joint));
            }
            '&' if self.next_is('&') => self.end_part(Some(Joint::And)),
            '&' if self.peek(0) == Some('>') => {
                self.at += 1;
                self.end_word();
                self.frame.wanted = self.output();
            }
            '&' => {
                // zsh: `&|` and `&!`.
                let _ = self.next_is('|') || self.next_is('!');
                self.end_part(Some(Joint::Beside));
            }
            _ => {
                let is_double = self.next_is(';') || self.peek(0) == Some('&');
                if is_double {
                    let _ = self.next_is('&') || self.next_is('|');
                    self.out.is_odd |= self.frame.cases == 0;
                }
                self.end_part(Some(Joint::Then));
                self.frame.is_pattern = is_double && self.frame.cases > 0;
            }
        }
    }

    pub(super) fn open_paren(&mut self) {
        if self.frame.is_test || self.frame.is_pattern {
            self.end_word();
            return;
        }
        let is_empty_pair = self.peek_past_blanks() == Some(')');
        if let Some(built) = &self.frame.word {
            let text = built.word.text.as_str();
            if self.frame.part.words.is_empty() && text.ends_with('=') && !built.word.is_quoted {
                self.end_word();
                self.frame.is_array = true;
                self.frame.parens.push(false);
                return;
            }
            if text.ends_with(['?', '*', '+', '@', '!']) {
                self.extended_glob();
                return;
            }
            if self.frame.part.words.is_empty() && is_empty_pair {
                let name = text.to_owned();
                self.frame.word = None;
                self.frame.wanted = Wanted::Word;
                self.out.functions.push(name);
                self.skip_empty_pair();
                return;
            }
            self.out.is_odd = true;
            self.end_word();
        }
        if is_empty_pair && self.frame.part.words.len() == 1 {
            // `name ()`, or after `function name`.
            if let Some(name) = self.frame.part.words.pop() {
                self.out.functions.push(name.text);
            }
            self.skip_empty_pair();
            return;
        }
        if is_empty_pair && self.frame.part.words.is_empty() {
            self.skip_empty_pair();
            return;
        }
        if !self.frame.part.words.is_empty() {
            self.out.is_odd = true;
            self.end_part(Some(Joint::Then));
        }
        let is_arithmetic = self.is_arithmetic();
        self.frame.open_group(true);
        self.frame.parens.push(is_arithmetic);
    }

    /// Whether the parenthesis just opened begins `((…))`, closed by two in a row, which is not two subshells.
    pub(super) fn is_arithmetic(&self) -> bool {
        if self.peek(0) != Some('(') {
            return false;
        }
        let mut open = 1_u32;
        let mut last = ' ';
        for &c in self.text.iter().skip(self.at).take(MOST_ARITHMETIC) {
            match c {
                '(' => open += 1,
                ')' if open == 1 => return last == ')',
                ')' => open -= 1,
                _ => {}
            }
            last = c;
        }
        false
    }

    fn peek_past_blanks(&self) -> Option<char> {
        self.text.get(self.at..)?.iter().copied().find(|c| !matches!(c, ' ' | '\t'))
    }

    fn skip_empty_pair(&mut self) {
        while self.next().is_some_and(|c| c != ')') {}
    }

    /// `?(a|b)`: one word, whatever stands in it.
    fn extended_glob(&mut self) {
        let mut open = 1_u32;
        self.frame.word_mut().word.is_glob = true;
        self.frame.word_mut().push('(');
        while open > 0 {
            let Some(c) = self.next() else {
                self.out.is_odd = true;
                return;
            };
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                // Quotes and expansions in a pattern are rare enough to be looked at as if they were none.
                '$' | '`' | '\'' | '"' | '\\' => self.out.is_odd = true,
                _ => {}
            }
            self.frame.word_mut().push(c);
        }
    }

    pub(super) fn close_paren(&mut self) {
        self.end_word();
        if self.frame.is_test {
            return;
        }
        if self.frame.is_array {
            self.frame.is_array = false;
            self.frame.parens.pop();
            return;
        }
        if self.frame.is_pattern {
            self.frame.is_pattern = false;
            return;
        }
        if self.frame.parens.is_empty() {
            if self.outer.is_empty() {
                self.out.is_odd = true;
                self.end_part(Some(Joint::Then));
            } else {
                self.close_substitution();
            }
            return;
        }
        self.end_part(None);
        self.frame.parens.pop();
        self.frame.close_group();
    }
}
