//! Everything signed, hashed or sealed in CBOR: one form, and nothing believed that was not signed.

use countersign_core::audit::Entry;
use countersign_mobile_core::pair::Pair;
use countersign_proto::{
    Refusal, canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    domain, limits,
    message::{Lock, Message, Revoked, SignedBytes, Type},
    offer::{Offer, SignedOffer},
    pairing::{PairDesktop, PairDone, PairPhone},
    receipt::{Receipt, SignedReceipt},
    reply::{Reply, SignedReply, UnverifiedReply},
    request::Request,
};
use minicbor::{Decode, Encode};

use super::{
    card,
    fixed::{bio_key, desktop, desktop_id, device, device_id, finger, signed as by_finger},
    form::assert_canonical,
    script::Script,
};

/// Any bytes are a canonical object of the type that the first byte picks, or refused.
pub fn canonical(bytes: &[u8]) -> bool {
    let Some((kind, bytes)) = bytes.split_first() else { return false };
    match kind % 16 {
        0 => one_form::<Request>(bytes),
        1 => one_form::<Offer>(bytes),
        2 => one_form::<Reply>(bytes),
        3 => one_form::<Receipt>(bytes),
        4 => one_form::<Checkpoint>(bytes),
        5 => one_form::<Lock>(bytes),
        6 => one_form::<Revoked>(bytes),
        7 => one_form::<SignedOffer>(bytes),
        8 => one_form::<SignedReply>(bytes),
        9 => one_form::<SignedReceipt>(bytes),
        10 => one_form::<SignedCheckpoint>(bytes),
        11 => one_form::<SignedBytes>(bytes),
        12 => one_form::<PairDesktop>(bytes),
        13 => one_form::<PairPhone>(bytes),
        14 => one_form::<PairDone>(bytes),
        _ => one_form::<Entry>(bytes),
    }
}

fn one_form<T: for<'b> Decode<'b, ()> + Encode<()>>(bytes: &[u8]) -> bool {
    let Ok(value) = canonical::decode::<T>(bytes, limits::MESSAGE) else { return false };
    assert_eq!(canonical::encode(&value), bytes);
    assert_canonical(bytes);
    true
}

/// Signed objects whose signer lies: the signature holds, and what opens is exactly what the bytes say. The first byte
/// picks the object, the second whether a reply carries a finger's signature.
pub fn signed(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let (kind, is_by_finger) = (script.byte(), script.byte() & 1 == 1);
    let bytes = script.take(bytes.len()).to_vec();
    let (key, id, phone) = (desktop().public(), desktop_id(), device_id());
    match kind % 6 {
        0 => {
            let signed = SignedOffer { sig: desktop().sign(domain::OFFER, &[&bytes]), bytes };
            let Ok(opened) = signed.open(&key, &id, &phone) else { return false };
            card::assert_shown(&opened);
            is_from(opened.offer(), &signed.bytes) && is_from(opened.request(), &opened.offer().request)
        }
        1 => {
            let signed = SignedReceipt { sig: desktop().sign(domain::RECEIPT, &[&bytes]), bytes };
            signed.open(&key, &id, &phone).is_ok_and(|receipt| is_from(&receipt, &signed.bytes))
        }
        2 => {
            let signed = SignedCheckpoint { sig: desktop().sign(domain::CHECKPOINT, &[&bytes]), bytes };
            signed.open(&key).is_ok_and(|checkpoint| is_from(&checkpoint, &signed.bytes))
        }
        3 => {
            let signed = SignedBytes { sig: desktop().sign(domain::REVOKED, &[&bytes]), bytes };
            Revoked::open(&signed, &key, &id, &phone).is_ok_and(|revoked| is_from(&revoked, &signed.bytes))
        }
        4 => {
            let signed = SignedBytes { sig: device().sign(domain::LOCK, &[&bytes]), bytes };
            assert_eq!(Lock::verify(&signed, &device().public()), Ok(()));
            assert_eq!(Lock::verify(&signed, &key), Err(Refusal::BadDeviceSignature));
            Lock::claims(&signed).is_ok_and(|lock| is_from(&lock, &signed.bytes))
        }
        _ => reply(bytes, is_by_finger),
    }
}

/// Asserts that a value is what the bytes say.
fn is_from<T: Encode<()>>(value: &T, bytes: &[u8]) -> bool {
    assert_eq!(canonical::encode(value), bytes);
    true
}

/// A reply holds with exactly the signatures that its decision needs.
fn reply(bytes: Vec<u8>, is_by_finger: bool) -> bool {
    let label = domain::sig(domain::REPLY_BIO, &[&bytes]);
    let sig_bio = is_by_finger.then(|| by_finger(&finger(), &label));
    let signed = SignedReply { sig: device().sign(domain::REPLY_DEVICE, &[&bytes]), sig_bio, bytes };
    let Ok(unverified) = UnverifiedReply::of(signed.clone()) else { return false };
    let forged =
        SignedReply { sig: desktop().sign(domain::REPLY_DEVICE, &[&signed.bytes]), ..signed.clone() };
    let forged = UnverifiedReply::of(forged).expect("it reads the same");
    let (device, finger) = (device().public(), bio_key(&finger()));
    assert_eq!(forged.verify(&device, &finger).err(), Some(Refusal::BadDeviceSignature));
    let Ok(verified) = unverified.verify(&device, &finger) else { return false };
    let reply = verified.get();
    assert_eq!(reply.decision.needs_bio(), is_by_finger, "{:?}", reply.decision);
    assert_eq!(reply.check_payload(), Ok(()));
    is_from(reply, &signed.bytes)
}

/// A message of a session by its type (the first two bytes): what is read, reads back, and signed ones byte by byte.
pub fn message(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let kind = script.u16();
    let body = script.take(bytes.len());
    let Ok(message) = Message::decode(kind, body) else { return false };
    let (again, written) = message.encode();
    assert_eq!(again, kind);
    assert_eq!(Message::decode(kind, &written).as_ref(), Ok(&message));
    assert_canonical(&written);
    match message.kind() {
        Type::Reply | Type::Lock | Type::Receipt | Type::AuditHead | Type::Revoked => {
            assert_eq!(written, body);
        }
        _ => {}
    }
    true
}

/// What a phone kept of a pairing: damaged, or read so that it is written down in a form that stays.
pub fn phone_record(bytes: &[u8]) -> bool {
    let Ok(pair) = Pair::from_bytes(bytes) else { return false };
    assert_canonical(bytes);
    let written = pair.to_bytes();
    let again = Pair::from_bytes(&written).expect("our own record");
    assert_eq!(**again.to_bytes(), **written);
    pair.origin().expect("a record names its relay");
    true
}
