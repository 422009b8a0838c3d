//! Which certificate chains count in demo mode, and that none does outside it.

use countersign_core::approver::KeyStrength;
use countersign_proto::pairing::{Chain, Objection};
use p256::ecdsa::SigningKey;

use crate::{
    courier::stage::{certificate, self_signed},
    pairing::judge::judge,
};

fn key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

fn chain(certificates: Vec<Vec<u8>>) -> Chain {
    Chain::new(certificates).unwrap()
}

const NO: Result<KeyStrength, Objection> = Err(Objection::KeyNotStrong);

#[test]
fn one_self_signed_certificate_counts_as_a_demo_phones_and_only_in_demo_mode() {
    let demo = chain(vec![self_signed(&key(1))]);
    assert_eq!(judge(&demo, true), Ok(KeyStrength::Demo));
    assert_eq!(judge(&demo, false), NO);
}

#[test]
fn a_certificate_that_another_key_signed_or_another_name_issued_does_not_count() {
    assert_eq!(judge(&chain(vec![certificate(&key(1), "phone", &key(2))]), true), NO);
    assert_eq!(judge(&chain(vec![certificate(&key(1), "maker", &key(1))]), true), NO);
}

#[test]
fn a_longer_chain_does_not_count_since_nothing_here_verifies_it() {
    let own = self_signed(&key(1));
    assert_eq!(judge(&chain(vec![own.clone(), self_signed(&key(2))]), true), NO);
    assert_eq!(judge(&chain(vec![own.clone(), own]), true), NO);
}

#[test]
fn no_flipped_bit_leaves_a_certificate_that_counts_for_the_same_key() {
    let own = self_signed(&key(1));
    let bio = chain(vec![own.clone()]).leaf_key().unwrap();
    for bit in 0..own.len() * 8 {
        let mut flipped = own.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let flipped = chain(vec![flipped]);
        let counts = judge(&flipped, true).is_ok() && flipped.leaf_key() == Ok(bio.clone());
        assert!(!counts, "bit {bit}");
    }
}
