//! Text that somebody else wrote. [`Foreign`] keeps it and can't be printed; [`Shown`] is what every surface shows of
//! it: everything invisible, reordering or imitating appears as a visible escape (CARD-2). Escaping twice changes
//! nothing, so the desktop escapes when it builds a card and the phone escapes again by itself.

use core::fmt;

/// Runs of blanks of at least this length are shown as a count.
const BLANKS: usize = 32;
/// Runs of blank lines of at least this length are shown as a count.
const BLANK_LINES: usize = 4;

/// Text as it came, not to be printed: its only way to a surface is [`Foreign::shown`] or [`Foreign::shown_lines`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Foreign(String);

impl Foreign {
    /// Keeps a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text for comparing and hashing, never for showing.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// What a surface shows on one line: line breaks and tabs are escaped too.
    #[must_use]
    pub fn shown(&self) -> Shown {
        Shown::line(&self.0)
    }

    /// What a surface shows of a text with lines.
    #[must_use]
    pub fn shown_lines(&self) -> Shown {
        Shown::lines(&self.0)
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Foreign({:?})", self.shown().as_str())
    }
}

impl From<Shown> for Foreign {
    fn from(shown: Shown) -> Self {
        Self(shown.0)
    }
}

impl<C> minicbor::Encode<C> for Foreign {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut minicbor::Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(&self.0)?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Foreign {
    fn decode(d: &mut minicbor::Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        d.str().map(Self::new)
    }
}

/// Text that hides nothing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Shown(String);

impl Shown {
    /// One line: line breaks and tabs are escaped too.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self(collapse_blanks(&escape(text, |_| false)))
    }

    /// Several lines: `\n` and tabs stay; long runs of blank lines are shown as a count.
    #[must_use]
    pub fn lines(text: &str) -> Self {
        let escaped = escape(text, |c| matches!(c, '\n' | '\t'));
        let lines: Vec<String> = escaped.split('\n').map(collapse_blanks).collect();
        Self(collapse_lines(&lines))
    }

    /// Bytes that should be text, such as a path: what is no UTF-8 appears as `\xNN`.
    #[must_use]
    pub fn bytes(bytes: &[u8]) -> Self {
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        Self::line(&text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether showing `raw` had to change anything, so that a card can warn.
    #[must_use]
    pub fn differs_from(&self, raw: &str) -> bool {
        self.0 != raw
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// Whether a character hides, reorders or is easily taken for another one wherever it stands.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{1680}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{3164}'
        | '\u{d7b0}'..='\u{d7ff}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ff00}' | '\u{ff02}'..='\u{ff07}' | '\u{ff0a}' | '\u{ff0b}'
        | '\u{ff0d}'..='\u{ff19}' | '\u{ff1c}'..='\u{ff1e}' | '\u{ff20}'..='\u{ff5e}' | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}' | '\u{13430}'..='\u{1345f}'
        | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{1d400}'..='\u{1d7ff}'
        | '\u{e0000}'..='\u{10ffff}')
}

/// Letters of other scripts that look Latin; escaped where a word also holds Latin letters.
fn is_look_alike_script(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}'
        | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}'
        | '\u{ab70}'..='\u{abbf}')
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
    }
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    // A word is a run of letters and digits; it is judged as a whole, so it is held back until it ends.
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() && !is_hidden(c) {
            word.push(c);
            continue;
        }
        flush_word(&mut out, &mut word);
        if is_hidden(c) && !keep(c) { push_escape(&mut out, c) } else { out.push(c) }
    }
    flush_word(&mut out, &mut word);
    out
}

fn flush_word(out: &mut String, word: &mut String) {
    let mixed = word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(is_look_alike_script);
    for c in word.drain(..) {
        if mixed && is_look_alike_script(c) { push_escape(out, c) } else { out.push(c) }
    }
}

fn collapse_blanks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut run = String::new();
    for c in line.chars() {
        if matches!(c, ' ' | '\t') {
            run.push(c);
        } else {
            flush_blanks(&mut out, &mut run);
            out.push(c);
        }
    }
    flush_blanks(&mut out, &mut run);
    out
}

fn flush_blanks(out: &mut String, run: &mut String) {
    let n = run.chars().count();
    if n >= BLANKS {
        out.push_str(&format!(" ⟨{n} blanks⟩ "))
    } else {
        out.push_str(run)
    }
    run.clear();
}

fn collapse_lines(lines: &[String]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut blank: Vec<&String> = Vec::new();
    for line in lines {
        if line.trim().is_empty() {
            blank.push(line);
            continue;
        }
        flush_lines(&mut out, &mut blank);
        out.push(line.clone());
    }
    flush_lines(&mut out, &mut blank);
    out.join("\n")
}

fn flush_lines(out: &mut Vec<String>, blank: &mut Vec<&String>) {
    if blank.len() >= BLANK_LINES {
        out.push(format!("⟨{} blank lines⟩", blank.len()));
    } else {
        out.extend(blank.iter().map(|line| (*line).clone()));
    }
    blank.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bidi_zero_width_and_control_characters_are_visible() {
        for c in [
            '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{ad}', '\u{1b}', '\u{7f}', '\u{9b}',
            '\u{3164}',
        ] {
            let shown = Shown::lines(&format!("rm {c}x"));
            assert_eq!(shown.as_str(), format!("rm \\u{{{:x}}}x", u32::from(c)));
        }
        assert_eq!(Shown::line("a\nb\tc\rd").as_str(), "a\\nb\\tc\\rd");
        assert_eq!(Shown::lines("a\nb").as_str(), "a\nb");
    }

    #[test]
    fn a_letter_that_imitates_latin_inside_a_latin_word_is_visible() {
        assert_eq!(Shown::line("раypal.example").as_str(), "\\u{440}\\u{430}ypal.example");
        assert_eq!(Shown::line("ｒｍ").as_str(), "\\u{ff52}\\u{ff4d}");
    }

    #[test]
    fn ordinary_words_of_any_script_stay_readable() {
        for text in ["Привет, мир", "שלום עולם", "مرحبا بالعالم", "你好，世界", "Ünïcode naïve façade", "αβγ"]
        {
            assert_eq!(Shown::line(text).as_str(), text);
        }
    }

    #[test]
    fn long_runs_of_nothing_are_shown_as_a_count() {
        assert_eq!(Shown::line(&format!("echo ok{}rm", " ".repeat(300))).as_str(), "echo ok ⟨300 blanks⟩ rm");
        assert_eq!(
            Shown::lines(&format!("echo ok{}curl", "\n".repeat(121))).as_str(),
            "echo ok\n⟨120 blank lines⟩\ncurl"
        );
        assert_eq!(Shown::lines("a\n\n\n    b").as_str(), "a\n\n\n    b");
    }

    #[test]
    fn bytes_that_are_no_text_are_visible() {
        assert_eq!(Shown::bytes(b"/tmp/\xff\xfe").as_str(), "/tmp/\\xff\\xfe");
    }

    proptest! {
        #[test]
        fn showing_twice_changes_nothing_and_leaves_nothing_hidden(text in any::<String>()) {
            let once = Shown::lines(&text);
            prop_assert_eq!(&Shown::lines(once.as_str()), &once);
            prop_assert!(!once.as_str().chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')));
            let line = Shown::line(&text);
            prop_assert_eq!(&Shown::line(line.as_str()), &line);
            prop_assert!(!line.as_str().chars().any(is_hidden));
        }
    }
}
