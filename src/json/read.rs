//! Values read into types, without a heap and without serde.

use super::walk::Walk;
use super::{Elements, Expected, Kind, Mismatch, RawJson, RawNumber, RawStr};

/// A type that a JSON value can be read into, without a heap and without serde.
///
/// | type | reads |
/// |---|---|
/// | `bool` | `true` or `false` |
/// | an integer of up to 64 bits | an integer in its range, in [any notation](RawNumber::as_i64) |
/// | `&str` | a string that is written without escapes |
/// | `String`, `Cow<str>` (with `alloc`) | a string without unpaired surrogates |
/// | [`RawStr`], [`RawNumber`], [`RawJson`] | any string, any number, any value |
/// | [`Id`](crate::Id), `owned::Id` (with `alloc`) | any id: a string, a number or null, with its spelling |
/// | a tuple of up to six such types | an array of as many elements |
/// | `Option` of such a type | null, or the type; a member or an element of this type may be missing |
/// | `()` | null; the params of a call may be missing |
///
/// A type of yours is read from the members of an object:
///
/// ```
/// use tautline::RawJson;
/// use tautline::json::{FromJson, Mismatch};
///
/// #[derive(Debug, PartialEq)]
/// struct Move {
///     by: (i32, i32),
///     slowly: Option<bool>,
/// }
///
/// impl<'buf> FromJson<'buf> for Move {
///     fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
///         Ok(Self { by: value.read_member("by")?, slowly: value.read_member("slowly")? })
///     }
/// }
///
/// let read = |text: &'static str| RawJson::parse(text.as_bytes()).unwrap().read::<Move>();
/// assert_eq!(read(r#"{"by":[3,-4]}"#), Ok(Move { by: (3, -4), slowly: None }));
/// assert_eq!(read(r#"{"by":[3,"4"]}"#).unwrap_err().offset(), 9);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be read from a JSON value",
    label = "not a type that can be read",
    note = "implement `tautline::json::FromJson` for your type",
    note = "or implement `serde::Deserialize`, and use `Call::params_as` or `RawJson::deserialize`"
)]
pub trait FromJson<'buf>: Sized {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// Returns the reason if the value does not fit the type, with its offset in the text of the value.
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch>;

    /// Returns the value of a member, an element or params that are missing, or `None` if they are required.
    #[must_use]
    fn from_absent() -> Option<Self> {
        None
    }
}

impl<'buf> RawJson<'buf> {
    /// Reads the value into a type.
    ///
    /// ```
    /// use tautline::RawJson;
    ///
    /// let value = RawJson::parse(br#"[1, "a", true]"#)?;
    /// assert_eq!(value.read(), Ok((1_u8, "a", true)));
    /// assert_eq!(value.read::<(i64, &str)>().unwrap_err().to_string(), "byte 9: there are too many elements");
    /// # Ok::<(), tautline::scan::SyntaxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the reason if the value does not fit the type.
    pub fn read<T: FromJson<'buf>>(&self) -> Result<T, Mismatch> {
        T::from_json(*self)
    }

    /// Reads the member with this name into a type. An `Option` reads a missing member as `None`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the value is not an object, if the member is missing or [repeated](super#repeated-members),
    /// or if it does not fit the type.
    pub fn read_member<T: FromJson<'buf>>(&self, name: &'static str) -> Result<T, Mismatch> {
        self.read_part(0, None, name)
    }

    /// Reads the element at this index, or the member with this name, of a value that begins at this offset.
    pub(crate) fn read_part<T: FromJson<'buf>>(
        &self,
        start: usize,
        index: Option<usize>,
        name: &'static str,
    ) -> Result<T, Mismatch> {
        match self.part(start, index, name) {
            Ok((offset, part)) => part.read().map_err(|mismatch| mismatch.at(offset)),
            Err(mismatch) => mismatch.or_absent(),
        }
    }

    /// Returns the element at this index, or the member with this name, of which there must be one, and its offset.
    // A mismatch is made in one place, for size.
    #[inline(never)]
    fn part(
        &self,
        start: usize,
        index: Option<usize>,
        name: &'static str,
    ) -> Result<(usize, Self), Mismatch> {
        let mut walk = Walk::within(self.as_bytes(), 0);
        let (expected, offset) = match (self.kind(), index) {
            (Kind::Array, Some(mut index)) => loop {
                match (walk.next_value(), index.checked_sub(1)) {
                    (Some((at, element)), None) => return Ok((start.wrapping_add(at), element)),
                    (Some(_), Some(left)) => index = left,
                    (None, _) => break (Expected::ELEMENT, 0),
                }
            },
            (Kind::Object, _) => {
                let mut found = None;
                loop {
                    let Some((at, first)) = walk.next_value() else {
                        match found {
                            Some((at, value)) => return Ok((start.wrapping_add(at), value)),
                            None => break (Expected::MEMBER, 0),
                        }
                    };
                    let value = walk.next_value();
                    if first.string().is_some_and(|first| first == *name) {
                        if found.is_some() {
                            break (Expected::UNIQUE, at);
                        }
                        found = value;
                    }
                }
            }
            _ => (Expected::OBJECT, 0),
        };
        Err(Mismatch::without_part(expected, index.unwrap_or(0), name).at(start).at(offset))
    }
}

