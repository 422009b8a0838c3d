//! Every line that has something to say of a call, and of each allow line that does not reach it, why: what
//! [`super::verdict`] puts into one answer, told in full.

use super::{
    Barrier, InForce, Text,
    allow::{self, line_reaches},
    cover::{Seen, covering, shadowing},
    holds, stands_in,
};
use crate::{
    classify::Reach,
    policy::{
        Asked, Effect, LineRef, Origin,
        line::{Line, Object, Policy},
        permission,
    },
};

/// One line and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Say {
    /// The line.
    pub line: LineRef,
    /// Its verb.
    pub effect: Effect,
    /// How it stands to the call.
    pub how: How,
}

/// How a line stands to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It holds.
    Holds,
    /// The call only mentions what it is about, which keeps every allow away (POL-3).
    Mentioned,
    /// The catch-all of a permission file: it keeps allows away and nothing else (PERM-1).
    Bare,
    /// An allow line about the call, which does not reach it.
    Barred(Barrier),
    /// An allow of a managed text, which opens nothing (WHO-1).
    Managed,
}

/// Every line with something to say of a call, text by text.
#[must_use]
pub fn says(asked: &Asked<'_>, texts: &[InForce]) -> Vec<Say> {
    let seen = Seen::of(asked);
    let mut all = Vec::new();
    for text in texts {
        match &text.text {
            Text::Lines { policy, index } if policy.is_for(asked.agent) && holds(policy, asked) => {
                let say = |line: &Line, how| Say { line: text.line_ref(line), effect: line.effect, how };
                all.extend(covering(&seen, &policy.lines, index).map(|line| say(line, How::Holds)));
                if let Some(line) = shadowing(&seen, &policy.lines, index)
                    && !covering(&seen, &policy.lines, index).any(|there| there.number == line.number)
                {
                    all.push(say(line, How::Mentioned));
                }
                let allows = policy.lines.iter().filter(|line| line.effect == Effect::Allow);
                all.extend(
                    allows.filter_map(|line| Some(say(line, reach(line, policy, text.origin, asked)?))),
                );
            }
            Text::Lines { .. } => {}
            Text::Permissions { file, folder } if stands_in(folder.as_deref(), asked) => {
                let opinion = permission::opinion(file, asked);
                let say = |rule: &permission::Rule, how| Say {
                    line: text.rule_ref(rule),
                    effect: rule.effect(),
                    how,
                };
                all.extend(opinion.deny.map(|rule| say(rule, How::Holds)));
                all.extend(opinion.ask.map(|rule| say(rule, How::Holds)));
                all.extend(opinion.bare_ask.map(|rule| say(rule, How::Bare)));
                all.extend(opinion.allow.map(|rule| {
                    let how = match (text.origin, permission::file_reaches(asked)) {
                        (Origin::Managed, _) => How::Managed,
                        (Origin::Person(_) | Origin::Default, Ok(())) => How::Holds,
                        (Origin::Person(_) | Origin::Default, Err(barrier)) => How::Barred(barrier),
                    };
                    say(rule, how)
                }));
            }
            Text::Permissions { .. } => {}
        }
    }
    all
}

/// How an allow line stands to a call; `None` where it is about something else.
fn reach(line: &Line, policy: &Policy, origin: Origin, asked: &Asked<'_>) -> Option<How> {
    let is_about = match &line.object {
        Object::Class(class) => asked.facts.class() == class.class(),
        Object::Command { words, is_open } => {
            // A command that is more than bare words is told why its line does not reach it.
            let first = asked.facts.shell().and_then(|shell| shell.ran.first());
            first.is_some_and(|ran| if *is_open { ran.words.starts_with(words) } else { ran.words == *words })
        }
        Object::Tool(name) => name == asked.tool,
        Object::Host(_) | Object::Server(_) | Object::Path { .. } | Object::Recipient(_) => false,
    };
    if !is_about {
        return None;
    }
    if origin == Origin::Managed {
        return Some(How::Managed);
    }
    if !asked.session.start_folder.is_some_and(|start| policy.holds_in(start)) {
        return Some(How::Barred(Barrier::Elsewhere));
    }
    if let Err(barrier) = line_reaches(asked) {
        return Some(How::Barred(barrier));
    }
    if allow::is_about(line, asked) {
        return Some(How::Holds);
    }
    let is_class = matches!(line.object, Object::Class(_)) && asked.facts.reach() < Reach::Class;
    Some(How::Barred(if is_class { Barrier::OnlyByName } else { Barrier::NotBare }))
}
