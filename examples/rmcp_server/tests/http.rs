//! rmcp's server on HTTP with and without the layer: what is valid gets through, and what breaks a rule does not.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use rmcp_server::http::{layered, plain};
use serde_json::Value;
use tower::ServiceExt as _;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The headers that the body of a call of `add` demands.
const AGREES: [(&str, &str); 2] = [("mcp-method", "tools/call"), ("mcp-name", "add")];

/// Returns a call of `add`, with other members in front of it.
fn call(others: &str) -> String {
    let params = format!(r#"{{"name":"add","arguments":{{"a":2,"b":3}},{META}}}"#);
    format!(r#"{{{others}"jsonrpc":"2.0","method":"tools/call","params":{params}}}"#)
}

/// Returns the status of a response, and the result or the code of the error with its id.
async fn send(app: Router, headers: &[(&str, &str)], body: &str) -> String {
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = app.oneshot(request.body(Body::from(body.to_owned())).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8(body.to_vec()).unwrap();
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let message = events.next_back().unwrap_or(&text).trim();
    let Ok(message) = serde_json::from_str::<Value>(message) else { return format!("{status}") };
    let id = message.get("id").map_or_else(|| "none".to_owned(), Value::to_string);
    match message["error"]["code"].as_i64() {
        Some(code) => format!("{status}, {code}, id {id}"),
        None => format!("{status}, {}, id {id}", message["result"]["content"][0]["text"]),
    }
}

#[tokio::test]
async fn the_layer_refuses_what_breaks_a_rule() {
    let sum = "200, \"5\", id 7";
    let id = r#""id":7,"#;
    let (method, name) = (AGREES[0], AGREES[1]);
    for (headers, body, by_rmcp, by_layer) in [
        (vec![method, name], call(id), sum, sum),
        // Both refuse headers that differ from the body.
        (
            vec![("mcp-method", "tools/list"), name],
            call(id),
            "400, -32020, id 7",
            "400, -32020, id 7",
        ),
        (vec![method, ("mcp-name", "fail")], call(id), "400, -32020, id 7", "400, -32020, id 7"),
        (vec![method], call(id), "400, -32020, id 7", "400, -32020, id 7"),
        // The layer names the rule and the id.
        (vec![method, name], call(r#""id":7,"method":"tools/list","#), "415", "400, -32600, id 7"),
        (vec![method, name], call(r#""id":null,"#), "415", "400, -32600, id none"),
        (vec![method, name], format!("[{}]", call(id)), "415", "400, -32600, id none"),
        (vec![method, name], "{".to_owned(), "415", "400, -32700, id none"),
        // The layer alone refuses these, as rmcp is configured here.
        (vec![method, name, ("origin", "https://evil.example")], call(id), sum, "403"),
        (
            vec![method, name, ("mcp-protocol-version", "2026-07-28")],
            call(id),
            sum,
            "400, -32020, id 7",
        ),
    ] {
        assert_eq!(send(plain(), &headers, &body).await, by_rmcp, "rmcp: {headers:?} {body}");
        assert_eq!(send(layered(), &headers, &body).await, by_layer, "layer: {headers:?} {body}");
    }
}
