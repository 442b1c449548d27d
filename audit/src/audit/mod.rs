//! The audit: events of a session in, verdicts out.

mod core;
mod kept;
mod side;

use std::io;

use tautline::Profile;
use tautline_mcp::Role;

use self::core::Core;
use self::side::Side;
use crate::document::{Document, Finding, SourceRow};
use crate::frame::FrameReport;
use crate::judge::{Answered, Judge};
use crate::options::Options;
use crate::source::{Ending, Event, Place};

/// A frame, and what was found in it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Audited<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// The sender.
    pub from: Role,
    /// The place and time of its recording.
    pub place: Place,
    /// Its report, without the findings that a policy or a baseline leaves out.
    pub report: &'a FrameReport<'a>,
    /// The request that it answers, if it is the first response to one.
    pub answered: Option<&'a Answered>,
    /// The tool or prompt that it names, or the URI of the resource. For a response, it is that of the request.
    pub target: Option<&'a str>,
    /// Its bytes, if it is a whole frame.
    pub bytes: Option<&'a [u8]>,
    /// The findings, with their positions.
    pub findings: &'a [Finding],
}

/// A receiver of results while the audit runs.
pub trait Sink {
    /// Receives a frame.
    ///
    /// # Errors
    ///
    /// Returns an error to end the audit.
    fn frame(&mut self, _frame: &Audited<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Receives a finding that the end of a session shows.
    ///
    /// # Errors
    ///
    /// Returns an error to end the audit.
    fn finding(&mut self, _finding: &Finding) -> io::Result<()> {
        Ok(())
    }
}

/// A sink that drops everything, for callers that need only the document.
impl Sink for () {}

/// An audit of a recording.
///
/// ```
/// use tautline_mcp::Role;
/// use tautline_audit::source::{Event, Place};
/// use tautline_audit::{Audit, Options};
///
/// let mut audit = Audit::new(Options::default());
/// for (from, bytes) in [
///     (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
///     (Role::Server, "listening on port 3000"),
/// ] {
///     let bytes = format!("{bytes}\n");
///     let event = Event::Bytes { from, bytes: bytes.as_bytes() };
///     audit.event(event, Place::default(), &mut ())?;
/// }
/// let document = audit.finish(Vec::new(), &mut ())?;
/// let rules: Vec<_> = document.findings.iter().map(|finding| finding.rule).collect();
/// assert_eq!(rules, ["not-json", "log-line", "unanswered-request"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Audit {
    core: Core,
    client: Side,
    server: Side,
}

impl Audit {
    /// Creates an audit of a session that has not begun.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let core = Core::new(options);
        let side = || Side::new(&core.options, &core.judge);
        let (client, server) = (side(), side());
        Self { core, client, server }
    }

    /// Returns the profile for the envelope of the next frame.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.core.judge.profile()
    }

    /// Returns the maximum length of a frame, in bytes.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.core.options.max_frame
    }

    /// Observes an event.
    ///
    /// # Errors
    ///
    /// Returns the error of the sink.
    pub fn event(&mut self, event: Event<'_>, place: Place, sink: &mut dyn Sink) -> io::Result<()> {
        if let Event::Framing(framing) = event {
            self.close(sink)?;
            self.core.options.framing = framing;
            // Each recording has its own start time.
            self.core.start = None;
            self.client = Side::new(&self.core.options, &self.core.judge);
            self.server = Side::new(&self.core.options, &self.core.judge);
            return Ok(());
        }
        let is_of_client = matches!(
            event,
            Event::Bytes { from: Role::Client, .. } | Event::Frame { from: Role::Client, .. }
        );
        if is_of_client && self.core.is_client_done {
            // The client sends again after it had closed: a new session.
            self.close(sink)?;
            let how = "followed by another session".to_owned();
            self.core.end(Some((how, Ending::Normal)), place, sink)?;
        }
        let Self { core, client, server } = self;
        core.start = core.start.or(place.time);
        let side = |from| match from {
            Role::Client => client,
            Role::Server => server,
        };
        match event {
            Event::Framing(_) => Ok(()),
            Event::Bytes { from, bytes } => side(from).push(from, bytes, place, core, sink),
            Event::Frame { from, piece } => core.frame(from, place, &piece, sink),
            Event::Broken { from, report } => core.broken(from, place, report, sink),
            Event::Closed { from } => {
                core.is_client_done |= from == Role::Client;
                side(from).close(from, core, sink)
            }
            Event::Stderr { text } => {
                core.stderr(text, place);
                Ok(())
            }
            Event::End { how, ending } => {
                self.close(sink)?;
                self.core.end(Some((how, ending)), place, sink)
            }
            Event::Loss(words) => {
                core.losses.say(words);
                Ok(())
            }
            Event::Rewritten => {
                core.losses.rewritten();
                Ok(())
            }
            Event::Http => {
                core.losses.http();
                core.judge.set_http();
                Ok(())
            }
            Event::Answered { from, id } => {
                core.judge.answered_unseen(from, &id);
                Ok(())
            }
            Event::Gap { from } => {
                *side(from) = Side::new(&core.options, &core.judge);
                core.judge.unreadable(from);
                core.losses.missing(from, false);
                Ok(())
            }
            Event::Missing { from, answers } => {
                if let Some(id) = &answers {
                    core.judge.answered_unseen(from, id);
                }
                core.losses.missing(from, answers.is_some());
                Ok(())
            }
        }
    }

    /// Ends the audit.
    ///
    /// # Errors
    ///
    /// Returns the error of the sink.
    pub fn finish(mut self, sources: Vec<SourceRow>, sink: &mut dyn Sink) -> io::Result<Document> {
        self.close(sink)?;
        self.core.end(None, Place::default(), sink)?;
        Ok(self.core.into_document(sources))
    }

    /// Ends the streams of both sides, and begins new ones.
    fn close(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        self.client.close(Role::Client, &mut self.core, sink)?;
        self.server.close(Role::Server, &mut self.core, sink)
    }
}
