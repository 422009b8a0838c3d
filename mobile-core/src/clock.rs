//! Time as the phone knows it. Deadlines run on boot time; wall time is shown and never decides.

/// The moment an input arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Now {
    /// Milliseconds since boot, on a clock that counts sleep.
    pub boot_ms: u64,
    /// Milliseconds since 1970, for display.
    pub wall_ms: u64,
}

/// 32 fresh random bytes, handed in with an input: each value is used for one key at most and wiped when dropped.
#[derive(Debug, Clone)]
pub struct Fresh(countersign_proto::key::Secret32);

impl Fresh {
    /// Takes bytes that nobody else has and nobody used before.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(countersign_proto::key::Secret32::new(bytes))
    }

    pub(crate) fn take(self) -> [u8; 32] {
        *self.0.expose()
    }
}

/// A duration in whole milliseconds.
pub(crate) fn millis(duration: core::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
