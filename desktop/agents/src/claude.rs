//! Claude Code: `PermissionRequest` is answered, the events after a call are observed. Questions and plans stay in its
//! terminal; `updatedInput` is never written, so what runs is what was asked.

pub mod sessions;

use std::{ffi::OsString, path::Path};

use countersign_core::answer::Answer;

use crate::{
    Adapter,
    event::Event,
    setup::{Change, Entry, Report, SetupError},
};

/// The adapter.
pub static ADAPTER: Adapter = Adapter {
    id: "claude",
    name: "Claude Code",
    version: 1,
    verified: &["2.1.332"],
    oldest: ("2.1.186", "below it, subagents in the background are denied without a word"),
    read,
    render,
    is_executable: is_agent_executable,
    version_of,
    settings_file: ".claude/settings.json",
    install,
    remove,
    inspect,
};

/// Reads what Claude Code wrote to its hook. Total: an unknown shape is [`Event::Ignored`] (AG-4).
#[must_use]
pub fn read(event: &[u8]) -> Event {
    todo!("{event:?}")
}

/// The exact bytes for the hook's standard output.
#[must_use]
pub fn render(answer: &Answer) -> Vec<u8> {
    todo!("{answer:?}")
}

/// Whether a process is Claude Code itself: its native file, or Node running its script.
#[must_use]
pub fn is_agent_executable(exe: &Path, command_line: &[OsString]) -> bool {
    todo!("{exe:?} {command_line:?}")
}

/// The version that an installed executable's path names.
#[must_use]
pub fn version_of(exe: &Path) -> Option<String> {
    todo!("{exe:?}")
}

/// Adds our hooks.
///
/// # Errors
/// [`SetupError`]; then nothing should be written.
pub fn install(settings: Option<&str>, entry: &Entry) -> Result<Change, SetupError> {
    todo!("{settings:?} {entry:?}")
}

/// Takes our hooks out; byte for byte what was before, if nothing else changed since.
///
/// # Errors
/// [`SetupError`]; then nothing should be written.
pub fn remove(settings: Option<&str>) -> Result<Change, SetupError> {
    todo!("{settings:?}")
}

/// Says how our hooks stand.
///
/// # Errors
/// [`SetupError`] where the file can't be read as settings.
pub fn inspect(settings: Option<&str>, entry: &Entry) -> Result<Report, SetupError> {
    todo!("{settings:?} {entry:?}")
}
