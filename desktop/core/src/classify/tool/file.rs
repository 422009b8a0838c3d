//! File tools: reads, searches, writes and patches.

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use super::{headline, refuse_private};
use crate::classify::{
    action::{FileHow, FileUse},
    facts::{PathFact, Reach},
    finding::Finding,
    path,
    scene::Scene,
};

/// What uses of files do: the worst of all of them.
pub(super) fn judge(uses: &[FileUse], scene: &Scene<'_>) -> (Finding, Vec<PathFact>) {
    let mut facts = Vec::new();
    let Some((first, others)) = uses.split_first() else {
        return (unclear(), facts);
    };
    let mut finding = one(first, scene, &mut facts);
    for other in others {
        finding.worsen(one(other, scene, &mut facts));
    }
    let is_several = !others.is_empty() || matches!(first.how, FileHow::Move(_));
    if is_several {
        // POL-6: a line answers for one file.
        finding.reach = finding.reach.min(Reach::File);
    }
    finding.headline = Some(summary(first, others.len()));
    (finding, facts)
}

/// What one use does.
fn one(use_: &FileUse, scene: &Scene<'_>, facts: &mut Vec<PathFact>) -> Finding {
    let path = use_.path.as_str();
    match &use_.how {
        FileHow::Read | FileHow::List => {
            look(path, Finding::of(Class::Read, Level::Green, Reach::Class), scene, facts)
        }
        FileHow::Match => look(path, Finding::of(Class::Read, Level::Green, Reach::Class), scene, facts),
        FileHow::Search => {
            let mut finding = look(path, Finding::of(Class::Read, Level::Green, Reach::Class), scene, facts);
            let folder = facts.last().and_then(|fact| fact.real.as_deref());
            if folder.is_none_or(|folder| scene.world.holds_private(folder)) {
                finding.worsen(
                    Finding::of(Class::Read, Level::Yellow, Reach::Never)
                        .because("Searches a folder that holds private files"),
                );
            }
            finding
        }
        FileHow::Write => change(path, Finding::of(Class::Write, Level::Green, Reach::Class), scene, facts),
        FileHow::Delete => {
            let delete =
                Finding::of(Class::Destructive, Level::Yellow, Reach::Never).because("Deletes a file");
            change(path, delete, scene, facts)
        }
        FileHow::Move(target) => {
            let moved = || Finding::of(Class::Write, Level::Green, Reach::File);
            let mut finding = change(path, moved(), scene, facts);
            finding.worsen(change(target, moved(), scene, facts));
            finding
        }
        FileHow::Unclear => {
            let mut finding = unclear();
            if !path.is_empty() {
                finding.worsen(change(path, path::nothing(), scene, facts));
            }
            finding
        }
    }
}

/// A use that leaves the file as it is.
fn look(path: &str, finding: Finding, scene: &Scene<'_>, facts: &mut Vec<PathFact>) -> Finding {
    put(path, false, finding, scene, facts)
}

/// A use that changes the file.
fn change(path: &str, finding: Finding, scene: &Scene<'_>, facts: &mut Vec<PathFact>) -> Finding {
    put(path, true, finding, scene, facts)
}

fn put(
    path: &str,
    is_changed: bool,
    mut finding: Finding,
    scene: &Scene<'_>,
    facts: &mut Vec<PathFact>,
) -> Finding {
    // A tool without a path means the folder it is in.
    let path = if path.is_empty() && !is_changed { "." } else { path };
    let fact = path::locate(scene, Some(scene.call.folder), path, is_changed);
    finding.worsen(refuse_private(&fact, finding.class));
    if Shown::line(path).differs_from(path) {
        // A path that can't be read as it is can't be judged by eye.
        finding.worsen(hidden(finding.class));
    }
    facts.push(fact);
    finding
}

fn hidden(class: Class) -> Finding {
    let finding = Finding::of(class, Level::Yellow, Reach::Never)
        .because("The path holds characters that can't be seen");
    Finding { may_remember: false, ..finding }
}

/// A change in a shape nobody foresaw.
fn unclear() -> Finding {
    Finding::of(Class::Write, Level::Yellow, Reach::Never).because("It can't be told what this would change")
}

fn summary(first: &FileUse, others: usize) -> Shown {
    let does = match &first.how {
        FileHow::Read => "read",
        FileHow::List => "list",
        FileHow::Search => "search",
        FileHow::Match => "look for files named",
        FileHow::Write => "write",
        FileHow::Delete => "delete",
        FileHow::Move(_) => "move",
        FileHow::Unclear => "change",
    };
    match (first.path.as_str(), others) {
        ("", _) => Shown::line(&format!("Wants to {does} the current folder")),
        (path, 0) => headline(does, path),
        (path, 1) => headline(does, &format!("{path} and one more file")),
        (path, others) => headline(does, &format!("{path} and {others} more files")),
    }
}
