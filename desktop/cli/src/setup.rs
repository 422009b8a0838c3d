//! `setup`: our hooks in an agent's settings, shown as a diff before a byte is written, and taken out again byte for
//! byte (AG-1).

mod file;
mod green;

use std::{
    io::{self, BufRead as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use countersign_agents::{
    ADAPTERS, Adapter, adapter,
    setup::{Change, Entry, LIMIT_SECS, Report, State},
};
use countersign_ipc::{Instance, account};
use serde::Serialize;

pub use self::{file::SettingsFile, green::offer_green};
use crate::{
    arguments::Setup,
    output::{self, Terminal},
    trouble::{Trouble, command},
};

/// The file name of the hook program.
pub const HOOK: &str = "countersign-hook";

/// How our hooks stand in an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As they should.
    Installed,
    /// There, but not as they should.
    Outdated,
    /// Not there.
    Missing,
    /// It can't be told.
    Unknown,
}

#[derive(Debug, Serialize)]
struct Done<'a> {
    agent: &'a str,
    file: &'a Path,
    changed: bool,
    written: bool,
    diff: &'a str,
    backup: Option<PathBuf>,
    advice: Vec<String>,
}

/// `setup`
pub fn run(instance: &Instance, setup: &Setup) -> Result<(), Trouble> {
    let Some(agent) = &setup.agent else { return output::print(&overview(instance)) };
    let adapter = adapter(agent).ok_or_else(|| unknown_agent(agent))?;
    if setup.json && !setup.yes && !setup.dry_run {
        return Err(Trouble::said(
            "With --json nobody is asked. Nothing was written.",
            "Add --yes to write, or --dry-run to look.",
        ));
    }
    let path = match &setup.settings {
        Some(path) => path.clone(),
        None => settings_file(adapter)?,
    };
    let file = SettingsFile::read(&path)?;
    if !setup.remove {
        check_hook(setup.hook.as_deref())?;
    }
    let entry = entry(instance, setup.hook.as_deref())?;
    let change = change(adapter, &file, (!setup.remove).then_some(&entry))?;
    if !setup.json {
        output::print(&announcement(adapter, &file, &change, setup.remove, Terminal::of_stdout()))?;
    }
    let is_written = !change.is_none() && !setup.dry_run && (setup.yes || asked(&path)?);
    let keeps_backup = !setup.remove;
    let backup =
        if is_written { file.write(&change, keeps_backup, is_ours(adapter, &file, &entry))? } else { None };
    let advice =
        if setup.remove || setup.dry_run { Vec::new() } else { advice(adapter, &change, &entry, &path)? };
    if setup.json {
        let (diff, changed) = (change.diff.as_str(), !change.is_none());
        return output::print_json(&Done {
            agent,
            file: &path,
            changed,
            written: is_written,
            diff,
            backup,
            advice,
        });
    }
    output::print(&afterword(adapter, is_written, setup.remove, backup.as_deref(), &advice))
}

/// How our hooks stand in Claude Code's settings, as far as that can be told without a word.
pub fn standing(instance: &Instance) -> Standing {
    let report = inspect_own(instance, &countersign_agents::claude::ADAPTER);
    match report.map(|report| report.state) {
        Ok(State::Installed) => Standing::Installed,
        Ok(State::Outdated(_)) => Standing::Outdated,
        Ok(State::Missing) => Standing::Missing,
        Err(_) => Standing::Unknown,
    }
}

/// How our hooks stand in an agent's own settings file.
pub fn inspect_own(instance: &Instance, adapter: &Adapter) -> Result<Report, Trouble> {
    let path = settings_file(adapter)?;
    let file = SettingsFile::read(&path)?;
    (adapter.inspect)(file.text(), &entry(instance, None)?)
        .map_err(|source| Trouble::Settings { path, source })
}

/// An agent's settings file in the home of whoever runs this.
pub fn settings_file(adapter: &Adapter) -> Result<PathBuf, Trouble> {
    Ok(account::home_by_any_service(account::uid())?.join(adapter.settings_file))
}

/// What would be installed: the hook beside this program, unless another is named.
pub fn entry(instance: &Instance, hook: Option<&Path>) -> Result<Entry, Trouble> {
    let hook = match hook {
        Some(hook) => std::path::absolute(hook).map_err(|error| Trouble::file(hook, error))?,
        None => hook_beside_us()?,
    };
    let text = hook.to_str().map(str::to_owned).unwrap_or_else(|| hook.display().to_string());
    Entry::new(&text, instance.name(), LIMIT_SECS).map_err(|source| Trouble::Settings { path: hook, source })
}

/// Where the hook program should be.
pub fn hook_beside_us() -> Result<PathBuf, Trouble> {
    let us = std::env::current_exe().map_err(Trouble::System)?;
    Ok(us.with_file_name(HOOK))
}

/// Whether a file is there and can be started.
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// An agent that starts a hook which isn't there would say so at every call.
fn check_hook(hook: Option<&Path>) -> Result<(), Trouble> {
    let hook = hook.map_or_else(hook_beside_us, |hook| Ok(hook.to_owned()))?;
    if is_program(&hook) {
        return Ok(());
    }
    Err(Trouble::said(
        format!("There is no hook program at `{}`. Nothing was written.", hook.display()),
        format!("Install `{HOOK}` beside `countersign`, or say where it is with --hook."),
    ))
}

