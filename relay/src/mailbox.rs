//! One end's mailbox: envelopes that wait for it, in memory only, bounded in number, bytes and time. Pure: the boot
//! clock's milliseconds are an argument. An envelope stays until its `Got`, its time is over, or the sender starts anew.

use std::{collections::VecDeque, time::Duration};

use countersign_proto::{
    frame::{FromRelay, Outcome},
    limits,
};

/// What an end sends to the other one.
pub struct Letter {
    /// The sealed envelope, never looked into.
    pub envelope: Vec<u8>,
    /// Marks a handshake: it drops what the sender sent before and has a slot of its own.
    pub first: bool,
    /// The time it has left.
    pub ttl: Duration,
}

/// The envelopes that wait for one end. Only the other end can put one in, so all are of one sender.
pub struct Mailbox {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    next_id: u32,
}

struct Waiting {
    id: u32,
    first: bool,
    envelope: Vec<u8>,
    arrived_ms: u64,
    over_ms: u64,
    /// The attachment that was given this envelope.
    handed_to: Option<u64>,
}

impl Mailbox {
    /// An empty mailbox. Its delivery ids go on from the clock: a mailbox gets far fewer than one envelope a
    /// millisecond, so an id never means one thing before a restart and another thing after it.
    pub fn new(now_ms: u64) -> Self {
        Self { waiting: VecDeque::new(), bytes: 0, next_id: truncated(now_ms) }
    }

    /// Takes an envelope, or says that there is no room for it: neither here nor in the `room` (in bytes) that the
    /// relay has left in all. What a first one drops makes room for it.
    pub fn put(&mut self, letter: Letter, room: usize, now_ms: u64) -> Outcome {
        self.expire(now_ms);
        let size = letter.envelope.len();
        if size > limits::ENVELOPE {
            return Outcome::TooBig;
        }
        if letter.first {
            if size > room.saturating_add(self.bytes) {
                return Outcome::QueueFull;
            }
            self.flush();
        } else if size > room || !self.has_room(size) {
            return Outcome::QueueFull;
        }
        self.bytes = self.bytes.saturating_add(size);
        self.waiting.push_back(Waiting {
            id: self.next_id,
            first: letter.first,
            envelope: letter.envelope,
            arrived_ms: now_ms,
            over_ms: now_ms.saturating_add(millis(letter.ttl.min(limits::ENVELOPE_TTL))),
            handed_to: None,
        });
        self.next_id = self.next_id.wrapping_add(1);
        Outcome::Held
    }

    /// The oldest envelope that this attachment was not given yet, as a `Deliver`.
    pub fn next(&mut self, attachment: u64, now_ms: u64) -> Option<FromRelay> {
        self.expire(now_ms);
        let waiting = self.waiting.iter_mut().find(|waiting| waiting.handed_to != Some(attachment))?;
        waiting.handed_to = Some(attachment);
        Some(FromRelay::Deliver {
            id: waiting.id,
            age_ms: u32::try_from(now_ms.saturating_sub(waiting.arrived_ms)).unwrap_or(u32::MAX),
            envelope: waiting.envelope.clone(),
        })
    }

    /// Forgets the envelope that was delivered with this id; an unknown id means nothing.
    pub fn got(&mut self, id: u32) {
        self.keep(|waiting| waiting.id != id || waiting.handed_to.is_none());
    }

    /// Forgets everything.
    pub fn flush(&mut self) {
        self.keep(|_| false);
    }

    /// Forgets what has no time left.
    pub fn expire(&mut self, now_ms: u64) {
        self.keep(|waiting| waiting.over_ms > now_ms);
    }

    /// Bytes of all waiting envelopes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The first one's slot is its own: it takes no room from the others.
    fn has_room(&self, size: usize) -> bool {
        let others = self.waiting.iter().filter(|waiting| !waiting.first);
        let (count, bytes) = others.fold((0, 0), |(count, bytes), w| (count + 1, bytes + w.envelope.len()));
        count < limits::MAILBOX_ENVELOPES && bytes + size <= limits::MAILBOX_BYTES
    }

    fn keep(&mut self, stays: impl Fn(&Waiting) -> bool) {
        self.waiting.retain(stays);
        self.bytes = self.waiting.iter().map(|waiting| waiting.envelope.len()).sum();
    }
}

