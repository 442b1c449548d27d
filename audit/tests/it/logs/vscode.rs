//! Logs of VS Code for servers over HTTP.

use super::*;

fn log(records: &[&str]) -> String {
    let record = |text: &&str| format!("2026-02-01 10:20:30.400 [info] {text}\n");
    records.iter().map(record).collect()
}

const FALLBACK: &str = "405 status sending message to http://localhost:8080/sse, will attempt to fall back to legacy SSE";

/// A stream of HTTP+SSE begins with the URI for the messages of the client.
#[test]
fn the_data_of_an_endpoint_event_is_recognised() {
    for uri in ["/post?sessionId=4f", "http://localhost:8080/m/1"] {
        let bad = format!("Failed to parse message: {uri:?}");
        let text = log(&["Starting server a", FALLBACK, &bad]);
        let document = document(SourceKind::Vscode, &text);
        assert_eq!(findings(&document), [("bad-line", 3)]);
        let words = words(&document);
        assert!(
            words[0].contains("SSE event `endpoint`") && words[0].contains(uri),
            "{}",
            words[0]
        );
        let of_stdio =
            document.requirements.iter().filter(|row| row.clause.contains("transports/stdio"));
        assert!(of_stdio.into_iter().all(|row| format!("{:?}", row.verdict) == "NotObserved"));
    }
    // Without HTTP, it is a line of text on standard output.
    for records in [&["Starting server a"][..], &[FALLBACK]] {
        let bad = if records[0] == FALLBACK { "/a b" } else { "/a" };
        let bad = format!("Failed to parse message: {bad:?}");
        let document = document(SourceKind::Vscode, &log(&[records[0], &bad]));
        assert!(!words(&document)[0].contains("endpoint"));
    }
}
