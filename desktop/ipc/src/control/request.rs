//! What a client may ask of the daemon, which looks at who is asking before it does anything (REF-4).

use serde::{Deserialize, Serialize};

use super::card::Decision;
use super::decided::PolicyText;
use super::log::LogFilter;

/// One request. Which replies it gets is said at each; any may get `ControlReply::Failed` instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlRequest {
    /// How the daemon is. Reply: `Status`.
    Status {},
    /// Every waiting card. Reply: `Pending`.
    Pending {},
    /// One waiting card, whole. Reply: `Card`.
    Card {
        /// Which request, in hexadecimal.
        request_id: String,
    },
    /// Everything that happens from now on. Replies: `Watch`, first with [`super::WatchEvent::Snapshot`], until the
    /// connection closes.
    Watch {},
    /// This surface drew a card in front, or drew it on to its end. Reply: `Done`.
    Fronted {
        /// Which request.
        request_id: String,
        /// The binding of the card as it was drawn.
        binding: String,
        /// Whether the person has seen its last line.
        seen_to_end: bool,
    },
    /// The person decided on the card that this surface has in front. Reply: `Settled`.
    Click {
        /// Which request.
        request_id: String,
        /// The binding of the card as it was drawn.
        binding: String,
        /// What the person chose.
        decision: Decision,
        /// The words of [`Decision::DenyWithNote`]; absent for any other.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Deny without looking; needs no binding. Reply: `Closed`.
    Deny {
        /// Which.
        which: DenyWhich,
    },
    /// Hand one card, or all, back to the terminal. Reply: `Closed`.
    Release {
        /// Which request; absent: all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    /// Deny everything that waits, and close every door but deny (LOCK-1). Reply: `Closed`.
    Lock {},
    /// Open the doors again. Reply: `Done`.
    Unlock {},
    /// The paired phones, revoked ones too. Reply: `Phones`.
    PhonesList {},
    /// End phones' right to decide. Reply: `Revoked`.
    PhonesRevoke {
        /// Which.
        which: PhoneWhich,
    },
    /// Lift a phone's suspension. Reply: `Phones` with that phone as it is now.
    PhonesUnsuspend {
        /// Which device id.
        device_id: String,
    },
    /// Every rule, suspended ones too. Reply: `Rules`.
    RulesList {},
    /// Take a rule out. Reply: `Done`.
    RulesRemove {
        /// Which.
        rule_id: String,
    },
    /// Put a suspended rule back in force. Reply: `Done`.
    RulesResume {
        /// Which.
        rule_id: String,
    },
    /// Every text that was accepted once, ended ones too. Reply: `Policies`.
    PoliciesList {},
    /// What accepting a text would do. Reply: `PolicyReview`.
    PolicyReview {
        /// The text.
        text: PolicyText,
    },
    /// Accept a text that the person was shown. Reply: `Policies` with what changed.
    PolicyAccept {
        /// The text.
        text: PolicyText,
    },
    /// End a consent. Reply: `Done`.
    PolicyRevoke {
        /// Which.
        consent_id: String,
    },
    /// Make a project or an agent strict, or no longer so. Reply: `Done`.
    Strict {
        /// `agent NAME` or `project FOLDER`.
        what: String,
        /// Whether it is strict from now on.
        strict: bool,
    },
    /// No cards, nothing passes, refusals stand; or back to work. Reply: `Done`.
    Pause {
        /// Whether it is paused from now on.
        paused: bool,
    },
    /// Protect a branch name from every agent's push, or no longer. Reply: `Done`.
    Protect {
        /// The branch's name.
        branch: String,
        /// Whether it is protected from now on.
        protected: bool,
    },
    /// Let agents read a project's `.env` files, or no longer. Reply: `Done`.
    LiftEnv {
        /// The project's folder.
        project: String,
        /// Whether they may be read from now on.
        lifted: bool,
    },
    /// Accept a risk of a project's settings, in the words of the card that named it. Reply: `Done`.
    AcceptRisk {
        /// Those words.
        risk: String,
    },
    /// Begin a pairing. Replies: `Pair` until [`super::PairEvent::Done`] or `Failed`; closing the connection cancels.
    PairStart {
        /// The relay's host and port; absent: the one on loopback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relay: Option<String>,
        /// The relay's invite token, where it wants one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        invite: Option<String>,
    },
    /// The six digits that the phone shows, on the connection of `PairStart`. Reply: `Done`; what became of it follows
    /// as a `Pair` of that request.
    PairCode {
        /// What the person typed.
        code: String,
    },
    /// End the pairing that runs. Reply: `Done`.
    PairCancel {},
    /// The audit log. Replies: a `LogEntry` each, then `Done`.
    LogList {
        /// Which entries.
        filter: LogFilter,
    },
    /// Check chain, checkpoints and signatures. Reply: `LogVerified`.
    LogVerify {},
    /// The log as JSON Lines that can be verified elsewhere. Replies: an `ExportLine` each, then `Done`.
    LogExport {
        /// Whether what the calls said is left out.
        redact: bool,
    },
    /// What is well and what is not. Reply: `Doctor`.
    Doctor {},
    /// End the daemon; waiting cards go back to the terminal. Reply: `Done`.
    Stop {},
}

/// Which requests are denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenyWhich {
    /// The one with this id.
    One(String),
    /// All that wait.
    All,
}

/// Which phones are revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhoneWhich {
    /// The one with this device id.
    One(String),
    /// All.
    All,
}
