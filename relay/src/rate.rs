//! How often a channel may send: a bucket that fills with time and empties with each envelope. Pure.

/// What a channel may send.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Envelopes a second in the long run.
    pub per_second: u32,
    /// Envelopes at once.
    pub burst: u32,
}

/// What a channel has left of its allowance, in thousandths of an envelope.
pub struct Rate {
    left: u64,
    at_ms: u64,
}

impl Rate {
    pub fn full(allowance: Allowance, now_ms: u64) -> Self {
        Self { left: most(allowance), at_ms: now_ms }
    }

    /// Takes one envelope from the allowance, if one is left.
    pub fn take(&mut self, allowance: Allowance, now_ms: u64) -> bool {
        self.refill(allowance, now_ms);
        let taken = self.left.checked_sub(1_000);
        self.left = taken.unwrap_or(self.left);
        taken.is_some()
    }

    /// Whether forgetting this changes nothing.
    pub fn is_full(&mut self, allowance: Allowance, now_ms: u64) -> bool {
        self.refill(allowance, now_ms);
        self.left == most(allowance)
    }

    fn refill(&mut self, allowance: Allowance, now_ms: u64) {
        let gained = now_ms.saturating_sub(self.at_ms).saturating_mul(allowance.per_second.into());
        self.left = self.left.saturating_add(gained).min(most(allowance));
        self.at_ms = self.at_ms.max(now_ms);
    }
}

fn most(allowance: Allowance) -> u64 {
    u64::from(allowance.burst) * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWANCE: Allowance = Allowance { per_second: 20, burst: 60 };

    #[test]
    fn a_burst_passes_then_one_each_fiftieth_millisecond() {
        let mut rate = Rate::full(ALLOWANCE, 5_000);
        assert!((0..60).all(|_| rate.take(ALLOWANCE, 5_000)));
        assert!(!rate.take(ALLOWANCE, 5_049));
        assert!(rate.take(ALLOWANCE, 5_050));
        assert!(!rate.take(ALLOWANCE, 5_050));
    }

    #[test]
    fn a_long_silence_saves_no_more_than_a_burst() {
        let mut rate = Rate::full(ALLOWANCE, 0);
        assert_eq!((0..100).filter(|_| rate.take(ALLOWANCE, 3_600_000)).count(), 60);
        assert!(!rate.is_full(ALLOWANCE, 3_602_999));
        assert!(rate.is_full(ALLOWANCE, 3_603_000));
    }
}
