//! What the classifier may ask about the world. A shell looks; in tests and for `countersign classify` a table answers.
//! Whatever can't be told is its own case, and never counts in anybody's favour.

/// Sees files, programs and repositories.
pub trait Resolver {
    /// Where an absolute path without `.` and `..` parts really leads: links followed, and where the end does not exist
    /// the deepest folder that does, followed by the rest.
    fn real(&self, path: &str) -> Real;

    /// What a program's name in command position starts, by the PATH that the agent has. `name` is a bare name or a
    /// path as written, absolute or relative to `folder`.
    fn program(&self, name: &str, folder: &str) -> Program;

    /// Where a `git push` that names no branch goes, in the repository around `folder`.
    fn push(&self, folder: &str) -> Push;

    /// Whether the Git configuration that holds in `folder` starts programs of its own (pager, fsmonitor, filters,
    /// external diffs, hooks path, aliases with `!`); `true` where that can't be told.
    fn git_starts_programs(&self, folder: &str) -> bool;

    /// Whether the tree under an absolute folder holds a closed or `.env` file (LVL-1); `true` where that can't be told.
    fn holds_private(&self, folder: &str) -> bool;
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Real {
    /// Here.
    At(String),
    /// It can't be told: no permission, a loop of links, too long.
    Unknown,
}

/// What a program's name starts (REQ-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A file at this path which the user can't write (for root: one outside home, project and temporary folders).
    Trusted(String),
    /// A file at this path which the user could write.
    Writable(String),
    /// No such program.
    Missing,
    /// It can't be told.
    Unknown,
}

/// Where a push without a branch goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Push {
    /// To branches of these names: the current one and its upstream.
    To(Vec<String>),
    /// It can't be told.
    Unknown,
}
