//! Causes that span frames, and remedies that fit the stream.

use tautline::Profile;
use tautline::frame::FramingKind;
use tautline::stream::Received;
use tautline_audit::frame::{FindingReport, FrameReport, MaxFindings, Piece, Reporter};
use tautline_audit::judge::OneSide;
use tautline_audit::source::{Event, Place};
use tautline_audit::wire::{Around, Wire, WireEvent};
use tautline_audit::{Audit, Options};
use tautline_mcp::{Role, rule};

/// A row for each frame: its line, the line that it is a part of, its rules and the words of its first finding.
type Row = (Option<u64>, Option<u64>, Vec<&'static str>, String);

fn row(report: &FrameReport<'_>) -> Row {
    let rules = report.message.findings.iter().map(|finding| rule::name(finding.rule)).collect();
    let words = report.message.findings.first().map(|finding| finding.message.to_string());
    (report.line, report.part_of, rules, words.unwrap_or_default())
}

/// Returns the reports of a stream that arrives in pieces of this length.
fn reports(framing: FramingKind, wire: &[u8], length: usize) -> Vec<FrameReport<'static>> {
    let profile = Profile::LSP;
    let mut judge = OneSide::new(profile, None);
    let mut reporter = Reporter::new(framing, MaxFindings::All);
    let mut stream = Wire::new(framing, 1 << 20, &profile);
    let mut reports = Vec::new();
    let mut handle = |event: WireEvent<'_>, around: &Around<'_>| {
        let report = match event.frame() {
            Some(frame) => Some(reporter.frame(&Piece::of_frame(frame), &mut judge, around.behind)),
            None => reporter.event(&event, &profile, around),
        };
        reports.extend(report.map(FrameReport::into_owned));
        Ok(())
    };
    for piece in wire.chunks(length) {
        if !stream.push(piece, &mut handle).unwrap() {
            break;
        }
    }
    stream.finish(&mut handle).unwrap();
    reports.extend(reporter.end(stream.other_fields()));
    reports
}

fn rows(framing: FramingKind, wire: &[u8]) -> Vec<Row> {
    reports(framing, wire, wire.len()).iter().map(row).collect()
}

fn findings(framing: FramingKind, wire: &[u8]) -> Vec<FindingReport> {
    reports(framing, wire, wire.len()).into_iter().flat_map(|one| one.message.findings).collect()
}

#[test]
fn the_lines_of_a_value_refer_to_its_first() {
    let wire = concat!(
        "{\"jsonrpc\":\"2.0\",\"method\":\"before\"}\n",
        "{ \"jsonrpc\": \"2.0\",\n",
        "  \"id\": 31,\n",
        "  \"result\": [\n",
        "    1,\n",
        "\n",
        "    \"two\"\n",
        "  ]\n",
        "}\n",
        "after\n",
    );
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let words = "a JSON value begins here that spans 8 lines; the response with the id 31 is lost";
    assert_eq!(all[1], (Some(2), None, vec!["embedded-newline"], words.to_owned()));
    for part in &all[2..=7] {
        assert_eq!((part.1, part.2.as_slice()), (Some(2), &[][..]), "{part:?}");
    }
    assert_eq!((all[8].0, all[8].1, all[8].2.as_slice()), (Some(10), None, &["log-line"][..]));
    // Without what follows, the end is unknown, but the lines are recognised by their form.
    for length in [1, 7] {
        let pieces = reports(FramingKind::Ndjson, wire.as_bytes(), length);
        let count = pieces.iter().filter(|one| one.message.has_errors()).count();
        assert!(count <= 3, "{count} errors in pieces of {length}");
    }
}

