//! The table of the requests that a gateway has forwarded under ids of its own.

use core::fmt;

use super::forwarded::{Forwarded, ForwardedSlots, IdText};
use super::pending::{Answer, IdMatching, PendingRequests};
use crate::envelope::{Fault, Id, Response, Skimmer};
use crate::stream::Received;

/// Requests of several clients that were forwarded to one server, under ids of the gateway's own.
///
/// It is a [`PendingRequests`] that also knows the client `C` of each request and its original id, and finds a request by
/// them. `C` is the gateway's name for a client: a number, or the key of a map of connections. `T` is a value of the
/// gateway's for each request, such as its progress token.
///
/// | what arrives | what to call | what to put back, with [`Forward`](crate::encode::Forward) |
/// |---|---|---|
/// | a request of a client | [`begin`](Self::begin) | the new id |
/// | a response of the server | [`receive`](Self::receive) | the original id |
/// | a reference of the server to a request | [`get`](Self::get) | the original id, or another value that was kept |
/// | a reference of a client to its request, such as a cancellation | [`find`](Self::find) | the new id |
/// | the end of a client | [`drain_client`](Self::drain_client) | |
/// | the end of the server | [`drain`](Self::drain) | |
///
/// The slots are an array or a slice that is lent, or with feature `alloc` a `HeapSlots`, which is the default.
///
/// ```
/// use tautline::client::{Answer, ForwardedRequests, PendingSlot};
/// use tautline::stream::Received;
/// use tautline::frame::{Frame, Splitter, FrameEvent};
/// use tautline::{Id, Profile};
///
/// let slots = [const { PendingSlot::EMPTY }; 8];
/// let mut forwarded = ForwardedRequests::new(slots).with_client_limit(4);
/// // Two clients have the same id.
/// let id = Id::parse(b"1").unwrap();
/// assert_eq!(forwarded.begin("alice", &id, ()), Ok(1));
/// assert_eq!(forwarded.begin("bob", &id, ()), Ok(2));
/// assert_eq!(forwarded.find(&"bob", &id), Some(2));
///
/// let frame = Frame::from_line(br#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
/// let received = Received::from_event(FrameEvent::Frame(frame), &Profile::JSON_RPC);
/// let Some(Answer::Response { request, .. }) = forwarded.receive(&received) else { panic!() };
/// assert_eq!((request.client, request.id()), ("bob", id));
/// assert_eq!(forwarded.drain_client(&"alice").count(), 1);
/// assert!(forwarded.is_empty());
/// ```
///
/// # What is guaranteed
///
/// - An id of the gateway's is given out once, so a late response never reaches another request.
/// - An original id keeps its text: `1`, `1.0` and `"1"` are three ids. A client can refer to `"a"` as `"\u0061"`.
/// - Storage is bounded: by the slots or the limit, by a [limit](Self::with_client_limit) for each client, and by
///   [`LONGEST_ID`](Self::LONGEST_ID). A request that exceeds a bound is refused, and affects no other.
/// - In a `HeapSlots`, work for a message is logarithmic in the number of requests. In lent slots, `begin` and
///   `find` look at each slot, so they suit a few hundred.
#[derive(Clone, Debug)]
pub struct ForwardedRequests<
    C,
    T,
    #[cfg(feature = "alloc")] S = super::heap_slots::HeapSlots<C, T>,
    #[cfg(not(feature = "alloc"))] S,
> {
    pending: PendingRequests<Forwarded<C, T>, S>,
    client_limit: usize,
}

/// The reason why a request can't be forwarded. The client is owed an error reply, except for
/// [`IdInUse`](Self::IdInUse).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum BeginError {
    /// All clients together have too many requests pending, or there is no memory for more slots.
    Full,
    /// The client has too many requests pending.
    ClientFull,
    /// The id is longer than [`LONGEST_ID`](ForwardedRequests::LONGEST_ID).
    IdTooLong,
    /// Another request of the client is pending with the same id. An error with that id would answer that request, so
    /// send none, or end the client. The same is true for the [reply](Fault::reply) to a faulty frame with that id, or
    /// with one that is like it: ask [`may_answer`](ForwardedRequests::may_answer) first.
    IdInUse,
}

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "too many requests wait for their answers",
            Self::ClientFull => "too many requests of this client wait for their answers",
            Self::IdTooLong => "the id is too long",
            Self::IdInUse => "the id is that of a request that waits for its answer",
        })
    }
}

