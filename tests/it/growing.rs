//! Storage that grows: it allocates memory on demand, releases it, and allocations may fail.

use std::cell::RefCell;

use tautline::Profile;
#[cfg(feature = "std")]
use tautline::encode::{EncodeError, Encoder, Writer, array};
use tautline::frame::{Assembler, FrameBuffer, FrameEvent, HeapBuffer};
#[cfg(feature = "std")]
use tautline::io::{MessageReader, MessageWriter};
use tautline::stream::{MessageStream, Received};

use crate::support::allocator::{measure, refuse_above};
#[cfg(feature = "std")]
use crate::support::room::needed_and_free;

const KIB: usize = 1024;

/// The largest block that the allocator gives.
const MOST: usize = 1024 * KIB;

/// The size to which storage shrinks, and four times that: less is not worth releasing.
const USUAL: i64 = 64 * 1024;
const KEPT: i64 = 4 * USUAL;

#[cfg(feature = "std")]
const SMALL: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n";
const CHUNK: [u8; KIB] = [b'x'; KIB];

/// Pushes the beginning of a line, of this many KiB.
fn push_kib(assembler: &mut Assembler<HeapBuffer>, count: usize) {
    for _ in 0..count {
        let mut chunk = &CHUNK[..];
        assert!(assembler.next(&mut chunk).is_none());
    }
}

/// Pushes a short line that lies entirely in its chunk.
fn push_short(assembler: &mut Assembler<HeapBuffer>) {
    let mut chunk = &b"a\n"[..];
    assert!(
        matches!(assembler.next(&mut chunk), Some(FrameEvent::Frame(frame)) if frame.bytes() == b"a")
    );
    assert!(assembler.next(&mut chunk).is_none());
}

/// Reads these bytes, and takes no lines.
fn read(buffer: &mut FrameBuffer<HeapBuffer>, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let spare = buffer.spare();
        assert!(!spare.is_empty(), "memory has run out");
        let (read, rest) = bytes.split_at(spare.len().min(bytes.len()));
        spare[..read.len()].copy_from_slice(read);
        buffer.commit(read.len());
        bytes = rest;
    }
}

#[test]
fn no_memory_is_taken_before_it_is_needed() {
    let (_, heap) = measure(|| {
        let mut assembler = Assembler::new(HeapBuffer::default());
        push_short(&mut assembler);
        let buffer = FrameBuffer::new(HeapBuffer::default());
        (assembler, buffer)
    });
    assert_eq!(heap.calls, 0, "{heap:?}");
}

#[test]
fn an_assembler_gives_memory_back_after_a_giant_frame() {
    let mut assembler = Assembler::new(HeapBuffer::default());
    let mut held = 0;
    for _ in 0..2 {
        // Enough short lines that the next large one does not continue a run.
        (0..8).for_each(|_| push_short(&mut assembler));
        let ((), giant) = measure(|| {
            push_kib(&mut assembler, 400);
            let mut end = &b"\n"[..];
            let Some(FrameEvent::Frame(frame)) = assembler.next(&mut end) else {
                panic!("the frame is not over the limit");
            };
            assert_eq!(frame.bytes().len(), 400 * KIB);
        });
        held += giant.held;
        assert!(held > KEPT, "{held}");
        let ((), after) = measure(|| push_short(&mut assembler));
        held += after.held;
        assert!(held <= USUAL, "{held}");
    }
    let ((), end) = measure(|| drop(assembler));
    assert_eq!(held + end.held, 0, "all is given back in the end");
}

#[test]
fn a_buffer_gives_memory_back_after_a_giant_frame() {
    let mut buffer = FrameBuffer::new(HeapBuffer::default());
    let (_, giant) = measure(|| {
        for _ in 0..400 {
            read(&mut buffer, &CHUNK);
            assert!(buffer.next().is_none());
        }
        read(&mut buffer, b"\na");
    });
    assert!(giant.held > KEPT, "{giant:?}");
    let (_, after) = measure(|| {
        let Some(FrameEvent::Frame(frame)) = buffer.next() else {
            panic!("the frame is not over the limit");
        };
        assert_eq!(frame.bytes().len(), 400 * KIB);
        assert!(buffer.next().is_none());
        read(&mut buffer, b"\n");
        let Some(FrameEvent::Frame(frame)) = buffer.next() else {
            panic!("the next frame is kept when memory is given back");
        };
        assert_eq!(frame.bytes(), b"a");
    });
    assert!(giant.held + after.held <= USUAL, "{giant:?} {after:?}");
}