#[test]
fn a_raw_newline_in_a_string_is_one_finding() {
    let message = |text: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":32,\"result\":{{\"a\":\"{text}\",\"b\":\"\\\"x\"}}}}\n"
        )
    };
    for (text, lines) in [
        ("first\nsecond", 2),
        ("first\r\n\r\n  third: [1, 2]\n", 4),
        ("\n{ not a message }\n", 3),
        ("C:\\\\\nD:\\\\", 2),
    ] {
        let wire = format!("{}after\n", message(text));
        let all = reports(FramingKind::Ndjson, wire.as_bytes(), wire.len());
        let finding = &all[0].message.findings[0];
        assert_eq!(rule::name(finding.rule), "embedded-newline", "{text}");
        let words = "a newline inside a string is not escaped; the response with the id 32 is lost";
        assert_eq!(finding.message.to_string(), words);
        assert!(finding.help.contains("escape") && finding.framing.is_none());
        let (last, parts) = all[1..].split_last().unwrap();
        assert!(parts.iter().all(|part| part.part_of == Some(1) && !part.message.has_errors()));
        assert_eq!((last.line, last.part_of), (Some(lines + 1), None), "{text}");
    }
    // A message that is only cut in a string explains nothing after it.
    let cut = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a b";
    let wire = format!("{cut}\n{}{cut}\nready\n", message("next"));
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let rules: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
    let cut = (None, vec!["not-json"]);
    assert_eq!(rules, [cut.clone(), (None, vec![]), cut, (None, vec!["log-line"])]);
}

#[test]
fn a_value_that_is_only_cut_swallows_no_line() {
    let wire = concat!(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n",
        "text\n",
    );
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    assert_eq!(all[0].2, ["not-json"]);
    assert_eq!(all[1].2, Vec::<&str>::new());
    assert_eq!((all[2].1, all[2].2.as_slice()), (None, &["log-line"][..]));
}

#[test]
fn consecutive_lines_of_log_output_are_one_finding() {
    let trace = concat!(
        "Error: no such row\n",
        "    at find (db.js:4:7)\n",
        "    at main {\n",
        "  code: 'E_ROW',\n",
        "  \"query\": [Object],\n",
        "}\n",
    );
    let message = "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n";
    let faults = concat!(
        "{\"jsonrpc\":\"1.1\",\"id\":7,\"method\":\"stop\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":8\n",
        "bye {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":1}\n",
        "{'jsonrpc': '2.0', 'id': 10, 'result': None}\n",
    );
    let wire = format!("{trace}{message}{trace}{faults}");
    for length in [1, wire.len()] {
        let all = reports(FramingKind::Ndjson, wire.as_bytes(), length);
        let all: Vec<_> = all.iter().map(row).collect();
        let found: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
        for (first, line) in [(0, 1), (7, 8)] {
            assert_eq!(found[first], (None, vec!["log-line"]));
            assert!(found[first + 1..first + 6].iter().all(|one| *one == (Some(line), vec![])));
        }
        assert_eq!(found[6], (None, vec![]));
        let rules = ["wrong-version", "not-json", "stray-text", "language-repr"];
        assert_eq!(found[13..], rules.map(|rule| (None, vec![rule])), "{length}");
    }
}

#[test]
fn the_rest_of_an_interrupted_message_refers_to_it() {
    let wire = concat!(
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":\"lo{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n",
        "ng\"}}\n",
        "ng\"}}\n",
    );
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    assert_eq!(all[0].2, ["interleaved-messages"]);
    assert_eq!((all[1].1, all[1].2.len()), (Some(1), 0));
    assert_eq!((all[2].1, all[2].2.as_slice()), (None, &["log-line"][..]));
}

#[test]
fn the_last_byte_of_utf_16_belongs_to_the_line_before() {
    let wire: Vec<u8> = "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let all = rows(FramingKind::Ndjson, &wire);
    assert_eq!(all[0].2, ["utf16"]);
    assert_eq!((all[1].1, all[1].2.as_slice()), (Some(1), &["unterminated-frame"][..]));
}

#[test]
fn the_last_terminator_of_c_strings_belongs_to_the_line_before() {
    let message = "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n";
    let all = rows(FramingKind::Ndjson, format!("{message}\0{message}\0{message}\0").as_bytes());
    let found: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
    let stray = (None, vec!["stray-text"]);
    let last = (Some(3), vec!["unterminated-frame"]);
    assert_eq!(found, [(None, vec![]), stray.clone(), stray, last]);
}

