//! Everything that can happen to the core. A new variant stops the build where it matters: in `Core::handle`, and in
//! the test that feeds every input and checks which of them can allow (WHO-3).

use countersign_proto::{
    id::{DeviceId, Hash, RequestId, RunId},
    message::Message,
    receipt::SignedReceipt,
};

use crate::{
    approver::NewApprover,
    draft::{Draft, Observed, SessionKey},
    policy::{ConsentId, ManagedText, TextKind},
    rule::RuleId,
    settings::Strict,
};

/// Names a waiting hook; given by the shell, never used twice in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HookId(pub u64);

/// Names a place where cards are drawn and clicked: one connection of `watch` or the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SurfaceId(pub u64);

/// Names a transaction that the shell was asked to commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TxId(pub u64);

/// A text that a person was shown and accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accept {
    /// Random id for the consent.
    pub id: ConsentId,
    /// What kind of text.
    pub kind: TextKind,
    /// The whole text.
    pub text: String,
    /// The folder that a permission file is for; absent for everywhere. A policy names its own.
    pub folder: Option<String>,
    /// The consent whose text was edited into this one, where it was (POL-2).
    pub instead_of: Option<ConsentId>,
}

/// A waiting tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The hook that waits.
    pub hook: HookId,
    /// The call.
    pub draft: Draft,
    /// Boot time at which the hook arrived; the deadline counts from here.
    pub arrived_boot_ms: u64,
    /// The agent's own limit for our hook, in ms.
    pub limit_ms: u64,
    /// Id for the request.
    pub request_id: RequestId,
    /// 32 random bytes from which offer ids are derived.
    pub seed: [u8; 32],
}

/// A tool call that an agent is about to make, whether or not it would ask about it (REQ-4). It is answered at once with
/// *deny*, *ask* or silence; nobody waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// The hook that waits.
    pub hook: HookId,
    /// The call.
    pub draft: Draft,
    /// Whether the agent, told nothing, may run the call without asking anybody (WHO-5).
    pub silence_runs: bool,
    /// Boot time at which the hook arrived.
    pub arrived_boot_ms: u64,
}

/// What a person chose on a desktop card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Yes, this once.
    AllowOnce,
    /// Yes, and remember exactly this: the *Always* with this index on the card that was drawn.
    Always(u8),
    /// No, with or without words for the agent.
    Deny {
        /// The words.
        note: Option<String>,
    },
    /// Ask in the terminal.
    HandOff,
}

impl Choice {
    /// Whether it could let anything pass.
    #[must_use]
    pub const fn is_yes(&self) -> bool {
        match self {
            Self::AllowOnce | Self::Always(_) => true,
            Self::Deny { .. } | Self::HandOff => false,
        }
    }
}

/// A click on a desktop card (WHO-6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Click {
    /// Where it was clicked.
    pub surface: SurfaceId,
    /// The request of the card that was drawn.
    pub request: RequestId,
    /// The binding of the card that was drawn.
    pub binding: Hash,
    /// The choice.
    pub choice: Choice,
}

/// Which requests a narrowing act is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every waiting request.
    All,
    /// This one.
    One(RequestId),
}

/// Why a hook no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookGone {
    /// It closed its socket: cancelled, killed, another hook won, or the agent ended.
    Closed,
    /// Its agent's process is gone.
    AgentGone,
}

