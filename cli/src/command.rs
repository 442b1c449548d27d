//! The command line: its subcommands, each with its arguments.

use clap::{Parser, Subcommand};

use crate::args::{AuditArgs, CheckArgs, CompletionsArgs, ExplainArgs, ManArgs};
use crate::probe::args::{PlayArgs, ProbeArgs};
use crate::replay::ReplayArgs;
#[cfg(target_os = "linux")]
use crate::tap::BoundArgs;
use crate::tap::TapArgs;

/// Checks JSON-RPC 2.0 and MCP messages, and explains each fault: the rule, the place, and the fix.
#[derive(Debug, Parser)]
#[command(name = "tautline", version, arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(CheckArgs),
    Audit(AuditArgs),
    Probe(ProbeArgs),
    #[command(hide = true)]
    ProbePlayer(PlayArgs),
    Tap(TapArgs),
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Bound(BoundArgs),
    Replay(ReplayArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}
