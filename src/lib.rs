//! Zero-copy, allocation-free framing and validation for JSON-RPC 2.0 and the protocols on it.
//!
//! tautline takes bytes as they arrive and splits them into frames. It validates each frame in one pass,
//! without building a tree, and returns either its message or its fault: the rule, the byte offset, the id if
//! it can be known, and the error reply that the sender must get.
//!
//! ```
//! use tautline::frame::Frame;
//! use tautline::{Message, Profile};
//!
//! let profile = Profile::JSON_RPC;
//! let line = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
//! let Ok(Message::Request(request)) = Message::parse(Frame::from_line(line), &profile) else { panic!() };
//! assert_eq!(request.method(), "subtract");
//! assert_eq!(request.id().to_string(), "1");
//!
//! // A request with an invalid id is a fault that gets an error reply. It is not a notification.
//! let line = br#"{"jsonrpc":"2.0","method":"subtract","id":{}}"#;
//! let fault = Message::parse(Frame::from_line(line), &profile).unwrap_err();
//! assert_eq!(fault.rule(), tautline::Rule::ID_TYPE);
//! assert_eq!(fault.offset(), 42);
//! assert_eq!(fault.reply().unwrap().code().value(), -32600);
//! ```
//!
#![cfg_attr(
    feature = "std",
    doc = "The [guide](guide/index.html) has a short program for each task: read, answer, ask, serve LSP, validate, \
           firmware, gateways and migration."
)]
#![cfg_attr(
    not(feature = "std"),
    doc = "The guide, which is part of the documentation with feature `std`, has a short program for each task."
)]
//! `tautline-mcp` has what MCP adds: revisions, methods, payloads and sessions.
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
//! | [`envelope`] | one frame and the [`Profile`] | a [`Message`], or the [`Fault`] and its error reply |
//! | [`encode`] | the parts of a message | its bytes, on one line |
//! | [`stream`] | chunks of bytes and the [`Profile`] | the next message or fault of a stream |
//! | [`endpoint`] | a frame and methods | the bytes of the reply |
//! | [`client`] | messages and faults of a stream | the request that each one answers, even if the response is broken |
//!
//! Adapters move bytes and types, and add no rules. `io` has readers and writers for `std::io`, `embedded_io`
//! and `embedded_io_async`. `codec` has a codec for tokio. `owned` has messages that do not borrow from the
//! frame. `RawJson::deserialize` reads payload into types of yours, and `RawJson::deserialize_core` does so
//! without a heap.
//!
//! # Features
//!
//! Without features the crate is `no_std`, uses no heap and no `unsafe`, has the small plain scanner, and depends on
//! `memchr` alone. Features are additive and never change a verdict. Each brings these crates:
//!
//! | feature | what it adds | crates it brings |
//! |---|---|---|
//! | `fast` (default) | the fast scanner beside the plain one, in safe Rust | none |
//! | `simd` (default, implies `fast`) | its kernels for vector units: AVX2 and AVX-512, found at run time, also without std; NEON and WebAssembly's simd128, where the crate is compiled for them; the one module with `unsafe` in it | none |
//! | `alloc` | what needs a heap, without std: storage that grows and gives memory back (`frame::HeapBuffer`); text decoded to a `Cow`; `Vec` as an output and `String` as payload; owned ids (`owned::Id`); methods registered at run time (`endpoint::Router`), and replies of any length | none |
//! | `serde` | `Serialize` for messages, their parts and verdicts, without std or a heap; `Deserialize` for rules and other names, and with `alloc` for owned ids | serde, serde_core |
//! | `serde_json` (implies `alloc` and `serde`) | payload as types of yours (`RawJson::deserialize`) and `owned` messages, without std | itoa, serde, serde_core, serde_json, zmij |
//! | `std` (default, implies the three above) | readers and writers over `std::io` (`io`); `std::io::Write` as an output; payload serialized by serde (`encode::Json`); typed handlers | itoa, serde, serde_core, serde_json, zmij |
//! | `heapless-v0_9` | `heapless::Vec` as an output and as storage for frames; with `serde-json-core-v0_7`, its types as fields of payload types | byteorder, hash32, heapless, stable_deref_trait |
//! | `embedded-io-v0_7` | `embedded_io::Write` as an output; readers and writers over `embedded_io` (`io::embedded`) | embedded-io |
//! | `embedded-io-async-v0_7` (implies `embedded-io-v0_7`) | the same over `embedded_io_async` | embedded-io, embedded-io-async |
//! | `serde-json-core-v0_7` (implies `serde`) | payload serialized and deserialized without std or a heap (`RawJson::deserialize_core`, `Call::params_as_core`) | ryu, serde, serde-json-core, serde_core |
//! | `tokio-util-v0_7` (implies `std`) | a codec for tokio (`codec`), in which a bad line is an item and not the end | bytes, futures-core, futures-sink, itoa, libc, pin-project-lite, serde, serde_core, serde_json, tokio, tokio-util, zmij |
//! | `defmt` | `defmt::Format` for the types one would log | bitflags, defmt |
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
#[doc(hidden)]
pub mod internal;
#[cfg(feature = "defmt")]
mod logging;
#[cfg(feature = "alloc")]
mod memory;
mod name;
mod resemblance;
#[cfg(feature = "serde")]
mod serialize;

#[cfg(feature = "tokio-util-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio-util-v0_7")))]
pub mod codec;
pub mod encode;
pub mod endpoint;
pub mod envelope;
pub mod frame;
#[cfg(all(doc, feature = "std"))]
#[doc = include_str!("guide.md")]
pub mod guide {}
#[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
pub mod io;
pub mod json;
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub mod owned;
pub mod rule;
pub mod scan;
pub mod stream;
#[cfg(all(feature = "std", feature = "fast", any(test, fuzzing)))]
#[doc(hidden)]
pub mod twins;

pub use envelope::envelope::Envelope;
pub use envelope::fault::{Fault, Reply};
pub use envelope::id::Id;
pub use envelope::message::{
    Batch, Call, ErrorObject, Message, Notification, Outcome, Request, Response,
};
pub use envelope::profile::Profile;
pub use json::number::RawNumber;
pub use json::raw::RawJson;
pub use json::string::RawStr;
pub use name::UnknownName;
pub use rule::code::ErrorCode;
pub use rule::finding::Finding;
pub use rule::severity::Severity;
pub use rule::table::Rule;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
