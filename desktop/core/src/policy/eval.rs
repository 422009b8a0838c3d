//! What policies, permission files and *Always* rules together make of one call, for who measures them: refusals first,
//! then the order of checks without the colours (ORD-1 steps 1, 2, 3, 5, 7 and 8).

use countersign_proto::request::{Class, Level};

use super::{Asked, InForce, LineRef, verdict};

/// What comes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passes.
    Allow,
    /// It gets a card.
    Ask,
    /// It is refused.
    Deny,
}

/// Whose word that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A line's.
    Policy(LineRef),
    /// A rule's.
    AlwaysRule,
    /// The core's own refusals.
    CoreRefusal,
    /// Nobody's: a card for the person.
    Nothing,
}

impl Outcome {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl By {
    /// The word for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Policy(_) => "policy",
            Self::AlwaysRule => "always-rule",
            Self::CoreRefusal => "core-refusal",
            Self::Nothing => "nothing",
        }
    }
}

/// What comes of a call under these texts. `is_remembered` says whether an *Always* rule names exactly this call;
/// `is_paused`, whether the person paused Countersign.
#[must_use]
pub fn evaluate_case(
    asked: &Asked<'_>,
    texts: &[InForce],
    is_remembered: bool,
    is_paused: bool,
) -> (Outcome, By) {
    const CARD: (Outcome, By) = (Outcome::Ask, By::Nothing);
    let facts = asked.facts;
    if facts.refused().is_some() {
        return (Outcome::Deny, By::CoreRefusal);
    }
    let verdict = verdict(asked, texts);
    if let Some(line) = verdict.deny {
        return (Outcome::Deny, By::Policy(line));
    }
    let is_open = match facts.class() {
        Class::Destructive | Class::Spend | Class::Guard => false,
        Class::Read | Class::ReadExternal | Class::Write | Class::External | Class::Unknown => true,
    };
    if is_paused || !is_open || verdict.ask.is_some() || verdict.shadow.is_some() || !asked.is_whole {
        return CARD;
    }
    let is_near = matches!(facts.class(), Class::Read | Class::Write) && facts.hosts().is_empty();
    if asked.session.is_tainted && !is_near {
        return CARD;
    }
    if is_remembered && facts.may_remember() && facts.level() != Level::Red {
        return (Outcome::Allow, By::AlwaysRule);
    }
    match (verdict.soft_ask, verdict.allow) {
        (None, Some(line)) => (Outcome::Allow, By::Policy(line)),
        (Some(_), _) | (None, None) => CARD,
    }
}
