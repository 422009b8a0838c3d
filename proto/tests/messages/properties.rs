//! Canonical form (protocol.md §14.2): any bytes either are the one form of a value or are refused with a word for it.

use countersign_proto::{
    Refusal, canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    limits,
    message::{Lock, Message, Revoked, SignedBytes, Type},
    offer::{Offer, SignedOffer},
    receipt::{Outcome, Receipt, SignedReceipt},
    reply::{Decision, Reply, SignedReply, UnverifiedReply},
    request::Request,
};
use minicbor::{Decode, Encode};
use proptest::{collection::vec, prelude::*, sample::Index};

use crate::{generators, samples, tree::Item};

/// What any bytes are as each of the signed types: reads them, and holds the property.
fn any_bytes_are_canonical_or_refused(bytes: &[u8]) -> Result<(), TestCaseError> {
    holds::<Request>(bytes)?;
    holds::<Offer>(bytes)?;
    holds::<SignedOffer>(bytes)?;
    holds::<Reply>(bytes)?;
    holds::<SignedReply>(bytes)?;
    holds::<Receipt>(bytes)?;
    holds::<SignedReceipt>(bytes)?;
    holds::<Lock>(bytes)?;
    holds::<Revoked>(bytes)?;
    holds::<SignedBytes>(bytes)?;
    holds::<Checkpoint>(bytes)?;
    holds::<SignedCheckpoint>(bytes)?;
    for kind in Type::ALL {
        if let Err(refusal) = Message::decode(kind.code(), bytes) {
            prop_assert!(is_a_reader_s_refusal(refusal), "{refusal:?}");
        }
    }
    Ok(())
}

fn holds<T: for<'b> Decode<'b, ()> + Encode<()>>(bytes: &[u8]) -> Result<(), TestCaseError> {
    match canonical::decode::<T>(bytes, limits::MESSAGE) {
        Ok(value) => prop_assert_eq!(canonical::encode(&value), bytes),
        Err(refusal) => prop_assert!(is_a_reader_s_refusal(refusal), "{refusal:?}"),
    }
    Ok(())
}

const fn is_a_reader_s_refusal(refusal: Refusal) -> bool {
    matches!(refusal, Refusal::Malformed | Refusal::NotCanonical | Refusal::TooBig)
}

/// A value comes back from its bytes, and the hand-written tree agrees that they are canonical.
fn comes_back<T>(value: &T) -> Result<Vec<u8>, TestCaseError>
where
    T: for<'b> Decode<'b, ()> + Encode<()> + PartialEq + core::fmt::Debug,
{
    let bytes = canonical::encode(value);
    let read = canonical::decode::<T>(&bytes, limits::MESSAGE);
    prop_assert_eq!(read.as_ref(), Ok(value));
    let item = Item::of(&bytes);
    prop_assert_eq!(&item.write(), &bytes);
    prop_assert!(keys_ascend(&item));
    Ok(bytes)
}

fn keys_ascend(item: &Item) -> bool {
    match item {
        Item::Map(pairs) => {
            let keys: Vec<u64> =
                pairs.iter().map(|(k, _)| if let Item::Uint(k) = k { *k } else { 99 }).collect();
            keys.is_sorted_by(|a, b| a < b) && pairs.iter().all(|(_, value)| keys_ascend(value))
        }
        Item::Array(items) => items.iter().all(keys_ascend),
        Item::Simple(value) => *value != 0x16,
        _ => true,
    }
}

/// One change to valid bytes.
#[derive(Debug, Clone)]
enum Damage {
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Repeat(Index, Index),
    Cut(Index),
}

