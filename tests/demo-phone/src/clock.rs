//! The demo phone's clock and its random bytes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use countersign_mobile_core::clock::{Fresh, Now};
use rustix::time::{ClockId, clock_gettime};

/// Both clocks, read now. Boot time counts sleep.
pub fn now() -> Now {
    let boot = clock_gettime(ClockId::Boottime);
    let boot_ms = u64::try_from(boot.tv_sec).unwrap_or_default().saturating_mul(1_000)
        + u64::try_from(boot.tv_nsec).unwrap_or_default() / 1_000_000;
    Now { boot_ms, wall_ms: u64::try_from(wall().as_millis()).unwrap_or(u64::MAX) }
}

/// Wall time since 1970.
pub fn wall() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Fresh random bytes. Without a working source of them nothing can go on.
///
/// # Errors
/// The operating system gave none.
pub fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    Ok(bytes)
}

/// Fresh random bytes for the core.
///
/// # Errors
/// As [`random`].
pub fn fresh() -> anyhow::Result<Fresh> {
    random().map(Fresh::new)
}
