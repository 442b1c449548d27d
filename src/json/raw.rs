//! Any value.

use core::fmt;

use super::{Elements, Members, RawNumber, RawStr};
use crate::bytes::as_str;
use crate::scan::{self, Span, SyntaxError};

/// One JSON value, as it was written.
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
/// Two views are equal if their text is, byte for byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawJson<'buf> {
    /// Exactly one value, with nothing around it.
    text: &'buf [u8],
}

/// What kind of value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "RFC 8259, section 3, has these and no more")]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
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
    /// Validates a text that is one value, with whitespace around it at most, and nested no deeper
    /// than [`DEFAULT_MAX_DEPTH`](scan::DEFAULT_MAX_DEPTH).
    ///
    /// # Errors
    ///
    /// The first fault in the text.
    pub fn parse(text: &'buf [u8]) -> Result<Self, SyntaxError> {
        let span = scan::text(text, None, scan::DEFAULT_MAX_DEPTH, &mut scan::Ignore)?;
        Ok(Self::at(text, span))
    }

    /// What stands in a frame where the scanner has found a value.
    pub(crate) fn at(frame: &'buf [u8], span: Span) -> Self {
        Self::new(span.of(frame).unwrap_or(b"null"))
    }

    /// The same of a member that may be absent, which has an empty span then.
    pub(crate) fn present(frame: &'buf [u8], span: Span) -> Option<Self> {
        span.if_any().map(|span| Self::at(frame, span))
    }

    /// Text that the scanner has found to be a value.
    pub(super) const fn new(text: &'buf [u8]) -> Self {
        Self { text }
    }

    /// The text of the value, with no whitespace around it.
    #[must_use]
    pub const fn as_bytes(&self) -> &'buf [u8] {
        self.text
    }

    /// The text of the value. Its UTF-8 is checked again; it is never `None` for that.
    #[must_use]
    pub const fn as_str(&self) -> Option<&'buf str> {
        as_str(self.text)
    }

    /// What kind of value it is.
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

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// The value of `true` or `false`.
    #[must_use]
    pub const fn bool(&self) -> Option<bool> {
        match self.text.first() {
            Some(b't') => Some(true),
            Some(b'f') => Some(false),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<RawNumber<'buf>> {
        (self.kind() == Kind::Number).then(|| RawNumber::new(self.text))
    }

    /// The string, if it is one.
    #[must_use]
    pub fn string(&self) -> Option<RawStr<'buf>> {
        let inside = self.text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(RawStr::new(inside))
    }

    /// The members, if it is an object, in the order in which they are written.
    #[must_use]
    pub fn members(&self) -> Option<Members<'buf>> {
        (self.kind() == Kind::Object).then(|| Members::new(self.text))
    }

    /// The elements, if it is an array.
    #[must_use]
    pub fn elements(&self) -> Option<Elements<'buf>> {
        (self.kind() == Kind::Array).then(|| Elements::new(self.text))
    }

    /// The value of the first member of this name, if it is an object that has one. The other ways of reading an
    /// object also keep the first: the envelope's members, `deserialize` and owned messages.
    ///
    /// Names are compared after unescaping. The members before it are passed over, so the work grows
    /// with where it stands; to read many members, go over [`members`](Self::members) once.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        self.members()?.next_named(name)
    }
}

impl fmt::Debug for RawJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({})", self.text.escape_ascii())
    }
}

impl fmt::Display for RawJson<'_> {
    /// Writes the text as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str().unwrap_or_default())
    }
}
