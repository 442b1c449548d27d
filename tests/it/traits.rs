//! The standard traits that users expect of the public types.

use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use tautline::frame::{AnyFraming, FrameEvent, Frames, FramingKind, ServerSentEvents};
use tautline::{Id, Message, Profile, RawJson, Severity, UnknownName};

/// Checks that names lead back to their values, in every form.
fn named<T>(all: &[T])
where
    T: Copy + Debug + Display + Eq + Hash + AsRef<str> + FromStr<Err: Error> + 'static,
    T: for<'a> TryFrom<&'a str, Error = <T as FromStr>::Err>,
{
    let names: HashSet<String> = all.iter().map(T::to_string).collect();
    assert_eq!(names.len(), all.len());
    for &value in all {
        let name = value.to_string();
        assert_eq!(name.parse::<T>().ok(), Some(value));
        assert_eq!(T::try_from(name.as_str()).ok(), Some(value));
        assert_eq!(value.as_ref(), name);
        for other in [name.to_uppercase(), format!("{name} "), String::new()] {
            let found = other.parse::<T>();
            assert!(found.is_err() || other == name, "{other}");
        }
    }
}

#[test]
fn names_lead_back_to_their_values() {
    named(Severity::ALL);
    named(FramingKind::ALL);
    let unknown: UnknownName = "no-such-severity".parse::<Severity>().unwrap_err();
    assert_eq!(unknown.to_string(), "not the name of a severity");
}

#[test]
fn a_framing_that_was_chosen_is_of_its_kind_and_no_larger_than_the_largest() {
    for &kind in FramingKind::ALL {
        assert_eq!(AnyFraming::new(kind, 1).kind(), kind);
    }
    assert!(size_of::<AnyFraming>() <= size_of::<ServerSentEvents>() + size_of::<u64>());
}

#[test]
fn ids_are_keys_of_sorted_maps() {
    let id = |text: &'static str| Id::parse(text.as_bytes()).unwrap();
    let texts =
        ["null", "1", "2", "10", "1.0", "\"\"", "\"\\u0061\"", "\"b\"", "\"é\"", "\"\u{10000}\""];
    let ids: Vec<Id<'_>> = texts.map(id).into();
    assert!(ids.is_sorted());
    let set: BTreeSet<Id<'_>> = ids.iter().rev().copied().collect();
    assert!(set.contains(&id("\"a\"")));
    assert_eq!(set.into_iter().collect::<Vec<_>>(), ids);
    for a in &ids {
        for b in &ids {
            assert_eq!(a == b, a.cmp(b).is_eq());
            assert_eq!(a.cmp(b), b.cmp(a).reverse());
        }
    }
}

