//! Messages: frames that break no rule. Calls, responses and batches, with the views of their members.

use core::fmt;

use super::{BatchLayout, CallLayout, ErrorLayout, Id, Layout, OutcomeLayout, ResponseLayout};
use crate::cast::u32_from;
use crate::json::{RawJson, RawNumber, RawStr};
use crate::rule::ErrorCode;
use crate::scan::{Span, offset_of};

/// A message of JSON-RPC 2.0, valid under the profile that it was parsed with.
///
/// It borrows the frame and knows where the members are. Accessors make views of them on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, sections 4 to 6, has these and no more")]
pub enum Message<'buf> {
    /// A call that expects an answer.
    Request(Request<'buf>),
    /// A call that expects no answer.
    Notification(Notification<'buf>),
    /// An answer.
    Response(Response<'buf>),
    /// Several messages in one frame, each with a verdict of its own.
    Batch(Batch<'buf>),
}

impl<'buf> Message<'buf> {
    /// Creates the message with this layout, in the frame that the layout was made from.
    #[inline]
    pub(crate) const fn new(frame: &'buf [u8], layout: Layout) -> Self {
        match layout {
            Layout::Request(call) => Self::Request(Request::new(Call::new(frame, call))),
            Layout::Notification(call) => {
                Self::Notification(Notification::new(Call::new(frame, call)))
            }
            Layout::Response(response) => Self::Response(Response::new(frame, response)),
            Layout::Batch(batch) => Self::Batch(Batch::new(frame, batch)),
        }
    }

    /// Returns the part that outlives the borrow of the frame.
    pub(crate) const fn layout(&self) -> Layout {
        match self {
            Self::Request(request) => Layout::Request(request.call().layout()),
            Self::Notification(notification) => Layout::Notification(notification.call().layout()),
            Self::Response(response) => Layout::Response(response.layout()),
            Self::Batch(batch) => Layout::Batch(batch.layout()),
        }
    }

    /// Returns the span of the id in the frame, if the message has one.
    pub(crate) const fn id_span(&self) -> Option<Span> {
        match self {
            Self::Request(request) => request.call().id_span(),
            Self::Response(response) => response.id_span(),
            Self::Notification(_) | Self::Batch(_) => None,
        }
    }

    /// Returns the offset in the [frame](Self::frame) of a part of it, such as the bytes of a view. The bytes of a
    /// string begin after its opening quote. Returns `None` for any other slice.
    #[must_use]
    pub fn offset_of(&self, part: &[u8]) -> Option<u32> {
        offset_of(part, self.frame()).map(u32_from)
    }

    /// Returns the whole frame that it was parsed from. For an element of a batch, this is the frame of the batch.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        match self {
            Self::Request(request) => request.call().frame(),
            Self::Notification(notification) => notification.call().frame(),
            Self::Response(response) => response.frame(),
            Self::Batch(batch) => batch.frame(),
        }
    }
}

/// A call, whether it expects an answer or not: the common part of a [`Request`] and a [`Notification`].
// The frame is the first field in messages of each kind, so that it is read without a branch on the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Call<'buf> {
    frame: &'buf [u8],
    layout: CallLayout,
}

impl<'buf> Call<'buf> {
    #[inline]
    const fn new(frame: &'buf [u8], layout: CallLayout) -> Self {
        Self { frame, layout }
    }

    const fn layout(&self) -> CallLayout {
        self.layout
    }

    pub(crate) const fn frame(&self) -> &'buf [u8] {
        self.frame
    }

    /// Returns whether it is an element of a batch.
    #[doc(hidden)]
    pub fn is_in_batch(&self) -> bool {
        // Only whitespace may precede the first bracket.
        self.frame.iter().find(|&&byte| byte > b' ') == Some(&b'[')
    }

    /// Returns the id to answer to, or `None` for a notification, which is not answered.
    #[must_use]
    pub fn id(&self) -> Option<Id<'buf>> {
        self.layout.id.if_any().map(|id| Id::at(self.frame, id))
    }

    /// Returns the span of [the id](Self::id) in the frame.
    #[must_use]
    pub const fn id_span(&self) -> Option<Span> {
        self.layout.id.if_any()
    }

    /// Returns the method to call.
    #[must_use]
    pub fn method(&self) -> RawStr<'buf> {
        RawStr::at(self.frame, self.layout.method)
    }

    /// Returns the span of [the method](Self::method) in the frame, including its quotes.
    #[must_use]
    pub const fn method_span(&self) -> Span {
        self.layout.method
    }

    /// Returns the parameters, if the member is present.
    #[must_use]
    pub fn params(&self) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.layout.params)
    }

    /// Returns the span of [the parameters](Self::params) in the frame.
    #[must_use]
    pub const fn params_span(&self) -> Option<Span> {
        self.layout.params.if_any()
    }

    /// Returns the number of members whose names JSON-RPC does not define.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.layout.unknown
    }
}

