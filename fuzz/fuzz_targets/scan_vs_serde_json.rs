//! Differential test of the scanner against `serde_json`, on arbitrary bytes.
#![no_main]

#[path = "../../tests/support/checks/scan_vs_serde_json.rs"]
mod scan_vs_serde_json;

libfuzzer_sys::fuzz_target!(|input: &[u8]| scan_vs_serde_json::check(input));
