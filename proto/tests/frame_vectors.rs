//! The golden vectors of the relay's frames, good and bad: `vectors/frame.json` holds exactly what stands here, and each
//! decodes to what it says. `COUNTERSIGN_WRITE_VECTORS=1` writes the file anew.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the vectors are a file of this test")]

use std::path::Path;

use countersign_proto::{
    claim::End,
    frame::{BadFrame, FromClient, FromRelay, MAX, NoticeCode, Outcome, PUSH_ENDPOINT, PUSH_KEYS},
    id::ChannelId,
    key::Signature,
    limits,
};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

#[test]
fn the_file_holds_exactly_these_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/frame.json");
    let vectors = json!({
        "about": "Frames of the relay protocol (protocol.md 3.3), one binary WebSocket message each. `bytes` is hex, \
                  followed by `zeros` zero bytes. A bad one must be refused for exactly this reason.",
        "good": good().iter().map(Good::to_json).collect::<Vec<_>>(),
        "bad": bad().iter().map(Bad::to_json).collect::<Vec<_>>(),
    });
    let text = format!("{}\n", serde_json::to_string_pretty(&vectors).unwrap());
    if std::env::var_os("COUNTERSIGN_WRITE_VECTORS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        text,
        "run with COUNTERSIGN_WRITE_VECTORS=1 if meant"
    );
}

#[test]
fn each_good_vector_decodes_to_its_frame_and_encodes_to_its_bytes() {
    for good in good() {
        let (frame, bytes) = (good.frame, whole(&good.bytes, good.zeros));
        match &frame {
            Frame::Client(frame) => {
                assert_eq!(FromClient::decode(&bytes).as_ref(), Ok(frame), "{}", good.name);
                assert_eq!(frame.encode(), bytes, "{}", good.name);
            }
            Frame::Relay(frame) => {
                assert_eq!(FromRelay::decode(&bytes).as_ref(), Ok(frame), "{}", good.name);
                assert_eq!(frame.encode(), bytes, "{}", good.name);
            }
        }
    }
}

#[test]
fn each_bad_vector_is_refused_for_its_reason() {
    let bad = bad();
    assert!(bad.len() >= 2 * good().len(), "two thirds are wrong on purpose");
    for bad in bad {
        let bytes = whole(&bad.bytes, bad.zeros);
        let refused = match bad.from {
            "client" => FromClient::decode(&bytes).map(|_| ()),
            _ => FromRelay::decode(&bytes).map(|_| ()),
        };
        assert_eq!(refused.unwrap_err().name(), bad.reason, "{}", bad.name);
    }
}

enum Frame {
    Client(FromClient),
    Relay(FromRelay),
}

struct Good {
    name: &'static str,
    frame: Frame,
    bytes: String,
    zeros: usize,
}

#[derive(Clone)]
struct Bad {
    name: &'static str,
    from: &'static str,
    bytes: String,
    zeros: usize,
    reason: &'static str,
}

impl Good {
    fn to_json(&self) -> Value {
        let (from, frame) = match &self.frame {
            Frame::Client(frame) => ("client", client_fields(frame)),
            Frame::Relay(frame) => ("relay", relay_fields(frame)),
        };
        json!({ "name": self.name, "from": from, "bytes": self.bytes, "zeros": self.zeros, "frame": frame })
    }
}

impl Bad {
    fn to_json(&self) -> Value {
        json!({ "name": self.name, "from": self.from, "bytes": self.bytes, "zeros": self.zeros, "refusal": self.reason })
    }
}

fn whole(hex: &str, zeros: usize) -> Vec<u8> {
    let mut bytes = HEXLOWER.decode(hex.as_bytes()).unwrap();
    bytes.resize(bytes.len() + zeros, 0);
    bytes
}