#[cfg(feature = "std")]
#[test]
fn a_reader_gives_memory_back_before_it_reads_on() {
    /// A large line, followed by nothing for a while.
    struct Giant(usize);

    impl std::io::Read for Giant {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            match self.0 {
                ..=400 => {
                    let length = room.len().min(KIB);
                    room[..length].fill(b'x');
                    Ok(length)
                }
                401 => {
                    room[0] = b'\n';
                    Ok(1)
                }
                402 => Err(std::io::ErrorKind::WouldBlock.into()),
                _ => Ok(0),
            }
        }
    }

    let mut reader = MessageReader::new(Giant(0), &Profile::JSON_RPC);
    let ((), giant) = measure(|| assert!(reader.next().unwrap().is_some()));
    assert!(giant.held > KEPT, "{giant:?}");
    let (_, after) = measure(|| {
        let blocked = reader.next().map(|_| ()).unwrap_err();
        assert_eq!(blocked.kind(), std::io::ErrorKind::WouldBlock);
    });
    assert!(giant.held + after.held <= USUAL, "{giant:?} {after:?}");
}

#[cfg(feature = "std")]
#[test]
fn a_writer_gives_memory_back_when_a_giant_was_sent() {
    let mut writer = MessageWriter::new(std::io::sink(), &Profile::JSON_RPC);
    let text = String::from_utf8(vec![b'x'; 400 * KIB]).unwrap();
    let (_, giant) = measure(|| writer.encoder().result(1, text.as_str()).unwrap());
    assert!(giant.held > KEPT, "{giant:?}");
    let ((), after) = measure(|| writer.flush().unwrap());
    assert!(giant.held + after.held <= USUAL, "{giant:?} {after:?}");
}

/// An incomplete message also takes memory.
#[cfg(feature = "std")]
#[test]
fn a_writer_gives_memory_back_when_a_giant_was_refused() {
    let limit = 600 * KIB as u32;
    let mut writer =
        MessageWriter::with_storage(std::io::sink(), HeapBuffer::new(limit), &Profile::JSON_RPC);
    let text = String::from_utf8(vec![b'x'; KIB]).unwrap();
    let endless = vec![text.as_str(); 700];
    let (refused, heap) = measure(|| writer.encoder().result(1, endless.as_slice()));
    assert!(matches!(refused, Err(EncodeError::DoesNotFit { .. })), "{refused:?}");
    assert!(heap.peak > KEPT, "{heap:?}");
    assert!(heap.held <= USUAL, "{heap:?}");
}

#[cfg(feature = "std")]
#[test]
fn a_queue_holds_a_frame_of_the_limit_and_its_newline_however_low_the_limit_is() {
    for limit in [0, 1, 100, 65_534, 65_535, 65_536, 65_537, 100_000] {
        let mut writer =
            MessageWriter::with_storage(Vec::new(), HeapBuffer::new(limit), &Profile::JSON_RPC);
        let too_long = [&vec![b'x'; limit as usize + 1][..], b"\n"].concat();
        let needed = too_long.len();
        assert_eq!(needed_and_free(writer.put_lines(&too_long)), Some((needed, Some(needed - 1))));
        assert_eq!(writer.put_lines(&too_long[1..]), Ok(()), "{limit}");
        assert_eq!(needed_and_free(writer.put_lines(b"\n")), Some((1, Some(0))));
        writer.flush().unwrap();
        assert_eq!(writer.writer(), &too_long[1..]);
    }
}

/// After an output has sent or abandoned a large message, it holds no more memory than usual.
#[cfg(feature = "std")]
#[test]
fn an_output_gives_memory_back_when_a_giant_was_sent_or_refused() {
    let giant = "x".repeat(400 * KIB);
    for count in [1, 0] {
        let (output, heap) = measure(|| {
            let mut encoder = Encoder::new(Writer::new(std::io::sink()));
            let sent = encoder.result(
                1,
                array(|items| {
                    items.element(giant.as_str());
                    // A value that cannot be encoded follows the large text.
                    if count == 0 {
                        items.element(f64::NAN);
                    }
                }),
            );
            assert_eq!(sent.is_ok(), count == 1, "{sent:?}");
            encoder
        });
        assert!(heap.peak > KEPT, "{heap:?}");
        assert!(heap.held <= USUAL, "{heap:?}");
        drop(output);
    }
}

