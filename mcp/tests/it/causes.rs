//! The causes of faults: what a frame is instead of a message, and which message is lost with it.

use tautline::frame::FramingKind;
use tautline_mcp::cause::{Cause, Surroundings};
use tautline_mcp::{Envelope, Message, Profile, rule};

/// Returns the name of the rule, the offset and the words.
fn of(frame: &[u8], framing: FramingKind, behind: &[u8]) -> Option<(&'static str, u32, String)> {
    let envelope = Envelope::read(frame, &Profile::JSON_RPC);
    let cause = Cause::of(&envelope, &Surroundings { framing, behind })?;
    assert!(!cause.reason().chars().any(char::is_control), "{:?}", cause.reason());
    Some((rule::name(cause.rule()), cause.offset(), cause.reason().to_owned()))
}

fn line(frame: &[u8]) -> Option<(&'static str, u32, String)> {
    of(frame, FramingKind::Ndjson, b"")
}

fn check(cases: &[(&[u8], &str, u32, &str)]) {
    for &(frame, rule, at, part) in cases {
        let found = line(frame);
        let shown = frame.escape_ascii();
        let (name, offset, words) = found.unwrap_or_else(|| panic!("nothing for {shown}"));
        assert_eq!((name, offset), (rule, at), "{shown}: {words}");
        assert!(words.contains(part), "{shown}: {words}");
    }
}

#[test]
fn encodings_are_recognised_by_their_bytes() {
    let utf16: Vec<u8> = "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"sum\"}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let after_newline = [b"\0", utf16.as_slice()].concat();
    check(&[
        (
            b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"sum\"}",
            "byte-order-mark",
            0,
            "; the request \"sum\" with the id 2 is lost",
        ),
        (b"\xEF\xBB\xBF{'id': 3}", "language-repr", 3, "Python"),
        (&utf16, "utf16", 0, "; the request \"sum\" with the id 5 is lost"),
        (&after_newline, "utf16", 0, "; the request \"sum\" with the id 5 is lost"),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"\xC4\xE3\xBA\xC3\"}",
            "legacy-encoding",
            34,
            "the bytes C4 E3 BA C3 are not UTF-8, but may be text in GBK",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"\x82\xA0\x82\xA2\"}",
            "legacy-encoding",
            34,
            "Shift-JIS",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"caf\xE9\"}",
            "legacy-encoding",
            37,
            "the byte E9 is not UTF-8, but may be text in Windows-1252 or another code page with one byte for a character; the response with the id 2 is lost",
        ),
    ]);
}

/// A truncated character is told from a letter of a code page by its second byte, or by other characters.
#[test]
fn a_character_that_is_cut_is_distinguished_from_a_code_page() {
    for (text, rule, part) in [
        (&b"ok \xE2\x82"[..], "invalid-utf8", "the bytes E2 82 begin a character of 3 bytes"),
        (
            b"\xF0\x9F\xA6... more",
            "invalid-utf8",
            "the bytes F0 9F A6 begin a character of 4 bytes",
        ),
        (b"\xE6\xBC\xA2\xE5\xAD\xE2\x80\xA6", "invalid-utf8", "the bytes E5 AD begin"),
        (b"\xC3\xA4 und \xC3", "invalid-utf8", "the byte C3 begins a character of 2 bytes"),
        (b"\xD0\xB4\xD0\xB0 \xE9", "invalid-utf8", "the byte E9 begins a character of 3 bytes"),
        (b"\xE2\x82 and \xE5\xAD", "invalid-utf8", "the bytes E2 82 begin"),
        (b"th\xE9", "legacy-encoding", "Windows-1252"),
        (b"pr\xE9sum\xE9", "legacy-encoding", "Windows-1252"),
        (b"caf\xE9\xBB and th\xE9", "legacy-encoding", "E9 BB are not UTF-8"),
        (b"\xC3\xA4 and \x93quoted\x94", "legacy-encoding", "Windows-1252"),
        (b"\xC4\xE3\xBA\xC3", "legacy-encoding", "GBK"),
        (b"\xD6\xD0\xB9\xFA \xC3\xA4", "legacy-encoding", "GBK"),
    ] {
        let frame = [b"{\"jsonrpc\":\"2.0\",\"id\":14,\"result\":\"", text, b"\"}"].concat();
        let (name, at, words) = line(&frame).unwrap();
        assert_eq!(name, rule, "{}: {words}", text.escape_ascii());
        assert!(words.contains(part), "{words}");
        assert!(words.ends_with("; the response with the id 14 is lost"), "{words}");
        assert_eq!(words.contains("truncated at a number of bytes"), rule == "invalid-utf8");
        assert_eq!(Some(at as usize), std::str::from_utf8(&frame).err().map(|e| e.valid_up_to()));
    }
    let (name, _, words) = line(b"{\"id\":3,\"a\":\"\xE6\xB5").unwrap();
    assert_eq!(name, "invalid-utf8");
    assert!(words.contains("the frame ends there"), "{words}");
}

