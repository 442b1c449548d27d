//! Machines with vectors: the only module of the crate with `unsafe` code.
//!
//! Calling a function compiled for instructions that not every machine has requires `unsafe`. Each machine is a token
//! that exists only if those instructions are available, so holding one makes the call sound. Loads go through slices.
//!
//! A target has at most one [`Machine`]. On x86-64 it is [detected](detect) at run time. Elsewhere it is used only if the
//! whole crate is compiled for it. Targets whose floats are soft have none, because compilers have no vectors there.

#![allow(unsafe_code, reason = "instructions that not every machine has")]
#![cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused_unsafe, reason = "there, the crate is compiled for them")
)]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod detect;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod find;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod unit;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod words;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(super) use avx2::Avx2 as Machine;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use detect::{set_avx512, set_fast_pext};
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(super) use neon::Neon as Machine;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use simd128::Simd128 as Machine;

/// Other targets have none. This one is never detected.
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
pub(super) use super::one_by_one::OneByOne as Machine;

pub(crate) use unit::Unit;
