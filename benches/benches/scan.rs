//! Measures how fast whole frames are scanned, without splitting and parsing, next to `serde_json`.

use std::hint::black_box;
use std::time::Duration;

use benches::corpora::{self, Scale};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use serde::de::IgnoredAny;
use tautline::scan;

/// A scan of one frame, which returns whether it is valid.
type Way = fn(&[u8]) -> bool;

fn validate(frame: &[u8]) -> bool {
    scan::validate(frame, scan::DEFAULT_MAX_DEPTH).is_ok()
}

/// The least work that `serde_json` can do: it builds and keeps nothing.
fn serde_json(frame: &[u8]) -> bool {
    str::from_utf8(frame).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn count(frames: &[&[u8]], way: Way) -> u64 {
    frames.iter().map(|frame| u64::from(way(frame))).sum()
}

fn benches(criterion: &mut Criterion) {
    let ways: [(&str, Way); 2] = [("scan", validate), ("serde_json IgnoredAny", serde_json)];
    let mut group = criterion.benchmark_group("scan");
    group.sampling_mode(SamplingMode::Flat);
    for corpus in corpora::corpora(Scale::of_bench()) {
        let lines = corpus.wire.split(|byte| *byte == b'\n');
        let frames: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
        group.throughput(Throughput::Bytes(corpus.wire.len() as u64));
        for (name, way) in ways {
            let valid = count(&frames, way);
            assert_eq!(valid, corpus.counts.accepted(), "{name} on {}", corpus.name);
            let id = BenchmarkId::new(name, &corpus.name);
            group.bench_with_input(id, &frames, |bencher, frames| {
                bencher.iter(|| count(black_box(frames), way));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = scanner;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = benches
}
criterion_main!(scanner);
