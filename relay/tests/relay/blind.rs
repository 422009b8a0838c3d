//! What a relay knows stays out of its log and its files: a whole conversation with recognisable bytes, then a search.

use countersign_proto::{
    claim::End,
    frame::{CloseCode, FromClient, FromRelay, Outcome},
};
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use rustix::process::Signal;
use tokio_tungstenite::tungstenite::Message;

use crate::party::{Channel, Relay, no_signature};

const MARK: &[u8] = b"an envelope nobody but its two ends may keep";

#[tokio::test]
async fn neither_log_nor_files_hold_an_envelope_a_private_key_an_address_or_in_the_log_a_channel() {
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::start_in(folder.path()).await;
    let channel = Channel::of(0xc5);
    let mut addresses = vec![relay.address.clone()];
    let nonces = converse(&relay, &channel, &mut addresses).await;
    let before_the_end = files(folder.path());
    relay.signal(Signal::TERM);
    let (status, log) = relay.ended().await;
    assert_eq!(status.code(), Some(0));
    assert!(log.contains("TRACE") && log.lines().count() > 10, "it was told to log everything: {log}");

    let seeds: Vec<Vec<u8>> =
        [&channel.desktop, &channel.phone].iter().map(|key| key.seed().expose().to_vec()).collect();
    let public: Vec<Vec<u8>> =
        [&channel.desktop, &channel.phone].iter().map(|key| key.public().as_bytes().to_vec()).collect();
    let addresses: Vec<Vec<u8>> = addresses.into_iter().map(String::into_bytes).collect();
    let nowhere = [vec![MARK.to_vec()], seeds, nonces, addresses].concat();
    let not_in_the_log = [public, vec![channel.id.as_bytes().to_vec()]].concat();

    for secret in nowhere.iter().chain(&not_in_the_log) {
        assert!(!holds(log.as_bytes(), secret), "the log holds {}", HEXLOWER.encode(secret));
    }
    for (name, content) in before_the_end.iter().chain(&files(folder.path())) {
        for secret in &nowhere {
            assert!(!holds(content, secret), "{name} holds {}", HEXLOWER.encode(secret));
        }
    }
    assert!(
        before_the_end.iter().any(|(_, content)| holds(content, channel.id.as_bytes())),
        "the search works"
    );
}

/// A bit of everything: good and bad claims, envelopes held and delivered, refused, dropped, strange frames, an end.
async fn converse(relay: &Relay, channel: &Channel, addresses: &mut Vec<String>) -> Vec<Vec<u8>> {
    assert_eq!(relay.make(&channel.to_json(0)).await.0, 201);
    assert_eq!(relay.make(&channel.to_json(0)).await.0, 200);
    let other_keys = Channel { desktop: Channel::of(1).desktop, ..Channel::of(0xc5) };
    assert_eq!(relay.make(&other_keys.to_json(0)).await.0, 409);

    let mut stranger = relay.dial().await;
    stranger.send(FromClient::Auth { channel: channel.id, end: End::Phone, sig: no_signature() }).await;
    assert_eq!(stranger.closed().await, CloseCode::Refused);

    let (mut desktop, _) = relay.attach(channel, End::Desktop).await;
    for seq in 0..10 {
        assert_eq!(desktop.post(seq, marked(256)).await, Outcome::Held);
    }
    assert_eq!(desktop.post(10, marked(40_000)).await, Outcome::TooBig);
    let (mut phone, _) = relay.attach(channel, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    let (id, envelope) = phone.delivery().await;
    assert_eq!(envelope, marked(256));
    phone.send(FromClient::Got { id }).await;
    phone.send(FromClient::Send { seq: 1, ttl: 60, first: true, wake: true, envelope: marked(1_024) }).await;
    assert_eq!(desktop.delivery().await.1, marked(1_024));
    phone.send(FromClient::Wake).await;
    let endpoint = String::from_utf8(MARK.to_vec()).unwrap();
    phone.send(FromClient::SetPush { endpoint, keys: MARK.to_vec() }).await;
    while !matches!(phone.frame().await, FromRelay::Notice { .. }) {}
    phone.send(FromClient::Flush).await;
    phone.has_nothing().await;

    let (mut strange, _) = relay.attach(channel, End::Phone).await;
    strange.send_raw(Message::Text(String::from_utf8(MARK.to_vec()).unwrap().into())).await.unwrap();
    assert_eq!(strange.closed().await, CloseCode::NotBinary);
    let (mut strange, _) = relay.attach(channel, End::Phone).await;
    strange.send_raw(Message::Binary([&[0x66], MARK].concat().into())).await.unwrap();
    assert_eq!(strange.closed().await, CloseCode::UnknownFrame);

    addresses.extend([&stranger, &desktop, &phone, &strange].map(|client| client.local.clone()));
    [&stranger, &desktop, &phone, &strange].map(|client| client.nonce.to_vec()).into()
}

fn marked(size: usize) -> Vec<u8> {
    MARK.iter().copied().cycle().take(size).collect()
}

/// Every file of the folder.
fn files(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

/// Whether the bytes stand there, raw or in any of the usual spellings.
fn holds(text: &[u8], bytes: &[u8]) -> bool {
    let spellings = [
        bytes.to_vec(),
        HEXLOWER.encode(bytes).into_bytes(),
        HEXUPPER.encode(bytes).into_bytes(),
        BASE64.encode(bytes).trim_end_matches('=').as_bytes().to_vec(),
        BASE64URL_NOPAD.encode(bytes).into_bytes(),
        format!("{bytes:?}").trim_matches(['[', ']']).as_bytes().to_vec(),
    ];
    spellings.iter().any(|spelling| text.windows(spelling.len()).any(|window| window == spelling))
}
