//! The contract of server-sent events, in examples small enough to read, and as a property.
//!
//! Every example runs through every driver: whole, byte by byte, and cut once at every position.

use proptest::prelude::*;
use tautline::frame::{Assembler, FrameEvent, Framing, ServerSentEvents};
use tautline::rule;
use tautline::stream::{MessageStream, Received};
use tautline::{Message, Profile};

use crate::support::checks::frame_sse::{case, check};
use crate::support::framings::{Behind, HIGHEST_LIMIT, Seen};
use crate::support::presets::Revision;
use crate::support::volume::volume;

/// The state of the stream with an event of the default type, without an id.
const MESSAGE: &str = "type message\nid \nretry None";

fn event(line: u64, offset: u64, data: &[u8]) -> Seen {
    about(line, offset, data, MESSAGE)
}

fn about(line: u64, offset: u64, data: &[u8], about: &str) -> Seen {
    let (bytes, about) = (data.to_vec(), about.to_owned());
    Seen::Frame { offset, line, bytes, terminated: true, about }
}

fn oversized(line: u64, offset: u64, data: &[u8], about: &str) -> Seen {
    let (length, dropped, about) = (data.len() as u64, data.to_vec(), about.to_owned());
    Seen::Oversized { offset, line, length, terminated: true, dropped, about }
}

fn unfinished(offset: u64, length: u64, data: &[u8]) -> Seen {
    Seen::Unfinished { offset, length, dropped: data.to_vec() }
}

#[track_caller]
fn assert_events(stream: &[u8], limit: u32, events: &[Seen]) {
    let case = case(stream, limit, Behind::Stop);
    assert_eq!(case.expected, events, "the twin, of {}", stream.escape_ascii());
    case.check_cuts();
}

#[test]
fn cr_lf_and_both_end_a_line() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = "data: a\n\n: b\n\ndata: c\ndata: d\n\n\n\ndata: e\n\n".replace('\n', end);
        let long = end.len() as u64;
        let places = [6, 16 + 4 * long, 30 + 9 * long];
        assert_events(
            stream.as_bytes(),
            100,
            &[event(1, places[0], b"a"), event(5, places[1], b"c\nd"), event(10, places[2], b"e")],
        );
    }
    // All of them end a line. CR LF is one line end, LF CR is two.
    assert_events(
        b"data: a\r\rdata: b\r\n\ndata: c\n\r\n",
        100,
        &[event(1, 6, b"a"), event(3, 15, b"b"), event(5, 25, b"c")],
    );
    assert_events(b"data: a\n\rdata: b\r\r\n\n", 100, &[event(1, 6, b"a"), event(3, 15, b"b")]);
    assert_events(b"data: a\r\ndata: b\r\n\r\n", 100, &[event(1, 6, b"a\nb")]);
    // NEL and the like do not end a line.
    let stream = "data: a\u{85}\u{2028}\x0Bb\n\n";
    assert_events(stream.as_bytes(), 100, &[event(1, 6, "a\u{85}\u{2028}\x0Bb".as_bytes())]);
}

#[test]
fn data_is_joined_and_loses_one_space() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"data:a\n\n", &[event(1, 5, b"a")]),
        (b"data:  a \n\n", &[event(1, 6, b" a ")]),
        (b"data:\ta\n\n", &[event(1, 5, b"\ta")]),
        (b"data: {\"a\":\ndata: 1}\n\n", &[event(1, 6, b"{\"a\":\n1}")]),
        (b"data: a\nid\n: b\ndata: c\n\n", &[event(1, 6, b"a\nc")]),
        (b"data\ndata\n\n", &[event(1, 4, b"\n")]),
        (b"data:\ndata: a\n\n", &[event(1, 5, b"\na")]),
        (b"data: a\ndata\n\n", &[event(1, 6, b"a\n")]),
        (b"data:a:b\n\n", &[event(1, 5, b"a:b")]),
        (b"data: \xFF\0\n\n", &[event(1, 6, b"\xFF\0")]),
        (b": c\n\n\nid: \ndata: a\n\n", &[event(5, 17, b"a")]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 100, events);
    }
}

