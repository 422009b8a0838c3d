//! One file an agent: its hook JSON becomes an [`Event`], an answer becomes its hook JSON, settings text becomes
//! settings text. Pure: what a shell read goes in, text and bytes come out; nothing here decides.

mod action;
mod address;
pub mod call;
mod change;
pub mod claude;
mod diff;
mod edit;
pub mod event;
mod given;
mod json;
pub mod measure;
pub mod note;
mod path;
pub mod project;
mod rule;
pub mod setup;
pub mod tools;
mod view;

use std::{ffi::OsString, path::Path};

use countersign_core::answer::Answer;
use countersign_proto::text::Shown;

pub use self::{
    call::{Call, FileSeen, Seen, call_hash},
    event::{Event, Ignored},
    given::{Driver, Given},
    tools::action,
};

/// Everything the shells need to know of one agent.
#[derive(Debug)]
pub struct Adapter {
    /// Its id: `claude`, as in `--agent claude`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Version of the adapter.
    pub version: u32,
    /// Versions of the agent that this adapter was verified with, newest last (AG-4).
    pub verified: &'static [&'static str],
    /// The oldest version that can be relied on, and what goes wrong below it.
    pub oldest: (&'static str, &'static str),
    /// Reads what the agent wrote to its hook. Total: what it doesn't know is [`Event::Ignored`].
    pub read: fn(&[u8]) -> Event,
    /// The bytes that tell an answer to the hook that waits for it; empty for *ask* and *abstain*.
    pub render: fn(&Answer) -> Vec<u8>,
    /// The bytes that tell an answer to the hook before every call (REQ-4); empty for *allow* and *abstain*.
    pub render_before: fn(&Answer) -> Vec<u8>,
    /// Whether the agent, told nothing, may run a call in this permission mode without asking anybody (WHO-5).
    pub silence_runs: fn(&str) -> bool,
    /// Whether a process with this executable and command line is the agent itself (REF-4).
    pub is_executable: fn(&Path, &[OsString]) -> bool,
    /// The agent's version, where the path of its executable tells it.
    pub version_of: fn(&Path) -> Option<String>,
    /// Its own notes of what its sessions do, where it keeps any.
    pub session_note: Option<note::SessionNote>,
    /// A project's own settings of it, where it reads any.
    pub project_files: Option<project::ProjectFiles>,
    /// Its settings file, relative to the home folder.
    pub settings_file: &'static str,
    /// Adds our hooks to the text of its settings file.
    pub install: fn(Option<&str>, &setup::Entry) -> Result<setup::Change, setup::SetupError>,
    /// Takes our hooks out of it.
    pub remove: fn(Option<&str>) -> Result<setup::Change, setup::SetupError>,
    /// Says how our hooks stand in it.
    pub inspect: fn(Option<&str>, &setup::Entry) -> Result<setup::Report, setup::SetupError>,
}

/// Every agent there is an adapter for.
pub static ADAPTERS: &[&Adapter] = &[&claude::ADAPTER];

/// The adapter of an agent's id.
#[must_use]
pub fn adapter(id: &str) -> Option<&'static Adapter> {
    ADAPTERS.iter().copied().find(|adapter| adapter.id == id)
}

impl Adapter {
    /// What `doctor` says of a version of the agent; `None` where it is one that was verified.
    #[must_use]
    pub fn version_warning(&self, version: &str) -> Option<String> {
        if self.verified.contains(&version) {
            return None;
        }
        let shown = Shown::line(version);
        let (oldest, why) = self.oldest;
        if numbers(version) < numbers(oldest) {
            return Some(format!("{} {shown} is older than {oldest}: {why}; please update it", self.name));
        }
        let last = self.verified.last().copied().unwrap_or("none");
        Some(format!(
            "{} {shown} was not verified with this release of Countersign (last verified: {last}); what it asks in an \
             unknown shape gets no card",
            self.name
        ))
    }
}

/// A version's numbers, in order; what is no number counts as zero.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).take(3).map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adapter_is_found_by_its_id() {
        assert_eq!(adapter("claude").map(|adapter| adapter.name), Some("Claude Code"));
        assert!(adapter("Claude").is_none() && adapter("").is_none());
    }

    #[test]
    fn a_version_that_was_not_verified_is_named() {
        let warning = |version| claude::ADAPTER.version_warning(version);
        assert_eq!(warning("2.1.332"), None);
        assert!(warning("2.1.400").unwrap().contains("last verified: 2.1.332"));
        let old = warning("2.1.99").unwrap();
        assert!(old.contains("older than 2.1.186") && old.contains("please update"), "{old}");
        assert!(warning("\u{1b}[2J").unwrap().contains("\\u{1b}[2J"));
    }
}
