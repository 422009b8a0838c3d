//! A pairing as a phone's shell lives it, and every way in which it ends without a desktop.

use countersign_proto::{
    pairing::{
        AboutDesktop, Code, DesktopCommand, DesktopPairing, DesktopRandom, Link, RelayHost, TicketSecret,
    },
    reply::Decision,
};
use p256::ecdsa::{DerSignature, SigningKey as P256, signature::Signer as _};

use super::*;
use crate::vault::Part;

/// A self-signed certificate of the approval key whose secret is 32 × 0x77.
const LEAF: &[u8] = include_bytes!("../../../proto/vectors/approval_leaf.der");
const START: Now = Now { boot_ms: 1_000, wall_ms: 0 };

struct World {
    desktop: DesktopPairing,
    phone: Pairing,
}

impl World {
    fn new() -> Self {
        let own = AgreementKey::from_bytes([1; 32]);
        let relay = RelayHost::parse("127.0.0.1:7171").unwrap();
        let ticket = Ticket::new(TicketSecret::new([2; 16]), own.public(), relay, Link::Plain).unwrap();
        let policy = AttestationPolicy::Demo;
        let about = AboutDesktop { name: Foreign::new("desk"), account: Foreign::new("ada@desk"), policy };
        let desktop = DesktopPairing::start(ticket.clone(), own, about, START.boot_ms);
        let [ephemeral, agreement, device, relay, nonce] = [3, 4, 5, 6, 7].map(|byte| Fresh::new([byte; 32]));
        let random = PairingRandom { ephemeral, agreement, device, relay, nonce };
        let myself = Myself { model: Foreign::new("phone"), app_version: Foreign::new("1") };
        let phone = Pairing::start(ticket, myself, random, START).unwrap();
        Self { desktop, phone }
    }

    fn sent(&mut self) -> Vec<u8> {
        match self.phone.poll_command() {
            Some(PairingCommand::Send(outgoing)) => outgoing.envelope,
            other => panic!("{other:?}"),
        }
    }

    fn tell_desktop(&mut self) -> DesktopCommand {
        let envelope = self.sent();
        let secret = |byte| Secret32::new([byte; 32]);
        let random = DesktopRandom { ephemeral: secret(8), nonce: secret(9), challenge: [10; 32] };
        self.desktop.receive(&envelope, random, START.boot_ms).unwrap()
    }

    fn tell_phone(&mut self, command: DesktopCommand) -> PairingCommand {
        let DesktopCommand::Send(outgoing) = command else { panic!("{command:?}") };
        self.input(PairingInput::Delivered(outgoing.envelope))
    }

    fn input(&mut self, input: PairingInput) -> PairingCommand {
        self.phone.handle(input, START);
        self.phone.poll_command().unwrap()
    }

    /// As far as the key.
    fn met() -> Self {
        let mut world = Self::new();
        let terms = world.tell_desktop();
        let command = world.tell_phone(terms);
        let PairingCommand::MakeKey { challenge, policy } = command else { panic!("{command:?}") };
        assert_eq!((challenge, policy), ([10; 32], AttestationPolicy::Demo));
        world
    }

    /// As far as the finger.
    fn confirmed() -> (Self, Pending) {
        let mut world = Self::met();
        world.phone.handle(PairingInput::KeyMade(vec![LEAF.to_vec()]), START);
        let check = world.tell_desktop();
        assert!(matches!(check, DesktopCommand::CheckPhone(_)), "{check:?}");
        let code = match world.phone.poll_command() {
            Some(PairingCommand::ShowCode(code)) => code.to_string(),
            other => panic!("{other:?}"),
        };
        world.desktop.judged(Ok(()), START.boot_ms).unwrap();
        let key = SigningKey::from_seed(&[11; 32]);
        let proof = world.desktop.type_code(Code::parse(&code).unwrap(), &key, START.boot_ms).unwrap();
        match world.tell_phone(proof) {
            PairingCommand::AskBio(pending) => (world, pending),
            other => panic!("{other:?}"),
        }
    }

