//! `reply.json`: a signed reply of each decision, and the many that a desktop must refuse.

use countersign_proto::{
    Refusal, canonical, domain, limits,
    receipt::Receipt,
    reply::{Decision, Payload, QuestionAnswer, Reply, SignedReply, UnverifiedReply},
};
use serde_json::{Value, json};

use super::{VectorFile, approval_key, bad, bytes, case, hex, key, keys};
use crate::{
    samples::{self, BIO, BioSigner, DESKTOP, DEVICE, OTHER_BIO, OTHER_DESKTOP, OTHER_DEVICE, text},
    tree::Item,
};

#[test]
fn replies() {
    VectorFile {
        name: "reply.json",
        about: "Signed replies (protocol.md 7.3) as they travel, `{0 bytes, 1 sig, 2 sig_bio}`, verified with the keys of \
                the phone. `reply_hash` is how a receipt names one. Bad ones are read, then their device signature, \
                their approval signature and their payload are checked, in that order.",
        keys: keys(),
        good: good(),
        bad: [badly_signed(), badly_paid(), badly_made()].concat(),
    }
    .holds(check);
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let read = UnverifiedReply::read(&bytes(case))?;
    let verified = read.verify(&key(keys, "device_public"), &approval_key(keys))?;
    let reply = verified.get();
    assert_eq!(reply.decision.name(), case["decision"]);
    assert_eq!(reply.counter, case["counter"]);
    assert_eq!(reply.offer_hash.to_string(), case["offer_hash"]);
    assert_eq!(Receipt::reply_hash(&verified.signed().bytes).to_string(), case["reply_hash"]);
    Ok(())
}

fn body(signed: &SignedReply) -> Value {
    json!({ "bytes": hex(&canonical::encode(signed)) })
}

fn good() -> Vec<Value> {
    let of = |name: &str, reply: &Reply, signed: &SignedReply| {
        let fields = json!({
            "bytes": hex(&canonical::encode(signed)),
            "decision": reply.decision.name(),
            "counter": reply.counter,
            "offer_hash": reply.offer_hash.to_string(),
            "reply_hash": Receipt::reply_hash(&signed.bytes).to_string(),
        });
        case(name, fields)
    };
    let signed = |name: &str, reply: &Reply| of(name, reply, &samples::sign(reply));
    let mut cases: Vec<Value> =
        Decision::ALL.map(|d| signed(&d.name().replace('_', " "), &samples::reply(d))).into();
    let approve = samples::reply(Decision::ApproveOnce);
    let mut other_s = samples::sign(&approve);
    other_s.sig_bio = Some(BioSigner::of(BIO).sign_other_s(domain::REPLY_BIO, &other_s.bytes));
    cases.push(of("approve once, the other s", &approve, &other_s));
    cases.push(signed("the highest counter", &Reply { counter: limits::COUNTER_END - 1, ..approve }));
    let note = |note: &str| Reply {
        payload: Some(Payload::Note(text(note))),
        ..samples::reply(Decision::DenyWithNote)
    };
    cases.push(signed("the longest note", &note(&"é".repeat(limits::NOTE_CHARS))));
    cases.push(signed(
        "a note with what keyboards type",
        &note("می\u{200c}خواهم ❤\u{fe0f} １\u{3000}２ pourquoi\u{a0}?"),
    ));
    cases
}