#[test]
fn an_event_without_data_is_none_and_one_with_empty_data_is() {
    for stream in
        [&b""[..], b"\n", b": a\n\n", b"event: a\n\n", b"\r\r\r", b"dat: a\n\n", b"retry: 1\n\n"]
    {
        assert_events(stream, 100, &[]);
    }
    for (stream, offset) in
        [(&b"data:\n\n"[..], 5), (b"data: \r\n\r\n", 6), (b"data\n\n", 4), (b"data\r\r", 4)]
    {
        assert_events(stream, 100, &[event(1, offset, b"")]);
        assert_events(stream, 0, &[event(1, offset, b"")]);
    }
}

#[test]
fn names_are_exact_and_other_fields_are_skipped() {
    for stream in [
        &b"Data: a\n\n"[..],
        b" data: a\n\n",
        b"data : a\n\n",
        b"datas: a\n\n",
        b"dat\n\n",
        b"\0data: a\n\n",
        b"\xEF\xBB\xBFdata : a\n\n",
        b"something long: data: a\n\n",
    ] {
        assert_events(stream, 100, &[]);
    }
    let stream = [b"x: ", &[b'x'; 500][..], b"\ndata: a\n: ", &[b'x'; 500][..], b"\n\n"].concat();
    assert_events(&stream, 100, &[event(2, 510, b"a")]);
}

#[test]
fn one_byte_order_mark_at_the_start_is_skipped() {
    assert_events(b"\xEF\xBB\xBFdata: a\n\n", 100, &[event(1, 9, b"a")]);
    assert_events(b"\xEF\xBB\xBF", 100, &[]);
    assert_events(b"\xEF\xBB\xBF:\n", 100, &[]);
    // A second or partial mark is part of a name.
    assert_events(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", 100, &[]);
    assert_events(b"\xEF\xBBdata: a\ndata: b\n\n", 100, &[event(2, 16, b"b")]);
    assert_events(b"\n\xEF\xBB\xBFdata: a\n\n", 100, &[]);
    assert_events(b"\xEF\xBB", 100, &[unfinished(0, 2, b"")]);
}

#[test]
fn an_event_that_does_not_end_is_said_and_is_no_frame() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"data: a\n", &[unfinished(0, 8, b"a")]),
        (b"data: a", &[unfinished(0, 7, b"a")]),
        (b"data: a\r", &[unfinished(0, 8, b"a")]),
        (b"data: a\n\nid: 1\ndata: b\ndata: c", &[event(1, 6, b"a"), unfinished(9, 21, b"b\nc")]),
        (b"data: a\n\n: b\nd", &[event(1, 6, b"a"), unfinished(13, 1, b"")]),
        (b"\nid: 1", &[unfinished(1, 5, b"")]),
        (b"data: a\ndata:", &[unfinished(0, 13, b"a")]),
        (b"data: a\ndata: ", &[unfinished(0, 14, b"a")]),
        // A comment is complete without a blank line.
        (b"data: a\n\n: b", &[event(1, 6, b"a")]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 100, events);
    }
}

#[test]
fn the_last_id_stays_until_there_is_another() {
    let of = |id: &str| format!("type message\nid {id}\nretry None");
    let stream = b"data: a\n\nid: 1\ndata: b\n\ndata: c\n\nid\ndata: d\n\nid:2\nid: 3\ndata: e\n\n";
    assert_events(
        stream,
        100,
        &[
            event(1, 6, b"a"),
            about(4, 21, b"b", &of("1")),
            about(6, 30, b"c", &of("1")),
            about(9, 42, b"d", &of("")),
            about(13, 62, b"e", &of("3")),
        ],
    );
    // An id with NUL is ignored; an event without data sets the id too.
    let stream = b"id: 1\n\nid: 2\0\ndata: a\n\nid: \xC3\xA9\r\rdata: b\n\n";
    assert_events(
        stream,
        100,
        &[about(4, 20, b"a", &of("1")), about(8, 37, b"b", &of("\\xc3\\xa9"))],
    );
}

/// A reconnecting client asks for the events that it has not received completely.
#[test]
fn the_id_of_an_event_that_does_not_end_does_not_count() {
    let mut assembler = Assembler::with_framing([0; 64], ServerSentEvents::new(64));
    let mut chunk = &b"id: 8\ndata: a\n\nretry: 10\nid: 9\ndata: b\n"[..];
    assert!(matches!(assembler.next(&mut chunk), Some(FrameEvent::Frame(_))));
    assert!(assembler.next(&mut chunk).is_none());
    assert!(matches!(assembler.finish(), Some(FrameEvent::Unfinished(_))));
    assert_eq!(assembler.framing().last_event_id(), Ok(&b"8"[..]));
    assert_eq!(assembler.framing().retry(), Some(10));
    assert_eq!(assembler.framing().position(), 39);
}

