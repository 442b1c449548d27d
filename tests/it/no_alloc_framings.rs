//! The framings other than newline-delimited JSON do not use the heap either, whatever is found.

use tautline::Profile;
use tautline::frame::{
    AnyFraming, Assembler, Concatenated, ContentLength, Contiguous, FrameEvent, Frames, Framing,
    FramingKind, ServerSentEvents,
};
use tautline::stream::{MessageStream, Received};

use crate::support::allocator::{Heap, measure};

const LIMIT: u32 = 48;

/// A message, an empty body, an oversized body, a fault, and a truncated body.
const CONTENT_LENGTH: &[u8] = b"Content-Length: 38\r\nX: y\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ab\"}Content-Length: 0\r\n\r\n\
    content-length:50\r\n\r\n12345678901234567890123456789012345678901234567890\
    a line of a log\r\nContent-Length: 9\r\n\r\n{}";

/// A message in one line of data and in two, events without messages, oversized data, and an event that does not end.
const EVENTS: &[u8] = b"\xEF\xBB\xBFid: 0\nretry: 500\ndata:\n\n: a comment\n\n\
    data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ab\"}\r\n\r\n\
    data: {\"jsonrpc\":\"2.0\",\rdata: \"method\":\"a\"}\r\revent: endpoint\ndata: /x\n\n\
    data: 123456789012345678901234567890\ndata: 12345678901234567890\n\ndata: {}";

/// Messages, scalars, an oversized value, bytes that begin no value, and a truncated value.
const VALUES: &[u8] = b"{\n  \"jsonrpc\": \"2.0\", \"id\":1,\"method\":\"a\"\n}\n12 \"]\\\"\"\
    [\"123456789012345678901234567890\", 12345678901234567890]log\n{}[\"";

/// The counts of frames, messages, oversized and truncated ones, and lost places.
type Seen = [u32; 5];

fn pushed<F: Framing + Clone>(wire: &[u8], framing: &F, size: usize) -> Seen {
    let mut seen = Seen::default();
    let assembler = Assembler::with_framing([0; LIMIT as usize], framing.clone());
    let mut stream = MessageStream::with_assembler(assembler, &Profile::JSON_RPC);
    let mut note = |received: Received<'_>| match received {
        Received::Message { .. } => seen[1] += 1,
        Received::Fault { .. } | Received::NoMessage { .. } => seen[0] += 1,
        Received::Oversized { .. } => seen[2] += 1,
        Received::Unfinished(_) => seen[3] += 1,
        Received::Desynchronised(_) => seen[4] += 1,
        other => panic!("{other:?}"),
    };
    for mut chunk in wire.chunks(size) {
        while let Some(received) = stream.next(&mut chunk) {
            note(received);
            stream.resync();
        }
    }
    while let Some(received) = stream.finish() {
        note(received);
    }
    seen
}

fn whole<F: Contiguous + Clone>(wire: &[u8], framing: &F) -> usize {
    let mut frames = Frames::with_framing(wire, framing.clone());
    let mut count = 0;
    while let Some(event) = frames.next() {
        count += usize::from(matches!(event, FrameEvent::Frame(_)));
        frames.resync();
    }
    count
}

#[test]
fn no_framing_allocates() {
    let content_length = ContentLength::new(LIMIT);
    let events = ServerSentEvents::new(LIMIT);
    let values = Concatenated::new(LIMIT);
    let any = |kind| AnyFraming::new(kind, LIMIT);
    for size in 1..EVENTS.len() {
        let (seen, heap) = measure(|| {
            let bodies = pushed(CONTENT_LENGTH, &content_length, size);
            assert_eq!(pushed(CONTENT_LENGTH, &any(FramingKind::ContentLength), size), bodies);
            [bodies, pushed(EVENTS, &events, size), pushed(VALUES, &values, size)]
        });
        assert_eq!(seen, [[1, 1, 1, 1, 1], [2, 2, 1, 1, 0], [3, 1, 1, 1, 1]], "{size}");
        assert_eq!(heap, Heap::default(), "{size}");
    }
    let (counts, heap) =
        measure(|| [whole(CONTENT_LENGTH, &content_length), whole(VALUES, &values)]);
    assert_eq!(counts, [2, 4]);
    assert_eq!(heap, Heap::default());
}
