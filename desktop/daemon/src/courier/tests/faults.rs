//! A relay that dies, forges or repeats: what was offered comes back, and nothing changes twice.

use countersign_mobile_core::{choice::Choice, inbox::End as Ended, phone::Event};
use countersign_proto::reply::Decision;
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;

use crate::courier::{
    NewChannel, Reach, make,
    stage::{Ordered, RelayProcess, World, stranger},
};

#[tokio::test]
async fn when_the_relay_is_killed_mid_wait_the_question_comes_back_and_its_answer_counts() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let relay = RelayProcess::start();
    let mut phone = world.pair(Some(relay.address.to_string()), 1).await;
    let asked = world.ask("echo hi").await;
    let card = phone.card().await;
    // The new one knows no channel; the desktop makes it again with the keys of both ends.
    let _relay = relay.restart();
    phone.until(|event| (*event == Event::Down).then_some(())).await;
    phone.until(|event| (*event == Event::Up).then_some(())).await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    assert_eq!(phone.ended(card).await, Ended::Released(Decision::ApproveOnce));
    world.stop().await;
}

#[tokio::test]
async fn a_reply_signed_while_the_relay_is_away_is_sent_when_it_is_back_without_a_second_finger() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let relay = RelayProcess::start();
    let address = relay.address.to_string();
    let mut phone = world.pair(Some(address.clone()), 1).await;
    let asked = world.ask("echo hi").await;
    let card = phone.card().await;
    drop(relay);
    phone.until(|event| (*event == Event::Down).then_some(())).await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    phone.until(|event| matches!(event, Event::Sent(..)).then_some(())).await;
    let _relay = RelayProcess::start_at(&address);
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    let end = phone.until(|event| match event {
        Event::Sent(..) => panic!("signed twice"),
        Event::Ended(offer, end) if *offer == card => Some(end.clone()),
        _ => None,
    });
    assert_eq!(end.await, Ended::Released(Decision::ApproveOnce));
    world.stop().await;
}

#[tokio::test]
async fn our_own_relay_comes_back_by_itself_with_a_question_that_came_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let mut phone = world.pair(None, 1).await;
    let pid = i32::try_from(world.relay.pid().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let asked = world.ask("echo hi").await;
    let card = phone.card().await;
    phone.order(Ordered::Decide(card, Choice::ApproveOnce));
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    world.stop().await;
}

#[tokio::test]
async fn a_relay_that_is_away_is_told_apart_from_one_that_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (world, relay) = (World::start(&state).await, RelayProcess::start());
    let phone = world.pair(Some(relay.address.to_string()), 1).await;
    let (device, address) = (phone.pair.desktop.device_id, relay.address.clone());
    drop(relay);
    let away = world.reaches(device, |reach| matches!(reach, Reach::Offline { .. })).await;
    let Reach::Offline { why, .. } = away else { panic!("{away:?}") };
    assert!(why.contains("broke") || why.contains("can't be reached"), "{why}");
    world.stop().await;

    // Somebody else has taken the channel's id there meanwhile.
    let relay = RelayProcess::start_at(&address.to_string());
    let taken = NewChannel {
        id: phone.pair.desktop.channel,
        desktop: stranger().public(),
        phone: phone.pair.relay.public(),
        ttl: Duration::ZERO,
        invite: None,
    };
    make(&relay.address, &taken).await.unwrap();
    let world = World::start(&state).await;
    let refused = world.reaches(device, |reach| matches!(reach, Reach::Refused { .. })).await;
    let Reach::Refused { why } = refused else { panic!("{refused:?}") };
    assert!(why.contains("exists with other keys"), "{why}");
    world.stop().await;
}
