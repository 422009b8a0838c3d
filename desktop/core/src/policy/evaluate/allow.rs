//! What an allow line needs (POL-4 to POL-8, TAINT-1). The classifier says how far any line may reach; whatever can be
//! seen here is looked at here once more, so that an allow needs two mistakes at once.

use core::fmt;

use countersign_proto::{request::Class, text::Shown};

use super::{cover::Seen, index::Index};
use crate::{
    classify::{
        Action, FileHow, Reach,
        facts::{PathFact, Place},
    },
    policy::{
        Asked, Effect,
        line::{Line, Object, Policy},
        names, place,
    },
};

/// What keeps an allow away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Barrier {
    /// Nobody may allow it (REF).
    Refused,
    /// Destructive, spend or guard (POL-4).
    NeverByLine(Class),
    /// This agent's requests are not answered by allow lines (POL-8).
    Agent,
    /// The agent did not say everything (ORD-1).
    NotWhole,
    /// Countersign did not see the session start (POL-6).
    StartNotSeen,
    /// The agent left the folder in which it started (POL-6).
    Moved,
    /// It started in `/`, in the home folder or above it (POL-6).
    Home,
    /// It runs in a folder outside that one (POL-6).
    Elsewhere,
    /// The session read content from outside, and this reaches out (TAINT-1).
    Tainted,
    /// It starts a program that lies in the project (REQ-5).
    ProgramOfProject,
    /// No line allows such an action (POL-5).
    Never,
    /// Only a permission file allows it: builds, interpreters, Git commands that run hooks (PERM-4).
    OnlyByFile,
    /// Only a line that names it allows it: what may overwrite (POL-7).
    OnlyByName,
    /// More than bare words: operators, quotes, patterns, tabs, several lines, over 300 characters (POL-5).
    NotBare,
    /// Its parts can't all be told (PERM-2).
    NotSimple,
    /// A word names an absolute path, address, `@file`, `..`, `.git`, or glues a value to an option (POL-6).
    Word(String),
    /// Several files in one call (POL-6).
    Several,
    /// A path outside the project, or a change inside `.git` (POL-6).
    Path(String),
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Refused => "it is refused, whatever anyone says",
            Self::NeverByLine(class) => return write!(f, "no line ever allows what is {}", class.name()),
            Self::Agent => "allow lines don't answer this agent's requests",
            Self::NotWhole => "the agent did not say everything that this call does, or in which folder",
            Self::StartNotSeen => "Countersign did not see this session start",
            Self::Moved => "the agent left the folder in which it started",
            Self::Home => "the session started in the home folder, above it, or in `/`",
            Self::Elsewhere => "it runs outside the folder in which the session started",
            Self::Tainted => "the session has read content from outside",
            Self::ProgramOfProject => "it starts a program that lies in the project",
            Self::Never => "no line allows such an action: it is not known, or it reaches too far",
            Self::OnlyByFile => "it runs code of the project: only a permission file may allow it",
            Self::OnlyByName => "it may overwrite something: only a line that names it may allow it",
            Self::NotBare => {
                "it is more than bare words: operators, quotes, patterns, line breaks, or over 300 characters"
            }
            Self::NotSimple => "not everything that it runs can be told",
            Self::Word(word) => {
                return write!(f, "its word `{}` may name something outside the project", Shown::line(word));
            }
            Self::Several => "it touches several files at once",
            Self::Path(path) => {
                return write!(
                    f,
                    "`{}` is not a path in the project that a line may allow",
                    Shown::line(path)
                );
            }
        };
        f.write_str(words)
    }
}

/// What every allow needs, of a line or of a permission file.
///
/// # Errors
/// The first thing that is missing.
pub(in crate::policy) fn reaches(asked: &Asked<'_>) -> Result<(), Barrier> {
    let facts = asked.facts;
    if facts.refused().is_some() {
        return Err(Barrier::Refused);
    }
    match facts.class() {
        class @ (Class::Destructive | Class::Spend | Class::Guard) => {
            return Err(Barrier::NeverByLine(class));
        }
        Class::Read | Class::ReadExternal | Class::Write | Class::External | Class::Unknown => {}
    }
    if !asked.takes_allow_lines {
        return Err(Barrier::Agent);
    }
    if !asked.is_whole {
        return Err(Barrier::NotWhole);
    }
    let start = start(asked)?;
    if let Action::Shell(shell) = asked.action {
        let folder = shell.folder.as_deref().unwrap_or(asked.folder);
        let folder = place::absolute(folder, asked.folder, asked.home);
        if !folder.is_some_and(|folder| place::is_within(&folder, &start)) {
            return Err(Barrier::Elsewhere);
        }
    }
    // No line names a host, so none is known (TAINT-1).
    let is_near = matches!(facts.class(), Class::Read | Class::Write) && facts.hosts().is_empty();
    if asked.session.is_tainted && !is_near {
        return Err(Barrier::Tainted);
    }
    if facts.programs().iter().any(|fact| fact.is_in_project) {
        return Err(Barrier::ProgramOfProject);
    }
    if facts.reach() == Reach::Never {
        return Err(Barrier::Never);
    }
    Ok(())
}

