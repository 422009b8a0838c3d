//! OpenCode's tools, and its names for the tools of MCP servers: `SERVER_TOOL`.

use super::table::{
    Agent,
    Does::{CantBeTold, Fetches, Lists, Matches, Patches, Reads, Runs, Searches, SearchesWeb, Writes},
    Language, Tool,
};

/// The agent.
pub(super) const AGENT: Agent = Agent { id: "opencode", tools: TOOLS, server, takes_allow_lines: false };

const TOOLS: &[Tool] = &[
    Tool {
        names: &["bash", "shell"],
        does: Runs { command: &["command"], folder: &["workdir"], language: Language::Bash },
        advisory: &["description", "timeout"],
        plain: &[],
    },
    Tool {
        names: &["read"],
        does: Reads { path: &["filePath"] },
        advisory: &["offset", "limit"],
        plain: &[],
    },
    Tool { names: &["list"], does: Lists { path: &["path"] }, advisory: &[], plain: &["ignore"] },
    Tool {
        names: &["grep"],
        does: Searches { pattern: &["pattern"], path: &["path"], only: &["include"] },
        advisory: &["limit"],
        plain: &[],
    },
    Tool {
        names: &["glob"],
        does: Matches { pattern: &["pattern"], path: &["path"] },
        advisory: &["limit"],
        plain: &[],
    },
    Tool {
        names: &["lsp", "lsp_diagnostics", "lsp_hover"],
        does: Reads { path: &["filePath", "path"] },
        advisory: &[],
        plain: &["operation", "line", "character"],
    },
    Tool {
        names: &["write"],
        does: Writes { path: &["filePath"], needs: &[&["content"]] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["edit"],
        does: Writes { path: &["filePath"], needs: &[&["oldString", "newString"]] },
        advisory: &[],
        plain: &["replaceAll"],
    },
    Tool {
        names: &["multiedit"],
        does: Writes { path: &["filePath"], needs: &[&["edits"]] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["apply_patch", "patch"],
        does: Patches { text: &["patchText", "input"] },
        advisory: &[],
        plain: &[],
    },
    Tool {
        names: &["webfetch"],
        does: Fetches { url: &["url"] },
        advisory: &["timeout"],
        plain: &["format"],
    },
    Tool {
        names: &["websearch", "codesearch"],
        does: SearchesWeb { query: &["query"] },
        advisory: &[],
        plain: &["numResults", "livecrawl", "type", "contextMaxCharacters", "tokensNum"],
    },
    // The last two are no tools, but what it asks about by these names.
    Tool {
        names: &[
            "invalid",
            "plan_enter",
            "plan_exit",
            "question",
            "skill",
            "subagent",
            "task",
            "todoread",
            "todowrite",
            "doom_loop",
            "external_directory",
        ],
        does: CantBeTold,
        advisory: &["description"],
        plain: &[],
    },
];

/// A server's own name may hold `_` too; the first one is taken for the end of it, which changes no judgement.
fn server(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.split_once('_')?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}
