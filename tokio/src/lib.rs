//! An async peer for JSON-RPC 2.0, MCP and LSP on tokio.
//!
//! A connection has two sides, and each may call the other. [`Options`] start a connection over any reader and writer.
//! [`Handlers`] hold the methods that the other side may call. A [`Peer`] is the handle to call the other side.
//! [tautline](https://docs.rs/tautline) splits the input into frames and validates each of them, so a broken frame gets
//! the error reply that the protocol demands, and a broken answer fails its call.
//!
//! An answer is matched with its request by the id alone (JSON-RPC 2.0, section 5), so an error with the id of a request
//! in flight would answer that request. A broken frame that has such an id therefore gets no reply, and neither does a
//! request that would be refused, for example because its method is unknown. The [observer](Options::with_observer) sees
//! both. A request that is served is answered, whatever its id.
//!
//! # A client
//!
//! ```
//! use std::time::Duration;
//!
//! use serde_json::{Value, json};
//! use tautline_tokio::{CallError, Handlers, Options};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let stream = tokio::net::TcpStream::connect("localhost:4000").await?;
//! let connection = Options::json_rpc().start_stream(stream, Handlers::new(()));
//! let peer = connection.peer();
//!
//! let sum: i64 = peer.call("add", [40, 2]).await?;
//! // A time-out for one call.
//! let build = peer.request::<Value, _>("build", json!({ "target": "all" }));
//! match build.with_timeout(Duration::from_secs(600)).await {
//!     Ok(report) => println!("{report}"),
//!     Err(CallError::Peer(error)) => println!("the peer refused: {error}"),
//!     Err(other) => return Err(other.into()),
//! }
//! peer.notify("done", ()).await?;
//! connection.close().await;
//! # let _ = sum;
//! # Ok(())
//! # }
//! ```
//!
//! # A call with progress
//!
//! [`Peer::request`] creates a call with options of its own. Once it is [sent](NewRequest::send), it has an
//! [id](PendingCall::id), reports its [progress](PendingCall::progress), and can be [cancelled](PendingCall::cancel)
//! with a reason. Each report restarts the time-out, up to a [total](NewRequest::with_total_timeout).
//!
//! ```
//! use std::time::Duration;
//!
//! use serde_json::{Value, json};
//! # use tautline_tokio::Peer;
//!
//! # async fn run(peer: &Peer) -> Result<(), Box<dyn std::error::Error>> {
//! let request = peer.request("tools/call", json!({ "name": "build" }));
//! let mut call = request.with_timeout(Duration::from_secs(30)).with_progress().send().await?;
//! while let Some(report) = call.progress().await {
//!     let report: Value = report.deserialize()?;
//!     println!("call {}: {} of {}", call.id(), report["progress"], report["total"]);
//! }
//! let result: Value = call.await?;
//! println!("{result}");
//! # Ok(())
//! # }
//! ```
//!
//! # A server
//!
//! Handlers are async functions or closures. They share a state, run concurrently, and may call the peer back.
//!
//! ```no_run
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use tautline_tokio::{Context, Handlers, Options, RpcError};
//!
//! async fn add(context: Context<AtomicU64>, (number,): (u64,)) -> Result<u64, RpcError> {
//!     if number > 1000 {
//!         return Err(RpcError::invalid_params("the number is too large"));
//!     }
//!     let total = context.state().fetch_add(number, Ordering::Relaxed) + number;
//!     context.peer().notify("total", [total]).await?;
//!     Ok(total)
//! }
//!
//! # async fn run() {
//! let handlers = Handlers::new(AtomicU64::new(0))
//!     .request("add", add)
//!     .notification("reset", async |context, (): ()| context.state().store(0, Ordering::Relaxed));
//! let connection = Options::json_rpc().start(tokio::io::stdin(), tokio::io::stdout(), handlers);
//! eprintln!("the connection ended: {}", connection.wait().await);
//! # }
//! ```
//!
//! A read of tokio's standard input cannot be cancelled. If a server ends while its input is still open, it should
//! call `std::process::exit`, because the runtime would wait for that read.
//!
//! # LSP and MCP
//!
//! [`Options::lsp`] selects the framing, the profile and the cancellation of the Language Server Protocol, and
//! `Options::mcp` does the same for a revision of MCP, and answers its `ping`. This needs the default feature
//! `mcp`. `ServerInfo` answers `initialize` and `server/discover` for a server. The examples
//! [`async_lsp_server`] and [`mcp_client`] are complete programs.
//!
//! [`async_lsp_server`]: https://docs.rs/crate/tautline-tokio/latest/source/examples/async_lsp_server.rs
//! [`mcp_client`]: https://docs.rs/crate/tautline-tokio/latest/source/examples/mcp_client.rs
//!
#![cfg_attr(feature = "mcp", doc = include_str!("guide.md"))]
//!
//! # A child process
//!
//! [`Options::spawn`] starts a command and connects to its standard input and output. [`ChildProcess::close`]
//! ends it in the order of MCP: it closes the input, waits, sends SIGTERM, waits, and sends SIGKILL. On Unix, this ends
//! what the process has started too, and a Ctrl-C in the terminal does not reach it; see [`ChildProcess`]. No zombie is
//! left, even if the [`ChildProcess`] is dropped.
//!
//! # What is guaranteed
//!
//! - **Every call ends.** It ends with the peer's answer, with the rule that the answer breaks, by its time-out, or
//!   with the reason why the connection ended. If a call is dropped or times out, its slot is free again, and the peer
//!   is notified if the protocol has a [cancellation](Cancellation).
//! - **Every request is answered once**, unless the connection breaks or MCP's cancellation demands silence.
//!   If its handler panics or is dropped, the answer is -32603.
//! - **Handlers begin in the order of their messages.** The handlers of requests run concurrently, up to a
//!   [limit](Options::with_max_requests). The handler of a notification runs to its end before any later request or
//!   notification is handled. So a request sees the effect of every notification before it. Long work for a
//!   notification belongs in a separate task. Answers, cancellations and the progress of calls do not wait.
//! - **Messages are sent in the order in which they enter the queue.** If one task awaits
//!   [`notify`](Peer::notify) and then [`call`](Peer::call), they are sent in this order.
//! - **Memory is bounded.** There are limits on [frames](tautline::frame::DEFAULT_LIMIT), on the [outgoing
//!   queue](Options::with_max_unsent), on [running](Options::with_max_requests) and
//!   [waiting](Options::with_max_backlog) requests, on [calls](Options::with_max_calls), and on their
//!   [progress](PendingCall::progress). A peer that does not read slows down its senders. The connection stops reading
//!   from a peer that sends too much.
//! - **The end has a reason.** [`Closed`] says why a connection ended.
//!
//! # What to know about handlers
//!
//! A handler is first polled by the task of the connection, and moves to its own task when it has to wait. Put long
//! work that does not await into `tokio::task::spawn_blocking`, because the connection reads nothing in the meantime.
//!
//! A handler may be dropped at any await point: when the peer cancels its request, or when it does not finish in time
//! while the connection ends.
//!
//! # What is not checked
//!
//! A frame without a readable id may be the answer to any call, or a line of a log. It fails no call, but the error of
//! a call that [times out](CallError::TimedOut) mentions it. An answer whose id has the value of the call's id, but not
//! its spelling, completes the call and is an [incident](Incident::RewrittenId).
//!
//! Methods, their params and the lifecycle of a session are not checked. For MCP, see [A session](#a-session). Reports
//! of progress are handed to their call as they come, whether the progress increases or not.
// `engine.rs` is a connection without its input and output: it is given messages (`receive.rs`) and starts handlers
// (`start.rs`). `driver.rs` is the task of a connection, which reads and writes for an engine, and never waits for a
// handler. `exchange.rs` is an engine whose messages come from elsewhere. `call.rs` is the caller's side of a call, and `protocol.rs` what MCP and LSP add to requests and
// notifications. `outbox.rs` is the queue of outgoing messages, and `calls.rs` the table of calls; the lock of each is
// never held across an await. The task of the connection polls a handler once, and gives it a task of its own if it has to wait.
// Most handlers finish at once, and all begin in the order of their messages. `responder.rs` answers a request when it
// is dropped, so that no path can forget to.

