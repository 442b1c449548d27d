//! Passes small inputs of every kind through the entry points of the crate, so that the instructions can be counted.
//! Prints a line for each piece of work, in order.

use counted::corpora::{self, Scale};
use counted::work;
use tautline::frame::{DEFAULT_LIMIT, HeapBuffer};
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Message, Profile};

/// A pass over the input, which counts its messages.
type Way = fn(&[u8]) -> u64;

const WAYS: [(&str, Way); 3] =
    [("stream", stream), ("one by one", one_by_one), ("reads of 4 KiB", reads)];

fn main() {
    for corpus in corpora::corpora(Scale::Smoke) {
        for (name, way) in WAYS {
            let count = work(|| way(&corpus.wire));
            assert_eq!(count, corpus.counts.accepted(), "{name} {}", corpus.name);
            println!("{}, {name}", corpus.name);
        }
    }
    let faulty = br#"{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"add"}}"#;
    let wire = [faulty.as_slice(), b"\n"].concat().repeat(100);
    assert_eq!(work(|| stream(&wire)), 0);
    println!("faulty, stream");
}

fn stream(wire: &[u8]) -> u64 {
    let messages = Messages::new(wire, DEFAULT_LIMIT, &Profile::JSON_RPC);
    messages.map(|received| u64::from(matches!(received, Received::Message { .. }))).sum()
}

fn one_by_one(wire: &[u8]) -> u64 {
    let mut start = 0;
    let mut count = 0;
    for end in memchr::memchr_iter(b'\n', wire) {
        count += u64::from(Message::parse(&wire[start..end], &Profile::JSON_RPC).is_ok());
        start = end + 1;
    }
    count
}

fn reads(wire: &[u8]) -> u64 {
    let mut stream = MessageStream::new(HeapBuffer::default(), &Profile::JSON_RPC);
    let mut count = 0;
    for mut chunk in wire.chunks(4096) {
        while let Some(received) = stream.next(&mut chunk) {
            count += u64::from(matches!(received, Received::Message { .. }));
        }
    }
    count
}
