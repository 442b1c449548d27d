//! The parts of HTTP exchanges.

use std::borrow::Cow;

use tautline_mcp::Role;

use crate::source::recording::{Fields, RequestHead, ResponseHead};

/// A part of an HTTP exchange, in the order in which a recorder sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "recorders make them")]
pub enum Part<'a> {
    /// The head of the request.
    Request(RequestHead<'a>),
    /// The head of the response.
    Response(ResponseHead<'a>),
    /// Bytes of the body of the request, or of the response.
    Bytes {
        /// The sender.
        from: Role,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Bytes of a body are missing here.
    Omitted {
        /// The sender.
        from: Role,
        /// Their number.
        count: u64,
    },
    /// The body of the request, or of the response, has ended.
    Closed {
        /// The sender.
        from: Role,
        /// The trailer fields.
        trailers: Fields<'a>,
    },
    /// One side has broken off the exchange, which ends it.
    Aborted {
        /// The side.
        from: Role,
        /// The reason, for human readers.
        why: Cow<'a, str>,
    },
}

/// The name and the value of a header field, as bytes.
pub(super) type Field = (Vec<u8>, Vec<u8>);

/// Returns the bytes of header fields. Each character of a value up to U+00FF is one byte.
pub(super) fn bytes_of(fields: &Fields<'_>) -> Vec<Field> {
    let value = |value: &Cow<'_, str>| {
        let bytes: Result<Vec<u8>, _> = value.chars().map(|c| u8::try_from(u32::from(c))).collect();
        bytes.unwrap_or_else(|_| value.as_bytes().to_vec())
    };
    fields.iter().map(|(name, text)| (name.as_bytes().to_vec(), value(text))).collect()
}

/// Returns the header fields, borrowed.
pub(super) fn lines(fields: &[Field]) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
    fields.iter().map(|(name, value)| (name.as_slice(), value.as_slice()))
}

/// Returns the first value of a header field, without whitespace around it.
pub(super) fn value_of<'a>(fields: &'a [Field], name: &str) -> Option<&'a [u8]> {
    let is_it = |(other, _): &&Field| other.eq_ignore_ascii_case(name.as_bytes());
    fields.iter().find(is_it).map(|(_, value)| value.trim_ascii())
}
