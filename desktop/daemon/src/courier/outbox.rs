//! Envelopes on their way to the relay: only so many unconfirmed at once, again where there was no room, not at all once
//! their time is over. Pure: boot time is an argument.

use std::collections::{BTreeMap, VecDeque};

use countersign_proto::frame::{FromClient, Outcome};

/// Most envelopes without their `Ack`: below what a mailbox takes in one go.
const UNCONFIRMED: usize = 32;
/// After a full mailbox.
const FULL_MS: u64 = 1_000;
/// After too many at once.
const RATE_MS: u64 = 250;

/// One envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sealed {
    envelope: Vec<u8>,
    first: bool,
    over_ms: u64,
}

/// The envelopes of one connection's end.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<Sealed>,
    unconfirmed: BTreeMap<u32, Sealed>,
    seq: u32,
    not_before_ms: u64,
}

impl Outbox {
    /// Adds an envelope.
    pub(crate) fn push(&mut self, envelope: Vec<u8>, over_ms: u64) {
        self.waiting.push_back(Sealed { envelope, first: false, over_ms });
    }

    /// Adds a handshake, in whose place everything before it is forgotten, as the relay does.
    pub(crate) fn push_first(&mut self, envelope: Vec<u8>, over_ms: u64) {
        self.clear();
        self.not_before_ms = 0;
        self.waiting.push_back(Sealed { envelope, first: true, over_ms });
    }

    /// The next frame to send, if one may be sent now.
    pub(crate) fn next(&mut self, now_ms: u64) -> Option<FromClient> {
        if now_ms < self.not_before_ms || self.unconfirmed.len() >= UNCONFIRMED {
            return None;
        }
        while let Some(sealed) = self.waiting.pop_front() {
            if sealed.over_ms <= now_ms {
                continue;
            }
            let seq = self.seq;
            self.seq = self.seq.wrapping_add(1);
            let ttl = u16::try_from((sealed.over_ms - now_ms).div_ceil(1_000)).unwrap_or(u16::MAX);
            let frame = FromClient::Send {
                seq,
                ttl,
                first: sealed.first,
                wake: false,
                envelope: sealed.envelope.clone(),
            };
            self.unconfirmed.insert(seq, sealed);
            return Some(frame);
        }
        None
    }

    /// What became of a frame. False where the envelope can never get through.
    pub(crate) fn acknowledge(&mut self, seq: u32, outcome: Outcome, now_ms: u64) -> bool {
        let Some(sealed) = self.unconfirmed.remove(&seq) else { return true };
        let pause_ms = match outcome {
            Outcome::Held => return true,
            Outcome::TooBig => return false,
            Outcome::QueueFull => FULL_MS,
            Outcome::Rate => RATE_MS,
        };
        self.waiting.push_front(sealed);
        self.not_before_ms = now_ms.saturating_add(pause_ms);
        true
    }

    /// The connection is gone: what was not confirmed goes out again in the next one.
    pub(crate) fn reconnect(&mut self) {
        for (_, sealed) in std::mem::take(&mut self.unconfirmed).into_iter().rev() {
            self.waiting.push_front(sealed);
        }
        self.not_before_ms = 0;
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.unconfirmed.clear();
    }

