//! Reads JSON values back to back, cut anywhere, with every driver.
#![no_main]

#[path = "../../tests/support/checks/frame_concatenated.rs"]
mod frame_concatenated;

libfuzzer_sys::fuzz_target!(|input: &[u8]| frame_concatenated::check(input));
