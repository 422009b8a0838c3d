//! Bytes of a text, looked at from any place. Escapes of line breaks and tabs end words as what they stand for does.

/// A text as bytes; past its ends there are zeros.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
}

impl<'a> Scan<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes() }
    }

    pub(super) const fn len(self) -> usize {
        self.bytes.len()
    }

    /// The byte at a place.
    pub(super) fn at(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or_default()
    }

    /// The byte before a place.
    pub(super) fn before(self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.at(at))
    }

    /// The text between two places.
    pub(super) fn text(self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Whether a text stands at a place.
    pub(super) fn is_at(self, at: usize, text: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The end of a run of such bytes.
    pub(super) fn run(self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| is(**byte)).count()
    }

    /// The end of a run of blanks.
    pub(super) fn blanks(self, from: usize) -> usize {
        self.run(from, |byte| matches!(byte, b' ' | b'\t'))
    }

    /// Whether the escape of a line break or a tab begins here.
    pub(super) fn is_break(self, at: usize) -> bool {
        self.at(at) == b'\\' && matches!(self.at(at + 1), b'n' | b'r' | b't')
    }

    /// Whether a word can begin here.
    pub(super) fn is_start(self, at: usize) -> bool {
        let last = self.before(at);
        !(last.is_ascii_alphanumeric() || last == b'_') || (at >= 2 && self.is_break(at - 2))
    }
}

/// Letters and digits.
pub(super) const fn is_alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}
