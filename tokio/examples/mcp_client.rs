//! Starts an MCP server, lists its tools, and closes it.
//!
//! ```sh
//! cargo build -p tautline-mcp --example stdio_server
//! cargo run --package tautline-tokio --example mcp_client -- target/debug/examples/stdio_server
//! ```

use serde_json::{Value, json};
use tautline_tokio::tautline_mcp::Revision;
use tautline_tokio::{Handlers, Options};
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut command =
        Command::new(arguments.next().ok_or("usage: mcp_client COMMAND [ARGUMENT]...")?);
    command.args(arguments);

    let server = Options::mcp(Revision::V2025_11_25).spawn(&mut command, Handlers::new(()))?;

    let hello = json!({
        "capabilities": {},
        "clientInfo": { "name": "mcp_client", "version": "1" },
    });
    let supported = [Revision::V2025_11_25, Revision::V2025_06_18];
    let welcome: Value = server.peer().initialize(&supported, hello).await?;
    println!("{}", welcome["serverInfo"]["name"]);

    let list: Value = server.peer().call("tools/list", json!({})).await?;
    for tool in list["tools"].as_array().into_iter().flatten() {
        println!("{}: {}", tool["name"], tool["description"]);
    }
    println!("{}", server.close().await?.status());
    Ok(())
}
