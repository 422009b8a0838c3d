//! One message a line: `{"v":1,"id":7,"request":{…}}` and `{"v":1,"id":7,"reply":{…}}`, each ended by a line feed.
//! Unknown fields and other versions are refused.

use serde::{Deserialize, Serialize};

use super::{ControlReply, ControlRequest};

/// The version this code speaks.
pub const VERSION: u32 = 1;
/// Longest line of a request, in bytes: the longest policy there may be, with the escapes that texts have.
pub const REQUEST_LINE: usize = 1 << 20;
/// Longest line of a reply, in bytes: all cards at once, with every character escaped.
pub const REPLY_LINE: usize = 64 << 20;

/// Why a line is no message.
#[derive(Debug, thiserror::Error)]
pub enum BadLine {
    /// Client and daemon differ.
    #[error(
        "the other side speaks version {0} of the control socket and this one {VERSION}: start the daemon again"
    )]
    Version(u32),
    /// Longer than its limit.
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    /// Not such a message.
    #[error("the line can't be read: {0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestLine<T> {
    v: u32,
    id: u64,
    request: T,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyLine<T> {
    v: u32,
    id: u64,
    reply: T,
}

/// A request's line, with its end.
///
/// # Errors
/// [`BadLine`].
pub fn encode_request(id: u64, request: &ControlRequest) -> Result<Vec<u8>, BadLine> {
    encode(&RequestLine { v: VERSION, id, request }, REQUEST_LINE)
}

/// A reply's line, with its end.
///
/// # Errors
/// [`BadLine`].
pub fn encode_reply(id: u64, reply: &ControlReply) -> Result<Vec<u8>, BadLine> {
    encode(&ReplyLine { v: VERSION, id, reply }, REPLY_LINE)
}

/// Reads a request's line, with or without its end.
///
/// # Errors
/// [`BadLine`].
pub fn decode_request(line: &[u8]) -> Result<(u64, ControlRequest), BadLine> {
    check(line, REQUEST_LINE)?;
    let line: RequestLine<ControlRequest> = serde_json::from_slice(line)?;
    Ok((line.id, line.request))
}

/// Reads a reply's line, with or without its end.
///
/// # Errors
/// [`BadLine`].
pub fn decode_reply(line: &[u8]) -> Result<(u64, ControlReply), BadLine> {
    check(line, REPLY_LINE)?;
    let line: ReplyLine<ControlReply> = serde_json::from_slice(line)?;
    Ok((line.id, line.reply))
}

fn encode<T: Serialize>(message: &T, longest: usize) -> Result<Vec<u8>, BadLine> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    if line.len() > longest { Err(BadLine::TooLong(longest)) } else { Ok(line) }
}

/// Looks at length and version alone, so that a message of another version is named so and not called garbage.
fn check(line: &[u8], longest: usize) -> Result<(), BadLine> {
    if line.len() > longest {
        return Err(BadLine::TooLong(longest));
    }
    match serde_json::from_slice(line)? {
        Versioned { v: VERSION } => Ok(()),
        Versioned { v } => Err(BadLine::Version(v)),
    }
}

#[cfg(test)]
mod tests;
