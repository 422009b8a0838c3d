//! Claude Code's tools.

use super::table::{
    Agent,
    Does::{
        CantBeTold, Fetches, Lists, Matches, Reads, ReadsFromServer, Runs, Searches, SearchesWeb, Writes,
    },
    Language, Tool, unmarked,
};

/// The agent.
pub(super) const AGENT: Agent =
    Agent { id: "claude", tools: TOOLS, server: unmarked, takes_allow_lines: true };

const TOOLS: &[Tool] = &[
    Tool {
        names: &["Bash"],
        does: Runs { command: &["command"], folder: &[], language: Language::Bash },
        advisory: &["description", "timeout"],
        plain: &["run_in_background", "dangerouslyDisableSandbox"],
    },
    Tool {
        names: &["PowerShell"],
        does: Runs { command: &["command"], folder: &[], language: Language::PowerShell },
        advisory: &["description", "timeout"],
        plain: &["run_in_background", "dangerouslyDisableSandbox"],
    },
    Tool {
        names: &["Read"],
        does: Reads { path: &["file_path"] },
        advisory: &["offset", "limit", "pages"],
        plain: &[],
    },
    Tool {
        names: &["NotebookRead"],
        does: Reads { path: &["notebook_path"] },
        advisory: &["cell_id"],
        plain: &[],
    },
    Tool { names: &["LS"], does: Lists { path: &["path"] }, advisory: &[], plain: &["ignore"] },
    Tool {
        names: &["Grep"],
        does: Searches { pattern: &["pattern"], path: &["path"], only: &["glob"] },
        advisory: &["head_limit", "offset"],
        plain: &["type", "output_mode", "-A", "-B", "-C", "context", "-n", "-i", "-o", "multiline"],
    },
    Tool {
        names: &["Glob"],
        does: Matches { pattern: &["pattern"], path: &["path"] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["LSP"],
        does: Reads { path: &["filePath"] },
        advisory: &[],
        plain: &["operation", "line", "character", "query"],
    },
    Tool {
        names: &["Write"],
        does: Writes { path: &["file_path"], needs: &[&["content"]] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["Edit"],
        does: Writes { path: &["file_path"], needs: &[&["old_string", "new_string"]] },
        advisory: &[],
        plain: &["replace_all"],
    },
    Tool {
        names: &["MultiEdit"],
        does: Writes { path: &["file_path"], needs: &[&["edits"]] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["NotebookEdit"],
        does: Writes { path: &["notebook_path"], needs: &[] },
        advisory: &[],
        plain: &["new_source", "cell_id", "cell_number", "cell_type", "edit_mode"],
    },
    Tool { names: &["WebFetch"], does: Fetches { url: &["url"] }, advisory: &["prompt"], plain: &[] },
    Tool {
        names: &["WebSearch"],
        does: SearchesWeb { query: &["query"] },
        advisory: &[],
        plain: &["allowed_domains", "blocked_domains"],
    },
    Tool {
        names: &["ReadMcpResourceTool", "ReadMcpResource"],
        does: ReadsFromServer { server: &["server"] },
        advisory: &[],
        plain: &["uri"],
    },
    Tool {
        names: &["ListMcpResourcesTool", "ListMcpResources"],
        does: ReadsFromServer { server: &["server"] },
        advisory: &[],
        plain: &[],
    },
    // What these lead to is another call, or another agent's.
    Tool {
        names: &[
            "Agent",
            "AskUserQuestion",
            "BashOutput",
            "EnterPlanMode",
            "ExitPlanMode",
            "KillBash",
            "KillShell",
            "SendMessage",
            "Skill",
            "SlashCommand",
            "Task",
            "TaskOutput",
            "TaskStop",
            "TodoWrite",
            "ToolSearch",
        ],
        does: CantBeTold,
        advisory: &["description"],
        plain: &[],
    },
];
