//! One tool call that waits for an answer: what the agent said of it, which files are needed to show what it would
//! change, and the draft that is made of both.

use std::{collections::BTreeMap, path::PathBuf};

use countersign_core::{
    classify::{self, Action as Asks, Facts},
    draft::{Draft, SessionKey},
};
use countersign_proto::{
    domain,
    id::Hash,
    request::{Dependency, Subagent},
    text::{Foreign, Shown},
};

use crate::{
    action::{Action, Argument},
    given::{Driver, Given},
    json::Json,
    path, rule, tools, view,
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

    /// The current folder, as the agent wrote it.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
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
    pub fn draft(&self, seen: &Seen, given: &Given<'_>) -> Draft {
        let view = view::draw(self, seen);
        let action = self.asks();
        let facts = self.judged(&action, given);
        let (depends, can_be_pinned) = pinned(view.depends, facts.drivers(), given);
        let matched = self.matched(&action);
        let headline = match &action {
            Asks::Shell(_) if self.is_complete => facts.headline().clone(),
            _ => view.headline,
        };
        let rule_key = rule_key(self, given, &matched.input);
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
            headline,
            words: Foreign::new(self.words.clone()),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            whole: self.is_complete && !self.is_broken && view.is_certain && self.folder.starts_with('/'),
            depends,
            reasons: view.reasons,
            input_hash: call_hash(&self.raw),
            call_id: self.id.clone(),
            profile: None,
            action,
            facts,
            start_folder: given.start_folder.map(<[u8]>::to_vec),
            project: given.project,
            home: given.home.to_owned(),
            rule_key,
            rule_text: Shown::line(&matched.words),
            can_be_pinned,
            risky: given.risky.to_vec(),
            takes_allow_lines: tools::takes_allow_lines(&self.session.agent),
        }
    }

    /// The absolute path that the agent means, where that is certain.
    pub(crate) fn resolved(&self, path: &str) -> Option<PathBuf> {
        if self.is_broken { None } else { path::resolve(&self.folder, path) }
    }

    /// What it asks for. Half characters leave nothing certain.
    fn asks(&self) -> Asks {
        if self.is_broken {
            return Asks::Unknown(Vec::new());
        }
        match serde_json::from_slice(&self.raw) {
            Ok(input) => tools::action(&self.session.agent, self.tool.raw(), &input),
            Err(_) => Asks::Unknown(Vec::new()),
        }
    }

    fn judged(&self, action: &Asks, given: &Given<'_>) -> Facts {
        let start = given.start_folder.map(String::from_utf8_lossy);
        let judged = classify::Call {
            agent: &self.session.agent,
            tool: self.tool.raw(),
            action,
            folder: &self.folder,
            worktree: start.as_deref().unwrap_or(&self.folder),
            home: given.home,
            takes_allow_lines: tools::takes_allow_lines(&self.session.agent),
            protected: given.protected,
            env_is_lifted: given.env_is_lifted,
        };
        classify::classify(&judged, given.resolver)
    }

    /// What an *Always* would match. An input that can't be read is matched byte by byte.
    fn matched(&self, action: &Asks) -> rule::Match {
        let tool = self.tool.raw();
        let advisory = tools::advisory(&self.session.agent, tool);
        match std::str::from_utf8(&self.raw).ok().and_then(|text| Json::parse(text).ok()) {
            Some(input) if !self.is_broken => rule::of(tool, action, &input, advisory),
            _ => {
                let input = String::from_utf8_lossy(&self.raw).into_owned();
                rule::Match { words: format!("{tool} {input}"), input }
            }
        }
    }

    /// The folder's name and the start of the session's id.
    fn title(&self) -> Shown {
        let folder = self.folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        let id: String = self.session.session.raw().chars().take(8).collect();
        Shown::line(&format!("{} · {id}", folder.unwrap_or("/")))
    }
}

/// Hash of a tool input in one spelling, so that members in another order are the same input (AG-5).
#[must_use]
pub fn call_hash(raw: &[u8]) -> Hash {
    let canonical = std::str::from_utf8(raw).ok().and_then(|text| Json::parse(text).ok());
    let canonical = canonical.map(|json| rule::canonical(&json));
    domain::hash(domain::RAW, &[canonical.as_ref().map_or(raw, String::as_bytes)])
}

/// What the view was made from, and the scripts and build files that decide what runs, each with what it holds now. False
/// where one of those can't be seen.
fn pinned(mut depends: Vec<Dependency>, drivers: &[String], given: &Given<'_>) -> (Vec<Dependency>, bool) {
    let mut is_seen = true;
    for path in drivers {
        let hash = match (given.driver)(path) {
            Driver::Is(hash) => Some(hash),
            Driver::Absent => None,
            Driver::Unknown => {
                is_seen = false;
                continue;
            }
        };
        depends.push(Dependency { path: Shown::line(path).into(), hash });
    }
    depends.dedup();
    (depends, is_seen)
}

fn rule_key(call: &Call, given: &Given<'_>, input: &str) -> Hash {
    countersign_core::rule::key(
        &call.session.agent,
        &call.tool,
        given.start_folder,
        call.folder.as_bytes(),
        input.as_bytes(),
    )
}
