//! Reading and writing the fields of a frame, one after the other.

use super::{BadFrame, MAX};

/// Writes a frame field by field.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(kind: u8) -> Self {
        Self(vec![kind])
    }

    pub(super) fn u8(self, value: u8) -> Self {
        self.raw(&[value])
    }

    pub(super) fn u16(self, value: u16) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub(super) fn u32(self, value: u32) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub(super) fn u64(self, value: u64) -> Self {
        self.raw(&value.to_be_bytes())
    }

    pub(super) fn bool(self, value: bool) -> Self {
        self.u8(value.into())
    }

    /// A byte string. One beyond 65 535 bytes, which no field allows, is refused by whoever reads it.
    pub(super) fn bytes(self, value: &[u8]) -> Self {
        self.u16(u16::try_from(value.len()).unwrap_or(u16::MAX)).raw(value)
    }

    pub(super) fn envelope(self, value: &[u8]) -> Self {
        self.raw(value)
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

/// Reads a frame field by field.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The frame's type and its fields.
    pub(super) fn open(bytes: &'a [u8]) -> Result<(u8, Self), BadFrame> {
        if bytes.len() > MAX {
            return Err(BadFrame::TooBig);
        }
        let (kind, fields) = bytes.split_first().ok_or(BadFrame::Empty)?;
        Ok((*kind, Self(fields)))
    }

    pub(super) fn u8(&mut self) -> Result<u8, BadFrame> {
        self.take().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, BadFrame> {
        self.take().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, BadFrame> {
        self.take().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, BadFrame> {
        self.take().map(u64::from_be_bytes)
    }

    pub(super) fn bool(&mut self) -> Result<bool, BadFrame> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(BadFrame::WrongValue),
        }
    }

    /// A byte string of at most `max` bytes.
    pub(super) fn bytes(&mut self, max: usize) -> Result<&'a [u8], BadFrame> {
        let length = usize::from(self.u16()?);
        if length > max {
            return Err(BadFrame::WrongLength);
        }
        let (value, rest) = self.0.split_at_checked(length).ok_or(BadFrame::Truncated)?;
        self.0 = rest;
        Ok(value)
    }

    /// A byte string of exactly `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], BadFrame> {
        if usize::from(self.u16()?) != N {
            return Err(BadFrame::WrongLength);
        }
        self.take()
    }

    /// A byte string of at most `max` bytes that is UTF-8.
    pub(super) fn text(&mut self, max: usize) -> Result<String, BadFrame> {
        let bytes = self.bytes(max)?;
        core::str::from_utf8(bytes).map(str::to_owned).map_err(|_| BadFrame::WrongValue)
    }

    /// Whatever is left: an envelope, so at least one byte.
    pub(super) fn envelope(&mut self) -> Result<Vec<u8>, BadFrame> {
        if self.0.is_empty() { Err(BadFrame::Truncated) } else { Ok(core::mem::take(&mut self.0).to_vec()) }
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), BadFrame> {
        if self.0.is_empty() { Ok(()) } else { Err(BadFrame::LeftOver) }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], BadFrame> {
        let (value, rest) = self.0.split_first_chunk().ok_or(BadFrame::Truncated)?;
        self.0 = rest;
        Ok(*value)
    }
}
