//! Differential test of the skimmer against the scanner, on arbitrary frames, cut anywhere.
#![no_main]

#[path = "../../tests/support/checks/skim_vs_plain.rs"]
mod skim_vs_plain;

libfuzzer_sys::fuzz_target!(|input: &[u8]| skim_vs_plain::check(input));
