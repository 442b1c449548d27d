//! Reads frames with `Content-Length` headers, cut anywhere, with every driver.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    tautline_fuzz::support::checks::frame_content_length::check(input)
});
