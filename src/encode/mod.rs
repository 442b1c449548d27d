//! Encoding: messages as bytes, one to a line.
//!
//! # What is guaranteed
//!
//! What is written is one message on one line: exactly one LF, at its end, and no CR. [Parsed](crate::Message::parse)
//! again, it is the same message, but for whitespace inside of payload that was written elsewhere and is put on one
//! line.
//!
//! Ids that were read, and strings in payload that was written elsewhere, are written byte for byte as they came. All
//! other strings also escape U+0085, U+2028 and U+2029, at which some readers of lines split.
//!
//! What can't be completed, because it does not fit, because its payload can't be written, or because
//! the payload panics, leaves nothing behind that could be taken for a message.
//!
//! One thing nobody can take back: when a [writer fails](EncodeError::Output), some of the message
//! may be out. The next one begins on a new line then.
//!
//! # Where to
//!
//! Any [`Output`]:
//!
//! | you have | you use | feature |
//! |---|---|---|
//! | `&mut [u8]` | [`Slice::new`]`(bytes)` | |
//! | `Vec<u8>`, or one behind `&mut` | the vector | `std` |
//! | `heapless::Vec<u8, N>`, or one behind `&mut` | the vector | `heapless-v0_9` |
//! | a `core::fmt::Write`, such as a `String` | [`Formatted::new`]`(text)` | |
//! | a `std::io::Write` | `Writer::new(writer)` | `std` |
//! | an `embedded_io::Write`, and room for a message | `Embedded::new(writer, room)` | `embedded-io-v0_7` |
//! | only the question how long it is | [`Measure`] | |
//!
//! # What is not checked
//!
//! Whether the peer will like it: that a method exists, that an id is not in use, that no member of
//! an object is written twice, that a batch is not too long. Of payload: its depth, where it is
//! written piece by piece, for the message is nested one or two levels deeper than what is in it; and
//! escapes of half a character, where it was written elsewhere.

mod batch;
mod error;
mod forward;
mod id;
#[cfg(any(feature = "std", feature = "serde-json-core-v0_7"))]
mod json;
mod message;
mod output;
mod text;
mod value;

#[cfg(feature = "std")]
pub(crate) use batch::BatchKind;
pub use batch::BatchWriter;
pub use error::{EncodeError, NewError};
pub use forward::Forward;
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7",))]
pub(crate) use forward::without_carriage_returns;
pub use id::NewId;
#[cfg(feature = "serde-json-core-v0_7")]
pub use json::CoreJson;
#[cfg(feature = "std")]
pub use json::Json;
#[cfg(feature = "std")]
pub(crate) use json::to_json_string;
use message::Allowed;
pub(crate) use message::{Draft, Ends};
#[cfg(feature = "embedded-io-v0_7")]
pub use output::Embedded;
#[cfg(feature = "std")]
pub use output::Writer;
pub use output::{Formatted, Measure, Output, Refused, Slice};
pub(crate) use text::Pieces;
pub use value::{Array, Object, Payload, Value, Written, array, object};

use crate::envelope::{Batches, Fault, Rules};
use crate::json::RawJson;

/// No parameters: the member `params` is left out. A plain `None` does not say what it is none of.
pub const NO_PARAMS: Option<RawJson<'static>> = None;

/// Writes messages.
///
/// ```
/// use tautline::encode::{Encoder, NO_PARAMS, Slice};
/// use tautline::{Message, RawJson, Rules};
///
/// let mut room = [0; 256];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// let params = RawJson::parse(b"[42,\n 23]").unwrap();
/// let length = encoder.request(1, "subtract", Some(params))?;
/// encoder.notification("update", NO_PARAMS)?;
///
/// let written = encoder.into_output().into_written();
/// let (first, second) = written.split_at(length);
/// assert_eq!(first, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subtract\",\"params\":[42, 23]}\n");
/// assert!(matches!(Message::parse(second, &Rules::JSON_RPC), Ok(Message::Notification(_))));
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Encoder<O> {
    out: O,
    allowed: Allowed,
}

impl<O: Output> Encoder<O> {
    /// An encoder of messages of JSON-RPC 2.0.
    pub const fn new(out: O) -> Self {
        Self::with_rules(out, &Rules::JSON_RPC)
    }

    /// An encoder of messages under these rules: what they forbid as parameters, as a result or as an
    /// id is refused, and so are batches where there are none or where they must not be mixed.
    pub const fn with_rules(out: O, rules: &Rules) -> Self {
        Self { out, allowed: Allowed::by(rules) }
    }

    /// The output.
    pub const fn output(&self) -> &O {
        &self.out
    }

    /// The output, to do other things with it between messages.
    pub const fn output_mut(&mut self) -> &mut O {
        &mut self.out
    }

    /// The output, with all that was written.
    pub fn into_output(self) -> O {
        self.out
    }

    /// Writes a request, and says how many bytes it has. Without parameters: [`NO_PARAMS`].
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.request(id.into(), method, params))
    }

    /// Writes a notification, and says how many bytes it has. Without parameters: [`NO_PARAMS`].
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn notification(
        &mut self,
        method: &str,
        params: Option<impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.notification(method, params))
    }

    /// Writes the answer to a request that was done, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn result<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        result: impl Payload,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.result(id.into(), result))
    }

    /// Writes the answer to a request that failed, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn error<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        error: NewError<'_, impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.error(id.into(), error))
    }

    /// Writes the reply that the sender of a faulty frame is owed, and says how many bytes it has: 0, if
    /// none is owed. Its id is not held to the rules of this encoder, because those that the frame was
    /// read by have chosen it.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn fault(&mut self, fault: &Fault, frame: &[u8]) -> Result<usize, EncodeError> {
        let Some(reply) = fault.reply() else { return Ok(0) };
        self.line(|draft| draft.reply(&reply, frame))
    }

    /// Writes a batch of what `fill` writes into it, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], as the others; [`EmptyBatch`](EncodeError::EmptyBatch), if nothing was
    /// written into it; [`BatchNotAllowed`](EncodeError::BatchNotAllowed), if the rules forbid batches;
    /// [`MixedBatch`](EncodeError::MixedBatch), if they forbid what was written into one.
    pub fn batch(
        &mut self,
        fill: impl FnOnce(&mut BatchWriter<'_, '_>),
    ) -> Result<usize, EncodeError> {
        self.whole(&Ends::BATCH, |draft| {
            let allowed = draft.pieces.allowed.batches != Batches::Forbidden;
            draft.pieces.demand(allowed, EncodeError::BatchNotAllowed);
            let mut batch = BatchWriter { draft, begun: false, kind: None };
            fill(&mut batch);
            batch.draft.pieces.demand(batch.begun, EncodeError::EmptyBatch);
        })
    }

    /// Writes one line, whole or not at all.
    pub(crate) fn line(&mut self, write: impl FnOnce(Draft<'_, '_>)) -> Result<usize, EncodeError> {
        self.whole(&Ends::LINE, write)
    }

    /// Writes a draft, and these before and behind it, whole or not at all.
    pub(crate) fn whole(
        &mut self,
        ends: &'static Ends,
        write: impl FnOnce(Draft<'_, '_>),
    ) -> Result<usize, EncodeError> {
        let mut pieces = self.begin(ends);
        write(pieces.draft());
        pieces.finish()
    }

    /// Begins what [`whole`](Self::whole) puts, step by step.
    pub(crate) fn begin(&mut self, ends: &'static Ends) -> Pieces<'_> {
        Pieces::new(&mut self.out, &self.allowed, ends)
    }
}
