//! Values as types of the caller's, by way of `serde_json`.

use core::fmt;

use serde::Deserialize;

use super::{RawJson, repeats};

impl<'buf> RawJson<'buf> {
    /// The value as a type of yours. Text that has no escapes can be borrowed from the frame, as `&'buf
    /// str`; to borrow it where it can be, use a `Cow<'buf, str>` with `#[serde(borrow)]`.
    ///
    /// What the scanner accepts and `serde_json` does not is an error here, and never another value:
    /// escapes of half a character, and numbers outside the range of `f64`, where they are looked at. What
    /// features of `serde_json` change that are not tautline's, [`owned`](crate::owned#what-is-not-checked)
    /// says.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use tautline::{Message, Rules};
    ///
    /// #[derive(Debug, Deserialize, PartialEq)]
    /// struct Call<'a> {
    ///     name: &'a str,
    ///     count: u8,
    /// }
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"b","count":3}}"#;
    /// let Ok(Message::Request(request)) = Message::parse(frame, &Rules::JSON_RPC) else { panic!() };
    /// let call: Call<'_> = request.params().unwrap().deserialize()?;
    /// assert_eq!(call, Call { name: "b", count: 3 });
    ///
    /// let error = request.params().unwrap().deserialize::<Vec<u8>>().unwrap_err();
    /// assert_eq!(error.offset(), 0);
    /// # Ok::<(), tautline::json::DeserializeError>(())
    /// ```
    ///
    /// If an object repeats a name, its first member counts, as for [`member`](Self::member); a type that is
    /// derived refuses such an object if the name is one of its fields. The value is deserialized from a copy
    /// then: nothing can be borrowed from it, and integers of more than 64 bits become floats.
    ///
    /// # Errors
    ///
    /// If the value is none of the type's, with the place where that was seen, or the start of the value if it was
    /// seen in a copy. `serde_json` nests to 127 containers, whatever the [rules](crate::Rules::max_depth) allow.
    #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
    pub fn deserialize<T: Deserialize<'buf>>(&self) -> Result<T, DeserializeError> {
        let text = self.as_bytes();
        let value = serde_json::from_slice(text);
        let value = value.map_err(|error| DeserializeError::new(error, text))?;
        let Some(copy) = repeats::without(text) else { return Ok(value) };
        serde_json::from_slice::<serde_json::Value>(&copy)
            .and_then(T::deserialize)
            .map_err(|error| DeserializeError { error, offset: 0 })
    }
}

/// Why a value is none of a type.
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Debug)]
pub struct DeserializeError {
    error: serde_json::Error,
    /// In the text of the value.
    offset: usize,
}

impl DeserializeError {
    fn new(error: serde_json::Error, text: &[u8]) -> Self {
        // Lines and columns count from 1, columns in bytes. Where the text is on one line, as every
        // text is that came in one, the column is all there is to it.
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line = match error.line().checked_sub(2) {
            Some(line) => newlines.map(|(at, _)| at.saturating_add(1)).nth(line).unwrap_or(0),
            None => 0,
        };
        let offset = line.saturating_add(error.column()).min(text.len());
        Self { error, offset }
    }

    /// How much of the text of the value had been read when it was seen that it does not fit, in bytes.
    /// What does not fit ends there, if it was read, or begins there; of an object that has not all of
    /// its members it is the end.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// What `serde_json` says.
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
