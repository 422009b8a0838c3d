//! How wide a line is, in a person's words (POL-7).

use countersign_proto::request::Class;

use crate::{
    classify::{Action, Call, Reach, Script, Shell, classify},
    policy::{
        Effect,
        builtin::Plain,
        line::{Line, LineClass, Object},
        permission::Rule,
    },
};

/// What a line of a policy lets pass or keeps away.
pub(super) fn of_line(line: &Line) -> String {
    match line.effect {
        Effect::Allow => allow(&line.object),
        Effect::Ask => format!("asks you first about {}, also where you said Always.", about(&line.object)),
        Effect::Deny => format!("refuses {}, whatever else allows it.", about(&line.object)),
    }
}

fn allow(object: &Object) -> String {
    match object {
        Object::Class(LineClass::Read) => {
            "lets known reads in the project pass; what is read reaches the agent and whoever runs it.".to_owned()
        }
        Object::Class(LineClass::ReadExternal) => {
            "lets known reads from the network pass, such as `gh pr list`, `git fetch` and web searches; their words go \
             out of the project, and what comes back may try to steer the agent. Fetching an address still asks."
                .to_owned()
        }
        Object::Class(LineClass::Write) => {
            "lets known writes in the project pass that can be undone, also to files that run later, such as a Makefile, \
             package.json or a test."
                .to_owned()
        }
        Object::Class(LineClass::External) => {
            "lets known actions on the outside pass, such as `gh pr merge`, `gh gist create` and `docker push`; they may \
             carry files out of the project. Pushing, publishing, deploying and deleting still ask."
                .to_owned()
        }
        Object::Command { words, is_open } => {
            let command = words.join(" ");
            match never(&command) {
                Some(why) => format!("allows nothing: `{command}` always asks, {why}."),
                None if *is_open => format!("lets `{command}` pass with any words behind it that name nothing outside."),
                None => format!("lets `{command}` pass, with nothing behind it."),
            }
        }
        Object::Tool(name) => format!("lets the tool {name} pass for one file or search in the project."),
        Object::Host(_) | Object::Server(_) | Object::Path { .. } | Object::Recipient(_) => String::new(),
    }
}

fn about(object: &Object) -> String {
    match object {
        Object::Class(class) => {
            format!("everything that is {}, and commands of which any part is", class.name())
        }
        Object::Command { words, .. } => format!(
            "`{}` with whatever follows, by any path to the program and inside other commands",
            words.join(" ")
        ),
        Object::Tool(name) if crate::policy::names::is_shell(name) => {
            "every command of every agent".to_owned()
        }
        Object::Tool(name) => format!("the tool {name}"),
        Object::Host(host) => format!("what goes to {host} or a host below it"),
        Object::Server(server) => format!("every tool of the MCP server {server}"),
        Object::Path { written, .. } => format!("what names {written} or anything in it"),
        Object::Recipient(who) => format!("tools and commands that name {who}"),
    }
}

/// Why no line ever allows a command, where that is so.
fn never(command: &str) -> Option<&'static str> {
    const PROJECT: &str = "/home/u/project";
    let action = Action::Shell(Shell { script: Script::Bash(command.to_owned()), folder: None });
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action: &action,
        folder: PROJECT,
        worktree: PROJECT,
        home: "/home/u",
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    let facts = classify(&call, &Plain);
    if facts.refused().is_some() {
        return Some("or is refused");
    }
    match (facts.class(), facts.reach()) {
        (Class::Destructive, _) => Some("since it is destructive"),
        (Class::Spend, _) => Some("since it costs money"),
        (Class::Guard, _) => Some("since it changes what watches over agents"),
        (_, Reach::File) => Some("since it runs code of the project; a permission file may allow it"),
        (Class::Unknown, Reach::Never) => Some("since nobody can tell what it does"),
        (_, Reach::Never) => Some("since it reaches too far for a line"),
        (_, Reach::Named | Reach::Class) => None,
    }
}

/// What a rule of a permission file lets pass or keeps away.
pub(super) fn of_rule(rule: &Rule) -> String {
    let rule_words = rule.to_string();
    match rule.effect() {
        Effect::Deny => format!("{rule_words}: refuses it, whatever else allows it."),
        Effect::Ask => format!("{rule_words}: asks you first, unless it is a green read or you said Always."),
        Effect::Allow => {
            let what = match rule.key() {
                "bash" | "*" => {
                    "lets commands pass, also builds, tests and interpreters, which run code of the project; what is \
                     destructive, costs money or goes to the network beyond what lines may allow still asks"
                }
                "edit" => "lets changes pass, also to files that run later",
                "external_directory" => {
                    "lets other rules reach outside the project, for changes too where `edit` allows"
                }
                "references" => "lets files there be read",
                "webfetch" => "allows nothing by itself: fetching an address always asks",
                "doom_loop" => "lets the same call pass again and again",
                _ => "lets it pass in the project",
            };
            format!("{rule_words}: {what}.")
        }
    }
}
