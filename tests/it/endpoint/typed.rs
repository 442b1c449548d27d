//! Parameters read into types: what does not fit, and who hears of it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use tautline::endpoint::{Endpoint, Failure, Method, Methods, Router, Status, Traffic};
use tautline::json::{Expected, FromJson, Mismatch};
use tautline::{ErrorCode, Profile, RawJson, RawNumber};

use super::error;
use crate::support::allocator::measure;

/// The params that do not fit, as the observer sees them: the method, and the reason.
type Seen = Vec<String>;

#[derive(Debug, PartialEq, Deserialize)]
struct Move {
    by: (i32, i32),
    slowly: Option<bool>,
}

impl<'buf> FromJson<'buf> for Move {
    fn from_json(value: RawJson<'buf>) -> Result<Self, Mismatch> {
        Ok(Self { by: value.read_member("by")?, slowly: value.read_member("slowly")? })
    }
}

fn add((a, b): (i64, i64)) -> Result<i64, Failure> {
    a.checked_add(b).ok_or(Failure::INVALID_PARAMS)
}

const METHODS: &[Method<Seen>] = &[
    Method::new("add", |_, call, responder| Ok(responder.result(add(call.read_params()?)?))),
    Method::new("param", |_, call, responder| {
        let (n, b): (u8, Option<bool>) = (call.param(1, "n")?, call.param(2, "b")?);
        Ok(responder.result([Some(u64::from(n)), b.map(u64::from)]))
    }),
    Method::new("move", |_, call, responder| {
        let moved: Move = call.read_params()?;
        Ok(responder.result(moved.by.0))
    }),
    Method::new("nested", |_, call, responder| {
        let moved: Move = call.param(0, "move")?;
        Ok(responder.result(moved.by.0))
    }),
    Method::new("texts", |_, call, responder| {
        type Texts<'a> = (String, &'a str, Cow<'a, str>, Option<RawNumber<'a>>);
        let (a, b, c, n): Texts<'_> = call.read_params()?;
        let n = n.map_or(String::new(), |n| n.to_string());
        Ok(responder.result([&a, b, &c, &n].concat()))
    }),
    Method::new("serde", |_, call, responder| {
        let moved: Move = call.params_as()?;
        Ok(responder.result(moved.by.0))
    }),
    Method::new("none", |_, call, responder| {
        call.read_params::<()>()?;
        Ok(responder.result(true))
    }),
    Method::new("own_data", |_, call, _| {
        let failure = call.read_params::<(i64,)>().unwrap_err();
        Err(failure.with_message("no").with_data("own"))
    }),
    Method::new("wrote_first", |_, call, responder| {
        let _written = responder.result("an answer that is not to be seen");
        Err(call.read_params::<(i64,)>().unwrap_err())
    }),
];

fn observe(seen: &mut Seen, traffic: Traffic<'_>) {
    if let Traffic::InvalidParams { call, failure, .. } = traffic {
        let mismatch = failure.mismatch().unwrap();
        let reason = failure.reason().unwrap();
        let missing = match (mismatch.member(), mismatch.index()) {
            (Some(member), None) => format!("\"member\":\"{member}\""),
            (None, Some(index)) => format!("\"index\":{index}"),
            _ => String::new(),
        };
        seen.push(format!("{} at {}: {reason}: {missing}", call.method(), mismatch.offset()));
    }
}

const INTEGER: &str = "an integer in the range of the type is expected";
const MISSING: &str = "a member is missing";
const TOO_FEW: &str = "an element is missing";

