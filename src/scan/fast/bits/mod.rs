//! Bit masks over blocks of sixty-four bytes, one bit per byte: the logic of the kernels, once each class of
//! byte has been located.
//!
//! Blocks are a fixed distance apart wherever possible, so that the next one can be loaded before this one is
//! evaluated.

mod numbers;
#[cfg(test)]
pub(super) mod one_by_one;
#[cfg(any(test, feature = "simd"))]
mod strings;

pub(super) use numbers::{Carry, Decimals, Numbers};
#[cfg(any(test, feature = "simd"))]
pub(super) use strings::{Delimiters, Strings, escaped};

/// The number of bytes in a block.
pub(super) const BLOCK: usize = 64;

/// The prefetch distance in bytes. Without prefetching, a scan over text waits for memory at each step.
pub(super) const AHEAD: usize = 2048;
