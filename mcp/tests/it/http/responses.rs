//! What a client or a gateway finds in a response.

use tautline::Message;
use tautline_mcp::http::{Content, Exchange, Received, Resuming};
use tautline_mcp::{Revision, rule};

use super::show;

const NEW: Revision = Revision::V2026_07_28;
const OLD: Revision = Revision::V2025_11_25;

const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"n"}}"#;
const LISTEN: &str = r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#;
const RESULT: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}"#;
const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":"s","method":"ping"}"#;
const ACKNOWLEDGED: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}"#;

fn sent(revision: Revision, frame: &str) -> Exchange<'_> {
    Exchange::post(revision, Message::parse(frame.as_bytes(), &revision.profile()).unwrap())
}

/// Passes a response: its status, its headers on a line each, and its messages. Returns the findings.
fn receive(mut exchange: Exchange<'_>, status: u16, headers: &str, messages: &[&str]) -> String {
    let mut found = Vec::new();
    let lines = headers.lines().map(|line| line.split_once(": ").unwrap());
    let lines = lines.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let content = exchange.head(status, lines, |finding| found.push(show(finding)));
    if content != Content::Other {
        for message in messages {
            let message = Message::parse(message.as_bytes(), &exchange.profile());
            exchange.message(message, |finding| found.push(show(finding)));
        }
    }
    exchange.end(|finding| found.push(show(finding)));
    found.join(", ")
}

const JSON: &str = "Content-Type: application/json";
const EVENTS: &str = "Content-Type: text/event-stream;charset=utf-8\nX-Accel-Buffering: no";

fn error(id: &str, code: i32) -> String {
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"m"}}}}"#)
}

