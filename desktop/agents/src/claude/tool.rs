//! Claude Code's tools: which arguments of theirs mean what. A tool whose arguments have another shape than the known
//! one is shown argument by argument, and not as whole.

use crate::{
    action::{Action, Cell, How},
    edit::Edit,
    event::Ignored,
    json::Json,
};

/// A tool input, read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) action: Action,
    /// Arguments that the action doesn't show, in their order.
    pub(super) arguments: Vec<(String, Json)>,
    /// The agent's own words about the call.
    pub(super) words: String,
    /// Whether the tool's own arguments are there.
    pub(super) is_complete: bool,
}

/// Reads the input of a tool; `server` is the name of its MCP server, where the agent gives one.
pub(super) fn read(tool: &str, input: Json, server: Option<&str>) -> Result<Read, Ignored> {
    let Json::Map(members) = input else { return Err(Ignored::Malformed) };
    let mut arguments = Arguments(members);
    if let Some((server, tool)) = server_tool(tool, server) {
        return Ok(arguments.into_read(Action::Server { server, tool }, true));
    }
    let action = match tool {
        "Bash" => arguments.take("command", Json::as_text).map(Action::Command),
        "Edit" => edit(&mut arguments),
        "MultiEdit" => edits(&mut arguments),
        "Write" => write(&mut arguments),
        "NotebookEdit" => cell(&mut arguments),
        "Read" => arguments.take("file_path", Json::as_text).map(|path| Action::Read { path }),
        "WebFetch" => arguments.take("url", Json::as_text).map(|url| Action::Fetch { url }),
        _ => return Ok(arguments.into_read(Action::Other, true)),
    };
    let words = if tool == "Bash" { arguments.take("description", Json::as_text) } else { None };
    let is_complete = action.is_some();
    let read = arguments.into_read(action.unwrap_or(Action::Other), is_complete);
    Ok(Read { words: words.unwrap_or_default(), ..read })
}

/// Server and tool of `mcp__SERVER__TOOL`. A server's own name may hold what the tool's name can't, and may itself hold
/// `__`, so the name that the agent gives decides where it ends.
fn server_tool(tool: &str, given: Option<&str>) -> Option<(String, String)> {
    let rest = tool.strip_prefix("mcp__")?;
    let by_name = given.and_then(|name| {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let prefix: String = name.chars().map(plain).collect();
        let tool = rest.strip_prefix(&prefix)?.strip_prefix("__")?;
        Some((name.to_owned(), tool.to_owned()))
    });
    let by_mark = || rest.split_once("__").map(|(server, tool)| (server.to_owned(), tool.to_owned()));
    by_name.or_else(by_mark).filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

fn edit(arguments: &mut Arguments) -> Option<Action> {
    arguments.get("file_path")?.as_text()?;
    let edit = replacement(arguments)?;
    let [path] = arguments.take_all(["file_path"])?;
    Some(Action::Change { path, how: How::Edit(vec![edit]) })
}

fn edits(arguments: &mut Arguments) -> Option<Action> {
    let Json::List(items) = arguments.get("edits")? else { return None };
    let edits: Vec<Edit> = items.iter().map(one_edit).collect::<Option<_>>()?;
    if edits.is_empty() {
        return None;
    }
    let [path] = arguments.take_all(["file_path"])?;
    arguments.drop("edits");
    Some(Action::Change { path, how: How::Edit(edits) })
}

/// One of several edits; one with a member that would not be shown is of an unknown shape.
fn one_edit(item: &Json) -> Option<Edit> {
    let Json::Map(members) = item else { return None };
    let mut arguments = Arguments(members.clone());
    replacement(&mut arguments).filter(|_| arguments.0.is_empty())
}

fn replacement(arguments: &mut Arguments) -> Option<Edit> {
    let everywhere = match arguments.get("replace_all") {
        None => false,
        Some(value) => value.as_bool()?,
    };
    let [old, new] = arguments.take_all(["old_string", "new_string"])?;
    arguments.drop("replace_all");
    Some(Edit { old, new, everywhere })
}

fn write(arguments: &mut Arguments) -> Option<Action> {
    let [path, content] = arguments.take_all(["file_path", "content"])?;
    Some(Action::Change { path, how: How::Write(content) })
}

fn cell(arguments: &mut Arguments) -> Option<Action> {
    let what = match arguments.get("edit_mode").map(|mode| mode.as_text()) {
        None | Some(Some("replace")) => Cell::Replaced,
        Some(Some("insert")) => Cell::Inserted,
        Some(Some("delete")) => Cell::Deleted,
        Some(_) => return None,
    };
    let cell = match arguments.get("cell_id") {
        None => None,
        Some(id) => Some(id.as_text()?.to_owned()),
    };
    let [path, source] = arguments.take_all(["notebook_path", "new_source"])?;
    // The cell's id and kind stay as arguments, to be shown.
    Some(Action::Change { path, how: How::Cell { cell, what, source } })
}

/// Arguments that are yet to be shown.
struct Arguments(Vec<(String, Json)>);

impl Arguments {
    fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn drop(&mut self, name: &str) {
        self.0.retain(|(key, _)| key != name);
    }

    /// Takes an argument of the right kind; one of another kind stays.
    fn take(&mut self, name: &str, read: impl Fn(&Json) -> Option<&str>) -> Option<String> {
        let taken = self.get(name).and_then(read).map(str::to_owned)?;
        self.drop(name);
        Some(taken)
    }

    /// Takes texts, all or none.
    fn take_all<const N: usize>(&mut self, names: [&str; N]) -> Option<[String; N]> {
        let texts: Vec<String> =
            names.iter().map(|name| self.get(name)?.as_text().map(str::to_owned)).collect::<Option<_>>()?;
        names.iter().for_each(|name| self.drop(name));
        texts.try_into().ok()
    }

    fn into_read(self, action: Action, is_complete: bool) -> Read {
        Read { action, arguments: self.0, words: String::new(), is_complete }
    }
}
