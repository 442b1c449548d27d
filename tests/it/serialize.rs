//! A parsed message can be serialized without a copy or a heap: it means the same, or it is an error.

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use tautline::{ErrorCode, Id, Message, Profile, RawJson, rule};

use crate::support::volume::volume;

const PROFILE: Profile = Profile::JSON_RPC;

fn parse(frame: &str) -> Message<'_> {
    Message::parse(frame.as_bytes(), &PROFILE).unwrap_or_else(|fault| panic!("{frame}: {fault}"))
}

fn json(value: impl Serialize) -> Option<String> {
    serde_json::to_string(&value).ok()
}

/// Through CBOR, which has its own types for those of JSON.
fn through_cbor(value: impl Serialize) -> Value {
    let mut bytes = Vec::new();
    ciborium::into_writer(&value, &mut bytes).unwrap();
    ciborium::from_reader(&bytes[..]).unwrap()
}

#[test]
fn messages_are_maps_of_their_members() {
    for frame in [
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1,2.5,null,true,"c"],"d":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"a"}"#,
        r#"{"jsonrpc":"2.0","method":"a","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":"x","result":null}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"é\n","data":[[],[[]]]}}"#,
        r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":2}]"#,
    ] {
        assert_eq!(json(parse(frame)).as_deref(), Some(frame));
        let value: Value = serde_json::from_str(frame).unwrap();
        assert_eq!(through_cbor(parse(frame)), value, "{frame}");
    }
    // Members that JSON-RPC does not define are left out, and the members are in the order of the specification.
    let frame = r#"{"params":[],"x":1e999,"method":"\u0061","id":1e2,"jsonrpc":"2.0"}"#;
    let written = r#"{"jsonrpc":"2.0","id":100.0,"method":"a","params":[]}"#;
    assert_eq!(json(parse(frame)).as_deref(), Some(written));
    // An element that is not a message is serialized as its value.
    let frame = r#"[{"jsonrpc":"2.0","method":"a"}, {"method" : 1}, 7]"#;
    let written = r#"[{"jsonrpc":"2.0","method":"a"},{"method":1},7]"#;
    assert_eq!(json(parse(frame)).as_deref(), Some(written));
}

#[test]
fn what_can_not_be_said_exactly_is_an_error() {
    for text in [r#""\ud800""#, "1e999", "0.30000000000000003", r#"{"\udc00":1}"#, r#"[[1e-999]]"#]
    {
        assert_eq!(json(RawJson::parse(text.as_bytes()).unwrap()), None, "{text}");
    }
}

#[test]
fn verdicts_are_serialized_by_name() {
    let fault = Message::parse(br#"{"jsonrpc":"2.0","method":1}"#, &PROFILE).unwrap_err();
    let expected =
        json!({"severity": "error", "rule": rule::name(fault.rule()), "offset": fault.offset()});
    assert_eq!(serde_json::to_value(fault).unwrap(), expected);
    assert_eq!(json(rule::severity(fault.rule())).as_deref(), Some("\"error\""));
    let mut findings = Vec::new();
    let envelope = tautline::Envelope::read(br#"{"jsonrpc":"2.0","method":1}"#, &PROFILE);
    envelope.findings(|finding| findings.push(serde_json::to_value(finding).unwrap()));
    assert_eq!(findings[0]["rule"], expected["rule"]);
    assert_eq!(findings[0]["severity"], "error");
}

#[test]
fn codes_are_integers() {
    assert_eq!(json(ErrorCode::PARSE_ERROR).as_deref(), Some("-32700"));
    assert_eq!(serde_json::from_str::<ErrorCode>("-32700").unwrap(), ErrorCode::PARSE_ERROR);
    assert!(serde_json::from_str::<ErrorCode>("1.0").is_err());
}

#[cfg(feature = "alloc")]
#[test]
fn owned_ids_are_read_if_they_keep_their_meaning() {
    use tautline::owned;

    for text in ["1", "-1", "18446744073709551615", "\"a\\\"b\"", "null"] {
        let id: owned::Id = serde_json::from_str(text).unwrap();
        assert_eq!(id.as_json(), text);
        assert_eq!(json(&id).as_deref(), Some(text));
        let mut bytes = Vec::new();
        ciborium::into_writer(&id, &mut bytes).unwrap();
        assert_eq!(ciborium::from_reader::<owned::Id, _>(&bytes[..]).unwrap(), id);
    }
    for text in ["1.0", "1e0", "[1]", "{}", "true"] {
        assert!(serde_json::from_str::<owned::Id>(text).is_err(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(256)))]

    /// As `serde_json` reads the text and serializes it.
    #[test]
    fn any_value_is_serialized_as_it_is_read(text in value()) {
        let raw = RawJson::parse(text.as_bytes()).unwrap();
        let expected = serde_json::from_str::<Value>(&text).unwrap();
        prop_assert_eq!(serde_json::to_value(raw).unwrap(), expected.clone());
        prop_assert_eq!(serde_json::from_str::<Value>(&json(raw).unwrap()).unwrap(), expected);
        if let Some(id) = Id::of(raw) {
            prop_assert_eq!(json(id), json(raw));
        }
    }
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5",
        "null",
        "true",
        r#""a""#,
        r#""\",""#,
        r#""\u00e9\ud83d\ude00""#,
        "{}",
        "[]",
        " false ",
        "1e2",
        "-0",
    ]);
    leaf.prop_map(str::to_string).prop_recursive(4, 40, 8, |inner| {
        let name = prop::sample::select(vec!["a", "\\u0061b", "", "\\\"", "{", "c"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|all| format!("[{}]", all.join(" ,"))),
            prop::collection::btree_map(name, inner, 0..6).prop_map(|members| {
                let members = members.iter().map(|(name, value)| format!("\"{name}\" : {value}"));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}
