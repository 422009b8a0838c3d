//! Pairings that fail: wrong codes, a second scan, expiry, a failing store. Nothing of them stays.

use countersign_core::input::Input;
use countersign_ipc::control::PairEvent;
use tokio::{sync::oneshot, time::timeout};

use crate::courier::stage::{FakePhone, Ordered, PATIENCE, RelayProcess, World, channels, pair};

async fn world(folder: &tempfile::TempDir) -> World {
    World::start(&folder.path().join("state")).await
}

#[tokio::test]
async fn outside_demo_mode_every_pairing_is_refused_at_once_and_nothing_is_dialled() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut pairings = world.pairings();
    pairings.is_demo = false;
    let mut begun = World::begin_pairing(pairings, None);
    let PairEvent::Failed { why, hint } = begun.step().await else { panic!("no ticket is shown") };
    assert!(
        why.contains("bio_key_not_strong") && why.contains("can't verify a phone's hardware yet"),
        "{why}"
    );
    assert!(hint.contains("countersign up --demo"), "{hint}");
    assert_eq!((world.relay.pid(), world.count_log("pairing_failed").await), (None, 1));
    world.stop().await;
}

#[tokio::test]
async fn a_relay_that_cannot_be_reached_or_named_is_said_before_a_ticket_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let gone = RelayProcess::start().address.to_string();
    for (relay, words) in [
        (gone.as_str(), "can't be reached"),
        ("https://relay.example", "is no relay address"),
        ("", "is no relay address"),
    ] {
        let mut begun = World::begin_pairing(world.pairings(), Some(relay.to_owned()));
        let PairEvent::Failed { why, .. } = begun.step().await else { panic!("{relay}") };
        assert!(why.contains(words), "{why}");
    }
    world.stop().await;
}

#[tokio::test]
async fn a_locked_desktop_pairs_with_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    world.handle.act(Input::Lock).await.unwrap();
    assert!(World::begin_pairing(world.pairings(), None).failure().await.contains("locked"));
    world.stop().await;
}

#[tokio::test]
async fn a_phone_that_cannot_be_stored_is_not_paired_and_its_channel_goes_again() {
    let folder = tempfile::tempdir().unwrap();
    let registry = folder.path().join("registry");
    let (world, relay) = (world(&folder).await, RelayProcess::start_in(&registry));
    // The first statement opens the transaction, the last commits it.
    for failing in 1..=4 {
        let mut begun = World::begin_pairing(world.pairings(), Some(relay.address.to_string()));
        let ticket = begun.ticket().await;
        let (code, shown) = oneshot::channel();
        let phone = tokio::spawn(async move { pair(&ticket, failing, code).await });
        let code = shown.await.unwrap();
        world.store.faults().fail(failing.into());
        begun.type_code(&code).await;
        assert!(begun.failure().await.contains("could not be stored"));
        phone.abort();
        assert_eq!((world.phones().await, world.count_log("paired").await), (0, 0));
        assert!(world.store.approvers().await.unwrap().is_empty());
        let nothing_left = async { while channels(&registry).await > 0 {} };
        timeout(PATIENCE, nothing_left).await.expect("neither the rendezvous nor the pair's channel stays");
    }
    world.pair(Some(relay.address.to_string()), 9).await;
    world.stop().await;
}

#[tokio::test]
async fn a_pairing_outlives_a_relay_that_is_killed_while_the_person_types() {
    let folder = tempfile::tempdir().unwrap();
    let (world, relay) = (world(&folder).await, RelayProcess::start());
    let mut begun = World::begin_pairing(world.pairings(), Some(relay.address.to_string()));
    let ticket = begun.ticket().await;
    let (code, shown) = oneshot::channel();
    let phone = tokio::spawn(async move { pair(&ticket, 1, code).await });
    let code = shown.await.unwrap();
    while !matches!(begun.step().await, PairEvent::CodeNeeded { .. }) {}
    let _relay = relay.restart();
    begun.answer(&code).await.unwrap();
    let phone = FakePhone::start(phone.await.unwrap().unwrap(), 1);
    assert!(matches!(begun.last().await, PairEvent::Done { round_trip_ms: Some(_), .. }));
    phone.order(Ordered::HangUp);
    world.stop().await;
}
