//! The lines of a recording: a header and records.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use tautline::frame::FramingKind;

/// The version of the format that this crate writes, and the latest that it reads.
pub(super) const VERSION: u32 = 1;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The version of the format.
    #[serde(rename = "tautline-recording")]
    pub version: u32,
    /// How both sides delimit their messages.
    #[serde(default = "ndjson")]
    pub framing: FramingKind,
    /// The time at the start, in the format of RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The command that started the server, with its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The paths of the members whose values were replaced before the recording was shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
}

impl Header {
    /// Creates a header of the current version.
    #[must_use]
    pub const fn new(framing: FramingKind) -> Self {
        Self { version: VERSION, framing, started: None, command: Vec::new(), redacted: Vec::new() }
    }
}

const fn ndjson() -> FramingKind {
    FramingKind::Ndjson
}

/// A line of a recording after the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "it has the members of the format")]
pub struct Record<'a> {
    /// The time since the start, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us: Option<i64>,
    /// The writer of these bytes: `client`, `server` or `stderr`.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Cow<'a, str>>,
    /// The bytes, if they are UTF-8.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// The bytes in Base64 (RFC 4648, section 4), if they are not.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<Cow<'a, str>>,
    /// The side that will send no more: `client` or `server`.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Cow<'a, str>>,
    /// The exit code of the process, if it has exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// The signal that ended the process, if one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i64>,
}

impl<'a> Record<'a> {
    /// Creates the record of bytes that `from` has written: `client`, `server` or `stderr`.
    #[must_use]
    pub fn of_bytes(us: i64, from: &'a str, bytes: &'a [u8]) -> Self {
        let from = Some(Cow::Borrowed(from));
        let record = Self { us: Some(us), from, ..Self::default() };
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { text: Some(Cow::Borrowed(text)), ..record },
            Err(_) => Self { base64: Some(Cow::Owned(STANDARD.encode(bytes))), ..record },
        }
    }
}
