//! The entry points for streams, and the calls to an observer.

use serde_json::{Value, json};
use tautline::encode::NewError;
use tautline::endpoint::{Endpoint, Failure, Method, Status, Traffic};
use tautline::frame::Assembler;
use tautline::stream::{MessageStream, Messages};
use tautline::{ErrorCode, Profile, Rule, rule};

use super::{Log, METHODS, error};
use crate::support::presets::Revision;

#[test]
fn an_observer_sees_why_an_answer_was_not_written() {
    #[derive(Default)]
    struct Seen(Vec<String>);
    fn observe(seen: &mut Seen, traffic: Traffic<'_>) {
        if let Traffic::NotWritten { request, error, .. } = traffic {
            seen.0.push(format!("{} {error:?}", request.method()));
        }
    }
    let methods: &[Method<Seen>] = &[
        Method::new("good", |_, _, responder| Ok(responder.result(true))),
        Method::new("nan", |_, _, responder| Ok(responder.result(f64::NAN))),
        Method::new("data", |_, _, responder| {
            let error = NewError::new(ErrorCode::new(1), "x").with_data(f32::INFINITY);
            Ok(responder.error(error))
        }),
        Method::new("long", |_, call, responder| Ok(responder.result(call.params()))),
        Method::new("wordy", |_, _, _| {
            Err(Failure::new(ErrorCode::new(1), "a description that is longer than most of them"))
        }),
    ];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC).observed_by(observe);
    let long = "y".repeat(100);
    for (method, expected) in [
        ("good", None),
        ("nan", Some("nan NotFinite")),
        ("data", Some("data NotFinite")),
        ("long", Some("long DoesNotFit { needed: 139, free: Some(80) }")),
        ("wordy", Some("wordy DoesNotFit { needed: 103, free: Some(80) }")),
    ] {
        let mut seen = Seen::default();
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":["{long}"]}}"#);
        let mut room = [0; 80];
        let reply = endpoint.answer(frame.as_bytes(), &mut seen, &mut room).unwrap().bytes();
        let reply: Value = serde_json::from_slice(reply).unwrap();
        assert_eq!(reply["error"].is_null(), expected.is_none());
        assert_eq!(seen.0, expected.as_slice());
        // A notification has no answer that could fail.
        let frame = frame.replace("\"id\":1,", "");
        assert!(endpoint.answer(frame.as_bytes(), &mut seen, &mut room).unwrap().is_empty());
        assert_eq!(seen.0, expected.as_slice());
    }
}

#[test]
fn an_observer_sees_what_comes_and_what_goes_by_every_door() {
    fn observe(seen: &mut Vec<String>, traffic: Traffic<'_>) {
        seen.push(match traffic {
            Traffic::In(Ok(message)) => format!("in {}", message.frame().len()),
            Traffic::In(Err(fault)) => {
                format!("in {} {}", fault.frame().len(), rule::name(fault.rule()))
            }
            Traffic::Out(reply) => format!("out {}", reply.len()),
            other => panic!("{other:?}"),
        });
    }
    let endpoint = Endpoint::new((), &Profile::JSON_RPC).observed_by(observe);
    let frames = [r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, r#"{"jsonrpc":"2.0","method":"x"}"#];
    let mut seen = Vec::new();
    let mut room = [0; 256];
    for frame in frames {
        endpoint.answer(frame.as_bytes(), &mut seen, &mut room).unwrap();
    }
    assert_eq!(seen, ["in 37", "out 78", "in 30"]);

    seen.clear();
    let wire = format!("{}\n{}\n[]\n{}\n", frames[0], frames[1], "x".repeat(64));
    for received in Messages::new(wire.as_bytes(), 63, endpoint.profile()) {
        endpoint.answer(&received, &mut seen, &mut room).unwrap();
    }
    let batch = ["in 2 batch-empty", "out 80"];
    let oversized = ["in 0 frame-too-long", "out 80"];
    assert_eq!(seen, [&["in 37", "out 78", "in 30"][..], &batch, &oversized].concat());
}

#[test]
fn what_comes_off_a_stream_is_answered_and_so_is_a_line_too_long() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
    let mut stream = MessageStream::without_skimmer(Assembler::new([0; 64]), endpoint.profile());
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}\n", "x".repeat(64));
    let wire = format!("{long}{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}}\n{{\n");
    let mut replies = Vec::new();
    for mut chunk in wire.as_bytes().chunks(7) {
        while let Some(received) = stream.next(&mut chunk) {
            let mut room = [0; 256];
            let reply = endpoint.answer(&received, &mut Log::default(), &mut room).unwrap().bytes();
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
    let (json_rpc, mcp) = (Profile::JSON_RPC, Revision::V2025_06_18.profile());
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
        for (profile, owed) in [(json_rpc, under_json_rpc), (mcp, under_mcp)] {
            let endpoint = Endpoint::new(METHODS, &profile);
            let mut stream = MessageStream::new([0; 16], &profile);
            let mut room = vec![0; endpoint.min_reply_len(16)];
            let mut replies = Vec::new();
            for mut chunk in format!("{line}\n").as_bytes().chunks(97) {
                while let Some(received) = stream.next(&mut chunk) {
                    let log = &mut Log::default();
                    replies.extend_from_slice(
                        endpoint.answer(&received, log, &mut room).unwrap().bytes(),
                    );
                }
            }
            let replies = String::from_utf8(replies).unwrap();
            assert_eq!(replies.trim_end(), owed, "{line}");
        }
    }
}

