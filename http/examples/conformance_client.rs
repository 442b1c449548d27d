//! The client that the official conformance suite of MCP tests.
//!
//! It uses all that a server offers: it calls each tool, reads each resource and gets each prompt. Arguments come from the
//! suite, or else from the schemas. Requests for input are answered with the defaults of their schemas.
//!
//! ```sh
//! npx @modelcontextprotocol/conformance@0.2.0-alpha.12 client --requirements 2026-07-28 \
//!     --command target/debug/examples/conformance_client
//! ```

use std::env;
use std::error::Error;

use serde_json::{Map, Value, json};
use tautline_http::client::{Client, HttpConnection};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Context, Handlers, Peer, RpcError};

/// The number of times that a server may ask for input.
const MOST_ROUNDS: usize = 8;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().ok_or("usage: conformance_client URL")?;
    let revisions = match env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        Ok(version) => vec![version.parse()?],
        Err(_) => Revision::ALL.to_vec(),
    };
    let context: Value = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let handlers = Handlers::new(()).request("elicitation/create", elicit);
    let server = Client::http(url.parse()?)
        .with_info(json!({ "name": "tautline-conformance-client", "version": "1" }))
        .with_capabilities(json!({ "elicitation": {} }))
        .with_revisions(&revisions)
        .with_observer(|incident| eprintln!("{incident}"))
        .connect(handlers)
        .await?;
    eprintln!("connected in revision {}", server.revision());
    let outcome = use_all(&server, &context).await;
    server.close().await;
    Ok(outcome?)
}

/// Accepts a request for input with the defaults of its schema.
async fn elicit(_: Context<()>, params: Value) -> Result<Value, RpcError> {
    Ok(json!({ "action": "accept", "content": sample(&params["requestedSchema"]) }))
}

/// Uses all that the server offers.
async fn use_all(server: &HttpConnection, context: &Value) -> Result<(), CallError> {
    let peer = server.peer();
    let has = |capability: &str| !server.server()["capabilities"][capability].is_null();
    let tools = list(peer, "tools").await?;
    match context["toolCalls"].as_array() {
        Some(calls) => {
            for call in calls {
                exchange(peer, "tools/call", call.clone()).await;
            }
        }
        None => {
            for tool in &tools {
                let mut arguments = sample(&tool["inputSchema"]);
                // The suite wants to see what is left of a schema.
                if tool["name"] == "json_schema_echo" {
                    arguments["schema"] = tools[0]["inputSchema"].clone();
                }
                let call = json!({ "name": tool["name"], "arguments": arguments });
                exchange(peer, "tools/call", call).await;
            }
        }
    }
    if has("resources") {
        for resource in list(peer, "resources").await? {
            exchange(peer, "resources/read", json!({ "uri": resource["uri"] })).await;
        }
    }
    if has("prompts") {
        for prompt in list(peer, "prompts").await? {
            exchange(peer, "prompts/get", json!({ "name": prompt["name"] })).await;
        }
    }
    Ok(())
}

/// Returns the first page of a list.
async fn list(peer: &Peer, of: &str) -> Result<Vec<Value>, CallError> {
    let mut page: Value = peer.call(&format!("{of}/list"), json!({})).await?;
    match page[of].take() {
        Value::Array(elements) => Ok(elements),
        _ => Ok(Vec::new()),
    }
}

/// Sends a request, and gives the input that the server asks for. The suite judges what it gets, so an error is no reason
/// to stop.
async fn exchange(peer: &Peer, method: &str, params: Value) {
    let mut now = params.clone();
    for _ in 0..MOST_ROUNDS {
        let result: Value = match peer.call(method, &now).await {
            Ok(result) => result,
            Err(error) => return eprintln!("{method} with {params}: {error}"),
        };
        if result["resultType"] != "input_required" {
            return;
        }
        let mut responses = Map::new();
        for (key, request) in result["inputRequests"].as_object().into_iter().flatten() {
            let content = sample(&request["params"]["requestedSchema"]);
            responses.insert(key.clone(), json!({ "action": "accept", "content": content }));
        }
        now = params.clone();
        now["inputResponses"] = responses.into();
        if let Some(state) = result.get("requestState") {
            now["requestState"] = state.clone();
        }
    }
    eprintln!("{method} with {params}: the server asks for input again and again");
}

/// Returns a value that fits a simple schema: its default, or one of its type.
fn sample(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(|(name, schema)| (name.clone(), sample(schema))).collect()
        }
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        _ => json!("text"),
    }
}
