//! What is written is one message on one line, or nothing.

#[path = "support/checks/encode_roundtrip.rs"]
mod encode_roundtrip;

use proptest::prelude::*;
use tautline::encode::{EncodeError, Encoder, Error, Forward, NO_PARAMS, Slice, Writer, object};
use tautline::{Envelope, ErrorCode, Id, Message, RawJson, Revision, Rules};

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_encoded_is_read_back(input in proptest::collection::vec(any::<u8>(), 0..200)) {
        encode_roundtrip::check(&input);
    }
}

fn line(write: impl FnOnce(&mut Encoder<&mut Vec<u8>>) -> Result<usize, EncodeError>) -> String {
    let mut line = Vec::new();
    let length = write(&mut Encoder::new(&mut line)).unwrap();
    assert_eq!(length, line.len());
    String::from_utf8(line).unwrap()
}

#[test]
fn each_shape_as_it_is_written() {
    let params = RawJson::parse(b"{\"a\":\r\n1}").unwrap();
    for (written, expected) in [
        (
            line(|to| to.request(1, "a\"\\\u{1}\n", Some(params))),
            r#"{"jsonrpc":"2.0","id":1,"method":"a\"\\\u0001\n","params":{"a":1}}"#,
        ),
        (
            line(|to| to.request("é/", "m", NO_PARAMS)),
            r#"{"jsonrpc":"2.0","id":"é/","method":"m"}"#,
        ),
        (line(|to| to.notification("n", NO_PARAMS)), r#"{"jsonrpc":"2.0","method":"n"}"#),
        (
            line(|to| to.result(u64::MAX, object(|_| {}))),
            r#"{"jsonrpc":"2.0","id":18446744073709551615,"result":{}}"#,
        ),
        (
            line(|to| to.result(i64::MIN, None::<bool>)),
            r#"{"jsonrpc":"2.0","id":-9223372036854775808,"result":null}"#,
        ),
        (
            line(|to| to.error(0, Error::new(ErrorCode::INTERNAL_ERROR, "x").with_data(true))),
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"x","data":true}}"#,
        ),
        (
            line(|to| {
                to.batch(|batch| {
                    batch.notification("a", NO_PARAMS);
                    batch.result(1, 2);
                })
            }),
            r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":2}]"#,
        ),
    ] {
        assert_eq!(written, format!("{expected}\n"));
    }
}

#[test]
fn ids_that_were_read_are_written_byte_for_byte() {
    for id in [r#""caf\u00e9\/""#, "1.0", "-0", "1e2", "340282366920938463463374607431768211456"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"m"}}"#);
        let Ok(Message::Request(request)) = Message::parse(frame.as_bytes(), &Rules::JSON_RPC)
        else {
            panic!("{frame}")
        };
        let reply = line(|to| to.result(request.id(), true));
        assert_eq!(reply, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":true}}\n"));
    }
}

#[test]
fn payload_that_the_rules_do_not_allow_is_refused() {
    let json = |text: &'static str| RawJson::parse(text.as_bytes()).unwrap();
    let mcp = Revision::LATEST.rules();
    for (rules, payload, params, result) in [
        (&Rules::JSON_RPC, "[1]", true, true),
        (&Rules::JSON_RPC, "{}", true, true),
        (&Rules::JSON_RPC, "null", false, true),
        (&Rules::JSON_RPC, "1", false, true),
        (&Rules::LSP, "null", true, true),
        (&Rules::LSP, "\"x\"", false, true),
        (&mcp, "[1]", false, false),
        (&mcp, "{}", true, true),
        (&mcp, "null", false, false),
    ] {
        let mut out = Vec::new();
        let mut encoder = Encoder::with_rules(&mut out, rules);
        let expect = |allowed, error| if allowed { None } else { Some(error) };
        let refused = encoder.notification("n", Some(json(payload))).err();
        assert_eq!(refused, expect(params, EncodeError::ParamsType), "{payload}");
        let refused = encoder.result(1, json(payload)).err();
        assert_eq!(refused, expect(result, EncodeError::ResultType), "{payload}");
        let written = out.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(written, usize::from(params) + usize::from(result));
    }
}

