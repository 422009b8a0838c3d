//! Every agent that was seen, and whether a caller belongs to one: by descent, or by a control group that held nothing
//! but that agent's processes. A group is inherited through double forks that descent doesn't survive; one that the
//! person's shell shares says nothing.

use super::lineage::Lineage;
use super::process::{Process, ProcessId, Processes};

/// Says which agent a process is, if it is one: the adapters know.
pub type WhichAgent<'a> = &'a dyn Fn(&Process) -> Option<String>;

/// The trees of processes that begin at an agent.
#[derive(Debug, Default)]
pub struct AgentTrees {
    trees: Vec<Tree>,
}

#[derive(Debug)]
struct Tree {
    agent: String,
    root: ProcessId,
    /// The root's control group, once it was seen to hold nothing but this tree.
    group: Option<String>,
}

/// Who is calling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// No agent, and nothing that one started.
    Person,
    /// An agent or something it started.
    Agent(String),
}

impl AgentTrees {
    /// Notes the agent that started a hook: the nearest ancestor that is one. `None` where none is.
    pub fn record(
        &mut self,
        hook: &Lineage,
        which: WhichAgent<'_>,
        processes: &dyn Processes,
    ) -> Option<ProcessId> {
        let (agent, root) = hook.ancestors().iter().find_map(|process| Some((which(process)?, process)))?;
        let known = self.trees.iter_mut().find(|tree| tree.root == root.id);
        match known {
            Some(tree) if tree.group.is_some() => {}
            Some(tree) => tree.group = group_of_its_own(root, processes),
            None => {
                self.forget_ended(processes);
                self.trees.push(Tree { agent, root: root.id, group: group_of_its_own(root, processes) });
            }
        }
        Some(root.id)
    }

    /// Who a caller is: an agent where it or an ancestor is a tree's root or any agent at all, or where it is in a
    /// control group of an agent's own.
    #[must_use]
    pub fn caller(&self, caller: &Lineage, which: WhichAgent<'_>) -> Caller {
        let seen = self.trees.iter().find(|tree| tree.holds(caller)).map(|tree| tree.agent.clone());
        seen.or_else(|| caller.iter().find_map(which)).map_or(Caller::Person, Caller::Agent)
    }

    /// Drops trees of which nothing is left: the root has ended, and its own group, if it had one, is empty.
    fn forget_ended(&mut self, processes: &dyn Processes) {
        self.trees.retain(|tree| {
            let root_lives = processes.process(tree.root.pid).is_some_and(|process| process.id == tree.root);
            root_lives
                || tree.group.as_deref().is_some_and(|group| members(group, processes).next().is_some())
        });
    }
}

impl Tree {
    fn holds(&self, caller: &Lineage) -> bool {
        let in_group = match (&self.group, &caller.process().group) {
            (Some(own), Some(group)) => is_within(group, own),
            _ => false,
        };
        in_group || caller.contains(self.root)
    }
}

/// The root's group, if every process in it and below it is the root or descends from it.
fn group_of_its_own(root: &Process, processes: &dyn Processes) -> Option<String> {
    let group = root.group.clone()?;
    let alone = members(&group, processes).all(|process| match Lineage::of(process.id.pid, processes) {
        Ok(lineage) => lineage.contains(root.id),
        // One that ended meanwhile takes nothing away; one whose descent can't be told does.
        Err(_) => processes.process(process.id.pid).is_none(),
    });
    alone.then_some(group)
}

fn members<'a>(group: &'a str, processes: &'a dyn Processes) -> impl Iterator<Item = Process> + 'a {
    let all = processes.all().into_iter().filter_map(|pid| processes.process(pid));
    all.filter(move |process| process.group.as_deref().is_some_and(|its| is_within(its, group)))
}

/// Whether a group is that one or lies below it.
fn is_within(group: &str, outer: &str) -> bool {
    group
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || outer.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
