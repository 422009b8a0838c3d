//! The relay's frames (protocol.md §3.3): one binary WebSocket message each, a type byte, then the fields in order.
//! Integers are big-endian, byte strings (also those of fixed length) carry a u16 length, an envelope comes last
//! without one. Decoding is strict: another length, something left over, a bool that is not 0 or 1 are refused.
//!
//! The conversation: relay [`FromRelay::Challenge`], client [`FromClient::Auth`]; a good claim is answered by the first
//! [`FromRelay::PeerPresence`], a failed one by [`CloseCode::Refused`]. Then both send what they have.
//!
//! | type | client's frame | fields |
//! |---|---|---|
//! | 0x01 | Auth | channel (16 bytes), end u8, sig (64 bytes) |
//! | 0x02 | Send | seq u32, ttl u16 (seconds), first bool, wake bool, envelope |
//! | 0x03 | Wake | |
//! | 0x04 | Got | id u32 |
//! | 0x05 | Flush | |
//! | 0x06 | SetPush | endpoint (text), keys |
//! | 0x07 | Delete | |
//!
//! | type | relay's frame | fields |
//! |---|---|---|
//! | 0x81 | Challenge | nonce (32 bytes), relay_time u64 (ms since 1970, for display only) |
//! | 0x82 | Ack | seq u32, outcome u8: 0 held, 1 queue_full, 2 too_big, 3 rate |
//! | 0x83 | Deliver | id u32, age_ms u32, envelope |
//! | 0x84 | PeerPresence | online bool |
//! | 0x85 | Notice | code u16: 1 drain, 2 over_quota, 3 going_down, 4 not_available; retry_after u32 (seconds) |
//!
//! Close codes are listed at [`CloseCode`].

use core::time::Duration;

use crate::{
    claim::{End, NONCE},
    id::ChannelId,
    key::Signature,
    limits,
};

mod codec;
use codec::{Reader, Writer};

/// Where the socket is.
pub const PATH: &str = "/v1/socket";
/// The WebSocket subprotocol, which is also the version of everything here.
pub const SUBPROTOCOL: &str = "countersign-relay.1";
/// Largest frame. There is room above the largest envelope so that a somewhat larger one still gets its
/// [`Outcome::TooBig`]; beyond this the socket is closed.
pub const MAX: usize = 2 * limits::ENVELOPE;
/// Longest push endpoint, in bytes.
pub const PUSH_ENDPOINT: usize = 2_048;
/// Longest push keys, in bytes.
pub const PUSH_KEYS: usize = 128;

/// Why bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadFrame {
    /// No byte at all.
    #[error("the frame is empty")]
    Empty,
    /// A type that this side never sends.
    #[error("there is no frame of type {0:#04x} in this direction")]
    UnknownType(u8),
    /// Ends inside a field.
    #[error("the frame ends inside a field")]
    Truncated,
    /// Bytes after the last field.
    #[error("the frame has bytes after its last field")]
    LeftOver,
    /// A byte string that is too long, or not of its fixed length.
    #[error("a field has the wrong length")]
    WrongLength,
    /// A value that its field does not know.
    #[error("a field has a value it cannot have")]
    WrongValue,
    /// Larger than [`MAX`], or delivers more than an envelope.
    #[error("the frame is larger than allowed")]
    TooBig,
}

impl BadFrame {
    /// The name used in vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::UnknownType(_) => "unknown_type",
            Self::Truncated => "truncated",
            Self::LeftOver => "left_over",
            Self::WrongLength => "wrong_length",
            Self::WrongValue => "wrong_value",
            Self::TooBig => "too_big",
        }
    }

    /// What a relay closes the socket with.
    #[must_use]
    pub const fn close_code(self) -> CloseCode {
        match self {
            Self::UnknownType(_) => CloseCode::UnknownFrame,
            Self::TooBig => CloseCode::TooBig,
            Self::Empty | Self::Truncated | Self::LeftOver | Self::WrongLength | Self::WrongValue => {
                CloseCode::Malformed
            }
        }
    }
}

