//! Servers that behave well, and servers that don't.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::process::{Command, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process, setsid};
use rustix::stdio::dup2_stdout;
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::garbage::{Garbage, Hash};
use crate::support::AS_SERVER;

/// Plays a server. The arguments are its name, its own arguments, and a mark by which the process can be found.
pub fn play(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["mcp", _] => mcp(),
        ["buffered", _] => buffered(),
        ["lsp", _] => lsp(),
        ["echo", _] => echo(),
        ["hash", seed, length, _] => hash(seed.parse().unwrap(), length.parse().unwrap()),
        ["flood", seed, length, _] => flood(seed.parse().unwrap(), length.parse().unwrap()),
        ["talk", lines, _] => talk(lines.parse().unwrap()),
        ["exit", code, _] => exit(code.parse().unwrap()),
        ["die", signal, _] => die(signal),
        ["deaf", _] => deaf(),
        ["closes-output", _] => closes_output(),
        ["closes-input", _] => closes_input(),
        ["stubborn", _] => stubborn(),
        ["tells-signals", _] => tells_signals(),
        ["launcher", server, mark] => launcher(server, mark),
        ["daemon", _] => daemon(),
        ["stderr", text, _] => {
            eprint!("{text}");
            echo();
        }
        _ => panic!("{arguments:?}"),
    }
}

/// Answers requests with an empty result, and MCP's handshake.
fn mcp() {
    answer(&mut io::stdout());
}

/// Does the same, but writes its answers when its input ends.
fn buffered() {
    let mut answers = Vec::new();
    answer(&mut answers);
    io::stdout().write_all(&answers).unwrap();
}

fn answer(output: &mut impl Write) {
    for line in io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        let Some(id) = request.get("id") else { continue };
        let result = match request["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "serverInfo": { "name": "test", "version": "1" },
            }),
            // A client must wait for this answer.
            Some("slow") => {
                thread::sleep(Duration::from_millis(300));
                json!({})
            }
            _ => json!({}),
        };
        writeln!(output, "{}", json!({ "jsonrpc": "2.0", "id": id, "result": result })).unwrap();
    }
}

/// Answers requests with an empty result, in frames with headers. Gives up at anything else.
fn lsp() {
    let mut input = io::stdin().lock();
    loop {
        let mut length = None;
        loop {
            let mut header = String::new();
            if input.read_line(&mut header).unwrap() == 0 {
                return;
            }
            match header.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = Some(value.parse::<usize>().unwrap()),
                Some(_) => {}
                None if header == "\r\n" => break,
                None => exit(8),
            }
        }
        let mut body = vec![0; length.unwrap_or_else(|| exit(8))];
        input.read_exact(&mut body).unwrap();
        let request: Value = serde_json::from_slice(&body).unwrap();
        if let Some(id) = request.get("id") {
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": null }).to_string();
            print!("Content-Length: {}\r\n\r\n{answer}", answer.len());
            io::stdout().flush().unwrap();
        }
    }
}

fn echo() {
    let _ = io::copy(&mut io::stdin(), &mut raw_stdout());
}

/// Standard output without a buffer.
fn raw_stdout() -> File {
    rustix::stdio::stdout().try_clone_to_owned().unwrap().into()
}

/// Reads all of its input and writes garbage at the same time. Then writes the hash of the input to standard error.
fn hash(seed: u64, length: usize) {
    let reader = thread::spawn(|| {
        let (mut hash, mut room) = (Hash::default(), vec![0; 64 * 1024]);
        let mut input = io::stdin();
        while let Ok(read @ 1..) = input.read(&mut room) {
            hash.push(&room[..read]);
        }
        hash.text()
    });
    flood(seed, length);
    eprintln!("{}", reader.join().unwrap());
}

fn flood(seed: u64, length: usize) {
    let mut output = raw_stdout();
    for piece in Garbage::new(seed, length) {
        if output.write_all(&piece).is_err() {
            exit(9);
        }
    }
}

/// Writes this many notifications.
fn talk(lines: usize) {
    let mut output = io::BufWriter::new(io::stdout());
    let line = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": 1 }});
    for _ in 0..lines {
        writeln!(output, "{line}").unwrap();
    }
    output.flush().unwrap();
    echo();
}

fn die(signal: &str) {
    let signals = [("KILL", Signal::KILL), ("TERM", Signal::TERM), ("ABORT", Signal::ABORT)];
    let (_, signal) = signals.into_iter().find(|(name, _)| *name == signal).unwrap();
    kill_process(getpid(), signal).unwrap();
    sleep();
}

/// Reads nothing, and does not react to the end of its input. A signal ends it.
fn deaf() {
    println!("ready");
    sleep();
}

fn sleep() {
    loop {
        thread::sleep(Duration::from_secs(100));
    }
}

fn closes_output() {
    dup2_stdout(File::options().write(true).open("/dev/null").unwrap()).unwrap();
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input).unwrap();
    eprint!("{}", String::from_utf8(input).unwrap());
    exit(5);
}

fn closes_input() {
    rustix::stdio::dup2_stdin(File::open("/dev/null").unwrap()).unwrap();
    println!("closed");
    thread::sleep(Duration::from_secs(1));
    exit(6);
}

fn stubborn() {
    let is_told = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, is_told.clone()).unwrap();
    println!("ready");
    while !is_told.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(5));
    }
    println!("no");
    sleep();
}

fn tells_signals() {
    let watched = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
    let mut signals = signal_hook::iterator::Signals::new(watched).unwrap();
    println!("ready");
    for signal in signals.forever() {
        println!("{signal}");
        if signal == SIGTERM {
            exit(40);
        }
    }
}

/// Starts another server, which inherits its pipes, and exits at once.
fn launcher(server: &str, mark: &str) {
    let this = std::env::current_exe().unwrap();
    Command::new(this).args([AS_SERVER, server, mark]).stdin(Stdio::inherit()).spawn().unwrap();
    exit(3);
}

/// Leaves its parent and its group, ignores signals, and keeps its pipes.
fn daemon() {
    setsid().unwrap();
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::default()).unwrap();
    }
    println!("daemon");
    sleep();
}
