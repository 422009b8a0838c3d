//! `revoked.json`: the desktop's signed word to a phone that it was revoked.

use countersign_proto::{
    Refusal, canonical, domain, limits,
    message::{Revoked, SignedBytes},
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex, ids, key, keys};
use crate::{
    samples::{self, DESKTOP, DEVICE, OTHER_DESKTOP, OTHER_DEVICE},
    tree::Item,
};

#[test]
fn revocations() {
    let good = hex(&canonical::encode(&samples::revoked().sign(&samples::key(DESKTOP))));
    VectorFile {
        name: "revoked.json",
        about: "Signed revocations (protocol.md 4.8) as they travel, `{0 bytes, 1 sig}`, opened by the phone of `keys`. A \
                phone that opens one wipes its keys.",
        keys: keys(),
        good: vec![case("a revocation", json!({ "bytes": good }))],
        bad: bad_ones(),
    }
    .holds(check);
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let signed: SignedBytes = canonical::decode(&bytes(case), limits::MESSAGE)?;
    let (desktop_id, device_id) = ids(keys);
    Revoked::open(&signed, &key(keys, "desktop_public"), &desktop_id, &device_id).map(drop)
}

fn bad_ones() -> Vec<Value> {
    let revoked = samples::revoked();
    let signed = |seed: u8, label, bytes: Vec<u8>| {
        let sig = samples::key(seed).sign(label, &[&bytes]);
        json!({ "bytes": hex(&canonical::encode(&SignedBytes { bytes, sig })) })
    };
    let by = |name: &str, seed, label| {
        bad(name, Refusal::BadDeviceSignature, signed(seed, label, canonical::encode(&revoked)))
    };
    let made = |name: &str, refusal, revoked: &Revoked| {
        bad(name, refusal, signed(DESKTOP, domain::REVOKED, canonical::encode(revoked)))
    };
    let lock = Item::of(&canonical::encode(&samples::lock())).write();
    vec![
        by("signed by another desktop", OTHER_DESKTOP, domain::REVOKED),
        by("signed by the phone itself", DEVICE, domain::REVOKED),
        by("signed as a receipt", DESKTOP, domain::RECEIPT),
        made(
            "for another phone",
            Refusal::WrongDevice,
            &Revoked { device_id: samples::device_id(DESKTOP, OTHER_DEVICE), ..revoked },
        ),
        made(
            "in another desktop's name",
            Refusal::WrongDesktop,
            &Revoked { desktop_id: samples::desktop_id(OTHER_DESKTOP), ..revoked },
        ),
        made("another version", Refusal::Malformed, &Revoked { v: 2, ..revoked }),
        bad("a lock, signed as a revocation", Refusal::NotCanonical, signed(DESKTOP, domain::REVOKED, lock)),
    ]
}
