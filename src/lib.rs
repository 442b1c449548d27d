//! Zero-copy, allocation-free framing and validation for JSON-RPC 2.0 and the Model Context Protocol.
//!
//! tautline takes bytes as they arrive and splits them into frames. It validates each frame in one pass,
//! without building a tree, and returns either its message or its fault: the rule, the byte offset, the id if
//! it can be known, and the error reply that the sender must get.
//!
//! ```
//! use tautline::{Message, Rules};
//!
//! let rules = Rules::JSON_RPC;
//! let line = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
//! let Ok(Message::Request(request)) = Message::parse_line(line, &rules) else { panic!() };
//! assert_eq!(request.method(), "subtract");
//! assert_eq!(request.id().to_string(), "1");
//!
//! // A request with an invalid id is a fault that gets an error reply. It is not a notification.
//! let line = br#"{"jsonrpc":"2.0","method":"subtract","id":{}}"#;
//! let fault = Message::parse_line(line, &rules).unwrap_err();
//! assert_eq!(fault.rule().name(), "id-type");
//! assert_eq!(fault.offset(), 42);
//! assert_eq!(fault.reply().unwrap().code().value(), -32600);
//! ```
//!
//! The [guide](guide/index.html) has a short program for each task: read, answer, ask, validate, firmware, gateways and migration.
//!
//! # Modules
//!
//! There is one module for each stage, in this order. A stage depends only on the stages before it.
//!
//! | module | takes | gives |
//! |---|---|---|
//! | [`frame`] | chunks of bytes | [`Frame`](frame::Frame)s: one line each, within a limit |
//! | [`scan`] | one frame | a verdict on its syntax: RFC 8259, UTF-8, depth |
//! | [`json`] | validated text | [`RawJson`], [`RawStr`], [`RawNumber`]: views that decode lazily |
//! | [`rule`] | nothing | the table of rules, their severities, and error codes |
//! | [`envelope`] | one frame and the [`Rules`] | a [`Message`], or the [`Fault`] and its error reply |
//! | [`mcp`] | nothing | the additions of each MCP revision to the rules, as data |
//! | `shape` | a message and the shapes of a revision | what is wrong with its payload |
//! | [`session`] | messages with their direction | the meaning of each in its session |
//! | [`encode`] | the parts of a message | its bytes, on one line |
//! | [`endpoint`] | a frame and methods | the bytes of the reply |
//! | [`stream`] | chunks of bytes and the [`Rules`] | the next message or fault of a stream |
//! | [`client`] | messages and faults of a stream | the request that each one answers, even if the response is broken |
//!
//! Adapters move bytes and types, and add no rules. `io` has readers and writers for `std::io`, `embedded_io`
//! and `embedded_io_async`. `codec` has a codec for tokio. `owned` has messages that do not borrow from the
//! frame. `RawJson::deserialize` reads payload into types of yours, and `RawJson::deserialize_core` does so
//! without a heap.
//!
//! # Features
//!
//! Without features the crate is `no_std`, uses no heap and depends only on `memchr`. Features are additive
//! and never change a verdict.
//!
//! | feature | adds |
//! |---|---|
//! | `fast` (default) | the fast scanner, with the plain one as its fallback |
//! | `simd` (default) | its kernels for AVX2, NEON and simd128, in the one module with `unsafe` code |
//! | `shapes` (default) | `shape`: payloads of MCP validated against the schema of the revision |
//! | `alloc` | heap support without std: storage that grows (`frame::HeapBuffer`), text decoded to a `Cow`, `Vec` as an output, `String` as payload, owned ids (`owned::Id`), methods registered at run time (`endpoint::Router`) |
//! | `serde` | `serde::Serialize` for messages, their parts and verdicts, without std or a heap; `Deserialize` for names, such as those of rules, and with `alloc` for owned ids |
//! | `serde_json` | payload read into types of yours (`RawJson::deserialize`) and `owned` messages, without std; implies `alloc` and `serde` |
//! | `std` (default) | readers and writers (`io`), `std::io::Write` as an output, payload serialized with serde (`encode::Json`), typed handlers; implies the three features above |
//! | `heapless-v0_9` | its collections as outputs and as storage for frames; with `serde-json-core-v0_7`, also as fields of payload types |
//! | `embedded-io-v0_7` | outputs, readers and writers (`io::embedded`) |
//! | `embedded-io-async-v0_7` | readers and writers (`io::embedded_async`) |
//! | `serde-json-core-v0_7` | payload serialized and deserialized without std or a heap |
//! | `tokio-util-v0_7` | a codec for tokio (`codec`) |
//! | `defmt` | `defmt::Format` for the types one would log |
#![no_std]
#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unnameable_types,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::missing_errors_doc,
    clippy::std_instead_of_core
)]
// The core runs on targets where a panic is a reset and a lossy cast is a security hole.
#![warn(
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    clippy::unwrap_used
)]
// Tests are expected to panic on failure.
#![cfg_attr(
    test,
    allow(
        clippy::as_conversions,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod bytes;
mod cast;
pub mod client;
mod excerpt;
#[cfg(feature = "shapes")]
mod hash;
#[cfg(feature = "defmt")]
mod logging;
#[cfg(feature = "alloc")]
mod memory;
mod name;
mod resemblance;
#[cfg(feature = "serde")]
mod serialize;
mod table;

#[cfg(feature = "tokio-util-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio-util-v0_7")))]
pub mod codec;
#[cfg(all(feature = "alloc", feature = "shapes"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "alloc", feature = "shapes"))))]
pub mod conversation;
pub mod encode;
pub mod endpoint;
pub mod envelope;
pub mod frame;
#[cfg(all(doc, feature = "std"))]
#[doc = include_str!("guide.md")]
pub mod guide {}
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
pub mod io;
pub mod json;
pub mod mcp;
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub mod owned;
pub mod rule;
pub mod scan;
pub mod session;
#[cfg(feature = "shapes")]
#[cfg_attr(docsrs, doc(cfg(feature = "shapes")))]
pub mod shape;
pub mod stream;
#[cfg(all(feature = "std", feature = "fast", any(test, fuzzing)))]
#[doc(hidden)]
pub mod twins;

pub use envelope::{
    Batch, Call, Envelope, ErrorObject, Fault, Id, Message, Notification, Outcome, Reply, Request,
    Response, Rules,
};
pub use json::{RawJson, RawNumber, RawStr};
pub use mcp::Revision;
pub use name::UnknownName;
pub use rule::{ErrorCode, Finding, Rule, Severity};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
