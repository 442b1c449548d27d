//! The contract of Content-Length, in examples small enough to read, and as a property.
//!
//! Every example runs through every driver: whole, byte by byte, and cut once at every position.

use proptest::prelude::*;
use tautline::frame::{Assembler, ContentLength, FrameEvent, Framing};

use crate::support::checks::frame_content_length::{HEADER_LIMIT, case, check};
use crate::support::framings::{Behind, HIGHEST_LIMIT, Seen};
use crate::support::volume::volume;

fn body(line: u64, offset: u64, bytes: &[u8]) -> Seen {
    let (bytes, about) = (bytes.to_vec(), String::new());
    Seen::Frame { offset, line, bytes, terminated: true, about }
}

fn oversized(line: u64, offset: u64, bytes: &[u8]) -> Seen {
    let length = bytes.len() as u64;
    let (dropped, about) = (bytes.to_vec(), String::new());
    Seen::Oversized { offset, line, length, terminated: true, dropped, about }
}

fn unfinished(offset: u64, bytes: &[u8]) -> Seen {
    Seen::Unfinished { offset, length: bytes.len() as u64, dropped: bytes.to_vec() }
}

/// Returns an incomplete header, or bytes skipped while resynchronising.
fn no_body(offset: u64, length: u64) -> Seen {
    Seen::Unfinished { offset, length, dropped: Vec::new() }
}

fn lost(offset: u64, cause: &'static str) -> Seen {
    Seen::Desynchronised { offset, cause }
}

#[track_caller]
fn assert_events(stream: &[u8], limit: u32, behind: Behind, events: &[Seen]) {
    let case = case(stream, limit, behind);
    assert_eq!(case.expected, events, "the twin, of {}", stream.escape_ascii());
    case.check_whole();
    case.check_cuts();
}

#[test]
fn a_body_is_as_long_as_its_header_says() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"", &[]),
        (b"Content-Length: 2\r\n\r\n{}", &[body(1, 21, b"{}")]),
        (
            b"Content-Length: 1\r\n\r\naContent-Length: 2\r\n\r\nbc",
            &[body(1, 21, b"a"), body(2, 43, b"bc")],
        ),
        // A body may contain anything, even a header.
        (
            b"Content-Length: 22\r\n\r\nContent-Length: 1\r\n\r\n\nContent-Length: 1\r\n\r\n\n",
            &[body(1, 22, b"Content-Length: 1\r\n\r\n\n"), body(2, 65, b"\n")],
        ),
        // An empty body yields an empty frame.
        (
            b"Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\na",
            &[body(1, 21, b""), body(2, 42, b"a")],
        ),
        (b"Content-Length: 0\r\n\r\n", &[body(1, 21, b"")]),
        (b"Content-Length: 00002\r\n\r\n{}", &[body(1, 25, b"{}")]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 100, Behind::Stop, events);
        assert_events(stream, 100, Behind::Resync, events);
    }
}

#[test]
fn names_have_no_case_and_other_headers_are_tolerated() {
    for header in [
        &b"content-length:2\r\n"[..],
        b"CONTENT-LENGTH:\t 2 \t\r\n",
        b"cOnTeNt-LeNgTh: 2\r\nX:\r\n",
        b"X-Type: text/plain; charset=utf-16\r\nContent-Length: 2\r\n",
        b"Content-Length: 2\r\nContent-Length-X: 9, 9\r\n",
        b"XContent-Length: a\r\nContent-Length: 2\r\n",
        b"Content-Lengt: 7\r\nContent-Length: 2\r\n",
        b"!#$%&'*+-.^_`|~09aZ: ~ !\x09\r\nContent-Length: 2\r\n",
        // A repeated length with the same value is harmless.
        b"Content-Length: 2\r\ncontent-length: 02\r\n",
    ] {
        let stream = [header, b"\r\n{}"].concat();
        assert_events(&stream, 100, Behind::Stop, &[body(1, header.len() as u64 + 2, b"{}")]);
    }
}

