//! Mentions of closed paths in raw text that a shell or an interpreter gets (REF-2): there a store counts wherever its
//! name stands, however the path around it is put together.

use countersign_proto::request::{Class, Level};

use super::{
    evident, guard,
    listed::{From, Parts},
    own, place, weigh,
};
use crate::classify::{
    facts::{Place, Reach, RefusedFor},
    finding::Finding,
    scene::Scene,
};

/// More parts than any path of a person's has. What such a text means nobody reads out of it.
const MAX_NAMES: usize = 64;

/// What naming closed paths, `.env` files and Countersign in such a text means; nothing where it names none.
pub(in crate::classify) fn mentions(text: &str, scene: &Scene<'_>) -> Finding {
    let mut finding = weigh::nothing();
    let mut before = None;
    let mut rest = text;
    while let Some(start) = rest.find(in_path) {
        before = rest.get(..start).and_then(|skipped| skipped.chars().last()).or(before);
        rest = rest.get(start..).unwrap_or_default();
        let end = rest.find(|c| !in_path(c)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if let Some(worse) = mention(run, before, scene) {
            finding.worsen(worse);
            if finding.refused.is_some() {
                return finding;
            }
        }
        before = run.chars().last();
        rest = behind;
    }
    finding
}

/// What code that names a file which says what agents may do means (REF-3): whether it reads or writes it nobody can tell.
pub(in crate::classify) fn names_guarded(text: &str) -> Finding {
    let mut finding = weigh::nothing();
    for run in text.split(|c| !in_path(c)).filter(|run| run.contains('.')) {
        let names: Vec<&str> =
            run.split(['/', '\\']).filter(|name| !["", ".", ".."].contains(name)).collect();
        if names.len() <= MAX_NAMES && guard::line(&Parts::new(names, From::Text)).is_some() {
            let words = format!("The code names `{run}`, which says what agents may do");
            finding.worsen(Finding::of(Class::Guard, Level::Red, Reach::Never).because(&words));
            return finding;
        }
    }
    finding
}

fn in_path(c: char) -> bool {
    c.is_alphanumeric() || "._~/\\$*?-@+%".contains(c)
}

/// What one run of path characters means.
fn mention(run: &str, before: Option<char>, scene: &Scene<'_>) -> Option<Finding> {
    if !run.contains(['.', '/', '\\', '~', '$']) {
        return None;
    }
    if evident::begins(run) || run.starts_with(['/', '~']) {
        let fact = place::locate(scene, Some(scene.call.folder), run, false);
        if matches!(fact.place, Place::Own | Place::Closed) {
            return Some(weigh::weigh(&fact, Class::Read));
        }
    }
    let is_name = |name: &&str| !["", ".", ".."].contains(name);
    let names: Vec<&str> = run.split(['/', '\\']).filter(is_name).collect();
    if names.len() > MAX_NAMES {
        // Encoded data holds slashes too, but no dots.
        let words = "The text names a path too long to be looked through";
        return run.contains('.').then(|| weigh::private(Class::Unknown).because(words));
    }
    let parts = Parts::new(names.clone(), From::Text);
    if own::data(&parts).is_some() {
        let words = format!("The text names `{run}`, which is Countersign's own");
        return Some(weigh::refused(Class::Read, RefusedFor::Countersign, &words));
    }
    if place::is_closed(scene.call.agent, &parts) {
        let words = format!("The text names `{run}`, which is closed to every agent");
        return Some(weigh::refused(Class::Read, RefusedFor::ClosedPath, &words));
    }
    let name = *names.last()?;
    // `process.env` is code; `"prod.env"` and `config/prod.env` are files.
    let is_file = name.starts_with(".env") || names.len() > 1 || matches!(before, Some('"' | '\'' | '`'));
    (is_file && place::is_env(name) && !scene.call.env_is_lifted)
        .then(|| weigh::private(Class::Read).because(&format!("The text names `{run}`, a file for secrets")))
}
