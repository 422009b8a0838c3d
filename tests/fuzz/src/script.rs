//! Reads fuzzed bytes as the steps of a story; where they end, everything is zero or empty.

/// What is left of the bytes.
pub struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub const fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or_default()
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    /// Up to `count` bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Bytes behind their own length, a u16.
    pub fn chunk(&mut self) -> &'a [u8] {
        let length = usize::from(self.u16());
        self.take(length)
    }
}
