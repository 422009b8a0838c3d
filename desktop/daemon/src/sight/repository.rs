//! The Git repository around a folder, found as Git finds it, without starting Git.

use std::{fs, io::ErrorKind, path::Path};

use countersign_agents::FileSeen;

use super::{Untold, trail};
use crate::resolver;

/// Most local branches that are looked through.
const MOST_BRANCHES: usize = 5_000;

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// Its own Git folder; a linked worktree's own one.
    pub(super) own: String,
    /// The Git folder that all its worktrees share.
    pub(super) common: String,
}

/// The repository around a folder; `None` where there is none.
pub(super) fn around(folder: &str) -> Result<Option<Repository>, Untold> {
    let mut at = trail::follow(folder)?.end;
    loop {
        let git = format!("{}/.git", at.trim_end_matches('/'));
        match kind(&git)? {
            Kind::Folder => return Repository::at(trail::follow(&git)?.end).map(Some),
            Kind::File => {
                let named = text(&git)?.ok_or(Untold)?;
                let named = named.strip_prefix("gitdir:").ok_or(Untold)?.trim();
                return Repository::at(below(&at, named)?).map(Some);
            }
            Kind::Nothing => {}
        }
        // Git takes a folder that looks like the inside of a repository for a bare one.
        let holds = |name: &str| kind(&format!("{at}/{name}")).map(|kind| kind != Kind::Nothing);
        if holds("HEAD")? && holds("objects")? && holds("refs")? {
            return Repository::at(at).map(Some);
        }
        match at.rfind('/') {
            Some(end) if at.len() > 1 => at.truncate(end.max(1)),
            Some(_) | None => return Ok(None),
        }
    }
}

impl Repository {
    fn at(own: String) -> Result<Self, Untold> {
        if kind(&format!("{own}/HEAD"))? != Kind::File {
            return Err(Untold);
        }
        let common = match text(&format!("{own}/commondir"))? {
            Some(named) => below(&own, named.trim())?,
            None => own.clone(),
        };
        Ok(Self { own, common })
    }

    /// The branch that is checked out.
    pub(super) fn branch(&self) -> Result<String, Untold> {
        let head = text(&format!("{}/HEAD", self.own))?.ok_or(Untold)?;
        let branch = head.strip_prefix("ref:").ok_or(Untold)?.trim();
        let branch = branch.strip_prefix("refs/heads/").ok_or(Untold)?;
        // What keeps its refs elsewhere leaves a name here that no branch can have.
        let is_name = !branch.is_empty() && !branch.starts_with('.') && !branch.contains(char::is_whitespace);
        if is_name { Ok(branch.to_owned()) } else { Err(Untold) }
    }

    /// Every local branch.
    pub(super) fn branches(&self) -> Result<Vec<String>, Untold> {
        if kind(&format!("{}/reftable", self.common))? != Kind::Nothing {
            return Err(Untold);
        }
        let mut found = Vec::new();
        let heads = format!("{}/refs/heads", self.common);
        let mut open = vec![String::new()];
        while let Some(within) = open.pop() {
            let entries = match fs::read_dir(format!("{heads}/{within}")) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(_) => return Err(Untold),
            };
            for entry in entries {
                let entry = entry.map_err(|_| Untold)?;
                let name = format!("{within}{}", entry.file_name().to_str().ok_or(Untold)?);
                if entry.file_type().map_err(|_| Untold)?.is_dir() {
                    open.push(format!("{name}/"));
                } else {
                    found.push(name);
                }
                if found.len() + open.len() > MOST_BRANCHES {
                    return Err(Untold);
                }
            }
        }
        let packed = text(&format!("{}/packed-refs", self.common))?.unwrap_or_default();
        let packed = packed.lines().filter_map(|line| line.split_once(" refs/heads/"));
        found.extend(packed.map(|(_, name)| name.trim().to_owned()));
        found.sort_unstable();
        found.dedup();
        if found.len() > MOST_BRANCHES { Err(Untold) } else { Ok(found) }
    }
}

/// A small file's text; `None` where there is none.
pub(super) fn text(path: &str) -> Result<Option<String>, Untold> {
    match resolver::see(Path::new(path)) {
        FileSeen::Absent => Ok(None),
        FileSeen::Content(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| Untold),
        FileSeen::Unreadable(_) | FileSeen::TooBig(_) => Err(Untold),
    }
}

/// A path that may be relative to a folder.
pub(super) fn below(folder: &str, path: &str) -> Result<String, Untold> {
    if path.is_empty() {
        return Err(Untold);
    }
    let path = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
    trail::follow(&path).map(|trail| trail.end)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    File,
    Folder,
}

/// What is at a path, through links.
fn kind(path: &str) -> Result<Kind, Untold> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(Kind::Folder),
        Ok(_) => Ok(Kind::File),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            // A link to nothing is no sign of a repository, but odd.
            if fs::symlink_metadata(path).is_ok() { Err(Untold) } else { Ok(Kind::Nothing) }
        }
        Err(_) => Err(Untold),
    }
}
