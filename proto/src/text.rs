//! Text that somebody else wrote. [`Foreign`] keeps it and can't be printed; [`Shown`] is what every surface shows of
//! it: everything invisible, reordering or imitating appears as a visible escape (CARD-2). Escaping twice changes
//! nothing, so the desktop escapes when it builds a card and the phone escapes again by itself. Printed, even a [`Shown`]
//! says of a secret only what it is; a card shows one where a person unfolds it, and a [`Masked`] text has none any more.

mod blank;
mod character;
mod command;
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
mod tests;
