//! `tautline`: applies the library's rules to recorded traffic.

#![forbid(unsafe_code)]

mod args;
mod audit;
mod audit_many;
mod audit_text;
mod audited;
mod baseline;
mod check;
mod check_document;
mod command;
mod config;
mod effect;
mod exit;
mod explain;
mod generate;
mod input;
mod output;
mod probe;
mod process;
mod rendering;
mod replacement;
mod replay;
mod report;
mod senders;
mod source;
mod summary;
mod tap;
mod text;
mod unpacked;

use std::process::ExitCode;

use clap::Parser;

use command::{Args, Command};

fn main() -> ExitCode {
    match Args::parse().command {
        Command::Check(args) => effect::run(&args, check::run),
        Command::Audit(args) => effect::run(&args, audit::run),
        Command::Probe(args) => effect::run(&args, probe::run),
        Command::ProbePlayer(args) => probe::player::run(&args),
        Command::Tap(args) => effect::run(&args, tap::run),
        #[cfg(target_os = "linux")]
        Command::Bound(args) => tap::run_bound(&args),
        Command::Replay(args) => effect::run(&args, replay::run),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
    }
}
