//! The contracts of the crate, each in a module of its own.

#[cfg(feature = "alloc")]
mod causes;
#[cfg(all(feature = "alloc", feature = "shapes"))]
mod conversation;
#[cfg(feature = "defmt")]
mod defmt;
#[cfg(all(feature = "alloc", feature = "shapes"))]
mod fuzz_replay;
#[cfg(all(feature = "std", feature = "shapes"))]
mod gateway;
#[cfg(feature = "alloc")]
mod hostile_session;
mod http;
#[cfg(feature = "alloc")]
mod ledger;
#[cfg(feature = "std")]
mod mcp_server;
mod mcp_tables;
mod mcp_views;
mod no_alloc_mcp;
#[cfg(feature = "alloc")]
mod references;
#[cfg(feature = "alloc")]
mod refusals;
#[cfg(all(feature = "std", feature = "shapes", feature = "serde"))]
mod requirements;
mod session_calls;
mod session_dialogues;
mod session_endpoint;
mod session_eras;
mod session_lifecycle;
mod session_model;
mod session_requests;
mod session_severities;
mod session_versions;
#[cfg(all(feature = "std", feature = "shapes"))]
mod shapes;
mod silence;
#[allow(
    dead_code,
    unexpected_cfgs,
    unused_imports,
    reason = "these tests need a part of it, and some of its features are the core's alone"
)]
#[path = "../support/mod.rs"]
mod support;
mod traits;

/// It counts for each thread, and so for each test.
#[global_allocator]
static ALLOCATOR: support::allocator::Counting = support::allocator::Counting;
