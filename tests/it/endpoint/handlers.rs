//! The arguments of a handler, and the effect of its result.

use serde_json::{Value, json};
use tautline::encode::{EncodeError, Encoder, object};
use tautline::endpoint::{Endpoint, Failure, Method, Responded, Responder, Router};
use tautline::owned;
use tautline::stream::Messages;
use tautline::{Call, ErrorCode, Id, Message, Profile, RawJson};

use super::{Log, METHODS, error, handle, handle_with};
use crate::support::presets::Revision;

#[test]
fn what_a_handler_says_is_what_the_peer_gets() {
    let call = |method| handle(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#));
    assert_eq!(call("echo"), Some(json!({"jsonrpc": "2.0", "id": 1, "result": null})));
    assert_eq!(call("fail"), Some(error(1, -32603, "Internal error")));
    assert_eq!(call("change_mind"), Some(error(1, -32602, "Invalid params")));
    assert_eq!(call("nan"), Some(error(1, -32603, "Internal error")));
    let own = json!({"code": 17, "message": "busy", "data": {"retry": 3}});
    assert_eq!(call("own"), Some(json!({"jsonrpc": "2.0", "id": 1, "error": own})));
    assert_eq!(call("ech\\u006f"), call("echo"), "names are compared after unescaping");
    assert_eq!(call("Echo"), Some(error(1, -32601, "Method not found")));
}

#[test]
fn names_that_begin_with_rpc_are_for_extensions() {
    let call = |method| handle(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#));
    assert_eq!(call("rpc.reserved"), Some(error(1, -32601, "Method not found")));
    assert_eq!(call("\\u0072pc.reserved"), Some(error(1, -32601, "Method not found")));
    assert_eq!(call("rpc.discover"), Some(json!({"jsonrpc": "2.0", "id": 1, "result": true})));
}

#[test]
fn notifications_are_handled_in_silence() {
    let mut log = Log::default();
    for method in ["echo", "fail", "own", "later", "change_mind", "nan", "missing"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#);
        assert_eq!(handle_with(&Profile::JSON_RPC, &frame, &mut log), None, "{method}");
    }
    assert_eq!(log.called, ["echo", "fail"]);
    assert_eq!(log.promised, None);
}

#[test]
fn responses_are_not_answered_and_reach_no_handler() {
    let mut log = Log::default();
    for frame in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"echo","result":{}}"#,
        r#"{"id":1,"result":{}}"#,
    ] {
        assert_eq!(handle_with(&Profile::JSON_RPC, frame, &mut log), None, "{frame}");
    }
    assert!(log.called.is_empty());
}

#[test]
fn a_call_can_be_answered_later_by_its_id() {
    let mut log = Log::default();
    let frame = r#"{"jsonrpc":"2.0","id":"\u0061","method":"later"}"#;
    assert_eq!(handle_with(&Profile::JSON_RPC, frame, &mut log), None);
    let promised = log.promised.unwrap();
    assert_eq!(promised, r#""\u0061""#);
    let id = Id::parse(promised.as_bytes()).unwrap();
    let mut out = Vec::new();
    Encoder::new(&mut out).result(id, 1).unwrap();
    assert_eq!(out, b"{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\",\"result\":1}\n");
}

/// A refused deferral is not pending either, so it is not answered a second time.
#[test]
fn in_a_batch_there_is_no_later() {
    let mut log = Log::default();
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"later"},{"jsonrpc":"2.0","method":"later"},
        {"jsonrpc":"2.0","id":2,"method":"later_or_now"},{"jsonrpc":"2.0","id":3,"method":"echo"}]"#;
    let reply = handle_with(&Profile::JSON_RPC, batch, &mut log);
    let now = json!({"jsonrpc": "2.0", "id": 2, "result": "now"});
    let done = json!({"jsonrpc": "2.0", "id": 3, "result": null});
    assert_eq!(reply, Some(json!([error(1, -32603, "Internal error"), now, done])));
    assert_eq!(log.promised, None);
    let single = r#"{"jsonrpc":"2.0","id":2,"method":"later_or_now"}"#;
    assert_eq!(handle_with(&Profile::JSON_RPC, single, &mut log), None);
    assert_eq!(log.promised.as_deref(), Some("2"));
}

#[test]
fn the_rules_of_the_endpoint_are_in_force() {
    let mut log = Log::default();
    let mut reply = |profile: Profile, frame| handle_with(&profile, frame, &mut log);
    let mcp = Revision::V2025_11_25.profile();
    assert_eq!(reply(mcp, "{"), None);
    let no_id = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}});
    assert_eq!(reply(mcp, "[]"), Some(no_id));
    assert_eq!(reply(Revision::V2025_06_18.profile(), "[]"), None);
    // A result that the protocol forbids is the handler's failure.
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#;
    assert_eq!(reply(mcp, frame), Some(error(1, -32603, "Internal error")));
}

