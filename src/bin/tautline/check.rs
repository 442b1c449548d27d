//! `tautline check`: every frame of every file, judged and reported.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tautline::envelope::Skimmer;
use tautline::frame::FrameEvent;

use crate::args::{CheckArgs, Format, Framing};
use crate::excerpt::printable;
use crate::input::{Input, Stopped, Totals, complain};
use crate::report::FrameReport;
use crate::summary::Summary;
use crate::text::Shown;
use crate::{jsonl, text};

/// Nothing of severity error was found.
const CLEAN: u8 = 0;
/// Errors were found.
const ERRORS: u8 = 1;
/// The check could not run, or not to the end.
const FAILED: u8 = 2;

pub fn run(args: &CheckArgs) -> ExitCode {
    let out: Box<dyn Write> = match args.format {
        // Colours are for terminals, unless `NO_COLOR` says otherwise: anstream strips them elsewhere.
        Format::Text => Box::new(anstream::stdout().lock()),
        // JSON is not to be touched by anybody who looks for colours in it.
        Format::Jsonl => Box::new(io::stdout().lock()),
    };
    let mut check =
        Check { args, out: BufWriter::new(out), summary: Summary::default(), failed: false };
    ExitCode::from(match check.all() {
        Ok(code) => code,
        // Whoever was reading has seen enough: `tautline check ... | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => check.code(),
        Err(error) => {
            complain(format_args!("cannot write what was found: {error}"));
            FAILED
        }
    })
}

struct Check<'args, W: Write> {
    args: &'args CheckArgs,
    out: W,
    summary: Summary,
    /// An input could not be read.
    failed: bool,
}

impl<W: Write> Check<'_, W> {
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
            let summary = self.summary.after(start.elapsed(), &self.args.rules.name);
            write!(self.out, "{summary}")?;
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
        let (framing, limit) = (self.args.framing, self.args.max_frame);
        let rules = &self.args.rules.rules;
        input.for_each(framing, limit, rules, |event, skimmer, behind| {
            self.event(&name, event, skimmer, behind)
        })
    }

    fn event(
        &mut self,
        name: &str,
        event: FrameEvent<'_>,
        skimmer: &mut Skimmer,
        behind: &[u8],
    ) -> io::Result<()> {
        let rules = &self.args.rules;
        let (shown, report) = match event {
            FrameEvent::Frame(frame) => {
                let mut report = FrameReport::of_frame(frame, rules);
                if self.args.framing == Framing::Sse {
                    report.lines_were_joined(frame.bytes());
                }
                (Shown::Frame(frame.bytes()), report)
            }
            FrameEvent::Oversized(oversized) => {
                let skimmed = skimmer.finish();
                (Shown::Length, FrameReport::of_oversized(&oversized, &skimmed, &rules.rules))
            }
            FrameEvent::Unfinished(unfinished) => {
                (Shown::Length, FrameReport::of_unfinished(&unfinished))
            }
            FrameEvent::Desynchronised(lost) => {
                (Shown::Behind(behind), FrameReport::of_desynchronised(&lost))
            }
            // The library may come to know of more than there is today.
            _ => return Ok(()),
        };
        self.summary.count(&report);
        match self.args.format {
            Format::Text => text::print(&mut self.out, name, self.args.framing, shown, &report),
            Format::Jsonl => jsonl::print(&mut self.out, &report),
        }
    }
}

/// Why a file could not be read, and what to do about it.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "it is a directory; name the files in it".to_owned(),
        io::ErrorKind::OutOfMemory => "there is not enough memory; lower --max-frame".to_owned(),
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}
