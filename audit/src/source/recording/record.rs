//! The lines of a recording: a header and records.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize, Serializer};
use tautline::frame::FramingKind;

/// The version of a recording of streams.
const STREAMS: u32 = 1;
/// The version of a recording of HTTP exchanges, and the latest that this crate reads.
pub(super) const VERSION: u32 = 2;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The version of the format.
    #[serde(rename = "tautline-recording")]
    pub version: u32,
    /// True if the records are those of HTTP exchanges.
    #[serde(default)]
    pub http: bool,
    /// How both sides delimit their messages, if they send streams of bytes.
    #[serde(default = "ndjson")]
    pub framing: FramingKind,
    /// The time at the start, in the format of RFC 3339.
    #[serde(default)]
    pub started: Option<String>,
    /// The command that started the server, with its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// The URL of the server's endpoint for MCP. Exchanges with other paths are not part of MCP.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The paths of the members whose values were replaced before the recording was shared.
    #[serde(default)]
    pub redacted: Vec<String>,
}

/// Writes what belongs to the kind of the recording: exchanges have no framing.
impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            #[serde(rename = "tautline-recording")]
            version: u32,
            #[serde(skip_serializing_if = "is_false")]
            http: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            framing: Option<FramingKind>,
            #[serde(skip_serializing_if = "Option::is_none")]
            started: Option<&'a str>,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            command: &'a [String],
            #[serde(skip_serializing_if = "Option::is_none")]
            endpoint: Option<&'a str>,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            redacted: &'a [String],
        }
        let written = Written {
            version: self.version,
            http: self.http,
            framing: Some(self.framing).filter(|_| !self.http),
            started: self.started.as_deref(),
            command: &self.command,
            endpoint: self.endpoint.as_deref(),
            redacted: &self.redacted,
        };
        written.serialize(serializer)
    }
}

impl Header {
    /// Creates the header of a recording of streams.
    #[must_use]
    pub const fn new(framing: FramingKind) -> Self {
        Self {
            version: STREAMS,
            http: false,
            framing,
            started: None,
            command: Vec::new(),
            endpoint: None,
            redacted: Vec::new(),
        }
    }

    /// Creates the header of a recording of HTTP exchanges with this endpoint.
    #[must_use]
    pub fn of_http(endpoint: String) -> Self {
        let header = Self::new(ndjson());
        Self { version: VERSION, http: true, endpoint: Some(endpoint), ..header }
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
    /// The number of the HTTP exchange that the record belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u64>,
    /// The head of a request.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestHead<'a>>,
    /// The head of a response.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseHead<'a>>,
    /// The writer of these bytes: `client`, `server` or `stderr`.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Cow<'a, str>>,
    /// The bytes, if they are UTF-8.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// The bytes in Base64 (RFC 4648, section 4), if they are not.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<Cow<'a, str>>,
    /// The number of bytes of the body of `from` that the recording leaves out here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// The trailer fields, which end a body.
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    pub trailers: Fields<'a>,
    /// The side that will send no more: `client` or `server`. In HTTP, its body has ended.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Cow<'a, str>>,
    /// The side that has broken off the exchange: `client` or `server`.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<Cow<'a, str>>,
    /// The reason for `aborted`, for human readers.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Cow<'a, str>>,
    /// The exit code of the process, if it has exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// The signal that ended the process, if one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i64>,
    /// True if the recorder of HTTP exchanges has stopped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
}

/// The names and values of header fields, in order. Each byte of a value is one character, from U+0000 to U+00FF.
pub type Fields<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// The head of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "it has the members of the format")]
pub struct RequestHead<'a> {
    /// The method.
    #[serde(borrow)]
    pub method: Cow<'a, str>,
    /// The path and the query.
    #[serde(borrow)]
    pub target: Cow<'a, str>,
    /// The header fields.
    #[serde(borrow, default)]
    pub headers: Fields<'a>,
}

/// The head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "it has the members of the format")]
pub struct ResponseHead<'a> {
    /// The status.
    pub status: u16,
    /// The header fields.
    #[serde(borrow, default)]
    pub headers: Fields<'a>,
}

const fn is_false(is: &bool) -> bool {
    !*is
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
