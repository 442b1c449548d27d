//! Messages and faults with their buffers: they are what was parsed from them, wherever the buffers go.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use tautline::envelope::{CarriageReturns, FaultBuf, MessageBuf};
use tautline::stream::{Messages, Received};
use tautline::{Envelope, Fault, Id, Message, Outcome, Profile, RawJson, Rule};

use crate::support::allocator::measure;
use crate::support::dice::Dice;

const PROFILE: Profile = Profile::JSON_RPC;

/// Messages of every kind, and frames with every kind of reply.
const FRAMES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1.0,"method":"a","params":{"b":[1,"c\u00e9",{"d":-12.50e3}]},"x":0}"#,
    r#"{"jsonrpc":"2.0","id":"\u0061-1","method":"\u0061b","params":[]}"#,
    r#" {"jsonrpc":"2.0","method":"n","params":{"text":"\ud83d\ude00","n":1e5}} "#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"ok"},null,true]}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no\n","data":[{},1]}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"a"}, 7 ,{"jsonrpc":"2.0","method":"b"},[],{"id":{}}]"#,
    r#"{"jsonrpc":"2.0","id":7}"#,
    r#"{"jsonrpc":"2.0","id":"seven","method":"a","params":1}"#,
    r#"{"jsonrpc":"2.0","id":[],"method":"a"}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#,
    r#"{"method":"a"}"#,
    "[]",
    r#"{"jsonrpc":"#,
    "",
];

/// Returns everything that a verdict shows.
fn shown(verdict: Result<Message<'_>, Fault<'_>>) -> String {
    match verdict {
        Ok(message) => format!("{message:?}"),
        Err(fault) => format!("{fault:?} {}", fault.frame().escape_ascii()),
    }
}

/// Checks both constructors against the parser, and the parts of what they return.
fn check<B: AsRef<[u8]>>(text: &[u8], buffer: impl Fn() -> B) {
    let body = MessageBuf::parse(buffer(), &PROFILE);
    check_one(body, Message::parse(text, &PROFILE), text);
    let line = tautline::frame::Frame::from_line(text);
    check_one(MessageBuf::parse_line(buffer(), &PROFILE), Message::parse(line, &PROFILE), text);
}

fn check_one<B: AsRef<[u8]>>(
    parsed: Result<MessageBuf<B>, FaultBuf<B>>,
    expected: Result<Message<'_>, Fault<'_>>,
    text: &[u8],
) {
    // It is moved between two looks at it.
    let moved = Box::new(parsed);
    let verdict = moved.as_ref().as_ref().map(MessageBuf::message).map_err(FaultBuf::fault);
    assert_eq!(shown(verdict), shown(expected));
    assert_eq!(verdict, expected);
    let frame = match moved.as_ref() {
        Ok(message) => {
            assert_eq!(format!("{message:?}"), format!("{:?}", message.message()));
            message.frame()
        }
        Err(fault) => {
            assert_eq!(format!("{fault:?}{fault}"), format!("{0:?}{0}", fault.fault()));
            fault.frame()
        }
    };
    assert_eq!((frame.bytes(), frame.offset(), frame.line()), (text, 0, 1));
    let buffer = match *moved {
        Ok(message) => message.into_buffer(),
        Err(fault) => fault.into_buffer(),
    };
    assert_eq!(buffer.as_ref(), text);
}

#[test]
fn any_buffer_gives_the_verdict_of_the_parser_and_comes_back() {
    for text in FRAMES.iter().map(|frame| frame.as_bytes()) {
        check(text, || text);
        check(text, || text.to_vec());
        check(text, || Box::<[u8]>::from(text));
        check(text, || Arc::<[u8]>::from(text));
        check(text, || Rc::<[u8]>::from(text));
        check(text, || std::str::from_utf8(text).unwrap());
        #[cfg(feature = "tokio-util-v0_7")]
        check(text, || bytes::Bytes::copy_from_slice(text));
        #[cfg(feature = "heapless-v0_9")]
        check(text, || heapless::Vec::<u8, 100>::from_slice(text).unwrap());
    }
    let array = *br#"{"jsonrpc":"2.0","id":1,"method":"a"}"#;
    check(&array, || array);
    let parsed = MessageBuf::parse(array, &PROFILE).unwrap();
    let copy = parsed;
    assert_eq!((copy, copy.buffer()), (parsed, &array));
}

#[test]
fn a_message_is_sent_to_another_thread_as_it_was_parsed() {
    let frame = FRAMES[0];
    let parsed = MessageBuf::parse(Arc::<[u8]>::from(frame.as_bytes()), &PROFILE).unwrap();
    let kept = parsed.clone();
    let there = std::thread::spawn(move || format!("{:?}", parsed.message())).join().unwrap();
    assert_eq!(there, format!("{:?}", kept.message()));
}

#[test]
fn no_heap_is_needed_but_for_the_buffer() {
    let (parsed, heap) = measure(|| {
        let array = *br#"{"jsonrpc":"2.0","id":1,"method":"a"}"#;
        let faulty = MessageBuf::parse_line(*b"[]", &PROFILE).unwrap_err();
        assert_eq!(faulty.fault().rule(), Rule::BATCH_EMPTY);
        MessageBuf::parse(array, &PROFILE).unwrap()
    });
    assert!(matches!(parsed.message(), Message::Request(_)));
    assert_eq!(heap.calls, 0);
}

