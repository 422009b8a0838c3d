//! A desktop that a phone is paired with, and that has turned against it: whatever it says in a live session, and
//! whatever it signs, no reply leaves the phone that its person did not give to that very card.

use std::collections::{BTreeMap, BTreeSet};

use countersign_mobile_core::{
    choice::Choice,
    clock::{Fresh, Now},
    inbox::Stage,
    pair::Pair,
    phone::{Command, Input, Phone},
    signer::Pending,
    vault::Part,
};
use countersign_proto::{
    id::{Hash, OfferId, RunId},
    key::{AgreementKey, Secret32},
    limits,
    message::{Message, OfferMessage},
    offer::Offer,
    receipt::{Outcome, Receipt},
    reply::{Decision, Replies, Reply, SignedReply, UnverifiedReply},
    request::Kind,
    session::{DesktopEnd, PairRecord, Received, Suite},
    text::Foreign,
};

use super::{
    fixed::{
        CHANNEL, assert_line, bio_key, desktop, desktop_id, device, device_id, finger, paired_desktop,
        request, signed,
    },
    script::Script,
};

/// Steps in a story.
const STEPS: usize = 40;

/// One story: what the desktop says, and what the phone's person and shell do.
pub fn phone(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let mut world = World::connected();
    for _ in 0..STEPS {
        if script.is_over() {
            break;
        }
        world.step(&mut script);
        world.settle();
        world.assert_sound();
    }
    !world.replies.is_empty()
}

struct World {
    phone: Phone,
    desktop: DesktopEnd,
    now: Now,
    fresh: u8,
    /// The counter on the phone's disk.
    stored: u64,
    unstored: Vec<Command>,
    prompts: Vec<Pending>,
    /// What the person chose on cards whose bytes hash to this.
    chosen: BTreeSet<(Hash, Decision)>,
    /// Every offer that was ever signed.
    offers: BTreeMap<OfferId, BTreeSet<Hash>>,
    replies: Vec<(Reply, SignedReply)>,
}

impl World {
    fn connected() -> Self {
        let (own, peer) =
            (AgreementKey::from_bytes([0x10; 32]), AgreementKey::from_bytes([0x20; 32]).public());
        let record = PairRecord {
            suite: Suite::X25519,
            channel: CHANNEL,
            desktop_id: desktop_id(),
            device_id: device_id(),
            own,
            peer,
            psk: Secret32::new([0x46; 32]),
        };
        let pair = Pair { desktop: paired_desktop(), device: device(), relay: device() };
        let mut world = Self {
            phone: Phone::new(pair, Foreign::new("fuzz 1")),
            desktop: DesktopEnd::new(record),
            now: Now { boot_ms: 1_000, wall_ms: 1_000 },
            fresh: 0,
            stored: 0,
            unstored: Vec::new(),
            prompts: Vec::new(),
            chosen: BTreeSet::new(),
            offers: BTreeMap::new(),
            replies: Vec::new(),
        };
        world.input(Input::Connected);
        world.input(Input::Peer { online: true });
        world.settle();
        assert!(world.desktop.is_live(1_000), "both are honest so far");
        world
    }

    fn step(&mut self, script: &mut Script<'_>) {
        match script.byte() % 12 {
            0 | 1 => {
                let (kind, body) = (script.u16(), script.chunk().to_vec());
                self.say(kind, body, script.byte());
            }
            2 | 3 => self.offer(script),
            4 => self.receipt(script),
            5 | 6 => self.decide(script),
            7 => self.input(Input::SeenToEnd { offer_id: OfferId::new([script.byte() % 4; 16]) }),
            8 => self.store(script.byte() & 1 == 0),
            9 => self.touch(script),
            10 => {
                self.now.boot_ms += 1 << (script.byte() % 24);
                self.input(Input::Tick);
            }
            _ => {
                let inputs =
                    [Input::Disconnected, Input::Connected, Input::Lock, Input::Peer { online: true }];
                self.input(inputs[usize::from(script.byte() % 4)].clone());
            }
        }
    }

    fn input(&mut self, input: Input) {
        self.fresh = self.fresh.wrapping_add(1);
        self.phone.handle(input, Fresh::new([self.fresh; 32]), self.now);
    }

    /// Says something in the session, which may be the truth.
    fn say(&mut self, kind: u16, body: Vec<u8>, age: u8) {
        let Ok(envelopes) = self.desktop.seal(kind, body, self.now.boot_ms) else { return };
        for envelope in envelopes {
            self.input(Input::Delivered { envelope, age_ms: u32::from(age) * 100 });
        }
    }

    fn offer(&mut self, script: &mut Script<'_>) {
        let (id, kind, age) = (script.byte() % 4, script.byte(), script.byte());
        let mut request = request();
        request.kind = [Kind::Tool, Kind::Question, Kind::Grant, Kind::ServiceAction][usize::from(kind % 4)];
        let lie = script.chunk();
        let offer = Offer {
            v: Offer::VERSION,
            offer_id: OfferId::new([id; 16]),
            desktop_id: desktop_id(),
            device_id: device_id(),
            offer_seq: u64::from(age),
            run_id: RunId::new([2; 16]),
            request: if lie.is_empty() { request.encode() } else { lie.to_vec() },
            ttl_ms: 115_000,
            allowed: Replies::ALL,
        };
        let signed = offer.sign(&desktop());
        self.offers.entry(offer.offer_id).or_default().insert(signed.hash());
        let message = Message::Offer(OfferMessage { signed, left_ms: 115_000, fronted: kind & 4 != 0 });
        let (kind, body) = message.encode();
        self.say(kind, body, age);
    }

