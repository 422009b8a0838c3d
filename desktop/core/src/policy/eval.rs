//! What comes of one call under texts, for who measures policies, compares them or asks why: the order of checks (ORD-1)
//! over a verdict, without a request, a session or an answer.

use super::{Asked, ConsentId, InForce, LineRef, Verdict, verdict};
use crate::{
    order::{self, Rests, Standing},
    rule::RuleId,
};

/// What comes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// A built-in green policy's.
    Green,
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
            Self::Green => "green",
            Self::CoreRefusal => "core-refusal",
            Self::Nothing => "nothing",
        }
    }
}

/// What else a person decided before, apart from texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Decided {
    /// Whether green reads pass (LVL-1).
    pub green_reads: bool,
    /// Whether green writes pass (LVL-1).
    pub green_writes: bool,
    /// Whether an *Always* of the project names exactly this call.
    pub is_remembered: bool,
    /// Whether the project or agent is strict.
    pub is_strict: bool,
    /// Whether Countersign is paused.
    pub is_paused: bool,
}

/// What comes of a call under these texts.
#[must_use]
pub fn evaluate_case(asked: &Asked<'_>, texts: &[InForce], decided: Decided) -> (Outcome, By) {
    outcome(asked, &verdict(asked, texts), decided)
}

/// What comes of a call that has this verdict.
#[must_use]
pub fn outcome(asked: &Asked<'_>, verdict: &Verdict, decided: Decided) -> (Outcome, By) {
    const GREEN: ConsentId = ConsentId([0; 16]);
    const RULE: RuleId = RuleId([0; 16]);
    let standing = Standing {
        facts: asked.facts,
        verdict,
        is_whole: asked.is_whole,
        off: None,
        is_tainted: asked.session.is_tainted,
        is_strict: decided.is_strict,
        is_paused: decided.is_paused,
        is_locked: false,
        green_reads: decided.green_reads.then_some(GREEN),
        green_writes: decided.green_writes.then_some(GREEN),
        rule: decided.is_remembered.then_some(RULE),
        rule_is_saved: decided.is_remembered,
        changed_rule: None,
    };
    match order::step(&standing) {
        order::Step::Refuse(_) => (Outcome::Deny, By::CoreRefusal),
        order::Step::Deny(line) => (Outcome::Deny, By::Policy(line)),
        order::Step::Card(_) | order::Step::Abstain => (Outcome::Ask, By::Nothing),
        order::Step::Allow(door) => (
            Outcome::Allow,
            match door.rests() {
                Rests::Green(_) => By::Green,
                Rests::Rule(_) => By::AlwaysRule,
                Rests::Line(line) => By::Policy(line),
            },
        ),
    }
}
