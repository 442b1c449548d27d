//! Lists the tools of an MCP server at a URL.
//!
//! ```sh
//! cargo run -p tautline-http --example client -- http://localhost:3000/mcp
//! ```

use std::collections::HashSet;

use serde_json::{Value, json};
use tautline_http::client::Client;
use tautline_tokio::Handlers;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: client URL")?;
    let server = Client::http(url.parse()?)
        .with_info(json!({ "name": "client", "version": "1" }))
        .with_observer(|incident| eprintln!("{incident}"))
        .connect(Handlers::new(()))
        .await?;
    let name = server.server_info().map_or("a server", |info| info["name"].as_str().unwrap_or("?"));
    println!("connected to {name:?} in revision {}", server.revision());

    let (mut params, mut cursors) = (json!({}), HashSet::new());
    loop {
        let page: Value = server.peer().call("tools/list", &params).await?;
        for tool in page["tools"].as_array().into_iter().flatten() {
            println!("{}: {}", tool["name"], tool["description"]);
        }
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        // A server may repeat a cursor for ever.
        if !cursors.insert(cursor.to_owned()) || cursors.len() > 1000 {
            return Err("the list of tools does not end".into());
        }
        params = json!({ "cursor": cursor });
    }
    server.close().await;
    Ok(())
}
