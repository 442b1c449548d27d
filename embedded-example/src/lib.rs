//! An MCP server on a Cortex-M3, and the cost of tautline there. See README.md for how to run it.
//!
//! The server:
//!
//! | file | contents | to port it |
//! |---|---|---|
//! | `main.rs` | the loop: bytes in, bytes out | change the runtime's `entry` |
//! | `pausing.rs` | keeps an endless line from blocking the loop | no change |
//! | `server.rs` | the protocol | no change |
//! | `tools.rs` | the tools, and what they require of a board | replace the tools |
//! | `board.rs` | the registers, interrupts and log of this board | rewrite |
//! | `host.rs` | a simulated board for the examples and tests | no change |
//!
//! The images in `src/bin` are for measuring:
//!
//! | image | purpose |
//! |---|---|
//! | `empty` | the runtime alone: the cost of every image without tautline |
//! | `minimal` | the least a server needs: frames, messages of one revision, error replies |
//! | `serde-alone` | the part of `minimal` that serde-json-core covers alone |
//! | `answering` | `minimal`, and an endpoint that answers |
//! | `footprint` | every preset, accessor, fault and driver: the maximum cost |
//! | `stack` | the calls of `footprint` under QEMU, on a painted stack |
//!
//! `cargo xtask gate footprint` builds them, checks them for panics and keeps FOOTPRINT.md up to date.
#![cfg_attr(not(test), no_std)]

#[cfg(all(feature = "board", target_os = "none"))]
pub mod board;
#[cfg(all(feature = "server", not(target_os = "none")))]
pub mod host;
#[cfg(target_os = "none")]
pub mod paint;
#[cfg(feature = "server")]
pub mod pausing;
#[cfg(target_os = "none")]
pub mod probe;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod tools;

/// The function that every panic ends in.
///
/// The handler itself is inlined into its callers. This function keeps its name, so it is in an image exactly if a
/// panic is reachable there, whatever that panic is called.
#[cfg(target_os = "none")]
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn panic_reached() -> ! {
    loop {
        probe::Show::show(0_u32);
    }
}
