//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use tautline::{Revision, Rules};

/// Says what every frame of a JSON-RPC 2.0 or MCP wire is, or what is wrong with it, and where.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(CheckArgs),
}

/// Check recorded messages, one a line or in another framing
///
/// Exit code 0: nothing of severity error was found. 1: errors were found. 2: the check could not
/// run, and stderr says why.
#[derive(Debug, Parser)]
pub struct CheckArgs {
    /// What the messages are held to: JSON-RPC 2.0, LSP, or a revision of MCP
    #[arg(long, value_name = "RULES", default_value = "2025-11-25", value_parser = rules_parser())]
    pub rules: NamedRules,

    /// Where on the wire a message begins and ends: a line each, behind headers as in LSP, as the data of
    /// server-sent events, or one JSON value behind the other
    #[arg(long, value_enum, default_value_t = Framing::Ndjson)]
    pub framing: Framing,

    /// How to print what is found: for people, or as one JSON object a frame
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// The longest frame that is taken, in bytes, without its line end or header
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = tautline::frame::DEFAULT_LIMIT,
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    pub max_frame: u32,

    /// The files to check; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub files: Vec<PathBuf>,
}

/// Rules, and the name they were asked for by.
#[derive(Clone, Debug)]
pub struct NamedRules {
    pub name: String,
    pub rules: Rules,
    /// The revision of MCP, which asks for more than its rules for envelopes.
    pub revision: Option<Revision>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Framing {
    Ndjson,
    ContentLength,
    Sse,
    Concatenated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Jsonl,
}

fn rules_parser() -> impl TypedValueParser<Value = NamedRules> {
    let revisions = Revision::ALL.iter().map(|revision| revision.name());
    let names = ["jsonrpc", "lsp"].into_iter().chain(revisions);
    PossibleValuesParser::new(names).try_map(|name| {
        let (rules, revision) = match name.as_str() {
            "jsonrpc" => (Rules::JSON_RPC, None),
            "lsp" => (Rules::LSP, None),
            revision => {
                let revision: Revision = revision.parse()?;
                (revision.rules(), Some(revision))
            }
        };
        Ok::<_, tautline::mcp::UnknownRevision>(NamedRules { name, rules, revision })
    })
}
