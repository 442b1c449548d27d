//! Measures how fast a stream is split, scanned and parsed, step by step, next to the `serde_json` envelope.
//!
//! Every benchmark checks its answer before it is measured, so that none measures the wrong work. The small messages
//! are all different: a branch predictor learns a thousand of them by heart.

use std::hint::black_box;
use std::time::Duration;

use benches::baseline;
use benches::corpora::{self, Scale};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use tautline::frame::{DEFAULT_LIMIT, FrameEvent, Frames, HeapBuffer};
use tautline::stream::{MessageStream, Messages, Received};
use tautline::{Message, Profile, scan};
use tautline_mcp::{GUARDED_NAMES, Revision};

/// A pass over the input, which returns the number of messages.
type Stage = fn(&[u8]) -> u64;

/// Returns the number of valid frames.
fn frames(wire: &[u8], valid: impl Fn(&[u8]) -> bool) -> u64 {
    let valid = |event| match event {
        FrameEvent::Frame(frame) => valid(frame.bytes()),
        _ => false,
    };
    Frames::new(wire, DEFAULT_LIMIT).map(|event| u64::from(valid(event))).sum()
}

fn split(wire: &[u8]) -> u64 {
    frames(wire, |_| true)
}

fn split_and_scan(wire: &[u8]) -> u64 {
    frames(wire, |frame| scan::validate(frame, scan::DEFAULT_MAX_DEPTH).is_ok())
}

fn split_and_parse(wire: &[u8]) -> u64 {
    frames(wire, |frame| black_box(Message::parse(frame, &Profile::JSON_RPC)).is_ok())
}

/// Returns 1 for a message.
fn one(received: Received<'_>) -> u64 {
    u64::from(matches!(black_box(received), Received::Message { .. }))
}

fn stream(wire: &[u8]) -> u64 {
    Messages::new(wire, DEFAULT_LIMIT, &Profile::JSON_RPC).map(one).sum()
}

fn stream_of_mcp(wire: &[u8]) -> u64 {
    Messages::new(wire, DEFAULT_LIMIT, &Revision::LATEST.profile()).map(one).sum()
}

fn stream_strictly(wire: &[u8]) -> u64 {
    let profile = Profile::JSON_RPC.strict(&GUARDED_NAMES);
    Messages::new(wire, DEFAULT_LIMIT, &profile).map(one).sum()
}

fn pushed<const CHUNK: usize>(wire: &[u8]) -> u64 {
    let mut stream = MessageStream::new(HeapBuffer::default(), &Profile::JSON_RPC);
    let mut found = 0;
    for mut chunk in wire.chunks(CHUNK) {
        while let Some(received) = stream.next(&mut chunk) {
            found += one(received);
        }
    }
    found + stream.finish().map_or(0, one)
}

fn serde_json(wire: &[u8]) -> u64 {
    frames(wire, |frame| black_box(baseline::parse(frame)).is_some())
}

fn benches(criterion: &mut Criterion) {
    let stages: [(&str, Stage); 9] = [
        ("split", split),
        ("split and scan", split_and_scan),
        ("split and parse", split_and_parse),
        ("stream", stream),
        ("stream, rules of MCP", stream_of_mcp),
        ("stream, strict", stream_strictly),
        ("stream, 4 KiB reads", pushed::<{ 4 * 1024 }>),
        ("stream, 64 KiB reads", pushed::<{ 64 * 1024 }>),
        ("split and serde_json", serde_json),
    ];
    let mut group = criterion.benchmark_group("pipeline");
    group.sampling_mode(SamplingMode::Flat);
    for corpus in corpora::corpora(Scale::of_bench()) {
        group.throughput(Throughput::Bytes(corpus.wire.len() as u64));
        for (name, stage) in stages {
            assert_eq!(stage(&corpus.wire), corpus.counts.accepted(), "{name} on {}", corpus.name);
            let id = BenchmarkId::new(name, &corpus.name);
            group.bench_with_input(id, &corpus.wire, |bencher, wire| {
                bencher.iter(|| stage(black_box(wire)));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = pipeline;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = benches
}
criterion_main!(pipeline);
