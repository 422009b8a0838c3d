//! Qwen Code's tools.

use super::table::{
    Agent,
    Does::{CantBeTold, Fetches, Lists, Matches, Reads, Runs, Searches, SearchesWeb, Writes},
    Language, Tool, unmarked,
};

/// The agent.
pub(super) const AGENT: Agent =
    Agent { id: "qwen", tools: TOOLS, server: unmarked, takes_allow_lines: false };

const TOOLS: &[Tool] = &[
    Tool {
        names: &["run_shell_command"],
        does: Runs { command: &["command"], folder: &["directory", "dir_path"], language: Language::Bash },
        advisory: &["description", "timeout"],
        plain: &["is_background"],
    },
    Tool {
        names: &["read_file"],
        does: Reads { path: &["file_path", "absolute_path"] },
        advisory: &["offset", "limit", "pages"],
        plain: &[],
    },
    Tool {
        names: &["read_many_files"],
        does: Reads { path: &["paths", "include"] },
        advisory: &[],
        plain: &[
            "exclude",
            "recursive",
            "useDefaultExcludes",
            "respect_git_ignore",
            "file_filtering_options",
        ],
    },
    Tool {
        names: &["list_directory"],
        does: Lists { path: &["path", "dir_path"] },
        advisory: &[],
        plain: &["ignore", "respect_git_ignore", "file_filtering_options"],
    },
    Tool {
        names: &["grep_search", "search_file_content"],
        does: Searches { pattern: &["pattern"], path: &["path", "dir_path"], only: &["glob", "include"] },
        advisory: &["limit", "maxResults"],
        plain: &["case_sensitive"],
    },
    Tool {
        names: &["glob"],
        does: Matches { pattern: &["pattern"], path: &["path", "dir_path"] },
        advisory: &[],
        plain: &["case_sensitive", "respect_git_ignore"],
    },
    Tool {
        names: &["lsp"],
        does: Reads { path: &["filePath"] },
        advisory: &["limit"],
        plain: &["operation", "line", "character", "endLine", "endCharacter", "query", "includeDeclaration"],
    },
    Tool {
        names: &["write_file"],
        does: Writes { path: &["file_path"], needs: &[&["content"]] },
        advisory: &[],
        plain: &["modified_by_user", "ai_proposed_content"],
    },
    Tool {
        names: &["edit", "replace"],
        does: Writes { path: &["file_path"], needs: &[&["old_string", "new_string"]] },
        advisory: &["instruction"],
        plain: &["replace_all", "expected_replacements", "modified_by_user", "ai_proposed_content"],
    },
    Tool {
        names: &["notebook_edit"],
        does: Writes { path: &["notebook_path"], needs: &[] },
        advisory: &[],
        plain: &["new_source", "cell_id", "cell_type", "edit_mode"],
    },
    Tool { names: &["web_fetch"], does: Fetches { url: &["url"] }, advisory: &["prompt"], plain: &[] },
    Tool {
        names: &["web_search", "google_web_search"],
        does: SearchesWeb { query: &["query"] },
        advisory: &[],
        plain: &["provider"],
    },
    Tool {
        names: &[
            "agent",
            "ask_user_question",
            "exit_plan_mode",
            "save_memory",
            "send_message",
            "skill",
            "task",
            "task_stop",
            "todo_write",
            "tool_search",
        ],
        does: CantBeTold,
        advisory: &["description"],
        plain: &[],
    },
];
