//! What a path means for a call (LVL-3, REF-2, REF-3, POL-6).

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use super::{
    closed, guard,
    listed::{From, Listed, Parts},
    own,
};
use crate::classify::{
    facts::{PathFact, Place, Reach, Refused, RefusedFor},
    finding::Finding,
};

/// What naming a path means for something of a class: nothing for a path in the project that is only read.
pub(in crate::classify) fn weigh(fact: &PathFact, class: Class) -> Finding {
    let shown = &fact.written;
    let outside =
        |level, words: &str| Finding::of(class, level, Reach::File).because(&format!("`{shown}` {words}"));
    match fact.place {
        Place::Exempt => nothing(),
        Place::Inside => climbing(fact),
        Place::Git if fact.is_changed => Finding::of(class, Level::Yellow, Reach::Never)
            .because(&format!("changes `{shown}` in the repository's own folder")),
        Place::Git => climbing(fact),
        Place::Temporary if fact.is_changed => outside(Level::Red, "lies in a temporary folder"),
        Place::Temporary => outside(Level::Yellow, "lies in a temporary folder"),
        Place::Outside => outside(Level::Red, "lies outside the project, or it can't be told where"),
        Place::Env => private(class).because(&format!("`{shown}` is a file for secrets")),
        Place::Guarded => {
            let why = why(fact).unwrap_or("says what an agent may do");
            Finding::of(Class::Guard, Level::Red, Reach::Never).because(&format!("`{shown}` {why}"))
        }
        Place::Closed => {
            let why = why(fact).unwrap_or("is private");
            refused(class, RefusedFor::ClosedPath, &format!("`{shown}` {why}: closed to every agent"))
        }
        Place::Own => {
            let class = if fact.is_changed { Class::Guard } else { class };
            let why = why(fact).unwrap_or("is Countersign's own");
            refused(class, RefusedFor::Countersign, &format!("`{shown}` {why}: closed to every agent"))
        }
    }
}

/// What naming an `.env` file to a file tool means (REF-2): unlike a shell command, no card.
pub(in crate::classify) fn refuse_env(fact: &PathFact, class: Class) -> Finding {
    let words = format!("`{}` is a file for secrets, which file tools may not open", fact.written);
    refused(class, RefusedFor::EnvFile, &words)
}

/// In the project; but no line answers `..` as a part of a path (POL-6).
fn climbing(fact: &PathFact) -> Finding {
    let climbs = fact.written.split(['/', '\\']).any(|part| part == "..");
    Finding { reach: if climbs { Reach::File } else { Reach::Class }, ..nothing() }
}

/// What adds nothing to any other finding.
pub(in crate::classify) fn nothing() -> Finding {
    Finding::of(Class::Read, Level::Green, Reach::Class)
}

/// Red, and answered by nothing but a person at the time.
pub(super) fn private(class: Class) -> Finding {
    Finding { may_remember: false, ..Finding::of(class, Level::Red, Reach::Never) }
}

/// Nobody may allow it.
pub(super) fn refused(class: Class, about: RefusedFor, words: &str) -> Finding {
    let words = Shown::line(words);
    let finding = private(class);
    Finding { reasons: vec![words.clone()], refused: Some(Refused { about, words }), ..finding }
}

/// What the list says about a path.
fn why(fact: &PathFact) -> Option<&'static str> {
    let find = |path: &str| {
        let names: Vec<&str> = path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
        // The place is settled; which home it was no longer matters.
        let root = Parts::from_root(names.clone(), &[], false);
        let starts = [root, Parts::new(names.clone(), From::Home), Parts::new(names, From::Untold)];
        starts.iter().find_map(|parts| line(fact, parts))
    };
    let written = fact.written.trim_start_matches("~/").trim_start_matches("$HOME/");
    let line = fact.real.as_deref().and_then(find).or_else(|| find(written))?;
    Some(line.why)
}

fn line(fact: &PathFact, parts: &Parts<'_>) -> Option<&'static Listed> {
    match fact.place {
        Place::Own => own::data(parts).or_else(|| own::program(parts)),
        Place::Closed => closed::line(parts),
        Place::Guarded => guard::line(parts),
        Place::Exempt | Place::Inside | Place::Git | Place::Temporary | Place::Outside | Place::Env => None,
    }
}