fn client_fields(frame: &FromClient) -> Value {
    match frame {
        FromClient::Auth { channel, end, sig } => json!({
            "type": "auth", "channel": channel.to_string(), "end": end.number(), "sig": HEXLOWER.encode(sig.as_bytes()),
        }),
        FromClient::Send { seq, ttl, first, wake, envelope } => json!({
            "type": "send", "seq": seq, "ttl": ttl, "first": first, "wake": wake, "envelope_length": envelope.len(),
        }),
        FromClient::Wake => json!({ "type": "wake" }),
        FromClient::Got { id } => json!({ "type": "got", "id": id }),
        FromClient::Flush => json!({ "type": "flush" }),
        FromClient::SetPush { endpoint, keys } => {
            json!({ "type": "set_push", "endpoint": endpoint, "keys": HEXLOWER.encode(keys) })
        }
        FromClient::Delete => json!({ "type": "delete" }),
    }
}

fn relay_fields(frame: &FromRelay) -> Value {
    match frame {
        FromRelay::Challenge { nonce, relay_time } => {
            json!({ "type": "challenge", "nonce": HEXLOWER.encode(nonce), "relay_time": relay_time })
        }
        FromRelay::Ack { seq, outcome } => json!({ "type": "ack", "seq": seq, "outcome": outcome.number() }),
        FromRelay::Deliver { id, age_ms, envelope } => {
            json!({ "type": "deliver", "id": id, "age_ms": age_ms, "envelope_length": envelope.len() })
        }
        FromRelay::PeerPresence { online } => json!({ "type": "peer_presence", "online": online }),
        FromRelay::Notice { code, retry_after } => {
            json!({ "type": "notice", "code": code.number(), "retry_after": retry_after })
        }
    }
}

fn good() -> Vec<Good> {
    let channel = ChannelId::new([0xc1; 16]);
    let send = |seq, ttl, first, wake, envelope| FromClient::Send { seq, ttl, first, wake, envelope };
    let client = |name, frame, bytes: String, zeros| Good { name, frame: Frame::Client(frame), bytes, zeros };
    let relay = |name, frame, bytes: &str, zeros| Good {
        name,
        frame: Frame::Relay(frame),
        bytes: bytes.into(),
        zeros,
    };
    vec![
        client(
            "auth of end 0",
            FromClient::Auth { channel, end: End::Desktop, sig: Signature::from_bytes([0x51; 64]) },
            auth(0),
            0,
        ),
        client(
            "auth of end 1",
            FromClient::Auth { channel, end: End::Phone, sig: Signature::from_bytes([0x51; 64]) },
            auth(1),
            0,
        ),
        client(
            "a handshake that wakes",
            send(1, 120, true, true, vec![0; 256]),
            "020000000100780101".into(),
            256,
        ),
        client(
            "a last-second envelope of one byte",
            send(u32::MAX, 0, false, false, vec![0]),
            "02ffffffff00000000".into(),
            1,
        ),
        client(
            "the largest envelope",
            send(7, 60, false, true, vec![0; limits::ENVELOPE]),
            "0200000007003c0001".into(),
            limits::ENVELOPE,
        ),
        client(
            "one byte above an envelope decodes, to be acknowledged as too_big",
            send(8, 60, false, false, vec![0; limits::ENVELOPE + 1]),
            "0200000008003c0000".into(),
            limits::ENVELOPE + 1,
        ),
        client("wake", FromClient::Wake, "03".into(), 0),
        client("got", FromClient::Got { id: 0x0102_0304 }, "0401020304".into(), 0),
        client("flush", FromClient::Flush, "05".into(), 0),
        client(
            "a wake-up address",
            FromClient::SetPush { endpoint: "https://up.example/x".into(), keys: vec![1, 2, 3] },
            "06001468747470733a2f2f75702e6578616d706c652f780003010203".into(),
            0,
        ),
        client(
            "no wake-up address any more",
            FromClient::SetPush { endpoint: String::new(), keys: vec![] },
            "0600000000".into(),
            0,
        ),
        client("delete", FromClient::Delete, "07".into(), 0),
        relay("challenge", FromRelay::Challenge { nonce: [0; 32], relay_time: 0 }, "810020", 40),
        relay("ack held", FromRelay::Ack { seq: 1, outcome: Outcome::Held }, "820000000100", 0),
        relay("ack queue_full", FromRelay::Ack { seq: 2, outcome: Outcome::QueueFull }, "820000000201", 0),
        relay("ack too_big", FromRelay::Ack { seq: 3, outcome: Outcome::TooBig }, "820000000302", 0),
        relay("ack rate", FromRelay::Ack { seq: 4, outcome: Outcome::Rate }, "820000000403", 0),
        relay(
            "a delivery",
            FromRelay::Deliver { id: 5, age_ms: 1500, envelope: vec![0; 256] },
            "8300000005000005dc",
            256,
        ),
        relay(
            "the largest delivery",
            FromRelay::Deliver { id: 6, age_ms: u32::MAX, envelope: vec![0; limits::ENVELOPE] },
            "8300000006ffffffff",
            limits::ENVELOPE,
        ),
        relay("the other end is here", FromRelay::PeerPresence { online: true }, "8401", 0),
        relay("the other end is away", FromRelay::PeerPresence { online: false }, "8400", 0),
        relay("drain", FromRelay::Notice { code: NoticeCode::Drain, retry_after: 30 }, "8500010000001e", 0),
        relay(
            "over quota",
            FromRelay::Notice { code: NoticeCode::OverQuota, retry_after: 86_400 },
            "85000200015180",
            0,
        ),
        relay(
            "going down",
            FromRelay::Notice { code: NoticeCode::GoingDown, retry_after: 0 },
            "85000300000000",
            0,
        ),
        relay(
            "not available",
            FromRelay::Notice { code: NoticeCode::NotAvailable, retry_after: 0 },
            "85000400000000",
            0,
        ),
    ]
}

