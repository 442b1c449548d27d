//! Tests of what depends on the revision: the profile, and whether `ping` is answered.

use serde_json::{Value, json};
use tautline_tokio::tautline::Profile;
use tautline_tokio::tautline::frame::Splitter;
use tautline_tokio::tautline_mcp::{GUARDED_NAMES, Revision};
use tautline_tokio::{Context, Handlers, Options};

use crate::support::{Wire, pipe};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

async fn answer(wire: &mut Wire, line: &str) -> Value {
    wire.send_line(line).await;
    wire.message().await
}

#[tokio::test]
async fn ping_is_answered_in_the_revisions_that_have_it() {
    let absent = json!({"code": -32601, "message": "Method not found"});
    for (options, pongs) in [
        (Options::mcp(Revision::V2024_11_05), true),
        (Options::mcp(Revision::V2025_11_25), true),
        (Options::mcp(Revision::V2026_07_28), false),
        (Options::json_rpc(), false),
    ] {
        let (stream, mut wire) = pipe();
        let _connection = options.start_stream(stream, Handlers::new(()));
        let answer = answer(&mut wire, PING).await;
        let expected = if pongs { json!({}) } else { absent.clone() };
        assert_eq!(answer[if pongs { "result" } else { "error" }], expected);
    }
    // It follows the revision that a handshake agrees on.
    let (stream, mut wire) = pipe();
    let connection = Options::mcp(Revision::V2026_07_28).start_stream(stream, Handlers::new(()));
    for (revision, pongs) in [(Revision::V2025_11_25, true), (Revision::V2026_07_28, false)] {
        connection.peer().set_revision(revision);
        let answer = answer(&mut wire, PING).await;
        assert_eq!(answer.get("result").is_some(), pongs, "{answer}");
    }
    // A handler for `ping` is preferred.
    let (stream, mut wire) = pipe();
    let handlers = Handlers::new(()).request("ping", async |_, (): ()| Ok(json!({"own": true})));
    let _connection = Options::mcp(Revision::V2025_11_25).start_stream(stream, handlers);
    assert_eq!(answer(&mut wire, PING).await["result"], json!({"own": true}));
}

/// A server learns the revision from `initialize`, and the next frame is parsed under its profile.
#[tokio::test]
async fn a_handler_sets_the_revision_for_the_next_frame() {
    async fn initialize(
        context: Context<()>,
        params: Value,
    ) -> Result<Value, tautline_tokio::RpcError> {
        let revision: Revision = params["protocolVersion"].as_str().unwrap().parse().unwrap();
        context.peer().set_revision(revision);
        Ok(json!({"protocolVersion": revision.name()}))
    }
    for (revision, allows_batches) in [("2025-03-26", true), ("2025-06-18", false)] {
        let (stream, mut wire) = pipe();
        let handlers = Handlers::new(()).request("initialize", initialize);
        let _connection = Options::mcp(Revision::V2025_11_25).start_stream(stream, handlers);
        // Both lines arrive at once, so the second one is in the buffer before the handler runs.
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": revision}});
        wire.send(format!("{hello}\n[{PING}]\n{PING}\n")).await;
        assert_eq!(wire.message().await["result"]["protocolVersion"], revision);
        let next = wire.message().await;
        assert_eq!(next.is_array(), allows_batches, "{next}");
        if allows_batches {
            assert_eq!(next[0]["result"], json!({}));
            assert_eq!(wire.message().await["id"], 1);
        }
    }
}

/// A batch of responses is owed nothing (JSON-RPC 2.0, section 6), even if none of them answers a call. Where no batch is a
/// message, it is an invalid one, whatever it contains, and is answered if the revision has errors without an id.
#[tokio::test]
async fn a_batch_of_responses_is_answered_only_where_it_is_no_message() {
    let responses = r#"[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"m"}}]"#;
    for (options, is_silent) in [
        (Options::json_rpc(), true),
        (Options::mcp(Revision::V2025_03_26), true),
        (Options::mcp(Revision::V2025_06_18), true),
        (Options::mcp(Revision::V2025_11_25), false),
        (Options::mcp(Revision::V2026_07_28), false),
    ] {
        let (stream, mut wire) = pipe();
        let _connection = options.start_stream(stream, Handlers::new(()));
        wire.send(format!("{responses}\n{PING}\n")).await;
        let mut answers = vec![wire.message().await];
        if !is_silent {
            answers.push(wire.message().await);
        }
        // The two have no order. No other answer comes before that to the next request.
        let is_pong = |answer: &&Value| answer["id"] == 1;
        assert_eq!(answers.iter().filter(is_pong).count(), 1, "{answers:?}");
        let invalid = answers.iter().filter(|answer| answer["error"]["code"] == -32600);
        assert_eq!(invalid.filter(|answer| answer["id"].is_null()).count(), answers.len() - 1);
        wire.send_line(&PING.replace(":1,", ":2,")).await;
        assert_eq!(wire.message().await["id"], 2);
    }
}

/// A client sets the revision after the handshake. A batch of the server was lost before.
#[tokio::test]
async fn a_client_sets_the_revision_after_the_handshake() {
    let (stream, mut wire) = pipe();
    let connection = Options::mcp(Revision::V2025_11_25).start_stream(stream, Handlers::new(()));
    connection.peer().set_revision(Revision::V2025_03_26);
    let batch = format!("[{PING},{}]", PING.replace(":1,", ":2,"));
    let answers = answer(&mut wire, &batch).await;
    assert_eq!(answers.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn options_keep_their_protocol_with_other_rules_and_limits() {
    let (stream, mut wire) = pipe();
    let options = Options::mcp(Revision::V2025_11_25)
        .with_profile(&Revision::V2025_11_25.profile().strict(&GUARDED_NAMES))
        .with_framing(Splitter::new(100));
    let _connection = options.start_stream(stream, Handlers::new(()));
    let long = PING.replace('}', &format!(r#","params":{{"x":"{}"}}}}"#, "x".repeat(100)));
    assert_eq!(answer(&mut wire, &long).await["error"]["code"], -32600);
    let twice = r#"{"jsonrpc":"2.0","id":3,"method":"ping","Method":"m"}"#;
    assert_eq!(answer(&mut wire, twice).await["error"]["code"], -32600);
    assert_eq!(answer(&mut wire, PING).await["result"], json!({}));

    let (stream, mut wire) = pipe();
    let options = Options::json_rpc().with_profile(&Profile::LSP);
    let _connection = options.start_stream(stream, Handlers::new(()));
    assert_eq!(answer(&mut wire, &format!("[{PING}]")).await["error"]["code"], -32600);
}

/// A request that was accepted under an earlier profile is answered with its id, which the new one would not accept.
#[tokio::test]
async fn an_id_from_before_is_answered() {
    let (stream, mut wire) = pipe();
    let handlers = Handlers::new(()).request("open", async |context: Context<()>, (): ()| {
        context.peer().set_profile(&Revision::V2025_11_25.profile());
        Ok(json!({}))
    });
    let _connection = Options::json_rpc().start_stream(stream, handlers);
    let answer = answer(&mut wire, r#"{"jsonrpc":"2.0","id":1.5,"method":"open"}"#).await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1.5, "result": {}}));
}