/// Two calls are equal if their standard members and their numbers of unknown members are equal.
impl PartialEq for Call<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
            && self.method() == other.method()
            && self.params() == other.params()
            && self.unknown_members() == other.unknown_members()
    }
}

impl Eq for Call<'_> {}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("id", &self.id())
            .field("method", &self.method())
            .field("params", &self.params())
            .field("unknown", &self.unknown_members())
            .finish()
    }
}

/// A call that expects an answer (JSON-RPC 2.0, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Request<'buf>(Call<'buf>);

impl<'buf> Request<'buf> {
    #[inline]
    const fn new(call: Call<'buf>) -> Self {
        Self(call)
    }

    /// Returns the call.
    #[must_use]
    pub const fn call(&self) -> &Call<'buf> {
        &self.0
    }

    /// Returns the id, to be sent back with the answer, byte for byte.
    #[must_use]
    pub fn id(&self) -> Id<'buf> {
        Id::at(self.0.frame, self.0.layout.id)
    }

    /// Returns the method to call.
    #[must_use]
    pub fn method(&self) -> RawStr<'buf> {
        self.0.method()
    }

    /// Returns the parameters, if the member is present.
    #[must_use]
    pub fn params(&self) -> Option<RawJson<'buf>> {
        self.0.params()
    }
}

/// A call that expects no answer (JSON-RPC 2.0, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Notification<'buf>(Call<'buf>);

impl<'buf> Notification<'buf> {
    #[inline]
    const fn new(call: Call<'buf>) -> Self {
        Self(call)
    }

    /// Returns the call.
    #[must_use]
    pub const fn call(&self) -> &Call<'buf> {
        &self.0
    }

    /// Returns the method to call.
    #[must_use]
    pub fn method(&self) -> RawStr<'buf> {
        self.0.method()
    }

    /// Returns the parameters, if the member is present.
    #[must_use]
    pub fn params(&self) -> Option<RawJson<'buf>> {
        self.0.params()
    }
}

/// An answer (JSON-RPC 2.0, section 5).
// The frame is the first field in messages of each kind, so that it is read without a branch on the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Response<'buf> {
    frame: &'buf [u8],
    layout: ResponseLayout,
}

impl<'buf> Response<'buf> {
    #[inline]
    const fn new(frame: &'buf [u8], layout: ResponseLayout) -> Self {
        Self { frame, layout }
    }

    const fn layout(&self) -> ResponseLayout {
        self.layout
    }

    const fn frame(&self) -> &'buf [u8] {
        self.frame
    }

    /// Returns the id of the request that it answers, or `None` if the member is absent, as [some
    /// profiles](super::ErrorIds::OrAbsent) allow for errors.
    #[must_use]
    pub fn id(&self) -> Option<Id<'buf>> {
        self.layout.id.if_any().map(|id| Id::at(self.frame, id))
    }

    /// Returns the span of [the id](Self::id) in the frame.
    #[must_use]
    pub const fn id_span(&self) -> Option<Span> {
        self.layout.id.if_any()
    }

    /// Returns the result or the error.
    #[must_use]
    pub fn outcome(&self) -> Outcome<'buf> {
        match self.layout.outcome {
            OutcomeLayout::Result(result) => Outcome::Result(RawJson::at(self.frame, result)),
            OutcomeLayout::Error(error) => Outcome::Error(ErrorObject::new(self.frame, error)),
        }
    }

    /// Returns the result, if it has one.
    #[must_use]
    pub fn result(&self) -> Option<RawJson<'buf>> {
        match self.layout.outcome {
            OutcomeLayout::Result(result) => Some(RawJson::at(self.frame, result)),
            OutcomeLayout::Error(_) => None,
        }
    }

    /// Returns the span of [the result](Self::result) in the frame.
    #[must_use]
    pub const fn result_span(&self) -> Option<Span> {
        match self.layout.outcome {
            OutcomeLayout::Result(result) => Some(result),
            OutcomeLayout::Error(_) => None,
        }
    }

    /// Returns the code of the error as it was written, if it has one.
    #[doc(hidden)]
    pub fn raw_code(&self) -> Option<RawNumber<'buf>> {
        match self.layout.outcome {
            OutcomeLayout::Result(_) => None,
            OutcomeLayout::Error(error) => Some(RawNumber::at(self.frame, error.code)),
        }
    }

    /// Returns the error, if it has one.
    #[must_use]
    pub fn error(&self) -> Option<ErrorObject<'buf>> {
        match self.layout.outcome {
            OutcomeLayout::Result(_) => None,
            OutcomeLayout::Error(error) => Some(ErrorObject::new(self.frame, error)),
        }
    }

    /// Returns the number of members whose names JSON-RPC does not define.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.layout.unknown
    }
}

/// Two responses are equal if their standard members and their numbers of unknown members are equal.
impl PartialEq for Response<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
            && self.outcome() == other.outcome()
            && self.unknown_members() == other.unknown_members()
    }
}

impl Eq for Response<'_> {}

