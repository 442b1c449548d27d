//! Audits of recorded sessions: the files in `tests/recordings`, and recordings made in this file.

use std::fs;
use std::path::Path;

use tautline::frame::FramingKind;
use tautline::{Rule, Severity};
use tautline_audit::source::{Event, Pair, Place, Record, SourceKind};
use tautline_audit::tally::audits::Verdict;
use tautline_audit::{Audit, Baseline, Document, Level, Options, rule_named};
use tautline_mcp::{Role, rule};

fn read(recording: &[u8], options: Options) -> Document {
    let mut audit = Audit::new(options);
    let mut reader = recording;
    let kind = SourceKind::detect(reader).unwrap();
    let limit = audit.limit();
    kind.read(&mut reader, limit, &mut |event, place| audit.event(event, place, &mut ())).unwrap();
    audit.finish(Vec::new(), &mut ()).unwrap()
}

fn recording(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name)).unwrap()
}

/// Returns the errors and warnings: the rule, the number of the frame, and the line in the source.
fn found(document: &Document) -> Vec<(&str, Option<u64>, Option<u64>)> {
    let is_serious =
        |finding: &&tautline_audit::document::Finding| finding.severity != Severity::Note;
    let serious = document.findings.iter().filter(is_serious);
    serious.map(|finding| (finding.rule, finding.frame, finding.line)).collect()
}

fn verdicts(document: &Document) -> [Verdict; 2] {
    [document.audits[0].verdict, document.audits[1].verdict]
}

#[test]
fn text_on_standard_output_is_found() {
    let document = read(&recording("pollution.recording"), Options::default());
    assert_eq!(
        found(&document),
        [
            ("log-line", Some(2), Some(3)),
            ("log-line", Some(8), Some(10)),
            ("log-line", Some(11), Some(14)),
            ("log-line", Some(19), Some(24)),
        ]
    );
    assert!(document.findings[0].message.contains("\"weather-server v0.3.1 starting"));
    assert_eq!(verdicts(&document), [Verdict::Fail, Verdict::Pass]);
    let failed: Vec<_> = document
        .requirements
        .iter()
        .filter(|row| row.verdict == tautline_audit::tally::requirements::Status::Failed)
        .map(|row| row.id)
        .collect();
    assert_eq!(failed, ["message-json", "stdio-stdout-messages"]);
    assert_eq!(document.last_lines, ["loading forecasts"]);
}

#[test]
fn wrong_codes_are_found() {
    let document = read(&recording("wrong-codes.recording"), Options::default());
    assert_eq!(
        found(&document),
        [
            ("error-without-cause", Some(4), Some(5)),
            ("error-code-http", Some(12), Some(13)),
            ("unknown-tool-code", Some(12), Some(13)),
            ("unknown-method-code", Some(14), Some(15)),
        ]
    );
    assert_eq!(verdicts(&document), [Verdict::Fail, Verdict::Fail]);
}

#[test]
fn requests_without_an_answer_are_found_at_the_end() {
    let document = read(&recording("unanswered.recording"), Options::default());
    assert_eq!(
        found(&document),
        [
            ("unanswered-request", Some(8), Some(9)),
            ("unanswered-request", Some(11), Some(13)),
            ("process-failed", None, Some(17)),
        ]
    );
    assert_eq!(document.totals.errors, 2);
    assert_eq!(document.sessions[0].end.as_deref(), Some("exited with status 1"));
    assert_eq!(document.last_lines, ["Traceback (most recent call last):", "  KeyError: 'Oslo'"]);
}

