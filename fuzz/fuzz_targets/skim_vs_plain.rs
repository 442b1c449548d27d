//! Any frame through the skimmer, in any cuts, and through the scanner.
#![no_main]

#[path = "../../tests/support/checks/skim_vs_plain.rs"]
mod skim_vs_plain;

libfuzzer_sys::fuzz_target!(|input: &[u8]| skim_vs_plain::check(input));
