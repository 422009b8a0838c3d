//! Attackers: the relay, someone with a photo of the QR before, during and after, and someone who shows a QR of their
//! own. None ends with a phone stored that the person did not vouch for.

use super::{forger::Forger, *};
use crate::{
    canonical,
    envelope::{Header, Kind, RawMessage},
    id::SessionTag,
    message::Type,
    session::{Session, open_step, seal_step},
};

fn flipped(envelope: &[u8], bit: usize) -> Vec<u8> {
    let mut envelope = envelope.to_vec();
    envelope[bit / 8] ^= 1 << (bit % 8);
    envelope
}

#[test]
fn any_flipped_bit_of_any_envelope_is_refused_and_the_whole_one_still_works() {
    let mut world = World::new();
    let opening = world.opening.envelope.clone();
    for bit in 0..opening.len() * 8 {
        assert!(world.desktop.receive(&flipped(&opening, bit), random(), 0).is_err(), "message 1, bit {bit}");
    }
    let terms = sent(world.desktop.receive(&opening, random(), 0).unwrap()).envelope;
    for bit in 0..terms.len() * 8 {
        assert!(world.phone.receive(&flipped(&terms, bit), 0).is_err(), "message 2, bit {bit}");
    }
    world.phone.receive(&terms, 0).unwrap();
    let Ok(PhoneCommand::ShowCode { outgoing, code }) = world.phone.bio_key_made(vec![LEAF.to_vec()], 0)
    else {
        panic!("no code")
    };
    // The message is a kilobyte, so every 7th bit: all positions in a byte, all parts of the message.
    for bit in (0..outgoing.envelope.len() * 8).step_by(7) {
        let refused = world.desktop.receive(&flipped(&outgoing.envelope, bit), random(), 0);
        assert!(refused.is_err(), "message 3, bit {bit}: {refused:?}");
    }
    world.desktop.receive(&outgoing.envelope, random(), 0).unwrap();
    world.desktop.judged(Ok(()), 0).unwrap();
    let proof = sent(world.desktop.type_code(code, &d_sig(), 0).unwrap()).envelope;
    for bit in (0..proof.len() * 8).step_by(7) {
        assert!(world.phone.receive(&flipped(&proof, bit), 0).is_err(), "desktop's proof, bit {bit}");
    }
    assert!(matches!(world.phone.receive(&proof, 0), Ok(PhoneCommand::SignBio { .. })));
}

#[test]
fn a_repeated_envelope_changes_nothing() {
    let (mut world, enrolment, code) = World::enrolled();
    let opening = world.opening.envelope.clone();
    assert!(world.desktop.receive(&opening, random(), 0).is_err());
    world.desktop.receive(&enrolment.envelope, random(), 0).unwrap();
    assert!(world.desktop.receive(&enrolment.envelope, random(), 0).is_err());
    assert!(world.desktop.receive(&opening, random(), 0).is_err());
    world.desktop.judged(Ok(()), 0).unwrap();
    assert!(matches!(world.desktop.type_code(code, &d_sig(), 0), Ok(DesktopCommand::Send(_))));
}

#[test]
fn a_second_phone_with_the_ticket_ends_the_pairing_at_every_step_before_the_proofs() {
    let begun: [fn() -> World; 4] = [
        || World::scanned().0,
        || {
            let (mut world, enrolment, _) = World::enrolled();
            world.desktop.receive(&enrolment.envelope, random(), 0).unwrap();
            world
        },
        || World::asked(0).0,
        || World::proposed(0).0,
    ];
    for (step, begun) in begun.into_iter().enumerate() {
        let mut world = begun();
        let second = Forger::new(&ticket(), 0x61).open();
        let command = world.desktop.receive(&second, random(), 0).unwrap();
        assert_eq!(failed(&command), DesktopFailure::SomeoneElseScanned, "step {step}");
        assert!(failed(&command).to_string().starts_with("someone else scanned this code"));
    }
}

