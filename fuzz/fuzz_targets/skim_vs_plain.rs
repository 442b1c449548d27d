//! Differential test of the skimmer against the scanner, on arbitrary frames, cut anywhere.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tautline_fuzz::support::checks::skim_vs_plain::check(
    input
));
