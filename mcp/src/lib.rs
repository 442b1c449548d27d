//! The additions of the Model Context Protocol to JSON-RPC 2.0, for each revision, as data.
//!
//! | | 2024-11-05 | 2025-03-26 | 2025-06-18 | 2025-11-25 | 2026-07-28 |
//! |---|---|---|---|---|---|
//! | ids | string or integer | = | = | = | = |
//! | `params`, `result` | object | = | = | = | = |
//! | batches | no | of calls, or of responses | no | no | no |
//! | id of an error reply to an unreadable message | no legal value | = | = | absent | absent |
//! | bytes that are not JSON, on stdio | silence | = | = | = | = |
//! | the body of a POST | any message | = | = | = | a request or notification |
//! | the response to it | none | any message | = | = | a response or notification |
//!
//! [`Revision::profile`] returns the profile for messages on stdio, or on any other stream of lines.
//! [`Profile::http_request_body`] turns it into the profile for the body of a POST.
//! [`Profile::http_response_body`] turns it into the one for its response: one JSON body, or events. Both
//! accept every kind of message, so a receiver under 2026-07-28 has to refuse the kinds that the table leaves
//! out. [`http`] does so, and judges the method, the headers and the status around a message.
//!
//! [`Revision::findings`] checks a message below the envelope. [`KnownMethod`] lists which role may call which
//! method. The views of [`params`](ParamsView), [`_meta`](MetaView) and [`result`](ResultView) return the
//! members that gateways and servers need, without a tree.
//!
//! [`shape`] checks payloads against the schema, [`session`] follows the lifecycle and the requests in flight,
//! `conversation` checks each payload against those before it, and `judge` uses all three.
//!
//! The [guide](guide/index.html) has a short program for each task: validate, serve, observe, firmware, gateways.
//!
//! The crate exports what programs need of [`tautline`], and `tautline` itself. Its [`rule`] module has the texts of both
//! tables.
//!
//! # Features
//!
//! Without features the crate is `no_std` and uses no heap. Features are additive and never change a verdict.
//!
//! | feature | what it adds |
//! |---|---|
//! | `shapes` (default) | the shapes of payloads (`shape`) |
//! | `alloc` | with `shapes`: `conversation` and `judge`; `session::Heap`; and what needs a heap in `tautline` |
//! | `fast`, `simd` (default), `serde`, `serde_json`, `std` (default), `defmt` | the same as in `tautline`, for the types of both |

#![cfg_attr(not(feature = "shapes"), doc = "", doc = "[`shape`]: #features")]
#![no_std]
#![forbid(unsafe_code)]
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
// It runs where the core runs: on targets where a panic is a reset and a lossy cast is a security hole.
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

pub mod cause;
mod check;
mod code;
mod finding;
mod guarded;
#[cfg(any(feature = "alloc", feature = "shapes"))]
mod hash;
pub mod http;
mod ledger;
mod level;
#[cfg(feature = "defmt")]
mod logging;
pub mod meta;
mod method;
#[cfg(feature = "shapes")]
mod places;
pub mod protocol;
mod references;
mod refusal;
mod revision;
pub mod rule;
mod token;
mod view;

#[cfg(all(feature = "alloc", feature = "shapes"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "alloc", feature = "shapes"))))]
pub mod conversation;
#[cfg(all(feature = "alloc", feature = "shapes"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "alloc", feature = "shapes"))))]
pub mod judge;
#[cfg(doc)]
#[doc = include_str!("guide.md")]
// Links to what needs a feature lead to the list of features.
#[doc = ""]
#[cfg_attr(not(feature = "shapes"), doc = "[`Shapes`]: ../index.html#features")]
#[cfg_attr(feature = "shapes", doc = "[`Shapes`]: crate::shape::Shapes")]
#[cfg_attr(
    not(all(feature = "alloc", feature = "shapes")),
    doc = "[`Judge`]: ../index.html#features",
    doc = "[`Judge::finish`]: ../index.html#features",
    doc = "[`Judge::owed`]: ../index.html#features"
)]
#[cfg_attr(
    all(feature = "alloc", feature = "shapes"),
    doc = "[`Judge`]: crate::judge::Judge",
    doc = "[`Judge::finish`]: crate::judge::Judge::finish",
    doc = "[`Judge::owed`]: crate::judge::Judge::owed"
)]
pub mod guide {}
pub mod session;
#[cfg(feature = "shapes")]
#[cfg_attr(docsrs, doc(cfg(feature = "shapes")))]
pub mod shape;

pub(crate) use check::{CallView, Notice, ResultKind};
pub use code::is_of_modern_server;
pub use finding::Finding;
pub use guarded::GUARDED_NAMES;
pub use level::LogLevel;
pub use method::{CallKind, KnownMethod, MethodUse, Role};
pub use references::{Reference, ReferenceKind, references};
pub use refusal::request_error;
pub(crate) use refusal::request_message;
pub use revision::{Era, Revision, UnknownRevision};
#[doc(no_inline)]
pub use tautline;
use tautline::envelope::{
    Batches, CarriageReturns, ErrorIds, Ids, Params, Results, Uncorrelated, Unparseable,
};
#[cfg(feature = "std")]
#[doc(no_inline)]
pub use tautline::io;
#[cfg(feature = "alloc")]
#[doc(no_inline)]
pub use tautline::owned;
#[doc(no_inline)]
pub use tautline::{
    Batch, Call, Envelope, ErrorCode, ErrorObject, Fault, Id, Message, Notification, Outcome,
    Profile, RawJson, RawNumber, RawStr, Reply, Request, Response, Rule, Severity, UnknownName,
    client, encode, endpoint, envelope, frame, json, scan, stream,
};
pub use view::{MetaView, ParamsView, ResultView};

impl Revision {
    /// Returns the profile for messages of this revision on a stream of lines.
    #[must_use]
    pub const fn profile(self) -> Profile {
        // No revision allows positional params or a result that is not an object (MCP, basic).
        let profile = Profile::JSON_RPC
            .with_params(Params::Object)
            .with_results(Results::Object)
            .with_ids(Ids::StringOrInteger)
            .with_unparseable(Unparseable::Silent)
            // "Messages … MUST NOT contain embedded newlines" (basic/transports, stdio).
            .with_carriage_returns(CarriageReturns::Forbidden)
            .with_codes(code::codes(self));
        let profile = match self {
            // 2025-03-26 introduced batches and 2025-06-18 removed them (basic, batching).
            Self::V2025_03_26 => profile.with_batches(Batches::Unmixed),
            _ => profile.with_batches(Batches::Forbidden),
        };
        match self {
            // The schema requires the id of an error response, and never allows null.
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 => {
                profile.with_error_ids(ErrorIds::AsRequest).with_uncorrelated(Uncorrelated::Silent)
            }
            // "Except in error cases where the ID could not be read" (basic, error responses).
            Self::V2025_11_25 | Self::V2026_07_28 => {
                profile.with_error_ids(ErrorIds::OrAbsent).with_uncorrelated(Uncorrelated::NoId)
            }
        }
    }
}
