//! Times as tools write them, in microseconds since the Unix epoch.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Parses a time with its offset from UTC, in the format of RFC 3339.
pub(super) fn with_zone(text: &str) -> Option<i64> {
    text.parse().ok().map(Timestamp::as_microsecond)
}

/// Parses a time without a zone. It is treated as UTC, because only differences matter.
pub(super) fn without_zone(text: &str) -> Option<i64> {
    let time: DateTime = text.parse().ok()?;
    TimeZone::UTC.to_timestamp(time).ok().map(Timestamp::as_microsecond)
}

/// Converts a time in milliseconds since the Unix epoch. Returns `None` for one before 1970 or after the year 5000.
pub(super) fn since_epoch(milliseconds: f64) -> Option<i64> {
    const LATEST: f64 = 1e14;
    if !(0.0..LATEST).contains(&milliseconds) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is below 10^17")]
    let microseconds = (milliseconds * 1000.0).round() as i64;
    Some(microseconds)
}

/// Converts a duration from milliseconds to microseconds. Returns 0 for one that is negative, absurdly long or not a
/// number.
pub(super) fn microseconds(milliseconds: f64) -> i64 {
    const LONGEST: f64 = 1e12;
    if !(0.0..LONGEST).contains(&milliseconds) {
        return 0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is below 10^15")]
    let microseconds = (milliseconds * 1000.0).round() as i64;
    microseconds
}

#[cfg(test)]
mod tests {
    use super::{microseconds, since_epoch, with_zone, without_zone};

    #[test]
    fn times_of_all_tools_are_read() {
        let start = with_zone("2026-11-23T17:29:32Z").unwrap();
        for (text, after) in [
            ("2026-11-23T17:29:32.929464405Z", 929_464),
            ("2026-11-23T18:29:32.5+01:00", 500_000),
            ("2026-11-23T17:29:32.135178+00:00", 135_178),
        ] {
            assert_eq!(with_zone(text), Some(start + after), "{text}");
        }
        assert_eq!(without_zone("2026-11-23 17:29:32.001"), Some(start + 1000));
        assert_eq!((with_zone("2026-11-23"), without_zone("17:29:32")), (None, None));
    }

    #[test]
    fn milliseconds_since_the_epoch_are_read() {
        let time = with_zone("2026-11-23T17:29:32.125Z");
        assert_eq!(since_epoch(1_795_454_972_125.0), time);
        assert_eq!(
            (since_epoch(-1.0), since_epoch(1e15), since_epoch(f64::NAN)),
            (None, None, None)
        );
    }

    #[test]
    fn durations_are_rounded() {
        assert_eq!(microseconds(41.298_389), 41_298);
        assert_eq!((microseconds(-1.0), microseconds(f64::NAN), microseconds(1e300)), (0, 0, 0));
    }
}
