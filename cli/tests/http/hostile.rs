//! Servers that send too much, too little or too slowly: the probe ends in bounded time and memory.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The bytes that a server sends in answer to a case: first some once, and then others again and again.
#[derive(Clone, Copy)]
struct Flood {
    name: &'static str,
    once: &'static str,
    again: &'static str,
    pause: Duration,
    /// The result and the fault.
    row: (&'static str, &'static str),
}

const NONE: Duration = Duration::ZERO;
const SLOW: Duration = Duration::from_millis(50);
const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

const FLOODS: &[Flood] = &[
    Flood {
        name: "headers",
        once: "HTTP/1.1 200 OK\r\n",
        again: "X: y\r\n",
        pause: NONE,
        row: ("wrong", "not HTTP"),
    },
    Flood {
        name: "a header",
        once: "HTTP/1.1 200 OK\r\nX: ",
        again: "yyyyyyyy",
        pause: NONE,
        row: ("wrong", "not HTTP"),
    },
    Flood { name: "no HTTP", once: "", again: "hello\n", pause: NONE, row: ("wrong", "not HTTP") },
    Flood {
        name: "interim responses",
        once: "",
        again: "HTTP/1.1 100 Continue\r\n\r\n",
        pause: NONE,
        row: ("wrong", "silence"),
    },
    Flood {
        name: "responses",
        once: "",
        again: "HTTP/1.1 204 No Content\r\n\r\n",
        pause: NONE,
        row: ("wrong", "not HTTP"),
    },
    Flood {
        name: "a body",
        once: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
        again: "[[[[[[[[",
        pause: NONE,
        row: ("wrong", "wrong answer"),
    },
    Flood {
        name: "events",
        once: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
        again: "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n",
        pause: NONE,
        row: ("wrong", "wrong answer"),
    },
    Flood {
        name: "an event",
        once: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
        again: "data: x\n",
        pause: NONE,
        row: ("wrong", "wrong answer"),
    },
    Flood {
        name: "a chunk",
        once: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n",
        again: "xxxxxxxx",
        pause: NONE,
        row: ("wrong", "wrong answer"),
    },
    Flood {
        name: "a trailer",
        once: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        again: "x",
        pause: NONE,
        row: ("wrong", "not HTTP"),
    },
    Flood {
        name: "a slow head",
        once: "HTTP/1.1 200 OK\r\n",
        again: "x",
        pause: SLOW,
        row: ("wrong", "silence"),
    },
    Flood {
        name: "a slow body",
        once: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
        again: " ",
        pause: SLOW,
        row: ("wrong", "wrong answer"),
    },
];

/// Starts a server that answers all requests but those of cases, whose ids are numbers.
fn start(flood: Flood) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // The probe goes away in the middle.
            thread::spawn(move || drop(serve(socket, flood)));
        }
    });
    port
}

fn serve(mut socket: TcpStream, flood: Flood) -> std::io::Result<()> {
    let (mut received, mut room) = (Vec::new(), [0; 4096]);
    let id = loop {
        let length = socket.read(&mut room)?;
        if length == 0 {
            return Ok(());
        }
        received.extend_from_slice(&room[..length]);
        let body = received.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
        let message = body.and_then(|at| serde_json::from_slice::<Value>(&received[at..]).ok());
        if let Some(message) = message {
            break message["id"].clone();
        }
    };
    if id.is_string() {
        let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}, "resultType": "complete"});
        let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        return write!(socket, "{JSON}Content-Length: {}\r\n\r\n{body}", body.len());
    }
    socket.write_all(flood.once.as_bytes())?;
    let times = if flood.pause.is_zero() { 65_536 / flood.again.len() } else { 1 };
    let again = flood.again.repeat(times);
    loop {
        socket.write_all(again.as_bytes())?;
        thread::sleep(flood.pause);
    }
}

/// Returns the peak of the memory of a process so far, in KB.
fn peak(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

#[test]
fn a_flood_is_read_in_bounded_time_and_memory() {
    for flood in FLOODS {
        let url = format!("http://127.0.0.1:{}/mcp", start(*flood));
        let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
        command.args([
            "probe",
            "--url",
            &url,
            "--rules",
            "2026-07-28",
            "--case",
            "http-modern-post",
        ]);
        command.args(["--timeout", "1", "--format", "json"]).stdin(Stdio::null());
        let (begun, mut most) = (Instant::now(), 0);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let report = thread::spawn(move || {
            let mut report = Vec::new();
            stdout.read_to_end(&mut report).unwrap();
            report
        });
        while child.try_wait().unwrap().is_none() {
            most = most.max(peak(child.id()));
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", flood.name);
            thread::sleep(Duration::from_millis(5));
        }
        let document: Value = serde_json::from_slice(&report.join().unwrap()).unwrap();
        let row = &document["cases"][0];
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        assert_eq!((text("result"), text("fault")), flood.row, "{}: {}", flood.name, row["reason"]);
        // The program, and twice the longest body that is kept.
        assert!(most < 60_000, "{}: {most} KB", flood.name);
    }
}
