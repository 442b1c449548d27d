//! The shared part of the benchmarks: their inputs, and the parser that all others are compared with.

pub mod baseline;
pub mod corpora;
