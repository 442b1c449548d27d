//! Any bytes through each back end of the fast scanner, and through the plain one.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline::twins::check_some(input));
