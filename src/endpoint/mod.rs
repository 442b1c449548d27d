//! Endpoints: they take a frame and return the bytes of the reply.
//!
//! # What is guaranteed
//!
//! Handlers see only valid calls. For any frame, the peer gets exactly the reply that the protocol requires,
//! and at most one for each frame:
//!
//! | the frame | gets |
//! |---|---|
//! | is a request | its handler's result or error, with any code; silence if it is answered [later](Responder::later) |
//! | is a request for a method that does not exist | -32601 |
//! | is a request whose parameters do not fit [the type that its handler reads](Failure::mismatch) | -32602, and the observer [receives the reason](Traffic::InvalidParams) |
//! | is a request whose answer cannot be written | -32603, and the [observer](Endpoint::observed_by) [receives the reason](Traffic::NotWritten) |
//! | is a request that its handler did not answer, returning the [`Responded`] of another call | -32603 |
//! | is a request that the [guard](Endpoint::guarded_by) [ignores](Responder::ignore) | silence |
//! | is a notification or a response | silence |
//! | is a batch | one array with the replies to its elements, or silence if there are none; [later](Responder::later) answers are refused with -32603 |
//! | is a batch, and the endpoint's profile forbids batches | the reply to a forbidden batch, whatever profile it was parsed with |
//! | has a fault | the [reply to the fault](crate::envelope::Fault::reply) |
//! | has a fault that the guard [ignores](Responder::ignore) | silence |
//! | is oversized, and was [skimmed](crate::envelope::Skimmer) | the same: -32600 with its id, if it is a request |
//! | is oversized, and was not skimmed | -32600 without a request's id, as the [profile](crate::envelope::Uncorrelated) specifies |
//!
//! The table holds for every way to name the methods and for every output:
//!
//! | you have | you use | feature |
//! |---|---|---|
//! | functions, all known in advance | a constant table of [`Method`]s | |
//! | functions and closures, registered at run time | a `Router`, which tells requests and notifications apart | `alloc` |
//! | another way to find them | your own [`Methods`] | |
//!
//! | the reply goes to | you call | feature |
//! |---|---|---|
//! | a slice | [`answer`](Endpoint::answer) | |
//! | the end of a `Vec` or another output that grows | `answer_into` | `alloc` |
//!
//! An answer cannot be written if the output has no room for it, if it contains a float that is infinite or
//! NaN, if serde could not serialize it, or if the profile does not allow the type of the result. Results that are
//! serialized with serde have null in place of such floats, as in `serde_json`.
//!
//! There is one exception, for slices: if the output has no room even for the errors, the peer gets nothing, and
//! [`answer`](Endpoint::answer) returns an `Err`. An output of [`min_reply_len`](Endpoint::min_reply_len)
//! bytes rules that out.
//!
//! # What is not checked
//!
//! The endpoint does not check that an id is unused, or that a response has a pending request.
//!
//! It does not know which calls are still to be answered [later](Responder::later) either. A peer finds the call that an
//! answer is for by its id alone (JSON-RPC 2.0, section 5), so an error with such an id would answer the call. If handlers
//! answer later, a [guard](Endpoint::guarded_by) ignores the faults and the requests that have the id of such a call. The
//! sessions of `tautline-mcp` ignore the faults, and the requests that they would refuse. If all calls are answered at once, no guard is needed.

mod answer;
mod failure;
mod input;
mod methods;
#[cfg(feature = "alloc")]
mod router;
mod serve;

use answer::CLOSE;
#[cfg(feature = "alloc")]
use answer::Room;
pub use answer::{Replied, Responded, Responder, Status};
pub use failure::Failure;
pub use input::Input;
pub use methods::{Explaining, Handler, Method, Methods};
#[cfg(feature = "alloc")]
pub use router::{NotificationHandler, RequestHandler, Router};

use crate::cast::index;
#[cfg(feature = "alloc")]
use crate::encode::GrowableOutput;
use crate::encode::{EncodeError, LONGEST_EXPLANATION};
use crate::envelope::{Batches, Call, Fault, Message, Profile, Request, Skimmer};
use crate::excerpt::Excerpt;

