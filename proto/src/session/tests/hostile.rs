//! The relay is hostile here: it flips, repeats, reorders, swaps and invents.

use proptest::prelude::*;

use super::*;
use crate::envelope::HEADER;

/// Milliseconds after which a pair has earned another handshake.
const EARNED: u64 = 5_000;

fn flipped(envelope: &[u8], bit: usize) -> Vec<u8> {
    let mut envelope = envelope.to_vec();
    envelope[bit / 8] ^= 1 << (bit % 8);
    envelope
}

#[test]
fn any_flipped_bit_of_a_first_handshake_message_is_refused_and_the_whole_one_still_works() {
    let mut world = World::connected();
    let hs1 = world.start();
    let mut now = 0;
    for bit in 0..hs1.len() * 8 {
        now += EARNED;
        let refused = world.desktop.receive(&flipped(&hs1, bit), [9; 32], now);
        assert!(refused.is_err(), "bit {bit}: {refused:?}");
    }
    assert!(matches!(world.up(3, now), Received::Message(_)));
    let hs2 = world.answer(&hs1, now);
    assert_eq!(world.phone.receive(&hs2, now), Ok(Received::Live(None)));
    assert!(matches!(world.up(3, now), Received::Live(Some(_))));
}

#[test]
fn any_flipped_bit_of_the_desktops_answer_is_refused_and_the_whole_one_still_works() {
    let mut world = World::connected();
    let hs1 = world.start();
    let hs2 = world.answer(&hs1, 0);
    for bit in 0..hs2.len() * 8 {
        assert!(world.phone.receive(&flipped(&hs2, bit), 0).is_err(), "bit {bit}");
    }
    assert!(matches!(world.up(3, 0), Received::Message(_)), "the old session still serves");
    assert_eq!(world.phone.receive(&hs2, 0), Ok(Received::Live(None)));
}

#[test]
fn any_flipped_bit_of_a_message_is_refused_and_the_whole_one_still_arrives() {
    let mut world = World::connected();
    let up = world.phone.seal(0x11, vec![7; 100], 0).unwrap().pop().unwrap();
    let down = world.desktop.seal(0x10, vec![7; 100], 0).unwrap().pop().unwrap();
    for bit in 0..up.len() * 8 {
        assert!(world.desktop.receive(&flipped(&up, bit), [9; 32], 0).is_err(), "up, bit {bit}");
        assert!(world.phone.receive(&flipped(&down, bit), 0).is_err(), "down, bit {bit}");
    }
    assert!(matches!(world.desktop.receive(&up, [9; 32], 0), Ok(Received::Message(_))));
    assert!(matches!(world.phone.receive(&down, 0), Ok(Received::Message(_))));
}

#[test]
fn a_message_sent_back_to_its_sender_is_refused() {
    let mut world = World::connected();
    world.down(0, 0);
    let up = world.phone.seal(0x11, vec![], 0).unwrap().pop().unwrap();
    let down = world.desktop.seal(0x10, vec![], 0).unwrap().pop().unwrap();
    assert_eq!(world.phone.receive(&up, 0), Err(Refusal::Malformed));
    assert_eq!(world.desktop.receive(&down, [9; 32], 0), Err(Refusal::Malformed));
    assert!(matches!(world.phone.receive(&down, 0), Ok(Received::Message(_))));
    let hs1 = world.start();
    assert_eq!(world.phone.receive(&hs1, 0), Err(Refusal::Malformed));
}

#[test]
fn envelopes_of_another_pair_are_refused() {
    let (mut one, mut other) = (World::connected(), World::new());
    other.random = 100;
    let (desktop, phone) = records();
    let psk = Secret32::new([0x99; 32]);
    other.desktop = DesktopEnd::new(PairRecord { psk: psk.clone(), ..desktop });
    other.phone = PhoneEnd::new(PairRecord { psk, ..phone });
    let hello = other.connect_until_hello(0);
    assert_eq!(one.desktop.receive(&hello, [9; 32], 0), Err(Refusal::NoSession));
    let hs1 = other.start();
    assert_eq!(one.desktop.receive(&hs1, [9; 32], 0), Err(Refusal::Malformed));
}

