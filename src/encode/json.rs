//! Payload serialized with serde.

use super::value::{Payload, Value, Written};
#[cfg(feature = "std")]
use crate::bytes::find_line_separator;

/// A value to be serialized with `serde_json`.
///
/// The serialized text is validated before it is written. The message fails with
/// [`Payload`](super::EncodeError::Payload) if the value cannot be serialized, if its `Serialize`
/// implementation produces invalid JSON, or if it is nested deeper than [`DEFAULT_MAX_DEPTH`](crate::scan::DEFAULT_MAX_DEPTH).
///
/// Strings are escaped as everywhere in [`encode`](super), and a `RawValue` of `serde_json` is written
/// unchanged. Only `serde_json` can tell the two apart, and it accepts a custom string format only with std.
/// So this type needs `std`.
///
/// A float that is infinite or NaN becomes `null`, as usual in `serde_json`. A float that is [written
/// directly](Payload) fails the message instead.
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
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| {
            pieces.foreign(|text| {
                let mut serializer =
                    serde_json::Serializer::with_formatter(Growing(text), OnOneLine);
                self.0.serialize(&mut serializer).is_ok()
            });
        })
    }
}

/// A vector that grows a little more than a long piece needs. Usually only the ends of a message follow it, for which
/// doubling would be too much.
#[cfg(feature = "std")]
struct Growing<'out>(&'out mut alloc::vec::Vec<u8>);

#[cfg(feature = "std")]
impl std::io::Write for Growing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        // As much as before, so that many pieces cost no more than with doubling.
        if bytes.len() > self.0.len() {
            self.0.reserve_exact(bytes.len().saturating_add(SLACK));
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The number of bytes that are reserved after a long piece.
#[cfg(feature = "std")]
const SLACK: usize = 256;

/// The compact format, which also escapes the characters that end a line for some readers, as in all strings
/// that an encoder writes.
#[cfg(feature = "std")]
struct OnOneLine;

#[cfg(feature = "std")]
impl serde_json::ser::Formatter for OnOneLine {
    fn write_string_fragment<W: std::io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> std::io::Result<()> {
        let mut rest = fragment;
        while let Some((at, length)) = find_line_separator(rest.as_bytes()) {
            let Some((clean, from)) = rest.split_at_checked(at) else { break };
            let Some((separator, behind)) = from.split_at_checked(length) else { break };
            writer.write_all(clean.as_bytes())?;
            for separator in separator.chars() {
                write!(writer, "\\u{:04x}", u32::from(separator))?;
            }
            rest = behind;
        }
        writer.write_all(rest.as_bytes())
    }
}

/// A value to be serialized with `serde-json-core` into memory that the caller lends.
///
/// The serialized text is validated before it is written. The message fails with
/// [`Payload`](super::EncodeError::Payload) if the text is not valid JSON, or is nested deeper than
/// [`DEFAULT_MAX_DEPTH`](crate::scan::DEFAULT_MAX_DEPTH).
///
/// # Panics
///
/// `serde-json-core` panics on values that it cannot serialize: a `char`, an integer of 128 bits, a tuple
/// variant of an enum (`E::A(1, 2)`), and a value whose `Serialize` implementation returns a custom error.
/// The panic message does not tell them apart. Firmware that must not panic can write such values [piece by
/// piece](super::object).
#[cfg(feature = "serde-json-core-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
pub struct CoreJson<'a, T: ?Sized> {
    value: &'a T,
    scratch: &'a mut [u8],
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<'a, T: ?Sized> CoreJson<'a, T> {
    /// Combines a value with a buffer for its text. If the text does not fit, the message fails with
    /// [`Payload`](super::EncodeError::Payload).
    pub const fn new(value: &'a T, scratch: &'a mut [u8]) -> Self {
        Self { value, scratch }
    }
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<T: core::fmt::Debug + ?Sized> core::fmt::Debug for CoreJson<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("CoreJson").field(&self.value).finish()
    }
}

#[cfg(feature = "serde-json-core-v0_7")]
impl<T: serde::Serialize + ?Sized> Payload for CoreJson<'_, T> {
    fn write<'a>(self, value: Value<'a, '_>) -> Written<'a> {
        value.by(|pieces| {
            let length = serde_json_core::to_slice(self.value, self.scratch).unwrap_or(0);
            // Empty text is not a value, so it is refused.
            pieces.foreign_to_escape(self.scratch.get(..length).unwrap_or_default());
        })
    }
}
