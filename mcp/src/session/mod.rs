//! Sessions: what an MCP message means, given the messages before it.
//!
//! A [`Session`] observes every message with the role of its sender, in both directions, and returns an [`Event`]: what
//! the message means, and what to do about it. Anything wrong with it is reported as a [`Finding`]. The same state
//! machine serves a server, a client, a proxy and an auditor, because everything that it needs is on the wire. It does
//! no I/O, has no clock, and never ends a connection. It keeps the ids in flight in [`Slot`]s that it borrows.
//!
//! # The two eras
//!
//! Up to 2025-11-25 a session is opened by a handshake; from 2026-07-28 every request carries its revision, and the
//! client may ask `server/discover` first. The client chooses by how it opens the session. A server may serve both eras
//! in one process, so a request of the other era is served too, by the rules of its own era and with a warning. A
//! handshake declares nothing for modern requests, and the result of `server/discover` declares nothing for legacy
//! ones. A server that [supports](Session::supporting) only one era treats every request as one of that era.
//!
//! ```text
//!                    initialize                 result                    initialized
//!              ┌──────────────▶ Initializing ─────────▶ AwaitingInitialized ─────────▶ Operating
//!              │                 │     ▲
//!   Opening ───┤ ◀───────────────┘     │ initialize
//!              │       error           │ (the fallback of a client that speaks both)
//!              └──────────────▶ Probing ───────────────▶ Modern
//!               a request with             a result,
//!               its version                a modern error,
//!                                          or an acknowledgement
//! ```
//!
//! The answer to an `initialize` that is sent in `Modern` leads to `AwaitingInitialized`.
//!
//! | in | may come from the client | may come from the server |
//! |---|---|---|
//! | [`Opening`](Phase::Opening), [`Initializing`](Phase::Initializing) | `initialize`, `ping`; in `Opening`, a request with its version | `ping`, notifications |
//! | [`AwaitingInitialized`](Phase::AwaitingInitialized) | everything that was declared; requests other than `ping` are a warning, or [refused](Session::before_initialized) | `ping`, notifications |
//! | [`Operating`](Phase::Operating) | what the revision has and the server declared | what the revision has and the client declared |
//! | [`Probing`](Phase::Probing) | requests with their version; `initialize` | responses, notifications, `ping` |
//! | [`Modern`](Phase::Modern) | requests with their version, `notifications/cancelled` | responses, notifications |
//!
//! # Where peers disagree
//!
//! The last column is a server whose [endpoint](tautline::endpoint::Endpoint::guarded_by) is [guarded](Session::guard) by a
//! session. The
//! official SDKs of 2026 do what the second column lists.
//!
//! | a fresh server gets | some peers | here |
//! |---|---|---|
//! | `ping` | answer it | its result |
//! | `tools/list` without a version | serve it, or answer -32602 | -32600, `request-before-initialize`; [by choice](Session::before_initialize) it is served |
//! | a notification | ignore it, or end the session | silence, `request-before-initialize`; `initialized-unexpected` if it is `notifications/initialized` |
//! | a response | ignore it, log it, or end the session | silence, `response-unexpected` |
//! | `tools/list` after `initialize`, without `notifications/initialized` | serve it | served, with a warning; [by choice](Session::before_initialized) -32600 |
//! | `initialize` for a version that is not known, or is modern | answer with the latest legacy one | the same, by [`negotiate`](Session::negotiate) |
//! | `initialize` twice | answer it again | the same, with a warning |
//! | `server/discover` with its version | answer it, -32601 or -32602 | its result |
//! | a modern request of a version that is not supported | serve it, or answer -32022 | -32022, with the supported versions |
//! | a modern request, if the server supports no modern revision | answer -32601 or -32602 | what it answers to a legacy request: -32600, `request-before-initialize` |
//! | a modern request without `clientCapabilities` | serve it, or answer -32602 | -32602, `missing-meta` |
//! | a legacy request, if the server supports no legacy revision | serve it, or answer -32602 | -32602, `missing-meta`; -32601 if it is `ping` |
//! | `initialize`, if the server supports no legacy revision | answer -32601 or -32602 | -32022 with the versions that are supported; -32602 if it asks for none; -32601 if it asks for one of them, which have no `initialize` |
//! | `ping` in a modern session | answer it, or -32601 | -32601, `method-not-in-revision` |
//! | `server/discover` in a legacy session | answer it, -32600 or -32601 | its result, with the warning `era-mixed` |
//! | `initialize` in a modern session | answer it, or -32601 | the same |
//! | a request whose id is in use | serve both, or drop one | served, with the finding `id-in-use`: an error with that id would answer the first |
//! | a request whose id is in use, and that is to be refused | answer it with an error | silence, for the same reason |
//! | a fault whose id is in use | answer it with -32600 | silence, for the same reason; -32600 if the id is not in use |
//!
//! # What is not checked
//!
//! The session does not look into `params` and `result` any further than the [views](crate::ParamsView) do. It does not check
//! whether the revision in force has batches. The [profile](crate::Revision::profile) under which messages are
//! parsed decides that, and a server [supports](Session::supporting) the revisions that its profile is for.
//!
//! Ids of answered or cancelled requests are remembered until another request needs their slot. So an id that is used
//! again, or a second or late response, may go unnoticed, or may only be reported as
//! [unexpected](crate::rule::RESPONSE_UNEXPECTED). Both sides share the slots, so a side that keeps many requests
//! in flight may leave no slots for the other. The work for a message grows with the number of slots. The session does
//! not follow tasks. In 2025-11-25, progress of a request that made a task is legal until the task ends, so it is never
//! reported as unknown. An id that does not fit into a slot is kept as a hash.
//!
//! If two unanswered requests have the same id, it is not known which of them a response answers. The session treats
//! the response as the answer to the request that was not cancelled, and reports [`rule::RESPONSE_AMBIGUOUS`]. On the heap
//! (`Heap`), such requests share their place: the response answers any of them, and is never late. There, the work for a
//! message does not grow with the number of requests.
//!
//! A response belongs to the request with exactly its id. A second response to that request is a
//! [duplicate](crate::rule::RESPONSE_DUPLICATE), even if a request with an id [like](tautline::Id::is_like) it is
//! waiting. The response [completes](crate::rule::RESPONSE_ID_REWRITTEN) a request whose id is like it only if no
//! request had exactly that id.

