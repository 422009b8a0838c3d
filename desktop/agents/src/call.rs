//! One tool call that waits for an answer: what the agent said of it, which files are needed to show what it would
//! change, and the draft that is made of both.

use std::{collections::BTreeMap, path::PathBuf};

use countersign_core::draft::{Draft, SessionKey};
use countersign_proto::{request::Subagent, text::Foreign};

/// What a shell saw of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSeen {
    /// There is no such file.
    Absent,
    /// It holds these bytes.
    Content(Vec<u8>),
    /// It is there, but can't be read; why, in a few words.
    Unreadable(String),
    /// It is larger than the shell reads; its size.
    TooBig(u64),
}

/// What a shell saw of the files that [`Call::needs`] named.
pub type Seen = BTreeMap<PathBuf, FileSeen>;

/// A tool call, as an adapter read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub(crate) session: SessionKey,
    pub(crate) agent_version: Foreign,
    pub(crate) adapter: u32,
    pub(crate) folder: String,
    pub(crate) tool: Foreign,
    pub(crate) raw: Vec<u8>,
    pub(crate) mode: Foreign,
    pub(crate) subagent: Option<Subagent>,
}

impl Call {
    /// Adds the agent's version, where a shell knows it.
    #[must_use]
    pub fn with_version(self, version: &str) -> Self {
        Self { agent_version: Foreign::new(version), ..self }
    }

    /// Agent and session.
    #[must_use]
    pub const fn session(&self) -> &SessionKey {
        &self.session
    }

    /// The tool input exactly as the hook got it.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Files whose content the view needs: absolute paths, not resolved through links.
    #[must_use]
    pub fn needs(&self) -> Vec<PathBuf> {
        todo!()
    }

    /// The draft of this call over what was seen of those files. A pure function: the same files give the same draft.
    /// A needed file that `seen` leaves out counts as unreadable.
    #[must_use]
    pub fn draft(&self, seen: &Seen) -> Draft {
        todo!("{seen:?}")
    }
}
