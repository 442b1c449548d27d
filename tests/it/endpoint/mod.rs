//! A frame in, the reply out: what a peer gets for any input.

mod doors;
mod explained;
mod growing;
mod guarded;
mod handlers;
mod room;
mod router;
mod specification;
mod typed;

use serde_json::{Value, json};
use tautline::encode::{NewError, object};
use tautline::endpoint::{Endpoint, Failure, Method};
use tautline::{ErrorCode, Profile};

/// The state of the methods below.
#[derive(Debug, Default)]
struct Log {
    called: Vec<String>,
    /// The id of a call that is answered later.
    promised: Option<String>,
}

const METHODS: &[Method<Log>] = &[
    Method::new("echo", |log, call, responder| {
        log.called.push(call.method().to_string());
        Ok(responder.result(call.params()))
    }),
    Method::new("fail", |log, call, _| {
        log.called.push(call.method().to_string());
        Err(Failure::INTERNAL)
    }),
    Method::new("own", |_, _, responder| {
        let data = object(|data| data.member("retry", 3));
        Ok(responder.error(NewError::new(ErrorCode::new(17), "busy").with_data(data)))
    }),
    Method::new("later", |log, call, responder| {
        let answered = responder.later()?;
        log.promised = call.id().map(|id| id.to_string());
        Ok(answered)
    }),
    Method::new("later_or_now", |log, call, responder| {
        if responder.is_in_batch() {
            return Ok(responder.result("now"));
        }
        log.promised = call.id().map(|id| id.to_string());
        responder.later()
    }),
    Method::new("change_mind", |_, _, responder| {
        let _written = responder.result("an answer that is not to be seen");
        Err(Failure::INVALID_PARAMS)
    }),
    Method::new("nan", |_, _, responder| Ok(responder.result(f64::NAN))),
    Method::new("wordy", |_, _, _| {
        Err(Failure::new(ErrorCode::new(1), "a description that is longer than that of any other"))
    }),
    Method::new("rpc.reserved", |log, call, responder| {
        log.called.push(call.method().to_string());
        Ok(responder.result(true))
    }),
    Method::extension("rpc.discover", |_, _, responder| Ok(responder.result(true))),
];

fn handle_with(profile: &Profile, frame: &str, log: &mut Log) -> Option<Value> {
    let mut room = vec![0; 4096];
    let endpoint = Endpoint::new(METHODS, profile);
    let reply = endpoint.answer(frame.as_bytes(), log, &mut room).unwrap().bytes();
    if reply.is_empty() {
        return None;
    }
    assert_eq!(reply.iter().filter(|&&byte| byte == b'\n').count(), 1);
    assert!(reply.ends_with(b"\n"));
    Some(serde_json::from_slice(reply).unwrap())
}

fn handle(frame: &str) -> Option<Value> {
    handle_with(&Profile::JSON_RPC, frame, &mut Log::default())
}

fn error(id: impl Into<Value>, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "error": {"code": code, "message": message}})
}
