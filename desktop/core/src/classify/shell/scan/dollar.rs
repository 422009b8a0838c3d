//! What begins with a dollar sign.

use super::{Scanner, frame::Level};

impl Scanner<'_> {
    /// An expansion, whose `$` is just behind.
    pub(super) fn dollar(&mut self) {
        let start = self.at - 1;
        let is_bare = self.levels.is_empty();
        match self.peek(0) {
            Some('(') => {
                self.at += 1;
                // `$((` may be arithmetic or a subshell in a substitution.
                let is_doubtful = self.is_arithmetic();
                self.open_substitution(2, is_doubtful);
            }
            Some('{') => {
                self.at += 1;
                if is_bare && self.skip_separator_variable() {
                    return;
                }
                self.note_transformation();
                self.levels.push(Level::Brace { start: (!self.is_silent()).then_some(start) });
            }
            Some('\'') if is_bare => {
                self.at += 1;
                self.ansi_c();
            }
            Some('"') if is_bare => {
                self.at += 1;
                self.open_double();
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                while self.peek(0).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
                let is_separator = self.text.get(start + 1..self.at) == Some(&['I', 'F', 'S']);
                let is_home = self.text.get(start + 1..self.at) == Some(&['H', 'O', 'M', 'E']);
                if is_home {
                    // Known to whoever looks at paths.
                    self.push_written(start);
                } else if is_bare && is_separator {
                    self.end_word();
                } else {
                    self.push_unknown(start);
                }
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                self.at += 1;
                self.push_unknown(start);
            }
            _ if is_bare => self.frame.word_mut().push('$'),
            _ => self.push_quoted('$'),
        }
    }

    /// Takes `IFS}` as the gap between words that it is.
    fn skip_separator_variable(&mut self) -> bool {
        if self.text.get(self.at..self.at + 3) != Some(&['I', 'F', 'S']) {
            return false;
        }
        let close = (3..16).find(|&ahead| self.peek(ahead) == Some('}'));
        let is_plain = self.peek(3).is_some_and(|c| !c.is_ascii_alphanumeric() && c != '_');
        let Some(close) = close.filter(|_| is_plain) else { return false };
        self.at += close + 1;
        self.end_word();
        true
    }

    /// Notes `${!x}` and `${x@P}`, whose result the shell reads once more.
    fn note_transformation(&mut self) {
        let mut ahead = 0;
        if self.peek(0) == Some('!') {
            self.out.transforms = true;
        }
        while self
            .peek(ahead)
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']' | '@' | '*'))
        {
            if self.peek(ahead) == Some('@')
                && self.peek(ahead + 2) == Some('}')
                && self.peek(ahead + 1) != Some(']')
            {
                self.out.transforms = true;
            }
            ahead += 1;
        }
    }

    pub(super) fn close_brace(&mut self) {
        if let Some(Level::Brace { start: Some(start) }) = self.levels.pop() {
            if self.text.get(start..self.at) == Some(&['$', '{', 'H', 'O', 'M', 'E', '}']) {
                self.push_written(start);
                return;
            }
            self.push_unknown(start);
        }
    }

    /// `$'…'`: quotes with escapes that are taken literally.
    fn ansi_c(&mut self) {
        self.frame.word_mut().quote();
        loop {
            let Some(c) = self.next() else {
                self.out.is_odd = true;
                return;
            };
            match c {
                '\'' => return,
                '\\' => {
                    let Some(escape) = self.next() else {
                        self.out.is_odd = true;
                        return;
                    };
                    self.escape(escape);
                }
                _ => self.frame.word_mut().push_quoted(c),
            }
        }
    }

    fn escape(&mut self, escape: char) {
        let decoded = match escape {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'e' | 'E' => Some('\u{1b}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            'x' => self.number(16, 2),
            'u' => self.number(16, 4),
            'U' => self.number(16, 8),
            'c' => self.next().map(|c| char::from(u8::try_from(c).unwrap_or(0) & 0x1f)),
            '0'..='7' => {
                self.at -= 1;
                self.number(8, 3)
            }
            other => Some(other),
        };
        match decoded {
            // A byte of zero ends the word in bash; what follows is looked at all the same.
            Some('\0') | None => self.frame.word_mut().word.is_known = false,
            Some(c) => self.frame.word_mut().push_quoted(c),
        }
    }

    fn number(&mut self, radix: u32, digits: usize) -> Option<char> {
        let mut value = 0_u32;
        let mut taken = 0;
        while taken < digits {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
            taken += 1;
        }
        if radix == 8 {
            value &= 0xff;
        }
        char::from_u32(value)
    }
}
