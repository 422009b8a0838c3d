//! What one permission file says of a call (PERM-1 to PERM-4): the last rule that matches wins, each part by itself, and
//! the strictest of the parts holds.

use super::{
    Permissions, Rule,
    subject::{Subject, outside, parts},
};
use crate::{
    classify::{
        Action, FileHow,
        facts::{PathFact, Place},
    },
    policy::{
        Asked, Effect,
        evaluate::{Barrier, reaches},
    },
};

/// What a file says of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::policy) struct Opinion<'p> {
    /// A part is denied.
    pub(in crate::policy) deny: Option<&'p Rule>,
    /// A part is asked about, by a rule that names its tool.
    pub(in crate::policy) ask: Option<&'p Rule>,
    /// A part is asked about by the catch-all, which stops nothing but allows (PERM-1).
    pub(in crate::policy) bare_ask: Option<&'p Rule>,
    /// Every part is allowed by a rule; whether a file may allow the call at all is [`file_reaches`].
    pub(in crate::policy) allow: Option<&'p Rule>,
}

/// What a file says of a call.
pub(in crate::policy) fn opinion<'p>(file: &'p Permissions, asked: &Asked<'_>) -> Opinion<'p> {
    let mut said = Vec::new();
    for part in parts(asked) {
        said.extend(resolve(file, asked.profile, &part.names, &part.subject));
    }
    for (fact, subject) in outside(asked) {
        let rules = resolve(file, asked.profile, &["external_directory"], &subject);
        said.extend(rules.into_iter().map(|rule| for_outside(file, fact, &subject, rule)));
    }
    let with = |effect: Effect, is_bare: bool| {
        let mut rules = said.iter().flatten().copied();
        rules.find(|rule| {
            rule.effect == effect && (effect != Effect::Ask || rule.is_for_every_tool() == is_bare)
        })
    };
    let is_allowed = said.iter().all(|rule| rule.is_some_and(|rule| rule.effect == Effect::Allow));
    Opinion {
        deny: with(Effect::Deny, false),
        ask: with(Effect::Ask, false),
        bare_ask: with(Effect::Ask, true),
        allow: with(Effect::Allow, false).filter(|_| is_allowed),
    }
}

/// The rule that holds for each of a subject's groups; `None` for a group that no rule is about.
fn resolve<'p>(
    file: &'p Permissions,
    profile: Option<&str>,
    names: &[&str],
    subject: &Subject,
) -> Vec<Option<&'p Rule>> {
    match subject {
        Subject::Called(groups) => groups.iter().map(|group| last(file, profile, names, group)).collect(),
        Subject::Untold => vec![strictest(file, profile, names)],
    }
}

fn last<'p>(
    file: &'p Permissions,
    profile: Option<&str>,
    names: &[&str],
    group: &[String],
) -> Option<&'p Rule> {
    let is_of = |rule: &Rule| match &rule.subject {
        None => true,
        Some(subject) => group.iter().any(|text| subject.matches(text)),
    };
    file.last_first(profile).find(|rule| is_of(rule) && rule.is_about(names))
}

/// The strictest of the rules that might hold where it can't be told what a call is about.
fn strictest<'p>(file: &'p Permissions, profile: Option<&str>, names: &[&str]) -> Option<&'p Rule> {
    let mut strictest: Option<&Rule> = None;
    for rule in file.last_first(profile).filter(|rule| rule.is_about(names)) {
        if strictest.is_none_or(|there| rule.effect > there.effect) {
            strictest = Some(rule);
        }
        if rule.is_about_all() {
            return strictest;
        }
    }
    // No rule is about all of it, so that perhaps none holds: that allows nothing.
    strictest.filter(|rule| rule.effect != Effect::Allow)
}

/// Other folders ask unless a rule of their own says otherwise: the catch-all says nothing about them (PERM-3). What lies
/// in a reference may be read.
fn for_outside<'p>(
    file: &'p Permissions,
    fact: &PathFact,
    subject: &Subject,
    rule: Option<&'p Rule>,
) -> Option<&'p Rule> {
    let own = rule.filter(|rule| rule.effect == Effect::Deny || !rule.is_for_every_tool());
    let Subject::Called(groups) = subject else { return own };
    let holds = |rule: &&Rule| {
        let folder = rule.subject.as_ref();
        folder.is_some_and(|folder| groups.iter().all(|group| group.iter().any(|text| folder.matches(text))))
    };
    own.or_else(|| file.references.iter().filter(|_| !fact.is_changed).find(holds))
}

/// What a permission file needs to allow a call (PERM-4): it may allow builds, interpreters, Git commands that run hooks
/// and other folders, but only a call whose every part is known.
///
/// # Errors
/// The first thing that is missing.
pub(in crate::policy) fn file_reaches(asked: &Asked<'_>) -> Result<(), Barrier> {
    reaches(asked)?;
    match asked.action {
        Action::Shell(_) => {
            let is_known = asked.facts.shell().is_some_and(|shell| {
                shell.is_simple && !shell.ran.is_empty() && shell.ran.iter().all(|ran| ran.is_plain)
            });
            if !is_known {
                return Err(Barrier::NotSimple);
            }
        }
        Action::Files(files) => {
            let is_known = |how: &FileHow| match how {
                FileHow::Read
                | FileHow::List
                | FileHow::Search
                | FileHow::Match
                | FileHow::Write
                | FileHow::Move(_) => true,
                FileHow::Delete | FileHow::Unclear => false,
            };
            if files.is_empty() || !files.iter().all(|file| is_known(&file.how)) {
                return Err(Barrier::Never);
            }
        }
        Action::WebSearch { .. } => {}
        Action::Fetch { .. } | Action::Server { .. } | Action::Unknown(_) => return Err(Barrier::Never),
    }
    let is_closed = |fact: &&PathFact| match fact.place {
        Place::Exempt | Place::Inside | Place::Temporary | Place::Outside => false,
        Place::Git => fact.is_changed,
        Place::Env | Place::Guarded | Place::Closed | Place::Own => true,
    };
    match asked.facts.paths().iter().find(is_closed) {
        Some(fact) => Err(Barrier::Path(fact.written.clone())),
        None => Ok(()),
    }
}
