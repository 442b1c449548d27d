//! tautline on a Cortex-M3: what the images in `src/bin` share.
//!
//! | image | what it is for |
//! |---|---|
//! | `empty` | the runtime alone: what every image costs before tautline comes in |
//! | `minimal` | the least a server needs: frames, messages under one revision, the reply a fault is owed |
//! | `footprint` | every preset, accessor, fault and way of driving the crate: the most it can cost |
//! | `stack` | the calls of `footprint` under QEMU, on a stack that was painted before |
//!
//! `.ci/footprint` builds them, looks for panics in them and keeps FOOTPRINT.md true.
#![no_std]

pub mod paint;
pub mod probe;

/// Where the panic handler ends.
///
/// The handler itself is folded into whatever calls it. This function keeps its name, so it is in an
/// image exactly if a panic is reachable there, under whatever name the compiler knows that panic.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn panic_reached() -> ! {
    loop {
        probe::Show::show(0_u32);
    }
}