/// A large line that yields no frame also takes memory.
#[test]
fn an_assembler_gives_memory_back_after_an_oversized_line() {
    let mut assembler = Assembler::with_limit(HeapBuffer::default(), 400 * 1024);
    let ((), giant) = measure(|| {
        push_kib(&mut assembler, 401);
        let mut end = &b"\n"[..];
        assert!(matches!(assembler.next(&mut end), Some(FrameEvent::Oversized(_))));
        push_short(&mut assembler);
    });
    assert!(giant.peak > KEPT, "{giant:?}");
    assert!(giant.held <= USUAL, "{giant:?}");
}

#[test]
fn an_assembler_gives_memory_back_after_a_giant_blank_line() {
    let mut assembler = Assembler::new(HeapBuffer::default());
    let ((), giant) = measure(|| {
        for _ in 0..400 {
            let mut chunk = &[b' '; KIB][..];
            assert!(assembler.next(&mut chunk).is_none());
        }
        let mut end = &b"\n"[..];
        assert!(assembler.next(&mut end).is_none());
        push_short(&mut assembler);
    });
    assert!(giant.peak > KEPT, "{giant:?}");
    assert!(giant.held <= USUAL, "{giant:?}");
}

#[test]
fn a_buffer_gives_memory_back_after_an_oversized_line() {
    let mut buffer = FrameBuffer::with_limit(HeapBuffer::default(), 400 * 1024);
    let ((), giant) = measure(|| {
        for _ in 0..402 {
            read(&mut buffer, &CHUNK);
            assert!(buffer.next().is_none());
        }
        read(&mut buffer, b"\n");
        assert!(matches!(buffer.next(), Some(FrameEvent::Oversized(_))));
        read(&mut buffer, b"a\n");
        assert!(buffer.next().is_some());
    });
    assert!(giant.peak > KEPT, "{giant:?}");
    assert!(giant.held <= USUAL, "{giant:?}");
}

#[test]
fn a_frame_of_any_length_takes_a_few_blocks_and_twice_its_length_at_most() {
    let mut assembler = Assembler::new(HeapBuffer::default());
    let ((), heap) = measure(|| push_kib(&mut assembler, 511));
    assert!(heap.calls <= 8, "{heap:?}");
    assert!(heap.peak <= 2 * 511 * 1024, "{heap:?}");
}

#[test]
fn the_beginning_of_a_short_frame_takes_little() {
    for (length, most) in
        [(1, 128), (11, 128), (128, 128), (129, 512), (2000, 2048), (9000, 32 * KIB)]
    {
        let mut assembler = Assembler::new(HeapBuffer::default());
        let begun = vec![b'x'; length];
        let ((), heap) = measure(|| {
            assert!(assembler.next(&mut &begun[..]).is_none());
        });
        assert!(heap.held <= i64::try_from(most).unwrap(), "{length}: {heap:?}");
        // The rest arrives byte by byte, and the bytes are copied seldom.
        let ((), rest) = measure(|| {
            for _ in 0..2 * length {
                assert!(assembler.next(&mut &b"x"[..]).is_none());
            }
        });
        assert!(rest.calls <= 3, "{length}: {rest:?}");
    }
}

/// Takes large frames and then eight small ones. A run of large ones causes no allocations once it is known
/// to be one. After the small ones, its memory is released.
fn check_a_run(mut large: impl FnMut(), mut small: impl FnMut()) {
    let ((), first) = measure(|| (0..2).for_each(|_| large()));
    let ((), run) = measure(|| (0..10).for_each(|_| large()));
    assert_eq!(run.calls, 0, "{run:?}");
    let ((), end) = measure(|| (0..8).for_each(|_| small()));
    let held = first.held + run.held + end.held;
    assert!(first.held > KEPT && held <= USUAL, "{first:?} {end:?}");
}

#[test]
fn an_assembler_keeps_memory_in_a_run_of_large_frames() {
    let assembler = RefCell::new(Assembler::new(HeapBuffer::default()));
    check_a_run(
        || {
            let mut assembler = assembler.borrow_mut();
            push_kib(&mut assembler, 400);
            let mut end = &b"\n"[..];
            assert!(assembler.next(&mut end).is_some());
            assert!(assembler.next(&mut end).is_none());
        },
        || push_short(&mut assembler.borrow_mut()),
    );
}