mod broken;
mod capability;
mod event;
mod lifecycle;
mod notification;
#[cfg(feature = "alloc")]
mod pairing;
mod phase;
mod refusal;
mod request;
mod response;
mod serve;

#[doc(hidden)]
pub use broken::Broken;
pub use capability::{Capabilities, Capability};
pub use event::{Completion, Event, Refusal};
pub use phase::Phase;
use tautline::{Batch, Fault, Id, Message, RawStr, Severity};

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub use crate::ledger::{Heap, Pairing};
pub use crate::ledger::{InFlight, Requests, SLOT_TEXT, Slot};
use crate::ledger::{Incoming, Ledger, Sides};
use crate::{CallView, Era, Finding, Notice, Revision, Role, rule};

/// The way to handle a request that comes too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "a request is served or it is not")]
pub enum Early {
    /// Serve it, with a warning.
    Serve,
    /// Answer it with -32600.
    Refuse,
}

impl Early {
    /// Returns the severity of a message that comes too early.
    const fn severity(self) -> Severity {
        match self {
            Self::Serve => Severity::Warning,
            Self::Refuse => Severity::Error,
        }
    }
}

/// The relation of a session to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    /// It only observes it, for example as a third party.
    Observer,
    /// Its side is to answer it.
    Receiver,
}

/// A session between a client and a server, observed by one of them or by a third party.
///
/// ```
/// use tautline_mcp::session::{Completion, Event, Phase, Session, Slot};
/// use tautline_mcp::{Message, Revision, Role};
///
/// let profile = Revision::V2025_11_25.profile();
/// let mut session = Session::new([Slot::EMPTY; 8]);
/// let mut see = |from, line: &'static str| {
///     let message = Message::parse(line.as_bytes(), &profile).unwrap();
///     session.observe(from, &message, |finding| println!("{finding}"))
/// };
/// let event = see(Role::Client, r#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#);
/// let Event::Refused(refusal) = event else { panic!() };
/// assert_eq!(refusal.rule(), tautline_mcp::rule::REQUEST_BEFORE_INITIALIZE);
///
/// see(Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},
///     "protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"1"}}}"#);
/// see(Role::Server, r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},
///     "protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}}}"#);
/// see(Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
/// see(Role::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fly"}}"#);
/// let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}"#;
/// let Event::Response { completion, .. } = see(Role::Server, answer) else { panic!() };
/// assert_eq!(completion, Completion::ToolFailed);
/// assert_eq!(see(Role::Server, answer), Event::Unmatched);
/// assert_eq!(session.phase(), Phase::Operating);
/// assert_eq!(session.revision(), Some(Revision::V2025_06_18));
/// ```
// The order of the fields matters, as in a slot.
#[derive(Debug)]
#[repr(C)]
pub struct Session<S> {
    phase: Phase,
    revision: Option<Revision>,
    /// The era of the supported revisions, if they all belong to one era.
    only: Option<Era>,
    before_initialize: Early,
    before_initialized: Early,
    /// The capabilities that the client declares in the current `initialize`.
    declaring: Option<Capabilities>,
    /// The capabilities that each side declared in the handshake.
    declared: Sides<Option<Capabilities>>,
    /// The capabilities that the server declares for modern requests.
    discovered: Option<Capabilities>,
    supported: &'static [Revision],
    next_id: u64,
    ledger: Ledger<S>,
}

