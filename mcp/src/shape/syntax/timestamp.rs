//! Timestamps.

use tautline::RawStr;

/// The longest timestamp that is read, in bytes.
const LONGEST: usize = 64;

/// Returns whether the text is a date with or without a time, as ISO 8601 and RFC 3339, section 5, write it:
/// `2026-07-28T09:30:00.5Z`, `2026-07-28T09:30+02:00`, `2026-07-28`, `2026-07`, `2026-W31-2`, or the same without
/// hyphens and colons. The number of days in a month is not checked.
pub(super) fn is_timestamp(text: RawStr<'_>) -> bool {
    let mut buffer = [0; LONGEST];
    let Ok(text) = text.decode_into(&mut buffer) else { return false };
    let mut rest = Digits(text.as_bytes());
    let has_year = rest.number(4).is_some();
    let has_hyphen = rest.skip(b"-");
    if has_year && rest.skip(b"W") {
        let has_week = matches!(rest.number(2), Some(1..=53));
        return has_week
            && (rest.is_end() || rest.skip(b"-") == has_hyphen && is_weekday(&mut rest));
    }
    let has_month = matches!(rest.number(2), Some(1..=12));
    if has_year && has_month && has_hyphen && rest.is_end() {
        return true;
    }
    let has_second_hyphen = rest.skip(b"-");
    let has_day = matches!(rest.number(2), Some(1..=31));
    let is_date = has_year && has_month && has_day && has_hyphen == has_second_hyphen;
    is_date && (rest.is_end() || rest.skip(b"Tt ") && is_time(&mut rest))
}

/// Reads the number of a weekday, and a time.
fn is_weekday(rest: &mut Digits<'_>) -> bool {
    matches!(rest.number(1), Some(1..=7)) && (rest.is_end() || rest.skip(b"Tt") && is_time(rest))
}

/// Reads a time to the end of the text.
fn is_time(rest: &mut Digits<'_>) -> bool {
    if !matches!(rest.number(2), Some(0..=24)) {
        return false;
    }
    // Minutes and seconds may be absent. The 60 is a leap second.
    for most in [59, 60] {
        if !rest.skip(b":") && !rest.is_digit() {
            break;
        }
        if rest.number(2).is_none_or(|number| number > most) {
            return false;
        }
    }
    if rest.skip(b".,") && rest.run() == 0 {
        return false;
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
    // Many lines call it and the next one, so they are there once.
    #[inline(never)]
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
    #[inline(never)]
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
                r#""2025-01""#,
                r#""2025-W03-1""#,
                r#""2025W031T15Z""#,
                r#""2025-01-12T15Z""#,
                r#""2025-01-12T15\u003a00:58Z""#,
            ],
            &[
                r#""""#,
                r#""now""#,
                r#""2025-13-12""#,
                r#""2025-01-00""#,
                r#""2025-0112""#,
                r#""2025-W54""#,
                r#""2025-W03-8""#,
                r#""202501""#,
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
