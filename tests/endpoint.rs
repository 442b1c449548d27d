//! A frame in, the reply out: what a peer gets, whatever it sends.

#[path = "../examples/json_rpc.rs"]
#[expect(dead_code, reason = "its main is for the example")]
mod example;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use tautline::encode::{EncodeError, Encoder, NewError, object};
use tautline::endpoint::{Answer, Answered, Call, Endpoint, Failure, Method, Traffic};
use tautline::stream::{MessageStream, Messages};
use tautline::{ErrorCode, Id, Message, Revision, Rules};

/// What the methods below remember.
#[derive(Debug, Default)]
struct Log {
    called: Vec<String>,
    /// The id of a call that is answered later.
    promised: Option<String>,
}

const METHODS: &[Method<Log>] = &[
    Method::new("echo", |log, call, answer| {
        log.called.push(call.method().to_string());
        Ok(answer.result(call.params()))
    }),
    Method::new("fail", |log, call, _| {
        log.called.push(call.method().to_string());
        Err(Failure::INTERNAL)
    }),
    Method::new("own", |_, _, answer| {
        let data = object(|data| data.member("retry", 3));
        Ok(answer.error(NewError::new(ErrorCode::new(17), "busy").with_data(data)))
    }),
    Method::new("later", |log, call, answer| {
        log.promised = call.id().map(|id| id.to_string());
        Ok(answer.later())
    }),
    Method::new("change_mind", |_, _, answer| {
        let _written = answer.result("an answer that is not to be seen");
        Err(Failure::INVALID_PARAMS)
    }),
    Method::new("nan", |_, _, answer| Ok(answer.result(f64::NAN))),
    Method::new("wordy", |_, _, _| {
        Err(Failure::new(ErrorCode::new(1), "a description that is longer than that of any other"))
    }),
    Method::new("rpc.reserved", |log, call, answer| {
        log.called.push(call.method().to_string());
        Ok(answer.result(true))
    }),
    Method::extension("rpc.discover", |_, _, answer| Ok(answer.result(true))),
];

fn handle_with(rules: &Rules, frame: &str, log: &mut Log) -> Option<Value> {
    let mut room = vec![0; 4096];
    let endpoint = Endpoint::new(METHODS, rules);
    let reply = endpoint.handle(frame.as_bytes(), log, &mut room).unwrap();
    if reply.is_empty() {
        return None;
    }
    assert_eq!(reply.iter().filter(|&&byte| byte == b'\n').count(), 1);
    assert!(reply.ends_with(b"\n"));
    Some(serde_json::from_slice(reply).unwrap())
}

fn handle(frame: &str) -> Option<Value> {
    handle_with(&Rules::JSON_RPC, frame, &mut Log::default())
}

fn error(id: impl Into<Value>, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "error": {"code": code, "message": message}})
}

/// JSON-RPC 2.0, section 7, through the example's methods: what goes in, and what has to come out.
#[test]
fn the_examples_of_the_specification() {
    let invalid = || error(Value::Null, -32600, "Invalid Request");
    let result = |id: Value, result: Value| json!({"jsonrpc": "2.0", "result": result, "id": id});
    let cases: &[(&str, Option<Value>)] = &[
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
            Some(result(1.into(), 19.into())),
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
            Some(result(2.into(), (-19).into())),
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
            Some(result(3.into(), 19.into())),
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
            Some(result(4.into(), 19.into())),
        ),
        (r#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, None),
        (r#"{"jsonrpc": "2.0", "method": "foobar"}"#, None),
        (
            r#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
            Some(error("1", -32601, "Method not found")),
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
            Some(error(Value::Null, -32700, "Parse error")),
        ),
        (r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, Some(invalid())),
        (
            r#"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]"#,
            Some(error(Value::Null, -32700, "Parse error")),
        ),
        ("[]", Some(invalid())),
        ("[1]", Some(json!([invalid()]))),
        ("[1,2,3]", Some(json!([invalid(), invalid(), invalid()]))),
        (
            r#"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                {"foo": "boo"},
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]"#,
            Some(json!([
                result("1".into(), 7.into()),
                result("2".into(), 19.into()),
                invalid(),
                error("5", -32601, "Method not found"),
                result("9".into(), json!(["hello", 5])),
            ])),
        ),
        (
            r#"[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]"#,
            None,
        ),
    ];
    let endpoint = Endpoint::new(example::METHODS, &Rules::JSON_RPC);
    let mut room = vec![0; 4096];
    for (frame, expected) in cases {
        let reply = endpoint.handle(frame.as_bytes(), &mut (), &mut room).unwrap();
        let reply = (!reply.is_empty()).then(|| serde_json::from_slice::<Value>(reply).unwrap());
        assert_eq!(reply, *expected, "{frame}");
    }
}

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
        assert_eq!(handle_with(&Rules::JSON_RPC, &frame, &mut log), None, "{method}");
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
        assert_eq!(handle_with(&Rules::JSON_RPC, frame, &mut log), None, "{frame}");
    }
    assert!(log.called.is_empty());
}