fn badly_signed() -> Vec<Value> {
    use Refusal::{BadBioSignature, BadDeviceSignature, BioMissing, Malformed, NoteNeedsBio};

    let approve = samples::sign(&samples::reply(Decision::ApproveOnce));
    let deny = samples::sign(&samples::reply(Decision::Deny));
    let of = |name: &str, refusal, signed: SignedReply| bad(name, refusal, body(&signed));
    let device = |seed: u8, label| samples::key(seed).sign(label, &[&approve.bytes]);
    let bio = |seed: u8, label| Some(BioSigner::of(seed).sign(label, &approve.bytes));
    let with_bio = |sig_bio| SignedReply { sig_bio, ..approve.clone() };
    let without = |decision| SignedReply { sig_bio: None, ..samples::sign(&samples::reply(decision)) };
    let good_der = approve.sig_bio.clone().unwrap();
    let padded = [&[0x30, good_der[1] + 1, 0x02, good_der[3] + 1, 0x00], &good_der[4..]].concat();
    let long_length = [&[0x30, 0x81], &good_der[1..]].concat();
    let counted = Reply { counter: 42, ..samples::reply(Decision::ApproveOnce) };
    vec![
        of(
            "signed by another phone",
            BadDeviceSignature,
            SignedReply { sig: device(OTHER_DEVICE, domain::REPLY_DEVICE), ..approve.clone() },
        ),
        of(
            "signed as a lock",
            BadDeviceSignature,
            SignedReply { sig: device(DEVICE, domain::LOCK), ..approve.clone() },
        ),
        of(
            "device key under the approval key's label",
            BadDeviceSignature,
            SignedReply { sig: device(DEVICE, domain::REPLY_BIO), ..approve.clone() },
        ),
        of(
            "another counter under the same signatures",
            BadDeviceSignature,
            SignedReply { bytes: counted.encode(), ..approve.clone() },
        ),
        of(
            "a denial turned into an approval",
            BadDeviceSignature,
            SignedReply { bytes: approve.bytes.clone(), ..deny.clone() },
        ),
        of("approved by another approval key", BadBioSignature, with_bio(bio(OTHER_BIO, domain::REPLY_BIO))),
        of(
            "approval key under the device key's label",
            BadBioSignature,
            with_bio(bio(BIO, domain::REPLY_DEVICE)),
        ),
        of("approval key in pairing", BadBioSignature, with_bio(bio(BIO, domain::PAIR_PHONE_BIO))),
        of("an empty approval signature", BadBioSignature, with_bio(Some(vec![]))),
        of("an approval signature that is no DER", BadBioSignature, with_bio(Some(vec![0; 64]))),
        of("an integer with a zero too many", BadBioSignature, with_bio(Some(padded))),
        of("a long length in DER", BadBioSignature, with_bio(Some(long_length))),
        of("a byte after the DER", BadBioSignature, with_bio(Some([good_der, vec![0]].concat()))),
        of(
            "an approval signature that is too long",
            Malformed,
            with_bio(Some(vec![0; limits::BIO_SIGNATURE + 1])),
        ),
        of("approve once without the approval key", BioMissing, without(Decision::ApproveOnce)),
        of("approve always without the approval key", BioMissing, without(Decision::ApproveAlways)),
        of("an answer without the approval key", BioMissing, without(Decision::Answer)),
        of("hand off without the approval key", BioMissing, without(Decision::HandOff)),
        of("a grant without the approval key", BioMissing, without(Decision::Grant)),
        of("a service action without the approval key", BioMissing, without(Decision::ServiceAction)),
        of("a note without the approval key", NoteNeedsBio, without(Decision::DenyWithNote)),
        of(
            "a denial with an approval signature",
            Malformed,
            SignedReply { sig_bio: Some(BioSigner::of(BIO).sign(domain::REPLY_BIO, &deny.bytes)), ..deny },
        ),
    ]
}

