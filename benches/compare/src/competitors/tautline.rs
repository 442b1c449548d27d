//! The crate itself, through each of its entry points.

use std::io::{self, Read};

use bytes::BytesMut;
use tautline::codec::MessageCodec;
use tautline::frame::{DEFAULT_LIMIT, FrameEvent, Frames, HeapBuffer};
use tautline::io::MessageReader;
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Message, Outcome, Profile};
use tokio_util::codec::Decoder;

use super::{Answer, Competitor, Pass, SLICE, hand_over};
use benches::corpora::{Counts, Kind};

pub(super) fn competitors() -> Vec<Competitor> {
    let competitor = |name, about, pass| Competitor { name, about, answer: Answer::Messages, pass };
    vec![
        competitor(
            SLICE,
            "the whole wire in one slice; borrows everything",
            Box::new(whole_stream),
        ),
        competitor(
            "tautline, message by message",
            "cut by `Frames` first, then `Message::parse` for each frame",
            Box::new(message_by_message),
        ),
        competitor(
            "tautline stream, 4 KiB reads",
            "the same bytes pushed in chunks; what spans chunks is copied together",
            pushed(4 * 1024),
        ),
        competitor(
            "tautline stream, 64 KiB reads",
            "the same bytes pushed in chunks; what spans chunks is copied together",
            pushed(64 * 1024),
        ),
        competitor(
            "tautline reader, 4 KiB reads",
            "a `MessageReader` over a `Read` that gives so much at a time",
            read(4 * 1024),
        ),
        competitor(
            "tautline reader, 64 KiB reads",
            "a `MessageReader` over a `Read` that gives so much at a time",
            read(64 * 1024),
        ),
        competitor(
            "tautline codec, 4 KiB reads",
            "a `MessageCodec` on a buffer that gets so much at a time; items own their bytes",
            decoded(4 * 1024),
        ),
        competitor(
            "tautline codec, 64 KiB reads",
            "a `MessageCodec` on a buffer that gets so much at a time; items own their bytes",
            decoded(64 * 1024),
        ),
    ]
}

/// Returns the kind of a message. A batch has none, and no corpus contains one.
fn kind(message: &Message<'_>) -> Option<Kind> {
    match message {
        Message::Request(_) => Some(Kind::Request),
        Message::Notification(_) => Some(Kind::Notification),
        Message::Response(response) => Some(match response.outcome() {
            Outcome::Result(_) => Kind::Result,
            Outcome::Error(_) => Kind::Error,
        }),
        Message::Batch(_) => None,
    }
}

fn judge(received: Received<'_>) -> Option<Kind> {
    match received {
        Received::Message { message, .. } => {
            hand_over(message);
            kind(&message)
        }
        _ => None,
    }
}

fn whole_stream(wire: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for received in Messages::new(wire, DEFAULT_LIMIT, &Profile::JSON_RPC) {
        counts.add(judge(received));
    }
    counts
}

fn message_by_message(wire: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for event in Frames::new(wire, DEFAULT_LIMIT) {
        let message = match event {
            FrameEvent::Frame(frame) => Message::parse(frame.bytes(), &Profile::JSON_RPC).ok(),
            _ => None,
        };
        counts.add(message.and_then(|message| {
            hand_over(message);
            kind(&message)
        }));
    }
    counts
}

fn pushed(chunk: usize) -> Pass {
    Box::new(move |wire| {
        let mut counts = Counts::default();
        let mut stream = MessageStream::new(HeapBuffer::default(), &Profile::JSON_RPC);
        for mut input in wire.chunks(chunk) {
            while let Some(received) = stream.next(&mut input) {
                counts.add(judge(received));
            }
        }
        if let Some(received) = stream.finish() {
            counts.add(judge(received));
        }
        counts
    })
}

/// Returns at most this many bytes at a time.
struct Reads<'a> {
    rest: &'a [u8],
    most: usize,
}

impl Read for Reads<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let length = room.len().min(self.most);
        self.rest.read(room.get_mut(..length).unwrap_or_default())
    }
}

fn read(most: usize) -> Pass {
    Box::new(move |wire| {
        let mut counts = Counts::default();
        let mut reader = MessageReader::new(Reads { rest: wire, most }, &Profile::JSON_RPC);
        while let Ok(Some(received)) = reader.next() {
            counts.add(judge(received));
        }
        counts
    })
}

fn decoded(most: usize) -> Pass {
    Box::new(move |wire| {
        let mut counts = Counts::default();
        let mut codec = MessageCodec::new(&Profile::JSON_RPC);
        let mut buffer = BytesMut::with_capacity(8 * 1024);
        for chunk in wire.chunks(most) {
            buffer.extend_from_slice(chunk);
            while let Ok(Some(item)) = codec.decode(&mut buffer) {
                counts.add(judge(item.received()));
            }
        }
        while let Ok(Some(item)) = codec.decode_eof(&mut buffer) {
            counts.add(judge(item.received()));
        }
        counts
    })
}
