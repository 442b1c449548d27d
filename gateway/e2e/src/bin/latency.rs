//! Measures the latency of a request through Envoy, and Envoy's CPU time for it: without a filter, with Envoy's own filter
//! for MCP at its strictest, and with both modules. All Envoys run at the same time, and each round asks them in turn.
//!
//! ```sh
//! ENVOY=… cargo run --release --bin latency -- MODULE-FOR-SIZE MODULE-FOR-SPEED [ROUNDS]
//! ```
//!
//! Prints two tables in Markdown: requests of several lengths with a short response, and short requests with long
//! responses. `RUNTIMES` may name more WebAssembly runtimes than `v8`; they run the module for size.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::runtimes;

/// The lengths of bodies in bytes, and the number of requests in a batch.
const REQUESTS: [(usize, u32); 4] = [(300, 400), (10 << 10, 300), (100 << 10, 100), (4 << 20, 8)];
const RESPONSES: [(usize, u32); 3] = [(300, 400), (100 << 10, 100), (4 << 20, 8)];

/// Above the longest body, and below what Envoy buffers.
const LIMIT: u32 = 6 << 20;
const BUFFER: u32 = 8 << 20;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// An Envoy, and what the table calls it.
type Named = (String, Envoy);

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [small, fast, rest @ ..] = &arguments[..] else {
        return Err("usage: latency MODULE-FOR-SIZE MODULE-FOR-SPEED [ROUNDS]".into());
    };
    let rounds: usize = rest.first().map_or(Ok(9), |rounds| rounds.parse())?;
    let upstream = upstream()?;
    let start = async |name: String, filter, module: Option<&String>| {
        let mut config = Config::new(filter, upstream);
        config.buffer = Some(BUFFER);
        config.limit = usize::try_from(LIMIT).expect("a length");
        config.module = module.map(PathBuf::from);
        (name, Envoy::start(&config).await)
    };
    let tautline = |runtime: &str, responses: &str| {
        let limits = json!({ "request": LIMIT, "response": LIMIT, "buffer": BUFFER });
        Filter::tautline(runtime, &json!({ "responses": responses, "limits": limits }))
    };

    let mut envoys = vec![
        start("none".into(), Filter::None, None).await,
        start("Envoy's filter".into(), Filter::Mcp, None).await,
    ];
    for (name, module) in [("for size", small), ("for speed", fast)] {
        envoys.push(start(name.into(), tautline("v8", "report"), Some(module)).await);
    }
    for runtime in runtimes().iter().filter(|runtime| *runtime != "v8") {
        let name = format!("for size, in {runtime}");
        envoys.push(start(name, tautline(runtime, "report"), Some(small)).await);
    }
    for (name, envoy) in &envoys {
        println!("{name}: {}", refusals(envoy)?);
    }
    table(
        "request",
        1,
        &envoys,
        rounds,
        &REQUESTS.map(|(size, count)| (exchange(size, 0), count)),
    )?;

    envoys.truncate(1);
    for (name, module) in [("for size", small), ("for speed", fast)] {
        for mode in ["report", "enforce"] {
            envoys.push(start(format!("{name}, {mode}"), tautline("v8", mode), Some(module)).await);
        }
    }
    table(
        "response",
        0,
        &envoys,
        rounds,
        &RESPONSES.map(|(size, count)| (exchange(0, size), count)),
    )
}