#[test]
fn an_answer_that_was_kept_for_another_call_is_found_out() {
    #[derive(Default)]
    struct Thief(Option<Responded>);
    let methods: &[Method<Thief>] = &[
        Method::new("keep", |thief, _, responder| {
            thief.0 = Some(responder.result(1));
            Err(Failure::INTERNAL)
        }),
        Method::new("put_off", |thief, _, responder| {
            thief.0 = Some(responder.later()?);
            Err(Failure::INTERNAL)
        }),
        Method::new("pass_off", |thief, _, _| thief.0.take().ok_or(Failure::INTERNAL)),
    ];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC);
    let mut thief = Thief::default();
    for method in ["keep", "pass_off", "put_off", "pass_off"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        let mut room = [0; 256];
        let reply = endpoint.answer(frame.as_bytes(), &mut thief, &mut room).unwrap().bytes();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        assert_eq!(reply, error(1, -32603, "Internal error"), "{method}");
    }
}

#[test]
fn of_two_methods_of_one_name_the_first_is_called() {
    let methods: &[Method<()>] = &[
        Method::new("m", |_, _, responder| Ok(responder.result(1))),
        Method::new("m", |_, _, responder| Ok(responder.result(2))),
    ];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC);
    let mut room = [0; 256];
    let reply = endpoint.answer(br#"{"jsonrpc":"2.0","id":0,"method":"m"}"#, &mut (), &mut room);
    assert_eq!(reply.unwrap().bytes(), b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}\n");
}

