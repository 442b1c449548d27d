//! The arguments of `tautline probe`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Parser, ValueEnum};
use tautline_mcp::Revision;

#[cfg(feature = "http")]
use super::http::{header_line, url::Url};
use crate::args::{BaselineArgs, is_stdout};

/// Test a server or a client with the conformance corpus
///
/// Starts a server that speaks over its standard input and output, and finds out which revisions of MCP it speaks. Then
/// it runs the cases of the corpus about these revisions. Each case is right, acceptable (implementations differ
/// harmlessly), wrong, or skipped. With --client, the roles are swapped.
///
/// Exit code 0: no case is wrong, apart from what a baseline accepts. 1: some are, or the baseline accepts faults that
/// no longer occur. 2: the command could not be tested to the end, and stderr gives the reason.
#[derive(Debug, Parser)]
#[command(after_help = examples())]
pub struct ProbeArgs {
    /// Test only this revision, if the peer speaks it; may be given several times
    #[arg(long, value_name = "REVISION", value_parser = revisions())]
    pub rules: Vec<String>,

    /// Run each case in every revision that the peer speaks, and not only in the latest one
    ///
    /// Without this option, an earlier revision gets only the cases that the later ones do not have. --rules chooses
    /// revisions, and each of them gets all its cases.
    #[arg(long)]
    pub all_revisions: bool,

    /// Run only the cases of requirements that share one session, for at most 20 seconds
    ///
    /// The peer has 1 second for an answer, unless --timeout says otherwise.
    #[arg(long, conflicts_with = "all_revisions")]
    pub quick: bool,

    /// Run only this case, or all that match a pattern such as `request-*`; may be given several times
    #[arg(long, value_name = "ID")]
    pub case: Vec<String>,

    /// Count acceptable as wrong
    #[arg(long)]
    pub strict: bool,

    /// The time that the peer has for an answer, in seconds [default: 5, or 1 with --quick]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// The time for the whole probe, in seconds; after that, the other cases are skipped, and the exit code is 2 if it
    /// is not 1
    /// [default: 1800, or 19 with --quick]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<Duration>,

    /// List the cases that would run, and start nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Test a client: it is started once for each case, with the command of a server that misbehaves as its last arguments
    #[arg(long)]
    pub client: bool,

    /// The format of the report on standard output [default: text]
    #[arg(long, value_enum)]
    pub format: Option<ProbeFormat>,

    /// Write a report of this format into a file; may be given several times
    ///
    /// The file - is the standard output. Then the report takes the place of that of --format.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output_file)]
    pub output: Vec<(ProbeFormat, PathBuf)>,

    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Show all cases, and not only wrong ones
    #[arg(long, short)]
    pub verbose: bool,

    /// Test the server at this address, over Streamable HTTP
    ///
    /// The server must run already. Addresses that begin with https need a build with the feature `tls`.
    #[cfg(feature = "http")]
    #[arg(long, value_name = "URL", value_parser = Url::parse, conflicts_with_all = ["client", "command"])]
    pub url: Option<Url>,

    /// With --client: the client speaks Streamable HTTP, and the address of the server is its last argument
    #[cfg(feature = "http")]
    #[arg(long, requires = "client", conflicts_with = "url")]
    pub http: bool,

    /// With --url: add this header to each request, as in `Authorization: Bearer TOKEN`; may be given several times
    ///
    /// Reports do not show it.
    #[cfg(feature = "http")]
    #[arg(long, value_name = "NAME: VALUE", value_parser = header_line, requires = "url")]
    pub header: Vec<String>,

    /// The command that starts the peer
    #[cfg_attr(
        feature = "http",
        arg(last = true, value_name = "COMMAND", required_unless_present_any = ["dry_run", "url"])
    )]
    #[cfg_attr(
        not(feature = "http"),
        arg(last = true, value_name = "COMMAND", required_unless_present = "dry_run")
    )]
    pub command: Vec<OsString>,
}

impl ProbeArgs {
    /// Returns whether the peer speaks HTTP.
    #[cfg(feature = "http")]
    pub const fn is_over_http(&self) -> bool {
        self.url.is_some() || self.http
    }

    /// Returns whether the peer speaks HTTP.
    #[cfg(not(feature = "http"))]
    pub const fn is_over_http(&self) -> bool {
        false
    }

    /// Returns the time that the peer has for an answer.
    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(if self.quick { 1 } else { 5 }))
    }

    /// Returns the time for all cases.
    pub fn time_limit(&self) -> Duration {
        self.time_limit.unwrap_or(Duration::from_secs(if self.quick { 19 } else { 1800 }))
    }

    /// Returns the format of the report on standard output.
    pub fn format(&self) -> ProbeFormat {
        let on_stdout = self.output.iter().find(|(_, file)| is_stdout(file));
        on_stdout.map(|(format, _)| *format).or(self.format).unwrap_or(ProbeFormat::Text)
    }
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeFormat {
    /// For people: a table, and each wrong case
    Text,
    /// For CI servers
    Junit,
    /// For programs: a document
    Json,
    /// For people: one file without any network
    Html,
}

impl ProbeFormat {
    /// Returns the name, as on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Junit => "junit",
            Self::Json => "json",
            Self::Html => "html",
        }
    }
}

/// Play the server of a case, for the client that `tautline probe --client` tests
#[derive(Debug, Parser)]
pub struct PlayArgs {
    /// The case; without one, the server makes no mistake
    #[arg(long, value_name = "ID")]
    pub case: Option<String>,

    /// The revision that the server speaks
    #[arg(long, value_name = "REVISION", value_parser = revisions())]
    pub revision: String,

    /// The log file for the probe
    #[arg(long, value_name = "FILE")]
    pub log: PathBuf,
}

fn examples() -> String {
    let over_http = match cfg!(feature = "http") {
        true => {
            "\n  tautline probe --url http://127.0.0.1:8080/mcp\n  tautline probe --client --http -- python3 client.py"
        }
        false => "",
    };
    format!(
        "\
Examples:
  tautline probe -- python3 server.py
  tautline probe --rules 2025-11-25 --case 'request-id-*' --verbose -- node server.js
  tautline probe --strict --output junit=probe.xml --output html=probe.html -- ./server
  tautline probe --write-baseline known.json -- ./server
  tautline probe --baseline known.json -- ./server{over_http}
  tautline probe --client -- python3 client.py
  tautline probe --dry-run"
    )
}

fn revisions() -> PossibleValuesParser {
    PossibleValuesParser::new(Revision::ALL.iter().map(|revision| revision.name()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let longest = Duration::from_secs(24 * 60 * 60);
    seconds
        .filter(|&time| time >= Duration::from_millis(10) && time <= longest)
        .ok_or_else(|| "expected a number of seconds, from 0.01 to a day".to_owned())
}

fn output_file(text: &str) -> Result<(ProbeFormat, PathBuf), String> {
    let (format, file) =
        text.split_once('=').ok_or("expected a format, = and a file, as in html=probe.html")?;
    let format = ProbeFormat::from_str(format, false).map_err(|_| {
        format!("there is no format `{format}`; expected text, junit, json or html")
    })?;
    if file.is_empty() {
        return Err("the name of the file is missing".to_owned());
    }
    Ok((format, PathBuf::from(file)))
}
