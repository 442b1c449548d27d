//! Options that have no effect beside the others, and reports on standard output.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::{tautline, text};

const RECORDING: &str = "examples/weather.recording";
const SESSION: &str = "examples/session.ndjson";

fn run(args: &[&str]) -> Output {
    tautline(args).stdin(Stdio::null()).output().unwrap()
}

/// Each row has a command with an option that can do nothing, and the start of the reason.
#[test]
fn an_option_without_an_effect_is_an_error() {
    for (args, option, why) in [
        ("check --rules jsonrpc --no-shapes FILE", "--no-shapes", "a revision of MCP"),
        ("check --rules lsp --no-shapes FILE", "--no-shapes", "a revision of MCP"),
        ("check --rules jsonrpc --side client FILE", "--side", "the methods of MCP"),
        ("check --rules lsp --side server FILE", "--side", "the methods of MCP"),
        ("check --resync FILE", "--resync", "can lose their place"),
        ("check --framing ndjson --resync FILE", "--resync", "can lose their place"),
        ("check --framing sse --resync FILE", "--resync", "can lose their place"),
        ("tap --rules lsp -- true", "--rules", "only --live judges"),
        ("tap --rules lsp --record /dev/null -- true", "--rules", "only --live judges"),
        ("tap --max-frame 10 -- true", "--max-frame", "look for messages"),
        ("tap --max-frame 10 --record /dev/null -- true", "--max-frame", "look for messages"),
        ("tap --framing sse -- true", "--framing", "bytes of any kind"),
        ("tap --print-config cursor --rules lsp -- true", "--rules", "only --live judges"),
        ("probe --dry-run --format json", "--format", "writes no report"),
        ("probe --dry-run --output json=probe.json", "--output", "writes no report"),
        ("probe --dry-run --verbose", "--verbose", "lists all cases"),
        ("probe --dry-run --strict", "--strict", "judges nothing"),
        ("probe --dry-run --timeout 1", "--timeout", "starts nothing"),
        ("probe --dry-run --time-limit 1", "--time-limit", "starts nothing"),
        ("probe --verbose --format json -- true", "--verbose", "only a report in text"),
        (
            "probe --all-revisions --rules 2025-06-18 -- true",
            "--all-revisions",
            "each revision of --rules gets all its cases",
        ),
    ] {
        let args = args.replace("FILE", SESSION);
        let output = run(&args.split(' ').collect::<Vec<_>>());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
        let start = format!("tautline: {option} has no effect: ");
        assert!(said.starts_with(&start) && said.contains(why), "{args}: {said}");
        assert_eq!(said.lines().count(), 1, "{args}: {said}");
        assert!(output.stdout.is_empty(), "{args}");
    }
}

/// The same options where they have an effect.
#[test]
fn an_option_with_an_effect_is_none() {
    for args in [
        "check --rules 2025-06-18 --no-shapes FILE",
        "check --side client FILE",
        "check --framing content-length --resync FILE",
        "check --framing concatenated --resync FILE",
        "audit --client FILE --server FILE --framing ndjson",
        "audit --framing ndjson RECORDING",
        "tap --rules lsp --live -- true",
        "tap --max-frame 10 --redact a --record /dev/null -- true",
        "tap --framing sse --record /dev/null -- true",
        "probe --dry-run --rules 2025-06-18",
    ] {
        let args = args.replace("FILE", SESSION).replace("RECORDING", RECORDING);
        let output = run(&args.split(' ').collect::<Vec<_>>());
        let said = text(&output.stderr);
        assert!(!said.contains("has no effect"), "{args}: {said}");
        assert_ne!(output.status.code(), Some(2), "{args}: {said}");
    }
}

#[test]
fn a_framing_has_no_effect_on_messages_without_the_bytes_of_the_wire() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("messages.json");
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let log = format!(
        r#"[{{"timestamp":"2026-01-01T00:00:00Z","direction":"send","message":{message}}}]"#
    );
    std::fs::write(&file, log).unwrap();
    let file = file.to_str().unwrap();
    assert_ne!(run(&["audit", file]).status.code(), Some(2));
    let output = run(&["audit", "--framing", "ndjson", file]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("tautline: --framing has no effect: "), "{said}");
}

#[test]
fn a_report_of_output_can_go_to_standard_output() {
    let report = |args: &[&str]| run(&[&["audit", RECORDING], args].concat());
    for format in ["json", "sarif", "html", "junit"] {
        let output = report(&["--output", &format!("{format}=-")]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let start = if format == "junit" { "<?xml" } else { "" };
        assert!(text(&output.stdout).starts_with(start));
        if format != "junit" {
            assert_eq!(output.stdout, report(&["--format", format]).stdout, "{format}");
        }
    }
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("../-").exists());
    // Other reports go to their files.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside-standard-output.sarif");
    let output = report(&["--output=json=-", &format!("--output=sarif={}", file.display())]);
    assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok());
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"$schema\""));
}

#[test]
fn standard_output_has_one_report() {
    for (args, other) in [
        (&["audit", RECORDING, "--format", "text", "--output", "json=-"][..], "--format"),
        (&["audit", RECORDING, "--output=json=-", "--output=html=-"], "--output html=-"),
        (&["replay", RECORDING, "--format=jsonl", "--output=json=-", "--", "true"], "--format"),
        (&["probe", "--format", "json", "--output", "junit=-", "--", "true"], "--format"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = text(&output.stderr);
        let words = format!("and {other} would both write to standard output; ");
        assert!(said.contains(&words), "{args:?}: {said}");
    }
}