impl<S: Requests> Session<S> {
    /// Creates a session that has not begun. The slots are an array, a `&mut` slice, or with an allocator a `Vec`.
    /// Provide one slot for each request in flight, of both sides together.
    #[must_use]
    pub const fn new(requests: S) -> Self {
        Self {
            ledger: Ledger::new(requests),
            phase: Phase::Opening,
            revision: None,
            declared: Sides { client: None, server: None },
            discovered: None,
            declaring: None,
            supported: Revision::ALL,
            only: None,
            before_initialize: Early::Refuse,
            before_initialized: Early::Serve,
            next_id: 1,
        }
    }

    /// Sets the revisions that the server supports (default: all).
    ///
    /// A modern request of any other revision is refused with -32022, unless no modern revision is supported: that code
    /// would keep a client from falling back to `initialize`.
    #[must_use]
    pub const fn supporting(mut self, revisions: &'static [Revision]) -> Self {
        self.supported = revisions;
        self.only = Era::of_all(revisions);
        self
    }

    /// Sets how requests other than `ping` are handled before `initialize` is answered (default: [`Early::Refuse`]).
    #[must_use]
    pub const fn before_initialize(mut self, early: Early) -> Self {
        self.before_initialize = early;
        self
    }

    /// Sets how requests other than `ping` are handled between the answer to `initialize` and
    /// `notifications/initialized` (default: [`Early::Serve`], because clients race there).
    #[must_use]
    pub const fn before_initialized(mut self, early: Early) -> Self {
        self.before_initialized = early;
        self
    }