#[test]
fn a_buffer_keeps_memory_in_a_run_of_large_frames() {
    let buffer = RefCell::new(FrameBuffer::new(HeapBuffer::default()));
    let take = |bytes: &[u8]| {
        let mut buffer = buffer.borrow_mut();
        for chunk in bytes.chunks(KIB) {
            read(&mut buffer, chunk);
            while buffer.next().is_some() {}
        }
    };
    let large = [&[b'x'; 400 * KIB][..], b"\n"].concat();
    check_a_run(|| take(&large), || take(b"a\n"));
}

#[cfg(feature = "std")]
#[test]
fn a_reader_keeps_memory_in_a_run_of_large_frames() {
    /// Yields the bytes that it was given last, and then blocks.
    #[derive(Default)]
    struct Given<'a>(&'a [u8]);

    impl std::io::Read for Given<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(room)? {
                0 => Err(std::io::ErrorKind::WouldBlock.into()),
                read => Ok(read),
            }
        }
    }

    let large = [&[b' '; 400 * KIB][..], SMALL].concat();
    let reader = RefCell::new(MessageReader::new(Given::default(), &Profile::JSON_RPC));
    let take = |line| {
        let mut reader = reader.borrow_mut();
        *reader.reader_mut() = Given(line);
        assert!(matches!(reader.next(), Ok(Some(Received::Message { .. }))));
        assert!(reader.next().is_err());
    };
    check_a_run(|| take(&large), || take(SMALL));
}

#[cfg(feature = "std")]
#[test]
fn writers_keep_memory_in_a_run_of_large_messages() {
    let large = "x".repeat(400 * KIB);
    let writer = RefCell::new(MessageWriter::new(std::io::sink(), &Profile::JSON_RPC));
    let send = |text: &str| {
        let mut writer = writer.borrow_mut();
        writer.encoder().result(1, text).unwrap();
        writer.flush().unwrap();
    };
    check_a_run(|| send(&large), || send(""));
    let encoder = RefCell::new(Encoder::new(Writer::new(std::io::sink())));
    let send = |text: &str| assert!(encoder.borrow_mut().result(1, text).is_ok());
    check_a_run(|| send(&large), || send(""));
}

/// For messages between the usual size and a large one, doubling may take more memory than is kept.
#[cfg(feature = "std")]
#[test]
fn memory_is_kept_in_a_run_of_messages_of_any_size() {
    for kib in [100, 129, 150, 200, 250, 300] {
        let text = "x".repeat(kib * KIB);
        let mut writer = MessageWriter::new(std::io::sink(), &Profile::JSON_RPC);
        let mut encoder = Encoder::new(Writer::new(std::io::sink()));
        let mut send = || {
            writer.encoder().result(1, text.as_str()).unwrap();
            writer.flush().unwrap();
            encoder.result(1, text.as_str()).unwrap();
        };
        (0..2).for_each(|_| send());
        let ((), run) = measure(|| (0..10).for_each(|_| send()));
        assert_eq!(run.calls, 0, "{kib}: {run:?}");
    }
}

/// Many small messages that wait for a slow peer do not count as a large one.
#[cfg(feature = "std")]
#[test]
fn a_backlog_of_small_messages_is_no_run() {
    let mut writer = MessageWriter::new(std::io::sink(), &Profile::JSON_RPC);
    let ((), backlog) = measure(|| {
        let text = [b'x'; 100];
        let text = std::str::from_utf8(&text).unwrap();
        for _ in 0..6000 {
            writer.encoder().result(1, text).unwrap();
        }
    });
    assert!(backlog.held > KEPT, "{backlog:?}");
    let ((), sent) = measure(|| writer.flush().unwrap());
    assert!(backlog.held + sent.held <= USUAL, "{backlog:?} {sent:?}");
}

/// Oversized lines need no memory, so a run of large frames ends with them.
#[test]
fn oversized_lines_end_a_run() {
    let mut assembler = Assembler::with_limit(HeapBuffer::default(), 500 * 1024);
    let ((), heap) = measure(|| {
        for (kib, count) in [(400, 3), (501, 9)] {
            for _ in 0..count {
                push_kib(&mut assembler, kib);
                let mut end = &b"\n"[..];
                assert!(assembler.next(&mut end).is_some());
                assert!(assembler.next(&mut end).is_none());
            }
        }
    });
    assert!(heap.peak > KEPT && heap.held <= USUAL, "{heap:?}");
}

