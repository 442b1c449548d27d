//! Encoding of messages as bytes, one message per line.
//!
//! # What is guaranteed
//!
//! Each message is written on one line, with exactly one LF at its end and no CR.
//! [Parsing](crate::Message::parse) the line gives the same message. Only whitespace may differ, inside
//! payload that was written elsewhere and had to be put on one line.
//!
//! Received ids, and strings in payload that was written elsewhere, are written byte for byte as they came.
//! All other strings also escape U+0085, U+2028 and U+2029, at which some readers split lines.
//!
//! A message that cannot be completed leaves nothing that a reader could treat as a message. This happens if it does
//! not fit, if its payload cannot be written, or if the payload panics.
//!
//! One failure cannot be undone: when a [writer fails](EncodeError::Output), part of the message may have
//! been written. The next message then begins on a new line.
//!
//! # Outputs
//!
//! Messages are written to any [`Output`]:
//!
//! | you have | you use | feature |
//! |---|---|---|
//! | `&mut [u8]` | [`Slice::new`]`(bytes)` | |
//! | `Vec<u8>`, or a `&mut` reference to one | the vector | `alloc` |
//! | `heapless::Vec<u8, N>`, or a `&mut` reference to one | the vector | `heapless-v0_9` |
//! | a `core::fmt::Write`, such as a `String` | [`Formatted::new`]`(text)` | |
//! | a `std::io::Write` | `Writer::new(writer)` | `std` |
//! | an `embedded_io::Write`, and room for a message | `Embedded::new(writer, room)` | `embedded-io-v0_7` |
//! | nothing, and need only the length | [`Measure`] | |
//!
//! # What is not checked
//!
//! The encoder does not know what the peer accepts. It does not check that a method exists, that an id is not
//! in use, that no member name in an object is repeated, or that a batch is not too long.
//!
//! It does not check the depth of payload written piece by piece: the message is nested one or two levels
//! deeper than its payload. It does not check payload that was written elsewhere for unpaired surrogates.

mod allowed;
#[cfg(feature = "embedded-io-v0_7")]
mod embedded;
mod encoder;
mod forward;
#[cfg(feature = "alloc")]
mod growable;
mod id;
#[cfg(any(feature = "std", feature = "serde-json-core-v0_7"))]
mod json;
mod message;
mod output;
mod payload;
mod text;
mod value;

#[cfg(feature = "embedded-io-v0_7")]
pub use embedded::Embedded;
#[cfg(feature = "std")]
pub(crate) use encoder::BatchKind;
pub use encoder::{BatchWriter, Encoder};
pub use forward::Forward;
#[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
pub(crate) use forward::without_carriage_returns;
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub use growable::GrowableOutput;
pub use id::NewId;
#[cfg(feature = "serde-json-core-v0_7")]
pub use json::CoreJson;
#[cfg(feature = "std")]
pub use json::Json;
pub(crate) use message::LONGEST_EXPLANATION;
pub use message::NewError;
#[doc(hidden)]
pub use message::{Draft, line};
#[cfg(feature = "std")]
pub use output::Writer;
pub use output::{EncodeError, Formatted, Measure, Output, Refused, Slice};
pub(crate) use text::{Ends, Pieces};
#[doc(hidden)]
pub use value::alone;
pub use value::{Array, Object, Payload, Value, Written, array, object};
#[cfg(feature = "alloc")]
pub(crate) use value::{json_string, json_text};

use crate::json::RawJson;

/// No parameters: the member `params` is left out. A plain `None` would leave the payload type open.
pub const NO_PARAMS: Option<RawJson<'static>> = None;
