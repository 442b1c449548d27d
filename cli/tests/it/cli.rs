//! The command-line tool, as its users run it.
//!
//! The expected output for the shipped log is in `tests/golden`. After an intended change, regenerate it with
//! `TAUTLINE_BLESS=1 cargo test --test cli cli::`, and review it before you commit it.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Map, Value, json};
use tautline::Rule;
use tautline_mcp::{cause, rule};

use crate::support::{check, root, tautline, text};

const SESSION: &str = "examples/session.ndjson";

fn run(args: &[&str]) -> Output {
    tautline(args).stdin(Stdio::null()).output().unwrap()
}

/// Returns the rows of `--format jsonl`.
fn rows(args: &[&str], input: &[u8]) -> Vec<Value> {
    let args = [&["--format", "jsonl"], args].concat();
    let output = check(&args, input);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn rules(row: &Value) -> Vec<&str> {
    let findings = row["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

fn assert_golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (number, (actual, expected)) in actual.lines().zip(expected.lines()).enumerate() {
        assert_eq!(actual, expected, "line {} of {}", number + 1, path.display());
    }
    assert_eq!(actual.len(), expected.len(), "{}", path.display());
}

#[test]
fn the_shipped_log_is_reported_as_text() {
    let output = run(&["check", SESSION]);
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    let (report, time) = report.trim_end().rsplit_once('\n').unwrap();
    assert!(time.ends_with(" s"), "{time}");
    assert_golden("session.txt", report);
}

#[test]
fn the_shipped_log_is_reported_as_json_lines() {
    let output = run(&["check", "--format", "jsonl", SESSION]);
    assert_eq!(output.status.code(), Some(1));
    assert_golden("session.jsonl", text(&output.stdout));
}

#[test]
fn the_shipped_log_has_every_rule_that_a_line_can_break() {
    let wire = std::fs::read(root().join(SESSION)).unwrap();
    let rows = rows(&[], &wire);
    let mut seen: Vec<&str> = rows.iter().flat_map(rules).collect();
    seen.sort_unstable();
    seen.dedup();
    let elsewhere = [
        // It takes a line over 16 MiB.
        Rule::FRAME_TOO_LONG,
        // The line with such bytes has the text of a code page.
        Rule::INVALID_UTF8,
        // They take rules that allow batches.
        Rule::BATCH_TOO_LONG,
        Rule::BATCH_MIXED,
        rule::INITIALIZE_IN_BATCH,
        // They take strict profiles.
        Rule::NESTED_MEMBER_LOOKALIKE,
        Rule::NUL_CHARACTER,
        Rule::TOO_MANY_NAMES,
        Rule::LONE_INNER_SURROGATE,
        Rule::NUMBER_OUT_OF_RANGE,
        // They take a later revision.
        rule::MISSING_META,
        rule::MISSING_RESULT_TYPE,
        rule::UNKNOWN_RESULT_TYPE,
        rule::ERROR_CODE_FORBIDDEN,
        rule::INPUT_REQUIRED_EMPTY,
        rule::TRACE_CONTEXT_SYNTAX,
        rule::BAGGAGE_SYNTAX,
        rule::EXTENSION_ID,
        rule::HEADER_ANNOTATION,
    ];
    // Rules from here on take a session.
    let is_of_streams = Rule::UNFINISHED_FRAME..=Rule::VALUE_EXPECTED;
    let is_here = |rule: &Rule| {
        !elsewhere.contains(rule) && !is_of_streams.contains(rule) && *rule < rule::WRONG_DIRECTION
    };
    seen.retain(|name| rule::from_name(name).is_some_and(|rule| !cause::rule::ALL.contains(&rule)));
    let mut all: Vec<&str> = rule::all().filter(is_here).map(rule::name).collect();
    all.sort_unstable();
    assert_eq!(seen, all);
    let mut kinds: Vec<&str> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["error", "invalid", "notification", "request", "result"]);
}

#[test]
fn a_row_has_exactly_these_members_in_this_order() {
    let wire = br#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"tools/call","id":"abc"}"#;
    let output = check(&["--format", "jsonl"], &[wire, &b"\n"[..]].concat());
    assert_eq!(
        text(&output.stdout),
        concat!(
            r#"{"line":1,"offset":0,"length":66,"kind":"invalid","method":"tools/call","#,
            r#""id":"\"abc\"","findings":[{"rule":"duplicate-member","severity":"error","#,
            r#""offset":17,"column":18,"message":"the same member appears twice, and peers differ "#,
            r#"in which value they use","spec_ref":"RFC 8259, section 4; RFC 7493, section 2.3"}],"#,
            r#""reply":{"code":-32600,"id":"\"abc\""}}"#,
            "\n"
        )
    );
}

#[test]
fn rows_come_in_order_with_places_in_the_file() {
    let wire = b"\xEF\xBB\xBF{}\r\n\n \t\n[1]\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"}";
    let rows = rows(&["--rules", "jsonrpc"], wire);
    let places: Vec<_> = rows
        .iter()
        .map(|row| ["line", "offset", "length"].map(|name| row[name].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [[1, 3, 2], [4, 11, 3], [5, 15, 30]]);
    // The mark stands before the first frame.
    assert_eq!(rules(&rows[0])[0], "byte-order-mark");
    assert_eq!(rows[0]["findings"][0]["offset"], 0);
    assert_eq!(rows[0]["findings"][1]["offset"], 3);
    assert_eq!(rows[0]["findings"][1]["column"], 1);
    assert_eq!(rules(&rows[2]), ["unterminated-frame"]);
    assert_eq!(rows[2]["findings"][0]["severity"], "warning");
    assert_eq!(rows[2]["kind"], "notification");
}

#[test]
fn a_batch_has_a_verdict_for_each_element() {
    let wire = concat!(
        r#"[{"jsonrpc":"2.0","method":"sum","params":[1],"id":"1"},1,"#,
        r#"{"jsonrpc":"2.0","id":1,"result":7}, {"jsonrpc":"2.0","method":"x","id":true}]"#,
        "\n[]\n"
    );
    let rows = rows(&["--rules", "jsonrpc"], wire.as_bytes());
    let batch = rows[0]["batch"].as_array().unwrap();
    assert_eq!(rows[0]["kind"], "batch");
    assert_eq!(rows[0]["reply"], Value::Null);
    let kinds: Vec<_> = batch.iter().map(|element| element["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["request", "invalid", "result", "invalid"]);
    // The names are in the order of the map that the row was parsed into.
    assert_eq!(names(&batch[0]), ["findings", "id", "kind", "method", "reply"]);
    assert_eq!(batch[1]["reply"], serde_json::json!({"code": -32600, "id": "null"}));
    assert_eq!(batch[3]["id"], "true");
    let column = wire.find("true").unwrap() + 1;
    assert_eq!(batch[3]["findings"][0]["column"], column);
    assert_eq!(rows[1]["kind"], "invalid");
    assert!(rows[1].get("batch").is_none());
}

#[test]
fn faults_in_a_batch_set_the_exit_code() {
    let output = check(&["--rules", "2025-03-26"], b"[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},1]\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("<stdin>:1:33: error[not-an-object]"));
}

#[test]
fn what_is_owed_depends_on_the_rules() {
    let wire = b"{\n1\n";
    let replies = |rules| {
        let rows = rows(&["--rules", rules], wire);
        rows.iter().map(|row| row["reply"].clone()).collect::<Vec<_>>()
    };
    let owed = |code, id: Value| serde_json::json!({"code": code, "id": id});
    assert_eq!(replies("jsonrpc"), [owed(-32700, "null".into()), owed(-32600, "null".into())]);
    assert_eq!(replies("lsp"), replies("jsonrpc"));
    assert_eq!(replies("2024-11-05"), [Value::Null, Value::Null]);
    assert_eq!(replies("2025-03-26"), replies("2024-11-05"));
    assert_eq!(replies("2025-06-18"), replies("2024-11-05"));
    assert_eq!(replies("2025-11-25"), [Value::Null, owed(-32600, Value::Null)]);
    assert_eq!(replies("2026-07-28"), replies("2025-11-25"));
}

#[test]
fn the_limit_on_frames_is_the_users() {
    let wire =
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\r\n{\"jsonrpc\":\"2.0\",\"method\":\"ab\"}\n\n{}";
    let rows = rows(&["--max-frame", "30"], wire);
    assert_eq!(rows[0]["kind"], "notification");
    assert_eq!(rows[1]["length"], 31);
    assert_eq!(rules(&rows[1]), ["frame-too-long"]);
    // It is a notification, so it gets no answer.
    assert_eq!(rows[1]["reply"], Value::Null);
    assert_eq!(rows[1]["method"], "ab");
    assert_eq!(rows[2]["offset"], 65);
    assert_eq!(rows.len(), 3);
    let output = check(&["--max-frame", "30"], wire);
    assert!(text(&output.stdout).contains("<stdin>:2:1: error[frame-too-long]"));
    assert!(text(&output.stdout).contains("(31 bytes, discarded; the method is ab)"));
}

#[test]
fn a_request_over_the_limit_is_named_with_its_id() {
    let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[[1,2],[3,4]],\"id\":\"x-1\"}\n";
    let row = &rows(&["--max-frame", "30"], wire)[0];
    assert_eq!((&row["id"], &row["method"]), (&"\"x-1\"".into(), &"a".into()));
    assert_eq!(row["reply"], serde_json::json!({"code": -32600, "id": "\"x-1\""}));
    let output = check(&["--max-frame", "30"], wire);
    let shown = "(64 bytes, discarded; the method is a; the id is \"x-1\")";
    assert!(text(&output.stdout).contains(shown), "{}", text(&output.stdout));
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn messages_are_found_in_any_framing() {
    let bare = PING.as_bytes();
    let pretty: Value = serde_json::from_str(PING).unwrap();
    let pretty = serde_json::to_string_pretty(&pretty).unwrap();
    let header = format!("Content-Length: {}\r\n\r\n", PING.len());
    let events =
        format!(": hello\n\nid: 0\ndata:\n\ndata: {PING}\n\nevent: endpoint\ndata: /x\n\n");
    for (framing, wire, line, offset) in [
        ("ndjson", [bare, b"\n"].concat(), 1, 0),
        ("content-length", [header.as_bytes(), bare].concat(), 1, header.len()),
        ("sse", events.into_bytes(), 6, 28),
        ("concatenated", [b" ", pretty.as_bytes()].concat(), 1, 1),
    ] {
        let rows = rows(&["--framing", framing], &wire);
        assert_eq!(rows.len(), 1, "{framing}");
        assert_eq!(rows[0]["kind"], "request", "{framing}");
        assert_eq!((&rows[0]["line"], &rows[0]["offset"]), (&json!(line), &json!(offset)));
        let output = check(&["--framing", framing], &wire);
        assert_eq!(output.status.code(), Some(0), "{framing}");
        assert!(
            text(&output.stdout).starts_with("1 frame held to the rules of 2025-11-25: 1 request")
        );
        let skipped = text(&output.stdout).contains("; 2 events without a message skipped\n");
        assert_eq!(skipped, framing == "sse");
    }
}

/// A position in joined data corresponds to a position in the file only in the first line.
#[test]
fn an_event_of_several_lines_has_columns() {
    let wire = b"data: {\"jsonrpc\":\"2.1\",\n: \ndata: \"id\":1,\ndata: \"method\":7}\n\n";
    let rows = rows(&["--framing", "sse"], wire);
    let places: Vec<_> = rows[0]["findings"].as_array().unwrap().iter().collect();
    let place = |of: &Value| (of["rule"].clone(), of["offset"].clone(), of["column"].clone());
    assert_eq!(place(places[0]), (json!("wrong-version"), json!(17), json!(12)));
    assert_eq!(place(places[1]), (json!("method-type"), Value::Null, json!(36)));
    let output = check(&["--framing", "sse"], wire);
    let said = text(&output.stdout);
    assert!(said.contains("<stdin>: byte 17: error[wrong-version]"), "{said}");
    let place = "<stdin>: the event with its data at byte 6, byte 35 of that: error[method-type]";
    assert!(said.contains(place), "{said}");
}

#[test]
fn where_the_place_is_lost_is_an_error_and_the_end() {
    let wire = format!("{PING}\nlistening on 3000\n{PING}\n");
    let output = check(&["--framing", "concatenated"], wire.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    let start = "<stdin>: byte 41: error[value-expected]: this begins no JSON value\n";
    assert!(said.starts_with(start), "{said}");
    for part in [
        "the next bytes are listening on 3000␊{",
        "the rule is in RFC 8259, section 2",
        "the rest was not checked",
        "help: write nothing but values",
        "1 frame held to the rules of 2025-11-25: 1 request\n       1  error    value-expected\n",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let found = &rows(&["--framing", "concatenated"], wire.as_bytes())[1];
    assert_eq!(
        (&found["line"], &found["offset"], &found["reply"]),
        (&Value::Null, &json!(41), &Value::Null)
    );
    assert_eq!(rules(found), ["value-expected"]);

    let wire = format!("{PING}\n");
    let rows = rows(&["--framing", "content-length"], wire.as_bytes());
    assert_eq!(rules(&rows[0]), ["header-missing"]);
    // If the framing of one file is desynchronised, the other files are still checked.
    let output =
        run(&["check", "--framing", "content-length", "--format", "jsonl", SESSION, SESSION]);
    // Each file has a row for the loss, and one for the bytes that were not judged.
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(1), 4));
}

#[test]
fn a_frame_that_is_not_all_there_is_an_error() {
    for (framing, wire) in [
        ("content-length", &b"Content-Length: 3\r\n\r\n{}"[..]),
        ("content-length", b"Content-Le"),
        ("sse", b"data: {}\n"),
        ("concatenated", b"{\"a\":1"),
        // The same holds if it would have been too long.
        ("content-length", b"Content-Length: 70000\r\n\r\n{}"),
        ("sse", b"data: {\"jsonrpc\":\"2.0\"}\n"),
    ] {
        let rows = rows(&["--framing", framing, "--max-frame", "10"], wire);
        assert_eq!(rules(&rows[0]), ["unfinished-frame"], "{framing}");
        assert_eq!(rows[0]["reply"], Value::Null);
        assert_eq!(check(&["--framing", framing], wire).status.code(), Some(1));
    }
}

#[test]
fn a_frame_over_the_limit_is_reported_in_any_framing_and_the_next_is_read() {
    let long = "1".repeat(70_000);
    for (framing, wire) in [
        (
            "content-length",
            format!("Content-Length: 70000\r\n\r\n{long}Content-Length: 2\r\n\r\n{{}}"),
        ),
        ("sse", format!("data: {long}\n\nevent: x\ndata: {long}\n\ndata: {{}}\n\n")),
        ("concatenated", format!("{long} {{}}")),
    ] {
        let rows = rows(&["--framing", framing, "--max-frame", "100"], wire.as_bytes());
        assert_eq!(rows[0]["length"], 70000, "{framing}");
        assert_eq!(rules(&rows[0]), ["frame-too-long"]);
        assert_eq!((&rows[1]["length"], rows.len()), (&json!(2), 2));
    }
}

#[test]
fn a_header_where_a_line_should_be_names_the_framing_to_ask_for() {
    let output = check(&[], b"Content-Length: 2\r\n\r\n{}");
    assert!(text(&output.stdout).contains("use --framing content-length"));
}

#[test]
fn exit_code_0_means_no_errors() {
    let output = check(&[], b"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"a\"}\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("warning[id-not-plain-integer]"));
    let output = check(&[], b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("0 frames"), "{}", text(&output.stdout));
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_checked() {
    for (path, said) in [
        ("no/such.ndjson", "tautline: cannot read no/such.ndjson: there is no such file\n"),
        ("src", "tautline: cannot read src: it is a directory; name the files in it\n"),
    ] {
        let output = run(&["check", path]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stderr), said);
        assert!(output.stdout.is_empty());

        let output = run(&["check", "--format", "jsonl", path, SESSION]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stdout).lines().count(), 90);
    }
}

#[test]
fn bad_usage_is_said_on_stderr() {
    for (args, said) in [
        (&["check", "--rules", "2027-01-01"][..], "possible values: jsonrpc, lsp, 2024-11-05"),
        (&["check", "--max-frame", "0"], "0 is not in 1..=4294967295"),
        (&["check", "--max-findings", "some"], "expected a number or `all`"),
        (&["check", "--format", "xml"], "possible values: text, jsonl, json"),
        (
            &["check", "--framing", "lsp"],
            "possible values: ndjson, content-length, sse, concatenated",
        ),
        (&["chekc"], "a similar subcommand exists: 'check'"),
        (&[], "Usage: tautline <COMMAND>"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_check_without_a_clean_verdict() {
    let (faulty, valid) = (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, PING);
    for (args, line, code) in [
        (["--max-findings", "all"], faulty, 1),
        (["--format", "jsonl"], faulty, 1),
        // The rest was not checked.
        (["--format", "jsonl"], valid, 2),
    ] {
        let mut child = tautline(&["check", "-"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let wire = format!("{line}\n");
        let writer = std::thread::spawn(move || {
            // This is far more than the pipes hold, so the tool must notice that its reader is gone.
            (0..50_000).any(|_| stdin.write_all(wire.as_bytes()).is_err())
        });
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(writer.join().unwrap(), "the tool read to the end although its reader was gone");
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(code), "{args:?} {line}");
    }
}

#[test]
fn colours_are_for_terminals() {
    let wire = b"{}\n";
    assert!(!check(&[], wire).stdout.contains(&0x1B));
    // Colours can be forced for a pipe, and disabled by the user.
    let coloured = |variables: &[(&str, &str)]| {
        let output = tautline(&["check", SESSION]).envs(variables.iter().copied()).output();
        output.unwrap().stdout.contains(&0x1B)
    };
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
}

/// Returns a notification with this many unknown members.
fn members(count: usize) -> String {
    let mut members = Map::new();
    for number in 0..count {
        members.insert(format!("x{number}"), 0.into());
    }
    members.insert("jsonrpc".into(), "2.0".into());
    members.insert("method".into(), "notifications/initialized".into());
    Value::from(members).to_string()
}

#[test]
fn a_row_has_up_to_so_many_findings_of_each_message() {
    let (wire, file) = (members(250), "{}\n");
    for (limit, findings, unreported) in
        [(None, 100, json!(151)), (Some("3"), 3, json!(248)), (Some("all"), 251, Value::Null)]
    {
        let args: Vec<&str> =
            limit.into_iter().flat_map(|limit| ["--max-findings", limit]).collect();
        let rows = rows(&args, format!("{file}{file}{wire}").as_bytes());
        assert_eq!(rows.len(), 3, "every frame has its row");
        assert_eq!((rules(&rows[2]).len(), &rows[2]["unreported"]), (findings, &unreported));
        // The findings that are more severe than a note are among them.
        assert_eq!(*rules(&rows[2]).first().unwrap(), "unterminated-frame");
        assert_eq!(rows[0].get("unreported"), None);
    }
}

#[test]
fn findings_of_the_same_kind_are_folded() {
    for (count, last) in [(20_000, "20,000"), (200_000, "200,000")] {
        let output = check(&[], "{,\n".repeat(count).as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stdout);
        assert!(said.len() < 10_000, "{} bytes", said.len());
        assert!(said.contains("<stdin>:10:2: error[not-json]: "), "{said}");
        assert!(!said.contains("<stdin>:11:"), "{said}");
        let hidden = grouped(count - 10);
        for part in [
            format!(
                "<stdin>: … and {hidden} more like it, up to line {count}: error[not-json]: a member"
            ),
            format!("{hidden} of {} findings are not shown; ", grouped(count)),
            format!("{count:>8}  error    not-json\n"),
        ] {
            assert!(said.contains(&part), "{part} in {said}");
        }
        assert_eq!(grouped(count), last);
    }
}

/// Formats a number with a thousands separator.
fn grouped(number: usize) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}

#[test]
fn findings_that_are_folded_may_be_of_one_frame_or_of_other_framings() {
    let output = check(&[], members(250).as_bytes());
    let said = text(&output.stdout);
    assert_eq!(said.matches("note[unknown-member]").count(), 11, "ten, and one for all others");
    let more = "<stdin>: … and 240 more like it, up to line 1: note[unknown-member]: ";
    assert!(said.contains(more), "{said}");
    assert!(said.contains("240 of 251 findings are not shown"), "{said}");
    assert!(said.contains("     250  note     unknown-member\n"), "{said}");

    let output = check(&["--framing", "concatenated"], "{} ".repeat(30).as_bytes());
    let said = text(&output.stdout);
    let more = "<stdin>: … and 20 more like it, up to byte 87: error[no-shape]: ";
    assert!(said.contains(more), "{said}");
}

#[test]
fn the_limit_on_findings_is_the_users() {
    let wire = "{,\n".repeat(200);
    let findings = |args: &[&str]| {
        let output = check(args, wire.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stdout);
        assert!(said.contains("     200  error    not-json\n"), "{said}");
        (said.matches("= help: ").count(), said.contains(" are not shown; --max-findings all "))
    };
    assert_eq!(findings(&[]), (10, true));
    assert_eq!(findings(&["--max-findings", "0"]), (0, true));
    assert_eq!(findings(&["--max-findings", "33"]), (33, true));
    assert_eq!(findings(&["--max-findings", "200"]), (200, false));
    assert_eq!(findings(&["--max-findings", "all"]), (200, false));
}

/// Notes that come first leave room for errors.
#[test]
fn notes_do_not_crowd_out_errors() {
    let notes = "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"x\":1}\n".repeat(5);
    let wire = format!("{notes}{}{notes}", "{}\n".repeat(5));
    let output = check(&["--max-findings", "3"], wire.as_bytes());
    let said = text(&output.stdout);
    let shown = |kind| said.matches(&format!(": {kind}[")).count();
    // Three of each, and a line for each of the two kinds with findings that are not shown.
    assert_eq!((shown("note"), shown("error")), (3 + 2, 3 + 2), "{said}");
}

#[test]
fn text_has_a_limit_for_all_files() {
    let mut args = vec!["check"];
    args.extend([SESSION; 50]);
    let output = run(&args);
    let said = text(&output.stdout);
    let unlimited = run(&["check", "--max-findings", "all", SESSION]);
    let single = run(&["check", SESSION]);
    let count = |said: &str, severity: &str| said.matches(&format!(": {severity}[")).count();
    let [errors, warnings, notes] =
        ["error", "warning", "note"].map(|severity| count(text(&unlimited.stdout), severity) * 50);
    assert!(errors > 1000 && warnings < 1000 && notes < 1000, "{errors} {warnings} {notes}");
    // In each file, findings that are like each other are shown once.
    let [warnings_once, notes_once] =
        ["warning", "note"].map(|severity| count(text(&single.stdout), severity) * 50);
    let shown = 1000 + warnings_once + notes_once;
    assert_eq!(said.matches("note: the rule is in ").count(), shown);
    let all = errors + warnings + notes;
    let hidden = format!("{} of {} findings are not shown", grouped(all - shown), grouped(all));
    assert!(said.contains(&hidden), "{hidden}");
}

/// Results are checked by the method of their request, once the log has proved to have both sides.
#[test]
fn payloads_are_checked_unless_that_is_turned_off() {
    let wire = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}
{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}
{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":7}}
{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{}}]}}
";
    let found = |args: &[&str]| -> Vec<String> {
        let rows = rows(args, wire);
        let findings = rows.iter().flat_map(|row| row["findings"].as_array().unwrap());
        findings.map(|finding| format!("{}: {}", finding["path"], finding["message"])).collect()
    };
    let expected = [
        r#""params.cursor": "expected a string""#,
        r#""result.tools[0].inputSchema": "the required member \"type\" is missing""#,
    ];
    assert_eq!(found(&[]), expected);
    assert_eq!(found(&["--no-shapes"]), [""; 0]);
    assert_eq!(found(&["--rules", "jsonrpc"]), [""; 0]);
}

/// A duplicate name is a warning anywhere in a payload, or an error where peers act on it, but not both.
#[test]
fn a_name_twice_is_reported_once_at_any_depth() {
    let wire = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b","arguments":{"a":1,"a":2}}}
{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m","data":[{"a":1,"\u0061":2}]}}
"#;
    let rows = rows(&[], wire);
    assert_eq!(rules(&rows[0]), ["duplicate-nested-member", "duplicate-inner-member"]);
    assert_eq!(rules(&rows[1]), ["duplicate-inner-member"]);
    assert_eq!(rows[1]["findings"][0]["path"], r#"error.data[0]["\u0061"]"#);
    let rows = self::rows(&["--no-shapes"], wire);
    assert_eq!(rules(&rows[0]), ["duplicate-nested-member"]);
}

/// A finding that the schema check repeats in more detail is omitted, but the reply to the request is the same.
#[test]
fn a_missing_member_is_reported_once_and_the_reply_is_owed() {
    let wire = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n";
    let modern = ["--rules", "2026-07-28"];
    let row = &rows(&modern, wire)[0];
    assert_eq!(rules(row), ["missing-member"]);
    let plain = &rows(&[&modern[..], &["--no-shapes"]].concat(), wire)[0];
    assert_eq!(rules(plain), ["missing-meta"]);
    assert_eq!(row["reply"], json!({"code": -32602, "id": "1"}));
    assert_eq!(row["reply"], plain["reply"]);
}

/// The answer is to the request, and not to the batch.
#[test]
fn initialize_in_a_batch_is_reported_where_its_answer_is() {
    let info = json!({"name": "c", "version": "1"});
    let params = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": info});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let wire = json!([ping, initialize]).to_string() + "\n";
    let row = &rows(&["--rules", "2025-03-26"], wire.as_bytes())[0];
    assert_eq!((rules(row), &row["reply"]), (vec![], &Value::Null));
    let [ping, initialize] = &row["batch"].as_array().unwrap()[..] else { panic!("{row}") };
    assert_eq!((rules(ping), &ping["reply"]), (vec![], &Value::Null));
    assert_eq!(rules(initialize), ["initialize-in-batch"]);
    assert_eq!(initialize["reply"], json!({"code": -32600, "id": "1"}));
    let output = check(&["--rules", "2025-03-26"], wire.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let note = "the receiver owes the error -32600 with the id 1";
    assert!(text(&output.stdout).contains(note), "{}", text(&output.stdout));
}

#[test]
fn an_error_is_reported_however_many_notes_there_are() {
    let mut members = Map::new();
    for number in 0..250 {
        members.insert(format!("x{number}"), 0.into());
    }
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"});
    members.extend(request.as_object().unwrap().clone());
    let wire = Value::from(members).to_string() + "\n";
    let row = &rows(&[], wire.as_bytes())[0];
    assert_eq!(rules(row).len(), 100);
    assert_eq!(rules(row)[99], "missing-params");
    assert_eq!(row["reply"], json!({"code": -32602, "id": "1"}));
    assert_eq!(check(&[], wire.as_bytes()).status.code(), Some(1));
}

/// Characters that control a terminal, or are invisible.
const INVISIBLE: &[char] = &[
    '\u{7F}',
    '\u{80}',
    '\u{9B}',
    '\u{AD}',
    '\u{34F}',
    '\u{61C}',
    '\u{115F}',
    '\u{1160}',
    '\u{17B4}',
    '\u{180B}',
    '\u{180E}',
    '\u{200B}',
    '\u{200F}',
    '\u{2028}',
    '\u{2029}',
    '\u{202A}',
    '\u{202E}',
    '\u{2060}',
    '\u{2066}',
    '\u{2069}',
    '\u{3164}',
    '\u{FE00}',
    '\u{FE0F}',
    '\u{FEFF}',
    '\u{FFA0}',
    '\u{FFF9}',
    '\u{FFFA}',
    '\u{FFFB}',
    '\u{13430}',
    '\u{1BCA0}',
    '\u{1D173}',
    '\u{E0001}',
    '\u{E0041}',
    '\u{E0100}',
    '\u{E01EF}',
];

#[test]
fn what_cannot_be_seen_is_not_printed_and_not_lost() {
    // The old version causes a finding, so that something is printed.
    let wire =
        |c| format!("{{\"jsonrpc\":\"1.0\",\"id\":\"a{c}b\",\"method\":\"m{c}{c}é日🦀\"}}\n");
    for &c in INVISIBLE {
        for format in ["text", "jsonl"] {
            let output = check(&["--format", format], wire(c).as_bytes());
            assert!(!text(&output.stdout).contains(c), "U+{:04X} as {format}", u32::from(c));
        }
        let row = &rows(&[], wire(c).as_bytes())[0];
        assert_eq!(row["id"], format!("\"a{c}b\""));
        assert_eq!(row["method"], format!("m{c}{c}é日🦀"));
    }
    for c in ['é', '\u{301}', '日', '🦀'] {
        for format in ["text", "jsonl"] {
            let output = check(&["--format", format], wire(c).as_bytes());
            assert!(text(&output.stdout).contains(c), "{c} as {format}");
        }
    }
    let output = check(&["--format", "jsonl"], wire('\u{E0001}').as_bytes());
    assert!(text(&output.stdout).contains(r#""id":"\"a\udb40\udc01b\"""#));
}

#[test]
fn names_of_files_are_printed_so_that_they_can_be_seen() {
    let output = run(&["check", "no\x1b[31m\nsuch"]);
    assert_eq!(output.status.code(), Some(2));
    let said = "tautline: cannot read no\u{241B}[31m\u{240A}such: there is no such file\n";
    assert_eq!(text(&output.stderr), said);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_a_full_stderr_is_no_reason_to_panic() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = tautline(&["check", SESSION]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("tautline: cannot write what was found: "));
    let status = tautline(&["check", "nofile"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

const SOURCES: &str = "audit/tests/sources";

#[test]
fn an_audit_says_what_the_source_has_lost() {
    let output = run(&["audit", &format!("{SOURCES}/vscode/stdio-broken.log")]);
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    assert!(report.contains("note: VS Code parses messages and writes them anew"), "{report}");
    assert!(report.contains("frame 2, from the server"), "{report}");
}

#[test]
fn the_format_of_a_recording_is_detected_or_named() {
    let file = format!("{SOURCES}/mcpsnoop/everything.jsonl");
    assert_eq!(run(&["audit", &file]).status.code(), Some(0));
    let output = run(&["audit", "--source", "har", &file]);
    assert_eq!(output.status.code(), Some(2));
    let expected = format!(
        "tautline: {file}: line 1: this is not a HAR; it looks like a recording of mcpsnoop: use \
         --source mcpsnoop or none\n"
    );
    assert_eq!(text(&output.stderr), expected);
    let file = format!("{SOURCES}/others/mcp-trace-js.log");
    let output = run(&["audit", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("which has no messages"), "{}", text(&output.stderr));
}

#[test]
fn a_trace_of_lsp_is_held_to_the_rules_of_lsp() {
    let file = format!("{SOURCES}/lsp-trace/languageclient9-json.log");
    let rules = |args: &[&str]| {
        let output = run(&[&["audit", "--format", "json", &file], args].concat());
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["rules"].as_str().unwrap().to_owned()
    };
    assert_eq!(rules(&[]), "lsp");
    assert_eq!(rules(&["--rules", "jsonrpc"]), "jsonrpc");
}
