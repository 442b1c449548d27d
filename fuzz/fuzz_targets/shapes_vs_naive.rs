//! Differential test of the validation of payloads against a naive walker.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline_fuzz::support::checks::shapes_vs_naive::check(
    input
));
