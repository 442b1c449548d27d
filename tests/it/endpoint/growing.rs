//! Replies appended to outputs that grow: the same as in a slice, and all or nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tautline::encode::{EncodeError, GrowableOutput, Output, Refused};
use tautline::endpoint::{Endpoint, Failure, Method, Methods, Responder, Router, Traffic};
use tautline::frame::Frame;
use tautline::stream::{MessageStream, Messages};
use tautline::{Call, Profile};

use super::{Log, METHODS, error};
use crate::support::dice::Dice;
use crate::support::presets::Revision;

const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1,2.5e-3,"\ud83d\ude00"]}}"#,
    r#"{"jsonrpc":"2.0","id":"x\u0041","method":"fail"}"#,
    r#"{"method":"own","jsonrpc":"2.0","id":-7}"#,
    r#"{"jsonrpc":"2.0","method":"ech\u006f","params":[true,false,null]}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"later"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"change_mind"}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"nan"}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"wordy"}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"rpc.reserved"}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"rpc.discover"}"#,
    r#"{"result":{"content":[{"type":"text"}]},"jsonrpc":"2.0","id":3}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"echo"},{"jsonrpc":"2.0","method":"fail"},3]"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"nan"},{"jsonrpc":"2.0","id":1,"method":"later_or_now"}]"#,
    "[]",
    "Server listening on port 3000",
];

/// The methods of the table, each with its handler for requests and for notifications.
fn router() -> Router<Log> {
    let mut router = Router::new();
    for method in METHODS {
        let answer = move |log: &mut Log, call: &Call<'_>, responder: Responder<'_, '_>| {
            METHODS.call(log, call, responder)
        };
        router.request(method.name(), answer);
    }
    router.notification("echo", |log: &mut Log, _| log.called.push("echo".to_owned()));
    router.notification("fail", |log: &mut Log, _| log.called.push("fail".to_owned()));
    router.extension("rpc.discover");
    router
}

/// The table in a slice, the table in a `Vec`, and the router agree on every mutated frame.
#[test]
fn a_slice_and_a_vec_and_a_table_and_a_router_give_the_same_replies() {
    for profile in
        [Profile::JSON_RPC, Revision::V2025_03_26.profile(), Revision::V2025_11_25.profile()]
    {
        let table = Endpoint::new(METHODS, &profile);
        let routed = Endpoint::new(router(), &profile);
        let (mut of_table, mut of_vec, mut of_router) =
            (Log::default(), Log::default(), Log::default());
        let mut dice = Dice(0x1234_5678_9ABC_DEF1);
        let (mut frame, mut room) = (Vec::new(), vec![0; 1 << 16]);
        let mut answered = 0;
        for _ in 0..20_000 {
            dice.break_one(SEEDS, &mut frame);
            let expected =
                table.answer(Frame::from_line(&frame), &mut of_table, &mut room).unwrap().bytes();
            let shown = frame.escape_ascii();
            let mut replies = b"before\n".to_vec();
            let length = table
                .answer_into(Frame::from_line(&frame), &mut of_vec, &mut replies)
                .unwrap()
                .len();
            assert_eq!(length, expected.len(), "{shown}");
            assert_eq!(replies, [b"before\n", expected].concat(), "{shown}");
            replies.clear();
            routed.answer_into(Frame::from_line(&frame), &mut of_router, &mut replies).unwrap();
            assert_eq!(replies, expected, "{shown}");
            assert_eq!(of_table.called, of_vec.called, "{shown}");
            assert_eq!(of_table.called, of_router.called, "{shown}");
            answered += usize::from(length > 0);
            for log in [&mut of_table, &mut of_vec, &mut of_router] {
                log.called.clear();
            }
        }
        assert!(answered > 2000, "{answered}");
    }
}

#[test]
fn a_result_of_any_length_is_written() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
    let long = "x".repeat(3 << 20);
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":["{long}"]}}"#);
    let mut replies = Vec::new();
    let log = &mut Log::default();
    let length = endpoint.answer_into(call.as_bytes(), log, &mut replies).unwrap().len();
    assert!(length > long.len());
    let batch = format!("[{call},{call}]");
    endpoint.answer_into(batch.as_bytes(), log, &mut replies).unwrap();
    let lines: Vec<Value> = replies
        .trim_ascii()
        .split(|&byte| byte == b'\n')
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines[0]["result"][0], long);
    assert_eq!(lines[1][1]["result"][0], long);
}