/// Why a relay closed a socket: those of RFC 6455 where one fits, else of the private range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum CloseCode {
    /// Text came, or something else that is not a binary message.
    NotBinary = 1003,
    /// A message above [`MAX`].
    TooBig = 1009,
    /// The relay could not do its work; try again later.
    Failed = 1011,
    /// The relay goes down or restarts; come back after a while.
    GoingDown = 1012,
    /// A frame type that does not exist: the client is newer, or no client of ours.
    UnknownFrame = 4000,
    /// Bytes that are no frame.
    Malformed = 4001,
    /// A frame out of turn: anything before `Auth`, or a second `Auth`.
    OutOfTurn = 4002,
    /// The claim failed: unknown channel, or not this end's signature; a relay does not say which. The desktop may make
    /// the channel again, the phone cannot.
    Refused = 4003,
    /// No claim within [`limits::RELAY_AUTH`].
    TooLate = 4004,
    /// A newer socket claimed this end.
    Replaced = 4005,
    /// The channel was deleted, or its time is over.
    Ended = 4006,
    /// The client did not take what was sent to it.
    TooSlow = 4007,
}

impl CloseCode {
    /// Every close code.
    pub const ALL: [Self; 12] = [
        Self::NotBinary,
        Self::TooBig,
        Self::Failed,
        Self::GoingDown,
        Self::UnknownFrame,
        Self::Malformed,
        Self::OutOfTurn,
        Self::Refused,
        Self::TooLate,
        Self::Replaced,
        Self::Ended,
        Self::TooSlow,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The close code of a number, if it is one of ours.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// The reason sent along, for whoever reads a trace.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotBinary => "only binary messages",
            Self::TooBig => "message too big",
            Self::Failed => "the relay failed, try later",
            Self::GoingDown => "the relay is going down",
            Self::UnknownFrame => "unknown frame",
            Self::Malformed => "malformed frame",
            Self::OutOfTurn => "frame out of turn",
            Self::Refused => "refused",
            Self::TooLate => "no claim in time",
            Self::Replaced => "replaced by a newer socket",
            Self::Ended => "the channel has ended",
            Self::TooSlow => "too slow",
        }
    }
}

/// What became of a `Send`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// In memory or handed over; nothing more is promised.
    Held = 0,
    /// The mailbox, or the relay's whole memory, is full.
    QueueFull = 1,
    /// Larger than an envelope.
    TooBig = 2,
    /// Too many in too short a time.
    Rate = 3,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Held, Self::QueueFull, Self::TooBig, Self::Rate];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// What a `Notice` is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum NoticeCode {
    /// The relay wants this client to move on; it closes soon.
    Drain = 1,
    /// A quota is used up until `retry_after`.
    OverQuota = 2,
    /// The relay goes down now.
    GoingDown = 3,
    /// This relay does not offer what was asked for (a wake-up address at a relay without push).
    NotAvailable = 4,
}

impl NoticeCode {
    /// Every notice.
    pub const ALL: [Self; 4] = [Self::Drain, Self::OverQuota, Self::GoingDown, Self::NotAvailable];

    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// A frame that a client sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromClient {
    /// Claims an end of a channel ([`crate::claim::Claim`]); the first frame, and only that.
    Auth {
        /// The channel.
        channel: ChannelId,
        /// The end.
        end: End,
        /// The claim, signed.
        sig: Signature,
    },
    /// An envelope for the other end. One larger than [`limits::ENVELOPE`] still decodes, to be told so.
    Send {
        /// Names this frame in its `Ack`.
        seq: u32,
        /// The time left, in whole seconds, at most [`limits::ENVELOPE_TTL`].
        ttl: u16,
        /// Marks a handshake: it has a reserved slot and drops the sender's older envelopes.
        first: bool,
        /// Wakes the other end if it is away and the relay can.
        wake: bool,
        /// The envelope.
        envelope: Vec<u8>,
    },
    /// Wakes the other end; carries nothing.
    Wake,
    /// This delivery arrived.
    Got {
        /// The delivery's id.
        id: u32,
    },
    /// Forget what waits for me.
    Flush,
    /// The wake-up address of this end.
    SetPush {
        /// A URL; empty removes what is there.
        endpoint: String,
        /// The endpoint's keys; empty with an empty endpoint.
        keys: Vec<u8>,
    },
    /// End the channel and both mailboxes.
    Delete,
}

