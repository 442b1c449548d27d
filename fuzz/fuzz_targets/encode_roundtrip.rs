//! Encodes messages made from arbitrary bytes and reads them back.
#![no_main]

libfuzzer_sys::fuzz_target!(
    |input: &[u8]| tautline_fuzz::support::checks::encode_roundtrip::check(input)
);
