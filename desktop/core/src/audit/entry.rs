//! One audit entry: what happened, to which request, on whose word. Text in it was escaped before it got here.

use countersign_proto::{
    id::{DeviceId, Hash, OfferId, RequestId, RunId},
    request::{Class, Level},
    text::Foreign,
};
use minicbor::{Decode, Encode};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[cbor(index_only)]
pub enum Event {
    /// The daemon started a run.
    #[n(1)]
    Started,
    /// The daemon ended its run in order.
    #[n(2)]
    Stopped,
    /// A request came in and waits.
    #[n(3)]
    Asked,
    /// A request came in and can't wait (too many are open): back to the terminal.
    #[n(4)]
    TurnedAway,
    /// A request was allowed.
    #[n(5)]
    Allowed,
    /// A request was denied.
    #[n(6)]
    Denied,
    /// A person handed a request back to the terminal.
    #[n(7)]
    HandedBack,
    /// The hook was told.
    #[n(8)]
    Released,
    /// The hook was gone before it could be told.
    #[n(9)]
    Unreleased,
    /// An earlier run decided this and died: it may have been released.
    #[n(10)]
    Unknown,
    /// Nobody answered in time.
    #[n(11)]
    Expired,
    /// The agent moved on, or the daemon was restarted.
    #[n(12)]
    Withdrawn,
    /// The facts changed before a release: the card was withdrawn and made anew (WHO-7).
    #[n(13)]
    Changed,
    /// A phone hid a card.
    #[n(14)]
    Dismissed,
    /// A phone's words were refused.
    #[n(15)]
    ReplyRefused,
    /// A desktop click was refused.
    #[n(16)]
    ClickRefused,
    /// A phone was paired.
    #[n(17)]
    Paired,
    /// A pairing failed.
    #[n(18)]
    PairingFailed,
    /// A phone was revoked.
    #[n(19)]
    Revoked,
    /// A phone was suspended.
    #[n(20)]
    Suspended,
    /// A suspension was lifted.
    #[n(21)]
    Unsuspended,
    /// Every door but deny was closed.
    #[n(22)]
    Locked,
    /// The doors were opened again.
    #[n(23)]
    Unlocked,
    /// The hook before a call had it asked about (REQ-4).
    #[n(24)]
    AskedFirst,
    /// An *Always* was saved.
    #[n(25)]
    RuleSaved,
    /// A rule was taken out.
    #[n(26)]
    RuleRemoved,
    /// A rule or consent answers nothing until a person looked at it (PH-1).
    #[n(27)]
    RuleSuspended,
    /// A person looked at it and put it back in force.
    #[n(28)]
    RuleResumed,
    /// A text was accepted (POL-2).
    #[n(29)]
    Accepted,
    /// A consent ended.
    #[n(30)]
    ConsentEnded,
    /// What root wrote down for this machine was read.
    #[n(31)]
    Managed,
    /// A session read outside content (TAINT-1).
    #[n(32)]
    Tainted,
    /// What ran is not what was answered (AG-5).
    #[n(33)]
    Differed,
    /// A setting changed.
    #[n(34)]
    Setting,
}

impl Event {
    /// The name in the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Stopped => "stopped",
            Self::Asked => "asked",
            Self::TurnedAway => "turned_away",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::HandedBack => "handed_back",
            Self::Released => "released",
            Self::Unreleased => "unreleased",
            Self::Unknown => "unknown",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
            Self::Changed => "changed",
            Self::Dismissed => "dismissed",
            Self::ReplyRefused => "reply_refused",
            Self::ClickRefused => "click_refused",
            Self::Paired => "paired",
            Self::PairingFailed => "pairing_failed",
            Self::Revoked => "revoked",
            Self::Suspended => "suspended",
            Self::Unsuspended => "unsuspended",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
            Self::AskedFirst => "asked_first",
            Self::RuleSaved => "rule_saved",
            Self::RuleRemoved => "rule_removed",
            Self::RuleSuspended => "rule_suspended",
            Self::RuleResumed => "rule_resumed",
            Self::Accepted => "accepted",
            Self::ConsentEnded => "consent_ended",
            Self::Managed => "managed",
            Self::Tainted => "tainted",
            Self::Differed => "differed",
            Self::Setting => "setting",
        }
    }
}

