//! Values, written piece by piece. The types rule out malformed values.

use core::fmt::{self, Write};
use core::marker::PhantomData;

use super::{Allowed, EncodeError, Ends, Output, Pieces};
use crate::cast::u64_from;
use crate::json::{RawJson, RawNumber, RawStr};

/// A value that can be written:
///
/// - a number, a boolean or text, also as a `Cow`, and [`format_args!`](core::format_args), as a string
/// - `()` and `None`, as null
/// - an array, a slice or a `Vec` of such values, and a `Box` with one
/// - an id
/// - a value [written elsewhere](RawJson), which is put on one line
/// - a `serde_json::Value`; for any type with `serde::Serialize`, there is `Json` (both with `std`)
/// - an [`object()`] or an [`array()`], which is written piece by piece
///
/// JSON has no form for a float that is infinite or NaN, so such a float fails the message.
///
/// ```
/// use tautline::encode::{Encoder, Slice, array, object};
///
/// let mut room = [0; 128];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// let readings = [21.0, 20.5];
/// let result = object(|result| {
///     result.member("unit", "°C");
///     result.member("readings", array(|array| {
///         for reading in readings {
///             array.element(reading);
///         }
///     }));
/// });
/// encoder.result(1, result)?;
/// let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"unit\":\"°C\",\"readings\":[21.0,20.5]}}\n";
/// assert_eq!(encoder.output().written(), line.as_bytes());
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
///
/// Write a type of your own by delegating to its parts:
///
/// ```
/// use tautline::encode::{Payload, Value, Written, object};
///
/// struct Point {
///     x: i32,
///     y: i32,
/// }
///
/// impl Payload for &Point {
///     fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
///         let members = object(|point| {
///             point.member("x", self.x);
///             point.member("y", self.y);
///         });
///         members.write(value)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be written as a JSON value",
    label = "not a payload",
    note = "wrap a value that implements `serde::Serialize`: `Json(&value)`, with the feature `std`",
    note = "write other values piece by piece: `tautline::encode::object(|object| object.member(\"name\", value))`",
    note = "or implement `Payload` for a reference to your type"
)]
pub trait Payload {
    /// Writes the value.
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a>;
}

/// Space for exactly one value, which [`Payload::write`] consumes.
#[derive(Debug)]
pub struct Value<'a, 'out> {
    pieces: &'a mut Pieces<'out>,
}

/// Proof that a value was written into the [`Value`] with the same lifetime. Only [`Payload::write`] returns
/// one, for the space that it consumed. So it cannot stand for another value:
///
/// ```compile_fail
/// use tautline::encode::{Payload, Value, Written};
///
/// struct Thief<'a>(&'a mut Option<Written<'a>>);
///
/// impl<'t> Payload for Thief<'t> {
///     fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
///         *self.0 = Some(1.write(value));
///         panic!()
///     }
/// }
/// ```
///
/// ```compile_fail
/// use tautline::encode::{Payload, Value, Written};
///
/// struct Fence<'a>(Written<'a>);
///
/// impl<'t> Payload for Fence<'t> {
///     fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
///         self.0
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Written<'a>(PhantomData<Invariant<'a>>);

/// A lifetime that can be neither extended nor shortened.
type Invariant<'a> = fn(&'a ()) -> &'a ();

impl<'out> Pieces<'out> {
    /// Returns the space for a value in the message.
    pub(crate) const fn value(&mut self) -> Value<'_, 'out> {
        Value::new(self)
    }

    /// Counts a value that begins.
    const fn begin_value(&mut self) {
        #[cfg(panic = "unwind")]
        {
            self.open = self.open.saturating_add(1);
        }
    }

    /// Counts the end of the value that was begun last.
    const fn end_value(&mut self) {
        #[cfg(panic = "unwind")]
        {
            self.open = self.open.saturating_sub(1);
        }
    }
}

impl<'a, 'out> Value<'a, 'out> {
    pub(super) const fn new(pieces: &'a mut Pieces<'out>) -> Self {
        pieces.begin_value();
        Self { pieces }
    }

    /// Writes one value with this function.
    pub(super) fn by(self, write: impl FnOnce(&mut Pieces<'out>)) -> Written<'a> {
        write(self.pieces);
        self.pieces.end_value();
        Written(PhantomData)
    }

    pub(super) fn put(self, text: &[u8]) -> Written<'a> {
        self.by(|pieces| pieces.put(text))
    }
}

/// Returns an object with the members that `fill` adds.
pub fn object<F: FnOnce(&mut Object<'_, '_>)>(fill: F) -> impl Payload {
    struct Members<F>(F);

    impl<F: FnOnce(&mut Object<'_, '_>)> Payload for Members<F> {
        fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
            value.by(|pieces| {
                pieces.byte(b'{');
                (self.0)(&mut Object { pieces, begun: false });
                pieces.byte(b'}');
            })
        }
    }

    Members(fill)
}

