//! `heapless::Vec` as storage behaves like an array of its capacity.

use heapless::Vec;
use tautline::Profile;
use tautline::frame::{Assembler, FrameBuffer, FrameEvent, Storage};
use tautline::stream::MessageStream;

const WIRE: &[u8] = b"{\"id\":1}\n[1,2,3,4,5,6,7,8,9]\n{\"id\":22}\n\n{\"a\":\"b";

fn pushed(storage: impl Storage, size: usize) -> std::vec::Vec<String> {
    let mut assembler = Assembler::new(storage);
    let mut events = std::vec::Vec::new();
    for mut chunk in WIRE.chunks(size) {
        while let Some(event) = assembler.next(&mut chunk) {
            events.push(format!("{event:?}"));
        }
    }
    events.extend(assembler.finish().map(|event| format!("{event:?}")));
    events
}

fn read(storage: impl Storage, size: usize) -> std::vec::Vec<String> {
    let mut buffer = FrameBuffer::new(storage);
    let (mut rest, mut events) = (WIRE, std::vec::Vec::new());
    while !rest.is_empty() {
        while let Some(event) = buffer.next() {
            events.push(format!("{event:?}"));
        }
        let spare = buffer.spare();
        let count = spare.len().min(size).min(rest.len());
        spare[..count].copy_from_slice(&rest[..count]);
        buffer.commit(count);
        rest = &rest[count..];
    }
    while let Some(event) = buffer.next() {
        events.push(format!("{event:?}"));
    }
    events.extend(buffer.finish().map(|event| format!("{event:?}")));
    events
}

#[test]
fn the_events_are_those_of_an_array() {
    for size in 1..=WIRE.len() {
        let expected = pushed([0; 16], size);
        assert_eq!(expected.len(), 4);
        assert_eq!(pushed(Vec::<u8, 16>::new(), size), expected);
        let full = Vec::<u8, 16>::from_slice(&[b'{'; 16]).unwrap();
        assert_eq!(pushed(full, size), expected);
        assert_eq!(read(Vec::<u8, 18>::new(), size), read([0; 18], size));
    }
}

#[test]
fn a_stream_stores_frames_in_it() {
    let mut stream = MessageStream::new(Vec::<u8, 64>::new(), &Profile::JSON_RPC);
    for mut chunk in [&b"{\"jsonrpc\":\"2.0\",\"met"[..], b"hod\":\"a\"}\n"] {
        if let Some(received) = stream.next(&mut chunk) {
            assert!(received.fault().is_none());
            return;
        }
    }
    panic!();
}

#[test]
fn an_empty_one_stores_nothing() {
    let mut assembler = Assembler::new(Vec::<u8, 0>::new());
    let mut chunk = &b"ab\n"[..];
    assert!(matches!(assembler.next(&mut chunk), Some(FrameEvent::Oversized(_))));
}

#[cfg(feature = "embedded-io-v0_7")]
#[test]
fn a_writer_queues_messages_in_it() {
    use tautline::io::embedded::MessageWriter;

    let mut out = [0; 1024];
    let mut writer = MessageWriter::new(&mut out[..], Vec::<u8, 64>::new(), &Profile::JSON_RPC);
    for id in 0..10 {
        writer.encoder().result(id, "a").unwrap();
        writer.encoder().result(id, "a".repeat(60).as_str()).unwrap_err();
        writer.flush().unwrap();
    }
    drop(writer);
    let line = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"a\"}}\n");
    let expected: String = (0..10).map(line).collect();
    assert!(out.starts_with(expected.as_bytes()));
    assert_eq!(out[expected.len()], 0);
}
