//! Answers: the room for one, and what became of it.

use crate::encode::{Draft, EncodeError, Encoder, Ends, NewError, Output, Payload, Pieces, Slice};
use crate::envelope::Id;

use super::Failure;

/// Room for the answer to one call, which each way of answering uses up.
///
/// The answer to a notification is dropped.
#[derive(Debug)]
#[must_use]
pub struct Answer<'a, 'out> {
    pub(super) id: Option<Id<'a>>,
    pub(super) sheet: &'a mut Sheet<'out>,
    pub(super) holder: Holder,
}

/// Who has been handed an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Guard,
    Handler,
}

/// A call was answered, or will be. The sheet of the call knows which, so it stands for no other call.
#[derive(Debug)]
#[must_use]
pub struct Answered(pub(super) ());

impl Answer<'_, '_> {
    /// The call was done, with this result.
    ///
    /// If it can't be written, the peer gets -32603, and the observer is
    /// [shown why](super::Traffic::NotWritten).
    pub fn result(self, result: impl Payload) -> Answered {
        if let Some(id) = self.id {
            let mut giving = self.sheet.begin_result(id);
            let _ = result.write(giving.pieces.value());
            giving.give();
        }
        Answered(())
    }

    /// The call failed, with this error: one with data, or with a description that is put together
    /// for the occasion. For all others, returning a [`Failure`] is shorter.
    ///
    /// What can't be written becomes -32603, as for a [`result`](Self::result).
    pub fn error(self, error: NewError<'_, impl Payload>) -> Answered {
        if let Some(id) = self.id {
            let mut giving = self.sheet.begin();
            giving.pieces.draft().error(id.into(), error);
            giving.give();
        }
        Answered(())
    }

    /// Whether the call is an element of a batch, whose answers are one message.
    ///
    /// There it can't be answered [later](Self::later), so a handler that could do either answers at once.
    #[must_use]
    pub const fn is_in_batch(&self) -> bool {
        self.sheet.is_batch()
    }

