//! The tools of the five agents, as data: which argument of which tool means what. A call becomes an action that no
//! agent owns; a tool, a name or a shape that nobody foresaw becomes the strictest action that still shows its words.

mod arguments;
mod claude;
mod codex;
mod copilot;
mod made;
mod opencode;
mod patch;
mod qwen;
mod table;
#[cfg(test)]
mod tests;

use countersign_core::classify::Action;
use serde_json::Value;

use self::table::{Agent, Tool};

/// Every agent whose tools are known.
const AGENTS: &[&Agent] = &[&claude::AGENT, &codex::AGENT, &opencode::AGENT, &qwen::AGENT, &copilot::AGENT];

/// What a tool call asks for: the adapter's id of the agent, the tool's name and its input, both as sent.
///
/// Total and pure. A known tool of another agent is read by that agent's list and in doubt; a name of an MCP server's tool
/// is [`Action::Server`]; the rest is [`Action::Unknown`], or [`Script::Typed`] where it carries a command (REQ-3, LVL-4).
///
/// [`Script::Typed`]: countersign_core::classify::Script::Typed
#[must_use]
pub fn action(agent: &str, tool: &str, input: &Value) -> Action {
    let own = of(agent);
    if let Some(known) = own.and_then(|own| own.tool(tool)) {
        return made::by(known, input);
    }
    if let Some((server, tool)) = table::marked(tool) {
        return made::server(server, tool, input);
    }
    if let Some(known) = AGENTS.iter().find_map(|other| other.tool(tool)) {
        return made::in_doubt(made::by(known, input));
    }
    match own.and_then(|own| (own.server)(tool)) {
        Some((server, tool)) => made::server(server, tool, input),
        None => made::unforeseen(input),
    }
}

/// Arguments of a tool that say nothing about what it does, only why, or how much of it is shown: the agent's own words,
/// time limits, page sizes. A rule's key leaves them out (RULE-1). Empty for a tool that is not known.
#[must_use]
pub fn advisory(agent: &str, tool: &str) -> &'static [&'static str] {
    of(agent).and_then(|own| own.tool(tool)).map_or(&[], |tool| tool.advisory)
}

/// Whether allow lines may answer an agent's requests (POL-8): it shows whole calls, so that what a line covers is all
/// that runs.
#[must_use]
pub fn takes_allow_lines(agent: &str) -> bool {
    of(agent).is_some_and(|own| own.takes_allow_lines)
}

fn of(agent: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|known| known.id == agent)
}

impl Agent {
    fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.names.contains(&name))
    }
}
