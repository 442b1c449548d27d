//! `tautline check`: validates every frame of every file and reports the findings.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tautline::frame::FramingKind;
use tautline::stream::Received;
use tautline_audit::format::jsonl;
use tautline_audit::frame::{FrameReport, MaxFindings, Piece, Reporter};
use tautline_audit::judge::OneSide;
use tautline_audit::wire::{Around, Totals, Wire};

use crate::args::{CheckArgs, CheckFormat};
use crate::exit::{CLEAN, ERRORS, FAILED};
use crate::input::{AT_ONCE, Input, complain, name_of, read, reason};
use crate::output::{Audience, Output};
use crate::summary::Summary;
use crate::text::{Origin, Shown, Text};

/// The reason why the check of an input ended early.
enum Stopped {
    /// The input could not be read.
    Reading(io::Error),
    /// The report could not be written.
    Writing(io::Error),
}

/// The limit on the findings of each message in a row of `--format jsonl`, without `--max-findings`. It also bounds
/// the findings kept in memory.
const MOST_OF_MESSAGE: MaxFindings = MaxFindings::AtMost(100);

pub fn run(args: &CheckArgs) -> ExitCode {
    let audience = match args.format {
        CheckFormat::Text => Audience::People,
        CheckFormat::Jsonl => Audience::Programs,
    };
    let (out, style) = Output::stdout(audience);
    let text = Text::new(style, args.max_findings);
    let summary = Summary::default();
    let mut check = Check { args, out, text, summary, failed: false };
    ExitCode::from(match check.all() {
        Ok(code) => code,
        // The reader has closed the pipe, as in `tautline check ... | head -1`. The rest of the input may still contain
        // errors.
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
                    complain(format_args!("cannot read {}: {}", name_of(path), reason(&error)));
                }
            }
        }
        if self.args.format == CheckFormat::Text && read > 0 {
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
        let name = name_of(path);
        self.out.share_terminal(input.progress());
        let totals = self.frames(&name, input);
        if let Err(Stopped::Writing(_)) = totals {
            return totals;
        }
        let origin = Origin::Log { path: &name, framing: self.args.framing };
        self.text.end_file(&mut self.out, &name, origin.unit()).map_err(Stopped::Writing)?;
        totals
    }

    /// Reads to the end, or until the framing is desynchronised.
    fn frames(&mut self, name: &str, mut input: Input) -> Result<Totals, Stopped> {
        let Self { args, .. } = *self;
        let (profile, revision) = (args.rules.profile, args.rules.revision);
        let mut judge = match args.no_shapes {
            true => OneSide::new(profile, revision),
            false => OneSide::with_payloads(profile, revision),
        };
        let mut wire = Wire::new(args.framing, args.limit.max_frame, &profile);
        let mut room = vec![0; AT_ONCE];
        let limit = args.max_findings.unwrap_or(MOST_OF_MESSAGE);
        let mut reporter = Reporter::new(args.framing, limit);
        let mut handle = |event: Received<'_>, around: &Around<'_>| {
            self.event(name, &event, &mut judge, &mut reporter, around)
        };
        loop {
            let read = read(&mut input, &mut room).map_err(Stopped::Reading)?;
            let bytes = room.get(..read).unwrap_or_default();
            if bytes.is_empty() || !wire.push(bytes, &mut handle).map_err(Stopped::Writing)? {
                break;
            }
        }
        wire.finish(&mut handle).map_err(Stopped::Writing)?;
        if let Some(report) = reporter.end(wire.other_fields()) {
            self.report(name, Shown::Stream, &report).map_err(Stopped::Writing)?;
        }
        Ok(wire.totals())
    }

    fn event(
        &mut self,
        name: &str,
        event: &Received<'_>,
        judge: &mut OneSide,
        reporter: &mut Reporter,
        around: &Around<'_>,
    ) -> io::Result<()> {
        match event.frame() {
            Some(frame) => {
                let piece = Piece::of_frame(frame);
                let mut report = reporter.frame(&piece, judge, around.behind);
                if self.args.framing == FramingKind::Sse {
                    report.lines_were_joined(frame.bytes());
                }
                self.report(name, Shown::Frame(frame.bytes()), &report)
            }
            None => {
                let Some(report) = reporter.event(event, &self.args.rules.profile, around) else {
                    return Ok(());
                };
                let text = [around.since, around.behind].concat();
                let shown = match event {
                    Received::Desynchronised(_) => {
                        let at = report.offset.saturating_sub(around.start);
                        let at = usize::try_from(at).unwrap_or(usize::MAX);
                        Shown::Behind(text.get(at..).unwrap_or_default())
                    }
                    _ => Shown::Length,
                };
                self.report(name, shown, &report)
            }
        }
    }

    fn report(&mut self, name: &str, shown: Shown<'_>, report: &FrameReport<'_>) -> io::Result<()> {
        let framing = self.args.framing;
        self.summary.count(report);
        let out = &mut self.out;
        match self.args.format {
            CheckFormat::Text => {
                let origin = Origin::Log { path: name, framing };
                self.text.print(out, &origin, shown, report)
            }
            CheckFormat::Jsonl => jsonl::write(out, report),
        }?;
        self.out.end_report()
    }
}