#[test]
fn what_comes_off_a_stream_is_answered_and_observed() {
    fn observe(seen: &mut Vec<String>, traffic: Traffic<'_>) {
        if let Traffic::Out(reply) = traffic {
            seen.push(String::from_utf8(reply.to_vec()).unwrap());
        }
    }
    let methods: &[Method<Vec<String>>] =
        &[Method::new("m", |_, _, responder| Ok(responder.result(1)))];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC).observed_by(observe);
    let wire = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n[\n";
    let (mut seen, mut replies) = (Vec::new(), Vec::new());
    for received in Messages::new(wire, 100, endpoint.profile()) {
        endpoint.answer_into(&received, &mut seen, &mut replies).unwrap();
    }
    assert_eq!(seen.concat().as_bytes(), replies);
    assert_eq!(seen.len(), 2);
    // An oversized request has its id, if it was skimmed.
    let mut stream = MessageStream::new([0; 8], endpoint.profile());
    let (mut chunk, mut reply) = (&wire[..], Vec::new());
    let received = stream.next(&mut chunk).unwrap();
    endpoint.answer_into(&received, &mut seen, &mut reply).unwrap();
    let reply: Value = serde_json::from_slice(&reply).unwrap();
    assert_eq!(reply, error(1, -32600, "Invalid Request"));
}

/// An output with a limit, which can also fail when a reply is complete.
struct Limited {
    bytes: Vec<u8>,
    most: usize,
    commits: bool,
}

impl Output for Limited {
    fn mark(&self) -> usize {
        self.bytes.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if self.bytes.len() + bytes.len() > self.most {
            return Err(Refused::Full);
        }
        self.bytes.put(bytes)
    }

    fn commit(&mut self) -> Result<(), Refused> {
        if self.commits { Ok(()) } else { Err(Refused::Failed) }
    }

    fn rewind(&mut self, mark: usize) {
        self.bytes.truncate(mark);
    }
}

impl GrowableOutput for Limited {
    fn put_since(&self, mark: usize) -> &[u8] {
        self.bytes.put_since(mark)
    }
}

#[test]
fn after_an_error_the_output_is_as_it_was() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
    let call =
        r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["a parameter of some length"]}"#;
    for frame in [call.to_owned(), format!("[{call},{call}]"), "[]".to_owned()] {
        let mut outcomes = [0; 3];
        for most in 4..250 {
            let mut out = Limited { bytes: b"kept".to_vec(), most, commits: true };
            match endpoint.answer_into(frame.as_bytes(), &mut Log::default(), &mut out) {
                Ok(reply) => {
                    let length = reply.len();
                    assert_eq!(out.bytes.len(), 4 + length);
                    let reply: Value = serde_json::from_slice(&out.bytes[4..]).unwrap();
                    outcomes[usize::from(reply.to_string().contains("-32603"))] += 1;
                }
                Err(error) => {
                    assert!(matches!(error, EncodeError::DoesNotFit { .. }));
                    assert_eq!(out.bytes, b"kept");
                    outcomes[2] += 1;
                }
            }
        }
        assert!(outcomes[0] > 0 && outcomes[2] > 0, "{outcomes:?}");
        let mut out = Limited { bytes: b"kept".to_vec(), most: 1000, commits: false };
        let failed = endpoint.answer_into(frame.as_bytes(), &mut Log::default(), &mut out);
        assert_eq!(failed, Err(EncodeError::Output));
        assert_eq!(out.bytes, b"kept");
        // Silence is not committed.
        let note = br#"{"jsonrpc":"2.0","method":"echo"}"#;
        assert!(endpoint.answer_into(note, &mut Log::default(), &mut out).unwrap().is_empty());
    }
}

#[test]
fn a_handler_that_panics_leaves_nothing() {
    let mut router = Router::new();
    router.request("ok", |(), _, responder| Ok(responder.result(1)));
    router.request(
        "panic",
        |(), _, _| if true { panic!("in a handler") } else { Err(Failure::INTERNAL) },
    );
    let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
    let batch =
        br#"[{"jsonrpc":"2.0","id":1,"method":"ok"},{"jsonrpc":"2.0","id":2,"method":"panic"}]"#;
    let mut out = b"kept".to_vec();
    let handled =
        catch_unwind(AssertUnwindSafe(|| endpoint.answer_into(batch, &mut (), &mut out).is_ok()));
    assert!(handled.is_err());
    assert_eq!(out, b"kept");
}
