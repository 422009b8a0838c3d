//! Cross-use (protocol.md §14.4): a signature made for one thing is refused for every other: under every other label, of
//! another device or desktop, for another offer, for another decision.

use countersign_proto::{
    Refusal, canonical,
    checkpoint::SignedCheckpoint,
    domain::{self, Label},
    key::Signature,
    message::{Lock, Revoked, SignedBytes},
    offer::SignedOffer,
    receipt::{Outcome, SignedReceipt},
    reply::{Decision, SignedReply, UnverifiedReply},
};

use crate::samples::{self, BIO, BioSigner, DESKTOP, DEVICE, OTHER_BIO, OTHER_DESKTOP, OTHER_DEVICE};

/// Opens one kind of signed bytes with a signature.
type Open = fn(Vec<u8>, Signature) -> Result<(), Refusal>;

/// Everything that one Ed25519 key signs here: its label, whose key, sample bytes, and how it is opened.
fn signed_by_one_key() -> [(Label, u8, Vec<u8>, Open); 6] {
    [
        (domain::OFFER, DESKTOP, samples::offer().sign(&samples::key(DESKTOP)).bytes, open_offer),
        (domain::RECEIPT, DESKTOP, canonical::encode(&samples::receipt(Outcome::Dismissed)), open_receipt),
        (domain::CHECKPOINT, DESKTOP, canonical::encode(&samples::checkpoint()), open_checkpoint),
        (domain::REVOKED, DESKTOP, canonical::encode(&samples::revoked()), open_revoked),
        (domain::LOCK, DEVICE, canonical::encode(&samples::lock()), open_lock),
        (domain::REPLY_DEVICE, DEVICE, samples::reply(Decision::Deny).encode(), open_reply),
    ]
}

fn open_offer(bytes: Vec<u8>, sig: Signature) -> Result<(), Refusal> {
    let (desktop, device) = (samples::desktop_id(DESKTOP), samples::device_id(DESKTOP, DEVICE));
    SignedOffer { bytes, sig }.open(&samples::key(DESKTOP).public(), &desktop, &device).map(drop)
}

fn open_receipt(bytes: Vec<u8>, sig: Signature) -> Result<(), Refusal> {
    let (desktop, device) = (samples::desktop_id(DESKTOP), samples::device_id(DESKTOP, DEVICE));
    SignedReceipt { bytes, sig }.open(&samples::key(DESKTOP).public(), &desktop, &device).map(drop)
}

fn open_checkpoint(bytes: Vec<u8>, sig: Signature) -> Result<(), Refusal> {
    SignedCheckpoint { bytes, sig }.open(&samples::key(DESKTOP).public()).map(drop)
}

fn open_revoked(bytes: Vec<u8>, sig: Signature) -> Result<(), Refusal> {
    let (desktop, device) = (samples::desktop_id(DESKTOP), samples::device_id(DESKTOP, DEVICE));
    Revoked::open(&SignedBytes { bytes, sig }, &samples::key(DESKTOP).public(), &desktop, &device).map(drop)
}

fn open_lock(bytes: Vec<u8>, sig: Signature) -> Result<(), Refusal> {
    let signed = SignedBytes { bytes, sig };
    Lock::claims(&signed)?;
    Lock::verify(&signed, &samples::key(DEVICE).public())
}

fn open_reply(bytes: Vec<u8>, sig: Signature) -> Result<(), Refusal> {
    verify(&SignedReply { bytes, sig, sig_bio: None })
}

fn verify(signed: &SignedReply) -> Result<(), Refusal> {
    let read = UnverifiedReply::read(&canonical::encode(signed))?;
    read.verify(&samples::key(DEVICE).public(), &BioSigner::of(BIO).public()).map(drop)
}

#[test]
fn a_signature_under_any_other_label_is_refused() {
    for (own, signer, bytes, open) in signed_by_one_key() {
        for label in domain::ALL {
            let expected = if *label == own { Ok(()) } else { Err(Refusal::BadDeviceSignature) };
            let sig = samples::key(signer).sign(*label, &[&bytes]);
            assert_eq!(open(bytes.clone(), sig), expected, "{own:?} signed as {label:?}");
        }
    }
}

#[test]
fn an_approval_signature_under_any_other_label_is_refused() {
    let signed = samples::sign(&samples::reply(Decision::ApproveOnce));
    for label in domain::ALL {
        let expected = if *label == domain::REPLY_BIO { Ok(()) } else { Err(Refusal::BadBioSignature) };
        let sig_bio = Some(BioSigner::of(BIO).sign(*label, &signed.bytes));
        assert_eq!(verify(&SignedReply { sig_bio, ..signed.clone() }), expected, "{label:?}");
    }
}

