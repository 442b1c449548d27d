//! Owned messages mean the same as the borrowed ones. A value that they can't represent is an error with its
//! position.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
#[cfg(feature = "std")]
use tautline::encode::{EncodeError, Encoder};
use tautline::owned::{self, Id, ToOwnedError};
use tautline::{ErrorCode, Message, Outcome, Profile, RawJson};

use crate::support::presets::Revision;
use crate::support::volume::volume;

const PROFILE: Profile = Profile::JSON_RPC;

fn parse(frame: &str) -> Message<'_> {
    Message::parse(frame.as_bytes(), &PROFILE).unwrap_or_else(|fault| panic!("{frame}: {fault}"))
}

fn own(frame: &str) -> Result<owned::Message, ToOwnedError> {
    parse(frame).try_into()
}

fn own_error(frame: &str) -> ToOwnedError {
    own(frame).expect_err(frame)
}

#[cfg(feature = "std")]
fn encoded(message: &owned::Message) -> String {
    let mut encoder = Encoder::new(Vec::new());
    let length = message.encode(&mut encoder).unwrap();
    assert_eq!(length, encoder.output().len());
    String::from_utf8(encoder.into_output()).unwrap()
}

/// Every spelling of an id that is legal somewhere, and might be lost on the way.
const IDS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "1.0",
    "1e0",
    "1E+2",
    "-1.50",
    "0.1",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "1e999",
    "1e-999",
    "123456789012345678901234567890.000",
    "null",
    r#""""#,
    r#""a""#,
    r#""1""#,
    r#""\u0061""#,
    r#""\"\\\/\b\f\n\r\t""#,
    r#""é\ud83d\ude00""#,
    "\"\u{7f}\u{2028}\"",
];

#[test]
fn ids_keep_their_spelling() {
    for &id in IDS {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        #[cfg(feature = "std")]
        assert_eq!(encoded(&own(&frame).unwrap()), format!("{frame}\n"));

        let Message::Request(request) = parse(&frame) else { panic!() };
        let owned = Id::from(request.id());
        assert_eq!(owned, request.id());
        assert_eq!((owned.as_json(), owned.to_string().as_str()), (id, id));
        assert_eq!(Id::parse(id).as_ref(), Some(&owned));
    }
}

/// Returns `None` if none of serde's numbers is exactly the id.
fn through_serde(id: &str) -> Option<&str> {
    Some(match id {
        "1e0" => "1.0",
        "-0" => "-0.0",
        "1E+2" => "100.0",
        "-1.50" => "-1.5",
        r#""\u0061""# => r#""a""#,
        r#""\"\\\/\b\f\n\r\t""# => r#""\"\\/\b\f\n\r\t""#,
        r#""é\ud83d\ude00""# => "\"é😀\"",
        "1e999" | "1e-999" | "123456789012345678901234567890.000" => return None,
        other => other,
    })
}