impl fmt::Debug for Response<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("id", &self.id())
            .field("outcome", &self.outcome())
            .field("unknown", &self.unknown_members())
            .finish()
    }
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, section 5: the one or the other")]
pub enum Outcome<'buf> {
    /// The request succeeded.
    Result(RawJson<'buf>),
    /// The request failed.
    Error(ErrorObject<'buf>),
}

/// The reason why a request failed (JSON-RPC 2.0, section 5.1).
///
/// ```
/// use tautline::{ErrorCode, Message, Outcome, Profile};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
/// let Ok(Message::Response(response)) = Message::parse(frame, &Profile::JSON_RPC) else { panic!() };
/// let Outcome::Error(error) = response.outcome() else { panic!() };
/// assert_eq!(error.code(), Some(ErrorCode::METHOD_NOT_FOUND));
/// assert_eq!(error.to_string(), "Method not found (-32601)");
/// ```
#[derive(Clone, Copy)]
pub struct ErrorObject<'buf> {
    frame: &'buf [u8],
    layout: ErrorLayout,
}

impl<'buf> ErrorObject<'buf> {
    #[inline]
    const fn new(frame: &'buf [u8], layout: ErrorLayout) -> Self {
        Self { frame, layout }
    }

    /// Returns the code, if it fits in 64 bits.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        self.raw_code().as_i64().map(ErrorCode::new)
    }

    /// Returns the code as it was written, an integer of any size.
    #[must_use]
    pub fn raw_code(&self) -> RawNumber<'buf> {
        RawNumber::at(self.frame, self.layout.code)
    }

    /// Returns the span of [the code](Self::raw_code) in the frame.
    #[must_use]
    pub const fn code_span(&self) -> Span {
        self.layout.code
    }

    /// Returns a short description for people.
    #[must_use]
    pub fn message(&self) -> RawStr<'buf> {
        RawStr::at(self.frame, self.layout.message)
    }

    /// Returns the span of [the message](Self::message) in the frame, including its quotes.
    #[must_use]
    pub const fn message_span(&self) -> Span {
        self.layout.message
    }

    /// Returns more about the error, if the member is present.
    #[must_use]
    pub fn data(&self) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.layout.data)
    }

    /// Returns the span of [the data](Self::data) in the frame.
    #[must_use]
    pub const fn data_span(&self) -> Option<Span> {
        self.layout.data.if_any()
    }
}

/// Two error objects are equal if their standard members are equal.
impl PartialEq for ErrorObject<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw_code() == other.raw_code()
            && self.message() == other.message()
            && self.data() == other.data()
    }
}

impl Eq for ErrorObject<'_> {}

impl fmt::Debug for ErrorObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorObject")
            .field("code", &self.raw_code())
            .field("message", &self.message())
            .field("data", &self.data())
            .finish()
    }
}

impl fmt::Display for ErrorObject<'_> {
    /// Writes the message and the code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message(), self.raw_code())
    }
}

impl core::error::Error for ErrorObject<'_> {}

/// Several messages in one frame.
///
/// The frame was validated as a whole. Its elements are parsed one by one, as the iterator reaches them, so the bytes
/// of a batch are visited twice. Each element has a verdict of its own: a faulty element does not affect the others.
///
/// ```
/// use tautline::{Message, Profile};
///
/// let frame = br#"[{"jsonrpc":"2.0","method":"a","id":1}, 2]"#;
/// let Ok(Message::Batch(batch)) = Message::parse(frame, &Profile::JSON_RPC) else { panic!() };
/// let verdicts: Vec<_> = batch.iter().map(|element| element.message()).collect();
/// assert!(matches!(verdicts[0], Ok(Message::Request(_))));
/// assert_eq!(verdicts[1].unwrap_err().rule(), tautline::Rule::NOT_AN_OBJECT);
/// assert_eq!(verdicts[1].unwrap_err().offset(), 40);
/// ```
// The frame is the first field in messages of each kind, so that it is read without a branch on the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Batch<'buf> {
    frame: &'buf [u8],
    layout: BatchLayout,
}

impl<'buf> Batch<'buf> {
    #[inline]
    const fn new(frame: &'buf [u8], layout: BatchLayout) -> Self {
        Self { frame, layout }
    }

    pub(super) const fn layout(&self) -> BatchLayout {
        self.layout
    }

    /// Returns the number of elements, which is at least one.
    #[expect(clippy::len_without_is_empty, reason = "an empty batch is a fault, and not a batch")]
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.layout.elements
    }

    /// Returns the whole frame.
    pub(crate) const fn frame(&self) -> &'buf [u8] {
        self.frame
    }
}

/// Two batches are equal if their texts are equal byte for byte, and their elements are parsed under the same profile.
impl PartialEq for Batch<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (Self { layout, .. }, Self { layout: other_layout, .. }) = (self, other);
        layout.array.of(self.frame) == other_layout.array.of(other.frame)
            && layout.profile == other_layout.profile
    }
}

impl Eq for Batch<'_> {}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("elements", &self.layout.elements).finish_non_exhaustive()
    }
}