/// A peer with another charset means different text.
#[test]
fn a_charset_other_than_utf_8_is_refused() {
    for media_type in [
        "application/vscode-jsonrpc; charset=utf-8",
        "application/vscode-jsonrpc;charset=utf8",
        "application/vscode-jsonrpc",
        "a/b; CharSet=\"UTF-8\" ; x=y",
        "a/b; x=\"; charset=utf-16\"; charset = utf8",
        "a/b; x=\"\\\";charset=utf-16\"",
        "a/b; xcharset=utf-16; charset",
        "charset=utf-16",
        "",
    ] {
        let header = format!("Content-Type: {media_type}\r\nContent-Length: 2\r\n\r\n");
        let stream = [header.as_bytes(), b"{}"].concat();
        assert_events(&stream, 100, Behind::Stop, &[body(1, header.len() as u64, b"{}")]);
    }
    for media_type in [
        "a/vscode-jsonrpc; charset=utf-16",
        "a/b; charset=UTF-16LE",
        "a/b;charset=utf-81",
        "a/b;charset=utf",
        "a/b;charset=",
        "a/b;charset=\"utf-8",
        "a/b;charset=\"utf-16\"",
        "a/b;charset=utf-8 16",
        "a/b;charset=\"utf-8\"16",
        "a/b; x=\"y\"; charset\t=\tlatin1",
        "a/b; charset=utf-8; charset=utf-16",
    ] {
        for stream in [
            format!("Content-Length: 2\r\nContent-Type: {media_type}\r\n\r\n{{}}"),
            format!("X:y\r\ncontent-type:{media_type}\r\nContent-Length: 2\r\n\r\n{{}}"),
        ] {
            // The body is not a frame, whichever header comes first, and the next body has its own headers.
            let offset = stream.to_lowercase().find("content-type").unwrap() as u64;
            let refused = lost(offset, "charset-unsupported");
            assert_events(stream.as_bytes(), 100, Behind::Stop, std::slice::from_ref(&refused));
            let next = [stream.as_bytes(), b"Content-Length: 1\r\n\r\n1"].concat();
            let at = next.len() as u64 - 1;
            assert_events(&next, 100, Behind::Resync, &[refused, body(1, at, b"1")]);
        }
    }
    // The headers may have other faults, which come first.
    let stream = b"Content-Type: a/b; charset=utf-16\r\n\r\n{}";
    assert_events(stream, 100, Behind::Stop, &[lost(0, "content-length-missing")]);
    let stream = b"Content-Type: a/b; charset=utf-16\n\n{}";
    assert_events(stream, 100, Behind::Stop, &[lost(33, "header-line-end")]);
}

#[test]
fn lines_end_with_cr_and_lf_and_nothing_else() {
    for (stream, offset) in [
        (&b"Content-Length: 2\n\n{}"[..], 17),
        (b"Content-Length: 2\r\n\n{}", 19),
        (b"Content-Length: 2\n\r\n{}", 17),
        (b"Content-Length: 2\r\r\n{}", 18),
        (b"Content-Length: 2\r{}", 18),
        (b"Content-Length: 2\r\n\r{}", 20),
        (b"X: y\nContent-Length: 2\r\n\r\n{}", 4),
        (b"X: y\rZ", 5),
        (b"\nContent-Length: 2\r\n\r\n{}", 0),
    ] {
        assert_events(stream, 100, Behind::Stop, &[lost(offset, "header-line-end")]);
    }
    // A newline after a body is a header line without its CR.
    let stream = b"Content-Length: 2\r\n\r\n{}\nContent-Length: 2\r\n\r\n{}";
    let newline = lost(23, "header-line-end");
    assert_events(stream, 100, Behind::Stop, &[body(1, 21, b"{}"), newline.clone()]);
    assert_events(stream, 100, Behind::Resync, &[body(1, 21, b"{}"), newline, body(2, 45, b"{}")]);
}

#[test]
fn headers_are_names_and_values_in_visible_ascii() {
    for (stream, offset) in [
        (&b"{\"jsonrpc\":\"2.0\"}\r\n"[..], 0),
        (b": 2\r\n\r\n", 0),
        (b" Content-Length: 2\r\n\r\n{}", 0),
        // A folded line, which RFC 9112 makes obsolete.
        (b"X: y\r\n z\r\nContent-Length: 2\r\n\r\n{}", 6),
        // Whitespace before the colon allows request smuggling.
        (b"Content-Length : 2\r\n\r\n{}", 14),
        (b"Content-Length\r\n\r\n{}", 14),
        (b"listening on 3000\r\n", 9),
        (b"a\n", 1),
        (b"X: \xC3\xA9\r\n", 3),
        (b"\xEF\xBB\xBFContent-Length: 2\r\n\r\n{}", 0),
        (b"X: a\0\r\n", 4),
        (b"X: a\x7F\r\n", 4),
        (b"X\0: a\r\n", 1),
    ] {
        assert_events(stream, 100, Behind::Stop, &[lost(offset, "header-malformed")]);
    }
}

