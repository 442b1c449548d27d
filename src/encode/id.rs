//! Ids to be written.

use crate::cast::u64_from;
use crate::envelope::Id;

/// An id to be written: a received one, which is written byte for byte as it came, an integer, or text.
///
/// Methods that need an id take `impl Into<NewId>`: an [`Id`], an integer of at most 64 bits, a `&str`, a `&String`, a
/// `&Cow<str>` or an `&owned::Id`. An id is borrowed, never consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl<'a> From<&'a alloc::borrow::Cow<'_, str>> for NewId<'a> {
    fn from(id: &'a alloc::borrow::Cow<'_, str>) -> Self {
        Self::Text(id)
    }
}

/// Integers that one of the variants holds.
macro_rules! from_integers {
    ($variant:ident: $($integer:ty)*) => {$(
        impl From<$integer> for NewId<'_> {
            fn from(id: $integer) -> Self {
                Self::$variant(id.into())
            }
        }
    )*};
}

from_integers!(Signed: i8 i16 i32 i64);
from_integers!(Unsigned: u8 u16 u32 u64);

impl From<isize> for NewId<'_> {
    fn from(id: isize) -> Self {
        match id {
            0.. => Self::Unsigned(u64_from(id.unsigned_abs())),
            _ => Self::Signed(u64_from(id.unsigned_abs()).cast_signed().wrapping_neg()),
        }
    }
}

impl From<usize> for NewId<'_> {
    fn from(id: usize) -> Self {
        Self::Unsigned(u64_from(id))
    }
}
