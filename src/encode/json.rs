//! Payload that is serialized by serde.

#[cfg(feature = "std")]
use super::EncodeError;
use super::value::{Payload, Value, Written};

/// A value that is written as `serde_json` serializes it.
///
/// What was serialized is validated before it is written: a message fails with
/// [`EncodeError::Payload`] if the value can't be serialized, if its implementation of `Serialize`
/// makes something of it that is not JSON, or if it is nested deeper than
/// [`DEFAULT_MAX_DEPTH`](crate::scan::DEFAULT_MAX_DEPTH).
///
/// A float that is infinite or not a number becomes `null`, as `serde_json` has it. One that is
/// [written directly](Payload) fails the message.
///
/// ```
/// use tautline::encode::{Encoder, Json};
///
/// let mut line = Vec::new();
/// Encoder::new(&mut line).result(1, Json(&[("a", 1), ("b", 2)]))?;
/// assert_eq!(line, br#"{"jsonrpc":"2.0","id":1,"result":[["a",1],["b",2]]}
/// "#);
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a value is what it is")]
pub struct Json<'a, T: ?Sized>(pub &'a T);

#[cfg(feature = "std")]
impl<T: serde::Serialize + ?Sized> Payload for Json<'_, T> {
    fn write(self, value: Value<'_, '_>) -> Written {
        value.by(|pieces| match serde_json::to_vec(self.0) {
            Ok(text) => pieces.foreign(&text),
            Err(_) => pieces.fail(EncodeError::Payload),
        })
    }
}

/// A value that is written as `serde-json-core` serializes it, by way of memory that the caller lends.
///
/// What was serialized is validated before it is written: a message fails for its
/// [payload](super::EncodeError::Payload) if that is not JSON, or is nested deeper than
/// [`DEFAULT_MAX_DEPTH`](crate::scan::DEFAULT_MAX_DEPTH).
#[cfg(feature = "serde-json-core-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
#[derive(Debug)]
pub struct CoreJson<'a, T: ?Sized> {
    value: &'a T,
    scratch: &'a mut [u8],
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<'a, T: ?Sized> CoreJson<'a, T> {
    /// A value, and room for its text. If the text does not fit there, the message fails for its
    /// [payload](super::EncodeError::Payload).
    pub const fn new(value: &'a T, scratch: &'a mut [u8]) -> Self {
        Self { value, scratch }
    }
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<T: serde::Serialize + ?Sized> Payload for CoreJson<'_, T> {
    fn write(self, value: Value<'_, '_>) -> Written {
        value.by(|pieces| {
            let length = serde_json_core::to_slice(self.value, self.scratch).unwrap_or(0);
            // Nothing is no value, and is refused as such.
            pieces.foreign(self.scratch.get(..length).unwrap_or_default());
        })
    }
}
