//! Claude Code's own note of what each session does. Undocumented, so it only ever withdraws a card: a session that
//! waited and is busy again was answered in its terminal.

use std::path::{Path, PathBuf};

/// What a session does by its own note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It waits for an answer to its permission dialog.
    Waiting,
    /// It works.
    Busy,
}

/// Where the note of the session of this process is; `home` is the agent user's.
#[must_use]
pub fn session_file(home: &Path, claude_pid: u32) -> PathBuf {
    home.join(".claude/sessions").join(format!("{claude_pid}.json"))
}

/// Reads a note; `None` for anything that isn't clearly one of the two.
#[must_use]
pub fn read_session_file(note: &[u8]) -> Option<Doing> {
    todo!("{note:?}")
}