#[test]
fn a_page_is_one_finding() {
    let wire = concat!(
        "HTTP/1.1 503 Service Unavailable\r\n",
        "Content-Type: text/html\r\n",
        "Server: gate\r\n",
        "\r\n",
        "<html>\n",
        "<h1>Sorry</h1>\n",
        "</html>\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n",
        "<h1>\n",
    );
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let found: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
    assert_eq!(found[0], (None, vec!["http-head"]));
    assert!(found[1..6].iter().all(|part| *part == (Some(1), Vec::new())), "{found:?}");
    assert_eq!(found[6], (None, Vec::new()));
    assert_eq!(found[7], (None, vec!["log-line"]));
}

/// A page explains its own text, and no message after it.
#[test]
fn a_page_hides_no_fault_after_it() {
    let faults = concat!(
        "{\"id\":7,\"method\":\"stop\",\"params\":{}}\n",
        "{\"jsonrpc\":\"1.1\",\"id\":7,\"method\":\"stop\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"stop\"}\n",
        "[]\n",
        "{\"jsonrpc\":\"2.0\",\"id\":8,\n",
        "server is ready\n",
    );
    for (page, lines) in [
        ("<html>\n", 1),
        ("<html>\n<p>Sorry\n", 2),
        ("<html><p>Sorry</p></HTML>\n", 1),
        ("<html>\n<p>Sorry\n</html>\n", 3),
        ("HTTP/1.1 200 OK\nContent-Type: a\n\n", 2),
        ("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>\n</html>\n", 4),
    ] {
        let all = rows(FramingKind::Ndjson, format!("{page}{faults}").as_bytes());
        assert!(all[1..lines].iter().all(|row| row.1 == all[0].0 && row.2.is_empty()), "{all:?}");
        let found: Vec<_> = all[lines..].iter().map(|row| (row.1, row.2[0])).collect();
        let rules = [
            "missing-jsonrpc",
            "wrong-version",
            "id-type",
            "batch-not-allowed",
            "not-json",
            "log-line",
        ];
        assert_eq!(found, rules.map(|rule| (None, rule)), "{page}");
    }
    for wire in [
        "<html></html>\nserver is ready\n",
        "<html>\n</html>\nserver is ready\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a\r\n\r\nserver is ready\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a\r\n\r\nnote: server is ready\n",
    ] {
        let all = rows(FramingKind::Ndjson, wire.as_bytes());
        let last = all.last().unwrap();
        assert_eq!((last.1, last.2.as_slice()), (None, &["log-line"][..]), "{wire}");
    }
}

#[test]
fn what_follows_a_value_on_its_last_line_has_a_finding() {
    let start = "{\"jsonrpc\":\"2.0\",\n\"id\":21,\"method\":\"stop\"}";
    for (rest, rule, part) in [
        (" {\"jsonrpc\":\"1.0\",\"id\":true}", "glued-messages", "another value follows"),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"gone\"}",
            "glued-messages",
            "; the notification \"gone\" is lost",
        ),
        (" bye", "stray-text", "\"bye\""),
    ] {
        let wire = format!("{start}{rest}\nafter\n");
        let reports = reports(FramingKind::Ndjson, wire.as_bytes(), wire.len());
        let all: Vec<_> = reports.iter().map(row).collect();
        assert_eq!((all[0].1, all[0].2.as_slice()), (None, &["embedded-newline"][..]));
        assert_eq!((all[1].1, all[1].2.as_slice()), (None, &[rule][..]), "{all:?}");
        assert!(all[1].3.contains(part), "{}", all[1].3);
        let at = start.len() + rest.len() - rest.trim_start().len();
        assert_eq!(reports[1].message.findings[0].offset, Some(at as u64));
        assert_eq!(all[2].2, ["log-line"]);
    }
    // What follows may be a value of several lines, too.
    let wire = format!("{start} {start}\n");
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let found: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
    let expected =
        [(None, vec!["embedded-newline"]), (None, vec!["glued-messages"]), (Some(2), Vec::new())];
    assert_eq!(found, expected);
    let wire = format!("{start} \r\n");
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    assert_eq!((all[1].1, all[1].2.len()), (Some(1), 0));
}