/// A frame that a relay sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromRelay {
    /// The first frame: what the claim must sign.
    Challenge {
        /// Random, for this socket only.
        nonce: [u8; NONCE],
        /// The relay's clock in milliseconds since 1970; nothing rests on it.
        relay_time: u64,
    },
    /// What became of a `Send`.
    Ack {
        /// The `Send`'s number.
        seq: u32,
        /// What became of it.
        outcome: Outcome,
    },
    /// An envelope from the other end, at least once until `Got` or its time is over.
    Deliver {
        /// Names this delivery in its `Got`.
        id: u32,
        /// How long the relay held it.
        age_ms: u32,
        /// The envelope.
        envelope: Vec<u8>,
    },
    /// Whether the other end is here; also the answer to a good claim.
    PeerPresence {
        /// Whether it is.
        online: bool,
    },
    /// Something about the relay itself.
    Notice {
        /// What.
        code: NoticeCode,
        /// When trying again makes sense, in seconds; 0 says nothing.
        retry_after: u32,
    },
}

impl FromClient {
    /// The bytes of one WebSocket message.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Auth { channel, end, sig } => {
                Writer::new(0x01).bytes(channel.as_bytes()).u8(end.number()).bytes(sig.as_bytes()).done()
            }
            Self::Send { seq, ttl, first, wake, envelope } => {
                Writer::new(0x02).u32(*seq).u16(*ttl).bool(*first).bool(*wake).envelope(envelope).done()
            }
            Self::Wake => Writer::new(0x03).done(),
            Self::Got { id } => Writer::new(0x04).u32(*id).done(),
            Self::Flush => Writer::new(0x05).done(),
            Self::SetPush { endpoint, keys } => {
                Writer::new(0x06).bytes(endpoint.as_bytes()).bytes(keys).done()
            }
            Self::Delete => Writer::new(0x07).done(),
        }
    }

    /// Reads one WebSocket message.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &[u8]) -> Result<Self, BadFrame> {
        let (kind, mut fields) = Reader::open(bytes)?;
        let frame = match kind {
            0x01 => Self::Auth {
                channel: ChannelId::new(fields.array()?),
                end: End::from_number(fields.u8()?).ok_or(BadFrame::WrongValue)?,
                sig: Signature::from_bytes(fields.array()?),
            },
            0x02 => Self::Send {
                seq: fields.u32()?,
                ttl: ttl(fields.u16()?)?,
                first: fields.bool()?,
                wake: fields.bool()?,
                envelope: fields.envelope()?,
            },
            0x03 => Self::Wake,
            0x04 => Self::Got { id: fields.u32()? },
            0x05 => Self::Flush,
            0x06 => {
                let endpoint = fields.text(PUSH_ENDPOINT)?;
                let keys = fields.bytes(PUSH_KEYS)?.to_vec();
                if endpoint.is_empty() != keys.is_empty() {
                    return Err(BadFrame::WrongValue);
                }
                Self::SetPush { endpoint, keys }
            }
            0x07 => Self::Delete,
            unknown => return Err(BadFrame::UnknownType(unknown)),
        };
        fields.end().map(|()| frame)
    }
}

