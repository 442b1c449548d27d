//! Differential test of the scanner against `serde_json`, on arbitrary bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    tautline_fuzz::support::checks::scan_vs_serde_json::check(input)
});
