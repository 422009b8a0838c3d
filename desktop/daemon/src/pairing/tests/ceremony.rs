//! Pairings that go their way: ticket, code, proofs, and the test request at the end.

use std::time::Duration;

use countersign_core::approver::KeyStrength;
use countersign_ipc::control::{ErrorCode, PairEvent, PhoneState};
use countersign_proto::{claim::End, pairing::Ticket};
use tokio::sync::oneshot;

use crate::courier::{
    Address, Claimed,
    stage::{FakePhone, RelayProcess, World, has_channel, pair},
};

async fn world(folder: &tempfile::TempDir) -> World {
    World::start(&folder.path().join("state")).await
}

/// Scans in the background; the code comes through the channel.
fn scan(ticket: &str, seed: u8) -> (tokio::task::JoinHandle<bool>, oneshot::Receiver<String>) {
    let (code, shown) = oneshot::channel();
    let ticket = ticket.to_owned();
    (tokio::spawn(async move { pair(&ticket, seed, code).await.is_ok() }), shown)
}

fn rendezvous(ticket: &str) -> (Address, Claimed) {
    let ticket = Ticket::parse(ticket).unwrap();
    let address = Address::new(ticket.relay().clone(), ticket.link().clone()).unwrap();
    let claimed = Claimed { channel: ticket.rendezvous(), end: End::Phone, key: ticket.phone_relay_key() };
    (address, claimed)
}

/// Another code of six digits.
fn other(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}

#[tokio::test]
async fn a_pairing_goes_its_steps_and_ends_with_the_time_of_a_test_request() {
    let folder = tempfile::tempdir().unwrap();
    let (world, relay) = (world(&folder).await, RelayProcess::start());
    let mut begun = World::begin_pairing(world.pairings(), Some(relay.address.to_string()));
    let ticket = begun.ticket().await;
    let (code, shown) = oneshot::channel();
    let phone = tokio::spawn({
        let ticket = ticket.clone();
        async move { pair(&ticket, 1, code).await }
    });
    assert_eq!(begun.step().await, PairEvent::Scanned {});
    let PairEvent::PhoneInfo(info) = begun.step().await else { panic!("the phone is introduced") };
    assert_eq!((info.name.as_str(), info.model.as_str()), ("demo phone", "demo phone, app 0.1"));
    assert_eq!(info.security, "software keys (demo)");
    let PairEvent::CodeNeeded { expires_in_ms, tries_left } = begun.step().await else { panic!("a code") };
    assert!((110_000..=180_000).contains(&expires_in_ms) && tries_left == 2, "{expires_in_ms}");
    begun.answer(&shown.await.unwrap()).await.unwrap();
    let phone = FakePhone::start(phone.await.unwrap().unwrap(), 1);
    let done = begun.last().await;
    let PairEvent::Done { phone: drawn, words, round_trip_ms, trouble } = done else { panic!("{done:?}") };
    assert_eq!(trouble, "");
    assert!(round_trip_ms.is_some() && words.split(' ').count() == 2, "{words}");
    assert_eq!((drawn.state, drawn.connected), (PhoneState::Active, true));
    assert_eq!((drawn.fingerprint, drawn.security), (info.fingerprint, info.security));

    let stored = &world.store.approvers().await.unwrap()[0].who;
    assert_eq!((stored.device_id, stored.strength), (phone.pair.desktop.device_id, KeyStrength::Demo));
    assert_eq!(stored.chain.len(), 1, "kept, to be judged again");
    assert_eq!(world.count_log("paired").await, 1);
    let (address, at) = rendezvous(&ticket);
    for _ in 0..1_000 {
        if !has_channel(&address, &at).await {
            return world.stop().await;
        }
    }
    panic!("the rendezvous should be gone");
}

#[tokio::test]
async fn a_wrong_code_can_be_corrected_once() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut begun = World::begin_pairing(world.pairings(), None);
    let (phone, shown) = scan(&begun.ticket().await, 1);
    let code = shown.await.unwrap();
    begun.type_code(&other(&code)).await;
    assert_eq!(begun.step().await, PairEvent::WrongCode { tries_left: 1 });
    begun.type_code(&code).await;
    assert!(phone.await.unwrap());
    world.stop().await;
}

#[tokio::test]
async fn two_wrong_codes_end_it_and_what_is_no_code_costs_no_try() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut begun = World::begin_pairing(world.pairings(), None);
    let ticket = begun.ticket().await;
    let early = begun.answer("123456").await.unwrap_err();
    assert_eq!(early.code, ErrorCode::NoPairing, "nobody scanned yet");
    let (phone, shown) = scan(&ticket, 1);
    let code = shown.await.unwrap();
    begun.type_code(&other(&code)).await;
    for text in ["", "12345", "1234567", "abcdef"] {
        assert_eq!(begun.answer(text).await.unwrap_err().code, ErrorCode::BadRequest, "{text}");
    }
    begun.type_code(&other(&code)).await;
    assert!(begun.failure().await.contains("wrong twice"));
    assert_eq!((world.phones().await, world.count_log("pairing_failed").await), (0, 1));
    phone.abort();
    world.stop().await;
}

#[tokio::test]
async fn a_second_scan_of_one_ticket_ends_the_pairing_for_both() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut begun = World::begin_pairing(world.pairings(), None);
    let ticket = begun.ticket().await;
    let (first, shown) = scan(&ticket, 1);
    let code = shown.await.unwrap();
    while !matches!(begun.step().await, PairEvent::CodeNeeded { .. }) {}
    // Both claim the same end of the rendezvous, so one would push the other out again and again.
    first.abort();
    let (second, _) = scan(&ticket, 2);
    assert!(begun.failure().await.contains("someone else scanned this code"));
    assert_eq!((world.phones().await, world.count_log("pairing_failed").await), (0, 1));
    drop(code);
    second.abort();
    world.stop().await;
}

#[tokio::test]
async fn a_ticket_ends_after_two_minutes_by_the_desktops_clock() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut pairings = world.pairings();
    // One that was born almost two minutes ago.
    pairings.ticket_age = Duration::from_millis(119_500);
    let mut begun = World::begin_pairing(pairings, None);
    let PairEvent::Ticket { text, expires_in_ms } = begun.step().await else { panic!("a ticket") };
    assert!(expires_in_ms <= 500);
    assert!(begun.failure().await.contains("two minutes are over"));
    let (phone, mut shown) = scan(&text, 1);
    assert_eq!(world.count_log("pairing_failed").await, 1);
    assert!(shown.try_recv().is_err(), "a phone that comes later hears nothing");
    phone.abort();
    world.stop().await;
}

#[tokio::test]
async fn a_pairing_that_is_given_up_leaves_nothing_and_the_next_one_can_begin() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut begun = World::begin_pairing(world.pairings(), None);
    let (phone, shown) = scan(&begun.ticket().await, 1);
    let code = shown.await.unwrap();
    begun.given_up.cancel();
    assert!(begun.failure().await.contains("given up"));
    drop(code);
    phone.abort();
    assert_eq!((world.phones().await, world.count_log("pairing_failed").await), (0, 1));
    world.pair(None, 2).await;
    world.stop().await;
}
