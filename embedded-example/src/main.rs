//! The server on its board: reads requests from the UART and writes the replies.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use embedded_io::Write;
use tautline::frame::FrameBuffer;
use tautline::io::embedded::MessageReader;
use tautline_embedded_example::board::{self, Peripherals};
use tautline_embedded_example::pausing::Pausing;
use tautline_embedded_example::server::{LONGEST_FRAME, LONGEST_REPLY, PROFILE, Server};

/// In bytes: a line buffer also holds the line end.
const LINE_END: usize = 2;

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut FRAME: [u8; LONGEST_FRAME + LINE_END] = [0; LONGEST_FRAME + LINE_END];
    static mut REPLY: [u8; LONGEST_REPLY] = [0; LONGEST_REPLY];

    let Peripherals { receiver, mut sender, board } = board::start();
    // Keeps the id of a line that exceeds the buffer, so that the error reply carries it.
    let buffer = FrameBuffer::new(&mut FRAME[..]);
    let mut reader = MessageReader::new(Pausing::new(receiver), buffer, &PROFILE);
    let mut server = Server::new(board);
    loop {
        // An error means that nothing has arrived for a while.
        if let Ok(Some(received)) = &reader.next() {
            send(&mut sender, server.receive(received, REPLY));
        }
        send(&mut sender, server.tick(REPLY));
    }
}

/// Like the writer's own `write_all`, but without its panic if a writer accepts no bytes.
fn send(sender: &mut impl Write, mut lines: &[u8]) {
    while !lines.is_empty() {
        match sender.write(lines) {
            Ok(taken) => lines = lines.get(taken..).unwrap_or_default(),
            Err(_) => return,
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
