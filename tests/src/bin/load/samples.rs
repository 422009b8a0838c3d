//! Durations of one kind, and what is said of them.

use std::time::Duration;

/// Durations of one kind.
#[derive(Debug, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    pub fn push(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// The smallest sample that so many of a hundred do not exceed, in ms; 0 where there is none.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).map_or(0.0, |sample| sample.as_secs_f64() * 1_000.0)
    }

    /// Median and 99th percentile.
    pub fn pair(&self) -> String {
        format!("{:.2}/{:.2}", self.percentile(50), self.percentile(99))
    }

    /// A line of a table: median, 99th percentile, and how many times the other's median it takes.
    pub fn row(&self, name: &str, beside: &Self) -> String {
        let (median, most) = (self.percentile(50), self.percentile(99));
        format!("  {name:44}{median:9.2}{most:9.2}{:9.1}", median / beside.percentile(50))
    }
}

/// The head of a table of [`Samples::row`].
pub fn head(title: &str) -> String {
    format!("{title:46}{:>9}{:>9}{:>9}", "p50 ms", "p99 ms", "× echo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples_by_nearest_rank() {
        let mut samples = Samples::default();
        assert_eq!(samples.percentile(50), 0.0);
        (1..=200).rev().for_each(|ms| samples.push(Duration::from_millis(ms)));
        assert_eq!([1, 50, 99, 100].map(|percent| samples.percentile(percent)), [2.0, 100.0, 198.0, 200.0]);
    }
}
