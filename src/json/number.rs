//! Numbers, which keep the text they were written as.

use core::cmp::Ordering;
use core::fmt;

use super::RawStr;
use crate::bytes::{FAST, as_str, run_of};
use crate::excerpt::Excerpt;

/// A number as it was written, of any size. It is never converted to a float.
///
/// Two numbers are equal if their text is equal: `1`, `1.0` and `1e0` differ.
///
/// ```
/// use tautline::RawJson;
///
/// let number = RawJson::parse(b"1e2").unwrap().number().unwrap();
/// assert_eq!((number.as_str(), number.as_i64()), (Some("1e2"), Some(100)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawNumber<'buf> {
    text: &'buf [u8],
}

impl<'buf> RawNumber<'buf> {
    /// Creates a view of text that the scanner has found to be a number.
    pub(super) const fn new(text: &'buf [u8]) -> Self {
        Self { text }
    }

    /// Creates a view of the span of a frame in which the scanner has found a number.
    pub(crate) fn at(frame: &'buf [u8], span: crate::scan::Span) -> Self {
        Self::new(span.of(frame).unwrap_or(b"0"))
    }

    /// Returns the text of the number.
    #[must_use]
    pub const fn as_bytes(&self) -> &'buf [u8] {
        self.text
    }

    /// Returns the text of the number as a string without escapes.
    #[doc(hidden)]
    pub const fn as_text(&self) -> RawStr<'buf> {
        RawStr::new(self.text)
    }

    /// Returns the text of the number. Its UTF-8 is checked again. The text is always ASCII, so the result is
    /// never `None`.
    #[must_use]
    pub const fn as_str(&self) -> Option<&'buf str> {
        as_str(self.text)
    }

    /// Returns the value if it is an integer that fits exactly. The notation does not matter: `100`, `1e2`
    /// and `100.0` are all 100.
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
        // A magnitude that does not fit has changed its sign.
        (value.is_negative() == negative).then_some(value)
    }

    /// Returns the value if it is an integer that fits exactly, in any notation, as [`as_i64`](Self::as_i64)
    /// does. `-0` is 0.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.integer()? {
            (true, _) => None,
            (false, magnitude) => Some(magnitude),
        }
    }

    /// Returns whether the value is an integer, of any size and in any notation.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        if self.is_plain_integer() {
            return true;
        }
        let parts = Parts::of(self.text);
        parts.significant == 0 || parts.shift >= 0
    }

    /// Returns whether the number consists of digits and a sign only, which every peer reads as an integer.
    #[must_use]
    pub fn is_plain_integer(&self) -> bool {
        run_of(self.text, |byte| matches!(byte, b'-' | b'0'..=b'9')) == self.text.len()
    }

    /// Returns whether a double would be infinite: the number is at least halfway from the largest double to the next
    /// power of two.
    pub(super) fn is_beyond_doubles(&self) -> bool {
        let parts = Parts::of(self.text);
        let zeros = digits(self.text).take_while(|digit| *digit == 0).count();
        // The place of the first nonzero digit, before the point.
        let place = parts.shift.saturating_add_unsigned(parts.significant.saturating_sub(zeros));
        parts.significant > 0
            && match place.cmp(&BEYOND_PLACE) {
                Ordering::Less => false,
                Ordering::Greater => true,
                Ordering::Equal => {
                    let digits = digits(self.text).skip(zeros).chain(core::iter::repeat(0));
                    digits
                        .take(BEYOND.len())
                        .ge(BEYOND.iter().map(|digit| digit.wrapping_sub(b'0')))
                }
            }
    }

    /// Returns the values of the digits from the first nonzero digit to the last one, and the number of places to shift
    /// them to the left, once they are read as an integer.
    #[doc(hidden)]
    pub fn decimal(&self) -> (impl Iterator<Item = u8> + Clone + use<'buf>, isize) {
        let parts = Parts::of(self.text);
        (digits(self.text).take(parts.significant).skip_while(|digit| *digit == 0), parts.shift)
    }

    /// Returns whether the number has a minus sign.
    #[doc(hidden)]
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.text.first() == Some(&b'-')
    }

    /// Returns whether both numbers have the same value, in any notation.
    #[doc(hidden)]
    pub fn is_worth(&self, other: &Self) -> bool {
        let ((mine, shift), (others, other_shift)) = (self.decimal(), other.decimal());
        if mine.clone().next().is_none() {
            return others.clone().next().is_none();
        }
        self.is_negative() == other.is_negative() && shift == other_shift && mine.eq(others)
    }

    /// Returns the number of digits from the first nonzero digit to the last one.
    #[cfg(feature = "serde")]
    #[doc(hidden)]
    pub fn significant_digits(&self) -> usize {
        let digits = digits(self.text).take(Parts::of(self.text).significant);
        digits.skip_while(|digit| *digit == 0).count()
    }

    /// Compares the value with an integer.
    #[doc(hidden)]
    pub fn compared_to(&self, other: i32) -> Ordering {
        let parts = Parts::of(self.text);
        if parts.significant == 0 {
            return 0.cmp(&other);
        }
        let is_negative = self.text.first() == Some(&b'-');
        if is_negative != (other < 0) {
            return if is_negative { Ordering::Less } else { Ordering::Greater };
        }
        // The digits before the point, which the exponent has moved.
        let whole = parts.shift.saturating_add_unsigned(parts.significant);
        let mut digits = digits(self.text).chain(core::iter::repeat(0));
        let mut magnitude = Some(0_u32);
        for _ in 0..whole {
            let digit = digits.next().unwrap_or(0);
            magnitude = magnitude
                .and_then(|magnitude| magnitude.checked_mul(10)?.checked_add(digit.into()));
            if magnitude.is_none() {
                break;
            }
        }
        let fraction = if parts.shift < 0 { Ordering::Greater } else { Ordering::Equal };
        let of_magnitudes = match magnitude {
            Some(magnitude) => magnitude.cmp(&other.unsigned_abs()).then(fraction),
            None => Ordering::Greater,
        };
        if is_negative { of_magnitudes.reverse() } else { of_magnitudes }
    }

    /// Returns whether the number has a minus sign, and its magnitude, if it consists of few digits.
    fn short_integer(&self) -> Option<(bool, u64)> {
        // All numbers with as many digits fit.
        const MOST: usize = 19;
        let digits = self.text.strip_prefix(b"-").unwrap_or(self.text);
        if digits.len() > MOST {
            return None;
        }
        let magnitude = digits.iter().try_fold(0_u64, |magnitude, byte| {
            let digit = byte.wrapping_sub(b'0');
            (digit <= 9).then(|| magnitude.wrapping_mul(10).wrapping_add(digit.into()))
        })?;
        Some((digits.len() < self.text.len(), magnitude))
    }

    /// Returns whether the value is negative, and its magnitude, if it is an integer whose magnitude fits.
    #[doc(hidden)]
    pub fn integer(&self) -> Option<(bool, u64)> {
        if FAST && let Some((is_negative, magnitude)) = self.short_integer() {
            return Some((is_negative && magnitude != 0, magnitude));
        }
        let parts = Parts::of(self.text);
        if parts.significant == 0 {
            return Some((false, 0));
        }
        // Zeros follow the last nonzero digit, written or implied.
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

/// The number of digits of 2^1024 - 2^970, from which on doubles are infinite, and the first of them. More of them would
/// matter to no number that anyone writes.
const BEYOND_PLACE: isize = 309;
const BEYOND: &[u8] = b"17976931348623158079";

/// The decomposition of a number into its digits and their scale.
struct Parts {
    /// The number of digits up to the last nonzero one.
    significant: usize,
    /// The number of places to shift these digits to the left, once they are read as an integer.
    ///
    /// It saturates. No text is long enough to bring a saturated value back into range.
    shift: isize,
}

impl Parts {
    fn of(text: &[u8]) -> Self {
        let (mut digits, mut whole, mut significant) = (0_isize, None, 0);
        let mut bytes = text.iter();
        for byte in bytes.by_ref() {
            match byte {
                b'.' => whole = Some(digits),
                b'e' | b'E' => break,
                digit @ b'0'..=b'9' => {
                    digits = digits.wrapping_add(1);
                    if *digit != b'0' {
                        significant = digits;
                    }
                }
                // A sign does not count, and neither do the bytes of a buffer that has changed. Loops over the
                // significant digits end because there are that many.
                _ => {}
            }
        }
        let moved = whole.unwrap_or(digits).wrapping_sub(significant);
        let shift = exponent_value(bytes.as_slice()).saturating_add(moved);
        Self { significant: significant.unsigned_abs(), shift }
    }
}

/// Returns the values of the digits before the exponent.
fn digits(text: &[u8]) -> impl Iterator<Item = u8> + Clone {
    let mantissa = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    mantissa.filter(|byte| byte.is_ascii_digit()).map(|digit| digit.wrapping_sub(b'0'))
}

/// The bound below which another digit can be appended without overflow.
const TENTH: isize = isize::MAX / 10;

/// Returns the value of an exponent, saturated.
fn exponent_value(text: &[u8]) -> isize {
    let (mut negative, mut value) = (false, 0_isize);
    for byte in text {
        match (byte, value) {
            (b'-', _) => negative = true,
            (b'0'..=b'9', ..TENTH) => value = value * 10 + isize::from(byte.wrapping_sub(b'0')),
            (b'0'..=b'9', _) => value = isize::MAX,
            _ => {}
        }
    }
    if negative { -value } else { value }
}

impl fmt::Debug for RawNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawNumber({})", Excerpt(self.text))
    }
}

impl fmt::Display for RawNumber<'_> {
    /// Writes the text unchanged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str().unwrap_or_default())
    }
}

impl AsRef<[u8]> for RawNumber<'_> {
    /// Returns the text as it was [written](RawNumber::as_bytes).
    fn as_ref(&self) -> &[u8] {
        self.text
    }
}