#[test]
fn through_serde_an_id_is_the_same_or_an_error() {
    for &id in IDS {
        let written = serde_json::to_string(&Id::parse(id).unwrap()).ok();
        assert_eq!(written.as_deref(), through_serde(id), "{id}");
    }
    let written = |id| serde_json::to_string(&Id::parse(id).unwrap()).ok();
    assert_eq!(written("9007199254740993.0"), None);
    assert_eq!(written("9007199254740992.0").as_deref(), Some("9007199254740992.0"));
    assert_eq!(written("0.1e1").as_deref(), Some("1.0"));
    assert_eq!(written("0.0").as_deref(), Some("0.0"));
    assert_eq!(written("340282366920938463463374607431768211456"), None);
    assert_eq!(
        written("-170141183460469231731687303715884105728").as_deref(),
        Some("-170141183460469231731687303715884105728")
    );
    assert_eq!(written(r#""\ud800""#), None);
    // A format with fewer bits refuses it as well.
    assert!(serde_json::to_value(Id::parse("18446744073709551616").unwrap()).is_err());
    assert_eq!(serde_json::to_value(Id::parse("1e0").unwrap()).unwrap(), json!(1.0));
}

/// Returns the digits of a decimal without leading and trailing zeros, and the power of ten of the last one.
fn decimal(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let dropped = digits.len() as i64 - kept.len() as i64 - fraction.len() as i64;
    (kept.trim_start_matches('0').to_string(), exponent.parse::<i64>().unwrap() + dropped)
}

/// Returns whether serde writes the id; then it must write the same number.
fn is_written_exactly(id: &str) -> bool {
    let written = serde_json::to_string(&Id::parse(id).unwrap());
    if let Ok(written) = &written {
        assert_eq!(decimal(written), decimal(id), "{written} for {id}");
    }
    written.is_ok()
}

/// Also if two of the shortest decimals are equally near to the float, and serializers differ in their choice.
#[test]
fn through_serde_a_fraction_is_exact_or_an_error() {
    for (id, is_exact) in [
        ("0.5", true),
        ("0.1", true),
        ("0.30000000000000004", true),
        ("0.30000000000000003", false),
        ("1000000000000000.5", true),
        // The float is 1000000000000000.25 for all three.
        ("1000000000000000.2", false),
        ("1000000000000000.3", false),
        ("1000000000000000.25", false),
    ] {
        assert_eq!(is_written_exactly(id), is_exact, "{id}");
    }
}

#[test]
fn usual_ids_are_usual_values() {
    assert_eq!(serde_json::to_value(Id::from(7)).unwrap(), json!(7));
    assert_eq!(serde_json::to_value(Id::from(-7)).unwrap(), json!(-7));
    assert_eq!(serde_json::to_value(Id::from(u64::MAX)).unwrap(), json!(u64::MAX));
    assert_eq!(serde_json::to_value(Id::from("a\n")).unwrap(), json!("a\n"));
    assert_eq!(serde_json::to_value(Id::null()).unwrap(), Value::Null);
    assert_eq!(Id::parse("[1]"), None);
    let mut calls = std::collections::HashMap::from([(Id::from("a"), 1)]);
    assert_eq!(calls.remove(&Id::parse(r#""\u0061""#).unwrap()), Some(1));
}

#[test]
fn every_shape_is_sent_back_as_it_came() {
    for frame in [
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1,2.5,null,true,"c"]}}"#,
        r#"{"jsonrpc":"2.0","method":"a"}"#,
        r#"{"jsonrpc":"2.0","method":"a","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":"x","result":null}"#,
        r#"{"jsonrpc":"2.0","id":"x","result":{"y":-1}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"é\n","data":null}}"#,
        r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":2}]"#,
    ] {
        let owned = own(frame).unwrap();
        assert_eq!(serde_json::to_string(&owned).unwrap(), frame);
        #[cfg(feature = "std")]
        {
            let line = encoded(&owned);
            assert_eq!(own(line.trim_end()).unwrap(), owned, "{line}");
        }
    }
    // Under other profiles an error may lack an id.
    let profile = Revision::LATEST.profile();
    let frame = br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}"#;
    let owned = owned::Message::try_from(Message::parse(frame, &profile).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&owned).unwrap().as_bytes(), frame);
    #[cfg(feature = "std")]
    {
        let mut encoder = Encoder::with_profile(Vec::new(), &profile);
        owned.encode(&mut encoder).unwrap();
        assert_eq!(encoder.output().strip_suffix(b"\n"), Some(&frame[..]));
        assert_eq!(owned.encode(&mut Encoder::new(Vec::new())), Err(EncodeError::IdNotAllowed));
    }
}

