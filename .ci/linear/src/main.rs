//! Takes one giant frame off a stream, so that the instructions can be counted.
//!
//! Usage: linear <split|parse|fill|[fill-]content-length|[fill-]sse|[fill-]concatenated> <MiB> <bytes in a push>
//!
//! - `split`: pushed, cut into frames.
//! - `parse`: pushed, cut into frames and parsed.
//! - `fill`: read into a buffer's spare room, cut into frames.
//! - `content-length`, `sse`, `concatenated`: pushed, cut into frames of these framings.
//! - The same with `fill-`: read into a buffer's spare room.
//!
//! The storage is the default with `std`: it starts empty and grows. The cost of growing is counted, since work that
//! is not linear would hide there. It does not arise when the whole stream is one push, whose frame is borrowed.

use std::env;
use std::process::ExitCode;

use tautline::Rules;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, EventStream, FrameBuffer, FrameEvent, Framing,
    HeapBuffer, Splitter,
};
use tautline::stream::{MessageStream, Received};

/// The limit on frames, which none comes near.
const LIMIT: u32 = 1 << 30;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [kind, mib, push] = &arguments[..] else {
        eprintln!(
            "usage: linear <split|parse|fill|[fill-]content-length|[fill-]sse|[fill-]concatenated> <MiB> <bytes in a push>"
        );
        return ExitCode::from(2);
    };
    let length = mib.parse::<usize>().expect("a number of MiB") << 20;
    let push = push.parse().expect("a number of bytes");
    let wire = wire(length);
    let (drive, framing) = match kind.strip_prefix("fill-") {
        Some(framing) => (Drive::Fill, framing),
        None => (Drive::Push, kind.as_str()),
    };
    let found = match framing {
        "split" => work(|| split(&wire, push)),
        "parse" => work(|| parse(&wire, push)),
        "fill" => work(|| fill(Splitter::new(LIMIT), &wire, push)),
        "content-length" => {
            let header = format!("Content-Length: {}\r\n\r\n", length - 1);
            let wire = [header.as_bytes(), &wire[..length - 1]].concat();
            work(|| drive.framed(ContentLength::new(LIMIT), &wire, push))
        }
        "sse" => {
            let wire = [b"data: ", &wire[..], b"\n"].concat();
            work(|| drive.framed(EventStream::new(LIMIT), &wire, push))
        }
        "concatenated" => work(|| drive.framed(Concatenated::new(LIMIT), &wire, push)),
        _ => panic!("no such kind of work: {kind}"),
    };
    // The frame is the whole input except the newline.
    assert_eq!(found, length - 1);
    ExitCode::SUCCESS
}

/// How a wire comes.
#[derive(Clone, Copy)]
enum Drive {
    Push,
    Fill,
}

impl Drive {
    fn framed(self, framing: impl Framing, wire: &[u8], push: usize) -> usize {
        match self {
            Self::Push => framed(framing, wire, push),
            Self::Fill => fill(framing, wire, push),
        }
    }
}

/// The instructions are counted from the beginning to the end of this function. `run` refers to it by name.
#[inline(never)]
fn work(work: impl FnOnce() -> usize) -> usize {
    std::hint::black_box(work())
}

/// Generates a response with a long text, as sent by tools that read files. No other JSON is as cheap to scan, so the
/// share of splitting is largest here.
fn wire(length: usize) -> Vec<u8> {
    let start = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""#;
    let end = b"\"}]}}\n";
    let mut wire = vec![b'x'; length];
    wire[..start.len()].copy_from_slice(start);
    wire[length - end.len()..].copy_from_slice(end);
    wire
}

fn split(wire: &[u8], push: usize) -> usize {
    let mut assembler = Assembler::new(HeapBuffer::new(LIMIT));
    let mut length = 0;
    for mut chunk in wire.chunks(push) {
        while let Some(event) = assembler.next(&mut chunk) {
            length += length_of(event);
        }
    }
    length
}

fn framed(framing: impl Framing, wire: &[u8], push: usize) -> usize {
    let mut assembler = Assembler::with_framing(HeapBuffer::new(LIMIT), framing);
    let mut length = 0;
    for mut chunk in wire.chunks(push) {
        while let Some(event) = assembler.next(&mut chunk) {
            length += length_of(event);
        }
    }
    length
}

fn parse(wire: &[u8], push: usize) -> usize {
    let mut stream = MessageStream::new(HeapBuffer::new(LIMIT), Rules::JSON_RPC);
    let mut length = 0;
    for mut chunk in wire.chunks(push) {
        while let Some(received) = stream.next(&mut chunk) {
            let Received::Message { frame, .. } = received else {
                panic!("the wire has nothing but a message on it: {received:?}");
            };
            length += frame.bytes().len();
        }
    }
    length
}

fn fill(framing: impl Framing, wire: &[u8], push: usize) -> usize {
    let mut buffer = FrameBuffer::with_framing(HeapBuffer::new(LIMIT), framing);
    let mut length = 0;
    for mut unread in wire.chunks(push) {
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
