//! Why a call gets the answer it gets: its facts, each part that runs, every line that has a say, and of allow lines that
//! don't reach it, what keeps them away. As data, and in words.

use core::fmt;

use countersign_proto::text::Shown;

use super::{
    Asked, Effect, InForce, Origin,
    eval::{By, Decided, Outcome, outcome},
    evaluate::{How, Say, says, verdict},
};
use crate::classify::facts::{Place, Ran};

/// Everything about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// "Wants to …".
    pub headline: Shown,
    /// Its class, in a word.
    pub class: &'static str,
    /// Its level, in a word.
    pub level: &'static str,
    /// Why it is refused, where it is.
    pub refused: Option<Shown>,
    /// Why it has that class and level.
    pub reasons: Vec<Shown>,
    /// Each command that it runs.
    pub parts: Vec<Part>,
    /// Each path that it names, and where that lies.
    pub paths: Vec<(Shown, &'static str)>,
    /// Each host that it names.
    pub hosts: Vec<Shown>,
    /// Every line with a say, and how it stands to the call.
    pub says: Vec<Say>,
    /// What comes of it.
    pub outcome: Outcome,
    /// Whose word that is.
    pub by: By,
}

/// One command of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its words.
    pub words: Shown,
    /// What it does.
    pub class: &'static str,
    /// How loud it is by itself.
    pub level: &'static str,
}

impl Part {
    fn of(ran: &Ran) -> Self {
        Self { words: Shown::line(&ran.words.join(" ")), class: ran.class.name(), level: ran.level.name() }
    }
}

/// Explains a call.
#[must_use]
pub fn explain(asked: &Asked<'_>, texts: &[InForce], decided: Decided) -> Explained {
    let facts = asked.facts;
    let (outcome, by) = outcome(asked, &verdict(asked, texts), decided);
    Explained {
        headline: facts.headline().clone(),
        class: facts.class().name(),
        level: facts.level().name(),
        refused: facts.refused().map(|refused| refused.words.clone()),
        reasons: facts.reasons().to_vec(),
        parts: facts.shell().map_or(&[][..], |shell| &shell.ran).iter().map(Part::of).collect(),
        paths: facts.paths().iter().map(|fact| (Shown::line(&fact.written), place(fact.place))).collect(),
        hosts: facts.hosts().iter().map(|host| Shown::line(host)).collect(),
        says: says(asked, texts),
        outcome,
        by,
    }
}

const fn place(place: Place) -> &'static str {
    match place {
        Place::Exempt => "a system path that anybody may name",
        Place::Inside => "in the project",
        Place::Git => "in the project's .git",
        Place::Temporary => "in a temporary folder",
        Place::Outside => "outside the project",
        Place::Env => "an .env file",
        Place::Guarded => "an agent's settings or a shell's start-up file",
        Place::Closed => "a closed path",
        Place::Own => "Countersign's own",
    }
}

impl fmt::Display for Say {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self.line.origin {
            Origin::Managed => "managed ",
            Origin::Person(_) => "",
            Origin::Default => "default ",
        };
        write!(f, "{whose}line {}: {}: ", self.line.number, Shown::line(&self.line.text))?;
        match (&self.how, self.effect) {
            (How::Holds, Effect::Allow) => f.write_str("allows it, as far as it goes"),
            (How::Holds, Effect::Ask) => f.write_str("asks first"),
            (How::Holds, Effect::Deny) => f.write_str("refuses it"),
            (How::Mentioned, _) => f.write_str("is mentioned in it, so that nothing else may allow it"),
            (How::Bare, _) => f.write_str("asks for whatever no other rule of that file is about"),
            (How::Managed, _) => f.write_str("is root's, and opens nothing"),
            (How::Barred(barrier), _) => write!(f, "does not reach it: {barrier}"),
        }
    }
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline)?;
        writeln!(f, "  {}, {}", self.level, self.class)?;
        for reason in &self.reasons {
            writeln!(f, "  {reason}")?;
        }
        if let Some(refused) = &self.refused {
            writeln!(f, "  refused: {refused}")?;
        }
        if self.parts.len() > 1 {
            writeln!(f, "It runs:")?;
            for part in &self.parts {
                writeln!(f, "  {} ({}, {})", part.words, part.level, part.class)?;
            }
        }
        if !self.paths.is_empty() {
            writeln!(f, "It names:")?;
            for (path, place) in &self.paths {
                writeln!(f, "  {path} ({place})")?;
            }
        }
        for host in &self.hosts {
            writeln!(f, "  {host} (a host)")?;
        }
        if self.says.is_empty() {
            writeln!(f, "No line is about it.")?;
        } else {
            writeln!(f, "Lines about it:")?;
            for say in &self.says {
                writeln!(f, "  {say}")?;
            }
        }
        let by = match &self.by {
            By::Policy(line) => format!("by line {}: {}", line.number, Shown::line(&line.text)),
            By::AlwaysRule => "by an Always of yours".to_owned(),
            By::Green => "as one of the green actions that you accepted".to_owned(),
            By::CoreRefusal => "by Countersign itself".to_owned(),
            By::Nothing => "so that you decide".to_owned(),
        };
        let what = match self.outcome {
            Outcome::Allow => "It passes",
            Outcome::Ask => "It asks",
            Outcome::Deny => "It is refused",
        };
        writeln!(f, "{what}, {by}.")
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::Class;

    use super::*;
    use crate::{
        classify::Reach,
        policy::sample::{Sample, bare, chain, person},
    };

    fn words(sample: &Sample, text: &str) -> String {
        explain(&sample.asked(), &[person(text)], Decided::default()).to_string()
    }

    #[test]
    fn each_line_with_a_say_is_named_and_why_an_allow_does_not_reach() {
        let push = bare("git push origin topic", Class::External, Reach::Never);
        let told = words(&push, "allow external\nask command git\ndeny command git push\nallow read");
        assert!(
            told.contains("line 1: allow external: does not reach it: no line allows such an action"),
            "{told}"
        );
        assert!(told.contains("line 2: ask command git: asks first"), "{told}");
        assert!(told.contains("It is refused, by line 3: deny command git push."), "{told}");
        assert!(!told.contains("line 4"), "{told}");
    }

    #[test]
    fn a_line_that_is_only_mentioned_is_told_apart() {
        let told =
            words(&bare("git --no-pager push", Class::External, Reach::Never), "deny command git push");
        assert!(told.contains("is mentioned in it"), "{told}");
        assert!(told.contains("It asks, so that you decide."), "{told}");
    }

    #[test]
    fn the_parts_of_a_chain_are_listed() {
        let parts = [("ls src", Class::Read, Reach::Class), ("wc -l", Class::Read, Reach::Class)];
        let told = words(&chain("ls src | wc -l", &parts), "allow read\nallow command ls *");
        assert!(told.contains("  ls src (green, read)\n  wc -l (green, read)\n"), "{told}");
        assert_eq!(told.matches("it is more than bare words").count(), 2, "{told}");
    }

    #[test]
    fn what_no_line_is_about_says_so() {
        assert!(
            words(&bare("ls", Class::Read, Reach::Class), "allow write").contains("No line is about it.")
        );
    }

    #[test]
    fn foreign_text_is_shown_escaped() {
        let told = words(&bare("ls \u{202e}x", Class::Read, Reach::Class), "deny read");
        assert!(!told.contains('\u{202e}'));
    }
}