impl Damage {
    fn any() -> impl Strategy<Value = Self> {
        let at = any::<Index>;
        prop_oneof![
            (at(), any::<u8>()).prop_map(|(at, byte)| Self::Set(at, byte)),
            (at(), any::<u8>()).prop_map(|(at, byte)| Self::Insert(at, byte)),
            at().prop_map(Self::Remove),
            (at(), at()).prop_map(|(a, b)| Self::Repeat(a, b)),
            at().prop_map(Self::Cut),
        ]
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        let n = bytes.len();
        if n == 0 {
            return;
        }
        match self {
            Self::Set(at, byte) => bytes[at.index(n)] = *byte,
            Self::Insert(at, byte) => bytes.insert(at.index(n), *byte),
            Self::Remove(at) => drop(bytes.remove(at.index(n))),
            Self::Repeat(a, b) => {
                let (first, last) = (a.index(n).min(b.index(n)), a.index(n).max(b.index(n)));
                let piece = bytes[first..last].to_vec();
                bytes.splice(last..last, piece);
            }
            Self::Cut(at) => bytes.truncate(at.index(n)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_signed_type_comes_back_from_its_bytes(
        request in generators::request(),
        offer in generators::offer(),
        reply in generators::reply(),
        receipt in generators::receipt(),
        lock in generators::lock(),
        revoked in generators::revoked(),
        checkpoint in generators::checkpoint(),
    ) {
        let bytes = comes_back(&request)?;
        prop_assert_eq!(Request::decode(&bytes), Ok(request));
        comes_back(&offer)?;
        comes_back(&reply)?;
        comes_back(&receipt)?;
        comes_back(&lock)?;
        comes_back(&revoked)?;
        comes_back(&checkpoint)?;
        prop_assert_eq!(reply.check_payload(), Ok(()));
        let signed = samples::sign(&reply);
        let read = UnverifiedReply::read(&canonical::encode(&signed)).unwrap();
        prop_assert_eq!(read.claims(), &reply);
        let phone = (samples::key(samples::DEVICE).public(), samples::BioSigner::of(samples::BIO).public());
        let verified = read.verify(&phone.0, &phone.1).unwrap();
        prop_assert_eq!(verified.get(), &reply);
        prop_assert_eq!(verified.signed(), &signed);
    }

    #[test]
    fn arbitrary_bytes_are_canonical_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        any_bytes_are_canonical_or_refused(&bytes)?;
    }

    #[test]
    fn damaged_messages_are_canonical_or_refused(
        offer in generators::offer(),
        reply in generators::reply(),
        receipt in generators::receipt(),
        damage in vec(Damage::any(), 1..4),
    ) {
        let signed = samples::sign(&reply);
        for bytes in [offer.request.clone(), canonical::encode(&offer), reply.encode(), canonical::encode(&receipt),
            canonical::encode(&signed)] {
            let mut damaged = bytes.clone();
            damage.iter().for_each(|damage| damage.apply(&mut damaged));
            any_bytes_are_canonical_or_refused(&damaged)?;
        }
    }

    #[test]
    fn no_second_form_of_a_request_is_read(request in generators::request(), which in any::<Index>()) {
        let forms = Item::of(&request.encode()).lax();
        let (what, form) = which.get(&forms);
        let read = Request::decode(&form.write());
        prop_assert!(matches!(read, Err(Refusal::NotCanonical | Refusal::Malformed)), "{what}: {read:?}");
    }
}

/// Every second form of every item of one of each, not only some.
#[test]
fn no_second_form_of_any_message_is_read() {
    let samples = [
        canonical::encode(&samples::request()),
        canonical::encode(&samples::full_request()),
        canonical::encode(&samples::offer()),
        canonical::encode(&samples::receipt(Outcome::Released(Decision::ApproveOnce))),
        canonical::encode(&samples::receipt(Outcome::AlreadySettled(samples::text("the console")))),
        canonical::encode(&samples::lock()),
        canonical::encode(&samples::revoked()),
        canonical::encode(&samples::checkpoint()),
    ];
    let replies = Decision::ALL.map(samples::reply);
    let signed = replies.iter().map(|reply| canonical::encode(&samples::sign(reply)));
    let mut seen = 0;
    for bytes in samples.into_iter().chain(replies.iter().map(Reply::encode)).chain(signed) {
        for (what, form) in Item::of(&bytes).lax() {
            let form = form.write();
            assert_ne!(form, bytes, "{what}");
            for read in reads(&form) {
                assert!(
                    matches!(read, Err(Refusal::NotCanonical | Refusal::Malformed)),
                    "{what}: {form:02x?}"
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen}");
}

fn reads(bytes: &[u8]) -> [Result<(), Refusal>; 8] {
    fn read<T: for<'b> Decode<'b, ()> + Encode<()>>(bytes: &[u8]) -> Result<(), Refusal> {
        canonical::decode::<T>(bytes, limits::MESSAGE).map(drop)
    }
    [
        read::<Request>(bytes),
        read::<Offer>(bytes),
        read::<Reply>(bytes),
        read::<SignedReply>(bytes),
        read::<Receipt>(bytes),
        read::<Lock>(bytes),
        read::<Revoked>(bytes),
        read::<Checkpoint>(bytes),
    ]
}

/// Lengths are looked at before anything is made for them, and lists end at their limit.
#[test]
fn a_view_of_sixty_thousand_blocks_is_refused_by_its_length() {
    let blocks = (0..60_000).map(|_| Item::Array(vec![Item::Uint(1), Item::Array(vec![Item::Text(vec![])])]));
    let request = Item::of(&samples::request().encode()).with(9, Some(Item::Array(blocks.collect())));
    let bytes = request.write();
    assert!(bytes.len() <= limits::MESSAGE);
    assert_eq!(Request::decode(&bytes), Err(Refusal::Malformed));
}

#[test]
fn a_larger_message_is_refused_by_its_size_alone() {
    assert_eq!(Request::decode(&vec![0; limits::MESSAGE + 1]), Err(Refusal::TooBig));
    assert_eq!(UnverifiedReply::read(&vec![0; limits::MESSAGE + 1]).map(drop), Err(Refusal::TooBig));
    for kind in Type::ALL {
        let refusal = Message::decode(kind.code(), &vec![0; limits::MESSAGE + 1]).unwrap_err();
        assert!(matches!(refusal, Refusal::TooBig | Refusal::Malformed), "{kind:?}");
    }
}
