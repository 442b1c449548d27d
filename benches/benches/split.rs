//! Measures how fast a stream is split into frames, with every driver, next to a plain search for newlines.

use std::hint::black_box;
use std::time::Duration;

use benches::corpora::{self, Scale};
use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use tautline::frame::{Assembler, DEFAULT_LIMIT, FrameBuffer, FrameEvent, Frames, HeapBuffer};

/// A way to split the input, which returns the number of frames.
type Way = fn(&[u8]) -> u64;

fn newlines(wire: &[u8]) -> u64 {
    let mut start = 0;
    let mut lines = 0;
    for end in memchr::memchr_iter(b'\n', wire) {
        lines += u64::from(!black_box(&wire[start..end]).is_empty());
        start = end + 1;
    }
    lines
}

/// Returns 1 for a frame.
fn one(event: FrameEvent<'_>) -> u64 {
    u64::from(matches!(black_box(event), FrameEvent::Frame(_)))
}

fn frames(wire: &[u8]) -> u64 {
    Frames::new(wire, DEFAULT_LIMIT).map(one).sum()
}

fn assembler<const CHUNK: usize>(wire: &[u8]) -> u64 {
    let mut assembler = Assembler::new(HeapBuffer::default());
    let mut found = 0;
    for mut chunk in wire.chunks(CHUNK) {
        while let Some(event) = assembler.next(&mut chunk) {
            found += one(event);
        }
    }
    found + assembler.finish().map_or(0, one)
}

fn buffer(mut wire: &[u8]) -> u64 {
    let mut buffer = FrameBuffer::new(HeapBuffer::default());
    let mut found = 0;
    while !wire.is_empty() {
        let spare = buffer.spare();
        let (read, rest) = wire.split_at(spare.len().min(wire.len()));
        spare[..read.len()].copy_from_slice(read);
        wire = rest;
        buffer.commit(read.len());
        while let Some(event) = buffer.next() {
            found += one(event);
        }
    }
    found + buffer.finish().map_or(0, one)
}

fn benches(criterion: &mut Criterion) {
    let ways: [(&str, Way); 5] = [
        ("newlines alone", newlines),
        ("Frames", frames),
        ("Assembler, 4 KiB reads", assembler::<{ 4 * 1024 }>),
        ("Assembler, 64 KiB reads", assembler::<{ 64 * 1024 }>),
        ("FrameBuffer", buffer),
    ];
    let mut group = criterion.benchmark_group("split");
    group.sampling_mode(SamplingMode::Flat);
    for corpus in corpora::corpora(Scale::of_bench()) {
        group.throughput(Throughput::Bytes(corpus.wire.len() as u64));
        for (name, way) in ways {
            assert_eq!(way(&corpus.wire), corpus.counts.accepted(), "{name} on {}", corpus.name);
            let id = BenchmarkId::new(name, &corpus.name);
            group.bench_with_input(id, &corpus.wire, |bencher, wire| {
                bencher.iter(|| way(black_box(wire)));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = split;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = benches
}
criterion_main!(split);
