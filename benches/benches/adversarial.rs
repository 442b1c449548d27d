//! Measures the slowest input that a peer can send: input made to be slow, and input that keeps entering and leaving
//! every possible fast path.
//!
//! Each input is also parsed by the `serde_json` envelope. A parser that stops early at a fault is fast there, and
//! rightly so. The table that is printed last compares the fast path with the plain scanner, which decides what the fast
//! path leaves to it.
//!
//! The groups `adversarial findings` and `long ids` are about input for which more than parsing is done. The step `linear`
//! limits what it may cost, in instructions.

use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::baseline;
use benches::corpora::hostile::{Wire, long_ids, strangers};
use benches::corpora::{self, Scale, alternating, hostile};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use tautline::frame::{DEFAULT_LIMIT, HeapBuffer};
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Envelope, Message, Profile};
use tautline_mcp::session::{Event, Session, Slot};
use tautline_mcp::{Revision, Role};

/// A pass over the input, which returns the number of messages.
type Way = fn(&[u8]) -> u64;

fn tautline(wire: &[u8]) -> u64 {
    Messages::new(wire, DEFAULT_LIMIT, &Profile::JSON_RPC)
        .map(|received| u64::from(matches!(black_box(received), Received::Message { .. })))
        .sum()
}

fn in_pieces(wire: &[u8]) -> u64 {
    let mut stream = MessageStream::new(HeapBuffer::default(), &Profile::JSON_RPC);
    let mut found = 0;
    for mut chunk in wire.chunks(4096) {
        while let Some(received) = stream.next(&mut chunk) {
            found += u64::from(matches!(black_box(received), Received::Message { .. }));
        }
    }
    found
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

fn wires() -> impl Iterator<Item = Wire> {
    hostile::wires().into_iter().chain(alternating::wires())
}

/// The most that the fast path may cost, as a multiple of the plain scanner's time: the two in a row, and no more.
const MOST: f64 = 2.0;

/// Prints what the fast path costs on each input, divided by the cost of the plain scanner in the same run.
fn fast_by_plain(_: &mut Criterion) {
    let rounds = if Scale::of_bench() == Scale::Smoke { 1 } else { 40 };
    let ways: [(&str, Way); 2] = [("whole", tautline), ("4 KiB reads", in_pieces)];
    println!("time with the fast path, divided by that of the plain scanner alone");
    for Wire { name, bytes, messages } in wires() {
        let plain = for_the_plain_scanner(&bytes);
        print!("{name:52}");
        for (who, way) in ways {
            let time = |wire: &[u8]| {
                let started = Instant::now();
                let found = way(black_box(wire));
                let seconds = started.elapsed().as_secs_f64();
                assert_eq!(found, messages, "{who} on {name}");
                seconds
            };
            // The shortest of many times is what the machine needs when nothing interrupts it.
            let (mut with_fast, mut alone) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..rounds {
                with_fast = with_fast.min(time(&bytes));
                alone = alone.min(time(&plain));
            }
            let ratio = with_fast / alone;
            print!("  {who} {ratio:.2}{}", if ratio > MOST { " (too much)" } else { "" });
        }
        println!();
    }
}

/// Puts a raw CR after the first bracket of each message. It is legal there, and sends the line to the plain scanner
/// before the fast one has done anything.
fn for_the_plain_scanner(wire: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(wire.len() + wire.len() / 16);
    for line in wire.split_inclusive(|&byte| byte == b'\n') {
        match line.split_first() {
            Some((b'{', rest)) => {
                plain.extend_from_slice(b"{\r");
                plain.extend_from_slice(rest);
            }
            _ => plain.extend_from_slice(line),
        }
    }
    plain
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
        let message = report(&Envelope::read(&wire[start..end], &Profile::JSON_RPC));
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

fn unknown_members(criterion: &mut Criterion) {
    let usual =
        corpora::corpus("small", Scale::Smoke, corpora::USUAL_SEED).expect("it is the first");
    let usual = Wire { name: "usual", bytes: usual.wire, messages: usual.counts.accepted() };
    let mut group = criterion.benchmark_group("adversarial findings");
    group.sampling_mode(SamplingMode::Flat);
    for Wire { name, bytes, messages } in std::iter::once(usual).chain(strangers()) {
        assert_eq!(findings(&bytes), messages, "{name}");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("tautline", name), &bytes, |bencher, wire| {
            bencher.iter(|| findings(black_box(wire)));
        });
    }
    group.finish();
}

/// Measures how long a session with many requests in flight takes to look up a long id.
fn observing(criterion: &mut Criterion) {
    let profile = Revision::V2025_11_25.profile();
    let mut group = criterion.benchmark_group("long ids");
    group.sampling_mode(SamplingMode::Flat);
    for (name, frame) in long_ids() {
        let frame = frame.as_bytes();
        group.throughput(Throughput::Bytes(frame.len() as u64));
        let parse = || Message::parse(black_box(frame), &profile).is_ok();
        group.bench_function(BenchmarkId::new(name, "parse"), |bencher| bencher.iter(parse));
        for slots in [64, 1024] {
            let mut session = Session::new(vec![Slot::EMPTY; slots]);
            for id in 0..slots {
                let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
                let message = Message::parse(ping.as_bytes(), &profile).unwrap();
                session.observe(Role::Server, &message, |_| {});
            }
            let message = Message::parse(frame, &profile).unwrap();
            let id = BenchmarkId::new(name, format!("observe, {slots} slots"));
            let mut observe = || {
                let message = black_box(&message);
                matches!(session.observe(Role::Client, message, |_| {}), Event::Unmatched)
            };
            group.bench_function(id, |bencher| bencher.iter(&mut observe));
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
    targets = benches, unknown_members, observing, fast_by_plain
}
criterion_main!(adversarial);
