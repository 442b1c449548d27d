//! `Debug` of what holds bytes prints text, cut to a length for a log.

use std::fmt::Debug;

use tautline::encode::{Formatted, Forward, Slice};
use tautline::endpoint::{Endpoint, Method, Traffic};
use tautline::frame::{Assembler, FrameBuffer, FrameEvent, Frames, ServerSentEvents};
use tautline::stream::{MessageStream, Received};
use tautline::{Envelope, Message, Profile, RawJson};

const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":"caf\u00e9","method":"add","params":{"a":[1,2]}}"#;

fn frame(stream: &[u8]) -> FrameEvent<'_> {
    Frames::new(stream, 1024 * 1024).next().unwrap()
}

/// Returns the `Debug` form, which has no list of bytes in it.
fn form(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let numbers = text.split([',', '[', ']']).map(|part| part.trim().parse::<u8>().is_ok());
    let longest = numbers.fold((0, 0), |(run, longest), is_byte| {
        let run = if is_byte { run + 1 } else { 0 };
        (run, run.max(longest))
    });
    assert!(longest.1 < 4, "{text}");
    text
}

#[test]
fn a_frame_is_its_text() {
    assert_eq!(
        form(&frame(b"{\"id\":\"\xC3\xA9\\n\"}\n")),
        r#"Frame(Frame { offset: 0, line: 1, is_terminated: true, bytes: "{\"id\":\"é\\n\"}" })"#
    );
}

#[test]
fn what_is_not_text_is_escaped() {
    let FrameEvent::Frame(frame) = frame(b"a\x00\x1B[1m\xFF\xE2\x80\xAE\xE2\x82 \xF0\x9F\x98\x80")
    else {
        panic!()
    };
    let text = form(&frame);
    let bytes = text.split("bytes: ").nth(1).unwrap();
    assert_eq!(bytes, r#""a\0\u{1b}[1m\xff\u{202e}\xe2\x82 😀" }"#);
}

#[test]
fn long_ones_are_cut_between_characters() {
    for before in 0..8 {
        let long = format!("{}{}", "a".repeat(before), "é".repeat(200));
        let FrameEvent::Frame(frame) = frame(long.as_bytes()) else { panic!() };
        let text = form(&frame);
        assert!(!text.contains("\\x"), "{text}");
        let end = format!("é\"… ({} bytes) }}", long.len());
        assert!(text.ends_with(&end), "{text}");
        assert!((256..256 + 100).contains(&text.len()), "{text}");
    }
    let exact = "a".repeat(256);
    assert!(form(&frame(exact.as_bytes())).contains(&format!("bytes: \"{exact}\" }}")));

    let long = format!("\"{}\"", "é".repeat(500));
    let value = RawJson::parse(long.as_bytes()).unwrap();
    let text = form(&value);
    assert!(text.ends_with("é… (1002 bytes))") && text.len() < 300, "{text}");
    let text = form(&value.string().unwrap());
    assert!(text.ends_with("é… (1000 bytes)\")") && text.len() < 300, "{text}");
    let digits = "1".repeat(1000);
    let text = form(&RawJson::parse(digits.as_bytes()).unwrap().number().unwrap());
    assert!(text.ends_with("1… (1000 bytes))") && text.len() < 300, "{text}");
}

#[test]
fn values_are_as_they_were_written() {
    let value = RawJson::parse(b"{\"a\":\n\"caf\\u00e9\", \"b\":[\"\\\"\"]}").unwrap();
    assert_eq!(form(&value), r#"RawJson({"a":\n"caf\u00e9", "b":["\""]})"#);
    let text = value.member("a").unwrap().string().unwrap();
    assert_eq!(form(&text), r#"RawStr("caf\u00e9")"#);
    let message = Message::parse(CALL, &Profile::JSON_RPC).unwrap();
    assert_eq!(
        form(&message),
        r#"Request(Request(Call { id: Some(String(RawStr("caf\u00e9"))), method: RawStr("add"), params: Some(RawJson({"a":[1,2]})), unknown: 0 }))"#
    );
}

#[test]
fn nothing_lists_bytes() {
    let profile = Profile::JSON_RPC;
    let wire = [CALL, b"\n"].concat();
    let mut frames = Frames::new(&wire, 1024);
    form(&frames);
    frames.next();
    form(&frames);

    let half = &wire[..40];
    let mut assembler = Assembler::new([0; 64]);
    assert!(assembler.next(&mut &half[..]).is_none());
    form(&assembler);
    let mut buffer = FrameBuffer::new([0; 64]);
    buffer.spare()[..40].copy_from_slice(half);
    buffer.commit(40);
    assert!(buffer.next().is_none());
    form(&buffer);
    let mut stream = MessageStream::new([0; 64], &profile);
    assert!(stream.next(&mut &half[..]).is_none());
    form(&stream);
    let oversized = &mut &wire[40..];
    let received = stream.next(oversized);
    assert!(matches!(received, Some(Received::Oversized { .. })));
    form(&received);
    form(&stream);

    let mut events = ServerSentEvents::new(64);
    use tautline::frame::Framing;
    let _ = events.step(b"event: a\nid: 1\ndata: 2\n\n");
    form(&events);

    form(&Slice::new(&mut [0; 64]));
    form(&Formatted::new(String::new()));
    let envelope = Envelope::read(CALL, &profile);
    form(&envelope);
    form(&Forward::of_envelope(&envelope).unwrap());
    let params = RawJson::parse(br#"{"a":[1,2],"b":"c"}"#).unwrap();
    form(&params.members());
    form(&params.member("a").unwrap().elements());
    form(&params.member("b").unwrap().string().unwrap().chars());
    form(&params.pick(&["a"]));
    let batch = [b"[", CALL, b"]"].concat();
    let Ok(Message::Batch(batch)) = Message::parse(&batch[..], &profile) else { panic!() };
    form(&batch);
    form(&batch.iter());
    // The frame, the parameters that do not fit, and the reply.
    let methods: &[Method<Vec<String>>] =
        &[Method::new("add", |_, call, _| Err(call.read_params::<()>().unwrap_err()))];
    let observe = |seen: &mut Vec<String>, traffic: Traffic<'_>| seen.push(form(&traffic));
    let (mut seen, mut room) = (Vec::new(), [0; 256]);
    let endpoint = Endpoint::new(methods, &profile).observed_by(observe);
    endpoint.answer(CALL, &mut seen, &mut room).unwrap();
    assert_eq!(seen.len(), 3);
    assert!(seen[1].starts_with("InvalidParams"), "{seen:?}");
}

#[cfg(feature = "std")]
#[test]
fn owned_storage_lists_no_bytes() {
    use tautline::frame::HeapBuffer;
    use tautline::io::{MessageReader, MessageWriter};

    let mut reader = MessageReader::new(std::io::empty(), &Profile::JSON_RPC);
    form(&reader);
    while reader.next().unwrap().is_some() {}
    form(&reader);
    let mut writer = MessageWriter::new(std::io::sink(), &Profile::JSON_RPC);
    writer.encoder().result(1, 2).unwrap();
    form(&writer);
    let mut writer = tautline::encode::Writer::new(std::io::sink());
    tautline::encode::Output::put(&mut writer, b"{\"jsonrpc\":\"2.0\",").unwrap();
    form(&writer);
    form(&HeapBuffer::new(64));
    form(&tautline::owned::Id::from("a".repeat(1000)));
}
