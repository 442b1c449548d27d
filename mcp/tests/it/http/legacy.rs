//! Requests of 2025-03-26 to 2025-11-25. Clauses are those of basic/transports, Streamable HTTP, unless they name another
//! page.

use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy, Sessions};

use super::{check, judge_by};

const COMMON: &str = "Host: mcp.example\nContent-Type: application/json\nAccept: application/json, text/event-stream";

const REQUEST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}"#;

fn post(headers: &str, body: &str) -> String {
    format!("POST\n{COMMON}\n{headers}\n\n{body}")
}

/// The headers of a session in 2025-11-25.
const OPEN: &str = "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: open-1125";

#[test]
fn what_a_body_asks_for() {
    for (body, verdict) in [
        (REQUEST, "answer 2025-11-25 NotDue"),
        // "If the server accepts the response or notification, it MUST return 202."
        (NOTE, "acknowledge 2025-11-25 NotDue"),
        (RESPONSE, "acknowledge 2025-11-25 NotDue"),
    ] {
        check(&post(OPEN, body), verdict, "");
    }
    // Mirrored headers mean nothing in this era.
    check(
        &post(&format!("{OPEN}\nMcp-Method: x\nMcp-Name: y"), REQUEST),
        "answer 2025-11-25 NotDue",
        "",
    );
}

#[test]
fn sessions() {
    for (headers, body, verdict, found) in [
        // "Servers that require a session ID SHOULD respond with 400, other than to initialization."
        ("X: y", INITIALIZE, "answer 2025-06-18 NotDue", ""),
        (
            "MCP-Protocol-Version: 2025-11-25",
            REQUEST,
            "400 -32600 7",
            "session-id-missing Mcp-Session-Id",
        ),
        ("MCP-Protocol-Version: 2025-11-25", NOTE, "400", "session-id-missing Mcp-Session-Id"),
        ("MCP-Protocol-Version: 2025-11-25", RESPONSE, "400", "session-id-missing Mcp-Session-Id"),
        // "It MUST respond to requests containing that session ID with 404."
        (
            "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: gone",
            REQUEST,
            "404 -32600 7",
            "session-id-unknown Mcp-Session-Id",
        ),
        ("Mcp-Session-Id: gone", NOTE, "404", "session-id-unknown Mcp-Session-Id"),
        ("Mcp-Session-Id: gone", INITIALIZE, "404 -32600 0", "session-id-unknown Mcp-Session-Id"),
        // "The session ID MUST only contain visible ASCII characters."
        (
            "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: a b",
            REQUEST,
            "400 -32600 7",
            "session-id-syntax Mcp-Session-Id",
        ),
        (
            "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id:",
            REQUEST,
            "400 -32600 7",
            "session-id-syntax Mcp-Session-Id",
        ),
        (
            "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: \u{e4}",
            REQUEST,
            "400 -32600 7",
            "session-id-syntax Mcp-Session-Id",
        ),
        (
            "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: open-1125\nmcp-session-id: open-1125",
            REQUEST,
            "400 -32600 7",
            "http-header-repeated Mcp-Session-Id",
        ),
        // A caller without a list of sessions.
        (
            "MCP-Protocol-Version: 2025-06-18\nMcp-Session-Id: unjudged",
            REQUEST,
            "answer 2025-06-18 NotDue",
            "",
        ),
        // "SHOULD assume protocol version 2025-03-26" (2025-06-18, basic/transports, protocol version header).
        ("Mcp-Session-Id: unjudged", REQUEST, "answer 2025-03-26 NotDue", ""),
    ] {
        check(&post(headers, body), verdict, found);
    }
    // A server without sessions ignores the header.
    const NONE: Policy<'_> = Policy::new(super::BOTH, Allowed::Any, Allowed::Any);
    let text = post("MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: a b", REQUEST);
    assert_eq!(judge_by(&NONE, &text).verdict, "answer 2025-11-25 NotDue");
    let optional = NONE.with_sessions(Sessions::Optional);
    assert_eq!(
        judge_by(&optional, &post("MCP-Protocol-Version: 2025-11-25", REQUEST)).verdict,
        "answer 2025-11-25 NotDue"
    );
    assert_eq!(judge_by(&optional, &text).verdict, "400 -32600 7");
}