#[test]
fn the_length_is_there_and_a_number() {
    assert_events(b"\r\n", 100, Behind::Stop, &[lost(0, "content-length-missing")]);
    let stream = b"Content-Length: 2\r\n\r\n{}X: y\r\n\r\n{}";
    let missing = lost(23, "content-length-missing");
    assert_events(stream, 100, Behind::Stop, &[body(1, 21, b"{}"), missing]);
    for (value, bad) in [
        (&b""[..], 0),
        (b"  ", 2),
        (b"-1", 0),
        (b"+1", 0),
        (b" 2a", 2),
        (b"2 2", 2),
        (b"2,2", 1),
        (b"2;", 1),
        (b"0x2", 1),
        (b"2.0", 1),
        (b"\xC2\xB2", 0),
        (b"18446744073709551616", 19),
        (b"99999999999999999999999", 19),
        (b"000000000000000000000018446744073709551616", 41),
    ] {
        let stream = [b"Content-Length:", value, b"\r\n\r\n{}"].concat();
        let invalid = lost(15 + bad, "content-length-invalid");
        assert_events(&stream, 100, Behind::Stop, &[invalid]);
    }
    // The second of two that differ, whichever a peer would trust.
    let stream = b"Content-Length: 2\r\nX: y\r\ncontent-length: 20\r\n\r\n{}";
    assert_events(stream, 100, Behind::Stop, &[lost(25, "content-length-conflict")]);
    // It applies to one frame, and not to the next.
    let stream = b"Content-Length: 1\r\n\r\n1Content-Length: 2\r\n\r\n{}";
    assert_events(stream, 100, Behind::Stop, &[body(1, 21, b"1"), body(2, 43, b"{}")]);
}

#[test]
fn headers_have_a_limit() {
    let fill = |length: usize| {
        let rest = b"\r\nContent-Length: 1\r\n\r\n";
        [b"X:", &vec![b'x'; length - 2 - rest.len()][..], rest, b"1"].concat()
    };
    let limit = HEADER_LIMIT as usize;
    assert_events(&fill(limit), 100, Behind::Stop, &[body(1, limit as u64, b"1")]);
    let too_long = lost(limit as u64, "header-too-long");
    assert_events(&fill(limit + 1), 100, Behind::Stop, std::slice::from_ref(&too_long));
    assert_events(&vec![b'a'; 2 * limit], 100, Behind::Stop, &[too_long]);
    // It applies to the headers of one frame.
    assert_events(
        &fill(limit).repeat(3),
        100,
        Behind::Stop,
        &[
            body(1, limit as u64, b"1"),
            body(2, 2 * limit as u64 + 1, b"1"),
            body(3, 3 * limit as u64 + 2, b"1"),
        ],
    );
    let mut assembler = Assembler::with_framing([0; 8], ContentLength::new(8));
    let at = ContentLength::DEFAULT_HEADER_LIMIT as usize;
    assert!(assembler.next(&mut &vec![b'a'; at][..]).is_none());
    let lost = assembler.next(&mut &b"a"[..]);
    assert!(matches!(lost, Some(FrameEvent::Desynchronised(lost)) if lost.offset() == at as u64));
}

#[test]
fn a_body_over_the_limit_is_skipped_by_its_length() {
    let cases: &[(&[u8], &[Seen])] = &[
        (b"Content-Length: 4\r\n\r\naaaa", &[body(1, 21, b"aaaa")]),
        (b"Content-Length: 5\r\n\r\naaaaa", &[oversized(1, 21, b"aaaaa")]),
        (
            b"Content-Length: 5\r\n\r\naaaaaContent-Length: 1\r\n\r\nb",
            &[oversized(1, 21, b"aaaaa"), body(2, 47, b"b")],
        ),
        // Its tail would be a frame.
        (
            b"Content-Length: 23\r\n\r\naContent-Length: 1\r\n\r\nb",
            &[oversized(1, 22, b"aContent-Length: 1\r\n\r\nb")],
        ),
        (b"Content-Length: 6\r\n\r\naaaaa", &[unfinished(21, b"aaaaa")]),
        (b"Content-Length: 18446744073709551615\r\n\r\naa", &[unfinished(40, b"aa")]),
        (b"Content-Length: 5\r\n\r\n", &[unfinished(21, b"")]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 4, Behind::Stop, events);
    }
    assert_events(b"Content-Length: 0\r\n\r\n", 0, Behind::Stop, &[body(1, 21, b"")]);
    let events = [oversized(1, 21, b"a")];
    assert_events(b"Content-Length: 1\r\n\r\na", 0, Behind::Stop, &events);
}

#[test]
fn what_is_not_all_there_is_said_and_is_no_frame() {
    let stream = b"Content-Length: 3\r\n\r\n123";
    for length in 1..21 {
        let cut = &stream[..length];
        assert_events(cut, 100, Behind::Stop, &[no_body(0, length as u64)]);
    }
    assert_events(&stream[..21], 100, Behind::Stop, &[unfinished(21, b"")]);
    assert_events(&stream[..23], 100, Behind::Stop, &[unfinished(21, b"12")]);
    let twice = [&stream[..], &stream[..10]].concat();
    assert_events(&twice, 100, Behind::Stop, &[body(1, 21, b"123"), no_body(24, 10)]);
}

