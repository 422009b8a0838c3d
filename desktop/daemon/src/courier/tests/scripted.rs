//! Couriers at a relay that says exactly what a test wants, in the order it wants.

use std::time::Duration;

use countersign_proto::{
    frame::{CloseCode, FromClient, FromRelay, NoticeCode, Outcome},
    id::DeviceId,
    message::Message,
};
use tokio::net::TcpListener;

use crate::courier::{
    Reach,
    stage::{Puppet, Script, World, listen},
};

struct Scene {
    _folder: tempfile::TempDir,
    world: World,
    listener: TcpListener,
    puppet: Puppet,
    device: DeviceId,
}

async fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let (listener, address) = listen().await;
    let puppet = Puppet::adopted(&world, &address).await;
    let device = puppet.end.pair().device_id;
    Scene { _folder: folder, world, listener, puppet, device }
}

fn offer(message: Message) -> countersign_proto::offer::SignedOffer {
    match message {
        Message::Offer(offer) => offer.signed,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_word_that_comes_after_the_relay_said_that_the_phone_left_still_counts() {
    let mut scene = scene().await;
    let mut relay = Script::accept(&scene.listener, true).await;
    scene.puppet.greet(&mut relay).await;
    let asked = scene.world.ask("echo hi").await;
    let offer = offer(scene.puppet.hear(&mut relay).await);
    relay.say(FromRelay::PeerPresence { online: false }).await;
    scene.world.reaches(scene.device, |reach| *reach == Reach::Online { phone: false }).await;
    let reply = scene.puppet.approve(&offer);
    scene.puppet.say(&mut relay, &reply).await;
    assert!(asked.answer().await.contains(r#""behavior":"allow""#));
    while !matches!(relay.hear().await, FromClient::Got { .. }) {}
    assert!(relay.is_silent().await, "nothing is said to a phone that is away");
}

#[tokio::test]
async fn a_phone_that_is_away_is_woken_once_for_many_questions_and_sent_nothing_else() {
    let scene = scene().await;
    let mut relay = Script::accept(&scene.listener, false).await;
    scene.world.reaches(scene.device, |reach| *reach == Reach::Online { phone: false }).await;
    let _one = scene.world.ask("echo one").await;
    assert_eq!(relay.hear().await, FromClient::Wake);
    let _two = scene.world.ask("echo two").await;
    let _three = scene.world.ask("echo three").await;
    scene.world.handle.look(|_| ()).await.unwrap();
    assert!(relay.is_silent().await);
}

#[tokio::test]
async fn what_finds_no_room_at_the_relay_is_sent_again_as_it_was() {
    let mut scene = scene().await;
    let mut relay = Script::accept(&scene.listener, true).await;
    scene.puppet.greet(&mut relay).await;
    let _asked = scene.world.ask("echo hi").await;
    let (seq, first) = relay.envelope().await;
    relay.say(FromRelay::Ack { seq, outcome: Outcome::QueueFull }).await;
    let (again_seq, again) = relay.envelope().await;
    assert_ne!(again_seq, seq);
    assert_eq!(again, first, "the same envelope, not another under a new counter");
    relay.say(FromRelay::Ack { seq: again_seq, outcome: Outcome::Rate }).await;
    assert_eq!(relay.envelope().await.1, first);
}

#[tokio::test]
async fn a_relay_that_says_it_goes_is_given_time_and_the_phone_is_not_counted_as_there() {
    let mut scene = scene().await;
    let mut relay = Script::accept(&scene.listener, true).await;
    scene.puppet.greet(&mut relay).await;
    relay.say(FromRelay::Notice { code: NoticeCode::GoingDown, retry_after: 30 }).await;
    relay.close(CloseCode::GoingDown.number()).await;
    let away = scene.world.reaches(scene.device, |reach| matches!(reach, Reach::Offline { .. })).await;
    let Reach::Offline { retry_in, why } = away else { panic!("{away:?}") };
    assert!(retry_in >= Duration::from_secs(30), "{retry_in:?}");
    assert!(why.contains("going down"), "{why}");
    let is_live = scene.world.handle.look(|view| view.core.approvers()[0].is_live).await.unwrap();
    assert!(!is_live);
}

#[tokio::test]
async fn a_relay_that_speaks_out_of_turn_or_nonsense_is_left() {
    let scene = scene().await;
    for (frame, words) in [
        (FromRelay::Challenge { nonce: [1; 32], relay_time: 0 }.encode(), "a second challenge came"),
        (vec![0x85, 0], "ends inside a field"),
        (vec![0x42], "no frame of type 0x42"),
    ] {
        let mut relay = Script::accept(&scene.listener, true).await;
        relay.raw(frame).await;
        let is_it = |reach: &Reach| matches!(reach, Reach::Offline { why, .. } if why.contains(words));
        scene.world.reaches(scene.device, is_it).await;
    }
}