#[test]
fn a_nul_byte_is_the_terminator_of_a_c_string() {
    check(&[
        (
            b"\0{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"sum\"}",
            "stray-text",
            0,
            "a NUL byte stands before the message: the terminator of a C string was written; the request \"sum\" with the id 6 is lost",
        ),
        (
            b"\0\0{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}\0",
            "stray-text",
            0,
            "NUL bytes stand before the message: the terminator of a C string was written; the response with the id 6",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}\0",
            "stray-text",
            36,
            "a NUL byte follows the message: the terminator of a C string was written; the response with the id 6 is lost",
        ),
        (b"\0", "stray-text", 0, "a NUL byte stands where a message is due"),
    ]);
}

#[test]
fn a_message_beside_other_text_is_named() {
    check(&[
        (
            b"\x1b[?2004l{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",
            "terminal-escape",
            0,
            "; the response with the id 9 is lost",
        ),
        (
            b"\x1b]0;srv\x07\x1b[2 q{\"jsonrpc\":\"2.0\",\"method\":\"ready\"}",
            "terminal-escape",
            0,
            "; the notification \"ready\" is lost",
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\x1b[0m", "terminal-escape", 36, "with the id 9"),
        (b"\x1b[32mINFO\x1b[0m ready", "log-line", 0, "ready"),
        (
            b"INFO sent {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}} in 3 ms",
            "stray-text",
            0,
            "before the message: \"INFO sent\"; the response with the id 4 is lost",
        ),
        (
            b"[info] sent {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}",
            "stray-text",
            0,
            "before the message: \"[info] sent\"",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}done",
            "stray-text",
            36,
            "text follows the message: \"done\"",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
            "glued-messages",
            36,
            "; the notification \"b\" is lost, and so is the response with the id 4",
        ),
        (b"{\"a\":1} {\"b\":2}", "glued-messages", 8, "another value"),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":\"on{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
            "interleaved-messages",
            41,
            "; the notification \"b\" is lost, and so is the response with the id 4",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":\"on{\"jsonrpc\":\"2.0\",\"method\":\"b\"}e\"}}",
            "interleaved-messages",
            41,
            "and so is the response with the id 4",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
            "interleaved-messages",
            22,
            "the notification \"b\" is lost",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}Content-Length: 12",
            "content-length-header",
            36,
            "the response with the id 4 is lost",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\r{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
            "raw-carriage-return",
            36,
            "the notification \"b\" is lost",
        ),
    ]);
}

