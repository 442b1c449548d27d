//! Values as types of the caller's without std, by way of `serde-json-core`.

use core::fmt;

use serde::Deserialize;

use super::{RawJson, skip};
use crate::cast::u32_from;

impl<'buf> RawJson<'buf> {
    /// The value as a type of yours, by way of `serde-json-core`, with nothing on the heap.
    ///
    /// `serde-json-core` recurses once for every container, also in what is ignored, and knows no limit.
    /// So values that are nested in more than `max_depth` containers, the outermost included, are
    /// refused before it sees them; the stack has to hold as many calls.
    ///
    /// Text that has no escapes can be borrowed from the frame, as `&'buf str`. Text that has some,
    /// member names and what is ignored too, is decoded in the `scratch`, one at a time, and copied from
    /// there: a field for it is one that copies, such as a `heapless::String` (with features
    /// `heapless-v0_9` or `heapless/serde`), and a `&str` is an error. With `&mut []` any escape is one.
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
    /// let call: Call<'_> = request.params().unwrap().deserialize_core(4, &mut [0; 32])?;
    /// assert_eq!(call, Call { name: "b", count: 3 });
    /// # Ok::<(), tautline::json::CoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::TooDeep`], and whatever `serde-json-core` says. It has its limits: it does not know
    /// escapes of two halves (`\ud83d\ude00`), integers that are spelled `1.0` or `1e2`, and types that
    /// take any value (untagged or flattened ones). To a float it makes NaN of null, and infinity of a
    /// number that is too large: look at [`number`](Self::number) where that matters.
    ///
    /// If an object repeats a name, a derived type refuses it if the name is one of its fields. A map decides for
    /// itself which member it keeps; [`member`](Self::member) gives the first.
    ///
    /// # Panics
    ///
    /// In `serde-json-core`, if the type has a map whose keys are other than strings.
    #[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
    pub fn deserialize_core<T: Deserialize<'buf>>(
        &self,
        max_depth: u8,
        scratch: &mut [u8],
    ) -> Result<T, CoreError> {
        if let Some(at) = too_deep(self.as_bytes(), max_depth) {
            return Err(CoreError::TooDeep { offset: u32_from(at) });
        }
        match serde_json_core::de::from_slice_escaped(self.as_bytes(), scratch) {
            Ok((value, _)) => Ok(value),
            Err(error) => Err(CoreError::Core(error)),
        }
    }
}

/// Where the first container begins that is nested too deep.
fn too_deep(text: &[u8], max_depth: u8) -> Option<usize> {
    let mut depth: usize = 0;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at = skip::string(text, at);
                continue;
            }
            b'{' | b'[' => {
                depth = depth.saturating_add(1);
                if depth > usize::from(max_depth) {
                    return Some(at);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = at.saturating_add(1);
    }
    None
}

/// Why a value is none of a type, to `serde-json-core`.
#[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CoreError {
    /// It is nested too deep.
    TooDeep {
        /// Where in the text of the value the first container begins that is too deep, in bytes.
        offset: u32,
    },
    /// What `serde-json-core` says, which does not say where.
    Core(serde_json_core::de::Error),
}

impl fmt::Display for CoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep { .. } => f.write_str("the value is nested too deep"),
            Self::Core(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl core::error::Error for CoreError {}