impl FromRelay {
    /// The bytes of one WebSocket message.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Challenge { nonce, relay_time } => Writer::new(0x81).bytes(nonce).u64(*relay_time).done(),
            Self::Ack { seq, outcome } => Writer::new(0x82).u32(*seq).u8(outcome.number()).done(),
            Self::Deliver { id, age_ms, envelope } => {
                Writer::new(0x83).u32(*id).u32(*age_ms).envelope(envelope).done()
            }
            Self::PeerPresence { online } => Writer::new(0x84).bool(*online).done(),
            Self::Notice { code, retry_after } => {
                Writer::new(0x85).u16(code.number()).u32(*retry_after).done()
            }
        }
    }

    /// Reads one WebSocket message.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &[u8]) -> Result<Self, BadFrame> {
        let (kind, mut fields) = Reader::open(bytes)?;
        let frame = match kind {
            0x81 => Self::Challenge { nonce: fields.array()?, relay_time: fields.u64()? },
            0x82 => {
                Self::Ack { seq: fields.u32()?, outcome: known(Outcome::ALL, fields.u8()?, Outcome::number)? }
            }
            0x83 => {
                let (id, age_ms, envelope) = (fields.u32()?, fields.u32()?, fields.envelope()?);
                if envelope.len() > limits::ENVELOPE {
                    return Err(BadFrame::TooBig);
                }
                Self::Deliver { id, age_ms, envelope }
            }
            0x84 => Self::PeerPresence { online: fields.bool()? },
            0x85 => Self::Notice {
                code: known(NoticeCode::ALL, fields.u16()?, NoticeCode::number)?,
                retry_after: fields.u32()?,
            },
            unknown => return Err(BadFrame::UnknownType(unknown)),
        };
        fields.end().map(|()| frame)
    }
}

/// A `Send`'s time left, within the longest life of an envelope.
fn ttl(seconds: u16) -> Result<u16, BadFrame> {
    let allowed = Duration::from_secs(seconds.into()) <= limits::ENVELOPE_TTL;
    if allowed { Ok(seconds) } else { Err(BadFrame::WrongValue) }
}

/// The one of `all` that has this number.
fn known<T: Copy, N: PartialEq, const COUNT: usize>(
    all: [T; COUNT],
    number: N,
    number_of: impl Fn(T) -> N,
) -> Result<T, BadFrame> {
    all.into_iter().find(|one| number_of(*one) == number).ok_or(BadFrame::WrongValue)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_one_frame_in_its_one_form_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
            if let Ok(frame) = FromClient::decode(&bytes) {
                prop_assert_eq!(frame.encode(), bytes.clone());
            }
            if let Ok(frame) = FromRelay::decode(&bytes) {
                prop_assert_eq!(frame.encode(), bytes);
            }
        }

        #[test]
        fn a_frame_cut_anywhere_or_with_a_byte_more_is_another_or_none(
            seq: u32, first: bool, wake: bool, ttl in 0u16..=120, cut in 0usize..9,
        ) {
            let frame = FromClient::Send { seq, ttl, first, wake, envelope: vec![1] };
            let bytes = frame.encode();
            prop_assert_eq!(FromClient::decode(&bytes), Ok(frame));
            prop_assert!(FromClient::decode(bytes.get(..cut).unwrap()).is_err());
            let got = [FromClient::Got { id: seq }.encode(), vec![0]].concat();
            prop_assert_eq!(FromClient::decode(&got), Err(BadFrame::LeftOver));
        }
    }

    #[test]
    fn no_type_means_something_in_both_directions() {
        for kind in 0..=u8::MAX {
            let from_client = !matches!(FromClient::decode(&[kind]), Err(BadFrame::UnknownType(_)));
            let from_relay = !matches!(FromRelay::decode(&[kind]), Err(BadFrame::UnknownType(_)));
            assert!(!(from_client && from_relay), "{kind:#04x}");
            assert_eq!(from_client, (0x01..=0x07).contains(&kind));
            assert_eq!(from_relay, (0x81..=0x85).contains(&kind));
        }
    }

    #[test]
    fn close_codes_read_back_and_each_bad_frame_has_one() {
        for code in CloseCode::ALL {
            assert_eq!(CloseCode::from_number(code.number()), Some(code));
            assert!(code.reason().len() <= 123, "a close frame holds no more");
        }
        assert_eq!(CloseCode::from_number(1000), None);
        assert_eq!(BadFrame::UnknownType(9).close_code(), CloseCode::UnknownFrame);
        assert_eq!(BadFrame::TooBig.close_code(), CloseCode::TooBig);
        assert_eq!(BadFrame::LeftOver.close_code(), CloseCode::Malformed);
    }
}
