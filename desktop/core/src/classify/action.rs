//! What a tool call asks for, in words that no agent owns. Adapters map their tools to this.

/// What a call asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Runs a command.
    Shell(Shell),
    /// Reads or changes files, one use a file; a patch has several.
    Files(Vec<FileUse>),
    /// Reads an address on the network.
    Fetch {
        /// The address, as sent.
        url: String,
    },
    /// Searches the web.
    WebSearch {
        /// The words.
        query: String,
    },
    /// Uses the tool of an MCP server.
    Server {
        /// The server.
        server: String,
        /// The tool's name there.
        tool: String,
        /// Every text in the arguments, however deep, with its dotted name.
        arguments: Vec<(String, String)>,
    },
    /// A tool that nobody foresaw, or one whose arguments have an unknown shape: never green, and red or refused where
    /// an argument names a path that makes it so (LVL-4). Every text in the arguments, as for a server's tool.
    Unknown(Vec<(String, String)>),
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// What to run.
    pub script: Script,
    /// The folder to run it in, where the call names one, as sent; else the call's own folder.
    pub folder: Option<String>,
}

/// The text or words of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// Text for a POSIX shell or bash.
    Bash(String),
    /// Text for `PowerShell`.
    PowerShell(String),
    /// Words, given to the system as they are: the first is the program.
    Words(Vec<String>),
    /// Text that goes into a running program, or a command in a shape nobody foresaw. Judged as bash and as `PowerShell`
    /// text, whichever is worse, and as yellow and `unknown` at the least: never green, never simple.
    Typed(String),
}

/// One use of one file or folder by a file tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    /// The path, as sent; for [`FileHow::Match`] a pattern.
    pub path: String,
    /// What happens to it.
    pub how: FileHow,
}

/// What a file tool does with a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileHow {
    /// Reads a file.
    Read,
    /// Lists a folder.
    List,
    /// Searches the contents of a folder or file.
    Search,
    /// Looks for names that match a pattern.
    Match,
    /// Writes a file, whole or in part; what it held can be told from the card.
    Write,
    /// Deletes a file.
    Delete,
    /// Moves a file to this path.
    Move(String),
    /// A change in a shape nobody foresaw: a patch that is none, a write without a path.
    Unclear,
}
