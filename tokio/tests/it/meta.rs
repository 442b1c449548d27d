//! The members of `_meta` that a connection adds to its requests.

use serde_json::{Value, json};
use tautline_mcp::{Revision, meta};
use tautline_tokio::tautline::encode::EncodeError;
use tautline_tokio::tautline::frame::Splitter;
use tautline_tokio::{CallError, Handlers, Options, Peer, Raw, ToPayload};

use crate::support::{Wire, pipe, within};

/// Sends a request, and returns the text of its params as it arrives, or nothing if there are none.
async fn sent(peer: &Peer, wire: &mut Wire, params: impl ToPayload, progress: bool) -> String {
    let request = peer.request::<Value, _>("m", params);
    let request = if progress { request.with_progress() } else { request };
    let call = within(request.send()).await.unwrap();
    let line = wire.line().await.unwrap();
    wire.send_line(json!({"jsonrpc": "2.0", "id": call.id(), "result": {}}).to_string()).await;
    within(call).await.unwrap();
    let (_, params) = line.trim_end().strip_suffix('}').unwrap().split_once("\"m\"").unwrap();
    params.strip_prefix(",\"params\":").unwrap_or(params).to_owned()
}

fn raw(text: &'static str) -> Raw {
    Raw::parse(text).unwrap()
}