#[test]
fn one_response_for_each_request() {
    for (status, headers, messages, found) in [
        // "A single JSON object", or "an SSE stream … carrying notifications followed by the final response".
        (200, JSON, &[RESULT][..], ""),
        (200, EVENTS, &[PROGRESS, RESULT], ""),
        (200, EVENTS, &[PROGRESS], "unanswered-request"),
        (200, JSON, &[], "unanswered-request"),
        // "The final response SHOULD terminate the stream."
        (200, EVENTS, &[RESULT, PROGRESS], "message-after-response"),
        (200, EVENTS, &[RESULT, RESULT], "response-duplicate"),
        (
            200,
            JSON,
            &[r#"{"jsonrpc":"2.0","id":8,"result":{}}"#],
            "response-unexpected, unanswered-request",
        ),
        (200, JSON, &[r#"{"jsonrpc":"2.0","id":"7","result":{}}"#], "response-id-rewritten"),
        // "The server MUST NOT send independent requests on this stream."
        (200, EVENTS, &[PING, RESULT], "wrong-direction"),
        (200, JSON, &["{"], "not-json, unanswered-request"),
        // "The server MUST return either application/json or text/event-stream."
        (
            200,
            "Content-Type: text/html",
            &[],
            "http-response-type Content-Type, unanswered-request",
        ),
        (200, "X: y", &[], "http-response-type Content-Type, unanswered-request"),
        (
            200,
            "Content-Type: application/json\nContent-Type: text/html",
            &[],
            "http-response-type Content-Type, unanswered-request",
        ),
        (202, JSON, &[RESULT], "http-status, http-status"),
        // "Servers SHOULD include X-Accel-Buffering: no."
        (200, "Content-Type: text/event-stream", &[RESULT], "events-buffered X-Accel-Buffering"),
        // The page of a proxy.
        (502, "Content-Type: text/html", &[], ""),
    ] {
        assert_eq!(
            receive(sent(NEW, CALL), status, headers, messages),
            found,
            "{status} {headers} {messages:?}"
        );
    }
}

#[test]
fn errors_have_the_status_of_their_code() {
    for (status, id, code, found) in [
        // "It MUST respond with 404 and -32601", and with 400 for the three codes of MCP.
        (404, r#""id":7,"#, -32601, ""),
        (200, r#""id":7,"#, -32601, "http-status"),
        (400, r#""id":7,"#, -32601, "http-status"),
        (400, r#""id":7,"#, -32020, ""),
        (200, r#""id":7,"#, -32022, "http-status"),
        (403, r#""id":7,"#, -32021, "http-status"),
        // No clause demands a status of others.
        (200, r#""id":7,"#, -32602, ""),
        (400, r#""id":7,"#, -32602, ""),
        (500, r#""id":7,"#, -32603, ""),
        // "An error response that has no id."
        (403, "", -32600, ""),
        (200, "", -32600, "response-unexpected, unanswered-request"),
    ] {
        let body = error(id, code);
        assert_eq!(receive(sent(NEW, CALL), status, JSON, &[&body]), found, "{status} {body}");
    }
    assert_eq!(receive(sent(NEW, CALL), 400, JSON, &[RESULT]), "http-status");
    // A stream has begun before its error.
    assert_eq!(
        receive(sent(NEW, CALL), 200, EVENTS, &[PROGRESS, &error(r#""id":7,"#, -32601)]),
        ""
    );
    // The older revisions name no such statuses.
    assert_eq!(receive(sent(OLD, CALL), 200, JSON, &[&error(r#""id":7,"#, -32601)]), "");
}

#[test]
fn notifications_are_acknowledged() {
    for (revision, status, messages, found) in [
        // "The server MUST return 202 with no body", or an error status.
        (OLD, 202, &[][..], ""),
        (OLD, 202, &[RESULT], "http-body-unexpected"),
        (OLD, 200, &[], "http-status"),
        (OLD, 204, &[], "http-status"),
        (OLD, 400, &[], ""),
        (NEW, 202, &[], ""),
    ] {
        assert_eq!(receive(sent(revision, NOTE), status, JSON, messages), found, "{status}");
    }
    assert_eq!(receive(sent(OLD, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), 202, "X: y", &[]), "");
    assert_eq!(receive(sent(OLD, NOTE), 400, JSON, &[&error("", -32600)]), "");
}

#[test]
fn subscriptions_are_acknowledged_first() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    // patterns/subscriptions: the acknowledgement comes first, and the stream stays open.
    assert_eq!(receive(sent(NEW, LISTEN), 200, EVENTS, &[ACKNOWLEDGED, changed]), "");
    assert_eq!(
        receive(sent(NEW, LISTEN), 200, EVENTS, &[changed, ACKNOWLEDGED]),
        "subscription-unacknowledged"
    );
    // "The server's response is itself an SSE stream."
    assert_eq!(receive(sent(NEW, LISTEN), 200, JSON, &[RESULT]), "http-response-type");
    assert_eq!(receive(sent(NEW, LISTEN), 404, JSON, &[&error(r#""id":7,"#, -32601)]), "");
}

#[test]
fn streams_of_the_legacy_era() {
    // "The server MAY send requests and notifications."
    assert_eq!(receive(sent(OLD, CALL), 200, EVENTS, &[PING, PROGRESS, RESULT]), "");
    // "It MUST NOT send a response on the stream unless resuming."
    let get = |resuming| Exchange::get(OLD, resuming);
    assert_eq!(receive(get(Resuming::No), 200, EVENTS, &[PING, RESULT]), "response-unexpected");
    assert_eq!(receive(get(Resuming::Yes), 200, EVENTS, &[RESULT]), "");
    // "Either text/event-stream, or else 405."
    assert_eq!(receive(get(Resuming::No), 200, JSON, &[]), "http-response-type Content-Type");
    assert_eq!(receive(get(Resuming::No), 405, "X: y", &[]), "");
    assert_eq!(receive(Exchange::delete(OLD), 204, "X: y", &[]), "");
    assert_eq!(receive(Exchange::delete(OLD), 405, "X: y", &[]), "");
}

#[test]
fn session_ids_in_responses() {
    let with = |id: &str| receive(sent(OLD, CALL), 200, &format!("{JSON}\n{id}"), &[RESULT]);
    assert_eq!(with("Mcp-Session-Id: 1868a90c"), "");
    // "The session ID MUST only contain visible ASCII characters."
    assert_eq!(with("Mcp-Session-Id: a b"), "session-id-syntax Mcp-Session-Id");
    assert_eq!(with("Mcp-Session-Id: a\nMcp-Session-Id: b"), "http-header-repeated Mcp-Session-Id");
}

#[test]
fn batches_are_answered_one_by_one() {
    let revision = Revision::V2025_03_26;
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;
    let answer = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    let (one, two, both) = (answer(1), answer(2), format!("[{},{}]", answer(2), answer(1)));
    let of = |messages: &[&str]| receive(sent(revision, batch), 200, EVENTS, messages);
    assert_eq!(of(&[&one, &two]), "");
    assert_eq!(of(&[&both]), "");
    assert_eq!(of(&[&two]), "unanswered-request");
    assert_eq!(of(&[&both, &one]), "response-duplicate");
}

/// A response may be to a request that is not looked at.
#[test]
fn in_a_batch_of_many_requests_no_response_is_unexpected() {
    let of = |count: u32, id: u32| {
        let requests =
            (1..=count).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        let batch = format!("[{}]", requests.collect::<Vec<_>>().join(","));
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        receive(sent(Revision::V2025_03_26, &batch), 200, EVENTS, &[&answer])
    };
    assert_eq!(of(64, 64), "unanswered-request");
    assert_eq!(of(64, 65), "response-unexpected, unanswered-request");
    for id in [1, 64, 65, 66, 100] {
        assert_eq!(of(100, id), "unanswered-request", "{id}");
    }
}

#[test]
fn messages_are_told_apart() {
    let mut exchange = sent(OLD, CALL);
    let headers: [(&[u8], &[u8]); 1] = [(b"content-type", b"text/event-stream")];
    assert_eq!(exchange.head(200, headers.into_iter(), |_| {}), Content::Events);
    let mut receive = |frame: &str| {
        let message = Message::parse(frame.as_bytes(), &OLD.profile());
        exchange.message(message, |finding| assert_ne!(finding.rule(), rule::HTTP_STATUS))
    };
    assert_eq!(receive(PING), Received::Request);
    assert_eq!(receive(PROGRESS), Received::Notification);
    assert_eq!(receive("}"), Received::Stray);
    assert_eq!(receive(RESULT), Received::Answer);
    assert!(exchange.is_answered());
}
