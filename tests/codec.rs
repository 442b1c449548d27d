//! The codec for tokio, without tokio: every line is an item, whatever is in it and however it was cut,
//! and memory is bounded and given back.

#[path = "support/allocator.rs"]
mod allocator;
#[path = "support/dice.rs"]
#[expect(dead_code, reason = "only the dice are rolled here")]
mod dice;
#[path = "support/faulty.rs"]
#[expect(dead_code, reason = "no wire here")]
mod faulty;

use allocator::{Counting, measure};
use bytes::BytesMut;
use faulty::{LIMIT, RULES, STREAM, describe, expected};
use tautline::codec::{EncodedLines, MessageCodec, Outgoing, ReceivedBuf};
use tautline::encode::{EncodeError, NO_PARAMS};
use tautline::stream::Received;
use tautline::{Message, Revision, owned};
use tokio_util::codec::{Decoder, Encoder};

#[global_allocator]
static ALLOCATOR: Counting = Counting { most: usize::MAX };

/// As a `Framed` does it.
fn decode_all<'a>(
    codec: &mut MessageCodec,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<ReceivedBuf> {
    let mut buffer = BytesMut::new();
    let mut items = Vec::new();
    for chunk in chunks {
        buffer.extend_from_slice(chunk);
        while let Some(item) = codec.decode(&mut buffer).unwrap() {
            items.push(item);
        }
    }
    while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
        items.push(item);
    }
    assert!(buffer.is_empty());
    items
}

fn describe_all(items: &[ReceivedBuf]) -> Vec<String> {
    items.iter().map(|item| describe(&item.received())).collect()
}

#[test]
fn every_line_is_an_item_however_it_is_cut() {
    let expected = expected(STREAM, LIMIT);
    for at in 0..=STREAM.len() {
        let (first, second) = STREAM.split_at(at);
        let items = decode_all(&mut MessageCodec::with_limit(LIMIT, &RULES), [first, second]);
        assert_eq!(describe_all(&items), expected, "{at}");
    }
    for size in 1..70 {
        let codec = &mut MessageCodec::with_limit(LIMIT, &RULES);
        assert_eq!(describe_all(&decode_all(codec, STREAM.chunks(size))), expected, "{size}");
    }
    let mut dice = dice::Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..500 {
        let mut rest = STREAM;
        let chunks = std::iter::from_fn(|| {
            let (chunk, behind) = rest.split_at(rest.len().min(dice.roll(90)));
            rest = behind;
            (!chunk.is_empty() || !rest.is_empty()).then_some(chunk)
        });
        let codec = &mut MessageCodec::with_limit(LIMIT, &RULES);
        assert_eq!(describe_all(&decode_all(codec, chunks)), expected);
    }
}

#[test]
fn a_stream_that_ends_anywhere_gives_what_there_was() {
    for end in 0..=STREAM.len() {
        let sent = &STREAM[..end];
        let items = decode_all(&mut MessageCodec::with_limit(LIMIT, &RULES), sent.chunks(7));
        assert_eq!(describe_all(&items), expected(sent, LIMIT), "{end}");
    }
}

/// A connection that was at its end may have more to say: the codec goes on.
#[test]
fn there_is_more_behind_an_end() {
    let mut codec = MessageCodec::new(&RULES);
    let mut buffer = BytesMut::from(&b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}"[..]);
    assert!(codec.decode_eof(&mut buffer).unwrap().unwrap().message().is_ok());
    assert_eq!(codec.decode_eof(&mut buffer).unwrap(), None);
    buffer.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n");
    let Ok(Some(item)) = codec.decode(&mut buffer) else { panic!() };
    let Ok(Message::Notification(second)) = item.message() else { panic!() };
    assert_eq!(second.method(), "b");
}

#[test]
fn an_item_lives_on_its_own() {
    let mut codec = MessageCodec::with_limit(LIMIT, &RULES);
    let items = decode_all(&mut codec, [STREAM]);
    let task = std::thread::spawn(move || describe_all(&items));
    assert_eq!(task.join().unwrap(), expected(STREAM, LIMIT));
}

#[test]
fn an_oversized_line_is_owed_its_reply() {
    let mut codec = MessageCodec::with_limit(10, &RULES);
    let items = decode_all(&mut codec, [&b"{\"jsonrpc\":\"2.0\"}\n"[..]]);
    let fault = items[0].message().unwrap_err();
    assert_eq!((fault.rule().name(), items[0].bytes().len()), ("frame-too-long", 0));
    let mut out = BytesMut::new();
    codec.encode(Outgoing(|encoder| encoder.fault(&fault, b"")), &mut out).unwrap();
    assert!(out.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\""));
}

