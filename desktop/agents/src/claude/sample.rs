//! Calls and views for tests.

use countersign_core::classify::{Program, Push, Real, Resolver};
use countersign_proto::request::Block;
use serde_json::{Value, json};

use crate::{Driver, Given, call::Call, claude, event::Event};

/// A call of a tool, in `/home/dev/site`.
pub(crate) fn call(tool: &str, input: &Value) -> Call {
    let event = json!({
        "session_id": "d8a69cf9-5ce3", "cwd": "/home/dev/site", "permission_mode": "default",
        "hook_event_name": "PermissionRequest", "tool_name": tool, "tool_input": input,
    });
    match claude::read(event.to_string().as_bytes()) {
        Event::Ask(call) => *call,
        other => panic!("{other:?}"),
    }
}

/// What a shell would give, had it seen nothing at all.
pub(crate) fn given() -> Given<'static> {
    Given {
        start_folder: None,
        project: None,
        home: "/home/dev",
        resolver: &Unseen,
        driver: &|_| Driver::Absent,
        risky: &[],
        protected: &[],
        env_is_lifted: false,
    }
}

struct Unseen;

impl Resolver for Unseen {
    fn real(&self, _path: &str) -> Real {
        Real::Unknown
    }

    fn program(&self, _name: &str, _folder: &str) -> Program {
        Program::Unknown
    }

    fn push(&self, _folder: &str) -> Push {
        Push::Unknown
    }

    fn git_starts_programs(&self, _folder: &str) -> bool {
        true
    }

    fn holds_private(&self, _folder: &str) -> bool {
        true
    }
}

/// The command of a view.
pub(crate) fn command(view: &[Block]) -> &str {
    let command = view.iter().find_map(|block| match block {
        Block::Command(command) => Some(command.raw()),
        _ => None,
    });
    command.expect("a command block")
}

/// Every text of a view.
pub(crate) fn words(view: &[Block]) -> String {
    let words = view.iter().map(|block| match block {
        Block::Command(text) | Block::File(text) | Block::Url(text) => text.raw().to_owned(),
        Block::Text(labelled) => format!("{}: {}", labelled.label.raw(), labelled.text.raw()),
        Block::Diff(diff) => {
            let new = if diff.is_new { "new " } else { "" };
            format!("{new}{} +{} -{}\n{}", diff.path.raw(), diff.added, diff.removed, diff.lines.raw())
        }
        Block::Question(question) => question.text.raw().to_owned(),
    });
    words.collect::<Vec<_>>().join("\n")
}
