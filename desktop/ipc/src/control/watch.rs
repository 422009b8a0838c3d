//! What a watching surface is told, so that it shows the one state all surfaces share (CARD-7).

use serde::{Deserialize, Serialize};

use super::card::Card;
use super::status::Status;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum WatchEvent {
    /// The state at the start, and again after the surface fell behind: forget everything else.
    Snapshot {
        /// How the daemon is.
        status: Box<Status>,
        /// Every waiting card, in order.
        cards: Vec<Card>,
    },
    /// A card came.
    Opened {
        /// It.
        card: Box<Card>,
    },
    /// A card went.
    Closed {
        /// Which, and how.
        ending: Ending,
    },
    /// Phones, relay, lock or mode are now so.
    Status {
        /// All of it.
        status: Box<Status>,
    },
    /// A word for the person.
    Notice {
        /// It.
        text: String,
    },
}

/// How one request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// Which.
    pub request_id: String,
    /// How.
    pub outcome: Outcome,
    /// Whose word it was: `this desktop`, a phone's name; empty where nobody's.
    pub by: String,
    /// For the person: "Allowed by demo phone".
    pub text: String,
    /// Whether the agent's hook took the answer.
    pub delivered: bool,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The agent may.
    Allowed,
    /// It may not.
    Denied,
    /// A person gave it back to the terminal.
    HandedOff,
    /// The deadline passed; the terminal asks.
    Expired,
    /// It was answered in the terminal, or its agent moved on.
    Withdrawn,
    /// Its session is over.
    Cancelled,
    /// Something failed; the terminal asks.
    Abstained,
}
