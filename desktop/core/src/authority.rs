//! The only road to an allow. An [`Authority`] is proof, for one request, that a person's own act allows it: a click
//! bound to the card that was drawn, a rule they saved, a policy they accepted, or a phone's doubly signed reply (WHO-1).
//! It can be made only here, from the evidence itself; it is neither cloneable nor serialisable, and it is spent when it
//! becomes an answer.

use countersign_proto::{
    id::{DeviceId, Hash, OfferId, RequestId},
    limits,
    reply::{Decision, Reply, Verified},
};

use crate::{
    command::Source,
    input::Click,
    order::{Door, Rests},
};

/// Proof that a source allows one request.
#[derive(Debug)]
pub enum Authority {
    /// Door 1: a click on the card on screen.
    Click(BoundClick),
    /// Doors 2 and 3: a rule that the person saved, or a policy that they accepted.
    Standing(StandingYes),
    /// Door 4: a paired phone's signed answer that passed the ledger.
    Phone(SignedYes),
}

impl Authority {
    /// The request it allows.
    #[must_use]
    pub const fn request(&self) -> RequestId {
        match self {
            Self::Click(click) => click.request,
            Self::Standing(yes) => yes.request,
            Self::Phone(yes) => yes.request,
        }
    }

    /// The binding of the request it allows.
    #[must_use]
    pub const fn binding(&self) -> Hash {
        match self {
            Self::Click(click) => click.binding,
            Self::Standing(yes) => yes.binding,
            Self::Phone(yes) => yes.binding,
        }
    }

    /// Whose word it is.
    #[must_use]
    pub const fn source(&self) -> Source {
        match self {
            Self::Click(_) => Source::Click,
            Self::Standing(yes) => yes.source,
            Self::Phone(yes) => {
                Source::Phone { device: yes.device, counter: yes.counter, decision: yes.decision }
            }
        }
    }
}

/// What the person decided before, let through by the order of checks (ORD-1 steps 6 to 8), for one request.
#[derive(Debug)]
pub struct StandingYes {
    request: RequestId,
    binding: Hash,
    source: Source,
}

impl StandingYes {
    /// Takes what the table let through. A [`Door`] comes only from [`crate::order::step`] and is spent here.
    pub(crate) fn through(door: &Door, request: RequestId, binding: Hash) -> Self {
        let source = match door.rests() {
            Rests::Green(consent) => Source::Green(consent),
            Rests::Rule(rule) => Source::Rule(rule),
            Rests::Line(line) => Source::Policy { origin: line.origin, line: line.number },
        };
        Self { request, binding, source }
    }

    /// What the step says (RULE-4, POL-9).
    pub(crate) const fn words(&self) -> &'static str {
        match self.source {
            Source::Rule(_) => "always allowed",
            Source::Policy { .. } => "allowed by your policy",
            _ => "allowed by your green policy",
        }
    }
}

/// Why a click does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClickRefusal {
    /// No such request waits.
    #[error("this request no longer waits; nothing was done")]
    NotWaiting,
    /// The card that was drawn is not the request's.
    #[error("the card on screen is not this request's; look again before you allow")]
    OtherCard,
    /// Its card is not in front on that surface.
    #[error("the card was not in front where you clicked; open it first")]
    NotInFront,
    /// Its card has been in front for less than half a second.
    #[error("the card only just appeared; look at it and click again")]
    TooQuick,
    /// Its end was not on screen yet.
    #[error("the card is longer than the screen; scroll to its end before you allow")]
    NotSeenToEnd,
    /// The deadline is over.
    #[error("too late: the question went back to the terminal")]
    TooLate,
    /// Every door but deny is closed.
    #[error("Countersign is locked; only denying works until `countersign unlock`")]
    Locked,
    /// The decision could not be written down.
    #[error("the decision could not be stored, so nothing was released; the agent asks in its terminal")]
    StoreFailed,
    /// What the call would do changed since the card was drawn.
    #[error("what this call would do changed since the card was drawn; a new card took its place")]
    Changed,
}

/// How a card stands on one surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Front {
    /// Boot time since which it is in front.
    pub(crate) since_boot_ms: u64,
    /// Whether all of it was on screen.
    pub(crate) seen_to_end: bool,
}

/// What a click is checked against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub(crate) request: RequestId,
    pub(crate) binding: Hash,
    pub(crate) front: Option<&'a Front>,
    pub(crate) deadline_boot_ms: u64,
    pub(crate) locked: bool,
}

/// A click that carries the binding of the card that was drawn (WHO-6).
#[derive(Debug)]
pub struct BoundClick {
    request: RequestId,
    binding: Hash,
}

impl BoundClick {
    /// Checks a click on *Allow* against the card it names.
    pub(crate) fn check(click: &Click, drawn: Drawn<'_>, boot_ms: u64) -> Result<Self, ClickRefusal> {
        if !click.choice.is_yes() || click.request != drawn.request {
            return Err(ClickRefusal::NotWaiting);
        }
        if click.binding != drawn.binding {
            return Err(ClickRefusal::OtherCard);
        }
        if drawn.locked {
            return Err(ClickRefusal::Locked);
        }
        let front = drawn.front.ok_or(ClickRefusal::NotInFront)?;
        if boot_ms.saturating_sub(front.since_boot_ms) < limits::FRONTED.as_millis() as u64 {
            return Err(ClickRefusal::TooQuick);
        }
        if !front.seen_to_end {
            return Err(ClickRefusal::NotSeenToEnd);
        }
        if boot_ms >= drawn.deadline_boot_ms {
            return Err(ClickRefusal::TooLate);
        }
        Ok(Self { request: drawn.request, binding: drawn.binding })
    }
}

/// A phone's approval whose two signatures verified over this request's own offer.
#[derive(Debug)]
pub struct SignedYes {
    request: RequestId,
    binding: Hash,
    device: DeviceId,
    counter: u64,
    decision: Decision,
}

/// The offer that a reply is checked against; the ledger makes it from its own books.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offered {
    pub(crate) offer: OfferId,
    pub(crate) hash: Hash,
    pub(crate) request: RequestId,
    pub(crate) binding: Hash,
    pub(crate) device: DeviceId,
}

impl SignedYes {
    /// Takes a verified reply as a yes, if it is one and names exactly this offer.
    pub(crate) fn check(reply: &Verified<Reply>, offered: Offered) -> Option<Self> {
        let said = reply.get();
        let is_yes = matches!(said.decision, Decision::ApproveOnce | Decision::ApproveAlways)
            && reply.signed().sig_bio.is_some()
            && said.offer_id == offered.offer
            && said.offer_hash == offered.hash
            && said.device_id == offered.device;
        is_yes.then_some(Self {
            request: offered.request,
            binding: offered.binding,
            device: offered.device,
            counter: said.counter,
            decision: said.decision,
        })
    }
}
