//! The calls of the module `frame`: all four ways to drive it.

use super::{Show, Tally, hide};
use tautline::frame::{
    Assembler, Ended, Found, Frame, FrameBuffer, FrameEvent, Frames, Framing, Oversized, Splitter,
};

/// The limit on frames, unless it is the size of the storage.
pub const LIMIT: u32 = 512;

/// The length of the chunks of a stream: short enough that frames span them.
pub const CHUNK: usize = 48;

/// The storage inside a driver, kept small because it lies on the stack.
const SMALL: usize = 32;

/// Iterates over one whole slice.
#[inline(never)]
pub fn slice(input: &[u8], tally: &mut Tally) {
    let mut frames = Frames::new(input, hide(LIMIT));
    for event in &mut frames {
        show_event(event, tally);
    }
    frames.blank_lines().show();
}

/// Pushes chunks into borrowed storage.
#[inline(never)]
pub fn pushed(input: &[u8], storage: &mut [u8], tally: &mut Tally) {
    let mut assembler = Assembler::with_limit(storage, hide(LIMIT));
    for mut chunk in input.chunks(CHUNK) {
        while let Some(event) = assembler.next(&mut chunk) {
            show_event(event, tally);
        }
    }
    show_splitter(assembler.framing());
    if let Some(event) = assembler.finish() {
        show_event(event, tally);
    }
}

/// Pushes chunks into the assembler's own storage.
#[inline(never)]
pub fn pushed_inside(input: &[u8], tally: &mut Tally) {
    let mut assembler = Assembler::new([0; SMALL]);
    for mut chunk in input.chunks(CHUNK) {
        while let Some(event) = assembler.next(&mut chunk) {
            show_event(event, tally);
        }
    }
    if let Some(event) = assembler.finish() {
        show_event(event, tally);
    }
}

/// Fills spare room in borrowed storage.
#[inline(never)]
pub fn filled(input: &[u8], storage: &mut [u8], tally: &mut Tally) {
    let mut buffer = FrameBuffer::with_limit(storage, hide(LIMIT));
    let mut unread = input;
    while let read @ 1.. = read(&mut unread, buffer.spare()) {
        buffer.commit(read);
        while let Some(event) = buffer.next() {
            show_event(event, tally);
        }
    }
    show_splitter(buffer.framing());
    if let Some(event) = buffer.finish() {
        show_event(event, tally);
    }
}

/// Fills spare room in the buffer's own storage.
#[inline(never)]
pub fn filled_inside(input: &[u8], tally: &mut Tally) {
    let mut buffer = FrameBuffer::new([0; SMALL]);
    let mut unread = input;
    while let read @ 1.. = read(&mut unread, buffer.spare()) {
        buffer.commit(read);
        while let Some(event) = buffer.next() {
            show_event(event, tally);
        }
    }
    if let Some(event) = buffer.finish() {
        show_event(event, tally);
    }
}

/// Splits lines, with the caller keeping the bytes.
#[inline(never)]
pub fn split(mut input: &[u8], tally: &mut Tally) {
    let mut splitter = Splitter::new(hide(LIMIT));
    loop {
        let step = splitter.step(input);
        if !show_found(step.found, input, tally) {
            break;
        }
        show_ended(splitter.ended());
        input = input.get(step.consumed..).unwrap_or_default();
    }
    while show_found(splitter.finish(), b"", tally) {}
    show_splitter(&splitter);
}

/// Moves received bytes into the spare room, like the driver of a serial line.
fn read(from: &mut &[u8], to: &mut [u8]) -> usize {
    let mut read = 0;
    for (to, from) in to.iter_mut().zip(from.iter().take(CHUNK)) {
        *to = *from;
        read += 1;
    }
    *from = from.get(read..).unwrap_or_default();
    read
}

fn show_event(event: FrameEvent<'_>, tally: &mut Tally) {
    match event {
        FrameEvent::Frame(frame) => show_frame(frame, tally),
        FrameEvent::Oversized(oversized) => show_oversized(oversized, tally),
        _ => {}
    }
}

fn show_found(found: Found, input: &[u8], tally: &mut Tally) -> bool {
    match found {
        Found::Frame(piece) => {
            tally.frames += 1;
            piece.bytes(input).show();
        }
        Found::Oversized => tally.oversized += 1,
        Found::Keep(piece) | Found::Discard(piece) => piece.bytes(input).show(),
        Found::NeedMore => return false,
        _ => {}
    }
    true
}

#[inline(never)]
pub fn show_frame(frame: Frame<'_>, tally: &mut Tally) {
    tally.frames += 1;
    frame.bytes().show();
    frame.offset().show();
    frame.line().show();
    frame.is_terminated().show();
}

#[inline(never)]
pub fn show_oversized(oversized: Oversized, tally: &mut Tally) {
    tally.oversized += 1;
    oversized.offset().show();
    oversized.line().show();
    oversized.length().show();
    oversized.limit().show();
    oversized.is_terminated().show();
}

#[inline(never)]
fn show_ended(ended: Ended) {
    ended.offset.show();
    ended.length.show();
    ended.line.show();
    ended.terminated.show();
}

#[inline(never)]
fn show_splitter(splitter: &Splitter) {
    splitter.limit().show();
    splitter.position().show();
    splitter.line_start().show();
    splitter.line().show();
    splitter.blank_lines().show();
}
