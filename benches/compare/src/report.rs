//! What was measured, as it is printed for programs.

use std::collections::BTreeMap;

use compare::competitors::{Answer, Competitor};
use serde::{Deserialize, Serialize};

use crate::provenance;

/// Everything about one run.
#[derive(Serialize, Deserialize)]
pub struct Report {
    /// Processor, compiler, commit and the like, by name.
    pub provenance: Vec<(String, String)>,
    /// The versions of those that are compared, by package.
    pub versions: BTreeMap<String, String>,
    /// How many rounds the medians are of.
    pub rounds: u32,
    /// Who was measured.
    pub competitors: Vec<About>,
    /// On what, and the numbers.
    pub corpora: Vec<Measured>,
}

/// What one has to know of a competitor.
#[derive(Serialize, Deserialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// What it does more than others, or less.
    pub about: String,
    /// Whether it does only a part of the work, as a limit for everybody.
    pub limit: bool,
    /// The faulty lines that it takes for messages.
    pub accepts: Vec<String>,
}

/// A wire, and what everybody made of it.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// How many lines it has, without blank ones.
    pub lines: u64,
    /// How many bytes, with the newlines.
    pub bytes: usize,
    /// The numbers of each competitor, in the report's order.
    pub results: Vec<Numbers>,
}

/// What one competitor made of one wire.
#[derive(Serialize, Deserialize)]
pub struct Numbers {
    /// Its name.
    pub competitor: String,
    /// Bytes per nanosecond, by the median of the times.
    pub gigabytes_per_second: f64,
    /// Nanoseconds per line, by the median of the times.
    pub nanoseconds_per_message: f64,
    /// How many times as fast as the baseline, by the medians.
    pub ratio: f64,
    /// The shortest and the longest time of a pass, in seconds.
    pub seconds: (f64, f64),
    /// How many lines it took for requests, notifications, results and errors.
    pub accepted: [u64; 4],
    /// How many lines it refused; of a limit, those that it did not look at.
    pub refused: u64,
}

impl Report {
    /// The report of a run that has not measured anything yet.
    pub fn new(competitors: &mut [Competitor], rounds: u32) -> Self {
        Self {
            provenance: provenance::provenance(),
            versions: provenance::versions(),
            rounds,
            competitors: competitors.iter_mut().map(About::of).collect(),
            corpora: Vec::new(),
        }
    }
}

impl About {
    fn of(competitor: &mut Competitor) -> Self {
        Self {
            name: competitor.name.to_owned(),
            about: competitor.about.to_owned(),
            limit: competitor.answer == Answer::Limit,
            accepts: competitor.accepts().into_iter().map(str::to_owned).collect(),
        }
    }
}
