//! Payload that is serialized by serde.

#[cfg(feature = "std")]
use std::io;

use super::EncodeError;
#[cfg(feature = "std")]
use super::text::Pieces;
use super::value::{Payload, Value, Written};

/// A value that is written as `serde_json` serializes it.
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
        value.by(|pieces| {
            let written = serde_json::to_writer(OneLine(pieces), self.0);
            if written.is_err() {
                pieces.fail(EncodeError::Payload);
            }
        })
    }
}

/// Leaves out newlines: raw values may have some between tokens, and there are none anywhere else.
#[cfg(feature = "std")]
struct OneLine<'a, 'out>(&'a mut Pieces<'out>);

#[cfg(feature = "std")]
impl io::Write for OneLine<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.on_one_line(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A value that is written as `serde-json-core` serializes it, by way of memory that the caller lends.
///
/// What was serialized is validated before it is written.
#[cfg(feature = "serde-json-core-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
#[derive(Debug)]
pub struct CoreJson<'a, T: ?Sized> {
    value: &'a T,
    scratch: &'a mut [u8],
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<'a, T: ?Sized> CoreJson<'a, T> {
    /// A value, and room for its text. If the text does not fit there, the message fails with
    /// [`EncodeError::Payload`].
    pub const fn new(value: &'a T, scratch: &'a mut [u8]) -> Self {
        Self { value, scratch }
    }
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<T: serde::Serialize + ?Sized> Payload for CoreJson<'_, T> {
    fn write(self, value: Value<'_, '_>) -> Written {
        value.by(|pieces| {
            let length = serde_json_core::to_slice(self.value, self.scratch).unwrap_or(0);
            let text = self.scratch.get(..length).unwrap_or_default();
            match crate::json::RawJson::parse(text) {
                Ok(text) => pieces.raw(text),
                Err(_) => pieces.fail(EncodeError::Payload),
            }
        })
    }
}
