//! `tautline`: the library's rules applied to a recorded wire.

#![forbid(unsafe_code)]

mod args;
mod check;
mod excerpt;
mod finding;
mod input;
mod jsonl;
mod report;
mod summary;
mod text;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    let Args { command: Command::Check(args) } = Args::parse();
    check::run(&args)
}
