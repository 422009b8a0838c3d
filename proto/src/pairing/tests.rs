//! Pairings as both ends live them: the whole ceremony, its clock and its ways to end. The attackers have a file of
//! their own.

mod attacker;
mod forger;

use p256::ecdsa::{DerSignature, SigningKey as P256, signature::Signer as _};

use super::*;
use crate::{
    id::ChannelId,
    key::{AgreementPublic, SigningKey, VerifyingKey},
    text::Foreign,
};

/// A self-signed certificate of the approval key whose secret is 32 × 0x77.
const LEAF: &[u8] = include_bytes!("../../vectors/approval_leaf.der");
const CHANNEL: ChannelId = ChannelId::new([0xcc; 16]);

/// One desktop that shows a ticket and one phone that scanned it.
struct World {
    desktop: DesktopPairing,
    phone: PhonePairing,
    /// Message 1.
    opening: Outgoing,
}

impl World {
    fn new() -> Self {
        let desktop = DesktopPairing::start(ticket(), d_x(), about_desktop(), 0);
        let (phone, opening) = PhonePairing::start(ticket(), about_phone(), secret(0x30), 0).unwrap();
        Self { desktop, phone, opening }
    }

    /// As far as message 2.
    fn scanned() -> (Self, Outgoing) {
        let mut world = Self::new();
        let opening = world.opening.envelope.clone();
        let terms = sent(world.desktop.receive(&opening, random(), 0).unwrap());
        (world, terms)
    }

    /// As far as message 3.
    fn enrolled() -> (Self, Outgoing, Code) {
        let (mut world, terms) = Self::scanned();
        world.phone.receive(&terms.envelope, 0).unwrap();
        match world.phone.bio_key_made(vec![LEAF.to_vec()], 0).unwrap() {
            PhoneCommand::ShowCode { outgoing, code } => (world, outgoing, code),
            other => panic!("{other:?}"),
        }
    }

    /// As far as the question for the code.
    fn asked(now: u64) -> (Self, Code) {
        let (mut world, enrolment, code) = Self::enrolled();
        let check = world.desktop.receive(&enrolment.envelope, random(), now).unwrap();
        assert!(matches!(check, DesktopCommand::CheckPhone(_)), "{check:?}");
        let ask = world.desktop.judged(Ok(()), now).unwrap();
        assert!(matches!(ask, DesktopCommand::AskCode), "{ask:?}");
        (world, code)
    }

    /// As far as the finger; with the bytes to sign.
    fn proposed(now: u64) -> (Self, Vec<u8>) {
        let (mut world, code) = Self::asked(now);
        let proof = sent(world.desktop.type_code(code, &d_sig(), now).unwrap());
        match world.phone.receive(&proof.envelope, now).unwrap() {
            PhoneCommand::SignBio { bytes, .. } => (world, bytes),
            other => panic!("{other:?}"),
        }
    }

    /// As far as the phone's proof.
    fn proven(now: u64) -> (Self, Outgoing) {
        let (mut world, bytes) = Self::proposed(now);
        match world.phone.bio_signed(finger(&bytes), &p_sig(), now).unwrap() {
            PhoneCommand::Send(proof) => (world, proof),
            other => panic!("{other:?}"),
        }
    }
}

fn secret(byte: u8) -> Secret32 {
    Secret32::new([byte; 32])
}

fn d_x() -> AgreementKey {
    AgreementKey::from_bytes([0x10; 32])
}

fn d_sig() -> SigningKey {
    SigningKey::from_seed(&[0x11; 32])
}

fn p_sig() -> SigningKey {
    SigningKey::from_seed(&[0x21; 32])
}

fn relay_key() -> VerifyingKey {
    SigningKey::from_seed(&[0x22; 32]).public()
}

fn ticket() -> Ticket {
    let relay = RelayHost::parse("relay.example.org").unwrap();
    Ticket::new(TicketSecret::new([0x01; 16]), d_x().public(), relay, Link::Tls).unwrap()
}