/// Returns an array with the elements that `fill` adds.
pub fn array<F: FnOnce(&mut Array<'_, '_>)>(fill: F) -> impl Payload {
    struct Elements<F>(F);

    impl<F: FnOnce(&mut Array<'_, '_>)> Payload for Elements<F> {
        fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
            value.by(|pieces| {
                pieces.byte(b'[');
                (self.0)(&mut Array { pieces, begun: false });
                pieces.byte(b']');
            })
        }
    }

    Elements(fill)
}

/// An array being written.
#[derive(Debug)]
pub struct Array<'a, 'out> {
    pieces: &'a mut Pieces<'out>,
    begun: bool,
}

impl Array<'_, '_> {
    /// Adds an element.
    pub fn element(&mut self, value: impl Payload) {
        separate(self.pieces, &mut self.begun);
        let _: Written<'_> = value.write(Value::new(self.pieces));
    }
}

/// An object being written.
#[derive(Debug)]
pub struct Object<'a, 'out> {
    pieces: &'a mut Pieces<'out>,
    begun: bool,
}

impl Object<'_, '_> {
    /// Adds a member. The caller must not repeat a name.
    pub fn member(&mut self, name: &str, value: impl Payload) {
        self.name(name);
        let _: Written<'_> = value.write(Value::new(self.pieces));
    }

    /// Writes everything before the value of the next member. It is compiled once, not once for each type of
    /// value.
    #[inline(never)]
    fn name(&mut self, name: &str) {
        separate(self.pieces, &mut self.begun);
        self.pieces.string(name);
        self.pieces.byte(b':');
    }
}

/// Writes a comma, except before the first element.
pub(super) fn separate(pieces: &mut Pieces<'_>, begun: &mut bool) {
    if core::mem::replace(begun, true) {
        pieces.byte(b',');
    }
}

impl Payload for RawJson<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.raw(self))
    }
}

impl Payload for RawNumber<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.put(self.as_bytes())
    }
}

impl Payload for RawStr<'_> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.quoted(self.escaped_bytes()))
    }
}

impl Payload for &str {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.string(self))
    }
}

impl Payload for bool {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.put(if self { b"true" } else { b"false" })
    }
}

impl Payload for i64 {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.signed(self))
    }
}

impl Payload for u64 {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.integer(false, self))
    }
}

impl Payload for isize {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| pieces.integer(self < 0, u64_from(self.unsigned_abs())))
    }
}

impl Payload for usize {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        u64_from(self).write(value)
    }
}

/// Integers that are written as a wider type that holds all their values.
macro_rules! written_as {
    ($wide:ty: $($narrow:ty)*) => {$(
        impl Payload for $narrow {
            fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
                <$wide>::from(self).write(value)
            }
        }
    )*};
}

written_as!(i64: i8 i16 i32);
written_as!(u64: u8 u16 u32);

impl Payload for f64 {
    /// Writes a finite number, and fails the message for any other, which has no form in JSON.
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        float(value, self.is_finite(), self)
    }
}

impl Payload for f32 {
    /// Writes a finite number, and fails the message for any other, which has no form in JSON.
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        float(value, self.is_finite(), self)
    }
}

/// Writes the fewest digits that read back as the same number, which is the `Debug` format of a float.
fn float<'a>(value: Value<'a, '_>, finite: bool, float: impl fmt::Debug) -> Written<'a> {
    /// Receives text from `core::fmt`, and never refuses any.
    struct Digits<'a, 'out>(&'a mut Pieces<'out>);

    impl Write for Digits<'_, '_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.put(text.as_bytes());
            Ok(())
        }
    }

    value.by(|pieces| {
        if !finite {
            pieces.fail(EncodeError::NotFinite);
            return pieces.put(b"null");
        }
        let _ = write!(Digits(pieces), "{float:?}");
    })
}

/// Returns the text as a JSON string in quotes, escaped as in messages.
#[cfg(feature = "alloc")]
pub(crate) fn json_string(text: &str) -> alloc::string::String {
    let mut json = super::Formatted::new(alloc::string::String::new());
    // A `String` accepts everything.
    let _ = alone(&mut json, text);
    json.into_inner()
}

/// Returns the payload as JSON on one line.
#[cfg(feature = "alloc")]
pub(crate) fn json_text(payload: impl Payload) -> Result<alloc::vec::Vec<u8>, EncodeError> {
    let mut json = alloc::vec::Vec::new();
    alone(&mut json, payload).map(|_| json)
}

/// Writes a payload without a message around it, and returns its length in bytes.
#[doc(hidden)]
pub fn alone(out: &mut dyn Output, payload: impl Payload) -> Result<usize, EncodeError> {
    const ALONE: &Ends = &Ends { before: b"", behind: b"" };
    let allowed = Allowed::by(&crate::Profile::JSON_RPC);
    let mut pieces = Pieces::new(out, &allowed, ALONE);
    let _ = payload.write(pieces.value());
    pieces.finish()
}