fn auth(end: u8) -> String {
    format!("010010{}{end:02x}0040{}", "c1".repeat(16), "51".repeat(64))
}

fn bad() -> Vec<Bad> {
    [bad_from_clients(), bad_from_relays()].concat()
}

fn bad_from_clients() -> Vec<Bad> {
    let sig = "51".repeat(64);
    let channel = "c1".repeat(16);
    let bad = |name, bytes: String, zeros, reason| Bad { name, from: "client", bytes, zeros, reason };
    vec![
        bad("nothing", String::new(), 0, "empty"),
        bad("type 0", "00".into(), 0, "unknown_type"),
        bad("the first type after the last", "08".into(), 0, "unknown_type"),
        bad("type 0x7f", "7f".into(), 0, "unknown_type"),
        bad("a relay's frame from a client", "8401".into(), 0, "unknown_type"),
        bad("type 0xff with fields", "ff00000001".into(), 0, "unknown_type"),
        bad("text as JSON", HEXLOWER.encode(b"{\"type\":\"auth\"}"), 0, "unknown_type"),
        bad("auth without fields", "01".into(), 0, "truncated"),
        bad("auth cut in its channel", "010010c1c1".into(), 0, "truncated"),
        bad("auth cut before its end", format!("010010{channel}"), 0, "truncated"),
        bad("auth cut before its signature", format!("010010{channel}00"), 0, "truncated"),
        bad("auth cut in its signature", format!("010010{channel}000040{}", "51".repeat(63)), 0, "truncated"),
        bad(
            "auth with a channel of 15 bytes",
            format!("01000f{}000040{sig}", "c1".repeat(15)),
            0,
            "wrong_length",
        ),
        bad("auth with a channel of 17 bytes", format!("010011{channel}c1000040{sig}"), 0, "wrong_length"),
        bad(
            "auth with a signature of 63 bytes",
            format!("010010{channel}00003f{}", "51".repeat(63)),
            0,
            "wrong_length",
        ),
        bad("auth of end 2", auth(2), 0, "wrong_value"),
        bad("auth of end 255", auth(255), 0, "wrong_value"),
        bad("auth with a byte more", format!("{}00", auth(0)), 0, "left_over"),
        bad("auth without length prefixes", format!("01{channel}00{sig}"), 0, "wrong_length"),
        bad("send without fields", "02".into(), 0, "truncated"),
        bad("send cut in its seq", "02000000".into(), 0, "truncated"),
        bad("send cut in its ttl", "020000000100".into(), 0, "truncated"),
        bad("send without an envelope", "020000000100780101".into(), 0, "truncated"),
        bad("send with first = 2", "020000000100780200".into(), 256, "wrong_value"),
        bad("send with wake = 255", "0200000001007800ff".into(), 256, "wrong_value"),
        bad("send with a ttl of 121 s", "020000000100790000".into(), 256, "wrong_value"),
        bad("send with the longest ttl", "0200000001ffff0000".into(), 256, "wrong_value"),
        bad("send with a little-endian ttl", "020000000178000000".into(), 256, "wrong_value"),
        bad("send above the largest frame", "020000000100780000".into(), MAX - 8, "too_big"),
        bad("wake with a byte more", "0300".into(), 0, "left_over"),
        bad("got without an id", "04".into(), 0, "truncated"),
        bad("got with an id of three bytes", "04010203".into(), 0, "truncated"),
        bad("got with an id of five bytes", "040102030405".into(), 0, "left_over"),
        bad("flush with a byte more", "0501".into(), 0, "left_over"),
        bad("set_push without fields", "06".into(), 0, "truncated"),
        bad("set_push cut in its endpoint", "06000568747470".into(), 0, "truncated"),
        bad("set_push with an endpoint that is not UTF-8", "060002c3280003010203".into(), 0, "wrong_value"),
        bad("set_push with keys but no endpoint", "06000000010a".into(), 0, "wrong_value"),
        bad("set_push with an endpoint but no keys", "06000168".to_owned() + "0000", 0, "wrong_value"),
        bad(
            "set_push with too long an endpoint",
            format!("06{:04x}", PUSH_ENDPOINT + 1),
            PUSH_ENDPOINT + 9,
            "wrong_length",
        ),
        bad(
            "set_push with too long keys",
            format!("06000168{:04x}", PUSH_KEYS + 1),
            PUSH_KEYS + 1,
            "wrong_length",
        ),
        bad("set_push with a byte more", "060000000000".into(), 0, "left_over"),
        bad("delete with a byte more", "0700".into(), 0, "left_over"),
        bad("zeros as large as a frame can be", String::new(), MAX, "unknown_type"),
    ]
}