#[test]
fn an_oversized_request_is_owed_a_reply_with_its_id_however_it_is_cut() {
    // CRs are held back until it is known what follows them.
    let line = b"{\r\"method\":\r\r\"add\",\"params\":[0,\r1],\"id\":\"x\"} \r \r\r\n";
    for size in 1..line.len() {
        let mut codec = MessageCodec::with_limit(10, &RULES);
        let items = decode_all(&mut codec, line.chunks(size));
        let fault = items[0].message().unwrap_err();
        let Received::Oversized { skimmed: Some(skimmed), .. } = items[0].received() else {
            panic!()
        };
        assert_eq!(skimmed.method().unwrap(), "add");
        assert_eq!(skimmed.id().unwrap().as_bytes(), b"\"x\"");
        assert_eq!(fault.reply().unwrap().id_in(items[0].bytes()), Some(&b"\"x\""[..]));
    }
}

#[test]
fn messages_are_encoded_whole_or_not_at_all() {
    let mut codec = MessageCodec::new(&Revision::LATEST.rules());
    let mut out = BytesMut::from(&b"before\n"[..]);
    let error = codec
        .encode(Outgoing(|encoder| encoder.request(1, "a", Some([1_i64, 2].as_slice()))), &mut out)
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<EncodeError>());
    assert_eq!(inner, Some(&EncodeError::ParamsType));
    assert!(codec.encode(EncodedLines(b"torn"), &mut out).is_err());
    assert_eq!(&out[..], b"before\n");

    let ping = owned::Message::Request(owned::Request::new(1, "ping", None));
    codec.encode(&ping, &mut out).unwrap();
    codec.encode(ping, &mut out).unwrap();
    codec.encode(EncodedLines(b"{}\n"), &mut out).unwrap();
    codec.encode(Outgoing(|encoder| encoder.notification("n", NO_PARAMS)), &mut out).unwrap();
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let all = format!("before\n{ping}{ping}{{}}\n{{\"jsonrpc\":\"2.0\",\"method\":\"n\"}}\n");
    assert_eq!(&out[..], all.as_bytes());
}

const MIB: usize = 1024 * 1024;

/// As a `Framed` reads: into the room that is there, which doubles when there is none.
fn fill(buffer: &mut BytesMut, bytes: &[u8]) {
    buffer.reserve(1);
    buffer.extend_from_slice(bytes);
}

#[test]
fn memory_is_given_back_behind_a_giant_frame_and_a_giant_that_is_no_frame() {
    let chunk = [b'x'; 8192];
    for limit in [16 * MIB, MIB / 4] {
        let mut codec = MessageCodec::with_limit(limit as u32, &RULES);
        let (mut buffer, first) = measure(|| BytesMut::with_capacity(8192));
        let (_, giant) = measure(|| {
            for _ in 0..4 * MIB / chunk.len() {
                fill(&mut buffer, &chunk);
                assert_eq!(codec.decode(&mut buffer).unwrap(), None);
            }
            // A part of the next line comes with the end of the giant.
            fill(&mut buffer, b"\n{\"jsonrpc\":\"2.0\",");
            let item = codec.decode(&mut buffer).unwrap().unwrap();
            assert!(item.message().is_err());
            drop(item);
            assert_eq!(codec.decode(&mut buffer).unwrap(), None);
        });
        assert!(giant.peak as usize <= 3 * (limit.min(4 * MIB) + MIB), "{giant:?}");
        assert!(first.held + giant.held <= 64 * 1024, "{first:?} {giant:?}");
        fill(&mut buffer, b"\"method\":\"a\"}\n");
        let Ok(Some(item)) = codec.decode(&mut buffer) else { panic!() };
        assert!(item.message().is_ok());
    }
}

/// A frame that comes in many pieces is scanned once: else this would take minutes.
#[test]
fn work_is_linear() {
    let mut codec = MessageCodec::new(&RULES);
    let mut buffer = BytesMut::new();
    for _ in 0..4 * MIB / 16 {
        fill(&mut buffer, &[b' '; 16]);
        assert_eq!(codec.decode(&mut buffer).unwrap(), None);
    }
    fill(&mut buffer, b"1\n");
    assert!(codec.decode(&mut buffer).unwrap().is_some());
}
