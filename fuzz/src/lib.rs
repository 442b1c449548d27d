//! The properties that the targets check: those of the tests, which replay what the fuzzer finds.

#[path = "../../audit/tests/support/sources.rs"]
pub mod sources;
#[path = "../../tests/support/mod.rs"]
pub mod support;
