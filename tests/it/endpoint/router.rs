//! Handlers that are registered at run time, and types that find methods themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tautline::encode::object;
use tautline::endpoint::{Endpoint, Failure, Method, Methods, Responded, Responder, Router};
use tautline::{Call, ErrorCode, Profile};

use super::error;

/// Returns the reply to a call of a method with these parameters.
fn ask<M: Methods<Vec<String>>>(
    endpoint: &Endpoint<Vec<String>, M>,
    seen: &mut Vec<String>,
    call: &str,
) -> Option<Value> {
    let frame = format!(r#"{{"jsonrpc":"2.0",{call}}}"#);
    let mut reply = Vec::new();
    let length = endpoint.answer_into(frame.as_bytes(), seen, &mut reply).unwrap().len();
    assert_eq!(length, reply.len());
    (length > 0).then(|| serde_json::from_slice(&reply).unwrap())
}

fn result(value: impl Into<Value>) -> Option<Value> {
    Some(json!({"jsonrpc": "2.0", "id": 1, "result": value.into()}))
}

#[test]
fn requests_and_notifications_have_handlers_of_their_own() {
    let mut router = Router::new();
    router
        .request("both", |seen: &mut Vec<String>, _, responder| {
            seen.push("request".to_owned());
            Ok(responder.result(true))
        })
        .notification("both", |seen, call| seen.push(format!("note {}", call.params().unwrap())))
        .request("asked", |seen, _, responder| {
            seen.push("asked".to_owned());
            Ok(responder.result(1))
        })
        .notification("told", |seen, _| seen.push("told".to_owned()));
    assert_eq!(router.names().collect::<Vec<_>>(), ["asked", "both", "told"]);
    let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
    let mut seen = Vec::new();
    let missing = || Some(error(1, -32601, "Method not found"));
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"both""#), result(true));
    assert_eq!(ask(&endpoint, &mut seen, r#""method":"both","params":[2]"#), None);
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"b\u006fth""#), result(true));
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"told""#), missing());
    assert_eq!(ask(&endpoint, &mut seen, r#""method":"told""#), None);
    assert_eq!(ask(&endpoint, &mut seen, r#""method":"asked""#), None);
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"Both""#), missing());
    let invalid = Some(error(1, -32600, "Invalid Request"));
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"\ud800""#), invalid);
    assert_eq!(seen, ["request", "note [2]", "request", "told"]);
}

#[test]
fn handlers_are_registered_replaced_and_removed_at_run_time() {
    let mut endpoint = Endpoint::new(Router::new(), &Profile::JSON_RPC);
    let mut seen = Vec::new();
    let mut asked = |endpoint: &Endpoint<_, _>| ask(endpoint, &mut seen, r#""id":1,"method":"m""#);
    let missing = Some(error(1, -32601, "Method not found"));
    assert_eq!(asked(&endpoint), missing);
    for name in ["first", "second"] {
        let owned = name.to_owned();
        let handler = move |_: &mut Vec<String>, _: &Call<'_>, responder: Responder<'_, '_>| {
            Ok(responder.result(&owned))
        };
        endpoint.methods_mut().request(String::from("m"), handler);
        assert_eq!(asked(&endpoint), result(name));
    }
    assert!(endpoint.methods_mut().remove("m"));
    assert!(!endpoint.methods_mut().remove("m"));
    assert_eq!(asked(&endpoint), missing);
}

#[test]
fn names_that_begin_with_rpc_are_for_extensions() {
    let mut router = Router::new();
    router.request("rpc.a", |_, _, responder| Ok(responder.result("a")));
    router.request("rpc.b", |_, _, responder| Ok(responder.result("b"))).extension("rpc.b");
    router.extension("rpc.c").notification("rpc.c", |seen: &mut Vec<_>, _| seen.push("c".into()));
    let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
    let mut seen = Vec::new();
    let missing = Some(error(1, -32601, "Method not found"));
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"rpc.a""#), missing);
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"rpc.b""#), result("b"));
    assert_eq!(ask(&endpoint, &mut seen, r#""method":"rpc.c""#), None);
    assert_eq!(seen, ["c"]);
}

/// A server can run on several threads, with one state that the handlers capture.
#[test]
fn a_router_is_shared_by_threads() {
    let count = Arc::new(AtomicUsize::new(0));
    let mut router = Router::new();
    let shared = Arc::clone(&count);
    router.request("count", move |(), _, responder| {
        Ok(responder.result(shared.fetch_add(1, Ordering::Relaxed)))
    });
    let endpoint = Endpoint::new(&router, &Profile::JSON_RPC);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let frame = br#"{"jsonrpc":"2.0","id":1,"method":"count"}"#;
                endpoint.answer(frame, &mut (), &mut [0; 128]).unwrap();
            });
        }
    });
    assert_eq!(count.load(Ordering::Relaxed), 4);
}

#[test]
fn typed_handlers_take_and_return_types() {
    #[derive(Deserialize)]
    struct Split {
        text: String,
        #[serde(default)]
        limit: Option<usize>,
    }
    #[derive(Serialize)]
    struct Words {
        words: Vec<String>,
    }
    let mut router = Router::new();
    router.typed_request("split", |seen: &mut Vec<String>, Split { text, limit }| {
        seen.push(text.clone());
        let words = text.split(' ').take(limit.unwrap_or(9)).map(str::to_owned).collect();
        Ok(Words { words })
    });
    router.typed_request("fail", |_, (): ()| {
        let data = object(|data| data.member("retry", true));
        let busy = Failure::new(ErrorCode::new(17), "busy");
        Err::<(), _>(busy.with_message("busy for 3 s").with_data(data))
    });
    router.typed_notification("log", |seen, (line,): (String,)| seen.push(line));
    let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
    let mut seen = Vec::new();
    let split = r#""id":1,"method":"split","params":{"text":"a \u0062 c","limit":2}"#;
    assert_eq!(ask(&endpoint, &mut seen, split), result(json!({"words": ["a", "b"]})));
    let wrong = r#""id":1,"method":"split","params":{"text":7}"#;
    assert_eq!(ask(&endpoint, &mut seen, wrong), Some(error(1, -32602, "Invalid params")));
    let busy = json!({"code": 17, "message": "busy for 3 s", "data": {"retry": true}});
    let failed = json!({"jsonrpc": "2.0", "id": 1, "error": busy});
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"fail""#), Some(failed));
    assert_eq!(ask(&endpoint, &mut seen, r#""method":"log","params":["x"]"#), None);
    assert_eq!(ask(&endpoint, &mut seen, r#""method":"log","params":[7]"#), None);
    assert_eq!(seen, ["a b c", "x"]);
}

#[test]
fn data_that_cannot_be_written_is_an_internal_error() {
    let mut router = Router::new();
    router.request("nan", |(), _, _| Err(Failure::INVALID_PARAMS.with_data(f64::NAN)));
    let endpoint = Endpoint::new(router, &Profile::JSON_RPC);
    let mut reply = Vec::new();
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"nan"}"#;
    endpoint.answer_into(frame, &mut (), &mut reply).unwrap();
    let reply: Value = serde_json::from_slice(&reply).unwrap();
    assert_eq!(reply, error(1, -32603, "Internal error"));
    let failure = Failure::INTERNAL.with_message("a").with_data("b\n");
    assert_eq!((failure.message(), failure.to_string().as_str()), ("a", "a"));
    assert_eq!(failure.data().unwrap().as_bytes(), br#""b\n""#);
    assert_eq!(Failure::INTERNAL.with_data(f64::NAN).data(), None);
    assert_ne!(failure, Failure::INTERNAL);
}

/// A table in an array, and one that is found by a type of the caller's.
#[test]
fn methods_may_come_from_anywhere() {
    struct Upper;
    impl Methods<Vec<String>> for Upper {
        fn call(
            &self,
            seen: &mut Vec<String>,
            call: &Call<'_>,
            responder: Responder<'_, '_>,
        ) -> Result<Responded, Failure> {
            let name = call.method().unescaped().ok_or(Failure::METHOD_NOT_FOUND)?.to_uppercase();
            seen.push(name.clone());
            Ok(responder.result(name))
        }
    }
    let mut seen = Vec::new();
    let endpoint = Endpoint::new(Upper, &Profile::JSON_RPC);
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"up""#), result("UP"));
    let array = [Method::new("up", |_: &mut Vec<String>, _, responder| Ok(responder.result(2)))];
    let endpoint = Endpoint::new(array, &Profile::JSON_RPC);
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"up""#), result(2));
    let endpoint = Endpoint::new((), &Profile::JSON_RPC);
    let missing = Some(error(1, -32601, "Method not found"));
    assert_eq!(ask(&endpoint, &mut seen, r#""id":1,"method":"up""#), missing);
    assert_eq!(seen, ["UP"]);
}
