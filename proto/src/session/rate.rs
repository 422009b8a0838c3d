//! How many handshakes a pair may make: a burst of 20, then 12 a minute.

use crate::limits;

/// Milliseconds that earn one handshake.
const EACH: u64 = 60_000 / limits::HANDSHAKES_A_MINUTE as u64;
const FULL: u64 = EACH * limits::HANDSHAKE_BURST as u64;

/// What is left of a pair's allowance.
#[derive(Debug)]
pub(super) struct Rate {
    credit_ms: u64,
    at_ms: u64,
}

impl Rate {
    /// A full allowance.
    pub(super) const fn new() -> Self {
        Self { credit_ms: FULL, at_ms: 0 }
    }

    /// Uses up one handshake, if there is one left.
    pub(super) fn take(&mut self, boot_ms: u64) -> bool {
        let earned = boot_ms.saturating_sub(self.at_ms);
        self.credit_ms = self.credit_ms.saturating_add(earned).min(FULL);
        self.at_ms = self.at_ms.max(boot_ms);
        let left = self.credit_ms.checked_sub(EACH);
        self.credit_ms = left.unwrap_or(self.credit_ms);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_at_once_then_one_every_five_seconds() {
        let mut rate = Rate::new();
        assert_eq!((0..30).filter(|_| rate.take(1_000)).count(), 20);
        assert!(!rate.take(5_999));
        assert!(rate.take(6_000));
        assert!(!rate.take(6_000));
    }

    #[test]
    fn waiting_never_saves_up_more_than_a_burst() {
        let mut rate = Rate::new();
        assert_eq!((0..30).filter(|_| rate.take(86_400_000)).count(), 20);
    }
}
