//! Answers: the space for one answer, and its outcome.

use super::room::{self, CLOSE, Room};
use super::{Failure, Status};
use crate::encode::{Draft, EncodeError, Encoder, Ends, NewError, Output, Payload, Pieces};
use crate::envelope::Id;
use crate::rule::ErrorCode;

/// Space for the answer to one call. Each way of answering consumes it.
///
/// The answer to a notification is dropped.
#[derive(Debug)]
#[must_use]
pub struct Answer<'a, 'out> {
    pub(super) id: Option<Id<'a>>,
    pub(super) sheet: &'a mut Sheet<'out>,
    pub(super) holder: Holder,
}

/// The function that received the space for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Guard,
    Handler,
}

/// Confirmation that a call was answered, or will be.
///
/// The sheet records whether the current call was answered, so the confirmation of another call does not count.
#[derive(Debug)]
#[must_use]
pub struct Answered(pub(super) ());

impl Answer<'_, '_> {
    /// Answers the call with this result.
    ///
    /// If the result cannot be written, the peer gets -32603, and the observer [receives the
    /// reason](super::Traffic::NotWritten).
    pub fn result(self, result: impl Payload) -> Answered {
        if let Some(id) = self.id {
            let mut giving = self.sheet.begin_result(id);
            let _ = result.write(giving.pieces.value());
            giving.give(Status::Result);
        }
        Answered(())
    }

    /// Answers the call with this error. Use it for an error with data or with a description built at run
    /// time. For all others, returning a [`Failure`] is shorter.
    ///
    /// If the error cannot be written, the peer gets -32603, as for a [`result`](Self::result).
    pub fn error(self, error: NewError<'_, impl Payload>) -> Answered {
        if let Some(id) = self.id {
            let mut giving = self.sheet.begin();
            let code = error.code();
            giving.pieces.draft().error(id.into(), error);
            giving.give(Status::Error(code));
        }
        Answered(())
    }

    /// Returns whether the call is an element of a batch, whose answers form one message.
    ///
    /// Such a call cannot be answered [later](Self::later). A handler that can do both answers it at once.
    #[must_use]
    pub const fn is_in_batch(&self) -> bool {
        self.sheet.is_batch()
    }

