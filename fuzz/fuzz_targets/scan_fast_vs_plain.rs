#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline::twins::check_some(input));
