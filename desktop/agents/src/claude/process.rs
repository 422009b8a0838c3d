//! Which processes are Claude Code itself. An agent's tree begins at the nearest one above a hook (REF-4).

use std::{
    ffi::OsString,
    path::{Component, Path},
};

/// What Linux appends to the path of an executable that was replaced while it runs.
const DELETED: &str = " (deleted)";

/// The script of the releases that run on Node.
const SCRIPT: &str = "@anthropic-ai/claude-code/cli.js";

/// Whether a process is Claude Code itself: its native file, or Node running its script.
#[must_use]
pub fn is_agent_executable(exe: &Path, command_line: &[OsString]) -> bool {
    let Some(exe) = exe.to_str().map(|exe| Path::new(exe.strip_suffix(DELETED).unwrap_or(exe))) else {
        return false;
    };
    let is_native = exe.file_name().is_some_and(|name| name == "claude") || version_of(exe).is_some();
    is_native || (is_runtime(exe) && runs_script(command_line))
}

/// The version that an installed executable's path names: its own installer keeps `…/claude/versions/2.1.332`.
#[must_use]
pub fn version_of(exe: &Path) -> Option<String> {
    let exe = exe.to_str()?;
    let mut parts = Path::new(exe.strip_suffix(DELETED).unwrap_or(exe)).components().rev();
    let mut next = || match parts.next() {
        Some(Component::Normal(part)) => part.to_str(),
        _ => None,
    };
    let (version, versions, claude) = (next()?, next()?, next()?);
    let is_version = version.split('.').count() == 3 && version.starts_with(|c: char| c.is_ascii_digit());
    (is_version && versions == "versions" && claude == "claude").then(|| version.to_owned())
}

fn is_runtime(exe: &Path) -> bool {
    let Some(name) = exe.file_name().and_then(|name| name.to_str()) else { return false };
    name == "bun"
        || name.strip_prefix("node").is_some_and(|rest| rest == "js" || !rest.contains(char::is_alphabetic))
}

/// The script is the first argument that isn't an option; npm's link to it is called `claude`.
fn runs_script(command_line: &[OsString]) -> bool {
    let mut arguments = command_line.iter().skip(1).filter_map(|argument| argument.to_str());
    let Some(script) = arguments.find(|argument| !argument.starts_with('-')) else { return false };
    script.ends_with(SCRIPT) || script.ends_with("/bin/claude") || script.ends_with("/.bin/claude")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_claude(exe: &str, command_line: &[&str]) -> bool {
        let command_line: Vec<OsString> = command_line.iter().map(OsString::from).collect();
        is_agent_executable(Path::new(exe), &command_line)
    }

    #[test]
    fn the_native_file_is_known_wherever_it_was_installed() {
        for exe in [
            "/usr/lib/node_modules/@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
            "/home/dev/.local/bin/claude",
            "/home/dev/.local/share/claude/versions/2.1.332",
            "/home/dev/.local/share/claude/versions/2.1.332 (deleted)",
            "/opt/claude/claude (deleted)",
        ] {
            assert!(is_claude(exe, &[]), "{exe}");
        }
    }

    #[test]
    fn node_counts_only_while_it_runs_the_script() {
        let script = "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js";
        assert!(is_claude("/usr/bin/node", &["node", "--max-old-space-size=8192", script, "-p"]));
        assert!(is_claude("/usr/bin/node22", &["node", "/usr/local/bin/claude"]));
        assert!(is_claude("/usr/bin/nodejs (deleted)", &["node", "node_modules/.bin/claude"]));
        assert!(!is_claude("/usr/bin/node", &["node", "server.js", script]));
        assert!(!is_claude("/usr/bin/nodemon", &["nodemon", script]));
        assert!(!is_claude("/usr/bin/node", &["claude"]));
        assert!(!is_claude("/bin/sh", &["sh", script]));
        assert!(!is_claude("/usr/bin/claude-helper", &[]));
    }

    #[test]
    fn the_path_tells_the_version_where_it_holds_one() {
        let version = |path: &str| version_of(Path::new(path));
        assert_eq!(version("/home/dev/.local/share/claude/versions/2.1.332").as_deref(), Some("2.1.332"));
        assert_eq!(version("/home/dev/.local/bin/claude"), None);
        assert_eq!(version("/home/dev/other/versions/2.1.332"), None);
        assert_eq!(version(""), None);
    }
}