#[test]
fn a_stranger_without_the_secret_can_neither_start_nor_end_a_pairing() {
    let relay = RelayHost::parse("relay.example.org").unwrap();
    let guess = Ticket::new(TicketSecret::new([0x02; 16]), d_x().public(), relay, Link::Tls).unwrap();
    let opening = Forger::new(&guess, 0x61).open();
    let mut fresh = World::new();
    assert!(matches!(fresh.desktop.receive(&opening, random(), 0), Err(Refusal::Malformed)));
    let (mut world, code) = World::asked(0);
    assert!(world.desktop.receive(&opening, random(), 0).is_err());
    assert!(matches!(world.desktop.type_code(code, &d_sig(), 0), Ok(DesktopCommand::Send(_))));
}

#[test]
fn keys_or_a_nonce_other_than_those_committed_to_are_refused() {
    let changes: [fn(&mut Enrolment); 2] =
        [|enrolment| enrolment.nonce = secret(0x99), |enrolment| enrolment.device = d_sig().public()];
    for change in changes {
        let mut world = World::new();
        let mut forger = Forger::new(&ticket(), 0x61);
        let opening = forger.open();
        let tag = Header::split(&opening).unwrap().0.tag;
        forger.read(&sent(world.desktop.receive(&opening, random(), 0).unwrap()));
        let enrolment = forger.enrol(tag, change);
        let command = world.desktop.receive(&enrolment, random(), 0).unwrap();
        assert_eq!(failed(&command), DesktopFailure::BrokenCommitment);
    }
}

#[test]
fn another_agreement_key_than_the_committed_one_is_refused() {
    let mut world = World::new();
    let mut forger = Forger::new(&ticket(), 0x61);
    let other = AgreementKey::from_bytes([0x62; 32]).public();
    let commit = commit(&forger.about.nonce, &other, &forger.about.device);
    let opening = forger.open_with(&Opening { versions: vec![1], commit });
    let tag = Header::split(&opening).unwrap().0.tag;
    forger.read(&sent(world.desktop.receive(&opening, random(), 0).unwrap()));
    let enrolment = forger.enrol(tag, |_| ());
    assert_eq!(
        failed(&world.desktop.receive(&enrolment, random(), 0).unwrap()),
        DesktopFailure::BrokenCommitment
    );
}

#[test]
fn a_phone_of_another_version_is_told_apart() {
    let mut world = World::new();
    let opening =
        Forger::new(&ticket(), 0x61).open_with(&Opening { versions: vec![2, 3], commit: Hash::new([0; 32]) });
    let command = world.desktop.receive(&opening, random(), 0).unwrap();
    assert_eq!(failed(&command), DesktopFailure::OtherVersion);
}

#[test]
fn what_the_phone_says_must_be_readable_and_short() {
    for text in ["x".repeat(65), "é".repeat(65)] {
        let mut world = World::new();
        let mut forger = Forger::new(&ticket(), 0x61);
        let opening = forger.open();
        let tag = Header::split(&opening).unwrap().0.tag;
        forger.read(&sent(world.desktop.receive(&opening, random(), 0).unwrap()));
        let enrolment = forger.enrol(tag, |enrolment| enrolment.model = Foreign::new(text));
        let command = world.desktop.receive(&enrolment, random(), 0).unwrap();
        assert_eq!(failed(&command), DesktopFailure::BadPhone);
    }
    let mut world = World::new();
    let mut forger = Forger::new(&ticket(), 0x61);
    let (_, envelope) = seal_step(&mut forger.handshake, Kind::Pair, None, b"no CBOR at all").unwrap();
    assert_eq!(failed(&world.desktop.receive(&envelope, random(), 0).unwrap()), DesktopFailure::BadPhone);
}