/// Measures all exchanges with all Envoys and prints a table, in which all times are also divided by those of one Envoy.
fn table(
    subject: &str,
    unit: usize,
    envoys: &[Named],
    rounds: usize,
    exchanges: &[(Exchange, u32)],
) -> Outcome<()> {
    println!("\n| {subject} | filter | µs | relative | Envoy's CPU, µs | relative |");
    println!("|--:|---|--:|--:|--:|--:|");
    for (exchange, count) in exchanges {
        let mut taken = vec![Vec::new(); envoys.len()];
        for round in 0..=rounds {
            for (times, (_, envoy)) in taken.iter_mut().zip(envoys) {
                let measured = batch(envoy, exchange, *count)?;
                // The first round warms up.
                if round > 0 {
                    times.push(measured);
                }
            }
        }
        let medians: Vec<[f64; 2]> = taken
            .into_iter()
            .map(|times| [0, 1].map(|at| median(times.iter().map(|both| both[at]))))
            .collect();
        let units = medians[unit];
        for ((name, _), [time, cpu]) in envoys.iter().zip(&medians) {
            let [by_time, by_cpu] = [time / units[0], cpu / units[1]];
            let size = exchange.size;
            println!("| {size} | {name} | {time:.0} | {by_time:.2} | {cpu:.0} | {by_cpu:.2} |");
        }
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the time of a request and Envoy's CPU time for it, in microseconds: means of a batch on one connection.
fn batch(envoy: &Envoy, exchange: &Exchange, count: u32) -> Outcome<[f64; 2]> {
    let mut stream = connect(envoy)?;
    // The connection to the upstream is opened before.
    exchange.run(&mut stream)?;
    let (started, cpu) = (Instant::now(), cpu(envoy.id())?);
    for _ in 0..count {
        exchange.run(&mut stream)?;
    }
    let time = started.elapsed();
    let cpu = self::cpu(envoy.id())?.saturating_sub(cpu);
    Ok([time, cpu].map(|time| time.as_secs_f64() * 1e6 / f64::from(count)))
}

fn connect(envoy: &Envoy) -> Outcome<TcpStream> {
    let stream = TcpStream::connect(envoy.address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    Ok(stream)
}

/// Returns the CPU time of all threads of a process.
fn cpu(process: u32) -> Outcome<Duration> {
    let mut total = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        total += text.split_whitespace().next().ok_or("an empty schedstat")?.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(total))
}

/// A request, and its response.
struct Exchange {
    /// The length of the body that is measured.
    size: usize,
    request: Vec<u8>,
    /// The body of the response.
    answer: String,
}

impl Exchange {
    /// Sends the request, and reads the response.
    fn run(&self, stream: &mut TcpStream) -> Outcome<()> {
        stream.write_all(&self.request)?;
        let (head, body) = message(stream, &mut Vec::new())?.ok_or("no response")?;
        if !head.starts_with("http/1.1 200 ") || body != self.answer.as_bytes() {
            return Err(format!("{head}{}", String::from_utf8_lossy(&body)).into());
        }
        Ok(())
    }
}

/// Reads a message of HTTP/1.1 whose body has a `Content-Length`. Returns its head in lower case, and its body. Leaves the
/// bytes after it in `rest`. Returns `None` if the peer has gone.
fn message(stream: &mut TcpStream, rest: &mut Vec<u8>) -> Outcome<Option<(String, Vec<u8>)>> {
    let mut buffer = vec![0; 256 << 10];
    let mut read = std::mem::take(rest);
    let mut more = |read: &mut Vec<u8>| -> Outcome<usize> {
        let count = stream.read(&mut buffer)?;
        read.extend_from_slice(&buffer[..count]);
        Ok(count)
    };
    let end = loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if more(&mut read)? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next());
    let length: usize =
        length.ok_or_else(|| format!("a message without length: {head}"))?.parse()?;
    while read.len() < end + length {
        if more(&mut read)? == 0 {
            return Ok(None);
        }
    }
    *rest = read.split_off(end + length);
    Ok(Some((head, read.split_off(end))))
}

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Returns a call of a tool whose body has about so many bytes, and whose response has the same. Its arguments are those of
/// a tool that writes rows: numbers, short texts and nested objects.
fn exchange(request: usize, response: usize) -> Exchange {
    let rows = rows(request.saturating_sub(280));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"write","arguments":{{"rows":[{rows}]}},"_meta":{META}}}}}"#
    );
    let answer = answer(response);
    let size = if request > 0 { body.len() } else { answer.len() };
    Exchange { size, request: post(&body, response), answer }
}

fn post(body: &str, response: usize) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: write\r\nX-Answer: {response}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Returns the body of a response with about so many bytes.
fn answer(size: usize) -> String {
    let rows = rows(size.saturating_sub(100));
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[],"structuredContent":{{"rows":[{rows}]}}}}}}"#
    )
}

fn rows(size: usize) -> String {
    let mut rows = String::new();
    for number in 0.. {
        if rows.len() >= size {
            break;
        }
        let comma = if rows.is_empty() { "" } else { "," };
        let row = r#""city":"Z\u00fcrich","tags":["a","b"]"#;
        let _ = write!(rows, r#"{comma}{{"row":{number},{row},"at":{{"x":{number}.5,"y":-1e3}}}}"#);
    }
    rows
}

/// Tells which of the faulty bodies of 4 MB an Envoy refuses. Each has its fault near its end.
fn refusals(envoy: &Envoy) -> Outcome<String> {
    let rows = rows(4 << 20);
    let faults = [
        ("a repeated id", r#","id":1}"#),
        ("a repeated unknown member", r#","more":1,"more":2}"#),
        ("a missing brace", ""),
    ];
    let mut told = String::new();
    for (fault, end) in faults {
        let params =
            format!(r#"{{"name":"write","arguments":{{"rows":[{rows}]}},"_meta":{META}}}"#);
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}{end}"#);
        let mut stream = connect(envoy)?;
        stream.write_all(&post(&body, 0))?;
        let (head, _) = message(&mut stream, &mut Vec::new())?.ok_or("no response")?;
        let status = head.split(' ').nth(1).unwrap_or_default();
        let _ = write!(told, "{fault} {status}; ");
    }
    Ok(told)
}

/// Starts a server that reads each request and answers with a result of the length that it asks for.
fn upstream() -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream).is_ok());
        }
    });
    Ok(address)
}

fn serve(mut stream: TcpStream) -> Outcome<()> {
    stream.set_nodelay(true)?;
    let mut rest = Vec::new();
    let (mut last, mut response) = (usize::MAX, String::new());
    while let Some((head, _)) = message(&mut stream, &mut rest)? {
        let size = head.split("x-answer: ").nth(1).and_then(|rest| rest.split('\r').next());
        let size: usize = size.ok_or("no length")?.parse()?;
        if size != last {
            let body = answer(size);
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
            (last, response) = (size, format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}"));
        }
        stream.write_all(response.as_bytes())?;
    }
    Ok(())
}