#[test]
fn lines_of_open_values_have_one_finding() {
    let wire = "{\"a\":[1,2,\n".repeat(500);
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    assert_eq!((all[0].1, all[0].2.as_slice()), (None, &["embedded-newline"][..]));
    let others = &all[1..];
    assert!(others.iter().all(|row| row.1 == Some(1) && row.2.is_empty()), "{:?}", &all[..3]);
}

/// A value whose end is too deep to find hides no message.
#[test]
fn an_open_value_hides_no_fault_in_it() {
    let open = "[\n".repeat(200);
    let wire = format!("{open}{{\"jsonrpc\":\"1.0\",\"id\":1}}\n{{\"jsonrpc\":\"2.0\",\n");
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let rules: Vec<_> = all.iter().filter(|row| !row.2.is_empty()).map(|row| row.2[0]).collect();
    assert_eq!(rules[..2], ["embedded-newline", "wrong-version"]);
    assert_eq!(all.last().unwrap().1, None);
}

#[test]
fn a_log_line_that_looks_like_a_field_or_a_page_is_log_output() {
    for log in [
        "<header> starting\n",
        "<bodyguard> on duty\n",
        "event: startup complete\n",
        "id: 5 connected\n",
        "retry: in 3 s\n",
        "data: loaded\n",
        "event: a\n\ndata: loaded\n",
    ] {
        let wire = format!("{log}{{\"jsonrpc\":\"2.0\",\"method\":\"m\"}}\n");
        let all = rows(FramingKind::Ndjson, wire.as_bytes());
        assert_eq!(all[0].2, ["log-line"], "{log}");
    }
    let wire = "event: message\nid: 5\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n";
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let found: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
    let field = vec!["sse-field"];
    assert_eq!(found, [(None, field.clone()), (Some(1), Vec::new()), (None, field.clone())]);
    // Data without a message belongs to the event.
    let all = rows(FramingKind::Ndjson, b"event: endpoint\ndata: /messages?session=4\n");
    let found: Vec<_> = all.iter().map(|row| (row.1, row.2.clone())).collect();
    assert_eq!(found, [(None, field), (Some(1), Vec::new())]);
}

#[test]
fn a_newline_before_a_header_is_described_by_what_stands_before_it() {
    let message = "Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":null}";
    let words = |wire: &str| {
        let all = rows(FramingKind::ContentLength, wire.as_bytes());
        let (_, _, rules, words) = all.last().unwrap().clone();
        (rules[0], words)
    };
    let (rule, first) = words(&format!("\n{message}"));
    assert_eq!(
        (rule, first.as_str()),
        ("text-before-header", "a newline stands before the header")
    );
    let (rule, next) = words(&format!("{message}\n{message}"));
    assert_eq!(rule, "bytes-after-body");
    assert!(next.starts_with("a newline follows the body"), "{next}");
    let (_, one) = words(&format!("{message}\t{message}"));
    assert_eq!(one, "1 byte of whitespace stands where a header is due");
    let wire = format!("{message}\n{{\"jsonrpc\":\"2.0\",\"method\":\"m\"}}\n");
    let (rule, missing) = words(&wire);
    assert_eq!(rule, "header-missing");
    assert!(missing.ends_with("; the notification \"m\" is lost"), "{missing}");
}

/// One cause has one error, and what the framing loses by it is a note.
#[test]
fn a_wrong_length_has_one_error() {
    let body = "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"é\"}";
    let characters = body.chars().count();
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"p\"}";
    let wire = format!(
        "Content-Length: {characters}\r\n\r\n{body}Content-Length: {}\r\n\r\n{ping}",
        ping.len()
    );
    let found = findings(FramingKind::ContentLength, wire.as_bytes());
    let found: Vec<_> =
        found.iter().map(|one| (rule::name(one.rule), one.severity.name())).collect();
    assert_eq!(found, [("content-length-wrong", "error"), ("header-malformed", "note")]);
}

