//! The lists as a whole: no name twice, a reason everywhere, and the levels that whole families must have.

use std::collections::BTreeMap;

use super::*;
use crate::classify::{Action, Call, Program, Push, Real, Resolver};

/// A world without files.
struct Nothing;

impl Resolver for Nothing {
    fn real(&self, _: &str) -> Real {
        Real::Unknown
    }
    fn program(&self, _: &str, _: &str) -> Program {
        Program::Unknown
    }
    fn push(&self, _: &str) -> Push {
        Push::Unknown
    }
    fn git_starts_programs(&self, _: &str) -> bool {
        true
    }
    fn holds_private(&self, _: &str) -> bool {
        true
    }
}

/// A scene in that world.
pub(crate) fn nowhere() -> Scene<'static> {
    static ACTION: Action = Action::Unknown(Vec::new());
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action: &ACTION,
        folder: "/home/u/proj",
        worktree: "/home/u/proj",
        home: "/home/u",
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    Scene { call, world: &Nothing }
}

#[test]
fn every_program_stands_in_one_list_once_and_has_a_reason() {
    let mut seen = BTreeMap::new();
    let mut twice = Vec::new();
    for entry in LISTS.iter().flat_map(|list| list.iter()) {
        assert!(!entry.why.is_empty());
        for name in entry.names {
            if seen.insert(*name, entry.why).is_some() {
                twice.push(*name);
            }
        }
    }
    assert!(twice.is_empty(), "{twice:?}");
}
