//! A session with a server, from the first request to the end of the process.

use std::io::{Read, Write};
use std::process::{self, Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tautline::encode::{Encoder, NewError};
use tautline::frame::{Frame, HeapBuffer};
use tautline::stream::{MessageStream, Received};
use tautline::{ErrorCode, Id, Message};
use tautline_mcp::Revision;

use crate::defects::{Act, Defect, Memory, Stage};

/// The limit on messages, in bytes.
const LONGEST_MESSAGE: u32 = 16 << 20;
/// The maximum time for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Session {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    stream: MessageStream,
    defect: Option<&'static Defect>,
    memory: Memory,
    last_id: u32,
    /// True if the last request has no answer yet.
    is_waiting: bool,
    is_modern: bool,
}

/// The result of waiting for an answer.
type Answer = Result<Value, String>;

impl Session {
    pub fn start(
        program: &str,
        arguments: &[String],
        defect: Option<&'static Defect>,
    ) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server =
            command.spawn().map_err(|error| format!("cannot start {program}: {error}"))?;
        let input = server.stdin.take();
        let output = reads(server.stdout.take().ok_or("no output")?);
        let stream =
            MessageStream::new(HeapBuffer::new(LONGEST_MESSAGE), &Revision::LATEST.profile());
        let memory = Memory::default();
        Ok(Self {
            server,
            input,
            output,
            stream,
            defect,
            memory,
            last_id: 0,
            is_waiting: false,
            is_modern: true,
        })
    }

    pub fn run(mut self) -> Result<(), String> {
        self.agree()?;
        let tools = self.call("tools/list", json!({}))?;
        let tools =
            tools["tools"].as_array().ok_or_else(|| self.invalid("the tools are no list"))?;
        let name = tools.first().and_then(|tool| tool["name"].as_str()).unwrap_or("echo");
        let result = self.call("tools/call", json!({"name": name, "arguments": {}}))?;
        if result["isError"] == true {
            self.apply(Stage::Failed, b"");
            return Err("the tool has failed".to_owned());
        }
        self.close()
    }

    /// Agrees on a revision with the server: by `server/discover`, or otherwise by a handshake.
    fn agree(&mut self) -> Result<(), String> {
        let latest = Revision::V2026_07_28.name();
        match self.call("server/discover", json!({})) {
            Ok(result)
                if result["supportedVersions"]
                    .as_array()
                    .is_some_and(|all| all.contains(&latest.into())) =>
            {
                return Ok(());
            }
            Err(why) if !why.starts_with("error ") => return Err(why),
            _ => {}
        }
        self.is_modern = false;
        let params = json!({
            "protocolVersion": Revision::V2025_11_25.name(),
            "capabilities": {},
            "clientInfo": {"name": "broken-client", "version": "1"},
        });
        let result = self.call("initialize", params)?;
        let revision: Option<Revision> =
            result["protocolVersion"].as_str().and_then(|name| name.parse().ok());
        let Some(revision) = revision else {
            self.apply(Stage::Version, b"");
            return Err("the server has chosen a version that is not known".to_owned());
        };
        self.stream.set_profile(&revision.profile());
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        Ok(())
    }

    /// Closes the input of the server, and waits for its end.
    fn close(mut self) -> Result<(), String> {
        self.apply(Stage::Exit, b"");
        drop(self.input.take());
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if self.server.try_wait().is_ok_and(|status| status.is_some()) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(10));
        }
        // A server that keeps running has still answered every request.
        self.server.kill().map_err(|error| error.to_string())
    }

    fn call(&mut self, method: &str, mut params: Value) -> Answer {
        self.last_id += 1;
        self.is_waiting = true;
        if self.is_modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.name(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let request =
            json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.write(format!("{request}\n").as_bytes());
        let deadline = Instant::now() + self.memory.patience.unwrap_or(PATIENCE);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let chunk = match self.output.recv_timeout(left) {
                Ok(chunk) => self.apply(Stage::Read, &chunk),
                Err(RecvTimeoutError::Timeout) => return Err("no answer in time".to_owned()),
                Err(RecvTimeoutError::Disconnected) => {
                    self.apply(Stage::End, b"");
                    return Err("the server has closed its output".to_owned());
                }
            };
            if let Some(answer) = self.take(&chunk.unwrap_or_default()) {
                return answer;
            }
        }
    }

    /// Looks for the answer to the last request, and drops other messages.
    fn take(&mut self, chunk: &[u8]) -> Option<Answer> {
        let mut found = None;
        for line in chunk.split_inclusive(|&byte| byte == b'\n') {
            let mut rest = line;
            let mut lines = Vec::new();
            while let Some(received) = self.stream.next(&mut rest) {
                lines.push(match received {
                    Received::Message { frame, .. } | Received::Fault { frame, .. } => {
                        frame.bytes().to_vec()
                    }
                    _ => Vec::new(),
                });
            }
            for line in lines.into_iter().filter(|line| !line.is_empty()) {
                let line = self.apply(Stage::Line, &line).unwrap_or_default();
                let answer = self.read(&line);
                found = found.or(answer);
            }
        }
        found
    }

    fn read(&mut self, line: &[u8]) -> Option<Answer> {
        let expected = self.last_id.to_string();
        match Message::parse(Frame::from_line(line), self.stream.profile()) {
            Ok(Message::Response(response)) => {
                let has_id = response.id().is_some_and(|id| id.to_string() == expected);
                let is_mine = has_id && std::mem::take(&mut self.is_waiting);
                self.apply(if is_mine { Stage::Response } else { Stage::Stray }, line);
                let value: Value = serde_json::from_slice(line).ok().filter(|_| is_mine)?;
                let error = value.get("error").map(|error| Err(format!("error {error}")));
                Some(error.unwrap_or_else(|| Ok(value["result"].clone())))
            }
            Ok(Message::Request(request)) => {
                self.apply(Stage::Request, line);
                if !self.is_modern {
                    self.refuse(request.id());
                }
                None
            }
            Ok(_) => None,
            // A broken answer is an answer.
            Err(fault) if fault.id().is_some_and(|id| id.to_string() == expected) => {
                Some(Err(self.invalid(&fault.to_string())))
            }
            Err(_) => None,
        }
    }

    fn refuse(&mut self, id: Id<'_>) {
        let mut lines = Encoder::new(Vec::new());
        let error = NewError::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");
        if lines.error(id, error).is_ok() {
            let line = lines.output().clone();
            self.write(&line);
        }
    }

    /// Returns the report of an answer that is not valid.
    fn invalid(&mut self, why: &str) -> String {
        self.apply(Stage::Invalid, b"");
        format!("the answer is not valid: {why}")
    }

    /// Writes to the server. Errors are ignored: if the server no longer reads, its output ends too.
    fn write(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes);
        }
    }

    /// Lets the defect act at this stage, and returns the bytes that are passed on.
    fn apply(&mut self, stage: Stage, bytes: &[u8]) -> Option<Vec<u8>> {
        let act = match self.defect {
            Some(defect) if defect.stage == stage => (defect.does)(bytes, &mut self.memory),
            _ => Act::Go(bytes.to_vec()),
        };
        match act {
            Act::Go(bytes) => Some(bytes),
            Act::Lose => None,
            Act::Die => {
                let _ = self.server.kill();
                process::exit(1);
            }
            Act::Hang => loop {
                thread::sleep(Duration::from_secs(1));
            },
        }
    }
}

/// Reads in a thread, so that waiting can time out.
fn reads(mut output: ChildStdout) -> Receiver<Vec<u8>> {
    let (chunks, received) = mpsc::channel();
    thread::spawn(move || {
        let mut room = vec![0; 1 << 16];
        while let Ok(length @ 1..) = output.read(&mut room) {
            if chunks.send(room[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    received
}