/// The status agrees with the bytes, for every way to answer and every input.
#[test]
fn the_status_says_what_the_reply_is() {
    let failed = |code| Status::Error(ErrorCode::new(code));
    for (call, status, answer) in [
        (r#""id":1,"method":"echo""#, Status::Result, "result"),
        (r#""method":"echo""#, Status::Silent, ""),
        (r#""id":1,"method":"fail""#, failed(-32603), "-32603"),
        (r#""id":1,"method":"own""#, failed(17), "17"),
        (r#""id":1,"method":"later""#, Status::Later, ""),
        (r#""id":1,"method":"change_mind""#, failed(-32602), "-32602"),
        (r#""id":1,"method":"nan""#, failed(-32603), "-32603"),
        (r#""id":1,"method":"absent""#, failed(-32601), "-32601"),
        (r#""method":"absent""#, Status::Silent, ""),
        (r#""id":1,"result":7"#, Status::Silent, ""),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0",{call}}}"#);
        let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
        let (mut room, mut grown) = ([0; 256], Vec::new());
        let reply = endpoint.answer(&*frame, &mut Log::default(), &mut room).unwrap();
        assert_eq!(reply.status(), status, "{frame}");
        let text = std::str::from_utf8(&reply).unwrap();
        assert!(text.contains(answer) && text.is_empty() == answer.is_empty(), "{frame}: {text}");
        let replied = endpoint.answer_into(&*frame, &mut Log::default(), &mut grown).unwrap();
        assert_eq!(replied, reply, "{frame}");
        let received = Messages::new(frame.as_bytes(), 1024, &Profile::JSON_RPC).next().unwrap();
        let mut room = [0; 256];
        let again = endpoint.answer(&received, &mut Log::default(), &mut room).unwrap();
        assert_eq!(again, reply, "{frame}");
        let mut room = [0; 256];
        let batch = format!("[{frame}]");
        let reply = endpoint.answer(&*batch, &mut Log::default(), &mut room).unwrap();
        assert_eq!(reply.status(), Status::Batch, "{batch}");
    }
    // An answer that does not fit is replaced by an error, and so is its status.
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"wordy"}"#;
    for (length, status) in [(80, failed(-32603)), (256, failed(1))] {
        let mut room = vec![0; length];
        let reply = endpoint.answer(frame, &mut Log::default(), &mut room).unwrap();
        assert_eq!(reply.status(), status);
    }
    // A fault has a status, whether it is answered or not.
    for (frame, rule) in [
        ("{", Rule::NOT_JSON),
        (r#"{"jsonrpc":"2.0","id":{},"method":"echo"}"#, Rule::ID_TYPE),
        (r#"{"jsonrpc":"2.0","method":"echo","params":1}"#, Rule::PARAMS_TYPE),
        (r#"{"jsonrpc":"2.0","id":1,"result":7,"error":{}}"#, Rule::RESULT_AND_ERROR),
    ] {
        let mut room = [0; 256];
        let reply = endpoint.answer(frame, &mut Log::default(), &mut room).unwrap();
        let Status::Fault(fault) = reply.status() else { panic!("{frame}: {reply:?}") };
        assert_eq!(fault.rule(), rule, "{frame}");
    }
}