#[tokio::test]
async fn members_are_merged_into_params_of_all_kinds() {
    let (end, mut wire) = pipe();
    let options = Options::mcp(Revision::V2025_11_25)
        .with_meta("a", 0)
        .with_meta("b\"\u{2028}", json!({"c": [1, "\u{2028}"]}))
        .with_meta("a", "x")
        .with_framing(Splitter::new(1000));
    let connection = options.start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    const B: &str = r#""b\"\u2028":{"c":[1,"\u2028"]},"a":"x""#;
    let both = format!("{{\"_meta\":{{{B}}}}}");
    assert_eq!(sent(peer, &mut wire, (), false).await, both);
    assert_eq!(sent(peer, &mut wire, Value::Null, false).await, both);
    assert_eq!(sent(peer, &mut wire, json!({}), false).await, both);
    for (params, expected) in [
        (r#"{"z": 1e999}"#, &*format!("{{\"_meta\":{{{B}}},\"z\": 1e999}}")),
        (r#"{"_meta":{ }}"#, &*format!("{{\"_meta\":{{{B} }}}}")),
        (r#"{"z":1, "_meta": {"z":2}}"#, &*format!("{{\"z\":1, \"_meta\": {{{B},\"z\":2}}}}")),
        // A member that is there is kept, however its name is written.
        (
            r#"{"_meta":{"\u0061":"own"}}"#,
            r#"{"_meta":{"b\"\u2028":{"c":[1,"\u2028"]},"\u0061":"own"}}"#,
        ),
        (r#"{"_meta":{"a":1,"b\"\u2028":2}}"#, r#"{"_meta":{"a":1,"b\"\u2028":2}}"#),
        // There is no place for members.
        (r#"{"_meta":null}"#, r#"{"_meta":null}"#),
        (r#"{"_meta":[1]}"#, r#"{"_meta":[1]}"#),
        // A member of the params is not one of `_meta`.
        (r#"{"a":1}"#, &*format!("{{\"_meta\":{{{B}}},\"a\":1}}")),
    ] {
        assert_eq!(sent(peer, &mut wire, raw(params), false).await, expected, "{params}");
    }
    let token = sent(peer, &mut wire, raw(r#"{"_meta":{"a":1}}"#), true).await;
    let id = token.split_once("progressToken\":").unwrap().1.split(',').next().unwrap();
    let b = B.split_once(",\"a\"").unwrap().0;
    assert_eq!(token, format!("{{\"_meta\":{{\"progressToken\":{id},{b},\"a\":1}}}}"));
    // Notifications and answers are not changed.
    peer.notify("n", json!({})).await.unwrap();
    wire.send_line(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).await;
    assert_eq!(wire.message().await["params"], json!({}));
    assert_eq!(wire.message().await, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
}

#[tokio::test]
async fn an_array_is_sent_as_it_is() {
    let (end, mut wire) = pipe();
    let connection = Options::json_rpc().with_meta("a", 1).start_stream(end, Handlers::new(()));
    assert_eq!(sent(connection.peer(), &mut wire, [1, 2], true).await, "[1,2]");
    assert_eq!(sent(connection.peer(), &mut wire, (), true).await, r#"{"_meta":{"a":1}}"#);
    let (end, mut wire) = pipe();
    let options = Options::lsp().with_framing(Splitter::new(1000)).with_meta("a", 1);
    let connection = options.start_stream(end, Handlers::new(()));
    assert_eq!(sent(connection.peer(), &mut wire, [1, 2], true).await, "[1,2]");
    let own = json!({"workDoneToken": "own"});
    assert_eq!(
        sent(connection.peer(), &mut wire, own, true).await,
        r#"{"_meta":{"a":1},"workDoneToken":"own"}"#
    );
}

/// Params that cannot be encoded are an error, as without `_meta`.
#[tokio::test]
async fn params_that_are_illegal_are_not_sent() {
    let (end, _wire) = pipe();
    let connection = Options::mcp(Revision::LATEST).start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    let errors = [
        within(peer.call::<Value>("m", [1])).await.unwrap_err(),
        within(peer.request::<Value, _>("m", [1]).with_progress().send()).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, CallError::NotSent(EncodeError::ParamsType)), "{error}");
    }
    assert_eq!(connection.peer().pending_calls(), 0);
}

/// Every request of 2026-07-28 has these members, and no earlier one (MCP 2026-07-28, basic, `_meta`).
#[tokio::test]
async fn the_revision_decides_about_its_members() {
    let (end, mut wire) = pipe();
    let info = json!({"name": "test", "version": "1"});
    let options = Options::mcp(Revision::V2026_07_28)
        .with_meta(meta::CLIENT_INFO, info.clone())
        .with_meta("traceparent", "t");
    let connection = options.start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    let modern = json!({"_meta": {
        meta::PROTOCOL_VERSION: "2026-07-28",
        meta::CLIENT_CAPABILITIES: {},
        meta::CLIENT_INFO: info,
        "traceparent": "t",
    }});
    let mut params = async || -> Value {
        serde_json::from_str(&sent(peer, &mut wire, (), false).await).unwrap()
    };
    assert_eq!(params().await, modern);
    peer.set_revision(Revision::V2025_11_25);
    assert_eq!(params().await, json!({"_meta": {"traceparent": "t"}}));
    peer.set_revision(Revision::V2026_07_28);
    assert_eq!(params().await, modern);

    // Members that are set are preferred.
    let (end, mut wire) = pipe();
    let options = Options::mcp(Revision::V2026_07_28)
        .with_meta(meta::CLIENT_CAPABILITIES, json!({"roots": {}}));
    let connection = options.start_stream(end, Handlers::new(()));
    let own = json!({"_meta": {meta::PROTOCOL_VERSION: "2027-01-01"}});
    let params = sent(connection.peer(), &mut wire, own, false).await;
    let expected = json!({"_meta": {
        meta::PROTOCOL_VERSION: "2027-01-01", meta::CLIENT_CAPABILITIES: {"roots": {}},
    }});
    assert_eq!(serde_json::from_str::<Value>(&params).unwrap(), expected);
}

/// A request is nested three levels deep around a member of `_meta`, and at most 127 are legal.
#[tokio::test]
async fn a_member_that_is_nested_too_deep_is_left_out() {
    for (depth, is_sent) in [(124, true), (125, false)] {
        let (end, mut wire) = pipe();
        let value = (1..depth).fold(json!([]), |inner, _| json!([inner]));
        let options = Options::mcp(Revision::V2025_11_25).with_meta("deep", value);
        let connection = options.start_stream(end, Handlers::new(()));
        let params = sent(connection.peer(), &mut wire, (), false).await;
        assert_eq!(params.contains("deep"), is_sent, "{depth}");
    }
}
