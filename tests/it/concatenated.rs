//! The contract of concatenated JSON, in examples small enough to read, and as a property.
//!
//! Every example runs through every driver: whole, byte by byte, and cut once at every position.

use proptest::prelude::*;
use tautline::frame::{Assembler, Concatenated, FrameEvent, Framing};

use crate::support::checks::frame_concatenated::{case, check};
use crate::support::framings::{Behind, HIGHEST_LIMIT, Seen};
use crate::support::volume::volume;

/// Returns the value of this number, which ends before the stream does.
fn value(line: u64, offset: u64, bytes: &[u8]) -> Seen {
    let (bytes, about) = (bytes.to_vec(), String::new());
    Seen::Frame { offset, line, bytes, terminated: true, about }
}

/// Returns a bare value that the end of the stream may have cut off.
fn last(line: u64, offset: u64, bytes: &[u8]) -> Seen {
    let (bytes, about) = (bytes.to_vec(), String::new());
    Seen::Frame { offset, line, bytes, terminated: false, about }
}

fn oversized(line: u64, offset: u64, bytes: &[u8], terminated: bool) -> Seen {
    let length = bytes.len() as u64;
    let (dropped, about) = (bytes.to_vec(), String::new());
    Seen::Oversized { offset, line, length, terminated, dropped, about }
}

fn unfinished(offset: u64, bytes: &[u8]) -> Seen {
    Seen::Unfinished { offset, length: bytes.len() as u64, dropped: bytes.to_vec() }
}

fn lost(offset: u64) -> Seen {
    Seen::Desynchronised { offset, cause: "value-expected" }
}

/// Returns bytes skipped while resynchronising without success.
fn skipped(offset: u64, length: u64) -> Seen {
    Seen::Unfinished { offset, length, dropped: Vec::new() }
}

#[track_caller]
fn assert_events(stream: &[u8], limit: u32, behind: Behind, events: &[Seen]) {
    let case = case(stream, limit, behind);
    assert_eq!(case.expected, events, "the twin, of {}", stream.escape_ascii());
    case.check_whole();
    case.check_cuts();
}

#[test]
fn values_stand_back_to_back_or_with_whitespace_between_them() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"", &[]),
        (b" \t\r\n", &[]),
        (b"{}", &[value(1, 0, b"{}")]),
        (b"{}[]\"\"", &[value(1, 0, b"{}"), value(2, 2, b"[]"), value(3, 4, b"\"\"")]),
        (b" {}\r\n\n\t[] ", &[value(1, 1, b"{}"), value(2, 7, b"[]")]),
        (b"{\n  \"a\": [\n    1\n  ]\n}\n", &[value(1, 0, b"{\n  \"a\": [\n    1\n  ]\n}")]),
        (b"1 2\n", &[value(1, 0, b"1"), value(2, 2, b"2")]),
        (
            b"true[false]null{}",
            &[
                value(1, 0, b"true"),
                value(2, 4, b"[false]"),
                value(3, 11, b"null"),
                value(4, 15, b"{}"),
            ],
        ),
        (b"-1.5e+3\"a\"0", &[value(1, 0, b"-1.5e+3"), value(2, 7, b"\"a\""), last(3, 10, b"0")]),
        (b"\xEF\xBB\xBF{}", &[value(1, 3, b"{}")]),
        (b"\xEF\xBB\xBF", &[]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 100, Behind::Stop, events);
    }
}

#[test]
fn brackets_and_quotes_in_strings_end_nothing() {
    for text in [
        &br#"{"a":"}"}"#[..],
        br#"["]"]"#,
        br#""\"""#,
        br#"{"\\":"\\\"}{"}"#,
        br#"["\\",{"a":["\"]"]}]"#,
        b"[\"\n\"]",
    ] {
        let stream = [text, text].concat();
        let events = [value(1, 0, text), value(2, text.len() as u64, text)];
        assert_events(&stream, 100, Behind::Stop, &events);
    }
}

#[test]
fn what_is_in_a_value_is_not_looked_at() {
    for text in [&b"[}"[..], b"{]", b"[,,:]", b"{\xFF\0}", b"[nul]", b"\"\xFF\"", b"{[}]"] {
        assert_events(text, 100, Behind::Stop, &[value(1, 0, text)]);
    }
    // Nor is a malformed word or number.
    for text in [&b"not"[..], b"truefalse", b"1.2.3", b"-", b"1_000", b"0x1F"] {
        assert_events(text, 100, Behind::Stop, &[last(1, 0, text)]);
    }
}

