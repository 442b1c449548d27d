//! Baselines of `tautline probe`: known faults of a server do not fail a run, and new ones do.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::probe::{SERVER, tautline};
use crate::support::text;

/// The cases: a request with the id null, whose answer differs, and two pings.
const CASES: [&str; 6] =
    ["--case", "request-id-null", "--case", "request-id-zero", "--case", "request-plain"];

const GARBAGE: &str = "echo 'loading 17 modules'";
const ANSWER: &str = r#"printf '{"jsonrpc":"2.0","id":null,"result":{}}\n'"#;
const RIGHT: &str = r#"printf '{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}\n'"#;

fn probe(args: &[&str], mistake: &str) -> Output {
    let script = SERVER.replace("MISTAKE", mistake);
    let rules = ["probe", "--rules", "2025-11-25"];
    tautline(&[&rules, args, &["--", "sh", "-c", &script]].concat()).output().unwrap()
}

/// Returns a separate file for the baseline of a test, which does not exist yet.
fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe_baseline");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    let _ = std::fs::remove_file(&file);
    file
}

/// Writes a baseline that accepts a mistake.
fn accepted(name: &str, mistake: &str) -> String {
    let path = file(name).to_str().unwrap().to_owned();
    let output = probe(&[&CASES, &["--write-baseline", &path][..]].concat(), mistake);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 wrong"), "{}", text(&output.stdout));
    path
}

#[test]
fn known_faults_do_not_fail_and_new_ones_do() {
    let path = accepted("known.json", GARBAGE);
    let written = std::fs::read_to_string(&path).unwrap();
    let baseline: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(baseline["tautline-baseline"], 1, "{written}");
    let [entry] = baseline["accepted"].as_array().unwrap().as_slice() else { panic!("{written}") };
    assert_eq!(entry["rule"], "request-id-null");
    assert_eq!(entry["from"], "server");
    assert_eq!(entry["message"], "garbage on standard output: the line is no JSON object");

    let args = [&CASES, &["--baseline", &path][..]].concat();
    // The fault is the same, whatever the server prints.
    for mistake in [GARBAGE, "echo done"] {
        let output = probe(&args, mistake);
        let report = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{report}");
        assert!(report.contains("note: 1 wrong case is accepted by the baseline\n"), "{report}");
        assert!(report.contains("2 right, 1 known"), "{report}");
        assert!(!report.contains("received"), "{report}");
    }
    let verbose = probe(&[&args[..], &["--verbose"]].concat(), GARBAGE);
    let report = text(&verbose.stdout);
    assert!(report.contains("known  request-id-null (2025-11-25): garbage on"), "{report}");

    // Another fault in the same case is new, and the known one is gone.
    let output = probe(&args, ANSWER);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert!(report.contains("wrong  request-id-null (2025-11-25): wrong answer"), "{report}");
    let stale = "error: the baseline accepts request-id-null (garbage on standard output: the line \
                 is no JSON object), which no longer occurs\n";
    assert!(report.contains(stale), "{report}");
}

#[test]
fn entries_that_no_longer_occur_are_errors_and_those_that_were_not_checked_are_not() {
    let path = accepted("stale.json", GARBAGE);
    let junit = file("stale.xml");
    let output = format!("junit={}", junit.to_str().unwrap());
    let args = [&CASES, &["--baseline", &path, "--output", &output, "--format", "json"][..]];
    let mended = probe(&args.concat(), RIGHT);
    assert_eq!(mended.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&mended.stdout).unwrap();
    assert_eq!(document["totals"]["wrong"], 0, "{document}");
    assert_eq!(document["stale"][0]["rule"], "request-id-null");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("the baseline accepts a fault that no longer occurs"), "{junit}");

    // The case of the entry does not run.
    let args = ["--case", "request-plain", "--baseline", &path];
    let other = probe(&args, RIGHT);
    let report = text(&other.stdout);
    assert_eq!(other.status.code(), Some(0), "{report}");
    let words = "note: 1 entry of the baseline was not checked, because its case did not run\n";
    assert!(report.contains(words), "{report}");
    // A new baseline keeps the entry, with its reason.
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replacen("\"fingerprint\"", "\"reason\": \"told\",\n      \"fingerprint\"", 1);
    std::fs::write(&path, &text).unwrap();
    let again = probe(&[&args[..], &["--write-baseline", &path]].concat(), RIGHT);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);

    // A case that does not exist can't occur.
    std::fs::write(&path, text.replace("request-id-null", "request-id-old")).unwrap();
    let output = probe(&args, RIGHT);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_baseline_holds_in_each_revision_and_format() {
    let path = accepted("formats.json", GARBAGE);
    let run = |format: &str| {
        let args = [&CASES, &["--baseline", &path, "--format", format][..]].concat();
        let output = probe(&args, GARBAGE);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        text(&output.stdout).to_owned()
    };
    let document: Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!(document["totals"]["known"], 1, "{document}");
    let rows = document["cases"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == "request-id-null").unwrap();
    assert_eq!(row["result"], "known");
    assert_eq!(row["fault"], "garbage on standard output");
    assert!(document["causes"].as_array().unwrap().is_empty());
    assert!(document.get("stale").is_none() && document.get("unchecked").is_none());
    let junit = run("junit");
    assert!(junit.contains("failures=\"0\""), "{junit}");
    assert!(junit.contains("accepted by the baseline: garbage on standard output"), "{junit}");
    assert!(run("html").contains("<h2>1 known</h2>"));
    // The same server in another revision.
    let script = SERVER.replace("MISTAKE", GARBAGE).replace("2025-11-25", "2025-06-18");
    let args = [&["probe", "--rules", "2025-06-18", "--baseline", &path], &CASES[..]].concat();
    let output = tautline(&[&args[..], &["--", "sh", "-c", &script]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn an_incomplete_probe_writes_no_baseline() {
    let path = file("incomplete.json");
    let name = path.to_str().unwrap();
    let output = probe(&["--time-limit", "0.01", "--write-baseline", name], RIGHT);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    let words = format!("{name} was not written, because the time limit was reached");
    assert!(said.contains(&words), "{said}");
    assert!(!path.exists());
}

#[test]
fn a_baseline_that_cannot_be_used_is_an_error_before_anything_starts() {
    let path = accepted("unused.json", GARBAGE);
    let report = format!("json={path}");
    for (args, words) in [
        (&["--baseline", "no-such-file"][..], "the baseline no-such-file: there is no such file"),
        (&["--baseline", &path, "--output", &report], "is an input or another report"),
        (&["--write-baseline", &path, "--output", &report], "is an input or another report"),
        (&["--write-baseline", "/no/such/file"], "cannot write /no/such/file"),
        (&["--baseline", &path, "--dry-run"], "--baseline has no effect"),
        (&["--write-baseline", &path, "--dry-run"], "--write-baseline has no effect"),
        (&["--baseline", "Cargo.toml"], "the baseline Cargo.toml: it is not a baseline"),
    ] {
        let args = [&["probe"], args, &["--", "no-such-program"]].concat();
        let output = tautline(&args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
    assert!(std::fs::read_to_string(&path).unwrap().contains("request-id-null"));
}
