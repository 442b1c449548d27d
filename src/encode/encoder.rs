//! The encoder, which writes whole messages, alone or in a batch.

use super::message::Draft;
use super::value::separate;
use super::{Allowed, EncodeError, Ends, NewError, NewId, Output, Payload, Pieces};
use crate::envelope::{Batches, Fault, Profile, Reply};

/// Writes messages.
///
/// ```
/// use tautline::encode::{Encoder, NO_PARAMS, Slice};
/// use tautline::{Message, RawJson, Profile};
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
/// assert!(matches!(Message::parse(second, &Profile::JSON_RPC), Ok(Message::Notification(_))));
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Encoder<O> {
    out: O,
    allowed: Allowed,
}

impl<O: Output> Encoder<O> {
    /// Creates an encoder for JSON-RPC 2.0.
    pub const fn new(out: O) -> Self {
        Self::with_profile(out, &Profile::JSON_RPC)
    }

    /// Creates an encoder for messages under this profile. It refuses parameters, results and ids that the
    /// profile forbids. It also refuses batches if the profile forbids them, and mixed batches if the profile forbids
    /// those.
    pub const fn with_profile(out: O, profile: &Profile) -> Self {
        Self { out, allowed: Allowed::by(profile) }
    }

    /// Returns the output.
    pub const fn output(&self) -> &O {
        &self.out
    }

    /// Returns the output, to use it directly between messages. In the queue of a writer and in a codec, bytes that are
    /// written here become part of the next message, unless the framing is lines.
    pub const fn output_mut(&mut self) -> &mut O {
        &mut self.out
    }

    /// Returns the output with everything written so far.
    pub fn into_output(self) -> O {
        self.out
    }

    /// Writes a request, and returns its length in bytes. For no parameters, pass
    /// [`NO_PARAMS`](super::NO_PARAMS).
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.request(id.into(), method, params))
    }

    /// Writes a notification, and returns its length in bytes. For no parameters, pass
    /// [`NO_PARAMS`](super::NO_PARAMS).
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn notification(
        &mut self,
        method: &str,
        params: Option<impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.notification(method, params))
    }

    /// Writes the answer to a request that succeeded, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn result<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        result: impl Payload,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.result(id.into(), result))
    }

    /// Writes the answer to a request that failed, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn error<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        error: NewError<'_, impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.error(id.into(), error))
    }

    /// Writes an error that answers no request, and returns its length in bytes: the answer to a message whose id could
    /// not be read.
    ///
    /// JSON-RPC 2.0 demands a null id instead (section 5), which [`error`](Self::error) writes.
    ///
    /// ```
    /// use tautline::encode::{Encoder, NewError, Slice};
    /// use tautline::envelope::ErrorIds;
    /// use tautline::{ErrorCode, Profile};
    ///
    /// // As in MCP since 2025-11-25.
    /// const PROFILE: Profile = Profile::JSON_RPC.with_error_ids(ErrorIds::OrAbsent);
    /// let mut room = [0; 128];
    /// let mut encoder = Encoder::with_profile(Slice::new(&mut room), &PROFILE);
    /// encoder.error_without_id(NewError::new(ErrorCode::new(-32000), "Server is shutting down"))?;
    /// assert_eq!(
    ///     encoder.output().written(),
    ///     br#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Server is shutting down"}}
    /// "#,
    /// );
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]: [`IdNotAllowed`](EncodeError::IdNotAllowed) if the profile demands an id. Nothing has
    /// been written, unless it is [`Output`](EncodeError::Output).
    pub fn error_without_id(
        &mut self,
        error: NewError<'_, impl Payload>,
    ) -> Result<usize, EncodeError> {
        self.line(|draft| draft.error_without_id(error))
    }

    /// Writes a reply that a fault is owed, and returns its length in bytes. The profile of this encoder does not apply to
    /// its id, as for [`fault`](Self::fault).
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn reply(&mut self, reply: &Reply<'_>) -> Result<usize, EncodeError> {
        self.line(|draft| draft.reply(reply))
    }

    /// Writes the reply to a faulty frame, and returns its length in bytes, or 0 if no reply is due. The
    /// profile of this encoder does not apply to its id: the profile under which the frame was parsed has chosen
    /// it.
    ///
    /// If a request of the sender with the same id is pending, send nothing: the error would answer that request. A
    /// gateway asks [`ForwardedRequests::may_answer`](crate::client::ForwardedRequests::may_answer).
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn fault(&mut self, fault: &Fault<'_>) -> Result<usize, EncodeError> {
        fault.reply().map_or(Ok(0), |reply| self.reply(&reply))
    }

    /// Writes the reply to a faulty frame as [`fault`](Self::fault) does, with the reason as the `data` of the
    /// error: the rule that is broken, the offset in bytes, and a summary.
    ///
    /// ```
    /// use tautline::encode::{Encoder, Slice};
    /// use tautline::{Message, Profile};
    ///
    /// let fault = Message::parse(br#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, &Profile::JSON_RPC).unwrap_err();
    /// let mut room = [0; 256];
    /// let mut encoder = Encoder::new(Slice::new(&mut room));
    /// encoder.explained_fault(&fault)?;
    /// let line = str::from_utf8(encoder.output().written()).unwrap();
    /// assert!(line.contains(r#","data":{"rule":"id-type","offset":22,"summary":"#));
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn explained_fault(&mut self, fault: &Fault<'_>) -> Result<usize, EncodeError> {
        let Some(reply) = fault.reply() else { return Ok(0) };
        self.line(|draft| draft.explained_reply(&reply, fault))
    }

    /// Writes a batch of the messages that `fill` adds, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`], as for the other methods. In addition:
    ///
    /// - [`EmptyBatch`](EncodeError::EmptyBatch) if `fill` adds no message.
    /// - [`BatchNotAllowed`](EncodeError::BatchNotAllowed) if the profile forbids batches.
    /// - [`MixedBatch`](EncodeError::MixedBatch) if the profile forbids mixed batches and this one is mixed.
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

    /// Writes one whole line, or nothing.
    pub(crate) fn line(&mut self, write: impl FnOnce(Draft<'_, '_>)) -> Result<usize, EncodeError> {
        self.whole(&Ends::LINE, write)
    }

    /// Writes a whole draft between these ends, or nothing.
    pub(crate) fn whole(
        &mut self,
        ends: &'static Ends,
        write: impl FnOnce(Draft<'_, '_>),
    ) -> Result<usize, EncodeError> {
        let mut pieces = self.begin(ends);
        write(pieces.draft());
        pieces.finish()
    }

    /// Begins what [`whole`](Self::whole) writes, for callers that write it step by step.
    pub(crate) fn begin(&mut self, ends: &'static Ends) -> Pieces<'_> {
        Pieces::new(&mut self.out, &self.allowed, ends)
    }
}

