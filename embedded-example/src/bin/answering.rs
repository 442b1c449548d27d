//! The additions of a server to `minimal`: an endpoint with three methods, and the encoding of their answers. It
//! is built and measured, never run.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use tautline::encode::{array, object};
use tautline::endpoint::{Endpoint, Failure, Method, Responded, Responder};
use tautline::frame::Assembler;
use tautline::stream::MessageStream;
use tautline::{Call, Profile};
use tautline_embedded_example::probe::{STORAGE, Show, hide, inputs};

const METHODS: &[Method<i64>] = &[
    Method::new("add", add),
    Method::new("echo", |_, call, responder| Ok(responder.result(call.params()))),
    Method::new("read", read),
];

fn add(
    total: &mut i64,
    call: &Call<'_>,
    responder: Responder<'_, '_>,
) -> Result<Responded, Failure> {
    let number = call.param(0, "number")?;
    *total = total.checked_add(number).ok_or(Failure::INVALID_PARAMS)?;
    Ok(responder.result(*total))
}

fn read(total: &mut i64, _: &Call<'_>, responder: Responder<'_, '_>) -> Result<Responded, Failure> {
    Ok(responder.result(object(|result| {
        result.member("unit", "°C");
        result.member("readings", array(|readings| readings.element(*total)));
    })))
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];
    static mut ROOM: [u8; STORAGE] = [0; STORAGE];

    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
    let mut stream =
        MessageStream::without_skimmer(Assembler::new(&mut BYTES[..]), endpoint.profile());
    let mut total = 0;
    loop {
        let mut chunk: &[u8] = hide(inputs::PLAIN);
        while let Some(ref received) = stream.next(&mut chunk) {
            match endpoint.answer(received, &mut total, ROOM) {
                Ok(reply) => reply.bytes().show(),
                Err(_) => 0_u32.show(),
            }
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
