//! How a daemon, its relay and its phones are, and what `doctor` finds.

use serde::{Deserialize, Serialize};

/// How a daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Its version.
    pub version: String,
    /// Its instance's name; absent for the everyday one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Whether it is in demo mode.
    pub demo: bool,
    /// Its process.
    pub pid: u32,
    /// This start's random id.
    pub run_id: String,
    /// When it started, RFC 3339.
    pub started: String,
    /// Whether every door but deny is closed.
    pub locked: bool,
    /// How many requests wait.
    pub pending: u32,
    /// Whether the phone is switched on, and how its relay is.
    pub relay: RelayState,
    /// Phones that may decide.
    pub phones: u32,
    /// Of those, how many are connected now.
    pub phones_connected: u32,
    /// Agents' sessions that are seen now.
    pub sessions: u32,
    /// The last time a hook called, RFC 3339; absent: not since the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_hook_call: Option<String>,
    /// The folder of its sockets.
    pub sockets: String,
    /// The folder of its state.
    pub state: String,
    /// Whether no cards come and nothing passes by itself (WAIT-4).
    #[serde(default)]
    pub paused: bool,
    /// What is strict: `agent codex`, `project /home/ann/site`.
    #[serde(default)]
    pub strict: Vec<String>,
    /// What the person decided before, counted.
    #[serde(default)]
    pub decided: DecidedCounts,
}

/// How much of what the person decided before is in force.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedCounts {
    /// Rules that answer.
    pub rules: u32,
    /// Rules that answer nothing until somebody looked at them.
    pub rules_suspended: u32,
    /// Policies in force.
    pub policies: u32,
    /// Permission files in force.
    pub permission_files: u32,
    /// Texts that answer nothing until somebody looked at them.
    pub texts_suspended: u32,
    /// Whether green reads were accepted.
    pub green_reads: bool,
    /// Whether green writes were accepted.
    pub green_writes: bool,
}

/// How the way to the phones is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum RelayState {
    /// No phone is switched on; nothing dials anywhere.
    Off {},
    /// Trying.
    Connecting {
        /// The relay's host and port.
        relay: String,
        /// What went wrong last; empty where nothing did.
        trouble: String,
    },
    /// Connected.
    Connected {
        /// The relay's host and port.
        relay: String,
    },
}

/// A paired phone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phone {
    /// Its id, in hexadecimal.
    pub device_id: String,
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Its key's fingerprint.
    pub fingerprint: String,
    /// How its keys are kept, in words: "software keys (demo)".
    pub security: String,
    /// Whether it may decide.
    pub state: PhoneState,
    /// Whether it is connected now.
    pub connected: bool,
    /// When it was paired, RFC 3339.
    pub paired: String,
    /// When it was last heard of, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
}

/// Whether a phone may decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhoneState {
    /// It may.
    Active,
    /// It may deny; the rest waits until someone at the desktop looks.
    Suspended,
    /// Never again.
    Revoked,
}

/// One thing that `doctor` looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// A short name: `hook socket`.
    pub name: String,
    /// How it is.
    pub state: CheckState,
    /// What was found.
    pub text: String,
    /// What to do; empty where nothing is to be done.
    pub hint: String,
}

/// How a checked thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// Well.
    Ok,
    /// Worth knowing.
    Warning,
    /// Something doesn't work.
    Problem,
}
