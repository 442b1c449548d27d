//! Tests the server against what a serial wire does: it delivers lines in arbitrary pieces, may never end a line, and
//! passes from client to client.
//!
//! Without a command, each frame below is cut in two at every byte, and into single bytes. The server, built for the
//! host and read into as on the board, must answer the same each time. With a command, which must run the board's
//! server, it sends the frames byte by byte, then an endless line, connects one client after another, and reuses the id
//! of a call in flight.
//!
//! Usage: wire [COMMAND [ARGUMENT]...]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use embedded_io::{ErrorKind, ErrorType, Read};
use tautline::frame::FrameBuffer;
use tautline::io::embedded::MessageReader;
use tautline_embedded_example::host::Host;
use tautline_embedded_example::pausing::Pausing;
use tautline_embedded_example::server::{LONGEST_FRAME, LONGEST_REPLY, PROFILE, Server};

const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n";
const PONG: &str = "{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"result\":{}}\n";

/// Returns lines with their ends, each with a part of the expected reply, which is empty if no reply is due.
fn frames() -> Vec<(Vec<u8>, &'static str)> {
    let mut frames: Vec<(Vec<u8>, &str)> = [
        // Valid ones.
        (r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, r#""id":"a","result":{}"#),
        (r#" { "id" : -7 , "method" : "tools/list" , "jsonrpc" : "2.0" } "#, r#""id":-7,"result":{"tools":[{"#),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\u00e4\n🙂"}}}"#,
            r#""text":"\u00e4\n🙂""#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_led","arguments":{"on":true}}}"#,
            "The LED is on.",
        ),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#, ""),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, ""),
        ("", ""),
        // Not JSON, which the MCP servers ignore in silence.
        (r#"{"jsonrpc":"2.0","id":1,"meth"#, ""),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}"#, ""),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\u{1f}ng\"}", ""),
        ("\u{0}\u{7f}noise", ""),
        // Invalid envelopes.
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, r#""id":1,"error":{"code":-32600"#),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, r#"2.0","error":{"code":-32600"#),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, r#"2.0","error":{"code":-32600"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, ""),
        (r#"{"jsonrpc":"2.0","id":1}"#, r#""id":1,"error":{"code":-32600"#),
        (r#"{"jsonrpc":"2.0","method":7}"#, r#"2.0","error":{"code":-32600"#),
        ("[]", "-32600"),
        ("null", "-32600"),
        // Invalid calls.
        (r#"{"jsonrpc":"2.0","id":"b","method":"nosuch/method"}"#, r#""id":"b","error":{"code":-32601"#),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nosuch"}}"#,
            r#""id":1,"error":{"code":-32602"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample_temperature","arguments":{"count":1e999}}}"#,
            r#""isError":true"#,
        ),
    ]
    .map(|(line, reply)| (line.as_bytes().to_vec(), reply))
    .into();
    frames.push((b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xED\xA0\x80\"}".to_vec(), ""));
    // As long as a line can be, too long by one byte, and far too long; each with its id last.
    for (length, reply) in [
        (LONGEST_FRAME, r#""id":"tail","result":{}"#),
        (LONGEST_FRAME + 1, r#""id":"tail","error":{"code":-32600"#),
        (3 * LONGEST_FRAME, r#""id":"tail","error":{"code":-32600"#),
    ] {
        let (head, tail) =
            (r#"{"jsonrpc":"2.0","method":"ping","params":{"a":""#, r#""},"id":"tail"}"#);
        let filling = "x".repeat(length - head.len() - tail.len());
        frames.push((format!("{head}{filling}{tail}").into(), reply));
    }
    // Too long and without an id; too deep, with the id first.
    frames.push((vec![b'['; LONGEST_FRAME + 1], "-32600"));
    let params = [b"[".repeat(200), b"]".repeat(200)].concat();
    let mut deep = br#"{"jsonrpc":"2.0","id":"deep","method":"ping","params":"#.to_vec();
    deep.extend([&params[..], b"}"].concat());
    frames.push((deep, r#""id":"deep","error":{"code":-32600"#));

    for (number, (line, _)) in frames.iter_mut().enumerate() {
        line.extend_from_slice(if number % 2 == 0 { b"\n" } else { b"\r\n" });
    }
    frames
}

// ---- In memory ----------------------------------------------------------------------------------

/// Returns one piece at a time, and never reports that nothing has arrived.
struct Pieces<'a, I> {
    pieces: I,
    piece: &'a [u8],
}

impl<I> ErrorType for Pieces<'_, I> {
    type Error = ErrorKind;
}

impl<'a, I: Iterator<Item = &'a [u8]>> Read for Pieces<'a, I> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, ErrorKind> {
        if self.piece.is_empty() {
            let Some(piece) = self.pieces.find(|piece| !piece.is_empty()) else { return Ok(0) };
            self.piece = piece;
        }
        self.piece.read(room).map_err(|never| match never {})
    }
}

/// Returns all replies to these pieces: the loop of `main.rs`, with an end.
fn replies<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let (mut server, mut room) = (Server::new(Host::new(())), [0; LONGEST_REPLY]);
    let receiver = Pausing::new(Pieces { pieces, piece: b"" });
    let buffer = FrameBuffer::new([0; LONGEST_FRAME + 2]);
    let mut reader = MessageReader::new(receiver, buffer, &PROFILE);
    let mut sent = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(received)) => sent.extend_from_slice(server.receive(&received, &mut room)),
            Ok(None) => return String::from_utf8(sent).unwrap(),
            Err(_) => {}
        }
        sent.extend_from_slice(server.tick(&mut room));
    }
}

fn cut_everywhere() {
    let (mut cuts, mut bytes) = (0, 0);
    let frames = frames();
    for (frame, reply) in &frames {
        let stream = [HANDSHAKE.as_bytes(), frame, PING.as_bytes()].concat();
        let whole = replies([&stream[..]].into_iter());
        let own: Vec<&str> = whole.lines().skip(1).collect();
        let line = String::from_utf8_lossy(frame);
        match own[..] {
            [last] => assert!(reply.is_empty() && last == PONG.trim_end(), "{line}{whole}"),
            [own, last] => {
                assert!(
                    !reply.is_empty() && own.contains(reply) && last == PONG.trim_end(),
                    "{line}{whole}"
                );
            }
            _ => panic!("{line}{whole}"),
        }
        for cut in 1..stream.len() {
            let (head, tail) = stream.split_at(cut);
            assert_eq!(replies([head, tail].into_iter()), whole, "cut at {cut}: {line}");
        }
        assert_eq!(replies(stream.chunks(1)), whole, "in single bytes: {line}");
        cuts += stream.len();
        bytes += stream.len() * stream.len();
    }
    println!("{} frames, cut {cuts} times, {bytes} bytes: the same replies", frames.len());
}

/// A long call is answered even while a line arrives without pause.
fn end_no_line() {
    let call = call(MODERN, 5, "sample_temperature", r#""count":3"#);
    let line = [b'x'; 64];
    let lines = [call.as_bytes()].into_iter().chain(std::iter::repeat_n(&line[..], 10));
    let last = [b"\n".as_slice(), call.replace("\"id\":5", "\"id\":6").as_bytes()].concat();
    let sent = replies(lines.chain([&last[..]]));
    // A second one would be refused while the first runs.
    assert!(
        !sent.contains("isError") && sent.starts_with(r#"{"jsonrpc":"2.0","id":5,"result""#),
        "{sent}"
    );
    println!("a call that takes long, answered before a line has ended");
}

// ---- Over a wire --------------------------------------------------------------------------------

/// A started server, which does not end with its input. Nothing here may panic: that would leave it running.
struct Started {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Started {
    fn new(command: &[String]) -> Result<Self, String> {
        let child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|error| format!("{}: {error}", command[0]))?;
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line + "\n").is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, lines })
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.input.write_all(bytes).map_err(|error| error.to_string())
    }

    /// Expects this reply, and then the answer to a ping. Modern clients have no ping and get an error.
    fn expect(&mut self, what: &str, expected: &str) -> Result<(), String> {
        self.send(PING.as_bytes())?;
        let mut sent = String::new();
        while !sent.lines().any(|line| line.starts_with(r#"{"jsonrpc":"2.0","id":"last","#)) {
            match self.lines.recv_timeout(Duration::from_secs(10)) {
                Ok(line) => sent += &line,
                Err(_) => return Err(format!("{what}: no more is sent than\n{sent}")),
            }
        }
        if sent == expected {
            return Ok(());
        }
        Err(format!("{what}: sent is\n{sent}and expected was\n{expected}"))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn byte_by_byte(server: &mut Started) -> Result<(), String> {
    let frames: Vec<u8> = frames().into_iter().flat_map(|(frame, _)| frame).collect();
    let stream = [HANDSHAKE.as_bytes(), &frames].concat();
    for byte in &stream {
        server.send(&[*byte])?;
        // Long enough for the board to read each byte separately.
        std::thread::sleep(Duration::from_micros(300));
    }
    server.expect("byte by byte", &replies([&stream[..], PING.as_bytes()].into_iter()))?;
    println!("{} bytes, one by one: the same replies", stream.len());
    Ok(())
}

/// A long call is answered while an endless line arrives.
fn endless_line(server: &mut Started) -> Result<(), String> {
    let call = call(MODERN, 5, "sample_temperature", r#""count":3,"interval_ms":100"#);
    server.send(call.as_bytes())?;
    let (started, mut bytes) = (Instant::now(), 0);
    let reply = loop {
        server.send(&[b'x'; 64])?;
        bytes += 64;
        if let Ok(reply) = server.lines.try_recv() {
            break reply;
        }
        if started.elapsed().as_secs() >= 10 {
            return Err(format!("no answer while {bytes} bytes of a line came"));
        }
    };
    server.send(b"\n")?;
    if !reply.starts_with(r#"{"jsonrpc":"2.0","id":5,"result":{"content":"#) {
        return Err(reply);
    }
    println!("a call that takes long, answered while {bytes} bytes of a line came");
    Ok(())
}

/// The end of the params.
const LEGACY: &str = "";
const MODERN: &str = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

const CANCELLED: &str =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n";

fn call(meta: &str, id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{{arguments}}}{meta}}}}}"#
    ) + "\n"
}

