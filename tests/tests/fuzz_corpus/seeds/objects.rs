//! Seeds that are encoded objects: from the vectors, without the signatures where the target makes them.

use countersign_core::audit::Entry;
use countersign_mobile_core::pair::Pair;
use countersign_proto::{
    canonical,
    checkpoint::SignedCheckpoint,
    id::Hash,
    key::{AgreementKey, Secret32},
    limits,
    message::SignedBytes,
    offer::SignedOffer,
    pairing::{
        AttestationPolicy, Bound, Chain, Link, Opening, PairDesktop, PairDone, PairPhone, PairedDesktop,
        RelayHost, Terms,
    },
    receipt::SignedReceipt,
    reply::SignedReply,
    text::Foreign,
};
use minicbor::{Decode, Encode};
use serde_json::Value;

use super::{Seed, bytes, name, of_each_refusal, seed, unhex, vectors};
use crate::fuzz::{
    fixed::{CHANNEL, LEAF, bio_key, desktop, device, device_id, finger, paired_desktop},
    pairing,
};

/// The signed objects of the vectors: file, number in `canonical` of what was signed, number in `signed`.
const SIGNED: [(&str, u8, u8); 6] = [
    ("offer.json", 1, 0),
    ("receipt.json", 3, 1),
    ("checkpoint.json", 4, 2),
    ("revoked.json", 6, 3),
    ("lock.json", 5, 4),
    ("reply.json", 2, 5),
];

pub fn canonical() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (file, says, _) in SIGNED {
        let [good, _] = encoded(file);
        seeds.push((format!("{file} says"), behind(says, &inner(file, &bytes(good.last().unwrap())))));
    }
    let [replies, _] = encoded("reply.json");
    seeds.push(seed("a reply travels", behind(8, &bytes(&replies[0]))));
    let [good, _] = vectors("request.json");
    seeds.push(seed("a request", behind(0, &bytes(&good[0]))));
    let [good, _] = vectors("audit.json");
    let entry = unhex(&good[0]["entries"][2]);
    canonical::decode::<Entry>(&entry, limits::MESSAGE).unwrap();
    seeds.push(seed("an audit entry", behind(15, &entry)));
    let [_, forms] = vectors("canonical.json");
    let locks = forms.iter().filter(|case| case["type"] == "lock" && bytes(case).len() < 200);
    seeds.extend(locks.step_by(9).map(|case| (name(case), behind(5, &bytes(case)))));
    seeds.extend(proofs());
    seeds
}

/// The proofs of a pairing.
fn proofs() -> Vec<Seed> {
    let (device, bio) = (device(), bio_key(&finger()));
    let bound = Bound {
        h: Hash::new([9; 32]),
        desktop: AgreementKey::from_bytes([0x10; 32]).public(),
        phone: AgreementKey::from_bytes([0x20; 32]).public(),
        device: device.public(),
        device_id: device_id(),
    };
    let (title, account) = (Foreign::new("attic"), Foreign::new("ada@attic"));
    let desktop_proof = PairDesktop::sign(&bound, title, account, &desktop());
    let phone_proof = PairPhone::sign(&bound, &bio, vec![0x30; 72], &device);
    let done = PairDone::sign(&bound, &bio, CHANNEL, &desktop());
    vec![
        seed("the desktop's proof", behind(12, &canonical::encode(&desktop_proof))),
        seed("the phone's proof", behind(13, &canonical::encode(&phone_proof))),
        seed("the last word", behind(14, &canonical::encode(&done))),
    ]
}

/// What was signed: one of each, replies of several decisions, and a few that open to nothing.
pub fn signed() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (file, _, kind) in SIGNED {
        let [good, bad] = encoded(file);
        for case in good.iter().step_by(6) {
            // Replies that need a finger carry a third field.
            let by_finger = u8::from(bytes(case)[0] == 0xa3);
            let said = inner(file, &bytes(case));
            seeds.push((format!("{file} {}", name(case)), [vec![kind, by_finger], said].concat()));
        }
        if !matches!(file, "offer.json" | "reply.json") {
            continue;
        }
        let is_read = |case: &&Value| !case["refusal"].as_str().unwrap().contains("signature");
        let said =
            bad.iter().filter(is_read).find_map(|case| Some((name(case), try_inner(file, &bytes(case))?)));
        let (what, said) = said.unwrap();
        seeds.push((format!("{file} {what}"), [vec![kind, 0], said].concat()));
    }
    seeds
}