#[test]
fn text_where_a_header_is_due_is_quoted_however_it_arrives() {
    let body = "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":null}";
    let wire = format!(
        "Content-Length: {}\r\n\r\n{body}warming up\nContent-Length: 2\r\n\r\n{{}}",
        body.len()
    );
    for length in [wire.len(), 64] {
        let reports = reports(FramingKind::ContentLength, wire.as_bytes(), length);
        let (last, finding) = (&reports[1], &reports[1].message.findings[0]);
        assert_eq!(rule::name(finding.rule), "text-before-header");
        let words = finding.message.to_string();
        assert!(words.contains("\"warming"), "{words}");
        let start = wire.find("warming").unwrap() as u64;
        assert_eq!((last.offset, finding.offset), (start, Some(start)));
    }
}

/// The bytes are those of one read or of several, and other events come before and after them.
#[test]
fn the_bytes_since_the_last_event_are_known_where_a_framing_is_lost() {
    let frame = "Content-Length: 2\r\n\r\n{}";
    let headers = format!(
        "{frame}warming up\n{frame}{frame}X: y\r\n\r\n:\r\n\r\n{frame}Content-Length: z\r\n\r\n"
    );
    let long = " ".repeat(10_000);
    let values = format!("{{}}[1]text\n{{\"a\":[]}}\nx[\n[1,\n2]{long}:\n{{}}{{}}]\n[]");
    for (framing, wire) in
        [(FramingKind::ContentLength, headers), (FramingKind::Concatenated, values)]
    {
        let wire = wire.as_bytes();
        for length in (1..100).chain([wire.len()]) {
            for first in [0, length / 2] {
                let mut stream = Wire::new(framing, 1 << 20, &Profile::LSP).resyncing();
                let (mut arrived, mut losses) = (0, 0);
                let (start, rest) = wire.split_at(first);
                for piece in std::iter::once(start).chain(rest.chunks(length)) {
                    arrived += piece.len();
                    let mut handle = |event: WireEvent<'_>, around: &Around<'_>| {
                        let known = &wire[around.start as usize..arrived - around.behind.len()];
                        let is_loss =
                            matches!(event, WireEvent::Other(Received::Desynchronised(_)));
                        let kept = if is_loss { known.len().min(8 * 1024) } else { 0 };
                        assert_eq!(around.since, &known[..kept], "{framing:?} {length} {event:?}");
                        losses += usize::from(is_loss);
                        Ok(())
                    };
                    stream.push(piece, &mut handle).unwrap();
                }
                assert!(losses >= 3, "{framing:?} {length} {losses}");
            }
        }
    }
}

#[test]
fn events_without_data_are_recognised_by_their_fields() {
    for (wire, expected) in [
        ("payload: {}\n\n", Some("no event has data: the field \"payload\" does not exist")),
        (
            ": hello\nmsg: 1\nevent: x\nbody: 2\n\n",
            Some("no event has data: the fields \"msg\", \"body\" do not exist"),
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n",
            Some("no event has data: these are lines of JSON, and not events"),
        ),
        (
            "Content-Length: 2\r\n\r\n{}",
            Some("no event has data: these are headers, and not events"),
        ),
        ("<!doctype html>\n<p>a: b", Some("this is an HTML page: \"<!doctype html>\"")),
        ("event: ping\n\n: keep-alive\n\n", None),
        ("data: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\nother: 1\n\n", None),
    ] {
        for length in [1, wire.len()] {
            let found: Vec<_> = reports(FramingKind::Sse, wire.as_bytes(), length)
                .into_iter()
                .flat_map(|report| report.message.findings)
                .filter(|finding| finding.rule != rule::UNKNOWN_METHOD)
                .map(|finding| finding.message.to_string())
                .collect();
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected.as_slice());
        }
    }
}