#[test]
fn what_can_not_be_held_is_an_error_with_its_place() {
    for (frame, text, at) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":"\ud800"}}"#,
            "params: unexpected end of hex escape",
            Some("}}"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1e999]}"#,
            "params: number out of range",
            Some("]"),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":-1e400}"#, "result: number out of range", Some("}")),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\",\"data\":[\n1,\n\t1e999]}}",
            "error.data: number out of range",
            Some("]"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\udc00"}}"#,
            "error.message: an escape stands for half a character at byte 0",
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":99999999999999999999,"message":""}}"#,
            "error.code: the integer has more than 64 bits",
            None,
        ),
        (
            r#"[{"jsonrpc":"2.0","method":"a"},7]"#,
            "element 1: not-an-object at byte 32",
            Some("7]"),
        ),
        (
            r#"[{"jsonrpc":"2.0","id":1,"result":1e999}]"#,
            "element 0: result: number out of range",
            Some("}]"),
        ),
    ] {
        let error = own_error(frame);
        assert!(error.to_string().starts_with(text), "{error}");
        let offset = error.offset().map(|offset| &frame[offset as usize..]);
        match (offset, at) {
            (Some(rest), Some(at)) => assert!(rest.starts_with(at), "{error}: {rest}"),
            (offset, at) => assert_eq!(offset, at),
        }
    }
}

/// Returns the meaning of a value through the views, or `None` if an object in it has a name without a value.
fn through_views(value: RawJson<'_>) -> Option<Value> {
    if let Some(members) = value.members() {
        let names = members.map(|member| member.name.decode().unwrap().into_owned());
        return names
            .map(|name| {
                let member = value.member(&name);
                let picked = value.pick(&[&name]).unwrap();
                assert_eq!((picked.values(), picked.present()), ([member], [true]));
                assert_eq!(picked.repeated().is_some(), member.is_none());
                Some((name, through_views(member?)?))
            })
            .collect();
    }
    match value.elements() {
        Some(elements) => elements.map(through_views).collect(),
        None => serde_json::from_slice(value.as_bytes()).ok(),
    }
}

