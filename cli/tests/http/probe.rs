//! The rows of a probe over HTTP.

use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::server::{Mistake, start};

fn probe(mistake: Option<Mistake>, args: &[&str]) -> Output {
    let url = format!("http://{}/mcp", start(mistake));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
    command.args(["probe", "--url", &url]).args(args).stdin(Stdio::null());
    command.env_remove("CLICOLOR_FORCE").output().unwrap()
}

fn document(mistake: Option<Mistake>, args: &[&str]) -> Value {
    let output = probe(mistake, &[args, &["--format", "json"]].concat());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the rows with a result, each as its id, its fault and its reason.
fn rows(document: &Value, result: &str) -> Vec<(String, String, String)> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = document["cases"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["result"] == result);
    rows.map(|row| (text(row, "id"), text(row, "fault"), text(row, "reason"))).collect()
}

#[test]
fn a_server_with_the_layer_has_no_wrong_row() {
    thread::scope(|scope| {
        for (rules, least) in [("2025-03-26", 200), ("2025-11-25", 200), ("2026-07-28", 250)] {
            scope.spawn(move || {
                let document = document(None, &["--rules", rules, "--timeout", "10"]);
                assert_eq!(rows(&document, "wrong"), [], "{rules}");
                assert_eq!(rows(&document, "skipped"), [], "{rules}");
                assert!(rows(&document, "right").len() + 60 > least, "{rules}");
                assert_eq!(document["about"]["remarks"], Value::Array(Vec::new()), "{rules}");
                assert_eq!(document["about"]["revisions"], serde_json::json!([rules]));
            });
        }
    });
}

#[test]
fn each_mistake_has_its_rows() {
    for (mistake, case, fault, reason) in [
        (Mistake::WrongStatus, "http-modern-not-json", "wrong status", "status 415"),
        (Mistake::WrongStatus, "http-trailing-comma", "wrong status", "status 415"),
        (
            Mistake::FirstOfRepeated,
            "http-modern-method-header-twice",
            "wrong status",
            "status 200 with a result",
        ),
        (Mistake::FirstOfRepeated, "http-content-type-repeated", "wrong status", "status 200"),
        (Mistake::PageForGet, "http-modern-get", "wrong status", "status 200 without an answer"),
        (Mistake::PageForGet, "http-get", "wrong status", "status 200 without an answer"),
        (
            Mistake::BodyForNotification,
            "http-notification-initialized",
            "wrong answer",
            "status 202",
        ),
    ] {
        let document = document(Some(mistake), &["--case", case]);
        let wrong = rows(&document, "wrong");
        let [(id, found, why)] = wrong.as_slice() else { panic!("{case}: {document}") };
        assert_eq!((id.as_str(), found.as_str()), (case, fault), "{mistake:?}");
        assert!(why.starts_with(reason), "{case}: {why}");
        // The case finds this mistake and no other.
        let control = self::document(None, &["--case", case]);
        assert_eq!(rows(&control, "wrong"), [], "{case}");
    }
}

#[test]
fn a_server_that_hangs_is_found_in_bounded_time() {
    let start = Instant::now();
    let args = ["--case", "http-modern-not-json", "--case", "http-modern-post", "--timeout", "1"];
    let document = document(Some(Mistake::Hangs), &args);
    let wrong = rows(&document, "wrong");
    assert!(wrong.iter().any(|(id, fault, _)| id == "http-modern-not-json" && fault == "hang"));
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// A key in the address reaches the server, and no report.
#[test]
fn reports_do_not_have_the_key_in_the_address() {
    for format in ["text", "html", "junit", "json"] {
        let url = format!("http://{}/mcp?key=secret-key", start(Some(Mistake::PageForGet)));
        let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
        command.args(["probe", "--url", &url, "--case", "http-modern-get", "--format", format]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("key=[redacted]") && !text.contains("secret-key"), "{text}");
    }
}

#[test]
fn reports_name_the_address_and_how_to_repeat_a_case() {
    let case = ["--case", "http-modern-get"];
    let output = probe(Some(Mistake::PageForGet), &case);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("  sent        GET /mcp HTTP/1.1␍␊"), "{text}");
    assert!(text.contains("  expected    status 405\n"), "{text}");
    assert!(text.contains("; sleep 3) | nc 127.0.0.1 "), "{text}");
    for (format, start) in [("html", "<!doctype html>"), ("junit", "<?xml")] {
        let args = [&case[..], &["--format", format]].concat();
        let output = probe(Some(Mistake::PageForGet), &args);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(start) && text.contains("http-modern-get"), "{text}");
    }
    let document = document(Some(Mistake::PageForGet), &case);
    assert!(document["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{document}");
    assert_eq!(document.get("command"), None);
}

#[test]
fn a_header_is_added_to_each_request_and_not_shown() {
    let mistake = Some(Mistake::NeedsKey);
    let args = ["--case", "http-modern-pipelined", "--case", "http-modern-*early-end", "--verbose"];
    let refused = probe(mistake, &args);
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && why.contains("status 401"), "{why}");
    let output = probe(mistake, &[&args[..], &["--header", "X-Key: 7"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("X-Key"), "{text}");
}

#[test]
fn a_baseline_accepts_what_is_known() {
    let file = std::env::temp_dir().join(format!("tautline-http-{}.json", std::process::id()));
    let file = file.to_str().unwrap();
    let args = ["--case", "http-modern-get"];
    let mistake = Some(Mistake::PageForGet);
    let written = probe(mistake, &[&args[..], &["--write-baseline", file]].concat());
    assert_eq!(written.status.code(), Some(0));
    let known = probe(mistake, &[&args[..], &["--baseline", file]].concat());
    let stale = probe(None, &[&args[..], &["--baseline", file]].concat());
    std::fs::remove_file(file).unwrap();
    assert_eq!((known.status.code(), stale.status.code()), (Some(0), Some(1)));
}

#[test]
fn what_is_no_server_is_reported_at_once() {
    let run = |url: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
        command.args(["probe", "--timeout", "1", "--url", url]).stdin(Stdio::null());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // The port is free again, so a connection is refused.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, why) = run(&format!("http://{free}/mcp"));
    assert!(code == Some(2) && why.contains("cannot connect"), "{why}");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, why) = run(&format!("http://{}/mcp", silent.local_addr().unwrap()));
    assert!(code == Some(2) && why.contains("does not answer"), "{why}");
    let (code, why) = run("ftp://127.0.0.1/");
    assert!(code == Some(2) && why.contains("neither http nor https"), "{why}");
}
