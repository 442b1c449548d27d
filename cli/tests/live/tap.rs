//! The traffic through `tautline tap`, its record, and its display.

use std::fs;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::garbage::{Garbage, Hash, hash};
use crate::support::{Test, folder, hash_of, read, start, until};
use crate::volume::volume;

pub fn tests() -> Vec<Test> {
    vec![
        ("garbage_passes_untouched_and_is_recorded", garbage_passes_untouched_and_is_recorded),
        ("a_flood_takes_no_more_memory", a_flood_takes_no_more_memory),
        ("a_display_that_is_stuck_stops_nothing", a_display_that_is_stuck_stops_nothing),
        ("messages_are_shown_with_their_findings", messages_are_shown_with_their_findings),
        ("standard_error_passes", standard_error_passes),
        ("a_full_disk_stops_the_record_alone", a_full_disk_stops_the_record_alone),
        ("secrets_are_replaced_in_the_record_alone", secrets_are_replaced_in_the_record_alone),
        ("pieces_keep_their_bounds", pieces_keep_their_bounds),
        ("a_command_that_cannot_run", a_command_that_cannot_run),
        ("bad_usage", bad_usage),
        ("settings_are_printed_to_be_pasted", settings_are_printed_to_be_pasted),
    ]
}

/// The maximum memory use, in KiB: the program, and two batches of 4 MiB for each reader.
const MEMORY: u64 = 24 * 1024;
const MEMORY_WITH_DISPLAY: u64 = 36 * 1024;

/// With megabytes in both directions at once, in pieces of any length, both ends and the record agree.
fn garbage_passes_untouched_and_is_recorded() {
    let all = volume(3_000_000) as usize;
    let file = folder("garbage").join("record");
    let length = all.to_string();
    let arguments = ["tap", "--live", "--record", file.to_str().unwrap()];
    let mut run = start(&arguments, &["hash", "7", &length]);
    let mut stdin = run.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        Garbage::new(11, all).for_each(|piece| stdin.write_all(&piece).unwrap());
    });
    let mut received = Hash::default();
    let mut room = vec![0; 10_000];
    let mut stdout = run.stdout.take().unwrap();
    while let Ok(read @ 1..) = stdout.read(&mut room) {
        received.push(&room[..read]);
        run.measure();
    }
    writer.join().unwrap();
    run.assert_peak_below(MEMORY_WITH_DISPLAY);
    let (status, stderr) = run.end();
    assert_eq!(status.code(), Some(0));
    let (sent, answered) = (hash(11, all), hash(7, all));
    assert_eq!(received.text(), answered);
    assert!(stderr.lines().any(|line| line == sent), "the server has read something else");
    let recorded = read(&file);
    assert_eq!(recorded.client.text(), sent);
    assert_eq!(recorded.server.text(), answered);
    assert_eq!(String::from_utf8(recorded.stderr).unwrap(), format!("{sent}\n"));
    assert_eq!(recorded.others.last().unwrap(), "exited with status 0");
    assert_eq!(recorded.others.len(), 3);
}

/// The server only writes, and the client is slow.
fn a_flood_takes_no_more_memory() {
    let all = volume(20_000_000) as usize;
    let file = folder("flood").join("record");
    let arguments = ["tap", "--record", file.to_str().unwrap()];
    let mut run = start(&arguments, &["flood", "3", &all.to_string()]);
    thread::sleep(Duration::from_millis(300));
    let mut received = Hash::default();
    let mut room = vec![0; 100_000];
    let mut stdout = run.stdout.take().unwrap();
    while let Ok(read @ 1..) = stdout.read(&mut room) {
        received.push(&room[..read]);
        run.measure();
    }
    run.assert_peak_below(MEMORY);
    assert_eq!(run.end().0.code(), Some(0));
    assert_eq!(received.text(), hash(3, all));
    assert_eq!(read(&file).server.text(), received.text());
}