#[test]
fn errors_display_what_happened() {
    fn is_error(error: &(impl Error + 'static)) -> String {
        let text = error.to_string();
        assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'), "{text}");
        text
    }

    let mut frames = Frames::new(b"{\"a\":1}\n", 3);
    let Some(FrameEvent::Oversized(oversized)) = frames.next() else { panic!() };
    assert_eq!(is_error(&oversized), "the frame at byte 0 has 7 bytes, and the limit is 3");
    let framing = tautline::frame::Concatenated::new(64);
    let mut frames = Frames::with_framing(b"{} hello", framing);
    frames.next();
    let Some(FrameEvent::Desynchronised(lost)) = frames.next() else { panic!() };
    assert!(is_error(&lost).starts_with("value-expected at byte 3: "));
    let framing = tautline::frame::Concatenated::new(64);
    let mut frames = Frames::with_framing(b" {\"a\"", framing);
    let Some(FrameEvent::Unfinished(unfinished)) = frames.next() else { panic!() };
    assert_eq!(is_error(&unfinished), "the stream ended inside a frame, 4 bytes after byte 1");

    let frame = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \u0061"}}"#;
    let Ok(Message::Response(response)) = Message::parse(frame, &Profile::JSON_RPC) else {
        panic!()
    };
    let tautline::Outcome::Error(error) = response.outcome() else { panic!() };
    assert_eq!(is_error(&error), "no a (-32601)");

    let text = RawJson::parse(br#""\ud800""#).unwrap().string().unwrap();
    let error = text.decode_into(&mut [0; 8]).unwrap_err();
    assert!(error.source().unwrap().is::<tautline::json::LoneSurrogate>());
    assert!(text.decode_into(&mut []).unwrap_err().source().is_some());
    let text = RawJson::parse(b"\"abc\"").unwrap().string().unwrap();
    assert!(text.decode_into(&mut []).unwrap_err().source().is_none());
}

#[test]
fn views_are_made_of_texts() {
    assert_eq!(RawJson::try_from("[1]").unwrap().as_bytes(), b"[1]");
    assert_eq!(RawJson::try_from(&b" 1 "[..]).unwrap().as_ref(), b"1");
    assert_eq!(RawJson::try_from("[1").unwrap_err().offset(), 2);
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn errors_of_embedded_readers_and_writers_keep_their_causes() {
    use tautline::io::{ReadError, WriteError};

    let cause = tautline::frame::TooLong;
    assert!(ReadError::Reader(cause).source().unwrap().is::<tautline::frame::TooLong>());
    assert!(WriteError::Writer(cause).source().unwrap().is::<tautline::frame::TooLong>());
    assert!(ReadError::<tautline::frame::TooLong>::NoRoom.source().is_none());
}

#[cfg(feature = "serde-json-core-v0_7")]
#[test]
fn errors_of_serde_json_core_keep_their_causes() {
    let error = RawJson::parse(b"[]").unwrap().deserialize_core::<u8>(4, &mut []).unwrap_err();
    assert!(error.source().unwrap().is::<serde_json_core::de::Error>());
}

#[cfg(feature = "serde_json")]
mod with_serde {
    use serde_json::{Value, json};
    use tautline::owned;
    use tautline::stream::Received;
    use tautline::{Rule, rule};

    use super::*;

    fn round_trip<T>(all: &[T])
    where
        T: Copy + Debug + Display + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
    {
        for &value in all {
            let text = serde_json::to_value(value).unwrap();
            assert_eq!(text, Value::String(value.to_string()));
            assert_eq!(serde_json::from_value::<T>(text).unwrap(), value);
        }
        assert!(serde_json::from_value::<T>(json!("?")).is_err());
        assert!(serde_json::from_value::<T>(json!(1)).is_err());
    }

    #[test]
    fn names_are_strings() {
        round_trip(Severity::ALL);
        let error = serde_json::from_str::<Severity>("\"?\"").unwrap_err().to_string();
        assert!(error.starts_with("invalid value: string \"?\", expected the name of a severity"));
    }

    #[test]
    fn a_rule_is_a_name_or_a_number() {
        let other = Rule::from_number(300.try_into().unwrap());
        for rule in rule::ALL.iter().copied().chain([other]) {
            let value = serde_json::to_value(rule).unwrap();
            let expected = if rule == other { json!(300) } else { json!(rule::name(rule)) };
            assert_eq!(value, expected);
            assert_eq!(serde_json::from_value::<Rule>(value).unwrap(), rule);
        }
        for (other, error) in [
            ("\"?\"", "invalid value: string \"?\", expected the name or the number of a rule"),
            ("0", "invalid value: integer `0`, expected the name or the number of a rule"),
            ("65536", "invalid value: integer `65536`, expected the name or the number of a rule"),
            ("null", "invalid type: null, expected the name or the number of a rule"),
        ] {
            let found = serde_json::from_str::<Rule>(other).unwrap_err().to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }

    #[test]
    fn a_fault_and_its_finding_have_one_shape() {
        let fault =
            Message::parse(br#"{"jsonrpc":"2.0","id":[]}"#, &Profile::JSON_RPC).unwrap_err();
        let json = serde_json::to_value(fault).unwrap();
        assert_eq!(json, serde_json::to_value(fault.finding()).unwrap());
        assert_eq!(
            json,
            json!({"severity": "error", "rule": rule::name(fault.rule()), "offset": fault.offset()})
        );
    }

    fn received(wire: &[u8], framing: impl tautline::frame::Contiguous) -> Vec<Value> {
        let events = Frames::with_framing(wire, framing);
        let received = events.map(|event| Received::from_event(event, &Profile::JSON_RPC));
        received.map(|received| serde_json::to_value(received).unwrap()).collect()
    }

    #[test]
    fn received_events_are_maps() {
        let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"id\":7}\n{\"jsonrpc\":\"2.0\",\"method\":\"too long\"}\n";
        let splitter = tautline::frame::Splitter::new(34);
        assert_eq!(
            received(wire, splitter),
            [
                json!({"kind": "message", "line": 1, "offset": 0, "length": 30,
                    "message": {"jsonrpc": "2.0", "method": "a"}}),
                json!({"kind": "fault", "line": 2, "offset": 31, "length": 8,
                    "fault": {"severity": "error", "rule": "missing-jsonrpc", "offset": 0},
                    "reply": {"code": -32600, "id": 7}}),
                json!({"kind": "oversized", "line": 3, "offset": 40, "length": 37, "limit": 34,
                    "fault": {"severity": "error", "rule": "frame-too-long", "offset": 0},
                    "reply": {"code": -32600, "id": null}}),
            ]
        );
        assert_eq!(
            received(b"1 x", tautline::frame::Concatenated::new(64))[1],
            json!({"kind": "desynchronised", "rule": "value-expected", "offset": 2})
        );
        assert_eq!(
            received(b"1 {", tautline::frame::Concatenated::new(64))[1],
            json!({"kind": "unfinished", "offset": 2, "length": 1})
        );
    }

    #[cfg(feature = "tokio-util-v0_7")]
    #[test]
    fn an_item_of_the_codec_is_like_the_event() {
        use bytes::BytesMut;
        use tokio_util::codec::Decoder;

        let mut codec = tautline::codec::MessageCodec::new(&Profile::JSON_RPC);
        let mut wire = BytesMut::from(&b"{\"id\":7}\n"[..]);
        let item = codec.decode(&mut wire).unwrap().unwrap();
        assert_eq!(item.as_ref(), b"{\"id\":7}");
        assert_eq!(
            serde_json::to_value(&item).unwrap(),
            serde_json::to_value(item.received()).unwrap()
        );
    }

    #[test]
    fn owned_error_objects_are_read_and_written() {
        let text = r#"{"code":-32601,"message":"no \"a\"","data":[1]}"#;
        let error: owned::ErrorObject = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&error).unwrap(), text);
        assert_eq!(error.to_string(), "no \"a\" (-32601)");
        let error: Box<dyn Error> = Box::new(error);
        assert!(error.source().is_none());

        let error: owned::ErrorObject =
            serde_json::from_str(r#"{"x":[{}],"message":"","c\u006fde":1,"data":null}"#).unwrap();
        assert_eq!((error.code.value(), error.data), (1, Some(Value::Null)));
        for text in [
            r#"{"code":1}"#,
            r#"{"message":""}"#,
            r#"{"code":1.5,"message":""}"#,
            r#"{"code":1,"message":"","code":2}"#,
            r#"{"code":1,"message":"","message":""}"#,
            r#"{"code":1,"message":"","data":1,"data":1}"#,
            "[1,\"\"]",
        ] {
            assert!(serde_json::from_str::<owned::ErrorObject>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn owned_ids_are_read_from_what_they_display() {
        for text in ["1", "1.0", "\"a\\u0062\"", "null"] {
            assert_eq!(text.parse::<owned::Id>().unwrap().to_string(), text);
        }
        let error = "a".parse::<owned::Id>().unwrap_err();
        assert_eq!(error.to_string(), "an id is a string in quotes, a number or null");
        let ids = BTreeSet::from(["b", "a"].map(owned::Id::from));
        assert_eq!(ids.first(), Some(&owned::Id::from("a")));
        assert_eq!(Id::parse(b"1").unwrap(), owned::Id::from(1));
    }
}