/// A frame that is parsed again from the buffer is parsed by the rules of its delimiter.
#[test]
fn a_line_and_a_body_keep_their_rules() {
    let profile = PROFILE.with_carriage_returns(CarriageReturns::Forbidden);
    let text = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[\r]}".to_vec();
    let fault = MessageBuf::parse_line(text.clone(), &profile).unwrap_err();
    assert_eq!(fault.fault().rule(), Rule::RAW_CARRIAGE_RETURN);
    assert!(Message::parse(fault.frame(), &profile).is_err());
    let body = MessageBuf::parse(fault.into_buffer(), &profile).unwrap();
    assert!(Message::parse(body.frame(), &profile).is_ok());

    let line = MessageBuf::parse_line(text, &PROFILE).unwrap();
    let mut found = Vec::new();
    Envelope::read(line.frame(), &PROFILE).findings(|finding| found.push(finding.rule()));
    assert_eq!(found, [Rule::RAW_CARRIAGE_RETURN]);
    Envelope::read(body.frame(), &PROFILE).findings(|finding| panic!("{finding}"));
}

#[test]
fn a_fault_with_an_id_is_answered_after_its_buffer_was_moved() {
    for (frame, reply) in [
        (r#"{"jsonrpc":"2.0","id":7}"#, Some("7")),
        (r#"{"jsonrpc":"2.0","id":"\u0061","method":"a","params":1}"#, Some(r#""\u0061""#)),
        (r#"{"jsonrpc":"2.0","id":[],"method":"a"}"#, Some("null")),
        (r#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#, None),
    ] {
        let faulty = MessageBuf::parse(frame.as_bytes().to_vec(), &PROFILE).unwrap_err();
        let faults = Box::new([faulty]);
        let fault = faults[0].fault();
        let id = fault.reply().map(|reply| reply.id().unwrap().to_string());
        assert_eq!(id.as_deref(), reply, "{frame}");
        assert_eq!(fault, Message::parse(frame, &PROFILE).unwrap_err());
        let error: Box<dyn Error> = Box::new(faults[0].clone());
        assert_eq!(error.to_string(), fault.to_string());
    }
}

#[test]
fn a_message_of_a_stream_is_copied_with_its_place() {
    let frames = FRAMES.iter().filter(|frame| !frame.is_empty());
    let wire: String = frames.map(|frame| format!("{frame}\n")).collect();
    let mut copies: Vec<MessageBuf<Vec<u8>>> = Vec::new();
    for received in Messages::new(wire.as_bytes(), 1024, &PROFILE) {
        let Received::Message { frame, message, .. } = received else { continue };
        let copy = MessageBuf::copied(&frame, &message);
        assert_eq!(copy.frame(), frame);
        assert_eq!(shown(Ok(copy.message())), shown(Ok(message)));
        copies.push(copy);
        // The copy of an element has the whole batch as its frame.
        let Message::Batch(batch) = message else { continue };
        for element in batch.iter().filter_map(|element| element.message().ok()) {
            let copy = MessageBuf::<Box<[u8]>>::copied(&frame, &element);
            assert_eq!(shown(Ok(copy.message())), shown(Ok(element)));
            assert_eq!(copy.frame(), frame);
        }
    }
    let lines: Vec<_> = copies.iter().map(|copy| copy.frame().line()).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6]);
    assert_eq!(copies[1].frame().offset(), FRAMES[0].len() as u64 + 1);
}

/// A buffer with other bytes each time.
struct Fickle<'a> {
    texts: &'a [&'a [u8]],
    calls: Cell<usize>,
}

impl AsRef<[u8]> for Fickle<'_> {
    fn as_ref(&self) -> &[u8] {
        let call = self.calls.replace(self.calls.get() + 1);
        self.texts[call.min(self.texts.len() - 1)]
    }
}

/// Looks at every part of a message, however little sense it makes, and returns the number of values seen.
fn look_at(message: &Message<'_>) -> usize {
    let mut text = String::new();
    write!(text, "{message:?}{}", message.frame().len()).unwrap();
    #[cfg(feature = "serde_json")]
    {
        let _ = serde_json::to_string(message);
        let _ = tautline::owned::Message::try_from(*message);
    }
    match message {
        Message::Request(request) => {
            look_at_id(request.id())
                + look_at_text(request.method())
                + look_at_all(request.params())
        }
        Message::Notification(note) => look_at_text(note.method()) + look_at_all(note.params()),
        Message::Response(response) => {
            let id = response.id().map_or(0, look_at_id);
            id + match response.outcome() {
                Outcome::Result(result) => look_at_all(Some(result)),
                Outcome::Error(error) => {
                    look_at_text(error.message())
                        + usize::from(error.code().is_some())
                        + look_at_all(error.data())
                }
            }
        }
        // An element is never a batch, whatever the bytes are.
        Message::Batch(batch) => batch.iter().map(|element| look_at_verdict(&element)).sum(),
    }
}

