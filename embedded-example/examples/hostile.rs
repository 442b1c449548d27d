//! A hostile host: sends the server broken lines with harmless requests among them, and expects an answer to each of
//! those.
//!
//! Without a command, it talks to the protocol code built for the host, in memory. With one, such as QEMU, it starts that
//! and talks to it as well. The command must send the same lines, byte by byte, except for what a resource says about the
//! board itself.
//!
//! Usage: hostile FRAMES [COMMAND [ARGUMENT]...]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use tautline::stream::MessageStream;
use tautline_embedded_example::host::{Host, World};
use tautline_embedded_example::server::{LONGEST_FRAME, LONGEST_REPLY, PROFILE, Server};
use tautline_embedded_example::tools::Log;

/// The number of broken lines per harmless request.
const BROKEN_TO_ONE: u64 = 10;

/// Among this many broken lines, one is far over the limit, two are nested 10,000 levels deep, and one is as deep as
/// a line can be.
const RARE: u64 = 2000;

const OPENING: &str = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// Generates broken lines by number, the same every time.
struct Hostile {
    noise: u64,
}

impl Hostile {
    fn next(&mut self) -> u64 {
        // Marsaglia's xorshift, whose high bits are the better ones.
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        self.noise >> 11
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap_or_default() % end
    }

    /// Returns a broken line, without its newline.
    fn line(&mut self, number: u64) -> Vec<u8> {
        let whole: &[&[u8]] = &[
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_led","arguments":{"on":true}}}"#,
            br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"\u00e4\n"}}}"#,
            br#"{"jsonrpc":"2.0","id":-7,"method":"resources/read","params":{"uri":"board://info","_meta":{"progressToken":1}}}"#,
        ];
        let mut line = whole[self.below(whole.len())].to_vec();
        match number % RARE {
            // Over the limit by a factor of 100, with the id at the end.
            7 => {
                line = br#"{"jsonrpc":"2.0","method":"ping","params":{"a":""#.to_vec();
                line.resize(LONGEST_FRAME * 100, b'x');
                line.extend_from_slice(format!(r#""}},"id":"big-{number}"}}"#).as_bytes());
                return line;
            }
            8 => return [b"[".repeat(10_000), b"]".repeat(10_000)].concat(),
            9 => return br#"{"a":"#.repeat(10_000),
            // As deep as a frame can be.
            10 => return b"[".repeat(LONGEST_FRAME),
            _ => {}
        }
        match self.below(8) {
            // Cut off, at every byte in the long run.
            0 => line.truncate(1 + self.below(line.len() - 1)),
            // One byte changed.
            1 => {
                let at = self.below(line.len());
                line[at] = self.next().to_le_bytes()[0];
            }
            // Invalid UTF-8 in the middle of a string.
            2 => {
                let at = line.len() - 6;
                line.splice(at..at, [0xED, 0xA0, 0x80]);
            }
            // Noise.
            3 => {
                let length = 1 + self.below(200);
                line = (0..length).map(|_| self.next().to_le_bytes()[0]).collect();
            }
            // Two messages in one line.
            4 => line.extend(line.clone()),
            // Invalid envelopes.
            5 => {
                let wrong: &[&[u8]] = &[
                    br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
                    br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
                    br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
                    br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
                    br#"{"jsonrpc":"2.0","id":1}"#,
                    br"[]",
                    br"null",
                    br"7",
                ];
                line = wrong[self.below(wrong.len())].to_vec();
            }
            // Invalid params in a valid message.
            6 => {
                let wrong: &[&[u8]] = &[
                    br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"set_led","arguments":{"on":{"on":[[[[[[1]]]]]]}}}}"#,
                    br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"sample_temperature","arguments":{"count":1e999}}}"#,
                    br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"sample_temperature","arguments":{"count":4,"interval_ms":-1}}}"#,
                    br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"set_led","arguments":{"\u006fn\ud800":"\ud83d\ude00"}}}"#,
                    br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\ud800"}}}"#,
                    br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
                    br#"{"jsonrpc":"2.0","id":9,"method":"nosuch/method"}"#,
                ];
                line = wrong[self.below(wrong.len())].to_vec();
            }
            // Control characters in a string.
            _ => {
                let at = line.len() - 6;
                line.insert(at, 0x1F);
            }
        }
        // A newline would split the line in two, and a blank line is not a frame.
        line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = 0);
        if line.trim_ascii().is_empty() {
            line.push(b'!');
        }
        line
    }
}

