//! Calls for the tests of lines and permission files: made by hand, so that they say what is tested and nothing else.

use countersign_proto::request::{Class, Level};

use super::{Asked, ConsentId, InForce, Origin, SessionView, Verdict, parse::parse, verdict};
use crate::classify::{
    Action, Facts, FileHow, FileUse, Reach, Script, Shell,
    facts::{PathFact, Place, Ran, ShellFact},
};

pub(super) const HOME: &str = "/home/u";
pub(super) const PROJECT: &str = "/home/u/proj";

/// A call of Claude Code's in its project, whole, in a session seen from its start.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) agent: &'static str,
    pub(super) tool: String,
    pub(super) action: Action,
    pub(super) facts: Facts,
    pub(super) folder: String,
    pub(super) start: Option<String>,
    pub(super) moved: bool,
    pub(super) is_tainted: bool,
    pub(super) is_whole: bool,
    pub(super) takes_allow_lines: bool,
    pub(super) repeats: u32,
    pub(super) profile: Option<&'static str>,
}

impl Sample {
    pub(super) fn of(tool: &str, action: Action, facts: Facts) -> Self {
        Self {
            agent: "claude",
            tool: tool.to_owned(),
            action,
            facts,
            folder: PROJECT.to_owned(),
            start: Some(PROJECT.to_owned()),
            moved: false,
            is_tainted: false,
            is_whole: true,
            takes_allow_lines: true,
            repeats: 1,
            profile: None,
        }
    }

    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            agent: self.agent,
            profile: self.profile,
            tool: &self.tool,
            action: &self.action,
            facts: &self.facts,
            folder: &self.folder,
            home: HOME,
            is_whole: self.is_whole,
            takes_allow_lines: self.takes_allow_lines,
            session: SessionView {
                start_folder: self.start.as_deref(),
                moved: self.moved,
                is_tainted: self.is_tainted,
                repeats: self.repeats,
            },
        }
    }

    /// What one policy of the person's says.
    pub(super) fn under(&self, text: &str) -> Verdict {
        verdict(&self.asked(), &[person(text)])
    }

    pub(super) fn of_agent(mut self, agent: &'static str) -> Self {
        self.agent = agent;
        self.takes_allow_lines = agent == "claude";
        self
    }
}

/// A text that the person accepted.
pub(super) fn person(text: &str) -> InForce {
    InForce::lines(Origin::Person(ConsentId([1; 16])), text, parse(text, HOME).unwrap())
}

/// A text of root's.
pub(super) fn managed(text: &str) -> InForce {
    InForce::lines(Origin::Managed, text, parse(text, HOME).unwrap())
}

/// One command of a chain or wrapper.
pub(super) fn ran(text: &str, class: Class, reach: Reach) -> Ran {
    let level = if class == Class::Read { Level::Green } else { Level::Yellow };
    let words = text.split(' ').map(str::to_owned).collect();
    Ran { words, class, level, reach, is_plain: true }
}

/// A command of bare words.
pub(super) fn bare(text: &str, class: Class, reach: Reach) -> Sample {
    let one = ran(text, class, reach);
    let shell = ShellFact { bare: Some(one.words.clone()), ran: vec![one], is_simple: true };
    command(text, Facts::for_test(class, Level::Yellow, reach).with_shell(shell))
}

/// Classes, the worst last (LVL-4).
const WORSE: [Class; 8] = [
    Class::Read,
    Class::ReadExternal,
    Class::Write,
    Class::Unknown,
    Class::External,
    Class::Guard,
    Class::Spend,
    Class::Destructive,
];

/// A command in the restricted grammar whose parts are these.
pub(super) fn chain(text: &str, parts: &[(&str, Class, Reach)]) -> Sample {
    let ran: Vec<Ran> = parts.iter().map(|(text, class, reach)| ran(text, *class, *reach)).collect();
    let worst = parts
        .iter()
        .map(|(_, class, _)| *class)
        .max_by_key(|class| WORSE.iter().position(|worse| worse == class))
        .unwrap();
    let reach = parts.iter().map(|(_, _, reach)| *reach).min().unwrap();
    let shell = ShellFact { bare: None, ran, is_simple: true };
    command(text, Facts::for_test(worst, Level::Yellow, reach).with_shell(shell))
}

/// A command with these facts.
pub(super) fn command(text: &str, facts: Facts) -> Sample {
    let shell = Shell { script: Script::Bash(text.to_owned()), folder: None };
    Sample::of("Bash", Action::Shell(shell), facts)
}

/// A file tool's use of one path.
pub(super) fn file(tool: &str, path: &str, how: FileHow, place: Place) -> Sample {
    let is_changed = matches!(how, FileHow::Write | FileHow::Delete);
    let class = if is_changed { Class::Write } else { Class::Read };
    let reach = if place == Place::Inside { Reach::Class } else { Reach::File };
    let fact = PathFact { written: path.to_owned(), real: Some(path.to_owned()), place, is_changed };
    let action = Action::Files(vec![FileUse { path: path.to_owned(), how }]);
    Sample::of(tool, action, Facts::for_test(class, Level::Green, reach).with_path(fact))
}

/// A tool of an MCP server.
pub(super) fn server(server: &str, tool: &str, arguments: &[(&str, &str)]) -> Sample {
    let arguments = arguments.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let action = Action::Server { server: server.to_owned(), tool: tool.to_owned(), arguments };
    let facts = Facts::for_test(Class::External, Level::Yellow, Reach::Never);
    Sample::of(&format!("mcp__{server}__{tool}"), action, facts)
}
