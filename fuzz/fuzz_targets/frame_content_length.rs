//! Reads frames with `Content-Length` headers, cut anywhere, with every driver.
#![no_main]

#[path = "../../tests/support/checks/frame_content_length.rs"]
mod frame_content_length;

libfuzzer_sys::fuzz_target!(|input: &[u8]| frame_content_length::check(input));
