//! Recordings of HTTP exchanges: how they are written and read, and that what is missing in them is no finding.

use std::borrow::Cow;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tautline::Severity;
use tautline_audit::credentials::Credentials;
use tautline_audit::source::http::Part;
use tautline_audit::source::{Header, RecordingWriter, RequestHead, ResponseHead, SourceKind};
use tautline_audit::{Audit, Document, Options, Step};
use tautline_mcp::Role;

use super::exchanges::{EXCHANGES, dialogues};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Returns a recording of these parts.
fn recording(parts: &[(u64, Part<'_>)]) -> Vec<u8> {
    let header = Header::of_http("http://localhost:3000/mcp".to_owned());
    let mut writer = RecordingWriter::new(Vec::new(), header).unwrap();
    for (us, (number, part)) in (0..).step_by(1000).zip(parts) {
        writer.part(us, *number, part).unwrap();
    }
    writer.stopped(1_000_000).unwrap();
    writer.into_inner()
}

fn audit_limited(recording: &[u8], limit: u32) -> Document {
    let mut options = Options::default();
    options.max_frame = limit;
    let mut audit = Audit::new(options);
    let mut reader = recording;
    let receive =
        &mut |event: tautline_audit::source::Event<'_>, place| audit.event(event, place, &mut ());
    SourceKind::Recording.read(&mut reader, limit, receive).unwrap();
    audit.finish(Vec::new(), &mut ()).unwrap()
}

fn audit(parts: &[(u64, Part<'_>)]) -> Document {
    audit_limited(&recording(parts), 1_000_000)
}

/// Returns the rules of errors and warnings.
fn loud(document: &Document) -> Vec<&'static str> {
    let loud = document.findings.iter().filter(|finding| finding.severity != Severity::Note);
    loud.map(|finding| finding.rule).collect()
}

/// Returns the parts of exchanges.
fn parts(text: &str) -> Vec<(u64, Part<'static>)> {
    let text: &'static str = text.replace("META", META).leak();
    let step = |step| match step {
        Step::Part(number, part) => (number, part),
        step => panic!("{step:?}"),
    };
    Step::of_exchanges(text).into_iter().map(step).collect()
}

/// A call with its headers, and its result.
const CALL: &str = r#"> POST /mcp
> Content-Type: application/json
> Accept: application/json, text/event-stream
> MCP-Protocol-Version: 2026-07-28
> Mcp-Method: tools/call
> Mcp-Name: add
>
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{},META}}
< 200
< Content-Type: application/json
<
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}
"#;

#[test]
fn a_clean_exchange_has_its_times_and_no_finding() {
    let document = audit(&parts(CALL));
    assert_eq!(loud(&document), [] as [&str; 0]);
    assert_eq!(document.totals.frames, 2);
    // The request is complete with its fourth record, and the response with its eighth.
    assert!((document.latency[0].median_ms - 4.0).abs() < 0.01, "{:?}", document.latency);
    assert_eq!(document.sessions.len(), 1);
}

/// The findings do not depend on how bodies are cut into records.
#[test]
fn the_pieces_of_a_body_do_not_matter() {
    for dialogue in dialogues(EXCHANGES) {
        let whole = parts(&dialogue.text);
        let mut pieces = Vec::new();
        for (number, part) in &whole {
            match part {
                Part::Bytes { from, bytes } => {
                    let from = *from;
                    pieces.extend(
                        bytes.chunks(1).map(|bytes| (*number, Part::Bytes { from, bytes })),
                    );
                }
                part => pieces.push((*number, part.clone())),
            }
        }
        let findings = |parts: &[_]| {
            let document = audit(parts);
            let finding = |one: &tautline_audit::document::Finding| {
                (one.rule, one.frame, one.column, one.path.clone(), one.message.clone())
            };
            document.findings.iter().map(finding).collect::<Vec<_>>()
        };
        assert_eq!(findings(&whole), findings(&pieces), "line {}", dialogue.line);
    }
}

/// Overlapping exchanges keep apart, and so do the sessions of two clients.
#[test]
fn exchanges_and_sessions_may_overlap() {
    let session = |id: &str| {
        parts(&format!(
            "[open 2025-11-25 {id}]\n> POST /mcp\n> Content-Type: application/json\n\
             > Accept: application/json, text/event-stream\n> MCP-Protocol-Version: 2025-11-25\n\
             > Mcp-Session-Id: {id}\n>\n> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}\n\
             < 200\n< Content-Type: application/json\n<\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"tools\":[]}}}}\n"
        ))
    };
    let (one, other) = (session("one"), session("other"));
    let other = other.into_iter().map(|(number, part)| (number + 100, part));
    let woven: Vec<_> = one.into_iter().zip(other).flat_map(|(a, b)| [a, b]).collect();
    let document = audit(&woven);
    assert_eq!(loud(&document), [] as [&str; 0]);
    assert_eq!(document.sessions.len(), 2);
    assert!(document.sessions.iter().all(|session| session.revision == Some("2025-11-25")));
    assert!(document.notes.iter().any(|note| note.contains("several sessions")));
    // The second session has the times of its own records.
    assert_eq!(document.totals.frames, 10);
}