#[test]
fn a_counter_at_the_end_of_a_session_is_refused() {
    let mut world = World::connected();
    let envelope = world.phone.seal(0x11, vec![], 0).unwrap().pop().unwrap();
    let (header, noise) = Header::split(&envelope).unwrap();
    for (counter, refusal) in [
        (limits::SESSION_COUNTER, Refusal::NoSession),
        (u64::MAX, Refusal::NoSession),
        (limits::SESSION_COUNTER - 1, Refusal::Malformed),
    ] {
        let forged = Header { counter, ..header }.join(noise);
        assert_eq!(world.desktop.receive(&forged, [9; 32], 0), Err(refusal), "{counter}");
    }
    assert!(matches!(world.desktop.receive(&envelope, [9; 32], 0), Ok(Received::Message(_))));
}

#[test]
fn an_old_handshake_replayed_later_brings_no_session_and_ends_none() {
    let mut world = World::new();
    let mut recorded = Vec::new();
    for at in 0..300 {
        let now = at * EARNED;
        let hs1 = world.start();
        let hs2 = world.answer(&hs1, now);
        world.phone.receive(&hs2, now).unwrap();
        let hello = world.phone.seal(1, vec![], now).unwrap().pop().unwrap();
        world.desktop.receive(&hello, [0; 32], now).unwrap();
        recorded.extend([hs1, hello]);
    }
    let now = 301 * EARNED;
    for envelope in &recorded {
        let received = world.desktop.receive(envelope, [9; 32], now);
        assert!(matches!(received, Ok(Received::Reply(_)) | Err(_)), "{received:?}");
    }
    assert!(matches!(world.up(3, now), Received::Message(_)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_is_replayed_and_reordered_each_message_arrives_at_most_once(
        lengths in proptest::collection::vec(prop_oneof![0usize..200, 33_000usize..70_000], 1..12),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 1..120),
    ) {
        let mut world = World::new();
        let mut recorded = vec![world.start()];
        let hs2 = world.answer(&recorded[0], 0);
        world.phone.receive(&hs2, 0).unwrap();
        for (at, length) in lengths.iter().enumerate() {
            let body = vec![u8::try_from(at).unwrap(); *length];
            recorded.extend(world.phone.seal(u16::try_from(at).unwrap(), body, 0).unwrap());
        }
        recorded.push(hs2);
        let mut delivered = std::collections::BTreeSet::new();
        for index in order {
            let envelope = &recorded[index.index(recorded.len())];
            let message = match world.desktop.receive(envelope, [9; 32], 0) {
                Ok(Received::Message(message) | Received::Live(Some(message))) => message,
                Ok(Received::Nothing | Received::Live(None)) | Err(_) => continue,
                Ok(Received::Reply(_)) => return Err(TestCaseError::fail("an old handshake was answered")),
            };
            prop_assert_eq!(message.body.len(), lengths[usize::from(message.kind)]);
            prop_assert!(delivered.insert(message.kind), "{} twice", message.kind);
        }
    }

    #[test]
    fn any_message_of_any_size_comes_back_as_it_was(
        kind: u16,
        body in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..2_000),
            proptest::collection::vec(any::<u8>(), 0..limits::MESSAGE - 2),
        ],
    ) {
        let mut world = World::connected();
        let mut last = Received::Nothing;
        for envelope in world.phone.seal(kind, body.clone(), 0).unwrap() {
            prop_assert_eq!(last, Received::Nothing);
            last = world.desktop.receive(&envelope, [0; 32], 0).unwrap();
        }
        prop_assert_eq!(last, Received::Message(RawMessage { kind, body }));
    }
}

proptest! {
    #[test]
    fn any_bytes_under_any_header_are_refused_and_change_nothing(
        noise in proptest::collection::vec(any::<u8>(), 0..300),
        size in prop::sample::select(limits::BUCKETS.to_vec()),
        kind in 0u8..6,
        known_tag: bool,
        counter in prop_oneof![Just(0u64), 0u64..5, any::<u64>()],
    ) {
        let mut world = World::connected();
        let sealed = world.phone.seal(0x11, vec![], 0).unwrap().pop().unwrap();
        let (header, _) = Header::split(&sealed).unwrap();
        let tag = if known_tag { header.tag } else { SessionTag::new([0x55; 8]) };
        let mut envelope = Header { kind: Kind::Data, tag, counter }.join(&noise);
        envelope[1] = kind;
        envelope.resize(size, 0);
        prop_assert!(envelope.len() > HEADER);
        prop_assert!(world.desktop.receive(&envelope, [9; 32], 0).is_err());
        prop_assert!(world.phone.receive(&envelope, 0).is_err());
        let after = world.desktop.receive(&sealed, [9; 32], 0);
        prop_assert!(matches!(after, Ok(Received::Message(_))));
    }
}
