//! `tautline audit` and `tautline explain`, as their users run them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{root, tautline, text};

const RECORDING: &str = "examples/weather.recording";

fn command(args: &[&str]) -> Command {
    let mut command = tautline(args);
    command.stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// Creates a separate folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn rules(output: &Output) -> Vec<String> {
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap();
    findings.iter().map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
}

const FOUND: [&str; 5] = [
    "error-without-cause",
    "error-code-http",
    "unknown-tool-code",
    "unknown-method",
    "unknown-method-code",
];

#[test]
fn the_shipped_recording_is_reported_as_text() {
    let output = run(&["audit", RECORDING]);
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    let (report, time) = report.trim_end().rsplit_once('\n').unwrap();
    assert!(time.ends_with(" s"), "{time}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/weather.txt");
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, report).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (number, (actual, expected)) in report.lines().zip(expected.lines()).enumerate() {
        assert_eq!(actual, expected, "line {} of {}", number + 1, path.display());
    }
    assert_eq!(report.len(), expected.len());
}

#[test]
fn reports_go_to_standard_output_and_to_files() {
    let folder = folder("reports");
    let outputs: Vec<String> = ["json", "sarif", "junit", "html"]
        .iter()
        .map(|format| format!("--output={format}={}", folder.join(format).display()))
        .collect();
    let mut args = vec!["audit", RECORDING, "--format", "jsonl"];
    args.extend(outputs.iter().map(String::as_str));
    let output = run(&args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let rows: Vec<Value> =
        text(&output.stdout).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 16);
    assert_eq!((&rows[3]["frame"], &rows[3]["from"]), (&4.into(), &"server".into()));
    assert_eq!(rows[3]["source_line"], 5);
    for (format, start) in
        [("json", "{\n"), ("sarif", "{\n"), ("junit", "<?xml"), ("html", "<!doctype html>")]
    {
        let report = std::fs::read_to_string(folder.join(format)).unwrap();
        assert!(report.to_lowercase().starts_with(start), "{format}");
        let same = run(&["audit", RECORDING, "--format", format]);
        // Frames are kept only for HTML.
        if !matches!(format, "json" | "junit") {
            assert_eq!(text(&same.stdout), report, "{format}");
        }
    }
}

