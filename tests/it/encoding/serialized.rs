//! Payload serialized by serde_json.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tautline::encode::{EncodeError, Encoder, Json};

use super::line;
use super::payload::{ESCAPED, LINE_ENDS};

#[test]
fn payload_is_serialized_by_serde() {
    let params = Json(&[("a", 1)]);
    let raw = RawValue::from_string("{\n\"b\"\r\n:[1,\n2]}".to_owned()).unwrap();
    assert_eq!(
        line(|to| to.request(1, "m", Some(params))),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[[\"a\",1]]}\n"
    );
    assert_eq!(
        line(|to| to.result(1, Json(&raw))),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"b\":[1,2]}}\n"
    );
    // Names of members must be strings, and this map has other keys.
    let unserializable = BTreeMap::from([((1, 2), 3)]);
    let mut out = Vec::new();
    let refused = Encoder::new(&mut out).result(1, Json(&unserializable));
    assert_eq!(refused, Err(EncodeError::Payload));
    let refused = Encoder::new(&mut out).request(1, "m", Some(Json("text")));
    assert_eq!(refused, Err(EncodeError::ParamsType));
    assert!(out.is_empty());
}

/// Values whose `Serialize` breaks its contract in ways that `serde_json` writes unchecked.
enum Misbehaved {
    ElementBehindNone,
    NameWithoutValue,
    ErrorSwallowed,
}

impl serde::Serialize for Misbehaved {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error, SerializeMap, SerializeSeq};

        struct Refuses;
        impl serde::Serialize for Refuses {
            fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(S::Error::custom("not this one"))
            }
        }
        match self {
            Self::ElementBehindNone => {
                let mut elements = serializer.serialize_seq(Some(0))?;
                elements.serialize_element(&1)?;
                elements.end()
            }
            Self::NameWithoutValue => {
                let mut members = serializer.serialize_map(None)?;
                members.serialize_key("a")?;
                members.end()
            }
            Self::ErrorSwallowed => {
                let mut elements = serializer.serialize_seq(None)?;
                elements.serialize_element(&1)?;
                let _ = elements.serialize_element(&Refuses);
                elements.end()
            }
        }
    }
}

#[test]
fn what_serde_makes_of_a_value_is_validated() {
    let mut out = Vec::new();
    for value in
        [Misbehaved::ElementBehindNone, Misbehaved::NameWithoutValue, Misbehaved::ErrorSwallowed]
    {
        let refused = Encoder::new(&mut out).result(1, Json(&value));
        assert_eq!(refused, Err(EncodeError::Payload));
    }
    let nested = |depth| (0..depth).fold(serde_json::Value::Null, |inner, _| vec![inner].into());
    let refused = Encoder::new(&mut out).result(1, Json(&nested(128)));
    assert_eq!(refused, Err(EncodeError::Payload), "too deep");
    assert!(out.is_empty());
    assert!(Encoder::new(&mut out).result(1, Json(&nested(127))).is_ok());
}

#[test]
fn strings_that_are_serialized_have_no_line_ends() {
    let map = BTreeMap::from([(LINE_ENDS, (LINE_ENDS, 'a', '\u{2028}'))]);
    let expected = r#"{"T":["T","a","\u2028"]}"#.replace('T', ESCAPED);
    assert_eq!(
        line(|to| to.result(1, Json(&map))),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{expected}}}\n")
    );
}

#[test]
fn a_raw_value_keeps_its_line_ends() {
    let text = format!("\"{LINE_ENDS}\"");
    let raw = RawValue::from_string(text.clone()).unwrap();
    assert_eq!(
        line(|to| to.result(1, Json(&raw))),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{text}}}\n")
    );
}
