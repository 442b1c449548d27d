//! Owned ids, which keep the text they were written as.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use crate::encode::{Payload, Value, Written, json_string};
use crate::excerpt::Excerpt;
use crate::json::{FromJson, Mismatch, RawJson};
use crate::scan::Span;

/// The id of a request or of a response, with its original text.
///
/// Equality is the same as for [borrowed](crate::Id) ids. Strings are compared by their decoded text, numbers
/// by their original text, and a string never equals a number. So an id can be the key of a map of requests
/// in flight.
///
/// ```
/// use tautline::owned::Id;
///
/// assert_eq!(Id::from(7).to_string(), "7");
/// assert_eq!(Id::from("a\"b").to_string(), r#""a\"b""#);
/// let odd = Id::parse("18446744073709551616.0").unwrap();
/// assert_eq!(odd.to_string(), "18446744073709551616.0");
/// assert_eq!(Id::parse(r#""\u0061""#), Some(Id::from("a")));
/// assert_ne!(Id::from("1"), Id::from(1));
/// ```
///
/// # Ids in parameters
///
/// `$/cancelRequest` of LSP names a request by its id. Read it with [`Call::param`](crate::Call::param), which keeps any
/// id that the profile allows. Serde reads no id that its formats can't preserve, such as `1.0` or
/// `18446744073709551616`, so a [typed](crate::endpoint::Router::typed_notification) handler would not be called for
/// them.
///
/// ```
/// use tautline::Profile;
/// use tautline::endpoint::{Endpoint, Router};
/// use tautline::owned::Id;
///
/// // The requests that will be answered later.
/// let mut running = vec![Id::parse("18446744073709551616").unwrap()];
/// let mut router = Router::new();
/// router.notification("$/cancelRequest", |running: &mut Vec<Id>, call| {
///     if let Ok(cancelled) = call.param::<Id>(0, "id") {
///         running.retain(|id| *id != cancelled);
///     }
/// });
///
/// let frame = br#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":18446744073709551616}}"#;
/// Endpoint::new(router, &Profile::LSP).answer(frame, &mut running, &mut [])?;
/// assert!(running.is_empty());
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Clone)]
pub struct Id {
    /// The JSON text of a string, a number or null, without surrounding whitespace.
    text: Box<str>,
}

impl Id {
    /// Parses an id from JSON text, which may have whitespace around it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        crate::Id::parse(text.as_bytes()).map(Self::from)
    }

    /// Returns the null id.
    #[must_use]
    pub fn null() -> Self {
        Self { text: "null".into() }
    }

    /// Returns the id as a borrowed one.
    #[must_use]
    pub fn as_borrowed(&self) -> crate::Id<'_> {
        let text = self.text.as_bytes();
        crate::Id::of(RawJson::at(text, Span::new(0, text.len()))).unwrap_or(crate::Id::Null)
    }

    /// Returns the JSON text as it came.
    #[must_use]
    pub const fn as_json(&self) -> &str {
        &self.text
    }
}

impl From<crate::Id<'_>> for Id {
    fn from(id: crate::Id<'_>) -> Self {
        Self { text: id.to_string().into() }
    }
}

/// Reads any id, as the [borrowed](crate::Id) one is read.
impl<'buf> FromJson<'buf> for Id {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        crate::Id::from_json(value).map(Self::from)
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self { text: json_string(text).into() }
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<Box<str>> for Id {
    fn from(text: Box<str>) -> Self {
        (*text).into()
    }
}

impl From<Cow<'_, str>> for Id {
    fn from(text: Cow<'_, str>) -> Self {
        (*text).into()
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Id {
            fn from(id: $integer) -> Self {
                Self { text: id.to_string().into() }
            }
        }
    )*};
}

from_integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_borrowed() == other.as_borrowed()
    }
}

impl Eq for Id {}

/// Orders ids like the [borrowed](crate::Id) ones.
impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_borrowed().cmp(&other.as_borrowed())
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<Id> for crate::Id<'_> {
    fn eq(&self, other: &Id) -> bool {
        *self == other.as_borrowed()
    }
}

impl FromStr for Id {
    type Err = InvalidId;

    /// Parses an id from JSON text, as [`parse`](Self::parse). `Display` writes such text. A conversion with
    /// `From<&str>` creates a string instead.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        Self::parse(text).ok_or(InvalidId(()))
    }
}

/// The error for a text that is not a JSON string, number or null.
///
/// ```
/// use tautline::owned::Id;
///
/// assert_eq!("7".parse(), Ok(Id::from(7)));
/// assert!("seven".parse::<Id>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidId(());

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is a string in quotes, a number or null")
    }
}

impl core::error::Error for InvalidId {}

impl PartialEq<crate::Id<'_>> for Id {
    fn eq(&self, other: &crate::Id<'_>) -> bool {
        self.as_borrowed() == *other
    }
}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_borrowed().hash(state);
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", Excerpt(self.text.as_bytes()))
    }
}

impl fmt::Display for Id {
    /// Writes the id as JSON, as it came.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Serializes the id as a string, a number or null, like the [borrowed](crate::Id) one.
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl serde::Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_borrowed().serialize(serializer)
    }
}

/// Deserializes the id from a string, an integer or null.
///
/// # Errors
///
/// Fails for a float such as `1.0`, and for an integer that the format reads as a float, because formats do not preserve
/// its text, and an id is identified by its text. [`FromJson`] reads every id.
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<'de> serde::Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyId)
    }
}

/// Creates an id from the values that a format has for one.
#[cfg(feature = "serde")]
struct AnyId;

#[cfg(feature = "serde")]
impl serde::de::Visitor<'_> for AnyId {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, an integer or null")
    }

    fn visit_str<E>(self, id: &str) -> Result<Id, E> {
        Ok(id.into())
    }

    fn visit_u64<E>(self, id: u64) -> Result<Id, E> {
        Ok(id.into())
    }

    fn visit_i64<E>(self, id: i64) -> Result<Id, E> {
        Ok(id.into())
    }

    fn visit_u128<E>(self, id: u128) -> Result<Id, E> {
        Ok(Id { text: id.to_string().into() })
    }

    fn visit_i128<E>(self, id: i128) -> Result<Id, E> {
        Ok(Id { text: id.to_string().into() })
    }

    fn visit_unit<E>(self) -> Result<Id, E> {
        Ok(Id::null())
    }

    fn visit_none<E>(self) -> Result<Id, E> {
        Ok(Id::null())
    }
}

impl<'a> From<&'a Id> for crate::encode::NewId<'a> {
    fn from(id: &'a Id) -> Self {
        Self::Read(id.as_borrowed())
    }
}

impl Payload for Id {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        self.as_borrowed().write(value)
    }
}

impl Payload for &Id {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        self.as_borrowed().write(value)
    }
}