/// The folder in which the session started, where an allow may reach into it.
fn start(asked: &Asked<'_>) -> Result<String, Barrier> {
    let start = asked.session.start_folder.and_then(place::plain).ok_or(Barrier::StartNotSeen)?;
    if asked.session.moved {
        return Err(Barrier::Moved);
    }
    let home = place::plain(asked.home).ok_or(Barrier::Home)?;
    if place::is_within(&home, &start) { Err(Barrier::Home) } else { Ok(start) }
}

/// What an allow line needs besides: one known thing in the project, said in bare words.
///
/// # Errors
/// The first thing that is missing.
pub(super) fn line_reaches(asked: &Asked<'_>) -> Result<(), Barrier> {
    reaches(asked)?;
    if asked.facts.reach() == Reach::File {
        return Err(Barrier::OnlyByFile);
    }
    match asked.action {
        Action::Shell(_) => {
            let bare = asked.facts.shell().and_then(|shell| shell.bare.as_ref()).ok_or(Barrier::NotBare)?;
            if let Some(word) = bare.iter().find(|word| !is_near(word)) {
                return Err(Barrier::Word(word.clone()));
            }
        }
        Action::Files(files) => {
            let [file] = files.as_slice() else { return Err(Barrier::Several) };
            match file.how {
                FileHow::Read | FileHow::List | FileHow::Search | FileHow::Match | FileHow::Write => {}
                FileHow::Delete | FileHow::Unclear => return Err(Barrier::Never),
                FileHow::Move(_) => return Err(Barrier::Several),
            }
            if file.path.split('/').any(|part| part == "..") {
                return Err(Barrier::Path(file.path.clone()));
            }
        }
        Action::WebSearch { .. } => {}
        Action::Fetch { .. } | Action::Server { .. } | Action::Unknown(_) => return Err(Barrier::Never),
    }
    match asked.facts.paths().iter().find(|fact| !is_inside(fact)) {
        Some(fact) => Err(Barrier::Path(fact.written.clone())),
        None => Ok(()),
    }
}

const fn is_inside(fact: &PathFact) -> bool {
    match fact.place {
        Place::Exempt | Place::Inside => true,
        Place::Git => !fact.is_changed,
        Place::Temporary | Place::Outside | Place::Env | Place::Guarded | Place::Closed | Place::Own => false,
    }
}

/// Whether a word of a command names nothing that could lie outside (POL-6).
fn is_near(word: &str) -> bool {
    let is_far = |text: &str| {
        text.starts_with(['/', '~', '@', '\\'])
            || text.split(['/', ':']).any(|part| matches!(part, ".." | ".git"))
            || text.contains("://")
    };
    if is_far(word) || word.split(['=', ',']).any(is_far) {
        return false;
    }
    let Some(option) = word.strip_prefix('-') else { return true };
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    match option.split_once('=') {
        Some((_, value)) => is_number(value),
        // `-fsrc/list` and `-fnotes.txt` give a path to an option; a long option has no value without `=`.
        None => option.starts_with('-') || !option.contains(['/', '.', '@', '~']),
    }
}

/// The first allow line of a policy that allows a call.
pub(super) fn allowing<'p>(seen: &Seen<'_>, policy: &'p Policy, index: &Index) -> Option<&'p Line> {
    let start = seen.asked.session.start_folder?;
    if !policy.holds_in(start) {
        return None;
    }
    let at = candidates(seen, index);
    let mut lines = at.into_iter().filter_map(|at| policy.lines.get(at));
    // Nothing else is looked at where no line could apply, which is the common case.
    let line = lines.find(|line| line.effect == Effect::Allow && is_about(line, seen.asked))?;
    line_reaches(seen.asked).is_ok().then_some(line)
}

fn candidates(seen: &Seen<'_>, index: &Index) -> Vec<usize> {
    let mut at = Vec::new();
    for (class, lines) in &index.classes {
        if class.class() == seen.facts().class() {
            at.extend(lines);
        }
    }
    at.extend(index.tools.get(seen.asked.tool).into_iter().flatten());
    let bare = seen.facts().shell().and_then(|shell| shell.bare.as_ref()).and_then(|bare| bare.first());
    at.extend(bare.and_then(|program| index.commands.get(program)).into_iter().flatten());
    at.sort_unstable();
    at
}

/// Whether an allow line is about a call, and the call within its reach.
pub(super) fn is_about(line: &Line, asked: &Asked<'_>) -> bool {
    match &line.object {
        Object::Class(class) => asked.facts.class() == class.class() && asked.facts.reach() == Reach::Class,
        Object::Command { words, is_open } => {
            let bare = asked.facts.shell().and_then(|shell| shell.bare.as_deref());
            bare.is_some_and(|bare| if *is_open { bare.starts_with(words) } else { bare == words })
        }
        Object::Tool(name) => {
            let is_shell = matches!(asked.action, Action::Shell(_)) || names::is_shell(name);
            name == asked.tool && !is_shell
        }
        Object::Host(_) | Object::Server(_) | Object::Path { .. } | Object::Recipient(_) => false,
    }
}
