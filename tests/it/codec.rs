//! The tokio codec, without tokio: every line is an item, whatever it contains and however it was split.
//! Memory is bounded and released.

use bytes::{Buf, BytesMut};
use tautline::codec::{EncodedLines, MessageCodec, Outgoing, ReceivedBuf};
use tautline::encode::{EncodeError, NO_PARAMS, array};
use tautline::endpoint::Endpoint;
use tautline::frame::{ContentLength, Framing};
use tautline::stream::Received;
use tautline::{Message, Profile, owned, rule};
use tokio_util::codec::{Decoder, Encoder};

use crate::support::allocator::measure;
use crate::support::dice;
use crate::support::faulty::{LIMIT, PROFILE, STREAM, describe, expected};
use crate::support::presets::Revision;

/// Decodes as a `Framed` does.
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
        let items = decode_all(&mut MessageCodec::with_limit(LIMIT, &PROFILE), [first, second]);
        assert_eq!(describe_all(&items), expected, "{at}");
    }
    for size in 1..70 {
        let codec = &mut MessageCodec::with_limit(LIMIT, &PROFILE);
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
        let codec = &mut MessageCodec::with_limit(LIMIT, &PROFILE);
        assert_eq!(describe_all(&decode_all(codec, chunks)), expected);
    }
}

#[test]
fn a_stream_that_ends_anywhere_gives_what_there_was() {
    for end in 0..=STREAM.len() {
        let sent = &STREAM[..end];
        let items = decode_all(&mut MessageCodec::with_limit(LIMIT, &PROFILE), sent.chunks(7));
        assert_eq!(describe_all(&items), expected(sent, LIMIT), "{end}");
    }
}

/// The codec continues if a connection delivers more after its end.
#[test]
fn there_is_more_behind_an_end() {
    let mut codec = MessageCodec::new(&PROFILE);
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
    let mut codec = MessageCodec::with_limit(LIMIT, &PROFILE);
    let items = decode_all(&mut codec, [STREAM]);
    let task = std::thread::spawn(move || describe_all(&items));
    assert_eq!(task.join().unwrap(), expected(STREAM, LIMIT));
}

#[test]
fn messages_before_one_that_fails_are_not_sent_either() {
    let mut codec = MessageCodec::new(&PROFILE);
    let mut out = BytesMut::from(&b"sent before\n"[..]);
    let failed = codec.encode(
        Outgoing(|encoder| {
            encoder.request(1, "a", NO_PARAMS)?;
            encoder.result(2, f64::NAN)
        }),
        &mut out,
    );
    assert!(failed.is_err());
    assert_eq!(&out[..], b"sent before\n");
}

#[test]
fn an_oversized_line_is_owed_its_reply() {
    let mut codec = MessageCodec::with_limit(10, &PROFILE);
    let items = decode_all(&mut codec, [&b"{\"jsonrpc\":\"2.0\"}\n"[..]]);
    let fault = items[0].message().unwrap_err().unwrap();
    assert_eq!((rule::name(fault.rule()), items[0].bytes().len()), ("frame-too-long", 0));
    let mut out = BytesMut::new();
    codec.encode(Outgoing(|encoder| encoder.fault(&fault)), &mut out).unwrap();
    assert!(out.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\""));
}

#[test]
fn an_oversized_request_is_owed_a_reply_with_its_id_however_it_is_cut() {
    // CRs are held until it is known what follows them.
    let line = b"{\r\"method\":\r\r\"add\",\"params\":[0,\r1],\"id\":\"x\"} \r \r\r\n";
    for size in 1..line.len() {
        let mut codec = MessageCodec::with_limit(10, &PROFILE);
        let items = decode_all(&mut codec, line.chunks(size));
        let fault = items[0].message().unwrap_err().unwrap();
        let Received::Oversized { skimmed: Some(skimmed), .. } = items[0].received() else {
            panic!()
        };
        assert_eq!(skimmed.method().unwrap(), "add");
        assert_eq!(skimmed.id().unwrap().as_bytes(), b"\"x\"");
        assert_eq!(fault.reply().unwrap().raw_id().map(|id| id.as_bytes()), Some(&b"\"x\""[..]));
    }
}

