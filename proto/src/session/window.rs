//! Which counters of a session were seen: the highest and the 1,023 before it. Anything older counts as seen.

use crate::limits;

const WORD: u64 = u64::BITS as u64;
const WORDS: usize = (limits::WINDOW / WORD) as usize;

/// The counters seen so far; nothing is marked before its envelope verified.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// One more than the highest counter seen.
    next: u64,
    bits: [u64; WORDS],
}

impl Window {
    /// Whether a counter was seen, or is too old to tell.
    pub(super) fn has_seen(&self, counter: u64) -> bool {
        if counter >= self.next {
            return false;
        }
        if self.next - counter > limits::WINDOW {
            return true;
        }
        let (word, bit) = place(counter);
        self.bits.get(word).is_none_or(|bits| bits & bit != 0)
    }

    /// Marks a counter as seen.
    pub(super) fn mark(&mut self, counter: u64) {
        if counter >= self.next {
            let fresh = (counter - self.next + 1).min(limits::WINDOW);
            for step in 0..fresh {
                self.set(counter - step, false);
            }
            self.next = counter.saturating_add(1);
        }
        self.set(counter, true);
    }

    fn set(&mut self, counter: u64, seen: bool) {
        let (word, bit) = place(counter);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits = if seen { *bits | bit } else { *bits & !bit };
        }
    }
}

fn place(counter: u64) -> (usize, u64) {
    let word = (counter / WORD) % WORDS as u64;
    (usize::try_from(word).unwrap_or_default(), 1 << (counter % WORD))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_fell_out_of_the_window_counts_as_seen() {
        let mut window = Window::default();
        window.mark(1_024);
        assert!(window.has_seen(0));
        assert!(!window.has_seen(1));
        window.mark(1);
        assert!(window.has_seen(1));
    }

    proptest! {
        #[test]
        fn it_answers_like_a_set_with_a_lower_end(counters in proptest::collection::vec(0u64..5_000, 1..200)) {
            let mut window = Window::default();
            let mut seen = BTreeSet::new();
            for counter in counters {
                let highest = seen.last().copied().unwrap_or(0);
                let old = !seen.is_empty() && counter + limits::WINDOW <= highest;
                let expected = old || seen.contains(&counter);
                prop_assert_eq!(window.has_seen(counter), expected, "{}", counter);
                if !expected {
                    window.mark(counter);
                    seen.insert(counter);
                }
            }
        }
    }
}
