//! Measures the slowest input that a peer can send: input made to be slow, and input that keeps entering and leaving
//! every possible fast path.
//!
//! Each input is also parsed by the `serde_json` envelope. A parser that stops early at a fault is fast there, and
//! rightly so.
//!
//! Unknown members have their own group, which requests every finding. A byte there must cost at most [`MOST_TIMES`]
//! as much as a byte of usual traffic. This is asserted, also in a smoke test.

mod baseline;
mod corpora;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use tautline::frame::DEFAULT_LIMIT;
use tautline::mcp::Role;
use tautline::session::{Event, Session, Slot};
use tautline::stream::{Messages, Received};
use tautline::{Envelope, Message, Revision, Rules};

use corpora::Scale;
use corpora::random::Random;

/// The approximate size of an input in bytes.
const WIRE: usize = 1024 * 1024;
/// The approximate size of a long line in bytes.
const LINE: usize = 64 * 1024;

/// An input, and the number of its messages.
struct Wire {
    name: &'static str,
    bytes: Vec<u8>,
    messages: u64,
}

#[derive(Clone, Copy)]
enum Lines {
    Valid,
    Faulty,
}

impl Wire {
    /// Repeats the same line.
    fn repeating(name: &'static str, lines: Lines, line: &str) -> Self {
        let count = (WIRE / line.len()).max(1);
        let bytes = format!("{line}\n").repeat(count).into_bytes();
        let messages = match lines {
            Lines::Valid => count as u64,
            Lines::Faulty => 0,
        };
        Self { name, bytes, messages }
    }

    /// Creates requests with a sequence of pieces as params: as elements, or as one string.
    ///
    /// If the pieces differ, so do the lines: a branch predictor learns repeated lines by heart.
    fn of_pieces(
        name: &'static str,
        [open, between, close]: [&str; 3],
        piece: impl Fn(&mut Random) -> String,
    ) -> Self {
        let mut random = Random::new(127);
        let (mut bytes, mut messages) = (Vec::new(), 0);
        while bytes.len() < WIRE {
            let mut params = open.to_owned() + &piece(&mut random);
            while params.len() < LINE {
                params.push_str(between);
                params.push_str(&piece(&mut random));
            }
            bytes.extend_from_slice(request(&(params + close)).as_bytes());
            bytes.push(b'\n');
            messages += 1;
        }
        Self { name, bytes, messages }
    }
}

/// The text before, between and after the pieces.
const ELEMENTS: [&str; 3] = ["[", ",", "]"];
const STRING: [&str; 3] = ["[\"", "", "\"]"];

fn request(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
}

