//! A server that sends all kinds of broken answers. No call hangs: each fails with the broken rule, or succeeds if that
//! is right, and the next call works.

use std::time::Duration;

use serde_json::{Value, json};
use tautline::Profile;
use tautline::frame::Splitter;
use tautline_mcp::{Revision, rule};
use tautline_tokio::{CallError, Closed, Connection, Handlers, Options, Stray};

use crate::support::{Wire, pipe, within};

/// The limit on frames, and the time-out of calls.
const LIMIT: u32 = 4096;
const SHORT: Duration = Duration::from_millis(150);

/// The expected end of the call.
#[derive(Debug)]
enum Expected {
    /// The call succeeds with the right result.
    Success,
    /// The answer breaks this rule.
    Broken(&'static str),
    /// The call ends by its time-out, whose error names the rule that a stray frame broke.
    Stray(&'static str),
    /// The call ends by its time-out, because of an error without an id.
    StrayError,
    /// The call ends by its time-out, because of a response with another id.
    StrayId,
    /// The call fails with the peer's error.
    Error(i64),
    /// The result cannot be read as the type.
    Unreadable,
}

use Expected::{Broken, Error, Stray as Names, StrayError, StrayId, Success, Unreadable};

/// The server sends this instead of the right answer, or besides it. `ID` is the id of the call, `OK` the right answer.
const CASES: &[(&str, &str, Expected)] = &[
    ("right", "OK\n", Success),
    ("CRLF", "OK\r\n", Success),
    ("blank lines", "\n\r\n  \nOK\n\n", Success),
    ("not JSON", "listening on port 80\n", Names("not-json")),
    ("a log line, then the answer", "listening on port 80\nOK\n", Success),
    ("truncated JSON", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"resu\n", Names("not-json")),
    ("null result", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":null}\n", Broken("result-type")),
    ("array result", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":[]}\n", Broken("result-type")),
    ("another type", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":1}}\n", Unreadable),
    (
        "both",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}\n",
        Broken("result-and-error"),
    ),
    ("neither", "{\"jsonrpc\":\"2.0\",\"id\":ID}\n", Broken("no-shape")),
    ("no jsonrpc", "{\"id\":ID,\"result\":{\"ok\":true}}\n", Broken("missing-jsonrpc")),
    ("wrong jsonrpc", "{\"jsonrpc\":\"1.0\",\"id\":ID,\"result\":{}}\n", Broken("wrong-version")),
    ("number jsonrpc", "{\"jsonrpc\":2.0,\"id\":ID,\"result\":{}}\n", Broken("wrong-version")),
    ("string id", "{\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{\"ok\":true}}\n", Success),
    ("id 1.0", "{\"jsonrpc\":\"2.0\",\"id\":ID.0,\"result\":{\"ok\":true}}\n", Success),
    ("another string id", "{\"jsonrpc\":\"2.0\",\"id\":\"IDx\",\"result\":{}}\n", StrayId),
    (
        "broken, id 1.0",
        "{\"jsonrpc\":\"2.0\",\"id\":ID.0,\"result\":null}\n",
        Broken("result-type"),
    ),
    ("id 1.5", "{\"jsonrpc\":\"2.0\",\"id\":ID.5,\"result\":{}}\n", Names("id-fraction")),
    ("unknown id", "{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n", StrayId),
    ("missing id", "{\"jsonrpc\":\"2.0\",\"result\":{}}\n", Names("response-without-id")),
    ("null id", "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n", Names("id-null")),
    (
        "duplicate id",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"id\":ID,\"result\":{}}\n",
        Names("duplicate-member"),
    ),
    (
        "duplicate result",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{},\"result\":{}}\n",
        Broken("duplicate-member"),
    ),
    (
        "error",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-3,\"message\":\"\"}}\n",
        Error(-3),
    ),
    (
        "error without code",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"message\":\"\"}}\n",
        Broken("error-code-missing"),
    ),
    (
        "error without message",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":1}}\n",
        Broken("error-message-missing"),
    ),
    ("string error", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":\"no\"}\n", Broken("error-type")),
    ("null error", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":null}\n", Broken("error-type")),
    (
        "error without id",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"\"}}\n",
        StrayError,
    ),
    (
        "code of 100 digits",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":1HUGE,\"message\":\"\"}}\n",
        Unreadable,
    ),
    (
        "oversized",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":\"LONG\"}}\n",
        Broken("frame-too-long"),
    ),
    (
        "oversized, id last",
        "{\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"LONG\"},\"id\":ID}\n",
        Broken("frame-too-long"),
    ),
    ("BOM at the start", "\u{feff}OK\n", Success),
    ("BOM later", "\n\u{feff}OK\n", Names("not-json")),
    ("batch of one", "[OK]\n", Names("batch-not-allowed")),
    ("twice", "OK\nOK\n", Success),
    (
        "two answers",
        "OK\n{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":1,\"message\":\"\"}}\n",
        Success,
    ),
    ("request with its id", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"method\":\"x\"}\nOK\n", Success),
    ("headers", "Content-Length: 10\r\n\r\nOK\n", Success),
    ("nested too deep", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":DEEP}\n", Broken("too-deep")),
    ("raw CR", "{\"jsonrpc\":\"2.0\",\r\"id\":ID,\"result\":{}}\n", Broken("raw-carriage-return")),
];

fn start(profile: &Profile) -> (Connection, Wire) {
    let (end, wire) = pipe();
    let options = Options::new(profile, Splitter::new(LIMIT));
    (options.start_stream(end, Handlers::new(())), wire)
}

/// Answers the call of `first` with the text, and calls of `second` correctly.
async fn serve(mut wire: Wire, text: String) -> Vec<Value> {
    let call = loop {
        let message = wire.message().await;
        if message["method"] == "first" {
            break message;
        }
    };
    let id = call["id"].to_string();
    let ok = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"ok\":true}}}}");
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let text = text.replace("HUGE", &"0".repeat(100)).replace("DEEP", &deep);
    let text = text.replace("OK", &ok).replace("ID", &id).replace("LONG", &"x".repeat(9000));
    wire.send(text).await;
    // Replies to invalid frames may come before.
    let mut replies = Vec::new();
    while let Some(line) = wire.line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "second" {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"ok": true}});
            wire.send_line(answer.to_string()).await;
        } else {
            replies.push(message);
        }
    }
    replies
}