/// Answers frames with a table of methods.
///
/// ```
/// use tautline::endpoint::{Responder, Responded, Endpoint, Failure, Method};
/// use tautline::{Call, Profile};
///
/// fn add(total: &mut i64, call: &Call<'_>, responder: Responder<'_, '_>) -> Result<Responded, Failure> {
///     *total += call.param::<i64>(0, "number")?;
///     Ok(responder.result(*total))
/// }
///
/// const METHODS: &[Method<i64>] = &[Method::new("add", add)];
///
/// let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
/// let mut total = 40;
/// let mut room = [0; 256];
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"add","params":[2]}"#;
/// let reply = endpoint.answer(frame, &mut total, &mut room).unwrap();
/// assert_eq!(reply.bytes(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":42}\n");
/// ```
///
/// The methods may also be a `Router`, where they are registered at run time, or a type of your own that
/// implements [`Methods`].
#[derive(Debug)]
pub struct Endpoint<C, M = &'static [Method<C>]> {
    methods: M,
    profile: Profile,
    observer: Option<Observer<C>>,
    guard: Option<Guard<C>>,
}

/// A function that observes every frame, every call whose parameters do not fit its handler, and every answer that could
/// not be written. It takes the caller's context and the traffic.
pub type Observer<C> = fn(&mut C, Traffic<'_>);

/// A function that everything received must pass. It takes the caller's context, a message or a fault, and its
/// responder. It returns the responder to let it pass, or answers with it.
///
/// A fault that passes gets the reply that it is owed. Otherwise it gets none: answers to it are dropped, as those to a
/// notification.
///
/// Before a guard calls [`Responder::later`], it must check whether the call [is in a
/// batch](Responder::is_in_batch). In a batch the call to `later` fails, and the responder is consumed.
pub type Guard<C> = for<'a, 'out> fn(
    &mut C,
    Result<&Message<'_>, &Fault<'_>>,
    Responder<'a, 'out>,
) -> Result<Responder<'a, 'out>, Responded>;

impl<C, M: Methods<C>> Endpoint<C, M> {
    /// Creates an endpoint with these methods, for frames under this profile.
    ///
    /// Bytes and frames are parsed under the profile. What a stream has [received](crate::stream::Received) was parsed
    /// already: its faults are answered as the profile demands that they were parsed with. In both cases, the profile of
    /// the endpoint says which results it may write and whether batches are allowed. If peers agree on a revision of a
    /// protocol, [set](Self::set_profile) it for the reader and the endpoint.
    #[must_use]
    pub const fn new(methods: M, profile: &Profile) -> Self {
        Self { methods, profile: *profile, observer: None, guard: None }
    }

    /// Passes every frame to the observer before it is answered, and then every reply. In between, the
    /// observer receives the reason if the parameters of a call do not fit the type that its handler reads, or if an
    /// answer could not be written. Use it to log, count or record.
    ///
    /// Answers that a handler gives [later](Responder::later) do not reach the observer.
    #[must_use]
    pub const fn observed_by(mut self, observer: Observer<C>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Passes everything received to a guard before the method lookup: requests, notifications, responses and faults,
    /// including each element of a batch. The guard may answer requests itself, for example while a session
    /// is not open yet. It also sees the responses to requests from this side.
    ///
    /// If calls are answered [later](Responder::later), the guard keeps errors from answering them. Their ids are those of
    /// the calls that wait:
    ///
    #[cfg_attr(feature = "alloc", doc = "```")]
    #[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
    /// use tautline::endpoint::{Endpoint, Method};
    /// use tautline::owned::Id;
    /// use tautline::{Message, Profile};
    ///
    /// type Waiting = Vec<Id>;
    ///
    /// const METHODS: &[Method<Waiting>] = &[Method::new("measure", |waiting, call, responder| {
    ///     let answered = responder.later()?;
    ///     waiting.extend(call.id().map(Id::from));
    ///     Ok(answered)
    /// })];
    ///
    /// let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).guarded_by(|waiting, received, responder| {
    ///     let id = match received {
    ///         Ok(Message::Request(request)) => Some(request.id()),
    ///         Ok(_) => None,
    ///         Err(fault) => fault.reply().and_then(|reply| reply.id()),
    ///     };
    ///     let would_answer = id.is_some_and(|id| waiting.iter().any(|waiting| *waiting == id));
    ///     if would_answer { Err(responder.ignore()) } else { Ok(responder) }
    /// });
    /// let (mut waiting, mut room) = (Waiting::new(), [0; 256]);
    /// for (frame, is_answered) in [
    ///     (r#"{"jsonrpc":"2.0","id":1,"method":"measure"}"#, false),
    ///     (r#"{"jsonrpc":"2.0","id":1,"method":"measure","params":7}"#, false),
    ///     (r#"{"jsonrpc":"2.0","id":2,"method":"measure","params":7}"#, true),
    /// ] {
    ///     let reply = endpoint.answer(frame, &mut waiting, &mut room)?;
    ///     assert_eq!(!reply.is_empty(), is_answered);
    /// }
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn guarded_by(mut self, guard: Guard<C>) -> Self {
        self.guard = Some(guard);
        self
    }

    /// Adds the reason to two kinds of replies, as the `data` of the error. By default these replies have no `data`.
    ///
    /// | the reply to | has |
    /// |---|---|
    /// | a faulty frame | the `rule` that is broken, the `offset` in bytes, and a `summary` |
    /// | a call whose parameters do not fit [the type that the handler reads](Failure::mismatch) | the `path`, the `offset` in bytes, a `summary`, and the `member` or the `index` that is missing |
    ///
    /// If the parameters are required and missing, the `path` is `params`, and the `offset` is that of the method.
    ///
    /// If there is no room for the reason, the reply is sent without it. If the handler adds [other
    /// data](Failure::mismatch), the reply has that. In a constant, write [`Explaining::new`] instead.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::endpoint::Endpoint;
    ///
    /// let endpoint = Endpoint::new((), &Profile::JSON_RPC).explaining();
    /// let mut room = [0; 256];
    /// let reply = endpoint.answer(br#"{"jsonrpc":"2.0","method":"subtract","id":{}}"#, &mut (), &mut room);
    /// let reply = str::from_utf8(reply.unwrap().bytes()).unwrap();
    /// assert!(reply.contains(r#""data":{"rule":"id-type","offset":42,"summary":"the id is "#));
    /// ```
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::endpoint::{Endpoint, Method};
    ///
    /// const METHODS: &[Method<()>] = &[Method::new("subtract", |(), call, responder| {
    ///     let (a, b): (i32, i32) = call.read_params()?;
    ///     Ok(responder.result(a.wrapping_sub(b)))
    /// })];
    ///
    /// let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).explaining();
    /// let mut room = [0; 256];
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,"23"]}"#;
    /// let reply = endpoint.answer(frame, &mut (), &mut room).unwrap();
    /// let data = br#""data":{"path":"params[1]","offset":57,"summary":"an integer in the range"#;
    /// assert!(reply.windows(data.len()).any(|part| part == data));
    /// ```
    #[must_use]
    pub fn explaining(self) -> Endpoint<C, Explaining<M>> {
        let Self { methods, profile, observer, guard } = self;
        Endpoint { methods: Explaining(methods), profile, observer, guard }
    }

    /// Returns the methods.
    #[must_use]
    pub const fn methods(&self) -> &M {
        &self.methods
    }

    /// Returns the methods, for example to register more of them.
    pub const fn methods_mut(&mut self) -> &mut M {
        &mut self.methods
    }

    /// Returns the profile in force.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Sets the profile for subsequent frames, for example after a handshake.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::endpoint::Endpoint;
    ///
    /// let mut endpoint = Endpoint::new((), &Profile::JSON_RPC);
    /// let mut room = [0; 256];
    /// assert!(endpoint.answer(br#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, &mut (), &mut room)?.starts_with(b"["));
    /// endpoint.set_profile(&Profile::LSP);
    /// assert!(endpoint.answer(br#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, &mut (), &mut room)?.starts_with(b"{"));
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    pub const fn set_profile(&mut self, profile: &Profile) {
        self.profile = *profile;
    }

    /// Returns the output size in bytes that suffices to answer any frame of at most `frame_limit` bytes, if
    /// only with errors. An output of this size never makes [`answer`](Self::answer) fail for a frame that was
    /// parsed with the profile of the endpoint.
    ///
    /// The size is the sum of three parts:
    ///
    /// - The longest error of the endpoint itself, with a null id and a separator, once for each element of a
    ///   batch. If the endpoint is [explaining](Self::explaining), the longest reason of a fault as well. A batch has at most
    ///   half as many elements as the frame has bytes, and at most as many as the [profile](Profile::max_batch) allows.
    ///   If the profile forbids batches, there is one.
    /// - The ids, which are copied from the frame. Together they are no longer than the frame. The
    ///   bound for an oversized frame is the longest [skimmed id](crate::envelope::Skimmer::LONGEST_ID).
    /// - The end of the reply.
    ///
    /// The results and errors of handlers need room in addition.
    #[must_use]
    pub const fn min_reply_len(&self, frame_limit: u32) -> usize {
        let elements = match self.profile.batches() {
            Batches::Allowed | Batches::Unmixed => self.profile.max_batch(),
            Batches::Forbidden => 1,
        };
        let commas = index(frame_limit) / 2;
        let elements = if commas < index(elements) { commas } else { index(elements) };
        let errors = if elements > 1 { elements } else { 1 };
        let reason = if M::EXPLAINS { LONGEST_EXPLANATION } else { 0 };
        let errors = errors.saturating_mul(LONGEST_ERROR.len().saturating_add(reason));
        let ids = index(frame_limit);
        let ids = if ids > Skimmer::LONGEST_ID { ids } else { Skimmer::LONGEST_ID };
        errors.saturating_add(ids).saturating_add(CLOSE.len())
    }

    /// Answers a frame: bytes, a [`Frame`](crate::frame::Frame), or what a [stream](crate::stream) has received. An
    /// oversized frame is answered too, with its id if it was [skimmed](crate::envelope::Skimmer).
    ///
    /// Bytes are a whole message, such as the body of an HTTP request. A line of newline-delimited JSON is a
    /// [`Frame::from_line`](crate::frame::Frame::from_line).
    ///
    /// # Errors
    ///
    /// Returns [`EncodeError::DoesNotFit`] if the output has no room even for the errors that replace the
    /// answers. The output is then empty, but handlers have run: the handler of the call, or in a batch the
    /// handlers up to the element at which the room ran out. `needed` is the least room in which the frame
    /// can be answered with errors, without any handler's result. For a bound that holds for any frame, use
    /// [`min_reply_len`](Self::min_reply_len).
    #[inline]
    pub fn answer<'out>(
        &self,
        input: impl Input,
        context: &mut C,
        output: &'out mut [u8],
    ) -> Result<Replied<'out>, EncodeError> {
        input.parse(&self.profile, |parsed| self.reply(parsed, context, answer::fixed(output)))
    }

    /// Answers a frame as [`answer`](Self::answer) does, and appends the reply to an output that grows, such as a
    /// `Vec<u8>`.
    ///
    /// The output grows as far as the results need. A handler that must bound its result bounds it itself.
    ///
    /// # Errors
    ///
    /// Returns [`EncodeError::DoesNotFit`] if there is no memory, or [`EncodeError::Output`] if the output fails.
    /// The output is then as it was before, as it also is after a handler has panicked.
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    pub fn answer_into<'out>(
        &self,
        input: impl Input,
        context: &mut C,
        output: &'out mut impl GrowableOutput,
    ) -> Result<Replied<'out>, EncodeError> {
        input.parse(&self.profile, |parsed| self.reply(parsed, context, Room::growing(output)))
    }
}