impl core::error::Error for BeginError {}

impl<C, T, S> ForwardedRequests<C, T, S> {
    /// The length in bytes of the longest id that is kept, with the quotes of a string. A UUID has 38.
    pub const LONGEST_ID: usize = Skimmer::LONGEST_ID;
}

impl<C: PartialEq, T, S: ForwardedSlots<C, T>> ForwardedRequests<C, T, S> {
    /// Creates a table, whose ids begin with 1. The slots are emptied.
    #[must_use]
    pub fn new(slots: S) -> Self {
        Self { pending: PendingRequests::new(slots), client_limit: usize::MAX }
    }

    /// Sets how many requests of one client can be pending (default: as many as of all clients together).
    ///
    /// Without it, one client can use all slots, and the requests of others are then refused.
    #[must_use]
    pub fn with_client_limit(self, limit: usize) -> Self {
        Self { client_limit: limit, ..self }
    }

    /// Sets how the ids of the server's responses and references are compared (default: [`IdMatching::Exact`]).
    #[must_use]
    pub fn with_id_matching(self, matching: IdMatching) -> Self {
        Self { pending: self.pending.with_id_matching(matching), ..self }
    }

    /// Sets the first id of the gateway's, as [`PendingRequests::with_first_id`] does. A gateway that forwards in both
    /// directions has a table for each. Let one of them begin with another id, so that a broken frame ends no request of
    /// the other direction.
    #[must_use]
    pub fn with_first_id(self, id: u64) -> Self {
        Self { pending: self.pending.with_first_id(id), ..self }
    }

    /// Begins a request of this client, and returns the id to forward it with.
    ///
    /// # Errors
    ///
    /// Returns a [`BeginError`] if a limit is reached or the id can't be kept. The request has then not begun.
    pub fn begin(&mut self, client: C, id: &Id<'_>, value: T) -> Result<u64, BeginError> {
        let id = IdText::new(id).ok_or(BeginError::IdTooLong)?;
        let slots = self.pending.storage();
        if slots.find(&client, &id).is_some() {
            return Err(BeginError::IdInUse);
        }
        if slots.count(&client) >= self.client_limit {
            return Err(BeginError::ClientFull);
        }
        if self.pending.len() >= slots.limit() {
            return Err(BeginError::Full);
        }
        let request = Forwarded { client, value, id };
        let key = S::key(&request);
        let own = self.pending.begin(request).map_err(|_| BeginError::Full)?;
        self.pending.storage_mut().note(key, own);
        Ok(own)
    }

    /// Returns the request to which the server refers by this id of the gateway's, or `None` if it is not pending.
    #[must_use]
    pub fn get(&self, own: &Id<'_>) -> Option<&Forwarded<C, T>> {
        self.pending.get(self.pending.issued(own)?)
    }

    /// Returns the id of the gateway's for the request to which this client refers by its original id, or `None` if
    /// it is not pending.
    #[must_use]
    pub fn find(&self, client: &C, id: &Id<'_>) -> Option<u64> {
        self.pending.storage().find(client, &IdText::new(id)?)
    }