/// The output of the display is not read. The traffic and the record are not affected, and the gap is reported.
fn a_display_that_is_stuck_stops_nothing() {
    use std::process::{Command, Stdio};

    // This is more than two batches, so that a part is skipped.
    let lines = volume(150_000).max(150_000) as usize;
    let file = folder("stuck").join("record");
    let this = std::env::current_exe().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tautline"))
        .args(["tap", "--live", "--record", file.to_str().unwrap(), "--"])
        .arg(this)
        .args([crate::support::AS_SERVER, "talk", &lines.to_string(), "mark"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut received = Hash::default();
    let mut line = String::new();
    for _ in 0..lines {
        line.clear();
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
        received.push(line.as_bytes());
    }
    // Once the output is read again, the next message is shown.
    let stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let is_seen = Arc::new(AtomicBool::new(false));
    let reader = thread::spawn({
        let is_seen = is_seen.clone();
        move || {
            let mut text = String::new();
            for line in std::io::BufRead::lines(stderr) {
                let line = line.unwrap();
                is_seen.fetch_or(line.contains("notifications/last"), Ordering::Relaxed);
                text = text + &line + "\n";
            }
            text
        }
    });
    let last = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/last\"}\n";
    until("the display of the next message", || {
        stdin.write_all(last.as_bytes()).unwrap();
        line.clear();
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
        assert_eq!(line, last);
        received.push(line.as_bytes());
        is_seen.load(Ordering::Relaxed)
    });
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let shown = reader.join().unwrap();
    assert!(shown.contains(" bytes of the server were not shown: "), "{}", shown.len());
    assert!(shown.contains("notifications/last"));
    // There is no handshake, and lines that the gap has cut are not blamed on the server.
    assert!(!shown.contains("error[not-json]"));
    assert_eq!(read(&file).server.text(), received.text());
}

fn messages_are_shown_with_their_findings() {
    let mut run = start(&["tap", "--live"], &["mcp"]);
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"git_log"}}"#,
        "\u{1b}[31m no JSON",
    ] {
        run.write(message);
        run.write("\n");
        if message.contains("\"id\"") {
            run.read_line();
        }
    }
    let (status, shown) = run.end();
    assert_eq!(status.code(), Some(0));
    let lines: Vec<&str> = shown.lines().collect();
    // Times and latencies are left out of the comparison.
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let shown_as = |index: usize, expected: &[&str]| {
        let fields = fields(lines[index]);
        assert_eq!(fields.get(1..=expected.len()).unwrap(), expected, "{shown}");
    };
    shown_as(0, &["→", "request", "initialize", "id", "1", "146", "B"]);
    shown_as(1, &["←", "result", "initialize", "id", "1", "127", "B"]);
    assert!(lines[1].ends_with(" ms"), "{shown}");
    shown_as(2, &["→", "notification", "notifications/initialized", "54", "B"]);
    shown_as(3, &["→", "invalid", "ping", "id", "null"]);
    assert!(lines[4].starts_with("            error[id-null]: "), "{shown}");
    // The tool is named in the call and in its result.
    for arrow in ["→ request", "← result"] {
        let is_it = |line: &str| line.contains(arrow) && line.contains(" tools/call git_log ");
        assert!(lines.iter().any(|line| is_it(line)), "{shown}");
    }
    let last = lines.last().unwrap();
    assert!(last.contains("the server has exited with status 0; "), "{last}");
    assert!(shown.contains("␛[31m no JSON") && !shown.contains('\u{1b}'), "{shown}");
}

fn standard_error_passes() {
    let text = "no newline \u{1b}[0m";
    for arguments in [&["tap"][..], &["tap", "--live"], &["tap", "--record", "/dev/null"]] {
        let run = start(arguments, &["stderr", text]);
        let (status, stderr) = run.end();
        assert_eq!(status.code(), Some(0));
        assert!(stderr.contains(text), "{stderr}");
        if arguments.len() == 2 {
            // The display begins on a new line.
            assert!(stderr.lines().any(|line| line.ends_with("has closed its side")), "{stderr}");
            assert!(stderr.lines().any(|line| line == text), "{stderr}");
        } else {
            assert_eq!(stderr, text);
        }
    }
}

#[cfg(target_os = "linux")]
const FULL: &str = "/dev/full";
#[cfg(not(target_os = "linux"))]
const FULL: &str = "";

