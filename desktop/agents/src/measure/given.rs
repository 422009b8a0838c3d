//! A world as a request describes it: links and a branch. What it does not describe is plain: no link, every program on
//! the PATH one that the user can't write, no Git configuration that starts programs, nothing private in any folder.

use std::collections::BTreeMap;

use countersign_core::classify::{Program, Push, Real, Resolver};
use serde::Deserialize;

use crate::path;

/// Links followed one after the other before it counts as a loop.
const MOST_LINKS: usize = 40;
/// Folders of programs that no user can write.
const SYSTEM: [&str; 7] =
    ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/usr/libexec/"];

/// What is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Given {
    /// The checked-out branch; not known where it is absent.
    #[serde(default)]
    git_branch: Option<String>,
    /// Links, by their absolute paths, and where they lead.
    #[serde(default)]
    symlinks: BTreeMap<String, String>,
    #[serde(skip)]
    worktree: String,
}

impl Given {
    /// The same, of this project.
    #[must_use]
    pub fn around(self, worktree: &str) -> Self {
        Self { worktree: worktree.to_owned(), ..self }
    }

    /// The first link on the way to a path, and what stands behind it.
    fn link<'a>(&'a self, path: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| path.split_at_checked(end))
            .find_map(|(link, rest)| Some((link, self.symlinks.get(link)?.as_str(), rest)))
    }
}

impl Resolver for Given {
    fn real(&self, path: &str) -> Real {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let Some((link, target, rest)) = self.link(&path) else { return Real::At(path) };
            let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
            let folder = if folder.is_empty() { "/" } else { folder };
            let led = path::resolve(folder, target).map(|led| format!("{}{rest}", led.display()));
            let Some(led) = led.and_then(|led| path::resolve("/", &led)) else { return Real::Unknown };
            let Some(led) = led.to_str() else { return Real::Unknown };
            path = led.to_owned();
        }
        Real::Unknown
    }

    fn program(&self, name: &str, folder: &str) -> Program {
        if !name.contains('/') {
            return Program::Trusted(format!("/usr/bin/{name}"));
        }
        let Some(path) = path::resolve(folder, name) else { return Program::Unknown };
        match self.real(&path.display().to_string()) {
            Real::At(path) if SYSTEM.iter().any(|folder| path.starts_with(folder)) => Program::Trusted(path),
            Real::At(path) => Program::Writable(path),
            Real::Unknown => Program::Unknown,
        }
    }

    fn push(&self, folder: &str) -> Push {
        let Real::At(folder) = self.real(folder) else { return Push::Unknown };
        let below = folder.strip_prefix(self.worktree.trim_end_matches('/'));
        let is_here = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        match self.git_branch.as_deref() {
            Some(branch) if is_here && !branch.is_empty() && branch != "HEAD" => {
                Push::To(vec![branch.to_owned()])
            }
            Some(_) | None => Push::Unknown,
        }
    }

    fn git_starts_programs(&self, _: &str) -> bool {
        false
    }

    fn holds_private(&self, _: &str) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(facts: &serde_json::Value) -> Given {
        serde_json::from_value::<Given>(facts.clone()).unwrap().around("/home/u/proj")
    }

    fn at(path: &str) -> Real {
        Real::At(path.to_owned())
    }

    #[test]
    fn links_are_followed_wherever_they_stand_in_a_path() {
        let world = given(&json!({"symlinks": {
            "/home/u/proj/out": "/home/u/other", "/home/u/proj/up": "../..", "/home/u/proj/a": "b", "/home/u/proj/b": "a",
            "/home/u/proj/deep": "out/inner", "/home/u/proj/root": "/"
        }}));
        assert_eq!(world.real("/home/u/proj/src/a"), at("/home/u/proj/src/a"));
        assert_eq!(world.real("/home/u/proj/out/a.txt"), at("/home/u/other/a.txt"));
        assert_eq!(world.real("/home/u/proj/output/a.txt"), at("/home/u/proj/output/a.txt"));
        assert_eq!(world.real("/home/u/proj/up"), at("/home"));
        assert_eq!(world.real("/home/u/proj/deep/x"), at("/home/u/other/inner/x"));
        assert_eq!(world.real("/home/u/proj/root/etc"), at("/etc"));
        assert_eq!(world.real("/home/u/proj/a/x"), Real::Unknown);
    }

    #[test]
    fn programs_of_the_project_are_the_users_own() {
        let world = given(&json!({"symlinks": {"/home/u/proj/tool": "/usr/bin/rm"}}));
        assert_eq!(world.program("ls", "/home/u/proj"), Program::Trusted("/usr/bin/ls".into()));
        assert_eq!(world.program("/usr/bin/ls", "/"), Program::Trusted("/usr/bin/ls".into()));
        assert_eq!(world.program("./ls", "/home/u/proj"), Program::Writable("/home/u/proj/ls".into()));
        assert_eq!(world.program("./tool", "/home/u/proj"), Program::Trusted("/usr/bin/rm".into()));
        assert_eq!(world.program("~/ls", "/home/u/proj"), Program::Unknown);
    }

    #[test]
    fn a_branch_is_known_in_its_project_only() {
        let world = given(&json!({"git_branch": "topic"}));
        assert_eq!(world.push("/home/u/proj/src"), Push::To(vec!["topic".into()]));
        assert_eq!(world.push("/home/u/project"), Push::Unknown);
        assert_eq!(given(&json!({"git_branch": "HEAD"})).push("/home/u/proj"), Push::Unknown);
        assert_eq!(Given::default().push("/home/u/proj"), Push::Unknown);
    }
}
