//! `tautline check`: validates every frame of every file and reports the findings.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tautline::envelope::Skimmer;
use tautline::frame::FrameEvent;

use crate::args::{CheckArgs, Format, Framing, MaxFindings};
use crate::input::{Input, Stopped, Totals, complain};
use crate::jsonl;
use crate::output::Output;
use crate::pending::Pending;
use crate::report::FrameReport;
use crate::summary::Summary;
use crate::text::{Shown, Text};
use crate::visible::printable;

/// No finding has severity error.
const CLEAN: u8 = 0;
/// Errors were found.
const ERRORS: u8 = 1;
/// The check could not run to the end.
const FAILED: u8 = 2;

/// The limit on the findings of each message in a row of `--format jsonl`, without `--max-findings`. It also bounds
/// the findings kept in memory.
const MOST_OF_MESSAGE: MaxFindings = MaxFindings::AtMost(100);

pub fn run(args: &CheckArgs) -> ExitCode {
    let (out, style) = Output::stdout(args.format);
    let text = Text::new(style, args.max_findings);
    let summary = Summary::default();
    let mut check = Check { args, out, text, summary, pending: None, failed: false };
    ExitCode::from(match check.all() {
        Ok(code) => code,
        // The reader has seen enough: `tautline check ... | head -1`. The rest of the input may still contain errors.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => match check.code() {
            CLEAN => FAILED,
            code => code,
        },
        Err(error) => {
            complain(format_args!("cannot write what was found: {error}"));
            FAILED
        }
    })
}

struct Check<'args> {
    args: &'args CheckArgs,
    out: Output,
    text: Text,
    summary: Summary,
    /// The requests of this file that wait for a response, if payloads are checked.
    pending: Option<Pending>,
    /// True if an input could not be read.
    failed: bool,
}

impl Check<'_> {
    fn all(&mut self) -> io::Result<u8> {
        let start = Instant::now();
        let mut read = 0;
        for path in &self.args.files {
            match self.file(path) {
                Ok(totals) => {
                    read += 1;
                    self.summary.add(totals);
                }
                Err(Stopped::Writing(error)) => return Err(error),
                Err(Stopped::Reading(error)) => {
                    self.failed = true;
                    self.out.flush()?;
                    let name = printable(path.to_string_lossy().as_bytes());
                    complain(format_args!("cannot read {name}: {}", reason(&error)));
                }
            }
        }
        if self.args.format == Format::Text && read > 0 {
            self.text.end(&mut self.out)?;
            self.summary.write(&mut self.out, start.elapsed(), &self.args.rules.name)?;
        }
        self.out.flush()?;
        Ok(self.code())
    }

    fn code(&self) -> u8 {
        match (self.failed, self.summary.has_errors()) {
            (true, _) => FAILED,
            (false, true) => ERRORS,
            (false, false) => CLEAN,
        }
    }

    fn file(&mut self, path: &Path) -> Result<Totals, Stopped> {
        let input = Input::open(path).map_err(Stopped::Reading)?;
        let name = match path.to_str() {
            Some("-") => "<stdin>".to_owned(),
            _ => printable(path.to_string_lossy().as_bytes()),
        };
        self.out.share_terminal(input.progress());
        let (framing, limit) = (self.args.framing, self.args.max_frame);
        let rules = &self.args.rules.rules;
        self.pending = (!self.args.no_shapes).then(Pending::default);
        let totals = input.for_each(framing, limit, rules, |event, skimmer, behind| {
            self.event(&name, event, skimmer, behind)
        });
        if let Err(Stopped::Writing(_)) = totals {
            return totals;
        }
        self.text.end_file(&mut self.out, &name, framing).map_err(Stopped::Writing)?;
        totals
    }

    fn event(
        &mut self,
        name: &str,
        event: FrameEvent<'_>,
        skimmer: &mut Skimmer,
        behind: &[u8],
    ) -> io::Result<()> {
        let rules = &self.args.rules;
        let limit = self.args.max_findings.unwrap_or(MOST_OF_MESSAGE);
        let (shown, report) = match event {
            FrameEvent::Frame(frame) => {
                let pending = self.pending.as_mut();
                let mut report = FrameReport::of_frame(frame, rules, pending, limit);
                if self.args.framing == Framing::Sse {
                    report.lines_were_joined(frame.bytes());
                }
                (Shown::Frame(frame.bytes()), report)
            }
            FrameEvent::Oversized(oversized) => {
                let skimmed = skimmer.finish();
                let report = FrameReport::of_oversized(&oversized, &skimmed, &rules.rules, limit);
                (Shown::Length, report)
            }
            FrameEvent::Unfinished(unfinished) => {
                (Shown::Length, FrameReport::of_unfinished(&unfinished, limit))
            }
            FrameEvent::Desynchronised(lost) => {
                (Shown::Behind(behind), FrameReport::of_desynchronised(&lost, limit))
            }
            // A later version of the library may have more events.
            _ => return Ok(()),
        };
        self.summary.count(&report);
        let (out, framing) = (&mut self.out, self.args.framing);
        match self.args.format {
            Format::Text => self.text.print(out, name, framing, shown, &report),
            Format::Jsonl => jsonl::print(out, &report),
        }?;
        self.out.end_report()
    }
}

/// Returns the reason why a file could not be read, and what to do about it.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "it is a directory; name the files in it".to_owned(),
        io::ErrorKind::OutOfMemory => "there is not enough memory; lower --max-frame".to_owned(),
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}
