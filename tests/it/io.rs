//! Readers and writers over `std::io`: whatever happens on the wire, no message is lost, invented or sent
//! twice.

use std::io::{self, ErrorKind};

use proptest::prelude::*;
use tautline::encode::{EncodeError, NO_PARAMS};
use tautline::endpoint::Endpoint;
use tautline::frame::{FrameBuffer, HeapBuffer, Storage};
use tautline::io::{MessageReader, MessageWriter};
use tautline::{Message, rule};

use crate::support::faulty::{
    Act, LIMIT, PROFILE, STREAM, Wire, complete, describe, encode_three, expected, scripts, three,
};
use crate::support::presets::Revision;
use crate::support::room::needed_and_free;
use crate::support::volume::volume;

/// Reads to the end, and tries again after every failure.
fn read_all<S: Storage>(reader: &mut MessageReader<Wire, S>) -> Vec<String> {
    let mut events = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(received)) => events.push(describe(&received)),
            Ok(None) => break,
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::Interrupted, "that is not for the caller");
                assert_eq!(events.len(), complete(reader.reader().at), "what came before it");
            }
        }
    }
    assert!(reader.next().unwrap().is_none(), "the end is the end");
    events
}

#[test]
fn nothing_is_lost_or_invented_whatever_the_reader_does() {
    let expected = expected(STREAM, LIMIT);
    assert_eq!(expected.len(), 8);
    for acts in scripts(STREAM.len()) {
        let wire = Wire::new(STREAM, acts.clone());
        let buffer = FrameBuffer::with_limit(HeapBuffer::default(), LIMIT);
        assert_eq!(
            read_all(&mut MessageReader::with_buffer(wire.clone(), buffer, &PROFILE)),
            expected,
            "{acts:?}"
        );
        let buffer = FrameBuffer::new([0; LIMIT as usize + 2]);
        assert_eq!(
            read_all(&mut MessageReader::with_buffer(wire, buffer, &PROFILE)),
            expected,
            "{acts:?}"
        );
    }
}

#[test]
fn what_a_peer_leaves_behind_that_closes_anywhere_is_given() {
    for end in 0..=STREAM.len() {
        let sent = &STREAM[..end];
        for size in [1, 5, 1000] {
            let wire = Wire::new(sent, vec![Act::Take(size); sent.len() / size + 1]);
            let buffer = FrameBuffer::with_limit(HeapBuffer::default(), LIMIT);
            let events = read_all(&mut MessageReader::with_buffer(wire, buffer, &PROFILE));
            assert_eq!(events, expected(sent, LIMIT), "{end} {size}");
        }
    }
}

#[test]
fn rules_change_between_messages() {
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}\n";
    let input = [&line[..], line].concat();
    let mut reader = MessageReader::new(&input[..], &PROFILE);
    assert!(describe(&reader.next().unwrap().unwrap()).contains("Request"));
    reader.set_profile(&Revision::LATEST.profile());
    let received = reader.next().unwrap().unwrap();
    let tautline::stream::Received::Fault { fault, .. } = received else { panic!() };
    assert_eq!(rule::name(fault.rule()), "params-type");
}

#[test]
fn bytes_that_were_not_given_come_back_with_the_reader() {
    let mut reader = MessageReader::new(STREAM, &PROFILE);
    let first = describe(&reader.next().unwrap().unwrap());
    let (rest, mut buffer) = reader.into_parts();
    assert!(rest.is_empty());
    assert!(buffer.next().is_some());
    let mut reader = MessageReader::with_buffer(rest, buffer, &PROFILE);
    let third = describe(&reader.next().unwrap().unwrap());
    assert_eq!([&first, &third], [&expected(STREAM, LIMIT)[0], &expected(STREAM, LIMIT)[2]]);
}

#[test]
fn storage_without_room_is_an_error_and_not_the_end() {
    let mut reader = MessageReader::with_buffer(STREAM, FrameBuffer::new([0; 0]), &PROFILE);
    assert_eq!(reader.next().unwrap_err().kind(), ErrorKind::OutOfMemory);
}

