//! `control.json`: the unsigned messages of a session and how messages are told apart.

use countersign_proto::{
    Refusal, canonical,
    checkpoint::SignedCheckpoint,
    id::OfferId,
    limits,
    message::{
        Closed, GetOffer, Head, Hello, Message, Notice, NoticeCode, OfferClosed, OfferMessage, OpenOffer,
        Ping, RequestOffer, Welcome,
    },
    receipt::Outcome,
    reply::Decision,
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex};
use crate::{
    samples::{self, DESKTOP, DEVICE, text},
    tree::Item,
};

#[test]
fn messages() {
    VectorFile {
        name: "control.json",
        about: "One message of each type of a session (protocol.md 13): `type` is its number, `bytes` (hex, then `zeros` \
                zero bytes) its body. Unsigned ones may carry unknown keys; those whose `again` is given are written back \
                as that.",
        keys: json!({}),
        good: good(),
        bad: bad_ones(),
    }
    .holds(check);
}

fn check(_: &Value, case: &Value) -> Result<(), Refusal> {
    let kind = u16::try_from(case["type"].as_u64().unwrap()).unwrap();
    let message = Message::decode(kind, &bytes(case))?;
    let again = case.get("again").unwrap_or(&case["bytes"]);
    assert_eq!(message.encode(), (kind, super::unhex(again)), "{}", case["name"]);
    Ok(())
}

fn checkpoint() -> SignedCheckpoint {
    samples::checkpoint().sign(&samples::key(DESKTOP))
}

fn ping() -> Vec<u8> {
    canonical::encode(&Ping { nonce: 9, pong: false })
}

fn good() -> Vec<Value> {
    let of = |name: &str, message: &Message| {
        let (kind, body) = message.encode();
        case(name, json!({ "type": kind, "bytes": hex(&body) }))
    };
    let signed = samples::offer().sign(&samples::key(DESKTOP));
    let offer_id = samples::offer().offer_id;
    let head = Some(Head { seq: 256, hash: samples::checkpoint().head });
    let open = vec![OpenOffer { offer_id, offer_hash: signed.hash(), fronted: true, left_ms: 90_000 }];
    let receipt = samples::receipt(Outcome::Dismissed).sign(&samples::key(DESKTOP));
    let closed = OfferClosed { offer_id, how: Closed::Allowed, by: text("at the console") };
    let unknown = Item::of(&ping()).with(9, Some(Item::Text(b"later".to_vec())));
    vec![
        of(
            "hello",
            &Message::Hello(Hello { app: text("countersign 1"), versions: vec![1], counter: 40, head }),
        ),
        of(
            "hello for the first time",
            &Message::Hello(Hello { app: text("countersign 1"), versions: vec![1], counter: 0, head: None }),
        ),
        of("welcome", &Message::Welcome(Welcome { counter: 40, checkpoint: Some(checkpoint()), open })),
        of("ping", &Message::Ping(Ping { nonce: 9, pong: false })),
        of("offer", &Message::Offer(OfferMessage { signed, left_ms: 90_000, fronted: false })),
        of("reply", &Message::Reply(samples::sign(&samples::reply(Decision::ApproveOnce)))),
        of("get offer", &Message::GetOffer(GetOffer { offer_id })),
        of("request offer", &Message::RequestOffer(RequestOffer { request_id: samples::request().id })),
        of("lock", &Message::Lock(samples::lock().sign(&samples::key(DEVICE)))),
        of("receipt", &Message::Receipt(receipt)),
        of("offer closed", &Message::OfferClosed(closed)),
        of("audit head", &Message::AuditHead(checkpoint())),
        of(
            "notice",
            &Message::Notice(Notice { code: NoticeCode::Locked, text: text("locked at the desktop") }),
        ),
        of("revoked", &Message::Revoked(samples::revoked().sign(&samples::key(DESKTOP)))),
        case(
            "ping with an unknown key",
            json!({ "type": 3, "bytes": hex(&unknown.write()), "again": hex(&ping()) }),
        ),
    ]
}

fn bad_ones() -> Vec<Value> {
    let of = |name: &str, refusal, kind: u16, bytes: &[u8]| {
        bad(name, refusal, json!({ "type": kind, "bytes": hex(bytes) }))
    };
    let mut cases: Vec<Value> = [0, 4, 5, 6, 7, 0x12, 0x16, 0x22, 0x32, 0x7e, 0x80, 0xffff]
        .map(|kind| of(&format!("type {kind:#04x} has no place here"), Refusal::Malformed, kind, &ping()))
        .into();
    let ping = Item::of(&ping());
    let get_offer = canonical::encode(&GetOffer { offer_id: OfferId::new([1; 16]) });
    let lock = Item::of(&canonical::encode(&samples::lock().sign(&samples::key(DEVICE))));
    let notice = Item::of(&canonical::encode(&Notice { code: NoticeCode::Test, text: text("test") }));
    let pong = ping.write();
    cases.extend([
        of("an empty body", Refusal::Malformed, 3, &[]),
        of("a byte left over", Refusal::Malformed, 3, &[pong.clone(), vec![0]].concat()),
        of("a map without a length", Refusal::NotCanonical, 3, &[&[0xbf], &pong[1..], &[0xff]].concat()),
        of(
            "a break for an unknown key",
            Refusal::Malformed,
            3,
            &ping.with(9, Some(Item::Verbatim(vec![0xff]))).write(),
        ),
        of(
            "a float for an unknown key",
            Refusal::NotCanonical,
            3,
            &ping.with(9, Some(Item::Verbatim(vec![0xf9, 0, 0]))).write(),
        ),
        of("a key that must be there is missing", Refusal::Malformed, 3, &ping.with(1, None).write()),
        of("the body of another type", Refusal::Malformed, 3, &get_offer),
        of(
            "a notice that does not exist",
            Refusal::Malformed,
            0x31,
            &notice.with(0, Some(Item::Uint(99))).write(),
        ),
        of(
            "a lock with an unknown key",
            Refusal::NotCanonical,
            0x15,
            &lock.with(2, Some(Item::Uint(0))).write(),
        ),
        of("an audit head without a signature", Refusal::Malformed, 0x30, &lock.with(1, None).write()),
        of(
            "a reply whose signature is too short",
            Refusal::Malformed,
            0x11,
            &lock.with(1, Some(Item::Bytes(vec![0; 63]))).write(),
        ),
        of("a revocation that is a text", Refusal::Malformed, 0x7f, &[0x60]),
        of(
            "an offer without its time left",
            Refusal::Malformed,
            0x10,
            &Item::of(&[0xa0]).with(0, Some(lock)).write(),
        ),
        of("a hello that is a list", Refusal::Malformed, 1, &[0x80]),
        of("a welcome cut off", Refusal::Malformed, 2, &[0xa2, 0x00]),
        of("a question for no offer", Refusal::Malformed, 0x13, &[0xa0]),
        of(
            "a question for an offer of 15 bytes",
            Refusal::Malformed,
            0x13,
            &[&[0xa1, 0x00, 0x4f][..], &[0; 15]].concat(),
        ),
        bad(
            "larger than a message",
            Refusal::TooBig,
            json!({ "type": 3, "bytes": hex(&pong), "zeros": limits::MESSAGE }),
        ),
    ]);
    cases
}