#[test]
fn a_resync_goes_on_at_the_next_content_length() {
    let cases: &[(&[u8], &[Seen])] = &[
        (
            b"log line\r\nContent-Length: 2\r\n\r\n{}",
            &[lost(3, "header-malformed"), body(1, 31, b"{}")],
        ),
        // It can be anywhere in a line, in upper or lower case.
        (
            b"log: \xE2\x82\xACcontent-LENGTH:2\r\n\r\n{}",
            &[lost(5, "header-malformed"), body(1, 28, b"{}")],
        ),
        // A prefix that looks like one.
        (
            b"a bContent-ContContent-Length:2\r\n\r\n{}",
            &[lost(1, "header-malformed"), body(1, 35, b"{}")],
        ),
        (
            b"a Content-LengthContent-Length: x Content-Length: 1\r\n\r\na",
            &[lost(1, "header-malformed"), lost(32, "content-length-invalid"), body(1, 55, b"a")],
        ),
        // Headers before it are lost, those after it are not.
        (
            b"\n\nX: y\r\nContent-Length: 2\r\ncontent-length: 3\r\n\r\n{}",
            &[lost(0, "header-line-end"), lost(27, "content-length-conflict"), no_body(44, 6)],
        ),
        (b"a b", &[lost(1, "header-malformed"), no_body(1, 2)]),
        (b"a bContent-Length", &[lost(1, "header-malformed"), no_body(1, 16)]),
        (b"a bContent-Length:", &[lost(1, "header-malformed"), no_body(3, 15)]),
    ];
    for (stream, events) in cases {
        assert_events(stream, 100, Behind::Resync, events);
    }
}

#[test]
fn a_resync_counts_what_it_skips() {
    let cases: &[(&[u8], u64)] = &[
        (b"Content-Length: 2\r\n\r\n{}", 0),
        (b"log line\r\nContent-Length: 2\r\n\r\n{}", 10),
        // A header that can't be read is skipped as well.
        (b"a Content-LengthContent-Length: x Content-Length: 1\r\n\r\na", 16 + 18),
        (b"Content-Length: 1\r\n\r\n{\ncontent-length:1\r\n\r\n{", 1),
        (b"a b", 3),
        (b"a bContent-Length", 17),
        // The next header has begun, so it is not skipped.
        (b"a bContent-Length:", 3),
    ];
    for &(stream, skipped) in cases {
        for length in [1, 7, stream.len()] {
            let mut assembler = Assembler::with_framing([0; 64], ContentLength::new(64));
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

/// The tokens of the framing, and some others.
const TOKENS: &[&[u8]] = &[
    b"Content-Length: ",
    b"content-length:",
    b"Content-Length",
    b"Content-Type: x\r\n",
    b"content-type:",
    b";",
    b"; charset=utf-8",
    b"charset",
    b"=",
    b"\"",
    b"\\",
    b"utf8",
    b"utf-16",
    b"\r\n",
    b"\r\n\r\n",
    b"\r",
    b"\n",
    b":",
    b" ",
    b"\t",
    b"0",
    b"1",
    b"7",
    b"12",
    b"300",
    b"99999999999999999999",
    b"x",
    b"c",
    b"{}",
    b"\x00",
    b"\xEF\xBB\xBF",
    b"-",
];

fn stretch() -> impl Strategy<Value = Vec<u8>> {
    let frame = (prop::collection::vec(any::<u8>(), 0..40), 0..6_u8).prop_map(|(body, kind)| {
        let length = body.len();
        let header = match kind {
            0 => format!("content-length:{length}\r\nX: y\r\n\r\n"),
            1 => format!("A: b\r\nContent-Length: {length} \r\n\r\n"),
            2 => format!("Content-Length: {length}\r\nContent-Length: {}\r\n\r\n", length / 2 * 2),
            _ => format!("Content-Length: {length}\r\n\r\n"),
        };
        [header.into_bytes(), body].concat()
    });
    const PARTS: &[&str] =
        &["; ", ";", "charset", "charset=", "=", "utf-8", "utf8", "utf-16", "\"", "\\", " ", "x"];
    let typed = prop::collection::vec(prop::sample::select(PARTS), 0..7).prop_map(|parts| {
        let media_type = parts.concat();
        format!("Content-Type:{media_type}\r\nContent-Length: 1\r\n\r\n1").into_bytes()
    });
    prop_oneof![
        4 => frame,
        2 => typed,
        4 => prop::sample::select(TOKENS).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(volume(500)))]

    #[test]
    fn the_cut_makes_no_difference(
        stretches in prop::collection::vec(stretch(), 0..10),
        limit in prop_oneof![0..9_u32, 9..HIGHEST_LIMIT],
        sizes in prop::collection::vec(1..30_u8, 0..8),
        resyncs: bool,
    ) {
        let flags = sizes.len() as u8 | if resyncs { 128 } else { 0 };
        check(&[&[limit as u8, flags], &sizes[..], &stretches.concat()].concat());
    }
}