#[test]
fn retry_is_digits_alone() {
    let stream = |retry: &str| format!("retry: 7\n\nretry{retry}\ndata: a\n\n");
    for (retry, milliseconds) in [
        (":3000", 3000),
        (": 0", 0),
        (":007", 7),
        ("", 7),
        (":", 7),
        (": ", 7),
        (":  1", 7),
        (": 1 ", 7),
        (": -1", 7),
        (": +1", 7),
        (": 1.5", 7),
        (": 1a", 7),
        (":99999999999999999999", u64::MAX),
    ] {
        let text = stream(retry);
        let offset = text.len() as u64 - 3;
        let of = format!("type message\nid \nretry {:?}", Some(milliseconds));
        assert_events(text.as_bytes(), 100, &[about(4, offset, b"a", &of)]);
    }
}

#[test]
fn the_type_is_that_of_one_event() {
    let of = |kind: &str| format!("type {kind}\nid \nretry None");
    let stream = b"event: endpoint\ndata: a\n\ndata: b\n\nevent: x\n\ndata: c\n\nevent: x\nevent\ndata: d\n\n";
    assert_events(
        stream,
        100,
        &[
            about(2, 22, b"a", &of("endpoint")),
            event(4, 31, b"b"),
            event(8, 50, b"c"),
            event(12, 74, b"d"),
        ],
    );
}

#[test]
fn types_and_ids_are_kept_up_to_a_length() {
    for (beyond, kept) in [(0, true), (1, false)] {
        let kind = "k".repeat(ServerSentEvents::LONGEST_TYPE + beyond);
        let id = "i".repeat(ServerSentEvents::LONGEST_ID + beyond);
        let stream = format!("event: {kind}\nid: {id}\ndata: a\n\ndata: b\n\n");
        let id = if kept { &id } else { "TooLong" };
        let first = format!("type {}\nid {id}\nretry None", if kept { &kind } else { "TooLong" });
        let second = format!("type message\nid {id}\nretry None");
        let offset = stream.len() as u64 - 12;
        assert_events(
            stream.as_bytes(),
            100,
            &[about(3, offset, b"a", &first), about(5, offset + 9, b"b", &second)],
        );
    }
}

#[test]
fn data_over_the_limit_is_one_event_and_the_next_is_read() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"data: aaaa\n\n", &[event(1, 6, b"aaaa")]),
        (b"data: aaaaa\n\n", &[oversized(1, 6, b"aaaaa", MESSAGE)]),
        (b"data: aaaaa\n\ndata: b\n\n", &[oversized(1, 6, b"aaaaa", MESSAGE), event(3, 19, b"b")]),
        // The LF that joins counts.
        (b"data: aa\ndata: a\n\n", &[event(1, 6, b"aa\na")]),
        (b"data: aa\ndata: aa\n\n", &[oversized(1, 6, b"aa\naa", MESSAGE)]),
        (b"data: aaaa\ndata\n\n", &[oversized(1, 6, b"aaaa\n", MESSAGE)]),
        (b"data: aaaa\ndata\ndata: b\n\n", &[oversized(1, 6, b"aaaa\n\nb", MESSAGE)]),
        (b"data: aaaaa\n", &[unfinished(0, 12, b"aaaaa")]),
        (b"data: aaaaa", &[unfinished(0, 11, b"aaaaa")]),
        (b"data: aaaa\ndata: ", &[unfinished(0, 17, b"aaaa")]),
        (
            b"event: a\ndata: aaaaa\n\ndata: aaaaa\n\n",
            &[
                oversized(2, 15, b"aaaaa", "type a\nid \nretry None"),
                oversized(4, 28, b"aaaaa", MESSAGE),
            ],
        ),
        // Nothing else counts.
        (
            b"event: aaaaa\nid: aaaaaaa\n: aaaaaa\ndata: a\n\n",
            &[about(4, 40, b"a", "type aaaaa\nid aaaaaaa\nretry None")],
        ),
    ];
    for (stream, events) in cases {
        assert_events(stream, 4, events);
    }
    // The id of an oversized event is still read.
    let stream = b"id: 1\ndata: aaaaa\n\ndata: b\n\n";
    let second = about(4, 25, b"b", "type message\nid 1\nretry None");
    assert_events(
        stream,
        4,
        &[oversized(2, 12, b"aaaaa", "type message\nid 1\nretry None"), second],
    );
}

