//! Answers: the room for them, the responder that writes one, and the reply.

use core::ops::Deref;

use super::Failure;
use crate::encode::{Draft, EncodeError, Encoder, Ends, NewError, Output, Payload, Pieces, Slice};
#[cfg(feature = "alloc")]
use crate::encode::{GrowableOutput, Refused};
use crate::envelope::Id;
use crate::rule::{ErrorCode, Finding};

/// Answers one call. Each way of answering consumes it.
///
/// The answer to a notification is dropped.
#[derive(Debug)]
#[must_use]
pub struct Responder<'a, 'out> {
    pub(super) id: Option<Id<'a>>,
    pub(super) sheet: &'a mut Sheet<'out>,
    pub(super) holder: Holder,
}

/// The function that received the responder.
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
pub struct Responded(pub(super) ());

impl Responder<'_, '_> {
    /// Answers the call with this result.
    ///
    /// If the result cannot be written, the peer gets -32603, and the observer [receives the
    /// reason](super::Traffic::NotWritten).
    pub fn result(self, result: impl Payload) -> Responded {
        if let Some(id) = self.id {
            let mut giving = self.sheet.begin_result(id);
            let _ = result.write(giving.pieces.value());
            giving.give(Status::Result);
        }
        Responded(())
    }

    /// Answers the call with this error. Use it for an error with data or with a description built at run
    /// time. For all others, returning a [`Failure`] is shorter.
    ///
    /// If the error cannot be written, the peer gets -32603, as for a [`result`](Self::result).
    pub fn error(self, error: NewError<'_, impl Payload>) -> Responded {
        if let Some(id) = self.id {
            let mut giving = self.sheet.begin();
            let code = error.code();
            giving.pieces.draft().error(id.into(), error);
            giving.give(Status::Error(code));
        }
        Responded(())
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
    /// The id is borrowed from the frame. To keep it, convert it to an `owned::Id` (feature `alloc`), which the answer
    /// repeats byte for byte. Without a heap, keep its text, and parse it with [`Id::parse`]. `Encoder::failure` writes a
    /// [`Failure`] with its data.
    ///
    /// A handler that defers has the call and the responder. Those of
    /// `Router::typed_request` have neither: they can't defer, and don't see the id. Register it with `Router::request`,
    /// and read the parameters with `Call::params_as`.
    ///
    #[cfg_attr(feature = "alloc", doc = "```")]
    #[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
    /// use tautline::encode::Encoder;
    /// use tautline::endpoint::{Responder, Responded, Endpoint, Failure, Method};
    /// use tautline::owned::Id;
    /// use tautline::{Call, ErrorCode, Profile};
    ///
    /// /// The ids of the pending calls.
    /// type Waiting = Vec<Id>;
    ///
    /// fn measure(
    ///     waiting: &mut Waiting,
    ///     call: &Call<'_>,
    ///     responder: Responder<'_, '_>,
    /// ) -> Result<Responded, Failure> {
    ///     let answered = responder.later()?;
    ///     waiting.extend(call.id().map(Id::from));
    ///     Ok(answered)
    /// }
    ///
    /// const METHODS: &[Method<Waiting>] = &[Method::new("measure", measure)];
    ///
    /// let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
    /// let (mut waiting, mut room) = (Waiting::new(), [0; 256]);
    /// let frame = br#"{"jsonrpc":"2.0","id":"caf\u00e9-1","method":"measure"}"#;
    /// assert!(endpoint.answer(frame, &mut waiting, &mut room)?.is_empty());
    /// assert!(endpoint.answer(br#"{"jsonrpc":"2.0","id":2,"method":"measure"}"#, &mut waiting, &mut room)?.is_empty());
    ///
    /// // The first value has arrived. The second measurement failed.
    /// let mut out = Vec::new();
    /// let mut encoder = Encoder::with_profile(&mut out, &Profile::JSON_RPC);
    /// let id = waiting.remove(0);
    /// encoder.result(&id, 21.5)?;
    /// let id = waiting.remove(0);
    /// encoder.failure(&id, &Failure::new(ErrorCode::new(5), "no sensor").with_data(["i2c", "0x48"]))?;
    /// let mut lines = out.split_inclusive(|&byte| byte == b'\n');
    /// assert_eq!(lines.next().unwrap(), b"{\"jsonrpc\":\"2.0\",\"id\":\"caf\\u00e9-1\",\"result\":21.5}\n");
    /// assert!(lines.next().unwrap().ends_with(b"\"message\":\"no sensor\",\"data\":[\"i2c\",\"0x48\"]}}\n"));
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
    pub fn later(self) -> Result<Responded, Failure> {
        if self.id.is_some() {
            if self.sheet.is_batch() {
                return Err(Failure::INTERNAL);
            }
            self.sheet.promise(Status::Later);
        }
        Ok(Responded(()))
    }

    /// Leaves a notification or a fault unanswered. A guard that calls it drops the notification: no handler runs.
    ///
    /// If a handler ignores a request, the peer gets -32603, because a request must be answered. If the
    /// [guard](super::Endpoint::guarded_by) ignores it, the peer gets nothing: some requests must not be
    /// answered, for example those of a modern MCP server, and those whose id is that of a call that waits.
    pub fn ignore(self) -> Responded {
        if self.holder == Holder::Guard {
            self.sheet.promise(Status::Silent);
        }
        Responded(())
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

    /// Writes a failure, which [has no reason](Failure::forget_reason), as the answer to a call.
    #[inline(never)]
    pub(super) fn fail(&mut self, id: Id<'_>, failure: &Failure) -> Result<ErrorCode, EncodeError> {
        self.write(|draft| failure.write(draft, id)).map(|_| failure.plain_code())
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
        complete(self.encoder.into_output())
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

/// The reply to a frame: the bytes to send, newline included, and their [status](Self::status). There are no bytes if
/// silence is required.
///
/// ```
/// use tautline::endpoint::{Responder, Responded, Endpoint, Failure, Method, Status};
/// use tautline::{Call, ErrorCode, Profile};
///
/// fn now(_: &mut (), _: &Call<'_>, responder: Responder<'_, '_>) -> Result<Responded, Failure> {
///     Ok(responder.result(1_732_579_200_u32))
/// }
///
/// const METHODS: &[Method<()>] = &[Method::new("now", now)];
///
/// let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
/// let mut room = [0; 256];
/// let reply = endpoint.answer(br#"{"jsonrpc":"2.0","id":1,"method":"now"}"#, &mut (), &mut room)?;
/// assert_eq!(reply.status(), Status::Result);
/// assert_eq!(reply.bytes(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1732579200}\n");
///
/// let reply = endpoint.answer(br#"{"jsonrpc":"2.0","id":2,"method":"then"}"#, &mut (), &mut room)?;
/// assert_eq!(reply.status(), Status::Error(ErrorCode::METHOD_NOT_FOUND));
///
/// // A notification has no reply. An invalid one has none either, but an HTTP server refuses its body.
/// let reply = endpoint.answer(br#"{"jsonrpc":"2.0","method":"now"}"#, &mut (), &mut room)?;
/// assert_eq!((reply.status(), reply.is_empty()), (Status::Silent, true));
/// let reply = endpoint.answer(br#"{"jsonrpc":"2.0","method":"now","params":7}"#, &mut (), &mut room)?;
/// let Status::Fault(fault) = reply.status() else { panic!() };
/// assert_eq!(fault.rule(), tautline::Rule::PARAMS_TYPE);
/// # Ok::<(), tautline::encode::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replied<'out> {
    pub(super) bytes: &'out [u8],
    pub(super) status: Status,
}

/// The status of a [reply](Replied).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Status {
    /// Silence is owed: to a notification, to a response, to an event without a message, and to a request that the
    /// [guard](super::Endpoint::guarded_by) ignores.
    Silent,
    /// A result answers the request.
    Result,
    /// The request is answered [later](super::Responder::later).
    Later,
    /// An error with this code answers the request.
    Error(ErrorCode),
    /// The frame is not a message. It is answered with an error if one is owed.
    Fault(Finding),
    /// The frame is a batch. Its replies are results and errors, or silence if none is owed.
    Batch,
}

impl<'out> Replied<'out> {
    pub(super) const NOTHING: Self = Self { bytes: &[], status: Status::Silent };

    /// Returns the bytes to send, newline included. There are none if silence is required.
    #[must_use]
    pub const fn bytes(&self) -> &'out [u8] {
        self.bytes
    }

    /// Returns what the reply says.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }
}

/// The [bytes](Replied::bytes).
impl Deref for Replied<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

/// The end of the reply to a batch.
pub(super) const CLOSE: &[u8] = Ends::BATCH.behind;

/// Without a heap there are only slices, so firmware links nothing more.
#[cfg(not(feature = "alloc"))]
pub(super) type Room<'out> = Slice<'out>;

/// The room for the replies to one frame.
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub(super) enum Room<'out> {
    Fixed(Slice<'out>),
    Growing(Growing<'out>),
}

/// The end of an output that grows. Unless the reply is complete, it is taken back, even if a handler panics.
#[cfg(feature = "alloc")]
pub(super) struct Growing<'out> {
    /// Taken once the reply is complete.
    output: Option<&'out mut dyn GrowableOutput>,
    /// The mark of the output before the reply.
    start: usize,
}

#[cfg(feature = "alloc")]
impl<'out> Growing<'out> {
    /// Completes the reply, and returns it.
    fn complete(mut self) -> Result<&'out [u8], EncodeError> {
        let output = self.output.take().ok_or(EncodeError::Output)?;
        let length = output.mark().saturating_sub(self.start);
        if length > 0
            && let Err(refused) = output.commit()
        {
            output.rewind(self.start);
            return Err(refused.error(length));
        }
        let output: &'out dyn GrowableOutput = output;
        Ok(output.put_since(self.start))
    }
}

