//! The audit log as people and scripts read it.

use serde::{Deserialize, Serialize};

/// Which entries; every part that is set must fit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogFilter {
    /// At most so many, the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<u32>,
    /// Not before this wall time, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<u64>,
    /// Of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// About this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// About this phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// About this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// That rests on this rule or consent, or is about it: the beginning of its id, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// Its number.
    pub seq: u64,
    /// Its hash, in hexadecimal.
    pub hash: String,
    /// When, RFC 3339.
    pub time: String,
    /// Its kind.
    pub kind: String,
    /// What happened, in a line.
    pub text: String,
    /// The request it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The phone it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// The session it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Whose word it was: `click`, `phone`, `rule`, `policy`, `green` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The rule or consent that it rests on or is about, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
    /// The line that had the say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

/// What checking the log found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogReport {
    /// Entries that were checked.
    pub entries: u64,
    /// Number of the last entry.
    pub head_seq: u64,
    /// Hash of the last entry, in hexadecimal.
    pub head: String,
    /// Checkpoints that were checked.
    pub checkpoints: u64,
    /// Signatures that were checked.
    pub signatures: u64,
    /// Everything that is wrong; empty: the log is whole.
    pub problems: Vec<String>,
}
