//! Who gets to an end: only the holder of its key, for this relay and this socket's nonce.

use countersign_proto::{
    claim::{Claim, End, Origin},
    frame::{CloseCode, FromClient, FromRelay, Outcome},
    id::ChannelId,
    key::SigningKey,
};

use crate::party::{Channel, Client, Relay, no_signature};

#[tokio::test]
async fn the_holder_of_an_ends_key_gets_in_and_hears_who_else_is_there() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut desktop, online) = relay.attach(&channel, End::Desktop).await;
    assert!(!online);
    let (_phone, online) = relay.attach(&channel, End::Phone).await;
    assert!(online);
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
}

#[tokio::test]
async fn every_socket_gets_its_own_nonce() {
    let relay = Relay::start().await;
    let (one, two) = (relay.dial().await, relay.dial().await);
    assert_ne!(one.nonce, two.nonce);
    assert_ne!(one.nonce, [0; 32]);
}

#[tokio::test]
async fn a_claim_by_another_key_end_origin_or_nonce_is_refused() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (here, elsewhere) = (relay.origin(), Origin::parse("relay.example", 443).unwrap());
    let earlier = relay.dial().await;
    type Make = fn(&Client, &Channel, &Origin, &Origin, &Client) -> FromClient;
    let claims: [Make; 6] = [
        |_, channel, _, _, _| FromClient::Auth { channel: channel.id, end: End::Phone, sig: no_signature() },
        |client, channel, here, _, _| {
            let stranger = Channel { phone: SigningKey::from_seed(&[99; 32]), ..Channel::of(1) };
            let FromClient::Auth { sig, .. } = client.auth(here, &stranger, End::Phone) else {
                unreachable!()
            };
            FromClient::Auth { channel: channel.id, end: End::Phone, sig }
        },
        // The other end's own good claim, for this end.
        |client, channel, here, _, _| {
            let FromClient::Auth { sig, .. } = client.auth(here, channel, End::Desktop) else {
                unreachable!()
            };
            FromClient::Auth { channel: channel.id, end: End::Phone, sig }
        },
        |client, channel, here, _, _| {
            let claim = Claim { origin: here, nonce: &client.nonce, channel: channel.id, end: End::Phone };
            FromClient::Auth { channel: channel.id, end: End::Phone, sig: claim.sign(&channel.desktop) }
        },
        |client, channel, _, elsewhere, _| client.auth(elsewhere, channel, End::Phone),
        |_, channel, here, _, earlier| earlier.auth(here, channel, End::Phone),
    ];
    for (number, claim) in claims.into_iter().enumerate() {
        let mut client = relay.dial().await;
        let auth = claim(&client, &channel, &here, &elsewhere, &earlier);
        client.send(auth).await;
        assert_eq!(client.closed().await, CloseCode::Refused, "claim {number}");
    }
}

#[tokio::test]
async fn a_claim_recorded_on_one_socket_is_worth_nothing_on_another() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let mut first = relay.dial().await;
    let recorded = first.auth(&relay.origin(), &channel, End::Desktop);
    first.send(recorded.clone()).await;
    assert_eq!(first.frame().await, FromRelay::PeerPresence { online: false });
    let mut second = relay.dial().await;
    second.send(recorded).await;
    assert_eq!(second.closed().await, CloseCode::Refused);
    first.has_nothing().await;
}

#[tokio::test]
async fn an_unknown_channel_and_a_bad_signature_get_the_same_answer() {
    let relay = Relay::start().await;
    let known = relay.channel(1).await;
    let mut farewells = Vec::new();
    for channel in [known.id, ChannelId::new([9; 16])] {
        let mut client = relay.dial().await;
        client.send(FromClient::Auth { channel, end: End::Desktop, sig: no_signature() }).await;
        farewells.push(format!("{:?}", client.message().await.unwrap().unwrap()));
    }
    assert_eq!(farewells[0], farewells[1]);
}

#[tokio::test]
async fn the_key_that_stands_in_for_unknown_channels_opens_none() {
    let relay = Relay::start().await;
    let mut client = relay.dial().await;
    let stand_in = Channel { desktop: SigningKey::from_seed(&[0; 32]), ..Channel::of(9) };
    let auth = client.auth(&relay.origin(), &stand_in, End::Desktop);
    client.send(auth).await;
    assert_eq!(client.closed().await, CloseCode::Refused);
}

#[tokio::test]
async fn after_a_failed_claim_no_frame_is_handled() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut phone, _) = relay.attach(&channel, End::Phone).await;

    let mut client = relay.dial().await;
    let good = client.auth(&relay.origin(), &channel, End::Desktop);
    client.send(FromClient::Auth { channel: channel.id, end: End::Desktop, sig: no_signature() }).await;
    client.send(good).await;
    client
        .send(FromClient::Send { seq: 1, ttl: 120, first: true, wake: false, envelope: vec![7; 256] })
        .await;
    client.send(FromClient::Delete).await;
    assert_eq!(client.closed().await, CloseCode::Refused);
    assert!(client.message().await.is_none_or(|end| end.is_err()), "nothing follows the close");

    phone.has_nothing().await;
    let (_, online) = relay.attach(&channel, End::Desktop).await;
    assert!(online, "the channel is still there, with its phone");
}

#[tokio::test]
async fn nothing_but_a_claim_may_come_first_and_only_once() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let envelope = vec![7; 256];
    for early in [
        FromClient::Send { seq: 1, ttl: 120, first: true, wake: false, envelope },
        FromClient::Delete,
        FromClient::Flush,
        FromClient::Got { id: 0 },
        FromClient::Wake,
    ] {
        let mut client = relay.dial().await;
        client.send(early).await;
        assert_eq!(client.closed().await, CloseCode::OutOfTurn);
    }
    let mut client = relay.dial().await;
    let auth = client.auth(&relay.origin(), &channel, End::Desktop);
    client.send(auth.clone()).await;
    assert_eq!(client.frame().await, FromRelay::PeerPresence { online: false });
    client.send(auth).await;
    assert_eq!(client.closed().await, CloseCode::OutOfTurn);
}

#[tokio::test]
async fn localhost_is_this_relay_too_and_any_other_host_is_not() {
    let relay = Relay::start().await;
    let port = relay.address.rsplit(':').next().unwrap();
    for (host, status) in [
        (format!("LOCALHOST:{port}"), 400),
        (relay.address.clone(), 400),
        ("localhost".to_owned(), 421),
        (format!("evil.example:{port}"), 421),
        ("no host at all".to_owned(), 421),
    ] {
        let json = "Content-Type: application/json\r\n";
        assert_eq!(relay.http("POST", "/v1/channels", &host, json, "{").await.0, status, "{host}");
    }
}

#[tokio::test]
async fn one_socket_reaches_one_channel_only() {
    let relay = Relay::start().await;
    let (one, two) = (relay.channel(1).await, relay.channel(11).await);
    let (mut sender, _) = relay.attach(&one, End::Desktop).await;
    let (mut bystander, _) = relay.attach(&two, End::Phone).await;
    assert_eq!(sender.post(1, vec![7; 256]).await, Outcome::Held);
    bystander.has_nothing().await;
}
