//! The properties that the targets check. They are shared with the tests, which replay what the fuzzer finds.

#[path = "../../audit/tests/support/sources.rs"]
pub mod sources;
#[path = "../../mcp/tests/support/mod.rs"]
pub mod support;