/// Events of MCP servers that clients have stumbled over.
#[test]
fn a_stream_of_mcp_has_messages_and_what_is_none() {
    let stream = b"id: 0\nretry: 500\ndata:\n\n: keep-alive\n\nevent: message\nid: 1\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\nevent: endpoint\ndata: /messages\n\n\
        data: {}\n\ndata: {\"jsonrpc\"";
    let assembler = Assembler::with_framing([0; 64], ServerSentEvents::new(64));
    let mut messages = MessageStream::with_assembler(assembler, &Revision::V2025_11_25.profile());
    let mut kinds = Vec::new();
    let mut rest = &stream[..];
    let mut note = |received: Received<'_>| {
        kinds.push(match received {
            Received::NoMessage(FrameEvent::Frame(frame)) => {
                format!("none: {}", frame.bytes().escape_ascii())
            }
            Received::Message { message: Message::Response(_), .. } => "response".to_owned(),
            Received::Fault { fault, .. } => rule::name(fault.rule()).to_owned(),
            Received::Unfinished(unfinished) => format!("{} bytes", unfinished.length()),
            other => panic!("{other:?}"),
        });
    };
    while let Some(received) = messages.next(&mut rest) {
        note(received);
    }
    while let Some(received) = messages.finish() {
        note(received);
    }
    assert_eq!(kinds, ["none: ", "response", "none: /messages", "missing-jsonrpc", "16 bytes"]);
    assert_eq!(messages.framing().last_event_id(), Ok(&b"1"[..]));
}

#[test]
fn what_is_too_long_and_no_message_is_owed_nothing() {
    let assembler = Assembler::with_framing([0; 8], ServerSentEvents::new(8));
    let mut messages = MessageStream::with_assembler(assembler, &Profile::JSON_RPC);
    let mut rest: &[u8] = b"event: x\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n\n\
        data: {\"jsonrpc\":\"2.0\",\"method\":\"b\",\"id\":2}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\"";
    let first = messages.next(&mut rest);
    assert!(matches!(first, Some(Received::NoMessage(FrameEvent::Oversized(_)))), "{first:?}");
    // The bytes observed of the first are not part of the second.
    let Some(Received::Oversized { fault, .. }) = messages.next(&mut rest) else { panic!() };
    assert_eq!(fault.reply().unwrap().raw_id().map(|id| id.as_bytes()), Some(&b"2"[..]));
    assert_eq!(messages.next(&mut rest), None);
    let last = messages.finish();
    assert!(matches!(last, Some(Received::Unfinished(_))), "{last:?}");
    // Nor are the bytes observed of a truncated event part of a later one.
    rest = b"data: {\"jsonrpc\":\"2.0\",\"method\":\"c\",\"id\":3}\n\n";
    let Some(Received::Oversized { fault, .. }) = messages.next(&mut rest) else { panic!() };
    assert_eq!(fault.reply().unwrap().raw_id().map(|id| id.as_bytes()), Some(&b"3"[..]));
}

/// An event that the end of the stream cut off has no effect on a following stream.
#[test]
fn an_event_that_was_cut_leaves_nothing_behind() {
    let mut assembler = Assembler::with_framing([0; 8], ServerSentEvents::new(8));
    let mut rest: &[u8] = b"id: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\n";
    assert!(assembler.next(&mut rest).is_some() && assembler.next(&mut rest).is_none());
    assert!(matches!(assembler.finish(), Some(FrameEvent::Unfinished(_))));
    rest = b"data: c\n\n";
    let Some(FrameEvent::Frame(frame)) = assembler.next(&mut rest) else { panic!() };
    assert_eq!(frame.bytes(), b"c");
    let stream = assembler.framing();
    assert_eq!((stream.event_type(), stream.last_event_id()), (Ok(&b"message"[..]), Ok(&b"1"[..])));
}

