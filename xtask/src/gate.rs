//! The steps of the gate and of the long campaigns, by their names.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::steps::*;
use crate::tools::Tools;

/// A check with a name.
pub struct Step {
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    pub run: fn(&Tools) -> Result<()>,
    /// Where it is done.
    pub lane: Lane,
    /// Whether it needs the packages that `.ci/setup` installs. Without them, it runs on every operating system.
    pub needs_packages: bool,
    /// Whether `--bless` makes it write committed files.
    pub blesses: bool,
}

/// Steps of different lanes run beside each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// In the shared target folder, which one cargo at a time can build in.
    Shared,
    /// In a target folder of its own, or mostly waiting.
    Apart,
}

impl Step {
    const fn new(name: &'static str, about: &'static str, run: fn(&Tools) -> Result<()>) -> Self {
        Self { name, about, run, lane: Lane::Shared, needs_packages: false, blesses: false }
    }

    const fn apart(mut self) -> Self {
        self.lane = Lane::Apart;
        self
    }

    const fn needs_packages(mut self) -> Self {
        self.needs_packages = true;
        self
    }

    const fn blesses(mut self) -> Self {
        self.blesses = true;
        self
    }
}

/// What must hold before a change is merged. Within a lane, the steps run in this order.
pub const GATE: &[Step] = &[
    Step::new("format", "every package is formatted", rust::format),
    Step::new("msrv", "no dependency needs a newer Rust", msrv::msrv),
    Step::new("api", "the public API is as listed", api::api).needs_packages().blesses(),
    Step::new("features", "each compiles, and none changes a verdict", feature_table::features),
    Step::new("memory", "the command line needs little of it", limits::memory).needs_packages(),
    Step::new("progress", "the progress bar is nearly free", limits::progress).needs_packages(),
    Step::new("reports", "independent readers take the reports", reports::reports).needs_packages(),
    Step::new("linear", "work is linear, in instructions", counts::linear).needs_packages(),
    Step::new("fallbacks", "no healthy line is scanned twice", counts::fallbacks)
        .apart()
        .needs_packages(),
    Step::new("instructions", "no more instructions than before", counts::instructions)
        .needs_packages()
        .blesses(),
    Step::new("fuzz", "each fuzz target for some seconds", fuzz::smoke).apart().needs_packages(),
];

/// The long campaigns.
pub const FULL: &[Step] = &[
    Step::new("sabotage", "each rule of scanning in windows is removed", sabotage::sabotage)
        .apart()
        .needs_packages(),
    Step::new("feature-pairs", "no two features change a verdict", verdicts::pairs),
    Step::new("fuzz-long", "each fuzz target ten million times", fuzz::long)
        .apart()
        .needs_packages(),
];

/// Returns the steps with these names, or all if there are none.
///
/// # Errors
///
/// Fails if a name is unknown, or if a named step is not portable and only portable ones are wanted.
pub fn choose(
    all: &'static [Step],
    names: &[String],
    is_portable: bool,
) -> Result<Vec<&'static Step>> {
    if names.is_empty() {
        return Ok(all.iter().filter(|step| !is_portable || !step.needs_packages).collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let step = all.iter().find(|step| step.name == name);
        let step =
            step.with_context(|| format!("there is no step `{name}`; `--list` prints them"))?;
        if is_portable && step.needs_packages {
            bail!("the step `{name}` needs packages of a Linux distribution");
        }
        chosen.push(step);
    }
    Ok(chosen)
}

/// Runs a step in this process.
///
/// # Errors
///
/// Fails if the step does, or if there is none with this name.
pub fn run_step(name: &str, bless: bool) -> Result<ExitCode> {
    let step = GATE.iter().chain(FULL).find(|step| step.name == name).context("no such step")?;
    (step.run)(&Tools::new(bless)?)?;
    Ok(ExitCode::SUCCESS)
}
