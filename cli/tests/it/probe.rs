//! `tautline probe`, with servers that are short shell scripts.
#![cfg(unix)]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{at_once, text};

/// A server for the revision 2025-11-25. Each test decides its answer to an id of null.
pub const SERVER: &str = r#"
while read -r line; do
    id=${line#*'"id":'}
    id=${id%%,*}
    case $line in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"7"}}}\n' "$id" ;;
    *'"method":"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"m"}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{},{}],"nextCursor":"more"}}\n' "$id" ;;
    *'"id":null'*) MISTAKE ;;
    *'"method":"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
    esac
done
"#;

/// The case in which the servers make their mistake.
const CASE: &str = "request-id-null";

pub fn tautline(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
    command.args(args).env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

/// Probes a server with a mistake.
fn probe(args: &[&str], mistake: &str) -> Output {
    let script = SERVER.replace("MISTAKE", mistake);
    let args = [&["probe", "--rules", "2025-11-25"], args, &["--", "sh", "-c", &script]].concat();
    tautline(&args).output().unwrap()
}

fn document(args: &[&str], mistake: &str) -> Value {
    let output = probe(&[args, &["--format", "json"]].concat(), mistake);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns whether a process has this word among its arguments.
#[cfg(target_os = "linux")]
fn runs(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| line.split(|&byte| byte == 0).any(|argument| argument == word.as_bytes()))
}

/// Mistakes of a server, each with its verdict.
const MISTAKES: &[(&str, &str, &str)] = &[
    (r#"printf '{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}\n'"#, "right", ""),
    (
        r#"printf '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}\n'"#,
        "acceptable",
        "",
    ),
    (":", "acceptable", ""),
    (r#"printf '{"jsonrpc":"2.0","id":null,"result":{}}\n'"#, "wrong", "wrong answer"),
    (r#"printf '{"jsonrpc":"2.0","error":{"code":-32600}}\n'"#, "wrong", "wrong answer"),
    ("echo INFO", "wrong", "garbage on standard output"),
    ("exit 3", "wrong", "death"),
    ("kill -SEGV $$", "wrong", "death"),
    ("exec >&-; exec sleep MARK", "wrong", "death"),
    ("exec sleep MARK", "wrong", "hang"),
    ("trap '' TERM; while :; do sleep MARK; done", "wrong", "hang"),
    ("yes garbage | head -c 50000000", "wrong", "garbage on standard output"),
    ("head -c 50000000 /dev/zero", "wrong", "garbage on standard output"),
    ("exec yes MARK", "wrong", "garbage on standard output"),
    (
        r#"sleep MARK & printf '{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}\n'"#,
        "right",
        "",
    ),
    (r#"(trap '' TERM; exec sleep MARK) & exit 0"#, "wrong", "death"),
];

#[test]
fn mistakes_are_found_in_bounded_time_and_leave_no_process() {
    at_once(MISTAKES.iter().enumerate(), |(number, &(mistake, result, fault))| {
        let run = |timeout: &str, limit: u64| {
            // A duration that no other process sleeps.
            let mark = format!("8765.{}{number}{timeout}", std::process::id());
            let start = Instant::now();
            let mistake = mistake.replace("MARK", &mark);
            let document = document(&["--case", CASE, "--timeout", timeout], &mistake);
            let took = start.elapsed();
            #[cfg(target_os = "linux")]
            assert!(!runs(&mark), "{mistake}");
            let [row] = document["cases"].as_array().unwrap().as_slice() else {
                panic!("{document}")
            };
            let is_fault = row["fault"].as_str().unwrap_or_default() == fault;
            let is_it = row["result"] == result && is_fault && took < Duration::from_secs(limit);
            (is_it, format!("{mistake}: {took:?}: {row}"))
        };
        // The machine may be too busy for the first try.
        let (is_it, what) =
            Some(run("1", 30)).filter(|run| run.0).unwrap_or_else(|| run("10", 100));
        assert!(is_it, "{what}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_flood_is_looked_at_in_bounded_memory() {
    use crate::volume::volume;

    let length = volume(40_000_000) as usize;
    // A line feed ends the flood, so that the answer to the next request is a separate line.
    for flood in ["yes garbage | head -c LENGTH; echo", "head -c LENGTH /dev/zero; echo"] {
        let mistake = &flood.replace("LENGTH", &length.to_string());
        let script = SERVER.replace("MISTAKE", mistake);
        let args = [
            "probe",
            "--rules",
            "2025-11-25",
            "--case",
            CASE,
            // A busy machine may take longer than usual.
            "--timeout",
            "60",
            "--format",
            "json",
            "--",
            "sh",
            "-c",
            &script,
        ];
        let mut child = tautline(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let report = std::thread::spawn(move || {
            let mut report = String::new();
            stdout.read_to_string(&mut report).unwrap();
            report
        });
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
            let status = status.unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok());
            most = most.max(peak.unwrap_or(0_u64));
            std::thread::sleep(Duration::from_millis(5));
        }
        let report = report.join().unwrap();
        let document: Value = serde_json::from_str(&report).unwrap();
        let evidence = &document["cases"][0]["evidence"];
        let kept = evidence["received"]["text"].as_str().unwrap().len() as u64;
        assert!(kept + evidence["left_out"].as_u64().unwrap() >= length as u64, "{kept}");
        // The program and a line of 16 MiB fit. The line twice, or the whole flood, would not.
        assert!((1..45_000).contains(&most), "{most} KB");
    }
}

#[test]
fn a_server_that_does_not_read_is_not_waited_for() {
    // A shell reads byte by byte. Four times this limit is too short for so many system calls, on a fast machine too.
    let document = document(&["--case", "request-of-20-mib-id-first", "--timeout", "0.3"], ":");
    let row = &document["cases"][0];
    assert_eq!(
        (row["result"].as_str(), row["fault"].as_str()),
        (Some("wrong"), Some("hang")),
        "{row}"
    );
}

#[test]
fn a_server_that_opens_no_session_has_no_verdict() {
    let commands = [
        (&["false"][..], "60", "the process exited with code 1"),
        (&["sh", "-c", "cat >/dev/null"], "0.2", "it does not answer"),
        // The first line names the cause.
        (
            &["sh", "-c", "echo '{'; echo '  \"jsonrpc\": \"2.0\"'; echo '}'; cat >/dev/null"],
            "0.2",
            "tautline: no session could be opened: it does not answer the request that opens the session within 0.6 s; it has sent {: embedded-newline, ",
        ),
        (
            &[
                "sh",
                "-c",
                r#"printf '\357\273\277{"jsonrpc":"2.0","id":"open","result":{}}\n'; cat >/dev/null"#,
            ],
            "0.2",
            r#"it has sent {"jsonrpc":"2.0","id":"open","result":{}…: byte-order-mark, "#,
        ),
        (
            &[
                "sh",
                "-c",
                r#"printf '{"jsonrpc":"2.0","id":"other","result":{}}\n'; cat >/dev/null"#,
            ],
            "0.2",
            r#"it has sent {"jsonrpc":"2.0","id":"other","result":{…"#,
        ),
        (
            &[
                "sh",
                "-c",
                r#"cat >/dev/null; printf '{"jsonrpc":"2.0","id":"open","result":{}}\n'"#,
            ],
            "0.2",
            "only when its input ends: it must flush its standard output after each message",
        ),
        (
            &["sh", "-c", "for i in 1 2 3 4; do echo \"why $i\" >&2; done; exit 7"],
            "60",
            "\nthe last lines of its standard error:\n  why 1\n  why 2\n  why 3\n  why 4\n",
        ),
        (&["sh", "-c", "yes"], "0.2", "it does not answer"),
        (
            // Standard error is read concurrently with the end of the process, and may be complete only after it.
            &["sh", "-c", "echo no luck >&2; sleep 0.5; exit 7"],
            "60",
            "code 7; its standard error ends with: no luck",
        ),
        (&["cat"], "0.2", "it does not answer"),
        (&["no-such-program"], "60", "cannot run no-such-program: there is no such program"),
    ];
    at_once(commands, |(command, timeout, why)| {
        let args = ["probe", "--rules", "2025-11-25", "--timeout", timeout, "--"];
        let output = tautline(&[&args, command].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    });
}

#[test]
fn the_last_lines_of_a_server_that_dies_are_shown() {
    let lines = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo \"step $i\" >&2; done; exit 3";
    let output = probe(&["--case", CASE], lines);
    let report = text(&output.stdout);
    let shown: Vec<&str> =
        report.lines().filter(|line| line.contains("step ") && !line.contains('$')).collect();
    assert_eq!(shown.len(), 20, "{report}");
    assert!(shown[0].ends_with("its stderr  step 2981"), "{report}");
    assert!(shown[19].ends_with(" step 3000"), "{report}");
}

#[test]
fn a_case_that_only_fails_after_another_is_not_wrong() {
    // The error without an id comes two pings after the null. One of these pings is the survival request.
    let late = r#"n=$((n-1)); [ $n -eq 0 ] && printf '{"jsonrpc":"2.0","error":{"code":-32600,"message":"late"}}\n'; printf"#;
    let ping = "*'\"method\":\"ping\"'*) printf";
    assert!(SERVER.contains(ping));
    let script = SERVER.replace(ping, &ping.replace("printf", late)).replace("MISTAKE", "n=2");
    let args = ["probe", "--rules", "2025-11-25", "--case", CASE, "--case", "request-id-zero"];
    let args = [&args[..], &["--format", "json", "--", "sh", "-c", &script]].concat();
    let output = tautline(&args).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = &document["cases"][1];
    assert_eq!(
        (row["id"].as_str(), row["result"].as_str()),
        (Some("request-id-zero"), Some("right")),
        "{row}"
    );
    let note = row["note"].as_str().unwrap();
    assert!(
        note.starts_with("in the session of other cases, after request-id-null, it was wrong"),
        "{note}"
    );
}

#[test]
fn revisions_that_the_server_does_not_claim_are_skipped() {
    let script = SERVER.replace("MISTAKE", ":");
    let args = ["probe", "--case", CASE, "--case", "pretty-printed*", "--format", "json"];
    let args = [&args[..], &["--", "sh", "-c", &script]].concat();
    let output = tautline(&args).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["about"]["revisions"], serde_json::json!(["2025-11-25"]));
    assert_eq!(document["about"]["not_claimed"]["2025-06-18"], "it answers with \"2025-11-25\"");
    assert_eq!(document["about"]["name"], "shell");
    assert_eq!(document["about"]["offers"]["tools"]["is_whole"], false);
    let rows = document["cases"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["result"] == "skipped"));
    for row in rows {
        let is_skipped = row["result"] == "skipped";
        assert_eq!(is_skipped, row["revision"] != "2025-11-25", "{row}");
        assert_eq!(is_skipped, row.get("evidence").is_none(), "{row}");
    }
}

/// A server whose answer to `ping` is an error.
fn without_ping() -> String {
    let (pong, error) =
        (r#""id":%s,"result":{}}\n"#, r#""id":%s,"error":{"code":-32601,"message":"m"}}\n"#);
    assert!(SERVER.contains(pong));
    SERVER.replace(pong, error).replace("MISTAKE", ":")
}

const PINGS: [&str; 6] =
    ["--case", "request-plain", "--case", "request-id-zero", "--case", "request-id-negative"];

#[test]
fn a_server_without_ping_is_wrong_in_one_case() {
    let args = ["probe", "--format", "json", "--rules", "2025-11-25"];
    let script = without_ping();
    let args = [&args[..], &PINGS, &["--", "sh", "-c", &script]].concat();
    let output = tautline(&args).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let wrong = document["cases"].as_array().unwrap().iter().filter(|row| row["result"] == "wrong");
    assert_eq!(wrong.map(|row| row["id"].as_str().unwrap()).collect::<Vec<_>>(), ["request-plain"]);
    assert_eq!(document["about"]["no_ping"]["instead"], "tools/list");
}

#[test]
fn cases_that_are_wrong_in_one_way_are_shown_as_one() {
    let script = without_ping().replace(r#"{"tools":{}}"#, "{}");
    let run = |format: &[&str]| {
        let args = ["probe", "--rules", "2025-11-25"];
        let args = [&args[..], &PINGS, format, &["--", "sh", "-c", &script]].concat();
        tautline(&args).output().unwrap().stdout
    };
    let shown = run(&[]);
    let shown = text(&shown);
    let headline =
        "3 cases are wrong in one way: wrong answer, the request after the case got error -32601";
    assert!(shown.contains(headline), "{shown}");
    assert_eq!(shown.matches("expected").count(), 1, "{shown}");
    // The report begins with the causes.
    let first = "wrong       3 cases: wrong answer, the request after the case got error -32601\n";
    assert!(shown.find(first).unwrap() < shown.find("revision ").unwrap(), "{shown}");
    assert!(shown.contains("also        request-id-zero, request-id-negative\n"), "{shown}");
    let all = run(&["--verbose"]);
    assert_eq!(text(&all).matches("expected").count(), 3);
    let document: Value = serde_json::from_slice(&run(&["--format", "json"])).unwrap();
    assert_eq!(document["causes"][0]["count"], 3, "{document}");
    assert_eq!(document["causes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_quick_probe_runs_requirements_only() {
    let list = |args: &[&str]| {
        let output = tautline(&[&["probe", "--dry-run"], args].concat()).output().unwrap();
        text(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (all, quick) = (list(&[]), list(&["--quick"]));
    assert!(!quick.is_empty() && quick.len() < all.len());
    assert!(quick.iter().all(|line| !line.contains("before-initialize")));
    let output = probe(&["--quick", "--case", "request-before-initialize"], ":");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`tautline probe --quick --dry-run` lists all"));
}

#[test]
fn acceptable_is_wrong_under_strict() {
    for (args, code) in [(&["--case", CASE][..], 0), (&["--case", CASE, "--strict"], 1)] {
        assert_eq!(probe(args, ":").status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn the_line_to_send_a_case_by_hand_shows_the_same() {
    let row = &document(&["--case", CASE], "echo INFO")["cases"][0];
    let line = row["evidence"]["by_hand"].as_str().unwrap();
    // This server reads to the end, so the pauses in the line can be skipped.
    let line = format!("sleep() {{ :; }}; {line}");
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let received = row["evidence"]["received"]["text"].as_str().unwrap();
    assert!(received.starts_with("INFO\n"), "{received}");
    assert!(text(&output.stdout).ends_with(received), "{}", text(&output.stdout));
}

#[test]
fn every_format_names_what_is_wrong() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let outputs = [
        format!("junit={}", file("probe.xml")),
        format!("html={}", file("probe.html")),
        format!("json={}", file("probe.json")),
    ];
    let mut args = vec!["--case", CASE];
    outputs.iter().for_each(|output| args.extend(["--output", output]));
    let output = probe(&args, "echo '<b>INFO'");
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    assert!(
        report.contains("wrong  request-id-null (2025-11-25): garbage on standard output"),
        "{report}"
    );
    assert!(report.contains("<b>INFO␊") && report.contains("by hand"), "{report}");
    assert!(!report.contains('\x1B'));

    let junit = std::fs::read_to_string(file("probe.xml")).unwrap();
    assert!(junit.contains("<testsuite name=\"2025-11-25\" tests=\"1\""), "{junit}");
    assert!(junit.contains("failure message=\"garbage on standard output"), "{junit}");
    let html = std::fs::read_to_string(file("probe.html")).unwrap();
    assert!(html.contains("&lt;b&gt;INFO") && !html.contains("<b>INFO"));
    assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("<script"));
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(file("probe.json")).unwrap()).unwrap();
    assert_eq!(json["tautline-probe"], 1);
    assert_eq!(json["totals"]["wrong"], 1);
    assert_eq!(json["by_category"]["ids"]["wrong"], 1);
}

#[test]
fn text_shows_other_cases_if_asked() {
    let quiet = probe(&["--case", CASE], ":");
    assert!(!text(&quiet.stdout).contains(CASE));
    let verbose = probe(&["--case", CASE, "--verbose"], ":");
    assert!(text(&verbose.stdout).contains("acceptable  request-id-null (2025-11-25)\n"));
}

#[test]
fn a_dry_run_lists_cases_and_starts_nothing() {
    let output = tautline(&["probe", "--dry-run", "--case", "request-id-*"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stdout).lines().any(|line| line.starts_with("2025-11-25  request-id-null"))
    );
    assert!(text(&output.stdout).lines().all(|line| line[12..].starts_with("request-id-")));
    let clients = tautline(&["probe", "--dry-run", "--client"]).output().unwrap();
    assert!(text(&clients.stdout).contains("client-usual-answer"));
}

#[test]
fn bad_usage_is_said_on_stderr() {
    for (args, said) in [
        (&["probe"][..], "required"),
        (&["probe", "--dry-run", "--case", "no-such"], "there is no case `no-such` for servers"),
        (&["probe", "--timeout", "0", "--", "a"], "expected a number of seconds"),
        (&["probe", "--output", "xml=a", "--", "a"], "there is no format `xml`"),
        (&["probe", "--output", "html=/no/such/file", "--", "a"], "cannot write /no/such/file"),
        (&["probe", "--rules", "2027-01-01", "--", "a"], "possible values: 2024-11-05"),
    ] {
        let output = tautline(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

#[test]
fn the_time_limit_skips_the_rest() {
    let output = probe(&["--time-limit", "0.01", "--format", "json"], ":");
    assert_eq!(output.status.code(), Some(2));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["is_whole"], false);
    let rows = document["cases"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["reason"] == "the time limit was reached"));
}

#[test]
fn the_time_limit_ends_a_case_that_waits() {
    let start = Instant::now();
    let args = ["--case", CASE, "--timeout", "60", "--time-limit", "1"];
    let document = document(&args, "exec sleep 8765");
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    assert_eq!(document["is_whole"], false);
    assert_eq!(document["cases"][0]["reason"], "the time limit was reached");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_server_too() {
    let mark = format!("8765.{}99", std::process::id());
    let script = SERVER.replace("MISTAKE", &format!("trap '' INT TERM; exec sleep {mark}"));
    let args = ["probe", "--rules", "2025-11-25", "--case", CASE, "--timeout", "60", "--"];
    let args = [&args[..], &["sh", "-c", &script]].concat();
    let child = tautline(&args).stdout(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !runs(&mark) {
        assert!(start.elapsed() < Duration::from_secs(30), "the server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(2));
    assert!(!runs(&mark));
    // The results so far are reported.
    let said = text(&output.stdout);
    assert!(
        said.contains("note: the probe was interrupted; the other cases were skipped"),
        "{said}"
    );
}

#[test]
fn an_interrupt_ends_a_report_that_nobody_reads() {
    let script = SERVER.replace("MISTAKE", "head -c 100000 /dev/zero; echo");
    let args = ["probe", "--rules", "2025-11-25", "--case", CASE, "--format", "json", "--"];
    let args = [&args[..], &["sh", "-c", &script]].concat();
    // The report is larger than the pipe, so writing it blocks.
    let mut child = tautline(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15));
}
