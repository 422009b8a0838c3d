//! `receipt.json`: a signed receipt of each outcome, and what a phone must not take for one.

use countersign_proto::{
    Refusal, canonical, domain, limits,
    receipt::{Outcome, Receipt, SignedReceipt},
    reply::Decision,
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex, ids, key, keys};
use crate::{
    samples::{self, DESKTOP, OTHER_DESKTOP, OTHER_DEVICE, text},
    tree::Item,
};

#[test]
fn receipts() {
    VectorFile {
        name: "receipt.json",
        about: "Signed receipts (protocol.md 7.8) as they travel, `{0 bytes, 1 sig}`, opened by the phone of `keys`. \
                `reply_hash` names the reply, `outcome` says what became of it.",
        keys: keys(),
        good: good(),
        bad: bad_ones(),
    }
    .holds(check);
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let signed: SignedReceipt = canonical::decode(&bytes(case), limits::MESSAGE)?;
    let (desktop_id, device_id) = ids(keys);
    let receipt = signed.open(&key(keys, "desktop_public"), &desktop_id, &device_id)?;
    assert_eq!(receipt.reply.to_string(), case["reply_hash"]);
    assert_eq!(words(&receipt.outcome), case["outcome"]);
    assert_eq!(receipt.offer_id.map(|id| id.to_string()).as_deref(), case["offer_id"].as_str());
    Ok(())
}

fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Released(decision) => format!("released {}", decision.name()),
        Outcome::Unreleased(decision) => format!("unreleased {}", decision.name()),
        Outcome::Dismissed => "dismissed".to_owned(),
        Outcome::AlreadySettled(by) => format!("already settled: {}", by.raw()),
        Outcome::Refused(code) => format!("refused {code}"),
    }
}

fn good() -> Vec<Value> {
    let of = |name: &str, receipt: &Receipt| {
        let signed = receipt.sign(&samples::key(DESKTOP));
        let fields = json!({
            "bytes": hex(&canonical::encode(&signed)),
            "reply_hash": receipt.reply.to_string(),
            "outcome": words(&receipt.outcome),
            "offer_id": receipt.offer_id.map(|id| id.to_string()),
        });
        case(name, fields)
    };
    let refused = Outcome::refused(Refusal::CounterReplayed);
    vec![
        of("released", &samples::receipt(Outcome::Released(Decision::ApproveOnce))),
        of("unreleased", &samples::receipt(Outcome::Unreleased(Decision::ApproveOnce))),
        of("dismissed", &samples::receipt(Outcome::Dismissed)),
        of("already settled", &samples::receipt(Outcome::AlreadySettled(text("denied at the console")))),
        of("refused", &samples::receipt(refused)),
        of("refused without a reason", &samples::receipt(Outcome::refused(Refusal::BadBioSignature))),
        of(
            "a reply that could not be read",
            &Receipt { offer_id: None, ..samples::receipt(Outcome::refused(Refusal::Malformed)) },
        ),
    ]
}

fn bad_ones() -> Vec<Value> {
    use Refusal::{BadDeviceSignature, Malformed, NotCanonical, WrongDesktop, WrongDevice};

    let desktop = samples::key(DESKTOP);
    let receipt = samples::receipt(Outcome::Released(Decision::ApproveOnce));
    let item = Item::of(&canonical::encode(&receipt));
    let body = |bytes: Vec<u8>, label| {
        let sig = desktop.sign(label, &[&bytes]);
        json!({ "bytes": hex(&canonical::encode(&SignedReceipt { bytes, sig })) })
    };
    let set = |name: &str, refusal, key, value| {
        bad(name, refusal, body(item.with(key, value).write(), domain::RECEIPT))
    };
    let made = |name: &str, refusal, receipt: &Receipt| {
        bad(name, refusal, body(canonical::encode(receipt), domain::RECEIPT))
    };
    let outcome = |number, fields| Some(Item::Array(vec![Item::Uint(number), Item::Array(fields)]));
    let refused = canonical::encode(&samples::receipt(Outcome::Refused(19)).sign(&desktop).sig);
    let swapped = Item::of(&canonical::encode(&receipt.sign(&desktop))).with(1, Some(Item::of(&refused)));
    vec![
        bad("signed by another desktop", BadDeviceSignature, {
            json!({ "bytes": hex(&canonical::encode(&receipt.sign(&samples::key(OTHER_DESKTOP)))) })
        }),
        bad("signed as an offer", BadDeviceSignature, body(canonical::encode(&receipt), domain::OFFER)),
        bad(
            "the signature of another receipt",
            BadDeviceSignature,
            json!({ "bytes": hex(&swapped.write()) }),
        ),
        made(
            "in another desktop's name",
            WrongDesktop,
            &Receipt { desktop_id: samples::desktop_id(OTHER_DESKTOP), ..receipt.clone() },
        ),
        made(
            "for another phone",
            WrongDevice,
            &Receipt { device_id: samples::device_id(DESKTOP, OTHER_DEVICE), ..receipt.clone() },
        ),
        made("another version", Malformed, &Receipt { v: 2, ..receipt.clone() }),
        set("an outcome that does not exist", Malformed, 5, outcome(6, vec![])),
        set("released, but no word of what", Malformed, 5, outcome(1, vec![])),
        set("released a decision that does not exist", Malformed, 5, outcome(1, vec![Item::Uint(10)])),
        set("a code that is too large", Malformed, 5, outcome(5, vec![Item::Uint(65_536)])),
        set("a dismissal with a field", NotCanonical, 5, outcome(3, vec![Item::Uint(0)])),
        set("no outcome", Malformed, 5, None),
        set("a null for no offer", NotCanonical, 3, Some(Item::Simple(0x16))),
        set("a reply hash of the wrong length", Malformed, 4, Some(Item::Bytes(vec![0; 31]))),
        set("a key of a later version", NotCanonical, 7, Some(Item::Uint(0))),
    ]
}