/// A man in the middle shows the phone a QR of their own, with the real secret, and pairs with the desktop as a phone of
/// their own. What the phone shows is not what the desktop expects, however often they try.
#[test]
fn someone_in_the_middle_with_other_keys_never_gets_the_same_code_on_both_sides() {
    for seed in 0x40..0x80 {
        let own = AgreementKey::from_bytes([seed; 32]);
        let relay = RelayHost::parse("relay.example.org").unwrap();
        let hostile = Ticket::new(TicketSecret::new([0x01; 16]), own.public(), relay, Link::Tls).unwrap();
        let mut fake_desktop = DesktopPairing::start(hostile.clone(), own, about_desktop(), 0);
        let (mut phone, opening) = PhonePairing::start(hostile, about_phone(), secret(0x30), 0).unwrap();
        let terms = sent(fake_desktop.receive(&opening.envelope, random(), 0).unwrap());
        phone.receive(&terms.envelope, 0).unwrap();
        let Ok(PhoneCommand::ShowCode { code, .. }) = phone.bio_key_made(vec![LEAF.to_vec()], 0) else {
            panic!("no code")
        };

        let mut world = World::new();
        assert!(world.desktop.receive(&opening.envelope, random(), 0).is_err(), "it can't just be passed on");
        let mut forger = Forger::new(&ticket(), seed);
        let opening = forger.open();
        let tag = Header::split(&opening).unwrap().0.tag;
        forger.read(&sent(world.desktop.receive(&opening, random(), 0).unwrap()));
        let enrolment = forger.enrol(tag, |_| ());
        world.desktop.receive(&enrolment, random(), 0).unwrap();
        world.desktop.judged(Ok(()), 0).unwrap();
        let command = world.desktop.type_code(code, &d_sig(), 0).unwrap();
        assert!(matches!(command, DesktopCommand::WrongCode { .. }), "seed {seed}: {command:?}");
    }
}

/// After the terms are known, someone who would like to show a certain code looks for a nonce that gives it. They find
/// some, as often as chance has it, and none opens the commitment that was made before.
#[test]
fn a_search_finds_a_wanted_code_by_chance_only_and_never_opens_the_commitment() {
    const TRIES: u64 = 1 << 20;
    let (mut forger, mut world) = (Forger::new(&ticket(), 0x61), World::new());
    let opening = forger.open();
    let tag = Header::split(&opening).unwrap().0.tag;
    let terms = forger.read(&sent(world.desktop.receive(&opening, random(), 0).unwrap()));
    let (phone, desktop) = (forger.about.own.public(), ticket().desktop());
    let device = forger.about.device;
    let keys = CodeKeys { phone: &phone, device: &device, desktop: &desktop };
    let h2 = forger.handshake.hash();
    let nonce_of = |number: u64| {
        let mut nonce = [0; 32];
        nonce[..8].copy_from_slice(&number.to_le_bytes());
        Secret32::new(nonce)
    };
    let code_of = |nonce: &Secret32| derive_code(nonce, &terms.nonce, &h2, keys);
    let wanted = code_of(&nonce_of(TRIES - 1));
    let mut found: Vec<_> = (0..TRIES).map(nonce_of).filter(|nonce| code_of(nonce) == wanted).collect();
    assert!((1..=6).contains(&found.len()), "one in a million: {}", found.len());
    let nonce = found.swap_remove(0);
    let enrolment = forger.enrol(tag, |enrolment| enrolment.nonce = nonce);
    let command = world.desktop.receive(&enrolment, random(), 0).unwrap();
    assert_eq!(failed(&command), DesktopFailure::BrokenCommitment);
}

