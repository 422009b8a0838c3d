//! Text that somebody else wrote. [`Foreign`] keeps it and can't be printed; [`Shown`] is what every surface shows of
//! it: everything invisible, reordering or imitating appears as a visible escape (CARD-2). Escaping twice changes
//! nothing, so the desktop escapes when it builds a card and the phone escapes again by itself. Printed, even a [`Shown`]
//! says of a secret only what it is; a card shows one where a person unfolds it, and a [`Masked`] text has none any more.

mod blank;
mod character;
mod escape;
mod masked;
mod secret;

use core::fmt;

use self::{
    blank::{collapse, collapse_change},
    escape::escape,
};
pub use self::{
    character::{is_control, is_hidden},
    masked::{Folded, Masked, Part},
    secret::{Secret, find as find_secrets},
};

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
        write!(f, "Foreign({:?})", self.masked())
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

/// Text that hides nothing. Printed or debugged its secrets are masked, so that only what asks for its
/// [`parts`](Self::parts) can unfold one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Shown(String);

impl Shown {
    /// One line: line breaks and tabs are escaped too.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self(escape(&collapse(text), |_| false))
    }

    /// Several lines: `\n` and tabs stay.
    #[must_use]
    pub fn lines(text: &str) -> Self {
        Self(escape(&collapse(text), |c| matches!(c, '\n' | '\t')))
    }

    /// The lines of a change, each with its sign in front, for a card: as [`Self::lines`], with long runs of blank lines
    /// that come or go shown as their count, too.
    #[must_use]
    pub fn change(text: &str) -> Self {
        Self::lines(&collapse_change(text))
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

    /// The text with its secrets: to compare, and to build what is hashed and signed, never to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it holds escapes of characters that hide, reorder or imitate, whoever made them visible.
    #[must_use]
    pub fn has_escapes(&self) -> bool {
        escape::has_escapes(&self.0)
    }

    /// Whether it holds letters that are written from right to left: a surface may draw them, and the signs between
    /// them, in another order than they stand in.
    #[must_use]
    pub fn may_be_reordered(&self) -> bool {
        self.0.chars().any(character::is_right_to_left)
    }

    /// Whether showing `raw` had to change anything, so that a card can warn.
    #[must_use]
    pub fn differs_from(&self, raw: &str) -> bool {
        self.0 != raw
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.masked(), f)
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.masked())
    }
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
        assert_eq!(Shown::line(&format!("a{}b", "\n".repeat(5))).as_str(), "a\\n⟨4 blank lines⟩\\nb");
        assert_eq!(Shown::line(&format!("a{}b", "\t".repeat(40))).as_str(), "a ⟨40 blanks⟩ b");
    }

    #[test]
    fn a_text_tells_of_its_escapes_whoever_made_them_and_of_letters_that_turn_its_order() {
        let shown = Shown::line("rm \u{202e}x");
        assert!(shown.has_escapes() && Shown::line(shown.as_str()).has_escapes());
        for text in ["rm x", "a\nb", "printf '\\u{41}\\n\\x1b'", "\\u{", "\\u{110000000}"] {
            assert!(!Shown::line(text).has_escapes(), "{text}");
        }
        assert!(Shown::line("rm א 1").may_be_reordered() && Shown::line("cd /مرحبا/a").may_be_reordered());
        assert!(!Shown::line("rm я 字 é").may_be_reordered());
    }

    #[test]
    fn bytes_that_are_no_text_are_visible() {
        assert_eq!(Shown::bytes(b"/tmp/\xff\xfe").as_str(), "/tmp/\\xff\\xfe");
    }

    #[test]
    fn a_word_of_twins_is_visible_where_nothing_says_that_the_text_is_of_that_script() {
        assert_eq!(Shown::line("curl https://аррӏе.com").as_str(), {
            "curl https://\\u{430}\\u{440}\\u{440}\\u{4cf}\\u{435}.com"
        });
        assert_eq!(Shown::line("rm сору").as_str(), "rm \\u{441}\\u{43e}\\u{440}\\u{443}");
        assert_eq!(
            Shown::line("Привет, а у вас? https://сор.com").as_str(),
            "Привет, а у вас? https://\\u{441}\\u{43e}\\u{440}.com"
        );
        assert_eq!(Shown::line("cat файл.txt").as_str(), "cat файл.txt");
    }

    #[test]
    fn marks_that_flood_or_stand_on_nothing_are_visible() {
        assert_eq!(Shown::line("e\u{301}te\u{301}").as_str(), "e\u{301}te\u{301}");
        assert_eq!(Shown::line("a\u{301}\u{302}\u{303}\u{304}").as_str(), "a\u{301}\u{302}\u{303}\u{304}");
        assert_eq!(
            Shown::line(&format!("a{}", "\u{301}".repeat(5))).as_str(),
            format!("a{}", "\\u{301}".repeat(5))
        );
        for text in ["\u{338}", "x \u{338}", "x\u{200b}\u{338}", "x\\n\u{338}"] {
            assert!(!Shown::line(text).as_str().contains('\u{338}'), "{text:?}");
        }
        assert!(!Shown::lines("x\n\u{338}").as_str().contains('\u{338}'));
        assert_eq!(Shown::line("p\u{430}\u{301}y").as_str(), "p\\u{430}\\u{301}y");
    }

    #[test]
    fn characters_that_imitate_the_syntax_of_commands_are_visible() {
        for c in [';', '`', '|', '/', '\\', ':', '.', '-', '!'] {
            assert_eq!(Shown::line(&c.to_string()).as_str(), c.to_string());
        }
        for c in
            "\u{37e}\u{1fef}\u{1c0}\u{2223}\u{2044}\u{2215}\u{29f8}\u{2216}\u{a789}\u{2024}\u{2010}\u{1c3}"
                .chars()
        {
            assert_eq!(Shown::line(&c.to_string()).as_str(), format!("\\u{{{:x}}}", u32::from(c)));
        }
        assert_eq!(Shown::line("1–2 — “так”, l’été…").as_str(), "1–2 — “так”, l’été…");
    }

    #[test]
    fn a_line_break_before_a_foreign_word_is_escaped_alone() {
        assert_eq!(Shown::line("a\nпривет").as_str(), "a\\nпривет");
        assert_eq!(Shown::line("printf '\\tпривет'").as_str(), "printf '\\tпривет'");
    }

    #[test]
    fn blank_lines_full_of_blanks_are_counted_as_lines() {
        let text = format!("a{}\nb", format!("\n{}", " ".repeat(50)).repeat(9));
        assert_eq!(Shown::lines(&text).as_str(), "a\n⟨9 blank lines⟩\nb");
        assert_eq!(Shown::lines(&format!("a\r\n{}b", "\r\n".repeat(9))).as_str(), "a\\r\n⟨9 blank lines⟩\nb");
    }

    #[test]
    fn blank_lines_that_flood_a_change_are_shown_as_a_count_behind_their_sign() {
        let text = format!("@@\n a{}{}\n+b\n+\n-", "\n+".repeat(300), "\n-  ".repeat(4));
        assert_eq!(Shown::change(&text).as_str(), "@@\n a\n+⟨300 blank lines⟩\n-⟨4 blank lines⟩\n+b\n+\n-");
        assert_eq!(Shown::change("+a\n+\n+\n+\n b").as_str(), "+a\n+\n+\n+\n b");
    }

    /// Texts of what is most likely to go wrong together.
    fn nasty() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "a",
            "n",
            "x",
            "u",
            "1",
            "р",
            "с",
            "ж",
            "ο",
            "β",
            "օ",
            "я",
            "é",
            "字",
            "\u{301}",
            "\u{338}",
            "\u{200b}",
            "\u{202e}",
            "\u{378}",
            "\u{e0041}",
            "\u{fe0f}",
            "ｒ",
            "\u{251}",
            "Ꭺ",
            "\n",
            "\r",
            "\t",
            " ",
            "\\",
            "\\n",
            "\\u{",
            "}",
            "\\u{301}",
            "\\xff",
            "-",
            ".",
            "⟨",
            "                                 ",
            "\n\n\n\n",
            "\u{301}\u{301}\u{301}\u{301}",
        ]);
        prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn showing_twice_changes_nothing_and_leaves_nothing_hidden(text in prop_oneof![nasty(), any::<String>()]) {
            let once = Shown::lines(&text);
            prop_assert_eq!(&Shown::lines(once.as_str()), &once);
            prop_assert!(!once.as_str().chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')));
            let line = Shown::line(&text);
            prop_assert_eq!(&Shown::line(line.as_str()), &line);
            prop_assert!(!line.as_str().chars().any(is_hidden));
        }

        #[test]
        fn what_has_nothing_to_escape_is_shown_as_it_is(text in "[ -~]{0,30}( [ -~]{1,20}){0,3}") {
            let shown = Shown::line(&text);
            prop_assert_eq!(shown.as_str(), text.as_str());
            prop_assert!(!shown.differs_from(&text));
        }
    }
}
