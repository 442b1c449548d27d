//! Logs of Cursor.

use super::*;

const KIND: SourceKind = SourceKind::Cursor;

fn record(level: &str, text: &str) -> String {
    format!("2026-03-04 09:10:11.500 [{level}] {text}\n")
}

/// Cursor writes the error twice in a record.
fn error(words: &str) -> String {
    record("error", &format!("Client error: {words} {words}"))
}

#[test]
fn bad_lines_are_found_in_a_log_without_messages() {
    let log = [
        record("info", "[V2 FSM] connection:connect_start: conn=idle -> conn=connecting"),
        error(r#"Unexpected token 'W', "Warning: d"... is not valid JSON"#),
        error("Unexpected end of JSON input"),
        error("connect ECONNREFUSED"),
        record("info", "Client closed for command"),
        error(r#"Unexpected token 'b', "bye" is not valid JSON"#),
    ];
    let document = document(KIND, &log.concat());
    assert_eq!(findings(&document), [("bad-line", 2), ("bad-line", 3), ("bad-line", 6)]);
    let words = words(&document);
    assert!(words[0].contains("\"Warning: d\" (the log quotes only"), "{}", words[0]);
    assert!(words[1].contains("it ends too early"), "{}", words[1]);
    assert!(has_note(&document, "no messages at any level"), "{:?}", document.notes);
    assert_eq!(document.sessions.len(), 2);
}

#[test]
fn servers_in_one_log_have_their_own_sessions() {
    let bad = |server: &str, word: &str| {
        record(
            "error",
            &format!(
                "{server}: Client error for command Unexpected token '{}', \"{word}\" is not valid JSON",
                &word[..1]
            ),
        )
    };
    let log = [
        record("info", "user-a: Handling CreateClient action"),
        bad("user-a", "one"),
        bad("user-b", "two"),
        bad("user-a", "three"),
    ];
    let document = document(KIND, &log.concat());
    let lines: Vec<_> = frames(&document).into_iter().map(|(_, _, line)| line).collect();
    assert_eq!((lines, document.sessions.len()), (vec![2, 4, 3], 2));
}

/// The error may be about the body of an HTTP response.
#[test]
fn servers_over_http_do_not_break_rules_of_stdio() {
    let log = [
        record("info", "user-a: Creating streamableHttp transport"),
        error(r#"Unexpected token '<', "<!DOCTYPE "... is not valid JSON"#),
    ];
    let document = document(KIND, &log.concat());
    let of_stdio = document.requirements.iter().filter(|row| row.clause.contains("stdio"));
    assert!(of_stdio.into_iter().all(|row| format!("{:?}", row.verdict) == "NotObserved"));
}
