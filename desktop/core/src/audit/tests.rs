//! The golden audit chains, good and bad, and chains that the core itself makes.

use countersign_proto::{
    canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    id::{Hash, LogId, RunId},
    key::SigningKey,
    limits,
    text::Foreign,
};
use data_encoding::HEXLOWER;
use proptest::prelude::*;
use serde_json::Value;

use super::{Body, Event, Flaw, Head, Verifier, hash};
use crate::clock::Now;

const VECTORS: &str = include_str!("../../../../proto/vectors/audit.json");

fn bytes(value: &Value) -> Vec<u8> {
    HEXLOWER.decode(value.as_str().expect("hex").as_bytes()).expect("hex")
}

/// Walks a chain of the vectors with the checkpoint that stands beside it.
fn walk(case: &Value, desktop: &SigningKey) -> Result<Head, Flaw> {
    let signed: SignedCheckpoint =
        canonical::decode(&bytes(&case["checkpoint"]), limits::MESSAGE).expect("one form");
    let claims: Checkpoint = canonical::decode(&signed.bytes, limits::MESSAGE).expect("one form");
    let mut verifier = Verifier::new(Head::empty(claims.log_id));
    verifier.witness(claims.seq, &signed, &desktop.public())?;
    for entry in case["entries"].as_array().expect("entries") {
        let entry = bytes(entry);
        verifier.entry(&entry, hash(&entry))?;
    }
    verifier.finish()
}

fn name(flaw: &Flaw) -> &'static str {
    match flaw {
        Flaw::Unreadable { .. } => "unreadable",
        Flaw::Missing(_) => "missing",
        Flaw::Unlinked { .. } => "unlinked",
        Flaw::WrongHash { .. } => "wrong_hash",
        Flaw::ForgedCheckpoint { .. } => "forged_checkpoint",
        Flaw::Contradicted { .. } => "contradicted",
    }
}

#[test]
fn the_golden_chains_verify_and_the_broken_ones_are_found_out() {
    let vectors: Value = serde_json::from_str(VECTORS).expect("the vectors");
    let seed: [u8; 32] = bytes(&vectors["keys"]["desktop_seed"]).try_into().expect("32 bytes");
    let desktop = SigningKey::from_seed(&seed);
    for case in vectors["good"].as_array().expect("good chains") {
        let head = walk(case, &desktop).expect("a good chain");
        let newest = case["hashes"].as_array().and_then(|hashes| hashes.last()).expect("hashes");
        assert_eq!(head.hash.as_bytes().as_slice(), bytes(newest));
    }
    let bad = vectors["bad"].as_array().expect("bad chains");
    assert!(!bad.is_empty());
    for case in bad {
        let flaw = walk(case, &desktop).expect_err(case["name"].as_str().unwrap_or_default());
        assert_eq!(Some(name(&flaw)), case["flaw"].as_str(), "{}", case["name"]);
    }
}

fn chain(notes: &[String]) -> (Head, Vec<crate::command::EntryRow>) {
    let mut head = Head::empty(LogId::new([7; 16]));
    let rows = (1..)
        .zip(notes)
        .map(|(at, note)| {
            let body = Body { note: Some(Foreign::new(note.clone())), ..Body::of(Event::Asked) };
            head.append(RunId::new([1; 16]), Now::new(at, at), body)
        })
        .collect();
    (head, rows)
}

proptest! {
    #[test]
    fn any_changed_lost_or_moved_entry_is_found(
        notes in proptest::collection::vec(".{0,20}", 2..12),
        at in any::<prop::sample::Index>(),
        bit in any::<prop::sample::Index>(),
    ) {
        let (head, rows) = chain(&notes);
        let verify = |rows: &[crate::command::EntryRow]| {
            let mut verifier = Verifier::new(Head::empty(head.log_id));
            verifier.witness_head(head.seq, head.hash);
            for row in rows {
                verifier.entry(&row.bytes, row.hash)?;
            }
            verifier.finish()
        };
        prop_assert_eq!(verify(&rows), Ok(head));
        let at = at.index(rows.len());
        let mut changed = rows.clone();
        let bit = bit.index(changed[at].bytes.len() * 8);
        changed[at].bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(verify(&changed).is_err());
        let mut rehashed = changed;
        rehashed[at].hash = hash(&rehashed[at].bytes);
        prop_assert!(verify(&rehashed).is_err());
        let mut lost = rows.clone();
        lost.remove(at);
        prop_assert!(verify(&lost).is_err());
        let mut swapped = rows;
        swapped.swap(0, at.max(1));
        prop_assert!(verify(&swapped).is_err());
    }
}

#[test]
fn a_checkpoint_of_another_log_or_entry_is_no_witness() {
    let desktop = SigningKey::from_seed(&[1; 32]);
    let (head, _) = chain(&["one".into(), "two".into()]);
    let signed = head.checkpoint(&desktop, Now::new(5, 5));
    let mut other = Verifier::new(Head::empty(LogId::new([8; 16])));
    assert_eq!(other.witness(2, &signed, &desktop.public()), Err(Flaw::ForgedCheckpoint { seq: 2 }));
    let mut same = Verifier::new(Head::empty(head.log_id));
    assert_eq!(same.witness(1, &signed, &desktop.public()), Err(Flaw::ForgedCheckpoint { seq: 1 }));
    assert_eq!(same.witness(2, &signed, &desktop.public()), Ok(()));
    assert_eq!(Head::empty(head.log_id).hash, Hash::new([0; 32]));
}
