//! Ids to be written.

use super::{Payload, Value, Written};
use crate::cast::u64_from;
use crate::envelope::Id;

/// An id to be written: a received one, which is written byte for byte as it came, an integer, or text.
///
/// Methods that need an id take `impl Into<NewId>`: an [`Id`], an integer, a `&str` or a `&String`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NewId<'a> {
    /// A received id.
    Read(Id<'a>),
    /// Text, which will be escaped.
    Text(&'a str),
    /// An integer.
    Signed(i64),
    /// A nonnegative integer.
    Unsigned(u64),
}

impl<'a> From<Id<'a>> for NewId<'a> {
    fn from(id: Id<'a>) -> Self {
        Self::Read(id)
    }
}

impl<'a> From<&'a str> for NewId<'a> {
    fn from(id: &'a str) -> Self {
        Self::Text(id)
    }
}

impl<'a> From<&Id<'a>> for NewId<'a> {
    fn from(id: &Id<'a>) -> Self {
        Self::Read(*id)
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl<'a> From<&'a alloc::string::String> for NewId<'a> {
    fn from(id: &'a alloc::string::String) -> Self {
        Self::Text(id)
    }
}

impl From<i32> for NewId<'_> {
    fn from(id: i32) -> Self {
        Self::Signed(id.into())
    }
}

impl From<i64> for NewId<'_> {
    fn from(id: i64) -> Self {
        Self::Signed(id)
    }
}

impl From<u32> for NewId<'_> {
    fn from(id: u32) -> Self {
        Self::Unsigned(id.into())
    }
}

impl From<u64> for NewId<'_> {
    fn from(id: u64) -> Self {
        Self::Unsigned(id)
    }
}

impl From<usize> for NewId<'_> {
    fn from(id: usize) -> Self {
        Self::Unsigned(u64_from(id))
    }
}

/// An id as a value, for members that refer to a request, such as `requestId` and `progressToken`.
impl Payload for NewId<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.id(self))
    }
}

/// The id is written byte for byte as it came.
impl Payload for Id<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        NewId::Read(self).write(value)
    }
}
