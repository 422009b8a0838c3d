//! Tests of who is taken for an agent, over made-up processes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;
use crate::peer::lineage::Unclear;

/// A machine of made-up processes.
#[derive(Default)]
struct Machine(RefCell<BTreeMap<u32, Process>>);

impl Machine {
    /// 1 init ─ 10 terminal ─ 20 shell ─ 30 agent ─ 40 sh ─ 50 hook, with a start of ten times the number.
    fn with_an_agent(agents_group: &str) -> Self {
        let machine = Self::default();
        machine.start(1, 0, "/sbin/init", "/init.scope");
        machine.start(10, 1, "/usr/bin/terminal", "/app.slice/terminal.scope");
        machine.start(20, 10, "/bin/bash", "/app.slice/tab.scope");
        machine.start(30, 20, "/opt/claude", agents_group);
        machine.start(40, 30, "/bin/sh", agents_group);
        machine.start(50, 40, "/opt/countersign-hook", agents_group);
        machine
    }

    fn start(&self, pid: u32, parent: u32, executable: &str, group: &str) {
        self.start_at(pid, u64::from(pid) * 10, parent, executable, group);
    }

    fn start_at(&self, pid: u32, start: u64, parent: u32, executable: &str, group: &str) {
        let process = Process {
            id: ProcessId { pid, start },
            parent,
            executable: Some(PathBuf::from(executable)),
            arguments: Vec::new(),
            group: Some(group.to_owned()),
        };
        self.0.borrow_mut().insert(pid, process);
    }

    /// Ends a process; its children go to init.
    fn end(&self, pid: u32) {
        let mut processes = self.0.borrow_mut();
        processes.remove(&pid);
        processes.values_mut().filter(|process| process.parent == pid).for_each(|process| process.parent = 1);
    }

    fn lineage(&self, pid: u32) -> Lineage {
        Lineage::of(pid, self).unwrap()
    }
}

impl Processes for Machine {
    fn process(&self, pid: u32) -> Option<Process> {
        self.0.borrow().get(&pid).cloned()
    }

    fn all(&self) -> Vec<u32> {
        self.0.borrow().keys().copied().collect()
    }
}

fn which(process: &Process) -> Option<String> {
    process.executable.as_ref().is_some_and(|file| file.ends_with("claude")).then(|| "claude".to_owned())
}

fn nobody(_: &Process) -> Option<String> {
    None
}

fn seen(machine: &Machine) -> AgentTrees {
    let mut trees = AgentTrees::default();
    assert_eq!(trees.record(&machine.lineage(50), &which, machine), Some(ProcessId { pid: 30, start: 300 }));
    trees
}

const OWN: &str = "/app.slice/agent.scope";
const SHARED: &str = "/app.slice/tab.scope";

#[test]
fn what_an_agent_started_is_the_agent_however_deep() {
    let machine = Machine::with_an_agent(SHARED);
    let trees = seen(&machine);
    machine.start(60, 30, "/bin/bash", SHARED);
    machine.start(61, 60, "/opt/countersign", SHARED);
    for pid in [30, 40, 50, 60, 61] {
        assert_eq!(trees.caller(&machine.lineage(pid), &nobody), Caller::Agent("claude".into()), "{pid}");
    }
}

#[test]
fn the_persons_shell_that_started_the_agent_stays_the_persons() {
    for group in [OWN, SHARED] {
        let machine = Machine::with_an_agent(group);
        let trees = seen(&machine);
        machine.start(70, 20, "/opt/countersign", SHARED);
        for pid in [1, 10, 20, 70] {
            assert_eq!(trees.caller(&machine.lineage(pid), &which), Caller::Person, "{group} {pid}");
        }
    }
}

#[test]
fn a_double_fork_does_not_leave_an_agents_own_group_nor_one_below_it() {
    for group in [OWN.to_owned(), format!("{OWN}/inner")] {
        let machine = Machine::with_an_agent(OWN);
        let trees = seen(&machine);
        machine.start(60, 30, "/bin/sh", OWN);
        machine.start(61, 60, "/opt/countersign", &group);
        machine.end(60);
        assert_eq!(machine.lineage(61).ancestors().len(), 1);
        assert_eq!(trees.caller(&machine.lineage(61), &nobody), Caller::Agent("claude".into()), "{group}");
        // Not even when the agent is over.
        machine.end(30);
        assert_eq!(trees.caller(&machine.lineage(61), &nobody), Caller::Agent("claude".into()), "{group}");
    }
}