/// Clients of the modern era have no sessions, and may use the same id at the same time.
#[test]
fn clients_without_sessions_may_use_the_same_id() {
    let (one, other) = (parts(CALL), parts(CALL));
    let other = other.into_iter().map(|(number, part)| (number + 100, part));
    let woven: Vec<_> = one.into_iter().zip(other).flat_map(|(a, b)| [a, b]).collect();
    let document = audit(&woven);
    assert_eq!(loud(&document), [] as [&str; 0]);
    assert_eq!((document.totals.frames, document.sessions.len()), (4, 2));
}

/// Values that were replaced break no rule, and hide no other breach.
#[test]
fn redacted_values_are_not_judged() {
    let with = |header: &str, argument: &str| {
        let text = CALL.replace("> Mcp-Name: add", header).replace("\"arguments\":{}", argument);
        loud(&audit(&parts(&text)))
    };
    let plain = "\"arguments\":{}";
    assert_eq!(with("> Mcp-Name: other", plain), ["http-header-mismatch"]);
    assert_eq!(with("> Mcp-Name: [redacted]", plain), [] as [&str; 0]);
    assert_eq!(
        with("> Mcp-Name: [redacted]\n> Mcp-Name: [redacted]", plain),
        ["http-header-repeated"]
    );
    assert_eq!(with("> Mcp-Name: add\n> Authorization: [redacted]", plain), [] as [&str; 0]);
    let text = CALL.replace("\"name\":\"add\"", "\"name\":\"[redacted]\"");
    assert_eq!(loud(&audit(&parts(&text))), [] as [&str; 0]);
}

/// The ids of sessions are replaced by others that are as well-formed, so the findings stay the same.
#[test]
fn the_ids_of_sessions_may_be_replaced() {
    let credentials = Credentials::default();
    let mut count = 0;
    for dialogue in dialogues(EXCHANGES) {
        let whole = parts(&dialogue.text);
        let redacted: Vec<_> = whole
            .iter()
            .map(|(number, part)| {
                let part = match part {
                    Part::Request(head) => Part::Request(credentials.request(head)),
                    Part::Response(head) => Part::Response(credentials.response(head)),
                    part => part.clone(),
                };
                (*number, part)
            })
            .collect();
        count += usize::from(whole != redacted);
        assert_eq!(loud(&audit(&whole)), loud(&audit(&redacted)), "line {}", dialogue.line);
    }
    assert!(count > 5, "{count}");
}

/// A missing part of the recording is no fault of the sides.
#[test]
fn what_is_missing_is_no_finding() {
    let whole = parts(CALL);
    let at = |is: fn(&Part<'_>) -> bool| whole.iter().position(|(_, part)| is(part)).unwrap();
    let response = at(|part| matches!(part, Part::Response(_)));
    // A body that was cut.
    for from in [Role::Client, Role::Server] {
        let mut cut = whole.clone();
        let body = |(_, part): &(u64, Part<'_>)| matches!(part, Part::Bytes { from: side, .. } if *side == from);
        let place = cut.iter().position(body).unwrap();
        cut.insert(place, (1, Part::Omitted { from, count: 7 }));
        let document = audit(&cut);
        assert_eq!(loud(&document), [] as [&str; 0], "{from:?}");
        assert!(document.notes.iter().any(|note| note.contains("lacks some bodies")), "{from:?}");
    }
    // A client that left.
    let mut left = whole[..response].to_vec();
    left.push((1, Part::Aborted { from: Role::Client, why: "gone".into() }));
    assert_eq!(loud(&audit(&left)), [] as [&str; 0]);
    // A server that left.
    let mut failed = whole[..response].to_vec();
    failed.push((1, Part::Aborted { from: Role::Server, why: "refused".into() }));
    assert_eq!(loud(&audit(&failed)), ["unanswered-request"]);
    // A recorder that was stopped before the answer.
    assert_eq!(loud(&audit(&whole[..response])), [] as [&str; 0]);
    // Bodies that are compressed in another way, or broken.
    for (from, head) in [("<", "< Content-Type"), (">", "> Content-Type")] {
        for coding in ["br", "gzip"] {
            let with = format!("{from} Content-Encoding: {coding}\n{head}");
            let document = audit(&parts(&CALL.replace(head, &with)));
            assert_eq!(loud(&document), [] as [&str; 0], "{from} {coding}");
            assert!(document.notes.iter().any(|note| note.contains("compressed")));
        }
    }
    // Another resource of the same server.
    let text = "> GET /.well-known/oauth-protected-resource\n> Host: a\n< 200\n< Content-Type: application/json\n<\n< {}\n";
    let with_other = format!("{text}{CALL}");
    assert_eq!(loud(&audit(&parts(&with_other))), [] as [&str; 0]);
}

/// A message over the limit is skimmed, and its answer is not lost.
#[test]
fn a_long_body_is_reported_once() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(20_000));
    for short in ["\"arguments\":{}", "\"content\":[]"] {
        let (name, _) = short.split_once(':').unwrap();
        let text = CALL.replace(short, &format!("{name}:{long}"));
        let document = audit_limited(&recording(&parts(&text)), 10_000);
        assert_eq!(loud(&document), ["frame-too-long"], "{short}");
    }
}

