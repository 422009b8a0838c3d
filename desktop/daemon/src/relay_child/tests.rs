//! The real relay as a child: its program is built by `cargo build -p countersign-relay`.

use std::{fs, net::TcpListener, path::Path, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{net::TcpStream, time::timeout};

use super::*;
use crate::courier::stage::relay_program;

const PATIENCE: Duration = Duration::from_secs(60);

fn new(folder: &Path) -> LocalRelay {
    LocalRelay::new(relay_program(), folder).0
}

async fn listens(address: &Address) -> bool {
    TcpStream::connect(address.origin().as_str()).await.is_ok()
}

/// Waits until it is so.
async fn until(relay: &LocalRelay, is_so: impl Fn(&State) -> bool) -> State {
    let mut state = relay.state.clone();
    timeout(PATIENCE, state.wait_for(|state| is_so(state))).await.unwrap().unwrap().clone()
}

#[tokio::test]
async fn it_runs_exactly_as_long_as_somebody_needs_it_and_comes_back_at_its_port() {
    let folder = tempfile::tempdir().unwrap();
    let (relay, keeping) = LocalRelay::new(relay_program(), folder.path());
    assert_eq!(relay.pid(), None, "nothing runs before it is needed");
    let (one, two) = (relay.lease(Port::Any), relay.lease(Port::Any));
    let address = one.ready().await.unwrap();
    assert!(listens(&address).await && relay.owns(&address));
    drop(one);
    assert_eq!(two.ready().await, Ok(address.clone()));
    drop(two);
    until(&relay, |state| *state == State::Off).await;
    let ended = async { while listens(&address).await {} };
    timeout(PATIENCE, ended).await.expect("it ends with the last lease");

    relay.stop();
    keeping.await.unwrap();
    let again = new(folder.path());
    assert!(again.owns(&address), "the port is remembered");
    assert_eq!(again.lease(Port::Remembered).ready().await, Ok(address));
}

#[tokio::test]
async fn whoever_needs_it_while_it_ends_gets_the_next_one_and_never_one_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let relay = new(folder.path());
    for _ in 0..20 {
        let lease = relay.lease(Port::Any);
        let address = lease.ready().await.unwrap();
        assert!(listens(&address).await);
        drop(lease);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_relay_that_was_killed_is_started_again_at_its_port() {
    let folder = tempfile::tempdir().unwrap();
    let relay = new(folder.path());
    let lease = relay.lease(Port::Any);
    let address = lease.ready().await.unwrap();
    let pid = relay.pid().unwrap();
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    until(&relay, |state| matches!(state, State::Ready { pid: now, .. } if *now != pid)).await;
    assert_eq!(lease.ready().await, Ok(address));
}

#[tokio::test]
async fn it_ends_with_the_daemon_though_somebody_needs_it() {
    let folder = tempfile::tempdir().unwrap();
    let (relay, keeping) = LocalRelay::new(relay_program(), folder.path());
    let lease = relay.lease(Port::Any);
    let address = lease.ready().await.unwrap();
    relay.stop();
    timeout(PATIENCE, keeping).await.unwrap().unwrap();
    assert!(!listens(&address).await);
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(PROGRAM);
    let relay = LocalRelay::new(program.clone(), folder.path()).0;
    let error = relay.lease(Port::Any).ready().await.unwrap_err();
    assert_eq!(error, ChildError::Missing(program.clone()));
    assert!(error.to_string().contains(&program.display().to_string()), "{error}");
}

#[tokio::test]
async fn a_program_that_is_no_relay_is_said_to_have_failed() {
    let folder = tempfile::tempdir().unwrap();
    let relay = LocalRelay::new("/bin/true".into(), folder.path()).0;
    let error = relay.lease(Port::Any).ready().await.unwrap_err();
    assert!(matches!(error, ChildError::Failed(_)), "{error}");
}

#[tokio::test]
async fn where_its_port_is_taken_it_moves_only_if_no_phone_would_miss_it() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap();
    fs::write(folder.path().join("relay.address"), port.to_string()).unwrap();
    let relay = new(folder.path());
    let phone = relay.lease(Port::Remembered);
    let error = phone.ready().await.unwrap_err();
    assert_eq!(error, ChildError::PortTaken(port));
    assert!(error.to_string().contains("end that program"), "{error}");
    drop(phone);

    let relay = new(folder.path());
    let moved = relay.lease(Port::Any).ready().await.unwrap();
    assert_ne!(moved.origin().as_str(), port.to_string());
    assert!(!relay.owns(&Address::typed(&port.to_string()).unwrap()));
}

#[test]
fn a_remembered_address_beyond_loopback_or_none_at_all_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["", "nonsense", "192.168.1.2:7700", "0.0.0.0:7700"] {
        fs::write(folder.path().join("relay.address"), text).unwrap();
        assert_eq!(Memory::open(folder.path()).address(), None, "{text}");
    }
    let memory = Memory::open(folder.path());
    memory.remember("127.0.0.1:7700".parse().unwrap());
    assert_eq!(Memory::open(folder.path()).address(), memory.address());
}
