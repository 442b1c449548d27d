//! The inputs, and the piece of work whose instructions are counted.

use std::hint::black_box;

pub use benches::corpora;

/// Does a piece of work. Its instructions are counted from the end of `ready` to the end of `worked`, to which
/// `xtask/src/callgrind.rs` refers by name. Work done before the call, such as generating the input, is not counted.
pub fn work<T>(work: impl FnOnce() -> T) -> T {
    ready();
    worked(work)
}

#[inline(never)]
fn ready() {
    black_box(());
}

#[inline(never)]
fn worked<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}
