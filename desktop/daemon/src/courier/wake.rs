//! When to wake a phone that is away: for a new question, and not more often than every five seconds (WAIT-7).

use countersign_proto::message::Message;

const EACH_MS: u64 = 5_000;

#[derive(Debug, Default)]
pub(super) struct Wake {
    is_wanted: bool,
    not_before_ms: u64,
}

impl Wake {
    pub(super) fn want(&mut self) {
        self.is_wanted = true;
    }

    /// A message that can't be sent now: only a question is worth a wake-up, and it is offered again anyway.
    pub(super) fn missed(&mut self, message: &Message) {
        self.is_wanted |= matches!(message, Message::Offer(_));
    }

    /// The phone came by itself.
    pub(super) fn came(&mut self) {
        self.is_wanted = false;
    }

    /// Whether to wake it now.
    pub(super) fn take(&mut self, now_ms: u64) -> bool {
        let is_due = self.is_wanted && now_ms >= self.not_before_ms;
        if is_due {
            self.is_wanted = false;
            self.not_before_ms = now_ms.saturating_add(EACH_MS);
        }
        is_due
    }

    pub(super) fn due_ms(&self) -> Option<u64> {
        self.is_wanted.then_some(self.not_before_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_is_woken_at_most_every_five_seconds_and_no_wish_is_lost() {
        let mut wake = Wake::default();
        assert!(!wake.take(0));
        wake.want();
        wake.want();
        assert!(wake.take(1_000));
        wake.want();
        assert!(!wake.take(5_999));
        assert_eq!(wake.due_ms(), Some(6_000));
        assert!(wake.take(6_000));
        assert_eq!(wake.due_ms(), None);
    }

    #[test]
    fn a_phone_that_came_by_itself_is_not_woken() {
        let mut wake = Wake::default();
        wake.want();
        wake.came();
        assert!(!wake.take(10_000));
    }
}
