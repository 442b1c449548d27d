//! The least that a server needs: frames out of chunks, messages under one revision of MCP, and the
//! reply that a fault is owed. Built and measured, and never run.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use tautline::stream::{MessageStream, Received};
use tautline::{Id, Message, Revision};
use tautline_embedded_example::probe::{STORAGE, Show, hide, inputs};

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];

    let mut stream = MessageStream::new(&mut BYTES[..], &Revision::LATEST.rules());
    loop {
        let mut chunk: &[u8] = hide(inputs::PLAIN);
        while let Some(received) = stream.next(&mut chunk) {
            match received {
                Received::Message { message: Message::Request(request), .. } => {
                    (request.method() == *"ping").show();
                    request.params().map(|params| params.as_bytes().show());
                    match request.id() {
                        Id::String(text) => text.as_bytes().show(),
                        Id::Number(number) => number.as_bytes().show(),
                        Id::Null => 0_u32.show(),
                    }
                }
                Received::Fault { frame, fault } => {
                    if let Some(reply) = fault.reply() {
                        reply.code().value().show();
                        reply.id_in(frame.bytes()).show();
                    }
                }
                Received::Oversized { fault, .. } => {
                    fault.reply().map(|reply| reply.code().value().show());
                }
                _ => {}
            }
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
