//! A tool call as an adapter understood it, before the core made a request of it. Everything in it is what an agent
//! said or what a shell saw on disk; nothing in it decides.

use countersign_proto::{
    id::Hash,
    request::{Block, Dependency, Subagent},
    text::{Foreign, Shown},
};

use crate::{
    classify::{Action, Facts},
    rule::FolderId,
};

/// Names one session of one agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionKey {
    /// The adapter's id of the agent: `claude`.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: Foreign,
}

/// One tool call, as an adapter read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Agent and session.
    pub session: SessionKey,
    /// A short title to tell sessions apart, made by the adapter.
    pub title: Shown,
    /// The agent's version as far as it is known; empty where it isn't.
    pub agent_version: Foreign,
    /// Version of the adapter.
    pub adapter: u32,
    /// Current folder: absolute, raw bytes.
    pub folder: Vec<u8>,
    /// The tool's name.
    pub tool: Foreign,
    /// The tool input exactly as the hook got it.
    pub raw: Vec<u8>,
    /// Version of the function that makes `view`.
    pub view_version: u32,
    /// What Allow would allow, block by block, whole and escaped.
    pub view: Vec<Block>,
    /// The plain headline, made by the adapter from the tool's name and targets.
    pub headline: Shown,
    /// The agent's own words about the call.
    pub words: Foreign,
    /// The agent's permission mode.
    pub mode: Foreign,
    /// The subagent that asks, if one does.
    pub subagent: Option<Subagent>,
    /// Whether folder and every argument are known.
    pub whole: bool,
    /// Files the view was made from, with the hash of what they held.
    pub depends: Vec<Dependency>,
    /// Reasons of the adapter's for the card ("the file can't be read").
    pub reasons: Vec<Shown>,
    /// Hash of the tool input in canonical form, so that members in another order are the same input (AG-5).
    pub input_hash: Hash,
    /// The agent's own id of the call, where it gives one.
    pub call_id: Option<Foreign>,
    /// The agent's own profile name, where it has one (PERM-4).
    pub profile: Option<Foreign>,
    /// What the call asks for, in words that no agent owns.
    pub action: Action,
    /// What it would do.
    pub facts: Facts,
    /// Folder in which Countersign saw the session start; absent where it did not see it.
    pub start_folder: Option<Vec<u8>>,
    /// That folder as the file system knows it; absent where it can't be told.
    pub project: Option<FolderId>,
    /// The user's home folder.
    pub home: String,
    /// What an *Always* of this call would match ([`crate::rule::key`]).
    pub rule_key: Hash,
    /// The same in words, for the card and the list of rules.
    pub rule_text: Shown,
    /// Whether everything that a rule depends on could be seen (REQ-6); else no *Always* is offered.
    pub can_be_pinned: bool,
    /// Why green, rules and allow lines can't be relied on here (REQ-5): risky variables that are set, settings of the
    /// project that set some or bring hooks of their own.
    pub risky: Vec<Foreign>,
    /// Whether this agent's requests may be answered by allow lines (POL-8).
    pub takes_allow_lines: bool,
}

impl Draft {
    /// The hash of the tool input.
    #[must_use]
    pub fn raw_hash(&self) -> Hash {
        countersign_proto::domain::hash(countersign_proto::domain::RAW, &[&self.raw])
    }

    /// Whether another derivation of the same call shows the person the same thing (WHO-7).
    #[must_use]
    pub fn shows_the_same_as(&self, other: &Self) -> bool {
        self == other
    }
}

/// One call that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedCall {
    /// The tool's name.
    pub tool: Foreign,
    /// The tool input that the agent says it used, exactly as it gave it: another hook may have changed it.
    pub raw: Vec<u8>,
    /// Hash of that input in canonical form, for comparing (AG-5).
    pub input_hash: Hash,
    /// The agent's own id of the call, where it gives one.
    pub id: Option<Foreign>,
    /// Whether the agent says that the call ran, with or without success. Where it can't be told this is false, and
    /// another event of the same call tells it.
    pub ran: bool,
}

/// What an agent did after a call, or said about its session; an adapter reads it from the agent's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed {
    /// A session began in this folder.
    Started {
        /// Folder in which Countersign saw it start.
        folder: Vec<u8>,
    },
    /// These calls ended, however they ended. Their cards, if any are left, are withdrawn.
    Ended {
        /// The calls.
        calls: Vec<EndedCall>,
        /// The subagent that made them, if one did.
        subagent: Option<Foreign>,
    },
    /// The session's own turn is over or its person typed: its cards are withdrawn, those of subagents stay.
    MovedOn,
    /// The agent's own dialog was answered in its terminal.
    AnsweredInTerminal,
    /// The session is gone.
    SessionOver,
}
