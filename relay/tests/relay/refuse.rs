//! What a relay does not take: strange frames, strange requests, strange peers. It says why, and goes on for others.

use countersign_proto::{
    claim::{CHANNELS_PATH, End},
    frame::{CloseCode, MAX, PATH},
};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream};
use tokio_tungstenite::tungstenite::Message;

use crate::party::{Channel, Relay};

#[tokio::test]
async fn strange_messages_close_the_socket_each_with_its_code() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let binary = |bytes: &[u8]| Message::Binary(bytes.to_vec().into());
    for (message, code) in [
        (binary(&[0x08]), CloseCode::UnknownFrame),
        (binary(&[0xff; 200]), CloseCode::UnknownFrame),
        (binary(&[0x84, 1]), CloseCode::UnknownFrame),
        (binary(&[]), CloseCode::Malformed),
        (binary(&[0x04, 0, 0]), CloseCode::Malformed),
        (binary(&[0x05, 0]), CloseCode::Malformed),
        (binary(&[0x02, 0, 0, 0, 1, 0, 60, 2, 0, 7]), CloseCode::Malformed),
        (Message::Text("{\"type\":\"send\"}".into()), CloseCode::NotBinary),
    ] {
        let (mut claimed, _) = relay.attach(&channel, End::Desktop).await;
        claimed.send_raw(message.clone()).await.unwrap();
        assert_eq!(claimed.closed().await, code, "{message:?}");
        let mut unclaimed = relay.dial().await;
        unclaimed.send_raw(message.clone()).await.unwrap();
        assert_eq!(unclaimed.closed().await, code, "{message:?} before the claim");
    }
}

#[tokio::test]
async fn a_message_above_the_largest_frame_closes_the_socket() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (mut client, _) = relay.attach(&channel, End::Desktop).await;
    client.send_raw(Message::Binary(vec![2; MAX + 1].into())).await.unwrap();
    assert_eq!(client.closed().await, CloseCode::TooBig);
}

#[tokio::test]
async fn garbage_instead_of_a_websocket_harms_nobody() {
    let relay = Relay::start().await;
    let mut stream = TcpStream::connect(&relay.address).await.unwrap();
    let upgrade = format!(
        "GET {PATH} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: countersign-relay.1\r\n\r\n",
        relay.address
    );
    stream.write_all(upgrade.as_bytes()).await.unwrap();
    stream.write_all(&[0xff; 4_096]).await.unwrap();
    let mut raw = TcpStream::connect(&relay.address).await.unwrap();
    raw.write_all(&[0; 4_096]).await.unwrap();
    let channel = relay.channel(1).await;
    relay.attach(&channel, End::Desktop).await;
}

#[tokio::test]
async fn a_socket_is_opened_by_an_upgrade_with_our_subprotocol_only() {
    let relay = Relay::start().await;
    let host = relay.address.as_str();
    let (status, error) = relay.http("GET", PATH, host, "", "").await;
    assert_eq!(status, 426);
    assert!(error.contains("must pass the Upgrade and Connection headers on"), "{error}");
    let upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    for subprotocol in
        ["", "Sec-WebSocket-Protocol: countersign-relay.2\r\n", "Sec-WebSocket-Protocol: chat\r\n"]
    {
        let (status, error) = relay.http("GET", PATH, host, &format!("{upgrade}{subprotocol}"), "").await;
        assert_eq!(status, 400, "{subprotocol}");
        assert!(error.contains("countersign-relay.1"), "{error}");
    }
}

#[tokio::test]
async fn making_a_channel_twice_is_the_same_and_with_other_keys_a_conflict() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    assert_eq!(relay.make(&channel.to_json(0)).await.0, 200);
    let foreign = Channel { phone: Channel::of(50).phone, ..Channel::of(1) };
    let (status, error) = relay.make(&foreign.to_json(0)).await;
    assert_eq!(status, 409);
    assert!(error.contains("exists with other keys"), "{error}");
}

#[tokio::test]
async fn a_bad_request_for_a_channel_says_what_is_wrong_with_it() {
    let relay = Relay::start().await;
    let with = |field: &str, value: Value| {
        let mut body = Channel::of(1).to_json(180);
        body[field] = value;
        body
    };
    let key0 = Channel::of(1).to_json(0)["key0"].clone();
    for (body, status, reason) in [
        (with("id", json!("AAAA")), 400, "`id`"),
        (with("id", json!("AQEBAQEBAQEBAQEBAQEBAQ==")), 400, "`id`"),
        (with("key0", json!("not base64!")), 400, "`key0`"),
        (with("key1", json!("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")), 400, "`key1`"),
        (with("key1", key0), 400, "each end needs its own"),
        (with("ttl", json!(90 * 24 * 60 * 60 + 1)), 400, "`ttl`"),
        (with("ttl", json!(-1)), 422, "ttl"),
        (with("ttl", json!("180")), 422, "ttl"),
        (with("invite", json!("short")), 400, "`invite`"),
        (with("name", json!("my phone")), 422, "unknown field `name`"),
        (json!([]), 422, "NewChannel"),
        (json!({ "id": "x".repeat(5_000) }), 413, ""),
    ] {
        let (got, error) = relay.make(&body).await;
        assert_eq!(got, status, "{body}: {error}");
        assert!(error.contains(reason), "{body}: {error}");
    }
    assert_eq!(
        relay.make(&with("invite", json!("AAAAAAAAAAAAAAAAAAAAAA"))).await.0,
        201,
        "an unneeded invite is fine"
    );

    let host = relay.address.as_str();
    let body = Channel::of(2).to_json(0).to_string();
    assert_eq!(
        relay.http("POST", CHANNELS_PATH, host, "", &body).await.0,
        415,
        "a web form cannot make a channel"
    );
    assert_eq!(relay.http("GET", CHANNELS_PATH, host, "", "").await.0, 405);
    assert_eq!(relay.http("GET", "/v1/elsewhere", host, "", "").await.0, 404);
    assert_eq!(relay.http("GET", "/healthz", host, "", "").await.0, 200);
}
