//! Replies: the bytes to send, and what they say.

use core::ops::Deref;

use crate::rule::{ErrorCode, Finding};

/// The reply to a frame: the bytes to send, newline included, and their [status](Self::status). There are no bytes if
/// silence is required.
///
/// ```
/// use tautline::endpoint::{Answer, Answered, Endpoint, Failure, Method, Status};
/// use tautline::{Call, ErrorCode, Rules};
///
/// fn now(_: &mut (), _: &Call<'_>, answer: Answer<'_, '_>) -> Result<Answered, Failure> {
///     Ok(answer.result(1_732_579_200_u32))
/// }
///
/// const METHODS: &[Method<()>] = &[Method::new("now", now)];
///
/// let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
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
    /// The request is answered [later](super::Answer::later).
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
