//! Codex's tools. Its hook calls every shell tool `Bash` and leaves the folder out, so its calls are never whole.

use super::table::{
    Agent,
    Does::{CantBeTold, Lists, Patches, Reads, ReadsFromServer, Runs, Searches, SearchesWeb, Types},
    Language, Tool, unmarked,
};

/// The agent.
pub(super) const AGENT: Agent =
    Agent { id: "codex", tools: TOOLS, server: unmarked, takes_allow_lines: false };

const TOOLS: &[Tool] = &[
    Tool {
        names: &["Bash"],
        does: Runs { command: &["command"], folder: &["workdir"], language: Language::BashOrWords },
        advisory: &["description", "justification", "timeout_ms"],
        plain: PERMISSIONS,
    },
    Tool {
        names: &["shell", "local_shell", "container.exec", "shell_command"],
        does: Runs { command: &["command"], folder: &["workdir"], language: Language::BashOrWords },
        advisory: &["description", "justification", "timeout", "timeout_ms"],
        plain: PERMISSIONS,
    },
    Tool {
        names: &["exec_command"],
        does: Runs { command: &["cmd", "command"], folder: &["workdir"], language: Language::BashOrNamed },
        advisory: &["justification", "yield_time_ms", "max_output_tokens", "timeout_ms"],
        plain: PERMISSIONS,
    },
    Tool {
        names: &["write_stdin"],
        does: Types { text: &["chars"] },
        advisory: &["yield_time_ms", "max_output_tokens"],
        plain: &["session_id"],
    },
    Tool {
        names: &["unified_exec"],
        does: Types { text: &["input"] },
        advisory: &["timeout_ms"],
        plain: &["session_id"],
    },
    Tool { names: &["js_repl", "exec"], does: Types { text: &["code", "input"] }, advisory: &[], plain: &[] },
    Tool {
        names: &["apply_patch"],
        does: Patches { text: &["input", "command", "patch"] },
        advisory: &["description", "justification"],
        plain: &[],
    },
    Tool {
        names: &["read_file"],
        does: Reads { path: &["file_path"] },
        advisory: &["offset", "limit"],
        plain: &["mode", "indentation"],
    },
    Tool { names: &["view_image"], does: Reads { path: &["path"] }, advisory: &["detail"], plain: &[] },
    Tool {
        names: &["list_dir"],
        does: Lists { path: &["dir_path"] },
        advisory: &["offset", "limit"],
        plain: &["depth"],
    },
    Tool {
        names: &["grep_files"],
        does: Searches { pattern: &["pattern"], path: &["path"], only: &["include"] },
        advisory: &["limit"],
        plain: &[],
    },
    Tool { names: &["web_search"], does: SearchesWeb { query: &["query"] }, advisory: &[], plain: &[] },
    Tool {
        names: &["read_mcp_resource"],
        does: ReadsFromServer { server: &["server"] },
        advisory: &[],
        plain: &["uri"],
    },
    Tool {
        names: &["list_mcp_resources", "list_mcp_resource_templates"],
        does: ReadsFromServer { server: &["server"] },
        advisory: &["cursor"],
        plain: &[],
    },
    Tool {
        names: &[
            "close_agent",
            "request_permissions",
            "request_user_input",
            "resume_agent",
            "send_input",
            "spawn_agent",
            "update_plan",
            "wait",
            "wait_agent",
        ],
        does: CantBeTold,
        advisory: &[],
        plain: &[],
    },
];

/// Wishes about the sandbox. They widen where a command may write, but not what it does.
const PERMISSIONS: &[&str] = &[
    "additional_permissions",
    "environment_id",
    "login",
    "prefix_rule",
    "sandbox_permissions",
    "tty",
    "with_escalated_permissions",
];
