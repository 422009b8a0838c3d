//! Where a path lies. Both what its words say and where links really lead are held against every list; only what leads
//! into the project by the second counts as inside. What can't be told is outside.

use super::{
    closed, guard,
    listed::{From, Parts},
    own,
    start::{Start, start},
};
use crate::classify::{
    facts::{PathFact, Place},
    resolver::Real,
    scene::Scene,
};

/// More than any system takes; a longer path is no file, and no text to look at twice.
const MAX_PATH: usize = 4096;
/// The longest name of a file.
const MAX_NAME: usize = 255;
/// How many `..` are followed; each asks the resolver once.
const MAX_CLIMBS: usize = 64;

/// LVL-3's exceptions.
const EXEMPT: &[&str] =
    &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom"];

/// Temporary folders by LVL-3, which names `/tmp`; it is a link on some systems.
const TEMPORARY: &[&str] = &["/tmp", "/private/tmp"];

/// Where a path that was written in a folder lies. `folder` is absolute; `None` where it can't be told.
pub(in crate::classify) fn locate(
    scene: &Scene<'_>,
    folder: Option<&str>,
    written: &str,
    is_changed: bool,
) -> PathFact {
    let fact = |real, place| PathFact { written: written.to_owned(), real, place, is_changed };
    if written.is_empty() || written.len() > MAX_PATH || written.contains('\0') {
        return fact(None, Place::Outside);
    }
    let untold = |parts: &[String], from| {
        let parts = Parts::new(names(parts), from);
        fact(None, listed_place(scene, &parts, is_changed).unwrap_or(Place::Outside))
    };
    let parts = match start(&scene.call, folder, written) {
        Start::Root(parts) => parts,
        Start::SomeHome(parts) => return untold(&parts, From::Home),
        Start::Untold(parts) => return untold(&parts, From::Untold),
    };
    let Some(lexical) = by_words(&parts) else { return untold(&parts, From::Untold) };
    let real = by_links(scene, &parts, &lexical);
    let home = scene.call.home;
    let project = Project::of(scene);
    let is_inside = real.as_deref().is_some_and(|real| project.holds(real));

    let mut place =
        listed_at(scene, &lexical, home, is_inside || project.holds_written(&lexical), is_changed);
    if let Some(real) = real.as_deref().filter(|real| *real != lexical) {
        place = place.max(listed_at(scene, real, home, is_inside, is_changed));
        if let Some(real_home) = ask(scene, home) {
            place = place.max(listed_at(scene, real, &real_home, is_inside, is_changed));
        }
    }
    if written.contains('\\') {
        // A backslash may be part of a name here, or a separator to whoever gets the word.
        let folded = parts.iter().flat_map(|part| part.split('\\')).collect::<Vec<_>>();
        if folded.contains(&"..") {
            place = place.max(Some(Place::Outside));
        }
        let folded = Parts::new(folded, From::Untold);
        place = place.max(listed_place(scene, &folded, is_changed));
    }
    let place = place.unwrap_or_else(|| by_folder(&project, &lexical, real.as_deref(), is_inside));
    fact(real, place)
}

/// The place that a list gives an absolute path.
fn listed_at(scene: &Scene<'_>, path: &str, home: &str, is_inside: bool, is_changed: bool) -> Option<Place> {
    listed_place(scene, &Parts::from_root(pieces(path), &pieces(home), is_inside), is_changed)
}

/// The place that a list gives a path, the worst first.
fn listed_place(scene: &Scene<'_>, parts: &Parts<'_>, is_changed: bool) -> Option<Place> {
    if own::data(parts).is_some() || (is_changed && own::program(parts).is_some()) {
        return Some(Place::Own);
    }
    if is_closed(scene.call.agent, parts) {
        return Some(Place::Closed);
    }
    if is_changed && guard::line(parts).is_some() {
        return Some(Place::Guarded);
    }
    let is_inside = parts.from == From::Root { is_inside: true };
    let is_env = parts.names.last().is_some_and(|name| names_env(scene, name));
    (is_env && !(is_inside && scene.call.env_is_lifted)).then_some(Place::Env)
}

/// Whether a file at an absolute path is closed (REF-2) or an `.env` file, so that no search should read it (LVL-1). For a
/// resolver that looks through a tree: files of the project's own that only look like stores elsewhere are none.
#[must_use]
pub fn is_private(path: &str, home: &str) -> bool {
    let parts = Parts::from_root(pieces(path), &pieces(home), true);
    parts.names.last().is_some_and(|name| is_env(name)) || is_closed("", &parts)
}

/// Whether a path is closed to an agent.
pub(super) fn is_closed(agent: &str, parts: &Parts<'_>) -> bool {
    let is_its_own = || {
        let notes = closed::OWN_NOTES.iter().filter(|(whose, _)| *whose == agent);
        notes.flat_map(|(_, list)| *list).any(|note| note.holds(parts))
    };
    closed::line(parts).is_some() && !is_its_own()
        || matches!(parts.from, From::Root { .. }) && closed::is_other_process(&parts.names)
}

