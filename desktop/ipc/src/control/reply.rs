//! What the daemon says to a control request.

use serde::{Deserialize, Serialize};

use super::card::Card;
use super::decided::{PolicyInfo, PolicyReview, RuleInfo};
use super::log::{LogEntry, LogReport};
use super::pair::PairEvent;
use super::status::{Check, Phone, Status};
use super::watch::{Ending, WatchEvent};

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlReply {
    /// It is done, or the list is at its end.
    Done {},
    /// It is not done.
    Failed(Failure),
    /// How the daemon is.
    Status(Box<Status>),
    /// Every waiting card, in order.
    Pending {
        /// The cards.
        cards: Vec<Card>,
    },
    /// One card.
    Card(Box<Card>),
    /// Something happened.
    Watch {
        /// What.
        event: WatchEvent,
    },
    /// A click was taken: the request ended so.
    Settled(Ending),
    /// These requests ended.
    Closed {
        /// How each ended.
        endings: Vec<Ending>,
    },
    /// The paired phones.
    Phones {
        /// Each.
        phones: Vec<Phone>,
    },
    /// These phones can no longer decide.
    Revoked {
        /// Each, as it is now.
        phones: Vec<Phone>,
    },
    /// Rules.
    Rules {
        /// Each.
        rules: Vec<RuleInfo>,
    },
    /// Accepted texts.
    Policies {
        /// Each.
        policies: Vec<PolicyInfo>,
    },
    /// What accepting a text would do.
    PolicyReview(PolicyReview),
    /// A step of a pairing.
    Pair {
        /// Which.
        event: PairEvent,
    },
    /// One line of the audit log.
    LogEntry(LogEntry),
    /// What checking the audit log found.
    LogVerified(LogReport),
    /// One line of the export, without its end.
    ExportLine {
        /// A JSON object.
        line: String,
    },
    /// What was checked.
    Doctor {
        /// Each check.
        checks: Vec<Check>,
    },
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
#[error("{text}")]
pub struct Failure {
    /// For programs.
    pub code: ErrorCode,
    /// For people: what is wrong.
    pub text: String,
    /// What to do about it; empty where nothing can be done.
    pub hint: String,
}

/// Why, for programs. A code never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The line is no request.
    BadRequest,
    /// Client and daemon are of different versions.
    Version,
    /// The caller is, or may be, an agent or what an agent started (REF-4).
    CalledByAgent,
    /// No such request waits.
    UnknownRequest,
    /// The card that was drawn is not the one that waits.
    StaleCard,
    /// The card has not been in front for long enough.
    NotInFront,
    /// The card has not been seen to its end.
    NotSeenToEnd,
    /// This decision is not on offer.
    NotOffered,
    /// Locked: only denying works.
    Locked,
    /// The deadline is over.
    TooLate,
    /// The decision could not be written down, so nothing was released.
    StoreFailed,
    /// No such rule.
    UnknownRule,
    /// No such consent is in force.
    UnknownPolicy,
    /// The text holds errors, or is not what it should be.
    BadPolicy,
    /// No such phone.
    UnknownPhone,
    /// Another pairing runs.
    PairingBusy,
    /// No pairing runs on this connection.
    NoPairing,
    /// The relay can't be reached, or refuses.
    Relay,
    /// The daemon has a fault.
    Internal,
    /// A code of a later version.
    #[serde(other)]
    Other,
}