#[test]
fn a_call_can_be_answered_later_by_its_id() {
    let mut log = Log::default();
    let frame = r#"{"jsonrpc":"2.0","id":"\u0061","method":"later"}"#;
    assert_eq!(handle_with(&Rules::JSON_RPC, frame, &mut log), None);
    let promised = log.promised.unwrap();
    assert_eq!(promised, r#""\u0061""#);
    let id = Id::parse(promised.as_bytes()).unwrap();
    let mut out = Vec::new();
    Encoder::new(&mut out).result(id, 1).unwrap();
    assert_eq!(out, b"{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\",\"result\":1}\n");
}

#[test]
fn in_a_batch_there_is_no_later() {
    let reply = handle(
        r#"[{"jsonrpc":"2.0","id":1,"method":"later"},{"jsonrpc":"2.0","id":2,"method":"echo"}]"#,
    );
    let done = json!({"jsonrpc": "2.0", "id": 2, "result": null});
    assert_eq!(reply, Some(json!([error(1, -32603, "Internal error"), done])));
}

#[test]
fn the_rules_of_the_endpoint_are_in_force() {
    let mut log = Log::default();
    let mut reply = |rules: Rules, frame| handle_with(&rules, frame, &mut log);
    let mcp = Revision::V2025_11_25.rules();
    assert_eq!(reply(mcp, "{"), None);
    let no_id = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}});
    assert_eq!(reply(mcp, "[]"), Some(no_id));
    assert_eq!(reply(Revision::V2025_06_18.rules(), "[]"), None);
    // A result that the protocol does not allow is the handler's failure.
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#;
    assert_eq!(reply(mcp, frame), Some(error(1, -32603, "Internal error")));
}