/// Audits the example of a rule, after another event.
fn example(rule: Rule, first: Option<Event<'static>>) -> Document {
    let mut audit = Audit::new(Options::default());
    let steps = tautline_audit::example_of(rule).unwrap().steps();
    if let Some(event) = first {
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    for step in &steps {
        let tautline_audit::Step::Send(from, bytes) = step else { panic!() };
        audit.event(Event::Bytes { from: *from, bytes }, Place::default(), &mut ()).unwrap();
    }
    audit.finish(Vec::new(), &mut ()).unwrap()
}

#[test]
fn what_was_due_by_the_end_breaks_its_requirement() {
    let rule = rule::LIST_CHANGE_UNANNOUNCED;
    let document = example(rule, None);
    assert_eq!(found(&document), [(rule::name(rule), None, None)]);
    assert_eq!(document.findings[0].method.as_deref(), Some("tools/list"));
    let failed: Vec<_> = document
        .requirements
        .iter()
        .filter(|row| row.verdict == tautline_audit::tally::requirements::Status::Failed)
        .map(|row| row.id)
        .collect();
    assert_eq!(failed, ["tools-list-changed-sent"]);
    // A server can't send it over HTTP, unless the client keeps a stream open.
    assert_eq!(found(&example(rule, Some(Event::Http))), []);
}

#[test]
fn over_http_nothing_is_asked_of_stdio() {
    for rule in
        [rule::NO_PROBE, rule::NOTIFICATION_AFTER_CANCEL, rule::SUBSCRIPTION_END_UNANNOUNCED]
    {
        let has_it = |document: &Document| {
            document.findings.iter().any(|finding| finding.rule == rule::name(rule))
        };
        assert!(has_it(&example(rule, None)), "{rule:?}");
        assert!(!has_it(&example(rule, Some(Event::Http))), "{rule:?}");
    }
}

/// The findings do not depend on where messages are cut into chunks.
#[test]
fn the_bounds_of_chunks_do_not_matter() {
    let whole = recording("wrong-codes.recording");
    let expected = read(&whole, Options::default());
    let text = String::from_utf8(whole).unwrap();
    for size in [1, 7, 64] {
        let mut lines = text.lines();
        let mut cut = format!("{}\n", lines.next().unwrap());
        for line in lines {
            let record: Record<'_> = serde_json::from_str(line).unwrap();
            let (Some(from), Some(text)) = (&record.from, &record.text) else {
                cut += &format!("{line}\n");
                continue;
            };
            for chunk in text.as_bytes().chunks(size) {
                let chunk = Record::of_bytes(record.us.unwrap(), from, chunk);
                cut += &format!("{}\n", serde_json::to_string(&chunk).unwrap());
            }
        }
        let document = read(cut.as_bytes(), Options::default());
        let plain = |document: &Document| {
            let findings = document.findings.iter();
            let plain: Vec<_> = findings
                .map(|one| (one.rule, one.frame, one.column, one.fingerprint.clone()))
                .collect();
            (plain, document.totals.frames, document.totals.bytes)
        };
        assert_eq!(plain(&document), plain(&expected), "{size}");
    }
}

#[test]
fn a_recording_that_was_cut_off_is_read_as_far_as_it_goes() {
    let whole = recording("wrong-codes.recording");
    let lines: Vec<_> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    // The first line is the header. A recording without messages is refused.
    for &end in lines.iter().skip(1) {
        // After the newline, and in the middle of the next line.
        for cut in [end + 1, (end + 20).min(whole.len())] {
            let document = read(&whole[..cut], Options::default());
            let errors = document.findings.iter().filter(|one| one.rule == "unanswered-request");
            assert!(errors.into_iter().all(|one| one.severity == Severity::Warning), "{cut}");
        }
    }
}

/// The last line of a file may be an incomplete header.
#[test]
fn a_second_recording_may_be_cut_off_in_its_header() {
    let mut bytes = recording("wrong-codes.recording");
    let frames = read(&bytes, Options::default()).totals.frames;
    bytes.extend_from_slice(b"{\"tautline-recording\":1,\"fra");
    assert_eq!(read(&bytes, Options::default()).totals.frames, frames);
}

#[test]
fn times_that_decrease_give_no_durations() {
    let frames = |recordings: &[&[(i64, &str, &str)]]| {
        let mut text = String::new();
        for records in recordings {
            text += "{\"tautline-recording\":1}\n";
            for (us, from, message) in *records {
                let message = format!("{message}\n");
                text += &serde_json::json!({"us": us, "from": from, "text": message}).to_string();
                text.push('\n');
            }
        }
        let mut options = Options::default();
        options.frames = 10;
        let document = read(text.as_bytes(), options);
        let times: Vec<_> = document.frames.iter().map(|frame| frame.time_ms).collect();
        (times, document.latency.len(), document.notes.len())
    };
    let forward: &[_] = &[(500, "client", PING), (2500, "server", PONG)];
    assert_eq!(frames(&[forward]), (vec![Some(0.0), Some(2.0)], 1, 0));
    let back: &[_] = &[(2500, "client", PING), (500, "server", PONG)];
    assert_eq!(frames(&[back]), (vec![Some(0.0), None], 0, 1));
    // Each recording has its own start time.
    let earlier: &[_] = &[(100, "client", PING), (1100, "server", PONG)];
    let expected = vec![Some(0.0), Some(2.0), Some(0.0), Some(1.0)];
    assert_eq!(frames(&[forward, earlier]), (expected, 1, 0));
}

#[test]
fn a_file_that_is_no_recording_is_named() {
    for (file, expected) in [
        (&b""[..], "the file is empty"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n", "a log of messages without directions"),
        (b"Content-Length: 2\r\n\r\n{}", "one side of a wire with headers"),
        (b"\x7FELF", "no known format"),
    ] {
        let reader = file;
        let error = SourceKind::detect(reader).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    for (file, expected) in [
        (
            "{\"tautline-recording\":1}\n{\"from\":\"nobody\",\"text\":\"\"}\n",
            "line 2: unknown writer",
        ),
        (
            "{\"tautline-recording\":1}\n\n{\"from\":\"client\"}\n",
            "line 3: a record has either text",
        ),
        (
            "{\"tautline-recording\":1}\n{\"from\":\"client\",\"base64\":\"?\"}\n",
            "line 2: the Base64",
        ),
        ("{\"tautline-recording\":1}\n7\n", "line 2: this is not a record"),
        (
            "{\"tautline-recording\":1}\n[5,\"client\",\"x\"]\n",
            "line 2: this is not a record: it is not an object",
        ),
        (
            "{\"tautline-recording\":1}\n{\"text\":\"x\"}\n",
            "line 2: a record of bytes names their writer",
        ),
        ("{\"tautline-recording\":3}\n", "line 1: the format has the version 3"),
        ("{\"tautline-recording\":1,\"framing\":\"x\"}\n", "line 1: this is not the first line"),
    ] {
        let error =
            SourceKind::Recording.read(&mut file.as_bytes(), 1000, &mut |_, _| Ok(())).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

fn recorded(records: &[(&str, &str)]) -> Document {
    let mut text = "{\"tautline-recording\":1}\n".to_owned();
    for (name, value) in records {
        let record = match *name {
            "client" | "server" => serde_json::json!({"from": name, "text": format!("{value}\n")}),
            "closed" => serde_json::json!({"closed": value}),
            name => serde_json::json!({name: value.parse::<i64>().unwrap()}),
        };
        text += &format!("{record}\n");
    }
    read(text.as_bytes(), Options::default())
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;

/// Legal sessions cause no errors, and no warnings except those listed here.
#[test]
fn legal_ends_and_answers_are_left_in_peace() {
    let (ask, answer) = INITIALIZE
        .trim_end()
        .split_once('\n')
        .map(|(ask, _)| (ask, INITIALIZED.trim_end()))
        .unwrap();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let open = [("client", ask), ("server", answer), ("client", ready)];
    let with = |more: &[(&str, &str)]| recorded(&[&open[..], more].concat());
    // A long call is in flight when the client leaves.
    let left =
        [("client", CALL), ("client", PING), ("server", PONG), ("closed", "client"), ("exit", "0")];
    assert_eq!(found(&with(&left)), [("unanswered-request", Some(4), Some(5))]);
    assert_eq!(with(&left).totals.errors, 0);
    // The client ends the process by a signal after it has closed its side.
    assert_eq!(found(&with(&[("closed", "client"), ("signal", "15")])), []);
    let killed = with(&[("signal", "9")]);
    assert_eq!(found(&killed), [("process-failed", None, Some(5))]);
    // A line that is not JSON is answered with null as the id.
    let parse_error =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    let document = with(&[("client", "{bad"), ("server", parse_error)]);
    assert_eq!(found(&document), [("not-json", Some(4), Some(5))]);
    // The client returns, and its ids start from the beginning again.
    let again =
        [&[("closed", "client")][..], &open, &[("client", PING), ("server", PONG)]].concat();
    let document = with(&again);
    assert_eq!((found(&document), document.sessions.len()), (vec![], 2));
}

/// Returns the rules, severities and words of the errors and warnings.
fn told(document: &Document) -> Vec<(&str, Severity, &str)> {
    let loud = document.findings.iter().filter(|one| one.severity != Severity::Note);
    loud.map(|one| (one.rule, one.severity, one.message.as_str())).collect()
}

#[test]
fn a_process_that_fails_with_work_to_do_is_an_error() {
    let [ask, agree, confirm] = HANDSHAKE.map(|(from, text)| (from.name(), text));
    let with = |more: &[(&str, &str)]| recorded(&[&[ask, agree, confirm][..], more].concat());
    // It has never sent a message.
    for before in [&[][..], &[("server", "Usage: serve [options]")]] {
        let document = recorded(&[before, &[("exit", "2")]].concat());
        let words = "the server's process has exited with status 2 before it sent a message";
        let last = told(&document).pop();
        assert_eq!(last, Some(("process-failed", Severity::Error, words)));
    }
    // It has left calls unanswered. The first was its last work.
    let document = with(&[("client", CALL), ("client", PING), ("exit", "3")]);
    let words = "the server's process has exited with status 3 before it answered tools/call (id 1) and 1 more request";
    assert_eq!(told(&document), [("process-failed", Severity::Error, words)]);
    assert_eq!((document.findings[0].frame, document.findings[0].line), (Some(4), Some(5)));
    let failed = document
        .requirements
        .iter()
        .filter(|row| row.verdict == tautline_audit::tally::requirements::Status::Failed);
    assert_eq!(failed.map(|row| row.id).collect::<Vec<_>>(), ["response-sent", "ping-answered"]);
    // A call that it had passed over before has a finding of its own.
    let document = with(&[("client", CALL), ("client", PING), ("server", PONG), ("exit", "3")]);
    let rules: Vec<_> = told(&document).iter().map(|one| (one.0, one.1)).collect();
    assert_eq!(
        rules,
        [("unanswered-request", Severity::Error), ("process-failed", Severity::Warning)]
    );
    // It had nothing to do, or ended as it should.
    let document = with(&[("exit", "3")]);
    assert_eq!(
        told(&document),
        [("process-failed", Severity::Warning, "the server's process has exited with status 3")]
    );
    assert_eq!(told(&with(&[("exit", "0")])), []);
    // A signal may be the decision of the client.
    let document = with(&[("client", CALL), ("signal", "15")]);
    let words = "the server's process has ended by signal 15 before it answered tools/call (id 1)";
    assert_eq!(told(&document), [("process-failed", Severity::Warning, words)]);
}

#[test]
fn an_answer_to_initialize_after_a_pause_and_the_close_is_late() {
    let [ask, agree, _] = HANDSHAKE;
    let timed = |asked: i64, closed: Option<i64>, answered: i64| {
        let mut audit = Audit::new(Options::default());
        let mut see = |event, time| {
            audit.event(event, Place { time, ..Place::default() }, &mut ()).unwrap();
        };
        let [ask, agree] = [ask.1, agree.1].map(|text| format!("{text}\n"));
        let is_timed = closed.is_some();
        see(
            Event::Bytes { from: Role::Client, bytes: ask.as_bytes() },
            Some(asked).filter(|_| is_timed),
        );
        see(Event::Closed { from: Role::Client }, closed);
        see(
            Event::Bytes { from: Role::Server, bytes: agree.as_bytes() },
            Some(answered).filter(|_| is_timed),
        );
        audit.finish(Vec::new(), &mut ()).unwrap()
    };
    let words = "initialize was answered only after the client closed its side: standard output is not flushed, or the \
        server reads to the end of its input";
    let late = timed(1_000, Some(2_501_000), 2_520_000);
    assert_eq!(told(&late), [("opening-unanswered", Severity::Error, words)]);
    // The client has closed its side at once: the answer was in flight.
    assert_eq!(told(&timed(1_000, Some(900_000), 910_000)), []);
    // The server was slow, and has not answered because of the close.
    assert_eq!(told(&timed(1_000, Some(2_501_000), 9_000_000)), []);
    // Nothing is known about a pause.
    assert_eq!(told(&timed(1_000, None, 2_520_000)), []);
}

#[test]
fn a_client_that_reads_an_answer_without_its_newline_is_not_early() {
    let [ask, agree, confirm] = HANDSHAKE.map(|(_, text)| text);
    let early = |pieces: &[(Role, String)]| {
        let mut audit = Audit::new(Options::default());
        for (from, piece) in pieces {
            let event = Event::Bytes { from: *from, bytes: piece.as_bytes() };
            audit.event(event, Place::default(), &mut ()).unwrap();
        }
        let document = audit.finish(Vec::new(), &mut ()).unwrap();
        let of_client = document.findings.iter().filter(|one| one.from == Some("client"));
        of_client.map(|one| one.rule).collect::<Vec<_>>()
    };
    let [ask, confirm] = [ask, confirm].map(|text| (Role::Client, format!("{text}\n")));
    let headed = format!("Content-Length: {}\r\n\r\n{agree}", agree.len());
    for answer in [headed, agree.to_owned()] {
        let answer = (Role::Server, answer);
        assert_eq!(early(&[ask.clone(), answer, confirm.clone()]), [""; 0]);
    }
    let log = (Role::Server, "ready\n".to_owned());
    assert_eq!(early(&[ask, log, confirm]), ["initialized-unexpected"]);
}

#[test]
fn two_recordings_in_one_file_are_two_sessions() {
    let recording = recording("unanswered.recording");
    let text = String::from_utf8(recording).unwrap();
    let (without_end, _) = text.rsplit_once("{\"us\"").unwrap();
    let document = read(format!("{without_end}{text}").as_bytes(), Options::default());
    assert_eq!(document.sessions.len(), 2);
    assert!(
        found(&document).iter().all(|one| matches!(one.0, "unanswered-request" | "process-failed"))
    );
}

fn pair(client: &str, server: &str) -> Document {
    let mut options = Options::default();
    Pair::prepare(&mut options);
    let mut audit = Audit::new(options);
    let (mut client, mut server) = (client.as_bytes(), server.as_bytes());
    let profile = audit.profile();
    Pair::new(&mut client, &mut server, FramingKind::Ndjson, 1000, &profile)
        .read(&mut |event, place| audit.event(event, place, &mut ()))
        .unwrap();
    audit.finish(Vec::new(), &mut ()).unwrap()
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
"#;

/// A call makes the server send a request to the client, under an id that the client also uses, and report progress.
#[test]
fn two_files_are_merged_by_what_depends_on_what() {
    let client = format!(
        "{INITIALIZE}{}\n{}\n{}\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
    );
    let server = format!(
        "{INITIALIZED}{}\n{}\n{}\n{}\n",
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
    );
    let document = pair(&client, &server);
    assert_eq!(found(&document), []);
    assert_eq!(document.totals.frames, 10);
    // A response without a request is still reported.
    let document =
        pair(&client, &format!("{server}{{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{{}}}}\n"));
    let rules: Vec<_> = found(&document).iter().map(|one| one.0).collect();
    assert_eq!(rules, ["response-unexpected"]);
}

/// Batches, a token that is used again after its request has ended, and text before the session.
#[test]
fn the_order_of_two_files_respects_batches_and_tokens() {
    let initialize = INITIALIZE.replace("2025-11-25", "2025-03-26");
    let initialized = INITIALIZED.replace("2025-11-25", "2025-03-26");
    let call = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","_meta":{{"progressToken":1}}}}}}"#
        )
    };
    let client = format!(
        "{initialize}{}\n{}\n[{}]\n",
        call(1),
        call(2),
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
    );
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let result = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
    let server = format!(
        "Server ready\n{initialized}{progress}\n{}\n{progress}\n{}\n[{}]\n",
        result(1),
        result(2),
        r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
    );
    assert_eq!(found(&pair(&client, &server)), [("log-line", Some(1), Some(1))]);
}

#[test]
fn progress_of_the_handshake_comes_before_its_result() {
    let client = INITIALIZE
        .replace(r#""capabilities""#, r#""_meta":{"progressToken":"boot"},"capabilities""#);
    let client = format!("{client}{}\n", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let server = format!(
        "{}\n{INITIALIZED}{}\n",
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"boot","progress":0.5}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#,
    );
    let document = pair(&client, &server);
    assert_eq!(found(&document), []);
}

/// Ids that are too long to be remembered do not change the order of the rest.
#[test]
fn two_files_with_long_ids_are_merged() {
    let (opened, ready) = INITIALIZE.split_once('\n').unwrap();
    let long = "i".repeat(300);
    let request = format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#);
    let response = format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":{{}}}}"#);
    let client = format!("{opened}\n{ready}{request}\n{PING}\n");
    let server = format!("{INITIALIZED}{response}\n{PONG}\n");
    assert_eq!(found(&pair(&client, &server)), []);
}

/// What the client sends after an answer is not sent before it, whatever the server sends before that answer.
#[test]
fn frames_of_the_server_before_an_answer_do_not_delay_it() {
    let page = |id, cursor: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{cursor}}}}}"#)
    };
    let client = format!("{INITIALIZE}{}\n{}\n", page(1, ""), page(2, r#""cursor":"next""#));
    let server = format!(
        "{}{}\n{}\n{}\n",
        INITIALIZED.replace(r#""tools":{}"#, r#""tools":{},"logging":{}"#),
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"1"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"next"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
    );
    assert_eq!(found(&pair(&client, &server)), []);
}

/// A task reports progress after the answer to the request that created it.
#[test]
fn progress_after_an_answer_does_not_hold_back_what_follows() {
    let client = format!(
        "{}{}\n{}\n{}\n",
        INITIALIZE,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","task":{},"_meta":{"progressToken":"p"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"s","result":{}}"#,
    );
    let server = format!(
        "{}{}\n{}\n{}\n{}\n",
        INITIALIZED
            .replace(r#""tools":{}"#, r#""tools":{},"tasks":{"requests":{"tools":{"call":{}}}}"#),
        r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}"#,
        r#"{"jsonrpc":"2.0","id":"s","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
    );
    assert_eq!(found(&pair(&client, &server)), []);
}

/// A client may ask for a version that the server lacks, and then for one that the server has named.
#[test]
fn a_client_may_ask_for_another_version() {
    let meta = |version| {
        format!(
            r#""params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}}}}}}"#
        )
    };
    let ask = |id, version| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover",{}}}"#, meta(version))
    };
    let client = format!("{}\n{}\n", ask(0, "2028-02-29"), ask(1, "2026-07-28"));
    let server = format!(
        "{}\n{}\n",
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2028-02-29"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}"#,
    );
    let document = pair(&client, &server);
    let graver = document.findings.iter().filter(|one| one.severity != Severity::Note);
    assert_eq!(graver.map(|one| one.rule).collect::<Vec<_>>(), Vec::<&str>::new());
}

/// The response without a request is the one that is reported, however many requests are in flight.
#[test]
fn a_stray_response_among_many_requests_is_found() {
    for (count, stray) in [(10, r#""no""#), (100, r#""no""#), (300, "1000")] {
        let ping = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let pong = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        let pings: String = (1..=count).map(ping).collect();
        let pongs: String = (1..=count).map(|id| pong(&id.to_string())).collect();
        let client = format!("{INITIALIZE}{pings}");
        let document = pair(&client, &format!("{INITIALIZED}{pongs}"));
        assert_eq!(found(&document), [], "{count}");
        let document = pair(&client, &format!("{INITIALIZED}{}{pongs}", pong(stray)));
        let rows = document.findings.iter().map(|one| (one.rule, one.line, one.column));
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows, [("response-unexpected", Some(2), 23)], "{count}");
        assert!(document.findings[0].message.starts_with("the response answers no request"));
        let length = document.findings[0].length;
        assert_eq!(length, stray.len() as u64, "{count}");
    }
}

/// The same recording has the same report, although the requests of a batch are in one frame.
#[test]
fn unanswered_requests_of_a_batch_are_in_order() {
    let pings = (1..=12).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"eth_ping"}}"#));
    let batch = format!("[{}]\n", pings.collect::<Vec<_>>().join(","));
    let document = pair(&batch, "[]\n");
    let words = document.findings.iter().filter(|one| one.rule == "unanswered-request");
    let ids: Vec<_> = words.map(|one| one.message.split(' ').nth(6).unwrap().to_owned()).collect();
    assert_eq!(ids, (1..=12).map(|id| id.to_string()).collect::<Vec<_>>());
}

/// A cancellation and a response cross, and two files do not show which came first.
#[test]
fn what_depends_on_an_unknown_order_is_not_reported() {
    let client = format!(
        "{INITIALIZE}{}\n{}\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    );
    let server = format!("{INITIALIZED}{}\n", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert!(pair(&client, &server).findings.is_empty());
}

#[test]
fn a_baseline_accepts_what_it_lists_and_tells_what_is_stale() {
    let recording = recording("wrong-codes.recording");
    let document = read(&recording, Options::default());
    let baseline = Baseline::of(document.findings.iter(), None);
    let text = baseline.to_text();
    assert_eq!(Baseline::parse(&text).unwrap(), baseline);

    let with = |baseline: Baseline, recording: &[u8]| {
        let mut options = Options::default();
        options.baseline = Some(baseline);
        read(recording, options)
    };
    let again = with(baseline.clone(), &recording);
    assert_eq!((again.findings.len(), again.stale.len()), (0, 0));
    assert_eq!(again.totals.baseline, document.findings.len() as u64);
    // With other ids and times, the findings are the same.
    let other = String::from_utf8(recording).unwrap().replace("\\\"id\\\":4", "\\\"id\\\":44");
    assert_eq!(with(baseline.clone(), other.as_bytes()).findings.len(), 0);
    // The answer to the unknown method is corrected.
    let mended = other.replace("-32000", "-32601");
    let stale: Vec<_> =
        with(baseline, mended.as_bytes()).stale.into_iter().map(|one| one.rule).collect();
    assert_eq!(stale, ["unknown-method-code"]);
    assert!(Baseline::parse("{}").is_err());
    assert!(Baseline::parse("{\"tautline-baseline\":2,\"accepted\":[]}").is_err());
}

#[test]
fn a_policy_changes_severities_and_leaves_findings_out() {
    let mut options = Options::default();
    options.policy.set(Rule::ID_NULL, Level::Allow);
    options.policy.set(Rule::ERROR_CODE_HTTP, Level::Deny);
    options.policy.set(rule_named("unknown-tool-code").unwrap(), Level::Warn);
    let document = read(&recording("wrong-codes.recording"), options);
    let severities: Vec<_> =
        document.findings.iter().map(|one| (one.rule, one.severity.name())).collect();
    assert_eq!(
        severities,
        [
            ("error-without-cause", "error"),
            ("error-code-http", "error"),
            ("unknown-tool-code", "warning"),
            ("unknown-method", "note"),
            ("unknown-method-code", "error"),
        ]
    );
    // The audits measure what was on the wire.
    assert_eq!(verdicts(&document), [Verdict::Fail, Verdict::Fail]);
}

/// The size of the document and the memory use are bounded, whatever is sent.
#[test]
fn what_is_kept_is_bounded() {
    let mut options = Options::default();
    options.frames = 100;
    options.findings = 50;
    let mut audit = Audit::new(options);
    for number in 0..1000 {
        let frame = format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":7}}\n");
        let event = Event::Bytes { from: Role::Client, bytes: frame.as_bytes() };
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    assert_eq!((document.frames.len(), document.findings.len()), (100, 50));
    assert_eq!(document.totals.frames, 1000);
    assert_eq!(
        document.truncated,
        [
            // Each method has the wrong type.
            "950 findings were left out; 50 are here",
            "the first 100 of 1000 frames are here"
        ]
    );
}

/// Nothing is judged that depends on bytes in a gap, and the frame that a gap interrupts is dropped.
#[test]
fn a_gap_is_no_fault_of_the_sides() {
    let mut audit = Audit::new(Options::default());
    let client = |bytes| Event::Bytes { from: Role::Client, bytes };
    let server = |bytes| Event::Bytes { from: Role::Server, bytes };
    for event in [
        client(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"),
        client(b"{\"jsonrpc\":\"2.0\",\"id\":2,"),
        server(b"{\"jsonrpc\":\"2.0\","),
        Event::Gap { from: Role::Client },
        Event::Gap { from: Role::Server },
        client(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n"),
        server(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n"),
        server(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n"),
    ] {
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    assert_eq!(found(&document), []);
    assert_eq!(document.totals.frames, 4);
}

/// Audits what both sides send, each text with a newline.
fn session(options: Options, messages: &[(Role, &str)]) -> Document {
    let mut audit = Audit::new(options);
    for (from, text) in messages {
        let bytes = format!("{text}\n");
        let event = Event::Bytes { from: *from, bytes: bytes.as_bytes() };
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    audit.finish(Vec::new(), &mut ()).unwrap()
}

const HANDSHAKE: [(Role, &str); 3] = [
    (
        Role::Client,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    ),
    (
        Role::Server,
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
    ),
    (Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
];

#[test]
fn an_oversized_frame_takes_part_with_its_id() {
    let padding = "x".repeat(900);
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{{"_meta":{{"a/b":"{padding}"}}}}}}"#
    );
    let refusal = r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"too long"}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
    let result =
        format!(r#"{{"jsonrpc":"2.0","id":9,"result":{{"_meta":{{"a/b":"{padding}"}}}}}}"#);
    for (request, response) in [(&*request, refusal), (ping, &*result)] {
        let mut options = Options::default();
        options.max_frame = 600;
        let exchange = [(Role::Client, request), (Role::Server, response)];
        let document = session(options, &[&HANDSHAKE[..], &exchange].concat());
        let rules: Vec<_> = found(&document).into_iter().map(|(rule, _, _)| rule).collect();
        assert_eq!(rules, ["frame-too-long"], "{request}");
    }
}

#[test]
fn positions_after_joined_lines_are_not_those_of_the_file() {
    let mut options = Options::default();
    options.framing = FramingKind::Sse;
    let mut audit = Audit::new(options);
    let bytes = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata: \"method\":7}\n\n";
    let event = Event::Bytes { from: Role::Client, bytes };
    audit.event(event, Place::default(), &mut ()).unwrap();
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let finding = &document.findings[0];
    assert_eq!((finding.rule, finding.offset, finding.column), ("method-type", None, 35));
}

#[test]
fn the_protocol_is_recognised() {
    let lsp = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"rootUri":null,"capabilities":{}}}"#;
    let lsp_method =
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{}}}"#;
    let acp = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;
    let calls = r#"[{"jsonrpc":"2.0","id":1,"method":"net_version"},{"jsonrpc":"2.0","id":2,"method":"net_peers"}]"#;
    let named = r#"{"jsonrpc":"2.0","id":"a","method":"add","params":{"left":1}}"#;
    let result = r#"{"jsonrpc":"2.0","id":"a","result":7}"#;
    let null = r#"{"jsonrpc":"2.0","id":0,"result":null}"#;
    for (messages, protocol) in [
        (&[(Role::Client, lsp), (Role::Server, null), (Role::Client, lsp_method)][..], "lsp"),
        (&[(Role::Client, acp), (Role::Server, null)], "acp"),
        (
            &[
                (Role::Client, calls),
                (
                    Role::Server,
                    r#"[{"jsonrpc":"2.0","id":1,"result":"1"},{"jsonrpc":"2.0","id":2,"result":[]}]"#,
                ),
            ],
            "jsonrpc",
        ),
        (&[(Role::Client, named), (Role::Server, result)], "jsonrpc"),
    ] {
        let document = session(Options::default(), messages);
        assert_eq!(found(&document), [], "{protocol}");
        assert_eq!(document.sessions[0].protocol, Some(protocol));
        assert_eq!(document.sessions[0].opening, None);
    }
}

#[test]
fn what_comes_before_the_protocol_is_known_is_judged_when_it_is() {
    // The first response answers nothing, and a result of MCP is an object.
    let stray = r#"{"jsonrpc":"2.0","id":5,"result":[]}"#;
    let early = r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":7}}"#;
    let messages = [&[(Role::Server, stray), (Role::Client, early)], &HANDSHAKE[..]].concat();
    let document = session(Options::default(), &messages);
    let mut rules: Vec<_> =
        found(&document).into_iter().map(|(rule, frame, _)| (frame.unwrap(), rule)).collect();
    rules.sort_unstable();
    assert_eq!(
        rules,
        [
            (1, "result-type"),
            (2, "member-type"),
            (2, "request-before-initialize"),
            (2, "unanswered-request"),
        ]
    );
}

#[test]
fn how_a_session_began_is_a_verdict() {
    use tautline_audit::document::Verdict as Opening;

    let [ask, agree, confirm] = HANDSHAKE;
    let other = (Role::Server, agree.1.replace("2025-11-25", "2025-03-26"));
    let other = (other.0, other.1.as_str());
    let refuse = (
        Role::Server,
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no","data":{"supported":["2024-11-05"]}}}"#,
    );
    let unversioned = (
        Role::Server,
        r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
    );
    for (messages, verdict, rules) in [
        (&[ask, agree, confirm][..], Opening::Agreed, &[][..]),
        (&[ask, other, confirm], Opening::Agreed, &[]),
        (&[ask, agree], Opening::Unconfirmed, &[]),
        (&[ask, other], Opening::GivenUp, &[("version-not-agreed", "note")]),
        (&[ask, refuse], Opening::Refused, &[("opening-refused", "note")]),
        (&[ask], Opening::Unanswered, &[("opening-unanswered", "error")]),
        (
            &[ask, unversioned],
            Opening::GivenUp,
            &[("missing-member", "error"), ("version-not-agreed", "note")],
        ),
    ] {
        let document = session(Options::default(), messages);
        let opening = document.sessions[0].opening.as_ref().unwrap();
        let found: Vec<_> = document
            .findings
            .iter()
            .map(|finding| (finding.rule, finding.severity.name()))
            .collect();
        assert_eq!((opening.verdict, &*found), (verdict, rules), "{}", opening.words());
    }
    // A session that was opened without a known revision is held to the one that was asked for.
    let call = (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#);
    let document = session(Options::default(), &[ask, unversioned, confirm, call]);
    assert!(found(&document).contains(&("missing-member", Some(4), Some(3))));
    assert_eq!(document.sessions[0].assumed_revision, Some("2025-11-25"));
}

#[test]
fn a_stray_names_what_it_was_probably_meant_for() {
    use Role::{Client, Server};

    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}"#;
    let result = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
    let progress = |token: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
        )
    };
    let cancel = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        )
    };
    let response = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
    for (messages, rule, words) in [
        (
            vec![(Server, response("3"))],
            "response-unexpected",
            "it answers the notification notifications/initialized in frame 3",
        ),
        (
            vec![(
                Server,
                r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}"#.to_owned(),
            )],
            "error-without-cause",
            "it answers the notification notifications/initialized in frame 3",
        ),
        (
            vec![(Client, call.to_owned()), (Server, response("8"))],
            "response-unexpected",
            "the one request that waits is tools/call in frame 4, with the id 7",
        ),
        (
            vec![
                (Client, call.to_owned()),
                (Server, result.to_owned()),
                (Server, result.to_owned()),
            ],
            "response-duplicate",
            "its id is that of tools/call in frame 4, which was answered in frame 5",
        ),
        (
            vec![
                (Client, call.to_owned()),
                (Server, result.to_owned()),
                (Server, progress("\"p\"")),
            ],
            "progress-unknown",
            "the token is that of tools/call in frame 4, which was answered in frame 5",
        ),
        (
            vec![(Client, call.to_owned()), (Server, progress("7"))],
            "progress-unknown",
            "the token is the id of tools/call in frame 4, which has another token",
        ),
        (
            vec![(Client, call.to_owned()), (Client, cancel("\"7\""))],
            "cancel-unknown",
            "the id is \"7\", and tools/call in frame 4 has the id 7",
        ),
    ] {
        let messages: Vec<_> = messages.iter().map(|(from, text)| (*from, text.as_str())).collect();
        let document = session(Options::default(), &[&HANDSHAKE[..], &messages].concat());
        let finding = document.findings.iter().find(|finding| finding.rule == rule);
        let finding =
            finding.unwrap_or_else(|| panic!("{rule} is not among {:?}", document.findings));
        assert!(finding.message.ends_with(words), "{}", finding.message);
        let is_answer = words.starts_with("it answers");
        assert_eq!(finding.help == "do not answer notifications", is_answer, "{rule}");
    }
}

