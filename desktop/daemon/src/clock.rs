//! The one place that reads the clocks: `CLOCK_BOOTTIME`, which counts sleep, for every deadline and interval
//! (`std::time::Instant` stands still in suspend on Linux), and wall time for records and display.

use countersign_core::clock::Now;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Both clocks, now.
#[must_use]
pub fn now() -> Now {
    Now::new(boot_ms(), wall_ms())
}

/// `CLOCK_BOOTTIME` in ms.
#[must_use]
pub fn boot_ms() -> u64 {
    milliseconds(clock_gettime(ClockId::Boottime))
}

/// Wall time in ms since 1970.
#[must_use]
pub fn wall_ms() -> u64 {
    milliseconds(clock_gettime(ClockId::Realtime))
}

/// A wall time as people and scripts read it, RFC 3339 in UTC.
#[must_use]
pub fn rfc3339(wall_ms: u64) -> String {
    let ms = i64::try_from(wall_ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX).to_string()
}

fn milliseconds(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000;
    seconds.saturating_mul(1_000).saturating_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_time_never_goes_back_and_wall_time_is_of_this_century() {
        let first = now();
        let second = now();
        assert!(second.boot_ms >= first.boot_ms);
        assert!(first.wall_ms > 1_600_000_000_000);
    }

    #[test]
    fn a_wall_time_reads_as_rfc_3339() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
    }
}
