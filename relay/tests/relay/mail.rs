//! Envelopes on their way: held, delivered, delivered again, forgotten.

use countersign_proto::{
    claim::End,
    frame::{CloseCode, FromClient, FromRelay, NoticeCode, Outcome},
    limits,
};
use rustix::process::Signal;

use crate::party::{Channel, Relay};

fn first(seq: u32, envelope: Vec<u8>) -> FromClient {
    FromClient::Send { seq, ttl: 120, first: true, wake: true, envelope }
}

#[tokio::test]
async fn an_envelope_waits_for_the_other_end_and_comes_until_it_arrived() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    assert_eq!(desktop.post(1, b"one".to_vec()).await, Outcome::Held);
    assert_eq!(desktop.post(2, b"two".to_vec()).await, Outcome::Held);
    desktop.leave().await;

    let (mut phone, online) = relay.attach(&channel, End::Phone).await;
    assert!(!online);
    let (one, envelope) = phone.delivery().await;
    assert_eq!(envelope, b"one");
    let (two, envelope) = phone.delivery().await;
    assert_eq!(envelope, b"two");
    phone.send(FromClient::Got { id: one }).await;
    phone.leave().await;

    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(phone.delivery().await, (two, b"two".to_vec()), "what did not arrive comes again");
    phone.send(FromClient::Got { id: two }).await;
    phone.send(FromClient::Got { id: two }).await;
    phone.send(FromClient::Got { id: two.wrapping_add(1_000) }).await;
    phone.leave().await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    phone.has_nothing().await;
}

#[tokio::test]
async fn both_directions_work_at_once_and_an_envelope_keeps_every_byte() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    let all: Vec<u8> = (0..limits::ENVELOPE).map(|at| (at % 251) as u8).collect();
    assert_eq!(desktop.post(1, all.clone()).await, Outcome::Held);
    assert_eq!(phone.delivery().await.1, all);
    assert_eq!(phone.post(9, b"back".to_vec()).await, Outcome::Held);
    assert_eq!(desktop.delivery().await.1, b"back");
}

#[tokio::test]
async fn the_same_envelope_sent_twice_is_delivered_twice() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    desktop.post(1, b"same".to_vec()).await;
    desktop.post(1, b"same".to_vec()).await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    let (one, two) = (phone.delivery().await, phone.delivery().await);
    assert_eq!(one.1, two.1);
    assert_ne!(one.0, two.0, "telling copies apart is the receiver's work, by what is inside");
}

#[tokio::test]
async fn an_envelope_without_time_left_is_taken_and_not_delivered() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    let envelope = b"late".to_vec();
    desktop.send(FromClient::Send { seq: 1, ttl: 0, first: false, wake: false, envelope }).await;
    assert_eq!(desktop.ack(1).await, Outcome::Held);
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    phone.has_nothing().await;
}

#[tokio::test]
async fn a_full_mailbox_says_so_and_a_handshake_still_gets_in() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    let large = limits::MAILBOX_BYTES / limits::ENVELOPE;
    for seq in 0..large as u32 {
        assert_eq!(desktop.post(seq, vec![1; limits::ENVELOPE]).await, Outcome::Held);
    }
    assert_eq!(desktop.post(100, vec![2; 256]).await, Outcome::QueueFull);
    desktop.send(first(101, vec![3; 256])).await;
    assert_eq!(desktop.ack(101).await, Outcome::Held);
    assert_eq!(desktop.post(102, vec![4; 256]).await, Outcome::Held);

    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(phone.delivery().await.1, vec![3; 256], "the older ones are gone");
    assert_eq!(phone.delivery().await.1, vec![4; 256]);
    phone.has_nothing().await;
}

#[tokio::test]
async fn a_handshake_drops_nothing_of_the_other_direction() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    desktop.post(1, b"offer".to_vec()).await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    phone.send(first(1, b"hello".to_vec())).await;
    assert_eq!(phone.delivery().await.1, b"offer");
    assert_eq!(phone.ack(1).await, Outcome::Held);
}