#[cfg(feature = "alloc")]
impl Drop for Growing<'_> {
    fn drop(&mut self) {
        if let Some(output) = self.output.take() {
            output.rewind(self.start);
        }
    }
}

#[cfg(feature = "alloc")]
impl core::fmt::Debug for Growing<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Growing").field("start", &self.start).finish_non_exhaustive()
    }
}

#[cfg(feature = "alloc")]
impl<'out> Room<'out> {
    /// Returns the end of an output as room.
    pub(super) fn growing(output: &'out mut dyn GrowableOutput) -> Self {
        let start = output.mark();
        Self::Growing(Growing { output: Some(output), start })
    }

    /// Returns the total size in bytes.
    const fn capacity(&self) -> usize {
        match self {
            Self::Fixed(slice) => slice.capacity(),
            Self::Growing(_) => usize::MAX,
        }
    }

    /// Returns the number of bytes at the end that are kept free.
    pub(super) const fn reserved(&self) -> usize {
        match self {
            Self::Fixed(slice) => slice.reserved(),
            Self::Growing(_) => 0,
        }
    }

    /// Keeps this many bytes at the end free. An output that grows has room for everything.
    const fn reserve(&mut self, reserved: usize) {
        if let Self::Fixed(slice) = self {
            slice.reserve(reserved);
        }
    }
}

