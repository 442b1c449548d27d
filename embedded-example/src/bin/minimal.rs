//! The least that a server needs: frames out of chunks, messages under one revision of MCP, and the
//! reply that a fault is owed. Built and measured, and never run.
#![no_std]
#![no_main]

use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use tautline::frame::{Assembler, FrameEvent};
use tautline::{Fault, Id, Message, Request, Revision, Rules};
use tautline_embedded_example::probe::{STORAGE, Show, hide, inputs};

type Lines = Assembler<&'static mut [u8]>;

static RULES: Rules = Revision::LATEST.rules();

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];
    static mut LINES: MaybeUninit<Lines> = MaybeUninit::uninit();

    let lines = LINES.write(Assembler::new(BYTES));
    loop {
        let mut chunk: &[u8] = hide(inputs::PLAIN);
        while let Some(frame) = take(lines, &mut chunk) {
            frame.map(judge);
        }
    }
}

/// Takes the next frame off the input; of one over the limit, which is refused, there is nothing to be had.
///
/// In a function of its own, so that what it needs is off the stack when the frame is judged.
#[inline(never)]
fn take<'a, 'input: 'a>(
    lines: &'a mut Lines,
    chunk: &mut &'input [u8],
) -> Option<Option<&'a [u8]>> {
    Some(match lines.next(chunk)? {
        FrameEvent::Frame(frame) => Some(frame.bytes()),
        FrameEvent::Oversized(oversized) => {
            refuse(&Fault::of_oversized(&oversized, &RULES), b"");
            None
        }
        _ => None,
    })
}

/// Takes a frame for the message that it is.
#[inline(always)]
fn judge(frame: &[u8]) {
    match Message::parse_line(frame, &RULES) {
        Ok(Message::Request(request)) => take_request(&request),
        Ok(_) => {}
        Err(fault) => refuse(&fault, frame),
    }
}

/// Looks at all of a request. In a function of its own, as [`take`]: its views are not there yet when the frame is
/// parsed.
#[inline(never)]
fn take_request(request: &Request<'_>) {
    (request.method() == *"ping").show();
    request.params().map(|params| params.as_bytes().show());
    match request.id() {
        Id::String(text) => text.as_bytes().show(),
        Id::Number(number) => number.as_bytes().show(),
        Id::Null => 0_u32.show(),
    }
}

/// Gives the reply that the fault is owed.
#[inline(never)]
fn refuse(fault: &Fault, frame: &[u8]) {
    if let Some(reply) = fault.reply() {
        reply.code().value().show();
        reply.id_in(frame).show();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