    /// Returns the phase of the session.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the revision in force, if it is settled.
    #[must_use]
    pub const fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// Returns the revisions that the server supports.
    #[must_use]
    pub const fn supported(&self) -> &'static [Revision] {
        self.supported
    }

    /// Returns the capabilities that a side declared for the whole session, if it did: in the handshake, or in
    /// a modern session in the result of `server/discover`. A modern client declares its capabilities in the
    /// [metadata](crate::MetaView::client_capabilities) of each request.
    #[must_use]
    pub const fn declared(&self, side: Role) -> Option<Capabilities> {
        match self.era() {
            Some(era) => self.declared_in(era, side),
            None => None,
        }
    }

    /// Returns the capabilities that a side declared for the calls of an era. The eras are independent.
    const fn declared_in(&self, era: Era, side: Role) -> Option<Capabilities> {
        match (era, side) {
            (Era::Legacy, side) => *self.declared.of(side),
            (Era::Modern, Role::Server) => self.discovered,
            (Era::Modern, Role::Client) => None,
        }
    }

    /// Returns whether a side has declared its capabilities in an era, but not this one.
    // Inlined for size: most of it is decided where it is called.
    #[inline(always)]
    fn lacks(&self, era: Era, (side, capability): (Role, Capability)) -> bool {
        self.declared_in(era, side).is_some_and(|declared| !declared.has(capability))
    }

    /// Returns the revision to answer `initialize` with: the requested one if it is supported, and otherwise the latest
    /// supported one (basic/lifecycle, version negotiation). Returns `None` if no revision with a handshake is
    /// supported.
    #[must_use]
    pub fn negotiate(&self, requested: Option<RawStr<'_>>) -> Option<Revision> {
        let requested = requested.and_then(Revision::named);
        let mut latest = None;
        for &revision in self.supported.iter().filter(|revision| revision.era() == Era::Legacy) {
            if Some(revision) == requested {
                return requested;
            }
            latest = latest.max(Some(revision));
        }
        latest
    }

    /// Returns an id for a request to be sent, which was not returned before: 1, 2, 3 and so on.
    ///
    /// The request is in flight once the session has [observed](Self::observe) it. Its answer is an
    /// [`Event::Response`].
    pub const fn next_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        id
    }

    /// Returns the unanswered requests of both sides, as far as slots hold their ids.
    pub fn in_flight(&self) -> impl Iterator<Item = InFlight<'_>> {
        self.ledger.store.in_flight()
    }

    /// Returns the place for requests.
    #[doc(hidden)]
    pub const fn requests_mut(&mut self) -> &mut S {
        &mut self.ledger.store
    }

    /// Ends the session, and reports each request that still waits for its answer.
    ///
    /// Subscriptions are open until the end, and cancelled requests need not be answered.
    pub fn end(&self, mut report: impl FnMut(InFlight<'_>, Finding)) {
        let rule = rule::UNANSWERED_REQUEST;
        for request in self.in_flight().filter(InFlight::waits) {
            report(request, Finding::new(rule, rule::severity(rule), 0));
        }
    }

    /// Observes a message, and returns what it means. Reports what is wrong with it or worth knowing, below the
    /// envelope and in this session, in the order of the checks. Offsets refer to the [frame](Message::frame) of the
    /// message.
    ///
    /// Pass a batch as a whole or, if the events of its messages matter, message by message.
    #[inline]
    pub fn observe<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
        mut report: impl FnMut(Finding),
    ) -> Event<'buf> {
        match message {
            Message::Batch(batch) => self.observe_batch(from, batch, &mut report),
            message => self.observe_one(
                from,
                message,
                Seat::Observer,
                &mut Notice::new(message, &mut report),
            ),
        }
    }

    /// Observes a message that this side has received and is to answer, as [`observe`](Self::observe) does. The difference
    /// is a request to be refused whose id is that of another one that waits. The error would answer the other request, so
    /// the request is [ignored](Event::Ignored) because of [`rule::ID_IN_USE`], and is not in flight.
    ///
    /// Pass the messages of a batch one by one. [`receive_fault`](Self::receive_fault) is for what is not a message.
    #[inline]
    pub fn receive<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
        mut report: impl FnMut(Finding),
    ) -> Event<'buf> {
        match message {
            Message::Batch(_) => self.observe(from, message, report),
            message => self.observe_one(
                from,
                message,
                Seat::Receiver,
                &mut Notice::new(message, &mut report),
            ),
        }
    }

    /// Observes a batch. It is not linked if the compiler sees that there are no batches.
    fn observe_batch<'buf>(
        &mut self,
        from: Role,
        batch: &Batch<'buf>,
        report: &mut dyn FnMut(Finding),
    ) -> Event<'buf> {
        for element in batch.iter() {
            match element.message() {
                Ok(message) => {
                    let notice = &mut Notice::new(&message, report);
                    self.observe_one(from, &message, Seat::Observer, notice);
                }
                Err(fault) => self.observe_fault(from, &fault),
            }
        }
        Event::Batch
    }

    /// Records a frame, or an element of a batch, that is not a message but is [owed](Fault::reply) an answer with its
    /// id, so that this answer is not reported as unexpected.
    ///
    /// This is for a third party, which sees the answer. The side that is to answer calls
    /// [`receive_fault`](Self::receive_fault) instead.
    pub fn observe_fault(&mut self, from: Role, fault: &Fault<'_>) {
        self.observe_echo(from, fault.echoed_id().as_ref());
    }

    /// Does the same for a fault that is owed an answer with this id, or none with an id.
    #[doc(hidden)]
    pub fn observe_echo(&mut self, from: Role, id: Option<&Id<'_>>) {
        // A client never answers a modern server.
        self.ledger.store.pair(None);
        if from == Role::Server && self.server_is_modern() {
            return;
        }
        if let Some(id) = id {
            self.ledger.insert(&Incoming {
                from,
                method: None,
                id,
                token: None,
                is_message: false,
            });
        }
    }

    fn observe_one<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
        seat: Seat,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        self.ledger.store.pair(None);
        match message {
            Message::Request(request) => self.request(from, request, seat, notice),
            Message::Notification(notification) => self.notification(from, notification, notice),
            Message::Response(response) => self.response(from, response, notice),
            // A batch never contains batches.
            Message::Batch(_) => Event::Batch,
        }
    }

    /// Checks a call against the revision that applies to it, its direction and the declared capabilities.
    fn check_call(
        &self,
        from: Role,
        revision: Revision,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) {
        let method_use = revision.check_call(call, notice);
        if method_use.is_some_and(|method| !method.is_for(from)) {
            notice.at_string(rule::WRONG_DIRECTION, call.name);
        } else if method_use.is_some()
            && let Some(method) = call.method
            && let Some(needed) = Capability::needed_for(method, revision, from)
            && self.lacks(revision.era(), needed)
        {
            // "SHOULD" became "MUST" with 2025-06-18 (basic/lifecycle, operation).
            let severity = match revision {
                Revision::V2024_11_05 | Revision::V2025_03_26 => Severity::Warning,
                _ => Severity::Error,
            };
            notice.string_with(rule::UNDECLARED_CAPABILITY, severity, call.name);
        } else if revision == Revision::V2025_11_25
            && let Some(task) = call.params.as_ref().and_then(|params| params.task())
            && let Some(needed) = call.method.and_then(Capability::needed_for_task)
            && self.lacks(Era::Legacy, needed)
        {
            // The request is served as if it did not ask for a task (2025-11-25, utilities, tasks).
            notice.at(rule::UNDECLARED_TASK, task.as_bytes());
        }
    }
}