#[test]
fn only_a_bare_word_or_number_may_have_been_cut_and_be_a_frame() {
    assert_events(b"[1]", 100, Behind::Stop, &[value(1, 0, b"[1]")]);
    assert_events(b"12", 100, Behind::Stop, &[last(1, 0, b"12")]);
    assert_events(b"12 ", 100, Behind::Stop, &[value(1, 0, b"12")]);
    for text in [&b"["[..], b"{\"a\":1", b"\"", b"\"\\", b"\"\\\"", b"[\"]", b"[[]"] {
        let stream = [b"{} ", text].concat();
        let events = [value(1, 0, b"{}"), unfinished(3, text)];
        assert_events(&stream, 100, Behind::Stop, &events);
        assert_events(&stream, 100, Behind::Resync, &events);
    }
    assert_events(b"\xEF\xBB", 100, Behind::Stop, &[skipped(0, 2)]);
}

#[test]
fn a_byte_that_begins_no_value_is_where_the_place_is_lost() {
    for text in [
        &b"}"[..],
        b"]",
        b",",
        b":",
        b"+1",
        b".5",
        b"Infinity",
        b"NaN",
        b"'a'",
        b"\0",
        b"\x0B",
        b"\\",
        b"/",
        b"\xFF",
        b"\xC2\xA0",
        b"Content-Length: 2\r\n\r\n{}",
    ] {
        let stream = [b"[1]\n", text, b" {}"].concat();
        assert_events(&stream, 100, Behind::Stop, &[value(1, 0, b"[1]"), lost(4)]);
    }
    assert_events(b"{},{}", 100, Behind::Stop, &[value(1, 0, b"{}"), lost(2)]);
    assert_events(b"1,2", 100, Behind::Stop, &[value(1, 0, b"1"), lost(1)]);
    assert_events(b"[1]]", 100, Behind::Stop, &[value(1, 0, b"[1]"), lost(3)]);
    // A byte order mark is only allowed at the start of the stream, whole, and once.
    assert_events(b"{}\xEF\xBB\xBF", 100, Behind::Stop, &[value(1, 0, b"{}"), lost(2)]);
    assert_events(b"\xEF\xBB\xBF\xEF\xBB\xBF{}", 100, Behind::Stop, &[lost(3)]);
    assert_events(b"\xEF\xBB{}", 100, Behind::Stop, &[lost(0)]);
    assert_events(b"\xEF{}", 100, Behind::Stop, &[lost(0)]);
}

#[test]
fn a_resync_goes_on_at_a_line_that_begins_with_a_bracket() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"log {\n{}", &[lost(0), value(1, 6, b"{}")]),
        (b"INFO [main] {}\n  [1]\n", &[lost(0), value(1, 17, b"[1]")]),
        (b"}\r\n\n \t{} {}", &[lost(0), value(1, 6, b"{}"), value(2, 9, b"{}")]),
        // Resynchronising ignores numbers and strings: log lines begin with those.
        (b"}\n12\n\"a\"\n{}", &[lost(0), value(1, 9, b"{}")]),
        (b"}\nx\n{}\n]\n{}", &[lost(0), value(1, 4, b"{}"), lost(7), value(2, 9, b"{}")]),
        (b"} {}", &[lost(0), skipped(0, 4)]),
        (b"{}\n}\n", &[value(1, 0, b"{}"), lost(3), skipped(3, 2)]),
        (b"\xEF\xBBx\n{}", &[lost(0), value(1, 4, b"{}")]),
        (b"\xEF\xBBx", &[lost(0), skipped(2, 1)]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 100, Behind::Resync, events);
    }
}