#[test]
fn messages_are_encoded_whole_or_not_at_all() {
    let mut codec = MessageCodec::new(&Revision::LATEST.profile());
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

/// Reads as a `Framed` does: into the available room, which doubles when there is none.
/// An endpoint appends its reply to the buffer of the sink, in any framing, and all of it or nothing.
#[test]
fn an_endpoint_answers_into_the_buffer() {
    fn answer<F: Framing>(mut codec: MessageCodec<F>, frame: &[u8], out: &mut BytesMut) {
        let endpoint = Endpoint::new((), &Profile::JSON_RPC);
        let reply = Outgoing(|encoder| {
            endpoint.answer_into(frame, &mut (), encoder.output_mut()).map(|reply| reply.len())
        });
        codec.encode(reply, out).unwrap();
    }
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
    let reply = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
    let mut out = BytesMut::from(&b"before\n"[..]);
    answer(MessageCodec::new(&Profile::JSON_RPC), frame, &mut out);
    assert_eq!(out, format!("before\n{reply}\n"));
    out.clear();
    let framing = ContentLength::new(100);
    answer(MessageCodec::with_framing(framing, &Profile::JSON_RPC), frame, &mut out);
    assert_eq!(out, format!("Content-Length: {}\r\n\r\n{reply}", reply.len()));
    out.clear();
    answer(MessageCodec::new(&Profile::JSON_RPC), br#"{"method":"m"}"#, &mut out);
    assert!(out.is_empty());
}

fn fill(buffer: &mut BytesMut, bytes: &[u8]) {
    buffer.reserve(1);
    buffer.extend_from_slice(bytes);
}

#[test]
fn memory_is_given_back_behind_a_giant_frame_and_a_giant_that_is_no_frame() {
    let chunk = [b'x'; 8192];
    for limit in [16 * MIB, MIB / 4] {
        let mut codec = MessageCodec::with_limit(limit as u32, &PROFILE);
        let (mut buffer, first) = measure(|| BytesMut::with_capacity(8192));
        let (_, giant) = measure(|| {
            for _ in 0..4 * MIB / chunk.len() {
                fill(&mut buffer, &chunk);
                assert_eq!(codec.decode(&mut buffer).unwrap(), None);
            }
            // Part of the next line arrives with the end of the large one.
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

/// Fills a buffer as a `Framed` does, and decodes all items.
fn feed(codec: &mut MessageCodec, buffer: &mut BytesMut, bytes: &[u8]) -> Vec<ReceivedBuf> {
    let mut items = Vec::new();
    for chunk in bytes.chunks(8192) {
        fill(buffer, chunk);
        while let Some(item) = codec.decode(buffer).unwrap() {
            items.push(item);
        }
    }
    items
}

const SMALL: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";

/// A run of large frames is read into the same memory, which is released after eight small ones.
#[test]
fn memory_is_kept_in_a_run_of_large_frames() {
    let line = [&vec![b' '; MIB][..], SMALL].concat();
    let mut codec = MessageCodec::new(&PROFILE);
    let mut buffer = BytesMut::with_capacity(8192);
    let mut large = || assert_eq!(feed(&mut codec, &mut buffer, &line).len(), 1);
    let ((), first) = measure(|| (0..2).for_each(|_| large()));
    let ((), run) = measure(|| (0..10).for_each(|_| large()));
    assert!(first.peak as usize > MIB && run.peak < 64 * 1024, "{first:?} {run:?}");
    let ((), end) = measure(|| drop(feed(&mut codec, &mut buffer, &SMALL.repeat(8))));
    assert!(first.held + run.held + end.held <= 64 * 1024, "{first:?} {run:?} {end:?}");
}

/// The next large frame of a run fits into the memory, so that the buffer does not move what it has of it.
#[test]
fn a_large_frame_is_not_moved_while_it_is_read() {
    const READ: usize = 64 * 1024;
    let line = [&vec![b' '; 13 * MIB / 10][..], SMALL].concat();
    for is_kept in [false, true] {
        let stream = line.repeat(12);
        let mut codec = MessageCodec::new(&PROFILE);
        let mut buffer = BytesMut::with_capacity(8192);
        let (mut items, mut count, mut moved) = (Vec::new(), 0, 0);
        for read in stream.chunks(READ) {
            let (before, length) = (buffer.as_ptr(), buffer.len());
            buffer.extend_from_slice(read);
            if count >= 3 && length > 0 && buffer.as_ptr() != before {
                moved += length;
            }
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                count += 1;
                items.extend(Some(item).filter(|_| is_kept));
            }
        }
        assert_eq!((count, moved), (12, 0), "{is_kept}");
    }
}

/// A peer chooses what it sends in one read, and the receiver may keep items for as long as it likes.
#[test]
fn a_small_item_keeps_no_giant_buffer() {
    // The last two sizes grow the buffer by less than a large frame, or not at all.
    for giant in [10 * MIB, MIB, 100 * 1024, 20 * 1024, 100] {
        let line = [&vec![b' '; giant][..], SMALL].concat();
        let (items, heap) = measure(|| {
            let mut kept = Vec::new();
            for _ in 0..10 {
                let mut codec = MessageCodec::new(&PROFILE);
                let mut buffer = BytesMut::with_capacity(8192);
                // The large line is read except for its end, which arrives with ten small lines.
                let (start, end) = line.split_at(line.len() - 1);
                assert!(feed(&mut codec, &mut buffer, start).is_empty());
                let items = feed(&mut codec, &mut buffer, &[end, &SMALL.repeat(10)[..]].concat());
                assert_eq!(items[0].bytes().len(), giant + SMALL.len() - 1);
                kept.extend_from_slice(&items[1..]);
            }
            kept
        });
        assert_eq!(items.len(), 100);
        assert!(items.iter().all(|item| item.bytes() == &SMALL[..SMALL.len() - 1]));
        assert!(heap.held <= 10 * 128 * 1024 + 64 * 1024, "{giant}: {heap:?}");
    }
}

/// The buffer does not grow past what small items may share, so that none of them has to be copied.
#[test]
fn items_of_reads_of_the_usual_size_are_not_copied() {
    const READ: usize = 64 * 1024;
    let lengths = (0..200).map(|turn| 1000 + turn * 7919 % 60_000);
    let lines: Vec<_> = lengths.map(|length| [&vec![b' '; length][..], SMALL].concat()).collect();
    let stream = lines.concat();
    let mut codec = MessageCodec::new(&PROFILE);
    let (mut buffer, mut count, mut copies) = (BytesMut::with_capacity(8192), 0, 0);
    let ((), heap) = measure(|| {
        for read in stream.chunks(READ) {
            buffer.extend_from_slice(read);
            let memory = buffer.as_ptr_range();
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                count += 1;
                copies += usize::from(!memory.contains(&item.bytes().as_ptr()));
            }
        }
    });
    assert_eq!((count, copies), (lines.len(), 0));
    assert!(heap.peak <= 3 * 128 * 1024 && heap.held <= 129 * 1024, "{heap:?}");
}

/// An item keeps at most four times its size.
#[test]
fn an_item_keeps_little_more_than_itself() {
    let line = [&vec![b' '; 300 * 1024][..], SMALL].concat();
    let mut codec = MessageCodec::new(&PROFILE);
    let mut buffer = BytesMut::with_capacity(4 * MIB);
    let stream = [&vec![b' '; 3 * MIB][..], SMALL, &line].concat();
    buffer.extend_from_slice(&stream);
    let read = buffer.as_ptr();
    let giant = codec.decode(&mut buffer).unwrap().unwrap();
    assert_eq!(giant.bytes().as_ptr(), read, "it fills most of the buffer, and is not copied");
    let (item, heap) = measure(|| codec.decode(&mut buffer).unwrap().unwrap());
    assert_eq!(item.bytes().len(), line.len() - 1);
    assert!((300 * 1024..400 * 1024).contains(&heap.held), "{heap:?}");
    assert_eq!(codec.decode(&mut buffer).unwrap(), None);
    // Once eight small frames have ended the run, nothing is copied.
    feed(&mut codec, &mut buffer, &SMALL.repeat(8));
    let read = fill_in_place(&mut buffer, &SMALL.repeat(2));
    let first = codec.decode(&mut buffer).unwrap().unwrap();
    assert_eq!(first.bytes().as_ptr(), read);
}

/// Fills the buffer, and returns the address of the bytes.
fn fill_in_place(buffer: &mut BytesMut, bytes: &[u8]) -> *const u8 {
    fill(buffer, bytes);
    buffer[buffer.len() - bytes.len()..].as_ptr()
}

/// Sends the bytes in the buffer as a `Framed` does.
fn flush(buffer: &mut BytesMut) {
    while !buffer.is_empty() {
        buffer.advance(buffer.len().min(60_000));
    }
}

/// A hundred connections that each sent one large message do not keep the memory of all of them.
#[test]
fn a_sink_gives_memory_back_behind_a_giant_message() {
    let giant = "x".repeat(10 * MIB);
    for _ in 0..3 {
        let (_kept, heap) = measure(|| {
            let mut codec = MessageCodec::new(&PROFILE);
            let mut out = BytesMut::with_capacity(8192);
            codec.encode(Outgoing(|encoder| encoder.result(1, giant.as_str())), &mut out).unwrap();
            flush(&mut out);
            // The codec is not called until the next message.
            codec.encode(EncodedLines(SMALL), &mut out).unwrap();
            flush(&mut out);
            (codec, out)
        });
        assert!(heap.peak as usize > 10 * MIB, "{heap:?}");
        assert!(heap.held <= 64 * 1024, "{heap:?}");
        let (_kept, heap) = measure(|| {
            let mut codec = MessageCodec::new(&PROFILE);
            let mut out = BytesMut::with_capacity(8192);
            let refused = codec.encode(
                Outgoing(|encoder| {
                    encoder.result(
                        1,
                        array(|items| {
                            items.element(giant.as_str());
                            items.element(f64::NAN);
                        }),
                    )
                }),
                &mut out,
            );
            assert!(refused.is_err() && out.is_empty());
            (codec, out)
        });
        assert!(heap.peak as usize > 10 * MIB, "{heap:?}");
        assert!(heap.held <= 64 * 1024, "{heap:?}");
    }
}

/// Messages of a usual size need no calls to the allocator.
#[test]
fn a_sink_keeps_the_memory_of_messages_that_are_no_giants() {
    for kib in [50, 150, 200, 250, 300] {
        let text = "x".repeat(kib * 1024);
        let mut codec = MessageCodec::new(&PROFILE);
        let mut out = BytesMut::with_capacity(8192);
        let mut send = || {
            codec.encode(Outgoing(|encoder| encoder.result(1, text.as_str())), &mut out).unwrap();
            flush(&mut out);
        };
        // Above the usual size, the second message shows that there is a run of them.
        (0..2).for_each(|_| send());
        let ((), heap) = measure(|| (0..10).for_each(|_| send()));
        assert_eq!(heap.calls, 0, "{kib}: {heap:?}");
    }
}

/// A caller may ask for more room than the codec needs. The buffer is not copied for each of its reads.
#[test]
fn room_that_the_caller_reserves_is_not_given_back_at_each_read() {
    let mut codec = MessageCodec::new(&PROFILE);
    let mut buffer = BytesMut::new();
    fill(&mut buffer, &[b' '; 60 * 1024]);
    let ((), heap) = measure(|| {
        for _ in 0..10_000 {
            buffer.reserve(256 * 1024);
            buffer.extend_from_slice(b" ");
            assert_eq!(codec.decode(&mut buffer).unwrap(), None);
        }
    });
    assert!(heap.calls < 10, "{heap:?}");
}

/// A frame that arrives in many pieces is scanned once. Otherwise this would take minutes.
#[test]
fn work_is_linear() {
    let mut codec = MessageCodec::new(&PROFILE);
    let mut buffer = BytesMut::new();
    for _ in 0..4 * MIB / 16 {
        fill(&mut buffer, &[b' '; 16]);
        assert_eq!(codec.decode(&mut buffer).unwrap(), None);
    }
    fill(&mut buffer, b"1\n");
    assert!(codec.decode(&mut buffer).unwrap().is_some());
}
