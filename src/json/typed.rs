//! Deserialization into the caller's types with `serde_json`.

use core::fmt;

use serde::Deserialize;

use super::{Expected, Mismatch, RawJson};
use crate::cast::index;

impl<'buf> RawJson<'buf> {
    /// Deserializes the value into a type of yours. Text without escapes can be borrowed from the frame, as
    /// `&'buf str`. To borrow it only where possible, use a `Cow<'buf, str>` with `#[serde(borrow)]`.
    ///
    /// Text that the scanner accepts and `serde_json` does not is an error here, and never becomes another
    /// value. This concerns unpaired surrogates, and numbers outside the range of `f64`, if the type reads
    /// them. Features of `serde_json` that tautline does not enable may change this, see
    /// [`owned`](crate::owned#what-is-not-checked).
    ///
    /// ```
    /// use serde::Deserialize;
    /// use tautline::{Message, Profile};
    ///
    /// #[derive(Debug, Deserialize, PartialEq)]
    /// struct Call<'a> {
    ///     name: &'a str,
    ///     count: u8,
    /// }
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"b","count":3}}"#;
    /// let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC) else { panic!() };
    /// let call: Call<'_> = request.params().unwrap().deserialize()?;
    /// assert_eq!(call, Call { name: "b", count: 3 });
    ///
    /// let error = request.params().unwrap().deserialize::<Vec<u8>>().unwrap_err();
    /// assert_eq!(error.offset(), 0);
    /// # Ok::<(), tautline::json::DeserializeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the value does not fit the type, or if an object in it [repeats a
    /// name](super#repeated-members). The error has the offset where this was found. `serde_json` allows 127
    /// nested containers, whatever the [profile](crate::Profile::max_depth) allows.
    #[cfg_attr(docsrs, doc(cfg(feature = "serde_json")))]
    pub fn deserialize<T: Deserialize<'buf>>(&self) -> Result<T, DeserializeError> {
        let text = self.as_bytes();
        let value = serde_json::from_slice(text);
        let value = value.map_err(|error| DeserializeError::new(error, text))?;
        match self.repeated_names().first() {
            None => Ok(value),
            Some(name) => {
                let offset = index(name.offset());
                let error = serde::de::Error::custom("an object repeats the name of a member");
                Err(DeserializeError { error, offset })
            }
        }
    }
}

/// The reason why a value could not be deserialized.
#[cfg_attr(docsrs, doc(cfg(feature = "serde_json")))]
#[derive(Debug)]
pub struct DeserializeError {
    error: serde_json::Error,
    /// The offset in the text of the value.
    offset: usize,
}

impl DeserializeError {
    fn new(error: serde_json::Error, text: &[u8]) -> Self {
        // Lines and columns count from 1, columns in bytes. For a text on one line, which includes every
        // frame of a line stream, the column alone gives the offset.
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line = match error.line().checked_sub(2) {
            Some(line) => newlines.map(|(at, _)| at.saturating_add(1)).nth(line).unwrap_or(0),
            None => 0,
        };
        let offset = line.saturating_add(error.column()).min(text.len());
        Self { error, offset }
    }

    /// Returns the number of bytes of the value's text that had been read when the error was found. The part that does
    /// not fit ends there if it was read, and begins there otherwise. If members are missing, the offset is the end of
    /// the object. If an object repeats a name and the type accepts that, the offset is the opening quote of the
    /// repeated name.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the place, and the text of the error without the line and the column, which the place states.
    pub(crate) fn into_reason(self) -> (Mismatch, alloc::string::String) {
        let mut text = alloc::string::ToString::to_string(&self);
        if self.error.line() > 0
            && let Some(end) = text.rfind(" at line ")
        {
            text.truncate(end);
        }
        (Mismatch::new(Expected::OTHER).at(self.offset), text)
    }

    /// Returns the error of `serde_json`.
    #[must_use]
    pub const fn as_serde_json(&self) -> &serde_json::Error {
        &self.error
    }
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl core::error::Error for DeserializeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
