//! How fast the worst is that a peer can send: what is made to be slow, and what enters and leaves
//! every fast path there may be.
//!
//! Each wire has the `serde_json` envelope beside it. Who stops at a fault early is fast there, and
//! rightly so.

mod baseline;
mod corpora;

use std::hint::black_box;
use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use tautline::Rules;
use tautline::frame::DEFAULT_LIMIT;
use tautline::stream::{Messages, Received};

use corpora::random::Random;

/// The size of a wire in bytes, about.
const WIRE: usize = 1024 * 1024;
/// The size of a long line in bytes, about.
const LINE: usize = 64 * 1024;

/// A wire, and how many messages are on it.
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
    /// The same line again and again.
    fn repeating(name: &'static str, lines: Lines, line: &str) -> Self {
        let count = (WIRE / line.len()).max(1);
        let bytes = format!("{line}\n").repeat(count).into_bytes();
        let messages = match lines {
            Lines::Valid => count as u64,
            Lines::Faulty => 0,
        };
        Self { name, bytes, messages }
    }

    /// Requests with pieces one behind the other as params: as elements, or as one string.
    ///
    /// Where the pieces differ, so do the lines: a predictor learns by heart what comes again.
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

/// How pieces are put together.
const ELEMENTS: [&str; 3] = ["[", ",", "]"];
const STRING: [&str; 3] = ["[\"", "", "\"]"];

fn request(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
}

fn wires() -> Vec<Wire> {
    // With the message around them, 127 containers, as deep as it may be.
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

/// About 40 bytes with nothing to stop at.
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

/// A way of going over the wire, which says how many messages it found.
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

criterion_group! {
    name = adversarial;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = benches
}
criterion_main!(adversarial);
