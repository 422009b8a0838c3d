//! The restricted grammar: the only road to green, to a policy's allow and to "simple". Linear, without recursion.
//! Literal words, both kinds of quotes without expansion, `&& || ; |`, line breaks and a handful of harmless redirects;
//! whatever else stands in a text makes it not simple.

use std::str::Chars;

use countersign_proto::text::is_hidden;

use super::part::{Cut, Feed, How, Joint, Part, Redirect};
use crate::classify::word::Word;

/// Texts longer than this are not read at all.
pub(super) const MOST_BYTES: usize = 64 * 1024;
/// The longest text that a rule or a policy line may answer, in characters (RULE-3, POL-5).
pub(in crate::classify) const MOST_CHARACTERS: usize = 300;

/// Words that begin or go on with a compound command, or change how the next one runs.
const KEYWORDS: &[&str] = &[
    "!",
    "[[",
    "]]",
    "{",
    "}",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "in",
    "noglob",
    "nocorrect",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
];

/// The commands of a text of the restricted grammar; `None` for every other text.
pub(super) fn lex(text: &str) -> Option<Cut> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let mut lexer = Lexer {
        rest: text.chars(),
        word: None,
        part: Part::new(Joint::Start, 0),
        redirect: None,
        parts: Vec::new(),
    };
    while let Some(c) = lexer.rest.next() {
        lexer.take(c)?;
    }
    lexer.end_word()?;
    lexer.end_text()
}

/// The words of a text that is one command of bare words between single spaces (POL-5).
pub(super) fn bare(text: &str) -> Option<Vec<String>> {
    if text.is_empty() || text.chars().count() > MOST_CHARACTERS {
        return None;
    }
    text.split(' ').map(|word| is_bare(word).then(|| word.to_owned())).collect()
}

/// Whether no shell sees anything but itself in a word.
pub(super) fn is_bare(word: &str) -> bool {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | ',' | '+' | '%' | '=' | '^' | '~')
            || (!c.is_ascii() && c.is_alphanumeric() && !is_hidden(c))
    };
    !word.is_empty() && !word.starts_with(['=', '~', '%', '^']) && word.chars().all(is_plain)
}

struct Lexer<'t> {
    rest: Chars<'t>,
    word: Option<Word>,
    part: Part,
    /// A redirect whose target comes next.
    redirect: Option<How>,
    parts: Vec<Part>,
}