#[test]
fn a_proof_with_one_signature_of_another_key_stores_nothing() {
    type Change = fn(&mut PairPhone, &[u8]);
    let changes: [(&str, Change); 4] = [
        ("device key", |proof, bytes| proof.sig_dev = d_sig().sign(domain::PAIR_PHONE_DEVICE, &[bytes])),
        ("approval key", |proof, bytes| {
            let other: DerSignature = P256::from_slice(&[0x78; 32]).unwrap().sign(bytes);
            proof.sig_bio = other.as_bytes().to_vec();
        }),
        ("no approval key", |proof, _| proof.sig_bio = Vec::new()),
        ("approval key, other bytes", |proof, _| proof.sig_bio = finger(b"other bytes")),
    ];
    for (what, change) in changes {
        let (mut world, mut session, bound, bio) = forged_until_proof();
        let bytes = bound.bio_bytes(&bio);
        let device = SigningKey::from_seed(&[0x61; 32]);
        let mut proof = PairPhone::sign(&bound, &bio, finger(&bytes), &device);
        change(&mut proof, &bytes);
        let message = RawMessage::new(Type::PairPhone.code(), canonical::encode(&proof));
        let envelope = session.seal(&message, 0).unwrap().pop().unwrap();
        let command = world.desktop.receive(&envelope, random(), 0).unwrap();
        assert_eq!(failed(&command), DesktopFailure::BadProof, "{what}");
    }
}

#[test]
fn another_message_in_place_of_the_proof_ends_the_pairing() {
    let (mut world, mut session, ..) = forged_until_proof();
    let message = RawMessage::new(Type::Reply.code(), vec![]);
    let envelope = session.seal(&message, 0).unwrap().pop().unwrap();
    assert_eq!(failed(&world.desktop.receive(&envelope, random(), 0).unwrap()), DesktopFailure::BadPhone);
}

/// A forger whose code the person typed nevertheless, with the desktop's proof out.
fn forged_until_proof() -> (World, Session, Bound, crate::key::BioKey) {
    let mut world = World::new();
    let mut forger = Forger::new(&ticket(), 0x61);
    let opening = forger.open();
    let tag = Header::split(&opening).unwrap().0.tag;
    let terms = forger.read(&sent(world.desktop.receive(&opening, random(), 0).unwrap()));
    let (phone, desktop) = (forger.about.own.public(), ticket().desktop());
    let keys = CodeKeys { phone: &phone, device: &forger.about.device, desktop: &desktop };
    let code = derive_code(&forger.about.nonce, &terms.nonce, &forger.handshake.hash(), keys);
    let enrolment = forger.enrol(tag, |_| ());
    world.desktop.receive(&enrolment, random(), 0).unwrap();
    world.desktop.judged(Ok(()), 0).unwrap();
    sent(world.desktop.type_code(code, &d_sig(), 0).unwrap());
    let device_id = derive_device_id(&derive_desktop_id(&d_sig().public()), &forger.about.device);
    let h = forger.handshake.hash();
    let bound = Bound { h, desktop, phone, device: forger.about.device, device_id };
    let session = Session::new(tag, forger.handshake.finish().unwrap(), 0);
    (world, session, bound, Chain::new(vec![LEAF.to_vec()]).unwrap().leaf_key().unwrap())
}

#[test]
fn a_desktop_that_can_not_prove_its_installation_is_not_trusted() {
    type Change = fn(&mut PairDesktop, &Bound);
    let changes: [(&str, Change); 3] = [
        ("another installation's key", |proof, _| {
            proof.desktop = SigningKey::from_seed(&[0x99; 32]).public()
        }),
        ("another device id", |proof, _| proof.device_id = crate::id::DeviceId::new([0; 16])),
        ("another handshake", |proof, bound| {
            let bound = Bound { h: Hash::new([0; 32]), ..bound.clone() };
            *proof = PairDesktop::sign(&bound, proof.name.clone(), proof.account.clone(), &d_sig());
        }),
    ];
    for (what, change) in changes {
        let (mut phone, mut session, bound) = fake_desktop();
        let mut proof = PairDesktop::sign(&bound, Foreign::new("attic"), Foreign::new("ada@attic"), &d_sig());
        change(&mut proof, &bound);
        let message = RawMessage::new(Type::PairDesktop.code(), canonical::encode(&proof));
        let envelope = session.seal(&message, 0).unwrap().pop().unwrap();
        let command = phone.receive(&envelope, 0).unwrap();
        assert!(matches!(command, PhoneCommand::Failed(PhoneFailure::BadProof)), "{what}: {command:?}");
    }
}

