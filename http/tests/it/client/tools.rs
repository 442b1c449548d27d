//! Tools whose parameters travel in headers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tautline_tokio::{CallError, Handlers};

use super::support::{Incidents, LEGACY, MODERN, Seen, Server, error, result, usual, within};

fn tool(name: &str, properties: Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
}

fn list(tools: &[Value]) -> Value {
    json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools })
}

fn parameters(seen: &Seen) -> Vec<(String, String)> {
    let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
    let all = seen.headers.iter().map(|(name, value)| (name.to_string(), value));
    let mut parameters: Vec<_> = all
        .filter(|(name, _)| name.starts_with("mcp-param-"))
        .map(|(name, value)| (name, text(value)))
        .collect();
    parameters.sort();
    parameters
}

#[tokio::test]
async fn arguments_are_repeated_in_headers() {
    let tools = [tool(
        "t",
        json!({
            "region": { "type": "string", "x-mcp-header": "Region" },
            "count": { "type": "integer", "x-mcp-header": "Count" },
            "flag": { "type": "boolean", "x-mcp-header": "Flag" },
            "place": { "type": "object", "properties": {
                "city": { "type": "string", "x-mcp-header": "City" },
            } },
            "other": { "type": "string" },
        }),
    )];
    let tools: &'static [Value] = Box::leak(Box::new(tools));
    let server = Server::start(move |seen| {
        usual(seen, async move |seen| match seen.method() {
            "tools/list" => result(&seen, list(tools)),
            _ => result(&seen, json!({})),
        })
    })
    .await;
    let connection = server.connect(MODERN).await;
    let peer = connection.peer();
    let listed: Value = within(peer.call("tools/list", json!({}))).await.unwrap();
    assert_eq!(listed["tools"], json!(tools));
    let call = async |name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let _: Value = within(peer.call("tools/call", params)).await.unwrap();
        parameters(server.log().last().unwrap())
    };
    let pair = |name: &str, value: &str| (format!("mcp-param-{name}"), value.to_owned());
    let all = json!({
        "region": "us-west1", "count": 42, "flag": false, "place": { "city": "Zürich" }, "other": "x",
    });
    assert_eq!(
        call("t", all).await,
        [
            pair("city", "=?base64?WsO8cmljaA==?="),
            pair("count", "42"),
            pair("flag", "false"),
            pair("region", "us-west1"),
        ]
    );
    let some = json!({ "region": "line1\nline2", "count": null, "place": {}, "flag": true });
    assert_eq!(
        call("t", some).await,
        [pair("flag", "true"), pair("region", "=?base64?bGluZTEKbGluZTI=?=")]
    );
    assert_eq!(call("t", json!({ "region": "" })).await, [pair("region", "")]);
    assert_eq!(call("unknown", json!({ "region": "a" })).await, []);
}

#[tokio::test]
async fn invalid_tools_are_left_out_and_reported() {
    let good = json!({ "region": { "type": "string", "x-mcp-header": "Region" } });
    let bad = json!({ "a": { "type": "number", "x-mcp-header": "A" } });
    let tools = [tool("bad", bad.clone()), tool("good", good), tool("worse", bad)];
    let tools: &'static [Value] = Box::leak(Box::new(tools));
    let server =
        Server::start(move |seen| usual(seen, async move |seen| result(&seen, list(tools)))).await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(MODERN);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let listed: Value = within(connection.peer().call("tools/list", json!({}))).await.unwrap();
    assert_eq!(listed, list(&tools[1..2]));
    let of = |name: &str, at: usize| {
        let path = format!("result.tools[{at}].inputSchema.properties.a.x-mcp-header");
        format!("the tool {name:?} was left out, because {path} is invalid")
    };
    assert_eq!(incidents.take(), [of("bad", 0), of("worse", 2)]);

    // The legacy era knows no such headers.
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let listed: Value = within(connection.peer().call("tools/list", json!({}))).await.unwrap();
    assert_eq!(listed, list(tools));
    assert_eq!(incidents.take(), [""; 0]);
}

/// A server whose tool is on the second page, and has had another header in the first list.
async fn changing(refuses: usize) -> (Server, Arc<AtomicUsize>) {
    let lists = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lists);
    let server = Server::start(move |seen| {
        let lists = Arc::clone(&lists);
        usual(seen, async move |seen| match seen.method() {
            "tools/list" if seen.body["params"]["cursor"].is_null() => {
                lists.fetch_add(1, Ordering::SeqCst);
                let mut first = list(&[tool("first", json!({}))]);
                first["nextCursor"] = json!("2");
                result(&seen, first)
            }
            "tools/list" => {
                let header = format!("Header{}", lists.load(Ordering::SeqCst));
                let property = json!({ "a": { "type": "string", "x-mcp-header": header } });
                result(&seen, list(&[tool("t", property)]))
            }
            _ => {
                let number = lists.load(Ordering::SeqCst);
                match seen.header(&format!("mcp-param-header{number}")) {
                    Some(_) if number > refuses => result(&seen, json!({ "number": number })),
                    _ => error(&seen, 400, -32020, json!(null)),
                }
            }
        })
    })
    .await;
    (server, count)
}

#[tokio::test]
async fn a_call_with_the_wrong_headers_is_repeated_once() {
    let (server, lists) = changing(0).await;
    let connection = server.connect(MODERN).await;
    let params = json!({ "name": "t", "arguments": { "a": "x" } });
    // The tools were never listed.
    let request = connection.peer().request("tools/call", &params).with_progress();
    let result: Value = within(request).await.unwrap();
    assert_eq!(result, json!({ "number": 1 }));
    assert_eq!(
        server.methods(),
        ["server/discover", "tools/call", "tools/list", "tools/list", "tools/call"]
    );
    let log = server.log().clone();
    assert_eq!(log[1].body, log[4].body);
    assert_eq!(log[4].header("mcp-param-header1"), Some("x"));
    let meta = &log[2].body["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["progressToken"], Value::Null, "the token belongs to the call");
    assert!(log[1].body["params"]["_meta"]["progressToken"].is_string());

    // The next list has another header.
    lists.store(7, Ordering::SeqCst);
    let result: Value = within(connection.peer().call("tools/call", &params)).await.unwrap();
    assert_eq!(result, json!({ "number": 8 }));
}

#[tokio::test]
async fn the_second_refusal_of_headers_is_final() {
    // The server changes its mind with each list.
    let (server, _) = changing(usize::MAX).await;
    let connection = server.connect(MODERN).await;
    let params = json!({ "name": "t", "arguments": { "a": "x" } });
    let called = within(connection.peer().call::<Value>("tools/call", &params)).await;
    let Err(CallError::Peer(refusal)) = called else { panic!("{called:?}") };
    assert_eq!(refusal.code().value(), -32020);
    assert_eq!(server.all("tools/call").len(), 2);

    // Nothing is repeated if the headers would be the same.
    let params = json!({ "name": "first", "arguments": { "a": "x" } });
    let called = within(connection.peer().call::<Value>("tools/call", &params)).await;
    assert!(matches!(called, Err(CallError::Peer(_))));
    assert_eq!(server.all("tools/call").len(), 3);
}
