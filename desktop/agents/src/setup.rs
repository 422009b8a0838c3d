//! Our hooks in an agent's settings file: text in, text out. What an adapter adds, changes or finds is told in these
//! types; writing the file and keeping a backup is the shell's.

mod command;
mod document;
pub(crate) mod hooks;
mod layout;
mod removal;
pub(crate) mod report;

use countersign_proto::text::{Foreign, Shown};

/// What is to be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    hook: String,
    instance: Option<String>,
    limit_secs: u32,
}

/// The agent's limit for the hook that waits, unless a test asks for a shorter one (WAIT-2).
pub const LIMIT_SECS: u32 = 125;

/// A change of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The text before; absent where there is no file.
    pub before: Option<String>,
    /// The text after; absent where the file should go.
    pub after: Option<String>,
    /// The change as a unified diff; empty where nothing changes.
    pub diff: Shown,
}

impl Change {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }
}

/// Why a settings file was left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Not JSON.
    #[error(
        "the settings file is not valid JSON (line {line}, column {column}: {what}); nothing was changed"
    )]
    Unparsable {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        what: String,
    },
    /// JSON with comments.
    #[error(
        "the settings file has a comment at line {line}, which JSON does not know; nothing was changed: take the \
         comment out, or add the hooks by hand"
    )]
    Comment {
        /// Line, from 1.
        line: usize,
    },
    /// JSON of another shape than the agent's settings.
    #[error("`{}` in the settings file is not {expected}; nothing was changed", Shown::line(place))]
    Shape {
        /// Where.
        place: String,
        /// What it would have to be.
        expected: &'static str,
    },
    /// A member is there twice.
    #[error("the settings file names `{}` twice; nothing was changed: keep one of them", Shown::line(.0))]
    Twice(String),
    /// The hook's path can't be installed.
    #[error("`{}` can't be installed as a hook: give the absolute path of `countersign-hook`", Shown::line(.0))]
    Hook(String),
    /// The instance's name can't be installed.
    #[error("`{}` can't name an instance: use a–z, 0–9 and `-`", Shown::line(.0))]
    Instance(String),
}

/// How our hooks stand in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Our own entries.
    pub state: State,
    /// Other programs' hooks that are asked for permission too: the first of all to decide wins.
    pub foreign: Vec<Foreign>,
    /// Whether the file switches all hooks off.
    pub all_disabled: bool,
    /// Whether the file, where it is an administrator's, lets no hooks run but an administrator's: not ours.
    pub managed_only: bool,
    /// The permission mode that new sessions start in, where the file says so.
    pub default_mode: Option<Foreign>,
    /// What a person should know or do, a sentence each.
    pub advice: Vec<Shown>,
}

/// How our own entries stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All there, as they would be installed now.
    Installed,
    /// There, but not as they would be installed now; how they differ, a sentence each.
    Outdated(Vec<Shown>),
    /// Not there.
    Missing,
}