#![forbid(unsafe_code)]
#![warn(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unnameable_types,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::missing_errors_doc
)]
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

mod agreed;
mod call;
mod calls;
mod cancel;
mod child;
mod clock;
mod connection;
mod driver;
mod engine;
mod error;
mod excerpt;
mod exchange;
mod group;
mod handlers;
mod in_flight;
mod inbox;
mod incident;
#[cfg(feature = "mcp")]
mod initialize;
mod options;
mod outbox;
mod payload;
mod peer;
mod protocol;
mod receive;
mod responder;
#[cfg(feature = "mcp")]
mod server_info;
mod shared;
mod start;
mod tap;
mod work;
mod writer;

pub use call::{NewRequest, PendingCall};
#[cfg(feature = "mcp")]
pub use cancel::McpCancellation;
pub use cancel::{Cancellation, LspCancellation, Unanswered};
pub use child::{ChildProcess, Ending, Exit};
pub use connection::Connection;
pub use error::{CallError, Closed, RpcError, Stray};
pub use exchange::Exchange;
pub use handlers::{Context, Handlers};
pub use inbox::{Inbox, Offered};
pub use incident::Incident;
pub use options::Options;
pub use payload::{FromPayload, Raw, ToPayload};
pub use peer::Peer;
#[cfg(feature = "mcp")]
pub use server_info::ServerInfo;
pub use tap::Direction;
#[doc(no_inline)]
pub use tautline;
#[cfg(feature = "mcp")]
#[doc(no_inline)]
pub use tautline_mcp;

/// Runs the README's example as a doctest.
#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../README.md")]
struct Readme;