#[test]
fn a_group_that_the_persons_shell_shares_does_not_count() {
    let machine = Machine::with_an_agent(SHARED);
    let trees = seen(&machine);
    machine.start(70, 20, "/opt/countersign", SHARED);
    machine.start(71, 1, "/opt/countersign", SHARED);
    assert_eq!(trees.caller(&machine.lineage(70), &which), Caller::Person);
    assert_eq!(trees.caller(&machine.lineage(71), &which), Caller::Person);
}

#[test]
fn a_group_with_other_processes_below_it_does_not_count() {
    let machine = Machine::with_an_agent("/app.slice");
    assert_eq!(seen(&machine).caller(&machine.lineage(10), &which), Caller::Person);
    let machine = Machine::with_an_agent("/");
    assert_eq!(seen(&machine).caller(&machine.lineage(10), &which), Caller::Person);
}

#[test]
fn a_group_whose_name_only_begins_alike_is_another() {
    let machine = Machine::with_an_agent(OWN);
    let trees = seen(&machine);
    machine.start(70, 1, "/opt/countersign", "/app.slice/agent.scope-2");
    assert_eq!(trees.caller(&machine.lineage(70), &which), Caller::Person);
}

#[test]
fn a_group_is_looked_at_again_until_it_is_the_agents_own() {
    let machine = Machine::with_an_agent(OWN);
    machine.start(35, 20, "/usr/bin/launcher", OWN);
    let mut trees = seen(&machine);
    machine.start(61, 1, "/opt/countersign", OWN);
    assert_eq!(trees.caller(&machine.lineage(61), &nobody), Caller::Person);
    machine.end(61);
    machine.end(35);
    trees.record(&machine.lineage(50), &which, &machine).unwrap();
    machine.start(62, 1, "/opt/countersign", OWN);
    assert_eq!(trees.caller(&machine.lineage(62), &nobody), Caller::Agent("claude".into()));
}

#[test]
fn a_number_used_again_is_not_the_agent_that_had_it() {
    let machine = Machine::with_an_agent(SHARED);
    let trees = seen(&machine);
    for pid in [50, 40, 30] {
        machine.end(pid);
    }
    machine.start_at(30, 9_000, 20, "/bin/vim", SHARED);
    machine.start_at(31, 9_100, 30, "/opt/countersign", SHARED);
    assert_eq!(trees.caller(&machine.lineage(31), &which), Caller::Person);
}

#[test]
fn a_parent_younger_than_its_child_is_no_parent() {
    let machine = Machine::with_an_agent(SHARED);
    machine.start_at(40, 9_000, 1, "/bin/vim", SHARED);
    assert_eq!(Lineage::of(50, &machine), Err(Unclear::Changing));
    assert_eq!(Lineage::of(99, &machine), Err(Unclear::Gone));
}

#[test]
fn parents_in_a_circle_end() {
    let machine = Machine::default();
    machine.start_at(2, 1, 3, "/a", "/");
    machine.start_at(3, 1, 2, "/b", "/");
    assert_eq!(Lineage::of(2, &machine), Err(Unclear::Changing));
}

#[test]
fn an_agent_that_no_hook_has_named_yet_is_an_agent_all_the_same() {
    let machine = Machine::with_an_agent(SHARED);
    let trees = AgentTrees::default();
    machine.start(61, 30, "/opt/countersign", SHARED);
    assert_eq!(trees.caller(&machine.lineage(61), &which), Caller::Agent("claude".into()));
}

#[test]
fn a_hook_that_no_agent_started_makes_no_tree() {
    let machine = Machine::with_an_agent(SHARED);
    machine.start(70, 20, "/opt/countersign-hook", SHARED);
    let mut trees = AgentTrees::default();
    assert_eq!(trees.record(&machine.lineage(70), &which, &machine), None);
    assert_eq!(trees.caller(&machine.lineage(20), &which), Caller::Person);
}

#[test]
fn the_nearest_agent_is_the_root_when_one_agent_starts_another() {
    let machine = Machine::with_an_agent(SHARED);
    machine.start(45, 40, "/opt/inner/claude", SHARED);
    machine.start(55, 45, "/opt/countersign-hook", SHARED);
    let mut trees = AgentTrees::default();
    assert_eq!(trees.record(&machine.lineage(55), &which, &machine), Some(ProcessId { pid: 45, start: 450 }));
}

#[test]
fn ended_agents_are_forgotten_when_the_next_one_comes() {
    let machine = Machine::with_an_agent(SHARED);
    let mut trees = seen(&machine);
    for pid in [50, 40, 30] {
        machine.end(pid);
    }
    machine.start(80, 20, "/opt/claude", SHARED);
    machine.start(81, 80, "/opt/countersign-hook", SHARED);
    trees.record(&machine.lineage(81), &which, &machine).unwrap();
    trees.record(&machine.lineage(81), &which, &machine).unwrap();
    assert_eq!(trees.trees.len(), 1);
}
