//! Finds the lines that may be about a call without looking at all of them: a thousand lines cost what ten cost.

use std::collections::BTreeMap;

use crate::policy::{
    line::{Line, LineClass, Object},
    names,
};

/// Positions of lines, by what they are about.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// By class.
    pub(super) classes: BTreeMap<LineClass, Vec<usize>>,
    /// By the bare name of the program.
    pub(super) commands: BTreeMap<String, Vec<usize>>,
    /// By tool.
    pub(super) tools: BTreeMap<String, Vec<usize>>,
    /// Those of the tools that are a shell.
    pub(super) shells: Vec<usize>,
    /// By host.
    pub(super) hosts: BTreeMap<String, Vec<usize>>,
    /// By MCP server.
    pub(super) servers: BTreeMap<String, Vec<usize>>,
    /// By absolute path.
    pub(super) paths: BTreeMap<String, Vec<usize>>,
    /// By recipient, in lower case.
    pub(super) recipients: BTreeMap<String, Vec<usize>>,
}

impl Index {
    pub(super) fn of(lines: &[Line]) -> Self {
        let mut index = Self::default();
        for (at, line) in lines.iter().enumerate() {
            match &line.object {
                Object::Class(class) => index.classes.entry(*class).or_default().push(at),
                Object::Command { words, .. } => {
                    let program = words.first().map_or("", |word| bare(word));
                    index.commands.entry(program.to_owned()).or_default().push(at);
                }
                Object::Tool(name) => {
                    index.tools.entry(name.clone()).or_default().push(at);
                    if names::is_shell(name) {
                        index.shells.push(at);
                    }
                }
                Object::Host(host) => index.hosts.entry(host.clone()).or_default().push(at),
                Object::Server(server) => index.servers.entry(server.clone()).or_default().push(at),
                Object::Path { path, .. } => index.paths.entry(path.clone()).or_default().push(at),
                Object::Recipient(who) => index.recipients.entry(who.to_lowercase()).or_default().push(at),
            }
        }
        index
    }
}

/// A program's bare name: `/usr/bin/curl` is `curl`.
pub(super) fn bare(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
