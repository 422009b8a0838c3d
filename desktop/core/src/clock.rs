//! Time as it is handed in. Deadlines use boot time only: it counts sleep and never jumps.

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// `CLOCK_BOOTTIME` in ms: for every deadline and interval.
    pub boot_ms: u64,
    /// Wall time in ms since 1970: for display and records, never for a decision.
    pub wall_ms: u64,
}

impl Now {
    /// Both clocks.
    #[must_use]
    pub const fn new(boot_ms: u64, wall_ms: u64) -> Self {
        Self { boot_ms, wall_ms }
    }
}