/// Counts of what was sent and received.
#[derive(Default)]
struct Tally {
    lines: u64,
    bytes: u64,
    harmless: u64,
    answered: u64,
    /// The number of harmless requests answered wrongly or out of order.
    wrong: u64,
    /// The number of oversized requests, and of those refused with their ids.
    too_long: u64,
    refused: u64,
    replies: u64,
    /// The lines received, if they are [kept](Self::keeping).
    kept: Option<Vec<String>>,
}

impl Tally {
    /// Creates a tally that keeps the lines received.
    fn keeping() -> Self {
        Self { kept: Some(Vec::new()), ..Self::default() }
    }

    /// Counts an answer; returns the resource if the answer carries it.
    fn observe(&mut self, line: &str) -> Option<String> {
        self.replies += 1;
        if let Some(kept) = &mut self.kept {
            kept.push(without_board(line));
        }
        if line.starts_with(r#"{"jsonrpc":"2.0","id":"info","#) {
            return Some(line.to_string());
        }
        if line.starts_with(r#"{"jsonrpc":"2.0","id":"big-"#) && line.contains("-32600") {
            self.refused += 1;
        }
        if let Some(rest) = line.strip_prefix(r#"{"jsonrpc":"2.0","id":"ping-"#) {
            let expected = format!(r#"{}","result":{{}}}}"#, self.answered);
            self.wrong += u64::from(rest.trim_end() != expected);
            self.answered += 1;
        }
        None
    }
}

/// Generates all lines to send, each with its newline.
fn attack(frames: u64, tally: &mut Tally, mut send: impl FnMut(&mut Tally, &[u8])) {
    let mut hostile = Hostile { noise: 0x9E37_79B9_7F4A_7C15 };
    let mut deliver = |tally: &mut Tally, line: &[u8], lines| {
        tally.lines += lines;
        tally.bytes += line.len() as u64;
        send(tally, line);
    };
    deliver(tally, OPENING.as_bytes(), 2);
    for number in 0..frames {
        let mut line = hostile.line(number);
        line.push(b'\n');
        tally.too_long += u64::from(number % RARE == 7);
        deliver(tally, &line, 1);
        if number % BROKEN_TO_ONE == BROKEN_TO_ONE - 1 {
            let ping = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":\"ping-{}\",\"method\":\"ping\"}}\n",
                tally.harmless
            );
            tally.harmless += 1;
            deliver(tally, ping.as_bytes(), 1);
        }
    }
    let info = "{\"jsonrpc\":\"2.0\",\"id\":\"info\",\"method\":\"resources/read\",\"params\":{\"uri\":\"board://info\"}}\n";
    deliver(tally, info.as_bytes(), 1);
}

/// Returns the line without the name, the uptime and the stack of the board, which differ between boards.
fn without_board(line: &str) -> String {
    if let Some((head, info)) = line.split_once(r#"{\"board\":"#)
        && let Some((_, tail)) = info.split_once(r#"\"frames\":"#)
    {
        return format!("{head}{tail}");
    }
    line.to_string()
}

/// Returns the number of the first line that differs, with what was expected and what was received instead.
fn difference(expected: &Tally, received: &Tally) -> Option<String> {
    let (expected, received) = (expected.kept.as_ref()?, received.kept.as_ref()?);
    let count = expected.len().max(received.len());
    let at = (0..count).find(|at| expected.get(*at) != received.get(*at))?;
    Some(format!("line {}: {:?} instead of {:?}", at + 1, received.get(at), expected.get(at)))
}

/// Returns the figure of this name in the resource.
fn figure(info: &str, name: &str) -> Option<u64> {
    let (_, behind) = info.split_once(&format!("\\\"{name}\\\":"))?;
    behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Talks over pipes, with a thread that writes and one that reads.
fn over_pipes(frames: u64, command: &[String]) -> (Tally, Option<String>) {
    let mut server = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command can't be started");
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let server = Arc::new(Mutex::new(server));
    // QEMU does not end when its input does. A panic aborts in this package, so it drops nothing.
    let (report, left_behind) = (std::panic::take_hook(), Arc::clone(&server));
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        end(&left_behind);
    }));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    let writer = std::thread::spawn(move || {
        let mut sent = Tally::default();
        let mut pending = Vec::new();
        let mut pieces = 0;
        attack(frames, &mut sent, |_, line| {
            // Each write ends in the middle of a line, after ever more bytes.
            pending.extend_from_slice(line);
            pieces = (pieces + 1) % 977;
            while pending.len() > pieces {
                let rest = pending.split_off(pieces + 1);
                // The missing answers reveal a server that has died.
                let _ = input.write_all(&pending);
                pending = rest;
            }
        });
        let _ = input.write_all(&pending);
        (sent, input)
    });
    let mut tally = Tally::keeping();
    let mut info = None;
    while info.is_none() {
        let Ok(line) = receiver.recv_timeout(Duration::from_secs(30)) else { break };
        info = tally.observe(&line);
    }
    // The writer may be blocked on a pipe that the server no longer reads.
    end(&server);
    let (sent, _input) = writer.join().unwrap();
    let Tally { answered, wrong, refused, replies, kept, .. } = tally;
    (Tally { answered, wrong, refused, replies, kept, ..sent }, info)
}

