//! A client of MCP over Streamable HTTP, in both of its eras.
//!
//! [`Client`] connects to the endpoint of a server. The connection has a [`Peer`](tautline_tokio::Peer), the handle of
//! [`tautline_tokio`]: calls with time-outs, progress and cancellation. [`Handlers`](tautline_tokio::Handlers) answer the
//! server.
//!
//! ```no_run
//! use serde_json::{Value, json};
//! use tautline_http::client::Client;
//! use tautline_tokio::Handlers;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Client::http("http://localhost:3000/mcp".parse()?)
//!     .with_info(json!({ "name": "example", "version": "1" }))
//!     .with_observer(|incident| eprintln!("{incident}"))
//!     .connect(Handlers::new(()))
//!     .await?;
//! println!("connected in revision {}", server.revision());
//!
//! let tools: Value = server.peer().call("tools/list", json!({})).await?;
//! println!("{tools}");
//! let request = server.peer().request("tools/call", json!({ "name": "build", "arguments": {} }));
//! let mut call = request.with_progress().send().await?;
//! while let Some(report) = call.progress().await {
//!     println!("{}", report.json());
//! }
//! let result: Value = call.await?;
//! println!("{result}");
//! server.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # TLS, authorization, proxies
//!
//! [`Client::new`] takes any [tower](https://docs.rs/tower) service on HTTP bodies, so the requests can go through any
//! layers. With a connector for TLS, such as that of hyper-rustls, the client of hyper-util reaches `https` addresses.
//! Redirections are not followed, because a token must not reach another server.
//!
//! ```
//! use bytes::Bytes;
//! use http::{HeaderValue, Request, Uri, header::AUTHORIZATION};
//! use http_body_util::Full;
//! use hyper_util::client::legacy::{Client as Hyper, connect::HttpConnector};
//! use hyper_util::rt::TokioExecutor;
//! use tautline_http::client::Client;
//! use tower::util::MapRequest;
//!
//! fn client(uri: Uri, token: impl Fn() -> HeaderValue + Clone + Send + 'static) -> Client {
//!     let hyper = Hyper::builder(TokioExecutor::new()).build(HttpConnector::new());
//!     let service = MapRequest::new(hyper, move |mut request: Request<Full<Bytes>>| {
//!         request.headers_mut().insert(AUTHORIZATION, token());
//!         request
//!     });
//!     Client::new(uri, service)
//! }
//! # let _ = client("http://localhost/mcp".parse().unwrap(), || HeaderValue::from_static("Bearer x"));
//! ```
//!
//! # The revision
//!
//! The client calls `server/discover` of 2026-07-28 first. If the server refuses the version with -32022, the client
//! chooses one that the server lists. If the server answers with any other error, with a status from 400 to 499, or with a
//! result that lists no versions, it is of the legacy era, and the client sends `initialize` with the latest revision that
//! it may use. Exceptions are the errors that only 2026-07-28 has, and the statuses 401, 403, 407, 408 and 429
//! (2026-07-28, basic/versioning and basic/transports/streamable-http, backward compatibility).
//!
//! # From 2026-07-28
//!
//! Each request carries its metadata in `_meta`, and the headers that repeat the body: `MCP-Protocol-Version`,
//! `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`, encoded where need be. The client learns from each `tools/list` which
//! arguments of a tool it has to repeat. It leaves tools with invalid annotations out of the result, and reports them.
//! If the server refuses a call with -32020, the client lists the tools again, and repeats the call once if it now has
//! other headers.
//!
//! A call that is dropped, cancelled or times out closes its response, which cancels it. A result may ask for input
//! instead of an answer; see [the guide](tautline_tokio#a-client-of-mcp).
//!
//! # Up to 2025-11-25
//!
//! The server may give the client a session, which all requests then name, and which [`close`](HttpConnection::close)
//! ends. If the server ends it (404), all calls in it fail with [`PostError::SessionEnded`], and the client begins a new
//! session for later calls.
//!
//! The client opens a stream for messages of the server, if the server has one, and opens it again when it ends. If the
//! response to a call breaks off after an event with an id, the client resumes it after that event. It waits as long as
//! the server wants, from 50 milliseconds to an hour, or else from half a second to 30 seconds. It gives up after eight
//! attempts without an event. The stream for messages is given up when the server refuses it with a status from 400 to
//! 499, apart from 408 and 429, and eight times 409. If the refused request names an event, the client first tries once
//! without.
//!
//! # Order
//!
//! Calls are sent as soon as they come, at most [64](Client::with_max_posts) at the same time. Notifications are sent one by
//! one: each waits for the acknowledgement of the one before, and later calls wait for it too. No notification waits for
//! the turn of a call. Answers to the server and cancellations wait for nothing.
//!
//! # Errors
//!
//! No call hangs, and none takes another one with it. An error of the server is a
//! [`CallError::Peer`](tautline_tokio::CallError::Peer): with a status of failure, whatever its id, and otherwise with the
//! id of the call, a null id, or none. If no answer can come, the call fails with
//! [`CallError::Transport`](tautline_tokio::CallError::Transport), and [`PostError::of`] has the reason. Each response is
//! checked by [`tautline_mcp::http::Exchange`], and its findings are [incidents](Incident).
//!
//! # Limits
//!
//! A message may have [16 MiB](Client::with_limit). In memory at the same time can be a message for each call under way,
//! one of the stream for messages, one for each of the up to 16 streams that are read for a second after their answer, and
//! four that wait for the connection. While an answer is read, checked and passed on, up to three copies of it exist. The
//! memory about tools is bounded by 1 MiB. The service limits the headers and the time to connect. A stream may be idle for
//! any time: the time-out of its call ends it.

mod answer;
mod answered;
mod builder;
mod connection;
mod error;
mod exchange;
mod head;
mod incident;
mod lines;
mod negotiate;
mod outgoing;
mod pump;
mod reading;
mod sender;
mod settings;
mod shared;
mod stream;
mod tasks;
mod tools;

pub use builder::Client;
pub use connection::HttpConnection;
pub use error::{BoxError, ConnectError, PostError};
pub use incident::Incident;
