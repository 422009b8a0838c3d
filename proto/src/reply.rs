//! The phone's reply (protocol.md §7.3): decision, offer id, offer hash and counter, signed by the device key and,
//! where it could let something pass, by the approval key. Its content is trusted only as [`Verified`].

use minicbor::{Decode, Encode};

use crate::{
    canonical, domain,
    id::{DesktopId, DeviceId, Hash, OfferId},
    key::{BioKey, Signature, VerifyingKey},
    limits,
    refusal::Refusal,
    text::{Foreign, is_control},
};

/// A person's choice on one offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[cbor(index_only)]
pub enum Decision {
    /// No.
    #[n(1)]
    Deny = 1,
    /// Hide the card on this phone; the request stays pending.
    #[n(2)]
    Dismiss = 2,
    /// No, with words for the agent.
    #[n(3)]
    DenyWithNote = 3,
    /// Yes, this once.
    #[n(4)]
    ApproveOnce = 4,
    /// Yes, and remember exactly this.
    #[n(5)]
    ApproveAlways = 5,
    /// The answer to a question.
    #[n(6)]
    Answer = 6,
    /// Ask in the terminal.
    #[n(7)]
    HandOff = 7,
    /// Allow one identical retry.
    #[n(8)]
    Grant = 8,
    /// Do this act on the desktop.
    #[n(9)]
    ServiceAction = 9,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 9] = [
        Self::Deny,
        Self::Dismiss,
        Self::DenyWithNote,
        Self::ApproveOnce,
        Self::ApproveAlways,
        Self::Answer,
        Self::HandOff,
        Self::Grant,
        Self::ServiceAction,
    ];

    /// Whether the approval key must sign too (PH-2).
    #[must_use]
    pub const fn needs_bio(self) -> bool {
        !matches!(self, Self::Deny | Self::Dismiss)
    }

    /// Whether it could let anything pass.
    #[must_use]
    pub const fn is_widening(self) -> bool {
        match self {
            Self::Deny | Self::Dismiss | Self::DenyWithNote | Self::HandOff => false,
            Self::ApproveOnce | Self::ApproveAlways | Self::Answer | Self::Grant | Self::ServiceAction => {
                true
            }
        }
    }

    /// The name used in the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Dismiss => "dismiss",
            Self::DenyWithNote => "deny_with_note",
            Self::ApproveOnce => "approve_once",
            Self::ApproveAlways => "approve_always",
            Self::Answer => "answer",
            Self::HandOff => "hand_off",
            Self::Grant => "grant",
            Self::ServiceAction => "service_action",
        }
    }

    /// Its bit in a set: that of its number.
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of decisions: those that a request makes possible, or that an offer allows.
/// Bits that stand for no decision are refused, so that no set says more than what is read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode)]
#[cbor(transparent)]
pub struct Replies(#[n(0)] u32);

impl Replies {
    /// Every decision there is.
    pub const ALL: Self = Self::of(&Decision::ALL);

    /// The set of these decisions.
    #[must_use]
    pub const fn of(decisions: &[Decision]) -> Self {
        let mut bits = 0;
        let mut rest = decisions;
        while let [first, others @ ..] = rest {
            bits |= first.bit();
            rest = others;
        }
        Self(bits)
    }

    /// Whether a decision is in it.
    #[must_use]
    pub const fn contains(self, decision: Decision) -> bool {
        self.0 & decision.bit() != 0
    }

    /// The decisions in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether every decision in it is in the other set too.
    #[must_use]
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The decisions, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Decision> {
        Decision::ALL.into_iter().filter(move |decision| self.contains(*decision))
    }
}

impl<'b, C> Decode<'b, C> for Replies {
    fn decode(d: &mut minicbor::Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        let at = d.position();
        let replies = Self(d.u32()?);
        if replies.is_within(Self::ALL) {
            Ok(replies)
        } else {
            Err(minicbor::decode::Error::message("a reply that does not exist").at(at))
        }
    }
}

/// What a reply carries beyond its decision.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum Payload {
    /// Words for the agent with a denial.
    #[n(1)]
    Note(#[n(0)] Foreign),
    /// Which *Always* text: its index and its [`domain::OFFERED_TEXT`] hash.
    #[n(2)]
    Always(#[n(0)] u8, #[n(1)] Hash),
    /// Chosen options, and free text, for each question.
    #[n(3)]
    Answers(
        #[n(0)]
        #[cbor(decode_with = "canonical::at_most::<{ limits::QUESTIONS }, _, _>")]
        Vec<QuestionAnswer>,
    ),
    /// The hash of the offered text of a grant or service action.
    #[n(4)]
    Offered(#[n(0)] Hash),
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct QuestionAnswer {
    /// Indices of the chosen options, ascending.
    #[n(0)]
    #[cbor(decode_with = "canonical::at_most::<{ limits::OPTIONS }, _, _>")]
    pub options: Vec<u8>,
    /// The person's own words.
    #[n(1)]
    pub text: Option<Foreign>,
}

/// What a phone says to one offer. Field numbers are those of protocol.md §7.3.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Reply {
    /// Version of this object, [`Reply::VERSION`].
    #[n(0)]
    pub v: u32,
    /// The desktop it is for.
    #[n(1)]
    pub desktop_id: DesktopId,
    /// The phone it is from.
    #[n(2)]
    pub device_id: DeviceId,
    /// The offer it answers.
    #[n(3)]
    pub offer_id: OfferId,
    /// Hash of that offer's bytes.
    #[n(4)]
    pub offer_hash: Hash,
    /// The choice.
    #[n(5)]
    pub decision: Decision,
    /// Strictly growing number of this phone's signed words.
    #[n(6)]
    pub counter: u64,
    /// What belongs to the choice.
    #[n(7)]
    pub payload: Option<Payload>,
    /// The phone's wall time in ms, shown only.
    #[n(8)]
    pub phone_time: u64,
}

impl Reply {
    /// The version this code makes and reads.
    pub const VERSION: u32 = 1;

    /// The canonical bytes that both keys sign.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        canonical::encode(self)
    }

    /// Whether the payload is of the kind that the decision takes, and its text is within limits (§7.3).
    ///
    /// # Errors
    /// [`Refusal::PayloadMismatch`].
    pub fn check_payload(&self) -> Result<(), Refusal> {
        let fits = match (self.decision, &self.payload) {
            (Decision::Deny | Decision::Dismiss | Decision::ApproveOnce | Decision::HandOff, None)
            | (Decision::ApproveAlways, Some(Payload::Always(..)))
            | (Decision::Grant | Decision::ServiceAction, Some(Payload::Offered(_))) => true,
            (Decision::DenyWithNote, Some(Payload::Note(note))) => is_plain(note, limits::NOTE_CHARS),
            (Decision::Answer, Some(Payload::Answers(answers))) => {
                (1..=limits::QUESTIONS).contains(&answers.len()) && answers.iter().all(QuestionAnswer::is_fit)
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(Refusal::PayloadMismatch) }
    }
}

impl QuestionAnswer {
    /// One form for one answer: each option once, in order, and no text rather than an empty one.
    fn is_fit(&self) -> bool {
        self.options.is_sorted_by(|a, b| a < b)
            && self.options.last().is_none_or(|last| usize::from(*last) < limits::OPTIONS)
            && self.text.as_ref().is_none_or(|text| is_plain(text, limits::FREE_TEXT_CHARS))
    }
}

/// A person's words that reach an agent: not empty, not too long, no control characters.
fn is_plain(text: &Foreign, chars: usize) -> bool {
    let raw = text.raw();
    !raw.trim().is_empty() && raw.chars().count() <= chars && !raw.chars().any(is_control)
}

/// A reply as it travels: `{0 bytes, 1 sig, 2 sig_bio}`. Unsigned key order and form are checked when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SignedReply {
    /// The reply's canonical bytes.
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
    /// Device key over [`domain::REPLY_DEVICE`].
    #[n(1)]
    pub sig: Signature,
    /// Approval key (DER) over [`domain::REPLY_BIO`].
    #[n(2)]
    #[cbor(with = "minicbor::bytes")]
    pub sig_bio: Option<Vec<u8>>,
}

/// A reply that was read but not yet verified: good enough to look up whom it would concern, for nothing else.
#[derive(Debug, Clone)]
pub struct UnverifiedReply {
    reply: Reply,
    signed: SignedReply,
}

impl UnverifiedReply {
    /// Reads a reply message's body.
    ///
    /// # Errors
    /// [`Refusal::TooBig`], [`Refusal::Malformed`] (also for another version and for a counter that can't be),
    /// [`Refusal::NotCanonical`].
    pub fn read(body: &[u8]) -> Result<Self, Refusal> {
        Self::of(canonical::decode(body, limits::MESSAGE)?)
    }

    /// Reads a reply that travelled in a message.
    ///
    /// # Errors
    /// As [`UnverifiedReply::read`].
    pub fn of(signed: SignedReply) -> Result<Self, Refusal> {
        let reply: Reply = canonical::decode(&signed.bytes, limits::MESSAGE)?;
        if reply.v != Reply::VERSION || reply.counter >= limits::COUNTER_END {
            return Err(Refusal::Malformed);
        }
        if signed.sig_bio.as_ref().is_some_and(|der| der.len() > limits::BIO_SIGNATURE) {
            return Err(Refusal::Malformed);
        }
        Ok(Self { reply, signed })
    }

    /// What the reply claims.
    #[must_use]
    pub const fn claims(&self) -> &Reply {
        &self.reply
    }

    /// The bytes that were signed.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.signed.bytes
    }

    /// The reply as it travelled.
    #[must_use]
    pub const fn signed(&self) -> &SignedReply {
        &self.signed
    }

    /// Verifies the device key's signature and, where the decision needs it, the approval key's.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`], then [`Refusal::BioMissing`] or [`Refusal::NoteNeedsBio`], then
    /// [`Refusal::BadBioSignature`]; [`Refusal::Malformed`] for an approval signature on a decision that takes none;
    /// last what [`Reply::check_payload`] refuses, so that nothing verified carries what does not belong to it.
    pub fn verify(self, device: &VerifyingKey, bio: &BioKey) -> Result<Verified<Reply>, Refusal> {
        let bytes = &self.signed.bytes;
        device.verify(domain::REPLY_DEVICE, &[bytes], &self.signed.sig)?;
        match (&self.signed.sig_bio, self.reply.decision) {
            (Some(der), decision) if decision.needs_bio() => bio.verify(domain::REPLY_BIO, &[bytes], der)?,
            (None, Decision::DenyWithNote) => return Err(Refusal::NoteNeedsBio),
            (None, decision) if decision.needs_bio() => return Err(Refusal::BioMissing),
            (None, _) => {}
            (Some(_), _) => return Err(Refusal::Malformed),
        }
        self.reply.check_payload()?;
        Ok(Verified { value: self.reply, signed: self.signed })
    }
}

/// Something whose signatures were verified. Only this crate's `verify` functions make one.
#[derive(Debug)]
pub struct Verified<T> {
    value: T,
    signed: SignedReply,
}

impl<T> Verified<T> {
    /// The verified content.
    #[must_use]
    pub const fn get(&self) -> &T {
        &self.value
    }

    /// What was verified, as it travelled, for the record.
    #[must_use]
    pub const fn signed(&self) -> &SignedReply {
        &self.signed
    }
}
