//! The rows of clients over HTTP.

use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::examples::example;

fn document(args: &[&str], command: &[&str]) -> Value {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_tautline"));
    tool.args(["probe", "--client", "--http", "--format", "json"]).args(args).arg("--");
    tool.arg(example("http_client", "http"))
        .args(command)
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE");
    let output = tool.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words}"))
}

fn wrong(document: &Value) -> Vec<(&str, &str)> {
    let rows = document["cases"].as_array().unwrap().iter().filter(|row| row["result"] == "wrong");
    rows.map(|row| (row["id"].as_str().unwrap(), row["fault"].as_str().unwrap())).collect()
}

#[test]
fn a_client_without_defects_has_no_wrong_row() {
    thread::scope(|scope| {
        for revision in ["2025-11-25", "2026-07-28"] {
            scope.spawn(move || {
                let document = document(&["--rules", revision], &[]);
                assert_eq!(wrong(&document), [], "{revision}");
                let totals = &document["totals"];
                assert_eq!(totals["skipped"], 0, "{revision}");
                assert!(totals["right"].as_u64().unwrap() >= 40, "{totals}");
                assert_eq!(document["about"]["name"], "small");
            });
        }
    });
}

#[test]
fn each_defect_has_its_rows() {
    for (defect, case, fault) in [
        ("reads-one-event", "http-modern-client-events-notification-first", "wrong ending"),
        ("reads-one-event", "http-client-events-other-answer-first", ""),
        ("waits-for-ever", "http-modern-client-events-no-answer", "hang"),
        ("ignores-errors", "http-client-html", "wrong ending"),
        ("ignores-errors", "http-modern-client-error-500", "wrong ending"),
    ] {
        let document = document(&["--case", case, "--timeout", "2"], &["--defect", defect]);
        let found = wrong(&document);
        // The corpus tolerates a client that reports what it does not understand.
        let expected = if fault.is_empty() { vec![] } else { vec![(case, fault)] };
        assert_eq!(found, expected, "{defect}");
    }
}