fn look_at_verdict(element: &Envelope<'_>) -> usize {
    element.findings(|_| {});
    match element.message() {
        Ok(Message::Batch(_)) => panic!("a batch in a batch"),
        Ok(message) => look_at(&message),
        Err(fault) => format!("{fault:?}{fault}").len(),
    }
}

fn look_at_id(id: Id<'_>) -> usize {
    let set = BTreeSet::from([id, Id::Null, Id::parse(b"1.0").unwrap()]);
    let alike = id.is_like(&Id::parse(b"\"1\"").unwrap());
    let mut out = [0; 4096];
    let mut encoder = tautline::encode::Encoder::new(tautline::encode::Slice::new(&mut out));
    let _ = encoder.result(id, true);
    set.len() + id.to_string().len() + usize::from(alike)
}

fn look_at_text(text: tautline::RawStr<'_>) -> usize {
    let _ = text.decode_into(&mut [0; 64]);
    let lengths = [text.to_string().len(), text.chars().count(), text.decoded_len().unwrap_or(0)];
    let equal = [text == *"a\u{e9}", text.starts_with("a"), text.unescaped().is_some()];
    lengths.iter().sum::<usize>() + equal.iter().filter(|equal| **equal).count()
}

fn look_at_all(value: Option<RawJson<'_>>) -> usize {
    let (mut left, mut seen) = (Vec::from_iter(value), 0);
    while let Some(value) = left.pop() {
        seen += 1;
        if let Some(number) = value.number() {
            seen += usize::from(number.as_i64().is_some()) + usize::from(number.as_u64().is_some());
            seen += usize::from(number.is_integer());
        }
        seen += value.string().map_or(0, look_at_text) + usize::from(value.bool().is_some());
        for member in value.members().into_iter().flatten() {
            seen += look_at_text(member.name);
            left.push(member.value);
        }
        left.extend(value.elements().into_iter().flatten());
        seen += usize::from(value.member("b").is_some()) + value.to_string().len();
        #[cfg(feature = "serde_json")]
        let _ = value.deserialize::<serde_json::Value>();
        // Bytes of nonsense may nest values in ways that text doesn't, but never without end.
        assert!(seen < 1_000_000);
    }
    seen
}

/// Parses the first text, and looks at what becomes of it when the buffer has the second.
fn look_at_another(first: &[u8], second: &[u8]) -> usize {
    let buffer = Fickle { texts: &[first, second], calls: Cell::new(0) };
    match MessageBuf::parse(buffer, &PROFILE) {
        Ok(parsed) => {
            let envelope = Envelope::read(parsed.frame(), &PROFILE);
            envelope.findings(|_| {});
            #[cfg(feature = "alloc")]
            if let Some(forward) = tautline::encode::Forward::new(&parsed.message()) {
                let forward = forward.with_id(1).unwrap_or(forward);
                let _ = tautline::encode::Encoder::new(&mut Vec::new()).forward(&forward);
            }
            look_at(&parsed.message())
        }
        Err(fault) => {
            let reply = fault.fault().reply();
            reply.and_then(|reply| reply.id()).map_or(0, look_at_id) + fault.to_string().len()
        }
    }
}

#[test]
fn a_buffer_that_changes_gives_nonsense_and_no_panic() {
    let mut seen = 0;
    for first in FRAMES.iter().map(|frame| frame.as_bytes()) {
        for second in FRAMES.iter().map(|frame| frame.as_bytes()) {
            seen += look_at_another(first, second);
        }
        for cut in 0..first.len() {
            seen += look_at_another(first, &first[..cut]);
        }
        for byte in [0, b'"', b'\\', b'{', b'[', b']', b',', b':', b'e', b'.', b'9', 0x80, 0xFF] {
            seen += look_at_another(first, &vec![byte; first.len()]);
            for at in 0..first.len() {
                let mut second = first.to_vec();
                second[at] = byte;
                seen += look_at_another(first, &second);
            }
        }
    }
    let mut dice = Dice(0xA076_1D64_78BD_642F);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..20_000 {
        dice.break_one(FRAMES, &mut first);
        dice.break_one(FRAMES, &mut second);
        seen += look_at_another(&first, &second);
        second.clear();
        second.extend((0..first.len()).map(|_| dice.roll(256) as u8));
        seen += look_at_another(&first, &second);
    }
    assert!(seen > 100_000, "{seen}");
}

/// The digits of a number decide how long the work on it takes, so no other bytes may count as digits.
#[test]
fn a_number_that_became_nonsense_takes_no_time() {
    let first =
        br#"{"jsonrpc":"2.0","id":1000000000000000000000000,"result":[1000000000000000000000000]}"#;
    for number in
        ["xxxxe99999999999999999999", "e999999999999999999\u{7F}99999", "-.-.xe9999999999999999999"]
    {
        let mut second = first.to_vec();
        assert_eq!(number.len(), 25);
        second[22..47].copy_from_slice(number.as_bytes());
        second[59..84].copy_from_slice(number.as_bytes());
        assert!(look_at_another(first, &second) > 0);
    }
}
