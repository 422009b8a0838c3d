//! Names that lines may use: agents, shells and tools that start subagents. Closed lists; an adapter's own mapping of a
//! call decides what a call is, these only let a text be checked before any call exists.

/// The agents whose requests Countersign answers, by their adapter's id; what `agents` in a policy may name.
pub const AGENTS: &[&str] = &["claude", "codex", "copilot", "opencode", "qwen"];

/// Names that agents give to the tool which runs a command. A line about one of them is about every agent's shell, since
/// they all do the same (POL-3).
const SHELLS: &[&str] = &[
    "Bash",
    "PowerShell",
    "bash",
    "cmd",
    "container.exec",
    "exec",
    "exec_command",
    "local_shell",
    "local_shell_call",
    "powershell",
    "pwsh",
    "run_in_terminal",
    "run_shell_command",
    "run_terminal_cmd",
    "sh",
    "shell",
    "shell_command",
    "terminal",
    "unified_exec",
    "zsh",
];

/// Tools that type into a shell which runs already: as good as a shell.
const SHELL_INPUTS: &[&str] = &["write_bash", "write_powershell", "write_stdin"];

/// Tools that start a subagent: `task` in a permission file.
const SUBAGENTS: &[&str] = &["Agent", "Task", "agent", "spawn_agent", "subagent", "task"];

/// How the tools of MCP servers begin, for the agents that say so in the name.
pub const SERVER_PREFIX: &str = "mcp__";

/// Whether a tool of this name runs commands.
#[must_use]
pub fn is_shell(tool: &str) -> bool {
    SHELLS.contains(&tool)
}

/// Whether a tool of this name types into a shell that runs already.
#[must_use]
pub fn is_shell_input(tool: &str) -> bool {
    SHELL_INPUTS.contains(&tool)
}

/// Whether a tool of this name starts a subagent.
#[must_use]
pub fn is_subagent(tool: &str) -> bool {
    SUBAGENTS.contains(&tool)
}

/// Whether a tool's name says that it belongs to an MCP server.
#[must_use]
pub fn is_of_server(tool: &str) -> bool {
    tool.starts_with(SERVER_PREFIX)
}

/// The nearest of some known words, where one is near enough that it was probably meant. Letters count without their
/// case, and at most two of them may be wrong.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    // Longer words are no typing mistakes; the bound keeps the table below small.
    if word.chars().count() > 24 {
        return None;
    }
    let word = word.to_lowercase();
    known
        .iter()
        .map(|candidate| (distance(&word, candidate), *candidate))
        .filter(|(wrong, candidate)| *wrong <= 2 && *wrong < candidate.chars().count())
        .min_by_key(|(wrong, _)| *wrong)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be changed, added or left out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for ((y, pair), left) in b.iter().zip(row.windows(2)).zip(1..) {
            let [diagonal, above] = pair else { continue };
            let before = next.get(left - 1).copied().unwrap_or(usize::MAX - 1);
            next.push((diagonal + usize::from(x != *y)).min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_almost_right_is_recognised_and_a_strange_one_is_not() {
        let known = ["read", "read-external", "write", "external"];
        assert_eq!(nearest("reads", &known), Some("read"));
        assert_eq!(nearest("Write", &known), Some("write"));
        assert_eq!(nearest("externl", &known), Some("external"));
        assert_eq!(nearest("network", &known), None);
        assert_eq!(nearest("", &known), None);
        assert_eq!(nearest(&"r".repeat(1 << 20), &known), None);
    }
}
