//! Conversations of arbitrary messages of both sides.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline_fuzz::support::checks::conversation::check(
    input
));
