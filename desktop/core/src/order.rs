//! The order of checks (ORD-1): one table, first match wins. What it allows comes out as a [`Door`], which only this
//! module can make and only [`crate::authority`] can spend.

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use crate::{
    classify::{Facts, Refused},
    policy::{ConsentId, LineRef, Verdict},
    rule::RuleId,
};

/// Everything the table looks at.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// What the call would do.
    pub facts: &'a Facts,
    /// What the accepted texts say of it.
    pub verdict: &'a Verdict,
    /// Whether it is whole.
    pub is_whole: bool,
    /// Whether steps 4 to 8 are off for its session, and why.
    pub off: Option<&'a Shown>,
    /// Whether its session read outside content.
    pub is_tainted: bool,
    /// Whether this project or agent is strict.
    pub is_strict: bool,
    /// Whether the person paused Countersign.
    pub is_paused: bool,
    /// Whether every door but deny is closed (LOCK-1).
    pub is_locked: bool,
    /// The consent to green reads, where it is in force.
    pub green_reads: Option<ConsentId>,
    /// The consent to green writes, where it is in force.
    pub green_writes: Option<ConsentId>,
    /// The rule that covers it.
    pub rule: Option<RuleId>,
    /// Whether that rule is one for the project.
    pub rule_is_saved: bool,
    /// A rule that would cover it, had nothing changed (REQ-6).
    pub changed_rule: Option<RuleId>,
}

/// Proof that the table let a request pass by what its person decided before. Made only by [`step`].
#[derive(Debug, PartialEq, Eq)]
pub struct Door(Kind);

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Green(ConsentId),
    Rule(RuleId),
    Line(LineRef),
}

/// What a door rests on, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rests {
    /// A built-in green policy that the person accepted.
    Green(ConsentId),
    /// An *Always*.
    Rule(RuleId),
    /// An allow line.
    Line(LineRef),
}

impl Door {
    /// What it rests on.
    #[must_use]
    pub fn rests(&self) -> Rests {
        match &self.0 {
            Kind::Green(consent) => Rests::Green(*consent),
            Kind::Rule(rule) => Rests::Rule(*rule),
            Kind::Line(line) => Rests::Line(line.clone()),
        }
    }
}

/// Why there is a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The step, 1 to 9.
    pub step: u8,
    /// In words (ORD-2).
    pub words: Shown,
    /// The line that made it, where one did.
    pub line: Option<LineRef>,
    /// Whether *Always* may be offered, so far as the step goes.
    pub may_offer: bool,
}

/// What the table says.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Step 1.
    Refuse(Refused),
    /// Step 2.
    Deny(LineRef),
    /// Steps 3, 5 and 9, and whatever steps 4 to 8 did not answer.
    Card(Why),
    /// Steps 6 to 8.
    Allow(Door),
    /// Paused: no card; the agent asks in its terminal (WAIT-4).
    Abstain,
}

/// Classes that steps 4 to 8 never answer (POL-4).
const fn never_by_itself(class: Class) -> bool {
    match class {
        Class::Destructive | Class::Spend | Class::Guard => true,
        Class::Read | Class::ReadExternal | Class::Write | Class::External | Class::Unknown => false,
    }
}

/// Walks the table.
#[must_use]
pub fn step(standing: &Standing<'_>) -> Step {
    let facts = standing.facts;
    if let Some(refused) = facts.refused() {
        return Step::Refuse(refused.clone());
    }
    if let Some(line) = &standing.verdict.deny {
        return Step::Deny(line.clone());
    }
    if standing.is_paused {
        return Step::Abstain;
    }
    if never_by_itself(facts.class()) {
        return card(3, class_words(facts.class()), None, false);
    }
    if standing.is_locked {
        return card(9, "Countersign is locked", None, false);
    }
    if let Some(line) = &standing.verdict.ask {
        return card(5, "Your policy asks first for this", Some(line), false);
    }
    if let Some(why) = standing.off {
        return card(9, why.as_str(), None, false);
    }
    if !standing.is_whole {
        return card(
            9,
            "The agent did not say everything that this call does, or in which folder",
            None,
            true,
        );
    }
    let green = green(standing);
    // A tainted session passes only reads and writes that name no host (TAINT-1).
    let narrow = standing.is_tainted
        && !(matches!(facts.class(), Class::Read | Class::Write) && facts.hosts().is_empty());
    if narrow {
        return card(9, "This session has read content from outside", None, true);
    }
    if let Some(consent) = green
        && standing.verdict.shadow.is_none()
    {
        return Step::Allow(Door(Kind::Green(consent)));
    }
    let is_red = facts.level() == Level::Red;
    if let Some(line) = &standing.verdict.shadow {
        return card(9, "It holds what a deny or ask line of yours begins with", Some(line), !is_red);
    }
    if let Some(rule) = standing.rule
        && !is_red
        && facts.may_remember()
        && !(standing.is_strict && standing.rule_is_saved)
    {
        return Step::Allow(Door(Kind::Rule(rule)));
    }
    if let Some(line) = &standing.verdict.soft_ask {
        return card(5, "Your permission file asks first for this", Some(line), false);
    }
    if let Some(line) = &standing.verdict.allow
        && !(standing.is_strict && facts.class() == Class::Write)
    {
        return Step::Allow(Door(Kind::Line(line.clone())));
    }
    if standing.changed_rule.is_some() {
        return card(9, "What it runs changed since you said Always", None, !is_red);
    }
    match (is_red, facts.reasons().first()) {
        (true, Some(reason)) => card(9, reason.as_str(), None, false),
        (true, None) => card(9, "It reaches outside the project", None, false),
        (false, _) => card(9, "Nothing you decided before covers this", None, true),
    }
}

/// The green policy that covers a call (LVL-1).
fn green(standing: &Standing<'_>) -> Option<ConsentId> {
    let facts = standing.facts;
    match (facts.level(), facts.class()) {
        (Level::Green, Class::Read) => standing.green_reads,
        // An ask of a permission file yields to green reads, not to green writes (PERM-1).
        (Level::Green, Class::Write) if !standing.is_strict && standing.verdict.soft_ask.is_none() => {
            standing.green_writes
        }
        (Level::Green | Level::Yellow | Level::Red, _) => None,
    }
}

const fn class_words(class: Class) -> &'static str {
    match class {
        Class::Destructive => "Destructive: no policy ever allows it",
        Class::Spend => "It costs money: no policy ever allows it",
        Class::Guard => "It changes what watches over agents: no policy ever allows it",
        Class::Read | Class::ReadExternal | Class::Write | Class::External | Class::Unknown => "It asks",
    }
}

fn card(step: u8, words: &str, line: Option<&LineRef>, may_offer: bool) -> Step {
    Step::Card(Why { step, words: Shown::line(words), line: line.cloned(), may_offer })
}

#[cfg(test)]
mod tests;
