//! What the classifier made of a call.

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use super::resolver::Program;

/// Which kind of line may allow a call (POL-4, POL-5, PERM-4). Ordered: the least of a call's parts holds for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// None: destructive, spend, guard, refused, publishing, network beyond POL-7, MCP, unknown programs.
    Never,
    /// Only a permission file: builds, tests, interpreters, Git commands that run hooks (PERM-4).
    File,
    /// A `command` or `tool` line that names it, and a permission file: known and undoable, but wide ones ask
    /// (`cp`, `mv`, `sed -i`, `tar`: POL-7).
    Named,
    /// Any allow line of its class too.
    Class,
}

/// What a refusal is about (REF-1..3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusedFor {
    /// A push to a protected branch.
    ProtectedBranch,
    /// A closed path: credentials, private stores, other agents' conversations.
    ClosedPath,
    /// A `.env` file, read by a file tool.
    EnvFile,
    /// Countersign's own files, processes or command line.
    Countersign,
}

impl RefusedFor {
    /// The word in the log and in `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProtectedBranch => "protected-branch",
            Self::ClosedPath => "closed-path",
            Self::EnvFile => "env-file",
            Self::Countersign => "countersign",
        }
    }
}

/// A call that nobody may allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What it is about.
    pub about: RefusedFor,
    /// Why, in words for the agent and the log.
    pub words: Shown,
}

/// Where a path lies, links followed. Ordered from harmless to closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// `/dev/null` and its kin (LVL-3), or a program's path in command position.
    Exempt,
    /// In the project.
    Inside,
    /// In the project's `.git`.
    Git,
    /// In a temporary folder.
    Temporary,
    /// Outside the project, or it can't be told.
    Outside,
    /// An `.env` file, in the project or not.
    Env,
    /// An agent's settings, hooks, permissions, plugins or MCP file, or a shell's start-up file (REF-3).
    Guarded,
    /// A closed path (REF-2).
    Closed,
    /// Countersign's own data (REF-2, REF-3).
    Own,
}

/// A path that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFact {
    /// As written, without what stood around it in its word.
    pub written: String,
    /// Absolute, links followed, where that can be told.
    pub real: Option<String>,
    /// Where it lies.
    pub place: Place,
    /// Whether the call may change or delete it.
    pub is_changed: bool,
}

/// A program that a call starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFact {
    /// As written.
    pub name: String,
    /// What it starts.
    pub program: Program,
    /// Whether it lies in the project, or in the user's temporary folders (REQ-5).
    pub is_in_project: bool,
}

/// One command that a call runs, as far as its words can be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Program and arguments, quotes taken off. Where a word can't be known it is left as written.
    pub words: Vec<String>,
    /// What this command does by itself.
    pub class: Class,
    /// How loud it is by itself.
    pub level: Level,
    /// Which lines may allow it.
    pub reach: Reach,
    /// Whether its words are exactly known: it stands in a text of the restricted grammar, unwrapped.
    pub is_plain: bool,
}

/// A call's shell side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellFact {
    /// Every command found, those inside wrappers and substitutions included, in their order.
    pub ran: Vec<Ran>,
    /// Whether the whole text is of the restricted grammar, so that `ran` is all it runs.
    pub is_simple: bool,
    /// The words of the one command, where the text is nothing but bare words between single spaces: no operator, quote,
    /// glob, tab or line break, and at most 300 characters. What a policy line's `command` is compared with (POL-5).
    pub bare: Option<Vec<String>>,
}

/// What a call would do. Only [`super::classify`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub(super) class: Class,
    pub(super) level: Level,
    pub(super) refused: Option<Refused>,
    pub(super) may_remember: bool,
    pub(super) reach: Reach,
    pub(super) shell: Option<ShellFact>,
    pub(super) paths: Vec<PathFact>,
    pub(super) hosts: Vec<String>,
    pub(super) programs: Vec<ProgramFact>,
    pub(super) drivers: Vec<String>,
    pub(super) brings_in: bool,
    pub(super) reasons: Vec<Shown>,
    pub(super) headline: Shown,
}

impl Facts {
    /// Its class: the worst of all parts (LVL-4).
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// Its level: the loudest of all parts.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Why nobody may allow it, where that is so.
    #[must_use]
    pub const fn refused(&self) -> Option<&Refused> {
        self.refused.as_ref()
    }

    /// Whether a card may offer *Always* (RULE-3): yellow or green, not destructive, spend or guard, one line of at most
    /// 300 characters, nothing hidden. Green is a property of the request; no card shows it.
    #[must_use]
    pub const fn may_remember(&self) -> bool {
        self.may_remember
    }

    /// Which lines may allow it, for any agent.
    #[must_use]
    pub const fn reach(&self) -> Reach {
        self.reach
    }

    /// Its shell side; `None` for tools that run no command.
    #[must_use]
    pub const fn shell(&self) -> Option<&ShellFact> {
        self.shell.as_ref()
    }

    /// The paths it names.
    #[must_use]
    pub fn paths(&self) -> &[PathFact] {
        &self.paths
    }

    /// The hosts it names.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The programs it starts.
    #[must_use]
    pub fn programs(&self) -> &[ProgramFact] {
        &self.programs
    }

    /// Script operands and build drivers in the project that decide what it runs (REQ-6): absolute paths, sorted, to be
    /// hashed into a rule. A file that does not exist counts: its absence is part of what was decided.
    #[must_use]
    pub fn drivers(&self) -> &[String] {
        &self.drivers
    }

    /// Whether it brings content from outside into the session (TAINT-1).
    #[must_use]
    pub const fn brings_in(&self) -> bool {
        self.brings_in
    }

    /// Why, in words for the card, the most important first.
    #[must_use]
    pub fn reasons(&self) -> &[Shown] {
        &self.reasons
    }

    /// What it is about, in our words and never the agent's.
    #[must_use]
    pub const fn headline(&self) -> &Shown {
        &self.headline
    }
}

#[cfg(test)]
impl Facts {
    /// Facts as a test wants them: harmless but for these three.
    pub(crate) fn for_test(class: Class, level: Level, reach: Reach) -> Self {
        Self {
            class,
            level,
            refused: None,
            may_remember: level != Level::Red,
            reach,
            shell: None,
            paths: Vec::new(),
            hosts: Vec::new(),
            programs: Vec::new(),
            drivers: Vec::new(),
            brings_in: false,
            reasons: Vec::new(),
            headline: Shown::line("Wants to do something"),
        }
    }

    /// With this shell side.
    pub(crate) fn with_shell(mut self, shell: ShellFact) -> Self {
        self.shell = Some(shell);
        self
    }

    /// With a path more.
    pub(crate) fn with_path(mut self, path: PathFact) -> Self {
        self.paths.push(path);
        self
    }

    /// With a host more.
    pub(crate) fn with_host(mut self, host: &str) -> Self {
        self.hosts.push(host.to_owned());
        self
    }

    /// With a program more.
    pub(crate) fn with_program(mut self, program: ProgramFact) -> Self {
        self.programs.push(program);
        self
    }

    /// Refused.
    pub(crate) fn with_refusal(mut self, refused: Refused) -> Self {
        self.refused = Some(refused);
        self
    }
}
