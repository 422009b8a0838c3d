//! What the core wants done. Commands are carried out in order, each once; results come back as inputs.

use countersign_proto::{
    checkpoint::SignedCheckpoint,
    id::{DeviceId, Hash, OfferId, RequestId, RunId},
    message::{Closed, Message},
    offer::SignedOffer,
    receipt::SignedReceipt,
    refusal::Refusal,
    reply::{Decision, SignedReply},
    text::Shown,
};

use crate::{
    answer::Answer,
    approver::{NewApprover, Standing},
    authority::ClickRefusal,
    draft::SessionKey,
    input::{HookId, TxId},
    policy::{Consent, ConsentId, Origin},
    rule::{Rule, RuleId},
};

/// Where a request stands in the store (protocol.md §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestState {
    /// Waits.
    Pending,
    /// Decided and about to be released.
    Releasing,
    /// The hook was told.
    Released,
    /// The hook was gone.
    Unreleased,
    /// The daemon died between commit and release: it may have been released.
    Unknown,
    /// Nobody answered in time.
    Expired,
    /// Withdrawn, handed back or cut off by a restart.
    Cancelled,
}

impl RequestState {
    /// The name in the store, the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Releasing => "releasing",
            Self::Released => "released",
            Self::Unreleased => "unreleased",
            Self::Unknown => "unknown",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Where an offer stands in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfferState {
    /// Can be answered.
    Open,
    /// Its reply settled the request.
    Answered,
    /// Another answer was first, or a new card took its place.
    Superseded,
    /// Its time is over.
    Expired,
    /// Its request was withdrawn.
    Cancelled,
    /// Its phone was revoked.
    Revoked,
}

impl OfferState {
    /// The name in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Superseded => "superseded",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Revoked => "revoked",
        }
    }
}

/// One audit entry, ready to be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
    /// Its canonical bytes ([`crate::audit::Entry`]).
    pub bytes: Vec<u8>,
}

/// One thing to write. A transaction's writes are stored together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Append an audit entry.
    Entry(EntryRow),
    /// Append a signed checkpoint of the log.
    Checkpoint {
        /// The entry it stands at.
        seq: u64,
        /// The checkpoint.
        signed: SignedCheckpoint,
    },
    /// A new request.
    Request {
        /// Its id.
        id: RequestId,
        /// The run it belongs to.
        run: RunId,
        /// Its binding.
        binding: Hash,
        /// Its canonical bytes, kept as a blob under the binding.
        bytes: Vec<u8>,
        /// The tool input, kept as a blob under its own hash.
        raw: Vec<u8>,
        /// Hash of the tool input.
        raw_hash: Hash,
    },
    /// A request's new state.
    RequestState {
        /// The request.
        id: RequestId,
        /// The state.
        state: RequestState,
    },
    /// A new open offer.
    Offer {
        /// Its id.
        id: OfferId,
        /// Its request.
        request: RequestId,
        /// Its phone.
        device: DeviceId,
        /// Its run.
        run: RunId,
        /// Its place among the offers to this phone.
        seq: u64,
        /// The offer's hash; its bytes are kept as a blob under it, so that an export verifies by itself.
        hash: Hash,
        /// The offer and its signature.
        signed: SignedOffer,
    },
    /// An offer's end.
    OfferState {
        /// The offer.
        id: OfferId,
        /// The state.
        state: OfferState,
    },
    /// The decision on a request; there is one at most (`UNIQUE(request_id)`).
    Decision {
        /// The request.
        request: RequestId,
        /// What was decided.
        answer: Verdict,
        /// Whose word it rests on.
        source: Source,
    },
    /// A phone's accepted reply (`UNIQUE(device, counter)`, `UNIQUE(offer)` for those that settle).
    Reply {
        /// The phone.
        device: DeviceId,
        /// Its counter.
        counter: u64,
        /// The offer it settles; absent for a dismissal or a lock.
        offer: Option<OfferId>,
        /// [`countersign_proto::receipt::Receipt::reply_hash`] of its bytes.
        hash: Hash,
        /// The reply as it travelled; absent for a lock.
        signed: Option<SignedReply>,
    },
    /// The receipt that a reply's bytes got.
    Receipt {
        /// Hash of the reply's bytes.
        reply: Hash,
        /// The receipt.
        signed: SignedReceipt,
    },
    /// A new approver.
    Approver(Box<NewApprover>),
    /// An approver's standing.
    Standing {
        /// The phone.
        device: DeviceId,
        /// Its standing.
        standing: Standing,
    },
    /// Whether every door but deny is closed.
    Locked(bool),
    /// A new rule for a project. Rules for a session are never written.
    Rule(Box<Rule>),
    /// A rule is gone.
    RuleRemoved(RuleId),
    /// A rule answers nothing, or again.
    RuleSuspended {
        /// The rule.
        id: RuleId,
        /// Whether it answers nothing.
        is_suspended: bool,
    },
    /// A consent as it stands now, with its text.
    Consent(Box<Consent>),
    /// A session's marks, which outlive the run (TAINT-1, AG-5).
    Marks {
        /// The session.
        session: SessionKey,
        /// Whether it read outside content.
        is_tainted: bool,
        /// Why steps 4 to 8 are off for it.
        off: Option<Shown>,
    },
    /// A setting that the core decides by.
    Setting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: Vec<String>,
    },
}

