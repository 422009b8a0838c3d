//! Programs whose effects reach beyond the project's files: network tools, services elsewhere, containers, databases,
//! the system itself, package managers, builds and interpreters. One file a kind; a reviewer reads the lists there.

use super::entry::{Entry, UNKNOWN_RED};
use crate::classify::{finding::Finding, scene::Scene, word::Command};

mod agents;
mod args;
mod builds;
mod cli;
mod cloud;
mod cluster;
mod code;
mod container;
mod database;
mod disk;
mod forge;
mod hosting;
mod infra;
mod interpreter;
mod money;
mod net;
mod network;
mod own;
mod packages;
mod runner;
mod schema;
mod sending;
mod service;
mod sql;
mod system;
mod system_packages;
mod watch;
mod windows_shell;

/// Every list of this side. A name stands in one of them only.
pub(crate) const LISTS: &[&[Entry]] = &[
    own::ENTRIES,
    agents::ENTRIES,
    net::ENTRIES,
    sending::ENTRIES,
    cloud::ENTRIES,
    cluster::ENTRIES,
    container::ENTRIES,
    hosting::ENTRIES,
    forge::ENTRIES,
    infra::ENTRIES,
    money::ENTRIES,
    database::ENTRIES,
    schema::ENTRIES,
    system::ENTRIES,
    service::ENTRIES,
    network::ENTRIES,
    disk::ENTRIES,
    system_packages::ENTRIES,
    watch::ENTRIES,
    packages::ENTRIES,
    builds::ENTRIES,
    runner::RUNNERS,
    runner::REMOVERS,
    interpreter::ENTRIES,
    windows_shell::ENTRIES,
];

/// What a command of one of these lists does; `None` where its program stands in none of them.
fn look_up(command: &Command, scene: &Scene<'_>) -> Option<Finding> {
    let entry =
        LISTS.iter().flat_map(|list| list.iter()).find(|entry| entry.names.contains(&command.name()))?;
    Some(entry.judge(command, scene))
}

/// Whether a program starts others that its words name. Lists that look into what is started stop at these, so that a
/// long chain of them is no deep recursion.
fn starts_others(name: &str) -> bool {
    let starters = [packages::ENTRIES, interpreter::ENTRIES, windows_shell::ENTRIES, runner::RUNNERS];
    starters.iter().copied().flatten().any(|entry| entry.names.contains(&name))
}

/// What a command in a Windows shell does, as far as these lists know it. Those shells themselves are not looked up:
/// their own reader opens them, to a bound.
pub(crate) fn judge_from_windows(command: &Command, scene: &Scene<'_>) -> Finding {
    let low = command.name().to_ascii_lowercase();
    let bare = low.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-'));
    let names = [low.as_str(), bare, bare.trim_start_matches('g')];
    let is_shell =
        windows_shell::ENTRIES.iter().any(|entry| names.iter().any(|name| entry.names.contains(name)));
    if is_shell {
        return UNKNOWN_RED.because("starts another shell").finding();
    }
    super::judge(command, scene)
}

/// A refusal, where a command would stop or change Countersign.
pub(crate) fn countersign_is_meant() -> Finding {
    own::refused("would stop or change Countersign")
}

pub(crate) use args::host;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::nowhere;
