//! Sessions as both ends live them, and what a hostile relay can make of their envelopes.

mod hostile;

use super::*;
use crate::limits;

const HOUR: u64 = 3_600_000;

/// Both ends of one pair, with random bytes that count up.
struct World {
    desktop: DesktopEnd,
    phone: PhoneEnd,
    random: u64,
}

impl World {
    fn new() -> Self {
        let (desktop, phone) = records();
        Self { desktop: DesktopEnd::new(desktop), phone: PhoneEnd::new(phone), random: 0 }
    }

    fn connected() -> Self {
        let mut world = Self::new();
        world.connect(0);
        world
    }

    fn random(&mut self) -> [u8; 32] {
        self.random += 1;
        let mut bytes = [0x77; 32];
        // In the middle: X25519 ignores bits at both ends of a secret.
        bytes[8..16].copy_from_slice(&self.random.to_le_bytes());
        bytes
    }

    /// A whole handshake with its first transport message.
    fn connect(&mut self, now: u64) {
        let hello = self.connect_until_hello(now);
        let live = self.desktop.receive(&hello, [0; 32], now);
        assert_eq!(live, Ok(Received::Live(Some(RawMessage::new(1, b"hello".to_vec())))));
    }

    /// A handshake; gives the phone's first transport envelope.
    fn connect_until_hello(&mut self, now: u64) -> Vec<u8> {
        let hs1 = self.start();
        let hs2 = self.answer(&hs1, now);
        assert_eq!(self.phone.receive(&hs2, now), Ok(Received::Live(None)));
        self.phone.seal(1, b"hello".to_vec(), now).unwrap().pop().unwrap()
    }

    fn start(&mut self) -> Vec<u8> {
        let random = self.random();
        self.phone.start(random).unwrap()
    }

    fn answer(&mut self, hs1: &[u8], now: u64) -> Vec<u8> {
        let random = self.random();
        match self.desktop.receive(hs1, random, now) {
            Ok(Received::Reply(hs2)) => hs2,
            other => panic!("no reply but {other:?}"),
        }
    }

    /// Sends a message of `length` bytes to the desktop.
    fn up(&mut self, length: usize, now: u64) -> Received {
        let envelopes = self.phone.seal(0x11, vec![7; length], now).unwrap();
        let received = envelopes.iter().map(|envelope| self.desktop.receive(envelope, [0; 32], now));
        received.last().unwrap().unwrap()
    }

    /// Sends a message of `length` bytes to the phone.
    fn down(&mut self, length: usize, now: u64) -> Received {
        let envelopes = self.desktop.seal(0x10, vec![7; length], now).unwrap();
        let received = envelopes.iter().map(|envelope| self.phone.receive(envelope, now));
        received.last().unwrap().unwrap()
    }
}

/// The records of one pair: the desktop's and the phone's.
fn records() -> (PairRecord, PairRecord) {
    let (desktop_key, phone_key) =
        (AgreementKey::from_bytes([0x41; 32]), AgreementKey::from_bytes([0x42; 32]));
    let desktop = PairRecord {
        suite: Suite::X25519,
        channel: ChannelId::new([0x43; 16]),
        desktop_id: DesktopId::new([0x44; 32]),
        device_id: DeviceId::new([0x45; 16]),
        own: desktop_key.clone(),
        peer: phone_key.public(),
        psk: Secret32::new([0x46; 32]),
    };
    let phone = PairRecord { own: phone_key, peer: desktop_key.public(), ..desktop.clone() };
    (desktop, phone)
}

#[test]
fn messages_of_every_size_arrive_both_ways() {
    let mut world = World::connected();
    for length in [0, 1, 203, 204, 205, 32_716, 32_717, 100_000, limits::MESSAGE - 2] {
        assert_eq!(
            world.up(length, 0),
            Received::Message(RawMessage::new(0x11, vec![7; length])),
            "{length}"
        );
        assert_eq!(
            world.down(length, 0),
            Received::Message(RawMessage::new(0x10, vec![7; length])),
            "{length}"
        );
    }
    assert_eq!(world.phone.seal(0x11, vec![0; limits::MESSAGE - 1], 0), Err(Refusal::TooBig));
    assert_eq!(world.up(1, 0), Received::Message(RawMessage::new(0x11, vec![7])));
}

#[test]
fn every_envelope_has_one_of_five_sizes_and_no_two_are_alike() {
    let mut world = World::new();
    let hs1 = world.start();
    let hs2 = world.answer(&hs1, 0);
    assert_eq!((hs1.len(), hs2.len()), (256, 256));
    world.phone.receive(&hs2, 0).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for length in [0, 0, 300, 5_000, 40_000] {
        for envelope in world.phone.seal(1, vec![0; length], 0).unwrap() {
            assert!(limits::BUCKETS.contains(&envelope.len()), "{length}");
            assert!(seen.insert(envelope));
        }
    }
}

#[test]
fn the_desktop_says_nothing_before_the_phone_proved_itself_live() {
    let mut world = World::new();
    let hello = world.connect_until_hello(0);
    assert!(!world.desktop.is_live(0));
    assert_eq!(world.desktop.seal(2, b"welcome".to_vec(), 0), Err(Refusal::NoSession));
    world.desktop.receive(&hello, [0; 32], 0).unwrap();
    assert!(world.desktop.is_live(0));
    assert!(world.desktop.seal(2, b"welcome".to_vec(), 0).is_ok());
}

