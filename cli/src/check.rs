//! `tautline check`: validates every frame of every file and reports the findings.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tautline::frame::FramingKind;
use tautline::stream::Received;
use tautline_audit::format::jsonl;
use tautline_audit::frame::{FrameReport, MaxFindings, Piece};
use tautline_audit::judge::OneSide;
use tautline_audit::wire::{Totals, Wire};

use crate::args::{CheckArgs, CheckFormat};
use crate::exit::{CLEAN, ERRORS, FAILED, Stopped, conclude};
use crate::input::{AT_ONCE, Input, complain, name_of, read};
use crate::output::{Audience, Output};
use crate::summary::Summary;
use crate::text::{Origin, Shown, Text};

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
    let result = check.all();
    // If the reader of the report has gone away, the rest of the input may still contain errors.
    let unread = if check.code() == CLEAN { FAILED } else { check.code() };
    conclude(result, "what was found", unread)
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
    fn all(&mut self) -> Result<u8, Stopped> {
        let start = Instant::now();
        let mut read = 0;
        for path in &self.args.files {
            match self.file(path) {
                Ok(totals) => {
                    read += 1;
                    self.summary.add(totals);
                }
                Err(Stopped::Said(why)) => {
                    self.failed = true;
                    self.out.flush()?;
                    complain(why);
                }
                Err(stopped) => return Err(stopped),
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
        let name = name_of(path);
        let input = Input::open(path).map_err(|error| Stopped::cannot_read(&name, &error))?;
        self.out.share_terminal(input.progress());
        let totals = self.frames(&name, input);
        if let Err(Stopped::Writing(_)) = totals {
            return totals;
        }
        let origin = Origin::Log { path: &name, framing: self.args.framing };
        self.text.end_file(&mut self.out, &name, origin.unit())?;
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
        loop {
            // The next read may wait for the sender.
            self.out.flush()?;
            let read =
                read(&mut input, &mut room).map_err(|error| Stopped::cannot_read(name, &error))?;
            let bytes = room.get(..read).unwrap_or_default();
            let mut handle =
                |event: Received<'_>, behind: &[u8]| self.event(name, &event, &mut judge, behind);
            if bytes.is_empty() {
                wire.finish(&mut handle)?;
                break;
            }
            if !wire.push(bytes, &mut handle)? {
                break;
            }
        }
        Ok(wire.totals())
    }

    fn event(
        &mut self,
        name: &str,
        event: &Received<'_>,
        judge: &mut OneSide,
        behind: &[u8],
    ) -> io::Result<()> {
        let framing = self.args.framing;
        let limit = self.args.max_findings.unwrap_or(MOST_OF_MESSAGE);
        let (shown, report) = match event.frame() {
            Some(frame) => {
                let piece = Piece::of_frame(frame);
                let mut report = FrameReport::of_frame(&piece, judge, limit);
                if framing == FramingKind::Sse {
                    report.lines_were_joined(frame.bytes());
                }
                (Shown::Frame(frame.bytes()), report)
            }
            None => {
                let shown = match event {
                    Received::Desynchronised(_) => Shown::Behind(behind),
                    _ => Shown::Length,
                };
                let profile = &self.args.rules.profile;
                match FrameReport::of_event(event, profile, limit) {
                    Some(report) => (shown, report),
                    None => return Ok(()),
                }
            }
        };
        self.summary.count(&report);
        let out = &mut self.out;
        match self.args.format {
            CheckFormat::Text => {
                let origin = Origin::Log { path: name, framing };
                self.text.print(out, &origin, shown, &report)
            }
            CheckFormat::Jsonl => jsonl::write(out, &report),
        }?;
        self.out.end_report()
    }
}
