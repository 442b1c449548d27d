//! Sixty-four bytes at a time, a bit for each: what kernels know of a block once something has said
//! where in it the bytes of each kind are.
//!
//! Blocks follow each other at a fixed distance wherever that can be had, so that the next one can be
//! loaded before this one is understood.

#[cfg(any(test, feature = "simd"))]
mod characters;
mod numbers;
#[cfg(test)]
pub(super) mod one_by_one;
#[cfg(any(test, feature = "simd"))]
mod strings;

#[cfg(any(test, feature = "simd"))]
pub(super) use characters::{RareUnits, Units};
pub(super) use numbers::{Carry, Decimals, Numbers};
#[cfg(any(test, feature = "simd"))]
pub(super) use strings::Text;

/// How many bytes are in a block.
pub(super) const BLOCK: usize = 64;
