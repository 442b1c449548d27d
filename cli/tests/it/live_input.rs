//! Reports on an input that stays open: each message is reported when it arrives, and not at the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// The time limit for a report, long enough for a busy machine. Without the flush, a report never arrives.
const PATIENCE: Duration = Duration::from_secs(20);

struct Run {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Run {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tautline"))
            .args(args)
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, lines }
    }

    fn write(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    /// Waits for a line that contains this text, while the input stays open.
    fn wait_for(&self, part: &str) {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(part) => return,
                Ok(_) => {}
                Err(error) => panic!("{part} is not reported while the input is open: {error}"),
            }
        }
    }

    fn end(mut self) -> Option<i32> {
        self.stdin = None;
        let mut rest = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut rest).unwrap();
        }
        self.child.wait().unwrap().code()
    }
}

#[test]
fn check_reports_each_message_when_it_arrives() {
    for (args, part) in [
        (&["check"][..], "error[id-type]"),
        (&["check", "--format", "jsonl"], "\"rule\":\"id-type\""),
        (&["check", "--format", "jsonl", "--framing", "concatenated"], "\"rule\":\"id-type\""),
    ] {
        let mut run = Run::start(args);
        for method in ["alpha", "beta"] {
            run.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"{method}\"}}\n"));
            run.wait_for(part);
        }
        assert_eq!(run.end(), Some(1), "{args:?}");
    }
}

/// A row is written for each message, with or without findings.
#[test]
fn rows_without_findings_arrive_too() {
    let mut run = Run::start(&["check", "--format", "jsonl"]);
    for id in [7, 8] {
        run.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
        run.wait_for(&format!("\"id\":\"{id}\""));
    }
    assert_eq!(run.end(), Some(0));
}

/// A frame is complete without the start of the next one.
#[test]
fn frames_of_other_framings_arrive_too() {
    for (framing, start, end) in [
        ("content-length", "Content-Length: 40\r\n\r\n", ""),
        ("sse", "data: ", "\n\n"),
        ("concatenated", "", ""),
    ] {
        let mut run = Run::start(&["check", "--format", "jsonl", "--framing", framing]);
        for id in [7, 8] {
            let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
            assert_eq!(message.len(), 40);
            run.write(&format!("{start}{message}{end}"));
            run.wait_for(&format!("\"id\":\"{id}\""));
        }
        assert_eq!(run.end(), Some(0), "{framing}");
    }
}

/// Each source of an audit, as it comes from a process that is still running, and without findings.
#[test]
fn rows_of_audits_arrive_for_each_source() {
    let message = |id: u32| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    let recorded = |id| {
        let text = message(id) + "\n";
        serde_json::json!({ "us": id, "from": "client", "text": text }).to_string() + "\n"
    };
    let marked = |id| format!(">>> {}\n", message(id));
    let header = || "{\"tautline-recording\":1}\n".to_owned();
    for (args, start, line) in [
        (&[][..], header(), &recorded as &dyn Fn(u32) -> String),
        (&["--client-mark", ">>>", "--server-mark", "<<<"], String::new(), &marked),
    ] {
        let mut run = Run::start(&[&["audit", "-", "--format", "jsonl"], args].concat());
        run.write(&start);
        for id in [7, 8] {
            run.write(&line(id));
            run.wait_for(&format!("\"id\":\"{id}\""));
        }
        run.end();
    }
}

#[test]
fn audit_reports_each_message_when_it_arrives() {
    for (args, part) in [
        (&["audit"][..], "error[id-type]"),
        (&["audit", "-"], "error[id-type]"),
        (&["audit", "--format", "jsonl", "-"], "\"rule\":\"id-type\""),
    ] {
        let mut run = Run::start(args);
        run.write("{\"tautline-recording\":1}\n");
        for method in ["alpha", "beta"] {
            let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"{method}\"}}\n");
            let record = serde_json::json!({ "from": "client", "text": message });
            run.write(&format!("{record}\n"));
            run.wait_for(part);
        }
        assert_eq!(run.end(), Some(1), "{args:?}");
    }
}

/// The reader of the report is gone, and the input stays open: the next message ends the command.
#[test]
fn a_reader_that_goes_away_ends_a_live_command() {
    for (args, start, line) in [
        (
            &["check", "--format", "jsonl"][..],
            "",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n",
        ),
        (
            &["audit", "--format", "jsonl"],
            "{\"tautline-recording\":1}\n",
            "{\"from\":\"client\",\"text\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"a\\\"}\\n\"}\n",
        ),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tautline"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        drop(child.stdout.take());
        stdin.write_all(start.as_bytes()).unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        drop(stdin);
    }
}