#[derive(Debug, serde::Deserialize)]
struct Ok {
    ok: bool,
}

fn check(name: &str, expected: &Expected, outcome: Result<Ok, CallError>) {
    let named = |rule: &str, finding: &tautline::Finding| rule::name(finding.rule()) == rule;
    let is_right = match (expected, &outcome) {
        (Success, Ok(result)) => result.ok,
        (Broken(rule), Err(CallError::Broken(finding))) => named(rule, finding),
        (Names(rule), Err(CallError::TimedOut { stray: Some(Stray::Fault(fault)), .. })) => {
            named(rule, fault)
        }
        (StrayError, Err(CallError::TimedOut { stray: Some(Stray::Error(_)), .. })) => true,
        (StrayId, Err(CallError::TimedOut { stray: Some(Stray::UnknownId(_)), .. })) => true,
        (Error(code), Err(CallError::Peer(error))) => error.code().value() == *code,
        (Unreadable, Err(CallError::Unreadable(_))) => true,
        _ => false,
    };
    assert!(is_right, "{name}: {outcome:?} is not {expected:?}");
}

#[tokio::test]
async fn each_broken_answer_fails_its_call_and_no_other() {
    for (name, text, expected) in CASES {
        let (connection, wire) = start(&Revision::V2025_11_25.profile());
        let server = tokio::spawn(serve(wire, (*text).to_owned()));
        let peer = connection.peer();
        let is_timed = matches!(expected, Names(_) | StrayError | StrayId);
        let short = peer.with_timeout(is_timed.then_some(SHORT));
        let outcome = within(short.call::<Ok>("first", ())).await;
        check(name, expected, outcome);
        assert_eq!(peer.pending_calls(), 0, "{name}");
        let next = within(peer.call::<Ok>("second", ())).await;
        assert!(next.is_ok_and(|next| next.ok), "{name}: the next call");
        drop(connection);
        let replies = within(server).await.unwrap();
        if matches!(expected, Broken(_)) {
            // A reply with the id of the call would answer a call of the peer with the same id.
            assert_eq!(replies, [] as [Value; 0], "{name}");
        }
    }
}

/// Bytes that are not UTF-8 can't be in a table of texts.
#[tokio::test]
async fn an_answer_that_is_not_utf8() {
    let (connection, mut wire) = start(&Profile::JSON_RPC);
    let server = async {
        wire.message().await;
        wire.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}\n").await;
        assert_eq!(wire.message().await["error"]["code"], -32700);
        let id = wire.message().await["id"].clone();
        wire.send_line(json!({"jsonrpc": "2.0", "id": id, "result": null}).to_string()).await;
    };
    let client = async {
        let error = connection.peer().with_timeout(SHORT).call::<Value>("a", ()).await.unwrap_err();
        let CallError::TimedOut { stray: Some(Stray::Fault(fault)), .. } = error else {
            panic!("{error}")
        };
        assert_eq!(rule::name(fault.rule()), "invalid-utf8");
        connection.peer().call::<()>("b", ()).await.unwrap();
    };
    within(async { tokio::join!(server, client) }).await;
}

/// Under the rules of JSON-RPC 2.0, some of these are right.
#[tokio::test]
async fn what_other_rules_allow() {
    for text in [
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}]\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n",
        // The last line needs no newline.
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}",
    ] {
        let (connection, mut wire) = start(&Profile::JSON_RPC);
        let call = connection.peer().call::<Option<u8>>("first", ());
        let server = async {
            wire.message().await;
            wire.send(text).await;
            wire.close().await;
        };
        let (outcome, ()) = within(async { tokio::join!(call, server) }).await;
        assert_eq!(outcome.unwrap(), None, "{text}");
    }
}

/// The call fails when the connection ends, even if a part of its answer was received.
#[tokio::test]
async fn the_end_of_the_connection_fails_all_calls() {
    for text in ["", "{\"jsonrpc\":\"2.0\",\"id\":1,\"res", "\n", "garbage\n"] {
        let (end, mut wire) = pipe();
        let options = Options::json_rpc().with_timeout(None);
        let connection = options.start_stream(end, Handlers::new(()));
        let calls = (0..10).map(|_| {
            let peer = connection.peer().clone();
            tokio::spawn(async move { peer.call::<Value>("a", ()).await })
        });
        let calls: Vec<_> = calls.collect();
        for _ in 0..10 {
            wire.message().await;
        }
        wire.send(text).await;
        wire.close().await;
        for call in calls {
            let error = within(call).await.unwrap().unwrap_err();
            assert!(matches!(error, CallError::Closed(Closed::Remote)), "{text:?}: {error}");
        }
        assert!(matches!(within(connection.wait()).await, Closed::Remote));
        // A call after the end fails at once.
        let error = within(connection.peer().call::<Value>("a", ())).await.unwrap_err();
        assert!(matches!(error, CallError::Closed(Closed::Remote)), "{error}");
    }
}
