//! `canonical.json`: the one byte form, shown on a lock, a receipt, a reply and a request.

use countersign_proto::{
    Refusal, canonical, limits,
    message::Lock,
    receipt::{Outcome, Receipt},
    reply::{Decision, Reply},
    request::Request,
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex};
use crate::{
    samples::{self, text},
    tree::Item,
};

#[test]
fn the_canonical_form() {
    VectorFile {
        name: "canonical.json",
        about: "Canonical CBOR (protocol.md 1). `type` is what `bytes` (hex, then `zeros` zero bytes) is read as: lock, \
                receipt, reply or request. A good one is read and written back to the same bytes.",
        keys: json!({}),
        good: good(),
        bad: [wrong_forms(), wrong_shapes()].concat(),
    }
    .holds(check);
}

fn check(_: &Value, case: &Value) -> Result<(), Refusal> {
    let bytes = bytes(case);
    let again = match case["type"].as_str().unwrap() {
        "lock" => canonical::encode(&canonical::decode::<Lock>(&bytes, limits::MESSAGE)?),
        "receipt" => canonical::encode(&canonical::decode::<Receipt>(&bytes, limits::MESSAGE)?),
        "reply" => canonical::encode(&canonical::decode::<Reply>(&bytes, limits::MESSAGE)?),
        _ => canonical::encode(&canonical::decode::<Request>(&bytes, limits::MESSAGE)?),
    };
    assert_eq!(again, bytes, "{}", case["name"]);
    Ok(())
}

fn good() -> Vec<Value> {
    let receipt = |outcome| canonical::encode(&samples::receipt(outcome));
    let counter = |counter| canonical::encode(&Lock { counter, ..samples::lock() });
    let of = |name, kind, bytes: Vec<u8>| case(name, json!({ "type": kind, "bytes": hex(&bytes) }));
    vec![
        of("an integer in one byte", "lock", counter(23)),
        of("an integer in two bytes", "lock", counter(24)),
        of("an integer in three bytes", "lock", counter(256)),
        of("an integer in five bytes", "lock", counter(65_536)),
        of("an integer in nine bytes", "lock", counter(1 << 32)),
        of("a variant without fields", "receipt", receipt(Outcome::Dismissed)),
        of("a variant with a text", "receipt", receipt(Outcome::AlreadySettled(text("the console")))),
        of("an absent optional key is left out", "reply", samples::reply(Decision::Deny).encode()),
        of("every optional key is there", "request", samples::full_request().encode()),
    ]
}

/// What means the same to a lax reader.
fn wrong_forms() -> Vec<Value> {
    let lock = Item::of(&canonical::encode(&samples::lock()));
    let mut cases: Vec<Value> = Vec::new();
    for (what, form) in lock.lax() {
        let is_new = cases.iter().all(|case| case["name"] != what);
        if is_new {
            cases.push(of(what, Refusal::NotCanonical, "lock", &form));
        }
    }
    let reply = Item::of(&samples::reply(Decision::Deny).encode());
    cases.push(of(
        "a null for an absent payload",
        Refusal::NotCanonical,
        "reply",
        &reply.with(7, Some(NULL)),
    ));
    let request = Item::of(&samples::request().encode());
    cases.push(of(
        "a null for an absent subagent",
        Refusal::NotCanonical,
        "request",
        &request.with(18, Some(NULL)),
    ));
    let receipt = Item::of(&canonical::encode(&samples::receipt(Outcome::Dismissed)));
    let longer = Item::Array(vec![Item::Uint(3), Item::Array(vec![Item::Uint(0)])]);
    cases.push(of(
        "a field too many in a variant",
        Refusal::NotCanonical,
        "receipt",
        &receipt.with(5, Some(longer)),
    ));
    let unknown = Item::Array(vec![Item::Uint(9), Item::Array(vec![])]);
    cases.push(of("an unknown payload", Refusal::NotCanonical, "reply", &reply.with(7, Some(unknown))));
    cases.push(of(
        "a byte left over",
        Refusal::NotCanonical,
        "lock",
        &Item::Verbatim([lock.write(), vec![0]].concat()),
    ));
    cases
}

