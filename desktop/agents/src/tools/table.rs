//! The shape of the lists: one agent, one tool, and what it does with which argument.

/// One agent.
#[derive(Debug)]
pub(super) struct Agent {
    /// The adapter's id.
    pub(super) id: &'static str,
    /// Its own tools.
    pub(super) tools: &'static [Tool],
    /// Server and tool in the name of an MCP server's tool that does not begin with `mcp__`.
    pub(super) server: fn(&str) -> Option<(&str, &str)>,
    /// POL-8.
    pub(super) takes_allow_lines: bool,
}

/// A tool, or several of the same arguments.
#[derive(Debug)]
pub(super) struct Tool {
    /// Its names, older ones included.
    pub(super) names: &'static [&'static str],
    /// What it does.
    pub(super) does: Does,
    /// Arguments that are left out of a rule's key (RULE-1).
    pub(super) advisory: &'static [&'static str],
    /// Other arguments that it is known to have, and that change nothing in what it does to which files.
    pub(super) plain: &'static [&'static str],
}

/// What a tool does. Where several names stand for one argument, newer versions and older ones call it differently; every
/// one that a call has counts.
#[derive(Debug)]
pub(super) enum Does {
    /// Runs a command, given as text or, for some, as words.
    Runs { command: Names, folder: Names, language: Language },
    /// Types a text into a program that runs.
    Types { text: Names },
    /// Reads files or folders.
    Reads { path: Names },
    /// Lists a folder; without one, the current.
    Lists { path: Names },
    /// Searches contents below a folder; without one, the current. `only` is a pattern that narrows it.
    Searches { pattern: Names, path: Names, only: Names },
    /// Looks for names by a pattern, below a folder.
    Matches { pattern: Names, path: Names },
    /// Writes a file. It needs all arguments of one of these sets.
    Writes { path: Names, needs: &'static [Names] },
    /// Applies a patch that names its files itself.
    Patches { text: Names },
    /// Reads an address.
    Fetches { url: Names },
    /// Searches the web.
    SearchesWeb { query: Names },
    /// Reads what an MCP server offers, named by this argument.
    ReadsFromServer { server: Names },
    /// Known by name, but what comes of it can't be told from the call.
    CantBeTold,
}

/// Names of one argument.
pub(super) type Names = &'static [&'static str];

/// What a command's text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Bash or a POSIX shell.
    Bash,
    /// Bash, or words in a list.
    BashOrWords,
    /// Bash, unless the argument `shell` names another one.
    BashOrNamed,
    /// `PowerShell`.
    PowerShell,
}

impl Does {
    /// Every argument that it looks at.
    pub(super) fn arguments(&self) -> Vec<&'static str> {
        let lists: Vec<Names> = match self {
            Self::Runs { command, folder, language } => match language {
                Language::BashOrNamed => vec![command, folder, &["shell"]],
                Language::Bash | Language::BashOrWords | Language::PowerShell => vec![command, folder],
            },
            Self::Types { text } | Self::Patches { text } => vec![text],
            Self::Reads { path } | Self::Lists { path } => vec![path],
            Self::Searches { pattern, path, only } => vec![pattern, path, only],
            Self::Matches { pattern, path } => vec![pattern, path],
            Self::Writes { path, needs } => [&[*path], *needs].concat(),
            Self::Fetches { url } => vec![url],
            Self::SearchesWeb { query } => vec![query],
            Self::ReadsFromServer { server } => vec![server],
            Self::CantBeTold => Vec::new(),
        };
        lists.concat()
    }
}

/// Server and tool of `mcp__SERVER__TOOL`, the spelling of most agents. A server's name may itself hold `__`; the first
/// one is taken for the end of it, which changes no judgement.
pub(super) fn marked(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// For agents with no other spelling.
pub(super) const fn unmarked(_: &str) -> Option<(&str, &str)> {
    None
}
