//! The C library: two headers, `include/tautline.h` and `include/tautline_mcp.h`, and a static or a shared library.
//!
//! `abi` has the types of the header. `event`, `batch`, `stream`, `text`, `value`, `reply`, `output` and `writer` do
//! the work in safe Rust, on slices. `export` has the functions of the header and all `unsafe` code: it checks pointers
//! and lengths, and makes slices of them. `session` follows sessions of MCP, for the second header. `header/` is the
//! program that writes the headers.
#![cfg_attr(panic = "abort", no_std)]
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![warn(
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

pub mod abi;
mod batch;
mod double;
mod event;
pub mod export;
mod output;
mod reply;
pub mod session;
mod stream;
mod text;
mod texts;
mod value;
mod writer;

pub use event::number_of as event_number;

/// Stops the program. No function of the library panics, so linked images have neither this nor what leads to it.
#[cfg(panic = "abort")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
