//! Requests: what is remembered of each.

use tautline::Id;

use super::Incoming;
use crate::{KnownMethod, Role};

/// The facts about a remembered request, apart from its id.
// The order of the fields matters: a microcontroller has short instructions for the first bytes of a struct.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Head {
    pub(crate) state: State,
    pub(crate) from: Role,
    pub(crate) method: Option<KnownMethod>,
    /// True if the request named the version that it was made under.
    pub(crate) claimed: bool,
    /// True if a task may answer the request.
    pub(crate) takes_task: bool,
    /// True if the request declares an extension, which may have results of a type of its own.
    pub(crate) is_extended: bool,
    /// The state of the subscription that the request opens, if it opens one.
    pub(crate) subscription: Subscription,
    /// True if the request has a progress token, even if the token did not fit.
    pub(crate) has_token: bool,
    /// The number of the answer, counted over the session.
    pub(crate) answered: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    InFlight,
    /// In flight, but cancelled: the sender no longer waits for the answer.
    Cancelled,
    Answered,
    /// Answered with a task, which continues and may report progress.
    Task,
}

/// The state of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subscription {
    Requested,
    Acknowledged,
    /// The server has cancelled it.
    Ended,
}

/// The condition for two ids to count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// They are equal, as the ids of a request and its response.
    Equal,
    /// They are equal, or they are numbers of the same value, which peers confuse.
    Worth,
}

/// The part of a request to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Id,
    /// The progress token.
    Token,
}

impl Head {
    /// The head of a free slot.
    pub(super) const FREE: Self = Self {
        state: State::Free,
        from: Role::Client,
        // Unused in a free slot. This value makes a free slot all zeros, so it takes no flash.
        method: Some(KnownMethod::Initialize),
        claimed: false,
        takes_task: false,
        is_extended: false,
        subscription: Subscription::Requested,
        has_token: false,
        answered: 0,
    };

    /// Turns it into the head of a request that is now in flight.
    pub(super) const fn take(&mut self, incoming: &Incoming<'_, '_>) {
        self.has_token = incoming.token.is_some();
        self.state = State::InFlight;
        self.from = incoming.from;
        self.method = incoming.method;
        self.claimed = false;
        self.takes_task = false;
        self.is_extended = false;
        self.subscription = Subscription::Requested;
    }

    /// Returns whether the request was not answered yet.
    pub(crate) const fn is_in_flight(&self) -> bool {
        matches!(self.state, State::InFlight | State::Cancelled)
    }
}

/// A request in a store.
pub trait Remembered {
    fn head(&self) -> &Head;

    /// Returns the id, if its text was stored.
    fn id(&self) -> Option<Id<'_>>;

    /// Returns whether it has this id or token, whose hash this is.
    fn has(&self, part: Part, id: &Id<'_>, hash: u32, same: Same) -> bool;

    /// Returns whether the id did not fit, and may be one with this hash.
    fn has_long_id(&self, hash: u32) -> bool;

    /// Returns whether the id did not fit, or, if the token is looked for, whether the token did not.
    fn has_lost(&self, part: Part) -> bool;

    /// Returns whether it is a request for a subscription, or stands for an answered one as well.
    fn subscribes(&self) -> bool {
        self.head().method == Some(KnownMethod::SubscriptionsListen)
    }

    /// Returns whether it, or an answered one that it stands for as well, did not name its version.
    fn is_unclaimed(&self) -> bool {
        !self.head().claimed
    }

    /// Returns whether it stands for several requests in flight that have its id.
    fn is_shared(&self) -> bool {
        false
    }
}

/// A request that was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct InFlight<'a> {
    from: Role,
    method: Option<KnownMethod>,
    id: Id<'a>,
    cancelled: bool,
}

impl<'a> InFlight<'a> {
    /// Returns a request if it is in flight and its id was stored.
    pub(super) fn of(request: &'a impl Remembered) -> Option<Self> {
        let &Head { state, from, method, .. } = request.head();
        if !request.head().is_in_flight() {
            return None;
        }
        Some(Self { from, method, id: request.id()?, cancelled: state == State::Cancelled })
    }

    /// Returns a request that is in flight, with this id.
    #[cfg(feature = "alloc")]
    pub(super) fn with_id(head: &Head, id: Id<'a>) -> Self {
        let &Head { state, from, method, .. } = head;
        Self { from, method, id, cancelled: state == State::Cancelled }
    }

    /// Returns the role of its sender.
    #[must_use]
    pub const fn from(&self) -> Role {
        self.from
    }

    /// Returns the method called, or `None` if MCP does not define it.
    #[must_use]
    pub const fn method(&self) -> Option<KnownMethod> {
        self.method
    }

    /// Returns its id.
    #[must_use]
    pub const fn id(&self) -> Id<'a> {
        self.id
    }

    /// Returns whether it was cancelled, so that it need not be answered.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// Returns whether its sender waits for the answer. A subscription is open until the end.
    pub(crate) fn waits(&self) -> bool {
        !self.cancelled && self.method != Some(KnownMethod::SubscriptionsListen)
    }
}
