//! The means of an operator: states for access logs, headers for the server, the log, the counters, and lists of what
//! is allowed.

use serde_json::{Value, json};
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::outcome::Outcome;
use tautline_gateway_tests::request::Plain;
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::runtimes;
use tautline_gateway_tests::upstream::Upstream;

/// A call of a tool of the revision 2026-07-28.
fn call(tool: &str, argument: &str) -> Plain {
    let body = json!({
        "jsonrpc": "2.0",
        "id": "id-of-the-request",
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": { "a": argument },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    Plain::post(body.to_string())
        .with("mcp-protocol-version", "2026-07-28")
        .with("mcp-method", "tools/call")
        .with("mcp-name", "read")
}

fn reached(outcome: Outcome) -> http::HeaderMap {
    match outcome {
        Outcome::Reached(record) => record.headers,
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_access_log_has_the_states() {
    for rig in Rig::each(&json!({})).await {
        let _ = rig.send(&call("read", "").bytes()).await;
        let _ = rig.send(&call("delete", "").bytes()).await;
        let lines = rig.envoy.access(2).await;
        let states: Vec<_> = lines.iter().map(|line| line.states.as_slice()).collect();
        let accepted = ["accepted", "-", "2026-07-28", "tools/call", "read"];
        assert_eq!(states[0], accepted, "{}", rig.runtime);
        let [verdict, rule, ..] = states[1] else { panic!("{states:?}") };
        assert_eq!([verdict, rule], ["refused", "http-header-mismatch"], "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_of_the_filter_cannot_be_forged() {
    let names = ["verdict", "rule", "revision", "method", "name"];
    let forged = |request: Plain| {
        request
            .with("x-tautline-verdict", "forged")
            .with("x-tautline-rule", "forged")
            .with("x-tautline-revision", "forged")
            .with("x-tautline-method", "forged")
            .with("x-tautline-name", "forged")
    };
    for rig in Rig::each(&json!({ "request_headers": true, "paths": ["/mcp"] })).await {
        let (_, outcome) = rig.send(&forged(call("read", "")).bytes()).await;
        let headers = reached(outcome);
        let values = names.map(|name| {
            let name = format!("x-tautline-{name}");
            headers
                .get_all(name)
                .iter()
                .map(|value| value.to_str().expect("ASCII"))
                .collect::<Vec<_>>()
                .join(",")
        });
        assert_eq!(values, ["accepted", "", "2026-07-28", "tools/call", "read"], "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_paths_are_not_judged() {
    for rig in Rig::each(&json!({ "paths": ["/mcp"] })).await {
        let request = Plain::broken(1);
        let text = String::from_utf8(request.bytes()).expect("a text");
        for (path, is_judged) in [
            ("/mcp", true),
            ("/mcp?query", true),
            ("/mcp/", true),
            ("/MCP;a=b", true),
            ("/other", false),
            ("/mcpx", false),
        ] {
            let bytes = text.replacen("/mcp", path, 1);
            let (_, outcome) = rig.send(bytes.as_bytes()).await;
            let is_answered = matches!(outcome, Outcome::Answered { status: 400, .. });
            assert_eq!(is_answered, is_judged, "{}: {path}: {outcome}", rig.runtime);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_and_tools_are_denied_by_name() {
    let settings = json!({
        "methods": { "deny": ["ping"] },
        "tools": { "allow": ["read"] },
        "denied": { "status": 451, "code": -31_999, "message": "not here" },
    });
    for rig in Rig::each(&settings).await {
        let (_, outcome) = rig.send(&call("read", "").bytes()).await;
        let _ = reached(outcome);
        // An escape in the name makes no difference.
        let escaped = Plain::post(r#"{"jsonrpc":"2.0","id":1,"method":"p\u0069ng"}"#);
        let other = Plain::post(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#,
        );
        for request in [Plain::ping(1), escaped, other] {
            let (reply, _) = rig.send(&request.bytes()).await;
            let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
            assert_eq!(reply.status, 451, "{}: {reply:?}", rig.runtime);
            assert_eq!(body["id"], 1, "{}", rig.runtime);
            assert_eq!(body["error"]["code"], -31_999, "{}", rig.runtime);
            assert_eq!(body["error"]["message"], "not here", "{}", rig.runtime);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_has_no_payload_and_the_id_as_wanted() {
    for (id, expected) in
        [("plain", Some("id-of-the-request")), ("hash", Some(" id=")), ("none", None)]
    {
        let key = "0123456789abcdef0123456789abcdef";
        let log = if id == "hash" { json!({ "id": id, "key": key }) } else { json!({ "id": id }) };
        for rig in Rig::each(&json!({ "log": log, "counters": "other" })).await {
            let _ = rig.send(&call("delete", "secret of the caller").bytes()).await;
            let counters = rig.envoy.counters().await;
            assert_eq!(counters.get("other.request.refused"), Some(&1), "{counters:?}");
            let log = rig.envoy.log();
            let lines = log.lines().filter(|line| line.contains("tautline: request refused"));
            let [line] = lines.collect::<Vec<_>>()[..] else { panic!("{}: {log}", rig.runtime) };
            assert!(line.contains("http-header-mismatch"), "{line}");
            assert_eq!(line.contains("id-of-the-request"), id == "plain", "{line}");
            assert_eq!(line.contains(" id="), expected.is_some(), "{line}");
            assert!(!log.contains("secret of the caller"), "{log}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn envoy_does_not_start_with_invalid_settings() {
    let upstream = Upstream::start().await;
    for (settings, reason) in [
        (r#"{"requests":"enforced"}"#, "requests"),
        (r#"{"request":"enforce"}"#, "request"),
        (r#"{"limits":{"request":2000000}}"#, "request"),
        (r#"{"revisions":["2024-11-05"]}"#, "revisions[0]: must be one of"),
        (r#"{"revisions":[]}"#, "revisions"),
        (r#"{"methods":{"allow":["a"],"deny":["b"]}}"#, "methods"),
        ("{", "must be JSON"),
        ("[]", "must be"),
    ] {
        for runtime in runtimes() {
            let filter = Filter::Tautline { runtime: runtime.clone(), settings: settings.into() };
            let started = Envoy::try_start(&Config::new(filter, upstream.address)).await;
            let Err(failure) = started else { panic!("{runtime}: Envoy has started: {settings}") };
            assert!(failure.has_ended, "{runtime}: {settings}: {failure}");
            let said =
                failure.log.lines().any(|line| line.contains("tautline") && line.contains(reason));
            assert!(said, "{runtime}: {settings}: {failure}");
        }
    }
}
