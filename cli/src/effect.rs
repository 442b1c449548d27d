//! Options that have no effect beside the others: an error, because the user expects one.

use std::path::Path;
use std::process::ExitCode;

use tautline::frame::FramingKind;

use crate::args::{AuditArgs, CheckArgs, ReportArgs, is_stdout};
use crate::exit::{FAILED, Stopped, conclude};
use crate::probe::args::{ProbeArgs, ProbeFormat};
use crate::replay::ReplayArgs;
use crate::tap::TapArgs;

/// The arguments of a command, which may have options without an effect.
pub trait Effect {
    /// Returns why an option has no effect, if one has none.
    fn no_effect(&self) -> Option<String>;
}

/// Runs a command, if all its options have an effect.
pub fn run<A: Effect>(args: &A, command: impl FnOnce(&A) -> ExitCode) -> ExitCode {
    match args.no_effect() {
        Some(why) => conclude(Err(Stopped::Said(why)), "", FAILED),
        None => command(args),
    }
}

/// Returns the first sentence whose condition holds.
fn first<const N: usize>(table: [(bool, &str); N]) -> Option<String> {
    table.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why.to_owned())
}

impl Effect for CheckArgs {
    fn no_effect(&self) -> Option<String> {
        let is_mcp = self.rules.revision.is_some();
        let never_lost = matches!(self.framing, FramingKind::Ndjson | FramingKind::Sse);
        first([
            (
                self.no_shapes && !is_mcp,
                "--no-shapes has no effect: only the rules of a revision of MCP have a schema",
            ),
            (
                self.side.is_some() && !is_mcp,
                "--side has no effect: only the methods of MCP show who has sent a message of a log",
            ),
            (
                self.resync && never_lost,
                "--resync has no effect: only --framing content-length and concatenated can lose their place",
            ),
        ])
    }
}

impl Effect for AuditArgs {
    fn no_effect(&self) -> Option<String> {
        self.report.no_effect()
    }
}

impl Effect for ReportArgs {
    fn no_effect(&self) -> Option<String> {
        one_writer(
            self.format.is_some(),
            self.output.iter().map(|output| (output.format.name(), &*output.file)),
        )
    }
}

impl Effect for ReplayArgs {
    fn no_effect(&self) -> Option<String> {
        self.report.no_effect()
    }
}

impl Effect for TapArgs {
    fn no_effect(&self) -> Option<String> {
        let is_recorded = self.record.is_some();
        #[cfg(feature = "http")]
        if self.max_body.is_some() && !self.live && !is_recorded {
            let why = "--max-body has no effect: without --record and --live, tap keeps nothing";
            return Some(why.to_owned());
        }
        first([
            (
                self.rules.is_some() && !self.live,
                "--rules has no effect: only --live judges messages; `tautline audit` judges a record",
            ),
            (
                self.limit.max_frame.is_some() && !self.live && self.redact.is_empty(),
                "--max-frame has no effect: only --live and --redact look for messages",
            ),
            (
                self.framing.is_some() && !self.live && !is_recorded,
                "--framing has no effect: without --record and --live, tap passes on bytes of any kind",
            ),
        ])
    }
}

impl Effect for ProbeArgs {
    fn no_effect(&self) -> Option<String> {
        let shows_text = self.format() == ProbeFormat::Text
            || self.output.iter().any(|(format, _)| *format == ProbeFormat::Text);
        let dry = self.dry_run;
        first([
            (dry && self.format.is_some(), "--format has no effect: --dry-run writes no report"),
            (dry && !self.output.is_empty(), "--output has no effect: --dry-run writes no report"),
            (dry && self.verbose, "--verbose has no effect: --dry-run lists all cases"),
            (dry && self.strict, "--strict has no effect: --dry-run judges nothing"),
            (dry && self.timeout.is_some(), "--timeout has no effect: --dry-run starts nothing"),
            (
                dry && self.time_limit.is_some(),
                "--time-limit has no effect: --dry-run starts nothing",
            ),
            (
                dry && self.baseline.baseline.is_some(),
                "--baseline has no effect: --dry-run judges nothing",
            ),
            (
                dry && self.baseline.write_baseline.is_some(),
                "--write-baseline has no effect: --dry-run judges nothing",
            ),
            (
                self.all_revisions && !self.rules.is_empty(),
                "--all-revisions has no effect: each revision of --rules gets all its cases",
            ),
            (
                self.verbose && !shows_text,
                "--verbose has no effect: only a report in text leaves out cases",
            ),
        ])
        .or_else(|| {
            let outputs = self.output.iter().map(|(format, file)| (format.name(), &**file));
            one_writer(self.format.is_some(), outputs)
        })
    }
}

/// Returns why there would be two reports on standard output, if there would be.
fn one_writer<'a>(
    has_format: bool,
    outputs: impl Iterator<Item = (&'static str, &'a Path)>,
) -> Option<String> {
    let mut on_stdout = outputs.filter(|(_, file)| is_stdout(file)).map(|(format, _)| format);
    let first = on_stdout.next()?;
    let other = match on_stdout.next() {
        Some(second) => format!("--output {second}=-"),
        None if has_format => "--format".to_owned(),
        None => return None,
    };
    Some(format!(
        "--output {first}=- and {other} would both write to standard output; leave one out, or name a file"
    ))
}
