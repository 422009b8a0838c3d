//! The hooks' socket. A hook connects, sends one frame, and (for an ask) waits for one reply; closing the
//! connection before the reply withdraws the ask. There is no frame that could decide anything.
//!
//! Frame: `"CS" ‖ version u8 ‖ kind u8 ‖ length u32` and that many bytes of [`Call`]; numbers are big-endian.
//! Reply: `length u32` and the bytes for the agent; length 0 means "say nothing", and is the reply to every frame
//! that isn't understood, whatever its version. After it has printed a reply the hook sends the byte [`PRINTED`].

mod body;

use crate::environment::Environment;

/// The version this code speaks.
pub const VERSION: u8 = 1;
/// Length of a frame's head.
pub const HEAD: usize = 8;
/// Largest tool call a hook passes on, in bytes.
pub const INPUT: usize = 1 << 20;
/// Largest body: the input and everything beside it.
pub const BODY: usize = INPUT + (256 << 10);
/// Largest reply, in bytes.
pub const REPLY: usize = 256 << 10;
/// What a hook sends after it has printed the whole reply. A connection that ends without it: not released.
pub const PRINTED: u8 = 0x06;

const MAGIC: [u8; 2] = *b"CS";

/// What a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The hook waits for a reply.
    Ask,
    /// The hook only tells, and is gone already.
    Observed,
}

impl Kind {
    /// What an installed command's event is for. Hooks that come before a call ask; all others tell. An event that
    /// isn't named asks: the daemon reads it from the agent's JSON and replies at once where there is nothing to say.
    #[must_use]
    pub fn of_event(event: &str) -> Self {
        let asks = event.is_empty()
            || event.eq_ignore_ascii_case("PermissionRequest")
            || event.eq_ignore_ascii_case("PreToolUse");
        if asks { Self::Ask } else { Self::Observed }
    }
}

/// One run of a hook, as it saw it. The bytes come from a program the daemon does not trust.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// `--agent`: which adapter reads the input.
    pub agent: String,
    /// The event named in the installed command; empty where none is.
    pub event: String,
    /// The agent's own limit for this hook in milliseconds (`--limit`); 0 where none is given.
    pub limit_ms: u32,
    /// The hook's current folder, raw; empty where it is gone.
    pub cwd: Vec<u8>,
    /// What the hook tells of its environment.
    pub environment: Environment,
    /// The hook's standard input, exactly as the agent wrote it.
    pub input: Vec<u8>,
}

/// The head of a frame, read before its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What the frame is for.
    pub kind: Kind,
    /// How many bytes of body follow, at most [`BODY`].
    pub length: usize,
}

/// Why bytes are no frame. The daemon replies with length 0 and closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadFrame {
    /// Not from a hook of ours.
    #[error("the bytes are not from a Countersign hook")]
    Foreign,
    /// From a hook of another version.
    #[error("the hook speaks version {0} and the daemon version {VERSION}: run `countersign setup` again")]
    Version(u8),
    /// A kind this version doesn't have.
    #[error("the hook sent a frame of the unknown kind {0}")]
    Kind(u8),
    /// Larger than a limit.
    #[error("the hook's {0} is larger than allowed")]
    TooBig(&'static str),
    /// The bytes end early, or go on.
    #[error("the hook's frame is cut off or has bytes left over")]
    Length,
    /// A text that is not UTF-8.
    #[error("the hook's {0} is not text")]
    Text(&'static str),
}

impl Head {
    /// Reads a frame's first [`HEAD`] bytes.
    ///
    /// # Errors
    /// [`BadFrame`], before anything was allocated for the body.
    pub fn decode(bytes: [u8; HEAD]) -> Result<Self, BadFrame> {
        let [m0, m1, version, kind, length @ ..] = bytes;
        if [m0, m1] != MAGIC {
            return Err(BadFrame::Foreign);
        }
        if version != VERSION {
            return Err(BadFrame::Version(version));
        }
        let kind = match kind {
            1 => Kind::Ask,
            2 => Kind::Observed,
            other => return Err(BadFrame::Kind(other)),
        };
        let length = u32::from_be_bytes(length) as usize;
        if length > BODY { Err(BadFrame::TooBig("frame")) } else { Ok(Self { kind, length }) }
    }
}

/// The whole frame of a call.
///
/// # Errors
/// [`BadFrame::TooBig`]: such a call can't be asked about, and the hook says nothing.
pub fn encode(kind: Kind, call: &Call) -> Result<Vec<u8>, BadFrame> {
    let mut bytes = Vec::with_capacity(HEAD + 1024 + call.input.len() + call.environment.path.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.push(VERSION);
    bytes.push(match kind {
        Kind::Ask => 1,
        Kind::Observed => 2,
    });
    bytes.extend_from_slice(&[0; 4]);
    body::encode(call, &mut bytes)?;
    let length = u32::try_from(bytes.len() - HEAD).map_err(|_| BadFrame::TooBig("frame"))?;
    if let Some(place) = bytes.get_mut(4..HEAD) {
        place.copy_from_slice(&length.to_be_bytes());
    }
    Ok(bytes)
}

/// Reads the body that [`Head::length`] announced.
///
/// # Errors
/// [`BadFrame`].
pub fn decode_body(body: &[u8]) -> Result<Call, BadFrame> {
    body::decode(body)
}

/// Reads a frame that lies in memory whole: head and body and nothing else.
///
/// # Errors
/// [`BadFrame`].
pub fn decode(bytes: &[u8]) -> Result<(Kind, Call), BadFrame> {
    let (head, body) = bytes.split_first_chunk().ok_or(BadFrame::Length)?;
    let head = Head::decode(*head)?;
    if body.len() != head.length {
        return Err(BadFrame::Length);
    }
    Ok((head.kind, decode_body(body)?))
}

/// A reply with the exact bytes that the hook prints; empty: it prints nothing.
///
/// # Errors
/// [`BadFrame::TooBig`]: the hook would refuse it.
pub fn encode_reply(output: &[u8]) -> Result<Vec<u8>, BadFrame> {
    if output.len() > REPLY {
        return Err(BadFrame::TooBig("reply"));
    }
    let length = u32::try_from(output.len()).map_err(|_| BadFrame::TooBig("reply"))?;
    Ok([length.to_be_bytes().as_slice(), output].concat())
}

/// The length of a reply from its first four bytes.
///
/// # Errors
/// [`BadFrame::TooBig`]: the hook says nothing.
pub fn decode_reply_length(bytes: [u8; 4]) -> Result<usize, BadFrame> {
    let length = u32::from_be_bytes(bytes) as usize;
    if length > REPLY { Err(BadFrame::TooBig("reply")) } else { Ok(length) }
}

#[cfg(test)]
mod tests;