/// Whether a file's name is one of an `.env` file's (REF-2): `.env`, `*.env`, `*.env.*`, but not `*.env.example`; or a
/// pattern that could become one.
fn names_env(scene: &Scene<'_>, name: &str) -> bool {
    if is_env(name) {
        return true;
    }
    // A wide pattern counts where there is something for it to find.
    super::glob::has_pattern(name)
        && name.starts_with('.')
        && [".env", ".env.local", ".env.production"].iter().any(|known| super::glob::may_be(known, name))
        && (name.to_ascii_lowercase().starts_with(".env") || scene.world.holds_private(scene.call.worktree))
}

/// Whether a name is one of an `.env` file's.
pub(super) fn is_env(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut rest = name.as_str();
    if rest.ends_with(".env.example") {
        return false;
    }
    while let Some((_, behind)) = rest.split_once(".env") {
        if behind.is_empty() || behind.starts_with('.') {
            return true;
        }
        rest = behind;
    }
    false
}

/// The place of a path that no list knows.
fn by_folder(project: &Project, lexical: &str, real: Option<&str>, is_inside: bool) -> Place {
    if EXEMPT.contains(&lexical) {
        return Place::Exempt;
    }
    let Some(real) = real else { return Place::Outside };
    if is_inside {
        let is_git = [lexical, real].iter().any(|path| project.is_git(path));
        return if is_git { Place::Git } else { Place::Inside };
    }
    if TEMPORARY.iter().any(|folder| is_below(real, folder)) { Place::Temporary } else { Place::Outside }
}

/// The project's folder, as written and as links lead; nothing where there is none to be inside of.
struct Project {
    written: String,
    real: Option<String>,
}

impl Project {
    fn of(scene: &Scene<'_>) -> Self {
        let none = Self { written: String::new(), real: None };
        let worktree = scene.call.worktree;
        let parts = pieces(worktree);
        if !worktree.starts_with('/') || parts.is_empty() || parts.contains(&"..") {
            return none;
        }
        let written = join(&parts);
        let Some(real) = ask(scene, &written) else { return none };
        let homes = [Some(scene.call.home.to_owned()), ask(scene, scene.call.home)];
        // The home folder, or one that holds it, is no project: everything private would lie inside.
        let holds_home = homes
            .iter()
            .flatten()
            .any(|home| home.starts_with('/') && (is_below(home, &written) || is_below(home, &real)));
        if holds_home || pieces(&real).is_empty() { none } else { Self { written, real: Some(real) } }
    }

    fn holds(&self, real: &str) -> bool {
        self.real.as_deref().is_some_and(|project| is_below(real, project))
    }

    fn holds_written(&self, lexical: &str) -> bool {
        self.real.is_some() && is_below(lexical, &self.written)
    }

    fn is_git(&self, path: &str) -> bool {
        [Some(self.written.as_str()), self.real.as_deref()].iter().flatten().any(|project| {
            is_below(path, project)
                && path
                    .get(project.len()..)
                    .is_some_and(|rest| rest.split('/').any(|name| name.eq_ignore_ascii_case(".git")))
        })
    }
}

/// Whether a path is a folder or lies below it: by whole names, so that `/a/bc` is not below `/a/b`.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What the words say: `..` takes a name away, at the root it stays there. `None` where that is more than a path.
fn by_words(parts: &[String]) -> Option<String> {
    let mut stack: Vec<&str> = Vec::new();
    let mut after_pattern = false;
    for part in parts {
        if part == ".." {
            // What a pattern's match is linked to, nobody can tell from the words.
            if after_pattern {
                return None;
            }
            stack.pop();
        } else {
            after_pattern |= super::glob::has_pattern(part);
            stack.push(part);
        }
    }
    Some(join(&stack))
}

/// Where links lead. `..` leaves the folder that a link led to, as the system does it, not the one that was written.
fn by_links(scene: &Scene<'_>, parts: &[String], lexical: &str) -> Option<String> {
    if parts.iter().any(|part| part.len() > MAX_NAME) {
        // No file has such a name, so nothing is linked.
        return Some(lexical.to_owned());
    }
    let climbs = parts.iter().filter(|part| *part == "..").count();
    if climbs > MAX_CLIMBS {
        return None;
    }
    if climbs == 0 {
        return ask(scene, lexical);
    }
    let mut here = String::new();
    for part in parts {
        if part == ".." {
            here = ask(scene, if here.is_empty() { "/" } else { &here })?;
            here.truncate(here.rfind('/').unwrap_or(0));
        } else {
            here.push('/');
            here.push_str(part);
        }
    }
    ask(scene, if here.is_empty() { "/" } else { &here })
}

/// Where an absolute path really leads.
fn ask(scene: &Scene<'_>, path: &str) -> Option<String> {
    if !path.starts_with('/') {
        return None;
    }
    match scene.world.real(path) {
        Real::At(path) if path.starts_with('/') => Some(path),
        Real::At(_) | Real::Unknown => None,
    }
}

fn names(parts: &[String]) -> Vec<&str> {
    parts.iter().map(String::as_str).filter(|part| *part != "..").collect()
}

fn pieces(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect()
}

fn join(parts: &[&str]) -> String {
    if parts.is_empty() { "/".to_owned() } else { parts.iter().flat_map(|part| ["/", part]).collect() }
}

/// Whether names hold those of a store that is told by its name anywhere.
pub(super) fn is_named_store(names: &[&str]) -> bool {
    let parts = Parts::new(names.to_vec(), From::Text);
    closed::line(&parts).is_some() || own::data(&parts).is_some()
}
