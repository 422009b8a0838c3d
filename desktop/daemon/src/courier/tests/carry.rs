//! Envelopes both ways over a real relay: offers out, replies in, waking, and what is not sent while a phone is away.

use countersign_mobile_core::{choice::Choice, inbox::End as Ended, phone::Event};
use countersign_proto::{
    frame::{FromClient, FromRelay},
    reply::Decision,
    text::Foreign,
};

use crate::courier::{
    Heard, Reach, Socket,
    stage::{FakePhone, Ordered, RelayProcess, World},
};

async fn world(folder: &tempfile::TempDir) -> World {
    World::start(&folder.path().join("state")).await
}

/// Reads on until the relay answers a ping: whatever waited for this end came before. Whether an envelope did.
async fn had_mail(socket: &mut Socket) -> bool {
    socket.ping().await.unwrap();
    let mut had_mail = false;
    loop {
        match socket.hear().await.unwrap() {
            Heard::Alive => return had_mail,
            Heard::Frame(FromRelay::Deliver { .. }) => had_mail = true,
            Heard::Frame(_) => {}
        }
    }
}

/// In the phone's place at its relay, with nothing of what was sent before.
async fn in_its_place(relay: &RelayProcess, phone: &FakePhone) -> Socket {
    let (mut socket, _) = Socket::claim(&relay.address, &phone.claimed()).await.unwrap();
    socket.send(&FromClient::Flush).await.unwrap();
    had_mail(&mut socket).await;
    socket
}

#[tokio::test]
async fn nothing_runs_and_nothing_is_dialled_before_a_phone_is_paired() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    world.ask("true").await;
    assert_eq!((world.couriers.ways().len(), world.relay.pid()), (0, None));
    assert!(!folder.path().join("state/relay").exists(), "no relay was started");
    world.stop().await;
}

#[tokio::test]
async fn an_approval_reaches_the_agent_and_its_receipt_the_phone() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut phone = world.pair(None, 1).await;
    let asked = world.ask("echo hi").await;
    let card = phone.card().await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    assert_eq!(phone.ended(card).await, Ended::Released(Decision::ApproveOnce));
    assert_eq!(world.count_log("released").await, 1);
    world.stop().await;
}

#[tokio::test]
async fn a_denial_with_a_note_reaches_the_agent_and_two_questions_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut phone = world.pair(None, 1).await;
    let (one, two) = (world.ask("echo one").await, world.ask("echo two").await);
    let (first, second) = (phone.card().await, phone.card().await);
    phone.order(Ordered::Decide(second, Choice::ApproveOnce));
    phone.order(Ordered::Decide(first, Choice::DenyWithNote(Foreign::new("not today"))));
    assert!(one.answer().await.contains("not today"));
    assert!(two.answer().await.contains(r#""behavior":"allow""#));
    world.stop().await;
}

/// A call of 200 KB travels in seven envelopes.
#[tokio::test]
async fn a_question_larger_than_an_envelope_arrives_whole() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut phone = world.pair(None, 1).await;
    let asked = world.ask(&format!("echo {}", "x".repeat(100_000))).await;
    let card = phone.card().await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    world.stop().await;
}

#[tokio::test]
async fn a_phone_that_is_away_is_sent_nothing_and_finds_the_question_when_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let (world, relay) = (world(&folder).await, RelayProcess::start());
    let mut phone = world.pair(Some(relay.address.to_string()), 1).await;
    let device = phone.pair.desktop.device_id;
    phone.order(Ordered::HangUp);
    world.reaches(device, |reach| *reach == Reach::Online { phone: false }).await;
    in_its_place(&relay, &phone).await.close().await;
    let asked = world.ask("echo hi").await;
    world.handle.look(|_| ()).await.unwrap();
    let (mut socket, _) = Socket::claim(&relay.address, &phone.claimed()).await.unwrap();
    assert!(!had_mail(&mut socket).await, "no data while the phone is away");
    socket.close().await;
    phone.order(Ordered::Come);
    let card = phone.card().await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    world.stop().await;
}

#[tokio::test]
async fn a_word_that_was_on_its_way_when_the_phone_left_still_counts() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut phone = world.pair(None, 1).await;
    let asked = world.ask("echo hi").await;
    let card = phone.card().await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    phone.order(Ordered::HangUp);
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    // Its receipt waits for it, as the answer to the same reply sent again.
    phone.order(Ordered::Come);
    assert_eq!(phone.ended(card).await, Ended::Released(Decision::ApproveOnce));
    world.stop().await;
}

#[tokio::test]
async fn a_daemon_that_starts_again_finds_its_phones_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = world(&folder).await;
    let mut phone = first.pair(None, 1).await;
    first.stop().await;
    phone.until(|event| (*event == Event::Down).then_some(())).await;

    let second = world(&folder).await;
    phone.until(|event| (*event == Event::Up).then_some(())).await;
    let asked = second.ask("echo again").await;
    let card = phone.card().await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    second.stop().await;
}

#[tokio::test]
async fn every_other_phone_is_told_of_a_new_one_and_each_gets_every_question() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder).await;
    let mut first = world.pair(None, 1).await;
    let mut second = world.pair(None, 2).await;
    let told = |event: &Event| match event {
        Event::Notice(countersign_proto::message::NoticeCode::Paired, text) => Some(text.to_string()),
        _ => None,
    };
    assert!(first.until(told).await.starts_with("demo phone ("), "two of one model are told apart");
    let asked = world.ask("echo hi").await;
    let (one, two) = (first.card().await, second.card().await);
    second.order(Ordered::Decide(two, Choice::Deny));
    assert!(asked.answer().await.contains("deny"));
    assert!(matches!(first.ended(one).await, Ended::Closed(..)), "the other one is told at once");
    world.stop().await;
}

#[tokio::test]
async fn a_socket_that_takes_a_phones_place_is_known_for_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (world, relay) = (world(&folder).await, RelayProcess::start());
    let phone = world.pair(Some(relay.address.to_string()), 1).await;
    phone.order(Ordered::HangUp);
    let device = phone.pair.desktop.device_id;
    world.reaches(device, |reach| *reach == Reach::Online { phone: false }).await;
    // Somebody who holds the phone's relay key alone is present, but has no session.
    let mut socket = in_its_place(&relay, &phone).await;
    world.reaches(device, |reach| *reach == Reach::Online { phone: true }).await;
    let _asked = world.ask("echo hi").await;
    world.handle.look(|_| ()).await.unwrap();
    assert!(!had_mail(&mut socket).await, "nothing is sealed for it");
    world.stop().await;
}