#[test]
fn a_resync_counts_what_it_skips() {
    let cases: &[(&[u8], u64)] = &[
        (b"{} {}", 0),
        (b"log {\n{}", 6),
        (b"}\nx\n{}\n]\n{}", 4 + 2),
        (b"} {}", 4),
        (b"{}\n}\n", 2),
    ];
    for &(stream, skipped) in cases {
        for length in [1, 7, stream.len()] {
            let mut assembler = Assembler::with_framing([0; 64], Concatenated::new(64));
            for mut chunk in stream.chunks(length) {
                while let Some(event) = assembler.next(&mut chunk) {
                    if let FrameEvent::Desynchronised(_) = event {
                        assembler.resync();
                    }
                }
            }
            while assembler.finish().is_some() {}
            let (counted, stream) = (assembler.framing().skipped(), stream.escape_ascii());
            assert_eq!(counted, skipped, "{stream} in pieces of {length}");
        }
    }
}

#[test]
fn a_value_over_the_limit_is_one_event_and_the_next_is_read() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"[12]", &[value(1, 0, b"[12]")]),
        (b"[123]", &[oversized(1, 0, b"[123]", true)]),
        (b"[123]{}", &[oversized(1, 0, b"[123]", true), value(2, 5, b"{}")]),
        (b"12345 {}", &[oversized(1, 0, b"12345", true), value(2, 6, b"{}")]),
        (b"12345", &[oversized(1, 0, b"12345", false)]),
        (b"12345]", &[oversized(1, 0, b"12345", true), lost(5)]),
        (b"\"]}\\\"\"{}", &[oversized(1, 0, b"\"]}\\\"\"", true), value(2, 6, b"{}")]),
        (b"[[[\"]]]", &[unfinished(0, b"[[[\"]]]")]),
        // Its tail would be a value.
        (b"[\"aaaa{}\",{}]1", &[oversized(1, 0, b"[\"aaaa{}\",{}]", true), last(2, 13, b"1")]),
        // Whitespace does not count.
        (b"        {}        ", &[value(1, 8, b"{}")]),
        (
            b"[]\n[    ]\n[]",
            &[value(1, 0, b"[]"), oversized(2, 3, b"[    ]", true), value(3, 10, b"[]")],
        ),
    ];
    for (stream, events) in cases {
        assert_events(stream, 4, Behind::Stop, events);
    }
    assert_events(
        b"1{}",
        0,
        Behind::Stop,
        &[oversized(1, 0, b"1", true), oversized(2, 1, b"{}", true)],
    );
}

/// A value that the end of the stream cut off has no effect on a following stream.
#[test]
fn a_value_that_was_cut_is_no_part_of_the_next() {
    let mut assembler = Assembler::with_framing([0; 64], Concatenated::new(8));
    for cut in [&b"[1,2,3,4,5,6"[..], b"[1,2", b"\"a", b"{"] {
        let mut rest = cut;
        assert_eq!(assembler.next(&mut rest), None);
        assert!(matches!(assembler.finish(), Some(FrameEvent::Unfinished(_))));
        rest = b"{}[]";
        for expected in [b"{}", b"[]"] {
            let Some(FrameEvent::Frame(frame)) = assembler.next(&mut rest) else { panic!() };
            assert_eq!(frame.bytes(), expected);
        }
    }
}

/// The tokens of the framing, and some others.
const TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\\"",
    b":",
    b",",
    b"1",
    b"-2.5",
    b"true",
    b"nul",
    b"x",
    b" ",
    b"\n",
    b"\r\n",
    b"\n{",
    b"\xEF",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\0",
];

fn stretch() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(TOKENS);
    let value = prop::collection::vec(("\\PC{0,6}", any::<i16>()), 0..4).prop_map(|members| {
        let value = serde_json::json!(members);
        match members.len() % 2 {
            0 => serde_json::to_vec_pretty(&value).unwrap(),
            _ => value.to_string().into_bytes(),
        }
    });
    prop_oneof![
        4 => token.prop_map(<[u8]>::to_vec),
        3 => value,
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(500)))]

    #[test]
    fn the_cut_makes_no_difference(
        stretches in prop::collection::vec(stretch(), 0..16),
        limit in prop_oneof![0..9_u32, 9..=HIGHEST_LIMIT],
        sizes in prop::collection::vec(1..9_u8, 0..8),
        resyncs: bool,
    ) {
        let flags = sizes.len() as u8 | if resyncs { 128 } else { 0 };
        check(&[&[limit.min(255) as u8, flags], &sizes[..], &stretches.concat()].concat());
    }
}
