//! The arguments of `tautline replay`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use tautline::frame::FramingKind;

use crate::args::ReportArgs;
use crate::source::SourceArgs;

/// Send the client's side of a recording to a server, and audit the answers
///
/// Sends the recorded bytes, in their pieces, and closes the server's input at the end. Each message waits
/// until the server has sent the answers that precede it in the recording.
///
/// Exit code 0: the audit found no errors. 1: it found errors, or the baseline accepts findings that no longer
/// occur. 2: the recording was not sent to its end, or the audit could not finish, and stderr gives the reason.
/// If a signal interrupts it, it ends the server and then itself by the same signal.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  tautline replay session.jsonl -- python3 server.py
  tautline replay session.jsonl --pauses recorded --record again.jsonl -- ./server
  tautline replay session.jsonl --output html=report.html -- ./server
  tautline replay lsp-trace.log -- rust-analyzer")]
pub struct ReplayArgs {
    /// The pauses between messages: as recorded, or none
    #[arg(long, value_enum, value_name = "PAUSES", default_value_t = Pauses::None)]
    pub pauses: Pauses,

    /// The seconds to wait for an answer that the recording has, and at each step of the server's shutdown
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,

    /// Record the new session in this file, which is overwritten
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    #[command(flatten)]
    pub source: SourceArgs,

    /// How the server delimits its messages, if not as in the recording
    ///
    /// By default, the server gets the bytes of the recording in their own framing. A log of messages without bytes
    /// does not show their framing: that of a language client gets `Content-Length` headers, and others get lines.
    #[arg(long, value_name = "FRAMING", value_parser = stdio_framing_parser())]
    pub framing: Option<FramingKind>,

    #[command(flatten)]
    pub report: ReportArgs,

    /// The recording
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,

    /// The command that starts the server, with its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pauses {
    Recorded,
    None,
}

/// Returns the parser for framings on standard input and output, which exclude server-sent events.
fn stdio_framing_parser() -> impl TypedValueParser<Value = FramingKind> {
    let kinds = FramingKind::ALL.iter().filter(|&&kind| kind != FramingKind::Sse);
    PossibleValuesParser::new(kinds.map(|kind| kind.name()))
        .try_map(|name| name.parse::<FramingKind>())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn seconds_may_have_a_fraction() {
        assert_eq!(seconds("0.5").unwrap().as_millis(), 500);
        assert!(seconds("-1").is_err() && seconds("soon").is_err() && seconds("NaN").is_err());
    }
}
