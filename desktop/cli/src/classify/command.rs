//! `classify COMMAND`: one command, by the files, programs and repositories that are here.

use countersign_agents::{measure, tools};
use countersign_core::classify::{
    Call, Facts, Program, classify,
    facts::{PathFact, Place, ProgramFact},
};
use countersign_daemon::sight::{self, Sight, User};
use countersign_ipc::account;
use countersign_proto::text::Shown;
use serde::Serialize;
use serde_json::json;

use crate::{output, trouble::Trouble};

/// The agent and the tool that a command is judged as.
const AGENT: &str = "claude";
const TOOL: &str = "Bash";

pub(super) async fn run(command: &str, is_json: bool) -> Result<(), Trouble> {
    let (sight, folder) = here()?;
    let command = command.to_owned();
    let judged = sight::judge(sight.clone(), move |world| {
        let action = tools::action(AGENT, TOOL, &json!({ "command": command }));
        let call = Call {
            agent: AGENT,
            tool: TOOL,
            action: &action,
            folder: &folder,
            worktree: &sight.worktree,
            home: &sight.home,
            takes_allow_lines: tools::takes_allow_lines(AGENT),
            protected: &[],
            env_is_lifted: false,
        };
        classify(&call, world)
    })
    .await;
    let told = Told::of(&judged);
    if is_json { output::print_json(&told) } else { output::print(&told.text()) }
}

/// Who looks, and the current folder.
pub fn here() -> Result<(Sight, String), Trouble> {
    let folder = std::env::current_dir().map_err(Trouble::System)?;
    // A folder that is no text can't be told, and counts as unknown.
    let folder = folder.to_str().unwrap_or_default().to_owned();
    let home = account::home(account::uid())?.to_str().unwrap_or_default().to_owned();
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let sight = Sight {
        path: variable("PATH"),
        home,
        worktree: folder.clone(),
        temporary: variable("TMPDIR"),
        user: User::own(),
    };
    Ok((sight, folder))
}

/// What is told of a command.
#[derive(Debug, Serialize)]
struct Told {
    headline: String,
    level: &'static str,
    class: &'static str,
    refused: Option<String>,
    always_offered: bool,
    policy_allow_possible: bool,
    reasons: Vec<String>,
    paths: Vec<ToldPath>,
    programs: Vec<ToldProgram>,
    hosts: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ToldPath {
    written: String,
    real: Option<String>,
    place: &'static str,
    is_changed: bool,
}

#[derive(Debug, Serialize)]
struct ToldProgram {
    name: String,
    path: Option<String>,
    standing: &'static str,
}

impl Told {
    fn of(facts: &Facts) -> Self {
        Self {
            headline: facts.headline().as_str().to_owned(),
            level: facts.level().name(),
            class: facts.class().name(),
            refused: facts.refused().map(|refused| refused.words.as_str().to_owned()),
            always_offered: facts.may_remember(),
            policy_allow_possible: tools::takes_allow_lines(AGENT) && measure::may_be_allowed(facts),
            reasons: facts.reasons().iter().map(|reason| reason.as_str().to_owned()).collect(),
            paths: facts.paths().iter().map(ToldPath::of).collect(),
            programs: facts.programs().iter().map(ToldProgram::of).collect(),
            hosts: facts.hosts().iter().map(|host| shown(host)).collect(),
        }
    }

    fn text(&self) -> String {
        let mut lines =
            vec![self.headline.clone(), format!("{}, {}: {}", self.level, self.class, self.outcome())];
        let reasons = self.reasons.iter().filter(|reason| self.refused.as_ref() != Some(*reason));
        lines.extend(reasons.map(|reason| format!("  why     {reason}")));
        lines.extend(self.paths.iter().map(|path| format!("  path    {}", path.text())));
        lines.extend(self.programs.iter().map(|program| format!("  program {}", program.text())));
        lines.extend(self.hosts.iter().map(|host| format!("  host    {host}")));
        lines.join("\n") + "\n"
    }

    /// What follows from level, class and the rest.
    fn outcome(&self) -> String {
        if let Some(refused) = &self.refused {
            return format!("refused, whatever anyone answers ({refused})");
        }
        let passes = if self.level == "green" {
            "passes by the built-in policy, if you accepted that"
        } else {
            "asks"
        };
        let always = if self.always_offered { "may become Always" } else { "never becomes Always" };
        let line = if self.policy_allow_possible {
            "a policy line may allow it"
        } else {
            "no policy line may allow it"
        };
        format!("{passes}; {always}; {line}")
    }
}

impl ToldPath {
    fn of(fact: &PathFact) -> Self {
        Self {
            written: shown(&fact.written),
            real: fact.real.as_deref().map(shown),
            place: place(fact.place),
            is_changed: fact.is_changed,
        }
    }

    fn text(&self) -> String {
        let real = match &self.real {
            Some(real) if *real == self.written => String::new(),
            Some(real) => format!(" is {real},"),
            None => " leads nobody knows where,".to_owned(),
        };
        let changed = if self.is_changed { ", may be changed" } else { "" };
        format!("{}{real} {}{changed}", self.written, self.place)
    }
}

impl ToldProgram {
    fn of(fact: &ProgramFact) -> Self {
        let (path, standing) = match &fact.program {
            Program::Trusted(path) => (Some(path), "you can't change it"),
            Program::Writable(path) if fact.is_in_project => (Some(path), "it lies in the project"),
            Program::Writable(path) => (Some(path), "you could change it"),
            Program::Missing => (None, "there is no such program"),
            Program::Unknown => (None, "it can't be told what this starts"),
        };
        Self { name: shown(&fact.name), path: path.map(|path| shown(path)), standing }
    }

    fn text(&self) -> String {
        let path = self.path.as_deref().filter(|path| *path != self.name);
        let path = path.map(|path| format!(" is {path},")).unwrap_or_default();
        format!("{}{path} {}", self.name, self.standing)
    }
}

const fn place(place: Place) -> &'static str {
    match place {
        Place::Exempt => "harmless",
        Place::Inside => "inside the project",
        Place::Git => "inside the project's .git",
        Place::Temporary => "in a temporary folder",
        Place::Outside => "outside the project",
        Place::Env => "an .env file",
        Place::Guarded => "settings of an agent or a shell",
        Place::Closed => "closed",
        Place::Own => "Countersign's own",
    }
}

fn shown(text: &str) -> String {
    Shown::line(text).as_str().to_owned()
}
