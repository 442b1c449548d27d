//! `tautline replay` with servers that behave as recorded, and servers that don't.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::{Test, can_end, folder, read, start, until};
use crate::volume::volume;

pub fn tests() -> Vec<Test> {
    vec![
        ("a_session_is_sent_again", a_session_is_sent_again),
        ("answers_are_waited_for", answers_are_waited_for),
        ("pauses_are_kept_if_asked", pauses_are_kept_if_asked),
        ("servers_that_do_not_play_along", servers_that_do_not_play_along),
        ("a_flood_is_judged_in_bounded_memory", a_flood_is_judged_in_bounded_memory),
        ("a_signal_ends_the_server_too", a_signal_ends_the_server_too),
        ("files_that_are_no_recording", files_that_are_no_recording),
        ("messages_are_framed_for_the_server", messages_are_framed_for_the_server),
        (
            "the_server_gets_the_framing_of_the_recording",
            the_server_gets_the_framing_of_the_recording,
        ),
        ("the_server_can_get_another_framing", the_server_can_get_another_framing),
        ("pauses_need_times", pauses_need_times),
    ]
}

const HANDSHAKE: &str = r#"{"us":1000,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n"}
{"us":2000,"from":"server","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"}
{"us":3000,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"}
"#;

/// Writes a recording with a handshake and these lines.
fn recording(name: &str, lines: &str) -> PathBuf {
    let file = folder(&format!("replay/{name}")).join("recording");
    let text = format!("{{\"tautline-recording\":1}}\n{HANDSHAKE}{lines}");
    fs::write(&file, text).unwrap();
    file
}

fn a_session_is_sent_again() {
    let lines = r#"{"us":3100,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"met"}
{"us":3200,"from":"client","text":"hod\":\"ping\"}\n"}
{"us":3300,"from":"server","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"}
{"us":3400,"closed":"client"}
{"us":3500,"exit":0}
{"tautline-recording":1}
{"us":3400,"from":"client","text":"the next session"}
"#;
    let file = recording("again", lines);
    let new = file.with_file_name("new");
    let mut run =
        start(&["replay", file.to_str().unwrap(), "--record", new.to_str().unwrap()], &["mcp"]);
    let report = run.read_to_end();
    assert!(report.contains("5 frames in 1 session"), "{report}");
    assert!(report.contains("\nnothing found\n"), "{report}");
    let (status, stderr) = run.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    let recorded = read(&new);
    assert_eq!(recorded.others, ["client closed", "server closed", "exited with status 0"]);
    let text = fs::read_to_string(&new).unwrap();
    let sent = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.split_once("\"from\":\"client\","));
        lines.map(|(_, bytes)| bytes.to_owned()).collect()
    };
    let before = fs::read_to_string(&file).unwrap();
    assert_eq!(sent(&text), sent(&before)[..4], "the pieces are those of the recording");
}

