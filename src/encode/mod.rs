//! Encoding: messages as bytes, one to a line.
//!
//! # What is guaranteed
//!
//! What is written is one message on one line: exactly one LF, at its end, and no CR. Ids that were
//! read are written byte for byte as they came. [Parsed](crate::Message::parse) again, it is the same
//! message, but for whitespace inside of payload that was written elsewhere and is put on one line.
//! What can't be completed, because it does not fit or because its payload can't be written, is an
//! error, and leaves nothing behind that could be taken for a message.
//!
//! # Where to
//!
//! Any [`Output`]: a [`Slice`] of bytes, [text](Formatted), and with `std` a `Vec<u8>` or a `Writer`.
//!
//! # What is not checked
//!
//! Whether the peer will like it: that a method exists, that an id is not in use, that no member of
//! an object is written twice.

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

pub use batch::BatchWriter;
pub use error::{EncodeError, Error};
pub use forward::Forward;
pub use id::NewId;
#[cfg(feature = "serde-json-core-v0_7")]
pub use json::CoreJson;
#[cfg(feature = "std")]
pub use json::Json;
pub(crate) use message::Message;
#[cfg(feature = "embedded-io-v0_7")]
pub use output::Embedded;
#[cfg(feature = "std")]
pub use output::Writer;
pub use output::{Formatted, Full, Measure, Output, Slice};
use text::Pieces;
pub use value::{Array, Object, Payload, Value, Written, array, object};

use crate::envelope::{Fault, Params, Results, Rules};
use crate::json::RawJson;

/// No parameters: the member `params` is left out.
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
    params: Params,
    results: Results,
}

impl<O: Output> Encoder<O> {
    /// An encoder of messages of JSON-RPC 2.0.
    pub const fn new(out: O) -> Self {
        Self::with_rules(out, &Rules::JSON_RPC)
    }

    /// An encoder of messages whose parameters and results are of the types that these rules allow.
    pub const fn with_rules(out: O, rules: &Rules) -> Self {
        Self { out, params: rules.params(), results: rules.results() }
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

    /// Writes a request, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written.
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|message| message.request(id.into(), method, params))
    }

    /// Writes a notification, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written.
    pub fn notification(
        &mut self,
        method: &str,
        params: Option<impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|message| message.notification(method, params))
    }

    /// Writes the answer to a request that was done, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written.
    pub fn result<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        result: impl Payload,
    ) -> Result<usize, EncodeError> {
        self.line(|message| message.result(id.into(), result))
    }

    /// Writes the answer to a request that failed, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written.
    pub fn error<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        error: Error<'_, impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|message| message.error(Some(id.into()), error))
    }

    /// Writes the reply that a fault is owed by the sender of the frame, and says how many bytes it
    /// has: 0, if it is owed none.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written.
    pub fn fault(&mut self, fault: &Fault, frame: &[u8]) -> Result<usize, EncodeError> {
        let Some(reply) = fault.reply() else { return Ok(0) };
        self.line(|message| message.reply(&reply, frame))
    }

    /// Writes a batch of what `fill` writes into it, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written; [`EmptyBatch`](EncodeError::EmptyBatch), if nothing was
    /// written into it.
    pub fn batch(
        &mut self,
        fill: impl FnOnce(&mut BatchWriter<'_, '_>),
    ) -> Result<usize, EncodeError> {
        self.line(|message| {
            message.pieces.put(b"[");
            let Message { pieces, params, results } = message;
            let mut batch =
                BatchWriter { message: Message { pieces, params, results }, begun: false };
            fill(&mut batch);
            let BatchWriter { message, begun } = batch;
            if !begun {
                message.pieces.fail(EncodeError::EmptyBatch);
            }
            message.pieces.put(b"]");
        })
    }

    /// Writes one line, whole or not at all.
    fn line(&mut self, write: impl FnOnce(Message<'_, '_>)) -> Result<usize, EncodeError> {
        self.whole(b"", b"\n", write)
    }

    /// Writes one message, and these before and behind it, whole or not at all.
    pub(crate) fn whole(
        &mut self,
        before: &[u8],
        behind: &[u8],
        write: impl FnOnce(Message<'_, '_>),
    ) -> Result<usize, EncodeError> {
        let mark = self.out.mark();
        let mut pieces = Pieces::new(&mut self.out);
        pieces.put(before);
        write(Message { pieces: &mut pieces, params: self.params, results: self.results });
        pieces.put(behind);
        let (length, failure) = (pieces.length, pieces.failure());
        let failure = match failure {
            None => self.out.commit().err().map(|Full| EncodeError::DoesNotFit { needed: length }),
            failure => {
                self.out.rewind(mark);
                failure
            }
        };
        failure.map_or(Ok(length), Err)
    }
}