    /// Defers the answer, which an [`Encoder`] writes later with the id of the call.
    ///
    /// Call this before you start any work that will answer the call, because it fails in a batch.
    ///
    /// The id is borrowed from the frame. Keep its text, and parse it again with [`Id::parse`]. The answer
    /// repeats it byte for byte.
    ///
    /// ```
    /// use tautline::encode::Encoder;
    /// use tautline::endpoint::{Answer, Answered, Endpoint, Failure, Method};
    /// use tautline::{Call, Id, Rules};
    ///
    /// /// The ids of the pending calls.
    /// type Waiting = Vec<String>;
    ///
    /// fn measure(
    ///     waiting: &mut Waiting,
    ///     call: &Call<'_>,
    ///     answer: Answer<'_, '_>,
    /// ) -> Result<Answered, Failure> {
    ///     let answered = answer.later()?;
    ///     waiting.extend(call.id().map(|id| id.to_string()));
    ///     Ok(answered)
    /// }
    ///
    /// const METHODS: &[Method<Waiting>] = &[Method::new("measure", measure)];
    ///
    /// let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
    /// let (mut waiting, mut room) = (Waiting::new(), [0; 256]);
    /// let frame = br#"{"jsonrpc":"2.0","id":"caf\u00e9-1","method":"measure"}"#;
    /// assert!(endpoint.answer(frame, &mut waiting, &mut room)?.is_empty());
    ///
    /// // The value has arrived.
    /// let mut out = Vec::new();
    /// for id in waiting.drain(..) {
    ///     let id = Id::parse(id.as_bytes()).unwrap();
    ///     Encoder::new(&mut out).result(id, 21.5)?;
    /// }
    /// assert_eq!(out, b"{\"jsonrpc\":\"2.0\",\"id\":\"caf\\u00e9-1\",\"result\":21.5}\n");
    ///
    /// // A batch is answered as a whole.
    /// let batch = [b"[", &frame[..], b"]"].concat();
    /// let reply = endpoint.answer(&batch, &mut waiting, &mut room)?;
    /// assert!(reply.starts_with(br#"[{"jsonrpc":"2.0","id":"caf\u00e9-1","error":{"code":-32603,"#));
    /// assert!(waiting.is_empty());
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Failure::INTERNAL`] for a request in a batch. A notification never fails, since it gets no
    /// answer.
    pub fn later(self) -> Result<Answered, Failure> {
        if self.id.is_some() {
            if self.sheet.is_batch() {
                return Err(Failure::INTERNAL);
            }
            self.sheet.promise(Status::Later);
        }
        Ok(Answered(()))
    }

    /// Leaves a notification unanswered.
    ///
    /// If a handler ignores a request, the peer gets -32603, because a request must be answered. If the
    /// [guard](super::Endpoint::guarded_by) ignores it, the peer gets nothing: some requests must not be
    /// answered, for example by a modern MCP server.
    pub fn ignore(self) -> Answered {
        if self.holder == Holder::Guard && !self.sheet.is_batch() {
            self.sheet.promise(Status::Silent);
        }
        Answered(())
    }
}

/// The output for the answers to one frame: one message and a newline, or an array of messages.
#[derive(Debug)]
pub(super) struct Sheet<'out> {
    encoder: Encoder<Room<'out>>,
    /// The text before and after the answer to the current call.
    ends: &'static Ends,
    is_batch: bool,
    given: Given,
}

/// The outcome of the handler's answer to the current call, if there was one: its status, or the reason why it could not
/// be written.
type Given = Option<Result<Status, EncodeError>>;

/// An answer that a handler is writing.
#[derive(Debug)]
struct Giving<'a> {
    pieces: Pieces<'a>,
    given: &'a mut Given,
}

impl Giving<'_> {
    /// Records the outcome. This is compiled once, not once for each type of result.
    #[inline(never)]
    fn give(&mut self, status: Status) {
        *self.given = Some(self.pieces.finish().map(|_| status));
    }
}

impl<'out> Sheet<'out> {
    pub(super) const fn new(encoder: Encoder<Room<'out>>) -> Self {
        Self { encoder, ends: &Ends::LINE, is_batch: false, given: None }
    }

    /// Begins the answers to a batch, which need at least `needed` bytes, each with a comma or a bracket
    /// before it.
    ///
    /// If the output has that much room, no answer may use the room that the others need to report at least
    /// a failure.
    pub(super) fn begin_batch(&mut self, needed: usize) {
        self.is_batch = true;
        let output = self.encoder.output_mut();
        let needed = needed.saturating_add(CLOSE.len());
        output.reserve(if needed <= output.capacity() { needed } else { CLOSE.len() });
    }

    /// Begins the next answer of a batch, which needs at least `needed` bytes.
    pub(super) fn next_of_batch(&mut self, needed: usize) {
        let output = self.encoder.output_mut();
        output.reserve(output.reserved().saturating_sub(needed).max(CLOSE.len()));
        self.ends = if self.length() > 0 { &Ends::NEXT } else { &Ends::FIRST };
    }

    /// Ends the answers to a batch.
    pub(super) fn end_batch(&mut self) -> Result<(), EncodeError> {
        self.encoder.output_mut().reserve(0);
        if self.length() > 0 {
            let length = self.length().saturating_add(CLOSE.len());
            let closed = self.encoder.output_mut().put(CLOSE);
            closed.map_err(|refused| refused.error(length))?;
        }
        Ok(())
    }

    /// Begins the next call, which has no answer yet.
    pub(super) const fn next_call(&mut self) {
        self.given = None;
    }

    /// Records that this call is answered later, or never.
    const fn promise(&mut self, status: Status) {
        self.given = Some(Ok(status));
    }

    /// Returns the outcome of the handler's answer to this call, if there was one.
    pub(super) const fn given(&self) -> Given {
        self.given
    }

    /// Writes one whole answer, or nothing.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(Draft<'_, '_>),
    ) -> Result<usize, EncodeError> {
        let mut giving = self.begin();
        write(giving.pieces.draft());
        giving.pieces.finish()
    }

    /// Writes an error as the answer to a call.
    #[inline(never)]
    pub(super) fn fail(&mut self, id: Id<'_>, failure: &Failure) -> Result<ErrorCode, EncodeError> {
        self.write(|draft| failure.write(draft, id)).map(|_| failure.code())
    }

    /// Begins an answer. This function and the next are compiled once, not once for each type of result.
    #[inline(never)]
    fn begin(&mut self) -> Giving<'_> {
        Giving { pieces: self.encoder.begin(self.ends), given: &mut self.given }
    }

    /// Begins an answer, and writes everything before its result.
    #[inline(never)]
    fn begin_result(&mut self, id: Id<'_>) -> Giving<'_> {
        let mut giving = self.begin();
        giving.pieces.draft().begin_result(id.into());
        giving
    }

    /// Returns the answers.
    pub(super) fn finish(self) -> Result<&'out [u8], EncodeError> {
        room::complete(self.encoder.into_output())
    }

    const fn is_batch(&self) -> bool {
        self.is_batch
    }

    /// Returns the number of bytes written.
    pub(super) fn length(&self) -> usize {
        self.encoder.output().mark()
    }

    /// Discards everything after the first `length` bytes.
    pub(super) fn rewind(&mut self, length: usize) {
        self.encoder.output_mut().rewind(length);
    }
}
