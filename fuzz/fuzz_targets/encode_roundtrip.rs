//! Encodes messages made from arbitrary bytes and reads them back.
#![no_main]

#[path = "../../tests/support/checks/encode_roundtrip.rs"]
mod encode_roundtrip;

libfuzzer_sys::fuzz_target!(|input: &[u8]| encode_roundtrip::check(input));