fn a_full_disk_stops_the_record_alone() {
    if FULL.is_empty() {
        return;
    }
    // The header fails at once.
    let (status, stderr) = start(&["tap", "--record", FULL], &["echo"]).end();
    assert_eq!(status.code(), Some(125));
    assert_eq!(stderr, "tautline: cannot write /dev/full: No space left on device (os error 28)\n");

    // A file system that has room for the header, and not for the session.
    let file = folder("full").join("record");
    let file = file.to_str().unwrap();
    let script = "ulimit -f 64; exec \"$@\"";
    let this = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_tautline"), "tap", "--record", file, "--"])
        .arg(this)
        .args([crate::support::AS_SERVER, "flood", "5", "3000000", "mark"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut received = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut received).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let mut hash_of_received = Hash::default();
    hash_of_received.push(&received);
    assert_eq!(hash_of_received.text(), hash(5, 3_000_000));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("tautline: the record is incomplete: cannot write "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

fn secrets_are_replaced_in_the_record_alone() {
    let file = folder("redacted").join("record");
    let path = file.to_str().unwrap();
    let arguments =
        ["tap", "--record", path, "--redact", "arguments.password", "--redact", "*token"];
    let mut run = start(&arguments, &["stderr", "secret "]);
    let secrets = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"password":"secret"}}}"#,
        r#"{"access_token":{"a":"secret"}, "password" : 1}"#,
        "not JSON, and secret",
    ];
    for secret in secrets {
        // The secret is split over two pieces, so that neither contains all of it.
        let (start, end) = secret.split_at(secret.find("cret").unwrap_or(3));
        run.write(start);
        run.write(end);
        run.write("\n");
        assert_eq!(run.read_line(), secret);
    }
    let (status, stderr) = run.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), "secret "));
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains("secret") && !text.contains("se\"") && !text.contains("base64"),
        "{text}"
    );
    let expected = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\":{\"password\":\"[redacted]\"}}}\n\
        {\"access_token\":\"[redacted]\", \"password\" : 1}\n\"[redacted]\"\n";
    let recorded = read(&file);
    assert_eq!(recorded.client.text(), hash_of(expected));
    assert_eq!(recorded.server.text(), hash_of(expected));
    assert!(recorded.others[0].contains("(arguments.password, *token)"), "{:?}", recorded.others);
}

/// Each piece becomes a separate record.
fn pieces_keep_their_bounds() {
    let file = folder("pieces").join("record");
    let mut run = start(&["tap", "--record", file.to_str().unwrap()], &["echo"]);
    for piece in ["{\"a\"", ":1}\n{", "}\n"] {
        run.write(piece);
        let mut room = vec![0; piece.len()];
        run.stdout.as_mut().unwrap().read_exact(&mut room).unwrap();
        assert_eq!(room, piece.as_bytes());
    }
    run.end();
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.split_once(",\"").unwrap().1).collect();
    assert_eq!(
        lines[1..],
        [
            r#"from":"client","text":"{\"a\""}"#,
            r#"from":"server","text":"{\"a\""}"#,
            r#"from":"client","text":":1}\n{"}"#,
            r#"from":"server","text":":1}\n{"}"#,
            r#"from":"client","text":"}\n"}"#,
            r#"from":"server","text":"}\n"}"#,
            r#"closed":"client"}"#,
            r#"closed":"server"}"#,
            r#"exit":0}"#,
        ]
    );
}

fn a_command_that_cannot_run() {
    for (program, code, words) in [
        ("/no/such/program", 127, "there is no such program"),
        ("/", 126, "Permission denied (os error 13)"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tautline"))
            .args(["tap", "--", program])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr, format!("tautline: cannot run {program}: {words}\n"));
    }
}

fn bad_usage() {
    for (arguments, code, words) in [
        (&["tap"][..], 2, "<COMMAND>..."),
        (&["tap", "--recrod", "file", "--", "true"], 2, "unexpected argument '--recrod'"),
        (&["tap", "--redact", "a", "--", "true"], 2, "--record <FILE>"),
        (
            &["tap", "--record", "/dev/null", "--redact", "a..b", "--", "true"],
            125,
            "a name is empty",
        ),
        (&["tap", "--record", "/no/such/file", "--", "true"], 125, "cannot write /no/such/file"),
        (
            &["tap", "--record", "/dev/null", "--redact", "a", "--framing", "sse", "--", "true"],
            125,
            "only messages that are lines can be redacted",
        ),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tautline"))
            .args(arguments)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// The printed settings start the server through tap, from any folder.
fn settings_are_printed_to_be_pasted() {
    for (client, group) in
        [("claude-desktop", "mcpServers"), ("vscode", "servers"), ("cursor", "mcpServers")]
    {
        let here = folder(&format!("settings-{client}"));
        let this = std::env::current_exe().unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tautline"))
            .args(["tap", "--print-config", client, "--record", "session.jsonl", "--redact", "key"])
            .arg("--")
            .arg(&this)
            .args([crate::support::AS_SERVER, "echo", "mark"])
            .current_dir(&here)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!here.join("session.jsonl").exists(), "nothing is started");
        let settings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let (_, entry) = settings[group].as_object().unwrap().iter().next().unwrap();
        assert_eq!(entry.get("type").is_some(), client == "vscode");
        let args = entry["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
        let mut child = std::process::Command::new(entry["command"].as_str().unwrap())
            .args(args)
            .current_dir("/")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"{\"key\":1}\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.stdout, b"{\"key\":1}\n");
        let record = fs::read_to_string(here.join("session.jsonl")).unwrap();
        assert!(record.contains("[redacted]") && record.contains("\"exit\":0"), "{record}");
    }
}