#[test]
fn a_repeated_name_has_no_value() {
    for (params, rest) in [
        (r#"{"a":1,"a":2}"#, Some("\"a\":2}")),
        (r#"{"a":1,"\u0061":2,"b":3,"a":4,"b":5}"#, Some("\"\\u0061\":2")),
        (r#"{ "\u0061" : 1 , "a" : 2 }"#, Some("\"a\" : 2")),
        (r#"{"b":[{"x":1},{"x":2,"x":3}]}"#, Some("\"x\":3")),
        (r#"{"a":{"x":1},"b":[{"x":1},{"x":2}],"x":4}"#, None),
        (r#"{"a":["a","a"],"b":"a","c":{},"":1}"#, None),
        (r#"[{"a":"}","b":"{"}, ",", {"a":1}]"#, None),
        (r#"[{"":"}","":"{"}, 1]"#, Some("\"\":\"{\"}")),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        let Message::Request(request) = parse(&frame) else { panic!() };
        let views = through_views(request.params().unwrap());
        assert_eq!(views.is_some(), rest.is_none(), "{params}");
        match (owned::Request::<Value>::try_from(request), rest) {
            (Ok(owned), None) => assert_eq!(owned.params, views, "{params}"),
            (Err(error), Some(rest)) => {
                let at = error.offset().unwrap() as usize;
                assert!(frame[at..].starts_with(rest), "{params}: {}", &frame[at..]);
                assert_eq!(error.to_string(), "params: an object repeats the name of a member");
            }
            (owned, _) => panic!("{params}: {owned:?}"),
        }
        assert_eq!(own(&frame).is_ok(), rest.is_none());
    }
    own_error(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#);
    own_error(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{"a":1,"a":2}}}"#);
}

/// Deeper than `serde_json` goes, under a profile that allow it.
#[test]
fn payload_that_is_nested_too_deep_is_an_error() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let frame = format!(r#"{{"jsonrpc":"2.0","method":"a","params":{deep}}}"#);
    let profile = Profile::JSON_RPC.with_max_depth(250);
    let message = Message::parse(frame.as_bytes(), &profile).unwrap();
    let error = owned::Message::try_from(message).unwrap_err();
    assert!(error.to_string().starts_with("params: recursion limit exceeded"), "{error}");
}

#[test]
fn batches_are_one_deep_and_not_empty() {
    let one = own(r#"{"jsonrpc":"2.0","method":"a"}"#).unwrap();
    let nested = owned::Message::Batch(vec![one.clone(), owned::Message::Batch(vec![one])]);
    let empty = owned::Message::Batch(vec![]);
    assert!(serde_json::to_string(&nested).is_err());
    assert!(serde_json::to_string(&empty).is_err());
    #[cfg(feature = "std")]
    {
        let mut encoder = Encoder::new(Vec::new());
        assert_eq!(nested.encode(&mut encoder), Err(EncodeError::BatchNotAllowed));
        assert_eq!(empty.encode(&mut encoder), Err(EncodeError::EmptyBatch));
        assert!(encoder.output().is_empty());
    }
}

#[test]
fn payload_has_the_type_that_is_asked_for() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Params<'a> {
        name: &'a str,
        count: u128,
    }

    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"b","count":99999999999999999999}}"#;
    let Message::Request(request) = parse(frame) else { panic!() };
    let typed = owned::Request::<Params<'_>>::try_from(request).unwrap();
    let params = Params { name: "b", count: 99_999_999_999_999_999_999 };
    assert_eq!(typed, owned::Request::new(1, "a", Some(params)));
    assert_eq!(serde_json::to_string(&typed).unwrap(), frame);
    #[cfg(feature = "std")]
    {
        let mut encoder = Encoder::new(Vec::new());
        typed.encode(&mut encoder).unwrap();
        assert_eq!(encoder.output().strip_suffix(b"\n"), Some(frame.as_bytes()));
    }

    let error = owned::Request::<Vec<u8>>::try_from(request).unwrap_err();
    assert!(matches!(&error, ToOwnedError::Payload { member: "params", .. }), "{error}");

    let frame = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"m","data":[1,2]}}"#;
    let Message::Response(response) = parse(frame) else { panic!() };
    let typed = owned::Response::<Value, (u8, u8)>::try_from(response).unwrap();
    let error = owned::ErrorObject::new(ErrorCode::new(-5), "m", Some((1, 2)));
    assert_eq!(typed, owned::Response::error(Some(1.into()), error));
    assert_eq!(serde_json::to_string(&typed).unwrap(), frame);
    let done = owned::Response::<_, Value>::result("r", 5);
    assert_eq!(serde_json::to_string(&done).unwrap(), r#"{"jsonrpc":"2.0","id":"r","result":5}"#);
    let note = owned::Notification::new("n", Some([1]));
    assert_eq!(
        serde_json::to_string(&note).unwrap(),
        r#"{"jsonrpc":"2.0","method":"n","params":[1]}"#
    );
}

/// Generates text with a sample of everything that must be escaped, or must not be.
fn text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] =
        &["", "a", "é", "\u{1F600}", "\"", "\\", "/", "\n", "\r", "\0", "\u{7f}", "\u{2028}", "id"];
    prop::collection::vec(prop::sample::select(PIECES).prop_map(str::to_string), 0..4)
        .prop_map(|pieces| pieces.concat())
}

fn payload() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Generates a message as text: its members in any order, and an unknown one.
fn frame() -> impl Strategy<Value = String> {
    let id = prop_oneof![
        prop::sample::select(IDS).prop_map(str::to_string),
        any::<i64>().prop_map(|id| id.to_string()),
        text().prop_map(|id| Value::from(id).to_string()),
    ];
    let params = prop_oneof![
        Just(None),
        prop::collection::vec(payload(), 0..4).prop_map(|params| Some(Value::from(params))),
        prop::collection::btree_map(text(), payload(), 0..4)
            .prop_map(|params| Some(Value::Object(params.into_iter().collect()))),
    ];
    let error =
        (any::<i64>(), text(), prop::option::of(payload())).prop_map(|(code, message, data)| {
            let mut error = json!({"code": code, "message": message});
            if let Some(data) = data {
                error["data"] = data;
            }
            error
        });
    let parts = (id, text(), params, payload(), error, 0..4, any::<bool>(), 0_usize..4);
    parts.prop_map(|(id, method, params, result, error, shape, unknown, turn)| {
        let mut members = vec![r#""jsonrpc":"2.0""#.to_string()];
        if shape != 1 {
            members.push(format!("\"id\":{id}"));
        }
        match shape {
            0 | 1 => {
                members.push(format!("\"method\":{}", Value::from(method)));
                members.extend(params.map(|params| format!("\"params\" : {params}")));
            }
            2 => members.push(format!("\"result\":{result}")),
            _ => members.push(format!("\"error\": {error}")),
        }
        if unknown {
            members.push(r#""x":1e999"#.to_string());
        }
        let middle = turn % members.len();
        members.rotate_left(middle);
        format!("{{{}}}", members.join(" ,"))
    })
}

/// Returns the meaning of a message, with ids and methods verbatim.
fn meaning(message: &Message<'_>) -> (String, String, Value) {
    let value = |raw: Option<RawJson<'_>>| match raw {
        Some(raw) => json!([serde_json::from_slice::<Value>(raw.as_bytes()).unwrap()]),
        None => Value::Null,
    };
    match message {
        Message::Request(request) => {
            (request.id().to_string(), request.method().to_string(), value(request.params()))
        }
        Message::Notification(call) => {
            ("none".into(), call.method().to_string(), value(call.params()))
        }
        Message::Response(response) => {
            let id = response.id().map_or("none".into(), |id| id.to_string());
            match response.outcome() {
                Outcome::Result(result) => (id, "result".into(), value(Some(result))),
                Outcome::Error(error) => {
                    let what = format!("error {} {}", error.code().unwrap(), error.message());
                    (id, what, value(error.data()))
                }
            }
        }
        Message::Batch(_) => unreachable!("none is made"),
    }
}

/// Generates the text of a value whose objects repeat names, in several spellings.
fn repetitive() -> impl Strategy<Value = String> {
    let leaf =
        prop::sample::select(vec!["1", "-2.5", "null", r#""a""#, r#""\",""#, "{}", "[]", " true "]);
    leaf.prop_map(str::to_string).prop_recursive(4, 40, 8, |inner| {
        let name = prop::sample::select(vec!["a", "\\u0061", "b", "", "\\\"", "\\u0022", "{", "c"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec((name, inner), 0..8).prop_map(|members| {
                let members = members.iter().map(|(name, value)| format!("\"{name}\" : {value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(" ,"))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: volume(2_000), ..ProptestConfig::default() })]

    #[test]
    fn a_repeated_name_has_no_value_at_any_depth(text in repetitive()) {
        let raw = RawJson::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(raw.deserialize::<Value>().ok(), through_views(raw));
    }

    #[test]
    fn through_serde_any_fraction_is_exact_or_an_error(
        float in prop::num::f64::POSITIVE, digits in 1..100_000_000_000_000_000_u64, places in 1..17_usize,
    ) {
        is_written_exactly(&format!("{float:e}"));
        let digits = format!("{digits:0width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        is_written_exactly(&format!("{whole}.{fraction}"));
    }

    /// Parsed, converted, written in both ways, and parsed again.
    #[test]
    fn an_owned_message_means_the_same(frame in frame()) {
        let message = parse(&frame);
        let owned = owned::Message::try_from(message).unwrap();
        let (id, what, payload) = meaning(&message);
        let text = serde_json::to_string(&owned).ok();
        let id = through_serde(&id);
        prop_assert_eq!(text.is_some(), id.is_some());
        if let (Some(text), Some(id)) = (text, id) {
            prop_assert_eq!(meaning(&parse(&text)), (id.to_owned(), what, payload));
        }
        #[cfg(feature = "std")]
        {
            let line = encoded(&owned);
            prop_assert!(line.ends_with('\n') && !line[..line.len() - 1].contains('\n'));
            let again = parse(&line);
            prop_assert_eq!(meaning(&again), meaning(&message));
            prop_assert_eq!(owned::Message::try_from(again).unwrap(), owned);
        }
    }
}
