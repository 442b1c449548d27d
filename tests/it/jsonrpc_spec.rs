//! The examples of the JSON-RPC 2.0 specification, section 7, verbatim.
//!
//! A minimal server answers them. It takes every error reply of the envelope from [`tautline::Fault::reply`], and its
//! answers equal the ones in the specification. Its replies are parsed as a client would parse them.

use serde_json::{Value, json};
use tautline::{
    Envelope, ErrorCode, Fault, Id, Message, Notification, Outcome, Profile, Request, Response,
    Rule,
};

const PROFILE: Profile = Profile::JSON_RPC;

/// An example: its heading, what the client sends, and what the server answers, if anything.
struct Example {
    heading: &'static str,
    sent: &'static str,
    answer: Option<&'static str>,
}

const EXAMPLES: &[Example] = &[
    Example {
        heading: "rpc call with positional parameters",
        sent: r#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
        answer: Some(r#"{"jsonrpc": "2.0", "result": 19, "id": 1}"#),
    },
    Example {
        heading: "rpc call with positional parameters",
        sent: r#"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
        answer: Some(r#"{"jsonrpc": "2.0", "result": -19, "id": 2}"#),
    },
    Example {
        heading: "rpc call with named parameters",
        sent: r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
        answer: Some(r#"{"jsonrpc": "2.0", "result": 19, "id": 3}"#),
    },
    Example {
        heading: "rpc call with named parameters",
        sent: r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
        answer: Some(r#"{"jsonrpc": "2.0", "result": 19, "id": 4}"#),
    },
    Example {
        heading: "a Notification",
        sent: r#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#,
        answer: None,
    },
    Example {
        heading: "a Notification",
        sent: r#"{"jsonrpc": "2.0", "method": "foobar"}"#,
        answer: None,
    },
    Example {
        heading: "rpc call of non-existent method",
        sent: r#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
        answer: Some(
            r#"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}"#,
        ),
    },
    Example {
        heading: "rpc call with invalid JSON",
        sent: r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
        answer: Some(
            r#"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#,
        ),
    },
    Example {
        heading: "rpc call with invalid Request object",
        sent: r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
        answer: Some(
            r#"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#,
        ),
    },
    Example {
        heading: "rpc call Batch, invalid JSON",
        sent: r#"[
  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
  {"jsonrpc": "2.0", "method"
]"#,
        answer: Some(
            r#"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#,
        ),
    },
    Example {
        heading: "rpc call with an empty Array",
        sent: "[]",
        answer: Some(
            r#"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#,
        ),
    },
    Example {
        heading: "rpc call with an invalid Batch (but not empty)",
        sent: "[1]",
        answer: Some(
            r#"[
  {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
]"#,
        ),
    },
    Example {
        heading: "rpc call with invalid Batch",
        sent: "[1,2,3]",
        answer: Some(
            r#"[
  {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
  {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
  {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
]"#,
        ),
    },
    Example {
        heading: "rpc call Batch",
        sent: r#"[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]"#,
        answer: Some(
            r#"[
        {"jsonrpc": "2.0", "result": 7, "id": "1"},
        {"jsonrpc": "2.0", "result": 19, "id": "2"},
        {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
        {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},
        {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}
    ]"#,
        ),
    },
    Example {
        heading: "rpc call Batch (all notifications)",
        sent: r#"[
        {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
    ]"#,
        answer: None,
    },
];

/// Returns the whole answer to a frame, if there is one.
fn serve(frame: &str) -> Option<Value> {
    match Message::parse(frame.as_bytes(), &PROFILE) {
        Ok(Message::Batch(batch)) => {
            // "The Server [...] MUST NOT return an empty Array": without answers, there is no reply.
            let answers: Vec<_> = batch.iter().filter_map(|one| serve_one(&one)).collect();
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        _ => serve_one(&Envelope::read(frame.as_bytes(), &PROFILE)),
    }
}

fn serve_one(envelope: &Envelope<'_>) -> Option<Value> {
    match envelope.message() {
        Ok(Message::Request(request)) => Some(call(&request)),
        Ok(Message::Notification(_) | Message::Response(_)) => None,
        Ok(Message::Batch(_)) => unreachable!("its elements are served one by one"),
        Err(fault) => reply(&fault),
    }
}

/// Returns the error reply due for a fault.
fn reply(fault: &Fault<'_>) -> Option<Value> {
    let reply = fault.reply()?;
    let mut answer = error(reply.code());
    if let Some(id) = reply.raw_id().map(|id| id.as_bytes()) {
        answer["id"] = serde_json::from_slice(id).unwrap();
    }
    Some(answer)
}

fn error(code: ErrorCode) -> Value {
    let message = code.name().unwrap();
    json!({"jsonrpc": "2.0", "error": {"code": code.value(), "message": message}})
}

/// The methods that the examples call.
fn call(request: &Request<'_>) -> Value {
    let id: Value = serde_json::from_str(&request.id().to_string()).unwrap();
    let params = request.params();
    let numbers = || {
        let elements = params.unwrap().elements().unwrap();
        elements.map(|element| element.number().unwrap().as_i64().unwrap())
    };
    let named = |name| {
        let member = params.and_then(|params| params.member(name));
        member.and_then(|value| value.number()?.as_i64())
    };
    let method = request.method();
    let mut answer = if method == "subtract" {
        let difference = match (named("minuend"), named("subtrahend")) {
            (Some(minuend), Some(subtrahend)) => minuend - subtrahend,
            _ => numbers().reduce(|minuend, subtrahend| minuend - subtrahend).unwrap(),
        };
        json!({"jsonrpc": "2.0", "result": difference})
    } else if method == "sum" {
        json!({"jsonrpc": "2.0", "result": numbers().sum::<i64>()})
    } else if method == "get_data" {
        json!({"jsonrpc": "2.0", "result": ["hello", 5]})
    } else {
        error(ErrorCode::METHOD_NOT_FOUND)
    };
    answer["id"] = id;
    answer
}

/// Sorts an array's elements: "The Response objects being returned from a batch call MAY be returned in any order".
fn in_any_order(answer: Value) -> Value {
    match answer {
        Value::Array(mut all) => {
            all.sort_by_key(Value::to_string);
            Value::Array(all)
        }
        one => one,
    }
}

#[test]
fn a_server_gives_the_answers_of_the_specification() {
    for example in EXAMPLES {
        let answer = serve(example.sent);
        let expected = example.answer.map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(answer.map(in_any_order), expected.map(in_any_order), "{}", example.heading);
    }
}

/// Returns the kind of the message, in the terms of the specification, with its id.
fn kind(message: Result<Message<'_>, Fault<'_>>) -> String {
    match message {
        Ok(Message::Request(request)) => format!("request {}", request.id()),
        Ok(Message::Notification(_)) => "notification".into(),
        Ok(Message::Response(response)) => {
            let what = match response.outcome() {
                Outcome::Result(_) => "result",
                Outcome::Error(_) => "error",
            };
            format!("{what} {}", response.id().unwrap())
        }
        Ok(Message::Batch(batch)) => {
            let kinds: Vec<_> = batch.iter().map(|element| kind(element.message())).collect();
            format!("batch: {}", kinds.join(", "))
        }
        Err(fault) => tautline::rule::name(fault.rule()).to_owned(),
    }
}

#[test]
fn what_the_client_sends_is_what_the_specification_says_it_is() {
    let kinds = [
        "request 1",
        "request 2",
        "request 3",
        "request 4",
        "notification",
        "notification",
        "request \"1\"",
        "not-json",
        "method-type",
        "not-json",
        "batch-empty",
        "batch: not-an-object",
        "batch: not-an-object, not-an-object, not-an-object",
        "batch: request \"1\", notification, request \"2\", missing-jsonrpc, request \"5\", request \"9\"",
        "batch: notification, notification",
    ];
    assert_eq!(kinds.len(), EXAMPLES.len());
    for (example, expected) in EXAMPLES.iter().zip(kinds) {
        let message = Message::parse(example.sent.as_bytes(), &PROFILE);
        assert_eq!(kind(message), expected, "{}", example.heading);
    }
}

#[test]
fn what_the_server_answers_is_what_the_specification_says_it_is() {
    let kinds = [
        Some("result 1"),
        Some("result 2"),
        Some("result 3"),
        Some("result 4"),
        None,
        None,
        Some("error \"1\""),
        Some("error null"),
        Some("error null"),
        Some("error null"),
        Some("error null"),
        Some("batch: error null"),
        Some("batch: error null, error null, error null"),
        Some("batch: result \"1\", result \"2\", error null, error \"5\", result \"9\""),
        None,
    ];
    assert_eq!(kinds.len(), EXAMPLES.len());
    for (example, expected) in EXAMPLES.iter().zip(kinds) {
        let answer = example.answer.map(|text| kind(Message::parse(text.as_bytes(), &PROFILE)));
        assert_eq!(answer.as_deref(), expected, "{}", example.heading);
    }
}

fn request(text: &str) -> Request<'_> {
    match Message::parse(text.as_bytes(), &PROFILE) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn members_are_what_they_are_in_the_examples() {
    let positional = request(EXAMPLES[0].sent);
    assert_eq!(positional.method(), "subtract");
    assert_eq!(positional.params().unwrap().as_bytes(), b"[42, 23]");
    assert_eq!(positional.call().unknown_members(), 0);

    let named = request(EXAMPLES[2].sent).params().unwrap();
    assert_eq!(named.member("minuend").unwrap().as_bytes(), b"42");
    assert_eq!(named.member("subtrahend").unwrap().as_bytes(), b"23");

    let absent = request(EXAMPLES[6].sent);
    assert_eq!(absent.params(), None);
    assert!(matches!(absent.id(), Id::String(id) if id == "1"));

    let notification: Notification<'_> = match Message::parse(EXAMPLES[4].sent.as_bytes(), &PROFILE)
    {
        Ok(Message::Notification(notification)) => notification,
        other => panic!("{other:?}"),
    };
    assert_eq!(notification.method(), "update");
    assert_eq!(notification.params().unwrap().as_bytes(), b"[1,2,3,4,5]");
    assert_eq!(notification.call().unknown_members(), 0);

    let error: Response<'_> = match Message::parse(EXAMPLES[6].answer.unwrap().as_bytes(), &PROFILE)
    {
        Ok(Message::Response(response)) => response,
        other => panic!("{other:?}"),
    };
    assert_eq!(error.result(), None);
    let error = error.error().unwrap();
    assert_eq!(error.code(), Some(ErrorCode::METHOD_NOT_FOUND));
    assert_eq!(error.raw_code().as_bytes(), b"-32601");
    assert_eq!(error.message(), "Method not found");
    assert_eq!(error.data(), None);
}

#[test]
fn faults_stand_where_the_examples_break() {
    for (example, rule, broken) in [
        // The quote after `foobar, ` closes the string, and the next name has no comma before it.
        (7, Rule::NOT_JSON, r#"params": "bar", "baz]"#),
        (8, Rule::METHOD_TYPE, r#"1, "params": "bar"}"#),
        (9, Rule::NOT_JSON, "]"),
        (10, Rule::BATCH_EMPTY, "[]"),
    ] {
        let sent = EXAMPLES[example].sent;
        let fault = Message::parse(sent.as_bytes(), &PROFILE).unwrap_err();
        assert_eq!(fault.rule(), rule);
        let offset = usize::try_from(fault.offset()).unwrap();
        assert_eq!(&sent[offset..], broken);
    }
    let Ok(Message::Batch(batch)) = Message::parse(b"[1,2,3]", &PROFILE) else { panic!() };
    let offsets: Vec<_> =
        batch.iter().map(|element| element.message().unwrap_err().offset()).collect();
    assert_eq!(offsets, [1, 3, 5]);
}
