//! Reads server-sent events, cut anywhere, with every driver.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline_fuzz::support::checks::frame_sse::check(input));
