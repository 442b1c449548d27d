//! How fast a stream of short messages is split, scanned and parsed.
//!
//! Every benchmark says what the answer is before it is measured, so that none measures the wrong
//! thing quickly. The messages are all different: a predictor learns a thousand of them by heart.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tautline::frame::{DEFAULT_LIMIT, FrameEvent, Frames};
use tautline::stream::{Messages, Received};
use tautline::{Revision, scan};

const MESSAGES: u64 = 50_000;

/// Requests, notifications, results and errors in turn, as a session between two peers has them.
fn session() -> String {
    let mut wire = String::new();
    // A linear congruential generator (Knuth's MMIX): the same session in every run.
    let mut state: u64 = 1;
    for id in 0..MESSAGES {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (shape, seed) = (state >> 62, (state >> 32) % 100_000);
        match shape {
            0 => write!(
                wire,
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"read_{seed}","arguments":{{"path":"/srv/{seed}.txt","lines":[{id},{seed}]}}}}}}"#
            ),
            1 => write!(
                wire,
                r#"{{"method":"notifications/progress","params":{{"progressToken":"t-{id}","progress":{seed},"message":"stage {seed}"}},"jsonrpc":"2.0"}}"#
            ),
            2 => write!(
                wire,
                r#"{{"result":{{"content":[{{"type":"text","text":"line {seed}\nline {id}"}}],"isError":false}},"jsonrpc":"2.0","id":{id}}}"#
            ),
            _ => write!(
                wire,
                r#"{{"jsonrpc":"2.0","id":"{id}","error":{{"code":-32602,"message":"Unknown tool: tool_{seed}"}}}}"#
            ),
        }
        .expect("a String takes everything");
        wire.push('\n');
    }
    wire
}

/// A way of going over the wire, which says how many messages it found.
type Stage = fn(&[u8]) -> u64;

fn split(wire: &[u8]) -> u64 {
    Frames::new(wire, DEFAULT_LIMIT)
        .map(|event| u64::from(matches!(event, FrameEvent::Frame(_))))
        .sum()
}

fn split_and_scan(wire: &[u8]) -> u64 {
    let valid = |event| match event {
        FrameEvent::Frame(frame) => scan::validate(frame.bytes(), scan::DEFAULT_MAX_DEPTH).is_ok(),
        _ => false,
    };
    Frames::new(wire, DEFAULT_LIMIT).map(|event| u64::from(valid(event))).sum()
}

fn split_and_parse(wire: &[u8]) -> u64 {
    let rules = Revision::LATEST.rules();
    Messages::new(wire, DEFAULT_LIMIT, &rules)
        .map(|received| u64::from(matches!(received, Received::Message { .. })))
        .sum()
}

fn benches(criterion: &mut Criterion) {
    let wire = session();
    let mut group = criterion.benchmark_group("small messages");
    group.throughput(Throughput::Bytes(wire.len() as u64));
    let stages: [(&str, Stage); 3] = [
        ("split", split),
        ("split and scan", split_and_scan),
        ("split and parse", split_and_parse),
    ];
    for (name, stage) in stages {
        assert_eq!(stage(wire.as_bytes()), MESSAGES, "{name}");
        group.bench_function(name, |bencher| bencher.iter(|| stage(black_box(wire.as_bytes()))));
    }
    group.finish();
}

criterion_group!(pipeline, benches);
criterion_main!(pipeline);
