//! Differential test of each back end of the fast scanner against the plain one, on arbitrary bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline::twins::check_some(input));
