//! The measurements, as printed for programs.

use std::collections::BTreeMap;

use compare::competitors::{Answer, Competitor};
use serde::{Deserialize, Serialize};

use crate::provenance;

/// The complete report of one run.
#[derive(Serialize, Deserialize)]
pub struct Report {
    /// Processor, compiler, commit and the like, by name.
    pub provenance: Vec<(String, String)>,
    /// The versions of the compared packages, by name.
    pub versions: BTreeMap<String, String>,
    /// The number of rounds that the medians are taken over.
    pub rounds: u32,
    /// The competitors.
    pub competitors: Vec<About>,
    /// The inputs, with the numbers for each.
    pub corpora: Vec<Measured>,
}

/// The description of a competitor.
#[derive(Serialize, Deserialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// The work it does beyond the others, or leaves out.
    pub about: String,
    /// True if it does only a part of the work, as an upper limit.
    pub limit: bool,
    /// The faulty lines that it accepts as messages.
    pub accepts: Vec<String>,
}

/// An input, and the results of all competitors on it.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// The number of lines, without blank ones.
    pub lines: u64,
    /// The number of bytes, including newlines.
    pub bytes: usize,
    /// The numbers of each competitor, in the report's order.
    pub results: Vec<Numbers>,
}

/// The results of one competitor on one input.
#[derive(Serialize, Deserialize)]
pub struct Numbers {
    /// Its name.
    pub competitor: String,
    /// Bytes per nanosecond, by the median of the times.
    pub gigabytes_per_second: f64,
    /// Nanoseconds per line, by the median of the times.
    pub nanoseconds_per_message: f64,
    /// The speed relative to the baseline, by the medians.
    pub ratio: f64,
    /// The shortest and the longest time of a pass, in seconds.
    pub seconds: (f64, f64),
    /// The number of lines accepted as requests, notifications, results and errors.
    pub accepted: [u64; 4],
    /// The number of lines refused or, for a limit, not parsed.
    pub refused: u64,
}

impl Report {
    /// Creates the report of a run that has not measured anything yet.
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
