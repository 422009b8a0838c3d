//! One call, as the classifier takes it.

use super::Action;

/// One tool call and where it stands. Paths are absolute and `/`-separated; an empty one is unknown.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The adapter's id of the agent.
    pub agent: &'a str,
    /// The tool's name, as sent.
    pub tool: &'a str,
    /// What it asks for.
    pub action: &'a Action,
    /// The current folder, as sent.
    pub folder: &'a str,
    /// The project: the folder in which Countersign saw the session start, or else the current folder.
    pub worktree: &'a str,
    /// The user's home folder.
    pub home: &'a str,
    /// Whether the agent's requests may be answered by allow lines (POL-8); a fact of its adapter.
    pub takes_allow_lines: bool,
    /// Names that no agent may push to (REF-1), besides [`PROTECTED`].
    pub protected: &'a [String],
    /// Whether the person lifted `.env` for this project (REF-2).
    pub env_is_lifted: bool,
}

/// The branches that no agent pushes to, whatever the person adds (REF-1).
pub const PROTECTED: &[&str] = &["main", "master"];
