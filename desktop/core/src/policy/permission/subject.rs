//! What the rules of a permission file are compared with: the parts of a call, each under the names that its tool goes by
//! (PERM-1, PERM-2).

use crate::{
    classify::{
        Action, FileHow, FileUse, Script,
        facts::{PathFact, Place, Ran},
    },
    policy::{Asked, names, place},
};

/// One part of a call. Each must be allowed by itself; the strictest holds for the call.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// The names that the tool goes by: the common one and the agent's own.
    pub(super) names: Vec<&'a str>,
    /// What it does it to.
    pub(super) subject: Subject,
}

/// What a part is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// One thing that is called by several names: it matches where one of a group matches. Groups are looked at one by
    /// one, as a link is where it stands and where it leads; the strictest holds.
    Called(Vec<Vec<String>>),
    /// It can't be told, so any rule might be about it.
    Untold,
}

/// The parts of a call.
pub(super) fn parts<'a>(asked: &'a Asked<'_>) -> Vec<Part<'a>> {
    match asked.action {
        Action::Shell(shell) => {
            let ran = asked.facts.shell().map_or(&[][..], |shell| shell.ran.as_slice());
            let names = || vec!["bash", asked.tool];
            if ran.is_empty() {
                let text = match &shell.script {
                    Script::Bash(text) | Script::PowerShell(text) | Script::Typed(text) => {
                        text.trim().to_owned()
                    }
                    Script::Words(words) => words.join(" "),
                };
                return vec![Part { names: names(), subject: Subject::Called(vec![vec![text]]) }];
            }
            ran.iter().map(|ran| Part { names: names(), subject: Subject::Called(commands(ran)) }).collect()
        }
        Action::Files(files) if files.is_empty() => {
            vec![Part { names: vec!["edit", "read", asked.tool], subject: Subject::Untold }]
        }
        Action::Files(files) => files.iter().flat_map(|file| uses(file, asked)).collect(),
        Action::Fetch { url } => vec![Part { names: vec!["webfetch", asked.tool], subject: called(url) }],
        Action::WebSearch { query } => {
            vec![Part { names: vec!["websearch", asked.tool], subject: called(query) }]
        }
        Action::Server { server, tool, .. } => {
            let mut names = vec![asked.tool];
            if !asked.tool.contains(server.as_str()) {
                names.push(tool);
            }
            vec![Part { names, subject: Subject::Untold }]
        }
        Action::Unknown(_) => {
            let mut names = vec![asked.tool];
            if names::is_subagent(asked.tool) {
                names.push("task");
            }
            vec![Part { names, subject: Subject::Untold }]
        }
    }
}

fn called(text: &str) -> Subject {
    Subject::Called(vec![vec![text.to_owned()]])
}

/// A command as it stands, and with its program's bare name.
fn commands(ran: &Ran) -> Vec<Vec<String>> {
    let as_written = ran.words.join(" ");
    let (Some(program), arguments) = (ran.words.first(), ran.words.get(1..).unwrap_or_default()) else {
        return vec![vec![as_written]];
    };
    let bare = program.rsplit('/').next().unwrap_or(program);
    if bare == program {
        return vec![vec![as_written]];
    }
    let mut words = vec![bare];
    words.extend(arguments.iter().map(String::as_str));
    vec![vec![as_written], vec![words.join(" ")]]
}

fn uses<'a>(file: &'a FileUse, asked: &'a Asked<'_>) -> Vec<Part<'a>> {
    let (name, also) = match &file.how {
        FileHow::Read => ("read", None),
        FileHow::List => ("list", None),
        FileHow::Search => ("grep", None),
        FileHow::Match => ("glob", None),
        FileHow::Write | FileHow::Delete | FileHow::Unclear => ("edit", None),
        FileHow::Move(to) => ("edit", Some(to)),
    };
    let paths = core::iter::once(&file.path).chain(also);
    paths.map(|path| Part { names: vec![name, asked.tool], subject: path_subject(path, asked) }).collect()
}

/// A path as sent, absolute and relative to the project; and where it really leads, where that is elsewhere.
fn path_subject(written: &str, asked: &Asked<'_>) -> Subject {
    let mut here = vec![written.to_owned()];
    here.extend(spellings(place::absolute(written, asked.folder, asked.home), asked));
    let leads = asked.facts.paths().iter().find(|fact| fact.written == written);
    let there: Vec<String> = spellings(leads.and_then(|fact| fact.real.clone()), asked).collect();
    let is_elsewhere = there.first().is_some_and(|real| !here.contains(real));
    Subject::Called(if is_elsewhere { vec![here, there] } else { vec![here] })
}

fn spellings(absolute: Option<String>, asked: &Asked<'_>) -> impl Iterator<Item = String> {
    let relative = absolute
        .as_deref()
        .zip(project(asked))
        .and_then(|(path, project)| place::below(path, &project).map(str::to_owned));
    absolute.into_iter().chain(relative)
}

/// The project: where the session started, or else where the agent stands.
pub(super) fn project(asked: &Asked<'_>) -> Option<String> {
    place::plain(asked.session.start_folder.unwrap_or(asked.folder))
}

/// What `external_directory` is compared with: each path outside the project, as it stands and where it leads.
pub(super) fn outside<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = (&'a PathFact, Subject)> {
    let project = project(asked);
    asked.facts.paths().iter().filter_map(move |fact| {
        let written = place::absolute(&fact.written, asked.folder, asked.home);
        let real = fact.real.as_deref().and_then(place::plain);
        let is_inside = match fact.place {
            Place::Exempt | Place::Inside | Place::Git => true,
            Place::Temporary | Place::Outside => false,
            Place::Env | Place::Guarded | Place::Closed | Place::Own => {
                let at = real.as_deref().or(written.as_deref());
                at.zip(project.as_deref()).is_some_and(|(path, project)| place::is_within(path, project))
            }
        };
        if is_inside {
            return None;
        }
        // With a `/` behind it a folder matches what its own pattern `folder/**` says.
        let group = |path: String| vec![format!("{path}/"), path];
        let leads = real.map(group);
        let stands = written.map(group).filter(|group| leads.as_ref() != Some(group));
        // A link in the project that leads out is asked about for where it leads.
        let stands = stands.filter(|group| {
            let path = group.last().map_or("", String::as_str);
            !project.as_deref().is_some_and(|project| place::is_within(path, project))
        });
        let groups: Vec<Vec<String>> = leads.into_iter().chain(stands).collect();
        Some((fact, if groups.is_empty() { Subject::Untold } else { Subject::Called(groups) }))
    })
}
