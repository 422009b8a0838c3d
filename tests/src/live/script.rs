//! What the scripted model does: turns of tool calls, as data. `{project}` and `{model}` in an input's strings
//! stand for the session's project folder and the model's own address.

use serde_json::{Value, json};

/// One tool call that the model makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool's name as the agent offers it.
    pub tool: String,
    /// The tool's whole input.
    pub input: Value,
}

impl Call {
    /// Any tool with any input.
    pub fn new(tool: &str, input: Value) -> Self {
        Self { tool: tool.to_owned(), input }
    }

    /// A shell command.
    pub fn bash(command: &str) -> Self {
        Self::new("Bash", json!({ "command": command, "description": "Run a scripted command" }))
    }

    /// Reads a file of the project.
    pub fn read(file: &str) -> Self {
        Self::new("Read", json!({ "file_path": in_project(file) }))
    }

    /// Writes a new file of the project.
    pub fn write(file: &str, content: &str) -> Self {
        Self::new("Write", json!({ "file_path": in_project(file), "content": content }))
    }

    /// Replaces one place in a file of the project.
    pub fn edit(file: &str, old: &str, new: &str) -> Self {
        let input = json!({
            "file_path": in_project(file), "old_string": old, "new_string": new, "replace_all": false,
        });
        Self::new("Edit", input)
    }

    /// Fetches a page that the scripted model's own server holds.
    pub fn fetch() -> Self {
        Self::new("WebFetch", json!({ "url": "{model}/page", "prompt": "What is on the page?" }))
    }

    /// Calls the echo tool of the MCP server that a session starts with `Launch::mcp_echo`.
    pub fn mcp_echo(text: &str) -> Self {
        Self::new("mcp__mock__echo", json!({ "text": text }))
    }

    /// Starts a subagent; the prompt picks what it does (see [`Script::subagent_doing`]).
    pub fn subagent(prompt: &str) -> Self {
        let input =
            json!({ "description": "Sub task", "prompt": prompt, "subagent_type": "general-purpose" });
        Self::new("Agent", input)
    }
}

fn in_project(file: &str) -> String {
    format!("{{project}}/{file}")
}

/// The calls of one model answer: all at once.
pub type Turn = Vec<Call>;

/// A whole conversation from the model's side. After its last turn the model says [`DONE`].
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) turns: Vec<Turn>,
    pub(super) subagents: Vec<(String, Vec<Turn>)>,
}

/// What the model says when its script is over.
pub const DONE: &str = "All done.";

impl Script {
    /// Any list of turns.
    pub fn of_turns(turns: Vec<Turn>) -> Self {
        Self { turns, subagents: Vec::new() }
    }

    /// No tool call at all.
    pub fn text() -> Self {
        Self::default()
    }

    /// One command, which leaves `ran.txt` in the project.
    pub fn shell() -> Self {
        Self::commands(&["echo ran > ran.txt"])
    }

    /// Commands one after the other, each in a turn of its own.
    pub fn commands(commands: &[&str]) -> Self {
        Self::of_turns(commands.iter().map(|command| vec![Call::bash(command)]).collect())
    }

    /// Commands in one turn, at the same time.
    pub fn parallel(commands: &[&str]) -> Self {
        Self::of_turns(vec![commands.iter().map(|command| Call::bash(command)).collect()])
    }

    /// A new file `ran.txt` of two lines.
    pub fn write() -> Self {
        Self::of_turns(vec![vec![Call::write("ran.txt", "line one\nline two\n")]])
    }

    /// `beta` in the project's `hello.txt` becomes two lines. Read comes first: the agent insists on it.
    pub fn edit() -> Self {
        Self::of_turns(vec![
            vec![Call::read("hello.txt")],
            vec![Call::edit("hello.txt", "beta", "BETA\ngamma")],
        ])
    }

    /// One fetched page.
    pub fn fetch() -> Self {
        Self::of_turns(vec![vec![Call::fetch()]])
    }

    /// One call of the MCP echo tool.
    pub fn mcp() -> Self {
        Self::of_turns(vec![vec![Call::mcp_echo("hello from the model")]])
    }

    /// A subagent that runs the command of [`Script::shell`].
    pub fn subagent() -> Self {
        Self::subagent_doing(Self::shell().turns)
    }

    /// A subagent with turns of its own; the parent only starts it.
    pub fn subagent_doing(turns: Vec<Turn>) -> Self {
        let prompt = "SUBAGENT please run the marker command";
        Self { turns: vec![vec![Call::subagent(prompt)]], subagents: vec![(prompt.to_owned(), turns)] }
    }
}