/// The replies are put piece by piece, and committed as a whole.
#[cfg(feature = "alloc")]
impl Output for Room<'_> {
    /// Counted from the start of the reply.
    fn mark(&self) -> usize {
        match self {
            Self::Fixed(slice) => slice.mark(),
            Self::Growing(Growing { output, start }) => {
                output.as_ref().map_or(0, |output| output.mark().saturating_sub(*start))
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        match self {
            Self::Fixed(slice) => slice.put(bytes),
            Self::Growing(Growing { output, .. }) => {
                output.as_mut().map_or(Err(Refused::Failed), |output| output.put(bytes))
            }
        }
    }

    fn rewind(&mut self, mark: usize) {
        match self {
            Self::Fixed(slice) => slice.rewind(mark),
            Self::Growing(Growing { output, start }) => {
                if let Some(output) = output {
                    output.rewind(start.saturating_add(mark));
                }
            }
        }
    }

    fn room(&self) -> Option<usize> {
        match self {
            Self::Fixed(slice) => slice.room(),
            Self::Growing(Growing { output, .. }) => output.as_ref().and_then(|out| out.room()),
        }
    }
}

/// Returns a slice as room.
pub(super) const fn fixed(room: &mut [u8]) -> Room<'_> {
    let room = Slice::new(room);
    #[cfg(feature = "alloc")]
    let room = Room::Fixed(room);
    room
}

/// Completes the replies, and returns them.
fn complete(room: Room<'_>) -> Result<&[u8], EncodeError> {
    #[cfg(feature = "alloc")]
    let room = match room {
        Room::Fixed(slice) => slice,
        Room::Growing(growing) => {
            return growing.complete();
        }
    };
    Ok(room.into_written())
}