fn unknown_agent(agent: &str) -> Trouble {
    let known: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.id).collect();
    Trouble::said(
        format!("There is no adapter for `{}`. Nothing was written.", agent.escape_debug()),
        format!("Agents that can be set up: {}", known.join(", ")),
    )
}

/// The change that installs an entry, or takes ours out where there is none.
fn change(adapter: &Adapter, file: &SettingsFile, entry: Option<&Entry>) -> Result<Change, Trouble> {
    let change = match entry {
        Some(entry) => (adapter.install)(file.text(), entry),
        None => (adapter.remove)(file.text()),
    };
    change.map_err(|source| Trouble::Settings { path: file.named().to_owned(), source })
}

/// Whether the file holds anything of ours now: then an older backup is nearer to what the person had.
fn is_ours(adapter: &Adapter, file: &SettingsFile, entry: &Entry) -> bool {
    (adapter.inspect)(file.text(), entry).is_ok_and(|report| report.state != State::Missing)
}

fn asked(path: &Path) -> Result<bool, Trouble> {
    if !output::is_interactive() {
        return Err(Trouble::said(
            "Nobody can be asked here. Nothing was written.",
            "Add --yes to write, or --dry-run to look.",
        ));
    }
    output::print(&format!("Write this to `{}`? [y/N] ", path.display()))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(Trouble::System)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn advice(adapter: &Adapter, change: &Change, entry: &Entry, path: &Path) -> Result<Vec<String>, Trouble> {
    let report = (adapter.inspect)(change.after.as_deref(), entry)
        .map_err(|source| Trouble::Settings { path: path.to_owned(), source })?;
    Ok(report.advice.iter().map(ToString::to_string).collect())
}

fn announcement(
    adapter: &Adapter,
    file: &SettingsFile,
    change: &Change,
    is_removal: bool,
    terminal: Terminal,
) -> String {
    if change.is_none() {
        let what = if is_removal { "Nothing of ours is" } else { "Our hooks are already" };
        return format!("{what} in the settings of {}; nothing to do.\n", adapter.name);
    }
    let what = if is_removal { "takes our hooks out of" } else { "adds our hooks to" };
    let symlink = match file.target() {
        Some(target) => format!("It is a link to `{}`, which is what changes.\n", target.display()),
        None => String::new(),
    };
    let diff: String =
        change.diff.as_str().lines().map(|line| diff_line(line, terminal.is_coloured)).collect();
    format!("This {what} `{}`:\n{symlink}\n{diff}\n", file.named().display())
}

fn diff_line(line: &str, is_coloured: bool) -> String {
    let colour = match line.get(..1) {
        Some("+") => "\x1b[32m",
        Some("-") => "\x1b[31m",
        _ => "",
    };
    if is_coloured && !colour.is_empty() { format!("{colour}{line}\x1b[0m\n") } else { format!("{line}\n") }
}

fn afterword(
    adapter: &Adapter,
    is_written: bool,
    is_removal: bool,
    backup: Option<&Path>,
    advice: &[String],
) -> String {
    let mut text = String::new();
    if is_written {
        text.push_str("Written.\n");
        if let Some(backup) = backup {
            text.push_str(&format!("What was there before is kept in `{}`.\n", backup.display()));
        }
        let what = if is_removal {
            "they go on calling our hooks until then"
        } else {
            "they read hooks at their start"
        };
        text.push_str(&format!("Restart running sessions of {}: {what}.\n", adapter.name));
    }
    text.extend(advice.iter().map(|advice| format!("{advice}\n")));
    text
}

fn overview(instance: &Instance) -> String {
    let line = |adapter: &&Adapter| {
        let setup = command(instance, &format!("setup {}", adapter.id));
        let folder = settings_file(adapter).ok().and_then(|path| path.parent().map(Path::is_dir));
        let state = match (inspect_own(instance, adapter).map(|report| report.state), folder) {
            (Ok(State::Installed), _) => "our hooks are installed".to_owned(),
            (Ok(State::Outdated(_)), _) => format!("our hooks are out of date; `{setup}` mends them"),
            (Ok(State::Missing), Some(true)) => format!("found; `{setup}` installs our hooks"),
            (Ok(State::Missing), _) => format!("not found; `{setup}` installs our hooks all the same"),
            (Err(trouble), _) => trouble.to_string(),
        };
        format!("{} ({}): {state}\n", adapter.name, adapter.id)
    };
    ADAPTERS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_coloured_only_where_colours_are_wanted() {
        assert_eq!(diff_line("+a", false), "+a\n");
        assert_eq!(diff_line("+a", true), "\x1b[32m+a\x1b[0m\n");
        assert_eq!(diff_line(" é", true), " é\n");
    }

    #[test]
    fn an_agent_without_an_adapter_is_refused_with_those_there_are() {
        let words = unknown_agent("codex\u{1b}").words();
        assert!(words.text.contains("`codex\\u{1b}`") && words.hint.contains("claude"), "{words:?}");
    }

    #[test]
    fn after_writing_the_person_is_told_to_restart_sessions() {
        let adapter = &countersign_agents::claude::ADAPTER;
        let text = afterword(adapter, true, false, Some(Path::new("/x")), &["In automatic mode …".into()]);
        assert!(text.contains("Restart running sessions of Claude Code") && text.contains("`/x`"), "{text}");
        assert!(text.contains("In automatic mode"), "{text}");
    }
}
