//! The time in a line of a log, in the formats of common loggers.

use crate::source::stamp::split_time;
use crate::source::time;

/// The length of the start of a line in which the time is searched, in bytes.
const LONGEST: usize = 80;

/// Returns the time in a line, in microseconds: since the Unix epoch or, without a date, since midnight.
pub(super) fn time_in(line: &str) -> Option<i64> {
    let mut is_in_number = false;
    for (at, c) in line.char_indices().take_while(|&(at, _)| at < LONGEST) {
        let is_digit = c.is_ascii_digit();
        if is_digit && !is_in_number {
            let rest = line.get(at..)?;
            if let Some(time) = with_date(rest).or_else(|| since_midnight(rest)) {
                return Some(time);
            }
        }
        is_in_number = is_digit;
    }
    None
}

fn with_date(text: &str) -> Option<i64> {
    let (seconds, rest) = ["0000-00-00T00:00:00", "0000-00-00 00:00:00", "0000/00/00 00:00:00"]
        .iter()
        .find_map(|shape| split_time(text, shape))?;
    let (fraction, rest) = split_fraction(rest);
    let zone = rest.strip_prefix('Z').map(|_| "Z").or_else(|| {
        let shapes = ["+00:00", "-00:00", "+0000", "-0000"];
        shapes.iter().find_map(|shape| split_time(rest, shape)).map(|(zone, _)| zone)
    });
    let time = format!("{}{fraction}", seconds.replace('/', "-").replace(' ', "T"));
    match zone {
        Some(zone) => time::with_zone(&format!("{time}{zone}")),
        None => time::without_zone(&time),
    }
}

fn since_midnight(text: &str) -> Option<i64> {
    let (time, rest) = split_time(text, "00:00:00")?;
    let (fraction, _) = split_fraction(rest);
    let date = "1970-01-01T";
    time::without_zone(&format!("{date}{time}{fraction}"))
}

/// Splits off a fraction of a second, with a point before it, up to nine digits.
fn split_fraction(text: &str) -> (String, &str) {
    let digits = text
        .strip_prefix(['.', ','])
        .map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).take(9).count());
    if digits == 0 {
        return (String::new(), text);
    }
    let (fraction, rest) = text.split_at_checked(digits + 1).unwrap_or((text, ""));
    (fraction.replace(',', "."), rest.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::time_in;

    #[test]
    fn times_of_loggers_are_read() {
        let start = time_in("1970-01-02 03:04:05").unwrap();
        assert_eq!(start, (24 + 3) * 3_600_000_000 + 4 * 60_000_000 + 5_000_000);
        for (line, after) in [
            ("1970-01-02T03:04:05.250 helix [INFO]", 250_000),
            ("1970-01-02 03:04:05,006 DEBUG [A]", 6_000),
            ("[INFO] 1970/01/02 03:04:05.5 x", 500_000),
            ("pid 12 1970-01-02T04:04:05.000001+01:00", 1),
            ("1970-01-02T03:04:05Z", 0),
            ("1970-01-02T05:04:05+0200", 0),
        ] {
            assert_eq!(time_in(line), Some(start + after), "{line}");
        }
        assert_eq!(time_in("[jsonrpc] e[00:00:01.250] -->"), Some(1_250_000));
        for line in ["", "no time", "12345", "99:99:99", "2026-13-45 99:00:00"] {
            assert_eq!(time_in(line), None, "{line}");
        }
    }
}