/// Two writers cut each other's messages, wherever the second begins: in a string, in a name, and between values.
#[test]
fn two_writers_are_recognised_although_neither_message_is_whole() {
    let first = "{\"jsonrpc\":\"2.0\",\"id\":21,\"result\":{\"text\":\"some words\",\"n\":[4,25]}}";
    let second =
        "{\"jsonrpc\":\"2.0\",\"id\":\"k\",\"method\":\"sampling/createMessage\",\"params\":{}}";
    let mut count = 0;
    for cut in 10..first.len() - 1 {
        for other in [18, 26, 34, 60] {
            let frame = format!(
                "{}{}{}{}",
                &first[..cut],
                &second[..other],
                &first[cut..],
                &second[other..]
            );
            let Some((name, at, words)) = line(frame.as_bytes()) else { continue };
            // With the rest of the first, the start of the second may be a message.
            if name != "interleaved-messages" || !words.contains("neither is whole") {
                continue;
            }
            count += 1;
            assert_eq!(at as usize, cut, "{words}");
            assert!(words.contains("two writers share the stream"), "{words}");
            // What stands before the cut is known, and nothing else is claimed.
            assert_eq!(words.contains("with the id 21"), cut >= 25, "{cut}: {words}");
            assert_eq!(words.contains("the response with the id 21"), cut >= 34, "{cut}: {words}");
            assert_eq!(words.contains("with the id \"k\""), other > 25, "{other}: {words}");
            let is_named =
                words.contains("the request \"sampling/createMessage\" with the id \"k\"");
            assert_eq!(is_named, other == 60, "{other}: {words}");
        }
    }
    // Where a value is due, another object may stand.
    assert!(count > 150, "{count}");
}

/// A header inside a body is that of another writer, wherever it begins.
#[test]
fn a_header_inside_a_body_is_that_of_another_writer() {
    let first = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"uri\":\"file:///a\",\"range\":[1,2]}}";
    let second = "Content-Length: 42\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"next\"}";
    for cut in [30, 45, 55, 64] {
        let wire = format!("{}{second}{}", &first[..cut], &first[cut..]);
        let (body, behind) = wire.as_bytes().split_at(first.len());
        let (name, at, words) = of(body, FramingKind::ContentLength, behind).unwrap();
        assert_eq!((name, at as usize), ("interleaved-messages", cut), "{words}");
        let end =
            "; the request \"next\" with the id 8 is lost, and so is the response with the id 7";
        assert_eq!(words.ends_with(end), cut > 40, "{words}");
        assert!(words.contains("the request \"next\" with the id 8 is lost"), "{words}");
    }
}

/// The content of a string whose quotes are not escaped is not that of another writer.
#[test]
fn a_message_in_a_string_without_escapes_is_no_second_writer() {
    let inner = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"b\":\"{\"c\":1}\"}}";
    for inner in [inner, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}"] {
        let frame =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"text\": \"{inner}\"}}}}");
        assert_eq!(line(frame.as_bytes()), None, "{frame}");
    }
}

/// The messages are also known as data, with ids as JSON.
#[test]
fn lost_messages_are_data() {
    use tautline_mcp::cause::LostKind::{Notification, Request, Response, Unknown};
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}";
    let note = "{\"jsonrpc\":\"2.0\",\"method\":\"\u{e9}\\n\"}";
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"result\":0}}", "i".repeat(120));
    let glued = [call, note, &long].concat();
    let python = "{'jsonrpc': '2.0', 'id': 'p q', 'result': None}";
    let cut = format!("{}{}", &call[..25], &long[..40]);
    for (frame, expected) in [
        (
            &*glued,
            &[
                (Request, Some("1"), Some("a")),
                (Notification, None, Some("\u{e9}\n")),
                (Response, None, None),
            ][..],
        ),
        (python, &[(Response, Some("\"p q\""), None)]),
        (&cut, &[(Unknown, Some("1"), None)]),
        ("Listening", &[]),
    ] {
        let envelope = Envelope::read(frame.as_bytes(), &Profile::JSON_RPC);
        let cause = Cause::of(&envelope, &Surroundings::default()).unwrap();
        let lost = cause.lost().iter().map(|one| (one.kind(), one.id(), one.method()));
        let lost: Vec<_> = lost.collect();
        let lost: Vec<_> =
            lost.iter().map(|(kind, id, method)| (*kind, id.as_deref(), *method)).collect();
        assert_eq!(lost, expected, "{}", cause.reason());
    }
}

#[test]
fn of_many_messages_two_are_named() {
    let one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}";
    for (count, expected) in [
        (2, "; the request \"a\" with the id 1 is lost, and so is the request \"a\" with the id 1"),
        (
            3,
            "; the request \"a\" with the id 1 is lost, and so are the request \"a\" with the id 1 and 1 more message",
        ),
        (5, " and 3 more messages"),
    ] {
        let (_, _, words) = line(one.repeat(count).as_bytes()).unwrap();
        assert!(words.ends_with(expected), "{words}");
    }
}

