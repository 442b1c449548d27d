//! Reads server-sent events, cut anywhere, with every driver.
#![no_main]

#[path = "../../tests/support/checks/frame_sse.rs"]
mod frame_sse;

libfuzzer_sys::fuzz_target!(|input: &[u8]| frame_sse::check(input));
