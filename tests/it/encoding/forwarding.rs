//! Messages that are forwarded, with other ids and tokens.

use tautline::encode::{Encoder, Forward, NewId};
use tautline::frame::ContentLength;
use tautline::io::MessageWriter;
use tautline::stream::Messages;
use tautline::{Id, Message, Profile, RawJson};

use super::line;
use crate::support::dice::Dice;
use crate::support::presets::Revision;
use crate::support::room::needed_and_free;

const PROFILE: Profile = Revision::V2025_11_25.profile();

fn message(frame: &str) -> Message<'_> {
    Message::parse(frame.as_bytes(), &PROFILE).unwrap()
}

/// Returns the line that is forwarded, which is the same in parts and from an encoder.
fn forwarded(forward: &Forward<'_>) -> String {
    let parts = forward.parts().collect::<Vec<_>>().concat();
    let text = line(|to| to.forward(forward));
    assert_eq!(text.as_bytes(), parts);
    text
}

#[test]
fn a_new_id_may_be_of_any_kind() {
    let frame = r#" {"jsonrpc":"2.0","id":"old","method":"m"} "#;
    let forward = Forward::new(&message(frame)).unwrap();
    assert_eq!(forwarded(&forward), format!("{}\n", frame.trim()));
    let read = Id::parse(br#""caf\u00e9""#).unwrap();
    let text = String::from("a \"\\\n\r\t\u{1}\u{1f}\u{85}\u{2028}\u{2029}é\u{7f} b");
    let ids: &[NewId<'_>] = &[
        0.into(),
        i64::MIN.into(),
        i64::MAX.into(),
        u64::MAX.into(),
        "".into(),
        "\n".into(),
        "plain".into(),
        (&text).into(),
        read.into(),
        Id::parse(b"1.50").unwrap().into(),
        Id::Null.into(),
    ];
    let any = Profile::JSON_RPC;
    for &id in ids {
        let mut expected = Vec::new();
        Encoder::with_profile(&mut expected, &any)
            .request(id, "m", tautline::encode::NO_PARAMS)
            .unwrap();
        let line = forwarded(&forward.with_id(id).unwrap());
        assert_eq!(line.as_bytes(), expected, "{id:?}");
    }
    // The last one counts.
    let twice = forward.with_id(1).unwrap().with_id("two").unwrap();
    assert_eq!(forwarded(&twice), "{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"m\"}\n");
}

#[test]
fn messages_of_every_kind_are_forwarded() {
    for (frame, with_id) in [
        (
            r#"{"id":1,"jsonrpc":"2.0","result":{"id":2}}"#,
            Some(r#"{"id":7,"jsonrpc":"2.0","result":{"id":2}}"#),
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"id":null}"#,
            Some(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"id":7}"#),
        ),
        (r#"{"jsonrpc":"2.0","method":"m"}"#, None),
        (r#"[{"jsonrpc":"2.0","method":"m","id":1}]"#, None),
    ] {
        let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap();
        let forward = Forward::new(&message).unwrap();
        assert_eq!(forwarded(&forward).trim_end(), frame);
        let new = forward.with_id(7).map(|forward| forwarded(&forward));
        assert_eq!(new.as_deref().map(str::trim_end), with_id);
    }
    // An element of a batch is forwarded by its envelope.
    let batch = br#"[ {"jsonrpc":"2.0","id":1,"result":[]} ,{"jsonrpc":"2.0","method":"m"}]"#;
    let Ok(Message::Batch(batch)) = Message::parse(batch, &Profile::JSON_RPC) else { panic!() };
    let mut lines = String::new();
    for element in batch.iter() {
        assert!(Forward::new(&element.message().unwrap()).is_none());
        lines.push_str(&forwarded(&Forward::of_envelope(&element).unwrap()));
    }
    let expected =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n";
    assert_eq!(lines, expected);
}

#[test]
fn only_strings_and_numbers_of_the_message_are_replaced() {
    let half = Id::parse(br#""\ud800""#).unwrap();
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"b":[],"c":"x"}}"#;
    let message = message(frame);
    let Message::Request(request) = &message else { panic!() };
    let member = |name| request.params().unwrap().member(name).unwrap();
    let forward = Forward::new(&message).unwrap();
    assert!(forward.with_id(half).is_none() && forward.with_reference(member("a"), half).is_none());
    assert!(forward.with_reference(member("b"), 1).is_none());
    assert!(forward.with_reference(RawJson::parse(b"1").unwrap(), 2).is_none());
    let both = forward.with_reference(member("c"), 3).unwrap().with_reference(member("a"), 2);
    let line = forwarded(&both.unwrap());
    assert_eq!(line.trim_end(), frame.replace(r#""a":1"#, r#""a":2"#).replace(r#""x""#, "3"));
}

/// The frame of an element has the other elements, too.
#[test]
fn no_value_of_another_element_is_replaced() {
    let batch = br#"[{"jsonrpc":"2.0","method":"a","params":[1]},{"jsonrpc":"2.0","method":"b","params":[2]}]"#;
    let Ok(Message::Batch(batch)) = Message::parse(batch, &Profile::JSON_RPC) else { panic!() };
    let elements: Vec<_> = batch.iter().collect();
    let [first, second] = [0, 1].map(|at: usize| {
        let Ok(Message::Notification(note)) = elements[at].message() else { panic!() };
        note.params().unwrap().elements().unwrap().next().unwrap()
    });
    let forward = Forward::of_envelope(&elements[1]).unwrap();
    assert!(forward.with_reference(first, 7).is_none());
    let line = forwarded(&forward.with_reference(second, 7).unwrap());
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"method\":\"b\",\"params\":[7]}\n");
}

#[test]
fn a_fifth_value_is_not_replaced_instead_of_another() {
    let frame = r#"{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":1,"b":2,"c":3,"d":4}}"#;
    let message = message(frame);
    let Message::Request(request) = &message else { panic!() };
    let member = |name| request.params().unwrap().member(name).unwrap();
    let mut forward = Forward::new(&message).unwrap();
    for name in ["d", "b", "a", "c"] {
        forward = forward.with_reference(member(name), 9).unwrap();
    }
    assert!(forward.with_id(9).is_none());
    // One that is replaced already can be replaced again.
    let line = forwarded(&forward.with_reference(member("d"), 8).unwrap());
    assert_eq!(line.trim_end(), frame.replace(r#"1,"b":2,"c":3,"d":4"#, r#"9,"b":9,"c":9,"d":8"#));
}

/// A part of the frame has an offset, and nothing else.
#[test]
fn offsets_are_those_of_the_frame() {
    let frame = r#" {"jsonrpc":"2.0","id":"x","method":"m"}"#;
    let message = message(frame);
    let all = message.frame();
    assert_eq!(message.offset_of(all), Some(0));
    assert_eq!(message.offset_of(&all[5..7]), Some(5));
    assert_eq!(message.offset_of(&all[all.len()..]), Some(u32::try_from(all.len()).unwrap()));
    assert_eq!(message.offset_of(b"x"), None);
    let Message::Request(request) = &message else { panic!() };
    assert_eq!(message.offset_of(request.method().escaped_bytes()), Some(37));
}

#[test]
fn a_message_from_a_reader_goes_to_a_writer_in_another_framing() {
    let wire = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n";
    let framing = ContentLength::new(100);
    let mut writer = MessageWriter::with_framing(Vec::new(), &framing, &Profile::JSON_RPC);
    for received in Messages::new(wire, 100, &Profile::JSON_RPC) {
        let tautline::stream::Received::Message { message, .. } = received else { panic!() };
        let forward = Forward::new(&message).unwrap().with_id("ab").unwrap();
        writer.encoder().forward(&forward).unwrap();
    }
    writer.flush().unwrap();
    assert_eq!(
        writer.writer().as_slice(),
        b"Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"ab\",\"method\":\"m\"}"
    );
    let forward = Forward::new(&message(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#)).unwrap();
    let needed = forwarded(&forward).len();
    let mut room = vec![0; needed - 1];
    let mut encoder = Encoder::new(tautline::encode::Slice::new(&mut room));
    assert_eq!(needed_and_free(encoder.forward(&forward)), Some((needed, Some(needed - 1))));
    assert!(encoder.output().written().is_empty());
}

/// With another id, every mutated message that is still one means the same.
#[test]
fn only_the_id_and_the_token_change() {
    const SEEDS: &[&str] = &[
        r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"_meta":{"progressToken":"t"},"x":[1,"\u00e9"]}}"#,
        r#"{ "id" : 1.5 , "jsonrpc" : "2.0" , "result" : {"id":1} }"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":null}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
    ];
    let mut dice = Dice(0x0123_4567_89AB_CDEF);
    let (mut frame, mut changed, mut tokens) = (Vec::new(), 0, 0);
    for _ in 0..20_000 {
        dice.break_one(SEEDS, &mut frame);
        let Ok(message) = Message::parse(&frame, &Profile::JSON_RPC) else { continue };
        let forward = Forward::new(&message).unwrap();
        let unchanged = forwarded(&forward);
        assert_eq!(unchanged.as_bytes()[..unchanged.len() - 1], frame.replace_line_breaks());
        let Some(mut forward) = forward.with_id("new \" id") else { continue };
        let token = match &message {
            Message::Request(request) => request.params(),
            _ => None,
        };
        let token = token.and_then(|params| params.member("_meta")?.member("progressToken"));
        if let Some(token) = token.filter(|token| {
            matches!(token.kind(), tautline::json::Kind::String | tautline::json::Kind::Number)
        }) {
            forward = forward.with_reference(token, 99).unwrap();
            tokens += 1;
        }
        let line = forwarded(&forward);
        // `serde_json` refuses some of what is replaced, such as half a character.
        let Some(old) = envelope(&message) else { continue };
        let new = Message::parse(line.as_bytes(), &Profile::JSON_RPC).unwrap();
        assert_eq!(envelope(&new), Some(old), "{line}");
        changed += 1;
    }
    assert!(changed > 2000 && tokens > 200, "{changed} {tokens}");
}

trait Lines {
    fn replace_line_breaks(&self) -> Vec<u8>;
}

impl Lines for Vec<u8> {
    fn replace_line_breaks(&self) -> Vec<u8> {
        let kept = self.trim_ascii().iter().copied();
        kept.filter(|byte| !matches!(byte, b'\n' | b'\r')).collect()
    }
}

/// Everything but the id and the token.
fn envelope(message: &Message<'_>) -> Option<serde_json::Value> {
    let mut value: serde_json::Value = serde_json::from_slice(message.frame()).ok()?;
    value["id"] = serde_json::Value::Null;
    if let Some(token) = value.pointer_mut("/params/_meta/progressToken") {
        *token = serde_json::Value::Null;
    }
    Some(value)
}
