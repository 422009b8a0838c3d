//! Public keys, signatures and certificates as they come, and the payloads of a pairing that carry them.

use countersign_proto::{
    Refusal, canonical, domain,
    key::{AgreementKey, AgreementPublic, BioKey, Signature, VerifyingKey},
    limits,
    pairing::{Chain, Enrolment, Opening, Terms},
};
use minicbor::{Decode, Encode};

use super::{
    fixed::{bio_key, finger},
    script::Script,
};

/// Keys have one form each; no bytes are a signature by a key of ours, and a useless point agrees on nothing.
pub fn keys(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let kind = script.byte();
    let bytes = script.take(bytes.len());
    match kind % 4 {
        0 => {
            let Ok(key) = BioKey::from_spki_der(bytes) else { return false };
            assert_eq!(key.spki_der(), bytes);
            true
        }
        1 => {
            let Ok(Ok(key)) = <&[u8; 32]>::try_from(bytes).map(VerifyingKey::from_bytes) else {
                return false;
            };
            assert_eq!(key.as_bytes(), bytes);
            let nothing = Signature::from_bytes([0; 64]);
            assert_eq!(key.verify(domain::OFFER, &[bytes], &nothing), Err(Refusal::BadDeviceSignature));
            true
        }
        2 => {
            let verified = bio_key(&finger()).verify(domain::REPLY_BIO, &[b"never signed"], bytes);
            assert_eq!(verified, Err(Refusal::BadBioSignature));
            false
        }
        _ => {
            let Ok(peer) = <[u8; 32]>::try_from(bytes) else { return false };
            let Ok(shared) = AgreementKey::from_bytes([7; 32]).agree(&AgreementPublic::new(peer)) else {
                return false;
            };
            assert_ne!(shared.expose(), &[0; 32]);
            true
        }
    }
}

/// Certificates and the three payloads of a pairing's handshake, by the first byte.
pub fn enrolment(bytes: &[u8]) -> bool {
    let Some((kind, bytes)) = bytes.split_first() else { return false };
    match kind % 5 {
        0 => Chain::new(vec![bytes.to_vec()]).is_ok_and(|chain| leaf(&chain)),
        1 => unsigned::<Chain>(bytes).is_some_and(|chain| leaf(&chain)),
        2 => unsigned::<Opening>(bytes).is_some(),
        3 => unsigned::<Terms>(bytes).is_some(),
        _ => unsigned::<Enrolment>(bytes).is_some_and(|enrolment| leaf(&enrolment.chain)),
    }
}

fn leaf(chain: &Chain) -> bool {
    let certificates = chain.certificates();
    assert!((1..=limits::CHAIN_CERTIFICATES).contains(&certificates.len()));
    assert!(certificates.iter().map(Vec::len).sum::<usize>() <= limits::CHAIN);
    let Ok(key) = chain.leaf_key() else { return false };
    assert_eq!(BioKey::from_spki_der(key.spki_der()).as_ref(), Ok(&key));
    true
}

/// An unsigned payload: what is read is written in a form that reads the same.
fn unsigned<T: for<'b> Decode<'b, ()> + Encode<()> + PartialEq>(bytes: &[u8]) -> Option<T> {
    let value: T = canonical::decode_unsigned(bytes, limits::ENVELOPE).ok()?;
    let again = canonical::decode::<T>(&canonical::encode(&value), limits::ENVELOPE);
    assert!(again.is_ok_and(|again| again == value), "it does not read back");
    Some(value)
}
