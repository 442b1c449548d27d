//! `tautline check` where the framing loses its place, and the document that it writes.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{check, text};

fn rows(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn ping(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"shutdown\"}}")
}

const LSP: [&str; 4] = ["--rules", "lsp", "--framing", "content-length"];

/// Three messages, with a log line and a stray newline between them.
fn noisy() -> (String, [u64; 2], [u64; 2]) {
    let (first, second) = (framed(&ping(1)), framed(&ping(2)));
    let log = "[info] indexing 12 files\n";
    let wire = format!("{first}{log}{second}\n{}", framed(&ping(3)));
    let lost = [first.len(), first.len() + log.len() + second.len()].map(|at| at as u64);
    (wire, lost, [log.len() as u64, 1])
}

#[test]
fn a_resync_continues_and_counts_what_it_skips() {
    let (wire, lost, skipped) = noisy();
    let output = check(&[&LSP[..], &["--resync", "--format", "jsonl"]].concat(), wire.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let rows = rows(&output);
    let ids: Vec<&Value> = rows.iter().filter_map(|row| row.get("id")).collect();
    assert_eq!(ids, [&json!("1"), &Value::Null, &json!("2"), &Value::Null, &json!("3")]);
    let skips: Vec<&Value> = rows.iter().filter_map(|row| row.get("skipped")).collect();
    let expected = [0, 1].map(|at| json!({ "offset": lost[at], "length": skipped[at] }));
    assert_eq!(skips, expected.iter().collect::<Vec<_>>());
    let losses = rows.iter().filter(|row| row["findings"][0]["rule"].is_string()).count();
    assert_eq!(losses, 2, "each loss is an error");

    let output = check(&[&LSP[..], &["--resync"]].concat(), wire.as_bytes());
    let said = text(&output.stdout);
    assert!(said.contains("the check continues at the next `Content-Length:`"), "{said}");
    assert!(said.contains("3 frames held to the rules of lsp"), "{said}");
    assert!(said.contains("\n26 bytes were not judged: no frame begins there\n"), "{said}");
    assert!(!said.contains("the rest was not checked"), "{said}");
}

#[test]
fn without_a_resync_the_rest_is_counted_and_the_option_is_named() {
    let (wire, [lost, _], _) = noisy();
    let rest = wire.len() as u64 - lost;
    let output = check(&LSP, wire.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    let line =
        format!("<stdin>: {rest} bytes were not judged; with --framing content-length, --resync ");
    assert!(said.contains(&line), "{said}");
    assert!(said.contains("1 frame held to the rules of lsp"), "{said}");
    let output = check(&[&LSP[..], &["--format", "jsonl"]].concat(), wire.as_bytes());
    let last = rows(&output).pop().unwrap();
    assert_eq!(last, json!({ "skipped": { "offset": lost, "length": rest } }));
}

#[test]
fn values_back_to_back_can_be_found_again_too() {
    let wire = format!("{}\nlistening\n{}\n", ping(1), ping(2));
    let args = ["--rules", "jsonrpc", "--framing", "concatenated"];
    let output = check(&[&args[..], &["--resync", "--format", "jsonl"]].concat(), wire.as_bytes());
    let rows = rows(&output);
    let skipped = json!({ "offset": ping(1).len() + 1, "length": "listening\n".len() });
    assert_eq!(rows.iter().filter(|row| row["kind"] == "request").count(), 2);
    assert!(rows.iter().any(|row| row["skipped"] == skipped), "{rows:?}");
    let output = check(&[&args[..], &["--resync"]].concat(), wire.as_bytes());
    assert!(text(&output.stdout).contains("at the next line that begins with { or ["));
}

/// Bytes that are skipped up to the end are no frame that was cut off.
#[test]
fn a_resync_that_finds_nothing_is_one_loss() {
    let wire = format!("{}bye bye", framed(&ping(1)));
    let output = check(&[&LSP[..], &["--resync", "--format", "jsonl"]].concat(), wire.as_bytes());
    let rows = rows(&output);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows[2]["skipped"]["length"], 7);
}

#[test]
fn a_document_has_the_members_of_an_audit() {
    let (wire, _, _) = noisy();
    let output = check(&[&LSP[..], &["--resync", "--format", "json"]].concat(), wire.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["rules"], "lsp");
    assert_eq!(document["sources"], json!([{ "name": "<stdin>", "kind": "content-length" }]));
    let totals = &document["totals"];
    assert_eq!((&totals["frames"], &totals["skipped"]), (&json!(3), &json!(26)));
    assert_eq!((&totals["bytes"], &totals["errors"]), (&json!(wire.len()), &json!(2)));
    assert_eq!(totals["messages"][0]["requests"], 3);
    assert_eq!(document["findings"].as_array().unwrap().len(), 2);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let recording = folder.join("weather.recording");
    let audit = Command::new(env!("CARGO_BIN_EXE_tautline"))
        .args(["audit", "--format", "json", recording.to_str().unwrap()])
        .output()
        .unwrap();
    let audit: Value = serde_json::from_slice(&audit.stdout).unwrap();
    let is_in = |one: &Value, other: &Value| {
        let names: Vec<&String> = one.as_object().unwrap().keys().collect();
        names.into_iter().filter(|name| other.get(name.as_str()).is_none()).cloned().collect()
    };
    let others: Vec<String> = is_in(&document, &audit);
    assert_eq!(others, [""; 0]);
    let others: Vec<String> = is_in(&document["totals"], &audit["totals"]);
    assert_eq!(others, ["skipped"]);
}

/// A document is bounded, whatever the input is: it lists the first findings, and counts all of them.
#[test]
fn a_document_lists_a_bounded_number_of_findings() {
    let wire = "{,\n".repeat(30_000);
    let output = check(&["--format", "json"], wire.as_bytes());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["findings"].as_array().unwrap().len(), 20_000);
    assert_eq!(document["totals"]["errors"], 30_000);
    let said = document["truncated"][0].as_str().unwrap();
    assert_eq!(said, "10000 findings were left out; 20000 are here");
    assert_eq!(document["findings"][0]["line"], 1);
    assert!(document["findings"][0]["help"].is_string());
}
