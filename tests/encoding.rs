//! What is written is one message on one line, or nothing.

#[path = "support/checks/encode_roundtrip.rs"]
mod encode_roundtrip;

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use tautline::encode::{
    EncodeError, Encoder, Formatted, Forward, NO_PARAMS, NewError, NewId, Payload, Slice, Writer,
    array, object,
};
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
            line(|to| to.error(0, NewError::new(ErrorCode::INTERNAL_ERROR, "x").with_data(true))),
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
fn batches_that_the_rules_forbid_are_refused() {
    for (rules, allowed) in [
        (Rules::JSON_RPC, true),
        (Revision::V2025_03_26.rules(), true),
        (Rules::LSP, false),
        (Revision::LATEST.rules(), false),
    ] {
        let mut out = Vec::new();
        let written = Encoder::with_rules(&mut out, &rules).batch(|batch| {
            batch.result(1, object(|_| {}));
        });
        assert_eq!(written.err(), (!allowed).then_some(EncodeError::BatchNotAllowed));
        assert_eq!(out.is_empty(), !allowed);
    }
}

/// What is written is what the rules take: the one is held against the other.
#[test]
fn ids_that_the_rules_do_not_allow_are_refused() {
    use tautline::envelope::{ErrorIds, Ids};

    let strict = Rules::JSON_RPC.with_ids(Ids::StringOrInteger);
    let all = [
        Rules::JSON_RPC,
        Rules::JSON_RPC.with_error_ids(ErrorIds::AsRequest),
        Rules::LSP,
        strict,
        strict.with_error_ids(ErrorIds::AsRequest),
        Revision::V2025_03_26.rules(),
        Revision::V2025_06_18.rules(),
        Revision::LATEST.rules(),
    ];
    let mut refusals = 0;
    for rules in all {
        for text in
            ["null", "1", "1.0", "1.5", "-1e-1", r#""a""#, r#""\ud800""#, r#""\ud83d\ude00""#]
        {
            let id = Id::parse(text.as_bytes()).unwrap();
            let mut out = Vec::new();
            let mut encoder = Encoder::with_rules(&mut out, &rules);
            let request = encoder.request(id, "m", NO_PARAMS).is_ok();
            let result = encoder.result(id, object(|_| {})).is_ok();
            let error = encoder.error(id, NewError::new(ErrorCode::INTERNAL_ERROR, "x"));
            if let Err(error) = error {
                assert_eq!(error, EncodeError::IdNotAllowed);
                refusals += 1;
            }
            for (written, frame) in [
                (request, format!(r#"{{"jsonrpc":"2.0","id":{text},"method":"m"}}"#)),
                (result, format!(r#"{{"jsonrpc":"2.0","id":{text},"result":{{}}}}"#)),
                (
                    error.is_ok(),
                    format!(
                        r#"{{"jsonrpc":"2.0","id":{text},"error":{{"code":-32603,"message":"x"}}}}"#
                    ),
                ),
            ] {
                assert_eq!(written, Message::parse(frame.as_bytes(), &rules).is_ok(), "{frame}");
            }
            let written = usize::from(request) + usize::from(result) + usize::from(error.is_ok());
            assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), written);
        }
    }
    assert!(refusals > 0);
    // A fault's reply has the id that the rules of its frame ask for.
    let fault = Message::parse(b"1", &Rules::JSON_RPC).unwrap_err();
    let mut encoder = Encoder::with_rules(Vec::new(), &Revision::LATEST.rules());
    assert!(encoder.fault(&fault, b"1").is_ok());
}

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
    assert_eq!(encoder.notification("c", NO_PARAMS), Err(EncodeError::Output));
    let error = encoder.output_mut().take_error().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    let wire = encoder.into_output().into_inner().0;
    assert_eq!(wire.len(), 2);
    assert!(wire.iter().all(|message| message.ends_with(b"}\n")));
}

#[test]
fn a_message_behind_a_torn_one_begins_a_line() {
    /// Takes so many bytes, then fails once, and then takes everything.
    struct Wire(Vec<u8>, usize);
    impl std::io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.1 == 0 {
                self.1 = usize::MAX;
                return Err(std::io::ErrorKind::TimedOut.into());
            }
            let taken = bytes.len().min(self.1);
            self.1 -= taken;
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let message = line(|to| to.notification("a", NO_PARAMS));
    for taken in 0..message.len() {
        let mut encoder = Encoder::new(Writer::new(Wire(Vec::new(), taken)));
        assert_eq!(encoder.notification("a", NO_PARAMS), Err(EncodeError::Output));
        assert!(encoder.output_mut().take_error().is_some());
        for _ in 0..2 {
            assert_eq!(encoder.notification("a", NO_PARAMS), Ok(message.len()));
        }
        assert!(encoder.output_mut().take_error().is_none());
        let wire = String::from_utf8(encoder.into_output().into_inner().0).unwrap();
        assert_eq!(wire, format!("{}\n{message}{message}", &message[..taken]));
    }
}

/// Text with so much room, which takes a piece or does not.
struct Room(String, usize);

impl std::fmt::Write for Room {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if text.len() > self.1 {
            return Err(std::fmt::Error);
        }
        self.1 -= text.len();
        self.0.push_str(text);
        Ok(())
    }
}

#[test]
fn text_that_has_not_the_room_for_a_message_has_no_message() {
    type Write = fn(&mut Encoder<Formatted<Room>>) -> Result<usize, EncodeError>;
    let shapes: [Write; 5] = [
        |to| to.request(1, "m", NO_PARAMS),
        |to| to.notification("m", Some(object(|_| {}))),
        |to| to.result(1, true),
        |to| to.error(1, NewError::new(ErrorCode::INTERNAL_ERROR, "x")),
        |to| to.batch(|batch| batch.result(1, 1)),
    ];
    for write in shapes {
        let mut encoder = Encoder::new(Formatted::new(Room(String::new(), usize::MAX)));
        let full = write(&mut encoder).unwrap();
        for length in 0..full {
            let mut encoder = Encoder::new(Formatted::new(Room(String::new(), length)));
            assert_eq!(write(&mut encoder), Err(EncodeError::DoesNotFit { needed: full }));
            let text = encoder.into_output().into_inner().0;
            assert!(Message::parse(text.as_bytes(), &Rules::JSON_RPC).is_err(), "{text}");
        }
    }
}

#[test]
fn text_that_was_torn_and_has_room_again_goes_on_with_a_line() {
    /// Counts what it is given, and refuses the second and the third.
    struct Moody(String, u32);
    impl std::fmt::Write for Moody {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.1 += 1;
            if matches!(self.1, 2 | 3) {
                return Err(std::fmt::Error);
            }
            self.0.push_str(text);
            Ok(())
        }
    }
    // They are the second piece of the message, and the newline that is to end it.
    let mut encoder = Encoder::new(Formatted::new(Moody(String::new(), 0)));
    encoder.notification("a", NO_PARAMS).unwrap_err();
    encoder.notification("b", NO_PARAMS).unwrap();
    let text = encoder.into_output().into_inner().0;
    let (torn, whole) = text.split_once('\n').unwrap();
    assert!(Message::parse(torn.as_bytes(), &Rules::JSON_RPC).is_err());
    assert_eq!(whole, line(|to| to.notification("b", NO_PARAMS)));
}