fn end(server: &Mutex<Child>) {
    let mut server = server.lock().unwrap();
    let _ = server.kill();
    let _ = server.wait();
}

/// Talks in memory, with each line cut in two somewhere.
fn in_memory(frames: u64, mut tally: Tally) -> (Tally, Option<String>) {
    let host = Host::new(Lines(0));
    let (mut server, mut room) = (Server::new(host), [0; LONGEST_REPLY]);
    let mut stream = MessageStream::new([0; LONGEST_FRAME], &PROFILE);
    let (mut info, mut cut) = (None, 0);
    attack(frames, &mut tally, |tally, lines| {
        cut += 1;
        let (head, tail) = lines.split_at(cut % lines.len());
        for mut chunk in [head, tail] {
            while let Some(received) = stream.next(&mut chunk) {
                let reply = server.receive(&received, &mut room);
                std::str::from_utf8(reply).unwrap().lines().for_each(|line| {
                    info = tally.observe(line).or(info.take());
                });
            }
        }
        std::str::from_utf8(server.tick(&mut room)).unwrap().lines().for_each(|line| {
            tally.observe(line);
        });
    });
    (tally, info)
}

/// A clock that advances with each line of the log.
struct Lines(u32);

impl World for Lines {
    fn milliseconds(&self) -> u32 {
        self.0
    }

    fn log(&mut self, _: Log<'_>) {
        self.0 = self.0.wrapping_add(1);
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(frames) = arguments.first().and_then(|frames| frames.parse().ok()) else {
        eprintln!("Usage: hostile FRAMES [COMMAND [ARGUMENT]...]");
        return ExitCode::from(2);
    };
    let started = Instant::now();
    let command = &arguments[1..];
    let (tally, info) = if command.is_empty() {
        in_memory(frames, Tally::default())
    } else {
        over_pipes(frames, command)
    };
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{frames} broken lines, {} bytes in {seconds:.1} s; {} of {} harmless requests answered, {} wrongly; {} replies",
        tally.bytes, tally.answered, tally.harmless, tally.wrong, tally.replies,
    );
    let Some(info) = info else {
        println!("hostile: the resource was not given");
        return ExitCode::FAILURE;
    };
    let count = |name| figure(&info, name).unwrap_or(u64::MAX);
    let (messages, faults, oversized) = (count("messages"), count("faults"), count("oversized"));
    println!("{messages} messages, {faults} faults, {oversized} oversized; {} sent", count("sent"));
    println!(
        "{} of {} requests over the limit refused by their ids",
        tally.refused, tally.too_long
    );
    if let Some(bytes) = figure(&info, "stackBytes") {
        println!("{bytes} bytes of stack");
    }
    // A board that was reset would have restarted its counters.
    let all_well = tally.answered == tally.harmless
        && tally.wrong == 0
        && tally.refused == tally.too_long
        && count("frames") == tally.lines
        && messages + faults + oversized == tally.lines
        // The resource was composed before it was counted as sent.
        && count("sent") + 1 == tally.replies;
    if !all_well {
        println!("hostile: the counters do not add up: {} lines were sent", tally.lines);
        return ExitCode::FAILURE;
    }
    if !command.is_empty() {
        if let Some(difference) = difference(&in_memory(frames, Tally::keeping()).0, &tally) {
            println!("hostile: {difference}");
            return ExitCode::FAILURE;
        }
        println!("{} replies, the same as in memory", tally.replies);
    }
    ExitCode::SUCCESS
}
