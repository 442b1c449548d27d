//! Pairings: which request each message is about, for those who keep facts about requests.

use tautline::{Id, Message};

use super::{Heap, InFlight, Pairing, Session};
use crate::ledger::{Incoming, Part, Same, State, Store};
use crate::{KnownMethod, Role};

impl Session<Heap> {
    /// Returns which request the message is about that was observed last. In a batch, that is its last message.
    #[must_use]
    pub const fn pairing(&self) -> Pairing {
        self.ledger.store.pairing()
    }

    /// Returns the progress token of the request that [`pairing`](Self::pairing) names, unless it is answered or the token has
    /// more than 256 bytes.
    #[must_use]
    pub fn progress_token(&self) -> Option<Id<'_>> {
        self.ledger.store.progress_token()
    }

    /// Returns whether a side waits for the answer to a request with this id.
    #[must_use]
    pub fn is_owed(&self, from: Role, id: &Id<'_>) -> bool {
        self.find(from, id).is_some_and(|place| self.ledger.store.is_owed(place))
    }

    /// Returns the requests whose answers are owed, with their [numbers](Pairing::number), in no order: those that were
    /// neither answered, cancelled nor excused, and that open no subscription. An id of more than 256 bytes is shortened to its
    /// beginning, with an ellipsis.
    pub fn owed(&self) -> impl Iterator<Item = (u64, InFlight<'_>)> {
        self.ledger.store.owed()
    }

    /// Records that the answer to a request is not owed any more, although it may still come: for example because the
    /// request was part of a batch that must not be sent.
    pub fn excuse(&mut self, from: Role, id: &Id<'_>) {
        if let Some(place) = self.find(from, id) {
            self.ledger.store.excuse(place);
        }
    }

    /// Records the same for the requests of a side in flight whose ids are [like](Id::is_like) this one, because an answer
    /// could not be read. Passes their numbers to `note`.
    pub fn excuse_alike(&mut self, from: Role, id: &Id<'_>, note: impl FnMut(u64)) {
        self.ledger.store.excuse_alike(from, id, note);
    }

    /// Records a request that its receiver may not have been able to read: it may be answered, and need not be. Returns its
    /// number, or that of the request with this id that is in flight already.
    pub fn observe_unread(&mut self, from: Role, id: &Id<'_>) -> Pairing {
        self.ledger.store.pair(None);
        match self.find(from, id) {
            Some(place) => self.ledger.store.pair(Some(place)),
            None => {
                self.ledger.insert(&Incoming {
                    from,
                    method: None,
                    id,
                    token: None,
                    is_message: true,
                });
                self.excuse(from, id);
            }
        }
        self.pairing()
    }

    /// Records that a side has sent something that is not a message, and its id if that can be known. A later
    /// notification may cancel it.
    pub fn observe_unreadable(&mut self, from: Role, id: Option<&Id<'_>>) {
        self.ledger.store.note_issued(from, id);
    }

    /// Pairs a message without following the session: the message changes nothing but the requests in flight. Returns the
    /// request that it is, or that it answers. It is for a log whose messages have no known direction, in which the sides
    /// and their sessions cannot be told apart.
    pub fn pair(&mut self, from: Role, message: &Message<'_>) -> Pairing {
        // Ids need not be remembered as issued, which takes time: that is for notifications.
        self.ledger.store.note_issued(from, None);
        self.ledger.store.pair(None);
        match message {
            Message::Request(request) => {
                let method = KnownMethod::named(request.method());
                let id = request.id();
                self.ledger.insert(&Incoming {
                    from,
                    method,
                    id: &id,
                    token: None,
                    is_message: true,
                });
            }
            Message::Response(response) => {
                if let Some(id) = response.id()
                    && let (Some(place), _) = self.ledger.answered_by(from.other(), &id)
                {
                    self.ledger.change(place, |head| head.state = State::Answered);
                }
            }
            Message::Notification(_) | Message::Batch(_) => {}
        }
        self.pairing()
    }

    fn find(&self, from: Role, id: &Id<'_>) -> Option<usize> {
        self.ledger.in_flight(&self.ledger.look(from, id, Same::Equal, Part::Id))
    }
}
