//! What travels inside envelopes once a session is live: the types of protocol.md §13 and their bodies.
//! Signed bodies have modules of their own; those here are control messages, in which unknown keys are ignored.

use minicbor::{Decode, Encode};

use crate::{
    canonical,
    checkpoint::SignedCheckpoint,
    domain,
    id::{DesktopId, DeviceId, Hash, OfferId, RequestId},
    key::{Signature, SigningKey, VerifyingKey},
    limits,
    offer::SignedOffer,
    receipt::SignedReceipt,
    refusal::Refusal,
    reply::SignedReply,
    text::Foreign,
};

/// Message types on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
#[expect(missing_docs, reason = "each variant is the message of the same name below")]
pub enum Type {
    Hello = 0x01,
    Welcome = 0x02,
    Ping = 0x03,
    PairDesktop = 0x04,
    PairPhone = 0x05,
    PairDone = 0x06,
    Offer = 0x10,
    Reply = 0x11,
    GetOffer = 0x13,
    RequestOffer = 0x14,
    Lock = 0x15,
    Receipt = 0x20,
    OfferClosed = 0x21,
    AuditHead = 0x30,
    Notice = 0x31,
    Revoked = 0x7f,
}

impl Type {
    /// Every type.
    pub const ALL: [Self; 16] = [
        Self::Hello,
        Self::Welcome,
        Self::Ping,
        Self::PairDesktop,
        Self::PairPhone,
        Self::PairDone,
        Self::Offer,
        Self::Reply,
        Self::GetOffer,
        Self::RequestOffer,
        Self::Lock,
        Self::Receipt,
        Self::OfferClosed,
        Self::AuditHead,
        Self::Notice,
        Self::Revoked,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The type of a number, if there is one.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// The phone's first words in a session, which prove it live.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Hello {
    /// App and its version.
    #[n(0)]
    pub app: Foreign,
    /// Protocol versions it speaks.
    #[n(1)]
    pub versions: Vec<u32>,
    /// Counter of its last signed word.
    #[n(2)]
    pub counter: u64,
    /// The highest audit head it has seen of this desktop.
    #[n(3)]
    pub head: Option<Head>,
}

/// An audit head: entry number and hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Head {
    /// Entry number.
    #[n(0)]
    pub seq: u64,
    /// Hash of that entry.
    #[n(1)]
    pub hash: Hash,
}

/// The desktop's answer to [`Hello`]: everything open, so that a phone that lost anything needs no other recovery.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Welcome {
    /// The counter the desktop has of this phone.
    #[n(0)]
    pub counter: u64,
    /// The newest checkpoint.
    #[n(1)]
    pub checkpoint: Option<SignedCheckpoint>,
    /// Offers that are open for this phone.
    #[n(2)]
    pub open: Vec<OpenOffer>,
}

/// One open offer in a [`Welcome`].
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct OpenOffer {
    /// Its id.
    #[n(0)]
    pub offer_id: OfferId,
    /// Hash of its bytes.
    #[n(1)]
    pub offer_hash: Hash,
    /// Whether its card is in front on the desktop.
    #[n(2)]
    pub fronted: bool,
    /// Time left in ms, by the desktop's clock.
    #[n(3)]
    pub left_ms: u64,
}

/// Asks whether the other end is there; `pong` marks the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Ping {
    /// Chosen by the one who asks.
    #[n(0)]
    pub nonce: u64,
    /// Whether this is the answer.
    #[n(1)]
    pub pong: bool,
}

/// An offer with the time left beside it, unsigned.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct OfferMessage {
    /// The offer.
    #[n(0)]
    pub signed: SignedOffer,
    /// Time left in ms, by the desktop's clock.
    #[n(1)]
    pub left_ms: u64,
    /// Whether its card is in front on the desktop.
    #[n(2)]
    pub fronted: bool,
}

/// Asks for an offer's bytes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct GetOffer {
    /// The offer.
    #[n(0)]
    pub offer_id: OfferId,
}

/// Asks for a missed request to be offered as a grant (WAIT-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct RequestOffer {
    /// The missed request.
    #[n(0)]
    pub request_id: RequestId,
}

/// Closes every door but deny until someone at the desktop opens them (LOCK-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Lock {
    /// Version of this object, 1.
    #[n(0)]
    pub v: u32,
    /// The desktop it is for.
    #[n(1)]
    pub desktop_id: DesktopId,
    /// The phone it is from.
    #[n(2)]
    pub device_id: DeviceId,
    /// Strictly growing number of this phone's signed words.
    #[n(3)]
    pub counter: u64,
}

