//! Slots: storage for the requests in flight.

use core::fmt;

use tautline::internal::bytes;
use tautline::internal::cast::index;
use tautline::scan::Span;
use tautline::{Id, RawJson};

use crate::{KnownMethod, Role};

/// The number of bytes of JSON text that a slot holds: the id, and the progress token if it differs.
///
/// A UUID in quotes has 38 bytes.
pub const SLOT_TEXT: usize = 64;

/// Room for one request in flight, which the caller lends to a [`Session`](super::Session).
///
/// After the request was answered, the slot remembers its id until another request needs the slot. An id that is longer
/// than [`SLOT_TEXT`] is kept as a hash.
// The order of the fields matters: a microcontroller has short instructions for the first bytes of a struct.
#[derive(Clone)]
#[repr(C)]
pub struct Slot {
    pub(super) state: State,
    pub(super) from: Role,
    pub(super) method: Option<KnownMethod>,
    /// True if the request named the version that it was made under.
    pub(super) claimed: bool,
    /// True if a task may answer the request.
    pub(super) takes_task: bool,
    /// True if the request declares an extension, which may have results of a type of its own.
    pub(super) is_extended: bool,
    /// The state of the subscription that the request opens, if it opens one.
    pub(super) subscription: Subscription,
    /// True if the request has a progress token, even if the token did not fit.
    pub(super) has_token: bool,
    /// The number of the answer, counted over the session.
    pub(super) answered: u32,
    id: IdText,
    /// The progress token. Most clients use the id, whose text is then shared. Any other token is stored after the id.
    token: IdText,
    text: [u8; SLOT_TEXT],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
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
pub(super) enum Subscription {
    Requested,
    Acknowledged,
    /// The server has cancelled it.
    Ended,
}

/// The condition for two ids to count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Same {
    /// They are equal, as the ids of a request and its response.
    Equal,
    /// They are equal, or they are numbers of the same value, which peers confuse.
    Worth,
}

/// The text of a slot to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Id,
    /// The progress token.
    Token,
}

/// An id in the text of a slot. If it did not fit, the span is empty, but the hash is set.
#[derive(Clone, Copy)]
struct IdText {
    span: Span,
    /// A hash of its meaning, to tell most ids apart without comparing their texts.
    hash: u32,
}

impl IdText {
    const NONE: Self = Self { span: Span::between(0, 0), hash: 0 };

    const fn is_empty(&self) -> bool {
        self.span.start() == self.span.end()
    }
}

impl Slot {
    /// An empty slot.
    pub const EMPTY: Self = Self {
        state: State::Free,
        from: Role::Client,
        // Unused in a free slot. This value makes `EMPTY` all zeros, so it takes no flash.
        method: Some(KnownMethod::Initialize),
        claimed: false,
        takes_task: false,
        is_extended: false,
        subscription: Subscription::Requested,
        answered: 0,
        id: IdText::NONE,
        token: IdText::NONE,
        has_token: false,
        text: [0; SLOT_TEXT],
    };

    /// Stores a request that is now in flight. If its id does not fit, only the hash of the id is kept.
    pub(super) fn take(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        id: &Id<'_>,
        token: Option<&Id<'_>>,
    ) {
        self.id = self.put(0, id);
        self.has_token = token.is_some();
        self.token = match token {
            Some(token) if token != id && !self.id.is_empty() => {
                self.put(index(self.id.span.end()), token)
            }
            Some(_) => self.id,
            None => IdText::NONE,
        };
        self.state = State::InFlight;
        self.from = from;
        self.method = method;
        self.claimed = false;
        self.takes_task = false;
        self.is_extended = false;
        self.subscription = Subscription::Requested;
    }

    /// Writes an id into the text at this index, if it fits.
    fn put(&mut self, start: usize, id: &Id<'_>) -> IdText {
        let (quote, text): (usize, &[u8]) = match id {
            Id::String(text) => (1, text.escaped_bytes()),
            Id::Number(number) => (0, number.as_bytes()),
            Id::Null => (0, b"null"),
        };
        let end = start.saturating_add(text.len()).saturating_add(2 * quote);
        let mut put = IdText { hash: hash_of(id), ..IdText::NONE };
        if let Some(room) = self.text.get_mut(start..end) {
            // The text overwrites all of this except the quotes, if there are any.
            room.fill(b'"');
            bytes::copy(text, room.get_mut(quote..).unwrap_or_default());
            put.span = Span::new(start, end);
        }
        put
    }

    /// Returns the id of the request, if it was stored.
    pub(super) fn id(&self) -> Option<Id<'_>> {
        self.read(&self.id)
    }

    fn read(&self, text: &IdText) -> Option<Id<'_>> {
        if text.is_empty() {
            return None;
        }
        Id::of(RawJson::at(&self.text, text.span))
    }

    const fn text(&self, part: Part) -> &IdText {
        match part {
            Part::Id => &self.id,
            Part::Token => &self.token,
        }
    }

    /// Returns whether it has this id or token.
    pub(super) fn has(&self, part: Part, id: &Id<'_>, hash: u32, same: Same) -> bool {
        let text = self.text(part);
        text.hash == hash
            && self.read(text).is_some_and(|kept| match same {
                Same::Equal => kept == *id,
                Same::Worth => kept.is_worth(id),
            })
    }

    /// Returns whether the id did not fit, and may be one with this hash.
    pub(super) const fn has_long_id(&self, hash: u32) -> bool {
        self.id.is_empty() && self.id.hash == hash
    }

    /// Returns whether the id did not fit, or, if the token is looked for, whether the token did not.
    pub(super) const fn has_lost(&self, part: Part) -> bool {
        self.id.is_empty() || matches!(part, Part::Token) && self.has_token && self.token.is_empty()
    }

    /// Returns whether the request was not answered yet.
    pub(super) const fn is_in_flight(&self) -> bool {
        matches!(self.state, State::InFlight | State::Cancelled)
    }
}

impl Default for Slot {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken = self.state != State::Free;
        let (id, method) = (self.id().filter(|_| taken), self.method.filter(|_| taken));
        f.debug_struct("Slot")
            .field("state", &self.state)
            .field("from", &self.from)
            .field("method", &method)
            .field("id", &id)
            .finish_non_exhaustive()
    }
}

/// Returns a hash that is equal for ids that are the [same](Same), however they are spelled.
///
/// This is FNV-1a with 32 bits, over the decoded characters of a string. It is small, and good enough that the texts of
/// most ids need not be compared. If hashes collide, the session compares the texts. Only the beginning of a long id
/// counts, so that the work is bounded.
pub(super) fn hash_of(id: &Id<'_>) -> u32 {
    let mut hash = 0x811C_9DC5;
    let mut add = |value: u32| hash = (hash ^ value).wrapping_mul(0x0100_0193);
    let text = match (id, id.integer()) {
        (_, Some((negative, magnitude))) => {
            add(negative.into());
            magnitude.to_le_bytes().iter().for_each(|&byte| add(byte.into()));
            return hash;
        }
        (Id::String(text), None) => *text,
        (Id::Number(number), None) => number.as_text(),
        (Id::Null, None) => return hash,
    };
    let mut characters = text.chars();
    for _ in 0..SLOT_TEXT {
        let Some(value) = characters.value() else { break };
        add(value);
    }
    hash
}
