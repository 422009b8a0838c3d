//! Copilot CLI's tools, under the names of all its events, and its names for the tools of MCP servers: `SERVER/TOOL`
//! when it asks, `SERVER-TOOL` before.

use super::table::{
    Agent,
    Does::{CantBeTold, Fetches, Matches, Patches, Reads, Runs, Searches, SearchesWeb, Types, Writes},
    Language, Tool,
};

/// The agent.
pub(super) const AGENT: Agent = Agent { id: "copilot", tools: TOOLS, server, takes_allow_lines: false };

const TOOLS: &[Tool] = &[
    Tool {
        names: &["bash", "Bash"],
        does: Runs { command: &["command"], folder: &[], language: Language::Bash },
        advisory: &["description", "initial_wait", "timeout"],
        plain: SESSION,
    },
    Tool {
        names: &["powershell", "PowerShell"],
        does: Runs { command: &["command"], folder: &[], language: Language::PowerShell },
        advisory: &["description", "initial_wait", "timeout"],
        plain: SESSION,
    },
    Tool {
        names: &["write_bash", "write_powershell"],
        does: Types { text: &["input"] },
        advisory: &["delay"],
        plain: SESSION,
    },
    Tool {
        names: &["view", "Read"],
        does: Reads { path: &["path", "file_path"] },
        advisory: &["view_range", "forceReadLargeFiles"],
        plain: &[],
    },
    Tool {
        names: &["grep", "rg", "Grep"],
        does: Searches { pattern: &["pattern"], path: &["path", "paths"], only: &["glob"] },
        advisory: &["head_limit"],
        plain: &["type", "output_mode", "-A", "-B", "-C", "-n", "-i", "multiline"],
    },
    Tool {
        names: &["glob", "Glob"],
        does: Matches { pattern: &["pattern"], path: &["path", "paths"] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["create", "Write"],
        does: Writes { path: &["path", "file_path"], needs: &[&["file_text"], &["content"], &["diff"]] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["edit", "Edit"],
        does: Writes { path: &["path", "file_path"], needs: &[&["old_str", "new_str"], &["diff"]] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["str_replace_editor"],
        does: Writes { path: &["path"], needs: &[&["command"]] },
        advisory: &[],
        plain: &["file_text", "old_str", "new_str", "insert_line", "view_range"],
    },
    Tool { names: &["apply_patch"], does: Patches { text: &["input", "patch"] }, advisory: &[], plain: &[] },
    Tool {
        names: &["web_fetch"],
        does: Fetches { url: &["url"] },
        advisory: &["max_length", "start_index"],
        plain: &["raw"],
    },
    Tool { names: &["web_search"], does: SearchesWeb { query: &["query"] }, advisory: &[], plain: &[] },
    Tool {
        names: &[
            "ask_user",
            "exit_plan_mode",
            "fetch_copilot_cli_documentation",
            "list_agents",
            "list_bash",
            "list_powershell",
            "read_agent",
            "read_bash",
            "read_powershell",
            "report_intent",
            "skill",
            "sql",
            "stop_bash",
            "stop_powershell",
            "store_memory",
            "task",
            "update_todo",
        ],
        does: CantBeTold,
        advisory: &["description"],
        plain: &[],
    },
];

/// Which running shell is meant, and how it is waited for.
const SESSION: &[&str] = &["sessionId", "shellId", "mode", "async", "detach"];

/// A tool's own name holds neither sign.
fn server(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.rsplit_once('/').or_else(|| name.rsplit_once('-'))?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}