/// A desktop that follows the handshake by hand, as far as message 3.
fn fake_desktop() -> (PhonePairing, Session, Bound) {
    let (mut phone, opening) = PhonePairing::start(ticket(), about_phone(), secret(0x30), 0).unwrap();
    let mut handshake = handshake(&ticket(), Role::Responder, d_x(), secret(0x12)).unwrap();
    let (header, noise) = Header::split(&opening.envelope).unwrap();
    open_step(&mut handshake, noise).unwrap();
    let policy = AttestationPolicy::Demo;
    let terms = Terms { version: 1, nonce: secret(0x13), challenge: [0x14; 32], policy };
    let (_, terms) =
        seal_step(&mut handshake, Kind::Pair, Some(header.tag), &canonical::encode(&terms)).unwrap();
    let made = phone.receive(&terms, 0).unwrap();
    assert!(matches!(made, PhoneCommand::MakeBioKey { policy: AttestationPolicy::Demo, .. }));
    let Ok(PhoneCommand::ShowCode { outgoing, .. }) = phone.bio_key_made(vec![LEAF.to_vec()], 0) else {
        panic!("no code")
    };
    open_step(&mut handshake, Header::split(&outgoing.envelope).unwrap().1).unwrap();
    let (about, h) = (about_phone(), handshake.hash());
    let device_id = derive_device_id(&derive_desktop_id(&d_sig().public()), &about.device);
    let bound =
        Bound { h, desktop: d_x().public(), phone: about.own.public(), device: about.device, device_id };
    (phone, Session::new(header.tag, handshake.finish().unwrap(), 0), bound)
}

#[test]
fn a_phone_whose_own_approval_key_signs_something_else_sends_nothing() {
    let (mut world, _) = World::proposed(0);
    let command = world.phone.bio_signed(finger(b"something else"), &p_sig(), 0).unwrap();
    assert!(matches!(command, PhoneCommand::Failed(PhoneFailure::BadSignature)), "{command:?}");
}

#[test]
fn only_the_installation_that_proved_itself_can_say_that_the_phone_is_stored() {
    let (mut world, proof) = World::proven(0);
    world.desktop.receive(&proof.envelope, random(), 0).unwrap();
    let other = SigningKey::from_seed(&[0x99; 32]);
    let done = sent(world.desktop.stored(CHANNEL, &other, 0).unwrap());
    let command = world.phone.receive(&done.envelope, 0).unwrap();
    assert!(matches!(command, PhoneCommand::Failed(PhoneFailure::BadProof)), "{command:?}");
}

#[test]
fn after_the_end_nothing_is_answered() {
    let (mut world, proof) = World::proven(0);
    world.desktop.receive(&proof.envelope, random(), 0).unwrap();
    sent(world.desktop.stored(CHANNEL, &d_sig(), 0).unwrap());
    for envelope in [world.opening.envelope.clone(), proof.envelope, Forger::new(&ticket(), 0x61).open()] {
        let refused = world.desktop.receive(&envelope, random(), 0);
        assert!(matches!(refused, Err(Refusal::NoSession)), "{refused:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_refused_at_every_step(
        noise in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
        kind in 0u8..6,
        step in 0usize..4,
        known_tag: bool,
        size in proptest::sample::select(limits::BUCKETS.to_vec()),
    ) {
        let mut world = match step {
            0 => World::new(),
            1 => World::scanned().0,
            2 => World::asked(0).0,
            _ => World::proven(0).0,
        };
        let tag = Header::split(&world.opening.envelope).unwrap().0.tag;
        let tag = if known_tag { tag } else { SessionTag::new([0x55; 8]) };
        let mut envelope = Header { kind: Kind::Data, tag, counter: 0 }.join(&noise);
        envelope[1] = kind;
        envelope.resize(size, 0);
        proptest::prop_assert!(world.desktop.receive(&envelope, random(), 0).is_err());
        proptest::prop_assert!(world.phone.receive(&envelope, 0).is_err());
    }
}
