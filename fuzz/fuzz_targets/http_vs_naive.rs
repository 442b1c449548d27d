//! Differential test of the rules of HTTP against a naive judge.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline_fuzz::support::checks::http_vs_naive::check(
    input
));
