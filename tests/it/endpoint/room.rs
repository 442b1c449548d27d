//! The room for answers, and the replies when there is too little of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use tautline::encode::{EncodeError, object};
use tautline::endpoint::{Endpoint, Failure, Method, Responded};
use tautline::{Message, Profile};

use super::{Log, METHODS, error, handle};
use crate::support::presets::Revision;

/// Every length of output from zero to the full length of the reply.
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
            let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
            let mut room = vec![b'{'; length];
            let reply = endpoint.answer(frame.as_bytes(), &mut Log::default(), &mut room);
            assert_eq!(reply.is_ok(), length >= least_length);
            match reply {
                Ok(reply) => {
                    assert_eq!(reply.iter().position(|&byte| byte == b'\n'), Some(reply.len() - 1));
                    let reply: Value = serde_json::from_slice(&reply).unwrap();
                    let expected = if length < full_length { &least } else { &full };
                    assert_eq!(reply, *expected, "in {length} bytes");
                }
                Err(EncodeError::DoesNotFit { needed, .. }) => {
                    assert_eq!(needed, least_length);
                    assert!(length < needed);
                    // No part of the output can be mistaken for a message.
                    let mut lines =
                        room.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
                    assert!(lines.all(|line| Message::parse(line, &Profile::JSON_RPC).is_err()));
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
        let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC);
        match endpoint.answer(frame.as_bytes(), &mut Log::default(), &mut room) {
            Ok(reply) => {
                let reply: Value = serde_json::from_slice(&reply).unwrap();
                let ids: Vec<_> = reply.as_array().unwrap().iter().map(|one| &one["id"]).collect();
                assert_eq!(ids, [&json!(1), &json!(2), &Value::Null, &json!(3)]);
                for one in reply.as_array().unwrap() {
                    let failed = one["error"]["code"] == -32603;
                    assert!(failed || full.as_array().unwrap().contains(one), "{one}");
                }
                kinds[usize::from(reply == full)] += 1;
            }
            Err(error) => {
                assert!(matches!(error, EncodeError::DoesNotFit { needed, .. } if needed == least));
                assert!(length < least);
                kinds[2] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|&count| count > 0), "{kinds:?}");
}

#[test]
fn half_an_answer_is_no_answer() {
    let methods: &[Method<Option<Responded>>] = &[
        Method::new("keep", |kept, _, responder| {
            *kept = Some(responder.result(1));
            Err(Failure::INTERNAL)
        }),
        Method::new("panic", |kept, _, responder| {
            let payload = object(|_| panic!("in the middle of an answer"));
            catch_unwind(AssertUnwindSafe(|| responder.result(payload))).unwrap_err();
            kept.take().ok_or(Failure::INTERNAL)
        }),
    ];
    let endpoint = Endpoint::new(methods, &Profile::JSON_RPC);
    let mut kept = None;
    for method in ["keep", "panic"] {
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        for (frame, expected) in [
            (call.clone(), error(1, -32603, "Internal error")),
            (format!("[{call}]"), json!([error(1, -32603, "Internal error")])),
        ] {
            let mut room = [0; 256];
            let reply = endpoint.answer(frame.as_bytes(), &mut kept, &mut room).unwrap().bytes();
            let reply: Value = serde_json::from_slice(reply).unwrap();
            assert_eq!(reply, expected, "{method}");
        }
    }
}

/// The frames with the longest replies, in exactly the room that suffices for any.
#[test]
fn no_frame_needs_more_than_the_least_room() {
    let methods: &[Method<()>] = &[];
    let handle = |profile: &Profile, frame: &str| {
        let endpoint = Endpoint::new(methods, profile);
        let limit = u32::try_from(frame.len()).unwrap();
        let mut room = vec![0; endpoint.min_reply_len(limit)];
        let length = endpoint.answer(frame.as_bytes(), &mut (), &mut room).unwrap().len();
        assert!(length <= room.len());
        room.truncate(length);
        room
    };
    let elements = |count: usize, element: &str| format!("[{}]", vec![element; count].join(","));
    for profile in [Profile::JSON_RPC, Profile::JSON_RPC.with_max_batch(3)] {
        let max = usize::try_from(profile.max_batch()).unwrap();
        let request = r#"{"jsonrpc":"2.0","id":"an id","method":"not there"}"#;
        for count in [1, 2, max - 1, max] {
            for element in ["1", request, r#"{"id":1.5}"#, r#"{"jsonrpc":"2.0","method":1}"#] {
                let reply: Value =
                    serde_json::from_slice(&handle(&profile, &elements(count, element))).unwrap();
                assert_eq!(reply.as_array().unwrap().len(), count);
                let code = if element == request { -32601 } else { -32600 };
                assert_eq!(reply[count - 1]["error"]["code"], code, "the true error fits");
            }
        }
        handle(&profile, &elements(max + 1, "1"));
    }
    let long = "x".repeat(70_000);
    for frame in [
        format!(r#"{{"id":"{long}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"not there","id":"{long}"}}"#),
        format!(r#"[1,{{"jsonrpc":"2.0","method":"not there","id":"{long}"}},1]"#),
    ] {
        for profile in [Profile::JSON_RPC, Profile::LSP, Revision::LATEST.profile()] {
            assert!(!handle(&profile, &frame).is_empty());
        }
    }
    for frame in ["", "1", "[", "[]", "{}", "[1]", "null"] {
        handle(&Profile::JSON_RPC, frame);
    }
    let most = Endpoint::new(methods, &Profile::JSON_RPC.with_max_batch(u32::MAX));
    assert!(most.min_reply_len(u32::MAX) > most.min_reply_len(u32::MAX - 2));
}