/// The tokens of the framing, and some others.
const TOKENS: &[&[u8]] = &[
    b"data",
    b"data:",
    b"data: ",
    b"data: a\n",
    b"data:\r\n",
    b"event: x\n",
    b"event",
    b"id: 7\n",
    b"id:\0\n",
    b"id",
    b"retry: 9\r",
    b"retry",
    b":",
    b": c\n",
    b" ",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\r",
    b"\xEF\xBB\xBF",
    b"\xEF",
    b"x",
    b"1",
    b"\0",
    b"message",
];

fn stretch() -> impl Strategy<Value = Vec<u8>> {
    let event =
        ("[a-z]{0,40}", "[0-9]{0,150}", ".{0,30}", 0..6_u8).prop_map(|(kind, id, data, shape)| {
            match shape {
                0 => format!("event: {kind}\nid: {id}\ndata: {data}\n\n"),
                1 => format!("data: {data}\r\ndata: {kind}\r\n\r\n"),
                2 => format!("id:{id}\r\r"),
                3 => format!("retry:{id}\ndata:{data}\n\n"),
                _ => format!("data: {data}\n\n"),
            }
            .into_bytes()
        });
    prop_oneof![
        3 => event,
        6 => prop::sample::select(TOKENS).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

/// What is passed on before an event begins never belongs to it, however the stream is cut.
#[test]
fn it_is_known_where_an_event_begins() {
    for (stream, start) in [
        ("", None),
        (": a", None),
        (": a\n", None),
        ("d", Some(0)),
        ("\ndata", Some(1)),
        ("data: a\n", Some(0)),
        ("data: a\n: b\n", Some(0)),
        ("data: a\n\n", None),
        ("data: a\r\n\r", None),
        ("data: a\r\r\nx", Some(10)),
        ("id: 1\n\n:\nretry: 1", Some(9)),
        ("\u{feff}", None),
        ("\u{feff}data", Some(3)),
        ("\u{feff}: a\nevent", Some(7)),
    ] {
        let whole = stream.as_bytes();
        for cut in 0..=whole.len() {
            let mut events = ServerSentEvents::new(100);
            for mut piece in [&whole[..cut], &whole[cut..]] {
                while !piece.is_empty() {
                    let step = events.step(piece);
                    piece = &piece[step.consumed..];
                }
            }
            assert_eq!(events.event_start(), start, "{stream:?} cut at {cut}");
        }
    }
    // A byte order mark that is not complete may be the beginning of a field.
    let mut events = ServerSentEvents::new(100);
    let _ = events.step(b"\xef\xbb");
    assert_eq!(events.event_start(), Some(0));
    let _ = events.step(b"\xbb\n\n");
    assert_eq!(events.event_start(), None);
}

/// Lines are joined in place: if bytes moved more than a few times, this would take minutes.
#[cfg(feature = "alloc")]
#[test]
fn joining_lines_is_linear() {
    use tautline::frame::{FrameBuffer, HeapBuffer};

    const LINES: usize = 300_000;
    let wire = [&b"data: x\n".repeat(LINES)[..], b"\n"].concat();
    let framing = ServerSentEvents::new(1 << 24);
    let mut buffer = FrameBuffer::with_framing(HeapBuffer::new(1 << 24), framing);
    let mut length = 0;
    let mut rest = &wire[..];
    while !rest.is_empty() {
        let room = buffer.spare();
        let (read, behind) = rest.split_at(13.min(room.len()).min(rest.len()));
        room[..read.len()].copy_from_slice(read);
        buffer.commit(read.len());
        rest = behind;
        if let Some(FrameEvent::Frame(frame)) = buffer.next() {
            length = frame.bytes().len();
        }
    }
    assert_eq!(length, 2 * LINES - 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(500)))]

    #[test]
    fn the_cut_makes_no_difference(
        stretches in prop::collection::vec(stretch(), 0..16),
        limit in prop_oneof![0..9_u32, 9..HIGHEST_LIMIT],
        sizes in prop::collection::vec(1..30_u8, 0..8),
        resyncs: bool,
    ) {
        let flags = sizes.len() as u8 | if resyncs { 128 } else { 0 };
        check(&[&[limit as u8, flags], &sizes[..], &stretches.concat()].concat());
    }
}
