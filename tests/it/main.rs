//! The contracts of the core, each in a module of its own. Those of the wire are in `tests/wire`.

mod behaviour;
#[cfg(feature = "alloc")]
mod client;
#[cfg(feature = "tokio-util-v0_7")]
mod codec;
mod concatenated;
mod content_length;
#[cfg(all(feature = "serde-json-core-v0_7", feature = "heapless-v0_9"))]
mod core_json;
mod debug;
#[cfg(feature = "defmt")]
mod defmt;
#[cfg(feature = "alloc")]
mod encoding;
#[cfg(feature = "std")]
mod endpoint;
mod envelope_table;
#[cfg(feature = "std")]
mod examples;
mod findings;
mod forwarded;
#[cfg(feature = "std")]
mod framed_writers;
#[cfg(feature = "alloc")]
mod fuzz_replay;
mod giant;
#[cfg(feature = "alloc")]
mod growing;
#[cfg(feature = "heapless-v0_9")]
mod heapless_storage;
#[cfg(feature = "alloc")]
mod hostile;
#[cfg(feature = "std")]
mod io;
#[cfg(feature = "embedded-io-async-v0_7")]
mod io_embedded;
mod jsonrpc_spec;
mod line_breaks;
mod message_buf;
mod no_alloc;
mod no_alloc_framings;
#[cfg(feature = "serde_json")]
mod owned;
mod payloads;
#[cfg(feature = "serde")]
mod serialize;
mod server_sent_events;
mod severities;
#[cfg(feature = "alloc")]
mod skimming;
mod strict;
#[cfg_attr(
    not(feature = "std"),
    allow(dead_code, reason = "each feature has tests that need a part of it")
)]
#[path = "../support/mod.rs"]
mod support;
mod traits;
#[cfg(feature = "serde_json")]
mod typed;

/// It counts for each thread, and so for each test.
#[global_allocator]
static ALLOCATOR: support::allocator::Counting = support::allocator::Counting;
