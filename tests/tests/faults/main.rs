//! What can go wrong around an approval, with real processes: the desktop killed at any moment, its disk full, its relay
//! killed again and again. Whatever happens, the agent asks by itself or is told what the log holds, once.
//! Jumps of the wall clock can't be made on a shared machine; the desk's tests make them.

mod disk;
mod killed;
mod relay;

use std::time::Duration;

/// The agent's limit that setup writes.
const LIMIT: Duration = Duration::from_secs(125);
/// What the agent reads where its call is allowed.
const ALLOWED: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
