//! As much of `minimal` as serde-json-core does by itself: lines out of chunks, and a type for requests. Built and
//! measured, and never run.
//!
//! It is no equal. An id is a number here, since one that is a number or a string is not a type to serde-json-core;
//! params are skipped; what is wrong with a line is not known, nor the id of a faulty one, nor whether silence is
//! owed; and text with escapes is refused.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use serde::Deserialize;
use tautline_embedded_example::probe::{STORAGE, Show, hide, inputs};

#[derive(Deserialize)]
struct Request<'a> {
    jsonrpc: &'a str,
    id: u32,
    method: &'a str,
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];

    let mut filled = 0;
    loop {
        let chunk: &[u8] = hide(inputs::PLAIN);
        for &byte in chunk {
            if byte != b'\n' {
                if let Some(place) = BYTES.get_mut(filled) {
                    *place = byte;
                }
                filled += 1;
                continue;
            }
            let line = BYTES.get(..filled).unwrap_or_default();
            filled = 0;
            match serde_json_core::from_slice::<Request<'_>>(line) {
                Ok((request, _)) if request.jsonrpc == "2.0" => {
                    (request.method == "ping").show();
                    request.id.show();
                }
                _ => (-32600_i32).cast_unsigned().show(),
            }
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