fn bad_from_relays() -> Vec<Bad> {
    let bad =
        |name, bytes: &str, zeros, reason| Bad { name, from: "relay", bytes: bytes.into(), zeros, reason };
    vec![
        bad("nothing", "", 0, "empty"),
        bad("type 0x80", "80", 0, "unknown_type"),
        bad("type 0x86", "86", 0, "unknown_type"),
        bad("a client's frame from a relay", "05", 0, "unknown_type"),
        bad("challenge with a nonce of 31 bytes", "81001f", 39, "wrong_length"),
        bad("challenge without a time", "810020", 32, "truncated"),
        bad("challenge cut in its nonce", "810020", 31, "truncated"),
        bad("challenge with a byte more", "810020", 41, "left_over"),
        bad("ack without an outcome", "8200000001", 0, "truncated"),
        bad("ack with an unknown outcome", "820000000104", 0, "wrong_value"),
        bad("ack with a byte more", "82000000010000", 0, "left_over"),
        bad("delivery without an envelope", "830000000500000000", 0, "truncated"),
        bad("delivery cut in its age", "8300000005000000", 0, "truncated"),
        bad("delivery above an envelope", "830000000500000000", limits::ENVELOPE + 1, "too_big"),
        bad("presence without a value", "84", 0, "truncated"),
        bad("presence that is neither", "8402", 0, "wrong_value"),
        bad("presence with a byte more", "840100", 0, "left_over"),
        bad("notice of code 0", "85000000000000", 0, "wrong_value"),
        bad("notice of an unknown code", "85000500000000", 0, "wrong_value"),
        bad("notice with a short time", "850001000000", 0, "truncated"),
        bad("notice with a byte more", "8500010000000000", 0, "left_over"),
    ]
}

#[test]
fn every_reason_has_a_vector() {
    let all = [
        BadFrame::Empty,
        BadFrame::UnknownType(0),
        BadFrame::Truncated,
        BadFrame::LeftOver,
        BadFrame::WrongLength,
        BadFrame::WrongValue,
        BadFrame::TooBig,
    ];
    for reason in all {
        assert!(bad().iter().any(|bad| bad.reason == reason.name()), "{reason:?}");
    }
}
