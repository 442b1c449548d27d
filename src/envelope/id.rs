//! Ids, which keep their spelling.

use core::cmp::Ordering;
use core::fmt;

use crate::json::{Expected, FromJson, Kind, Mismatch, RawJson, RawNumber, RawStr};
use crate::scan;

/// The id of a request or of a response.
///
/// Two ids are equal if they are strings that decode to the same text, numbers that are spelled the
/// same, or both null. A string never equals a number: `"1"` is not `1`, and neither is `1.0`.
///
/// ```
/// use tautline::{Id, Message, Profile};
///
/// let frame = br#"{"jsonrpc":"2.0","id":"a-1","method":"sum"}"#;
/// let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC) else { panic!() };
/// let Id::String(text) = request.id() else { panic!() };
/// assert_eq!(text, "a-1");
/// assert_ne!(Id::parse(b"1"), Id::parse(b"1.0"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, section 4, has these and no more")]
pub enum Id<'buf> {
    /// A string.
    String(RawStr<'buf>),
    /// A number, never passed through a float.
    Number(RawNumber<'buf>),
    /// Null.
    Null,
}

impl<'buf> Id<'buf> {
    /// Creates the id that the parser found in this span of a frame.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub(super) fn at(frame: &'buf [u8], span: scan::Span) -> Self {
        match frame.get(crate::cast::index(span.start())) {
            Some(b'"') => Self::String(RawStr::at(frame, span)),
            Some(b'n') | None => Self::Null,
            Some(_) => Self::Number(RawNumber::at(frame, span)),
        }
    }

    /// Returns the value as an id, if it can be one.
    #[must_use]
    pub fn of(value: RawJson<'buf>) -> Option<Self> {
        match value.kind() {
            Kind::String => value.string().map(Self::String),
            Kind::Number => value.number().map(Self::Number),
            Kind::Null => Some(Self::Null),
            Kind::Bool | Kind::Array | Kind::Object => None,
        }
    }

    /// Parses an id from JSON text, which may have whitespace around it. Returns `None` if the text is not an id. Text
    /// written by [`Display`](fmt::Display) is read as the same id, byte for byte.
    ///
    /// ```
    /// use tautline::Id;
    ///
    /// let id = Id::parse(br#""\u0061-1""#).unwrap();
    /// assert_eq!(id.to_string(), r#""\u0061-1""#);
    /// assert_eq!(Id::parse(b"[1]"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &'buf [u8]) -> Option<Self> {
        scan::scalar(text).map(|span| RawJson::at(text, span)).and_then(Self::of)
    }

    /// Returns whether a peer that is careless about ids may have meant the same one: `"0"` for `0`, or
    /// `1.0` for `1`.
    ///
    /// Ids of more than 40 bytes are like no other id, so that the work for one id is bounded.
    ///
    /// This is for gateways between peers that rewrite ids. Two different ids can be alike, so look for an equal id
    /// first.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        let (mut buffer, mut other_buffer) = ([0; LONGEST_LIKE], [0; LONGEST_LIKE]);
        match (self.as_number(&mut buffer), other.as_number(&mut other_buffer)) {
            (Some(a), Some(b)) => {
                a == b || a.integer().is_some_and(|value| b.integer() == Some(value))
            }
            _ => false,
        }
    }

    /// Returns whether both are the same id, or numbers of the same value: `1` and `1.0`.
    #[doc(hidden)]
    pub fn is_worth(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(_), Self::Number(_)) => self.is_like(other),
            _ => self == other,
        }
    }

    /// Returns the integer that its number or its text stands for, as for [`is_like`](Self::is_like).
    #[doc(hidden)]
    pub fn like_integer(&self) -> Option<(bool, u64)> {
        self.as_number(&mut [0; LONGEST_LIKE])?.integer()
    }

    /// Returns the place of its kind in the order of ids.
    const fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Number(_) => 1,
            Self::String(_) => 2,
        }
    }

    /// Returns the value of a number that may be [like](Self::is_like) others, if it is an integer.
    #[doc(hidden)]
    pub fn integer(&self) -> Option<(bool, u64)> {
        match self {
            Self::Number(_) => self.like_integer(),
            _ => None,
        }
    }

    /// Returns its number, or the number that its text stands for.
    #[inline(never)]
    fn as_number<'a>(&self, buffer: &'a mut [u8; LONGEST_LIKE]) -> Option<RawNumber<'a>>
    where
        'buf: 'a,
    {
        match self {
            Self::Number(number) => (number.as_bytes().len() <= LONGEST_LIKE).then_some(*number),
            Self::String(text) => {
                let mut length = 0;
                let mut characters = text.chars();
                while let Some(value) = characters.value() {
                    // A number consists of ASCII characters.
                    *buffer.get_mut(length)? = u8::try_from(value).ok()?;
                    length = length.saturating_add(1);
                }
                let text = buffer.get(..length)?;
                let value = RawJson::at(text, scan::scalar(text)?);
                // Whitespace around the number would make it a different text.
                value.number().filter(|number| number.as_bytes().len() == length)
            }
            Self::Null => None,
        }
    }
}

/// Reads any id that a profile may allow, with its spelling: a string, a number or null. An `Option` reads null as
/// `None`.
///
/// ```
/// use tautline::{Id, RawJson};
///
/// let params = RawJson::parse(br#"{"id":18446744073709551616}"#)?;
/// let id: Id<'_> = params.read_member("id").unwrap();
/// assert_eq!(id.to_string(), "18446744073709551616");
/// # Ok::<(), tautline::scan::SyntaxError>(())
/// ```
impl<'buf> FromJson<'buf> for Id<'buf> {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        Self::of(value).ok_or(Mismatch::new(Expected::ID))
    }
}

/// No known peer rewrites an id that is longer than this.
const LONGEST_LIKE: usize = 40;

impl fmt::Display for Id<'_> {
    /// Writes the id as JSON: a string in quotes, so that `"1"` and `1` look different.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => {
                f.write_str("\"")?;
                f.write_str(core::str::from_utf8(text.escaped_bytes()).unwrap_or_default())?;
                f.write_str("\"")
            }
            Self::Number(number) => fmt::Display::fmt(number, f),
            Self::Null => f.write_str("null"),
        }
    }
}

/// Orders ids so that they can be keys of a sorted map: null, then numbers by their text, shorter ones first, then
/// strings by their decoded text. This is not the order of the numbers' values.
impl Ord for Id<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::String(text), Self::String(other)) => text.cmp(other),
            (Self::Number(number), Self::Number(other)) => {
                let (text, other) = (number.as_bytes(), other.as_bytes());
                (text.len(), text).cmp(&(other.len(), other))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Id<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
