//! Does the work that a hostile message asks for, so that the instructions can be counted.
//!
//! Usage: hostile <list|findings|parse|observe> [name]
//!
//! - `list`: prints the names for the other commands, each after its command.
//! - `findings`: requests every finding of some lines, and prints the length of the lines in bytes.
//! - `parse`: parses a message that refers to a request by a number of 4 MB.
//! - `observe`: shows the same message, already parsed, to a session with 1,024 requests in flight.

#[path = "../../../../benches/corpora/mod.rs"]
mod corpora;

use std::env;
use std::hint::black_box;
use std::process::ExitCode;

use corpora::Scale;
use corpora::hostile::{LINE, long_ids, strangers};
use tautline::mcp::Role;
use tautline::session::{Event, Session, Slot};
use tautline::{Envelope, Fault, Message, Revision, Rules};

/// The name of the lines that the others are compared to.
const USUAL: &str = "usual";
/// The number of requests in flight.
const SLOTS: usize = 1024;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["list"] => {
            println!("findings {USUAL}");
            strangers().iter().for_each(|wire| println!("findings {}", wire.name));
            long_ids().iter().for_each(|(name, _)| println!("observe {name}"));
        }
        ["findings", name] => {
            let wire = lines(name);
            let messages = work(|| findings(&wire));
            assert!(messages > 0, "there is no message in these lines");
            println!("{}", wire.len());
        }
        ["parse", name] => {
            let frame = frame(name);
            assert!(work(|| Message::parse(black_box(frame.as_bytes()), &rules()).is_ok()));
        }
        ["observe", name] => observe(&frame(name)),
        _ => {
            eprintln!("usage: hostile <list|findings|parse|observe> [name]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The instructions are counted from the beginning to the end of this function. `run` refers to it by name.
#[inline(never)]
fn work<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn rules() -> Rules {
    Revision::V2025_11_25.rules()
}

/// Returns about half a long line of these inputs, but at least one line.
fn lines(name: &str) -> Vec<u8> {
    let mut bytes = match name {
        USUAL => corpora::corpus("small", Scale::Smoke).expect("it is the first").wire,
        name => strangers().into_iter().find(|wire| wire.name == name).expect("a name").bytes,
    };
    let mut ends = (0..bytes.len()).filter(|&at| bytes[at] == b'\n');
    let end = ends.find(|&end| end >= LINE / 2).expect("a long line");
    bytes.truncate(end + 1);
    bytes
}

fn frame(name: &str) -> String {
    long_ids().into_iter().find(|(other, _)| *other == name).expect("a name").1
}

/// Requests the findings of every message, also within batches, and counts the frames that are messages.
fn findings(wire: &[u8]) -> usize {
    let mut messages = 0;
    for line in black_box(wire).split_inclusive(|&byte| byte == b'\n') {
        let message = report(&Envelope::read(line, &Rules::JSON_RPC));
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
    let rules = rules();
    let mut session = Session::new(vec![Slot::EMPTY; SLOTS]);
    for id in 0..SLOTS {
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let message = Message::parse(ping.as_bytes(), &rules).unwrap();
        session.observe(Role::Server, &message, |_| {});
    }
    let message = Message::parse(frame.as_bytes(), &rules).unwrap();
    let event = work(|| session.observe(Role::Client, black_box(&message), |_| {}));
    assert!(!matches!(event, Event::Response { .. }), "no request has this id: {event:?}");
}
