//! Measures what the checks of payloads cost: `tautline check` with them, divided by `tautline check --no-shapes`.
//!
//! The two ways take turns, so that any disturbance affects both. The table has the ratio of the medians and that of the
//! minima. Results are checked against the shape of a method only if their request is known, so each input of results
//! exists twice: as it is, and with a request before each result.
//!
//! `--way` runs one way only, and `--write` writes the inputs to files: for profilers and for the program itself.

mod check;
mod inputs;

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use benches::corpora::Scale;
use check::Way;
use clap::Parser;
use inputs::Input;

/// Measures `tautline check` with and without the checks of payloads.
#[derive(Parser)]
struct Arguments {
    /// How often each way goes over each input, after one round that does not count
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Only the inputs of these names
    #[arg(long, value_name = "NAME")]
    input: Vec<String>,
    /// The fraction of each corpus to use, but never fewer than 50,000 small messages
    #[arg(long, value_name = "F", default_value_t = 0.25, conflicts_with = "smoke")]
    scale: f64,
    /// One round over next to nothing, to see whether every answer is right
    #[arg(long, conflicts_with = "rounds")]
    smoke: bool,
    /// Go over each input once in this way, and measure nothing
    #[arg(long)]
    way: Option<Way>,
    /// Write each input to a file in this folder, and measure nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "way")]
    write: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let scale = if arguments.smoke { Scale::Smoke } else { Scale::Part(arguments.scale) };
    let rounds = if arguments.smoke { 1 } else { arguments.rounds };
    let wanted =
        |name: &str| arguments.input.is_empty() || arguments.input.iter().any(|one| one == name);
    let names: Vec<_> = inputs::names().into_iter().filter(|name| wanted(name)).collect();
    if names.is_empty() {
        return Err("no input has such a name".into());
    }
    let is_measured = arguments.way.is_none() && arguments.write.is_none();
    if is_measured {
        println!(
            "| input | without, ns/message | with, ns/message | ratio of medians | of minima |"
        );
        println!("|---|---|---|---|---|");
    }
    // Only one input at a time is in memory.
    for name in names {
        let input = Input::named(&name, scale).ok_or("an input of this name is there")?;
        if let Some(folder) = &arguments.write {
            fs::write(folder.join(format!("{name}.ndjson")), &input.wire)?;
        } else if let Some(way) = arguments.way {
            let counts = check::check(&input.wire, way);
            println!("{name}: {counts:?}");
        } else {
            measure(&input, rounds);
        }
    }
    Ok(())
}

/// Prints the times of both ways.
fn measure(input: &Input, rounds: u32) {
    let ways = [Way::Without, Way::With];
    let answers = ways.map(|way| check::check(&input.wire, way));
    for answer in answers {
        assert_eq!(answer.messages, input.messages, "{} on {}", answer.messages, input.name);
    }
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=rounds as usize {
        for turn in 0..ways.len() {
            let index = (turn + round) % ways.len();
            let started = Instant::now();
            let answer = check::check(black_box(&input.wire), ways[index]);
            let nanoseconds = started.elapsed().as_secs_f64() * 1e9;
            assert_eq!(answer, answers[index], "the findings on {} have changed", input.name);
            // The first round only warms caches and predictors.
            if round > 0 {
                times[index].push(nanoseconds / input.messages as f64);
            }
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    let [without, with] = times;
    let median = |times: &[f64]| times[times.len() / 2];
    println!(
        "| {} | {:.0} | {:.0} | {:.2} | {:.2} |",
        input.name,
        median(&without),
        median(&with),
        median(&with) / median(&without),
        with[0] / without[0],
    );
}