/// Every length of output from none to all that the full reply needs.
#[test]
fn an_answer_that_does_not_fit_becomes_an_error_that_does() {
    let frame = format!(
        r#"{{"jsonrpc":"2.0","id":"some-id","method":"echo","params":["{}"]}}"#,
        "x".repeat(200)
    );
    let wordy = r#"{"jsonrpc":"2.0","id":"some-id","method":"wordy"}"#;
    let least = error("some-id", -32603, "Internal error");
    let least_length = least.to_string().len() + 1;
    for frame in [frame.as_str(), wordy] {
        let full = handle(frame).unwrap();
        let full_length = full.to_string().len() + 1;
        for length in 0..=full_length {
            let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
            let mut room = vec![b'{'; length];
            let reply = endpoint.handle(frame.as_bytes(), &mut Log::default(), &mut room);
            assert_eq!(reply.is_ok(), length >= least_length);
            match reply {
                Ok(reply) => {
                    assert_eq!(reply.iter().position(|&byte| byte == b'\n'), Some(reply.len() - 1));
                    let reply: Value = serde_json::from_slice(reply).unwrap();
                    let expected = if length < full_length { &least } else { &full };
                    assert_eq!(reply, *expected, "in {length} bytes");
                }
                Err(EncodeError::DoesNotFit { needed }) => {
                    assert_eq!(needed, least_length);
                    assert!(length < needed);
                    // Nothing that was written can be taken for a message.
                    let mut lines =
                        room.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
                    assert!(lines.all(|line| Message::parse(line, &Rules::JSON_RPC).is_err()));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn in_a_batch_each_id_is_answered_once_or_nothing_is_said() {
    let long = "y".repeat(150);
    let frame = format!(
        r#"[{{"jsonrpc":"2.0","id":1,"method":"echo","params":["{long}"]}},
            {{"jsonrpc":"2.0","method":"echo"}},
            {{"jsonrpc":"2.0","id":2,"method":"echo","params":[2]}},
            {{"jsonrpc":"2.0","id":true,"method":"echo"}},
            {{"jsonrpc":"2.0","id":3,"method":"echo","params":["{long}"]}}]"#
    );
    let full = handle(&frame).unwrap();
    let full_length = full.to_string().len() + 1;
    let failed = |id: i32| error(id, -32603, "Internal error");
    let invalid = error(Value::Null, -32600, "Invalid Request");
    let least = json!([failed(1), failed(2), invalid, failed(3)]).to_string().len() + 1;
    let mut kinds = [0; 3];
    for length in 0..full_length + 100 {
        let mut room = vec![b'{'; length];
        let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
        match endpoint.handle(frame.as_bytes(), &mut Log::default(), &mut room) {
            Ok(reply) => {
                let reply: Value = serde_json::from_slice(reply).unwrap();
                let ids: Vec<_> = reply.as_array().unwrap().iter().map(|one| &one["id"]).collect();
                assert_eq!(ids, [&json!(1), &json!(2), &Value::Null, &json!(3)]);
                for one in reply.as_array().unwrap() {
                    let failed = one["error"]["code"] == -32603;
                    assert!(failed || full.as_array().unwrap().contains(one), "{one}");
                }
                kinds[usize::from(reply == full)] += 1;
            }
            Err(error) => {
                assert_eq!(error, EncodeError::DoesNotFit { needed: least });
                assert!(length < least);
                kinds[2] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|&count| count > 0), "{kinds:?}");
}

#[test]
fn an_answer_that_was_kept_for_another_call_is_found_out() {
    #[derive(Default)]
    struct Thief(Option<Answered>);
    let methods: &[Method<Thief>] = &[
        Method::new("keep", |thief, _, answer| {
            thief.0 = Some(answer.result(1));
            Err(Failure::INTERNAL)
        }),
        Method::new("pass_off", |thief, _, _| thief.0.take().ok_or(Failure::INTERNAL)),
    ];
    let endpoint = Endpoint::new(methods, &Rules::JSON_RPC);
    let mut thief = Thief::default();
    for method in ["keep", "pass_off"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        let mut room = [0; 256];
        let reply = endpoint.handle(frame.as_bytes(), &mut thief, &mut room).unwrap();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        assert_eq!(reply, error(1, -32603, "Internal error"), "{method}");
    }
}

#[test]
fn half_an_answer_is_no_answer() {
    let methods: &[Method<Option<Answered>>] = &[
        Method::new("keep", |kept, _, answer| {
            *kept = Some(answer.result(1));
            Err(Failure::INTERNAL)
        }),
        Method::new("panic", |kept, _, answer| {
            let payload = object(|_| panic!("in the middle of an answer"));
            catch_unwind(AssertUnwindSafe(|| answer.result(payload))).unwrap_err();
            kept.take().ok_or(Failure::INTERNAL)
        }),
    ];
    let endpoint = Endpoint::new(methods, &Rules::JSON_RPC);
    let mut kept = None;
    for method in ["keep", "panic"] {
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        for (frame, expected) in [
            (call.clone(), error(1, -32603, "Internal error")),
            (format!("[{call}]"), json!([error(1, -32603, "Internal error")])),
        ] {
            let mut room = [0; 256];
            let reply = endpoint.handle(frame.as_bytes(), &mut kept, &mut room).unwrap();
            let reply: Value = serde_json::from_slice(reply).unwrap();
            assert_eq!(reply, expected, "{method}");
        }
    }
}

/// The frames that need the most of it, in exactly the room that suffices for any.
#[test]
fn no_frame_needs_more_than_the_least_room() {
    let methods: &[Method<()>] = &[];
    let handle = |rules: &Rules, frame: &str| {
        let endpoint = Endpoint::new(methods, rules);
        let limit = u32::try_from(frame.len()).unwrap();
        let mut room = vec![0; endpoint.least_room(limit)];
        let length = endpoint.handle(frame.as_bytes(), &mut (), &mut room).unwrap().len();
        assert!(length <= room.len());
        room.truncate(length);
        room
    };
    let elements = |count: usize, element: &str| format!("[{}]", vec![element; count].join(","));
    for rules in [Rules::JSON_RPC, Rules::JSON_RPC.with_max_batch(3)] {
        let max = usize::try_from(rules.max_batch()).unwrap();
        let request = r#"{"jsonrpc":"2.0","id":"an id","method":"not there"}"#;
        for count in [1, 2, max - 1, max] {
            for element in ["1", request, r#"{"id":1.5}"#, r#"{"jsonrpc":"2.0","method":1}"#] {
                let reply: Value =
                    serde_json::from_slice(&handle(&rules, &elements(count, element))).unwrap();
                assert_eq!(reply.as_array().unwrap().len(), count);
                let code = if element == request { -32601 } else { -32600 };
                assert_eq!(reply[count - 1]["error"]["code"], code, "the true error fits");
            }
        }
        handle(&rules, &elements(max + 1, "1"));
    }
    let long = "x".repeat(70_000);
    for frame in [
        format!(r#"{{"id":"{long}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"not there","id":"{long}"}}"#),
        format!(r#"[1,{{"jsonrpc":"2.0","method":"not there","id":"{long}"}},1]"#),
    ] {
        for rules in [Rules::JSON_RPC, Rules::LSP, Revision::LATEST.rules()] {
            assert!(!handle(&rules, &frame).is_empty());
        }
    }
    for frame in ["", "1", "[", "[]", "{}", "[1]", "null"] {
        handle(&Rules::JSON_RPC, frame);
    }
    let most = Endpoint::new(methods, &Rules::JSON_RPC.with_max_batch(u32::MAX));
    assert!(most.least_room(u32::MAX) > most.least_room(u32::MAX - 2));
}

#[test]
fn the_example_outlives_every_frame() {
    let ones = format!("[{}]\n", vec!["1"; 1024].join(","));
    let long = format!("{{\"id\":\"{}\"}}\n", "x".repeat(65_000));
    let endpoint = Endpoint::new(example::METHODS, &Rules::JSON_RPC);
    let mut room = vec![0; endpoint.least_room(example::FRAME_LIMIT)];
    for frame in [ones, long] {
        let mut messages = Messages::new(frame.as_bytes(), example::FRAME_LIMIT, endpoint.rules());
        let received = messages.next().unwrap();
        assert!(!endpoint.receive(&received, &mut (), &mut room).unwrap().is_empty());
    }
}

/// A stream may have rules of its own. What it lets through is answered with its id all the same.
#[test]
fn an_id_that_the_endpoint_would_not_have_let_through_is_answered() {
    let endpoint = Endpoint::new(METHODS, &Rules::LSP);
    for id in ["null", "1.5"] {
        let wire = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"echo\"}}\n");
        let received = Messages::new(wire.as_bytes(), 100, &Rules::JSON_RPC).next().unwrap();
        let mut room = [0; 256];
        let reply = endpoint.receive(&received, &mut Log::default(), &mut room).unwrap();
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":null}}\n");
        assert_eq!(String::from_utf8_lossy(reply), expected);
    }
}

#[test]
fn an_observer_sees_why_an_answer_was_not_written() {
    #[derive(Default)]
    struct Seen(Vec<String>);
    fn observe(seen: &mut Seen, traffic: Traffic<'_>) {
        if let Traffic::NotWritten { request, error } = traffic {
            seen.0.push(format!("{} {error:?}", request.method()));
        }
    }
    let methods: &[Method<Seen>] = &[
        Method::new("good", |_, _, answer| Ok(answer.result(true))),
        Method::new("nan", |_, _, answer| Ok(answer.result(f64::NAN))),
        Method::new("data", |_, _, answer| {
            let error = NewError::new(ErrorCode::new(1), "x").with_data(f32::INFINITY);
            Ok(answer.error(error))
        }),
        Method::new("long", |_, call, answer| Ok(answer.result(call.params()))),
        Method::new("wordy", |_, _, _| {
            Err(Failure::new(ErrorCode::new(1), "a description that is longer than most of them"))
        }),
    ];
    let endpoint = Endpoint::new(methods, &Rules::JSON_RPC).observed_by(observe);
    let long = "y".repeat(100);
    for (method, expected) in [
        ("good", None),
        ("nan", Some("nan NotFinite")),
        ("data", Some("data NotFinite")),
        ("long", Some("long DoesNotFit { needed: 139 }")),
        ("wordy", Some("wordy DoesNotFit { needed: 103 }")),
    ] {
        let mut seen = Seen::default();
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":["{long}"]}}"#);
        let mut room = [0; 80];
        let reply = endpoint.handle(frame.as_bytes(), &mut seen, &mut room).unwrap();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        assert_eq!(reply["error"].is_null(), expected.is_none());
        assert_eq!(seen.0, expected.as_slice());
        // A notification has no answer that could fail.
        let frame = frame.replace("\"id\":1,", "");
        assert_eq!(endpoint.handle(frame.as_bytes(), &mut seen, &mut room), Ok(&b""[..]));
        assert_eq!(seen.0, expected.as_slice());
    }
}

#[test]
fn of_two_methods_of_one_name_the_first_is_called() {
    let methods: &[Method<()>] = &[
        Method::new("m", |_, _, answer| Ok(answer.result(1))),
        Method::new("m", |_, _, answer| Ok(answer.result(2))),
    ];
    let endpoint = Endpoint::new(methods, &Rules::JSON_RPC);
    let mut room = [0; 256];
    let reply = endpoint.handle(br#"{"jsonrpc":"2.0","id":0,"method":"m"}"#, &mut (), &mut room);
    assert_eq!(reply, Ok(&b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}\n"[..]));
}

#[test]
fn parameters_that_are_absent_are_null_to_serde() {
    let methods: &[Method<()>] = &[
        Method::new("optional", |_, call, answer| {
            Ok(answer.result(call.params_as::<Option<Vec<i64>>>()?.is_some()))
        }),
        Method::new("none", |_, call, answer| {
            call.params_as::<()>()?;
            Ok(answer.result(true))
        }),
        Method::new("needed", |_, call, answer| {
            Ok(answer.result(call.params_as::<Vec<i64>>()?.as_slice()))
        }),
    ];
    let endpoint = Endpoint::new(methods, &Rules::JSON_RPC);
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
        let reply = endpoint.handle(frame.as_bytes(), &mut (), &mut room).unwrap();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        match expected {
            Some(result) => assert_eq!(reply["result"], result, "{frame}"),
            None => assert_eq!(reply["error"]["code"], -32602, "{frame}"),
        }
    }
}

#[test]
fn an_observer_sees_what_comes_and_what_goes_by_every_door() {
    fn observe(seen: &mut Vec<String>, traffic: Traffic<'_>) {
        seen.push(match traffic {
            Traffic::In { frame, fault: None } => format!("in {}", frame.len()),
            Traffic::In { frame, fault: Some(fault) } => {
                format!("in {} {}", frame.len(), fault.rule())
            }
            Traffic::Out(reply) => format!("out {}", reply.len()),
            other => panic!("{other:?}"),
        });
    }
    let endpoint = Endpoint::new(&[], &Rules::JSON_RPC).observed_by(observe);
    let frames = [r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, r#"{"jsonrpc":"2.0","method":"x"}"#];
    let mut seen = Vec::new();
    let mut room = [0; 256];
    for frame in frames {
        endpoint.handle(frame.as_bytes(), &mut seen, &mut room).unwrap();
    }
    assert_eq!(seen, ["in 37", "out 78", "in 30"]);

    seen.clear();
    let wire = format!("{}\n{}\n[]\n{}\n", frames[0], frames[1], "x".repeat(64));
    for received in Messages::new(wire.as_bytes(), 63, endpoint.rules()) {
        endpoint.receive(&received, &mut seen, &mut room).unwrap();
    }
    let batch = ["in 2 batch-empty", "out 80"];
    let oversized = ["in 0 frame-too-long", "out 80"];
    assert_eq!(seen, [&["in 37", "out 78", "in 30"][..], &batch, &oversized].concat());
}

#[test]
fn what_comes_off_a_stream_is_answered_and_so_is_a_line_too_long() {
    let endpoint = Endpoint::new(METHODS, &Rules::JSON_RPC);
    let mut stream = MessageStream::new([0; 64], endpoint.rules());
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}\n", "x".repeat(64));
    let wire = format!("{long}{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}}\n{{\n");
    let mut replies = Vec::new();
    for mut chunk in wire.as_bytes().chunks(7) {
        while let Some(received) = stream.next(&mut chunk) {
            let mut room = [0; 256];
            let reply = endpoint.receive(&received, &mut Log::default(), &mut room).unwrap();
            replies.push(serde_json::from_slice::<Value>(reply).unwrap());
        }
    }
    assert_eq!(
        replies,
        [
            error(Value::Null, -32600, "Invalid Request"),
            json!({"jsonrpc": "2.0", "id": 2, "result": null}),
            error(Value::Null, -32700, "Parse error"),
        ]
    );
}

#[test]
fn a_request_too_long_is_answered_with_its_id_if_it_was_skimmed() {
    let long = "x".repeat(600);
    let (json_rpc, mcp) = (Rules::JSON_RPC, tautline::Revision::V2025_06_18.rules());
    let echoed =
        r#"{"jsonrpc":"2.0","id":"a-1","error":{"code":-32600,"message":"Invalid Request"}}"#;
    let null = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#;
    let broken = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    for (line, under_json_rpc, under_mcp) in [
        (format!(r#"{{"id":"a-1","method":"m","params":["{long}"]}}"#), echoed, echoed),
        (format!(r#"{{"method":"m","params":["{long}"],"id":"a-1"}}"#), echoed, echoed),
        (format!(r#"{{"method":"m","params":["{long}"]}}"#), "", ""),
        (format!(r#"{{"id":"a-1","result":"{long}"}}"#), "", ""),
        (format!(r#"{{"id":"a-1","method":"m","id":2,"params":["{long}"]}}"#), null, ""),
        (format!(r#"{{"id":"{long}","method":"m"}}"#), null, ""),
        (format!("id: 1 {long}"), broken, ""),
    ] {
        for (rules, owed) in [(json_rpc, under_json_rpc), (mcp, under_mcp)] {
            let endpoint = Endpoint::new(METHODS, &rules);
            let mut stream = MessageStream::new([0; 16], &rules).skimming();
            let mut room = vec![0; endpoint.least_room(16)];
            let mut replies = Vec::new();
            for mut chunk in format!("{line}\n").as_bytes().chunks(97) {
                while let Some(received) = stream.next(&mut chunk) {
                    let log = &mut Log::default();
                    replies.extend_from_slice(endpoint.receive(&received, log, &mut room).unwrap());
                }
            }
            let replies = String::from_utf8(replies).unwrap();
            assert_eq!(replies.trim_end(), owed, "{line}");
        }
    }
}

#[test]
fn parameters_by_position_and_by_name() {
    fn probe(
        found: &mut Vec<String>,
        call: &Call<'_>,
        answer: Answer<'_, '_>,
    ) -> Result<Answered, Failure> {
        found.push(call.param(1, "b")?.to_string());
        Ok(answer.result(true))
    }
    let methods: &[Method<Vec<String>>] = &[Method::new("probe", probe)];
    let endpoint = Endpoint::new(methods, &Rules::JSON_RPC);
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
        let reply = endpoint.handle(frame.as_bytes(), &mut found, &mut room).unwrap();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        let expected = if good { Value::Null } else { json!(-32602) };
        assert_eq!(reply["error"]["code"], expected, "{params}");
    }
    assert_eq!(found, ["2", "\"x\"", "{\"b\":1}"]);
}
