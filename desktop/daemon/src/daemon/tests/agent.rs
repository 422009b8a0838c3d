//! Hooks below a real process whose executable is an agent's: a shell under its name.

use std::{
    fs,
    io::Write as _,
    os::unix::net::UnixStream,
    process::{Child, Command, Stdio},
};

use countersign_core::audit::Event;
use countersign_ipc::{
    control::{Outcome, WatchEvent},
    frame::{self, Call, Kind},
    place::HOOK_SOCKET,
};

use super::stage::*;
use crate::{eventloop::Happened, store::Search};

/// Names the hooks' socket to the test that plays the hook.
const SOCKET: &str = "COUNTERSIGN_TEST_HOOKS";

/// An agent that starts a hook and waits for it.
fn agent(desk: &Desk) -> Child {
    let agent = desk.folder.path().join("claude");
    fs::copy("/bin/sh", &agent).unwrap();
    Command::new(agent)
        .args(["-c", "\"$0\" --exact --ignored daemon::tests::agent::a_hook; true"])
        .arg(std::env::current_exe().unwrap())
        .env(SOCKET, desk.folder.path().join("run").join(HOOK_SOCKET))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Asks, and waits for longer than its agent lives: until the daemon is gone.
#[test]
#[ignore = "started below an agent by the test underneath"]
fn a_hook() {
    let Some(path) = std::env::var_os(SOCKET) else { return };
    let input = bash("s", "echo hi").to_string().into_bytes();
    let call = Call { agent: "claude".into(), event: "PermissionRequest".into(), input, ..Call::default() };
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(&frame::encode(Kind::Ask, &call).unwrap()).unwrap();
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
}

#[tokio::test]
async fn a_call_from_below_an_agent_is_whole_and_goes_with_its_agent() {
    let desk = Desk::real().await;
    let mut happened = desk.ready.house.handle.watch();
    let mut agent = agent(&desk);
    let Happened::Opened(card) = happened.recv().await.unwrap() else { panic!() };
    assert!(card.whole, "{card:?}");
    assert_eq!(card.reasons, Vec::<String>::new());

    agent.kill().unwrap();
    agent.wait().unwrap();
    let Happened::Closed(ending) = happened.recv().await.unwrap() else { panic!() };
    assert_eq!((ending.outcome, ending.text.as_str()), (Outcome::Cancelled, "Cancelled: the agent is gone"));
    let search = Search { event: Some(Event::Withdrawn.name().to_owned()), ..Search::default() };
    assert_eq!(desk.ready.house.store.search_log(&search).await.unwrap().len(), 1);
    let WatchEvent::Snapshot { cards, .. } = desk.ready.house.snapshot().await.unwrap() else { panic!() };
    assert!(cards.is_empty());
}