#[test]
fn versions() {
    for (headers, verdict, found) in [
        // "If the server does not receive an MCP-Protocol-Version header, and has no other way to identify the version, it
        // SHOULD assume 2025-03-26."
        ("Mcp-Session-Id: open-0326", "answer 2025-03-26 NotDue", ""),
        // "The client MUST include it on all subsequent requests", but the session has the version.
        (
            "Mcp-Session-Id: open-1125",
            "answer 2025-11-25 NotDue",
            "http-header-missing MCP-Protocol-Version",
        ),
        // "The version SHOULD be the one negotiated."
        (
            "Mcp-Session-Id: open-1125\nMCP-Protocol-Version: 2025-06-18",
            "answer 2025-06-18 NotDue",
            "version-header-changed MCP-Protocol-Version",
        ),
        // "If the server receives an invalid or unsupported version, it MUST respond with 400."
        (
            "Mcp-Session-Id: open-1125\nMCP-Protocol-Version: 2024-11-05",
            "400 -32022 7",
            "version-unsupported MCP-Protocol-Version",
        ),
        (
            "Mcp-Session-Id: open-0326\nMCP-Protocol-Version: 2025-03-26\nMCP-Protocol-Version: 2025-03-26",
            "400 -32020 7",
            "http-header-repeated MCP-Protocol-Version",
        ),
    ] {
        let outcome = super::judge(&post(headers, REQUEST));
        assert_eq!(outcome.verdict, verdict, "{headers}");
        assert!(outcome.found.join(", ").starts_with(found), "{headers}: {:?}", outcome.found);
    }
    // Without sessions.
    const OLD: Policy<'_> = Policy::new(&[Revision::V2025_03_26], Allowed::Any, Allowed::Any);
    assert_eq!(judge_by(&OLD, &post("X: y", REQUEST)).verdict, "answer 2025-03-26 NotDue");
    const NEWER: Policy<'_> = Policy::new(&[Revision::V2025_11_25], Allowed::Any, Allowed::Any);
    assert_eq!(judge_by(&NEWER, &post("X: y", REQUEST)).verdict, "400 -32600 7");
    assert_eq!(judge_by(&NEWER, &post("X: y", INITIALIZE)).verdict, "answer 2025-11-25 NotDue");
    assert_eq!(judge_by(&NEWER, &post("MCP-Protocol-Version: x", REQUEST)).verdict, "400 -32600 7");
    // A server of this era does not know the metadata of the other one.
    let modern = REQUEST.replace(
        '}',
        r#","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    );
    assert_eq!(
        judge_by(&NEWER, &post("MCP-Protocol-Version: 2025-11-25", &modern)).verdict,
        "answer 2025-11-25 NotDue"
    );
}

#[test]
fn batches_are_those_of_the_revision() {
    let old = "MCP-Protocol-Version: 2025-03-26\nMcp-Session-Id: open-0326";
    // "The body MUST be … an array batching one or more requests and/or notifications, or responses."
    check(&post(old, &format!("[{NOTE},{REQUEST}]")), "answer 2025-03-26 NotDue", "");
    check(&post(old, &format!("[{NOTE},{NOTE}]")), "acknowledge 2025-03-26 NotDue", "");
    check(&post(old, &format!("[{RESPONSE}]")), "acknowledge 2025-03-26 NotDue", "");
    // JSON-RPC 2.0, section 6: an element that is no message is answered, although no request is beside it.
    check(&post(old, "[1]"), "answer 2025-03-26 NotDue", "");
    check(&post(old, &format!("[{NOTE},1]")), "answer 2025-03-26 NotDue", "");
    check(&post(old, &format!("[{RESPONSE},{REQUEST}]")), "400 -32600", "batch-mixed");
    check(&post(old, "[]"), "400 -32600", "batch-empty");
    // The header is absent, so it is 2025-03-26.
    check(
        &post("Mcp-Session-Id: open-0326", &format!("[{REQUEST}]")),
        "answer 2025-03-26 NotDue",
        "",
    );
    // basic/lifecycle: "initialize MUST NOT be part of a batch".
    check(&post(old, &format!("[{INITIALIZE}]")), "400 -32600", "initialize-in-batch");
    // 2025-06-18 has removed them.
    check(&post(OPEN, &format!("[{REQUEST}]")), "400 -32600", "batch-not-allowed");
}

#[test]
fn streams_and_the_end_of_sessions() {
    let get = |headers: &str| format!("GET\nHost: mcp.example\n{headers}");
    let session = "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: open-1125";
    for (text, verdict, found) in [
        // "The client MAY issue a GET." "It MUST include an Accept header, listing text/event-stream."
        (get(&format!("Accept: text/event-stream\n{session}")), "stream 2025-11-25 NotDue", ""),
        (
            get(&format!("Accept: text/event-stream\nLast-Event-ID: 7\n{session}")),
            "stream 2025-11-25 NotDue",
            "",
        ),
        (get(&format!("Accept: application/json\n{session}")), "406", "http-accept Accept"),
        (get(session), "406", "http-accept Accept"),
        (
            get("Accept: text/event-stream\nMcp-Session-Id: gone"),
            "404",
            "session-id-unknown Mcp-Session-Id",
        ),
        (get("Accept: text/event-stream"), "400", "session-id-missing Mcp-Session-Id"),
        (
            get(&format!(
                "Accept: text/event-stream\nLast-Event-ID: 7\nLast-Event-ID: 8\n{session}"
            )),
            "400",
            "http-header-repeated Last-Event-ID",
        ),
        (get(&format!("Accept: */*\nOrigin: x\n{session}")), "403", "http-origin Origin"),
        (
            get("Accept: */*\nMcp-Session-Id: open-1125\nMCP-Protocol-Version: 1"),
            "400",
            "version-unsupported MCP-Protocol-Version",
        ),
        // "Clients SHOULD send an HTTP DELETE with the session id."
        (format!("DELETE\nHost: mcp.example\n{session}"), "end 2025-11-25 NotDue", ""),
        ("DELETE\nHost: mcp.example".to_owned(), "400", "session-id-missing Mcp-Session-Id"),
        (
            "DELETE\nHost: mcp.example\nMcp-Session-Id: gone".to_owned(),
            "404",
            "session-id-unknown Mcp-Session-Id",
        ),
    ] {
        let outcome = super::judge(&text);
        assert_eq!(outcome.verdict, verdict, "{text}");
        assert!(outcome.found.join(", ").starts_with(found), "{text}: {:?}", outcome.found);
    }
    // "Or else return 405, indicating that the server does not offer an SSE stream."
    const BARE: Policy<'_> = Policy::new(super::BOTH, Allowed::Any, Allowed::Any);
    assert_eq!(judge_by(&BARE, &get("Accept: text/event-stream")).verdict, "405");
    assert_eq!(judge_by(&BARE, "DELETE\nHost: a").verdict, "405");
}

#[test]
fn bodies_that_are_no_messages() {
    for (body, verdict, found) in [
        // "If the server cannot accept the input, it MUST return an error status. The body MAY comprise a JSON-RPC error
        // response that has no id."
        ("{", "400 -32700", "not-json"),
        (r#"{"jsonrpc":"2.0","id":7,"method":7}"#, "400 -32600 7", "method-type"),
        (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#, "400", "result-and-error"),
        (r#"{"jsonrpc":"2.0","method":"m","params":[]}"#, "400", "params-type"),
    ] {
        check(&post(OPEN, body), verdict, found);
    }
}

#[test]
fn one_endpoint_serves_both_eras() {
    // basic/versioning of 2026-07-28: "A request carrying modern per-request _meta is served statelessly." Its header is due.
    let modern = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    check(
        &post("MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/list", modern),
        "answer 2026-07-28 NotDue",
        "",
    );
    check(
        &post("Mcp-Method: tools/list", modern),
        "400 -32020 7",
        "http-header-missing MCP-Protocol-Version",
    );
    check(
        &post(&format!("{OPEN}\nMcp-Method: tools/list"), modern),
        "400 -32020 7",
        "http-header-mismatch MCP-Protocol-Version",
    );
    // "An initialize request selects legacy semantics."
    check(&post("MCP-Protocol-Version: 2025-11-25", INITIALIZE), "answer 2025-11-25 NotDue", "");
}
