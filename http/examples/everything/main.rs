//! An MCP server with every feature, on Streamable HTTP. It serves clients of both eras at one endpoint.
//!
//! ```sh
//! cargo run --package tautline-http --example everything -- --port 8080
//! ```
//!
//! Its tools, prompts and resources are those that the official conformance suite calls. `call.rs` is what a handler knows
//! of a call, and `ask.rs` how it asks the client. Copy these two if your server asks its clients, too. The other files
//! are subjects of the protocol.

mod ask;
mod call;
mod changes;
mod completion;
mod lists;
mod logging;
mod prompts;
mod resources;
mod seal;
mod tools;

use std::error::Error;
use std::net::Ipv4Addr;

use axum::Router;
use serde_json::json;
use tautline_http::{McpServer, ServerOptions};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tautline_tokio::{Handlers, ServerInfo};
use tokio::net::TcpListener;

use self::changes::Changes;
use self::seal::Seal;

/// The state that all clients share.
struct Everything {
    changes: Changes,
    seal: Seal,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port()?)).await?;
    println!("http://{}/mcp", listener.local_addr()?);

    let app = Router::new().route_service("/mcp", server.clone());
    let shutdown = async move {
        tokio::signal::ctrl_c().await.ok();
        server.close().await;
    };
    axum::serve(listener, app).with_graceful_shutdown(shutdown).await?;
    Ok(())
}

/// Reads the port from the command line. The default is one that is free.
fn port() -> Result<u16, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => Ok(0),
        [name, port] if name == "--port" => Ok(port.parse()?),
        _ => Err("usage: everything [--port N]".into()),
    }
}

fn server() -> Result<McpServer, Box<dyn Error>> {
    // No web page but those of this machine may call the server, and no other name than those of this machine may lead to
    // it. So a page can't reach it through a name that it controls (DNS rebinding).
    let policy = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);
    let options = ServerOptions::new(policy).on_finding(|finding| eprintln!("{finding}"));
    Ok(options.serve(handlers(Everything { changes: Changes::new(), seal: Seal::new()? })))
}

fn handlers(state: Everything) -> Handlers<Everything> {
    let info = ServerInfo::new("tautline-everything", env!("CARGO_PKG_VERSION"))
        .with_member("title", "Everything")
        .with_capabilities(json!({
            "completions": {},
            "logging": {},
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "tools": { "listChanged": true },
        }))
        .with_instructions("A server for tests. Its tools show each feature of the protocol.");
    Handlers::new(state)
        .with_server_info(info)
        .request("tools/list", tools::list)
        .request("tools/call", tools::call)
        .request("prompts/list", prompts::list)
        .request("prompts/get", prompts::get)
        .request("completion/complete", completion::complete)
        .request("resources/list", resources::list)
        .request("resources/templates/list", resources::templates)
        .request("resources/read", resources::read)
        // Clients of 2026-07-28 subscribe with a request that lasts, ...
        .request("subscriptions/listen", changes::listen)
        // ... and those before it for their session.
        .request("resources/subscribe", changes::subscribe)
        .request("resources/unsubscribe", changes::unsubscribe)
        .request("logging/setLevel", logging::set_level)
        .notification("notifications/initialized", changes::watch)
}