#[test]
fn the_recording_can_come_from_standard_input() {
    let mut command = command(&["audit", "--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let recording = std::fs::read(root().join(RECORDING)).unwrap();
    child.stdin.take().unwrap().write_all(&recording).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(rules(&output), FOUND);
}

#[test]
fn two_files_are_two_sides() {
    let folder = folder("two_files");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let client = write("client", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    let server = write("server", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\nready\n");
    let output = run(&["audit", "--client", &client, "--server", &server, "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(rules(&output), ["log-line"]);
    // With one side only, there would be no answers, or no requests.
    let output = run(&["audit", "--server", &server]);
    assert!(text(&output.stderr).contains("--client <FILE>"), "{}", text(&output.stderr));
}

#[test]
fn levels_come_from_options_and_from_the_settings() {
    let folder = folder("levels");
    let config = folder.join("tautline.toml");
    std::fs::write(
        &config,
        "[rules]\nallow = [\"id-null\", \"error-code-http\"]\nwarn = [\"unknown-tool-code\"]\n",
    )
    .unwrap();
    let config = format!("--config={}", config.display());
    let args = ["audit", RECORDING, "--format", "json", &config];
    let output = run(&args);
    assert_eq!(
        rules(&output),
        ["error-without-cause", "unknown-tool-code", "unknown-method", "unknown-method-code"]
    );
    let mut all = args.to_vec();
    all.extend(["--allow", "error-without-cause", "--allow", "unknown-method-code"]);
    assert_eq!(run(&all).status.code(), Some(0));
    // Options take precedence over the file.
    all.extend(["--deny", "unknown-tool-code"]);
    assert_eq!(run(&all).status.code(), Some(1));

    for (settings, expected) in [
        ("[rules]\ndeny = [\"id-nul\"]\n", "there is no rule `id-nul`; did you mean `id-null`?"),
        ("[rulez]\n", "unknown field `rulez`"),
        (
            "[rules]\nwarn = [\"id-null\"]\nallow = [\"id-null\"]\n",
            "the rule id-null is in two of deny, warn and allow",
        ),
    ] {
        std::fs::write(folder.join("tautline.toml"), settings).unwrap();
        let output = run(&["audit", RECORDING, &config]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn a_baseline_is_written_and_held_to() {
    let folder = folder("baseline");
    let baseline = folder.join("accepted.json");
    let baseline = baseline.to_str().unwrap();
    let write = run(&["audit", RECORDING, "--write-baseline", baseline]);
    assert_eq!(write.status.code(), Some(0), "{}", text(&write.stderr));
    let output = run(&["audit", RECORDING, "--baseline", baseline]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("5 findings are accepted by the baseline"));
    // In another recording, some of them do not occur.
    let other = "audit/tests/recordings/unanswered.recording";
    let output = run(&["audit", other, "--baseline", baseline]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("error: the baseline accepts error-code-http ("));
    // Reasons are kept when the baseline is written again.
    let reason = std::fs::read_to_string(baseline).unwrap().replacen(
        "\"fingerprint\"",
        "\"reason\": \"known\",\n      \"fingerprint\"",
        1,
    );
    std::fs::write(baseline, &reason).unwrap();
    run(&["audit", RECORDING, "--baseline", baseline, "--write-baseline", baseline]);
    assert_eq!(std::fs::read_to_string(baseline).unwrap(), reason);
    // No other report may overwrite it.
    let report = format!("--output=json={baseline}");
    let output = run(&["audit", RECORDING, "--baseline", baseline, &report]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is an input or another report"));
    assert_eq!(std::fs::read_to_string(baseline).unwrap(), reason);
}

/// Paths do not tell hard links apart, and standard input has none.
#[cfg(unix)]
#[test]
fn a_recording_is_not_overwritten_by_another_name() {
    let folder = folder("links");
    let [recording, link] = ["recording", "link"].map(|name| folder.join(name));
    let original = root().join(RECORDING);
    std::fs::copy(&original, &recording).unwrap();
    std::fs::hard_link(&recording, &link).unwrap();
    let report = format!("--output=json={}", link.display());
    for is_on_stdin in [false, true] {
        let mut command = command(&["audit", &report]);
        if is_on_stdin {
            command.stdin(std::fs::File::open(&recording).unwrap());
        } else {
            command.arg(&recording);
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("is an input or another report"));
        assert_eq!(std::fs::read(&recording).unwrap(), std::fs::read(&original).unwrap());
    }
}

#[cfg(unix)]
#[test]
fn a_baseline_is_not_overwritten_by_another_name() {
    let folder = folder("linked-baseline");
    let [baseline, link] = ["baseline", "link"].map(|name| folder.join(name));
    run(&["audit", RECORDING, "--write-baseline", baseline.to_str().unwrap()]);
    let original = std::fs::read(&baseline).unwrap();
    std::fs::hard_link(&baseline, &link).unwrap();
    let report = format!("--output=json={}", link.display());
    let output = run(&["audit", RECORDING, "--baseline", baseline.to_str().unwrap(), &report]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is an input or another report"));
    assert_eq!(std::fs::read(&baseline).unwrap(), original);
}

#[test]
fn what_cannot_be_done_is_said() {
    for (args, expected) in [
        (&["audit", "no-such-file"][..], "cannot read no-such-file: there is no such file"),
        (&["audit", "examples/session.ndjson"], "this is a log of messages without directions"),
        (&["audit", RECORDING, "--baseline", "no-such-file"], "no-such-file: "),
        (&["audit", RECORDING, "--output", "html=no/such/folder"], "cannot write no/such/folder"),
        (
            &["audit", RECORDING, "--output", "json=examples/weather.recording"],
            "is an input or another",
        ),
        (&["audit", RECORDING, "--output=json=a", "--output=html=./a"], "is an input or another"),
        (&["audit", RECORDING, "--output=json=new/"], "cannot write new/: it names a folder"),
        (&["audit", RECORDING, "--output", "pdf=a"], "there is no format `pdf`"),
        (&["audit", RECORDING, "--output", "html"], "expected a format, = and a file"),
        (&["audit", RECORDING, "--deny", "log-lin"], "did you mean `log-line`?"),
        (
            &["audit", RECORDING, "--allow", "log-line", "--deny", "log-line"],
            "the rule log-line is in two of deny, warn and allow",
        ),
        (&["audit", RECORDING, "--client", "a"], "cannot be used with"),
        (&["explain", "xyzzy"], "there is no rule `xyzzy` (`tautline explain` lists all rules)"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn each_rule_is_explained() {
    let list = run(&["explain"]);
    let names: Vec<&str> =
        text(&list.stdout).lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert!(names.len() > 130, "{}", names.len());
    let output = run(&["explain", "unknown-tool-code"]);
    let said = text(&output.stdout);
    for part in ["unknown-tool-code (warning)", "Meaning  ", "Clause   ", "Remedy   ", "\n  < {"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn the_help_of_each_command_has_an_example() {
    for name in ["check", "audit", "probe", "tap", "replay", "explain", "completions", "man"] {
        let output = run(&[name, "--help"]);
        assert!(text(&output.stdout).contains("\nExamples:\n  "), "{name}");
    }
}

#[test]
fn completions_and_manual_pages_know_each_command() {
    let completions = run(&["completions", "bash"]);
    assert!(text(&completions.stdout).contains("--write-baseline"));
    let folder = folder("man");
    assert_eq!(run(&["man", folder.to_str().unwrap()]).status.code(), Some(0));
    for name in ["tautline", "tautline-check", "tautline-audit", "tautline-explain"] {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{name}");
    }
}

/// Marks that the user names are searched in a log that is in no known format.
#[test]
fn a_log_is_read_with_marks_of_the_user() {
    let folder = folder("marks");
    let log = folder.join("pipe.log");
    let messages = "\
        7 (toward) {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\
        8 (back) {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\
        9 (back) bye\n";
    std::fs::write(&log, messages).unwrap();
    let file = log.to_str().unwrap();
    let plain = run(&["audit", file]);
    assert_eq!(plain.status.code(), Some(2));
    assert!(text(&plain.stderr).contains("--client-mark and --server-mark"));
    let marks = ["--client-mark", "(toward)", "--server-mark", "(back)"];
    let output = run(&[&["audit", "--format", "json", file][..], &marks].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(rules(&output).contains(&"log-line".to_owned()));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&document["totals"]["frames"], &document["sources"][0]["kind"]),
        (&3.into(), &"log".into())
    );
    for (args, words) in [
        (&["--client-mark", "(toward)"][..], "--server-mark"),
        (&["--client-mark", "a", "--server-mark", "a"], "are the same"),
        (&["--client-mark", "a", "--server-mark", "b", "--source", "log"], "cannot be used with"),
    ] {
        let output = run(&[&["audit", file][..], args].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

#[test]
fn a_recording_without_messages_is_an_error() {
    let folder = folder("empty");
    let file = folder.join("empty.recording");
    std::fs::write(&file, "{\"tautline-recording\":1}\n{\"exit\":0}\n").unwrap();
    let output = run(&["audit", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nothing was judged"), "{}", text(&output.stderr));
}

/// A session with more pending requests than can be remembered says so in every format, and once.
#[test]
fn requests_that_were_lost_are_named_in_every_format() {
    let folder = folder("lost_requests");
    let file = folder.join("client.ndjson");
    let request = |id: u32| {
        let params = r#"{"_meta":{"progressToken":ID}}"#.replace("ID", &id.to_string());
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\",\"params\":{params}}}\n")
    };
    let info = r#""capabilities":{},"clientInfo":{"name":"c","version":"1"}"#;
    let initialize = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-06-18\",{info}}}}}\n"
    );
    let few: String = (1..100).map(request).collect();
    let many: String = (1..20_000).map(request).collect();
    let server = folder.join("server.ndjson");
    std::fs::write(&server, "").unwrap();
    let words = "more requests were pending than can be remembered";
    for (requests, count) in [(few, 0), (many, 1)] {
        std::fs::write(&file, initialize.clone() + &requests).unwrap();
        for format in ["text", "jsonl", "json"] {
            let (client, server) = (file.to_str().unwrap(), server.to_str().unwrap());
            let files = ["--client", client, "--server", server];
            let output = run(&[&["audit", "--format", format][..], &files].concat());
            let report = text(&output.stdout);
            assert_eq!(report.matches(words).count(), count, "{format}");
            if format == "jsonl" {
                let rows = report.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
                assert_eq!(rows.filter(|row| row["note"].is_string()).count(), count);
            }
        }
    }
}
