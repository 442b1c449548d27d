//! Streamable HTTP of the Model Context Protocol: a server, a client, and a [tower] layer that holds any service on HTTP
//! bodies to the rules.
//!
//! # A layer
//!
//! [`McpLayer`] stands before an MCP server, or in a gateway before many. It reads the body within a limit, judges method,
//! headers and body by [`tautline_mcp::http`], and refuses what breaks a rule: with the status and the JSON-RPC error that
//! the specification prescribes, and with the id of the request. Its service gets valid requests only, each with a
//! [`Judged`] in its extensions. A layer that [only reports](McpLayer::reporting) refuses nothing.
//!
//! ```
//! use axum::{Router, routing::any};
//! use tautline_http::{Judged, McpLayer};
//! use tautline_mcp::http::{Allowed, Policy};
//! use tautline_mcp::Revision;
//!
//! const POLICY: Policy<'static> = Policy::new(
//!     &[Revision::V2025_11_25, Revision::V2026_07_28],
//!     Allowed::Loopback, // web pages
//!     Allowed::Loopback, // names of this server
//! );
//!
//! async fn serve(request: axum::extract::Request) -> String {
//!     let judged = request.extensions().get::<Judged>().expect("the layer has judged it");
//!     format!("{} {:?}", judged.revision().name(), judged.action())
//! }
//!
//! let layer = McpLayer::new(POLICY).on_finding(|finding| eprintln!("{finding}"));
//! let app: Router = Router::new().route("/mcp", any(serve).layer(layer));
//! # let _ = app;
//! ```
//!
//! # A client
//!
//! [`client::Client`] connects to a server over any tower service, in both eras: it chooses the revision, repeats the body in
//! headers, reads JSON and events, and keeps sessions. The feature `client`, which is on by default, adds it.
//!
//! # Limits
//!
//! A body may have [4 MiB](McpLayer::with_limit). A longer one is not kept: it is skimmed for the id up to [four times the
//! limit](McpLayer::with_limit), and refused with 413 and that id. So memory is bounded. Time is not: put a time-out, such
//! as that of `tower-http`, around the layer.
//!
//! # Around the layer
//!
//! Web pages ask with OPTIONS before they POST to another origin. The layer refuses that method, so put a layer for CORS
//! outside of it. A gateway that rewrites the authority of the URI has to rewrite `Host` as well, or remove it: two that
//! differ are refused. Give the layer to the route of the endpoint, and not to a whole router: other paths have other
//! rules.
//!
#![cfg_attr(feature = "server", doc = include_str!("guide.md"))]
//!
//! [tower]: https://docs.rs/tower
#![cfg_attr(not(feature = "client"), doc = "", doc = "[`client::Client`]: #a-client")]
#![forbid(unsafe_code)]
#![warn(missing_docs, missing_debug_implementations, unreachable_pub, clippy::missing_errors_doc)]
#![warn(
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

#[cfg(feature = "client")]
pub mod client;
mod layer;
#[cfg(feature = "server")]
mod server;

pub use layer::{Judged, McpLayer, McpService, RequestBody, ResponseBody, ResponseFuture};
#[cfg(feature = "server")]
pub use server::{HttpRequest, HttpSession, McpServer, ServerBody, ServerOptions};
#[doc(no_inline)]
pub use tautline_mcp;
#[cfg(any(feature = "client", feature = "server"))]
#[doc(no_inline)]
pub use tautline_tokio;

/// Runs the README's example as a doctest.
#[cfg(all(doctest, feature = "client", feature = "server"))]
#[doc = include_str!("../README.md")]
struct Readme;
