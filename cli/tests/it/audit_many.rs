//! `tautline audit` with several recordings.

use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Deserializer, Value};

use crate::support::{root, tautline, text};

const SHIPPED: [&str; 5] = [
    "examples/weather.recording",
    "audit/tests/recordings/pollution.recording",
    "audit/tests/recordings/unanswered.recording",
    "audit/tests/recordings/wrong-codes.recording",
    "audit/tests/sources/mcpsnoop/everything.jsonl",
];

fn run(args: &[&str], files: &[&str]) -> Output {
    let mut command = tautline(&["audit"]);
    command.args(args).args(files).stdin(Stdio::null()).output().unwrap()
}

/// Returns the recordings many times, which differ in how long they take.
fn many() -> Vec<&'static str> {
    (0..10).flat_map(|round| SHIPPED.into_iter().skip(round % 3)).collect()
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn reports_do_not_depend_on_the_number_of_jobs() {
    let files = many();
    for format in ["text", "jsonl", "json", "sarif", "junit"] {
        let one = run(&["--format", format, "--jobs", "1"], &files);
        assert_eq!(one.status.code(), Some(1), "{format}: {}", text(&one.stderr));
        for jobs in ["2", "7"] {
            let other = run(&["--format", format, "--jobs", jobs], &files);
            assert!(other.stdout == one.stdout, "{format} with {jobs} jobs");
            assert_eq!(other.status.code(), one.status.code());
        }
    }
}

#[test]
fn each_report_is_that_of_the_recording_alone() {
    let all = run(&["--format", "json"], &SHIPPED);
    let alone = SHIPPED.map(|file| run(&["--format", "json"], &[file]).stdout).concat();
    assert_eq!(text(&all.stdout), text(&alone));

    let all = run(&["--format", "jsonl"], &SHIPPED);
    let mut alone = String::new();
    for file in SHIPPED {
        let rows = run(&["--format", "jsonl"], &[file]).stdout;
        alone += &format!("{{\"source\":{file:?}}}\n{}", text(&rows));
    }
    assert_eq!(text(&all.stdout), alone);

    let all = run(&[], &SHIPPED);
    let report = text(&all.stdout);
    let mut rest = report;
    for file in SHIPPED {
        let alone = run(&[], &[file]).stdout;
        // Without the time, which is not the same in every run.
        let (alone, _) = text(&alone).trim_end().rsplit_once(" in ").unwrap();
        let own = format!("{file}:\n\n{alone}\n\n");
        rest = rest.strip_prefix(&own).unwrap_or_else(|| panic!("{file} in\n{rest}"));
    }
    assert_eq!(rest, "");
}

#[test]
fn a_file_has_the_reports_of_all_recordings() {
    let (sarif, junit) = (file("many.sarif"), file("many.xml"));
    let outputs = [format!("sarif={}", sarif.display()), format!("junit={}", junit.display())];
    let args = ["--output", &outputs[0], "--output", &outputs[1], "--format", "json"];
    let output = run(&args, &SHIPPED);
    let documents = Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let documents: Vec<Value> = documents.map(Result::unwrap).collect();
    assert_eq!(documents.len(), SHIPPED.len());

    let log: Value = serde_json::from_slice(&std::fs::read(sarif).unwrap()).unwrap();
    let runs = log["runs"].as_array().unwrap();
    assert_eq!((&log["version"], runs.len()), (&"2.1.0".into(), SHIPPED.len()));
    for ((run, document), file) in runs.iter().zip(&documents).zip(SHIPPED) {
        assert_eq!(run["artifacts"][0]["location"]["uri"], file);
        let findings = document["findings"].as_array().unwrap().len();
        assert_eq!(run["results"].as_array().unwrap().len(), findings);
    }

    let report = std::fs::read(junit).unwrap();
    let report = quick_junit::Report::deserialize(&report[..]).unwrap();
    let suites: Vec<&str> = report.test_suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(suites.len(), 3 * SHIPPED.len());
    assert_eq!(suites[0], "examples/weather.recording: audits");
}