/// A peer that answers what it reads, over one wire.
#[test]
fn an_endpoint_is_served_by_a_reader_and_a_writer() -> io::Result<()> {
    let endpoint = Endpoint::new((), &PROFILE);
    let mut reader =
        MessageReader::new(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n7\n"[..], &PROFILE);
    let mut writer = MessageWriter::new(Vec::new(), &PROFILE);
    let mut reply = Vec::new();
    while let Some(received) = reader.next()? {
        reply.clear();
        endpoint.answer_into(&received, &mut (), &mut reply).map_err(io::Error::other)?;
        writer.put_lines(&reply).map_err(io::Error::other)?;
    }
    writer.flush()?;
    let lines = writer.into_inner();
    let codes: Vec<_> = lines.split(|&byte| byte == b'\n').collect();
    assert_eq!(codes.len(), 3);
    assert!(String::from_utf8_lossy(codes[0]).contains("-32601"));
    assert!(String::from_utf8_lossy(codes[1]).contains("-32600"));
    Ok(())
}

/// Messages are queued while the writer sends, and each is sent once and completely.
#[test]
fn nothing_is_sent_twice_or_torn_whatever_the_writer_does() {
    for acts in scripts(three().len() + 3) {
        let mut writer =
            MessageWriter::with_storage(Wire::new(b"", acts.clone()), [0; 256], &PROFILE);
        let mut next = 0;
        loop {
            if next < 3 {
                encode_three(next, writer.encoder()).unwrap();
                next += 1;
            }
            match writer.flush() {
                Ok(()) if next == 3 => break,
                Ok(()) => assert_eq!(writer.pending(), 0),
                Err(error) => assert_ne!(error.kind(), ErrorKind::Interrupted),
            }
            assert!(three().starts_with(&writer.writer().written), "{acts:?}");
        }
        assert_eq!(writer.writer().written, three(), "{acts:?}");
        assert!(writer.writer().flushes > 0);
    }
}

#[test]
fn a_flush_that_fails_is_made_up_for() {
    let acts = vec![Act::Take(1000), Act::Fail(ErrorKind::WouldBlock)];
    let mut writer = MessageWriter::new(Wire::new(b"", acts), &PROFILE);
    writer.encoder().notification("a", NO_PARAMS).unwrap();
    assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::WouldBlock);
    assert_eq!((writer.pending(), writer.writer().flushes), (0, 0));
    writer.flush().unwrap();
    assert_eq!(writer.writer().flushes, 1);
    writer.flush().unwrap();
    assert_eq!(writer.writer().flushes, 1, "there was nothing to flush");
}

/// A peer that does not read cannot make the queue grow without bound. When it reads again, refused
/// messages are accepted.
#[test]
fn a_full_queue_refuses_whole_messages() {
    let stuck = vec![Act::Fail(ErrorKind::WouldBlock); 3];
    let mut writer = MessageWriter::with_storage(Wire::new(b"", stuck), [0; 100], &PROFILE);
    let length = writer.encoder().notification("abcdefghij", NO_PARAMS).unwrap();
    let before = writer.pending();
    writer.encoder().notification("abcdefghij", NO_PARAMS).unwrap();
    let refused = writer.encoder().notification("abcdefghij", NO_PARAMS);
    assert_eq!(needed_and_free(refused), Some((length, Some(100 - 2 * length))));
    assert_eq!(writer.pending(), 2 * before);
    assert!(writer.flush().is_err());
    while writer.flush().is_err() {}
    writer.encoder().notification("abcdefghij", NO_PARAMS).unwrap();
    writer.flush().unwrap();
    let written = &writer.writer().written;
    assert_eq!(written.len(), 3 * length);
    for line in written.strip_suffix(b"\n").unwrap().split(|&byte| byte == b'\n') {
        assert!(matches!(Message::parse(line, &PROFILE), Ok(Message::Notification(_))));
    }
}

