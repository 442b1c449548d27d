//! Slots: room for requests that the caller lends.

use core::fmt;

use tautline::internal::bytes;
use tautline::internal::cast::index;
use tautline::scan::Span;
use tautline::{Id, RawJson};

use super::request::{Head, InFlight, Part, Remembered, Same, State};
use super::{Incoming, Sides, Store};
use crate::{KnownMethod, Role};

/// The number of bytes of JSON text that a slot holds: the id, and the progress token if it differs.
///
/// A UUID in quotes has 38 bytes.
pub const SLOT_TEXT: usize = 64;

/// Room for one request in flight, which the caller lends to a [`Session`](crate::session::Session).
///
/// After the request was answered, the slot remembers its id until another request needs the slot. An id that is longer
/// than [`SLOT_TEXT`] is kept as a hash.
// The order of the fields matters: a microcontroller has short instructions for the first bytes of a struct.
#[derive(Clone)]
#[repr(C)]
pub struct Slot {
    head: Head,
    id: IdText,
    /// The progress token. Most clients use the id, whose text is then shared. Any other token is stored after the id.
    token: IdText,
    text: [u8; SLOT_TEXT],
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
    pub const EMPTY: Self =
        Self { head: Head::FREE, id: IdText::NONE, token: IdText::NONE, text: [0; SLOT_TEXT] };

    /// Returns the last bytes, if no id is there. The C library marks a session with them.
    #[doc(hidden)]
    pub fn spare(&mut self) -> Option<&mut [u8; 4]> {
        let spare = self.text.last_chunk_mut()?;
        let end = self.id.span.end().max(self.token.span.end());
        (index(end) <= SLOT_TEXT.saturating_sub(spare.len())).then_some(spare)
    }

    /// Stores a request that is now in flight. If its id does not fit, only the hash of the id is kept.
    fn take(&mut self, incoming: &Incoming<'_, '_>) {
        let &Incoming { id, token, .. } = incoming;
        self.id = self.put(0, id);
        self.token = match token {
            Some(token) if token != id && !self.id.is_empty() => {
                self.put(index(self.id.span.end()), token)
            }
            Some(_) => self.id,
            None => IdText::NONE,
        };
        self.head.take(incoming);
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
}

impl Remembered for Slot {
    fn head(&self) -> &Head {
        &self.head
    }

    fn id(&self) -> Option<Id<'_>> {
        self.read(&self.id)
    }

    fn has(&self, part: Part, id: &Id<'_>, hash: u32, same: Same) -> bool {
        let text = self.text(part);
        text.hash == hash
            && self.read(text).is_some_and(|kept| match same {
                Same::Equal => kept == *id,
                Same::Worth => kept.is_worth(id),
            })
    }

    fn has_long_id(&self, hash: u32) -> bool {
        self.id.is_empty() && self.id.hash == hash
    }

    fn has_lost(&self, part: Part) -> bool {
        self.id.is_empty()
            || matches!(part, Part::Token) && self.head.has_token && self.token.is_empty()
    }
}

/// Slots that are searched one by one: an array, a slice, or a `Vec`.
impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Store for S {
    type Request = Slot;

    fn insert(
        &mut self,
        incoming: &Incoming<'_, '_>,
        answers: u32,
        forgot_task: &mut Sides<bool>,
    ) -> Option<usize> {
        let (mut best, mut most) = (None, 0);
        for (place, slot) in self.as_mut().iter_mut().enumerate() {
            let use_for_it = match slot.head.state {
                State::Free => u32::MAX,
                State::Answered => answers.wrapping_sub(slot.head.answered).saturating_add(1),
                State::Cancelled | State::Task => 0,
                State::InFlight => continue,
            };
            if use_for_it >= most {
                most = use_for_it;
                best = Some((place, slot));
            }
        }
        let (place, slot) = best?;
        *forgot_task.of_mut(slot.head.from) |= slot.head.state == State::Task;
        slot.take(incoming);
        Some(place)
    }

    fn get(&self, place: usize) -> Option<&Slot> {
        self.as_ref().get(place)
    }

    fn head_mut(&mut self, place: usize) -> Option<&mut Head> {
        self.as_mut().get_mut(place).map(|slot| &mut slot.head)
    }

    fn each(&self, from: Role, _: &Id<'_>, _: Part, mut visit: impl FnMut(usize, &Slot)) {
        for (place, slot) in self.as_ref().iter().enumerate() {
            if slot.head.from == from && slot.head.state != State::Free {
                visit(place, slot);
            }
        }
    }

    fn alike(&self, from: Role, id: &Id<'_>) -> Option<usize> {
        self.as_ref().iter().position(|slot| {
            slot.head.is_in_flight()
                && slot.head.from == from
                && slot.id().is_some_and(|own| own.is_like(id))
        })
    }

    fn has_claimed(&self) -> bool {
        self.as_ref().iter().any(|slot| slot.head.is_in_flight() && slot.head.claimed)
    }

    fn has_initialize(&self, hash: u32) -> bool {
        self.as_ref().iter().any(|slot| {
            slot.head.is_in_flight()
                && slot.head.method == Some(KnownMethod::Initialize)
                && !slot.has_long_id(hash)
        })
    }

    fn in_flight(&self) -> impl Iterator<Item = InFlight<'_>> {
        self.as_ref().iter().filter_map(InFlight::of)
    }
}

impl Default for Slot {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_taken = self.head.state != State::Free;
        let (id, method) = (self.id().filter(|_| is_taken), self.head.method.filter(|_| is_taken));
        f.debug_struct("Slot")
            .field("state", &self.head.state)
            .field("from", &self.head.from)
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
pub(crate) fn hash_of(id: &Id<'_>) -> u32 {
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
