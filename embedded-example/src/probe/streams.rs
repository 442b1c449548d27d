//! The calls of the module `stream`: framing and parsing in one.

use super::frames::{CHUNK, LIMIT, show_frame, show_oversized};
use super::messages::{show_fault, show_message};
use super::{Show, Tally, hide};
use tautline::Profile;
use tautline::frame::Assembler;
use tautline::stream::{MessageStream, Messages, Received};

/// Iterates over one whole slice.
#[inline(never)]
pub fn slice(input: &[u8], tally: &mut Tally) {
    for received in Messages::new(input, hide(LIMIT), &Profile::JSON_RPC) {
        show_received(received, tally);
    }
}

/// Pushes chunks.
#[inline(never)]
pub fn pushed(input: &[u8], storage: &mut [u8], tally: &mut Tally) {
    let assembler = Assembler::with_limit(storage, hide(LIMIT));
    let mut stream = MessageStream::without_skimmer(assembler, &Profile::LSP);
    stream.set_profile(&Profile::JSON_RPC);
    for mut chunk in input.chunks(CHUNK) {
        while let Some(received) = stream.next(&mut chunk) {
            show_received(received, tally);
        }
    }
    stream.profile().max_batch().show();
    stream.framing().position().show();
    if let Some(received) = stream.finish() {
        show_received(received, tally);
    }
}

#[inline(never)]
fn show_received(received: Received<'_>, tally: &mut Tally) {
    match received {
        Received::Message { frame, message, .. } => {
            tally.messages += 1;
            show_frame(frame, tally);
            show_message(message);
        }
        Received::Fault { frame, fault, .. } => {
            tally.faults += 1;
            show_frame(frame, tally);
            show_fault(fault);
        }
        Received::Oversized { oversized, fault, .. } => {
            show_oversized(oversized, tally);
            show_fault(fault);
        }
        _ => {}
    }
}