/// A batch being written.
#[derive(Debug)]
pub struct BatchWriter<'a, 'out> {
    draft: Draft<'a, 'out>,
    begun: bool,
    /// The kind of the first message.
    kind: Option<BatchKind>,
}

/// The kind of messages in an unmixed batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchKind {
    /// Requests and notifications.
    Calls,
    /// Results and errors.
    Responses,
}

impl<'out> BatchWriter<'_, 'out> {
    /// Adds a request. For no parameters, pass [`NO_PARAMS`](super::NO_PARAMS).
    pub fn request<'id>(
        &mut self,
        id: impl Into<NewId<'id>>,
        method: &str,
        params: Option<impl Payload>,
    ) {
        self.next(BatchKind::Calls, |draft| draft.request(id.into(), method, params));
    }

    /// Adds a notification. For no parameters, pass [`NO_PARAMS`](super::NO_PARAMS).
    pub fn notification(&mut self, method: &str, params: Option<impl Payload>) {
        self.next(BatchKind::Calls, |draft| draft.notification(method, params));
    }

    /// Adds the answer to a request that succeeded.
    pub fn result<'id>(&mut self, id: impl Into<NewId<'id>>, result: impl Payload) {
        self.next(BatchKind::Responses, |draft| draft.result(id.into(), result));
    }

    /// Adds the answer to a request that failed.
    pub fn error<'id>(&mut self, id: impl Into<NewId<'id>>, error: NewError<'_, impl Payload>) {
        self.next(BatchKind::Responses, |draft| draft.error(id.into(), error));
    }

    /// Adds the reply to a faulty frame, such as an element of a received batch. It adds nothing if no reply is
    /// due. The profile of the encoder does not apply to its id, as for [`Encoder::fault`](super::Encoder::fault).
    pub fn fault(&mut self, fault: &Fault<'_>) {
        if let Some(reply) = fault.reply() {
            self.next(BatchKind::Responses, |draft| draft.reply(&reply));
        }
    }

    /// Adds the reply to a faulty frame as [`fault`](Self::fault) does, with the reason as in
    /// [`Encoder::explained_fault`](super::Encoder::explained_fault).
    pub fn explained_fault(&mut self, fault: &Fault<'_>) {
        if let Some(reply) = fault.reply() {
            self.next(BatchKind::Responses, |draft| draft.explained_reply(&reply, fault));
        }
    }

    /// Adds a message of any kind.
    pub(crate) fn next(&mut self, kind: BatchKind, write: impl FnOnce(Draft<'_, 'out>)) {
        let Draft { ref mut pieces } = self.draft;
        let is_mixed = *self.kind.get_or_insert(kind) != kind;
        let may_be = pieces.allowed.batches != Batches::Unmixed;
        pieces.demand(may_be || !is_mixed, EncodeError::MixedBatch);
        separate(pieces, &mut self.begun);
        write(Draft { pieces });
        pieces.put(Ends::NEXT.behind);
    }
}