fn about_desktop() -> AboutDesktop {
    let name = Foreign::new("attic");
    AboutDesktop { name, account: Foreign::new("ada@attic"), policy: AttestationPolicy::Warn }
}

fn about_phone() -> AboutPhone {
    AboutPhone {
        own: AgreementKey::from_bytes([0x20; 32]),
        device: p_sig().public(),
        relay: relay_key(),
        nonce: secret(0x23),
        model: Foreign::new("Pixel 9"),
        app_version: Foreign::new("0.1.0"),
        capabilities: 0,
    }
}

fn random() -> DesktopRandom {
    DesktopRandom { ephemeral: secret(0x12), nonce: secret(0x13), challenge: [0x14; 32] }
}

/// The finger: the approval key signs.
fn finger(bytes: &[u8]) -> Vec<u8> {
    let signature: DerSignature = P256::from_slice(&[0x77; 32]).unwrap().sign(bytes);
    signature.as_bytes().to_vec()
}

fn sent(command: DesktopCommand) -> Outgoing {
    match command {
        DesktopCommand::Send(outgoing) => outgoing,
        other => panic!("{other:?}"),
    }
}

fn failed(command: &DesktopCommand) -> DesktopFailure {
    match command {
        DesktopCommand::Failed(failure) => *failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_ends_store_the_same_pair() {
    let (mut world, proof) = World::proven(0);
    let DesktopCommand::Store(phone) = world.desktop.receive(&proof.envelope, random(), 0).unwrap() else {
        panic!("not stored")
    };
    let done = sent(world.desktop.stored(CHANNEL, &d_sig(), 0).unwrap());
    let PhoneCommand::Store(desktop) = world.phone.receive(&done.envelope, 0).unwrap() else {
        panic!("not stored")
    };
    assert_eq!(
        (phone.h, phone.device_id, phone.desktop_id),
        (desktop.h, desktop.device_id, desktop.desktop_id)
    );
    assert_eq!(phone.pair_psk, desktop.pair_psk);
    assert_eq!(phone.claims.bio, desktop.bio);
    assert_eq!(desktop.desktop, d_sig().public());
    assert_eq!((desktop.name.raw(), desktop.account.raw()), ("attic", "ada@attic"));
    assert_eq!(phone.claims.challenge, [0x14; 32]);

    let mut desktop_end = crate::session::DesktopEnd::new(phone.record(CHANNEL));
    let mut phone_end = crate::session::PhoneEnd::new(desktop.record());
    let hs1 = phone_end.start([1; 32]).unwrap();
    let reply = desktop_end.receive(&hs1, [2; 32], 0);
    assert!(matches!(reply, Ok(crate::session::Received::Reply(_))), "the pair can talk: {reply:?}");
}

#[test]
fn handshake_messages_are_sent_as_first_and_nothing_else_is() {
    let (world, terms) = World::scanned();
    assert!(world.opening.first && terms.first);
    let (_, enrolment, _) = World::enrolled();
    assert!(enrolment.first);
    let (_, proof) = World::proven(0);
    assert!(!proof.first);
}

#[test]
fn the_ticket_lives_two_minutes_by_the_desktops_clock() {
    for (now, lives) in [(119_900, true), (120_100, false)] {
        let mut world = World::new();
        let opening = world.opening.envelope.clone();
        let command = world.desktop.receive(&opening, random(), now).unwrap();
        assert_eq!(matches!(command, DesktopCommand::Send(_)), lives, "{now}");
        if !lives {
            assert_eq!(failed(&command), DesktopFailure::Expired);
        }
    }
}

#[test]
fn the_third_message_must_come_within_the_two_minutes() {
    for (now, lives) in [(119_900, true), (120_100, false)] {
        let (mut world, enrolment, _) = World::enrolled();
        let command = world.desktop.receive(&enrolment.envelope, random(), now).unwrap();
        assert_eq!(matches!(command, DesktopCommand::CheckPhone(_)), lives, "{now}");
    }
}

#[test]
fn typing_may_take_a_minute_more_and_the_proofs_share_it() {
    for (now, lives) in [(120_100, true), (179_900, true), (180_100, false)] {
        let (mut world, code) = World::asked(0);
        let command = world.desktop.type_code(code, &d_sig(), now).unwrap();
        assert_eq!(matches!(command, DesktopCommand::Send(_)), lives, "{now}");

        let (mut world, proof) = World::proven(0);
        let command = world.desktop.receive(&proof.envelope, random(), now).unwrap();
        assert_eq!(matches!(command, DesktopCommand::Store(_)), lives, "{now}");
    }
}

#[test]
fn the_machines_say_when_their_time_is_over() {
    let (mut world, _) = World::asked(0);
    assert_eq!((world.desktop.poll_timeout(), world.phone.poll_timeout()), (Some(180_000), Some(180_000)));
    assert!(world.desktop.expire(179_999).is_none() && world.phone.expire(179_999).is_none());
    let expired = world.desktop.expire(180_000);
    assert!(matches!(expired, Some(DesktopCommand::Failed(DesktopFailure::Expired))));
    assert!(matches!(world.phone.expire(180_000), Some(PhoneCommand::Failed(PhoneFailure::Expired))));
    assert!(world.desktop.expire(180_000).is_none(), "it is said once");
    assert_eq!((world.desktop.poll_timeout(), world.phone.poll_timeout()), (None, None));
}

#[test]
fn a_wrong_code_may_be_corrected_once() {
    let (mut world, code) = World::asked(0);
    let wrong = wrong(code);
    let command = world.desktop.type_code(wrong, &d_sig(), 0).unwrap();
    assert!(matches!(command, DesktopCommand::WrongCode { tries_left: 1 }), "{command:?}");
    assert!(matches!(world.desktop.type_code(code, &d_sig(), 0), Ok(DesktopCommand::Send(_))));
}

#[test]
fn two_wrong_codes_end_the_pairing_even_if_the_right_one_follows() {
    let (mut world, code) = World::asked(0);
    world.desktop.type_code(wrong(code), &d_sig(), 0).unwrap();
    let command = world.desktop.type_code(wrong(code), &d_sig(), 0).unwrap();
    assert_eq!(failed(&command), DesktopFailure::WrongCode);
    assert!(world.desktop.type_code(code, &d_sig(), 0).is_err());
}

#[test]
fn a_phone_the_caller_objects_to_is_never_asked_about() {
    for (objection, failure) in [
        (Objection::KeyNotStrong, DesktopFailure::KeyNotStrong),
        (Objection::AlreadyRegistered, DesktopFailure::AlreadyRegistered),
    ] {
        let (mut world, enrolment, code) = World::enrolled();
        world.desktop.receive(&enrolment.envelope, random(), 0).unwrap();
        assert!(
            world.desktop.type_code(code, &d_sig(), 0).is_err(),
            "the code does not replace the judgement"
        );
        assert_eq!(failed(&world.desktop.judged(Err(objection), 0).unwrap()), failure);
        assert!(world.desktop.type_code(code, &d_sig(), 0).is_err());
    }
}

#[test]
fn steps_out_of_turn_change_nothing() {
    let (mut world, terms) = World::scanned();
    assert!(world.desktop.judged(Ok(()), 0).is_err());
    assert!(world.desktop.type_code(Code::parse("000000").unwrap(), &d_sig(), 0).is_err());
    assert!(world.desktop.stored(CHANNEL, &d_sig(), 0).is_err());
    assert!(world.phone.bio_key_made(vec![LEAF.to_vec()], 0).is_err());
    assert!(world.phone.bio_signed(vec![], &p_sig(), 0).is_err());
    assert!(matches!(world.phone.receive(&terms.envelope, 0), Ok(PhoneCommand::MakeBioKey { .. })));
}

#[test]
fn a_phone_without_a_usable_approval_key_gives_up_by_itself() {
    let too_long = vec![LEAF.to_vec(), vec![0; limits::CHAIN]];
    for chain in [vec![], vec![vec![]], vec![b"no certificate".to_vec()], vec![LEAF.to_vec(); 7], too_long] {
        let (mut world, terms) = World::scanned();
        world.phone.receive(&terms.envelope, 0).unwrap();
        let command = world.phone.bio_key_made(chain, 0).unwrap();
        assert!(matches!(command, PhoneCommand::Failed(PhoneFailure::BadChain)), "{command:?}");
    }
}

#[test]
fn the_longest_chain_fits_one_envelope() {
    let (mut world, terms) = World::scanned();
    world.phone.receive(&terms.envelope, 0).unwrap();
    let chain = vec![LEAF.to_vec(), vec![7; limits::CHAIN - LEAF.len()]];
    let PhoneCommand::ShowCode { outgoing, .. } = world.phone.bio_key_made(chain, 0).unwrap() else {
        panic!("not sent")
    };
    assert_eq!(outgoing.envelope.len(), limits::ENVELOPE);
    assert!(matches!(
        world.desktop.receive(&outgoing.envelope, random(), 0),
        Ok(DesktopCommand::CheckPhone(_))
    ));
}

/// The values come from another implementation: Python's `hmac` and `hashlib`.
#[test]
fn what_is_derived_is_what_the_document_says() {
    let (phone, desktop) = (AgreementPublic::new([0x20; 32]), AgreementPublic::new([0x10; 32]));
    let (device, h2) = (p_sig().public(), Hash::new([0x02; 32]));
    let keys = CodeKeys { phone: &phone, device: &device, desktop: &desktop };
    assert_eq!(derive_code(&secret(0x23), &secret(0x13), &h2, keys).to_string(), "080959");
    let committed = "ae981c86c27bfdbe4e42e14e13920208bdf8f9df622b54fc3815def223e12de7";
    assert_eq!(commit(&secret(0x23), &phone, &device).to_string(), committed);
    let desktop_id = derive_desktop_id(&d_sig().public());
    assert_eq!(desktop_id.to_string(), "7b7189dbbc23731c5cc41e4069890fdb694adcfccf596c207fd3d0dc7b7f8924");
    assert_eq!(derive_device_id(&desktop_id, &device).to_string(), "631d1722e77e17e05c8e5c4bbed32429");
    let pair_psk = derive_pair_psk(ticket().secret(), &secret(0x23), &secret(0x13), &h2);
    let expected = "edb05381a2661b14a39252e16e453bc7d4320a7f1204622423b16e7b1267020e";
    assert_eq!(Hash::new(*pair_psk.expose()).to_string(), expected);
    let expected = "cf1fa35fd63836c6f57195480722fa943aca216818e57bf2f00bf9e8d0039b49";
    assert_eq!(Hash::new(*ticket().psk().expose()).to_string(), expected);
    assert_eq!(ticket().rendezvous().to_string(), "822b167316ac55d5d6f5d8c2750031e4");
    let expected = "4aa94eabae8f5046a8241b827ddb7c7a169fc31fa8657d2752f396a94c4b7e58";
    assert_eq!(Hash::new(*ticket().phone_relay_key().seed().expose()).to_string(), expected);
}

#[test]
fn debug_shows_neither_the_secret_nor_the_code() {
    let (world, code) = World::asked(0);
    let text = format!("{:?} {:?} {:?}", world.desktop, world.phone, ticket());
    for secret in ["010101", "1, 1, 1", "232323", "35, 35", "131313", "19, 19", &code.to_string()] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

/// A code that is not this one.
fn wrong(code: Code) -> Code {
    let other = if code == Code::parse("000000").unwrap() { "000001" } else { "000000" };
    Code::parse(other).unwrap()
}
