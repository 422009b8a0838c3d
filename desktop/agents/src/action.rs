//! What a tool call would do, in words that no agent owns: adapters map their tools to this, and the view is drawn
//! from it.

use crate::edit::Edit;

/// What a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Runs a command line.
    Command(String),
    /// Changes a file.
    Change {
        /// The file, as the agent wrote it.
        path: String,
        /// How.
        how: How,
    },
    /// Reads a file.
    Read {
        /// The file, as the agent wrote it.
        path: String,
    },
    /// Reads a web page.
    Fetch {
        /// Its address.
        url: String,
    },
    /// Uses the tool of an MCP server.
    Server {
        /// The server.
        server: String,
        /// The tool's name there.
        tool: String,
    },
    /// Anything else: the tool's name and its arguments are all there is to show.
    Other,
}

/// How a file is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum How {
    /// All of it is written anew.
    Write(String),
    /// Texts in it are replaced.
    Edit(Vec<Edit>),
    /// A cell of a notebook is changed.
    Cell {
        /// The cell, where one is named.
        cell: Option<String>,
        /// What happens to it.
        what: Cell,
        /// The new source.
        source: String,
    },
}

/// What happens to a notebook's cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Its source is replaced.
    Replaced,
    /// A new one is put after it, or first.
    Inserted,
    /// It is deleted.
    Deleted,
}

/// An argument that the action doesn't show by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    /// Its name.
    pub(crate) name: String,
    /// Its whole value, never blank.
    pub(crate) text: String,
}
