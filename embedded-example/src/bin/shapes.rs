//! The image `minimal`, and the shapes of one revision: each payload is validated. It is built and measured, never run.
#![no_std]
#![no_main]

use core::mem::MaybeUninit;
use core::panic::PanicInfo;

use tautline::frame::{Assembler, Frame, FrameEvent};
use tautline::{Fault, Id, Message, Profile, Request};
use tautline_embedded_example::probe::{STORAGE, Show, hide, inputs};
use tautline_mcp::shape::Shapes;
use tautline_mcp::{KnownMethod, Revision};

type Lines = Assembler<&'static mut [u8]>;

static PROFILE: Profile = Revision::LATEST.profile();

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

/// Takes the next frame off the input. An oversized frame is refused without its contents.
///
/// In a function of its own, so that its variables are off the stack when the frame is validated.
#[inline(never)]
fn take<'a, 'input: 'a>(
    lines: &'a mut Lines,
    chunk: &mut &'input [u8],
) -> Option<Option<&'a [u8]>> {
    Some(match lines.next(chunk)? {
        FrameEvent::Frame(frame) => Some(frame.bytes()),
        FrameEvent::Oversized(oversized) => {
            refuse(&Fault::of_oversized(&oversized, &PROFILE));
            None
        }
        _ => None,
    })
}

/// Parses and handles a frame.
#[inline(always)]
fn judge(frame: &[u8]) {
    match Message::parse(Frame::from_line(frame), &PROFILE) {
        Ok(message) => {
            validate(&message);
            if let Message::Request(request) = message {
                take_request(&request);
            }
        }
        Err(fault) => refuse(&fault),
    }
}

/// Validates the payload of a message, which may answer any request.
#[inline(never)]
fn validate(message: &Message<'_>) {
    let answered = hide(Some(KnownMethod::ToolsList));
    Shapes::of(Revision::LATEST).check(message, answered, |finding| {
        u32::from(finding.rule().number()).show();
        finding.offset().unwrap_or_default().show();
    });
}

/// Reads every part of a request. In a function of its own, like [`take`]: its views are not on the stack yet when
/// the frame is parsed.
#[inline(never)]
fn take_request(request: &Request<'_>) {
    (request.method() == *"ping").show();
    request.params().map(|params| params.as_bytes().show());
    match request.id() {
        Id::String(text) => text.escaped_bytes().show(),
        Id::Number(number) => number.as_bytes().show(),
        Id::Null => 0_u32.show(),
    }
}

/// Writes the error reply for the fault.
#[inline(never)]
fn refuse(fault: &Fault<'_>) {
    if let Some(reply) = fault.reply() {
        reply.code().value().show();
        reply.raw_id().map(|id| id.as_bytes()).show();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