/// What is no such message in any form.
fn wrong_shapes() -> Vec<Value> {
    let lock = Item::of(&canonical::encode(&samples::lock()));
    let receipt = Item::of(&canonical::encode(&samples::receipt(Outcome::Dismissed)));
    let request = Item::of(&samples::request().encode());
    let cut = lock.write()[..20].to_vec();
    let nested = |levels| Item::Verbatim([vec![0x81; levels], vec![0x00]].concat());
    let variant = |number| Some(Item::Array(vec![Item::Uint(number), Item::Array(vec![])]));
    let half = Item::Verbatim(vec![0xf9, 0x3c, 0x00]);
    let mut cases = vec![
        of("nothing", Refusal::Malformed, "lock", &Item::Verbatim(vec![])),
        of("cut in the middle of an id", Refusal::Malformed, "lock", &Item::Verbatim(cut)),
        of("a key that must be there is missing", Refusal::Malformed, "lock", &lock.with(3, None)),
        of(
            "a null for a key that must be there",
            Refusal::Malformed,
            "request",
            &request.with(5, Some(NULL)),
        ),
        of(
            "undefined for an absent key",
            Refusal::Malformed,
            "receipt",
            &receipt.with(3, Some(Item::Simple(0x17))),
        ),
        of(
            "an id of the wrong length",
            Refusal::Malformed,
            "lock",
            &lock.with(2, Some(Item::Bytes(vec![0; 15]))),
        ),
        of(
            "a text where bytes belong",
            Refusal::Malformed,
            "lock",
            &lock.with(2, Some(Item::Text(vec![b'0'; 16]))),
        ),
        of(
            "bytes where a text belongs",
            Refusal::Malformed,
            "request",
            &request.with(6, Some(Item::Bytes(vec![]))),
        ),
        of(
            "a text that is no UTF-8",
            Refusal::Malformed,
            "request",
            &request.with(6, Some(Item::Text(vec![0xff]))),
        ),
        of("a negative integer", Refusal::Malformed, "lock", &lock.with(3, Some(Item::Verbatim(vec![0x20])))),
        of("a float", Refusal::NotCanonical, "lock", &lock.with(3, Some(half))),
        of(
            "an integer larger than its field",
            Refusal::Malformed,
            "lock",
            &lock.with(0, Some(Item::Uint(1 << 32))),
        ),
        of(
            "a number for true or false",
            Refusal::Malformed,
            "request",
            &request.with(12, Some(Item::Uint(1))),
        ),
        of("an unknown variant", Refusal::Malformed, "receipt", &receipt.with(5, variant(6))),
        of("an array where a map belongs", Refusal::Malformed, "lock", &Item::Array(vec![])),
        of("a reserved length", Refusal::Malformed, "lock", &Item::Verbatim(vec![0xbc])),
        of("a break alone", Refusal::Malformed, "lock", &Item::Verbatim(vec![0xff])),
        of(
            "a promise of 2^64 - 1 items",
            Refusal::Malformed,
            "lock",
            &Item::Verbatim([vec![0x9b], vec![0xff; 8]].concat()),
        ),
        of("nested nine deep", Refusal::Malformed, "lock", &nested(9)),
    ];
    cases.push(bad(
        "larger than a message",
        Refusal::TooBig,
        json!({ "type": "lock", "bytes": hex(&lock.write()), "zeros": limits::MESSAGE }),
    ));
    cases
}

const NULL: Item = Item::Simple(0x16);

fn of(name: &str, refusal: Refusal, kind: &str, item: &Item) -> Value {
    bad(name, refusal, json!({ "type": kind, "bytes": hex(&item.write()) }))
}
