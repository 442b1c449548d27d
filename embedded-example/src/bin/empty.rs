//! The baseline: the contents of `footprint` without tautline. The difference is the cost of tautline.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use tautline_embedded_example::probe::{STORAGE, Show, hide, inputs};

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];
    let input: &[u8] = hide(inputs::PLAIN);
    input.show();
    (&*BYTES).as_slice().show();
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
