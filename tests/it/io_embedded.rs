//! Readers and writers over `embedded_io` and `embedded_io_async`: whatever happens on the wire, and
//! wherever a future is dropped, no message is lost, invented or sent twice.

use std::io::ErrorKind;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tautline::encode::NO_PARAMS;
use tautline::frame::FrameBuffer;
use tautline::io::{ReadError, WriteError, embedded};

use crate::support::faulty::{
    Act, LIMIT, PROFILE, STREAM, Wire, WireError, complete, describe, encode_three, expected,
    scripts, three,
};

/// Polls a future once, and drops it.
fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn nothing_is_lost_or_invented_whatever_the_reader_does() {
    let expected = expected(STREAM, LIMIT);
    for acts in scripts(STREAM.len()) {
        let buffer = FrameBuffer::new([0; LIMIT as usize + 2]);
        let wire = Wire::new(STREAM, acts.clone());
        let mut reader = embedded::MessageReader::new(wire, buffer, &PROFILE);
        let mut events = Vec::new();
        loop {
            match reader.next() {
                Ok(Some(received)) => events.push(describe(&received)),
                Ok(None) => break,
                Err(error) => {
                    assert_ne!(error, ReadError::Reader(WireError(ErrorKind::Interrupted)));
                    assert_eq!(events.len(), complete(reader.reader().at));
                }
            }
        }
        assert_eq!(reader.next(), Ok(None));
        assert_eq!(events, expected, "{acts:?}");
    }
}

/// Every future is dropped at its first pending await point: the harshest possible `select`.
#[test]
fn nothing_is_lost_by_futures_that_are_dropped() {
    let expected = expected(STREAM, LIMIT);
    for acts in scripts(STREAM.len()) {
        let buffer = FrameBuffer::new([0; LIMIT as usize + 2]);
        let wire = Wire::new(STREAM, acts.clone());
        let mut reader = embedded::MessageReader::new(wire, buffer, &PROFILE);
        let mut events = Vec::new();
        loop {
            match poll_once(reader.next_async()) {
                Poll::Ready(Ok(Some(received))) => events.push(describe(&received)),
                Poll::Ready(Ok(None)) => break,
                Poll::Ready(Err(_)) | Poll::Pending => {
                    assert_eq!(events.len(), complete(reader.reader().at));
                }
            }
        }
        assert_eq!(events, expected, "{acts:?}");
    }
}

#[test]
fn what_a_peer_leaves_behind_that_closes_anywhere_is_given() {
    for end in 0..=STREAM.len() {
        let sent = &STREAM[..end];
        let buffer = FrameBuffer::new([0; LIMIT as usize + 2]);
        let mut reader = embedded::MessageReader::new(sent, buffer, &PROFILE);
        let mut events = Vec::new();
        while let Ok(Some(received)) = reader.next() {
            events.push(describe(&received));
        }
        assert_eq!(events, expected(sent, LIMIT), "{end}");
    }
}

#[test]
fn storage_without_room_is_an_error_and_not_the_end() {
    let mut reader = embedded::MessageReader::new(STREAM, FrameBuffer::new([0; 0]), &PROFILE);
    assert_eq!(reader.next(), Err(ReadError::NoRoom));
}

#[test]
fn nothing_is_sent_twice_or_torn_whatever_the_writer_does() {
    for acts in scripts(three().len() + 3) {
        let wire = Wire::new(b"", acts.clone());
        let mut writer = embedded::MessageWriter::new(wire.clone(), [0; 256], &PROFILE);
        let mut dropped = embedded::MessageWriter::new(wire, [0; 256], &PROFILE);
        for n in 0..3 {
            encode_three(n, writer.encoder()).unwrap();
            let _ = writer.flush();
            assert!(three().starts_with(&writer.writer().written));
            encode_three(n, dropped.encoder()).unwrap();
            let _ = poll_once(dropped.flush_async());
            assert!(three().starts_with(&dropped.writer().written));
        }
        while writer.flush().is_err() {}
        while !matches!(poll_once(dropped.flush_async()), Poll::Ready(Ok(()))) {}
        assert_eq!(writer.writer().written, three(), "{acts:?}");
        assert_eq!(dropped.writer().written, three(), "{acts:?}");
        assert!(writer.writer().flushes > 0 && dropped.writer().flushes > 0);
    }
}

#[test]
fn a_writer_that_takes_nothing_is_an_error() {
    let mut none: [u8; 0] = [];
    let mut writer = embedded::MessageWriter::new(&mut none[..], [0; 64], &PROFILE);
    writer.encoder().notification("a", NO_PARAMS).unwrap();
    assert!(matches!(writer.flush(), Err(WriteError::TookNothing | WriteError::Writer(_))));
    assert!(writer.pending() > 0);
}

#[test]
fn a_failure_leaves_the_rest_to_be_sent() {
    let acts = vec![Act::Take(4), Act::Fail(ErrorKind::ConnectionReset)];
    let mut writer = embedded::MessageWriter::new(Wire::new(b"", acts), [0; 64], &PROFILE);
    let length = writer.encoder().notification("a", NO_PARAMS).unwrap();
    let error = WriteError::Writer(WireError(ErrorKind::ConnectionReset));
    assert_eq!(writer.flush(), Err(error));
    assert_eq!(writer.pending(), length - 4);
    assert_eq!(writer.flush(), Ok(()));
    assert_eq!(writer.writer().written.len(), length);
}