    /// Whether another message's envelopes may be added.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether everything went out and was confirmed.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.unconfirmed.is_empty()
    }

    /// When [`Self::next`] has something to give that it has not now.
    pub(crate) fn due_ms(&self) -> Option<u64> {
        let may_send = !self.waiting.is_empty() && self.unconfirmed.len() < UNCONFIRMED;
        may_send.then_some(self.not_before_ms)
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::limits;

    use super::*;

    fn sent(outbox: &mut Outbox, now_ms: u64) -> Option<(u32, u16, bool, u8)> {
        match outbox.next(now_ms)? {
            FromClient::Send { seq, ttl, first, wake: false, envelope } => {
                Some((seq, ttl, first, envelope[0]))
            }
            other => panic!("{other:?}"),
        }
    }

    fn filled(count: u8) -> Outbox {
        let mut outbox = Outbox::default();
        (0..count).for_each(|nth| outbox.push(vec![nth], 120_000));
        outbox
    }

    #[test]
    fn envelopes_go_out_in_order_with_the_time_they_have_left() {
        let mut outbox = filled(2);
        assert_eq!(sent(&mut outbox, 0), Some((0, 120, false, 0)));
        assert_eq!(sent(&mut outbox, 119_001), Some((1, 1, false, 1)));
        assert!(!outbox.is_empty(), "nothing is confirmed yet");
        outbox.acknowledge(0, Outcome::Held, 0);
        outbox.acknowledge(1, Outcome::Held, 0);
        assert!(outbox.is_empty());
    }

    #[test]
    fn what_has_no_time_left_is_not_sent() {
        let mut outbox = filled(1);
        outbox.push(vec![9], 130_000);
        assert_eq!(sent(&mut outbox, 120_000), Some((0, 10, false, 9)));
    }

    #[test]
    fn only_so_many_are_unconfirmed_at_once() {
        let mut outbox = filled(40);
        let first: Vec<u8> = std::iter::from_fn(|| sent(&mut outbox, 0)).map(|(.., nth)| nth).collect();
        assert_eq!(first.len(), UNCONFIRMED);
        const { assert!(UNCONFIRMED < limits::MAILBOX_ENVELOPES) };
        assert_eq!(outbox.due_ms(), None, "an Ack comes first");
        outbox.acknowledge(3, Outcome::Held, 0);
        assert_eq!(sent(&mut outbox, 0).map(|(.., nth)| nth), Some(32));
    }

    #[test]
    fn without_room_the_same_envelope_goes_out_again_after_a_pause_until_its_time_is_over() {
        for (outcome, pause) in [(Outcome::QueueFull, FULL_MS), (Outcome::Rate, RATE_MS)] {
            let mut outbox = filled(2);
            sent(&mut outbox, 0);
            assert!(outbox.acknowledge(0, outcome, 500));
            assert_eq!(outbox.due_ms(), Some(500 + pause));
            assert_eq!(sent(&mut outbox, 500 + pause - 1), None);
            assert_eq!(sent(&mut outbox, 500 + pause).map(|(seq, .., nth)| (seq, nth)), Some((1, 0)));
            outbox.acknowledge(1, outcome, 120_000);
            assert_eq!(sent(&mut outbox, 200_000), None);
        }
    }

    #[test]
    fn an_envelope_that_is_too_big_is_given_up() {
        let mut outbox = filled(1);
        sent(&mut outbox, 0);
        assert!(!outbox.acknowledge(0, Outcome::TooBig, 0));
        assert!(outbox.is_empty());
    }

    #[test]
    fn a_handshake_overtakes_everything_and_waits_for_nothing() {
        let mut outbox = filled(3);
        sent(&mut outbox, 0);
        outbox.acknowledge(0, Outcome::QueueFull, 0);
        outbox.push_first(vec![7], 5_000);
        assert_eq!(sent(&mut outbox, 1), Some((1, 5, true, 7)));
        assert_eq!(sent(&mut outbox, 1), None);
        assert!(outbox.acknowledge(0, Outcome::Held, 0), "an Ack of what was forgotten means nothing");
    }

    #[test]
    fn a_new_connection_repeats_what_was_not_confirmed_first() {
        let mut outbox = filled(3);
        sent(&mut outbox, 0);
        sent(&mut outbox, 0);
        outbox.acknowledge(0, Outcome::Held, 0);
        outbox.reconnect();
        let again: Vec<u8> = std::iter::from_fn(|| sent(&mut outbox, 0)).map(|(.., nth)| nth).collect();
        assert_eq!(again, [1, 2]);
    }
}
