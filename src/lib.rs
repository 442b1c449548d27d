//! Zero-copy, allocation-free framing and validation for JSON-RPC 2.0 and the Model Context Protocol.
//!
//! tautline takes bytes as they arrive, cuts them into frames, and says of every frame, in one pass
//! and without building a tree, exactly what it is or exactly what is wrong with it: the rule, the
//! byte offset, the id where it can be known, and the error reply that is owed.
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
//! // A request whose id is not a legal one is a fault that is owed an answer, not a notification.
//! let line = br#"{"jsonrpc":"2.0","method":"subtract","id":{}}"#;
//! let fault = Message::parse_line(line, &rules).unwrap_err();
//! assert_eq!(fault.rule().name(), "id-type");
//! assert_eq!(fault.offset(), 42);
//! assert_eq!(fault.reply().unwrap().code().value(), -32600);
//! ```
//!
//! # The way of a byte
//!
//! One module a stage, in this order; a stage knows those before it and nothing of those after it.
//!
//! | module | takes | gives |
//! |---|---|---|
//! | [`frame`] | chunks of bytes | [`Frame`](frame::Frame)s: one line each, within a limit |
//! | [`scan`] | one frame | a verdict on its syntax: RFC 8259, UTF-8, depth |
//! | [`json`] | validated text | [`RawJson`], [`RawStr`], [`RawNumber`]: views that decode nothing until asked |
//! | [`envelope`] | one frame and the [`Rules`] | a [`Message`], or the [`Fault`] and the reply it is owed |
//! | [`mcp`] | nothing | what each revision of MCP adds to the rules, as data |
//! | [`session`] | messages with their direction | what each is after those before it |
//! | [`encode`] | a message's parts | its bytes, on one line |
//! | [`endpoint`] | a frame and a table of methods | the bytes of the reply |
//! | [`stream`] | chunks of bytes and the [`Rules`] | the next message, or fault, off a stream |
//!
//! Adapters move bytes and types, and add no rule: `io` has readers and writers over `std::io`,
//! `embedded_io` and `embedded_io_async`, `codec` a codec for tokio, `owned` messages that live on their
//! own. Payload is read as types of yours by `RawJson::deserialize`, or without std by
//! `RawJson::deserialize_core`.
//!
//! # Features
//!
//! Without features the crate is `no_std`, uses no heap and depends on `memchr` alone. Features are
//! additive and never change a verdict.
//!
//! | feature | adds |
//! |---|---|
//! | `fast` (default) | the fast scanner beside the plain one |
//! | `simd` (default) | its kernels for AVX2, NEON and simd128, in the one module with `unsafe` code |
//! | `std` (default) | storage that grows (`frame::Growing`), text decoded to a `Cow`, outputs and payload of std and serde, readers and writers (`io`), `owned` messages |
//! | `heapless-v0_9` | outputs; with `serde-json-core-v0_7`, fields |
//! | `embedded-io-v0_7` | outputs, readers and writers (`io::embedded`) |
//! | `embedded-io-async-v0_7` | readers and writers (`io::embedded_async`) |
//! | `serde-json-core-v0_7` | payload that is serialized and deserialized without std |
//! | `tokio-util-v0_7` | a codec for tokio (`codec`) |
//! | `defmt` | `defmt::Format` for what one would log |
#![no_std]
#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unnameable_types,
    elided_lifetimes_in_paths,
    unused_qualifications,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::missing_errors_doc,
    clippy::std_instead_of_core
)]
// The core is linked where a panic is a reset and a lossy cast is a security hole.
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
// A test that panics is a test that works.
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

#[cfg(any(test, feature = "std"))]
extern crate std;

mod bytes;
mod cast;
#[cfg(feature = "defmt")]
mod logging;
#[cfg(feature = "std")]
mod memory;
mod table;

#[cfg(feature = "tokio-util-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio-util-v0_7")))]
pub mod codec;
pub mod encode;
pub mod endpoint;
pub mod envelope;
pub mod frame;
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
pub mod io;
pub mod json;
pub mod mcp;
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
pub mod owned;
pub mod scan;
pub mod session;
pub mod stream;
#[cfg(all(feature = "std", feature = "fast", any(test, fuzzing)))]
#[doc(hidden)]
pub mod twins;

pub use envelope::{
    Batch, Envelope, ErrorCode, ErrorObject, Fault, Finding, Id, Message, Notification, Outcome,
    Reply, Request, Response, Rule, Rules, Severity,
};
pub use json::{RawJson, RawNumber, RawStr};
pub use mcp::Revision;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
