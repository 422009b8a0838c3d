//! An agent's own note of what a session does. It only ever withdraws a card: a session that waited and is busy again
//! was answered in its terminal.

use std::path::{Path, PathBuf};

/// What a session does by its agent's note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It waits for an answer to its own permission dialog.
    Waiting,
    /// It works.
    Busy,
}

/// Where an agent keeps such notes, and how they are read.
#[derive(Debug, Clone, Copy)]
pub struct SessionNote {
    /// The file of the session that a process runs, below the home folder of the agent's user.
    pub file: fn(&Path, u32) -> PathBuf,
    /// What a note says; `None` for anything that isn't clearly one of the two.
    pub read: fn(&[u8]) -> Option<Doing>,
}