#[test]
fn a_mark_at_the_start_is_named_once() {
    let wire = b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n";
    for framing in [FramingKind::Ndjson, FramingKind::Concatenated] {
        let found = findings(framing, wire);
        let found: Vec<_> = found
            .iter()
            .map(|one| (rule::name(one.rule), one.severity.name(), one.offset))
            .collect();
        assert_eq!(found, [("byte-order-mark", "warning", Some(0))]);
    }
    // The specification of server-sent events allows one.
    let wire = b"\xEF\xBB\xBFdata: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\n";
    assert!(findings(FramingKind::Sse, wire).is_empty());
}

/// A remedy for standard output is no use over HTTP.
#[test]
fn remedies_fit_the_stream() {
    let help = |is_http: bool| {
        let mut audit = Audit::new(Options::default());
        if is_http {
            audit.event(Event::Http, Place::default(), &mut ()).unwrap();
        }
        let event = Event::Bytes { from: Role::Server, bytes: b"starting\n" };
        audit.event(event, Place::default(), &mut ()).unwrap();
        audit.finish(Vec::new(), &mut ()).unwrap().findings[0].help
    };
    assert!(help(false).contains("stdout"));
    assert!(!help(true).contains("std"));
    let found = findings(FramingKind::Sse, b"data: starting\n\n");
    assert!(!found[0].help.contains("std") && found[0].framing.is_none());
}

/// A log record about a message may have its id, and is not a request.
#[test]
fn a_log_record_is_no_request() {
    let mut audit = Audit::new(Options::default());
    for (from, text) in [
        (Role::Client, r#"{"jsonrpc":"2.0","id":61,"method":"ping"}"#),
        (Role::Server, r#"{"time":4,"level":"debug","id":61,"method":"ping","params":{}}"#),
        (Role::Server, r#"{"time":5,"level":"debug","id":61,"msg":"no answer"}"#),
    ] {
        let bytes = format!("{text}\n");
        let event = Event::Bytes { from, bytes: bytes.as_bytes() };
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    let report = audit.finish(Vec::new(), &mut ()).unwrap();
    let count = |rule: &str| report.findings.iter().filter(|one| one.rule == rule).count();
    assert_eq!(count("log-record"), 2);
    // The request of the client has no answer, and the server has sent no request.
    assert_eq!(count("unanswered-request"), 1);
}

#[test]
fn a_frame_of_another_framing_may_end_without_a_newline() {
    const PING: &str = r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#;
    for (wire, rules) in [
        (format!("{PING}{PING}"), &["glued-messages"][..]),
        (format!("Content-Length: 40\r\n\r\n{PING}"), &["content-length-header"]),
        (
            format!("Content-Length: 41\r\n\r\n{PING}\n{PING}"),
            &["content-length-header", "unterminated-frame"],
        ),
    ] {
        let found = findings(FramingKind::Ndjson, wire.as_bytes());
        let found: Vec<&str> = found.iter().map(|one| rule::name(one.rule)).collect();
        assert_eq!(found, rules, "{wire}");
    }
}

#[test]
fn the_frames_of_another_protocol_refer_to_the_first() {
    let wire = concat!(
        "{\"seq\":1,\"type\":\"request\",\"command\":\"launch\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\n",
        "{\"seq\":2,\"type\":\"event\",\"event\":\"stopped\"}\n",
        "{\"method\":\"sum\",\"params\":[1,2],\"id\":9}\n",
        "{\"result\":3,\"error\":null,\"id\":9}\n",
    );
    let all = rows(FramingKind::Ndjson, wire.as_bytes());
    let found: Vec<_> = all.iter().map(|row| (row.1, row.2.as_slice())).collect();
    let expected: [(Option<u64>, &[&str]); 5] = [
        (None, &["debug-adapter-protocol"]),
        (None, &[]),
        (Some(1), &[]),
        (None, &["jsonrpc-1"]),
        (Some(4), &[]),
    ];
    assert_eq!(found, expected);
}
