//! Server-sent events: however a stream is cut, every driver yields the events of the naive reference.

use tautline::frame::ServerSentEvents;

use crate::support::framings::{Behind, Case, Taken};
use crate::support::reference::server_sent_events;

pub fn case(stream: &[u8], limit: u32, behind: Behind) -> Case<'_, ServerSentEvents> {
    Case {
        framing: ServerSentEvents::new(limit),
        stream,
        behind,
        expected: server_sent_events::split(stream, limit),
    }
}

pub fn check(input: &[u8]) {
    let Taken { limit, behind, chunks, stream } = Taken::from(input);
    // The framing never loses its place, so resynchronising makes no difference.
    case(stream, limit, behind).check_cut(&chunks);
}
