//! Reads recordings of other tools, damaged in any way.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline_fuzz::sources::check(input));
