//! Does the work that hostile messages ask for, so that the instructions can be counted. Prints a line for each piece of work,
//! in order: what is done, the name of the input, and its length in bytes, with tabs between.
//!
//! - `findings`: requests every finding of some lines. The first are the usual ones.
//! - `parse`: parses a message that refers to a request by a number of 4 MB.
//! - `observe`: shows the same message, already parsed, to a session with 1,024 requests in flight.

use std::hint::black_box;

use counted::corpora::hostile::{LINE, long_ids, strangers};
use counted::corpora::{self, Scale};
use counted::work;
use tautline::{Envelope, Fault, Message, Profile};
use tautline_mcp::session::{Event, Session, Slot};
use tautline_mcp::{Revision, Role};

/// The number of requests in flight.
const SLOTS: usize = 1024;

fn main() {
    let usual =
        corpora::corpus("small", Scale::Smoke, corpora::USUAL_SEED).expect("it is the first");
    count_findings("usual", usual.wire);
    strangers().into_iter().for_each(|wire| count_findings(wire.name, wire.bytes));
    for (name, frame) in long_ids() {
        assert!(work(|| Message::parse(black_box(frame.as_bytes()), &profile()).is_ok()));
        println!("parse\t{name}\t{}", frame.len());
        observe(&frame);
        println!("observe\t{name}\t{}", frame.len());
    }
}

fn count_findings(name: &str, mut lines: Vec<u8>) {
    // About half a long line, but at least one line.
    let mut ends = (0..lines.len()).filter(|&at| lines[at] == b'\n');
    let end = ends.find(|&end| end >= LINE / 2).expect("a long line");
    lines.truncate(end + 1);
    assert!(work(|| findings(&lines)) > 0, "there is no message in these lines");
    println!("findings\t{name}\t{}", lines.len());
}

fn profile() -> Profile {
    Revision::V2025_11_25.profile()
}

/// Requests the findings of every message, also within batches, and counts the frames that are messages.
fn findings(wire: &[u8]) -> usize {
    let mut messages = 0;
    for line in black_box(wire).split_inclusive(|&byte| byte == b'\n') {
        let message = report(&Envelope::read(line, &Profile::JSON_RPC));
        if let Ok(Message::Batch(batch)) = message {
            for element in batch.iter() {
                let _ = black_box(report(&element));
            }
        }
        messages += usize::from(message.is_ok());
    }
    messages
}

fn report<'buf>(envelope: &Envelope<'buf>) -> Result<Message<'buf>, Fault<'buf>> {
    envelope.findings(|finding| {
        black_box(finding);
    });
    envelope.message()
}

fn observe(frame: &str) {
    let profile = profile();
    let mut session = Session::new(vec![Slot::EMPTY; SLOTS]);
    for id in 0..SLOTS {
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let message = Message::parse(ping.as_bytes(), &profile).unwrap();
        session.observe(Role::Server, &message, |_| {});
    }
    let message = Message::parse(frame.as_bytes(), &profile).unwrap();
    let event = work(|| session.observe(Role::Client, black_box(&message), |_| {}));
    assert!(!matches!(event, Event::Response { .. }), "no request has this id: {event:?}");
}