/// Returns the frames and rules of the errors and warnings, in order.
fn blamed(document: &Document) -> Vec<(u64, &str)> {
    let found = found(document).into_iter();
    let mut blamed: Vec<_> =
        found.map(|(rule, frame, _)| (frame.unwrap_or_default(), rule)).collect();
    blamed.sort_unstable();
    blamed
}

#[test]
fn a_frame_of_another_protocol_does_not_switch_off_the_judgement() {
    use Role::{Client, Server};

    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":5}}"#;
    for (first, rules) in [
        (
            (Client, r#"{"jsonrpc":"2.0","method":"initialized"}"#),
            &["request-before-initialize"][..],
        ),
        ((Server, r#"{"id":1,"result":[],"error":null}"#), &["jsonrpc-1"]),
        ((Client, r#"{"jsonrpc":"2.0","id":1,"method":"state","params":["x"]}"#), &["params-type"]),
    ] {
        let messages = [&[first][..], &HANDSHAKE, &[(Client, call)]].concat();
        let document = session(Options::default(), &messages);
        assert_eq!(document.sessions[0].protocol, Some("mcp"), "{first:?}");
        let blamed = blamed(&document);
        let of_first: Vec<_> = blamed.iter().filter(|one| one.0 == 1).map(|one| one.1).collect();
        assert_eq!(of_first, rules, "{first:?}");
        assert!(blamed.contains(&(5, "member-type")), "{blamed:?}");
    }
}

#[test]
fn strays_are_found_without_a_known_protocol() {
    use Role::{Client, Server};

    let (call, result) = (
        r#"{"jsonrpc":"2.0","id":"a","method":"sum","params":{"left":1}}"#,
        r#"{"jsonrpc":"2.0","id":"a","result":4}"#,
    );
    let other = r#"{"jsonrpc":"2.0","id":"b","result":4}"#;
    let messages = [(Client, call), (Server, result), (Server, result), (Server, other)];
    let document = session(Options::default(), &messages);
    assert_eq!(document.sessions[0].protocol, Some("jsonrpc"));
    assert_eq!(blamed(&document), [(3, "response-duplicate"), (4, "response-unexpected")]);
    assert_eq!(verdicts(&document)[0], Verdict::Fail);
}

#[test]
fn an_answer_before_the_handshake_is_not_the_answer_to_it() {
    use Role::Server;

    let stray = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    let [ask, agree, confirm] = HANDSHAKE;
    let unnamed = agree.1.replace(r#","serverInfo":{"name":"s","version":"1"}"#, "");
    let messages = [(Server, stray), ask, (Server, unnamed.as_str()), confirm];
    let document = session(Options::default(), &messages);
    assert_eq!(blamed(&document), [(1, "response-unexpected"), (3, "missing-member")]);
    // The named audits count what is found late.
    assert_eq!(verdicts(&document)[0], Verdict::Fail);
}

#[test]
fn a_handshake_may_be_answered_with_a_broken_response_or_a_long_id() {
    let [ask, agree, confirm] = HANDSHAKE;
    let both = agree.1.replace(r#""result":"#, r#""error":{"code":1,"message":"m"},"result":"#);
    let document = session(Options::default(), &[ask, (Role::Server, both.as_str())]);
    assert_eq!(blamed(&document), [(2, "result-and-error")]);

    let long = format!(r#""id":"{}""#, "x".repeat(400));
    let [ask, agree] = [ask, agree].map(|(from, text)| (from, text.replace(r#""id":0"#, &long)));
    let messages = [(ask.0, ask.1.as_str()), (agree.0, agree.1.as_str()), confirm];
    let document = session(Options::default(), &messages);
    assert_eq!(blamed(&document), []);
    let opening = document.sessions[0].opening.as_ref().unwrap();
    assert_eq!(opening.verdict, tautline_audit::document::Verdict::Agreed);
}

#[test]
fn requests_with_rewritten_ids_are_answered() {
    let mut audit = Audit::new(Options::default());
    let mut send = |from, text: String| {
        let event = Event::Bytes { from, bytes: text.as_bytes() };
        audit.event(event, Place::default(), &mut ()).unwrap();
    };
    for (from, text) in HANDSHAKE {
        send(from, format!("{text}\n"));
    }
    let count = 2_000;
    for id in 1..=count {
        send(Role::Client, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
        send(Role::Server, format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{}}}}\n"));
    }
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let rules: Vec<_> = document.totals.rules.iter().map(|row| (row.rule, row.count)).collect();
    assert_eq!(rules, [("response-id-rewritten", count)]);
}

#[test]
fn standard_error_is_read_in_lines_and_names_the_cause() {
    let handshake = HANDSHAKE.map(|(from, text)| (from, format!("{text}\n")));
    let mut audit = Audit::new(Options::default());
    let mut see = |event| audit.event(event, Place::default(), &mut ()).unwrap();
    for (from, line) in &handshake {
        see(Event::Bytes { from: *from, bytes: line.as_bytes() });
    }
    let lines: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    for text in [lines.as_bytes(), b"Value", b"Error: ", b"no such place\n\n", b"bye"] {
        see(Event::Stderr { text });
    }
    let how = "exited with status 1".to_owned();
    see(Event::End { how, ending: tautline_audit::source::Ending::Failed });
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let last = &document.last_lines;
    assert_eq!((last.len(), last[0].as_str()), (20, "line 13"));
    assert_eq!(last[18..], ["ValueError: no such place", "bye"]);
    let words =
        "the server's process has exited with status 1; its standard error ends with \"bye\"";
    assert_eq!(document.findings[0].message, words);
}

#[test]
fn the_framing_of_a_recording_can_be_overridden() {
    let recording = concat!(
        r#"{"tautline-recording":1,"framing":"ndjson"}"#,
        "\n",
        r#"{"us":1,"from":"server","text":"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"}"#,
        "\n",
    );
    let mut options = Options::default();
    let document = read(recording.as_bytes(), options.clone());
    assert_eq!(document.findings[0].rule, "content-length-header");
    options.framing = FramingKind::ContentLength;
    options.overrides_framing = true;
    let document = read(recording.as_bytes(), options);
    assert_eq!(found(&document), []);
    assert_eq!(document.totals.frames, 1);
}
