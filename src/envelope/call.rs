//! Calls: requests and notifications (JSON-RPC 2.0, section 4).

use core::fmt;

use super::Id;
use super::layout::CallLayout;
use crate::json::{RawJson, RawStr};
use crate::scan::Span;

/// A call that is to be answered (JSON-RPC 2.0, section 4).
// The frame is first in messages of each kind, so that it is read without asking for the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Request<'buf> {
    frame: &'buf [u8],
    layout: CallLayout,
}

impl<'buf> Request<'buf> {
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
    pub(crate) fn is_in_batch(&self) -> bool {
        // A frame begins with whitespace at most.
        self.frame.iter().find(|&&byte| byte > b' ') == Some(&b'[')
    }

    /// The id, to be sent back with the answer, byte for byte.
    #[must_use]
    pub fn id(&self) -> Id<'buf> {
        Id::at(self.frame, self.layout.id)
    }

    /// The method to call.
    #[must_use]
    pub fn method(&self) -> RawStr<'buf> {
        RawStr::at(self.frame, self.layout.method)
    }

    /// The parameters, if the member is there.
    #[must_use]
    pub fn params(&self) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.layout.params)
    }

    /// Returns where in the frame [the parameters](Self::params) are.
    #[must_use]
    pub const fn params_span(&self) -> Option<Span> {
        self.layout.params.if_any()
    }

    /// How many members the message has that mean nothing to JSON-RPC.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.layout.unknown
    }
}

/// Two requests are equal if their members are, whatever stands between them.
impl PartialEq for Request<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
            && self.method() == other.method()
            && self.params() == other.params()
            && self.unknown_members() == other.unknown_members()
    }
}

impl Eq for Request<'_> {}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id())
            .field("method", &self.method())
            .field("params", &self.params())
            .field("unknown", &self.unknown_members())
            .finish()
    }
}

/// A call that is not to be answered (JSON-RPC 2.0, section 4.1).
// The frame is first in messages of each kind, so that it is read without asking for the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Notification<'buf> {
    frame: &'buf [u8],
    layout: CallLayout,
}

impl<'buf> Notification<'buf> {
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

    /// The method to call.
    #[must_use]
    pub fn method(&self) -> RawStr<'buf> {
        RawStr::at(self.frame, self.layout.method)
    }

    /// The parameters, if the member is there.
    #[must_use]
    pub fn params(&self) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.layout.params)
    }

    /// Returns where in the frame [the parameters](Self::params) are.
    #[must_use]
    pub const fn params_span(&self) -> Option<Span> {
        self.layout.params.if_any()
    }

    /// How many members the message has that mean nothing to JSON-RPC.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.layout.unknown
    }
}

/// Two notifications are equal if their members are, whatever stands between them.
impl PartialEq for Notification<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.method() == other.method()
            && self.params() == other.params()
            && self.unknown_members() == other.unknown_members()
    }
}

impl Eq for Notification<'_> {}

impl fmt::Debug for Notification<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification")
            .field("method", &self.method())
            .field("params", &self.params())
            .field("unknown", &self.unknown_members())
            .finish()
    }
}
