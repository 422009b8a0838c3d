//! The counter of this phone's signed words (protocol.md §7.5): it only ever grows, and a value is durable before
//! anything is signed under it.

/// Values stop here: the desktop refuses larger ones.
const END: u64 = 1 << 63;

/// The last value that was given out or learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counter(u64);

impl Counter {
    pub(crate) const fn new(stored: u64) -> Self {
        Self(stored)
    }

    pub(crate) const fn last(self) -> u64 {
        self.0
    }

    /// A value never given out before, to be stored and then signed.
    pub(crate) const fn next(&mut self) -> Option<u64> {
        match self.0.checked_add(1) {
            Some(next) if next < END => {
                self.0 = next;
                Some(next)
            }
            Some(_) | None => None,
        }
    }

    /// Follows a desktop that knows a higher value. True where this phone had come back lower.
    pub(crate) const fn catch_up(&mut self, known: u64) -> bool {
        let is_behind = known > self.0 && known < END;
        if is_behind {
            self.0 = known;
        }
        is_behind
    }

    /// The record's bytes.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.0.to_be_bytes().to_vec()
    }

    /// Reads the record.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(u64::from_be_bytes).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_never_gives_a_value_twice_and_ends_before_the_desktops_bound() {
        let mut counter = Counter::new(END - 3);
        assert_eq!((counter.next(), counter.next(), counter.next()), (Some(END - 2), Some(END - 1), None));
        assert!(!counter.catch_up(u64::MAX));
    }

    #[test]
    fn a_phone_that_came_back_lower_goes_on_above_what_the_desktop_knows() {
        let mut counter = Counter::new(3);
        assert!(counter.catch_up(9));
        assert_eq!(counter.next(), Some(10));
        assert!(!counter.catch_up(10));
        assert_eq!(Counter::from_bytes(&counter.to_bytes()), Some(counter));
    }
}
