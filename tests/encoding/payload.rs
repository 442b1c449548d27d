//! Payload: values, and what serde makes of them.

use tautline::encode::{EncodeError, Encoder, NO_PARAMS, NewId, array};
use tautline::{Id, RawJson};

use crate::line;

#[test]
fn values_of_every_type() {
    let raw = RawJson::parse(b"[1]").unwrap();
    let (owned, text) = (String::from("a\"b"), r#""a\"b""#);
    for (written, expected) in [
        (line(|to| to.result(1, u8::MAX)), "255"),
        (line(|to| to.result(1, i8::MIN)), "-128"),
        (line(|to| to.result(1, u16::MAX)), "65535"),
        (line(|to| to.result(1, i16::MIN)), "-32768"),
        (line(|to| to.result(1, u32::MAX)), "4294967295"),
        (line(|to| to.result(1, i32::MIN)), "-2147483648"),
        (line(|to| to.result(1, usize::MAX)), &usize::MAX.to_string()),
        (line(|to| to.result(1, isize::MIN)), &isize::MIN.to_string()),
        (line(|to| to.result(1, 0.1_f32)), "0.1"),
        (line(|to| to.result(1, 1e-7_f32)), "1e-7"),
        (line(|to| to.result(1, 1e21)), "1e21"),
        (line(|to| to.result(1, &owned)), text),
        (line(|to| to.result(1, owned.clone())), text),
        (line(|to| to.result(1, [raw].first())), "[1]"),
        (line(|to| to.result(1, &[1_u8, 2][..])), "[1,2]"),
        (line(|to| to.result(1, [""; 0].as_slice())), "[]"),
        (
            line(|to| to.result(1, array(|array| array.element(Some(owned.as_str()))))),
            &format!("[{text}]"),
        ),
    ] {
        assert_eq!(written, format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{expected}}}\n"));
    }
    let mut out = Vec::new();
    assert_eq!(Encoder::new(&mut out).result(1, f32::NAN), Err(EncodeError::NotFinite));
    assert!(out.is_empty());

    let read = Id::parse(b"7").unwrap();
    let ids: [NewId<'_>; 4] = [7_usize.into(), (&read).into(), (&owned).into(), "7".into()];
    let lines = ids.map(|id| line(|to| to.request(id, "m", NO_PARAMS)));
    let ids = ["7", "7", text, "\"7\""];
    assert_eq!(
        lines,
        ids.map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"m\"}}\n"))
    );
}

#[test]
fn payload_is_serialized_by_serde() {
    use std::collections::BTreeMap;
    use tautline::encode::Json;

    let params = Json(&[("a", 1)]);
    let raw = serde_json::value::RawValue::from_string("{\n\"b\"\r\n:[1,\n2]}".to_owned()).unwrap();
    assert_eq!(
        line(|to| to.request(1, "m", Some(params))),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[[\"a\",1]]}\n"
    );
    assert_eq!(
        line(|to| to.result(1, Json(&raw))),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"b\":[1,2]}}\n"
    );
    // Names of members are strings, and this map has others.
    let unserializable = BTreeMap::from([((1, 2), 3)]);
    let mut out = Vec::new();
    let refused = Encoder::new(&mut out).result(1, Json(&unserializable));
    assert_eq!(refused, Err(EncodeError::Payload));
    let refused = Encoder::new(&mut out).request(1, "m", Some(Json("text")));
    assert_eq!(refused, Err(EncodeError::ParamsType));
    assert!(out.is_empty());
}

/// Values whose `Serialize` breaks its contract, in ways that `serde_json` writes down as they come.
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
    use tautline::encode::Json;

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

#[cfg(feature = "serde-json-core-v0_7")]
#[test]
fn payload_is_serialized_without_std() {
    use tautline::encode::CoreJson;

    let mut scratch = [0; 8];
    let payload = CoreJson::new(&[1, 2, 3], &mut scratch);
    assert_eq!(
        line(|to| to.result(1, payload)),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1,2,3]}\n"
    );
    let mut out = Vec::new();
    let payload = CoreJson::new(&[10, 20, 30], &mut scratch);
    assert_eq!(Encoder::new(&mut out).result(1, payload), Err(EncodeError::Payload));
    assert!(out.is_empty());
}

/// What some readers of lines split at, and characters that begin with the same bytes.
const LINE_ENDS: &str = "\u{84}\u{85}\u{86}\u{a0}\u{2027}\u{2028}\u{2029}\u{202a}\u{2068}é";
const ESCAPED: &str = "\u{84}\\u0085\u{86}\u{a0}\u{2027}\\u2028\\u2029\u{202a}\u{2068}é";

#[test]
fn strings_that_are_written_here_have_no_line_ends() {
    use std::collections::BTreeMap;
    use tautline::ErrorCode;
    use tautline::encode::{Json, NewError, object};

    let text = LINE_ENDS;
    let owned = tautline::owned::Id::from(text);
    let map = BTreeMap::from([(text, (text, 'a', '\u{2028}'))]);
    for (written, expected) in [
        (line(|to| to.result(text, text)), r#""id":"T","result":"T""#),
        (line(|to| to.result(&owned, String::from(text))), r#""id":"T","result":"T""#),
        (
            line(|to| to.request(1, text, Some(object(|params| params.member(text, text))))),
            r#""id":1,"method":"T","params":{"T":"T"}"#,
        ),
        (
            line(|to| to.error(1, NewError::new(ErrorCode::new(2), text).with_data(text))),
            r#""id":1,"error":{"code":2,"message":"T","data":"T"}"#,
        ),
        (line(|to| to.result(1, Json(&map))), r#""id":1,"result":{"T":["T","a","\u2028"]}"#),
        (
            line(|to| to.result("\u{2028}", "\n\u{2029}\u{85}\\")),
            r#""id":"\u2028","result":"\n\u2029\u0085\\""#,
        ),
    ] {
        let expected = expected.replace('T', ESCAPED);
        assert_eq!(written, format!("{{\"jsonrpc\":\"2.0\",{expected}}}\n"));
    }
}

#[test]
fn text_that_was_written_elsewhere_keeps_its_line_ends() {
    use serde_json::value::RawValue;
    use tautline::encode::Json;

    let text = format!("\"{LINE_ENDS}\"");
    let id = Id::parse(text.as_bytes()).unwrap();
    let raw = RawJson::parse(text.as_bytes()).unwrap();
    let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{text},\"result\":{text}}}\n");
    assert_eq!(line(|to| to.result(id, raw)), expected);
    assert_eq!(
        line(|to| to.result(&tautline::owned::Id::from(id), raw.string().unwrap())),
        expected
    );
    let serde_raw = RawValue::from_string(text.clone()).unwrap();
    assert_eq!(line(|to| to.result(id, Json(&serde_raw))), expected);
}

#[cfg(feature = "serde-json-core-v0_7")]
#[test]
fn without_std_there_are_no_line_ends_either() {
    use tautline::encode::CoreJson;

    let mut scratch = [0; 64];
    let payload = CoreJson::new(&[LINE_ENDS, "\n\"\\"], &mut scratch);
    let expected =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"{ESCAPED}\",\"\\n\\\"\\\\\"]}}\n");
    assert_eq!(line(|to| to.result(1, payload)), expected);
}
