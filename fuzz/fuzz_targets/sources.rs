//! Reads recordings of other tools, damaged in any way.
#![no_main]

#[path = "../../audit/tests/support/sources.rs"]
mod sources;

libfuzzer_sys::fuzz_target!(|input: &[u8]| sources::check(input));