#[test]
fn a_message_that_is_cut_at_the_size_of_a_buffer_is_distinguished_from_two_writers() {
    let start = "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"text\":\"";
    for (size, rule) in [
        (4096, "message-cut"),
        (8192, "message-cut"),
        (12_288, "message-cut"),
        (65_536, "message-cut"),
        (5000, "interleaved-messages"),
        (100, "interleaved-messages"),
    ] {
        let cut = format!("{start}{}", "x".repeat(size - start.len()));
        let both = format!("{cut}{{\"jsonrpc\":\"2.0\",\"id\":\"z\",\"method\":\"next\"}}");
        let (name, at, words) = line(both.as_bytes()).unwrap();
        assert_eq!((name, at), (rule, u32::try_from(size).unwrap()), "{words}");
        let end = "; the request \"next\" with the id \"z\" is lost, and so is the response with the id 6";
        assert!(words.ends_with(end), "{words}");
        // Alone, its size is its only sign.
        let alone = line(cut.as_bytes()).map(|(name, ..)| name);
        assert_eq!(alone, (rule == "message-cut").then_some(rule), "{size}");
    }
}

#[test]
fn a_backslash_that_begins_no_escape_is_named() {
    for (text, part) in [
        (&br"D:\Work"[..], r"\W is not an escape of JSON"),
        (br"E:\upper", r"\up is not an escape of JSON"),
        (b"a\\\xC3\xA9", "a backslash begins no escape of JSON"),
        (b"a\\\x01", "a backslash begins no escape of JSON"),
    ] {
        let frame = [b"{\"jsonrpc\":\"2.0\",\"id\":17,\"result\":\"", text, b"\"}"].concat();
        let envelope = Envelope::read(&frame[..], &Profile::JSON_RPC);
        let cause = Cause::of(&envelope, &Surroundings::default()).unwrap();
        assert!(cause.help().contains("backslash"), "{}", cause.help());
        assert_eq!(rule::name(cause.rule()), "not-json");
        let words = cause.reason();
        assert!(words.starts_with(part), "{words}");
        assert!(words.ends_with("; the response with the id 17 is lost"), "{words}");
    }
}

#[test]
fn what_other_serializers_write_is_recognised() {
    check(&[
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"mean\":NaN}}",
            "non-finite-number",
            41,
            "NaN is not a number of JSON; the response with the id 1 is lost",
        ),
        (b"{\"id\":1,\"result\":[1,-Infinity]}", "non-finite-number", 21, "-Infinity is"),
        (b"{\"id\":1,\"result\":nan}", "non-finite-number", 18, "nan"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":True}", "language-repr", 33, "Python"),
        (b"{\"id\":1,\"result\":undefined}", "language-repr", 17, "JavaScript"),
        (
            b"{'jsonrpc': '2.0', 'method': 'tick', 'params': {'id': 1}}",
            "language-repr",
            0,
            "; the notification \"tick\" is lost",
        ),
        (
            b"b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\\n'",
            "language-repr",
            0,
            "; the request \"a\" with the id 1 is lost",
        ),
        (b"map[id:12 jsonrpc:2.0 result:map[]]", "language-repr", 0, "with the id 12 is lost"),
        (b"[object Object]", "language-repr", 0, "JavaScript"),
        (
            br#""{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}""#,
            "encoded-twice",
            0,
            "; the response with the id 3 is lost",
        ),
    ]);
}