/// What was decided on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Allow.
    Allow,
    /// Deny.
    Deny,
    /// Abstain: the agent asks in its terminal.
    Abstain,
}

impl Verdict {
    /// The name in the store, the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Abstain => "abstain",
        }
    }
}

/// Whose word a decision rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A click on a desktop card.
    Click,
    /// `countersign deny` or `release` from a terminal.
    Terminal,
    /// A phone's signed reply.
    Phone {
        /// The phone.
        device: DeviceId,
        /// The reply's counter.
        counter: u64,
        /// Its decision.
        decision: Decision,
    },
    /// Everything was locked.
    Lock,
    /// A built-in green policy that the person accepted (LVL-1).
    Green(ConsentId),
    /// A rule.
    Rule(RuleId),
    /// A line of an accepted or managed text.
    Policy {
        /// Whose text.
        origin: Origin,
        /// The line, from 1.
        line: u32,
    },
    /// Nobody may allow it (REF): the core's own word, which only denies.
    Refused,
    /// The hook before every call (REQ-4), which only denies or asks.
    Before,
}

impl Source {
    /// The name in the store, the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Terminal => "terminal",
            Self::Phone { .. } => "phone",
            Self::Lock => "lock",
            Self::Green(_) => "green",
            Self::Rule(_) => "rule",
            Self::Policy { .. } => "policy",
            Self::Refused => "refused",
            Self::Before => "before",
        }
    }

    /// The rule or consent that it rests on.
    #[must_use]
    pub const fn basis(self) -> Option<[u8; 16]> {
        match self {
            Self::Green(consent) => Some(consent.0),
            Self::Rule(rule) => Some(rule.0),
            Self::Policy { origin: Origin::Person(consent), .. } => Some(consent.0),
            Self::Policy { origin: Origin::Managed | Origin::Default, .. }
            | Self::Click
            | Self::Terminal
            | Self::Phone { .. }
            | Self::Lock
            | Self::Refused
            | Self::Before => None,
        }
    }
}

/// Writes that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Its id.
    pub id: TxId,
    /// The writes, in order.
    pub writes: Vec<Write>,
}

/// What every surface should know has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A card opened.
    Opened(RequestId),
    /// A card closed: how, and by whom in words.
    Closed {
        /// Its request.
        request: RequestId,
        /// How.
        how: Closed,
        /// By whom.
        by: Shown,
    },
    /// A request was answered by what the person decided before, or refused; no card was shown (POL-9).
    Passed {
        /// Its request.
        request: RequestId,
        /// What it wanted.
        headline: Shown,
        /// What it was told.
        how: Closed,
        /// By what.
        by: Shown,
    },
    /// Something a person should look at, in words.
    Alarm(Shown),
    /// Rules came or went.
    Rules,
    /// Policies came or went.
    Policies,
    /// A card came to the front, or its end was seen.
    Fronted(RequestId),
    /// A phone was paired, revoked, suspended or connected.
    Phones,
    /// Doors were closed or opened.
    Lock(bool),
}

/// Something the shell must do. Not `Clone`: an [`Answer`] exists once.
#[derive(Debug)]
pub enum Command {
    /// Commit a transaction, then hand in `Committed` or `CommitFailed`. The core waits for it before anything else.
    Commit(Transaction),
    /// Derive a waiting call's facts again, then hand in `Rederived` (WHO-7).
    Rederive(RequestId),
    /// Write an answer to a hook and close it, if the deadline has not passed by the clock read just before the write;
    /// then hand in `Delivered`. [`Answer::abstain`] is never late.
    Answer {
        /// The hook.
        hook: HookId,
        /// The answer.
        answer: Answer,
        /// Boot time from which on only silence may be written.
        deadline_boot_ms: u64,
    },
    /// Seal a message for a phone's live session and send it; without one it is dropped, since everything open is
    /// offered again.
    Send {
        /// The phone.
        device: DeviceId,
        /// The message.
        message: Message,
        /// How long it is worth delivering, in ms.
        ttl_ms: u64,
    },
    /// Wake a phone that has no live session.
    Wake(DeviceId),
    /// End a phone for good: wipe its session and pairing keys, delete its channel at the relay (retried until
    /// confirmed). What was sent to it before still goes out first.
    Forget(DeviceId),
    /// Tell every surface.
    Changed(Change),
    /// Tell whoever handed in the input that is being handled what became of it.
    Report(Report),
}

/// What became of an act at the desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// It is done and recorded.
    Done,
    /// It concerned nothing that is there.
    Nothing,
    /// A click was refused; nothing was done.
    Click(ClickRefusal),
    /// A pairing was refused; nothing was stored.
    Pairing(Refusal),
    /// It was refused; nothing was done. Why, and what to do.
    Refused(Shown),
    /// It could not be recorded. What narrows is in force until the daemon ends; what widens was not done.
    NotStored,
}