impl Lexer<'_> {
    fn take(&mut self, c: char) -> Option<()> {
        match c {
            ' ' => self.end_word(),
            '\n' => self.end_line(),
            '\'' => self.single_quotes(),
            '"' => self.double_quotes(),
            '\\' => {
                let next = self.rest.next().filter(|&next| is_printable(next))?;
                self.open_word().text.push(next);
                self.open_word().is_quoted = true;
                Some(())
            }
            '>' | '<' => self.redirect(c),
            '&' => self.ampersand(),
            '|' => {
                self.end_word()?;
                let joint = if self.next_is('|') { Joint::Or } else { Joint::Pipe };
                if self.rest.as_str().starts_with(['&', '|']) {
                    return None;
                }
                self.end_part(joint)
            }
            ';' => {
                self.end_word()?;
                if self.rest.as_str().starts_with([';', '&']) {
                    return None;
                }
                self.end_part(Joint::Then)
            }
            '#' if self.word.is_none() => None,
            '$' | '`' | '(' | ')' | '{' | '}' => None,
            '*' | '?' | '[' | ']' => {
                self.open_word().is_glob = true;
                self.open_word().text.push(c);
                Some(())
            }
            _ if is_printable(c) => {
                self.open_word().text.push(c);
                Some(())
            }
            _ => None,
        }
    }

    fn open_word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word::plain(""))
    }

    fn next_is(&mut self, c: char) -> bool {
        let is_next = self.rest.as_str().starts_with(c);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    fn single_quotes(&mut self) -> Option<()> {
        self.open_word().is_quoted = true;
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                c if is_printable(c) || c == '\n' => self.open_word().text.push(c),
                _ => return None,
            }
        }
    }

    fn double_quotes(&mut self) -> Option<()> {
        self.open_word().is_quoted = true;
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '$' | '`' => return None,
                // Kept as it is by every shell, where nothing follows that it would quote.
                '\\' => {
                    let next = self.rest.as_str().chars().next()?;
                    if !is_printable(next) || matches!(next, '$' | '`' | '"' | '\\' | '!') {
                        return None;
                    }
                    self.open_word().text.push('\\');
                }
                c if is_printable(c) || c == '\n' => self.open_word().text.push(c),
                _ => return None,
            }
        }
    }

    /// `>/dev/null`, `2>/dev/null`, `2>&1`, `< word`.
    fn redirect(&mut self, c: char) -> Option<()> {
        let number = match &self.word {
            Some(word) if !word.is_quoted && word.text.bytes().all(|b| b.is_ascii_digit()) => {
                let number = word.text.clone();
                self.word = None;
                Some(number)
            }
            _ => None,
        };
        self.end_word()?;
        match (c, number.as_deref()) {
            ('<', None) if !self.rest.as_str().starts_with(['<', '>', '&', '(']) => {
                self.redirect = Some(How::Read);
                Some(())
            }
            ('>', None) => self.null(),
            ('>', Some("2")) if self.next_is('&') => {
                let is_one = self.next_is('1');
                (is_one && ends_word(self.rest.as_str())).then_some(())
            }
            ('>', Some("2")) => self.null(),
            _ => None,
        }
    }

    /// The target must be `/dev/null`, spelled out.
    fn null(&mut self) -> Option<()> {
        let rest = self.rest.as_str().trim_start_matches(' ');
        let rest = rest.strip_prefix("/dev/null").filter(|rest| ends_word(rest))?;
        self.rest = rest.chars();
        // A redirect alone is a command to the shell; nobody needs it to be simple.
        (!self.part.words.is_empty()).then_some(())
    }

    fn ampersand(&mut self) -> Option<()> {
        self.end_word()?;
        if self.next_is('&') {
            return self.end_part(Joint::And);
        }
        if self.next_is('>') {
            return self.null();
        }
        None
    }

    fn end_word(&mut self) -> Option<()> {
        let Some(mut word) = self.word.take() else { return Some(()) };
        word.is_glob &= word.text != "[";
        if let Some(how) = self.redirect.take() {
            if word.is_glob {
                return None;
            }
            self.part.redirects.push(Redirect { how, target: word });
            self.part.feed = Feed::File;
            return Some(());
        }
        if self.part.words.is_empty() {
            let is_keyword = !word.is_quoted && KEYWORDS.contains(&word.text.as_str());
            let is_other = word.is_glob || word.text.is_empty() || word.text.contains('=') || is_keyword;
            if is_other {
                return None;
            }
        }
        self.part.words.push(word);
        Some(())
    }

    fn end_line(&mut self) -> Option<()> {
        self.end_word()?;
        if self.redirect.is_some() {
            return None;
        }
        if self.part.is_empty() {
            // A blank line ends nothing, but what waits for its right side may go on behind it.
            return Some(());
        }
        self.end_part(Joint::Then)
    }

    fn end_part(&mut self, next: Joint) -> Option<()> {
        if self.part.words.is_empty() || self.redirect.is_some() {
            return None;
        }
        if self.part.joint == Joint::Pipe && self.part.feed == Feed::Nothing {
            self.part.feed = Feed::Pipe;
        }
        self.parts.push(core::mem::replace(&mut self.part, Part::new(next, 0)));
        Some(())
    }

    fn end_text(mut self) -> Option<Cut> {
        if self.part.is_empty() {
            let is_open = matches!(self.part.joint, Joint::And | Joint::Or | Joint::Pipe);
            if is_open || self.redirect.is_some() || self.parts.is_empty() {
                return None;
            }
        } else {
            self.end_part(Joint::Then)?;
        }
        Some(Cut { parts: self.parts, ..Cut::default() })
    }
}

/// Whether a word ends before this rest.
fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\n', ';', '|', '&'])
}

/// Printable ASCII, and what is written in any script without hiding anything.
fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~') || (!c.is_ascii() && !is_hidden(c) && !c.is_whitespace() && !c.is_control())
}
