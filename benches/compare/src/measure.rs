//! Time measurement.

use std::hint::black_box;
use std::time::Instant;

use benches::corpora::{Corpus, Counts};
use compare::competitors::{Answer, BASELINE, Competitor};

use crate::report::{Measured, Numbers};

/// Measures all competitors on the input, after each has shown that its answer is correct.
///
/// The contents of a file are unknown, so answers on it are reported but not validated.
pub fn measure(
    corpus: &Corpus,
    expected: Option<Counts>,
    competitors: &mut [Competitor],
    rounds: u32,
) -> Measured {
    let Corpus { name, wire, .. } = corpus;
    eprintln!("{name}: {} bytes, {rounds} rounds", wire.len());
    let answers: Vec<Counts> = competitors
        .iter_mut()
        .map(|competitor| {
            let answer = (competitor.pass)(wire);
            if let Some(expected) = expected {
                examine(competitor, answer, expected, name);
            }
            answer
        })
        .collect();

    let mut times: Vec<Vec<f64>> = competitors.iter().map(|_| Vec::new()).collect();
    for round in 0..=rounds as usize {
        for turn in 0..competitors.len() {
            let index = (turn + round) % competitors.len();
            let started = Instant::now();
            let answer = black_box((competitors[index].pass)(black_box(wire)));
            let seconds = started.elapsed().as_secs_f64();
            assert_eq!(answer, answers[index], "{} has changed its mind", competitors[index].name);
            // The first round only warms caches and predictors.
            if round > 0 {
                times[index].push(seconds);
            }
        }
    }

    let lines = expected.map_or_else(|| lines(wire), |counts| counts.accepted());
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    let baseline = competitors.iter().position(|competitor| competitor.name == BASELINE);
    let baseline = medians[baseline.expect("the baseline is never left out")];
    let results = competitors.iter().enumerate().map(|(index, competitor)| Numbers {
        competitor: competitor.name.to_owned(),
        gigabytes_per_second: wire.len() as f64 / medians[index] / 1e9,
        nanoseconds_per_message: medians[index] * 1e9 / lines as f64,
        ratio: baseline / medians[index],
        // The median has sorted them.
        seconds: (times[index][0], times[index][times[index].len() - 1]),
        accepted: [
            answers[index].requests,
            answers[index].notifications,
            answers[index].results,
            answers[index].errors,
        ],
        refused: answers[index].refused,
    });
    Measured { name: name.to_string(), lines, bytes: wire.len(), results: results.collect() }
}

/// Asks a competitor for the contents of the input.
///
/// # Panics
///
/// If the answer is wrong: the time of a wrong answer is of no interest.
fn examine(competitor: &Competitor, answer: Counts, expected: Counts, corpus: &str) {
    let name = competitor.name;
    match competitor.answer {
        Answer::Messages => assert_eq!(answer, expected, "{name} on {corpus}"),
        Answer::SomeMessages => {
            let lines = answer.accepted() + answer.refused;
            assert_eq!(lines, expected.accepted(), "{name} on {corpus} has lost lines");
        }
        Answer::Limit => assert_eq!(answer.accepted(), 0, "{name} on {corpus}"),
    }
}

fn lines(wire: &[u8]) -> u64 {
    wire.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() as u64
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    if times.len() % 2 == 1 { times[middle] } else { (times[middle - 1] + times[middle]) / 2.0 }
}
