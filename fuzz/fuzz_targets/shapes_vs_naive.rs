//! Differential test of the validation of payloads against a naive walker.
#![no_main]

#[path = "../../tests/support/checks/shapes_vs_naive.rs"]
mod shapes_vs_naive;

libfuzzer_sys::fuzz_target!(|input: &[u8]| shapes_vs_naive::check(input));
