//! What a call would do: a pure, total function from what an agent asks and what a [`Resolver`] sees to [`Facts`]
//! (REQ-2). Nothing here decides; every doubt ends at the strict side, and nothing but [`classify`] makes [`Facts`].

pub mod action;
pub mod call;
pub mod facts;
pub mod resolver;

mod cap;
mod finding;
mod path;
pub(crate) mod program;
pub(crate) mod scene;
mod shell;
mod tool;
mod windows;
pub(crate) mod word;

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

pub use self::{
    action::{Action, FileHow, FileUse, Script, Shell},
    call::Call,
    facts::{Facts, Reach, Refused},
    path::is_private,
    resolver::{Program, Push, Real, Resolver},
};
use self::{finding::Finding, scene::Scene, shell::Judged};

/// What a call would do (REQ-2). Total: every call has facts, and whatever can't be told makes them stricter.
#[must_use]
pub fn classify(call: &Call<'_>, world: &dyn Resolver) -> Facts {
    let scene = Scene { call: *call, world };
    let (mut finding, shell, paths, programs) = match call.action {
        Action::Shell(action) => {
            let Judged { mut finding, fact, paths, programs } = shell::judge(action, &scene);
            if finding.refused.is_none() {
                finding.refused = program::local::git::sequence::refused(&fact.ran, &scene);
            }
            (finding, Some(fact), paths, programs)
        }
        Action::Files(_)
        | Action::Fetch { .. }
        | Action::WebSearch { .. }
        | Action::Server { .. }
        | Action::Unknown(_) => {
            let (finding, paths) = tool::judge(call.action, &scene);
            (finding, None, paths, Vec::new())
        }
    };
    cap::cap(&mut finding, call.action);
    let headline = headline(&finding, shell.as_ref(), call.action);
    let drivers = drivers(&finding, &scene);
    let mut hosts = finding.hosts;
    hosts.sort();
    hosts.dedup();
    Facts {
        class: finding.class,
        level: finding.level,
        refused: finding.refused,
        may_remember: finding.may_remember,
        reach: finding.reach,
        shell,
        paths,
        hosts,
        programs,
        drivers,
        brings_in: finding.brings_in,
        reasons: finding.reasons,
        headline,
    }
}

/// The finding's own headline, or one made of what the call is.
fn headline(finding: &Finding, shell: Option<&facts::ShellFact>, action: &Action) -> Shown {
    if let Some(headline) = &finding.headline {
        return headline.clone();
    }
    if let Some(shell) = shell {
        return shell::headline::headline(shell, finding.class);
    }
    let words = match action {
        Action::Files(_) if matches!(finding.class, Class::Read) => "Wants to read files",
        Action::Files(_) => "Wants to change files",
        Action::Fetch { .. } => "Wants to read an address on the network",
        Action::WebSearch { .. } => "Wants to search the web",
        Action::Server { .. } => "Wants to use a tool of an MCP server",
        Action::Shell(_) => "Wants to run a command",
        Action::Unknown(_) => "Wants to use a tool that is not known",
    };
    Shown::line(words)
}

/// Files in the project that decide what runs (REQ-6): absolute, sorted, each once.
fn drivers(finding: &Finding, scene: &Scene<'_>) -> Vec<String> {
    let folder = match scene.call.action {
        Action::Shell(Shell { folder: Some(folder), .. }) => folder.as_str(),
        Action::Shell(_)
        | Action::Files(_)
        | Action::Fetch { .. }
        | Action::WebSearch { .. }
        | Action::Server { .. }
        | Action::Unknown(_) => scene.call.folder,
    };
    let from = shell::folders::absolute(scene, scene.call.folder, folder).unwrap_or_default();
    let mut drivers: Vec<String> = finding
        .drivers
        .iter()
        .filter_map(|written| shell::folders::absolute(scene, &from, written))
        .collect();
    drivers.sort();
    drivers.dedup();
    drivers
}

/// Whether a level can never become *Always*, nor a class be answered by a line (LVL-2, POL-4).
const fn is_closed(class: Class, level: Level) -> bool {
    matches!(level, Level::Red) || matches!(class, Class::Destructive | Class::Spend | Class::Guard)
}