#[test]
fn a_new_session_takes_over_when_its_first_transport_message_verifies() {
    let mut world = World::connected();
    let late = world.phone.seal(0x11, b"old".to_vec(), 0).unwrap().pop().unwrap();
    let early = world.desktop.seal(0x10, b"old".to_vec(), 0).unwrap().pop().unwrap();
    let hs1 = world.start();
    assert!(
        matches!(world.phone.receive(&early, 0), Ok(Received::Message(_))),
        "the old one serves meanwhile"
    );
    let hs2 = world.answer(&hs1, 0);
    assert!(matches!(world.desktop.receive(&late, [0; 32], 0), Ok(Received::Message(_))), "here too");
    world.phone.receive(&hs2, 0).unwrap();
    assert!(matches!(world.up(3, 0), Received::Live(Some(_))));
    assert!(matches!(world.up(3, 0), Received::Message(_)));
    assert_eq!(world.desktop.receive(&late, [0; 32], 0), Err(Refusal::NoSession), "its keys are gone");
    assert_eq!(world.phone.receive(&early, 0), Err(Refusal::NoSession));
}

#[test]
fn a_message_in_parts_can_be_the_first_of_a_session() {
    let mut world = World::new();
    world.connect_until_hello(0);
    let envelopes = world.phone.seal(1, vec![7; 40_000], 0).unwrap();
    assert_eq!(world.desktop.receive(&envelopes[0], [0; 32], 0), Ok(Received::Live(None)));
    assert!(matches!(world.desktop.receive(&envelopes[1], [0; 32], 0), Ok(Received::Message(_))));
}

#[test]
fn a_repeated_handshake_is_dropped_and_not_counted() {
    let mut world = World::connected();
    let hs1 = world.start();
    world.answer(&hs1, 0);
    for _ in 0..100 {
        assert_eq!(world.desktop.receive(&hs1, [9; 32], 0), Err(Refusal::CounterReplayed));
    }
    for _ in 2..limits::HANDSHAKE_BURST {
        let hs1 = world.start();
        world.answer(&hs1, 0);
    }
    let hs1 = world.start();
    assert_eq!(world.desktop.receive(&hs1, [9; 32], 0), Err(Refusal::NoSession), "the burst is used up");
    assert!(matches!(world.desktop.receive(&hs1, [9; 32], 5_000), Ok(Received::Reply(_))));
    assert!(matches!(world.up(3, 0), Received::Message(_)), "the live session never noticed");
}

#[test]
fn a_session_is_renewed_after_an_hour_and_over_after_a_day() {
    let mut world = World::connected();
    assert!(!world.phone.needs_renewal(HOUR - 1));
    assert!(world.phone.needs_renewal(HOUR));
    let (day, last) = (24 * HOUR, 24 * HOUR - 1);
    assert!(matches!(world.up(3, last), Received::Message(_)));
    let envelope = world.phone.seal(0x11, vec![], last).unwrap().pop().unwrap();
    assert_eq!(world.desktop.receive(&envelope, [0; 32], day), Err(Refusal::NoSession));
    assert_eq!(world.phone.seal(0x11, vec![], day), Err(Refusal::NoSession));
    assert_eq!(world.desktop.seal(0x10, vec![], day), Err(Refusal::NoSession));
    assert!(!world.desktop.is_live(day) && world.phone.needs_renewal(day));
    world.connect(day);
    assert!(matches!(world.down(3, day), Received::Message(_)));
}

#[test]
fn a_closed_end_keeps_nothing_to_open_with() {
    let mut world = World::connected();
    let envelope = world.phone.seal(0x11, vec![], 0).unwrap().pop().unwrap();
    world.desktop.close();
    assert_eq!(world.desktop.receive(&envelope, [0; 32], 0), Err(Refusal::NoSession));
    world.phone.close();
    assert_eq!(world.phone.seal(0x11, vec![], 0), Err(Refusal::NoSession));
}

#[test]
fn an_end_with_any_other_record_does_not_answer() {
    type Change = fn(&mut PairRecord);
    let changes: [(&str, Change); 6] = [
        ("channel", |pair| pair.channel = ChannelId::new([0; 16])),
        ("desktop", |pair| pair.desktop_id = DesktopId::new([0; 32])),
        ("device", |pair| pair.device_id = DeviceId::new([0; 16])),
        ("our key", |pair| pair.own = AgreementKey::from_bytes([1; 32])),
        ("their key", |pair| pair.peer = AgreementKey::from_bytes([1; 32]).public()),
        ("psk", |pair| pair.psk = Secret32::new([0; 32])),
    ];
    for (what, change) in changes {
        let mut world = World::new();
        let hs1 = world.start();
        let (mut desktop, _) = records();
        change(&mut desktop);
        assert_eq!(DesktopEnd::new(desktop).receive(&hs1, [9; 32], 0), Err(Refusal::Malformed), "{what}");
    }
}

#[test]
fn the_prologue_is_the_documents() {
    let (desktop, _) = records();
    let expected = [&b"countersign/1/session\0\x01"[..], &[0x43; 16], &[0x44; 32], &[0x45; 16]].concat();
    assert_eq!(desktop.prologue(), expected);
}

#[test]
fn debug_shows_no_key() {
    let world = World::connected();
    let text = format!("{:?} {:?}", world.desktop, world.phone);
    for secret in ["414141", "424242", "464646", "65, 65", "66, 66", "70, 70"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}
