//! The audit: events of a session in, verdicts out.

mod check;
mod core;
mod kept;
mod repeated_ids;
mod side;

use std::io;

use tautline::Profile;
use tautline::frame::FramingKind;
use tautline_mcp::Role;

pub use self::check::Check;
use self::core::Core;
use self::side::Side;
use crate::document::{Document, Finding, SessionRow, SourceRow};
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
///
/// All results are final: no finding is changed or taken back later. Those of a frame come with the frame, once its last
/// byte or the end of its stream was observed. Findings that only later frames or the end of the session show come by
/// [`finding`](Self::finding), with the [number](Finding::frame) of their frame if they have one.
///
/// [`Finding::offset`] is the place in the stream of its sender, if the events have no [line](Place::line). If they do,
/// the place in the stream is the [offset of the frame](FrameReport::offset) plus [`Finding::column`] minus 1. Offsets begin
/// with 0 again after [`Event::Closed`] and [`Event::End`].
pub trait Sink {
    /// Receives a frame.
    ///
    /// # Errors
    ///
    /// Returns an error to end the audit.
    fn frame(&mut self, _frame: &Audited<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Receives a finding that a later frame or the end of a session shows.
    ///
    /// # Errors
    ///
    /// Returns an error to end the audit.
    fn finding(&mut self, _finding: &Finding) -> io::Result<()> {
        Ok(())
    }

    /// Receives a session at its end, after its last finding.
    ///
    /// # Errors
    ///
    /// Returns an error to end the audit.
    fn session(&mut self, _session: &SessionRow) -> io::Result<()> {
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
/// assert_eq!(rules, ["log-line", "unanswered-request"]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # A live session
///
/// A program between the two sides passes on what it reads from two pipes, and observes it, chunk by chunk, in the order of
/// arrival. A [`Sink`] prints what is found at once. The time of each chunk gives the latencies.
///
/// ```
/// use std::io::{self, Write};
/// use tautline_audit::document::{Finding, SessionRow};
/// use tautline_audit::source::{Ending, Event, Place};
/// use tautline_audit::{Audit, Audited, Options, Sink};
/// use tautline_mcp::Role;
///
/// /// Prints each finding, with its place in the stream of its sender, and each session.
/// struct Print<W>(W);
///
/// impl<W: Write> Sink for Print<W> {
///     fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
///         frame.findings.iter().try_for_each(|finding| self.finding(finding))
///     }
///
///     fn finding(&mut self, finding: &Finding) -> io::Result<()> {
///         let (from, at) = (finding.from.unwrap_or("-"), finding.offset.unwrap_or_default());
///         writeln!(self.0, "{from}, byte {at}: {finding}")
///     }
///
///     fn session(&mut self, session: &SessionRow) -> io::Result<()> {
///         let server = session.server.as_ref().map_or("a server", |server| &server.name);
///         writeln!(self.0, "the session with {server} is over")
///     }
/// }
///
/// /// What a thread for each pipe would send to the audit's thread: `None` is the end of the pipe.
/// const READ: &[(i64, Role, Option<&str>)] = &[
///     (0, Role::Client, Some(r#"{"jsonrpc":"2.0","id":1,"method":"ini"#)),
///     (20, Role::Server, Some("starting\n")),
///     (45, Role::Client, Some("tialize\"}\n")),
///     (900, Role::Client, None),
///     (950, Role::Server, None),
/// ];
///
/// let mut audit = Audit::new(Options::default());
/// let mut sink = Print(Vec::new());
/// for &(us, from, bytes) in READ {
///     let place = Place { time: Some(us), ..Place::default() };
///     let event = match bytes {
///         Some(bytes) => Event::Bytes { from, bytes: bytes.as_bytes() },
///         // A last line without its newline is judged now.
///         None => Event::Closed { from },
///     };
///     audit.event(event, place, &mut sink)?;
/// }
/// // If you know how the server's process ended, say so. Then requests that have no answer are reported.
/// let end = Event::End { how: "exited with status 0".to_owned(), ending: Ending::Normal };
/// audit.event(end, Place::default(), &mut sink)?;
/// let document = audit.finish(Vec::new(), &mut sink)?;
/// # let printed = String::from_utf8(sink.0).unwrap();
/// # assert!(printed.starts_with("server, byte 0: error[log-line]: "), "{printed}");
/// # assert!(printed.contains("client, byte "), "{printed}");
/// # assert!(printed.contains("the session with a server is over\n"), "{printed}");
/// assert_eq!(document.totals.frames, 2);
/// # Ok::<(), io::Error>(())
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

    /// Returns how both sides delimit their messages.
    #[must_use]
    pub const fn framing(&self) -> FramingKind {
        self.core.options.framing
    }

    /// Observes an event.
    ///
    /// # Errors
    ///
    /// Returns the error of the sink.
    pub fn event(&mut self, event: Event<'_>, place: Place, sink: &mut dyn Sink) -> io::Result<()> {
        if let Event::Framing(framing) = event {
            self.close(sink)?;
            let options = &self.core.options;
            let framing = if options.overrides_framing { options.framing } else { framing };
            self.core.options.framing = framing;
            self.core.judge.set_framing(framing);
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
        if is_of_client && self.server.is_in_line {
            self.core.judge.note_begun_line();
        }
        for (from, frame) in self.open_requests(&event) {
            self.core.judge.note_open(from, &frame);
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
            Event::Frame { from, piece } => {
                core.frame(from, place, (&piece, b""), &mut side(from).reporter, sink)
            }
            Event::Start { from, piece } => {
                core.start_of_frame(from, place, &piece, &mut side(from).reporter, sink)
            }
            Event::Broken { from, report } => core.broken(from, place, *report, sink),
            Event::Closed { from } => {
                // A request without its newline is one of those before the close.
                side(from).close(from, core, sink)?;
                if from == Role::Client {
                    core.client_closed(place);
                }
                Ok(())
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
            Event::Head(report) => core.head(*report, place, sink),
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

    /// Returns the requests that this event of the other side may answer although their lines have not ended, with their
    /// sender.
    fn open_requests(&mut self, event: &Event<'_>) -> Vec<(Role, Vec<u8>)> {
        let (other, side) =
            match event {
                Event::Bytes { from: Role::Client, .. }
                | Event::Frame { from: Role::Client, .. } => (Role::Server, &mut self.server),
                Event::Bytes { from: Role::Server, .. }
                | Event::Frame { from: Role::Server, .. } => (Role::Client, &mut self.client),
                _ => return Vec::new(),
            };
        side.take_open().into_iter().map(|frame| (other, frame)).collect()
    }

    /// Ends the streams of both sides, and begins new ones.
    fn close(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        self.client.close(Role::Client, &mut self.core, sink)?;
        self.server.close(Role::Server, &mut self.core, sink)
    }
}