fn wires() -> Vec<Wire> {
    // With the message around them, 127 containers, the maximum depth.
    let nested = r#"[{"a":"#.repeat(63) + "1" + &"}]".repeat(63);
    let repeated = r#","id":1"#.repeat(LINE / 7);
    vec![
        Wire::repeating("deepest nesting", Lines::Valid, &request(&nested)),
        Wire::repeating("nothing but [", Lines::Faulty, &request(&"[".repeat(LINE))),
        Wire::of_pieces("nothing but escapes", STRING, |random| {
            random.pick(&[r"\n", r#"\""#, r"\\", r"\/", r"\t"]).to_owned()
        }),
        Wire::of_pieces("nothing but \\u", STRING, |random| {
            random.pick(&[r"\u00e9", r"\u4E2D", r"\ud83d\ude80"]).to_owned()
        }),
        Wire::of_pieces("an escape after about 40 bytes", STRING, |random| clean(random) + r"\n"),
        Wire::of_pieces("an accent after about 40 bytes", STRING, |random| clean(random) + "é"),
        Wire::of_pieces("UTF-8 of 4 bytes", STRING, |random| {
            random.pick(&["🦀", "𝄞", "\u{10FFFF}"]).to_owned()
        }),
        Wire::repeating("smallest messages", Lines::Valid, r#"{"jsonrpc":"2.0","method":""}"#),
        Wire::repeating("frames of one byte", Lines::Faulty, "1"),
        Wire::repeating(
            "one key repeated",
            Lines::Faulty,
            &format!(r#"{{"jsonrpc":"2.0"{repeated},"method":"a"}}"#),
        ),
        Wire::of_pieces("numbers and strings in turn", ELEMENTS, |random| {
            format!("{},\"{}\"", number(random), "b".repeat(random.count(0, 20)))
        }),
        Wire::of_pieces("a few numbers and a string", ELEMENTS, |random| {
            let numbers: Vec<_> = (0..random.count(3, 9)).map(|_| number(random)).collect();
            numbers.join(",") + r#","a""#
        }),
        Wire::of_pieces("empty containers", ELEMENTS, |random| {
            random.pick(&["[]", "{}"]).to_owned()
        }),
        Wire::of_pieces("whitespace", ELEMENTS, |random| {
            random.pick(&[" ", "\t ", " \r  ", "        "]).to_owned() + "1 "
        }),
    ]
}

/// Returns about 40 bytes with nothing to stop at.
fn clean(random: &mut Random) -> String {
    "a".repeat(random.count(34, 46))
}

fn number(random: &mut Random) -> String {
    match random.count(0, 2) {
        0 => random.between(-9, 9).to_string(),
        1 => random.between(-1_000_000, 1_000_000).to_string(),
        _ => format!("{:e}", random.unit()),
    }
}

/// Messages with unknown members, whose names are scanned again for findings.
fn strangers() -> Vec<Wire> {
    let message = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"{members}}}"#);
    let numbered: String = (0..LINE / 8).map(|number| format!(r#","x{number}":0"#)).collect();
    let batch = |element: &str, count| format!("[{}]", vec![element; count].join(","));
    // As many elements as a batch may have.
    let most = Rules::JSON_RPC.max_batch() as usize;
    vec![
        Wire::repeating("unknown members", Lines::Valid, &message(&numbered)),
        Wire::repeating(
            "shortest unknown members",
            Lines::Valid,
            &message(&r#","":0"#.repeat(LINE / 5)),
        ),
        Wire::repeating(
            "unknown members in a batch",
            Lines::Valid,
            &batch(&message(&r#","":0"#.repeat(12)), most),
        ),
        Wire::repeating(
            "unknown members in a small batch",
            Lines::Valid,
            &batch(&message(&r#","":0"#.repeat(LINE / 5)), 2),
        ),
        Wire::repeating(
            "members that look like others",
            Lines::Valid,
            &message(&r#","METHOD":0,"Id":0,"m\u0065thod ":0"#.repeat(LINE / 40)),
        ),
        Wire::repeating(
            "unknown members of an error",
            Lines::Valid,
            &format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":""{}}}}}"#,
                r#","":0"#.repeat(LINE / 5)
            ),
        ),
        Wire::repeating(
            "a name of spaces",
            Lines::Valid,
            &message(&format!(r#","{}":0"#, " ".repeat(LINE))),
        ),
        Wire::repeating(
            "a name of escaped spaces",
            Lines::Valid,
            &message(&format!(r#","{}":0"#, r"\u0020".repeat(LINE / 6))),
        ),
    ]
}

/// A pass over the input, which returns the number of messages.
type Way = fn(&[u8]) -> u64;

fn tautline(wire: &[u8]) -> u64 {
    Messages::new(wire, DEFAULT_LIMIT, &Rules::JSON_RPC)
        .map(|received| u64::from(matches!(black_box(received), Received::Message { .. })))
        .sum()
}

fn serde_json(wire: &[u8]) -> u64 {
    let mut start = 0;
    let mut found = 0;
    for end in memchr::memchr_iter(b'\n', wire) {
        found += u64::from(black_box(baseline::parse(&wire[start..end])).is_some());
        start = end + 1;
    }
    found
}

fn benches(criterion: &mut Criterion) {
    let ways: [(&str, Way); 2] = [("tautline", tautline), ("serde_json", serde_json)];
    let mut group = criterion.benchmark_group("adversarial");
    group.sampling_mode(SamplingMode::Flat);
    for Wire { name, bytes, messages } in wires() {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        for (who, way) in ways {
            assert_eq!(way(&bytes), messages, "{who} on {name}");
            group.bench_with_input(BenchmarkId::new(who, name), &bytes, |bencher, wire| {
                bencher.iter(|| way(black_box(wire)));
            });
        }
    }
    group.finish();
}

/// Requests the findings of every message, also within batches, and counts the frames that are messages.
fn findings(wire: &[u8]) -> u64 {
    let mut start = 0;
    let mut found = 0;
    for end in memchr::memchr_iter(b'\n', wire) {
        let message = report(&Envelope::read(&wire[start..end], &Rules::JSON_RPC));
        if let Ok(Message::Batch(batch)) = message {
            for element in batch.iter() {
                let _ = black_box(report(&element));
            }
        }
        found += u64::from(message.is_ok());
        start = end + 1;
    }
    found
}

fn report<'buf>(envelope: &Envelope<'buf>) -> Result<Message<'buf>, tautline::Fault<'buf>> {
    envelope.findings(|finding| {
        black_box(finding);
    });
    envelope.message()
}

/// The most that a byte may cost, relative to a byte of usual traffic.
const MOST_TIMES: f64 = 10.0;

/// Returns the shortest of many times to find everything in some lines, in ns per byte.
///
/// The lines are few, so that at least one run is not interrupted, however busy the machine is.
fn cost(wire: &[u8]) -> f64 {
    let behind = memchr::memchr_iter(b'\n', wire).find(|&end| end >= LINE / 2);
    let lines = &wire[..behind.map_or(wire.len(), |end| end + 1)];
    let times = (0..100).map(|_| {
        let start = Instant::now();
        black_box(findings(black_box(lines)));
        start.elapsed()
    });
    times.min().unwrap_or_default().as_secs_f64() * 1e9 / lines.len() as f64
}

fn unknown_members(criterion: &mut Criterion) {
    let usual = corpora::corpus("small", Scale::Smoke).expect("it is the first");
    let usual = Wire { name: "usual", bytes: usual.wire, messages: usual.counts.accepted() };
    let usual_cost = cost(&usual.bytes);
    println!("a byte of usual traffic takes {usual_cost:.2} ns");
    let mut group = criterion.benchmark_group("adversarial findings");
    group.sampling_mode(SamplingMode::Flat);
    for Wire { name, bytes, messages } in std::iter::once(usual).chain(strangers()) {
        assert_eq!(findings(&bytes), messages, "{name}");
        let times = cost(&bytes) / usual_cost;
        println!("{name}: {times:.1} times as much");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("tautline", name), &bytes, |bencher, wire| {
            bencher.iter(|| findings(black_box(wire)));
        });
        assert!(times <= MOST_TIMES, "{name}: {times:.1} times as much as usual");
    }
    group.finish();
}

/// The longest time for a session to observe a message, relative to parsing it.
const MOST_TIMES_PARSING: f64 = 4.0;

/// Returns the shortest of several run times.
fn shortest(mut work: impl FnMut() -> bool) -> f64 {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    times.min().unwrap_or_default().as_secs_f64()
}

/// Measures a message whose id, or any other reference to a request, is a number of 4 MB. A session with many
/// requests in flight should take about as long to look it up as the parser takes to read it.
fn long_ids(criterion: &mut Criterion) {
    let number = "1".repeat(4_000_000);
    let about = |method: &str, member: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"{member}":{number}}}}}"#
        )
    };
    let frames = [
        ("response", format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{}}}}"#)),
        ("request", format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"ping"}}"#)),
        ("cancelled", about("cancelled", "requestId")),
        ("progress", about("progress", "progressToken")),
        (
            "request with a token",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{{"progressToken":{number}}}}}}}"#
            ),
        ),
    ];
    let rules = Revision::V2025_11_25.rules();
    let mut group = criterion.benchmark_group("long ids");
    group.sampling_mode(SamplingMode::Flat);
    for (name, frame) in frames {
        let frame = frame.as_bytes();
        group.throughput(Throughput::Bytes(frame.len() as u64));
        let parse = || Message::parse(black_box(frame), &rules).is_ok();
        let parsing = shortest(parse);
        group.bench_function(BenchmarkId::new(name, "parse"), |bencher| bencher.iter(parse));
        for slots in [64, 1024] {
            let mut session = Session::new(vec![Slot::EMPTY; slots]);
            for id in 0..slots {
                let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
                let message = Message::parse(ping.as_bytes(), &rules).unwrap();
                session.observe(Role::Server, &message, |_| {});
            }
            let message = Message::parse(frame, &rules).unwrap();
            let id = BenchmarkId::new(name, format!("see, {slots} slots"));
            let mut see = || {
                let message = black_box(&message);
                matches!(session.observe(Role::Client, message, |_| {}), Event::Unmatched)
            };
            let times = shortest(&mut see) / parsing;
            println!("{name}, {slots} slots: {times:.1} times as long as parsing");
            group.bench_function(id, |bencher| bencher.iter(&mut see));
            assert!(times <= MOST_TIMES_PARSING, "{name}: {times:.1} times as long as parsing");
        }
    }
    group.finish();
}

criterion_group! {
    name = adversarial;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = benches, unknown_members, long_ids
}
criterion_main!(adversarial);
