//! An MCP server on a Cortex-M3, and what tautline costs there. README.md says how to run it.
//!
//! The server:
//!
//! | file | what is in it | who ports it |
//! |---|---|---|
//! | `main.rs` | the loop: bytes in, bytes out | changes the runtime's `entry` |
//! | `pausing.rs` | why a line that never ends does no harm | changes nothing |
//! | `server.rs` | the protocol | changes nothing |
//! | `tools.rs` | what the board can do, and what that asks of a board | puts other tools in |
//! | `board.rs` | the registers of this board, its interrupts, its log | writes it anew |
//! | `host.rs` | no board, for the examples and tests | changes nothing |
//!
//! The images in `src/bin` are for measuring:
//!
//! | image | what it is for |
//! |---|---|
//! | `empty` | the runtime alone: what every image costs before tautline comes in |
//! | `minimal` | the least a server needs: frames, messages under one revision, the reply a fault is owed |
//! | `serde-alone` | what can be done of that by serde-json-core alone |
//! | `answering` | `minimal`, and an endpoint that answers |
//! | `footprint` | every preset, accessor, fault and way of driving the crate: the most it can cost |
//! | `stack` | the calls of `footprint` under QEMU, on a stack that was painted before |
//!
//! `.ci/footprint` builds them, looks for panics in them and keeps FOOTPRINT.md true.
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

/// Where the panic handler ends.
///
/// The handler itself is folded into whatever calls it. This function keeps its name, so it is in an
/// image exactly if a panic is reachable there, under whatever name the compiler knows that panic.
#[cfg(target_os = "none")]
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn panic_reached() -> ! {
    loop {
        probe::Show::show(0_u32);
    }
}