/// Each way in which params do not fit: the method, the params with a mark at the place, the path there, what is
/// wrong, and the member or the index that is missing. Without params, the offset is that of the method.
const MISFITS: &[(&str, &str, &str, &str, &str)] = &[
    ("param", "", "params", "the params are missing", ""),
    ("param", "^[1]", "params", TOO_FEW, r#""index":1"#),
    ("param", r#"^{"a":1}"#, "params", MISSING, r#""member":"n""#),
    (
        "param",
        r#"{"n":1,^"\u006e":2}"#,
        r#"params["\u006e"]"#,
        "the name of a member is repeated",
        "",
    ),
    ("param", r#"[1,^"2"]"#, "params[1]", INTEGER, ""),
    ("param", r#"{"n" : ^256}"#, "params.n", INTEGER, ""),
    ("param", r#"{"n":^-1}"#, "params.n", INTEGER, ""),
    ("param", r#"{"n":^1.5}"#, "params.n", INTEGER, ""),
    ("param", r#"{"n":1,"b":^1}"#, "params.b", "true or false is expected", ""),
    ("add", "", "params", "the params are missing", ""),
    ("add", r#"^{"a":1,"b":2}"#, "params", "an array is expected", ""),
    ("add", "^[1]", "params", TOO_FEW, r#""index":1"#),
    ("add", "[1,2, ^3]", "params[2]", "there are too many elements", ""),
    ("add", "[1,^9223372036854775808]", "params[1]", INTEGER, ""),
    ("none", "^[]", "params", "null is expected", ""),
    ("move", "^[1]", "params", "an object is expected", ""),
    ("move", r#"^{"slowly":true}"#, "params", MISSING, r#""member":"by""#),
    ("move", r#"{"by":[1,^"2"]}"#, "params.by[1]", INTEGER, ""),
    ("move", r#"{"by":^[1]}"#, "params.by", TOO_FEW, r#""index":1"#),
    ("nested", r#"{"move":^{}}"#, "params.move", MISSING, r#""member":"by""#),
    ("nested", r#"[{"by":[^{},1]}]"#, "params[0].by[0]", INTEGER, ""),
    ("texts", r#"[^1,"",""]"#, "params[0]", "a string is expected", ""),
    ("texts", r#"["",^"\n",""]"#, "params[1]", "a string without escapes is expected", ""),
    (
        "texts",
        r#"["","",^"\ud800"]"#,
        "params[2]",
        "a string without unpaired surrogates is expected",
        "",
    ),
    ("texts", r#"["","","",^""]"#, "params[3]", "a number is expected", ""),
    ("serde", "", "params", "the params are missing", ""),
    ("serde", r#"{"by":[1,"2"^]}"#, "params.by[1]", "invalid type: string \"2\", expected i32", ""),
    ("serde", r#"{"slowly":true}^"#, "params", "missing field `by`", ""),
    (
        "serde",
        r#"{"by":[1,2],"x":1,^"x":2}"#,
        "params.x",
        "an object repeats the name of a member",
        "",
    ),
];

/// Returns a call with params, and the offset of the mark in it, which is taken out.
fn call(id: &str, method: &str, params: &str) -> (String, usize) {
    let params = if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) };
    let frame = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}"{params}}}"#);
    let offset = frame.find('^').or_else(|| frame.find(&format!("\"{method}\""))).unwrap();
    (frame.replacen('^', "", 1), offset)
}

fn answer<M: Methods<Seen>>(
    endpoint: &Endpoint<Seen, M>,
    frame: &str,
    room: usize,
) -> (Option<Value>, Status, Seen) {
    let (mut seen, mut room) = (Seen::new(), vec![0; room]);
    let reply = endpoint.answer(frame.as_bytes(), &mut seen, &mut room).unwrap();
    let value = (!reply.is_empty()).then(|| serde_json::from_slice(&reply).unwrap());
    (value, reply.status(), seen)
}

/// Checks all misfits, as requests and as notifications, alone and in a batch.
fn check<M: Methods<Seen>>(endpoint: &Endpoint<Seen, M>, is_explained: bool) {
    for &(method, params, path, summary, missing) in MISFITS {
        let (frame, offset) = call(r#""id":7,"#, method, params);
        let mut expected = error(7, -32602, "Invalid params");
        if is_explained {
            let path = json!(path);
            let summary = json!(summary);
            let missing = if missing.is_empty() { String::new() } else { format!(",{missing}") };
            let data =
                format!(r#"{{"path":{path},"offset":{offset},"summary":{summary}{missing}}}"#);
            expected["error"]["data"] = serde_json::from_str(&data).unwrap();
        }
        let heard = |offset| format!("{method} at {offset}: {summary}: {missing}");
        let status = Status::Error(ErrorCode::INVALID_PARAMS);
        let answered = answer(endpoint, &frame, 512);
        assert_eq!(answered, (Some(expected.clone()), status, vec![heard(offset)]), "{frame}");

        let batch = format!("[1,{frame}]");
        let (reply, _, seen) = answer(endpoint, &batch, 1024);
        if is_explained {
            expected["error"]["data"]["offset"] = json!(offset + 3);
        }
        assert_eq!(reply.unwrap()[1], expected, "{batch}");
        assert_eq!(seen, [heard(offset + 3)]);

        let (frame, offset) = call("", method, params);
        assert_eq!(answer(endpoint, &frame, 512), (None, Status::Silent, vec![heard(offset)]));
    }
}

#[test]
fn an_observer_hears_what_does_not_fit_and_where() {
    check(&Endpoint::new(METHODS, &Profile::JSON_RPC).observed_by(observe), false);
}

#[test]
fn an_endpoint_that_explains_tells_the_peer() {
    check(&Endpoint::new(METHODS, &Profile::JSON_RPC).explaining().observed_by(observe), true);
}

/// Every length of output, from too little to enough for the reason.
#[test]
fn without_room_for_the_reason_the_error_has_none() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).explaining();
    let (frame, offset) = call(r#""id":7,"#, "add", "[1,^null]");
    let plain = error(7, -32602, "Invalid params");
    let mut full = plain.clone();
    full["error"]["data"] = json!({"path": "params[1]", "offset": offset, "summary": INTEGER});
    let (plain_length, length) = (plain.to_string().len() + 1, full.to_string().len() + 1);
    for room in plain_length..length + 10 {
        let expected = if room < length { &plain } else { &full };
        assert_eq!(answer(&endpoint, &frame, room).0.as_ref(), Some(expected), "{room}");
    }
    // In a batch, a reason takes no room that the errors after it need.
    let batch = format!("[{frame},{frame}]");
    let least = json!([plain, plain]).to_string().len() + 1;
    let mut explained = [0; 2];
    for room in least..least + 200 {
        let (reply, ..) = answer(&endpoint, &batch, room);
        let reply = reply.unwrap();
        assert_eq!(reply[1]["error"]["code"], -32602);
        explained[usize::from(reply[0]["error"]["data"].is_object())] += 1;
    }
    assert!(explained.iter().all(|&count| count > 0), "{explained:?}");
}

#[test]
fn what_fits_is_answered_and_not_reported() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).explaining().observed_by(observe);
    for (method, params, result) in [
        ("param", r#"{"n":2,"b":true}"#, json!([2, 1])),
        ("param", "[{},2e0]", json!([2, null])),
        ("param", "[0,255,null]", json!([255, null])),
        ("add", "[1,2]", json!(3)),
        ("none", "", json!(true)),
        ("move", r#"{"by":[1,2]}"#, json!(1)),
        ("nested", r#"{"move":{"by":[1,2],"slowly":false}}"#, json!(1)),
        ("texts", r#"["\u0061","b","\u0063"]"#, json!("abc")),
        ("texts", r#"["a","b","c",1e999]"#, json!("abc1e999")),
        ("serde", r#"{"by":[1,2]}"#, json!(1)),
    ] {
        let frame = call(r#""id":7,"#, method, params).0;
        let reply = json!({"jsonrpc": "2.0", "id": 7, "result": result});
        assert_eq!(
            answer(&endpoint, &frame, 512),
            (Some(reply), Status::Result, vec![]),
            "{frame}"
        );
    }
}

#[test]
fn neither_what_fits_nor_what_does_not_needs_a_heap() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).explaining();
    for (params, code) in [("[1,2]", None), ("[1,^null]", Some(ErrorCode::INVALID_PARAMS))] {
        let (frame, _) = call(r#""id":7,"#, "add", params);
        let mut room = [0; 256];
        let (status, heap) = measure(|| {
            endpoint.answer(frame.as_bytes(), &mut Seen::new(), &mut room).unwrap().status()
        });
        assert_eq!(status, code.map_or(Status::Result, Status::Error));
        assert_eq!(heap.calls, 0, "{frame}");
    }
}

#[test]
fn a_handler_may_add_to_the_failure_and_the_observer_still_hears_the_reason() {
    let endpoint = Endpoint::new(METHODS, &Profile::JSON_RPC).explaining().observed_by(observe);
    let (frame, offset) = call(r#""id":7,"#, "own_data", "^[]");
    let (reply, _, seen) = answer(&endpoint, &frame, 512);
    let own = json!({"code": -32602, "message": "no", "data": "own"});
    assert_eq!(reply.unwrap()["error"], own);
    assert_eq!(seen, [format!("own_data at {offset}: {TOO_FEW}: \"index\":0")]);
}

#[test]
fn an_answer_before_the_failure_is_taken_back() {
    let plain = Endpoint::new(METHODS, &Profile::JSON_RPC);
    let (frame, _) = call(r#""id":7,"#, "wrote_first", "[]");
    assert_eq!(answer(&plain, &frame, 512).0, Some(error(7, -32602, "Invalid params")));
    let reply = answer(&plain.explaining(), &frame, 512).0.unwrap();
    assert_eq!(reply["error"]["data"]["summary"], TOO_FEW);
}

#[test]
fn typed_handlers_of_a_router_report_what_does_not_fit() {
    let mut router = Router::new();
    router
        .typed_request("move", |_: &mut Seen, moved: Move| Ok(moved.by.0))
        .typed_notification("move", |seen: &mut Seen, moved: Move| seen.push(format!("{moved:?}")));
    let endpoint = Endpoint::new(router, &Profile::JSON_RPC).observed_by(observe);
    for id in [r#""id":7,"#, ""] {
        let (frame, offset) = call(id, "move", r#"{"by":[1,null^]}"#);
        let (reply, _, seen) = answer(&endpoint, &frame, 512);
        assert_eq!(reply.is_some(), !id.is_empty());
        assert_eq!(seen, [format!("move at {offset}: invalid type: null, expected i32: ")]);
    }
}

#[test]
fn a_failure_has_its_code_its_description_and_its_reason() {
    let failure = Failure::INVALID_PARAMS;
    assert_eq!((failure.mismatch(), failure.reason()), (None, None));
    let (frame, offset) = call("", "m", "[1,^true]");
    let message = tautline::Message::parse(&frame, &Profile::JSON_RPC).unwrap();
    let tautline::Message::Notification(notification) = message else { panic!() };
    let failure = notification.call().read_params::<(u8, u8)>().unwrap_err();
    assert_eq!((failure.code(), failure.message()), (ErrorCode::INVALID_PARAMS, "Invalid params"));
    let mismatch = failure.mismatch().unwrap();
    assert_eq!(mismatch.expected(), Expected::INTEGER);
    assert_eq!(mismatch.offset() as usize, offset);
    assert_eq!(mismatch.to_string(), format!("byte {offset}: {INTEGER}"));
    assert_ne!(failure, Failure::INVALID_PARAMS);
    assert_eq!(failure, notification.call().param::<u8>(1, "b").unwrap_err());
    assert_eq!(mismatch, notification.call().param::<i8>(1, "x").unwrap_err().mismatch().unwrap());
    // An index of any size is within what is kept.
    let failure = notification.call().param::<u8>(usize::MAX, "far").unwrap_err();
    assert_eq!(failure.mismatch().unwrap().index(), Some(u16::MAX));
}

/// The lowest codes are where reasons are kept.
#[test]
fn every_code_but_the_lowest_is_kept() {
    for code in [i64::MAX, 0, -32602, -(1 << 62), -(0x7F << 56)] {
        let failure = Failure::new(ErrorCode::new(code), "m");
        assert_eq!((failure.code().value(), failure.message()), (code, "m"));
        assert_eq!(failure.mismatch(), None);
    }
    for code in [i64::MIN, -(0x7F << 56) - 1] {
        let failure = Failure::new(ErrorCode::new(code), "m");
        assert_eq!((failure.code().value(), failure.message()), (-9_151_314_442_816_847_872, "m"));
        assert_eq!(failure.mismatch(), None);
    }
}

#[test]
fn each_type_reads_what_it_can_hold() {
    fn read<T: for<'a> FromJson<'a>>(text: &str) -> Option<T> {
        RawJson::parse(text.as_bytes()).unwrap().read().ok()
    }
    assert_eq!((read::<i8>("-128"), read::<i8>("-129")), (Some(-128), None));
    assert_eq!((read::<u16>("6.5535e4"), read::<u16>("65536")), (Some(65535), None));
    assert_eq!((read::<u64>("18446744073709551615"), read::<u64>("-1")), (Some(u64::MAX), None));
    assert_eq!((read::<i64>("-9223372036854775808"), read::<i64>("\"1\"")), (Some(i64::MIN), None));
    assert_eq!((read::<usize>("1"), read::<isize>("null")), (Some(1), None));
    assert_eq!((read::<bool>("false"), read::<bool>("null")), (Some(false), None));
    assert_eq!((read::<Option<bool>>("null"), read::<Option<bool>>("1")), (Some(None), None));
    assert_eq!((read::<()>("null"), read::<()>("[]")), (Some(()), None));
    assert_eq!(read::<(bool, Option<u8>)>("[true]"), Some((true, None)));
    assert_eq!(read::<(u8, (u8, u8), u8)>("[1,[2,3],4]"), Some((1, (2, 3), 4)));
    assert_eq!(read::<(u8, u8, u8, u8, u8, u8)>("[1,2,3,4,5,6]"), Some((1, 2, 3, 4, 5, 6)));
    assert_eq!(read::<String>(r#""\u00e9""#).as_deref(), Some("é"));
    let text = RawJson::parse(br#""plain""#).unwrap();
    assert!(matches!(text.read(), Ok(Cow::Borrowed("plain"))));
}
