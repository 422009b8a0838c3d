//! How a daemon ends: waiting calls go back, everything is recorded, and its sockets are gone.

use std::{fs, os::unix::fs::PermissionsExt as _};

use countersign_core::command::RequestState;
use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, Outcome},
};
use tokio_util::sync::CancellationToken;

use super::{
    super::{DaemonError, Options, run, stay_home},
    stage::*,
};
use crate::{
    place::{Place, PlaceError},
    store::Store,
};

#[tokio::test]
async fn a_daemon_that_ends_hands_every_waiting_call_back_and_records_it() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let silence = tokio::spawn(hook.silence());
    let folder = desk.end().await;
    silence.await.unwrap();
    assert!(!folder.path().join("run/hook.sock").exists());

    let desk = Desk::at(folder, "/usr/bin/bash", false).await;
    assert_eq!(desk.log().await, ["started", "asked", "withdrawn", "stopped", "started"]);
    // One as each run began, one as the first ended.
    assert_eq!(desk.verify().await.checkpoints, 3);
}

#[tokio::test]
async fn a_client_can_end_the_daemon() {
    let desk = Desk::new().await;
    assert_eq!(desk.client().await.ask(ControlRequest::Stop {}).await, ControlReply::Done {});
    desk.end().await;
}

/// A daemon that was killed wrote nothing down; the next one does.
#[tokio::test]
async fn what_a_killed_daemon_left_is_cancelled_before_anything_else_happens() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let _hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let copy = tempfile::tempdir().unwrap();
    let state = copy.path().join("state");
    countersign_ipc::folder::make(&state).unwrap();
    // Its files as they lie on disk at this moment.
    for file in ["countersign.db", "countersign.db-wal", "master.key", "revoked"] {
        fs::copy(desk.folder.path().join("state").join(file), state.join(file)).unwrap();
        fs::set_permissions(state.join(file), fs::Permissions::from_mode(0o600)).unwrap();
    }
    let store = Store::open(&state).await.unwrap();
    assert_eq!(store.load().await.unwrap().unfinished[0].state, RequestState::Pending);
    drop(store);
    let after = Desk::at(copy, "/usr/bin/bash", false).await;
    assert_eq!(after.log().await, ["started", "asked", "started", "withdrawn"]);
    let ControlReply::Pending { cards } = after.client().await.ask(ControlRequest::Pending {}).await else {
        panic!()
    };
    assert!(cards.is_empty());
    after.verify().await;
}

#[tokio::test]
async fn a_second_daemon_is_refused_and_the_first_goes_on() {
    let desk = Desk::new().await;
    let refused = Place::at(desk.folder.path().join("run"), desk.folder.path().join("state")).unwrap_err();
    assert!(matches!(refused, PlaceError::Taken { .. }), "{refused}");
    let mut watch = desk.watcher().await;
    let _hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
}

#[tokio::test]
async fn sockets_and_folders_are_for_their_owner_only() {
    let desk = Desk::new().await;
    let mode =
        |path: &str| fs::metadata(desk.folder.path().join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("run"), mode("state")), (0o700, 0o700));
    assert_eq!((mode("run/hook.sock"), mode("run/control.sock")), (0o600, 0o600));
}

#[tokio::test]
async fn a_loop_that_breaks_ends_the_daemon_and_every_hook_hears_silence() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let silence = tokio::spawn(hook.silence());
    let looked = desk.ready.house.handle.look(|_| panic!("a fault of ours")).await;
    assert!(looked.is_err());
    silence.await.unwrap();
    assert!(matches!(desk.broken().await, DaemonError::Broke));
}

#[tokio::test]
async fn demo_daemons_have_names_of_their_own() {
    let start = |name: &str, demo| {
        let options = Options { instance: name.parse::<Instance>().unwrap(), demo };
        run(options, stay_home, CancellationToken::new(), |_| {})
    };
    assert!(matches!(start("tests", true).await, Err(DaemonError::NotADemoName)));
    assert!(matches!(start("demo-1", false).await, Err(DaemonError::DemoName)));
}

#[tokio::test]
async fn a_demo_daemon_answers_for_projects_in_a_temporary_folder_only() {
    let desk = Desk::demo().await;
    let mut elsewhere = bash("s", "echo hi");
    elsewhere["cwd"] = "/usr".into();
    desk.hook(&elsewhere, 0).await.silence().await;
    elsewhere["cwd"] = "/tmp/../usr".into();
    desk.hook(&elsewhere, 0).await.silence().await;
    assert_eq!(desk.log().await, ["started"], "not even asked");
    let mut watch = desk.watcher().await;
    let mut inside = bash("s", "echo hi");
    inside["cwd"] = desk.folder.path().to_str().unwrap().into();
    let _hook = desk.hook(&inside, 0).await;
    watch.opened().await;
}

#[tokio::test]
async fn an_answer_on_its_way_when_the_daemon_ends_is_still_recorded() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let answer = tokio::spawn(hook.answer());
    let deny = ControlRequest::Deny { which: countersign_ipc::control::DenyWhich::All };
    let mut client = desk.client().await;
    client.send(deny).await;
    assert_eq!(watch.closed().await.outcome, Outcome::Denied);
    desk.shutdown();
    assert!(answer.await.unwrap().contains("deny"));
    let desk = Desk::at(desk.end().await, "/usr/bin/bash", false).await;
    assert_eq!(desk.log().await, ["started", "asked", "denied", "released", "stopped", "started"]);
}
