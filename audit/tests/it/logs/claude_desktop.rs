//! Logs of Claude Desktop.

use super::*;

const KIND: SourceKind = SourceKind::ClaudeDesktop;

/// Makes a log of one server. The records are 10 ms apart, unless a `+` before a record adds a minute.
fn log(records: &[&str]) -> String {
    let mut minutes = 0;
    let mut log = String::new();
    for (index, record) in records.iter().enumerate() {
        let record = record.strip_prefix('+').inspect(|_| minutes += 1).unwrap_or(record);
        let level = if record.contains("JSON") { "error" } else { "info" };
        let record = match record.split_at(2) {
            ("> ", message) => format!("Message from client: {message}"),
            ("< ", message) => format!("Message from server: {message}"),
            _ => record.to_owned(),
        };
        log += &format!(
            "2026-02-03T11:{minutes:02}:00.{index:02}0Z [quay] [{level}] {record} {{ metadata: undefined }}\n"
        );
    }
    log
}

#[test]
fn the_quoted_part_of_a_bad_line_is_shown() {
    let log = log(&[
        "Initializing server...",
        &format!("> {HELLO}"),
        r#"Unexpected token 'L', "Loading 12"... is not valid JSON"#,
        r#"Unexpected token 'r', "ready" is not valid JSON"#,
        r#"Unexpected token 'N', ..."price":NaN,"unit":"... is not valid JSON"#,
        "Unexpected end of JSON input",
        &format!("< {WELCOME}"),
    ]);
    let document = document(KIND, &log);
    assert_eq!(
        findings(&document),
        [("bad-line", 3), ("bad-line", 4), ("bad-line", 5), ("bad-line", 6),]
    );
    let words = words(&document);
    assert!(words[0].contains("\"Loading 12\""), "{}", words[0]);
    assert!(words[0].contains("quotes only the beginning of the line"), "{}", words[0]);
    assert!(words[1].contains("\"ready\"") && !words[1].contains("beginning"), "{}", words[1]);
    assert!(words[2].contains("\"price\":NaN"), "{}", words[2]);
    assert!(words[3].contains("Unexpected end of JSON input"), "{}", words[3]);
    let shown = document.frames[1].bytes[0].text.as_deref();
    assert_eq!(shown, Some("Loading 12"));
}

#[test]
fn copies_of_a_second_window_are_left_out() {
    let (hello, welcome) = (format!("> {HELLO}"), format!("< {WELCOME}"));
    let (ready, list, listed) =
        (format!("> {READY}"), format!("> {}", list(1)), format!("< {}", listed(1)));
    let bad = r#"Unexpected token 'u', "up and run"... is not valid JSON"#;
    let text = log(&[
        "Initializing server...",
        "Initializing server...",
        &hello,
        "Server started and connected successfully",
        &hello,
        bad,
        bad,
        &welcome,
        &welcome,
        &ready,
        &ready,
        &list,
        &list,
        &listed,
        &listed,
    ]);
    let document = document(KIND, &text);
    assert_eq!(findings(&document), [("bad-line", 6)]);
    assert_eq!(
        frames(&document),
        [
            ("client", "0", 3),
            ("server", "-", 6),
            ("server", "0", 8),
            ("client", "-", 10),
            ("client", "1", 12),
            ("server", "1", 14)
        ]
    );
    assert!(has_note(&document, "several windows"), "{:?}", document.notes);
    assert_eq!(document.sessions.len(), 1);
}

/// Only a copied request excuses a second response.
#[test]
fn a_second_response_to_one_request_is_found() {
    let text = log(&[
        &format!("> {HELLO}"),
        &format!("< {WELCOME}"),
        &format!("> {READY}"),
        &format!("> {}", list(1)),
        &format!("< {}", listed(1)),
        &format!("< {}", listed(1)),
    ]);
    assert_eq!(findings(&document(KIND, &text)), [("response-duplicate", 6)]);
}

#[test]
fn ids_begin_anew_with_the_connection() {
    let session = [
        format!("> {HELLO}"),
        format!("< {WELCOME}"),
        format!("> {READY}"),
        format!("> {}", list(1)),
        format!("< {}", listed(1)),
    ];
    let session: Vec<_> = session.iter().map(String::as_str).collect();
    let end = |ends: &[&'static str]| {
        let mut records = session.clone();
        records.extend(ends);
        records.push("+Using MCP server command: b");
        records.extend(&session);
        log(&records)
    };
    for (ends, how) in [
        (&["Client transport closed"][..], "the connection was closed"),
        (&["Server transport closed", "Client transport closed"], "the connection was closed"),
        (&["Initializing server..."], "the server was started again"),
        (&["Server started and connected successfully"], "the server was started again"),
        (&[], "the server was started again"),
    ] {
        let document = document(KIND, &end(ends));
        assert_eq!(findings(&document), [], "{ends:?}");
        let sessions: Vec<_> = document.sessions.iter().map(|row| row.end.as_deref()).collect();
        assert_eq!(sessions, [Some(how), None], "{ends:?}");
    }
    let crashed = document(KIND, &end(&["Server transport closed unexpectedly, probably"]));
    assert_eq!(findings(&crashed), [("process-failed", 6)]);
}

#[test]
fn windows_with_different_requests_do_not_break_rules_about_ids() {
    let call = r#"> {"method":"tools/call","params":{"name":"x"},"jsonrpc":"2.0","id":1}"#;
    let (hello, list) = (format!("> {HELLO}"), format!("> {}", list(1)));
    let text = log(&[
        &hello,
        &hello,
        &format!("< {WELCOME}"),
        &format!("> {READY}"),
        &list,
        call,
        &format!("< {}", listed(1)),
        r#"< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
    ]);
    let document = document(KIND, &text);
    let of_ids: Vec<_> = findings(&document)
        .into_iter()
        .filter(|(rule, _)| rule.starts_with("id-") || rule.starts_with("response-"))
        .collect();
    assert_eq!(of_ids, []);
    assert!(has_note(&document, "use the same ids"), "{:?}", document.notes);
}

#[test]
fn the_servers_of_mcp_log_are_judged_one_by_one() {
    let record = |server: &str, text: &str| {
        format!("2026-02-03T11:00:00.000Z [info] [{server}] {text} {{ metadata: undefined }}\n")
    };
    let client = |message: &str| format!("Message from client: {message}");
    let server = |message: &str| format!("Message from server: {message}");
    let mut text = String::new();
    for words in [client(HELLO), server(WELCOME), client(READY), client(&list(1))] {
        text += &record("alpha", &words);
        text += &record("beta [2]", &words);
    }
    text += &record("beta [2]", &server(&listed(1)));
    let document = document(KIND, &text);
    assert_eq!(findings(&document), [("unanswered-request", 7)]);
    assert_eq!(document.sessions.len(), 2);
    let lines: Vec<_> = frames(&document).into_iter().map(|(_, _, line)| line).collect();
    assert_eq!(lines, [1, 3, 5, 7, 2, 4, 6, 8, 9]);
    assert!(has_note(&document, "2 servers"), "{:?}", document.notes);
    assert!(has_note(&document, "alpha, beta [2]"), "{:?}", document.notes);
}
