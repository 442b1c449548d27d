//! Numbers, which keep their spelling.

use core::fmt;

use super::RawStr;
use crate::bytes::as_str;

/// A number, as it was written: of any size, and never passed through a float.
///
/// Two are equal if they are spelled the same: `1`, `1.0` and `1e0` differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawNumber<'buf> {
    text: &'buf [u8],
}

impl<'buf> RawNumber<'buf> {
    /// Text that the scanner has found to be a number.
    pub(super) const fn new(text: &'buf [u8]) -> Self {
        Self { text }
    }

    pub(crate) const ZERO: Self = Self::new(b"0");

    /// What stands in a frame where the scanner has found a number.
    #[cfg(any(feature = "fast", feature = "tokio-util-v0_7"))]
    pub(crate) fn at(frame: &'buf [u8], span: crate::scan::Span) -> Self {
        Self::new(span.of(frame).unwrap_or(b"0"))
    }

    /// The text of the number.
    #[must_use]
    pub const fn as_bytes(&self) -> &'buf [u8] {
        self.text
    }

    /// The text of the number as that of a string, in which nothing is escaped.
    pub(crate) const fn as_text(&self) -> RawStr<'buf> {
        RawStr::new(self.text)
    }

    /// The text of the number. Its UTF-8, which is ASCII, is checked again; it is never `None` for
    /// that.
    #[must_use]
    pub const fn as_str(&self) -> Option<&'buf str> {
        as_str(self.text)
    }

    /// The value, if it is an integer that fits exactly, however it is spelled: `100`, `1e2` and
    /// `100.0` are all 100.
    ///
    /// ```
    /// # use tautline::RawJson;
    /// let number = |text: &'static str| RawJson::parse(text.as_bytes()).unwrap().number().unwrap();
    /// assert_eq!(number("-9223372036854775808").as_i64(), Some(i64::MIN));
    /// assert_eq!(number("9223372036854775808").as_i64(), None);
    /// assert_eq!(number("12.50e1").as_i64(), Some(125));
    /// assert_eq!(number("12.5").as_i64(), None);
    /// ```
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        let (negative, magnitude) = self.integer()?;
        let value = magnitude.cast_signed();
        let value = if negative { value.wrapping_neg() } else { value };
        // What does not fit has come out with the other sign.
        (value.is_negative() == negative).then_some(value)
    }

    /// The value, if it is an integer that fits exactly, however it is spelled; see
    /// [`as_i64`](Self::as_i64). `-0` is 0.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.integer()? {
            (true, _) => None,
            (false, magnitude) => Some(magnitude),
        }
    }

    /// Whether the value is an integer, of any size and however it is spelled.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        let parts = Parts::of(self.text);
        parts.significant == 0 || parts.shift >= 0
    }

    /// Whether it is spelled with digits and a sign alone, which is how every peer reads an integer.
    #[must_use]
    pub fn is_plain_integer(&self) -> bool {
        self.text.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
    }

    /// Whether both have the same value, however they are spelled.
    #[cfg(feature = "std")]
    pub(crate) fn is_worth(&self, other: &Self) -> bool {
        let (parts, others) = (Parts::of(self.text), Parts::of(other.text));
        if parts.significant == 0 || others.significant == 0 {
            return parts.significant == others.significant;
        }
        let significant = |text, parts: &Parts| {
            digits(text).take(parts.significant).skip_while(|digit| *digit == 0)
        };
        self.text.starts_with(b"-") == other.text.starts_with(b"-")
            && parts.shift == others.shift
            && significant(self.text, &parts).eq(significant(other.text, &others))
    }

    /// How many digits there are from the first to the last one that is not 0.
    #[cfg(feature = "std")]
    pub(crate) fn significant_digits(&self) -> usize {
        let digits = digits(self.text).take(Parts::of(self.text).significant);
        digits.skip_while(|digit| *digit == 0).count()
    }

    /// The sign and the magnitude, if the value is an integer and the magnitude fits.
    pub(crate) fn integer(&self) -> Option<(bool, u64)> {
        let parts = Parts::of(self.text);
        if parts.significant == 0 {
            return Some((false, 0));
        }
        // Behind the last digit that is not 0 there are zeros, written or not.
        let length = usize::try_from(parts.shift).ok()?.saturating_add(parts.significant);
        let mut digits = digits(self.text);
        let mut magnitude: u64 = 0;
        for _ in 0..length {
            let digit = digits.next().unwrap_or(0);
            magnitude = magnitude.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        Some((self.text.first() == Some(&b'-'), magnitude))
    }
}

/// How the digits of a number make up its value.
struct Parts {
    /// How many digits there are up to the last one that is not 0.
    significant: usize,
    /// By how many places those, read as an integer, are to be moved to the left.
    ///
    /// It is cut at the ends of its range, which no text is long enough to come back from.
    shift: isize,
}

impl Parts {
    fn of(text: &[u8]) -> Self {
        let (mut digits, mut whole, mut significant) = (0_isize, None, 0);
        let mut bytes = text.iter();
        for byte in bytes.by_ref() {
            match byte {
                b'-' => {}
                b'.' => whole = Some(digits),
                b'e' | b'E' => break,
                digit => {
                    digits = digits.wrapping_add(1);
                    if *digit != b'0' {
                        significant = digits;
                    }
                }
            }
        }
        let moved = whole.unwrap_or(digits).wrapping_sub(significant);
        let shift = exponent_value(bytes.as_slice()).saturating_add(moved);
        Self { significant: significant.unsigned_abs(), shift }
    }
}

/// The digits before the exponent, each as its value.
fn digits(text: &[u8]) -> impl Iterator<Item = u8> {
    let mantissa = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    mantissa.filter(|byte| byte.is_ascii_digit()).map(|digit| digit.wrapping_sub(b'0'))
}

/// What is less than this can be counted with one more digit.
const TENTH: isize = isize::MAX / 10;

/// An exponent's value, cut to what can be counted.
fn exponent_value(text: &[u8]) -> isize {
    let (mut negative, mut value) = (false, 0_isize);
    for byte in text {
        match (byte, value) {
            (b'-', _) => negative = true,
            (b'+', _) => {}
            (digit, ..TENTH) => value = value * 10 + isize::from(digit.wrapping_sub(b'0')),
            _ => value = isize::MAX,
        }
    }
    if negative { -value } else { value }
}

impl fmt::Debug for RawNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawNumber({})", self.text.escape_ascii())
    }
}

impl fmt::Display for RawNumber<'_> {
    /// Writes the text as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str().unwrap_or_default())
    }
}
