//! What the benchmarks share: their inputs, and the parser that all others are compared with.

pub mod baseline;
pub mod corpora;