    /// Returns whether an error with this id, sent to this client, may answer a pending request of the client:
    /// one with an equal id, or with one that is [like](Id::is_like) it, as `1.0` is like `1`. Ask before you
    /// answer a frame of the client's that is not forwarded, and if so, send nothing.
    ///
    /// With `HeapSlots` the work is proportional to the number of the client's pending requests. Other storage
    /// looks at each slot.
    ///
    /// ```
    /// use tautline::client::{ForwardedRequests, PendingSlot};
    /// use tautline::{Id, Message, Profile};
    ///
    /// let mut forwarded = ForwardedRequests::new([const { PendingSlot::EMPTY }; 8]);
    /// forwarded.begin("alice", &Id::parse(b"1").unwrap(), ())?;
    /// let frame = br#"{"jsonrpc":"2.0","id":1.0,"method":"a","params":7}"#;
    /// let fault = Message::parse(frame, &Profile::JSON_RPC).unwrap_err();
    /// let id = fault.reply().unwrap().id().unwrap();
    /// assert!(forwarded.may_answer(&"alice", &id), "so the fault is not answered");
    /// assert!(!forwarded.may_answer(&"bob", &id));
    /// # Ok::<(), tautline::client::BeginError>(())
    /// ```
    #[must_use]
    pub fn may_answer(&self, client: &C, id: &Id<'_>) -> bool {
        self.pending.storage().has_like(client, id)
    }

    /// Ends a request without an answer, by the id of the gateway's, and returns it. Returns `None` if it is not
    /// pending. A later answer is [stale](Answer::Stale).
    pub fn cancel(&mut self, own: u64) -> Option<Forwarded<C, T>> {
        let request = self.pending.cancel(own)?;
        self.pending.storage_mut().forget(&request);
        Some(request)
    }

    /// Returns the answer that the received frame of the server gives, and ends the answered request, as
    /// [`PendingRequests::receive`] does.
    pub fn receive<'buf>(
        &mut self,
        received: &Received<'buf>,
    ) -> Option<Answer<'buf, Forwarded<C, T>>> {
        let answer = self.pending.receive(received)?;
        self.forget(&answer);
        Some(answer)
    }

    /// Returns the answer that the response gives, and ends the answered request, as [`PendingRequests::response`]
    /// does.
    pub fn response<'buf>(&mut self, response: &Response<'buf>) -> Answer<'buf, Forwarded<C, T>> {
        let answer = self.pending.response(response);
        self.forget(&answer);
        answer
    }

    /// Returns the request that a broken response would have answered, and ends it, as [`PendingRequests::fault`] does.
    pub fn fault(&mut self, fault: &Fault<'_>) -> Option<(u64, Forwarded<C, T>)> {
        let (own, request) = self.pending.fault(fault)?;
        self.pending.storage_mut().forget(&request);
        Some((own, request))
    }

    fn forget(&mut self, answer: &Answer<'_, Forwarded<C, T>>) {
        if let Answer::Response { request, .. } | Answer::Broken { request, .. } = answer {
            self.pending.storage_mut().forget(request);
        }
    }

    /// Ends all requests of a client, for example when its connection is lost, and returns them with the ids of the
    /// gateway's, in no particular order. Requests that the iterator has not reached when it is dropped stay pending.
    pub fn drain_client(&mut self, client: &C) -> impl Iterator<Item = (u64, Forwarded<C, T>)> {
        self.drain_where(move |slots, from| slots.next_of(client, from))
    }

    /// Ends all requests, for example when the server is lost, and returns them as
    /// [`drain_client`](Self::drain_client) does.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, Forwarded<C, T>)> {
        self.drain_where(|slots, from| slots.next_where(from, |_| true))
    }

    /// Ends the requests that `next` finds, from an index of a slot.
    fn drain_where(
        &mut self,
        next: impl Fn(&S, usize) -> Option<(u64, usize)>,
    ) -> impl Iterator<Item = (u64, Forwarded<C, T>)> {
        let mut from = 0;
        core::iter::from_fn(move || {
            let (own, behind) = next(self.pending.storage(), from)?;
            from = behind;
            Some((own, self.cancel(own)?))
        })
    }

    /// Returns the pending requests with the ids of the gateway's, in no particular order.
    pub fn iter<'a>(&'a self) -> impl Iterator<Item = (u64, &'a Forwarded<C, T>)>
    where
        C: 'a,
        T: 'a,
    {
        self.pending.iter()
    }

    /// Returns the number of pending requests.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.pending.len()
    }

    /// Returns whether no request is pending.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}