#[test]
fn parameters_that_are_absent_are_null_to_serde() {
    let methods: &[Method<()>] = &[
        Method::new("optional", |_, call, responder| {
            Ok(responder.result(call.params_as::<Option<Vec<i64>>>()?.is_some()))
        }),
        Method::new("none", |_, call, responder| {
            call.params_as::<()>()?;
            Ok(responder.result(true))
        }),
        Method::new("needed", |_, call, responder| {
            Ok(responder.result(call.params_as::<Vec<i64>>()?.as_slice()))
        }),
    ];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC);
    for (method, params, expected) in [
        ("optional", "", Some(json!(false))),
        ("optional", r#","params":[1]"#, Some(json!(true))),
        ("optional", r#","params":{}"#, None),
        ("none", "", Some(json!(true))),
        ("none", r#","params":[1]"#, None),
        ("needed", "", None),
        ("needed", r#","params":[1,2]"#, Some(json!([1, 2]))),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}"#);
        let mut room = [0; 256];
        let reply = endpoint.answer(frame.as_bytes(), &mut (), &mut room).unwrap().bytes();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        match expected {
            Some(result) => assert_eq!(reply["result"], result, "{frame}"),
            None => assert_eq!(reply["error"]["code"], -32602, "{frame}"),
        }
    }
}

#[test]
fn a_repeated_parameter_is_invalid_to_serde() {
    let methods: &[Method<()>] = &[Method::new("m", |_, call, responder| {
        Ok(responder.result(call.params_as::<Value>()?["a"].as_i64()))
    })];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC);
    let mut room = [0; 256];
    let frame = br#"{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":1,"a":2}}"#;
    let reply = endpoint.answer(frame, &mut (), &mut room).unwrap().bytes();
    let reply: Value = serde_json::from_slice(reply).unwrap();
    assert_eq!(reply["error"]["code"], -32602);
}

#[test]
fn parameters_by_position_and_by_name() {
    fn probe(
        found: &mut Vec<String>,
        call: &Call<'_>,
        responder: Responder<'_, '_>,
    ) -> Result<Responded, Failure> {
        found.push(call.param::<RawJson<'_>>(1, "b")?.to_string());
        Ok(responder.result(true))
    }
    let methods: &[Method<Vec<String>>] = &[Method::new("probe", probe)];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC);
    let mut found = Vec::new();
    for (params, good) in [
        (r#","params":[1,2,3]"#, true),
        (r#","params":{"a":1,"\u0062":"x"}"#, true),
        (r#","params":[1]"#, false),
        (r#","params":{"a":1}"#, false),
        (r#","params":{"b":1,"\u0062":2}"#, false),
        (r#","params":{"a":1,"a":2,"b":{"b":1}}"#, true),
        ("", false),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"probe"{params}}}"#);
        let mut room = [0; 256];
        let reply = endpoint.answer(frame.as_bytes(), &mut found, &mut room).unwrap().bytes();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        let expected = if good { Value::Null } else { json!(-32602) };
        assert_eq!(reply["error"]["code"], expected, "{params}");
    }
    assert_eq!(found, ["2", "\"x\"", "{\"b\":1}"]);
}

/// A stream may have its own rules. A request that they accept is answered with its id all the same.
#[test]
fn an_id_that_the_endpoint_would_not_have_let_through_is_answered() {
    let endpoint = Endpoint::new(METHODS, &Profile::LSP);
    for id in ["null", "1.5"] {
        let wire = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"echo\"}}\n");
        let received = Messages::new(wire.as_bytes(), 100, &Profile::JSON_RPC).next().unwrap();
        let mut room = [0; 256];
        let reply = endpoint.answer(&received, &mut Log::default(), &mut room).unwrap().bytes();
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":null}}\n");
        assert_eq!(String::from_utf8_lossy(reply), expected);
    }
}

#[test]
fn a_batch_that_other_rules_have_let_through_gets_what_those_of_the_endpoint_owe() {
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"echo"}]"#;
    let profile = Revision::V2025_11_25.profile();
    let endpoint = Endpoint::new(METHODS, &profile);
    let (mut log, mut room, mut own_room) = (Log::default(), [0; 256], [0; 256]);
    let received = Messages::new(batch, 256, &Profile::JSON_RPC).next().unwrap();
    let reply = endpoint.answer(&received, &mut log, &mut room).unwrap().bytes();
    assert_eq!(reply, endpoint.answer(batch, &mut log, &mut own_room).unwrap().bytes());
    assert!(reply.starts_with(br#"{"jsonrpc":"2.0","error":{"code":-32600,"#));
    assert!(log.called.is_empty());
}

/// What an endpoint writes for a failure, an encoder writes later.
#[test]
fn a_deferred_failure_is_that_of_a_handler() {
    fn numbers() -> Failure {
        let frame = br#"{"jsonrpc":"2.0","id":1,"method":"a","params":["x"]}"#;
        let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC) else {
            panic!()
        };
        request.call().param::<i64>(0, "n").unwrap_err()
    }
    const PLAIN: Failure = Failure::new(ErrorCode::new(7), "plain");
    for failure in [
        PLAIN,
        PLAIN.with_data(json!({"a": [1, "b"]}).to_string()),
        PLAIN.with_message(format!("{} of them", 2)).with_data(object(|o| o.member("n", 1))),
        Failure::INVALID_PARAMS,
        numbers(),
        numbers().with_data("beside the reason"),
    ] {
        let mut router = Router::new();
        let returned = failure.clone();
        router.request("a", move |(), _, _| Err(returned.clone()));
        let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
        for id in ["7", "1.0", r#""\u0061""#] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
            let mut at_once = Vec::new();
            endpoint.answer_into(frame.as_bytes(), &mut (), &mut at_once).unwrap();
            let mut later = Vec::new();
            let id = owned::Id::parse(id).unwrap();
            Encoder::new(&mut later).failure(&id, &failure).unwrap();
            assert_eq!(later, at_once);
        }
    }
    let mut out = Vec::new();
    let nan = PLAIN.with_data(f64::NAN);
    assert_eq!(Encoder::new(&mut out).failure(1, &nan), Err(EncodeError::NotFinite));
    assert!(out.is_empty());
}

/// Whatever id a profile allows, a notification can name it.
#[test]
fn a_notification_can_name_any_id() {
    for id in ["7", "-0", "1.0", "1e400", "18446744073709551616", r#""\u0061""#, r#""""#, "null"] {
        let mut router = Router::new();
        router.notification("$/cancelRequest", |named: &mut Vec<String>, call| {
            let borrowed = call.param::<Id<'_>>(0, "id").unwrap();
            let owned = call.param::<owned::Id>(0, "id").unwrap();
            assert_eq!(owned, borrowed);
            named.push(owned.to_string());
        });
        let frame =
            format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#);
        let mut named = Vec::new();
        let endpoint = Endpoint::new(router, &Profile::LSP);
        endpoint.answer(frame.as_bytes(), &mut named, &mut []).unwrap();
        assert_eq!(named, [id]);
    }
    for value in ["true", "[1]", "{}"] {
        let value = RawJson::parse(value.as_bytes()).unwrap();
        let mismatch = value.read::<Id<'_>>().unwrap_err();
        assert_eq!(mismatch.to_string(), "byte 0: a string, a number or null is expected");
        assert_eq!(value.read::<owned::Id>(), Err(mismatch));
    }
}
