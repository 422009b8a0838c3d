//! What a person decided before: rules, accepted texts, and what a text would have changed.

use serde::{Deserialize, Serialize};

/// An *Always*.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleInfo {
    /// Its id, in hexadecimal.
    pub rule_id: String,
    /// `session` or `project`.
    pub scope: String,
    /// The agent it is for.
    pub agent: String,
    /// The tool it is for.
    pub tool: String,
    /// The project folder; absent for a session of which no start was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The session, for one of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The text that is matched, whole; secrets in it are masked.
    pub text: String,
    /// Scripts and build files whose content is part of it.
    pub depends: Vec<String>,
    /// On whose word: `this desktop` or a phone's device id.
    pub word: String,
    /// When it was saved, RFC 3339.
    pub since: String,
    /// Whether it answers nothing until somebody looked at it.
    pub suspended: bool,
}

/// Kinds of texts that can be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    /// A policy in the line language.
    Policy,
    /// A permission file.
    PermissionFile,
    /// The built-in policy by which green reads pass.
    GreenReads,
    /// The built-in policy by which green writes pass.
    GreenWrites,
}

/// A text that was accepted once, or that root wrote down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyInfo {
    /// The consent's id, in hexadecimal.
    pub consent_id: String,
    /// What kind of text.
    pub kind: PolicyKind,
    /// The folder it is for; absent for everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// How it stands: `accepted`, `suspended`, `revoked`, `replaced`, `revoked-by-edit`.
    pub state: String,
    /// Hash of the text, in hexadecimal.
    pub text_hash: String,
    /// The text, whole.
    pub text: String,
    /// On whose word: `this desktop` or a phone's device id.
    pub word: String,
    /// When it was accepted, RFC 3339.
    pub since: String,
}

/// A text as it is brought in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyText {
    /// What kind.
    pub kind: PolicyKind,
    /// All of it.
    pub text: String,
    /// The folder that a permission file is for; absent for everywhere. A policy names its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The consent whose text was edited into this one, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
}

/// What accepting a text would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyReview {
    /// The consents that would end with it.
    pub ends: Vec<PolicyInfo>,
    /// Calls of the last 30 days that were looked at.
    pub calls: u32,
    /// Whether there were more than were looked at.
    pub more: bool,
    /// What would have come of them.
    pub changes: Vec<PolicyChange>,
}

/// Calls that a text would have answered otherwise, and alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// What came of them: `allow`, `deny` or `ask`.
    pub from: String,
    /// What would have come of them.
    pub to: String,
    /// What they do.
    pub class: String,
    /// How many.
    pub count: u32,
    /// Some of them.
    pub examples: Vec<String>,
}
