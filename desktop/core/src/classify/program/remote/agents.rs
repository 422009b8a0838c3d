//! Other agents' command lines, when an agent starts them: their settings are guarded (REF-3), and a run of one is
//! another agent that acts, which talks to a server.

use countersign_proto::request::{Class, Level};

use super::{
    super::entry::{Does, Entry, Fixed, OUTSIDE_ASKS},
    args,
    cli::PROBE,
};
use crate::classify::{facts::Reach, finding::Finding, word::Command};

/// Agents.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[Entry {
    names: &[
        "claude", "claude-code", "codex", "gemini", "gemini-cli", "qwen", "qwen-code", "copilot", "opencode",
        "aider", "cursor", "cursor-agent", "amp", "crush", "cline", "continue", "cn", "droid", "auggie",
        "kiro", "kiro-cli", "q", "windsurf", "devin", "plandex", "gptme", "interpreter", "open-interpreter",
        "swe-agent", "mini", "openhands", "kilocode", "roo", "jules", "grok", "vibe", "kimi", "iflow", "trae",
        "trae-cli",
    ],
    does: Does::Code(|c, _| agent(c)),
    why: "another agent, or an agent's own settings",
}];

/// Changes what an agent may do.
const GUARDED: Fixed =
    Fixed::of(Class::Guard, Level::Red, Reach::Never).because("changes an agent's settings");

#[rustfmt::skip] // rows of words
const SETTINGS: &[&str] = &[
    "mcp", "config", "plugin", "plugins", "hooks", "hook", "extensions", "extension", "settings",
    "permissions", "permission", "setup-token", "migrate-installer", "install", "uninstall", "agent",
    "agents", "auth", "trust", "features", "marketplace", "add-dir", "allowed-tools", "import",
];

fn agent(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let changes = args::texts(command).take(4).any(|text| SETTINGS.contains(&text));
    if changes {
        GUARDED.finding()
    } else {
        OUTSIDE_ASKS.because("starts another agent").bringing_in().finding()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::args::tests::command, *};

    #[test]
    fn an_agents_settings_are_guarded_and_its_runs_are_external() {
        for line in [
            "claude mcp add x -- ./y",
            "codex mcp add a",
            "claude plugin install a",
            "gemini extensions install x",
            "claude config set a b",
        ] {
            let finding = agent(&command(line));
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::Guard, Level::Red, Reach::Never),
                "{line}"
            );
        }
        assert_eq!(agent(&command("claude -p hello")).class, Class::External);
        assert_eq!(agent(&command("claude --version")).level, Level::Yellow);
    }
}
