//! Slots: where the session keeps the requests that are in flight.

use core::fmt;

use crate::bytes;
use crate::cast::index;
use crate::envelope::Id;
use crate::json::RawJson;
use crate::mcp::{Method, Peer};
use crate::scan::Span;

/// How many bytes of JSON text a slot holds: of the id, and of the progress token if that is another.
///
/// A UUID in quotes has 38.
pub const SLOT_TEXT: usize = 64;

/// Room for one request in flight, which the caller lends to a [`Session`](super::Session).
///
/// When the request was answered, the slot remembers its id until another request needs it.
#[derive(Clone)]
pub struct Slot {
    pub(super) state: State,
    pub(super) from: Peer,
    pub(super) method: Option<Method>,
    /// Whether the request said the version that it was made under.
    pub(super) claimed: bool,
    /// Whether the subscription that the request opened was acknowledged.
    pub(super) acknowledged: bool,
    /// When it was answered, in answers.
    pub(super) answered: u32,
    id: Text,
    /// The same as the id, as most clients have it, or another behind it.
    token: Option<Text>,
    /// Whether there is a progress token that did not fit.
    has_lost_token: bool,
    text: [u8; SLOT_TEXT],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Free,
    InFlight,
    /// In flight, but nobody waits for the answer any more.
    Cancelled,
    Answered,
}

/// An id among the text of a slot.
#[derive(Clone, Copy)]
struct Text {
    span: Span,
    /// Of what it means, to tell most ids apart without looking at the text.
    hash: u32,
}

impl Text {
    const NONE: Self = Self { span: Span::between(0, 0), hash: 0 };
}

impl Slot {
    /// A slot with nothing in it.
    pub const EMPTY: Self = Self {
        state: State::Free,
        from: Peer::Client,
        // It means nothing in a free slot. As it is, the slot is zeros, of which no program keeps a copy.
        method: Some(Method::Initialize),
        claimed: false,
        acknowledged: false,
        answered: 0,
        id: Text::NONE,
        token: None,
        has_lost_token: false,
        text: [0; SLOT_TEXT],
    };

    /// Takes a request that goes in flight, if its id fits; else the slot stays as it is.
    pub(super) fn take(
        &mut self,
        from: Peer,
        method: Option<Method>,
        id: &Id<'_>,
        token: Option<&Id<'_>>,
    ) -> Option<()> {
        self.id = self.put(0, id)?;
        self.token = match token {
            Some(token) if token != id => self.put(index(self.id.span.end()), token),
            same => same.map(|_| self.id),
        };
        self.has_lost_token = token.is_some() && self.token.is_none();
        self.state = State::InFlight;
        self.from = from;
        self.method = method;
        self.claimed = false;
        self.acknowledged = false;
        Some(())
    }

    /// Puts an id here into the text, if it fits.
    fn put(&mut self, start: usize, id: &Id<'_>) -> Option<Text> {
        let (quote, text): (usize, &[u8]) = match id {
            Id::String(text) => (1, text.as_bytes()),
            Id::Number(number) => (0, number.as_bytes()),
            Id::Null => (0, b"null"),
        };
        let end = start.saturating_add(text.len()).saturating_add(2 * quote);
        let room = self.text.get_mut(start..end)?;
        // These are the quotes, if there are any.
        room.fill(b'"');
        bytes::copy(text, room.get_mut(quote..)?);
        Some(Text { span: Span::new(start, end), hash: hash_of(id) })
    }

    /// The id of the request.
    pub(super) fn id(&self) -> Option<Id<'_>> {
        self.read(&self.id)
    }

    fn read(&self, text: &Text) -> Option<Id<'_>> {
        Id::of(RawJson::at(&self.text, text.span))
    }

    fn has(&self, text: &Text, id: &Id<'_>, hash: u32) -> bool {
        text.hash == hash && self.read(text).is_some_and(|kept| kept == *id)
    }

    pub(super) fn has_id(&self, id: &Id<'_>, hash: u32) -> bool {
        self.has(&self.id, id, hash)
    }

    pub(super) fn has_token(&self, token: &Id<'_>, hash: u32) -> bool {
        self.token.is_some_and(|text| self.has(&text, token, hash))
    }

    /// Whether the request has a progress token that is not known.
    pub(super) const fn has_lost_token(&self) -> bool {
        self.has_lost_token
    }

    /// Whether it is a request of this side that was not answered yet.
    pub(super) fn is_in_flight_from(&self, from: Peer) -> bool {
        self.is_in_flight() && self.from == from
    }

    /// Whether the request was not answered yet.
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

/// Equal for equal ids, however they are spelled.
///
/// FNV-1a with 32 bits, of a string character by character: small, and good enough to leave most ids unread.
/// Whoever makes ids collide makes the session read them, and no more than that.
pub(super) fn hash_of(id: &Id<'_>) -> u32 {
    let mut hash = 0x811C_9DC5;
    let mut add = |value: u32| hash = (hash ^ value).wrapping_mul(0x0100_0193);
    match id {
        Id::String(text) => {
            let mut characters = text.chars();
            while let Some(value) = characters.value() {
                add(value);
            }
        }
        Id::Number(number) => number.as_bytes().iter().for_each(|&byte| add(byte.into())),
        Id::Null => {}
    }
    hash
}
