//! `tautline`: applies the library's rules to recorded traffic.

#![forbid(unsafe_code)]

mod args;
mod check;
mod excerpt;
mod finding;
mod findings;
mod input;
mod jsonl;
mod output;
mod pending;
mod report;
mod summary;
mod text;
mod visible;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    let Args { command: Command::Check(args) } = Args::parse();
    check::run(&args)
}