pub fn message() -> Vec<Seed> {
    let [good, mut bad] = vectors("control.json");
    bad.retain(|case| bytes(case).len() < 200);
    let some = good.iter().chain(of_each_refusal(&bad, ""));
    some.map(|case| {
        let kind = u16::try_from(case["type"].as_u64().unwrap()).unwrap();
        (name(case), [kind.to_be_bytes().to_vec(), bytes(case)].concat())
    })
    .collect()
}

pub fn request() -> Vec<Seed> {
    let [good, bad] = vectors("request.json");
    let short = |case: &&Value| bytes(case).len() < 4_000;
    let some = good.iter().filter(short).chain(of_each_refusal(&bad, "").filter(short));
    some.map(|case| (name(case), bytes(case))).collect()
}

pub fn phone_record() -> Vec<Seed> {
    let record = |relay: &str, link: Link| {
        let desktop = PairedDesktop { relay: RelayHost::parse(relay).unwrap(), link, ..paired_desktop() };
        Pair { desktop, device: device(), relay: device() }.to_bytes().to_vec()
    };
    let tls = record("relay.example.org", Link::Tls);
    vec![
        seed("of a public relay", tls.clone()),
        seed("of a relay at home", record("[fd00::1]:8443", Link::Pinned([7; 32]))),
        seed("of this machine", record("127.0.0.1:8080", Link::Plain)),
        seed("cut off", &tls[..tls.len() - 1]),
    ]
}

pub fn enrolment() -> Vec<Seed> {
    let chain = Chain::new(vec![LEAF.to_vec()]).unwrap();
    let opening = Opening { versions: vec![1, 2], commit: Hash::new([5; 32]) };
    let nonce = Secret32::new([0x13; 32]);
    let terms = Terms { version: 1, nonce, challenge: [0x14; 32], policy: AttestationPolicy::Strict };
    vec![
        seed("a certificate", behind(0, LEAF)),
        seed("half a certificate", behind(0, &LEAF[..200])),
        seed("a chain", behind(1, &canonical::encode(&chain))),
        seed("a chain of seven", behind(1, &[vec![0x87], [0x41, 0x30].repeat(7)].concat())),
        seed("an opening", behind(2, &canonical::encode(&opening))),
        seed("terms", behind(3, &canonical::encode(&terms))),
        seed("an enrolment", behind(4, &canonical::encode(&pairing::enrolment(chain)))),
    ]
}

pub fn keys() -> Vec<Seed> {
    let bio = bio_key(&finger());
    let mut identity = [0; 32];
    identity[0] = 1;
    let [good, _] = vectors("labels.json");
    vec![
        seed("an approval key", behind(0, bio.spki_der())),
        seed("a device key", behind(1, device().public().as_bytes())),
        seed("a weak key", behind(1, &identity)),
        seed("a signature over something else", behind(2, &unhex(&good[0]["sig_approval"]))),
        seed("an agreement key", behind(3, AgreementKey::from_bytes([7; 32]).public().as_bytes())),
        seed("a point that agrees on nothing", behind(3, &[0; 32])),
    ]
}

/// The cases of a vector file whose bytes are spelled out.
fn encoded(file: &str) -> [Vec<Value>; 2] {
    vectors(file).map(|cases| cases.into_iter().filter(|case| case["bytes"].is_string()).collect())
}

fn behind(kind: u8, bytes: &[u8]) -> Vec<u8> {
    [&[kind], bytes].concat()
}

fn inner(file: &str, bytes: &[u8]) -> Vec<u8> {
    try_inner(file, bytes).unwrap()
}

/// What a signed object of this vector file says.
fn try_inner(file: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match file {
        "offer.json" => read::<SignedOffer>(bytes).map(|signed| signed.bytes),
        "receipt.json" => read::<SignedReceipt>(bytes).map(|signed| signed.bytes),
        "checkpoint.json" => read::<SignedCheckpoint>(bytes).map(|signed| signed.bytes),
        "reply.json" => read::<SignedReply>(bytes).map(|signed| signed.bytes),
        _ => read::<SignedBytes>(bytes).map(|signed| signed.bytes),
    }
}

fn read<T: for<'b> Decode<'b, ()> + Encode<()>>(bytes: &[u8]) -> Option<T> {
    canonical::decode(bytes, limits::MESSAGE).ok()
}
