//! Bit flips (protocol.md §14.3): each bit of a reply, of both its signatures and of an offer, turned alone, is refused.

use countersign_proto::{
    Refusal, canonical, limits,
    message::Revoked,
    offer::SignedOffer,
    receipt::{Outcome, SignedReceipt},
    reply::{Decision, UnverifiedReply},
};

use crate::samples::{self, BIO, BioSigner, DESKTOP, DEVICE};

/// The same bytes with each single bit turned in turn.
fn flips(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len() * 8).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

fn read_and_verify(body: &[u8]) -> Result<(), Refusal> {
    let phone = (samples::key(DEVICE).public(), BioSigner::of(BIO).public());
    UnverifiedReply::read(body)?.verify(&phone.0, &phone.1).map(drop)
}

/// The whole body: framing, reply bytes, device signature, approval signature.
#[test]
fn no_bit_of_a_reply_or_of_its_signatures_can_be_turned() {
    for decision in [Decision::Deny, Decision::DenyWithNote, Decision::ApproveOnce] {
        let body = canonical::encode(&samples::sign(&samples::reply(decision)));
        assert_eq!(read_and_verify(&body), Ok(()));
        for flipped in flips(&body) {
            assert!(read_and_verify(&flipped).is_err(), "{flipped:02x?}");
        }
    }
}

#[test]
fn a_turned_bit_of_either_signature_is_blamed_on_that_signature() {
    let signed = samples::sign(&samples::reply(Decision::ApproveOnce));
    for flipped in flips(signed.sig.as_bytes()) {
        let mut signed = signed.clone();
        signed.sig = countersign_proto::key::Signature::from_slice(&flipped).unwrap();
        assert_eq!(read_and_verify(&canonical::encode(&signed)), Err(Refusal::BadDeviceSignature));
    }
    for flipped in flips(signed.sig_bio.as_ref().unwrap()) {
        let mut signed = signed.clone();
        signed.sig_bio = Some(flipped);
        assert_eq!(read_and_verify(&canonical::encode(&signed)), Err(Refusal::BadBioSignature));
    }
}

#[test]
fn no_bit_of_an_offer_or_of_its_signature_can_be_turned() {
    let signed = samples::offer().sign(&samples::key(DESKTOP));
    let (desktop, device) = (samples::desktop_id(DESKTOP), samples::device_id(DESKTOP, DEVICE));
    let open = |body: &[u8]| {
        let signed: SignedOffer = canonical::decode(body, limits::MESSAGE)?;
        signed.open(&samples::key(DESKTOP).public(), &desktop, &device).map(drop)
    };
    let body = canonical::encode(&signed);
    assert_eq!(open(&body), Ok(()));
    for flipped in flips(&body) {
        assert!(open(&flipped).is_err(), "{flipped:02x?}");
    }
}

#[test]
fn no_bit_of_a_receipt_or_a_revocation_can_be_turned() {
    let (desktop, device) = (samples::desktop_id(DESKTOP), samples::device_id(DESKTOP, DEVICE));
    let key = samples::key(DESKTOP).public();
    let receipt = samples::receipt(Outcome::Released(Decision::ApproveOnce)).sign(&samples::key(DESKTOP));
    for flipped in flips(&canonical::encode(&receipt)) {
        let read = canonical::decode::<SignedReceipt>(&flipped, limits::MESSAGE);
        assert!(read.and_then(|signed| signed.open(&key, &desktop, &device)).is_err(), "{flipped:02x?}");
    }
    let revoked = samples::revoked().sign(&samples::key(DESKTOP));
    for flipped in flips(&canonical::encode(&revoked)) {
        let read = canonical::decode(&flipped, limits::MESSAGE);
        let opened = read.and_then(|signed| Revoked::open(&signed, &key, &desktop, &device));
        assert!(opened.is_err(), "{flipped:02x?}");
    }
}
