//! Runs every check of the project, by its name.
//!
//! `cargo xtask gate` runs the checks that must pass before a change is merged. `cargo xtask full` runs the long
//! campaigns. Both take names of steps, and `--list` prints them.

mod callgrind;
mod gate;
mod metadata;
mod schedule;
mod steps;
mod tools;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::gate::{FULL, GATE, Step};
use crate::schedule::{Plan, Took};

/// Runs the checks of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs every step of the gate, or the steps with these names.
    Gate(Selection),
    /// Runs every long campaign, or the ones with these names. All of them take hours.
    Full(Selection),
    /// Runs one step in this process, whose environment must be clean.
    #[command(hide = true)]
    Step {
        name: String,
        #[arg(long)]
        bless: bool,
    },
}

#[derive(Args)]
struct Selection {
    /// The names of steps.
    steps: Vec<String>,
    /// Prints the steps, one per line, and runs none.
    #[arg(long)]
    list: bool,
    /// Rewrites the committed figures and listings instead of comparing them.
    #[arg(long)]
    bless: bool,
    /// Runs only the steps that need nothing but the stable toolchain, and so run on every operating system.
    #[arg(long)]
    portable: bool,
    /// Runs one step at a time, to measure each.
    #[arg(long)]
    one_by_one: bool,
    /// Runs the other steps, too, after one has failed.
    #[arg(long)]
    keep_going: bool,
    /// Adds a row to the table of times.
    #[arg(long, value_name = "NAME=SECONDS", value_parser = Took::parse)]
    took: Vec<Took>,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Gate(selection) => run(GATE, selection),
        Command::Full(selection) => run(FULL, selection),
        Command::Step { name, bless } => gate::run_step(&name, bless),
    };
    result.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(all: &'static [Step], selection: Selection) -> anyhow::Result<ExitCode> {
    let steps = gate::choose(all, &selection.steps, selection.portable)?;
    if selection.list {
        steps.iter().for_each(|step| println!("{:<18} {}", step.name, step.about));
        return Ok(ExitCode::SUCCESS);
    }
    let Selection { bless, one_by_one, keep_going, took, .. } = selection;
    anyhow::ensure!(
        !bless || steps.iter().any(|step| step.blesses),
        "none of these steps writes anything, so there is nothing to bless"
    );
    if steps.iter().any(|step| !step.is_portable) {
        tools::set_up()?;
    }
    let workers = if one_by_one { 1 } else { 3 };
    let command = if bless { schedule::this_program_blessing } else { schedule::this_program };
    Plan { steps, workers, keep_going, command }.run(took)
}
