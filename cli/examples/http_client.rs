//! A small client over Streamable HTTP: it lists the tools of the server at the address in its last argument, and exits
//! with 0 if it gets them. `--defect NAME` makes it err, for the tests of `tautline probe --client --http`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tautline::frame::{Assembler, FrameEvent, HeapBuffer, ServerSentEvents};

/// The maximum length of a head and of a body, in bytes.
const LONGEST: usize = 16 << 20;

/// The defects that it knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Only the first event of a stream is read.
    ReadsOneEvent,
    /// Without an answer, it waits for ever.
    WaitsForEver,
    /// The status makes no difference, and neither does the kind of an answer.
    IgnoresErrors,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let defect = match arguments.iter().position(|argument| argument == "--defect") {
        Some(at) => match arguments[at + 1].as_str() {
            "reads-one-event" => Defect::ReadsOneEvent,
            "waits-for-ever" => Defect::WaitsForEver,
            "ignores-errors" => Defect::IgnoresErrors,
            other => panic!("there is no defect {other}"),
        },
        None => Defect::None,
    };
    let url = arguments.last().and_then(|url| url.strip_prefix("http://")).expect("an address");
    let (authority, _) = url.split_once('/').expect("a path");
    match list(&Client { authority, defect }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            if defect == Defect::WaitsForEver {
                thread::sleep(Duration::from_secs(3600));
            }
            ExitCode::FAILURE
        }
    }
}

/// Finds out the era, and lists the tools.
fn list(client: &Client<'_>) -> Result<(), String> {
    let meta = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "small", "version": "1"},
    }});
    let modern =
        |method: &str| format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
    if client.ask("server/discover", &meta, &modern("server/discover")).is_ok() {
        return client.ask("tools/list", &meta, &modern("tools/list")).map(drop);
    }
    let opening = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "small", "version": "1"}});
    let (result, session) = client.ask("initialize", &opening, "")?;
    let version = result["protocolVersion"].as_str().unwrap_or_default();
    let headers = format!("MCP-Protocol-Version: {version}\r\nMcp-Session-Id: {session}\r\n");
    client.ask("tools/list", &json!({}), &headers).map(drop)
}

struct Client<'a> {
    authority: &'a str,
    defect: Defect,
}

impl Client<'_> {
    /// Sends a request, and returns its result with the session id of the response.
    fn ask(&self, method: &str, params: &Value, headers: &str) -> Result<(Value, String), String> {
        let body =
            json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).to_string();
        let (authority, length) = (self.authority, body.len());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let mut socket = TcpStream::connect(authority).map_err(|error| error.to_string())?;
        socket.set_read_timeout(Some(Duration::from_secs(3))).map_err(|error| error.to_string())?;
        socket.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        socket.take(LONGEST as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        let (status, headers, body) = response(&bytes)?;
        let header = |name: &str| {
            let line = headers.iter().find(|(other, _)| other == name);
            line.map_or_else(String::new, |(_, value)| value.clone())
        };
        if status != 200 && self.defect != Defect::IgnoresErrors {
            return Err(format!("the status is {status}"));
        }
        let kind =
            header("content-type").split(';').next().unwrap_or_default().trim().to_lowercase();
        let messages = match kind.as_str() {
            "application/json" => vec![body],
            "text/event-stream" => events(&body),
            _ if self.defect == Defect::IgnoresErrors => return Ok((Value::Null, String::new())),
            other => return Err(format!("the body is `{other}`")),
        };
        let most = if self.defect == Defect::ReadsOneEvent { 1 } else { usize::MAX };
        for message in messages.iter().filter(|message| !message.is_empty()).take(most) {
            let Ok(mut message) = serde_json::from_slice::<Value>(message) else { continue };
            if message["id"] == method && message.get("result").is_some() {
                return Ok((message["result"].take(), header("mcp-session-id")));
            }
            if message["id"] == method {
                return Err(format!("the error is {}", message["error"]));
            }
        }
        Err("there is no answer".to_owned())
    }
}

type Response = (u16, Vec<(String, String)>, Vec<u8>);

/// Reads a response, after any that precede it.
fn response(mut bytes: &[u8]) -> Result<Response, String> {
    loop {
        let mut lines = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Response::new(&mut lines);
        let parsed = head.parse(bytes).map_err(|error| error.to_string())?;
        let httparse::Status::Complete(end) = parsed else {
            return Err("the head is cut".to_owned());
        };
        bytes = &bytes[end..];
        let status = head.code.unwrap_or_default();
        if status < 200 {
            continue;
        }
        let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
        let headers = head.headers.iter().map(|line| (line.name.to_lowercase(), text(line.value)));
        let headers: Vec<_> = headers.collect();
        let value =
            |name: &str| headers.iter().find(|(other, _)| other == name).map(|(_, value)| value);
        if value("transfer-encoding").is_some() {
            let body = dechunked(bytes)?;
            return Ok((status, headers, body));
        }
        let body = match value("content-length").map(|length| length.parse::<usize>()) {
            None => bytes,
            Some(Ok(length)) => bytes.get(..length).ok_or("the body is cut")?,
            Some(Err(error)) => return Err(error.to_string()),
        };
        let body = body.to_vec();
        return Ok((status, headers, body));
    }
}

fn dechunked(mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        let Ok(httparse::Status::Complete((at, size))) = httparse::parse_chunk_size(bytes) else {
            return Err("a chunk is malformed".to_owned());
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let data = bytes[at..].get(..size).ok_or("a chunk is cut")?;
        if size == 0 {
            return Ok(body);
        }
        body.extend_from_slice(data);
        bytes = bytes[at + size..].strip_prefix(b"\r\n").ok_or("a chunk has no end")?;
    }
}

/// Returns the data of each event.
fn events(mut body: &[u8]) -> Vec<Vec<u8>> {
    let limit = LONGEST as u32;
    let framing = ServerSentEvents::new(limit);
    let mut assembler = Assembler::with_framing(HeapBuffer::new(limit), framing);
    let mut events = Vec::new();
    while let Some(event) = assembler.next(&mut body) {
        if let FrameEvent::Frame(frame) = event {
            events.push(frame.bytes().to_vec());
        }
    }
    events
}