/// Connects one client after another. Each leaves half a line, and those with a handshake leave a long call.
fn many_clients(server: &mut Started) -> Result<(), String> {
    const CLIENTS: [&str; 8] = [LEGACY, LEGACY, MODERN, MODERN, LEGACY, MODERN, LEGACY, LEGACY];
    for (number, meta) in CLIENTS.iter().enumerate() {
        let mut lines = if *meta == LEGACY { HANDSHAKE.to_string() } else { String::new() };
        lines += &call(meta, 1, "echo", r#""text":"I am new""#);
        // It would be refused if the previous client's call were still running.
        lines += &call(meta, 2, "sample_temperature", r#""count":9,"interval_ms":60000"#);
        if *meta == MODERN {
            lines += CANCELLED;
        }
        // The newline ends the previous client's half line.
        server.send(format!("\n{lines}").as_bytes())?;
        let expected = replies([lines.as_bytes(), PING.as_bytes()].into_iter());
        server.expect(&format!("client {number}"), &expected)?;
        server.send(br#"{"jsonrpc":"2.0","id":3,"method":"tools/ca"#)?;
    }
    println!("{} clients, one after the other: each as if it were the first", CLIENTS.len());
    Ok(())
}

/// While a call takes long, no error has its id: the client would treat the error as the answer to the call.
fn id_of_a_long_call(server: &mut Started) -> Result<(), String> {
    let wrong = |id: u32| {
        [
            // A request that is refused, and faults.
            r#""method":"sampling/createMessage","params":{}"#,
            r#""method":"ping","params":7"#,
            r#""method":"ping","method":"ping""#,
            "",
        ]
        .map(|rest| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{rest}}}\n").replace(",}", "}"))
        .concat()
    };
    let call = call(LEGACY, 2, "sample_temperature", r#""count":9,"interval_ms":60000"#);
    let lines = ["\n", HANDSHAKE, &call, &wrong(2), &wrong(3), CANCELLED].concat();
    server.send(lines.as_bytes())?;
    let expected = replies([lines.as_bytes(), PING.as_bytes()].into_iter());
    let errors = |id| expected.matches(&format!("\"id\":{id},\"error\"")).count();
    if (errors(2), errors(3)) != (0, 4) {
        return Err(format!("the server in Rust sends\n{expected}"));
    }
    server.expect("the id of a long call", &expected)?;
    println!("a call that takes long: no error has its id");
    Ok(())
}

fn main() -> Result<(), String> {
    let command: Vec<String> = std::env::args().skip(1).collect();
    if command.is_empty() {
        cut_everywhere();
        end_no_line();
        return Ok(());
    }
    let mut server = Started::new(&command)?;
    byte_by_byte(&mut server)?;
    endless_line(&mut server)?;
    many_clients(&mut server)?;
    id_of_a_long_call(&mut server)
}
