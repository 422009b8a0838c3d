//! Paths: which a call names, where they really lie, and what that means (LVL-3, REF-2, REF-3, POL-6). Files are seen
//! through the resolver alone. Names are compared without case where a list is asked, for other systems fold it.

mod closed;
mod evident;
mod glob;
mod guard;
mod habit;
mod listed;
mod mention;
mod own;
mod place;
mod role;
mod script;
mod start;
mod token;
mod weigh;

#[cfg(test)]
pub(in crate::classify) mod testing;
#[cfg(test)]
mod tests;

use countersign_proto::request::Class;

pub use self::place::is_private;
pub(in crate::classify) use self::{
    evident::{begins as begins_as_path, scan as evident},
    mention::{mentions, names_guarded},
    place::locate,
    token::{tokens, unescape},
    weigh::{nothing, refuse_env, weigh},
};
use super::{
    facts::{PathFact, Place, Reach},
    finding::Finding,
    scene::Scene,
    word::{Command, Word},
};

/// The paths that a command's words name, its program aside, and what they mean for a command of a class. Words that its
/// program is known to take for a pattern, a message or a script are read as such. A wrapper is to be given without the
/// command inside it, which has habits of its own.
pub(in crate::classify) fn of_command(
    command: &Command,
    scene: &Scene<'_>,
    class: Class,
) -> (Finding, Vec<PathFact>) {
    let is_changed = class != Class::Read && !role::leaves(command);
    let mut finding = nothing();
    let mut facts = Vec::new();
    for named in role::named(command) {
        let mut fact = locate(scene, command.folder.as_deref(), &named.written, is_changed);
        if named.is_loose && matches!(fact.place, Place::Closed | Place::Own | Place::Env) {
            fact.place = Place::Outside;
        }
        finding.worsen(weigh(&fact, class));
        // A bare word may be a link, and is worth no line otherwise.
        if fact.place != Place::Inside || fact.written.contains(['/', '.']) {
            facts.push(fact);
        }
    }
    if command.arguments().iter().any(keeps_lines_away) {
        finding.reach = finding.reach.min(Reach::File);
    }
    (finding, facts)
}

/// Whether a word keeps the lines of a policy from answering its command (POL-6): an absolute path, an address, `@file`,
/// `..`, `.git`, or an option that something is glued to that may be a path.
pub(in crate::classify) fn keeps_lines_away(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_glued = text.starts_with('-') && text.contains(['=', '/', '.', ':', '\\', '@']);
    is_glued
        || text.starts_with(['/', '@'])
        || text.contains(['~', '\\'])
        || text.contains("://")
        || [":/", "=/"].iter().any(|glue| text.contains(glue))
        || start::is_windows(text)
        || text.split(['/', '=', ':', ',']).any(|name| name == ".." || name.eq_ignore_ascii_case(".git"))
}
