//! What another text would have changed: calls of the last 30 days, looked at under the texts in force and under those
//! that would be (POL-7). It decides nothing; it is shown before a person accepts.

use std::collections::BTreeMap;

use countersign_proto::{request::Class, text::Shown};

use super::{
    Asked, InForce,
    eval::{Decided, Outcome, evaluate_case},
};

/// How many calls of a group are shown.
pub const EXAMPLES: usize = 5;

/// A call that was made, as a shell read it back; its facts are derived again, or those that were recorded.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// The call.
    pub asked: Asked<'a>,
    /// What else was decided for it.
    pub decided: Decided,
    /// What it was, for showing.
    pub words: &'a str,
}

/// What would change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replay {
    /// How many calls were looked at.
    pub calls: u32,
    /// The groups of those that change, the most consequential first.
    pub changes: Vec<Changed>,
}

/// Calls that change alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// What comes of them now.
    pub from: Outcome,
    /// What would come of them.
    pub to: Outcome,
    /// What they do.
    pub class: Class,
    /// How many.
    pub count: u32,
    /// Some of them, each once, in the order in which they were made.
    pub examples: Vec<Shown>,
}

/// Looks at calls under both sets of texts.
#[must_use]
pub fn replay<'a>(calls: impl Iterator<Item = Recorded<'a>>, now: &[InForce], then: &[InForce]) -> Replay {
    let mut replay = Replay::default();
    let mut groups: BTreeMap<(Outcome, Outcome, Class), Changed> = BTreeMap::new();
    for call in calls {
        replay.calls = replay.calls.saturating_add(1);
        let (from, _) = evaluate_case(&call.asked, now, call.decided);
        let (to, _) = evaluate_case(&call.asked, then, call.decided);
        if from == to {
            continue;
        }
        let class = call.asked.facts.class();
        let new = || Changed { from, to, class, count: 0, examples: Vec::new() };
        let group = groups.entry((to, from, class)).or_insert_with(new);
        group.count = group.count.saturating_add(1);
        let words = Shown::line(call.words);
        if group.examples.len() < EXAMPLES && !group.examples.contains(&words) {
            group.examples.push(words);
        }
    }
    replay.changes = groups.into_values().collect();
    // What would pass without a card comes first: it is what a person must look at.
    replay.changes.sort_by_key(|group| (group.to, core::cmp::Reverse(group.count)));
    replay
}

impl core::fmt::Display for Replay {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "Of {} calls in the last 30 days:", self.calls)?;
        if self.changes.is_empty() {
            return writeln!(f, "  nothing would have been answered otherwise.");
        }
        for group in &self.changes {
            let then = match group.to {
                Outcome::Allow => "would have passed without a card",
                Outcome::Ask => "would have asked you",
                Outcome::Deny => "would have been refused",
            };
            let now = match group.from {
                Outcome::Allow => "passed",
                Outcome::Ask => "asked",
                Outcome::Deny => "were refused",
            };
            writeln!(f, "  {} that {now} {then} ({}):", group.count, group.class.name())?;
            for example in &group.examples {
                writeln!(f, "    {example}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        classify::Reach,
        policy::sample::{bare, person},
    };

    #[test]
    fn changes_are_counted_by_what_becomes_of_a_call_what_passes_first() {
        let calls = [
            bare("git status", Class::Read, Reach::Class),
            bare("git status", Class::Read, Reach::Class),
            bare("gh pr list", Class::ReadExternal, Reach::Class),
            bare("git push", Class::External, Reach::Never),
        ];
        let recorded = || {
            calls.iter().map(|call| {
                let words = "a command";
                Recorded { asked: call.asked(), decided: Decided::default(), words }
            })
        };
        let replayed =
            replay(recorded(), &[person("allow read-external")], &[person("allow read\ndeny external")]);
        let groups: Vec<_> = replayed.changes.iter().map(|it| (it.from, it.to, it.count)).collect();
        assert_eq!(replayed.calls, 4);
        assert_eq!(
            groups,
            [
                (Outcome::Ask, Outcome::Allow, 2),
                (Outcome::Allow, Outcome::Ask, 1),
                (Outcome::Ask, Outcome::Deny, 1)
            ]
        );
        assert_eq!(replayed.changes[0].examples.len(), 1, "the same call is shown once");
        assert!(replay(recorded(), &[], &[]).to_string().contains("nothing would"));
    }

    #[test]
    fn what_passes_anyway_is_no_change() {
        let mut call = bare("git status", Class::Read, Reach::Class);
        let shell = call.facts.shell().unwrap().clone();
        call.facts = crate::classify::Facts::for_test(
            Class::Read,
            countersign_proto::request::Level::Green,
            Reach::Class,
        )
        .with_shell(shell);
        let decided = Decided { green_reads: true, ..Decided::default() };
        let recorded = Recorded { asked: call.asked(), decided, words: "git status" };
        assert!(replay([recorded].into_iter(), &[], &[person("allow read")]).changes.is_empty());
        assert_eq!(replay([recorded].into_iter(), &[], &[person("ask read")]).changes.len(), 1);
    }
}
