//! Calls: requests and notifications (JSON-RPC 2.0, section 4).

use core::fmt;

use super::Id;
use super::layout::CallLayout;
use crate::json::{RawJson, RawStr};
use crate::scan::Span;

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
    pub(super) const fn new(frame: &'buf [u8], layout: CallLayout) -> Self {
        Self { frame, layout }
    }

    #[cfg(any(test, feature = "tokio-util-v0_7"))]
    pub(super) const fn layout(&self) -> CallLayout {
        self.layout
    }

    pub(super) const fn frame(&self) -> &'buf [u8] {
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
    pub(super) const fn new(call: Call<'buf>) -> Self {
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
    pub(super) const fn new(call: Call<'buf>) -> Self {
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
