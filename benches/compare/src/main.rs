//! Compares tautline with other parsers of messages: their speed, and the faults that they accept.
//!
//! All of them parse the same inputs in one process. Each makes one pass per round, in a different order every round,
//! so that any disturbance affects all. The report states the median of the rounds.

mod chart;
mod measure;
mod provenance;
mod report;
mod tables;

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use benches::corpora::{self, Corpus, Counts, Scale};
use clap::Parser;
use compare::competitors::{self, BASELINE};
use compare::recorded;

use report::Report;

/// Measures tautline and its peers on the same wires.
///
/// Files of newline-delimited messages that are named in TAUTLINE_BENCH_FILES, separated as in PATH,
/// are measured beside the corpora.
#[derive(Parser)]
#[command(args_override_self = true)]
struct Arguments {
    /// How often each competitor goes over each wire, after one round that does not count
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Only the corpora of these names
    #[arg(long, value_name = "NAME")]
    corpus: Vec<String>,
    /// Only competitors with this in their name, and the one that all are measured against
    #[arg(long, value_name = "NAME")]
    filter: Vec<String>,
    /// The seed of the corpora that are generated
    #[arg(long, value_name = "N", default_value_t = corpora::USUAL_SEED)]
    seed: u64,
    /// The fraction of each corpus to use, but never fewer than 50,000 small messages
    #[arg(long, value_name = "F", default_value_t = 1.0, conflicts_with = "smoke")]
    scale: f64,
    /// One round over next to nothing, to see whether every answer is right
    #[arg(long, conflicts_with = "rounds")]
    smoke: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Measure nothing, and show what `--json` has printed before: all of the first file, and tautline in the others
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Draw a chart of the ratios as well
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    // RESULTS.md explains it.
    #[arg(long, hide = true)]
    without_pext: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let reports = if arguments.from.is_empty() {
        vec![measured(&arguments)?]
    } else {
        arguments.from.iter().map(read).collect::<Result<_, _>>()?
    };
    let [report, others @ ..] = reports.as_slice() else { return Err("there is no report".into()) };
    if let Some(path) = &arguments.svg {
        fs::write(path, chart::svg(report))?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string(report)?);
    } else {
        print!("{}", tables::markdown(report, others));
    }
    Ok(())
}

fn read(path: &PathBuf) -> Result<Report, Box<dyn Error>> {
    let json = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_slice(&json)?)
}

/// Makes tautline scan as on a machine without a fast `pext`, if it would not do so anyway. None of them has AVX-512.
fn switch_pext_off() -> Result<(), Box<dyn Error>> {
    #[cfg(all(feature = "fast", target_arch = "x86_64"))]
    {
        tautline::internal::scan::set_fast_pext(false);
        tautline::internal::scan::set_avx512(false);
        Ok(())
    }
    #[cfg(not(all(feature = "fast", target_arch = "x86_64")))]
    Err("this build of tautline never uses pext".into())
}

fn measured(arguments: &Arguments) -> Result<Report, Box<dyn Error>> {
    let wanted = |name: &str, filters: &[String]| {
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
    };
    let mut competitors = competitors::all();
    competitors.retain(|competitor| {
        competitor.name == BASELINE || wanted(competitor.name, &arguments.filter)
    });
    let scale = if arguments.smoke { Scale::Smoke } else { Scale::Part(arguments.scale) };
    let rounds = if arguments.smoke { 1 } else { arguments.rounds };

    if arguments.without_pext {
        switch_pext_off()?;
    }
    let mut report = Report::new(&mut competitors, rounds);
    report.provenance.push(("seed".to_owned(), arguments.seed.to_string()));
    if arguments.without_pext {
        report.provenance.push(("fast pext".to_owned(), "switched off".to_owned()));
    }
    // Only one input at a time is in memory.
    let mut measure = |corpus: &Corpus| {
        let counts = Some(corpus.counts);
        report.corpora.push(measure::measure(corpus, counts, &mut competitors, rounds));
    };
    for name in corpora::names().filter(|name| wanted(name, &arguments.corpus)) {
        let corpus = corpora::corpus(name, scale, arguments.seed);
        measure(&corpus.ok_or("a corpus of this name is there")?);
    }
    if wanted(recorded::NAME, &arguments.corpus) {
        measure(&recorded::corpus(scale)?);
    }
    let files = env::var_os("TAUTLINE_BENCH_FILES").unwrap_or_default();
    for path in env::split_paths(&files).filter(|path| !path.as_os_str().is_empty()) {
        let wire = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let corpus = Corpus { name: name.into(), wire, counts: Counts::default() };
        report.corpora.push(measure::measure(&corpus, None, &mut competitors, rounds));
    }
    if report.corpora.is_empty() {
        return Err("no corpus has such a name".into());
    }
    Ok(report)
}
