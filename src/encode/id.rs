//! Ids, as they are written.

use super::text::Pieces;
use crate::cast::u64_from;
use crate::envelope::Id;

/// An id to be written: one that was read, byte for byte as it came; an integer; or text.
///
/// Whoever takes one takes `impl Into<NewId>`: an [`Id`], an integer, a `&str` or a `&String`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NewId<'a> {
    /// An id that was read.
    Read(Id<'a>),
    /// Text, which is escaped.
    Text(&'a str),
    /// An integer.
    Signed(i64),
    /// An integer that is not negative.
    Unsigned(u64),
}

impl NewId<'_> {
    pub(super) fn write(self, pieces: &mut Pieces<'_>) {
        match self {
            Self::Read(Id::String(text)) => pieces.quoted(text.as_bytes()),
            Self::Read(Id::Number(number)) => pieces.put(number.as_bytes()),
            Self::Read(Id::Null) => pieces.put(b"null"),
            Self::Text(text) => pieces.string(text),
            Self::Signed(value) => pieces.signed(value),
            Self::Unsigned(value) => pieces.integer(false, value),
        }
    }
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

#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl<'a> From<&'a crate::owned::Id> for NewId<'a> {
    fn from(id: &'a crate::owned::Id) -> Self {
        Self::Read(id.as_borrowed())
    }
}

#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl<'a> From<&'a std::string::String> for NewId<'a> {
    fn from(id: &'a std::string::String) -> Self {
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
