//! JSON values of any kind.

use core::fmt;

use super::{RawNumber, RawStr};
use crate::bytes::as_str;
use crate::excerpt::Excerpt;
use crate::scan::{self, Span, SyntaxError};

/// A JSON value as it was written.
///
/// ```
/// use tautline::RawJson;
///
/// # fn main() -> Result<(), tautline::scan::SyntaxError> {
/// let value = RawJson::parse(br#" {"name": "add", "arguments": {"a": 1, "b": [2, 3]}} "#)?;
/// let arguments = value.member("arguments").unwrap();
/// assert_eq!(arguments.as_bytes(), br#"{"a": 1, "b": [2, 3]}"#);
/// let b = arguments.member("b").unwrap().elements().unwrap();
/// let b: Vec<_> = b.map(|element| element.number().unwrap().as_i64()).collect();
/// assert_eq!(b, [Some(2), Some(3)]);
/// # Ok(())
/// # }
/// ```
///
/// Two views are equal if their texts are equal byte for byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawJson<'buf> {
    /// The text of exactly one value, without surrounding whitespace.
    text: &'buf [u8],
}

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "RFC 8259, section 3, has these and no more")]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'buf> RawJson<'buf> {
    /// Validates a text that is one value with at most whitespace around it, nested no deeper than
    /// [`DEFAULT_MAX_DEPTH`](scan::DEFAULT_MAX_DEPTH).
    ///
    /// # Errors
    ///
    /// Returns the first error in the text.
    pub fn parse(text: &'buf [u8]) -> Result<Self, SyntaxError> {
        Self::parse_within(text, scan::DEFAULT_MAX_DEPTH)
    }

    /// The same, nested no deeper than `max_depth`.
    #[doc(hidden)]
    pub fn parse_within(text: &'buf [u8], max_depth: u8) -> Result<Self, SyntaxError> {
        let span = scan::text(text, None, max_depth, &mut scan::Ignore)?;
        Ok(Self::at(text, span))
    }

    #[doc(hidden)]
    pub const NULL: Self = Self::new(b"null");

    /// Creates a view of the span of a frame in which the scanner has found a value.
    #[doc(hidden)]
    pub fn at(frame: &'buf [u8], span: Span) -> Self {
        Self::new(span.of(frame).unwrap_or(b"null"))
    }

    /// Creates a view of a member that may be absent, which has an empty span.
    #[doc(hidden)]
    pub fn present(frame: &'buf [u8], span: Span) -> Option<Self> {
        span.if_any().map(|span| Self::at(frame, span))
    }

    /// Creates a view of text that the scanner has found to be a value.
    pub(super) const fn new(text: &'buf [u8]) -> Self {
        Self { text }
    }

    /// Returns the text of the value, without surrounding whitespace.
    #[must_use]
    pub const fn as_bytes(&self) -> &'buf [u8] {
        self.text
    }

    /// Returns the text of the value. Its UTF-8 is checked again, and is always valid, so the result is never
    /// `None`.
    #[must_use]
    pub const fn as_str(&self) -> Option<&'buf str> {
        as_str(self.text)
    }

    /// Returns the kind of the value.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self.text.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// Returns whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the value of `true` or `false`, and `None` for any other value.
    #[must_use]
    pub const fn bool(&self) -> Option<bool> {
        match self.text.first() {
            Some(b't') => Some(true),
            Some(b'f') => Some(false),
            _ => None,
        }
    }

    /// Returns the number, if the value is one.
    #[must_use]
    pub fn number(&self) -> Option<RawNumber<'buf>> {
        (self.kind() == Kind::Number).then(|| RawNumber::new(self.text))
    }

    /// Returns the string, if the value is one.
    #[must_use]
    pub fn string(&self) -> Option<RawStr<'buf>> {
        let inside = self.text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(RawStr::new(inside))
    }
}

impl fmt::Debug for RawJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({})", Excerpt(self.text))
    }
}

impl fmt::Display for RawJson<'_> {
    /// Writes the text unchanged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str().unwrap_or_default())
    }
}

impl AsRef<[u8]> for RawJson<'_> {
    /// Returns the text as it was [written](RawJson::as_bytes).
    fn as_ref(&self) -> &[u8] {
        self.text
    }
}

impl<'buf> TryFrom<&'buf [u8]> for RawJson<'buf> {
    type Error = SyntaxError;

    /// Validates a text, as [`parse`](RawJson::parse).
    fn try_from(text: &'buf [u8]) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

impl<'buf> TryFrom<&'buf str> for RawJson<'buf> {
    type Error = SyntaxError;

    /// Validates a text, as [`parse`](RawJson::parse).
    fn try_from(text: &'buf str) -> Result<Self, SyntaxError> {
        Self::parse(text.as_bytes())
    }
}

impl<'buf> RawStr<'buf> {
    /// Validates a text that is one string, quotes included, with at most whitespace around it.
    ///
    /// ```
    /// use tautline::RawStr;
    ///
    /// let name = RawStr::parse(br#""tools\/call""#).unwrap();
    /// assert_eq!(name, "tools/call");
    /// assert_eq!(name.escaped_bytes(), br"tools\/call");
    /// // The text has an escape, so only a decoded copy is the string.
    /// assert_eq!((name.unescaped(), &*name.decode()?), (None, "tools/call"));
    /// assert_eq!(RawStr::parse(b"7"), None);
    /// # Ok::<(), tautline::json::LoneSurrogate>(())
    /// ```
    #[must_use]
    pub fn parse(text: &'buf [u8]) -> Option<Self> {
        RawJson::parse(text).ok()?.string()
    }
}
