//! Payloads made of other payloads: references, containers and formatted text.

use core::fmt::{self, Write};

use super::value::{Payload, Value, Written, array};
use super::{EncodeError, NewId, Pieces};
use crate::envelope::Id;
use crate::json::{RawJson, RawNumber, RawStr};
use crate::rule::ErrorCode;

impl Payload for () {
    /// Writes null.
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.put(b"null")
    }
}

impl<P: Payload> Payload for Option<P> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        match self {
            Some(payload) => payload.write(value),
            None => value.put(b"null"),
        }
    }
}

impl<'p, P> Payload for &'p Option<P>
where
    &'p P: Payload,
{
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        self.as_ref().write(value)
    }
}

impl<'p, P: ?Sized> Payload for &&'p P
where
    &'p P: Payload,
{
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        (*self).write(value)
    }
}

/// References to values that are `Copy`.
macro_rules! by_reference {
    ($($Type:ty)*) => {$(
        impl Payload for &$Type {
            fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
                (*self).write(value)
            }
        }
    )*};
}

by_reference!(() bool f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
by_reference!(ErrorCode Id<'_> NewId<'_> RawJson<'_> RawNumber<'_> RawStr<'_> fmt::Arguments<'_>);

impl<'p, P> Payload for &'p [P]
where
    &'p P: Payload,
{
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        elements(self, value)
    }
}

impl<'p, P, const N: usize> Payload for &'p [P; N]
where
    &'p P: Payload,
{
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        elements(self, value)
    }
}

impl<P: Payload, const N: usize> Payload for [P; N] {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        elements(self, value)
    }
}

/// Writes an array of these elements.
fn elements<'a, P: Payload>(
    elements: impl IntoIterator<Item = P>,
    value: Value<'a, '_>,
) -> Written<'a> {
    array(|array| elements.into_iter().for_each(|element| array.element(element))).write(value)
}

impl Payload for ErrorCode {
    /// Writes the code as an integer.
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        self.value().write(value)
    }
}

/// The id is written byte for byte as it came.
impl Payload for Id<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        NewId::Read(self).write(value)
    }
}

/// An id as a value, for members that refer to a request, such as `requestId` and `progressToken`.
impl Payload for NewId<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.id(self))
    }
}

/// Formats the text directly into the message, as a string. The message fails with
/// [`Payload`](EncodeError::Payload) if formatting fails.
///
/// ```
/// use tautline::encode::{Encoder, Slice};
///
/// let mut room = [0; 64];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// encoder.result(1, format_args!("{} of {}", 2, 3))?;
/// assert_eq!(encoder.output().written(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"2 of 3\"}\n");
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
impl Payload for fmt::Arguments<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        /// Receives text from `core::fmt`, and never refuses any.
        struct Escaped<'a, 'out>(&'a mut Pieces<'out>);

        impl Write for Escaped<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0.inside_string(text);
                Ok(())
            }
        }

        value.by(|pieces| {
            pieces.byte(b'"');
            if Escaped(pieces).write_fmt(self).is_err() {
                pieces.fail(EncodeError::Payload);
            }
            pieces.byte(b'"');
        })
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
mod on_the_heap {
    use alloc::borrow::Cow;
    use alloc::boxed::Box;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::{Payload, Value, Written, elements};

    /// Types that are written as the text that they hold.
    macro_rules! texts {
        ($($Type:ty)*) => {$(
            impl Payload for $Type {
                fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
                    <&str>::write(&self, value)
                }
            }

            impl Payload for &$Type {
                fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
                    <&str>::write(self, value)
                }
            }
        )*};
    }

    texts!(String Box<str> Cow<'_, str>);

    impl<P: Payload> Payload for Box<P> {
        fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
            (*self).write(value)
        }
    }

    impl<'p, P> Payload for &'p Box<P>
    where
        &'p P: Payload,
    {
        fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
            self.as_ref().write(value)
        }
    }

    impl<P: Payload> Payload for Vec<P> {
        fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
            elements(self, value)
        }
    }

    impl<'p, P> Payload for &'p Vec<P>
    where
        &'p P: Payload,
    {
        fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
            self.as_slice().write(value)
        }
    }
}

/// Writes the value as [`Json`](super::Json) does.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl Payload for &serde_json::Value {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        super::Json(self).write(value)
    }
}

/// Writes the value as [`Json`](super::Json) does.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl Payload for serde_json::Value {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        super::Json(&self).write(value)
    }
}