/// An event for an [`Observer`]: a frame in either direction, or the reason why an answer could not be
/// written.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Traffic<'a> {
    /// A frame was received: its message, or its fault. An oversized frame has a fault too, with the rule
    /// [`FRAME_TOO_LONG`](crate::Rule::FRAME_TOO_LONG), although nothing is left of its bytes but the id.
    In(Result<&'a Message<'a>, &'a Fault<'a>>),
    /// An element of the last batch is not a message.
    Element(&'a Fault<'a>),
    /// An answer could not be written. An error replaces it, if there is room.
    #[non_exhaustive]
    NotWritten {
        /// The request that it was meant to answer.
        request: &'a Request<'a>,
        /// The reason.
        error: EncodeError,
    },
    /// The parameters of a call do not fit the type that its handler reads. A request is answered with -32602. A
    /// notification is not answered.
    #[non_exhaustive]
    InvalidParams {
        /// The call.
        call: &'a Call<'a>,
        /// The failure, with its [mismatch](Failure::mismatch) and [reason](Failure::reason).
        failure: &'a Failure,
    },
    /// A reply to be sent, with its newline.
    Out(&'a [u8]),
}

impl core::fmt::Debug for Traffic<'_> {
    /// Writes the reply as text, cut if it is long.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::In(parsed) => f.debug_tuple("In").field(parsed).finish(),
            Self::Element(fault) => f.debug_tuple("Element").field(fault).finish(),
            Self::NotWritten { request, error } => f
                .debug_struct("NotWritten")
                .field("request", request)
                .field("error", error)
                .finish(),
            Self::InvalidParams { call, failure } => f
                .debug_struct("InvalidParams")
                .field("call", call)
                .field("failure", failure)
                .finish(),
            Self::Out(reply) => f.debug_tuple("Out").field(&Excerpt(reply)).finish(),
        }
    }
}

/// The longest error of the endpoint itself, with the longest id that is not copied from a frame, and the
/// separator before it.
const LONGEST_ERROR: &[u8] =
    br#",{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#;