/// Even without pauses, no message is sent before the answer that it follows.
fn answers_are_waited_for() {
    let lines = r#"{"us":3100,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"slow\"}\n"}
{"us":3200,"from":"server","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"}
{"us":3300,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n"}
"#;
    // The id is used again: an error if the first request is not answered yet, and a note otherwise.
    let file = recording("order", lines);
    let mut run = start(&["replay", file.to_str().unwrap(), "--format", "json"], &["mcp"]);
    let report: serde_json::Value = serde_json::from_str(&run.read_to_end()).unwrap();
    let rules: Vec<_> =
        report["findings"].as_array().unwrap().iter().map(|one| &one["rule"]).collect();
    assert!(!rules.iter().any(|rule| *rule == "id-in-use"), "{rules:?}");
    assert_eq!(report["totals"]["frames"], 7);
    run.end();
}

fn pauses_are_kept_if_asked() {
    let lines = "{\"us\":503000,\"from\":\"client\",\"text\":\"\\n\"}\n";
    let file = recording("pauses", lines);
    let mut times = Vec::new();
    for pauses in ["none", "recorded"] {
        let begin = Instant::now();
        let run = start(&["replay", file.to_str().unwrap(), "--pauses", pauses], &["mcp"]);
        assert_eq!(run.end().0.code(), Some(0));
        times.push(begin.elapsed());
    }
    assert!(times[1] >= Duration::from_millis(500), "{times:?}");
}

fn servers_that_do_not_play_along() {
    let file = recording("others", "");
    let file = file.to_str().unwrap();
    for (server, code, words) in [
        (&["exit", "0"][..], 2, "the recording was not sent to its end: "),
        (&["exit", "4"], 2, "the recording was not sent to its end: "),
        (&["closes-output"], 2, "the server has closed its output"),
        (&["deaf"], 1, "has not sent the answer to the id 1 within TIMEOUT s"),
        (&["buffered"], 1, "the server has sent nothing until its input was closed: "),
        (&["stubborn"], 1, "the server did not exit when it was asked to, and was killed"),
        (&["launcher", "mcp"], 0, ""),
        (&["launcher", "daemon"], 1, "the server has left 1 process, which was ended"),
        (&["echo"], 1, ""),
    ] {
        if !server.iter().all(|one| can_end(one)) {
            continue;
        }
        let run = |timeout: &str| {
            let mut run = start(&["replay", file, "--timeout", timeout], server);
            let report = run.read_to_end();
            let (status, stderr) = run.end();
            let is_said = stderr.contains(&words.replace("TIMEOUT", timeout));
            let is_it = status.code() == Some(code) && is_said;
            (is_it, format!("{server:?}: {status}: {stderr}{report}"))
        };
        // The machine may be too busy for the first try.
        let (is_it, what) = Some(run("0.4")).filter(|run| run.0).unwrap_or_else(|| run("4"));
        assert!(is_it, "{what}");
    }
}

fn a_flood_is_judged_in_bounded_memory() {
    let file = recording("flood", "");
    let all = volume(12_000_000).to_string();
    let mut run = start(&["replay", file.to_str().unwrap()], &["flood", "5", &all]);
    let mut stdout = run.stdout.take().unwrap();
    let report = thread::spawn(move || std::io::read_to_string(&mut stdout).unwrap());
    // Its memory can be measured until it ends.
    while run.is_running() {
        run.measure();
        thread::sleep(Duration::from_millis(2));
    }
    let report = report.join().unwrap();
    assert!(report.contains("  error    not-json"), "{report}");
    // The program, its findings, and 1 MiB of queued pieces.
    run.assert_peak_below(32 * 1024);
    run.end();
}

fn a_signal_ends_the_server_too() {
    let file = recording("signal", "");
    let mut run = start(&["replay", file.to_str().unwrap(), "--timeout", "50"], &["stubborn"]);
    thread::sleep(Duration::from_millis(300));
    assert!(run.is_running());
    run.signal(Signal::INT);
    until("the end", || !run.is_running());
    assert_eq!(run.end().0.signal(), Some(2));
}

fn files_that_are_no_recording() {
    let file = folder("none").join("recording");
    fs::write(&file, "{\"tautline-recording\":1}\n[]\n").unwrap();
    let file = file.to_str().unwrap();
    for (path, arguments, words) in [
        ("/no/such/file", &[][..], "cannot read /no/such/file: there is no such file"),
        ("/dev/null", &[], "/dev/null: "),
        (file, &[], "line 2: this is not a record"),
        (file, &["--record", file], "is the input"),
        (file, &["--output", &format!("json={file}")], "is an input"),
    ] {
        let run = start(&[&["replay", path][..], arguments].concat(), &["mcp"]);
        let (status, stderr) = run.end();
        assert_eq!(status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// A trace has messages without delimiters. A language server expects headers.
fn messages_are_framed_for_the_server() {
    let file = folder("replay/framed").join("trace");
    // The message is on several lines.
    let trace = "[Trace - 1:02:03 PM] Sending request 'initialize - (1)'.\n\
        Params: {\n  \"processId\": null,\n  \"rootUri\": null,\n  \"capabilities\": {}\n}\n\n\n";
    fs::write(&file, trace).unwrap();
    let new = file.with_file_name("new");
    let (file, record) = (file.to_str().unwrap(), new.to_str().unwrap());
    for (arguments, framing, beginning) in [
        (&[][..], "content-length", r#""text":"Content-Length: "#),
        (&["--framing", "ndjson"], "ndjson", r#""text":"{\"jsonrpc\""#),
    ] {
        let arguments =
            [&["replay", file, "--record", record, "--timeout", "2"], arguments].concat();
        let mut run = start(&arguments, &["echo"]);
        let report = run.read_to_end();
        run.end();
        // The server sends the request back.
        assert!(report.contains("2 frames in 1 session"), "{report}");
        assert!(!report.contains("not-json") && !report.contains("header"), "{report}");
        let recorded = fs::read_to_string(&new).unwrap();
        let header = recorded.lines().next().unwrap();
        let says = format!("\"framing\":\"{framing}\"");
        assert!(header.contains(&says), "{header}");
        let sent: Vec<_> = recorded.lines().filter(|line| line.contains("\"client\"")).collect();
        assert!(sent[0].contains(beginning), "{}", sent[0]);
    }
}
const HOVER: &str = r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Replays a session with two messages of the client, and returns the report and the new recording.
fn replay_two(file: &str, arguments: &[&str], server: &str) -> (serde_json::Value, String) {
    let new = format!("{file}.new");
    let arguments =
        [&["replay", file, "--format", "json", "--record", &new, "--rules", "lsp"], arguments]
            .concat();
    let mut run = start(&arguments, &[server]);
    let report = run.read_to_end();
    let (status, stderr) = run.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{report}");
    (serde_json::from_str(&report).unwrap(), fs::read_to_string(&new).unwrap())
}

fn assert_answered(report: &serde_json::Value) {
    assert_eq!(report["totals"]["frames"], 3, "{report}");
    assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report}");
}

fn the_server_gets_the_framing_of_the_recording() {
    let folder = folder("replay/framing");
    let record = |text: String| serde_json::json!({ "from": "client", "text": text }).to_string();
    let own = folder.join("own");
    let header = "{\"tautline-recording\":1,\"framing\":\"content-length\"}";
    let (first, second) = (record(framed(HOVER)), record(framed(EXIT)));
    fs::write(&own, format!("{header}\n{first}\n{second}\n")).unwrap();
    // The log of a language client has messages without their headers.
    let trace = folder.join("trace");
    let line = |message: &str| {
        format!(
            "[LSP   - 9:14:0{} AM] {{\"isLSPMessage\":true,\"type\":\"send-request\",\"message\":{message},\
            \"timestamp\":1700000000000}}\n",
            message.len() % 10
        )
    };
    let log = line(HOVER) + &line(EXIT).replace("send-request", "send-notification");
    fs::write(&trace, log).unwrap();
    for file in [own, trace] {
        let (report, new) = replay_two(file.to_str().unwrap(), &[], "lsp");
        assert_answered(&report);
        assert!(
            new.starts_with("{\"tautline-recording\":1,\"framing\":\"content-length\""),
            "{new}"
        );
        assert!(new.contains("Content-Length: 54\\r\\n\\r\\n{"), "{new}");
    }
}

fn the_server_can_get_another_framing() {
    let folder = folder("replay/other-framing");
    for (own, wires, other, server) in [
        ("ndjson", [format!("{HOVER}\n"), format!("{EXIT}\n")], "content-length", "lsp"),
        ("content-length", [framed(HOVER), framed(EXIT)], "ndjson", "mcp"),
    ] {
        let file = folder.join(own);
        let mut text = format!("{{\"tautline-recording\":1,\"framing\":\"{own}\"}}\n");
        // A piece may end anywhere.
        let all = wires.concat();
        for piece in [&all[..30], &all[30..]] {
            text += &format!("{}\n", serde_json::json!({ "from": "client", "text": piece }));
        }
        fs::write(&file, text).unwrap();
        let (report, new) = replay_two(file.to_str().unwrap(), &["--framing", other], server);
        assert_answered(&report);
        assert!(new.contains(&format!("\"framing\":\"{other}\"")), "{new}");
    }
}

fn pauses_need_times() {
    let file = folder("replay/times").join("recording");
    let record = serde_json::json!({ "from": "client", "text": format!("{EXIT}\n") });
    fs::write(&file, format!("{{\"tautline-recording\":1}}\n{record}\n")).unwrap();
    let run = start(&["replay", file.to_str().unwrap(), "--pauses", "recorded"], &["mcp"]);
    let (status, stderr) = run.end();
    assert_eq!(status.code(), Some(2));
    assert!(
        stderr.contains("--pauses recorded has no effect: the recording has no times"),
        "{stderr}"
    );
}
