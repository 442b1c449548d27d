//! Answers: the room for one, and what became of it.

use crate::encode::{Draft, EncodeError, Encoder, NewError, Opened, Output, Payload, Slice};
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
}

/// A call was answered, or will be.
#[derive(Debug)]
pub struct Answered(pub(super) State);

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It was given. The sheet knows whether it could be written.
    Done,
    /// The handler will write it at another time.
    Later,
}

impl Answer<'_, '_> {
    /// The call was done, with this result.
    ///
    /// If it can't be written, the peer gets -32603, and the observer is
    /// [shown why](super::Traffic::NotWritten).
    pub fn result(self, result: impl Payload) -> Answered {
        if let Some(id) = self.id {
            let written = {
                let mut opened = self.sheet.begin_result(id);
                let _ = result.write(opened.value());
                opened.finish()
            };
            self.sheet.give(written);
        }
        Answered(State::Done)
    }

    /// The call failed, with this error: one with data, or with a description that is put together
    /// for the occasion. For all others, returning a [`Failure`] is shorter.
    ///
    /// What can't be written becomes -32603, as for a [`result`](Self::result).
    pub fn error(self, error: NewError<'_, impl Payload>) -> Answered {
        if let Some(id) = self.id {
            let given = self.sheet.write(|draft| draft.error(id.into(), error));
            self.sheet.given = Some(given);
        }
        Answered(State::Done)
    }

    /// The call will be answered later, by an [`Encoder`] and with its id.
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
    ///     waiting.extend(call.id().map(|id| id.to_string()));
    ///     Ok(answer.later())
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
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    ///
    /// Not in a batch, whose answers are one message: there it fails the call with -32603.
    pub fn later(self) -> Answered {
        Answered(State::Later)
    }

    /// The call is a notification, and nothing is done about it.
    ///
    /// A request gets -32603: it has to be answered.
    pub fn ignore(self) -> Answered {
        Answered(State::Done)
    }
}

/// Where the answers to one frame are written: one message and a newline, or an array of messages.
#[derive(Debug)]
pub(super) struct Sheet<'out> {
    encoder: Encoder<Slice<'out>>,
    batch: Option<BatchSheet>,
    /// What became of the answer that the handler gave to the call in hand, if it gave one.
    given: Option<Result<(), EncodeError>>,
}

#[derive(Clone, Copy, Debug)]
struct BatchSheet {
    /// An answer was written.
    begun: bool,
    /// What the answers that are still to come need at least.
    reserved: usize,
}

impl<'out> Sheet<'out> {
    pub(super) const fn new(encoder: Encoder<Slice<'out>>) -> Self {
        Self { encoder, batch: None, given: None }
    }

    /// Says that a batch is answered, whose answers need so many bytes at least, each with a comma or
    /// a bracket before it.
    ///
    /// If that much is there, no answer may use the room that others need to say at least that they
    /// failed.
    pub(super) fn begin_batch(&mut self, needed: usize) {
        let fits = needed.saturating_add(CLOSE.len()) <= self.encoder.output().capacity();
        self.batch = Some(BatchSheet { begun: false, reserved: if fits { needed } else { 0 } });
    }

    /// Says that it is the turn of an answer that needs so many bytes at least.
    pub(super) const fn next_of_batch(&mut self, needed: usize) {
        if let Some(batch) = &mut self.batch {
            batch.reserved = batch.reserved.saturating_sub(needed);
        }
    }

    /// Says that it is the turn of a call, to which no answer was given yet.
    pub(super) const fn next_call(&mut self) {
        self.given = None;
    }

    /// What became of the answer that the handler gave to this call, if it gave one.
    pub(super) const fn given(&self) -> Option<Result<(), EncodeError>> {
        self.given
    }

    /// Writes one answer, whole or not at all.
    pub(super) fn write(&mut self, write: impl FnOnce(Draft<'_, '_>)) -> Result<(), EncodeError> {
        let written = {
            let mut opened = self.begin();
            write(opened.draft());
            opened.finish()
        };
        self.end(written)
    }

    /// Writes that a call has failed.
    #[inline(never)]
    pub(super) fn fail(&mut self, id: Id<'_>, failure: Failure) -> Result<(), EncodeError> {
        self.write(|draft| failure.write(draft, id))
    }

    /// Begins an answer. This, and what follows, is compiled once, and not for every type of result.
    #[inline(never)]
    fn begin(&mut self) -> Opened<'_> {
        let (before, behind): (&[u8], _) = match self.batch {
            None => (b"", &b"}\n"[..]),
            Some(BatchSheet { begun, reserved }) => {
                self.encoder.output_mut().reserve(reserved.saturating_add(CLOSE.len()));
                (if begun { b"," } else { b"[" }, Draft::CLOSE)
            }
        };
        self.encoder.begin(before, behind)
    }

    /// Begins an answer, up to its result.
    #[inline(never)]
    fn begin_result(&mut self, id: Id<'_>) -> Opened<'_> {
        let mut opened = self.begin();
        opened.draft().begin_result(id.into());
        opened
    }

    /// Takes note of what came of an answer.
    #[inline(never)]
    fn end(&mut self, written: Result<usize, EncodeError>) -> Result<(), EncodeError> {
        written?;
        if let Some(batch) = &mut self.batch {
            batch.begun = true;
        }
        Ok(())
    }

    /// Takes note of what came of the answer that a handler has given.
    #[inline(never)]
    fn give(&mut self, written: Result<usize, EncodeError>) {
        self.given = Some(self.end(written));
    }

    /// Ends the answers, and gives what there is of them.
    pub(super) fn finish(mut self) -> &'out [u8] {
        self.encoder.output_mut().reserve(0);
        if self.batch.is_some_and(|batch| batch.begun) {
            // The room for it was kept free all along.
            let _ = self.encoder.output_mut().put(CLOSE);
        }
        self.encoder.into_output().into_written()
    }

    /// Leaves nothing behind.
    pub(super) fn abandon(mut self) {
        self.encoder.output_mut().rewind(0);
    }

    pub(super) const fn is_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// How much was written.
    pub(super) fn length(&self) -> usize {
        self.encoder.output().mark()
    }

    /// Takes back everything behind the first so many bytes.
    pub(super) fn rewind(&mut self, length: usize) {
        self.encoder.output_mut().rewind(length);
        if let Some(batch) = &mut self.batch {
            batch.begun = length > 0;
        }
    }
}

/// The end of a batch.
pub(super) const CLOSE: &[u8] = b"]\n";
