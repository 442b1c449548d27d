//! Replies to faults that carry the reason.

use serde_json::{Value, json};
use tautline::encode::Encoder;
use tautline::endpoint::Endpoint;
use tautline::stream::Messages;
use tautline::{Message, Profile};

use super::{Log, METHODS};
use crate::support::presets::Revision;

fn explained(profile: &Profile, frame: &str, room: usize) -> Value {
    let endpoint = Endpoint::new(METHODS, profile).explaining();
    let mut room = vec![0; room];
    let reply = endpoint.answer(frame.as_bytes(), &mut Log::default(), &mut room).unwrap().bytes();
    serde_json::from_slice(reply).unwrap()
}

#[test]
fn the_reply_to_a_fault_says_which_rule_and_where() {
    for (frame, rule, offset, code) in [
        (r#"{"jsonrpc":"2.0","method":"m","id":{}}"#, "id-type", 35, -32600),
        (r#"{"jsonrpc":"1.0","method":"m","id":7}"#, "wrong-version", 11, -32600),
        (r#"{"jsonrpc":"2.0","#, "not-json", 17, -32700),
    ] {
        let fault = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap_err();
        let reply = explained(&Profile::JSON_RPC, frame, 1000);
        assert_eq!(reply["error"]["code"], code);
        let data = json!({"rule": rule, "offset": offset, "summary": fault.message()});
        assert_eq!(reply["error"]["data"], data);
        // Without an endpoint, the encoder writes the same.
        let mut line = Vec::new();
        let length = Encoder::new(&mut line).explained_fault(&fault).unwrap();
        assert_eq!((serde_json::from_slice::<Value>(&line).unwrap(), line.len()), (reply, length));
    }
    let silent =
        Message::parse(br#"{"jsonrpc":"1.0","method":"m"}"#, &Profile::JSON_RPC).unwrap_err();
    assert_eq!(Encoder::new(Vec::new()).explained_fault(&silent), Ok(0));
}

#[test]
fn other_errors_and_results_have_no_reason() {
    let batch = r#"[1,{"jsonrpc":"2.0","id":1,"method":"missing"},{"jsonrpc":"2.0","id":2,"method":"echo"}]"#;
    let reply = explained(&Profile::JSON_RPC, batch, 1000);
    assert_eq!(reply[0]["error"]["data"]["rule"], "not-an-object");
    assert_eq!(reply[0]["error"]["data"]["offset"], 1);
    assert_eq!(reply[1]["error"]["data"], Value::Null);
    assert_eq!(reply[2]["result"], Value::Null);
}

/// Every length of output, from too little to enough for the reason.
#[test]
fn without_room_for_the_reason_the_reply_has_none() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).explaining();
    for frame in ["{", "[1,2,3]", "[]"] {
        let mut kinds = [0; 3];
        for length in 0..800 {
            let mut room = vec![0; length];
            match endpoint.answer(frame.as_bytes(), &mut Log::default(), &mut room) {
                Err(_) => kinds[0] += 1,
                Ok(reply) => {
                    let reply: Value = serde_json::from_slice(&reply).unwrap();
                    let all = reply.as_array().map_or(vec![reply.clone()], Clone::clone);
                    let plain = all.iter().any(|one| one["error"]["data"].is_null());
                    kinds[if plain { 1 } else { 2 }] += 1;
                }
            }
        }
        assert!(kinds.iter().all(|&count| count > 0), "{frame}: {kinds:?}");
    }
}

/// The room that is enough for any frame is enough for the reasons too.
#[test]
fn the_least_room_has_room_for_the_reasons() {
    let id = "x".repeat(500);
    let elements = vec![r#"{"id":1.5}"#; 20].join(",");
    let frames = [
        "{".to_owned(),
        "[]".to_owned(),
        "1".to_owned(),
        format!(r#"{{"id":"{id}"}}"#),
        format!("[{elements}]"),
        format!("[{}]", vec!["1"; 100].join(",")),
    ];
    for profile in
        [Profile::JSON_RPC, Profile::JSON_RPC.with_max_batch(30), Revision::LATEST.profile()]
    {
        let endpoint = Endpoint::new(METHODS, &profile).explaining();
        assert!(endpoint.min_reply_len(64) > Endpoint::new(METHODS, &profile).min_reply_len(64));
        for frame in &frames {
            let limit = u32::try_from(frame.len()).unwrap();
            let mut room = vec![0; endpoint.min_reply_len(limit)];
            let log = &mut Log::default();
            let reply = endpoint.answer(frame.as_bytes(), log, &mut room).unwrap().bytes();
            if !reply.is_empty() {
                let reply: Value = serde_json::from_slice(reply).unwrap();
                let all = reply.as_array().map_or(vec![reply.clone()], Clone::clone);
                assert!(all.iter().all(|one| one["error"]["data"]["rule"].is_string()), "{reply}");
            }
        }
        // An oversized frame has a reason too.
        for received in Messages::new(&b"x".repeat(65), 64, &profile) {
            let mut room = vec![0; endpoint.min_reply_len(64)];
            let reply = endpoint.answer(&received, &mut Log::default(), &mut room).unwrap().bytes();
            let text = String::from_utf8(reply.to_vec()).unwrap();
            assert!(
                text.is_empty() || text.contains("frame-too-long") || text.contains("not-json")
            );
        }
    }
}
