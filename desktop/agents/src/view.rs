//! Draws what Allow would allow: a pure function of a call and the files it needs. Every text is escaped here, and
//! nothing is cut: what doesn't fit into the blocks of a view is joined in the last one.

use countersign_proto::{
    limits,
    request::{Block, Dependency, Labelled},
    text::{Foreign, Shown},
};

use crate::{
    action::{Action, Argument},
    address,
    call::{Call, Seen},
    change, path,
};

/// Version of [`draw`]: another one may show the same call in another way.
pub(crate) const VERSION: u32 = 1;

/// A call, drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// What Allow would allow.
    pub(crate) blocks: Vec<Block>,
    /// What it is about, in our words.
    pub(crate) headline: Shown,
    /// What a person should know of how it was drawn.
    pub(crate) reasons: Vec<Shown>,
    /// Files it was drawn from.
    pub(crate) depends: Vec<Dependency>,
    /// Whether it is certain what the call is about.
    pub(crate) is_certain: bool,
}

impl View {
    pub(crate) fn new(headline: &str, blocks: Vec<Block>) -> Self {
        Self {
            blocks,
            headline: Shown::line(headline),
            reasons: Vec::new(),
            depends: Vec::new(),
            is_certain: true,
        }
    }

    /// Adds a reason.
    pub(crate) fn because(&mut self, words: &str) {
        self.reasons.push(Shown::line(words));
    }
}

/// Draws a call over what was seen of the files it needs.
pub(crate) fn draw(call: &Call, seen: &Seen) -> View {
    let mut view = action(call, seen);
    view.blocks.extend(call.arguments.iter().map(argument));
    if view.blocks.is_empty() {
        view.blocks.push(text("arguments", "none"));
    }
    view.blocks = joined(view.blocks);
    if !call.is_complete {
        view.because("this call has a shape Countersign does not know; all of it is shown");
    }
    if call.is_broken {
        view.because(
            "the agent's text holds half characters, shown as escapes; what runs may differ in them",
        );
    }
    if !call.folder.starts_with('/') {
        view.because("the agent did not say in which folder");
    }
    view
}

fn action(call: &Call, seen: &Seen) -> View {
    match &call.action {
        Action::Command(command) => run(command),
        Action::Change { path, how } => change::draw(call, path, how, seen),
        Action::Read { path } => {
            let headline = format!("Wants to read {}", path::named(&call.folder, path));
            View::new(&headline, vec![Block::File(line(path))])
        }
        Action::Fetch { url } => {
            let headline = match address::host(url) {
                Some(host) => format!("Wants to read a web page at {host}"),
                None => "Wants to read a web page".to_owned(),
            };
            View::new(&headline, vec![Block::Url(line(url))])
        }
        Action::Server { server, tool } => {
            let blocks = vec![text("server", server), text("tool", tool)];
            View::new(&format!("Wants to use {server}'s {tool}"), blocks)
        }
        Action::Other => View::new(&format!("Wants to use {}", call.tool.raw()), Vec::new()),
    }
}

fn run(command: &str) -> View {
    let headline = "Wants to run a command";
    if command.trim().is_empty() {
        let mut view = View::new(headline, vec![text("command", &crate::json::quoted(command))]);
        view.because("the command is empty");
        return view;
    }
    View::new(headline, vec![Block::Command(lines(command))])
}

fn argument(argument: &Argument) -> Block {
    text(&argument.name, &argument.text)
}

/// At most [`limits::VIEW_BLOCKS`] blocks: what is over is joined in the last one, whole.
fn joined(mut blocks: Vec<Block>) -> Vec<Block> {
    if blocks.len() <= limits::VIEW_BLOCKS {
        return blocks;
    }
    let over = blocks.split_off(limits::VIEW_BLOCKS - 1);
    let label = format!("{} more arguments", over.len());
    let parts: Vec<String> = over.iter().map(spelled_out).collect();
    blocks.push(text(&label, &parts.join("\n")));
    blocks
}

fn spelled_out(block: &Block) -> String {
    match block {
        Block::Text(labelled) => format!("{}: {}", labelled.label.raw(), labelled.text.raw()),
        Block::Command(text) | Block::File(text) | Block::Url(text) => text.raw().to_owned(),
        Block::Diff(diff) => format!("{}\n{}", diff.path.raw(), diff.lines.raw()),
        Block::Question(question) => format!("{}: {}", question.tag.raw(), question.text.raw()),
    }
}

/// A text block.
pub(crate) fn text(label: &str, text: &str) -> Block {
    Block::Text(Labelled { label: line(label), text: lines(text) })
}

/// Foreign text on one line, escaped.
pub(crate) fn line(text: &str) -> Foreign {
    Shown::line(text).into()
}

/// Foreign text with lines, escaped.
pub(crate) fn lines(text: &str) -> Foreign {
    Shown::lines(text).into()
}
