//! Answers to requests, and the comparison of their ids.

use crate::envelope::{Fault, Id, Response};

/// The way to compare the id of a response with the ids of pending requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "an id is compared exactly or it is not")]
pub enum IdMatching {
    /// Accept only the id as it was sent (JSON-RPC 2.0, section 5).
    Exact,
    /// Also accept a string with the same digits or a number of the same value: `"3"` or `3.0` for `3`. This
    /// is for peers that rewrite ids. All ids given out are integers, so this is never ambiguous.
    Lenient,
}

impl IdMatching {
    /// Returns the id that was given out, if `id` can stand for one.
    pub(super) fn issued(self, id: &Id<'_>) -> Option<u64> {
        let (is_negative, value) = match self {
            Self::Exact => match id {
                Id::Number(number) if number.is_plain_integer() => number.integer()?,
                _ => return None,
            },
            Self::Lenient => id.like_integer()?,
        };
        (!is_negative).then_some(value)
    }
}

/// A response, well-formed or broken, with the request that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer<'buf, T> {
    /// A response to a pending request.
    Response {
        /// The id of the request.
        id: u64,
        /// The value passed to [`begin`](super::PendingRequests::begin).
        request: T,
        /// The response.
        response: Response<'buf>,
    },
    /// A frame that is not a legal response, but would have answered this request. The request has ended, and
    /// no other answer will follow.
    Broken {
        /// The id of the request.
        id: u64,
        /// The value passed to [`begin`](super::PendingRequests::begin).
        request: T,
        /// The fault of the frame.
        fault: Fault<'buf>,
    },
    /// A response to a request that is no longer pending: it was cancelled or already answered. Ids that were
    /// left out, because their slot was in use, count as well.
    Stale(Response<'buf>),
    /// A response with an id that is not among those given out so far, or an error without an id because the peer could
    /// not read the id of a request.
    Unknown(Response<'buf>),
}
