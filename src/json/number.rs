//! Numbers, which keep their spelling.

use core::fmt;

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

    /// What stands in a frame where the scanner has found a number.
    pub(crate) fn at(frame: &'buf [u8], span: crate::scan::Span) -> Self {
        Self::new(span.of(frame).unwrap_or(b"0"))
    }

    /// The text of the number.
    #[must_use]
    pub const fn as_bytes(&self) -> &'buf [u8] {
        self.text
    }

    /// The text of the number. Its UTF-8, which is ASCII, is checked again; it is never `None` for
    /// that.
    #[must_use]
    pub const fn as_str(&self) -> Option<&'buf str> {
        match core::str::from_utf8(self.text) {
            Ok(text) => Some(text),
            Err(_) => None,
        }
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
        match negative {
            true => 0_i64.checked_sub_unsigned(magnitude),
            false => i64::try_from(magnitude).ok(),
        }
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
        parts.significant() == 0 || parts.shift() >= 0
    }

    /// Whether it is spelled with digits and a sign alone, which is how every peer reads an integer.
    #[must_use]
    pub fn is_plain_integer(&self) -> bool {
        self.text.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
    }

    /// The sign and the magnitude, if the value is an integer and the magnitude fits.
    pub(crate) fn integer(&self) -> Option<(bool, u64)> {
        let parts = Parts::of(self.text);
        let mut magnitude: u64 = 0;
        for digit in parts.digits().take(parts.significant()) {
            magnitude = magnitude.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        if magnitude > 0 {
            for _ in 0..u64::try_from(parts.shift()).ok()? {
                magnitude = magnitude.checked_mul(10)?;
            }
        }
        Some((parts.negative && magnitude > 0, magnitude))
    }
}

/// The parts of a number: sign, digits before and behind the point, exponent.
struct Parts<'buf> {
    negative: bool,
    whole: &'buf [u8],
    fraction: &'buf [u8],
    exponent: i64,
}

impl<'buf> Parts<'buf> {
    fn of(text: &'buf [u8]) -> Self {
        let (negative, text) = match text.strip_prefix(b"-") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = split(text, |&byte| matches!(byte, b'e' | b'E'));
        let (whole, fraction) = split(mantissa, |&byte| byte == b'.');
        Self { negative, whole, fraction, exponent: exponent_value(exponent) }
    }

    /// All digits, each as its value.
    fn digits(&self) -> impl DoubleEndedIterator<Item = u8> {
        let digits = self.whole.iter().chain(self.fraction);
        digits.map(|digit| digit.wrapping_sub(b'0'))
    }

    /// How many digits there are up to the last one that is not 0.
    fn significant(&self) -> usize {
        let zeros = self.digits().rev().take_while(|&digit| digit == 0).count();
        self.whole.len().saturating_add(self.fraction.len()).saturating_sub(zeros)
    }

    /// By how many places the significant digits, read as an integer, are to be moved to the left.
    fn shift(&self) -> i64 {
        let length = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let moved = length(self.whole.len()).saturating_sub(length(self.significant()));
        self.exponent.saturating_add(moved)
    }
}

/// Before and behind the first byte that is one of those.
fn split(text: &[u8], is_mark: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    let at = text.iter().position(is_mark).unwrap_or(text.len());
    let behind = text.get(at.saturating_add(1)..).unwrap_or(b"");
    (text.get(..at).unwrap_or(text), behind)
}

/// An exponent's value; one too large to count is cut, which makes no difference to any `u64`.
fn exponent_value(text: &[u8]) -> i64 {
    let (negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, text),
    };
    let value = digits.iter().fold(0_i64, |value, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0')))
    });
    if negative { value.saturating_neg() } else { value }
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
