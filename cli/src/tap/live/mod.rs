//! The display: a thread that audits the log and shows each message on standard error.

pub(super) mod line;

use std::time::Duration;
use std::{io, thread};

use anstream::{AutoStream, ColorChoice};
use tautline::frame::FramingKind;
use tautline_audit::document::Finding;
use tautline_audit::source::{Event, Place};
use tautline_audit::{Audit, Audited, Options, Sink};
use tautline_mcp::Role;

use self::line::Page;
use super::args::TapArgs;
use super::batch::{Batch, Note};
use super::log::{Log, Reader};
use super::screen::Screen;
use crate::output::Style;

/// The pause between two reads of the log, too short to be noticed.
const PAUSE: Duration = Duration::from_millis(10);

/// The display of a session.
pub struct Live {
    /// `None` after the end of the session.
    audit: Option<Audit>,
    framing: FramingKind,
    sides: [Side; 2],
    page: Page,
    screen: Screen,
}

/// The state of the stream of a side.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// The number of bytes since the last newline.
    since_line: u64,
    sync: Sync,
}

#[derive(Clone, Copy, Debug, Default)]
enum Sync {
    #[default]
    Found,
    /// This many bytes were skipped, and the start of the next line is not found yet.
    Searching(u64),
    /// The start of a message can't be found again.
    Lost,
}

impl Live {
    pub fn new(args: &TapArgs, screen: Screen) -> Self {
        Self {
            audit: Some(Audit::new(options(args))),
            framing: args.framing(),
            sides: [Side::default(); 2],
            page: Page::new(style()),
            screen,
        }
    }

    /// Shows the log until the session ends.
    pub fn show(&mut self, log: &Log) {
        let mut batch = Batch::default();
        while log.take(Reader::Display, &mut batch) {
            self.page.measure();
            for (us, note, bytes) in batch.iter() {
                self.note(us, note, bytes);
                self.flush(line::ENOUGH);
            }
            self.flush(0);
            thread::sleep(PAUSE);
        }
    }

    /// Writes the page, if it has more than this many bytes.
    fn flush(&mut self, enough: usize) {
        let lines = self.page.take(enough);
        if !lines.is_empty() {
            self.screen.lines(&lines, self.page.style());
        }
    }

    fn note(&mut self, us: i64, note: Note, bytes: &[u8]) {
        match note {
            Note::Bytes(stream, _) => {
                if let Some(from) = stream.role() {
                    self.bytes(us, from, bytes);
                }
            }
            Note::Skipped(stream, count) => {
                if let Some(from) = stream.role() {
                    self.skipped(us, from, count);
                }
            }
            Note::Closed(from) => {
                self.found(us, from);
                self.event(us, Event::Closed { from });
                self.page.closed(us, from);
            }
            Note::Exit(exit) => {
                self.event(us, Event::End { how: exit.how(), ending: exit.ending() });
                let totals = self.audit.take().and_then(|audit| {
                    audit.finish(Vec::new(), &mut ()).ok().map(|document| document.totals)
                });
                if let Some(totals) = totals {
                    self.page.end(us, exit, &totals);
                }
            }
        }
    }

    fn bytes(&mut self, us: i64, from: Role, bytes: &[u8]) {
        let newline = memchr::memrchr(b'\n', bytes);
        let side = self.side(from);
        side.since_line = match newline {
            Some(at) => (bytes.len() - at - 1) as u64,
            None => side.since_line + bytes.len() as u64,
        };
        let bytes = match side.sync {
            Sync::Found => bytes,
            Sync::Lost => return,
            Sync::Searching(skipped) => {
                let start = memchr::memchr(b'\n', bytes).map(|at| at + 1);
                let passed = start.unwrap_or(bytes.len()) as u64;
                side.sync = Sync::Searching(skipped + passed);
                let Some(start) = start else { return };
                self.found(us, from);
                &bytes[start..]
            }
        };
        if !bytes.is_empty() {
            self.event(us, Event::Bytes { from, bytes });
        }
    }

    /// Records that bytes are missing. In lines, the next start can be found again. In other framings, a guess could
    /// treat the content of a message as a message.
    fn skipped(&mut self, us: i64, from: Role, count: u64) {
        let framing = self.framing;
        let side = self.side(from);
        let before = std::mem::take(&mut side.since_line);
        side.sync = match (side.sync, framing) {
            (Sync::Lost, _) => return,
            (Sync::Searching(skipped), _) => Sync::Searching(skipped + count),
            (Sync::Found, FramingKind::Ndjson) => Sync::Searching(before + count),
            (Sync::Found, _) => Sync::Lost,
        };
        let is_lost = matches!(side.sync, Sync::Lost);
        self.event(us, Event::Gap { from });
        if is_lost {
            self.page.lost(us, from);
        }
    }

    /// Records that a line begins or the stream ends, and shows how much was not examined before.
    fn found(&mut self, us: i64, from: Role) {
        if let Sync::Searching(count) = self.side(from).sync {
            self.side(from).sync = Sync::Found;
            self.page.skipped(us, from, count);
        }
    }

    fn event(&mut self, us: i64, event: Event<'_>) {
        let place = Place { time: Some(us), ..Place::default() };
        if let Some(audit) = &mut self.audit {
            // The page has no errors to return.
            let _ = audit.event(event, place, &mut Show { us, page: &mut self.page });
        }
    }

    fn side(&mut self, from: Role) -> &mut Side {
        let [client, server] = &mut self.sides;
        match from {
            Role::Client => client,
            Role::Server => server,
        }
    }
}

/// Returns the options of an audit whose results are shown.
pub(super) fn options(args: &TapArgs) -> Options {
    let mut options = Options::default();
    if let Some(rules) = args.rules {
        options.selection = rules;
    }
    options.framing = args.framing();
    options.max_frame = args.limit.bytes();
    // Findings are shown at once, so none are kept.
    options.findings = 0;
    options
}

/// Returns the style of standard error.
pub(super) fn style() -> Style {
    match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => Style::Plain,
        _ => Style::Coloured,
    }
}

/// A receiver of the results of an audit at a certain time.
pub(super) struct Show<'a> {
    pub us: i64,
    pub page: &'a mut Page,
}

impl Sink for Show<'_> {
    fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
        self.page.frame(self.us, frame);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.page.finding(finding);
        Ok(())
    }
}
