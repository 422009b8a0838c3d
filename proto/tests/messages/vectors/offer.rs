//! `offer.json`: signed offers, their hashes, and what a phone must not open.

use countersign_proto::{
    Refusal, canonical, domain,
    key::{Signature, SigningKey},
    limits,
    offer::{Offer, SignedOffer},
    reply::{Decision, Replies},
    request::{Block, Class, Request},
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex, ids, key, keys};
use crate::{
    samples::{self, DESKTOP, DEVICE, OTHER_DESKTOP, OTHER_DEVICE, text},
    tree::Item,
};

#[test]
fn offers() {
    VectorFile {
        name: "offer.json",
        about: "Signed offers (protocol.md 7.2) as they travel, `{0 bytes, 1 sig}`, opened by the phone of `keys`. \
                `offer_hash` is what a reply names, `allowed` the decisions that may be given. Where `bytes` would be \
                long, `request_padding` letters x stand in its command.",
        keys: keys(),
        good: good(),
        bad: [badly_signed(), badly_made()].concat(),
    }
    .holds(check);
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let body = match case["request_padding"].as_u64() {
        Some(n) => canonical::encode(&padded(usize::try_from(n).unwrap(), allowed(case)).sign(&desktop())),
        None => bytes(case),
    };
    let signed: SignedOffer = canonical::decode(&body, limits::MESSAGE)?;
    let (desktop_id, device_id) = ids(keys);
    let opened = signed.open(&key(keys, "desktop_public"), &desktop_id, &device_id)?;
    assert_eq!(opened.hash().to_string(), case["offer_hash"]);
    assert_eq!(opened.offer().allowed, allowed(case));
    assert_eq!(opened.request().tool.raw(), "Bash");
    Ok(())
}

fn allowed(case: &Value) -> Replies {
    let names: Vec<&str> =
        case["allowed"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let decisions: Vec<Decision> = Decision::ALL.into_iter().filter(|d| names.contains(&d.name())).collect();
    Replies::of(&decisions)
}

fn names(allowed: Replies) -> Vec<&'static str> {
    allowed.iter().map(Decision::name).collect()
}

fn desktop() -> SigningKey {
    samples::key(DESKTOP)
}

/// An offer whose request is longer than may be allowed.
fn padded(n: usize, allowed: Replies) -> Offer {
    let request = Request { view: vec![Block::Command(text(&"x".repeat(n)))], ..samples::request() };
    samples::offer_of(request.encode(), allowed)
}

fn good() -> Vec<Value> {
    let of = |name, offer: &Offer| {
        let signed = offer.sign(&desktop());
        let fields = json!({
            "bytes": hex(&canonical::encode(&signed)),
            "offer_hash": signed.hash().to_string(),
            "allowed": names(offer.allowed),
        });
        case(name, fields)
    };
    let only_deny = Replies::of(&[Decision::Deny, Decision::Dismiss]);
    let long = padded(limits::REQUEST, only_deny).sign(&desktop());
    let long = json!({
        "request_padding": limits::REQUEST,
        "allowed": names(only_deny),
        "offer_hash": long.hash().to_string(),
    });
    vec![
        of("a shell command", &samples::offer()),
        of("every reply", &samples::offer_of(samples::full_request().encode(), Replies::of(&Decision::ALL))),
        of("no reply at all", &samples::offer_of(samples::request().encode(), Replies::default())),
        case("too long to be allowed, may be denied", long),
    ]
}

fn badly_signed() -> Vec<Value> {
    let of = |name: &str, signed: &SignedOffer| {
        bad(name, Refusal::BadDeviceSignature, json!({ "bytes": hex(&canonical::encode(signed)) }))
    };
    let signed = samples::offer().sign(&desktop());
    let with = |sig| SignedOffer { bytes: signed.bytes.clone(), sig };
    let flipped = |at: usize| {
        let mut sig = *signed.sig.as_bytes();
        sig[at] ^= 1;
        with(Signature::from_bytes(sig))
    };
    let mut later = signed.clone();
    later.bytes = canonical::encode(&Offer { ttl_ms: 120_000, ..samples::offer() });
    vec![
        of("signed by another desktop", &samples::offer().sign(&samples::key(OTHER_DESKTOP))),
        of("signed by the phone itself", &samples::offer().sign(&samples::key(DEVICE))),
        of("signed as a receipt", &with(desktop().sign(domain::RECEIPT, &[&signed.bytes]))),
        of("signed as its own hash", &with(desktop().sign(domain::OFFER_HASH, &[&signed.bytes]))),
        of("signature of zeros", &with(Signature::from_bytes([0; 64]))),
        of("a bit of R turned", &flipped(0)),
        of("a bit of s turned", &flipped(63)),
        of("another time to live under the same signature", &later),
    ]
}

fn badly_made() -> Vec<Value> {
    let body = |bytes: Vec<u8>| {
        let sig = desktop().sign(domain::OFFER, &[&bytes]);
        json!({ "bytes": hex(&canonical::encode(&SignedOffer { bytes, sig })) })
    };
    let made = |name: &str, refusal, offer: &Offer| bad(name, refusal, body(canonical::encode(offer)));
    let offer = samples::offer();
    let item = Item::of(&canonical::encode(&offer));
    let set = |name: &str, refusal, key, value| bad(name, refusal, body(item.with(key, Some(value)).write()));
    let mut red = samples::full_request();
    red.judgement.class = Class::Destructive;
    let signed = Item::of(&canonical::encode(&offer.sign(&desktop())));
    let raw = |name: &str, refusal, item: Item| bad(name, refusal, json!({ "bytes": hex(&item.write()) }));
    vec![
        made(
            "for another phone",
            Refusal::WrongDevice,
            &Offer { device_id: samples::device_id(DESKTOP, OTHER_DEVICE), ..offer.clone() },
        ),
        made(
            "in another desktop's name",
            Refusal::WrongDesktop,
            &Offer { desktop_id: samples::desktop_id(OTHER_DESKTOP), ..offer.clone() },
        ),
        made("another version", Refusal::Malformed, &Offer { v: 2, ..offer.clone() }),
        made("a request that is none", Refusal::Malformed, &Offer { request: vec![0xa0], ..offer.clone() }),
        made(
            "a destructive request with always",
            Refusal::DestructiveNoAlways,
            &samples::offer_of(red.encode(), Replies::of(&Decision::ALL)),
        ),
        bad(
            "too long to be allowed, allowed all the same",
            Refusal::TooBig,
            json!({ "request_padding": limits::REQUEST, "allowed": ["deny", "approve_once"] }),
        ),
        set("a reply that does not exist", Refusal::Malformed, 8, Item::Uint(1 << 10)),
        set("an unknown key, signed", Refusal::NotCanonical, 9, Item::Uint(0)),
        set("a run id of the wrong length", Refusal::Malformed, 5, Item::Bytes(vec![0; 32])),
        raw(
            "an unknown key beside the signature",
            Refusal::NotCanonical,
            signed.with(2, Some(Item::Uint(0))),
        ),
        raw("no signature", Refusal::Malformed, signed.with(1, None)),
        raw("a signature a byte short", Refusal::Malformed, signed.with(1, Some(Item::Bytes(vec![0; 63])))),
    ]
}
