//! Patterns of permission files: `*` is any run, `?` exactly one character, the rest stands for itself (PERM-1). Pieces
//! between stars are found from left to right and never looked at again, so that no text makes a match slow.

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wildcard {
    written: String,
    /// What stands between the stars: one piece where there is none.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// `None` is a `?`.
    Gapped(Vec<Option<char>>),
}

impl Wildcard {
    /// A pattern; `expanded` is what it means, `written` what it is called.
    pub(crate) fn new(written: &str, expanded: &str) -> Self {
        Self { written: written.to_owned(), pieces: expanded.split('*').map(Piece::of).collect() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether it is `*`, so that it matches whatever there is.
    pub(crate) const fn is_everything(&self) -> bool {
        matches!(self.pieces.as_slice(), [Piece::Literal(a), Piece::Literal(b)] if a.is_empty() && b.is_empty())
    }

    /// Whether it matches a whole text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        match self.pieces.as_slice() {
            [] => text.is_empty(),
            [whole] => whole.begins(text) == Some(""),
            [first, middle @ .., last] => {
                let rest = first.begins(text).and_then(|rest| last.ends(rest));
                let found =
                    rest.and_then(|rest| middle.iter().try_fold(rest, |rest, piece| piece.find(rest)));
                found.is_some()
            }
        }
    }
}

impl Piece {
    fn of(text: &str) -> Self {
        if text.contains('?') {
            Self::Gapped(text.chars().map(|c| (c != '?').then_some(c)).collect())
        } else {
            Self::Literal(text.to_owned())
        }
    }

    /// What follows the piece where a text begins with it.
    fn begins<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.strip_prefix(literal.as_str()),
            Self::Gapped(gapped) => {
                let mut rest = text.chars();
                let is_same = gapped.iter().all(|want| match (want, rest.next()) {
                    (Some(want), Some(c)) => *want == c,
                    (None, Some(_)) => true,
                    (_, None) => false,
                });
                is_same.then_some(rest.as_str())
            }
        }
    }

    /// What stands before the piece where a text ends with it.
    fn ends<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.strip_suffix(literal.as_str()),
            Self::Gapped(gapped) => {
                let (at, _) = text.char_indices().rev().nth(gapped.len().checked_sub(1)?)?;
                let (before, end) = text.split_at_checked(at)?;
                (self.begins(end) == Some("")).then_some(before)
            }
        }
    }

    /// What follows the first place where the piece stands in a text.
    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.split_once(literal.as_str()).map(|(_, rest)| rest),
            Self::Gapped(_) => {
                text.char_indices().find_map(|(at, _)| text.get(at..).and_then(|rest| self.begins(rest)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Wildcard::new(pattern, pattern).matches(text)
    }

    #[test]
    fn a_star_is_any_run_a_question_mark_one_character_and_the_rest_itself() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("*", "anything at all"),
            ("git *", "git push origin"),
            ("git *", "git "),
            ("ls ?", "ls ä"),
            ("a*b*c", "a1b2b3c"),
            ("docs/**/*.md", "docs/x/y.md"),
            ("*?", "x"),
            ("?*?", "xy"),
            ("*ab", "aab"),
            ("a.b", "a.b"),
            ("*a?c*", "xxabcxx"),
            ("[a]+", "[a]+"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "x"),
            ("git *", "git"),
            ("ls ?", "ls ab"),
            ("ls ?", "ls "),
            ("a.b", "axb"),
            ("a*a", "a"),
            ("*?", ""),
            ("GIT *", "git x"),
            ("a*b*c", "acb"),
            ("?", ""),
            ("a*b?", "ab"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_made_to_be_slow_is_not() {
        let pattern = "*a".repeat(500) + "*b";
        assert!(!matches(&pattern, &"a".repeat(64 * 1024)));
    }

    /// The plain definition, slow and obvious.
    fn slow(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            (['*', rest @ ..], _) => slow(rest, text) || (!text.is_empty() && slow(pattern, &text[1..])),
            (['?', rest @ ..], [_, more @ ..]) => slow(rest, more),
            ([c, rest @ ..], [d, more @ ..]) => c == d && slow(rest, more),
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn it_agrees_with_the_plain_definition(pattern in "[ab?*é]{0,8}", text in "[abé]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &text), slow(&chars(&pattern), &chars(&text)));
        }
    }
}
