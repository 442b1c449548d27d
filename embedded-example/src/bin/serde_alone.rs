//! The part of `minimal` that serde-json-core covers alone: lines out of chunks, and a type for requests. It is built
//! and measured, never run.
//!
//! It is not equivalent. Ids are numbers here, since serde-json-core has no type for a number or a string. Params are
//! skipped, and text with escapes is refused. For a faulty line it reports neither the error, nor the id, nor whether
//! a reply is due.
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
