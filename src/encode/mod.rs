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
#[doc(hidden)]
pub use value::alone;
pub use value::{Array, Object, Payload, Value, Written, array, object};
#[cfg(feature = "alloc")]
pub(crate) use value::{json_string, json_text};

use crate::envelope::{Batches, Id, Kinds, Profile};
use crate::excerpt::Excerpt;
use crate::json::RawJson;

/// No parameters: the member `params` is left out. A plain `None` would leave the payload type open.
pub const NO_PARAMS: Option<RawJson<'static>> = None;

/// The text before and after a message.
pub(crate) struct Ends {
    before: &'static [u8],
    pub(crate) behind: &'static [u8],
}

impl core::fmt::Debug for Ends {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Ends({:?}, {:?})", Excerpt(self.before), Excerpt(self.behind))
    }
}

impl Ends {
    /// A message on a line of its own.
    pub(crate) const LINE: Self = Self { before: b"", behind: b"}\n" };
    /// A whole batch, without the text of its messages.
    pub(crate) const BATCH: Self = Self { before: b"[", behind: b"]\n" };
    /// A whole batch that was written elsewhere.
    const ARRAY: Self = Self { before: b"", behind: b"]\n" };
    /// The first message of a batch.
    pub(crate) const FIRST: Self = Self { before: b"[", behind: b"}" };
    /// Every later message of a batch.
    pub(crate) const NEXT: Self = Self { before: b",", behind: b"}" };
}

/// Writes the pieces of one message, and keeps the first error. Any other error takes the place of a lack of room, which
/// would not help: what is wrong with a message does not depend on the size of its buffer.
///
/// After an error it writes nothing more, but continues to count, so that the required room is known.
///
/// A message that is not [finished](Self::finish) is taken back, even when a payload panics.
pub(crate) struct Pieces<'out> {
    out: &'out mut dyn Output,
    /// The limits that the profile sets for the message.
    allowed: &'out Allowed,
    ends: &'static Ends,
    mark: usize,
    committed: bool,
    /// The number of values that were begun and not ended. It stays above zero if a payload panics and
    /// the panic is caught inside the payload of the same message.
    #[cfg(panic = "unwind")]
    open: usize,
    length: usize,
    failure: Option<EncodeError>,
    /// The kinds of values that the next piece may begin, and the error for any other kind.
    first: Option<(Kinds, EncodeError)>,
}

/// The limits that the profile sets for written messages.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    batches: Batches,
    params: Kinds,
    results: Kinds,
    ids: Kinds,
    error_ids: Kinds,
}

impl Allowed {
    const fn by(profile: &Profile) -> Self {
        let &Profile { params, results, ids, error_ids, .. } = profile;
        Self { batches: profile.batches(), params, results, ids, error_ids }
    }

    /// Returns whether the profile allows the id for a request or a result.
    fn id(&self, id: NewId<'_>) -> bool {
        is_among(self.ids, id)
    }

    /// Returns whether the profile allows the id for an error.
    fn error_id(&self, id: NewId<'_>) -> bool {
        is_among(self.ids | self.error_ids, id)
    }
}

fn is_among(allowed: Kinds, id: NewId<'_>) -> bool {
    match id {
        NewId::Read(Id::String(text)) => text.lone_surrogate().is_none(),
        NewId::Read(Id::Number(number)) => number.is_integer() || allowed.contains(Kinds::FRACTION),
        NewId::Read(Id::Null) => allowed.contains(Kinds::NULL),
        NewId::Text(_) | NewId::Signed(_) | NewId::Unsigned(_) => true,
    }
}
