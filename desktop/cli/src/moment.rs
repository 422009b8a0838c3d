//! Times as people read them.

use jiff::{Timestamp, tz::TimeZone};

/// What is left of a time: `1:32`. A part of a second counts as a whole one, so that it is over at `0:00` only.
pub fn left(ms: u64) -> String {
    let seconds = ms.div_ceil(1_000);
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// An RFC 3339 time on this machine's clock; as it came where it is none.
pub fn local(rfc3339: &str) -> String {
    let Ok(time) = rfc3339.parse::<Timestamp>() else { return rfc3339.to_owned() };
    time.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The time of day.
pub fn now() -> String {
    Timestamp::now().to_zoned_datetime(TimeZone::system()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_over_only_when_it_is() {
        assert_eq!(left(0), "0:00");
        assert_eq!(left(1), "0:01");
        assert_eq!(left(25_000), "0:25");
        assert_eq!(left(115_000), "1:55");
    }

    #[test]
    fn what_is_no_time_stays_as_it_came() {
        assert_eq!(local("soon"), "soon");
        assert_eq!(local("2026-12-01T12:00:00Z").len(), 19);
    }
}
