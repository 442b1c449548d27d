//! Conversations of arbitrary messages of both sides.
#![no_main]

#[path = "../../tests/support/checks/conversation.rs"]
mod conversation;

libfuzzer_sys::fuzz_target!(|input: &[u8]| conversation::check(input));