#[test]
fn records_that_make_no_sense_are_errors() {
    let header = r#"{"tautline-recording":2,"http":true}"#;
    for (record, expected) in [
        (r#"{"exchange":1,"from":"client"}"#, "line 2: a record of bytes names their writer"),
        (r#"{"exchange":1,"text":"a"}"#, "line 2: a record of bytes names their writer"),
        (r#"{"exchange":1,"from":"stderr","text":"a"}"#, "line 2: unknown writer"),
        (r#"{"from":"client","text":"a"}"#, "line 2: a record of HTTP names its exchange"),
        (r#"{"exchange":1,"closed":"nobody"}"#, "line 2: unknown writer"),
        (r#"{"exchange":1,"response":{"status":70000}}"#, "line 2: this is not a record"),
        (r#"{"exchange":-1}"#, "line 2: this is not a record"),
    ] {
        let text = format!("{header}\n{record}\n");
        let read = SourceKind::Recording.read(&mut text.as_bytes(), 1000, &mut |_, _| Ok(()));
        let error = read.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{record}: {error}");
    }
    // Parts of exchanges whose beginning is missing are no error.
    let text = format!(
        "{header}\n{}\n{}\n",
        r#"{"exchange":7,"from":"server","text":"a"}"#, r#"{"exchange":7,"closed":"server"}"#
    );
    let recorded = [text.as_bytes(), &recording(&parts(CALL))].concat();
    assert_eq!(loud(&audit_limited(&recorded, 1_000_000)), [] as [&str; 0]);
}

/// A recorder that was killed leaves a note.
#[test]
fn a_recording_without_its_end_is_named() {
    let recorded = recording(&parts(CALL));
    let last = recorded[..recorded.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
    let document = audit_limited(&recorded[..=last], 1_000_000);
    assert!(document.notes.iter().any(|note| note.starts_with("the recording has no end")));
    assert!(!audit(&parts(CALL)).notes.iter().any(|note| note.contains("no end")));
}

/// An archive of the same exchange has the same findings as the recording.
#[test]
fn archives_are_judged_by_the_same_rules() {
    for text in [
        CALL.to_owned(),
        CALL.replace("Mcp-Name: add", "Mcp-Name: sub"),
        CALL.replace("> Mcp-Method: tools/call\n", ""),
    ] {
        let parts = parts(&text);
        let (mut request, mut response) = (None, None);
        let mut bodies = [String::new(), String::new()];
        for (_, part) in &parts {
            match part {
                Part::Request(head) => request = Some(head),
                Part::Response(head) => response = Some(head),
                Part::Bytes { from, bytes } => {
                    let body = &mut bodies[usize::from(*from == Role::Server)];
                    body.push_str(std::str::from_utf8(bytes).unwrap());
                }
                _ => {}
            }
        }
        let har = archive(request.unwrap(), response.unwrap(), &bodies);
        let mut audit_of_har = Audit::new(Options::default());
        let mut reader = har.as_bytes();
        let receive = &mut |event: tautline_audit::source::Event<'_>, place| {
            audit_of_har.event(event, place, &mut ())
        };
        SourceKind::Har.read(&mut reader, 1_000_000, receive).unwrap();
        let of_har = audit_of_har.finish(Vec::new(), &mut ()).unwrap();
        assert_eq!(loud(&of_har), loud(&audit(&parts)), "{text}");
    }
}

fn archive(request: &RequestHead<'_>, response: &ResponseHead<'_>, bodies: &[String; 2]) -> String {
    let headers = |fields: &[(Cow<'_, str>, Cow<'_, str>)]| {
        let field = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| serde_json::json!({"name": name, "value": value});
        fields.iter().map(field).collect::<Vec<_>>()
    };
    serde_json::json!({"log": {"entries": [{
        "startedDateTime": "2026-11-26T00:00:00Z", "time": 5,
        "request": {"method": request.method, "url": "http://localhost/mcp",
            "headers": headers(&request.headers), "postData": {"text": bodies[0]}},
        "response": {"status": response.status, "headers": headers(&response.headers),
            "content": {"mimeType": "application/json", "text": bodies[1]}},
    }]}})
    .to_string()
}

/// Parts that are lost, repeated, swapped or changed end in a document, and not in a panic.
#[test]
fn exchanges_that_are_out_of_order_are_judged_to_their_end() {
    let all: Vec<(u64, Part<'static>)> = dialogues(EXCHANGES)
        .iter()
        .zip(0..)
        .flat_map(|(dialogue, index)| {
            parts(&dialogue.text).into_iter().map(move |(number, part)| (number + index % 3, part))
        })
        .collect();
    let mut state = 1_u64;
    let mut next = move |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    for _ in 0..200 {
        let start = next(all.len());
        let mut some: Vec<_> = all[start..].iter().take(60).cloned().collect();
        for _ in 0..next(12) {
            let (one, other) = (next(some.len()), next(some.len()));
            match next(6) {
                0 => some.swap(one, other),
                1 => {
                    some.insert(one, some[other].clone());
                }
                2 => some[one].0 = some[other].0,
                3 if some.len() > 1 => drop(some.remove(one)),
                4 => {
                    let from = if next(2) == 0 { Role::Client } else { Role::Server };
                    let number = some[other].0;
                    let part = match next(3) {
                        0 => Part::Omitted { from, count: 1 },
                        1 => Part::Aborted { from, why: "x".into() },
                        _ => Part::Bytes { from, bytes: b"data: {\"id\":1\n\n\xFF" },
                    };
                    some.insert(one, (number, part));
                }
                _ => {
                    if let Part::Response(head) = &mut some[one].1 {
                        head.status = [0, 100, 202, 404, 999][next(5)];
                        head.headers.truncate(next(2));
                    }
                }
            }
        }
        // A whole exchange comes last, and is judged whatever came before.
        some.extend(parts(CALL).into_iter().map(|(number, part)| (number + 9999, part)));
        let document = audit_limited(&recording(&some), 300);
        assert!(document.totals.frames >= 2, "{some:?}");
    }
}

/// Compressed bodies and events are judged like others, however they are cut.
#[test]
fn compressed_bodies_are_judged() {
    let events = CALL
        .replace(
            "< Content-Type: application/json",
            "< Content-Type: text/event-stream\n< X-Accel-Buffering: no",
        )
        .replace("\n< {", "\n< data: {")
        + "<\n";
    for text in [CALL, &events] {
        // The answer has another id.
        for id in ["\"id\":1,\"result\"", "\"id\":2,\"result\""] {
            let plain = parts(&text.replace("\"id\":1,\"result\"", id));
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            let mut packed = Vec::new();
            for (number, part) in &plain {
                match part {
                    Part::Response(head) => {
                        let mut head = head.clone();
                        head.headers.push(("Content-Encoding".into(), "gzip".into()));
                        packed.push((*number, Part::Response(head)));
                    }
                    Part::Bytes { from: Role::Server, bytes } => gzip.write_all(bytes).unwrap(),
                    Part::Closed { from: from @ Role::Server, .. } => {
                        let all: &'static [u8] = std::mem::take(gzip.get_mut()).leak();
                        let rest = std::mem::replace(
                            &mut gzip,
                            GzEncoder::new(Vec::new(), Compression::default()),
                        );
                        let rest: &'static [u8] = rest.finish().unwrap().leak();
                        for bytes in all.chunks(5).chain(rest.chunks(5)) {
                            packed.push((*number, Part::Bytes { from: *from, bytes }));
                        }
                        packed.push((*number, part.clone()));
                    }
                    part => packed.push((*number, part.clone())),
                }
            }
            let expected = loud(&audit(&plain));
            assert_eq!(expected.is_empty(), id.contains('1'), "{expected:?}");
            assert_eq!(loud(&audit(&packed)), expected);
        }
    }
}