/// What the store remembers about a phone's words, looked up by the shell before it hands them in. It can lead to a
/// more exact refusal or to a stored receipt, never to an allow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recall {
    /// The run of the offer that is named, where the store knows it as this phone's.
    pub offer_run: Option<RunId>,
    /// The receipt that exactly these reply bytes got before.
    pub receipt: Option<SignedReceipt>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A hook asks.
    Ask(Box<Ask>),
    /// A call is about to be made.
    Before(Box<Before>),
    /// A hook no longer waits.
    HookGone {
        /// The hook.
        hook: HookId,
        /// Why.
        why: HookGone,
    },
    /// An agent's event.
    Observed {
        /// Whose.
        session: SessionKey,
        /// What.
        what: Observed,
    },
    /// A card came to the front on a surface, or its end was seen there.
    Fronted {
        /// The surface.
        surface: SurfaceId,
        /// The card's request.
        request: RequestId,
        /// The card's binding.
        binding: Hash,
        /// Whether all of it was on screen by now.
        seen_to_end: bool,
    },
    /// A surface is gone.
    SurfaceGone(SurfaceId),
    /// A click on a card.
    Click(Click),
    /// Deny from a terminal; needs the id alone.
    Deny(Which),
    /// Hand back to the terminal at once.
    Release(Which),
    /// Deny everything and close every door but deny (LOCK-1), from the desktop.
    Lock,
    /// Open the doors again: a widening act of a person at the desktop.
    Unlock,
    /// A message of a phone's live session.
    Phone {
        /// The phone whose session it came in.
        device: DeviceId,
        /// The message.
        message: Message,
        /// What the store remembers about it.
        recall: Recall,
    },
    /// Bytes in a phone's live session that are no message.
    PhoneGarbage {
        /// The phone.
        device: DeviceId,
    },
    /// A phone's session is live.
    SessionLive(DeviceId),
    /// A phone's session is over.
    SessionOver(DeviceId),
    /// A pairing was completed: the code was typed and every signature holds.
    Paired {
        /// The phone.
        approver: Box<NewApprover>,
        /// 32 random bytes from which ids of offers for requests that wait already are derived.
        seed: [u8; 32],
    },
    /// A pairing did not come about.
    PairingFailed {
        /// Why, in our words.
        why: &'static str,
    },
    /// Revoke a phone.
    Revoke(DeviceId),
    /// Take a rule out: narrowing.
    RemoveRule(RuleId),
    /// Look at a suspended rule again: a widening act of a person at the desktop.
    ResumeRule(RuleId),
    /// Accept a text that the person was shown: a widening act at the desktop (POL-2).
    Accept(Box<Accept>),
    /// End a consent: narrowing; its cards ask again at once.
    RevokeConsent(ConsentId),
    /// What root wrote down for this machine was read again (PERM-5).
    Managed(Box<ManagedText>),
    /// Make a project or agent strict, or no longer so (ORD-1).
    Strict {
        /// Which.
        what: Strict,
        /// Whether it is strict from now on; `false` widens.
        is_strict: bool,
    },
    /// No cards and no answers but refusals, or back to work (WAIT-4).
    Pause(bool),
    /// Protect a branch name from every agent's push, or no longer: taking one out widens (REF-1).
    Protect {
        /// The branch's name.
        branch: String,
        /// Whether it is protected from now on.
        is_protected: bool,
    },
    /// Let agents read a project's `.env` files, or no longer: lifting widens (REF-2).
    LiftEnv {
        /// The project: the folder its sessions start in.
        project: String,
        /// Whether they may be read from now on.
        is_lifted: bool,
    },
    /// Accept a risk of a project's settings, as [`Draft::risky`] names it (REQ-5): a widening act at the desktop.
    AcceptRisk(String),
    /// Lift a suspension: a widening act of a person at the desktop.
    Unsuspend(DeviceId),
    /// The shell committed a transaction.
    Committed(TxId),
    /// The shell could not commit a transaction; nothing of it is stored.
    CommitFailed(TxId),
    /// The shell derived a call's facts again.
    Rederived {
        /// The request.
        request: RequestId,
        /// What the call looks like now; absent where it can't be told.
        draft: Option<Box<Draft>>,
        /// Id for a new request, should the facts have changed.
        request_id: RequestId,
        /// 32 random bytes from which the new request's offer ids would be derived.
        seed: [u8; 32],
    },
    /// The shell wrote an answer to the hook, or found it gone.
    Delivered {
        /// The hook.
        hook: HookId,
        /// Whether the answer was written.
        written: bool,
    },
    /// Time passed.
    Tick,
    /// The daemon is about to end.
    Shutdown,
}
