//! Tells lines of Rust that hold code from blank ones and those that hold only comments.

use std::{iter::Peekable, str::Chars};

/// A source without the module of tests at its end.
pub fn without_tests(source: &str) -> &str {
    source.find("\n#[cfg(test)]\nmod tests {").map_or(source, |at| &source[..=at])
}

/// How many lines hold something that is neither white space nor comment.
pub fn lines_of_code(source: &str) -> usize {
    let mut count = Count { rest: source.chars().peekable(), lines: 0, has_code: false };
    count.run();
    count.lines
}

struct Count<'a> {
    rest: Peekable<Chars<'a>>,
    lines: usize,
    has_code: bool,
}

impl Count<'_> {
    fn run(&mut self) {
        let mut before = ' ';
        while let Some(c) = self.next() {
            match c {
                '/' if self.rest.peek() == Some(&'/') => self.skip_line(),
                '/' if self.rest.peek() == Some(&'*') => self.skip_block(),
                _ => {
                    self.has_code |= !c.is_whitespace();
                    match c {
                        '"' => self.skip_string(),
                        '\'' => self.skip_character(),
                        'r' if !is_in_word(before) || before == 'b' => self.skip_raw_string(),
                        _ => {}
                    }
                }
            }
            before = c;
        }
        self.end_line();
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.end_line();
        }
        Some(c)
    }

    fn end_line(&mut self) {
        self.lines += usize::from(std::mem::take(&mut self.has_code));
    }

    fn skip_line(&mut self) {
        while self.rest.peek().is_some_and(|c| *c != '\n') {
            self.rest.next();
        }
    }

    fn skip_block(&mut self) {
        let mut depth = 0_usize;
        let mut before = '/';
        while let Some(c) = self.next() {
            match (before, c) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    before = c;
                    continue;
                }
            }
            if depth == 0 {
                return;
            }
            before = ' ';
        }
    }

    fn skip_string(&mut self) {
        while let Some(c) = self.text() {
            match c {
                '\\' => drop(self.text()),
                '"' => return,
                _ => {}
            }
        }
    }

    /// `'"'` opens no string; `'a` is a lifetime, and ends as any word does.
    fn skip_character(&mut self) {
        match self.text() {
            Some('\\') => {
                self.text();
                while self.text().is_some_and(|c| c != '\'') {}
            }
            Some(_) => drop(self.rest.next_if_eq(&'\'')),
            None => {}
        }
    }

    fn skip_raw_string(&mut self) {
        let mut hashes = 0;
        while self.rest.next_if_eq(&'#').is_some() {
            hashes += 1;
        }
        if self.rest.next_if_eq(&'"').is_none() {
            return;
        }
        while let Some(c) = self.text() {
            if c == '"' && (0..hashes).all(|_| self.rest.next_if_eq(&'#').is_some()) {
                return;
            }
        }
    }

    /// The next character of a literal, in which every line counts that holds anything.
    fn text(&mut self) -> Option<char> {
        let c = self.next()?;
        self.has_code |= !c.is_whitespace();
        Some(c)
    }
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        assert_eq!(lines_of_code("//! What.\n\nfn main() {} // why\n/* a\n/* b */\nc */ let x;\n"), 2);
        assert_eq!(lines_of_code("\n  \n// only\n"), 0);
        assert_eq!(lines_of_code("a / b\n/c"), 2);
    }

    #[test]
    fn what_looks_like_a_comment_in_a_literal_is_code() {
        assert_eq!(lines_of_code("let a = \"// \\\" /*\";\nlet b = 1;\n"), 2);
        assert_eq!(lines_of_code("let a = r#\"\n// one\n\" /* two\n\"#;\n// end\n"), 4);
        assert_eq!(lines_of_code("let a = br\"/*\";\nlet c = b'\\'';\nlet b = '\"';\n// end\n"), 3);
        assert_eq!(lines_of_code("fn f<'a>(x: &'a str) {}\n// end\nlet r = '/';\n"), 2);
    }

    #[test]
    fn a_module_of_tests_is_left_out_and_a_file_of_them_named_elsewhere_is_not_mistaken_for_one() {
        assert_eq!(without_tests("fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n"), "fn a() {}\n\n");
        assert_eq!(
            without_tests("#[cfg(test)]\nmod tests;\nfn a() {}"),
            "#[cfg(test)]\nmod tests;\nfn a() {}"
        );
    }
}