#[tokio::test]
async fn an_envelope_above_the_limit_is_refused_and_the_socket_stays() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    assert_eq!(desktop.post(1, vec![0; limits::ENVELOPE + 1]).await, Outcome::TooBig);
    assert_eq!(desktop.post(2, vec![0; limits::ENVELOPE]).await, Outcome::Held);
}

#[tokio::test]
async fn sending_too_often_is_refused_until_a_moment_later() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    // All at once, so that even a slow machine cannot refill what a burst takes.
    for seq in 0..400 {
        desktop.send(FromClient::Send { seq, ttl: 0, first: true, wake: false, envelope: vec![1] }).await;
    }
    let mut refused = 0;
    for seq in 0..400 {
        refused += u32::from(desktop.ack(seq).await == Outcome::Rate);
    }
    assert!(refused > 0);
    let mut seq = 400;
    while desktop.post(seq, vec![1]).await == Outcome::Rate {
        seq += 1;
    }
}

#[tokio::test]
async fn a_flush_forgets_what_waits_for_me_only() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    desktop.post(1, b"for the phone".to_vec()).await;
    desktop.send(FromClient::Flush).await;
    desktop.leave().await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(phone.delivery().await.1, b"for the phone");
    phone.send(FromClient::Flush).await;
    phone.leave().await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    phone.has_nothing().await;
}

#[tokio::test]
async fn each_end_hears_when_the_other_comes_and_goes() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    let (phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    phone.leave().await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: false });
    let (phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    drop(phone);
    assert_eq!(
        desktop.frame().await,
        FromRelay::PeerPresence { online: false },
        "a broken connection counts too"
    );
}

#[tokio::test]
async fn the_newest_socket_of_an_end_replaces_the_older() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    let (mut old, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    let (mut new, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(old.closed().await, CloseCode::Replaced);
    desktop.post(1, b"to the new one".to_vec()).await;
    assert_eq!(new.delivery().await.1, b"to the new one");
}

#[tokio::test]
async fn deleting_ends_the_channel_for_both_and_frees_its_id() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    desktop.post(1, b"never read".to_vec()).await;
    assert_eq!(phone.delivery().await.1, b"never read");
    desktop.send(FromClient::Delete).await;
    assert_eq!(desktop.closed().await, CloseCode::Ended);
    assert_eq!(phone.closed().await, CloseCode::Ended);

    let mut client = relay.dial().await;
    let auth = client.auth(&relay.origin(), &channel, End::Phone);
    client.send(auth).await;
    assert_eq!(client.closed().await, CloseCode::Refused);
    let again = Channel { desktop: Channel::of(50).desktop, ..Channel::of(1) };
    assert_eq!(relay.make(&again.to_json(0)).await.0, 201);
    let (mut phone, _) = relay.attach(&again, End::Phone).await;
    phone.has_nothing().await;
}

#[tokio::test]
async fn wake_is_accepted_and_a_wake_up_address_is_not_available_here() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    phone.send(FromClient::Wake).await;
    phone.send(FromClient::SetPush { endpoint: "https://up.example/x".into(), keys: vec![1; 81] }).await;
    let unavailable = FromRelay::Notice { code: NoticeCode::NotAvailable, retry_after: 0 };
    assert_eq!(phone.frame().await, unavailable);
    phone.has_nothing().await;
}

#[tokio::test]
async fn a_killed_relay_comes_back_with_its_channels_and_without_their_envelopes() {
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::start_in(folder.path()).await;
    let channel = relay.channel(1).await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    desktop.post(1, b"lost".to_vec()).await;
    relay.signal(Signal::KILL);
    relay.ended().await;

    let relay = Relay::start_in(folder.path()).await;
    assert_eq!(relay.make(&channel.to_json(0)).await.0, 200, "it is still there");
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;
    phone.has_nothing().await;
    let (mut desktop, _) = relay.attach(&channel, End::Desktop).await;
    assert_eq!(phone.frame().await, FromRelay::PeerPresence { online: true });
    assert_eq!(desktop.post(1, b"sent again".to_vec()).await, Outcome::Held);
    assert_eq!(phone.delivery().await.1, b"sent again");
}
