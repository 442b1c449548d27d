//! Payload as types: borrowed if possible, and with the position of what can't be read.

use std::borrow::Cow;

use serde::Deserialize;
use tautline::{Message, Profile, RawJson};

#[derive(Debug, Deserialize, PartialEq)]
struct Call<'a> {
    name: &'a str,
    #[serde(borrow)]
    text: Cow<'a, str>,
    n: Option<f64>,
}

#[test]
fn text_is_borrowed_from_the_frame() {
    let frame =
        br#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"b","text":"c","x":[{}]}}"#;
    let Ok(Message::Request(request)) = Message::parse(frame, &Profile::JSON_RPC) else { panic!() };
    let call: Call<'_> = request.params().unwrap().deserialize().unwrap();
    assert_eq!(call, Call { name: "b", text: "c".into(), n: None });
    assert!(frame.as_ptr_range().contains(&call.name.as_ptr()));
    assert!(matches!(call.text, Cow::Borrowed(_)));
}

#[test]
fn text_with_escapes_is_decoded_or_an_error() {
    let value = RawJson::parse(br#"{"name":"b","text":"\u0063\ud83d\ude00"}"#).unwrap();
    let call: Call<'_> = value.deserialize().unwrap();
    assert_eq!(call.text, "c\u{1F600}");
    let value = RawJson::parse(br#"{"name":"\u0062","text":""}"#).unwrap();
    let error = value.deserialize::<Call<'_>>().unwrap_err();
    assert!(error.to_string().contains("expected a borrowed string"), "{error}");
}

/// An error states its position, in the value and in the frame.
#[test]
fn errors_say_where() {
    for (params, text, at) in [
        (r#"{"name":"b","text":1}"#, "invalid type: integer `1`, expected", "}"),
        (r#"{"name":"b"}"#, "missing field `text`", ""),
        (
            "{\"name\":\"b\",\n\"text\":\"\",\n\n \"n\":[]}",
            "invalid type: sequence, expected f64",
            "[]}",
        ),
        (r#"{"name":"b","text":"","n":1e999}"#, "number out of range", "}"),
        (r#"{"name":"b","text":"\ud800"}"#, "unexpected end of hex escape", "}"),
        ("[]", "invalid length 0", ""),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":  {params}}}"#);
        let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC);
        let Ok(Message::Request(request)) = message else { panic!("{frame}") };
        let value = request.params().unwrap();
        let error = value.deserialize::<Call<'_>>().unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
        let rest = &params[error.offset()..];
        assert!(rest.starts_with(at), "{error}: {rest}");
        let offset = request.call().params_span().unwrap().start() as usize + error.offset();
        assert_eq!(&frame[offset..], format!("{rest}}}"));
        assert_eq!(error.as_serde_json().to_string(), error.to_string());
    }
}

#[test]
fn results_and_data_are_payload_as_well() {
    let frame = br#"{"jsonrpc":"2.0","id":1,"result":[1,2]}"#;
    let Ok(Message::Response(response)) = Message::parse(frame, &Profile::JSON_RPC) else {
        panic!()
    };
    assert_eq!(response.result().unwrap().deserialize::<(u8, u8)>().unwrap(), (1, 2));
    let frame = br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":"d"}}"#;
    let Ok(Message::Response(response)) = Message::parse(frame, &Profile::JSON_RPC) else {
        panic!()
    };
    let data = response.error().and_then(|error| error.data()).unwrap();
    assert_eq!(data.deserialize::<&str>().unwrap(), "d");
    let span = response.error().and_then(|error| error.data_span()).unwrap();
    assert_eq!(span.of(frame), Some(&b"\"d\""[..]));
}

#[test]
fn a_repeated_name_is_an_error() {
    use std::collections::HashMap;

    let read = |text: &'static str| RawJson::parse(text.as_bytes()).unwrap();
    let error = read(r#"{"1":1,"2":2,"1":3}"#).deserialize::<HashMap<u8, u8>>().unwrap_err();
    assert_eq!(error.to_string(), "an object repeats the name of a member");
    assert_eq!(error.offset(), 13);
    // A duplicate field is refused with its position, as in `serde`.
    let error =
        read(r#"{"name":"b","text":"c","name":"d"}"#).deserialize::<Call<'_>>().unwrap_err();
    assert!(error.to_string().starts_with("duplicate field `name`"), "{error}");
    assert_eq!(error.offset(), 29);
    let error =
        read(r#"{"name":"b","text":"c","x":1,"x":2}"#).deserialize::<Call<'_>>().unwrap_err();
    assert_eq!(error.offset(), 29);
}
