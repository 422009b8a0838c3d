//! The line language as data (POL-1): what one policy says. [`fmt::Display`] writes it back as a text that parses to the
//! same policy.

use core::fmt;

use countersign_proto::request::Class;

use super::{Effect, place, trouble::Remark};

/// A policy that a person wrote, parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// The folder it is for; `None` for everywhere.
    pub project: Option<Project>,
    /// The agents it is for; `None` for all.
    pub agents: Option<Vec<String>>,
    /// What it says, in the order of the text. The order means nothing.
    pub lines: Vec<Line>,
    /// What its writer should know, though it can be accepted.
    pub remarks: Vec<Remark>,
}

/// The folder that a policy is for, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// As written: `~/proj`.
    pub written: String,
    /// Absolute, without decoration.
    pub path: String,
}

/// One line that has a say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number in the text, from 1.
    pub number: u32,
    /// What it says.
    pub effect: Effect,
    /// About what.
    pub object: Object,
}

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// Every action of a class.
    Class(LineClass),
    /// A command that begins with these words.
    Command {
        /// Program and words; never empty.
        words: Vec<String>,
        /// Whether a `*` lets more words follow. Deny and ask lines cover what follows anyway.
        is_open: bool,
    },
    /// A tool, by the name that its agent sends.
    Tool(String),
    /// A host and every host below it; deny and ask only (EFF-2).
    Host(String),
    /// Every tool of an MCP server; deny and ask only (EFF-2).
    Server(String),
    /// A file, or a folder with all that is in it; deny and ask only (EFF-2).
    Path {
        /// As written.
        written: String,
        /// Absolute, without decoration.
        path: String,
    },
    /// Whoever gets something: an address, number or name that stands in a call as a word of its own; deny and ask only
    /// (EFF-2).
    Recipient(String),
}

/// The classes that a line may name (POL-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineClass {
    /// Reads in the project.
    Read,
    /// Reads from the network.
    ReadExternal,
    /// Changes files.
    Write,
    /// Acts on the outside.
    External,
}

impl LineClass {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Read, Self::ReadExternal, Self::Write, Self::External];

    /// The word in a line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.class().name()
    }

    /// The class itself.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::Read => Class::Read,
            Self::ReadExternal => Class::ReadExternal,
            Self::Write => Class::Write,
            Self::External => Class::External,
        }
    }
}

impl Effect {
    /// The verb in a line, and the action in a permission file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl Policy {
    /// Whether it is for this agent (POL-1). Without an `agents` line it is for whatever asks.
    #[must_use]
    pub fn is_for(&self, agent: &str) -> bool {
        self.agents.as_ref().is_none_or(|agents| agents.iter().any(|name| name == agent))
    }

    /// Whether it holds in a folder: an absolute path.
    #[must_use]
    pub fn holds_in(&self, folder: &str) -> bool {
        match &self.project {
            None => true,
            Some(project) => {
                place::plain(folder).is_some_and(|folder| place::is_within(&folder, &project.path))
            }
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class(class) => f.write_str(class.name()),
            Self::Command { words, is_open } => {
                write!(f, "command {}", words.join(" "))?;
                if *is_open { f.write_str(" *") } else { Ok(()) }
            }
            Self::Tool(name) => write!(f, "tool {name}"),
            Self::Host(host) => write!(f, "host {host}"),
            Self::Server(server) => write!(f, "server {server}"),
            Self::Path { written, .. } => write!(f, "path {written}"),
            Self::Recipient(who) => write!(f, "recipient {who}"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.effect.name(), self.object)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(project) = &self.project {
            writeln!(f, "project {}", project.written)?;
        }
        if let Some(agents) = &self.agents {
            writeln!(f, "agents {}", agents.join(" "))?;
        }
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
