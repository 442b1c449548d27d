//! The contract of framing, sentence by sentence, in examples small enough to read.
//!
//! Every example runs through every driver: whole, byte by byte, and cut once at every position.

use tautline::frame::{
    Assembler, DEFAULT_LIMIT, Found, Frame, FrameBuffer, FrameEvent, Frames, Splitter,
};
use tautline::stream::{MessageStream, Received};
use tautline::{Message, Profile};

use crate::support::drivers::Case;
use crate::support::reference::splitter::{Kind, Line, Split, split};

/// Returns a frame that a newline has ended.
fn frame(number: u64, offset: u64, bytes: &[u8]) -> Line<'_> {
    Line { kind: Kind::Frame, number, offset, bytes, terminated: true }
}

/// Returns an oversized line.
fn oversized(number: u64, offset: u64, bytes: &[u8]) -> Line<'_> {
    Line { kind: Kind::Oversized, ..frame(number, offset, bytes) }
}

/// Returns the same line, ended by the end of the stream.
fn unterminated(line: Line<'_>) -> Line<'_> {
    Line { terminated: false, ..line }
}

/// Asserts that the reference and every driver find these lines, and this many blank ones.
#[track_caller]
fn assert_lines(stream: &[u8], limit: u32, lines: &[Line<'_>], blank: u64) {
    let text = stream.escape_ascii();
    let found = split(stream, limit);
    assert_eq!(found.lines, lines, "{text}");
    assert_eq!(found.blank, blank, "blank lines of {text}");
    let case = Case::new(stream, limit);
    case.check_whole();
    let bytes: Vec<_> = stream.chunks(1).collect();
    for at in 0..=stream.len() {
        let (before, behind) = stream.split_at(at);
        case.check_cut(&[before, behind], &mut |_, _| {});
    }
    case.check_cut(&bytes, &mut |_, _| {});
    case.check_readers(&bytes);
}

// ---- Where a line ends --------------------------------------------------------------------------

#[test]
fn lf_ends_a_frame_and_one_cr_before_it_is_no_part_of_it() {
    let cases: &[(&[u8], &[Line<'_>])] = &[
        (b"", &[]),
        (b"a\n", &[frame(1, 0, b"a")]),
        (b"a\r\n", &[frame(1, 0, b"a")]),
        (b"a\r\r\n", &[frame(1, 0, b"a\r")]),
        (b"a\nb\n", &[frame(1, 0, b"a"), frame(2, 2, b"b")]),
        (b"a\r\nb\r\n", &[frame(1, 0, b"a"), frame(2, 3, b"b")]),
        (b"a\n\rb\n", &[frame(1, 0, b"a"), frame(2, 2, b"\rb")]),
        (b" a \n", &[frame(1, 0, b" a ")]),
    ];
    for (stream, lines) in cases {
        assert_lines(stream, 100, lines, 0);
    }
}

#[test]
fn nothing_else_ends_a_frame() {
    for text in ["\r", "\r\r", "\u{2028}", "\u{2029}", "\u{85}", "\0", "\x0B", "\x0C", "\\n"] {
        let content = format!("a{text}b");
        let stream = format!("{content}\n{content}");
        let second = unterminated(frame(2, content.len() as u64 + 1, content.as_bytes()));
        let lines = [frame(1, 0, content.as_bytes()), second];
        assert_lines(stream.as_bytes(), 100, &lines, 0);
    }
}

#[test]
fn lines_of_json_whitespace_are_skipped_and_counted() {
    for (stream, blank) in [
        (&b"\n"[..], 1),
        (b"\r\n", 1),
        (b"\r\r\r\n", 1),
        (b" \t\r \n", 1),
        (b"\n\n\n", 3),
        (b" ", 1),
        (b"\r", 1),
        (b"\n ", 2),
    ] {
        assert_lines(stream, 100, &[], blank);
    }
    assert_lines(b"\n \na\n\t\nb", 100, &[frame(3, 3, b"a"), unterminated(frame(5, 7, b"b"))], 3);
}

#[test]
fn whitespace_that_json_does_not_know_is_content() {
    for text in ["\0", "\x0B", "\x0C", "\u{85}", "\u{A0}", "\u{2028}", "\u{3000}"] {
        let stream = format!("{text}\n");
        assert_lines(stream.as_bytes(), 100, &[frame(1, 0, text.as_bytes())], 0);
    }
}

// ---- The byte order mark ------------------------------------------------------------------------

#[test]
fn one_byte_order_mark_at_the_start_of_the_stream_is_skipped() {
    let mark = "\u{FEFF}".as_bytes();
    let cases: &[(&[u8], &[Line<'_>], u64)] = &[
        (b"\xEF\xBB\xBF", &[], 0),
        (b"\xEF\xBB\xBF\n", &[], 1),
        (b"\xEF\xBB\xBFa\n", &[frame(1, 3, b"a")], 0),
        (b"\xEF\xBB\xBFa", &[unterminated(frame(1, 3, b"a"))], 0),
        // It does not count towards the limit, which is 4.
        (b"\xEF\xBB\xBFaaaa\n", &[frame(1, 3, b"aaaa")], 0),
        (b"\xEF\xBB\xBFaaaaa\n", &[oversized(1, 3, b"aaaaa")], 0),
        // Anywhere else it is content: after the first one, in another line, after a space.
        (b"\xEF\xBB\xBF\xEF\xBB\xBF\n", &[frame(1, 3, mark)], 0),
        (b"\n\xEF\xBB\xBF\n", &[frame(2, 1, mark)], 1),
        (b"a\n\xEF\xBB\xBF", &[frame(1, 0, b"a"), unterminated(frame(2, 2, mark))], 0),
        (b" \xEF\xBB\xBF\n", &[frame(1, 0, b" \xEF\xBB\xBF")], 0),
    ];
    for (stream, lines, blank) in cases {
        assert_lines(stream, 4, lines, *blank);
    }
}

#[test]
fn part_of_a_byte_order_mark_is_content() {
    let cases: &[(&[u8], &[Line<'_>])] = &[
        (b"\xEF", &[unterminated(frame(1, 0, b"\xEF"))]),
        (b"\xEF\xBB", &[unterminated(frame(1, 0, b"\xEF\xBB"))]),
        (b"\xEF\n", &[frame(1, 0, b"\xEF")]),
        (b"\xEF\xBB\r\n", &[frame(1, 0, b"\xEF\xBB")]),
        (b"\xEF\xBBa\n", &[frame(1, 0, b"\xEF\xBBa")]),
        (b"\xEF\xEF\xBB\xBF\n", &[frame(1, 0, b"\xEF\xEF\xBB\xBF")]),
        (b"\xBB\xBF\n", &[frame(1, 0, b"\xBB\xBF")]),
    ];
    for (stream, lines) in cases {
        assert_lines(stream, 100, lines, 0);
    }
    assert_lines(b"\xEF\xBB", 1, &[unterminated(oversized(1, 0, b"\xEF\xBB"))], 0);
    assert_lines(b"\xEF\xBB\na\n", 1, &[oversized(1, 0, b"\xEF\xBB"), frame(2, 3, b"a")], 0);
}

// ---- The limit ----------------------------------------------------------------------------------

#[test]
fn the_limit_counts_the_bytes_of_the_frame_and_not_its_end() {
    let cases: &[(&[u8], Line<'_>)] = &[
        (b"aaa\n", frame(1, 0, b"aaa")),
        (b"aaaa\n", frame(1, 0, b"aaaa")),
        (b"aaaaa\n", oversized(1, 0, b"aaaaa")),
        (b"aaa\r\n", frame(1, 0, b"aaa")),
        (b"aaaa\r\n", frame(1, 0, b"aaaa")),
        (b"aaaaa\r\n", oversized(1, 0, b"aaaaa")),
        // Only the last CR is part of the line end; any other counts.
        (b"aaa\r\r\n", frame(1, 0, b"aaa\r")),
        (b"aaaa\r\r\n", oversized(1, 0, b"aaaa\r")),
        (b"\raaa\n", frame(1, 0, b"\raaa")),
        (b"\raaaa\n", oversized(1, 0, b"\raaaa")),
        // Bytes are counted, not characters.
        (b"\xC3\xA9\xC3\xA9\n", frame(1, 0, "éé".as_bytes())),
        (b"\xC3\xA9\xE2\x82\xAC\n", oversized(1, 0, "é€".as_bytes())),
    ];
    for (stream, line) in cases {
        assert_lines(stream, 4, &[*line], 0);
    }
}

#[test]
fn the_limit_holds_without_a_newline_too() {
    let cases: &[(&[u8], Line<'_>)] = &[
        (b"aaaa", frame(1, 0, b"aaaa")),
        (b"aaaaa", oversized(1, 0, b"aaaaa")),
        // A CR at the end of the stream is half of a line end, whose other half is missing.
        (b"aaaa\r", frame(1, 0, b"aaaa")),
        (b"aaa\r\r", frame(1, 0, b"aaa\r")),
        (b"aaaa\r\r", oversized(1, 0, b"aaaa\r")),
    ];
    for (stream, line) in cases {
        assert_lines(stream, 4, &[unterminated(*line)], 0);
    }
}

#[test]
fn whitespace_over_the_limit_is_no_blank_line() {
    assert_lines(b"    \n", 4, &[], 1);
    assert_lines(b"     \n", 4, &[oversized(1, 0, b"     ")], 0);
    assert_lines(b"\r\r\r\r\r\n", 4, &[], 1);
    assert_lines(b"\r\r\r\r\r\r\n", 4, &[oversized(1, 0, b"\r\r\r\r\r")], 0);
}

#[test]
fn a_limit_of_zero_lets_blank_lines_through_and_nothing_else() {
    assert_lines(b"\n\r\n", 0, &[], 2);
    assert_lines(b"a\n\n", 0, &[oversized(1, 0, b"a")], 1);
    assert_lines(b" \n", 0, &[oversized(1, 0, b" ")], 0);
    assert_lines(b"\r\r\n", 0, &[oversized(1, 0, b"\r")], 0);
    assert_lines(b"\xEF\xBB\xBF\n", 0, &[], 1);
    assert_lines(b"\xEF\n", 0, &[oversized(1, 0, b"\xEF")], 0);
}

#[test]
fn a_line_over_the_limit_is_one_event_and_those_around_it_are_read() {
    assert_lines(
        b"a\naaaaa\nb\n\naaaaaaa\r\nc",
        4,
        &[
            frame(1, 0, b"a"),
            oversized(2, 2, b"aaaaa"),
            frame(3, 8, b"b"),
            oversized(5, 11, b"aaaaaaa"),
            unterminated(frame(6, 20, b"c")),
        ],
        1,
    );
}

/// A splitter that forgets that it is discarding would yield the bytes after the limit as a message.
#[test]
fn the_tail_of_an_oversized_line_is_never_delivered() {
    const MESSAGE: &[u8] = br#"{"jsonrpc":"2.0","method":"a","id":1}"#;
    let limit = MESSAGE.len();
    let hostile = [&vec![b'x'; limit], MESSAGE].concat();
    let stream = [&hostile, &b"\n"[..], MESSAGE, b"\n"].concat();
    let case = Case::new(&stream, limit as u32);
    for first in 0..=stream.len() {
        for second in first..=stream.len() {
            let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
            case.check_cut(&chunks, &mut |_, _| {});

            let mut storage = vec![0; limit];
            let mut messages = MessageStream::new(&mut storage[..], &Profile::JSON_RPC);
            let mut seen = Vec::new();
            for mut chunk in chunks {
                while let Some(received) = messages.next(&mut chunk) {
                    seen.push(match received {
                        Received::Message { frame, message: Message::Request(_), .. } => {
                            ("request", frame.line())
                        }
                        Received::Oversized { oversized, .. } => ("oversized", oversized.line()),
                        other => panic!("{other:?}"),
                    });
                }
            }
            assert_eq!(seen, [("oversized", 1), ("request", 2)], "{first} {second}");
        }
    }
}

// ---- The end of the stream ----------------------------------------------------------------------

#[test]
fn bytes_without_a_newline_are_said_once_and_only_when_asked() {
    let mut input = &b"a\nb"[..];
    let mut assembler = Assembler::new([0; 8]);
    assert!(matches!(assembler.next(&mut input), Some(FrameEvent::Frame(_))));
    assert!(assembler.next(&mut input).is_none());
    let Some(FrameEvent::Frame(tail)) = assembler.finish() else {
        panic!("the tail was lost");
    };
    assert_eq!((tail.bytes(), tail.offset(), tail.line()), (&b"b"[..], 2, 2));
    assert!(!tail.is_terminated());
    assert!(assembler.finish().is_none());
    assert!(assembler.finish().is_none());

    let mut buffer = FrameBuffer::new([0; 8]);
    buffer.spare()[..3].copy_from_slice(b"a\nb");
    buffer.commit(3);
    assert!(matches!(buffer.next(), Some(FrameEvent::Frame(_))));
    assert!(buffer.next().is_none());
    assert!(matches!(buffer.finish(), Some(FrameEvent::Frame(tail)) if tail.bytes() == b"b"));
    assert!(buffer.finish().is_none());

    let mut frames = Frames::new(b"a\nb", 8);
    assert_eq!(frames.by_ref().count(), 2);
    assert!(frames.next().is_none());
}

#[test]
fn a_stream_that_ends_with_a_newline_has_no_tail() {
    for stream in [&b""[..], b"a\n", b"a\r\n", b"\n", b"\xEF\xBB\xBF"] {
        let mut rest = stream;
        let mut assembler = Assembler::new([0; 8]);
        while assembler.next(&mut rest).is_some() {}
        assert!(assembler.finish().is_none(), "{}", stream.escape_ascii());
    }
}

// ---- The position in the stream -----------------------------------------------------------------

#[test]
fn the_splitter_tells_where_in_the_stream_it_is() {
    let mut splitter = Splitter::new(3);
    let mut rest = &b"\xEF\xBB\xBFa\n\nbb\naaaa\ncc"[..];
    let mut places = Vec::new();
    loop {
        let step = splitter.step(rest);
        rest = &rest[step.consumed..];
        places.push((splitter.position(), splitter.line_start(), splitter.line()));
        if step.found == Found::NeedMore {
            break;
        }
    }
    // The mark; a; the blank line; bb; aaaa, as an overflow, a piece and its end; the piece cc.
    let expected = [
        (3, 3, 1),
        (5, 5, 2),
        (6, 6, 3),
        (9, 9, 4),
        (9, 9, 4),
        (13, 9, 4),
        (14, 14, 5),
        (16, 14, 5),
        (16, 14, 5),
    ];
    assert_eq!(places, expected);
    assert_eq!((splitter.limit(), splitter.blank_lines()), (3, 1));
}

/// An oversized line may be longer than 32 bits can express, and so may a stream.
#[test]
fn offsets_and_lengths_do_not_wrap_at_4_gib() {
    const CHUNK: usize = 1 << 20;
    const CHUNKS: u64 = (1 << 12) + 1;
    let chunk = vec![b'x'; CHUNK];
    let length = CHUNKS * CHUNK as u64;
    assert!(length > u64::from(u32::MAX));

    let mut assembler = Assembler::new([0; 16]);
    let mut input = &b"a\n\n"[..];
    assert!(assembler.next(&mut input).is_some());
    assert!(assembler.next(&mut input).is_none());
    for _ in 0..CHUNKS {
        let mut input = &chunk[..];
        assert!(assembler.next(&mut input).is_none() && input.is_empty());
    }
    let mut input = &b"\r\nb\n"[..];
    let Some(FrameEvent::Oversized(line)) = assembler.next(&mut input) else {
        panic!("the line is over the limit");
    };
    assert_eq!((line.offset(), line.line(), line.length()), (3, 3, length));
    let Some(FrameEvent::Frame(frame)) = assembler.next(&mut input) else {
        panic!("the next line is not");
    };
    assert_eq!((frame.offset(), frame.line(), frame.bytes()), (length + 5, 4, &b"b"[..]));
    assert_eq!(assembler.framing().position(), length + 7);
}

// ---- Borrowed memory ----------------------------------------------------------------------------

fn lies_in(frame: &Frame<'_>, memory: &[u8]) -> bool {
    let (frame, memory) = (frame.bytes().as_ptr_range(), memory.as_ptr_range());
    memory.start <= frame.start && frame.end <= memory.end
}

#[test]
fn a_frame_that_lies_whole_in_a_chunk_is_borrowed_from_it() {
    let chunks: [&[u8]; 4] = [b"a\r\nbb\nc", b"c\nd", b"\nee\n", b"f\n"];
    let mut storage = [0; 8];
    let storage_range = storage.as_ptr_range();
    let mut assembler = Assembler::new(&mut storage[..]);
    let mut borrowed = Vec::new();
    for chunk in chunks {
        let mut rest = chunk;
        while let Some(event) = assembler.next(&mut rest) {
            let FrameEvent::Frame(frame) = event else {
                panic!("nothing here is over the limit");
            };
            let from_chunk = lies_in(&frame, chunk);
            assert!(from_chunk || storage_range.contains(&frame.bytes().as_ptr()));
            borrowed.push((frame.bytes()[0], from_chunk));
        }
    }
    let spans =
        [(b'a', true), (b'b', true), (b'c', false), (b'd', false), (b'e', true), (b'f', true)];
    assert_eq!(borrowed, spans);
}

#[test]
fn frames_of_a_whole_slice_are_all_borrowed_from_it() {
    let stream = b"\xEF\xBB\xBFa\nbb\r\nccc\r";
    let mut count = 0;
    for event in Frames::new(stream, 8) {
        let FrameEvent::Frame(frame) = event else {
            panic!("nothing here is over the limit");
        };
        assert!(lies_in(&frame, stream));
        count += 1;
    }
    assert_eq!(count, 3);
}

// ---- Storage ------------------------------------------------------------------------------------

#[test]
fn the_limit_is_never_above_what_the_storage_holds() {
    assert_eq!(Assembler::new([0; 8]).framing().limit(), 8);
    assert_eq!(Assembler::with_limit([0; 8], 5).framing().limit(), 5);
    assert_eq!(Assembler::with_limit([0; 8], 9).framing().limit(), 8);
    // A buffer needs room for the line end too.
    assert_eq!(FrameBuffer::new([0; 8]).framing().limit(), 6);
    assert_eq!(FrameBuffer::with_limit([0; 8], 5).framing().limit(), 5);
    assert_eq!(FrameBuffer::with_limit([0; 8], 7).framing().limit(), 6);
    assert_eq!(DEFAULT_LIMIT, 16 << 20);
    #[cfg(feature = "alloc")]
    {
        use tautline::frame::HeapBuffer;
        let limit = |storage| Assembler::new(storage).framing().limit();
        assert_eq!(limit(HeapBuffer::default()), DEFAULT_LIMIT);
        assert_eq!(limit(HeapBuffer::new(5)), 5);
        let limit = |storage| FrameBuffer::new(storage).framing().limit();
        assert_eq!(limit(HeapBuffer::default()), DEFAULT_LIMIT);
        assert_eq!(limit(HeapBuffer::new(5)), 5);
    }
}

/// Streams in which bytes are held back at every position where storage may be full.
const TIGHT: &[&[u8]] = &[
    b"\xEF\xBB\xBFa\r\nbb\r\n",
    b"\xEF\xBBa\n\xEF\xBB\xBF\n",
    b"\r\r\r\n\r\r\r\r\r\n\r",
    b"a\r\naa\r\naaa\r\naaaa\r\naaaaa\r\n",
    b"a\raa\raaa\raaaa\n",
    b"\r\n\n\r\na\r\n\r\n",
    b" \n  \n   \n    \n     \na\n",
];

#[test]
fn an_assembler_does_with_storage_of_any_size() {
    fn check<const N: usize>() {
        for stream in TIGHT {
            let mut assembler = Assembler::new([0; N]);
            let Split { lines, blank, .. } = split(stream, N as u32);
            let mut seen = Vec::new();
            for mut chunk in stream.chunks(1) {
                while let Some(event) = assembler.next(&mut chunk) {
                    seen.push(owned(event));
                }
            }
            while let Some(event) = assembler.finish() {
                seen.push(owned(event));
            }
            assert_eq!(seen, lines.iter().map(expected).collect::<Vec<_>>());
            assert_eq!(assembler.framing().blank_lines(), blank);
        }
    }
    check::<0>();
    check::<1>();
    check::<2>();
    check::<3>();
    check::<4>();
}

/// With less than 3 bytes, the room may run out; what is reported until then holds.
#[test]
fn a_buffer_of_3_bytes_or_more_always_has_room_once_it_was_asked_for_its_lines() {
    fn check<const N: usize>() {
        // As much as fits, or less.
        for most in 1..=N.max(1) {
            for stream in TIGHT {
                let mut buffer = FrameBuffer::new([0; N]);
                let lines = split(stream, N.saturating_sub(2) as u32).lines;
                let mut seen = Vec::new();
                let mut unread = *stream;
                while !unread.is_empty() {
                    let spare = buffer.spare();
                    let (read, rest) = unread.split_at(spare.len().min(most).min(unread.len()));
                    if read.is_empty() {
                        assert!(N < 3, "stuck before {}", unread.escape_ascii());
                        break;
                    }
                    spare[..read.len()].copy_from_slice(read);
                    buffer.commit(read.len());
                    unread = rest;
                    while let Some(event) = buffer.next() {
                        seen.push(owned(event));
                    }
                }
                if unread.is_empty() {
                    while let Some(event) = buffer.finish() {
                        seen.push(owned(event));
                    }
                    assert_eq!(seen.len(), lines.len());
                }
                let lines: Vec<_> = lines.iter().map(expected).collect();
                assert!(lines.starts_with(&seen), "{seen:?} {lines:?}");
            }
        }
    }
    check::<0>();
    check::<1>();
    check::<2>();
    check::<3>();
    check::<4>();
    check::<5>();
    check::<6>();
}

/// A line's offset, and its bytes if it is no longer than the limit.
type Seen = (u64, Option<Vec<u8>>);

fn owned(event: FrameEvent<'_>) -> Seen {
    match event {
        FrameEvent::Frame(frame) => (frame.offset(), Some(frame.bytes().to_vec())),
        FrameEvent::Oversized(oversized) => (oversized.offset(), None),
        other => panic!("an event that is not known here: {other:?}"),
    }
}

fn expected(line: &Line<'_>) -> Seen {
    let bytes = (line.kind == Kind::Frame).then(|| line.bytes.to_vec());
    (line.offset, bytes)
}

#[test]
fn no_more_is_committed_than_there_was_room_for() {
    let mut buffer = FrameBuffer::new(*b"a\nb\n");
    buffer.commit(usize::MAX);
    let mut seen = Vec::new();
    while let Some(event) = buffer.next() {
        seen.push(owned(event));
    }
    assert_eq!(seen, [(0, Some(b"a".to_vec())), (2, Some(b"b".to_vec()))]);
    assert_eq!(buffer.framing().position(), 4);
    assert_eq!(buffer.spare().len(), 4);
}

#[test]
fn a_buffer_may_be_asked_for_room_between_two_lines() {
    let mut buffer = FrameBuffer::new([0; 8]);
    buffer.spare().copy_from_slice(b"a\nb\nc\nd\n");
    buffer.commit(8);
    assert!(buffer.spare().is_empty(), "it was not asked for its lines");
    let mut seen = Vec::new();
    while let Some(event) = buffer.next() {
        seen.push(owned(event).1.unwrap());
        // Until it has no lines left, the buffer decides how much room there is.
        let _ = buffer.spare();
    }
    assert_eq!(seen, [b"a", b"b", b"c", b"d"]);
    assert_eq!(buffer.spare().len(), 8);
}

/// Work is linear in the input, however often the caller asks for room.
#[test]
fn room_between_two_lines_is_not_made_by_moving_all_the_others_every_time() {
    let wire = b"a\n".repeat(1000);
    let mut storage = vec![0; wire.len()];
    let mut place = storage.as_ptr().addr();
    let mut buffer = FrameBuffer::new(&mut storage[..]);
    buffer.spare().copy_from_slice(&wire);
    buffer.commit(wire.len());
    let mut moved = 0;
    let mut count = 0;
    while let Some(event) = buffer.next() {
        let FrameEvent::Frame(frame) = event else {
            panic!("nothing here is over the limit");
        };
        // The address that the first byte of the stream would have, if it were still in memory.
        let offset = frame.offset() as usize;
        let now = frame.bytes().as_ptr().addr().wrapping_sub(offset);
        if std::mem::replace(&mut place, now) != now {
            moved += wire.len() - offset;
        }
        count += 1;
        let _ = buffer.spare();
    }
    assert_eq!(count, 1000);
    // All of them once, half of them twice, and so on.
    assert!(moved <= 2 * wire.len(), "{moved} bytes were moved, of {}", wire.len());
}
