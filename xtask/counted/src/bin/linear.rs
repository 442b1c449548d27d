//! Takes giant frames off streams, so that the instructions can be counted. Prints a line for each, in order: its size in MiB,
//! a tab, and what is done.
//!
//! The storage is the default with `std`: it starts empty and grows. The cost of growing is counted, since non-linear
//! work could hide there. There would be no such cost if the whole stream was one push, whose frame is borrowed.

use counted::work;
use tautline::Profile;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, FrameBuffer, FrameEvent, Framing, HeapBuffer,
    ServerSentEvents, Splitter,
};
use tautline::stream::{MessageStream, Received};

/// The limit on frames, which none comes near.
const LIMIT: u32 = 1 << 30;

/// The number of bytes that are pushed or read at a time.
const PUSH: usize = 64;

/// Puts a line on a stream of some framing.
type Wire = fn(Vec<u8>) -> Vec<u8>;

/// Takes the only frame off a stream, and returns its length.
type Way = fn(&[u8]) -> usize;

const WAYS: [(&str, Wire, Way); 9] = [
    ("split and parse in pushes", lines, parse),
    ("split in pushes", lines, split),
    ("fill from reads", lines, |wire| fill(Splitter::new(LIMIT), wire)),
    ("Content-Length in pushes", with_header, |wire| push(ContentLength::new(LIMIT), wire)),
    ("SSE in pushes", as_event, |wire| push(ServerSentEvents::new(LIMIT), wire)),
    ("concatenated in pushes", lines, |wire| push(Concatenated::new(LIMIT), wire)),
    ("Content-Length from reads", with_header, |wire| fill(ContentLength::new(LIMIT), wire)),
    ("SSE from reads", as_event, |wire| fill(ServerSentEvents::new(LIMIT), wire)),
    ("concatenated from reads", lines, |wire| fill(Concatenated::new(LIMIT), wire)),
];

fn main() {
    for (name, stream, way) in WAYS {
        for mib in [16, 1] {
            let wire = stream(line(mib << 20));
            // The frame is the whole line except the newline.
            assert_eq!(work(|| way(&wire)), (mib << 20) - 1);
            println!("{mib}\t{name}");
        }
    }
}

/// Generates a response with a long text, as sent by tools that read files. No other JSON is as cheap to scan, so the
/// share of splitting is largest here.
fn line(length: usize) -> Vec<u8> {
    let start = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""#;
    let end = b"\"}]}}\n";
    let mut line = vec![b'x'; length];
    line[..start.len()].copy_from_slice(start);
    line[length - end.len()..].copy_from_slice(end);
    line
}

fn lines(line: Vec<u8>) -> Vec<u8> {
    line
}

fn with_header(mut line: Vec<u8>) -> Vec<u8> {
    line.pop();
    [format!("Content-Length: {}\r\n\r\n", line.len()).as_bytes(), &line].concat()
}

fn as_event(line: Vec<u8>) -> Vec<u8> {
    [b"data: ", &line[..], b"\n"].concat()
}

fn split(wire: &[u8]) -> usize {
    let mut assembler = Assembler::new(HeapBuffer::new(LIMIT));
    let mut length = 0;
    for mut chunk in wire.chunks(PUSH) {
        while let Some(event) = assembler.next(&mut chunk) {
            length += length_of(event);
        }
    }
    length
}

fn push(framing: impl Framing, wire: &[u8]) -> usize {
    let mut assembler = Assembler::with_framing(HeapBuffer::new(LIMIT), framing);
    let mut length = 0;
    for mut chunk in wire.chunks(PUSH) {
        while let Some(event) = assembler.next(&mut chunk) {
            length += length_of(event);
        }
    }
    length
}

fn parse(wire: &[u8]) -> usize {
    let mut stream = MessageStream::new(HeapBuffer::new(LIMIT), &Profile::JSON_RPC);
    let mut length = 0;
    for mut chunk in wire.chunks(PUSH) {
        while let Some(received) = stream.next(&mut chunk) {
            let Received::Message { frame, .. } = received else {
                panic!("the wire has nothing but a message on it: {received:?}");
            };
            length += frame.bytes().len();
        }
    }
    length
}

fn fill(framing: impl Framing, wire: &[u8]) -> usize {
    let mut buffer = FrameBuffer::with_framing(HeapBuffer::new(LIMIT), framing);
    let mut length = 0;
    for mut unread in wire.chunks(PUSH) {
        while !unread.is_empty() {
            let spare = buffer.spare();
            let (read, rest) = unread.split_at(spare.len().min(unread.len()));
            spare[..read.len()].copy_from_slice(read);
            buffer.commit(read.len());
            unread = rest;
            while let Some(event) = buffer.next() {
                length += length_of(event);
            }
        }
    }
    length
}

fn length_of(event: FrameEvent<'_>) -> usize {
    let FrameEvent::Frame(frame) = event else {
        panic!("the frame is not over the limit: {event:?}");
    };
    frame.bytes().len()
}