    /// The call will be answered later, by an [`Encoder`] and with its id.
    ///
    /// Call this before you start anything that will answer the call: in a batch it is refused.
    ///
    /// The id is borrowed from the frame, so what a handler keeps is its text, which
    /// [`Id::parse`] reads again. The answer has it byte for byte.
    ///
    /// ```
    /// use tautline::encode::Encoder;
    /// use tautline::endpoint::{Answer, Answered, Call, Endpoint, Failure, Method};
    /// use tautline::{Id, Rules};
    ///
    /// /// The ids of those who wait.
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
    /// assert_eq!(endpoint.handle(frame, &mut waiting, &mut room), Ok(&b""[..]));
    ///
    /// // The value has come.
    /// let mut out = Vec::new();
    /// for id in waiting.drain(..) {
    ///     let id = Id::parse(id.as_bytes()).unwrap();
    ///     Encoder::new(&mut out).result(id, 21.5)?;
    /// }
    /// assert_eq!(out, b"{\"jsonrpc\":\"2.0\",\"id\":\"caf\\u00e9-1\",\"result\":21.5}\n");
    ///
    /// // A batch is answered as a whole.
    /// let batch = [b"[", &frame[..], b"]"].concat();
    /// let reply = endpoint.handle(&batch, &mut waiting, &mut room)?;
    /// assert!(reply.starts_with(br#"[{"jsonrpc":"2.0","id":"caf\u00e9-1","error":{"code":-32603,"#));
    /// assert!(waiting.is_empty());
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Failure::INTERNAL`] for a request in a batch. A notification is never refused, as it is not answered.
    pub fn later(self) -> Result<Answered, Failure> {
        if self.id.is_some() {
            if self.sheet.is_batch() {
                return Err(Failure::INTERNAL);
            }
            self.sheet.promise();
        }
        Ok(Answered(()))
    }

    /// The call is a notification, and nothing is done about it.
    ///
    /// A request gets -32603 if its handler ignores it: it has to be answered. If the
    /// [guard](super::Endpoint::guarded_by) does, it gets nothing: the sender is one that must not be
    /// answered, as a modern server of MCP.
    pub fn ignore(self) -> Answered {
        if self.holder == Holder::Guard && !self.sheet.is_batch() {
            self.sheet.promise();
        }
        Answered(())
    }
}

/// Where the answers to one frame are written: one message and a newline, or an array of messages.
#[derive(Debug)]
pub(super) struct Sheet<'out> {
    encoder: Encoder<Slice<'out>>,
    /// What the answer to the call in hand stands between.
    ends: &'static Ends,
    is_batch: bool,
    given: Given,
}

/// What became of the answer that the handler gave to the call in hand, if it gave one: its length, which is 0 if it
/// was put off, or why it could not be written.
type Given = Option<Result<usize, EncodeError>>;

/// An answer that a handler gives.
#[derive(Debug)]
struct Giving<'a> {
    pieces: Pieces<'a>,
    given: &'a mut Given,
}

impl Giving<'_> {
    /// Takes note of what came of it. This is compiled once, and not for every type of result.
    #[inline(never)]
    fn give(&mut self) {
        *self.given = Some(self.pieces.finish());
    }
}

impl<'out> Sheet<'out> {
    pub(super) const fn new(encoder: Encoder<Slice<'out>>) -> Self {
        Self { encoder, ends: &Ends::LINE, is_batch: false, given: None }
    }

    /// Says that a batch is answered, whose answers need so many bytes at least, each with a comma or
    /// a bracket before it.
    ///
    /// If that much is there, no answer may use the room that others need to say at least that they
    /// failed.
    pub(super) fn begin_batch(&mut self, needed: usize) {
        self.is_batch = true;
        let output = self.encoder.output_mut();
        let needed = needed.saturating_add(CLOSE.len());
        output.reserve(if needed <= output.capacity() { needed } else { CLOSE.len() });
    }

    /// Says that it is the turn of an answer that needs so many bytes at least.
    pub(super) fn next_of_batch(&mut self, needed: usize) {
        let output = self.encoder.output_mut();
        output.reserve(output.reserved().saturating_sub(needed).max(CLOSE.len()));
        self.ends = if self.length() > 0 { &Ends::NEXT } else { &Ends::FIRST };
    }

    /// Says that all of a batch was answered.
    pub(super) fn end_batch(&mut self) {
        self.encoder.output_mut().reserve(0);
        if self.length() > 0 {
            // The room for it was kept free all along.
            let _ = self.encoder.output_mut().put(CLOSE);
        }
    }

    /// Says that it is the turn of a call, to which no answer was given yet.
    pub(super) const fn next_call(&mut self) {
        self.given = None;
    }

    /// Takes note that this call is answered at another time, or never.
    const fn promise(&mut self) {
        self.given = Some(Ok(0));
    }

    /// What became of the answer that the handler gave to this call, if it gave one.
    pub(super) const fn given(&self) -> Given {
        self.given
    }

    /// Writes one answer, whole or not at all.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(Draft<'_, '_>),
    ) -> Result<usize, EncodeError> {
        let mut giving = self.begin();
        write(giving.pieces.draft());
        giving.pieces.finish()
    }

    /// Writes that a call has failed.
    #[inline(never)]
    pub(super) fn fail(&mut self, id: Id<'_>, failure: &Failure) -> Result<usize, EncodeError> {
        self.write(|draft| failure.write(draft, id))
    }

    /// Begins an answer. This, and what follows, is compiled once, and not for every type of result.
    #[inline(never)]
    fn begin(&mut self) -> Giving<'_> {
        Giving { pieces: self.encoder.begin(self.ends), given: &mut self.given }
    }

    /// Begins an answer, up to its result.
    #[inline(never)]
    fn begin_result(&mut self, id: Id<'_>) -> Giving<'_> {
        let mut giving = self.begin();
        giving.pieces.draft().begin_result(id.into());
        giving
    }

    /// The answers.
    pub(super) fn finish(self) -> &'out [u8] {
        self.encoder.into_output().into_written()
    }

    const fn is_batch(&self) -> bool {
        self.is_batch
    }

    /// How much was written.
    pub(super) fn length(&self) -> usize {
        self.encoder.output().mark()
    }

    /// Takes back everything behind the first so many bytes.
    pub(super) fn rewind(&mut self, length: usize) {
        self.encoder.output_mut().rewind(length);
    }
}

/// The end of a batch.
pub(super) const CLOSE: &[u8] = b"]\n";