#[test]
fn a_signature_by_any_other_key_is_refused() {
    for (label, signer, bytes, open) in signed_by_one_key() {
        for other in [DESKTOP, DEVICE, OTHER_DESKTOP, OTHER_DEVICE] {
            let expected = if other == signer { Ok(()) } else { Err(Refusal::BadDeviceSignature) };
            let sig = samples::key(other).sign(label, &[&bytes]);
            assert_eq!(open(bytes.clone(), sig), expected, "{label:?} signed by {other:#x}");
        }
    }
    let signed = samples::sign(&samples::reply(Decision::ApproveOnce));
    let sig_bio = Some(BioSigner::of(OTHER_BIO).sign(domain::REPLY_BIO, &signed.bytes));
    assert_eq!(verify(&SignedReply { sig_bio, ..signed }), Err(Refusal::BadBioSignature));
}

#[test]
fn the_bytes_of_one_kind_signed_as_they_should_be_are_no_other_kind() {
    let kinds = signed_by_one_key();
    for (from, _, bytes, _) in &kinds {
        for (label, signer, _, open) in &kinds {
            let opened = open(bytes.clone(), samples::key(*signer).sign(*label, &[bytes]));
            if from == label {
                assert_eq!(opened, Ok(()));
            } else {
                assert!(
                    matches!(opened, Err(Refusal::Malformed | Refusal::NotCanonical)),
                    "{from:?} as {label:?}"
                );
            }
        }
    }
}

/// Both signatures of one reply on another that differs in one field only.
#[test]
fn signatures_do_not_carry_over_to_another_desktop_device_offer_hash_decision_or_counter() {
    let approve = samples::reply(Decision::ApproveOnce);
    let signed = samples::sign(&approve);
    let mut others = vec![approve.clone(); 6];
    others[0].desktop_id = samples::desktop_id(OTHER_DESKTOP);
    others[1].device_id = samples::device_id(DESKTOP, OTHER_DEVICE);
    others[2].offer_id = countersign_proto::id::OfferId::new([0xb3; 16]);
    others[3].offer_hash = countersign_proto::id::Hash::new([0; 32]);
    others[4].counter += 1;
    others[5].phone_time += 1;
    for decision in Decision::ALL.into_iter().filter(|decision| *decision != Decision::ApproveOnce) {
        others.push(samples::reply(decision));
    }
    for other in others {
        let carried = SignedReply { bytes: other.encode(), ..signed.clone() };
        assert_eq!(verify(&carried), Err(Refusal::BadDeviceSignature), "{other:?}");
        // With the device key's word renewed, the approval key's still is not for this one.
        let sig = samples::key(DEVICE).sign(domain::REPLY_DEVICE, &[&carried.bytes]);
        let refused = verify(&SignedReply { sig, ..carried }).unwrap_err();
        let expected = if other.decision.needs_bio() { Refusal::BadBioSignature } else { Refusal::Malformed };
        assert_eq!(refused, expected, "{other:?}");
    }
}

#[test]
fn a_device_key_alone_can_only_deny_or_dismiss() {
    for decision in Decision::ALL {
        let signed = SignedReply { sig_bio: None, ..samples::sign(&samples::reply(decision)) };
        let expected = match decision {
            Decision::Deny | Decision::Dismiss => Ok(()),
            Decision::DenyWithNote => Err(Refusal::NoteNeedsBio),
            _ => Err(Refusal::BioMissing),
        };
        assert_eq!(verify(&signed), expected, "{decision:?}");
    }
}

/// An offer for one phone is none for another, and none of another desktop's, even where the right key signed it.
#[test]
fn an_offer_opens_only_on_the_phone_and_for_the_desktop_it_names() {
    let signed = samples::offer().sign(&samples::key(DESKTOP));
    let key = samples::key(DESKTOP).public();
    let ids = (samples::desktop_id(DESKTOP), samples::device_id(DESKTOP, DEVICE));
    let others = (samples::desktop_id(OTHER_DESKTOP), samples::device_id(DESKTOP, OTHER_DEVICE));
    assert!(signed.open(&key, &ids.0, &ids.1).is_ok());
    assert_eq!(signed.open(&key, &others.0, &ids.1), Err(Refusal::WrongDesktop));
    assert_eq!(signed.open(&key, &ids.0, &others.1), Err(Refusal::WrongDevice));
    let receipt = samples::receipt(Outcome::Dismissed).sign(&samples::key(DESKTOP));
    assert_eq!(receipt.open(&key, &others.0, &ids.1), Err(Refusal::WrongDesktop));
    assert_eq!(receipt.open(&key, &ids.0, &others.1), Err(Refusal::WrongDevice));
    let revoked = samples::revoked().sign(&samples::key(DESKTOP));
    assert_eq!(Revoked::open(&revoked, &key, &others.0, &ids.1), Err(Refusal::WrongDesktop));
    assert_eq!(Revoked::open(&revoked, &key, &ids.0, &others.1), Err(Refusal::WrongDevice));
}