/// Frames of a usual size, and somewhat larger ones, need no calls to the allocator.
#[test]
fn memory_is_kept_for_frames_that_are_no_giants() {
    for kib in [50, 200] {
        let mut assembler = Assembler::new(HeapBuffer::default());
        let round = |assembler: &mut Assembler<HeapBuffer>| {
            push_kib(assembler, kib);
            let mut end = &b"\n"[..];
            assert!(assembler.next(&mut end).is_some());
        };
        round(&mut assembler);
        let ((), heap) = measure(|| (0..10).for_each(|_| round(&mut assembler)));
        assert_eq!(heap.calls, 0, "{heap:?}");
    }
}

#[test]
fn no_more_memory_is_taken_than_the_longest_frame_needs() {
    let limit = 100 * 1024;
    let (_, heap) = measure(|| {
        let mut assembler = Assembler::new(HeapBuffer::new(limit));
        push_kib(&mut assembler, 101);
        assembler
    });
    assert_eq!(heap.held, i64::from(limit), "{heap:?}");
    // A buffer must hold the line end as well.
    let (_, heap) = measure(|| {
        let mut buffer = FrameBuffer::new(HeapBuffer::new(limit));
        (0..100).for_each(|_| read(&mut buffer, &CHUNK));
        read(&mut buffer, b"\r\n");
        assert!(matches!(buffer.next(), Some(FrameEvent::Frame(_))));
        buffer
    });
    assert_eq!(heap.held, i64::from(limit) + 2, "{heap:?}");
}

/// If a caller reads without taking lines, only the remaining room limits it.
#[test]
fn a_buffer_that_is_not_asked_for_its_lines_runs_out_of_room() {
    let limit = 100 * KIB;
    let mut buffer = FrameBuffer::new(HeapBuffer::new(limit as u32));
    let (filled, heap) = measure(|| {
        let mut filled = 0;
        while filled <= 2 * limit {
            let room = buffer.spare().len();
            if room == 0 {
                break;
            }
            buffer.commit(room);
            filled += room;
        }
        filled
    });
    assert_eq!(filled, limit + 2);
    assert_eq!(heap.held, limit as i64 + 2, "{heap:?}");
}

/// The bytes read after a large frame may exceed the usual room of the storage.
#[test]
fn a_buffer_that_gives_memory_back_keeps_the_beginning_of_the_next_frame() {
    let mut buffer = FrameBuffer::new(HeapBuffer::default());
    let next = [&b"y"[..], &[b'z'; 100 * KIB], b"y"].concat();
    (0..600).for_each(|_| read(&mut buffer, &CHUNK));
    read(&mut buffer, b"\n");
    read(&mut buffer, &next);
    let Some(FrameEvent::Frame(giant)) = buffer.next() else {
        panic!("the frame is not over the limit");
    };
    assert_eq!(giant.bytes().len(), 600 * KIB);
    let ((), heap) = measure(|| {
        assert!(buffer.next().is_none());
        read(&mut buffer, b"\n");
    });
    assert!(heap.held < 0, "{heap:?}");
    let Some(FrameEvent::Frame(frame)) = buffer.next() else {
        panic!("the next frame is not over the limit");
    };
    assert!(frame.bytes() == next);
}

/// The allocator refuses large blocks, so the storage cannot hold a frame that needs more than a megabyte.
/// Such a frame is rejected like any other oversized frame, all of it is skimmed, and the next line is read.
#[test]
fn a_stream_that_is_refused_memory_rejects_the_line() {
    let _refusal = refuse_above(MOST);
    let mut stream = MessageStream::new(HeapBuffer::default(), &Profile::JSON_RPC);
    for _ in 0..1200 {
        assert!(stream.next(&mut &CHUNK[..]).is_none());
    }
    let mut end = &b"xyz\r\nb\n"[..];
    let received = stream.next(&mut end);
    let Some(Received::Oversized { oversized: line, skimmed, .. }) = received else {
        panic!("{received:?}");
    };
    assert_eq!((line.offset(), line.length()), (0, 1200 * 1024 + 3));
    assert_eq!(skimmed.map(|skimmed| skimmed.length()), Some(line.length()));
    assert_eq!(stream.next(&mut end).unwrap().frame().unwrap().bytes(), b"b");
}

