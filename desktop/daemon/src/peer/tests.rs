//! Tests with real sockets, real processes and the real `/proc`.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use super::*;

/// A child that lives as long as its shell.
const CHILD: &str = "exec 3<&0; cat <&3 >/dev/null & echo $!; cat >/dev/null; wait";
/// A shell between that has ended when the number is told, so that the process belongs to whoever adopts orphans.
const ORPHAN: &str =
    "exec 3<&0; orphan=$(sh -c 'cat <&3 >/dev/null & echo $!'); echo $orphan; cat >/dev/null";

/// A shell that tells the number of a process it started, and keeps both until its input ends.
struct Family {
    parent: Child,
    child: u32,
}

impl Family {
    fn start(script: &str) -> Self {
        let mut command = Command::new("/bin/sh");
        let mut parent =
            command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = Vec::new();
        let stdout = parent.stdout.as_mut().unwrap();
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            line.push(byte[0]);
        }
        Self { parent, child: String::from_utf8(line).unwrap().trim().parse().unwrap() }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        drop(self.parent.stdin.take());
        let _ = self.parent.wait();
    }
}

fn own_id() -> ProcessId {
    Proc.process(std::process::id()).unwrap().id
}

#[tokio::test]
async fn a_peer_is_the_process_that_connected_with_all_its_ancestors() {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let peer = Peer::of(&ours, &Proc).unwrap();
    let lineage = peer.lineage.unwrap();
    assert_eq!((peer.pid, lineage.process().id), (std::process::id(), own_id()));
    assert_eq!(lineage.process().executable, std::env::current_exe().ok());
    assert_eq!(lineage.process().arguments.first(), std::env::args_os().next().as_ref());
    assert_eq!(lineage.iter().last().unwrap().parent, 0);
    let starts: Vec<_> = lineage.iter().map(|process| process.id.start).collect();
    assert!(starts.is_sorted_by(|younger, older| younger >= older), "{starts:?}");
}

#[test]
fn a_grandchild_descends_from_us() {
    let family = Family::start(CHILD);
    let lineage = Lineage::of(family.child, &Proc).unwrap();
    assert!(lineage.contains(own_id()));
    assert_eq!(lineage.ancestors().first().unwrap().id.pid, family.parent.id());
}

#[test]
fn a_double_fork_loses_its_descent_and_that_is_seen() {
    let family = Family::start(ORPHAN);
    let lineage = Lineage::of(family.child, &Proc).unwrap();
    assert!(lineage.ancestors().iter().all(|process| process.id.pid != family.parent.id()));
    assert_eq!(lineage.iter().last().unwrap().parent, 0);
}

#[test]
fn a_process_that_ended_is_gone_and_not_guessed() {
    let mut child = Command::new("/bin/true").spawn().unwrap();
    child.wait().unwrap();
    assert_eq!(Lineage::of(child.id(), &Proc), Err(Unclear::Gone));
}

#[test]
fn all_processes_hold_ourselves() {
    assert!(Proc.all().contains(&std::process::id()));
}

#[test]
fn an_agent_is_found_among_real_ancestors_and_its_real_children_are_inside() {
    let family = Family::start(CHILD);
    // This test stands for the agent, the shell's child for a hook, and another child for a caller.
    let us = own_id();
    let which = |process: &Process| (process.id == us).then(|| "test".to_owned());
    let mut trees = AgentTrees::default();
    assert_eq!(trees.record(&Lineage::of(family.child, &Proc).unwrap(), &which, &Proc), Some(us));
    let other = Family::start(CHILD);
    let nobody = |_: &Process| None;
    assert_eq!(
        trees.caller(&Lineage::of(other.child, &Proc).unwrap(), &nobody),
        Caller::Agent("test".into())
    );
    let parent = Lineage::of(std::os::unix::process::parent_id(), &Proc).unwrap();
    assert_eq!(trees.caller(&parent, &nobody), Caller::Person);
}

#[test]
fn an_update_under_a_running_agent_does_not_hide_its_file() {
    let tmp = tempfile::tempdir().unwrap();
    let agent = tmp.path().join("claude");
    // Copied by another process: a descriptor open for writing here could leak into a child and keep it from running.
    assert!(Command::new("cp").arg("/bin/cat").arg(&agent).status().unwrap().success());
    let mut child = Command::new(&agent).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Once it echoes, it runs.
    child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    std::fs::remove_file(&agent).unwrap();
    assert_eq!(Proc.process(child.id()).unwrap().executable, Some(agent));
    drop(child.stdin.take());
    child.wait().unwrap();
}