    /// A receipt for the newest reply, or for none.
    fn receipt(&mut self, script: &mut Script<'_>) {
        let newest = self.replies.last();
        let receipt = Receipt {
            v: Receipt::VERSION,
            desktop_id: desktop_id(),
            device_id: device_id(),
            offer_id: newest.map(|(reply, _)| reply.offer_id),
            reply: newest.map_or(Hash::new([0; 32]), |(_, signed)| Receipt::reply_hash(&signed.bytes)),
            outcome: match script.byte() % 5 {
                0 => Outcome::Released(Decision::ApproveOnce),
                1 => Outcome::Unreleased(Decision::Deny),
                2 => Outcome::Dismissed,
                3 => Outcome::AlreadySettled(Foreign::new("the console")),
                _ => Outcome::Refused(u16::from(script.byte() % 32)),
            },
            wall_ms: 0,
        };
        let (kind, body) = Message::Receipt(receipt.sign(&desktop())).encode();
        self.say(kind, body, 0);
    }

    fn decide(&mut self, script: &mut Script<'_>) {
        let offer_id = OfferId::new([script.byte() % 4; 16]);
        let choice = match script.byte() % 7 {
            0 => Choice::Deny,
            1 => Choice::Dismiss,
            2 => Choice::DenyWithNote(Foreign::new("not now")),
            3 => Choice::ApproveAlways(script.byte() % 3),
            4 => Choice::HandOff,
            5 => Choice::Grant,
            _ => Choice::ApproveOnce,
        };
        if let Some(entry) = self.phone.inbox().get(offer_id) {
            self.chosen.insert((entry.card().offer_hash, choice.decision()));
        }
        self.input(Input::Decide { offer_id, choice });
    }

    fn store(&mut self, is_well: bool) {
        if self.unstored.is_empty() {
            return;
        }
        let Command::Store { store, change } = self.unstored.remove(0) else { return };
        if !is_well {
            return self.input(Input::StoreFailed(store));
        }
        if change.record.part == Part::Counter {
            self.stored = u64::from_be_bytes(change.bytes.as_slice().try_into().expect("a counter"));
        }
        self.input(Input::Stored(store));
    }

    /// A finger, another finger, or none, for any prompt that ever was.
    fn touch(&mut self, script: &mut Script<'_>) {
        if self.prompts.is_empty() {
            return;
        }
        let pending = self.prompts[usize::from(script.byte()) % self.prompts.len()].clone();
        let prompt = pending.prompt;
        self.input(match script.byte() % 8 {
            0 => Input::BioCancelled { prompt },
            1 => Input::BioInvalidated { prompt },
            2 => Input::BioSigned { prompt, signature: script.chunk().to_vec() },
            _ => Input::BioSigned { prompt, signature: signed(&finger(), &pending.bytes) },
        });
    }

    /// Does what the phone commands; the desktop reads along and answers handshakes.
    fn settle(&mut self) {
        while let Some(command) = self.phone.poll_command() {
            match command {
                Command::Send { envelope, .. } => self.read(&envelope),
                Command::Store { .. } => self.unstored.push(command),
                Command::AskBio(pending) => {
                    assert!(!self.chosen.is_empty(), "a finger for nothing that anybody chose");
                    assert_line(&pending.title);
                    self.prompts.push(pending);
                }
                Command::CancelBio | Command::Show(_) | Command::Wipe => {}
            }
        }
    }

    fn read(&mut self, envelope: &[u8]) {
        self.fresh = self.fresh.wrapping_add(1);
        match self.desktop.receive(envelope, [self.fresh; 32], self.now.boot_ms) {
            Ok(Received::Reply(envelope)) => self.input(Input::Delivered { envelope, age_ms: 0 }),
            Ok(Received::Message(raw) | Received::Live(Some(raw))) => {
                if let Ok(Message::Reply(signed)) = Message::decode(raw.kind, &raw.body) {
                    self.replied(signed);
                }
            }
            Ok(_) | Err(_) => {}
        }
    }

    fn replied(&mut self, signed: SignedReply) {
        let unverified = UnverifiedReply::of(signed.clone()).expect("its own form");
        let verified = unverified.verify(&device().public(), &bio_key(&finger())).expect("both signatures");
        let reply = verified.get();
        assert!(self.offers[&reply.offer_id].contains(&reply.offer_hash), "a reply to no offer of ours");
        assert!(
            self.chosen.contains(&(reply.offer_hash, reply.decision)),
            "nobody chose {:?}",
            reply.decision
        );
        assert!(reply.counter <= self.stored, "a counter that is not on the disk");
        let same = self.replies.iter().find(|(other, _)| other.counter == reply.counter);
        assert!(same.is_none_or(|(_, other)| *other == signed), "a counter for two replies");
        if same.is_none() {
            self.replies.push((reply.clone(), signed));
        }
    }

    fn assert_sound(&self) {
        let cards = self.phone.inbox().list();
        let open = cards.iter().filter(|entry| !matches!(entry.stage(), Stage::Over(_))).count();
        assert!(open <= limits::OPEN_REQUESTS && cards.len() <= 2 * limits::OPEN_REQUESTS);
        for entry in cards {
            let card = entry.card();
            assert!(self.offers[&card.offer_id].contains(&card.offer_hash));
            assert_line(&card.headline);
        }
    }
}
