//! One tool call that waits for an answer: what the agent said of it, which files are needed to show what it would
//! change, and the draft that is made of both.

use std::{collections::BTreeMap, path::PathBuf};

use countersign_core::draft::{Draft, SessionKey};
use countersign_proto::{
    request::Subagent,
    text::{Foreign, Shown},
};

use crate::{
    action::{Action, Argument},
    path, view,
};

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
    /// The agent's own id of the call, where it gives one.
    pub(crate) id: Option<Foreign>,
    /// Current folder as the agent wrote it.
    pub(crate) folder: String,
    pub(crate) tool: Foreign,
    pub(crate) raw: Vec<u8>,
    pub(crate) words: String,
    pub(crate) mode: Foreign,
    pub(crate) subagent: Option<Subagent>,
    pub(crate) action: Action,
    /// Arguments that the action doesn't show.
    pub(crate) arguments: Vec<Argument>,
    /// Whether every argument that the tool can't do without is there, in a shape this adapter knows.
    pub(crate) is_complete: bool,
    /// Whether the agent's text held half characters, so that no text here is certain.
    pub(crate) is_broken: bool,
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

    /// The agent's own id of the call, where it gives one.
    #[must_use]
    pub const fn id(&self) -> Option<&Foreign> {
        self.id.as_ref()
    }

    /// The agent's permission mode, as it names it; empty where it doesn't.
    #[must_use]
    pub const fn mode(&self) -> &Foreign {
        &self.mode
    }

    /// The tool input exactly as the hook got it.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Files whose content the view needs: absolute paths, not resolved through links.
    #[must_use]
    pub fn needs(&self) -> Vec<PathBuf> {
        match &self.action {
            Action::Change { path, .. } => self.resolved(path).into_iter().collect(),
            Action::Command(_)
            | Action::Read { .. }
            | Action::Fetch { .. }
            | Action::Server { .. }
            | Action::Other => Vec::new(),
        }
    }

    /// The draft of this call over what was seen of those files. A pure function: the same files give the same draft.
    /// A needed file that `seen` leaves out counts as unreadable.
    #[must_use]
    pub fn draft(&self, seen: &Seen) -> Draft {
        let view = view::draw(self, seen);
        Draft {
            session: self.session.clone(),
            title: self.title(),
            agent_version: self.agent_version.clone(),
            adapter: self.adapter,
            folder: self.folder.as_bytes().to_vec(),
            tool: self.tool.clone(),
            raw: self.raw.clone(),
            view_version: view::VERSION,
            view: view.blocks,
            headline: view.headline,
            words: Foreign::new(self.words.clone()),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            whole: self.is_complete && !self.is_broken && view.is_certain && self.folder.starts_with('/'),
            depends: view.depends,
            reasons: view.reasons,
        }
    }

    /// The absolute path that the agent means, where that is certain.
    pub(crate) fn resolved(&self, path: &str) -> Option<PathBuf> {
        if self.is_broken { None } else { path::resolve(&self.folder, path) }
    }

    /// The folder's name and the start of the session's id.
    fn title(&self) -> Shown {
        let folder = self.folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        let id: String = self.session.session.raw().chars().take(8).collect();
        Shown::line(&format!("{} · {id}", folder.unwrap_or("/")))
    }
}
