//! Deserialization into the caller's types without a heap, with `serde-json-core`.

use core::fmt;

use serde::Deserialize;

use super::skip::Place;
use super::{Expected, Mismatch, RawJson};
use crate::cast::{index, u32_from};

impl<'buf> RawJson<'buf> {
    /// Deserializes the value into a type of yours with `serde-json-core`, without a heap.
    ///
    /// `serde-json-core` recurses once for each container, even in ignored values, and has no limit. So a
    /// value that is nested in more than `max_depth` containers, the outermost included, is refused beforehand.
    /// The stack must hold as many calls.
    ///
    /// Text without escapes can be borrowed from the frame, as `&'buf str`. Text with escapes, including
    /// member names and ignored values, is decoded in `scratch` one string at a time and copied from there.
    /// So its field must own its text, such as a `heapless::String` (with the feature `heapless-v0_9` or
    /// `heapless/serde`). A `&str` field is an error. With `&mut []` every escape is an error.
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
    /// let call: Call<'_> = request.params().unwrap().deserialize_core(4, &mut [0; 32])?;
    /// assert_eq!(call, Call { name: "b", count: 3 });
    /// # Ok::<(), tautline::json::CoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CoreError::TooDeep`], or the error of `serde-json-core`. That crate rejects surrogate pairs
    /// in escapes (`\ud83d\ude00`), integers written as `1.0` or `1e2`, and types that take any value
    /// (untagged or flattened ones). For a float it reads null as NaN, and a number that is too large as
    /// infinity. If that matters, use [`number`](Self::number).
    ///
    /// A derived type rejects an object that repeats the name of one of its fields. A map type decides for
    /// itself [which member it keeps](super#repeated-members).
    ///
    /// # Panics
    ///
    /// Panics in `serde-json-core` if the type has a map whose keys are not strings.
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

/// Returns the offset of the first container nested too deep.
fn too_deep(text: &[u8], max_depth: u8) -> Option<usize> {
    let mut place = Place::before(text, 0);
    loop {
        let at = place.at;
        place.step()?;
        if place.depth > usize::from(max_depth) {
            return Some(at);
        }
    }
}

/// The reason why `serde-json-core` could not deserialize a value.
#[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CoreError {
    /// The value is nested too deep.
    TooDeep {
        /// The byte offset, in the text of the value, of the first container nested too deep.
        offset: u32,
    },
    /// The error of `serde-json-core`, which has no offset.
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

impl core::error::Error for CoreError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::TooDeep { .. } => None,
            Self::Core(error) => Some(error),
        }
    }
}

/// Keeps the offset, which is 0 unless the value is nested too deep.
#[cfg_attr(docsrs, doc(cfg(feature = "serde-json-core-v0_7")))]
impl From<CoreError> for Mismatch {
    fn from(error: CoreError) -> Self {
        let mismatch = Self::new(Expected::OTHER);
        match error {
            CoreError::TooDeep { offset } => mismatch.at(index(offset)),
            CoreError::Core(_) => mismatch,
        }
    }
}
