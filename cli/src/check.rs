//! `tautline check`: validates every frame of every file and reports the findings.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tautline::frame::FramingKind;
use tautline::stream::Received;
use tautline_audit::document::SourceRow;
use tautline_audit::format::jsonl;
use tautline_audit::frame::{FrameReport, MaxFindings, Piece, Reporter};
use tautline_audit::judge::OneSide;
use tautline_audit::wire::{Around, Skipped, Totals, Wire, WireEvent};
use tautline_mcp::Role;

use crate::args::{CheckArgs, CheckFormat};
use crate::check_document::CheckDocument;
use crate::exit::{CLEAN, ERRORS, FAILED, Stopped, conclude};
use crate::input::{AT_ONCE, Input, complain, name_of, read};
use crate::output::{Audience, Output, width};
use crate::rendering::{Origin, Shown};
use crate::senders::Senders;
use crate::summary::Summary;
use crate::text::Text;

/// The limit on the findings of each message in a row of `--format jsonl`, without `--max-findings`. It also bounds
/// the findings kept in memory.
const MOST_OF_MESSAGE: MaxFindings = MaxFindings::AtMost(100);

pub fn run(args: &CheckArgs) -> ExitCode {
    let audience = match args.format {
        CheckFormat::Text => Audience::People,
        CheckFormat::Jsonl | CheckFormat::Json => Audience::Programs,
    };
    let (out, style) = Output::stdout(audience);
    let text = Text::new(style, width(), args.max_findings);
    let summary = Summary::default();
    let document = CheckDocument::new();
    let mut check = Check { args, out, text, document, summary, senders: None, failed: false };
    let result = check.all();
    // If the reader of the report has gone away, the rest of the input may still contain errors.
    let unread = if check.code() == CLEAN { FAILED } else { check.code() };
    conclude(result, "what was found", unread)
}

struct Check<'args> {
    args: &'args CheckArgs,
    out: Output,
    text: Text,
    document: CheckDocument,
    summary: Summary,
    /// The side whose faults are reported, if it is only one.
    senders: Option<(Role, Senders)>,
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
        let (out, rules) = (&mut self.out, &self.args.rules.name);
        match self.args.format {
            CheckFormat::Text if read > 0 => {
                self.text.end(out)?;
                self.summary.write(out, start.elapsed(), rules)?;
            }
            CheckFormat::Json => self.document.write(&self.summary, rules, out)?,
            CheckFormat::Text | CheckFormat::Jsonl => {}
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
        self.text.begin_file(input.flow());
        let senders = self.args.side.zip(self.args.rules.revision);
        self.senders = senders.map(|(side, revision)| (side, Senders::new(revision)));
        self.document.begin(SourceRow { name: name.clone(), kind: self.args.framing.name() });
        let totals = self.frames(&name, input);
        if let Err(Stopped::Writing(_)) = totals {
            return totals;
        }
        let origin = Origin::Log { path: &name, framing: self.args.framing };
        self.text.end_file(&mut self.out, &name, origin.unit())?;
        if let (Ok(Totals { skipped: skipped @ 1.., .. }), CheckFormat::Text, false) =
            (&totals, self.args.format, self.args.resync)
        {
            let bytes = if *skipped == 1 { "byte was" } else { "bytes were" };
            let (framing, next) = (self.args.framing, next_frame(self.args.framing));
            writeln!(
                self.out,
                "{name}: {skipped} {bytes} not judged; with --framing {framing}, --resync continues at {next}\n"
            )?;
        }
        totals
    }

    /// Reads to the end. After a desynchronisation, bytes are only counted, unless the user wants a resync.
    fn frames(&mut self, name: &str, mut input: Input) -> Result<Totals, Stopped> {
        let Self { args, .. } = *self;
        let (profile, revision) = (args.rules.profile, args.rules.revision);
        let mut judge = match args.no_shapes {
            true => OneSide::new(profile, revision),
            false => OneSide::with_payloads(profile, revision),
        };
        let mut wire = Wire::new(args.framing, args.limit.bytes(), &profile);
        if args.resync {
            wire = wire.resyncing();
        }
        let mut room = vec![0; AT_ONCE];
        let limit = args.max_findings.unwrap_or(MOST_OF_MESSAGE);
        let mut reporter = Reporter::new(args.framing, limit);
        loop {
            // The next read may wait for the sender.
            self.out.flush()?;
            let read =
                read(&mut input, &mut room).map_err(|error| Stopped::cannot_read(name, &error))?;
            let bytes = room.get(..read).unwrap_or_default();
            let mut handle = |event: WireEvent<'_>, around: &Around<'_>| {
                self.event(name, &event, &mut judge, &mut reporter, around)
            };
            if bytes.is_empty() {
                wire.finish(&mut handle)?;
            } else {
                wire.push(bytes, &mut handle)?;
            }
            for skipped in wire.take_skipped() {
                self.skipped(skipped)?;
            }
            if read == 0 {
                if let Some(report) = reporter.end(wire.other_fields()) {
                    self.report(name, Shown::Stream, &report)?;
                }
                return Ok(wire.totals());
            }
        }
    }

    /// Reports bytes that were not judged.
    fn skipped(&mut self, Skipped { offset, length }: Skipped) -> io::Result<()> {
        if self.args.format == CheckFormat::Jsonl {
            let row = serde_json::json!({ "skipped": { "offset": offset, "length": length } });
            jsonl::write(&mut self.out, &row)?;
        }
        self.out.end_report()
    }

    fn event(
        &mut self,
        name: &str,
        event: &WireEvent<'_>,
        judge: &mut OneSide,
        reporter: &mut Reporter,
        around: &Around<'_>,
    ) -> io::Result<()> {
        match event.frame() {
            Some(frame) => {
                let piece = Piece::of_frame(frame);
                let mut report = reporter.frame(&piece, judge, around.behind);
                if let Some((side, senders)) = &mut self.senders
                    && senders.sender(&report).is_some_and(|sender| sender != *side)
                {
                    self.summary.other_side += report.take_findings();
                }
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
                    WireEvent::Other(Received::Desynchronised(_)) => {
                        let at = report.offset.saturating_sub(around.start);
                        let at = usize::try_from(at).unwrap_or(usize::MAX);
                        let next = self.args.resync.then(|| next_frame(self.args.framing));
                        Shown::Behind(text.get(at..).unwrap_or_default(), next)
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
            CheckFormat::Json => {
                self.document.add(report);
                Ok(())
            }
        }?;
        self.out.end_report()
    }
}

/// Returns where a framing continues after it was desynchronised.
const fn next_frame(framing: FramingKind) -> &'static str {
    match framing {
        FramingKind::Concatenated => "the next line that begins with { or [",
        _ => "the next `Content-Length:`",
    }
}
