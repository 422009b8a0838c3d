//! A message and the parts it travels in: `msg u64, part u16, parts u16, type u16, body`, one to an envelope.

use super::{HEADER, LENGTH, take};
use crate::{limits, noise, refusal::Refusal};

/// Length of a part before its body.
const HEAD: usize = 14;
/// Longest body of one part.
const BODY: usize = limits::ENVELOPE - HEADER - noise::TAG - LENGTH - HEAD;
/// Length of the type that counts against [`limits::MESSAGE`].
const TYPE: usize = 2;

/// A whole message as it came out of envelopes: its type (protocol.md §13) and its bytes, not decoded yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMessage {
    /// The wire type.
    pub kind: u16,
    /// The bytes after it.
    pub body: Vec<u8>,
}

impl RawMessage {
    /// A message of a type.
    #[must_use]
    pub const fn new(kind: u16, body: Vec<u8>) -> Self {
        Self { kind, body }
    }
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which message of this sender in this session.
    pub msg: u64,
    /// Which part of it, from 0.
    pub part: u16,
    /// How many there are, 1 to [`limits::PARTS`].
    pub parts: u16,
    /// The message's type, the same in every part.
    pub kind: u16,
    /// This part's bytes.
    pub body: Vec<u8>,
}

impl Part {
    /// The part's bytes: an envelope's content.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.body.len());
        bytes.extend_from_slice(&self.msg.to_be_bytes());
        bytes.extend_from_slice(&self.part.to_be_bytes());
        bytes.extend_from_slice(&self.parts.to_be_bytes());
        bytes.extend_from_slice(&self.kind.to_be_bytes());
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Reads a part.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where it is cut off, is none of its message's parts, or is empty beside others;
    /// [`Refusal::TooBig`] where a message has more than [`limits::PARTS`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let (msg, rest) = take(bytes)?;
        let (part, rest) = take(rest)?;
        let (parts, rest) = take(rest)?;
        let (kind, body) = take(rest)?;
        let (part, parts) = (u16::from_be_bytes(part), u16::from_be_bytes(parts));
        if parts > limits::PARTS {
            return Err(Refusal::TooBig);
        }
        if part >= parts || (parts > 1 && body.is_empty()) {
            return Err(Refusal::Malformed);
        }
        let (msg, kind) = (u64::from_be_bytes(msg), u16::from_be_bytes(kind));
        Ok(Self { msg, part, parts, kind, body: body.to_vec() })
    }
}

/// Splits a message into its parts.
///
/// # Errors
/// [`Refusal::TooBig`] beyond [`limits::MESSAGE`].
pub fn split(msg: u64, message: &RawMessage) -> Result<Vec<Part>, Refusal> {
    if message.body.len() + TYPE > limits::MESSAGE {
        return Err(Refusal::TooBig);
    }
    let bodies: Vec<&[u8]> =
        if message.body.is_empty() { vec![&[]] } else { message.body.chunks(BODY).collect() };
    let parts = u16::try_from(bodies.len()).map_err(|_| Refusal::TooBig)?;
    let whole =
        |(part, body): (u16, &[u8])| Part { msg, part, parts, kind: message.kind, body: body.to_vec() };
    Ok((0..parts).zip(bodies).map(whole).collect())
}

const _: () = assert!((limits::MESSAGE - TYPE).div_ceil(BODY) <= limits::PARTS as usize);
