//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use tautline::{Revision, Rules};

/// Checks JSON-RPC 2.0 and MCP messages, and explains each fault: the rule, the place, and the fix.
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

/// Check recorded messages, one per line or in another framing
///
/// Exit code 0: the check found no errors. 1: it found errors. 2: it could not finish, and stderr gives the
/// reason. If the reader of the output goes away, the check stops silently with 1 if it has found errors, and
/// with 2 if not.
#[derive(Debug, Parser)]
pub struct CheckArgs {
    /// The rules that apply: those of JSON-RPC 2.0, LSP, or a revision of MCP
    #[arg(long, value_name = "RULES", default_value = "2025-11-25", value_parser = rules_parser())]
    pub rules: NamedRules,

    /// How messages are delimited: by newlines, by `Content-Length` headers as in LSP, as server-sent events,
    /// or as one JSON value after another
    #[arg(long, value_enum, default_value_t = Framing::Ndjson)]
    pub framing: Framing,

    /// The format of the report: text for people, or one JSON object per frame
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// The maximum length of a frame, in bytes, without its line end or header
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = tautline::frame::DEFAULT_LIMIT,
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    pub max_frame: u32,

    /// Do not check params, results and the data of errors against the schema of the revision
    #[arg(long)]
    pub no_shapes: bool,

    /// Print at most this many findings of each severity, and report how many are left out; `all` prints every one
    ///
    /// With --format text, the limit holds for the whole run, and for errors, warnings and notes one by one.
    /// Without this option, text shows the first 10 findings of the same kind in each file, and 1000 of each
    /// severity in total.
    ///
    /// With --format jsonl, every frame has its row, and the limit holds for each message. It is 100
    /// without this option.
    #[arg(long, value_name = "COUNT|all")]
    pub max_findings: Option<MaxFindings>,

    /// The files to check; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub files: Vec<PathBuf>,
}

/// Rules, and the name that selected them.
#[derive(Clone, Debug)]
pub struct NamedRules {
    pub name: String,
    pub rules: Rules,
    /// The revision of MCP, which has rules beyond those for envelopes.
    pub revision: Option<Revision>,
}

/// A limit on findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxFindings {
    AtMost(usize),
    All,
}

impl MaxFindings {
    /// Returns whether the limit admits one more finding after `count`.
    pub fn has_room(self, count: usize) -> bool {
        match self {
            Self::AtMost(most) => count < most,
            Self::All => true,
        }
    }
}

impl FromStr for MaxFindings {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self::All),
            _ => text.parse().map(Self::AtMost).map_err(|_| "expected a number or `all`"),
        }
    }
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
