//! Server-sent events: however a stream is cut, every driver yields the events of the naive reference.

use tautline::frame::{ServerSentEvents, TooLong};

use crate::support::framings::{Behind, Case, Taken};
use crate::support::reference::server_sent_events;

pub fn case(stream: &[u8], limit: u32, behind: Behind) -> Case<'_, ServerSentEvents> {
    Case {
        framing: ServerSentEvents::new(limit),
        about,
        stream,
        behind,
        expected: server_sent_events::split(stream, limit),
    }
}

/// Returns the state of the stream besides the data of the last event.
fn about(stream: &ServerSentEvents) -> String {
    let shown = |text: Result<&[u8], TooLong>| match text {
        Ok(text) => text.escape_ascii().to_string(),
        Err(TooLong) => "TooLong".to_owned(),
    };
    let (kind, id) = (shown(stream.event_type()), shown(stream.last_event_id()));
    format!("type {kind}\nid {id}\nretry {:?}", stream.retry())
}

pub fn check(input: &[u8]) {
    let Taken { limit, behind, chunks, stream } = Taken::from(input);
    // The framing never loses its place, so resynchronising makes no difference.
    case(stream, limit, behind).check_cut(&chunks);
}
