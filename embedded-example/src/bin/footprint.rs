//! The whole core, linked: every preset, accessor, fault and driver.
//!
//! No panic may be reachable in this image, which `cargo xtask gate footprint` checks. It is built and measured, never
//! run.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use tautline_embedded_example::probe::{self, STORAGE, hide, inputs};

#[cortex_m_rt::entry]
fn main() -> ! {
    // cortex-m-rt lends a static of `main` as `&'static mut`, since `main` is entered once.
    static mut BYTES: [u8; STORAGE] = [0; STORAGE];
    let input: &[u8] = hide(inputs::PLAIN);
    probe::everything(input, BYTES);

    #[cfg(feature = "negative-control")]
    probe::Show::show(input[hide(0_usize)]);

    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    tautline_embedded_example::panic_reached()
}
