//! Timestamps.

use crate::json::RawStr;

/// The longest timestamp that is read, in bytes.
const LONGEST: usize = 64;

/// Returns whether the text is a date with or without a time, as ISO 8601 and RFC 3339, section 5, write it:
/// `2026-07-28T09:30:00.5Z`, `2026-07-28T09:30+02:00`, `2026-07-28`, or the same without hyphens and colons.
pub(super) fn is_timestamp(text: RawStr<'_>) -> bool {
    let mut buffer = [0; LONGEST];
    let Ok(text) = text.decode_into(&mut buffer) else { return false };
    let mut rest = Digits(text.as_bytes());
    let has_year = rest.number(4).is_some();
    let has_hyphen = rest.skip(b"-");
    let has_month = matches!(rest.number(2), Some(1..=12));
    let has_second_hyphen = rest.skip(b"-");
    let has_day = matches!(rest.number(2), Some(1..=31));
    let is_date = has_year && has_month && has_day && has_hyphen == has_second_hyphen;
    is_date && (rest.is_end() || rest.skip(b"Tt ") && is_time(&mut rest))
}

/// Reads a time to the end of the text.
fn is_time(rest: &mut Digits<'_>) -> bool {
    let is_hour = matches!(rest.number(2), Some(0..=24));
    rest.skip(b":");
    let is_minute = matches!(rest.number(2), Some(0..=59));
    if !is_hour || !is_minute {
        return false;
    }
    if rest.skip(b":") || rest.is_digit() {
        // The 60 is a leap second.
        if !matches!(rest.number(2), Some(0..=60)) {
            return false;
        }
        if rest.skip(b".,") && rest.run() == 0 {
            return false;
        }
    }
    if rest.skip(b"Zz") || rest.is_end() {
        return rest.is_end();
    }
    let is_offset = rest.skip(b"+-") && matches!(rest.number(2), Some(0..=23));
    let has_minutes = rest.skip(b":") || rest.is_digit();
    is_offset && (!has_minutes || matches!(rest.number(2), Some(0..=59))) && rest.is_end()
}

/// The text that is left.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    const fn is_end(&self) -> bool {
        self.0.is_empty()
    }

    fn is_digit(&self) -> bool {
        self.0.first().is_some_and(u8::is_ascii_digit)
    }

    /// Skips a byte that is one of these, if it is next.
    fn skip(&mut self, bytes: &[u8]) -> bool {
        match self.0.split_first() {
            Some((byte, rest)) if bytes.contains(byte) => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// Reads a number with this many digits.
    fn number(&mut self, digits: usize) -> Option<u32> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0_u32, |value, byte| {
            let digit = char::from(*byte).to_digit(10)?;
            value.checked_mul(10)?.checked_add(digit)
        })
    }

    /// Skips all digits that are next, and returns their number.
    fn run(&mut self) -> usize {
        let mut count = 0_usize;
        while self.is_digit() {
            self.skip(b"0123456789");
            count = count.wrapping_add(1);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn a_timestamp_is_a_date_and_maybe_a_time() {
        check(
            Format::Timestamp,
            &[
                r#""2025-01-12T15:00:58Z""#,
                r#""2025-01-12T15:00:58.123456789+02:00""#,
                r#""2025-01-12t15:00:60z""#,
                r#""2025-01-12 15:00""#,
                r#""2025-01-12T15:00-0230""#,
                r#""2025-01-12T15:00:58""#,
                r#""2025-01-12T15:00+01""#,
                r#""20250112T150058Z""#,
                r#""2025-01-12""#,
                r#""2025-01-12T15\u003a00:58Z""#,
            ],
            &[
                r#""""#,
                r#""now""#,
                r#""2025-13-12""#,
                r#""2025-01-00""#,
                r#""2025-0112""#,
                r#""2025-01-12T""#,
                r#""2025-01-12T25:00Z""#,
                r#""2025-01-12T15:61Z""#,
                r#""2025-01-12T15:00:58.Z""#,
                r#""2025-01-12T15:00:58Zulu""#,
                r#""2025-01-12T15:00+25:00""#,
                r#""12 Jan 2025""#,
                r#""1736694058""#,
                r#""Sun, 12 Jan 2025 15:00:58 GMT""#,
            ],
        );
    }
}