/// Well signed, but what they carry does not belong to their decision.
fn badly_paid() -> Vec<Value> {
    let of = |name: &str, decision, payload| {
        let reply = Reply { payload, ..samples::reply(decision) };
        bad(name, Refusal::PayloadMismatch, body(&samples::sign(&reply)))
    };
    let note = |name: &str, words: &str| of(name, Decision::DenyWithNote, Some(Payload::Note(text(words))));
    let answers = |name: &str, answers| of(name, Decision::Answer, Some(Payload::Answers(answers)));
    let answer = |options: &[u8], words: Option<&str>| QuestionAnswer {
        options: options.to_vec(),
        text: words.map(text),
    };
    let too_long = "x".repeat(limits::FREE_TEXT_CHARS + 1);
    vec![
        of("a denial with a payload", Decision::Deny, Some(Payload::Note(text("no")))),
        of("an approval with a note", Decision::ApproveOnce, Some(Payload::Note(text("yes")))),
        of("a note without words", Decision::DenyWithNote, None),
        of("always without its text", Decision::ApproveAlways, None),
        of("a grant without its text", Decision::Grant, None),
        of("a grant with an always", Decision::Grant, samples::payload(Decision::ApproveAlways)),
        of("a hand-off with an answer", Decision::HandOff, samples::payload(Decision::Answer)),
        note("an empty note", ""),
        note("a note of blanks", "  \u{a0}"),
        note("a note that is too long", &"x".repeat(limits::NOTE_CHARS + 1)),
        note("a note with a line break", "no\nallow"),
        note("a note with an escape character", "no\u{1b}[2J"),
        note("a note that runs backwards", "no \u{202e}wolla"),
        note("a note with a hidden tag", "no \u{e0041}"),
        note("a note with a line separator", "no\u{2028}allow"),
        answers("no answer to any question", vec![]),
        answers("an option twice", vec![answer(&[1, 1], None)]),
        answers("options out of order", vec![answer(&[2, 1], None)]),
        answers("an option that can't be", vec![answer(&[16], None)]),
        answers("an empty free text", vec![answer(&[], Some(""))]),
        answers("a free text that is too long", vec![answer(&[], Some(&too_long))]),
    ]
}

fn badly_made() -> Vec<Value> {
    use Refusal::{Malformed, NotCanonical};

    let reply = samples::reply(Decision::Deny);
    let item = Item::of(&reply.encode());
    let sign = |bytes: Vec<u8>| SignedReply {
        sig: samples::key(DEVICE).sign(domain::REPLY_DEVICE, &[&bytes]),
        sig_bio: None,
        bytes,
    };
    let set =
        |name: &str, refusal, key, value| bad(name, refusal, body(&sign(item.with(key, value).write())));
    let signed = Item::of(&canonical::encode(&sign(reply.encode())));
    let raw = |name: &str, refusal, item: Item| bad(name, refusal, json!({ "bytes": hex(&item.write()) }));
    let five =
        Item::Array(vec![Item::Map(vec![(Item::Uint(0), Item::Array(vec![]))]); limits::QUESTIONS + 1]);
    let other_offer = Reply { desktop_id: samples::desktop_id(OTHER_DESKTOP), ..reply.clone() };
    let signed_once = samples::sign(&reply);
    vec![
        set("another version", Malformed, 0, Some(Item::Uint(2))),
        set("a decision that does not exist", Malformed, 5, Some(Item::Uint(10))),
        set("decision 0", Malformed, 5, Some(Item::Uint(0))),
        set("a counter that can't be", Malformed, 6, Some(Item::Uint(limits::COUNTER_END))),
        set("no counter", Malformed, 6, None),
        set("a null for no payload", NotCanonical, 7, Some(Item::Simple(0x16))),
        set(
            "a payload that does not exist",
            NotCanonical,
            7,
            Some(Item::Array(vec![Item::Uint(5), Item::Array(vec![])])),
        ),
        set(
            "answers to five questions",
            Malformed,
            7,
            Some(Item::Array(vec![Item::Uint(3), Item::Array(vec![five])])),
        ),
        set("a key of a later version", NotCanonical, 9, Some(Item::Uint(0))),
        raw("a null for no approval signature", NotCanonical, signed.with(2, Some(Item::Simple(0x16)))),
        raw("an unknown key beside the signatures", NotCanonical, signed.with(3, Some(Item::Uint(0)))),
        raw("no device signature", Malformed, signed.with(1, None)),
        bad("for another desktop under this one's signature", Refusal::BadDeviceSignature, {
            body(&SignedReply { bytes: other_offer.encode(), ..signed_once })
        }),
        bad("signed by the desktop", Refusal::BadDeviceSignature, {
            let sig = samples::key(DESKTOP).sign(domain::REPLY_DEVICE, &[&reply.encode()]);
            body(&SignedReply { bytes: reply.encode(), sig, sig_bio: None })
        }),
        bad("larger than a message", Refusal::TooBig, {
            json!({ "bytes": hex(&signed.write()), "zeros": limits::MESSAGE })
        }),
    ]
}
