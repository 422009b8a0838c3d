//! What a shell gives to a draft besides the agent's words: where the session began, who can look, what is set.

use core::fmt;

use countersign_core::{classify::Resolver, rule::FolderId};
use countersign_proto::{id::Hash, text::Foreign};

/// What is in a file that decides what a command runs (REQ-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// There is no such file.
    Absent,
    /// Its content has this hash, under [`countersign_proto::domain::FILE`].
    Is(Hash),
    /// It can't be told: unreadable, too large, no plain file.
    Unknown,
}

/// What a shell gives to a draft.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Folder in which Countersign saw the session start; absent where it did not see it.
    pub start_folder: Option<&'a [u8]>,
    /// That folder as the file system knows it; absent where it can't be told.
    pub project: Option<FolderId>,
    /// The user's home folder; empty where it is unknown.
    pub home: &'a str,
    /// Sees files, programs and repositories.
    pub resolver: &'a dyn Resolver,
    /// Says what is in a file that decides what runs; absolute path.
    pub driver: &'a dyn Fn(&str) -> Driver,
    /// Why names and settings can't be relied on here (REQ-5).
    pub risky: &'a [Foreign],
    /// Names that no agent may push to, besides the built-in ones (REF-1).
    pub protected: &'a [String],
    /// Whether the person lifted `.env` for this project (REF-2).
    pub env_is_lifted: bool,
}

impl fmt::Debug for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given")
            .field("start_folder", &self.start_folder.map(String::from_utf8_lossy))
            .field("home", &self.home)
            .field("risky", &self.risky)
            .finish_non_exhaustive()
    }
}
