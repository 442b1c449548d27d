//! The steps of a case.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// A step of a case: bytes that are written at once, or a pause.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Bytes that are UTF-8.
    Text(String),
    /// Bytes that are not UTF-8, or that would be hard to see in a text, in Base64 (RFC 4648, section 4).
    Base64(String),
    /// The same text, several times in a row, for large frames and floods.
    Repeat {
        /// The text.
        text: String,
        /// The number of times that it is sent.
        count: u32,
    },
    /// The same text, several times in a row, with the number of each in place of `{N}`, from 1.
    Numbered {
        /// The text.
        text: String,
        /// The number of times that it is sent.
        count: u32,
    },
    /// Nothing is sent for this many milliseconds. The peer has time to read what was sent before.
    PauseMs(u32),
    /// Waits until a response with this id (a JSON text) arrives. If none arrives, the case continues.
    Await(String),
    /// For clients: the answer that the request would usually get.
    Answer(Always),
    /// The end of the peer's input.
    Close(Always),
}

/// The value `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "bool")]
#[non_exhaustive]
pub struct Always;

impl TryFrom<bool> for Always {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        value.then_some(Self).ok_or("expected true")
    }
}

/// The bytes of a step.
pub type Bytes<'a> = std::borrow::Cow<'a, [u8]>;

impl Step {
    /// Returns the bytes that the step sends, if it sends any. Repeated text is returned once, with its count;
    /// numbered text is written out.
    #[must_use]
    pub fn bytes(&self) -> Option<(Bytes<'_>, u32)> {
        match self {
            Self::Text(text) => Some((text.as_bytes().into(), 1)),
            Self::Base64(text) => Some((STANDARD.decode(text).ok()?.into(), 1)),
            Self::Repeat { text, count } => Some((text.as_bytes().into(), *count)),
            Self::Numbered { text, count } => {
                let texts = (1..=*count).map(|number| text.replace("{N}", &number.to_string()));
                Some((texts.collect::<String>().into_bytes().into(), 1))
            }
            Self::PauseMs(_) | Self::Await(_) | Self::Answer(_) | Self::Close(_) => None,
        }
    }
}