/// A payload that never comes to an end.
fn panicking() -> impl Payload {
    object(|object| {
        object.member("a", 1);
        panic!("in the middle of a payload")
    })
}

#[test]
fn a_payload_that_panics_leaves_nothing() {
    let mut out = b"before\n".to_vec();
    catch_unwind(AssertUnwindSafe(|| Encoder::new(&mut out).result(1, panicking()))).unwrap_err();
    catch_unwind(AssertUnwindSafe(|| {
        Encoder::new(&mut out).batch(|batch| {
            batch.result(1, 1);
            batch.result(2, panicking());
        })
    }))
    .unwrap_err();
    assert_eq!(out, b"before\n");

    let mut encoder = Encoder::new(Writer::new(Vec::new()));
    catch_unwind(AssertUnwindSafe(|| encoder.result(1, panicking()))).unwrap_err();
    encoder.notification("n", NO_PARAMS).unwrap();
    assert_eq!(
        encoder.into_output().into_inner(),
        line(|to| to.notification("n", NO_PARAMS)).as_bytes()
    );
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
    let envelope = Envelope::read(br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, &Rules::JSON_RPC);
    let half = Id::parse(br#""\ud800""#).unwrap();
    assert!(Forward::new(&envelope).unwrap().with_id(half).is_none());
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
    assert_eq!(encoder.notification("b", NO_PARAMS), Err(EncodeError::Output));
    let error = encoder.output_mut().take_error().unwrap();
    assert_eq!(error, embedded_io::SliceWriteError::Full);
    let too_long = "x".repeat(40);
    let refused = encoder.notification(&too_long, NO_PARAMS);
    assert_eq!(refused, Err(EncodeError::DoesNotFit { needed: 70 }));
    assert_eq!(&wire[..31], b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn an_embedded_message_behind_a_torn_one_begins_a_line() {
    use tautline::encode::Embedded;

    /// Takes so many bytes, then nothing at all once, and then everything.
    struct Wire(Vec<u8>, usize);
    impl embedded_io::ErrorType for Wire {
        type Error = core::convert::Infallible;
    }
    impl embedded_io::Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
            let taken = bytes.len().min(self.1);
            self.1 = if self.1 == 0 { usize::MAX } else { self.1 - taken };
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }
    let mut room = [0; 40];
    let mut encoder = Encoder::new(Embedded::new(Wire(Vec::new(), 10), &mut room));
    assert_eq!(encoder.notification("a", NO_PARAMS), Err(EncodeError::Output));
    encoder.notification("b", NO_PARAMS).unwrap();
    let wire = encoder.into_output().into_inner().0;
    assert_eq!(wire, b"{\"jsonrpc\"\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n".as_slice());
}