    /// As far as the store.
    fn proved() -> (Self, Box<Pair>) {
        let (mut world, pending) = Self::confirmed();
        world.phone.handle(PairingInput::BioSigned(finger(&pending)), START);
        let store = world.tell_desktop();
        assert!(matches!(store, DesktopCommand::Store(_)), "{store:?}");
        let key = SigningKey::from_seed(&[11; 32]);
        let done = world.desktop.stored(ChannelId::new([12; 16]), &key, START.boot_ms).unwrap();
        match world.tell_phone(done) {
            PairingCommand::Store(pair) => (world, pair),
            other => panic!("{other:?}"),
        }
    }
}

fn finger(pending: &Pending) -> Vec<u8> {
    let signature: DerSignature = P256::from_slice(&[0x77; 32]).unwrap().sign(&pending.bytes);
    signature.as_bytes().to_vec()
}

fn failed(command: PairingCommand) -> PairingFailure {
    match command {
        PairingCommand::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pairing_ends_paired_only_after_its_records_are_stored_counter_first() {
    let (mut world, pair) = World::proved();
    assert_eq!(pair.records().map(|change| change.record.part), [Part::Counter, Part::Pair]);
    assert_eq!(pair.desktop.channel, ChannelId::new([12; 16]));
    assert!(world.phone.poll_command().is_none());
    let command = world.input(PairingInput::Stored);
    assert!(matches!(command, PairingCommand::Paired(_)), "{command:?}");
    let again = Pair::from_bytes(&pair.to_bytes()).unwrap();
    assert_eq!(again.to_bytes(), pair.to_bytes());
    assert_eq!(again.origin().unwrap().as_str(), "127.0.0.1:7171");
}

#[test]
fn the_finger_is_asked_for_the_desktop_by_name_and_not_for_a_reply() {
    let (_, pending) = World::confirmed();
    assert_eq!(pending.title.as_str(), "Pair with desk (ada@desk)");
    assert_eq!(pending.subject, Subject::Pairing);
    let label = countersign_proto::domain::sig(countersign_proto::domain::REPLY_BIO, &[]);
    assert!(!pending.bytes.starts_with(&label) && Decision::ApproveOnce.needs_bio());
}

#[test]
fn without_a_key_a_finger_or_a_store_no_desktop_is_paired_and_the_person_learns_why() {
    assert_eq!(failed(World::met().input(PairingInput::KeyFailed)), PairingFailure::NoKey);
    let (mut world, _) = World::confirmed();
    assert_eq!(failed(world.input(PairingInput::BioCancelled)), PairingFailure::NotConfirmed);
    let (mut world, pending) = World::confirmed();
    let other = Pending { bytes: b"other".to_vec(), ..pending };
    let failure = failed(world.input(PairingInput::BioSigned(finger(&other))));
    assert_eq!(failure, PairingFailure::Ceremony(PhoneFailure::BadSignature));
    let (mut world, _) = World::proved();
    assert_eq!(failed(world.input(PairingInput::StoreFailed)), PairingFailure::NotStored);
}

#[test]
fn a_desktop_that_never_answers_ends_the_pairing_by_the_phones_own_clock() {
    let mut world = World::new();
    world.sent();
    let late = Now { boot_ms: world.phone.poll_timeout().unwrap(), wall_ms: 0 };
    world.phone.handle(PairingInput::Tick, Now { boot_ms: late.boot_ms - 1, wall_ms: 0 });
    assert!(world.phone.poll_command().is_none());
    world.phone.handle(PairingInput::Tick, late);
    let failure = failed(world.phone.poll_command().unwrap());
    assert_eq!(failure, PairingFailure::Ceremony(PhoneFailure::Expired));
    assert_eq!(world.phone.poll_timeout(), None);
    world.phone.handle(PairingInput::Stored, late);
    assert!(world.phone.poll_command().is_none());
}

#[test]
fn what_is_not_due_changes_nothing() {
    let mut world = World::new();
    world.sent();
    for input in [
        PairingInput::Stored,
        PairingInput::KeyMade(vec![LEAF.to_vec()]),
        PairingInput::BioSigned(vec![1]),
        PairingInput::Delivered(vec![0; 256]),
    ] {
        world.phone.handle(input, START);
        assert!(world.phone.poll_command().is_none());
    }
}
