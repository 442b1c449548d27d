//! The inbox of an exchange, and the count of what waits in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tautline::Profile;
use tokio::sync::mpsc;

/// The number of messages that wait to be received. The exchange receives them whenever it is polled.
const CAPACITY: usize = 16;

/// A message, the profile to parse it under, and its place among those that wait.
pub(crate) type Entry = (Bytes, Profile, Option<Ticket>);

/// A handle through which messages reach an [`Exchange`](crate::Exchange) from other tasks.
#[derive(Clone, Debug)]
pub struct Inbox {
    entries: mpsc::Sender<Entry>,
    load: Arc<Load>,
    /// The number of messages that may wait for their turn.
    limit: usize,
}

/// The result of [`Inbox::offer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Offered {
    /// The exchange has the message.
    Accepted,
    /// The message was dropped, because too many wait.
    Full,
    /// The message was dropped, because the exchange does not exist any more.
    Closed,
}

impl Inbox {
    /// Creates an inbox, and its other end.
    pub(crate) fn new(limit: usize) -> (Self, mpsc::Receiver<Entry>) {
        let (entries, receiver) = mpsc::channel(CAPACITY);
        (Self { entries, load: Arc::default(), limit }, receiver)
    }

    /// Passes on a message that is handled as soon as it is received: the answer to a call, a report of its progress, or a
    /// cancellation. It is parsed under this profile. Waits while sixteen messages wait to be received, which the exchange
    /// does whenever it is polled. Returns whether the exchange still exists.
    pub async fn send(&self, message: Bytes, profile: &Profile) -> bool {
        self.entries.send((message, *profile, None)).await.is_ok()
    }

    /// Passes on a notification, which may have to wait for its turn. Refuses it if as many wait as the
    /// [options](crate::Options::with_max_backlog) allow, or if they would have more than this number of bytes. One has
    /// always room. Otherwise this is like [`send`](Self::send).
    pub async fn offer(&self, message: Bytes, profile: &Profile, max_bytes: usize) -> Offered {
        let Some(ticket) = self.load.enter(message.len(), self.limit, max_bytes) else {
            return Offered::Full;
        };
        match self.entries.send((message, *profile, Some(ticket))).await {
            Ok(()) => Offered::Accepted,
            Err(_) => Offered::Closed,
        }
    }
}

/// The notifications that wait for their turn.
#[derive(Debug, Default)]
struct Load {
    messages: AtomicUsize,
    bytes: AtomicUsize,
}

impl Load {
    fn enter(self: &Arc<Self>, length: usize, limit: usize, max_bytes: usize) -> Option<Ticket> {
        let messages = self.messages.fetch_add(1, Ordering::Relaxed);
        let bytes = self.bytes.fetch_add(length, Ordering::Relaxed);
        // A ticket that is dropped takes this back.
        let ticket = Ticket { load: Arc::clone(self), length };
        let has_room = messages < limit && bytes.saturating_add(length) <= max_bytes;
        (has_room || messages == 0).then_some(ticket)
    }
}

/// The place of a notification among those that wait. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    load: Arc<Load>,
    length: usize,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.load.messages.fetch_sub(1, Ordering::Relaxed);
        self.load.bytes.fetch_sub(self.length, Ordering::Relaxed);
    }
}
