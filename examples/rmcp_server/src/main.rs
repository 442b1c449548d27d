//! An MCP server on standard input and output. It uses the official Rust SDK, `rmcp`, with tautline between
//! the wire and the SDK.
//!
//! Register it with any client as the command `rmcp_server`, or talk to it by hand:
//!
//! ```sh
//! echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | cargo run
//! ```
//!
//! With the argument `--http`, it serves Streamable HTTP without tautline's layer, and prints its address. That is a server
//! to put a gateway in front of.

use std::error::Error;
use std::io;
use std::net::Ipv4Addr;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use rmcp_server::http;
use rmcp_server::server::Server;
use rmcp_server::transport::LineTransport;
use tautline_mcp::Revision;
use tokio::net::TcpListener;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Standard output belongs to the protocol, so the log goes to standard error, where clients show it to
    // users. rmcp logs a warning for every error that a handler returns, so only its errors are logged.
    let log = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let wanted = Targets::new().with_target("rmcp::", Level::ERROR).with_default(Level::WARN);
    tracing_subscriber::registry().with(log).with(wanted).init();
    if std::env::args().nth(1).as_deref() == Some("--http") {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("http://{}/mcp", listener.local_addr()?);
        tokio::select! {
            ended = axum::serve(listener, http::plain()) => ended?,
            ended = tokio::signal::ctrl_c() => ended?,
        }
        return Ok(());
    }
    let (input, output) = stdio_pipes();
    let transport = LineTransport::new(input, output, &Revision::LATEST.profile());
    match Server.serve(transport).await {
        Ok(session) => session.waiting().await.map(drop)?,
        // A client may leave before it opens a session.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
