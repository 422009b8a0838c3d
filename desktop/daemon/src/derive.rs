//! A call's draft over the world as it is now: the files it needs, the programs it names, the links it follows. The same
//! for the first derivation and every later one (WHO-7).

use std::{os::unix::fs::MetadataExt as _, path::Path, sync::Arc};

use countersign_agents::{Call, Driver, FileSeen, Given, project::ProjectFiles};
use countersign_core::{classify::Resolver, draft::Draft, rule::FolderId};
use countersign_ipc::environment::is_risky;
use countersign_proto::{
    domain,
    text::{Foreign, Shown},
};

use crate::{
    resolver,
    sight::{self, Sight},
};

/// From where a call is looked at.
#[derive(Debug, Clone)]
pub struct Viewpoint {
    /// Sees files with the agent's PATH.
    pub sight: Sight,
    /// Folder in which the session was seen to start.
    pub start_folder: Option<Vec<u8>>,
    /// Names of risky variables that the agent has set (REQ-5).
    pub risky: Vec<String>,
    /// The agent's settings files in a project, where it has some.
    pub project_files: Option<ProjectFiles>,
    /// Branches that no agent pushes to, besides the built-in ones.
    pub protected: Vec<String>,
    /// Whether the project's `.env` files may be read.
    pub env_is_lifted: bool,
    /// Set where the hook does not stand below its agent's process: who asked instead. Such a call is shown with that
    /// reason and is never whole.
    pub asked_by: Option<Shown>,
}

/// Derives a call's draft.
pub async fn derive(call: Arc<Call>, from: Viewpoint) -> Draft {
    let seen = resolver::look(call.needs()).await;
    let Viewpoint { sight, start_folder, risky, project_files, protected, env_is_lifted, asked_by } = from;
    let (home, worktree) = (sight.home.clone(), sight.worktree.clone());
    let judged = move |resolver: &dyn Resolver| {
        let risky = risks(&risky, project_files.as_ref(), &worktree);
        let given = Given {
            start_folder: start_folder.as_deref(),
            project: start_folder.as_deref().and_then(identity),
            home: &home,
            resolver,
            driver: &driver,
            risky: &risky,
            protected: &protected,
            env_is_lifted,
        };
        call.draft(&seen, &given)
    };
    let mut draft = sight::judge(sight, judged).await;
    if let Some(who) = asked_by {
        draft.whole = false;
        draft.reasons.push(who);
    }
    draft
}

/// What makes names and programs unreliable in a session (REQ-5). What a project's settings do is named with the hash of
/// their text, so that a person who accepts it accepts exactly that.
fn risks(variables: &[String], files: Option<&ProjectFiles>, worktree: &str) -> Vec<Foreign> {
    let mut risks: Vec<Foreign> =
        variables.iter().map(|name| Shown::line(&format!("{name} is set")).into()).collect();
    let Some(files) = files else { return risks };
    for name in files.names {
        let text = match resolver::see(&Path::new(worktree).join(name)) {
            FileSeen::Absent => continue,
            FileSeen::Content(text) => text,
            FileSeen::Unreadable(why) => {
                risks.push(Shown::line(&format!("{name} can't be read ({why})")).into());
                continue;
            }
            FileSeen::TooBig(_) => {
                risks.push(Shown::line(&format!("{name} is too large to read")).into());
                continue;
            }
        };
        let seen = (files.risks)(&text, &|name| is_risky(std::ffi::OsStr::new(name)));
        risks.extend(seen.named(name).map(Foreign::from));
    }
    risks
}

/// A folder as the file system knows it.
fn identity(folder: &[u8]) -> Option<FolderId> {
    use std::os::unix::ffi::OsStrExt as _;
    let found = std::fs::metadata(Path::new(std::ffi::OsStr::from_bytes(folder))).ok()?;
    found.is_dir().then(|| FolderId { device: found.dev(), inode: found.ino() })
}

fn driver(path: &str) -> Driver {
    match resolver::see(Path::new(path)) {
        FileSeen::Content(content) => Driver::Is(domain::hash(domain::FILE, &[&content])),
        FileSeen::Absent => Driver::Absent,
        FileSeen::Unreadable(_) | FileSeen::TooBig(_) => Driver::Unknown,
    }
}