/// An object that one Ed25519 key signed, as it travels: `{0 bytes, 1 sig}`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SignedBytes {
    /// The object's canonical bytes.
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
    /// The signature, under the object's own label.
    #[n(1)]
    pub sig: Signature,
}

impl Lock {
    /// Signs with the device key.
    #[must_use]
    pub fn sign(&self, device: &SigningKey) -> SignedBytes {
        sign_bytes(device, domain::LOCK, canonical::encode(self))
    }

    /// Reads what a lock claims, before its signature is looked at.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] (also for another version and for a counter that can't be), [`Refusal::NotCanonical`].
    pub fn claims(signed: &SignedBytes) -> Result<Self, Refusal> {
        let lock: Self = canonical::decode(&signed.bytes, limits::MESSAGE)?;
        if lock.v == 1 && lock.counter < limits::COUNTER_END { Ok(lock) } else { Err(Refusal::Malformed) }
    }

    /// Verifies the device key's signature.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`].
    pub fn verify(signed: &SignedBytes, device: &VerifyingKey) -> Result<(), Refusal> {
        device.verify(domain::LOCK, &[&signed.bytes], &signed.sig)
    }
}

/// Tells a live phone that it was revoked; the phone wipes its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Revoked {
    /// Version of this object, 1.
    #[n(0)]
    pub v: u32,
    /// The desktop that says it.
    #[n(1)]
    pub desktop_id: DesktopId,
    /// The phone that was revoked.
    #[n(2)]
    pub device_id: DeviceId,
}

impl Revoked {
    /// Signs with `D_sig`.
    #[must_use]
    pub fn sign(&self, desktop: &SigningKey) -> SignedBytes {
        sign_bytes(desktop, domain::REVOKED, canonical::encode(self))
    }

    /// Verifies a revocation of this phone.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`], [`Refusal::WrongDesktop`], [`Refusal::WrongDevice`], and what
    /// [`canonical::decode`] refuses.
    pub fn open(
        signed: &SignedBytes,
        desktop_key: &VerifyingKey,
        desktop: &DesktopId,
        device: &DeviceId,
    ) -> Result<Self, Refusal> {
        desktop_key.verify(domain::REVOKED, &[&signed.bytes], &signed.sig)?;
        let revoked: Self = canonical::decode(&signed.bytes, limits::MESSAGE)?;
        match () {
            () if revoked.v != 1 => Err(Refusal::Malformed),
            () if revoked.desktop_id != *desktop => Err(Refusal::WrongDesktop),
            () if revoked.device_id != *device => Err(Refusal::WrongDevice),
            () => Ok(revoked),
        }
    }
}

fn sign_bytes(key: &SigningKey, label: domain::Label, bytes: Vec<u8>) -> SignedBytes {
    let sig = key.sign(label, &[&bytes]);
    SignedBytes { bytes, sig }
}

/// How an offer ended without this phone's reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(index_only)]
pub enum Closed {
    /// Allowed elsewhere.
    #[n(1)]
    Allowed,
    /// Denied elsewhere.
    #[n(2)]
    Denied,
    /// Went back to the terminal: the person's choice, or nobody answered in time.
    #[n(3)]
    HandedBack,
    /// The agent moved on.
    #[n(4)]
    Withdrawn,
    /// Facts changed; a new card takes its place.
    #[n(5)]
    Superseded,
    /// Everything was locked.
    #[n(6)]
    Locked,
}

/// An offer is over: how, and by whom in words.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct OfferClosed {
    /// The offer.
    #[n(0)]
    pub offer_id: OfferId,
    /// How it ended.
    #[n(1)]
    pub how: Closed,
    /// By whom, in words.
    #[n(2)]
    pub by: Foreign,
}

/// Something a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Notice {
    /// What kind of notice.
    #[n(0)]
    pub code: NoticeCode,
    /// In words.
    #[n(1)]
    pub text: Foreign,
}

