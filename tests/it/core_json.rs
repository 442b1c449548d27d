//! Payload as types without std: no use of the heap, no nesting beyond the limit, and no escape read as plain text.

use serde::Deserialize;
use serde_json_core::de::Error;
use tautline::json::{CoreError, Expected};
use tautline::{ErrorCode, Message, Profile, RawJson};

use crate::support::allocator::measure;

#[derive(Debug, Deserialize, PartialEq)]
struct Call<'a> {
    name: &'a str,
    text: heapless::String<8>,
    numbers: heapless::Vec<i32, 4>,
}

fn value(text: &str) -> RawJson<'_> {
    RawJson::parse(text.as_bytes()).unwrap()
}

#[test]
fn a_call_is_read_without_a_heap() {
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"a","params":
        {"name":"b", "ignored":[{"x":["]}",{}]}, 1.5e3, null], "text":"\u0063\n\"", "numbers":[1,-2]}}"#;
    let ((), heap) = measure(|| {
        let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC) else {
            panic!()
        };
        let call: Call<'_> = request.params().unwrap().deserialize_core(8, &mut [0; 16]).unwrap();
        assert_eq!(
            (call.name, call.text.as_str(), &call.numbers[..]),
            ("b", "c\n\"", &[1, -2][..])
        );
    });
    assert_eq!(heap.calls, 0);
}

/// `serde-json-core` would overflow the stack, even in values it ignores.
#[test]
fn depth_is_looked_at_first() {
    for (text, max_depth, offset) in [
        ("1", 0, None),
        ("[]", 0, Some(0)),
        ("[]", 1, None),
        (r#"["[[[["]"#, 1, None),
        (r#"["\"[",[]]"#, 1, Some(7)),
        (r#"[[],[],{}]"#, 2, None),
        (r#"{"a":{"b":[1]}}"#, 2, Some(10)),
    ] {
        let read = value(text).deserialize_core::<serde::de::IgnoredAny>(max_depth, &mut [0; 8]);
        let too_deep = match read {
            Err(CoreError::TooDeep { offset }) => Some(offset),
            _ => None,
        };
        assert_eq!(too_deep, offset, "{text}");
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let frame = format!(r#"{{"jsonrpc":"2.0","method":"a","params":{{"x":{deep}}}}}"#);
    assert!(Message::parse(frame.as_bytes(), &Profile::JSON_RPC).is_err());
    let deepest = format!("{}{}", "[".repeat(126), "]".repeat(126));
    let error =
        value(&deepest).deserialize_core::<serde::de::IgnoredAny>(100, &mut []).unwrap_err();
    assert_eq!(error, CoreError::TooDeep { offset: 100 });
    assert!(value(&deepest).deserialize_core::<serde::de::IgnoredAny>(126, &mut []).is_ok());
}

#[test]
fn an_escape_is_decoded_or_an_error_and_never_text() {
    let core = |error| Err(CoreError::Core(error));
    type Short = heapless::String<4>;
    let read =
        |text: &'static str, scratch: &mut [u8]| value(text).deserialize_core::<Short>(1, scratch);
    assert_eq!(read(r#""a\tb""#, &mut [0; 4]), Ok(Short::try_from("a\tb").unwrap()));
    assert_eq!(read(r#""a\tb""#, &mut [0; 2]), core(Error::EscapedStringIsTooLong));
    assert_eq!(read(r#""a\tb""#, &mut []), core(Error::EscapedStringIsTooLong));
    assert_eq!(read(r#""abc""#, &mut []), Ok(Short::try_from("abc").unwrap()));
    // Too long for the field.
    assert!(read(r#""abcde""#, &mut []).is_err());
    // An unpaired surrogate, and a pair, which it does not join.
    assert_eq!(read(r#""\ud800""#, &mut [0; 8]), core(Error::InvalidEscapeSequence));
    assert_eq!(read(r#""\ud83d\ude00""#, &mut [0; 8]), core(Error::InvalidEscapeSequence));
    // A borrowed field can't be decoded.
    let borrowed = value(r#""a\tb""#).deserialize_core::<&str>(1, &mut [0; 8]);
    assert_eq!(borrowed, Err(CoreError::Core(Error::CustomError)));
    // Nor can an escaped name be overlooked.
    let call = r#"{"n\u0061me":"b","text":"","numbers":[]}"#;
    assert!(value(call).deserialize_core::<Call<'_>>(2, &mut [0; 8]).is_ok());
    assert!(value(call).deserialize_core::<Call<'_>>(2, &mut []).is_err());
}

#[test]
fn numbers_that_do_not_fit_are_errors() {
    for text in ["256", "-1", "1.0", "1e2", "1.5", "null", "\"1\""] {
        assert!(value(text).deserialize_core::<u8>(1, &mut []).is_err(), "{text}");
    }
    assert_eq!(value("-0").deserialize_core::<i8>(1, &mut []), Ok(0));
    // As the docs warn.
    assert_eq!(value("1e999").deserialize_core::<f64>(1, &mut []), Ok(f64::INFINITY));
    assert!(value("null").deserialize_core::<f64>(1, &mut []).unwrap().is_nan());
}

#[test]
fn params_that_do_not_fit_are_a_failure_with_the_place() {
    for (params, offset, expected) in [
        ("", 26, Expected::PARAMS),
        (r#","params":[1]"#, 39, Expected::OTHER),
        (r#","params":[1,[2]]"#, 42, Expected::OTHER),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"a"{params}}}"#);
        let message = Message::parse(&frame, &Profile::JSON_RPC);
        let Ok(Message::Notification(notification)) = message else { panic!("{frame}") };
        let call = notification.call();
        let failure = call.params_as_core::<[u8; 2]>(1, &mut []).unwrap_err();
        assert_eq!(failure.code(), ErrorCode::INVALID_PARAMS);
        let mismatch = failure.mismatch().unwrap();
        assert_eq!((mismatch.offset(), mismatch.expected()), (offset, expected), "{frame}");
        let optional = call.params_as_core::<Option<[u8; 1]>>(1, &mut []);
        assert_eq!(optional.is_ok(), !params.contains("[2]"), "{frame}");
    }
}
