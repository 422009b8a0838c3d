//! When to dial again: full jitter, so that a relay's restart does not bring everyone back at once. Pure: randomness is an
//! argument.

use std::time::Duration;

/// What kind of relay is dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// On this machine, most likely our own child.
    Loopback,
    /// Everywhere else.
    Network,
    /// A channel to delete: nobody waits for it.
    Unhurried,
}

impl Pace {
    /// The first range and the longest.
    const fn range(self) -> (Duration, Duration) {
        match self {
            Self::Loopback => (Duration::from_millis(300), Duration::from_secs(2)),
            Self::Network => (Duration::from_secs(10), Duration::from_secs(60)),
            Self::Unhurried => (Duration::from_secs(10), Duration::from_secs(3_600)),
        }
    }

    /// After a restart that the relay announced.
    const fn announced(self) -> Duration {
        match self {
            Self::Loopback => Duration::from_millis(300),
            Self::Network | Self::Unhurried => Duration::from_secs(30),
        }
    }
}

/// A connection that held so long was a good one.
const HEALTHY: Duration = Duration::from_secs(60);

/// How often in a row it failed.
#[derive(Debug)]
pub(super) struct Backoff {
    pace: Pace,
    failures: u32,
}

impl Backoff {
    pub(super) const fn new(pace: Pace) -> Self {
        Self { pace, failures: 0 }
    }

    /// A connection ended that had held so long.
    pub(super) fn held(&mut self, time: Duration) {
        if time >= HEALTHY {
            self.failures = 0;
        }
    }

    /// How long to wait now, somewhere in the whole range.
    pub(super) fn next(&mut self, random: u64) -> Duration {
        let (first, most) = self.pace.range();
        let range = first.saturating_mul(1 << self.failures.min(16)).min(most);
        self.failures = self.failures.saturating_add(1);
        within(range, random)
    }

    /// How long to wait after an announced restart, not before what the relay asked for.
    pub(super) fn announced(&self, retry_after: Duration, random: u64) -> Duration {
        retry_after.min(HEALTHY) + within(self.pace.announced(), random)
    }
}

fn within(range: Duration, random: u64) -> Duration {
    let range_ms = u64::try_from(range.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(random % range_ms.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The longest waits, one failure after the other.
    fn longest(pace: Pace, count: usize) -> Vec<u64> {
        let mut backoff = Backoff::new(pace);
        let mut most = || {
            let (first, cap) = pace.range();
            let range = first.saturating_mul(1 << backoff.failures.min(16)).min(cap);
            backoff.next(range.as_millis() as u64).as_millis() as u64
        };
        (0..count).map(|_| most()).collect()
    }

    #[test]
    fn ranges_double_up_to_their_cap() {
        assert_eq!(longest(Pace::Network, 5), [10_000, 20_000, 40_000, 60_000, 60_000]);
        assert_eq!(longest(Pace::Loopback, 5), [300, 600, 1_200, 2_000, 2_000]);
        assert_eq!(longest(Pace::Unhurried, 12).last(), Some(&3_600_000));
    }

    #[test]
    fn only_a_connection_that_held_for_a_minute_begins_anew() {
        let mut backoff = Backoff::new(Pace::Network);
        for _ in 0..4 {
            backoff.next(0);
        }
        backoff.held(Duration::from_secs(59));
        assert_eq!(backoff.next(50_000), Duration::from_secs(50));
        backoff.held(Duration::from_secs(60));
        assert_eq!(backoff.next(50_000), Duration::from_millis(50_000 % 10_001));
    }

    proptest! {
        #[test]
        fn no_wait_leaves_its_range(random: u64, failures in 0u32..100, asked in 0u64..1_000_000) {
            for pace in [Pace::Loopback, Pace::Network, Pace::Unhurried] {
                let mut backoff = Backoff { pace, failures };
                prop_assert!(backoff.next(random) <= pace.range().1);
                let announced = backoff.announced(Duration::from_secs(asked), random);
                prop_assert!(announced <= HEALTHY + pace.announced());
            }
        }
    }
}
