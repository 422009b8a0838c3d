//! `checkpoint.json`: signed checkpoints of an audit log.

use countersign_proto::{
    Refusal, canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    domain, limits,
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex, key, keys};
use crate::{
    samples::{self, DESKTOP, OTHER_DESKTOP},
    tree::Item,
};

#[test]
fn checkpoints() {
    VectorFile {
        name: "checkpoint.json",
        about: "Signed checkpoints (protocol.md 10) as they travel, `{0 bytes, 1 sig}`, opened with the desktop's key.",
        keys: keys(),
        good: vec![good("a checkpoint", samples::checkpoint()), good("of the first entry", Checkpoint { seq: 1, ..samples::checkpoint() })],
        bad: bad_ones(),
    }
    .holds(check);
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let signed: SignedCheckpoint = canonical::decode(&bytes(case), limits::MESSAGE)?;
    let checkpoint = signed.open(&key(keys, "desktop_public"))?;
    assert_eq!(checkpoint.seq, case["seq"]);
    assert_eq!(checkpoint.head.to_string(), case["head"]);
    assert_eq!(checkpoint.log_id.to_string(), case["log_id"]);
    Ok(())
}

fn good(name: &str, checkpoint: Checkpoint) -> Value {
    let fields = json!({
        "bytes": hex(&canonical::encode(&checkpoint.sign(&samples::key(DESKTOP)))),
        "log_id": checkpoint.log_id.to_string(),
        "seq": checkpoint.seq,
        "head": checkpoint.head.to_string(),
    });
    case(name, fields)
}

fn bad_ones() -> Vec<Value> {
    let desktop = samples::key(DESKTOP);
    let checkpoint = samples::checkpoint();
    let item = Item::of(&canonical::encode(&checkpoint));
    let body = |bytes: Vec<u8>, label| {
        let sig = desktop.sign(label, &[&bytes]);
        json!({ "bytes": hex(&canonical::encode(&SignedCheckpoint { bytes, sig })) })
    };
    let set = |name: &str, refusal, key, value| {
        bad(name, refusal, body(item.with(key, value).write(), domain::CHECKPOINT))
    };
    let mut earlier = checkpoint.sign(&desktop);
    earlier.bytes = canonical::encode(&Checkpoint { seq: 255, ..checkpoint });
    vec![
        bad("signed by another desktop", Refusal::BadDeviceSignature, {
            json!({ "bytes": hex(&canonical::encode(&checkpoint.sign(&samples::key(OTHER_DESKTOP)))) })
        }),
        bad("signed as an audit entry", Refusal::BadDeviceSignature, body(item.write(), domain::AUDIT)),
        bad("an earlier entry under the same signature", Refusal::BadDeviceSignature, {
            json!({ "bytes": hex(&canonical::encode(&earlier)) })
        }),
        set("no head", Refusal::Malformed, 2, None),
        set("a head of the wrong length", Refusal::Malformed, 2, Some(Item::Bytes(vec![0; 16]))),
        set("an unknown key", Refusal::NotCanonical, 4, Some(Item::Uint(0))),
    ]
}