/// The same, if there is no room for the last piece of the frame.
#[test]
fn a_stream_that_is_refused_memory_at_the_end_of_a_frame_rejects_it() {
    let _refusal = refuse_above(MOST);
    let mut stream = MessageStream::new(HeapBuffer::default(), &Profile::JSON_RPC);
    for _ in 0..100 {
        assert!(stream.next(&mut &CHUNK[..]).is_none());
    }
    let tail = [&vec![b'y'; 1000 * KIB][..], b"\nb\n"].concat();
    let mut rest = &tail[..];
    let received = stream.next(&mut rest);
    let Some(Received::Oversized { oversized: line, skimmed, .. }) = received else {
        panic!("{received:?}");
    };
    assert_eq!((line.offset(), line.line(), line.length()), (0, 1, 1100 * 1024));
    assert!(line.is_terminated());
    assert_eq!(skimmed.map(|skimmed| skimmed.length()), Some(line.length()));
    assert_eq!(stream.next(&mut rest).unwrap().frame().unwrap().bytes(), b"b");
}

#[test]
fn a_buffer_that_is_refused_memory_rejects_the_line() {
    let _refusal = refuse_above(MOST);
    let mut buffer = FrameBuffer::new(HeapBuffer::default());
    let mut filled = 0;
    while filled < 2048 * KIB {
        let room = buffer.spare();
        assert!(!room.is_empty(), "it would look like the end of the stream");
        room.fill(b'x');
        let room = room.len();
        buffer.commit(room);
        filled += room;
        assert!(buffer.next().is_none());
    }
    let tail = b"\n{}\n";
    buffer.spare()[..tail.len()].copy_from_slice(tail);
    buffer.commit(tail.len());
    let Some(FrameEvent::Oversized(line)) = buffer.next() else { panic!() };
    assert_eq!(line.length(), filled as u64);
    assert!(matches!(buffer.next(), Some(FrameEvent::Frame(frame)) if frame.bytes() == b"{}"));
}

/// All bytes of a frame that was given up are skimmed, including those kept before memory ran out, and the frame after
/// it is read.
#[cfg(feature = "std")]
#[test]
fn a_reader_that_is_refused_memory_rejects_a_frame_of_any_framing() {
    use std::io::Read;
    use tautline::frame::{
        Concatenated, ContentLength, DEFAULT_LIMIT, Framing, ServerSentEvents, Splitter,
    };

    fn rejects(framing: impl Framing, [head, chunk, tail]: [&[u8]; 3], length: usize) {
        let chunks = [chunk; 1200].concat();
        let wire = head.chain(&chunks[..]).chain(tail);
        let _refusal = refuse_above(MOST);
        let buffer = FrameBuffer::with_framing(HeapBuffer::default(), framing);
        let mut reader = MessageReader::with_buffer(wire, buffer, &Profile::JSON_RPC);
        let received = reader.next().unwrap();
        let Some(Received::Oversized { oversized, skimmed, .. }) = received else {
            panic!("the heap does not give as much: {received:?}");
        };
        assert_eq!(oversized.length(), length as u64);
        assert_eq!(skimmed.map(|skimmed| skimmed.length()), Some(oversized.length()));
        assert_eq!(reader.next().unwrap().unwrap().frame().unwrap().bytes(), b"{}");
        assert!(reader.next().unwrap().is_none());
    }

    let length = 1200 * KIB + 2;
    let header = format!("Content-Length: {length}\r\n\r\n\"");
    let parts = [header.as_bytes(), &CHUNK, b"\"Content-Length: 2\r\n\r\n{}"];
    rejects(Splitter::new(DEFAULT_LIMIT), [b"\"", &CHUNK, b"\"\n{}\n"], length);
    rejects(ContentLength::new(DEFAULT_LIMIT), parts, length);
    rejects(Concatenated::new(DEFAULT_LIMIT), [b"\"", &CHUNK, b"\"{}"], length);
    let line = [b"data: ", &CHUNK[..], b"\n"].concat();
    let parts = [b"id: 1\n", &line[..], b"\ndata: {}\n\n"];
    rejects(ServerSentEvents::new(DEFAULT_LIMIT), parts, 1200 * (KIB + 1) - 1);
}