#[test]
fn a_fault_is_answered_as_it_is_owed() {
    for (frame, rules, expected) in [
        (
            "{",
            Rules::JSON_RPC,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a\u0062"}"#,
            Rules::JSON_RPC,
            r#"{"jsonrpc":"2.0","id":"a\u0062","error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        (
            "1",
            Revision::V2025_11_25.rules(),
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        ("1", Revision::V2025_06_18.rules(), ""),
        (r#"{"jsonrpc":"2.0","result":1}"#, Rules::JSON_RPC, ""),
    ] {
        let fault = Message::parse(frame.as_bytes(), &rules).unwrap_err();
        let mut out = Vec::new();
        let length = Encoder::new(&mut out).fault(&fault, frame.as_bytes()).unwrap();
        assert_eq!(length, out.len());
        assert_eq!(String::from_utf8(out).unwrap().trim_end(), expected);
    }
}

#[test]
fn the_fault_of_another_frame_is_refused() {
    let frame = br#"{"jsonrpc":"2.0","id":"abc"}"#;
    let fault = Message::parse(frame, &Rules::JSON_RPC).unwrap_err();
    let mut out = Vec::new();
    for other in [&b""[..], br#"{"jsonrpc":"2.0","ids":"abc"}"#, br#"{"jsonrpc":"2.0","id":[1,2]}"#]
    {
        let refused = Encoder::new(&mut out).fault(&fault, other);
        assert_eq!(refused, Err(EncodeError::ForeignFrame), "{}", other.escape_ascii());
    }
    assert!(out.is_empty());
}

#[test]
fn a_writer_gets_whole_messages_or_nothing() {
    /// Counts the calls, and fails the third one.
    #[derive(Default)]
    struct Wire(Vec<Vec<u8>>);
    impl std::io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.len() == 2 {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut encoder = Encoder::new(Writer::new(Wire::default()));
    encoder.notification("a", NO_PARAMS).unwrap();
    assert_eq!(encoder.result(1, f64::NAN), Err(EncodeError::NotFinite));
    encoder.notification("b", NO_PARAMS).unwrap();
    assert!(matches!(encoder.notification("c", NO_PARAMS), Err(EncodeError::DoesNotFit { .. })));
    let error = encoder.output_mut().take_error().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    let wire = encoder.into_output().into_inner().0;
    assert_eq!(wire.len(), 2);
    assert!(wire.iter().all(|message| message.ends_with(b"}\n")));
}

#[test]
fn several_messages_share_a_slice_and_a_failed_one_leaves_no_trace() {
    let mut room = [0; 80];
    let mut encoder = Encoder::new(Slice::new(&mut room));
    let first = encoder.notification("a", NO_PARAMS).unwrap();
    let too_long = "x".repeat(60);
    let refused = encoder.notification(&too_long, NO_PARAMS);
    assert_eq!(refused, Err(EncodeError::DoesNotFit { needed: first + 59 }));
    let second = encoder.notification("b", NO_PARAMS).unwrap();
    let written = encoder.into_output().into_written();
    assert_eq!(written.len(), first + second);
    let messages = tautline::stream::Messages::new(written, 80, &Rules::JSON_RPC);
    assert_eq!(messages.count(), 2);
}

#[test]
fn a_message_is_passed_on_without_a_copy() {
    let frame = b"\n {\"id\":1,\r\n\"jsonrpc\":\"2.0\",\n\"method\":\"m\", \"params\":{\"id\":2}} ";
    let envelope = Envelope::read(frame, &Rules::JSON_RPC);
    let forward = Forward::new(&envelope).unwrap();
    let parts: Vec<&[u8]> = forward.parts().collect();
    let expected = b"{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"m\", \"params\":{\"id\":2}}\n";
    assert_eq!(parts.concat(), expected);
    let inside = |part: &&[u8]| frame.as_ptr_range().contains(&part.as_ptr());
    assert_eq!(parts.iter().filter(|part| inside(part)).count(), parts.len() - 1);

    let id = Id::of(RawJson::parse(br#""x\"y""#).unwrap()).unwrap();
    let parts = forward.with_id(id).unwrap().parts().collect::<Vec<_>>().concat();
    let Ok(Message::Request(request)) = Message::parse(&parts, &Rules::JSON_RPC) else { panic!() };
    assert_eq!(request.id(), id);
    assert_eq!(request.params().unwrap().as_bytes(), b"{\"id\":2}");
}

#[test]
fn what_has_no_id_gets_none_and_what_is_faulty_is_not_passed_on() {
    let id = Id::Null;
    for frame in [r#"{"jsonrpc":"2.0","method":"m"}"#, r#"[{"jsonrpc":"2.0","method":"m","id":1}]"#]
    {
        let envelope = Envelope::read(frame.as_bytes(), &Rules::JSON_RPC);
        assert!(Forward::new(&envelope).unwrap().with_id(id).is_none());
    }
    let envelope = Envelope::read(br#"{"jsonrpc":"2.0","id":1}"#, &Rules::JSON_RPC);
    assert_eq!(Forward::new(&envelope).unwrap_err().rule().name(), "no-shape");
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

#[cfg(feature = "heapless-v0_9")]
#[test]
fn a_heapless_vector_is_an_output() {
    let mut encoder = Encoder::new(heapless::Vec::<u8, 48>::new());
    encoder.notification("a", NO_PARAMS).unwrap();
    let refused = encoder.notification("b", NO_PARAMS);
    assert_eq!(refused, Err(EncodeError::DoesNotFit { needed: 31 }));
    assert_eq!(encoder.into_output(), *b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn an_embedded_writer_gets_whole_messages() {
    use tautline::encode::Embedded;

    let mut wire = [0; 40];
    let mut room = [0; 40];
    let mut encoder = Encoder::new(Embedded::new(&mut wire[..], &mut room));
    encoder.notification("a", NO_PARAMS).unwrap();
    assert_eq!(encoder.result(1, f64::INFINITY), Err(EncodeError::NotFinite));
    // The room is free again, and the wire is not.
    assert!(matches!(encoder.notification("b", NO_PARAMS), Err(EncodeError::DoesNotFit { .. })));
    assert_eq!(&wire[..31], b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
}