#[test]
fn objects_of_other_protocols_are_recognised() {
    check(&[
        (
            br#"{"level":"warn","msg":"disk is full","time":"2026-02-03T04:05:06Z"}"#,
            "log-record",
            0,
            "this is a log record in JSON: \"disk is full\"",
        ),
        (br#"{"severity":3,"ts":1.5,"caller":"x"}"#, "log-record", 0, "log record"),
        (
            br#"{"event":"call","method":"sum","levelname":"debug","asctime":"4:05"}"#,
            "log-record",
            0,
            "this is a log record in JSON: \"call\"",
        ),
        (br#"{"time":9,"lvl":"info","id":4,"method":"stop","params":[]}"#, "log-record", 0, "log"),
        (br#"{"level":20,"msg":"done","id":4,"result":"ok"}"#, "log-record", 0, "\"done\""),
        (br#"{"id":4,"method":"stop","params":[]}"#, "jsonrpc-1", 0, "a request of JSON-RPC 1.0"),
        (
            br#"{"id":null,"method":"stop","params":[1]}"#,
            "jsonrpc-1",
            0,
            "a notification of JSON-RPC 1.0",
        ),
        (br#"{"result":7,"error":null,"id":4}"#, "jsonrpc-1", 0, "a response of JSON-RPC 1.0"),
        (br#"{"result":null,"error":"no","id":4}"#, "jsonrpc-1", 0, "a response"),
        (
            br#"{"type":"request","seq":4,"command":"next","arguments":{"threadId":1}}"#,
            "debug-adapter-protocol",
            0,
            "this is the request \"next\" of the Debug Adapter Protocol",
        ),
        (
            br#"{"seq":9,"type":"event","event":"stopped"}"#,
            "debug-adapter-protocol",
            0,
            "\"stopped\"",
        ),
        (
            br#"{"channel":2,"payload":{"jsonrpc":"2.0","id":8,"method":"go"}}"#,
            "wrapped-message",
            23,
            "in the member \"payload\"; the request \"go\" with the id 8 is lost",
        ),
        (
            br#"{"data":"{\"jsonrpc\":\"2.0\",\"method\":\"go\"}"}"#,
            "wrapped-message",
            8,
            "; the notification \"go\" is lost",
        ),
    ]);
}

#[test]
fn other_protocols_are_recognised_by_their_text() {
    check(&[
        (b"HTTP/1.1 502 Bad Gateway\r", "http-head", 0, "502 Bad Gateway"),
        (b"POST /mcp HTTP/1.1\r", "http-head", 0, "POST /mcp"),
        (b"<!doctype html><title>Sign in</title>", "html-page", 0, "Sign in"),
        (b"<html lang=\"en\">", "html-page", 0, "HTML"),
        (
            b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
            "sse-field",
            0,
            "the field \"data\" of a server-sent event; the response with the id 1 is lost",
        ),
        (b"data: {\"jsonrpc\":\"2.0\",\"id\":1,", "sse-field", 0, "\"data\""),
        (b"event: message", "log-line", 0, "\"event: message\""),
        (b"id: 5 connected", "log-line", 0, "connected"),
        (b"data: loaded", "log-line", 0, "loaded"),
        (b"<html/>", "html-page", 0, "HTML"),
        (b"<BODY\tclass=a>", "html-page", 0, "HTML"),
        (b"<head", "html-page", 0, "HTML"),
        (b"<header> starting", "log-line", 0, "starting"),
        (b"<htmlparser> starting", "log-line", 0, "starting"),
        (b"data: [DONE]", "done-marker", 0, "[DONE]"),
        (b"[DONE]", "done-marker", 0, "[DONE]"),
        (b"Content-Length: 52\r", "content-length-header", 0, "header"),
        (b"  \"method\": \"x\",", "embedded-newline", 2, "several lines"),
        (b"Listening on stdio", "log-line", 0, "\"Listening on stdio\""),
    ]);
}

/// Fields without data stand before data in the same event.
#[test]
fn a_field_is_recognised_by_the_data_behind_it() {
    for (behind, expected) in [
        (&b"data: {}\n"[..], "sse-field"),
        (b"id: 4\r\nretry: 9\r\n: note\r\ndata: {}\r\n", "sse-field"),
        (b"id: 4\n", "log-line"),
        (b"\ndata: x", "log-line"),
        (b"text\ndata: x", "log-line"),
        (b"", "log-line"),
    ] {
        let (name, ..) = of(b"event: update", FramingKind::Ndjson, behind).unwrap();
        assert_eq!(name, expected, "{}", behind.escape_ascii());
    }
}

/// A program that speaks HTTP or CGI writes fields before the body, and a language server writes fewer.
#[test]
fn a_head_without_its_first_line_is_that_of_http() {
    for (line, behind, expected) in [
        ("Content-Type: application/json", "\r\n{}", "http-head"),
        ("content-type: text/event-stream; charset=utf-8", "", "http-head"),
        ("Status: 404 Not Found", "", "http-head"),
        ("Status: 200", "Content-Type: text/plain\n\n", "http-head"),
        ("Content-Length: 7", "Date: Tue, 03 Mar 2026 01:02:03 GMT\r\n\r\n{}", "http-head"),
        ("Content-Length: 7", "Content-Type: application/json\n\n{}", "http-head"),
        ("Server: nginx", "Connection: close\r\n\r\n", "http-head"),
        ("X-Request: 5", "Vary: accept\n\n", "http-head"),
        ("Content-Length: 7", "", "content-length-header"),
        ("Content-Length: 7", "\r\n{\"id\":1}", "content-length-header"),
        (
            "Content-Length: 7",
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
            "content-length-header",
        ),
        ("Server: listening on port 8080", "Date: today\nready", "log-line"),
        ("Server: listening on port 8080", "", "log-line"),
        ("Status: running", "\n", "log-line"),
        ("Date: today", "ready\n\n", "log-line"),
    ] {
        let line = format!("{line}\r");
        let (name, at, words) =
            of(line.as_bytes(), FramingKind::Ndjson, behind.as_bytes()).unwrap();
        assert_eq!((name, at), (expected, 0), "{line}, {behind:?}: {words}");
    }
}

/// The framing that would find the messages is named, unless it is the one in use.
#[test]
fn another_framing_is_named() {
    use FramingKind::{Concatenated, ContentLength, Ndjson, Sse};
    let glued: &[u8] =
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}{\"jsonrpc\":\"2.0\",\"method\":\"b\"}";
    for (frame, framing, expected) in [
        (&b"Content-Length: 5"[..], Ndjson, Some(ContentLength)),
        (b"data: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}", Ndjson, Some(Sse)),
        (glued, Ndjson, Some(Concatenated)),
        (b"\"a\": 1,", Ndjson, Some(Concatenated)),
        (b"Content-Length: 5", ContentLength, None),
        (b"text", Ndjson, None),
    ] {
        let envelope = Envelope::read(frame, &Profile::JSON_RPC);
        let cause = Cause::of(&envelope, &Surroundings { framing, behind: b"" }).unwrap();
        assert_eq!(cause.framing(), expected, "{}", frame.escape_ascii());
    }
}

#[test]
fn a_wrong_length_is_recognised_by_where_the_value_ends() {
    let message = "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"Zoë 🦀\"}";
    let (bytes, characters) = (message.len(), message.chars().count());
    let units = message.encode_utf16().count();
    let wire = format!("{message}Content-Length: 9\r\n\r\n");
    for (stated, part) in [
        (characters, "4 bytes later: the header counts characters"),
        (units, "3 bytes later: the header counts UTF-16 code units"),
        (bytes - 1, "1 byte later; the response with the id 3 is lost"),
        (bytes + 9, "the value ends 9 bytes earlier; the response with the id 3 is lost"),
        (bytes + 21, "the value ends 21 bytes earlier"),
    ] {
        let (body, behind) = wire.as_bytes().split_at(stated);
        let (rule, _, words) = of(body, FramingKind::ContentLength, behind).unwrap();
        assert_eq!(rule, "content-length-wrong");
        assert!(words.contains(part), "{words}");
    }
    let header = b"Content-Length: 30\r\n\r\n{\"jsonrpc\":";
    let behind = b"\"2.0\",\"method\":\"a\"}";
    let (rule, _, words) = of(header, FramingKind::ContentLength, behind).unwrap();
    assert_eq!(rule, "interleaved-messages");
    assert!(words.ends_with("; the notification \"a\" is lost"), "{words}");
}

#[test]
fn a_framing_is_desynchronised_for_a_cause() {
    let of = |framing, text: &[u8], rule, at| {
        let cause = Cause::of_loss(rule, framing, text, at, true);
        cause.map(|cause| (rule::name(cause.rule()), cause.reason().to_owned()))
    };
    use tautline::Rule;
    for (text, rule, at, expected, part) in [
        (
            &b"ok\nContent-Length: 2\r\n"[..],
            Rule::HEADER_MALFORMED,
            2,
            "text-before-header",
            "\"ok\"",
        ),
        (b"\nContent-Length: 2\r\n", Rule::HEADER_LINE_END, 0, "bytes-after-body", "a newline"),
        (
            b"\r\n\r\nContent-Length: 2",
            Rule::CONTENT_LENGTH_MISSING,
            0,
            "bytes-after-body",
            "4 bytes",
        ),
        (
            b"Content-Length: 2\r\r\n",
            Rule::HEADER_LINE_END,
            18,
            "double-carriage-return",
            "CR CR LF",
        ),
        (
            b"\xEF\xBB\xBFContent-Length: 2",
            Rule::HEADER_MALFORMED,
            0,
            "byte-order-mark",
            "EF BB BF",
        ),
        (b"HTTP/1.1 200 OK\r\n", Rule::HEADER_MALFORMED, 4, "http-head", "200 OK"),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n",
            Rule::HEADER_MALFORMED,
            0,
            "header-missing",
            "; the notification \"a\" is lost",
        ),
    ] {
        let (name, words) = of(FramingKind::ContentLength, text, rule, at).unwrap();
        assert_eq!(name, expected, "{words}");
        assert!(words.contains(part), "{words}");
    }
    let missing =
        of(FramingKind::ContentLength, b"X-Id: 1\r\n\r\n", Rule::CONTENT_LENGTH_MISSING, 0);
    assert_eq!(missing, None);
    let (name, _) =
        of(FramingKind::Concatenated, b"Content-Length: 2", Rule::VALUE_EXPECTED, 0).unwrap();
    assert_eq!(name, "content-length-header");
}

/// Faults that are all there is to say, and messages.
#[test]
fn what_has_no_cause_gets_none() {
    for frame in [
        &br#"{"jsonrpc":"2.0","id":1,"method":"a"}"#[..],
        br#"{"jsonrpc":"2.0","id":1,"method":"a",}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"a""#,
        br#"{"jsonrpc":"2.0","id":1,"method":"a"}}"#,
        br#"{"id":1,"method":"a","params":{}}"#,
        br#"{"id":1,"result":{}}"#,
        br#"{"jsonrpc":"1.0","id":4,"method":"stop","params":[]}"#,
        br#"{"jsonrpc":"2.0","id":1}"#,
        br#"{"message":{"jsonrpc":"2.0","id":1,"method":"a"},}"#,
        br#""a string""#,
        b"[1,2]",
    ] {
        assert_eq!(line(frame), None, "{}", frame.escape_ascii());
    }
}

/// A cause is looked for in a frame that is not a message, and its place is in the frame, whatever the bytes are.
#[test]
fn any_bytes_have_a_cause_inside_them_or_none() {
    let seeds: &[&[u8]] = &[
        b"\x1b]0;a\x07{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"re{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
        b"{'id': 1, \"x\": [True, NaN], :a=>'\\''}",
        b"\xEF\xBB\xBF\xFF\xFE{\0\"\0\x82\xA0\x82\xA2",
        b"Content-Length: 3\r\n\r\n{}data: {\"id\"",
    ];
    for seed in seeds {
        for start in 0..seed.len() {
            for end in start..=seed.len() {
                let frame = &seed[start..end];
                for &framing in FramingKind::ALL {
                    let found = of(frame, framing, &seed[end..]);
                    if let Some((_, at, _)) = found {
                        assert!(at as usize <= frame.len(), "{}", frame.escape_ascii());
                        assert!(Message::parse(frame, &Profile::JSON_RPC).is_err());
                    }
                    let rules = [tautline::Rule::HEADER_MALFORMED, tautline::Rule::HEADER_LINE_END];
                    for rule in rules {
                        let _ = Cause::of_loss(rule, framing, frame, end - start, false);
                    }
                }
            }
        }
    }
}
