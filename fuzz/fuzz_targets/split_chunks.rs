//! Splits lines, cut anywhere, with every driver.
#![no_main]

#[path = "../../tests/support/checks/split_chunks.rs"]
mod split_chunks;

libfuzzer_sys::fuzz_target!(|input: &[u8]| split_chunks::check(input));
