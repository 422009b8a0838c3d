//! A waiting request as a surface draws it: whole, and with what a click must carry (CARD-1, WHO-6).

use serde::{Deserialize, Serialize};

/// One card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The request, in hexadecimal.
    pub request_id: String,
    /// The hash of the whole request, in hexadecimal; a click sends it back.
    pub binding: String,
    /// What the agent wants, in plain words of ours.
    pub headline: String,
    /// Who asks.
    pub agent: Agent,
    /// In which run of the agent.
    pub session: Session,
    /// The subagent, where one asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<Subagent>,
    /// The agent's name for the tool.
    pub tool: String,
    /// The current folder.
    pub folder: String,
    /// The folder at the session's start, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_folder: Option<String>,
    /// `user@host`.
    pub host: String,
    /// The agent's permission mode.
    pub permission_mode: String,
    /// What Allow allows, complete and in order.
    pub blocks: Vec<Block>,
    /// The action's kind: `unknown`, `write` …
    pub class: String,
    /// How loud the card is.
    pub level: Level,
    /// What made class and level.
    pub reasons: Vec<String>,
    /// Why it asks at all (ORD-2).
    pub why: String,
    /// The agent's own words; shown under "the agent says".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What the person must know before anything else: hidden characters, an incomplete call.
    pub warnings: Vec<String>,
    /// Whether the adapter saw the folder and every argument.
    pub whole: bool,
    /// Time left when this was sent, in milliseconds.
    pub deadline_in_ms: u64,
    /// Its place among the waiting cards.
    pub position: Position,
    /// The decisions this desktop may send.
    pub replies: Vec<Decision>,
    /// What an *Always* would match, whole; absent where none is on offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always: Option<String>,
    /// Whether the session read content from outside (TAINT-1).
    #[serde(default)]
    pub taint: bool,
}

/// An agent and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// `claude`.
    pub id: String,
    /// Its version; empty where it isn't known.
    pub version: String,
}

/// One run of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The agent's id for it.
    pub id: String,
    /// A short name for people; empty where there is none.
    pub title: String,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subagent {
    /// The agent's id for it.
    pub id: String,
    /// Its type; empty where it isn't known.
    pub kind: String,
    /// The session it works for.
    pub parent_session: String,
}

/// A card's place: 1 of 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Counted from 1.
    pub index: u32,
    /// How many wait.
    pub of: u32,
}

/// How loud a card is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Harmless.
    Green,
    /// Ordinary.
    Yellow,
    /// Dangerous; never remembered.
    Red,
}

/// A choice on one request that a desktop surface can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Allow this call.
    AllowOnce,
    /// Allow it, and the same call in this session from now on.
    AlwaysSession,
    /// Allow it, and the same call in this project from now on.
    AlwaysProject,
    /// Deny it.
    Deny,
    /// Deny it, with words for the agent.
    DenyWithNote,
    /// Let the agent ask in its terminal.
    HandOff,
}

/// One block of a card, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Block {
    /// A command.
    Command {
        /// All of it; line breaks are real ones.
        text: String,
    },
    /// A change of one file.
    Diff {
        /// The file.
        path: String,
        /// Whether the file is new.
        new_file: bool,
        /// Lines added.
        added: u32,
        /// Lines removed.
        removed: u32,
        /// Every line that is shown.
        lines: Vec<DiffLine>,
    },
    /// A file.
    File {
        /// Its path.
        path: String,
    },
    /// An address; never a link.
    Url {
        /// All of it.
        url: String,
    },
    /// Any other argument.
    Text {
        /// Its name.
        label: String,
        /// All of it.
        text: String,
    },
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiffLine {
    /// What becomes of it.
    pub sign: Sign,
    /// The line, without its end.
    pub text: String,
}

/// What a change does to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Stays.
    Same,
    /// Comes.
    Added,
    /// Goes.
    Removed,
}