/// Kinds of [`Notice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(index_only)]
pub enum NoticeCode {
    /// The desktop was locked.
    #[n(1)]
    Locked,
    /// The desktop was unlocked.
    #[n(2)]
    Unlocked,
    /// This phone's counter came back lower than it was (§7.5).
    #[n(3)]
    NeedsALook,
    /// Another phone was paired.
    #[n(4)]
    Paired,
    /// What was asked for does not exist in this version, or no longer.
    #[n(5)]
    Unavailable,
    /// An agent's hook entry vanished or changed.
    #[n(6)]
    HooksGone,
    /// Only for the person who just paired: this was a test.
    #[n(7)]
    Test,
    /// What an agent ran is not what was answered (AG-5).
    #[n(8)]
    Differed,
}

/// A message of a live session, by its type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the message of the same name")]
pub enum Message {
    Hello(Hello),
    Welcome(Welcome),
    Ping(Ping),
    Offer(OfferMessage),
    Reply(SignedReply),
    GetOffer(GetOffer),
    RequestOffer(RequestOffer),
    Lock(SignedBytes),
    Receipt(SignedReceipt),
    OfferClosed(OfferClosed),
    AuditHead(SignedCheckpoint),
    Notice(Notice),
    Revoked(SignedBytes),
}

impl Message {
    /// Its type on the wire.
    #[must_use]
    pub const fn kind(&self) -> Type {
        match self {
            Self::Hello(_) => Type::Hello,
            Self::Welcome(_) => Type::Welcome,
            Self::Ping(_) => Type::Ping,
            Self::Offer(_) => Type::Offer,
            Self::Reply(_) => Type::Reply,
            Self::GetOffer(_) => Type::GetOffer,
            Self::RequestOffer(_) => Type::RequestOffer,
            Self::Lock(_) => Type::Lock,
            Self::Receipt(_) => Type::Receipt,
            Self::OfferClosed(_) => Type::OfferClosed,
            Self::AuditHead(_) => Type::AuditHead,
            Self::Notice(_) => Type::Notice,
            Self::Revoked(_) => Type::Revoked,
        }
    }

    /// Type and body, ready to be sealed.
    #[must_use]
    pub fn encode(&self) -> (u16, Vec<u8>) {
        let body = match self {
            Self::Hello(m) => canonical::encode(m),
            Self::Welcome(m) => canonical::encode(m),
            Self::Ping(m) => canonical::encode(m),
            Self::Offer(m) => canonical::encode(m),
            Self::Reply(m) => canonical::encode(m),
            Self::GetOffer(m) => canonical::encode(m),
            Self::RequestOffer(m) => canonical::encode(m),
            Self::Lock(m) | Self::Revoked(m) => canonical::encode(m),
            Self::Receipt(m) => canonical::encode(m),
            Self::OfferClosed(m) => canonical::encode(m),
            Self::AuditHead(m) => canonical::encode(m),
            Self::Notice(m) => canonical::encode(m),
        };
        (self.kind().code(), body)
    }

    /// Reads a message of a live session. Signed bodies must be canonical; control messages may carry unknown keys.
    ///
    /// # Errors
    /// [`Refusal::TooBig`], [`Refusal::NotCanonical`], [`Refusal::Malformed`] (also for an unknown type and for the
    /// types of pairing, which have no place in a session).
    pub fn decode(kind: u16, body: &[u8]) -> Result<Self, Refusal> {
        let max = limits::MESSAGE;
        Ok(match Type::from_code(kind).ok_or(Refusal::Malformed)? {
            Type::Hello => Self::Hello(canonical::decode_unsigned(body, max)?),
            Type::Welcome => Self::Welcome(canonical::decode_unsigned(body, max)?),
            Type::Ping => Self::Ping(canonical::decode_unsigned(body, max)?),
            Type::Offer => Self::Offer(canonical::decode_unsigned(body, max)?),
            Type::Reply => Self::Reply(canonical::decode(body, max)?),
            Type::GetOffer => Self::GetOffer(canonical::decode_unsigned(body, max)?),
            Type::RequestOffer => Self::RequestOffer(canonical::decode_unsigned(body, max)?),
            Type::Lock => Self::Lock(canonical::decode(body, max)?),
            Type::Receipt => Self::Receipt(canonical::decode(body, max)?),
            Type::OfferClosed => Self::OfferClosed(canonical::decode_unsigned(body, max)?),
            Type::AuditHead => Self::AuditHead(canonical::decode(body, max)?),
            Type::Notice => Self::Notice(canonical::decode_unsigned(body, max)?),
            Type::Revoked => Self::Revoked(canonical::decode(body, max)?),
            Type::PairDesktop | Type::PairPhone | Type::PairDone => return Err(Refusal::Malformed),
        })
    }
}
