//! `lock.json`: a phone's signed lock.

use countersign_proto::{
    Refusal, canonical, domain, limits,
    message::{Lock, SignedBytes},
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex, key, keys};
use crate::{
    samples::{self, DESKTOP, DEVICE, OTHER_DEVICE},
    tree::Item,
};

#[test]
fn locks() {
    VectorFile {
        name: "lock.json",
        about: "Signed locks (LOCK-1, protocol.md 13) as they travel, `{0 bytes, 1 sig}`, verified with the device key.",
        keys: keys(),
        good: vec![good("a lock", samples::lock()), good("the highest counter", Lock {
            counter: limits::COUNTER_END - 1,
            ..samples::lock()
        })],
        bad: bad_ones(),
    }
    .holds(check);
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let signed: SignedBytes = canonical::decode(&bytes(case), limits::MESSAGE)?;
    let lock = Lock::claims(&signed)?;
    Lock::verify(&signed, &key(keys, "device_public"))?;
    assert_eq!(lock.counter, case["counter"]);
    assert_eq!(lock.desktop_id.to_string(), keys["desktop_id"]);
    assert_eq!(lock.device_id.to_string(), keys["device_id"]);
    Ok(())
}

fn good(name: &str, lock: Lock) -> Value {
    let bytes = hex(&canonical::encode(&lock.sign(&samples::key(DEVICE))));
    case(name, json!({ "bytes": bytes, "counter": lock.counter }))
}

fn bad_ones() -> Vec<Value> {
    let lock = samples::lock();
    let item = Item::of(&canonical::encode(&lock));
    let signed = |seed: u8, label, bytes: Vec<u8>| {
        let sig = samples::key(seed).sign(label, &[&bytes]);
        json!({ "bytes": hex(&canonical::encode(&SignedBytes { bytes, sig })) })
    };
    let set = |name: &str, refusal, key, value| {
        bad(name, refusal, signed(DEVICE, domain::LOCK, item.with(key, value).write()))
    };
    let by =
        |name: &str, seed, label| bad(name, Refusal::BadDeviceSignature, signed(seed, label, item.write()));
    vec![
        by("signed by another phone", OTHER_DEVICE, domain::LOCK),
        by("signed by the desktop", DESKTOP, domain::LOCK),
        by("signed as a reply", DEVICE, domain::REPLY_DEVICE),
        set("another version", Refusal::Malformed, 0, Some(Item::Uint(2))),
        set("a counter that can't be", Refusal::Malformed, 3, Some(Item::Uint(limits::COUNTER_END))),
        set("no counter", Refusal::Malformed, 3, None),
        set("an unknown key", Refusal::NotCanonical, 4, Some(Item::Uint(0))),
    ]
}