/// The low half of a number.
fn truncated(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROOM: usize = usize::MAX;
    const PHONE: u64 = 1;

    fn letter(first: bool, size: usize, ttl_s: u64) -> Letter {
        Letter { envelope: vec![7; size], first, ttl: Duration::from_secs(ttl_s) }
    }

    fn filled() -> Mailbox {
        let mut mailbox = Mailbox::new(0);
        for _ in 0..limits::MAILBOX_ENVELOPES {
            assert_eq!(mailbox.put(letter(false, 256, 120), ROOM, 0), Outcome::Held);
        }
        mailbox
    }

    fn deliver(mailbox: &mut Mailbox, attachment: u64, now_ms: u64) -> Option<(u32, u32, Vec<u8>)> {
        match mailbox.next(attachment, now_ms)? {
            FromRelay::Deliver { id, age_ms, envelope } => Some((id, age_ms, envelope)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_envelope_is_given_once_to_each_attachment_until_it_arrived() {
        let mut mailbox = Mailbox::new(0);
        mailbox.put(letter(false, 3, 120), ROOM, 0);
        let (id, _, envelope) = deliver(&mut mailbox, PHONE, 10).unwrap();
        assert_eq!(envelope, [7; 3]);
        assert_eq!(deliver(&mut mailbox, PHONE, 20), None);

        let later = PHONE + 1;
        assert_eq!(deliver(&mut mailbox, later, 30).unwrap().0, id, "the same envelope keeps its id");
        mailbox.got(id);
        mailbox.got(id);
        assert!(mailbox.is_empty() && mailbox.bytes() == 0);
        assert_eq!(deliver(&mut mailbox, later + 1, 40), None);
    }

    #[test]
    fn an_envelope_that_nobody_was_given_cannot_have_arrived() {
        let mut mailbox = Mailbox::new(5);
        mailbox.put(letter(false, 3, 120), ROOM, 5);
        mailbox.got(5);
        assert!(!mailbox.is_empty());
    }

    #[test]
    fn an_envelope_is_gone_when_its_time_is_over_and_tells_its_age_before() {
        let mut mailbox = Mailbox::new(0);
        mailbox.put(letter(false, 3, 60), ROOM, 1_000);
        assert_eq!(deliver(&mut mailbox, PHONE, 60_999).unwrap().1, 59_999);
        assert_eq!(deliver(&mut mailbox, PHONE + 1, 61_000), None);
        assert!(mailbox.is_empty());
    }

    #[test]
    fn no_sender_can_stretch_the_longest_life() {
        let mut mailbox = Mailbox::new(0);
        mailbox.put(letter(false, 3, 100_000), ROOM, 0);
        assert_eq!(deliver(&mut mailbox, PHONE, 120_000), None);
    }

    #[test]
    fn a_full_mailbox_refuses_the_new_one_and_keeps_the_old() {
        let mut mailbox = filled();
        assert_eq!(mailbox.put(letter(false, 1, 120), ROOM, 0), Outcome::QueueFull);
        let (id, ..) = deliver(&mut mailbox, PHONE, 0).unwrap();
        mailbox.got(id);
        assert_eq!(mailbox.put(letter(false, 1, 120), ROOM, 0), Outcome::Held);
    }

    #[test]
    fn a_mailbox_is_full_at_its_bytes_too() {
        let mut mailbox = Mailbox::new(0);
        for _ in 0..limits::MAILBOX_BYTES / limits::ENVELOPE {
            assert_eq!(mailbox.put(letter(false, limits::ENVELOPE, 120), ROOM, 0), Outcome::Held);
        }
        assert_eq!(mailbox.put(letter(false, 1, 120), ROOM, 0), Outcome::QueueFull);
    }

    #[test]
    fn a_first_envelope_gets_into_a_full_mailbox_and_drops_what_its_sender_sent_before() {
        let mut mailbox = filled();
        assert_eq!(mailbox.put(letter(true, 256, 120), ROOM, 0), Outcome::Held);
        assert_eq!(mailbox.bytes(), 256);
        let (id, ..) = deliver(&mut mailbox, PHONE, 0).unwrap();
        assert_eq!(id, 64);
        assert_eq!(deliver(&mut mailbox, PHONE, 0), None);
    }

    #[test]
    fn a_first_envelope_takes_no_room_from_those_after_it() {
        let mut mailbox = Mailbox::new(0);
        mailbox.put(letter(true, limits::ENVELOPE, 120), ROOM, 0);
        for _ in 0..limits::MAILBOX_BYTES / limits::ENVELOPE {
            assert_eq!(mailbox.put(letter(false, limits::ENVELOPE, 120), ROOM, 0), Outcome::Held);
        }
    }

    #[test]
    fn the_relays_memory_is_a_bound_too_and_a_first_envelope_may_use_what_it_frees() {
        let mut mailbox = Mailbox::new(0);
        assert_eq!(mailbox.put(letter(false, 100, 120), 99, 0), Outcome::QueueFull);
        assert_eq!(mailbox.put(letter(false, 100, 120), 100, 0), Outcome::Held);
        assert_eq!(mailbox.put(letter(true, 101, 120), 0, 0), Outcome::QueueFull);
        assert_eq!(mailbox.bytes(), 100, "a refused one drops nothing");
        assert_eq!(mailbox.put(letter(true, 100, 120), 0, 0), Outcome::Held);
    }

    #[test]
    fn one_byte_above_an_envelope_is_too_big() {
        let mut mailbox = Mailbox::new(0);
        assert_eq!(mailbox.put(letter(true, limits::ENVELOPE + 1, 120), ROOM, 0), Outcome::TooBig);
        assert!(mailbox.is_empty());
    }

    #[derive(Debug, Clone)]
    enum Step {
        Put { first: bool, size: usize, ttl_s: u64 },
        Next,
        Got(usize),
        Flush,
        Reattach,
        Wait(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (prop::bool::weighted(0.05), prop_oneof![Just(256), Just(16_384), Just(32_768)], 0u64..=120)
                .prop_map(|(first, size, ttl_s)| Step::Put { first, size, ttl_s }),
            6 => Just(Step::Next),
            3 => (0usize..40).prop_map(Step::Got),
            1 => Just(Step::Flush),
            1 => Just(Step::Reattach),
            2 => (0u64..40_000).prop_map(Step::Wait),
        ]
    }

    /// The mailbox as a person would describe it: a list of (number, first, size, over, given).
    #[derive(Default)]
    struct Model {
        held: Vec<(u32, bool, usize, u64, bool)>,
        put: u32,
    }

    impl Model {
        fn put(&mut self, first: bool, size: usize, over: u64) -> Outcome {
            let others: Vec<usize> = self.held.iter().filter(|held| !held.1).map(|held| held.2).collect();
            if first {
                self.held.clear();
            } else if others.len() == 64 || others.iter().sum::<usize>() + size > 1_048_576 {
                return Outcome::QueueFull;
            }
            self.held.push((self.put, first, size, over, false));
            self.put += 1;
            Outcome::Held
        }
    }

    proptest! {
        #[test]
        fn whatever_happens_the_mailbox_stays_bounded_in_order_and_loses_nothing_early(
            steps in prop::collection::vec(step(), 1..250),
        ) {
            let (mut mailbox, mut model) = (Mailbox::new(0), Model::default());
            let (mut now, mut attachment, mut given) = (0, 1, Vec::new());
            for step in steps {
                model.held.retain(|held| held.3 > now);
                match step {
                    Step::Put { first, size, ttl_s } => {
                        let expected = model.put(first, size, now + ttl_s * 1_000);
                        prop_assert_eq!(mailbox.put(letter(first, size, ttl_s), ROOM, now), expected);
                    }
                    Step::Next => {
                        let expected = model.held.iter_mut().find(|held| !held.4).map(|held| {
                            held.4 = true;
                            (held.0, held.2)
                        });
                        let delivered = deliver(&mut mailbox, attachment, now).map(|(id, _, e)| (id, e.len()));
                        prop_assert_eq!(delivered, expected);
                        given.extend(delivered.map(|(id, _)| id));
                    }
                    Step::Got(which) => {
                        if let Some(&id) = given.get(which) {
                            mailbox.got(id);
                            model.held.retain(|held| held.0 != id);
                        }
                    }
                    Step::Flush => {
                        mailbox.flush();
                        model.held.clear();
                    }
                    Step::Reattach => {
                        attachment += 1;
                        model.held.iter_mut().for_each(|held| held.4 = false);
                    }
                    Step::Wait(ms) => now += ms,
                }
                mailbox.expire(now);
                model.held.retain(|held| held.3 > now);
                prop_assert_eq!(mailbox.bytes(), model.held.iter().map(|held| held.2).sum::<usize>());
                prop_assert!(mailbox.bytes() <= limits::MAILBOX_BYTES + limits::ENVELOPE);
                prop_assert!(mailbox.waiting.len() <= limits::MAILBOX_ENVELOPES + 1);
            }
        }
    }
}