impl Mismatch {
    /// Returns what the type makes of a part that is missing, or else the mismatch.
    pub(crate) fn or_absent<'buf, T: FromJson<'buf>>(self) -> Result<T, Self> {
        match self.expected() {
            Expected::MEMBER | Expected::ELEMENT | Expected::PARAMS => T::from_absent().ok_or(self),
            _ => Err(self),
        }
    }
}

impl<'buf> FromJson<'buf> for RawJson<'buf> {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        Ok(value)
    }
}

/// Types that a view already tells apart.
macro_rules! from_views {
    ($($Type:ty, $expected:ident: |$value:ident| $read:expr;)*) => {$(
        impl<'buf> FromJson<'buf> for $Type {
            fn from_json($value: RawJson<'buf>) -> Result<Self, Mismatch> {
                $read.ok_or(Mismatch::new(Expected::$expected))
            }
        }
    )*};
}

from_views! {
    RawNumber<'buf>, NUMBER: |value| value.number();
    RawStr<'buf>, STRING: |value| value.string();
    bool, BOOL: |value| value.bool();
    i64, INTEGER: |value| value.number().and_then(|number| number.as_i64());
    u64, INTEGER: |value| value.number().and_then(|number| number.as_u64());
}

/// Integers of other sizes.
macro_rules! from_wider {
    ($wide:ty: $($narrow:ty)*) => {$(
        impl<'buf> FromJson<'buf> for $narrow {
            fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
                let wide = <$wide>::from_json(value)?;
                wide.try_into().map_err(|_| Mismatch::new(Expected::INTEGER))
            }
        }
    )*};
}

from_wider!(i64: i8 i16 i32 isize);
from_wider!(u64: u8 u16 u32 usize);

impl<'buf> FromJson<'buf> for &'buf str {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        RawStr::from_json(value)?.unescaped().ok_or(Mismatch::new(Expected::UNESCAPED))
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl<'buf> FromJson<'buf> for alloc::borrow::Cow<'buf, str> {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        RawStr::from_json(value)?.decode().map_err(|_| Mismatch::new(Expected::TEXT))
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl<'buf> FromJson<'buf> for alloc::string::String {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        alloc::borrow::Cow::from_json(value).map(Into::into)
    }
}

impl<'buf, T: FromJson<'buf>> FromJson<'buf> for Option<T> {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        if value.is_null() { Ok(None) } else { value.read().map(Some) }
    }

    fn from_absent() -> Option<Self> {
        Some(None)
    }
}

impl<'buf> FromJson<'buf> for () {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        value.is_null().then_some(()).ok_or(Mismatch::new(Expected::NULL))
    }

    fn from_absent() -> Option<Self> {
        Some(())
    }
}

/// Reads the next element, which has this index.
fn read_next<'buf, T: FromJson<'buf>>(
    elements: &mut Elements<'buf>,
    index: &mut usize,
) -> Result<T, Mismatch> {
    let Some((offset, element)) = elements.next_at() else {
        return Mismatch::without_part(Expected::ELEMENT, *index, "").or_absent();
    };
    *index = index.saturating_add(1);
    element.read().map_err(|mismatch| mismatch.at(offset))
}

macro_rules! tuples {
    ($(($($T:ident)+))*) => {$(
        impl<'buf, $($T: FromJson<'buf>),+> FromJson<'buf> for ($($T,)+) {
            fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
                let mut elements = value.elements().ok_or(Mismatch::new(Expected::ARRAY))?;
                let mut index = 0;
                let tuple = ($(read_next::<$T>(&mut elements, &mut index)?,)+);
                match elements.next_at() {
                    None => Ok(tuple),
                    Some((offset, _)) => Err(Mismatch::new(Expected::END).at(offset)),
                }
            }
        }
    )*};
}

tuples!((A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F));
