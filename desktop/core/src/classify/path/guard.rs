//! Guarded paths (REF-3): files that say what an agent may do or what it starts, and files that shells run by
//! themselves. A change to one is red and can't be remembered; reading one is like reading any other file. Instructions
//! (`CLAUDE.md`, `AGENTS.md`, rules, memories) grant nothing and are not listed.

use std::sync::LazyLock;

use super::{
    glob,
    listed::{Index, Listed, Parts},
};

/// The list, by whose they are.
pub(super) const LISTS: &[&[Listed]] = &[CLAUDE, CODEX, OPENCODE, QWEN, COPILOT, WATCHED, SHARED, SHELLS];

static ALL: LazyLock<Index> = LazyLock::new(|| Index::of(LISTS));

/// The line that guards a path. A pattern without a leading dot is no name here: `chmod 644 *.json` means no settings.
pub(super) fn line(parts: &Parts<'_>) -> Option<&'static Listed> {
    let mut parts = parts.clone();
    for name in &mut parts.names {
        if !name.starts_with('.') && glob::has_pattern(name) {
            *name = "";
        }
    }
    ALL.find(&parts)
}

/// Claude Code.
pub(super) const CLAUDE: &[Listed] = &[
    Listed::anywhere(".claude/settings*.json", "says what Claude Code may do"),
    Listed::anywhere(".claude/hooks", "runs when Claude Code acts"),
    Listed::anywhere(".claude/agents", "says what subagents of Claude Code may do"),
    Listed::anywhere(".claude/commands", "says what commands of Claude Code may do"),
    Listed::anywhere(".claude/skills", "says what skills of Claude Code may do"),
    Listed::anywhere(".claude/plugins", "is a plugin of Claude Code"),
    Listed::anywhere(".claude/workflows", "says what workflows of Claude Code may do"),
    Listed::anywhere(".claude/*.sh", "may run when Claude Code acts"),
    Listed::anywhere(".claude/keybindings.json", "says which keys answer Claude Code"),
    Listed::itself(".claude", "holds the settings of Claude Code"),
    Listed::anywhere(".claude-plugin", "is a plugin of Claude Code"),
    Listed::anywhere(".claude.json", "says what Claude Code may do"),
    Listed::root("etc/claude-code", "says what Claude Code may do"),
];

/// Codex.
pub(super) const CODEX: &[Listed] = &[
    Listed::anywhere(".codex", "says what Codex may do"),
    Listed::anywhere(".codex-plugin", "is a plugin of Codex"),
    Listed::root("etc/codex", "says what Codex may do"),
];

/// OpenCode.
pub(super) const OPENCODE: &[Listed] = &[
    Listed::anywhere("opencode.json", "says what OpenCode may do"),
    Listed::anywhere("opencode.jsonc", "says what OpenCode may do"),
    Listed::anywhere(".opencode", "says what OpenCode may do"),
    Listed::home_only(".config/opencode", "says what OpenCode may do"),
    Listed::root("etc/opencode", "says what OpenCode may do"),
];

/// Qwen Code.
pub(super) const QWEN: &[Listed] = &[
    Listed::anywhere(".qwen", "says what Qwen Code may do"),
    Listed::anywhere("qwen-extension.json", "is an extension of Qwen Code"),
    Listed::root("etc/qwen-code", "says what Qwen Code may do"),
];

/// Copilot CLI.
pub(super) const COPILOT: &[Listed] = &[
    Listed::anywhere(".copilot", "says what Copilot CLI may do"),
    Listed::anywhere(".github/hooks", "runs when Copilot CLI acts"),
    Listed::anywhere(".github/copilot", "says what Copilot CLI may do"),
    Listed::anywhere(".github/agents", "says what agents of Copilot CLI may do"),
    Listed::anywhere(".github/extensions", "is an extension of Copilot CLI"),
    Listed::anywhere(".github/plugin", "is a plugin of Copilot CLI"),
    Listed::anywhere(".github/mcp.json", "says which MCP servers Copilot CLI starts"),
    Listed::anywhere(".config/mcp-config.json", "says which MCP servers Copilot CLI starts"),
];

/// Agents that are watched only, and others.
pub(super) const WATCHED: &[Listed] = &[
    Listed::anywhere(".gemini", "says what Gemini CLI may do"),
    Listed::anywhere("gemini-extension.json", "is an extension of Gemini CLI"),
    Listed::root("etc/gemini-cli", "says what Gemini CLI may do"),
    Listed::anywhere(".antigravity", "says what Antigravity may do"),
    Listed::anywhere(".cursor/mcp.json", "says which MCP servers Cursor starts"),
    Listed::anywhere(".cursor/hooks*", "runs when Cursor acts"),
    Listed::anywhere(".cursor/cli*.json", "says what Cursor may do"),
    Listed::anywhere(".cursor/permissions.json", "says what Cursor may do"),
    Listed::anywhere(".cursor/settings.json", "says what Cursor may do"),
    Listed::anywhere(".cursor/sandbox.json", "says what Cursor may do"),
    Listed::anywhere(".cursor/environment.json", "says what Cursor starts"),
    Listed::anywhere(".cursor/worktrees.json", "says what Cursor starts"),
    Listed::anywhere(".cursor/agents", "says what agents of Cursor may do"),
    Listed::anywhere(".cursor/commands", "says what commands of Cursor do"),
    Listed::anywhere(".cursor/plugins", "is a plugin of Cursor"),
    Listed::anywhere(".factory", "says what Factory Droid may do"),
    Listed::anywhere(".kimi", "says what Kimi Code may do"),
    Listed::anywhere(".kimi-code", "says what Kimi Code may do"),
    Listed::anywhere(".amp/settings.json*", "says what Amp may do"),
    Listed::home_only(".config/amp", "says what Amp may do"),
    Listed::anywhere(".crush.json", "says what Crush may do"),
    Listed::anywhere("crush.json", "says what Crush may do"),
    Listed::home_only(".config/goose", "says what Goose may do"),
    Listed::anywhere(".roo/mcp.json", "says which MCP servers Roo Code starts"),
    Listed::anywhere(".kilocode/mcp.json", "says which MCP servers Kilo Code starts"),
    Listed::anywhere(".windsurf/hooks.json", "runs when Windsurf acts"),
    Listed::anywhere(".windsurf/mcp*.json", "says which MCP servers Windsurf starts"),
    Listed::anywhere(".codeium", "says what Windsurf may do"),
    Listed::anywhere(".continue/mcpServers", "says which MCP servers Continue starts"),
    Listed::anywhere(".continue/config.*", "says what Continue may do"),
    Listed::anywhere(".junie/mcp", "says which MCP servers Junie starts"),
    Listed::anywhere(".kiro/settings", "says what Kiro may do"),
    Listed::anywhere(".kiro/hooks", "runs when Kiro acts"),
    Listed::anywhere(".kiro/agents", "says what agents of Kiro may do"),
    Listed::anywhere(".aider.conf.yml", "says what Aider may do"),
    Listed::anywhere(".zed/settings.json", "says what Zed's agent may do"),
    Listed::anywhere(".zed/tasks.json", "says what Zed starts"),
    Listed::home_only(".config/zed", "says what Zed's agent may do"),
    Listed::home_only(".config/Claude", "says which MCP servers Claude starts"),
];

/// Read by several agents and by editors that run them.
pub(super) const SHARED: &[Listed] = &[
    Listed::anywhere(".mcp.json", "says which MCP servers agents start"),
    Listed::anywhere("mcp.json", "says which MCP servers agents start"),
    Listed::anywhere("mcp-config.json", "says which MCP servers agents start"),
    Listed::anywhere(".agents/skills", "says what skills of agents may do"),
    Listed::anywhere(".agents/plugins", "is a plugin of agents"),
    Listed::anywhere(".agents/hooks*", "runs when agents act"),
    Listed::anywhere(".vscode/settings.json", "says what the editor and its agents may do"),
    Listed::anywhere(".vscode/tasks.json", "says what the editor starts"),
    Listed::anywhere(".vscode/mcp.json", "says which MCP servers the editor starts"),
    Listed::anywhere("*.code-workspace", "says what the editor and its agents may do"),
    Listed::home_only(".config/Code*/User", "says what the editor and its agents may do"),
    Listed::home_only(".config/VSCodium/User", "says what the editor and its agents may do"),
    Listed::home_only(".config/Cursor/User", "says what the editor and its agents may do"),
];

/// What shells run by themselves.
pub(super) const SHELLS: &[Listed] = &[
    Listed::anywhere(".envrc", "sets variables for every shell in its folder"),
    Listed::home_only(".config/direnv", "sets variables for shells"),
    Listed::home_only(".direnvrc", "sets variables for shells"),
    Listed::home_only(".profile", "is run by every login"),
    Listed::home_only(".bashrc", "is run by every shell"),
    Listed::home_only(".bashrc.d", "is run by every shell"),
    Listed::home_only(".bash_profile", "is run by every login"),
    Listed::home_only(".bash_login", "is run by every login"),
    Listed::home_only(".bash_logout", "is run at the end of every login"),
    Listed::home_only(".bash_aliases", "is run by every shell"),
    Listed::home_only(".bash_completion", "is run by every shell"),
    Listed::home_only(".zshrc", "is run by every shell"),
    Listed::home_only(".zshenv", "is run by every shell"),
    Listed::home_only(".zprofile", "is run by every login"),
    Listed::home_only(".zlogin", "is run by every login"),
    Listed::home_only(".zlogout", "is run at the end of every login"),
    Listed::home_only(".zsh", "is run by every shell"),
    Listed::home_only(".oh-my-zsh", "is run by every shell"),
    Listed::home_only(".config/zsh", "is run by every shell"),
    Listed::home_only(".config/fish", "is run by every shell"),
    Listed::home_only(".config/nushell", "is run by every shell"),
    Listed::home_only(".config/powershell", "is run by every shell"),
    Listed::home_only(".kshrc", "is run by every shell"),
    Listed::home_only(".mkshrc", "is run by every shell"),
    Listed::home_only(".cshrc", "is run by every shell"),
    Listed::home_only(".tcshrc", "is run by every shell"),
    Listed::home_only(".login", "is run by every login"),
    Listed::home_only(".logout", "is run at the end of every login"),
    Listed::home_only(".xprofile", "is run by every login"),
    Listed::home_only(".xsession", "is run by every login"),
    Listed::home_only(".xsessionrc", "is run by every login"),
    Listed::home_only(".xinitrc", "is run by every login"),
    Listed::home_only(".pam_environment", "sets variables for every login"),
    Listed::home_only(".config/environment.d", "sets variables for every login"),
    Listed::home_only(".inputrc", "says what keys do in every shell"),
    Listed::home_only(".config/starship.toml", "starts programs in every shell"),
    Listed::root("etc/profile", "is run by every login"),
    Listed::root("etc/profile.d", "is run by every login"),
    Listed::root("etc/bash.bashrc", "is run by every shell"),
    Listed::root("etc/bashrc", "is run by every shell"),
    Listed::root("etc/zsh", "is run by every shell"),
    Listed::root("etc/zshrc", "is run by every shell"),
    Listed::root("etc/zshenv", "is run by every shell"),
    Listed::root("etc/fish", "is run by every shell"),
    Listed::root("etc/environment", "sets variables for every login"),
];
