//! The work of an audit is linear, whichever rule a session breaks over and over.

use std::time::{Duration, Instant};

use tautline_audit::source::{Event, Place};
use tautline_audit::{Audit, Example, Options, Step, example_of};
use tautline_mcp::{Role, rule};

/// The number of times that an example is repeated, and then twice that.
const TIMES: usize = 10_000;
/// Twice the work may take this much more time. Quadratic work takes four times as much.
const MOST: f64 = 3.2;
/// Work that takes less time is not measured well.
const LEAST: Duration = Duration::from_millis(20);

type Frames = Vec<(Role, Vec<u8>)>;

/// Returns the frames of an example: those that open its session, and the others.
fn frames(example: &Example) -> (Frames, Frames) {
    let sends = example.steps().into_iter().filter_map(|step| match step {
        Step::Send(from, bytes) => Some((from, bytes)),
        _ => None,
    });
    let mut opening: Frames = sends.collect();
    let opens = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\"initialize\"");
    let handshake = if opening.first().is_some_and(|(_, bytes)| opens(bytes)) { 3 } else { 0 };
    let rest = opening.split_off(handshake.min(opening.len()));
    (opening, rest)
}

/// Returns a frame with other ids, and other names for requests: the number is added to each integer.
fn renumbered(frame: &[u8], number: usize) -> Vec<u8> {
    let mut text = frame.to_vec();
    for name in ["\"id\":", "\"requestId\":", "\"progressToken\":"] {
        let mut from = 0;
        while let Some(at) = text[from..].windows(name.len()).position(|it| it == name.as_bytes()) {
            let start = from + at + name.len();
            let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let value: Option<usize> =
                std::str::from_utf8(&text[start..start + digits]).unwrap().parse().ok();
            if let Some(value) = value {
                let other = (value + 1000 * number).to_string();
                text.splice(start..start + digits, other.into_bytes());
            }
            from = start;
        }
    }
    text
}

fn time(example: &Example, times: usize, renumbers: bool) -> Duration {
    let (opening, rest) = frames(example);
    let mut all: Frames = opening;
    for number in 0..times {
        all.extend(rest.iter().map(|(from, frame)| {
            let frame = if renumbers { renumbered(frame, number) } else { frame.clone() };
            (*from, frame)
        }));
    }
    let mut options = Options::default();
    options.selection = example.rules.parse().unwrap();
    options.framing = example.framing;
    options.max_frame = example.limit.unwrap_or(options.max_frame);
    let begun = Instant::now();
    let mut audit = Audit::new(options);
    for (from, bytes) in &all {
        audit.event(Event::Bytes { from: *from, bytes }, Place::default(), &mut ()).unwrap();
    }
    audit.finish(Vec::new(), &mut ()).unwrap();
    begun.elapsed()
}

#[test]
#[ignore = "it takes minutes, and measures time: run it alone, in a release build"]
fn a_rule_that_is_broken_again_and_again_costs_the_same_each_time() {
    let mut slow = Vec::new();
    for rule in rule::all() {
        let Some(example) = example_of(rule) else { continue };
        for renumbers in [false, true] {
            let of = |times| (0..3).map(|_| time(&example, times, renumbers)).min().unwrap();
            let (once, twice) =
                (time(&example, TIMES, renumbers), time(&example, 2 * TIMES, renumbers));
            if once > LEAST && twice.as_secs_f64() > MOST * once.as_secs_f64() {
                // Something else may have used the processor.
                let (once, twice) = (of(TIMES), of(2 * TIMES));
                if twice.as_secs_f64() > MOST * once.as_secs_f64() {
                    slow.push((rule::name(rule), renumbers, once, twice));
                }
            }
            println!("{}\t{renumbers}\t{once:?}\t{twice:?}", rule::name(rule));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