/// What an entry says. Every field but the event is there only where it applies.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Body {
    /// What happened.
    #[n(0)]
    pub event: Event,
    /// To which request.
    #[n(1)]
    pub request: Option<RequestId>,
    /// The request's binding.
    #[n(2)]
    pub binding: Option<Hash>,
    /// Hash of the tool input.
    #[n(3)]
    pub raw: Option<Hash>,
    /// The agent.
    #[n(4)]
    pub agent: Option<Foreign>,
    /// Its session.
    #[n(5)]
    pub session: Option<Foreign>,
    /// The tool.
    #[n(6)]
    pub tool: Option<Foreign>,
    /// The headline.
    #[n(7)]
    pub headline: Option<Foreign>,
    /// Class.
    #[n(8)]
    pub class: Option<Class>,
    /// Level.
    #[n(9)]
    pub level: Option<Level>,
    /// Whose word: `click`, `terminal`, `phone`, `lock`, `green`, `rule`, `policy`, `refused`, `before`.
    #[n(10)]
    pub source: Option<Foreign>,
    /// The phone.
    #[n(11)]
    pub device: Option<DeviceId>,
    /// Its counter.
    #[n(12)]
    pub counter: Option<u64>,
    /// The offer.
    #[n(13)]
    pub offer: Option<OfferId>,
    /// Hash of the reply's bytes.
    #[n(14)]
    pub reply: Option<Hash>,
    /// The refusal's code.
    #[n(15)]
    pub refusal: Option<u16>,
    /// How many of the same within a minute, where more than one.
    #[n(16)]
    pub count: Option<u32>,
    /// In words.
    #[n(17)]
    pub note: Option<Foreign>,
    /// The device key of a phone that was paired, so that an export verifies by itself.
    #[n(18)]
    #[cbor(with = "minicbor::bytes")]
    pub device_key: Option<Vec<u8>>,
    /// The approval key's SPKI of a phone that was paired.
    #[n(19)]
    #[cbor(with = "minicbor::bytes")]
    pub bio_key: Option<Vec<u8>>,
    /// The rule or consent that it rests on or is about.
    #[n(20)]
    #[cbor(with = "minicbor::bytes")]
    pub basis: Option<[u8; 16]>,
    /// The line that had the say, in words.
    #[n(21)]
    pub line: Option<Foreign>,
    /// Hash of the text that is accepted, ended or in force.
    #[n(22)]
    pub text_hash: Option<Hash>,
}

impl Body {
    /// An entry that says only what happened.
    #[must_use]
    pub const fn of(event: Event) -> Self {
        Self {
            event,
            request: None,
            binding: None,
            raw: None,
            agent: None,
            session: None,
            tool: None,
            headline: None,
            class: None,
            level: None,
            source: None,
            device: None,
            counter: None,
            offer: None,
            reply: None,
            refusal: None,
            count: None,
            note: None,
            device_key: None,
            bio_key: None,
            basis: None,
            line: None,
            text_hash: None,
        }
    }
}

impl Body {
    /// The entry with every secret in its texts masked for good (CARD-2): an entry is kept for ever and hashed, so
    /// nothing could be taken out of it later. The call itself is kept elsewhere, whole, for as long as calls are kept.
    #[must_use]
    pub fn masked(self) -> Self {
        let masked = |text: Option<Foreign>| text.map(|text| text.masked_lines().into());
        // Every field is named, so that a new one is thought about.
        let Self {
            event: _,
            request: _,
            binding: _,
            raw: _,
            agent,
            session,
            tool,
            headline,
            class: _,
            level: _,
            source,
            device: _,
            counter: _,
            offer: _,
            reply: _,
            refusal: _,
            count: _,
            note,
            device_key: _,
            bio_key: _,
            basis: _,
            line,
            text_hash: _,
        } = self;
        let (agent, session, tool) = (masked(agent), masked(session), masked(tool));
        let (headline, source, note) = (masked(headline), masked(source), masked(note));
        let line = masked(line);
        Self { agent, session, tool, headline, source, note, line, ..self }
    }
}

/// One entry. Its hash is under [`super::hash`].
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Entry {
    /// Its number, from 1.
    #[n(0)]
    pub seq: u64,
    /// Hash of the entry before; zeros for the first.
    #[n(1)]
    pub prev: Hash,
    /// Wall time in ms.
    #[n(2)]
    pub wall_ms: u64,
    /// Boot time in ms.
    #[n(3)]
    pub boot_ms: u64,
    /// The daemon's run.
    #[n(4)]
    pub run_id: RunId,
    /// What it says.
    #[n(5)]
    pub body: Body,
}