/// Adds lines of these lengths, and sends this many bytes after each. Only lines that do not fit are
/// refused.
fn queue<S: Storage>(storage: S, room: usize, steps: &[(usize, usize)]) {
    let mut acts = Vec::new();
    for &(_, taken) in steps {
        acts.extend((taken > 0).then_some(Act::Take(taken)));
        acts.push(Act::Fail(ErrorKind::WouldBlock));
    }
    let mut writer = MessageWriter::with_storage(Wire::new(b"", acts), storage, &PROFILE);
    let mut accepted = Vec::new();
    for (letter, &(length, _)) in (b'a'..=b'z').cycle().zip(steps) {
        let mut line = vec![letter; length];
        line.push(b'\n');
        let pending = accepted.len() - writer.writer().written.len();
        assert_eq!(writer.pending(), pending);
        match writer.put_lines(&line) {
            Ok(()) => {
                assert!(pending + line.len() <= room);
                accepted.extend(line);
            }
            Err(_) => assert!(pending + line.len() > room, "{pending} beside {length}"),
        }
        let _ = writer.flush();
    }
    while writer.flush().is_err() {}
    assert_eq!(writer.writer().written, accepted);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(256)))]

    #[test]
    fn a_queue_is_used_round_and_round(
        steps in prop::collection::vec((0..40_usize, 0..50_usize), 0..200),
        large in prop::collection::vec((0..90_000_usize, 0..120_000_usize), 0..30),
    ) {
        queue([0; 64], 64, &steps);
        queue(HeapBuffer::new(299_999), 300_000, &large);
    }
}

#[test]
fn lines_from_elsewhere_are_whole_lines() {
    let mut writer = MessageWriter::with_storage(Vec::new(), [0; 8], &PROFILE);
    assert_eq!(writer.put_lines(b""), Ok(()));
    assert_eq!(writer.put_lines(b"{}"), Err(EncodeError::Payload));
    assert_eq!(writer.put_lines(b"{}\n[]\n"), Ok(()));
    assert_eq!(needed_and_free(writer.put_lines(b"{}\n")), Some((3, Some(2))));
    writer.flush().unwrap();
    assert_eq!(writer.writer().as_slice(), b"{}\n[]\n");
}

/// A wire that the test can look at after its writer is gone.
struct Shared<'a>(&'a mut Wire);

impl io::Write for Shared<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn a_writer_that_is_dropped_sends_what_is_left() {
    for acts in scripts(three().len() + 3) {
        let blocked =
            acts.iter().any(|act| !matches!(act, Act::Take(_) | Act::Fail(ErrorKind::Interrupted)));
        let mut wire = Wire::new(b"", acts.clone());
        let mut writer = MessageWriter::with_storage(Shared(&mut wire), [0; 256], &PROFILE);
        for number in 0..3 {
            encode_three(number, writer.encoder()).unwrap();
        }
        drop(writer);
        assert!(three().starts_with(&wire.written), "{acts:?}");
        assert!(blocked || (wire.written == three() && wire.flushes == 1), "{acts:?}");
    }
    // A flush does not send again what an earlier one has sent.
    let mut wire = Wire::new(b"", vec![Act::Take(9), Act::Fail(ErrorKind::WouldBlock)]);
    let mut writer = MessageWriter::with_storage(Shared(&mut wire), [0; 256], &PROFILE);
    for number in 0..3 {
        encode_three(number, writer.encoder()).unwrap();
    }
    assert!(writer.flush().is_err());
    drop(writer);
    assert_eq!((&wire.written, wire.flushes), (&three(), 1));
    let mut wire = Wire::new(b"", Vec::new());
    let mut writer = MessageWriter::new(Shared(&mut wire), &PROFILE);
    writer.encoder().notification("a", NO_PARAMS).unwrap();
    drop(writer.into_inner());
    assert!(wire.written.is_empty(), "the caller has taken the writer back");
    drop(MessageWriter::new(Shared(&mut wire), &PROFILE));
    assert_eq!(wire.flushes, 0, "there was nothing to send");
}

/// Such a writer may have accepted bytes before it panicked.
#[test]
fn a_writer_that_has_panicked_is_not_called_again() {
    struct Panics<'a>(&'a mut usize);
    impl io::Write for Panics<'_> {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            *self.0 += 1;
            panic!("in the middle of a message")
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut calls = 0;
    let sent = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut writer = MessageWriter::new(Panics(&mut calls), &PROFILE);
        writer.encoder().notification("a", NO_PARAMS).unwrap();
        writer.flush()
    }));
    assert!(sent.is_err());
    assert_eq!(calls, 1);
}
