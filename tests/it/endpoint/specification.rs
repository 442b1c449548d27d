//! The examples of the specification, through the example server.

#[path = "../../../examples/json_rpc.rs"]
#[expect(dead_code, reason = "its main is for the example")]
mod example;

use serde_json::{Value, json};
use tautline::Profile;
use tautline::endpoint::Endpoint;

use super::error;

/// JSON-RPC 2.0, section 7, through the example's methods: the input and the expected output.
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
    let endpoint = Endpoint::new(example::router(), &Profile::JSON_RPC);
    for (frame, expected) in cases {
        let mut reply = Vec::new();
        endpoint.answer_into(frame.as_bytes(), &mut (), &mut reply).unwrap();
        let reply = (!reply.is_empty()).then(|| serde_json::from_slice::<Value>(&reply).unwrap());
        assert_eq!(reply, *expected, "{frame}");
    }
}

/// Returns the replies of the example to a line.
fn served(line: &str) -> Vec<Value> {
    let mut replies = Vec::new();
    example::serve(line.as_bytes(), &mut replies).unwrap();
    let lines = replies.split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

#[test]
fn the_example_outlives_every_frame() {
    let ones = format!("[{}]", vec!["1"; 1024].join(","));
    let long = format!("{{\"id\":\"{}\"}}", "x".repeat(65_000));
    assert_eq!(served(&format!("{ones}\n{long}\n{long}")).len(), 3);
}

#[test]
fn the_example_answers_an_oversized_request_alone_and_with_its_id() {
    let long = "x".repeat(70_000);
    for (frame, expected) in [
        (
            format!(r#"{{"jsonrpc":"2.0","method":"sum","params":["{long}"],"id":"a-1"}}"#),
            vec![error("a-1", -32600, "Invalid Request")],
        ),
        (format!(r#"{{"jsonrpc":"2.0","method":"update","params":["{long}"]}}"#), Vec::new()),
        (format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{long}"}}"#), Vec::new()),
        (
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"{long}"}}}}"#),
            Vec::new(),
        ),
    ] {
        assert_eq!(served(&format!("{frame}\n")), expected, "{}", &frame[..60]);
    }
}
