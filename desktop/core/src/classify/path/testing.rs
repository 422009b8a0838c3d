//! A world for tests: links in a table, nothing else.

use std::collections::BTreeMap;

use crate::classify::{
    action::Action,
    call::Call,
    resolver::{Program, Push, Real, Resolver},
    scene::Scene,
};

/// Links, by where they stand; anything else is where it says.
#[derive(Debug, Default)]
pub(in crate::classify) struct World {
    links: BTreeMap<String, String>,
    unknown: Vec<String>,
    private: Vec<String>,
}

impl World {
    pub(in crate::classify) fn link(mut self, at: &str, to: &str) -> Self {
        self.links.insert(at.into(), to.into());
        self
    }

    pub(in crate::classify) fn unknown(mut self, path: &str) -> Self {
        self.unknown.push(path.into());
        self
    }

    pub(in crate::classify) fn private(mut self, folder: &str) -> Self {
        self.private.push(folder.into());
        self
    }
}

impl Resolver for World {
    fn real(&self, path: &str) -> Real {
        let mut here = String::new();
        let mut left: Vec<String> =
            path.split('/').rev().filter(|p| !p.is_empty() && *p != ".").map(Into::into).collect();
        for _ in 0..200 {
            let Some(name) = left.pop() else {
                return Real::At(if here.is_empty() { "/".into() } else { here });
            };
            if name == ".." {
                here.truncate(here.rfind('/').unwrap_or(0));
                continue;
            }
            let next = format!("{here}/{name}");
            if self.unknown.contains(&next) {
                return Real::Unknown;
            }
            match self.links.get(&next) {
                Some(to) => {
                    if to.starts_with('/') {
                        here.clear();
                    }
                    left.extend(to.split('/').rev().filter(|p| !p.is_empty()).map(String::from));
                }
                None => here = next,
            }
        }
        Real::Unknown
    }

    fn program(&self, name: &str, _: &str) -> Program {
        Program::Trusted(format!("/usr/bin/{name}"))
    }

    fn push(&self, _: &str) -> Push {
        Push::Unknown
    }

    fn git_starts_programs(&self, _: &str) -> bool {
        false
    }

    fn holds_private(&self, folder: &str) -> bool {
        self.private.iter().any(|private| private == folder)
    }
}

/// A call of Claude Code in `/home/u/proj`.
pub(in crate::classify) fn call(action: &Action) -> Call<'_> {
    Call {
        agent: "claude",
        tool: "Bash",
        action,
        folder: "/home/u/proj",
        worktree: "/home/u/proj",
        home: "/home/u",
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    }
}

/// A scene of that call.
pub(in crate::classify) fn scene(world: &World) -> Scene<'_> {
    const ACTION: &Action = &Action::Unknown(Vec::new());
    Scene { call: call(ACTION), world }
}
