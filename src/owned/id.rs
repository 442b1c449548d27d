//! Ids that live on their own, and keep their spelling.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::boxed::Box;
use std::string::{String, ToString};

use crate::encode::to_json_string;
use crate::json::RawJson;
use crate::scan::Span;

/// The id of a request or of a response, with its spelling.
///
/// Two are equal if the [borrowed](crate::Id) ones are: strings by their decoded text, numbers by
/// their spelling, and a string never equals a number. So it can be the key of a map of requests in
/// flight.
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
#[derive(Clone)]
pub struct Id {
    /// The JSON text of a string, a number or null, with nothing around it.
    text: Box<str>,
}

impl Id {
    /// The id of this JSON text, which may have whitespace around it, if it is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        crate::Id::parse(text.as_bytes()).map(Self::from)
    }

    /// The null id.
    #[must_use]
    pub fn null() -> Self {
        Self { text: "null".into() }
    }

    /// The id, borrowed.
    #[must_use]
    pub fn as_borrowed(&self) -> crate::Id<'_> {
        let text = self.text.as_bytes();
        crate::Id::of(RawJson::at(text, Span::new(0, text.len()))).unwrap_or(crate::Id::Null)
    }

    /// Its JSON text, as it came.
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

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self { text: to_json_string(text).into() }
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        text.as_str().into()
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

from_integers!(i32 i64 u32 u64 usize);

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_borrowed() == other.as_borrowed()
    }
}

impl Eq for Id {}

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
        write!(f, "Id({})", self.text)
    }
}

impl fmt::Display for Id {
    /// Writes the id as JSON, as it came.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
