//! Requests that are kept on the heap.

use alloc::vec::Vec;

use tautline::Id;

use super::key::{Key, Text};
use super::request::{Head, Part, Remembered, Same, State};
use super::{Incoming, Sides};
use crate::{KnownMethod, Role};

/// The request that a message is, answers, cancels, or reports on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub(super) number: Option<u64>,
    pub(super) method: Option<KnownMethod>,
    pub(super) is_shared: bool,
    pub(super) is_last: bool,
    pub(super) forgotten: Option<u64>,
    /// True if the notification names an id that no request of the side has had.
    pub(super) never_issued: Sides<bool>,
}

impl Pairing {
    /// The pairing of a message that is about no request.
    pub(super) const NONE: Self = Self {
        number: None,
        method: None,
        is_shared: false,
        is_last: true,
        forgotten: None,
        never_issued: Sides { client: false, server: false },
    };

    /// Returns the number of the request, by which facts about it can be kept: the first request of a session has the
    /// number 1. Requests with one id that wait at the same time have one number. It is `None` if the message concerns no
    /// remembered request.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns the method of the request, if MCP defines it. Requests with one id and different methods have none.
    #[must_use]
    pub const fn method(&self) -> Option<KnownMethod> {
        self.method
    }

    /// Returns whether several requests with the id wait, or have waited at the same time. A response may then answer
    /// any of them.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns whether no other request with the id waits.
    #[must_use]
    pub const fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns the number of a request that is forgotten, to make room for the one that the message is. Drop the facts about
    /// it.
    #[must_use]
    pub const fn forgotten(&self) -> Option<u64> {
        self.forgotten
    }

    /// Returns whether the notification names a request of this side, and the side has surely never sent one with the id.
    #[cfg_attr(not(feature = "shapes"), allow(dead_code, reason = "conversations ask it"))]
    pub(crate) const fn is_never_issued(&self, side: Role) -> bool {
        *self.never_issued.of(side)
    }
}

impl Default for Pairing {
    fn default() -> Self {
        Self::NONE
    }
}

/// A remembered request, or several that have one id and are in flight at the same time.
#[derive(Debug)]
pub struct Kept {
    pub(super) head: Head,
    pub(super) key: Key,
    pub(super) id: Text,
    /// The progress tokens, one for each of the requests that has one.
    pub(super) tokens: Vec<(Key, Text)>,
    pub(super) number: u64,
    /// The number of other requests in flight with its id, if there has been one.
    pub(super) others: Option<u32>,
    /// True if their methods differ.
    pub(super) is_mixed: bool,
    /// The number of them whose answers are not owed.
    pub(super) excused: u32,
    /// The number of answers that frames may still get which were no messages, and had its id before it.
    pub(super) spare: u32,
    /// True if it is a frame that was no message.
    pub(super) is_fault: bool,
    /// True if an answered request with this id, which it replaces, has opened a subscription.
    pub(super) has_subscribed: bool,
    /// True if one of them did not name its version.
    pub(super) was_unclaimed: bool,
    /// The queue that it is in.
    pub(super) queued: Option<Queued>,
    pub(super) counted: Counted,
}

/// A queue of requests that make room for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queued {
    Answered,
    /// Not answered, but no answer is owed.
    Idle,
}

/// The counters of the heap in which a request is included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub(super) claimed: bool,
    pub(super) initializing: bool,
}

impl Kept {
    /// Creates a request that is now in flight. `before` is the answered request with its id that it replaces.
    pub(super) fn new(
        incoming: &Incoming<'_, '_>,
        key: Key,
        number: u64,
        before: Option<&Self>,
    ) -> Self {
        let mut head = Head::FREE;
        head.take(incoming);
        Self {
            head,
            key,
            id: Text::of(incoming.id),
            tokens: Vec::new(),
            number,
            others: None,
            is_mixed: false,
            excused: 0,
            spare: 0,
            is_fault: !incoming.is_message,
            has_subscribed: before.is_some_and(Remembered::subscribes),
            was_unclaimed: before.is_some_and(Remembered::is_unclaimed),
            queued: None,
            counted: Counted::default(),
        }
    }

    /// Returns the number of requests in flight that it stands for.
    pub(super) fn count(&self) -> u32 {
        self.others.unwrap_or(0).saturating_add(1)
    }

    /// Returns whether the answer to one of the requests is owed.
    pub(super) fn is_owed(&self) -> bool {
        self.head.state == State::InFlight && self.count() > self.excused
    }

    /// Records that no answer is owed to the requests so far.
    pub(super) fn excuse(&mut self) {
        self.excused = self.count();
    }

    /// Returns the queue that it belongs in.
    pub(super) fn queue(&self) -> Option<Queued> {
        match self.head.state {
            State::Answered => Some(Queued::Answered),
            State::InFlight if self.is_owed() => None,
            _ => Some(Queued::Idle),
        }
    }
}

impl Remembered for Kept {
    fn head(&self) -> &Head {
        &self.head
    }

    fn id(&self) -> Option<Id<'_>> {
        self.id.id()
    }

    fn has(&self, part: Part, id: &Id<'_>, _hash: u32, same: Same) -> bool {
        // Requests that share a place may spell the id differently.
        let shared = if self.others.is_some() { Same::Worth } else { same };
        match part {
            Part::Id => self.id.is(id, shared),
            Part::Token => self.tokens.iter().any(|(_, token)| token.is(id, same)),
        }
    }

    fn has_long_id(&self, _: u32) -> bool {
        false
    }

    fn has_lost(&self, _: Part) -> bool {
        false
    }

    fn subscribes(&self) -> bool {
        self.has_subscribed || self.head.method == Some(KnownMethod::SubscriptionsListen)
    }

    fn is_unclaimed(&self) -> bool {
        self.was_unclaimed || !self.head.claimed
    }

    fn is_shared(&self) -> bool {
        self.others.is_some_and(|others| others > 0)
    }
}