#[test]
fn a_recording_that_cannot_be_read_does_not_stop_the_others() {
    let files = [SHIPPED[0], "no-such-file", "README.md", SHIPPED[1]];
    for jobs in ["1", "2"] {
        let output = run(&["--format", "json", "--jobs", jobs], &files);
        assert_eq!(output.status.code(), Some(2));
        let complaints: Vec<&str> = text(&output.stderr).lines().collect();
        assert!(complaints[0].contains("no-such-file: there is no such file"), "{complaints:?}");
        assert!(complaints[1].starts_with("tautline: README.md: "), "{complaints:?}");
        let documents = Deserializer::from_slice(&output.stdout).into_iter::<Value>();
        assert_eq!(documents.count(), 2);
    }
}

#[test]
fn a_recording_that_cannot_be_read_is_in_the_reports() {
    let (sarif, junit) = (file("unread.sarif"), file("unread.xml"));
    let outputs = [format!("sarif={}", sarif.display()), format!("junit={}", junit.display())];
    let files = ["no-such-file", SHIPPED[0], "README.md"];
    let output = run(&["--output", &outputs[0], "--output", &outputs[1]], &files);
    assert_eq!(output.status.code(), Some(2));

    let log: Value = serde_json::from_slice(&std::fs::read(sarif).unwrap()).unwrap();
    let runs = log["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    for ((run, file), is_read) in runs.iter().zip(files).zip([false, true, false]) {
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], is_read, "{file}");
        assert_eq!(run["artifacts"][0]["location"]["uri"], file);
        if !is_read {
            let notification = &invocation["toolExecutionNotifications"][0];
            assert_eq!(notification["level"], "error");
            let words = notification["message"]["text"].as_str().unwrap();
            assert!(text(&output.stderr).contains(words) && words.contains(file), "{words}");
        }
    }

    let report = std::fs::read(junit).unwrap();
    let report = quick_junit::Report::deserialize(&report[..]).unwrap();
    let suites: Vec<(&str, usize)> =
        report.test_suites.iter().map(|suite| (suite.name.as_str(), suite.errors)).collect();
    assert_eq!(suites.len(), 5);
    assert_eq!(suites[0], ("no-such-file: recording", 1));
    assert_eq!(suites[1].1, 0);
    assert_eq!(suites[4], ("README.md: recording", 1));
}

#[test]
fn the_suites_of_a_recording_that_is_given_again_have_other_names() {
    let files = [SHIPPED[0], SHIPPED[1], SHIPPED[0], SHIPPED[0]];
    let output = run(&["--format", "junit"], &files);
    let report = quick_junit::Report::deserialize(&output.stdout[..]).unwrap();
    let suites: Vec<&str> = report.test_suites.iter().map(|suite| suite.name.as_str()).collect();
    let names: std::collections::BTreeSet<&str> = suites.iter().copied().collect();
    assert_eq!((suites.len(), names.len()), (12, 12), "{suites:?}");
    assert_eq!(suites[9], "examples/weather.recording (3): audits");
}

/// The old report stays while the new one is not complete, and after an audit that could not be completed.
#[test]
#[cfg(unix)]
fn an_audit_that_is_interrupted_leaves_the_old_report() {
    let folder = file("kept");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let (report, pipe) = (folder.join("sarif"), folder.join("pipe"));
    let output = format!("sarif={}", report.display());
    std::fs::write(&report, "old").unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut command = tautline(&["audit", "--output", &output, SHIPPED[0]]);
    let mut audit = command.arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    // The other end opens when the audit reads from the pipe, and its report has begun.
    let end = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    assert_eq!(std::fs::read_to_string(&report).unwrap(), "old");
    audit.kill().unwrap();
    audit.wait().unwrap();
    drop(end);
    assert_eq!(std::fs::read_to_string(&report).unwrap(), "old");
    run(&["--output", &output], &SHIPPED[..2]);
    assert!(std::fs::read_to_string(&report).unwrap().starts_with("{\"$schema\""));
}

#[test]
fn what_is_for_one_recording_is_refused_for_several() {
    let new = file("many.baseline");
    for (args, words) in [
        (["--format", "html"], "an HTML page shows one recording"),
        (["--write-baseline", new.to_str().unwrap()], "a baseline is for one recording"),
    ] {
        let output = run(&args, &SHIPPED);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
    assert!(!new.exists() && root().join(SHIPPED[0]).exists());
    assert_eq!(run(&["--jobs", "0"], &SHIPPED).status.code(), Some(2));
}
