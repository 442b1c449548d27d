//! The audit: events of a session in, verdicts out.

use std::collections::VecDeque;
use std::io;

use tautline::envelope::Skimmer;
use tautline::frame::FrameEvent;
use tautline::mcp::Role;
use tautline::{Rule, Rules, Severity};

use crate::baseline::{Accepting, Baseline, fingerprint};
use crate::document::{
    Bytes, Document, FORMAT, Finding, FrameRow, Order, SessionRow, SourceRow, StderrRow, Totals,
    message_counts,
};
use crate::excerpt::token_length;
use crate::frame::{FindingReport, FrameReport, MaxFindings, MessageReport, Named, Piece};
use crate::judge::{At, Judge, Selection, SessionRule, TwoSides};
use crate::losses::Losses;
use crate::rules::Policy;
use crate::source::{Event, Place};
use crate::tally::{Seen, Tally};
use crate::visible::printable;
use crate::wire::{Framing, Wire};

/// How to audit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The rules that messages are held to.
    pub selection: Selection,
    /// Their name.
    pub rules: String,
    /// How both sides delimit their messages, where the source does not tell.
    pub framing: Framing,
    /// The maximum length of a frame, in bytes.
    pub max_frame: u32,
    /// The maximum number of findings of each message.
    pub max_findings: MaxFindings,
    /// The rules whose findings get another severity, or are not reported.
    pub policy: Policy,
    /// The findings that were accepted.
    pub baseline: Option<Baseline>,
    /// The origin of the order of the frames.
    pub order: Order,
    /// The number of findings that the document keeps.
    pub findings: usize,
    /// The number of frames that the document keeps. Their bytes are up to 64 MiB.
    pub frames: usize,
}

impl Default for Options {
    /// The rules of the revision that the sides agree on, and a document without frames.
    fn default() -> Self {
        Self {
            selection: Selection::Auto,
            rules: "auto".to_owned(),
            framing: Framing::Ndjson,
            max_frame: tautline::frame::DEFAULT_LIMIT,
            max_findings: MaxFindings::AtMost(100),
            policy: Policy::default(),
            baseline: None,
            order: Order::Recorded,
            findings: 20_000,
            frames: 0,
        }
    }
}

/// The bytes of frames that a document keeps, and those of standard error.
const MOST_BYTES: usize = 64 * 1024 * 1024;
const MOST_STDERR: usize = 1024 * 1024;

/// The number of characters that are kept of a method, an id or a path.
const LONGEST_NAME: usize = 300;

/// The number of bytes that are shown of a line that is no message.
const POLLUTION: usize = 80;

/// The number of lines of standard error that are kept for the summary.
const LAST_LINES: usize = 5;
/// The number of bytes that are kept of each.
const LONGEST_LINE: usize = 500;

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
    /// Its bytes, if it is a whole frame.
    pub bytes: Option<&'a [u8]>,
    /// The findings, with all that tells where they are.
    pub findings: &'a [Finding],
}

/// A receiver of results while the audit goes on.
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

/// A sink that drops everything, for those who want the document alone.
impl Sink for () {}

/// An audit of a recording.
///
/// ```
/// use tautline::mcp::Role;
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

/// The part that does not depend on the streams of bytes.
#[derive(Debug)]
struct Core {
    options: Options,
    judge: TwoSides,
    tally: Tally,
    accepting: Accepting,
    number: u64,
    /// The time of the first event, in microseconds.
    start: Option<i64>,
    sessions: Vec<SessionRow>,
    findings: Vec<Finding>,
    findings_left_out: u64,
    frames: Vec<FrameRow>,
    frame_bytes: usize,
    stderr: Vec<StderrRow>,
    stderr_bytes: usize,
    /// The last lines of standard error.
    last_lines: VecDeque<String>,
    has_lost_requests: bool,
    /// What the source has lost or changed.
    losses: Losses,
    /// True if frames were seen since the session began.
    is_in_session: bool,
}

/// One direction.
#[derive(Debug)]
struct Side {
    wire: Wire,
    /// The offsets in the stream at which the pieces of the source begin, and their places. The last one that begins before a frame is
    /// that of the frame.
    places: VecDeque<(u64, Place)>,
    received: u64,
}

impl Audit {
    /// Creates an audit of a session that has not begun.
    #[must_use]
    pub fn new(mut options: Options) -> Self {
        let judge = TwoSides::new(options.selection);
        let side = || Side::new(&options, &judge);
        let (client, server) = (side(), side());
        let accepting = options.baseline.take().map(Accepting::new).unwrap_or_default();
        let core = Core {
            judge,
            tally: Tally::default(),
            accepting,
            number: 0,
            start: None,
            sessions: Vec::new(),
            findings: Vec::new(),
            findings_left_out: 0,
            frames: Vec::new(),
            frame_bytes: 0,
            stderr: Vec::new(),
            stderr_bytes: 0,
            last_lines: VecDeque::new(),
            has_lost_requests: false,
            losses: Losses::default(),
            is_in_session: false,
            options,
        };
        Self { core, client, server }
    }

    /// Returns the rules for the envelope of the next frame.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.core.judge.rules()
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
            self.client = Side::new(&self.core.options, &self.core.judge);
            self.server = Side::new(&self.core.options, &self.core.judge);
            return Ok(());
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
            Event::Closed { from } => side(from).close(from, core, sink),
            Event::Stderr { text } => {
                core.stderr(text, place);
                Ok(())
            }
            Event::End { how, has_failed } => {
                self.close(sink)?;
                self.core.end(Some((how, has_failed)), place, sink)
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

impl Side {
    fn new(options: &Options, judge: &TwoSides) -> Self {
        let wire = Wire::new(options.framing, options.max_frame, &judge.rules());
        Self { wire, places: VecDeque::new(), received: 0 }
    }

    fn push(
        &mut self,
        from: Role,
        bytes: &[u8],
        place: Place,
        core: &mut Core,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        // Without lines, the first place is as good as the others.
        if self.places.is_empty() || place.line.is_some() {
            self.places.push_back((self.received, place));
        }
        self.received += bytes.len() as u64;
        let Self { wire, places, .. } = self;
        wire.push(bytes, &mut |event, skimmer, _| {
            core.cut(from, &event, skimmer, places, place.time, sink)
        })?;
        Ok(())
    }

    fn close(&mut self, from: Role, core: &mut Core, sink: &mut dyn Sink) -> io::Result<()> {
        let Self { wire, places, .. } = self;
        wire.finish(&mut |event, skimmer, _| {
            let time = places.back().and_then(|(_, place)| place.time);
            core.cut(from, &event, skimmer, places, time, sink)
        })?;
        *self = Self::new(&core.options, &core.judge);
        Ok(())
    }
}

impl Core {
    /// Takes what was cut from a stream, at the time of its last byte.
    fn cut(
        &mut self,
        from: Role,
        event: &FrameEvent<'_>,
        skimmer: &mut Skimmer,
        places: &mut VecDeque<(u64, Place)>,
        time: Option<i64>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        if let FrameEvent::Frame(frame) = event {
            let piece = Piece::of_frame(frame, self.options.framing);
            let place = Place { time, ..place_of(places, piece.offset()) };
            return self.frame(from, place, &piece, sink);
        }
        let (rules, limit) = (self.judge.rules(), self.options.max_findings);
        match FrameReport::of_event(event, skimmer, &rules, limit) {
            Some(report) => {
                let place = Place { time, ..place_of(places, report.offset) };
                self.broken(from, place, report.into_owned(), sink)
            }
            None => Ok(()),
        }
    }

    fn frame(
        &mut self,
        from: Role,
        place: Place,
        piece: &Piece<'_>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        self.begin(from, place);
        let report = FrameReport::of_frame(piece, &mut self.judge, self.options.max_findings);
        self.report(from, place, report, Some(piece.bytes()), sink)
    }

    /// Takes something that makes no frame.
    fn broken(
        &mut self,
        from: Role,
        place: Place,
        report: FrameReport<'static>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        self.begin(from, place);
        self.judge.unreadable(from);
        self.report(from, place, report, None, sink)
    }

    fn begin(&mut self, from: Role, place: Place) {
        self.number += 1;
        if !self.is_in_session {
            self.is_in_session = true;
            let first_frame = self.number;
            self.sessions.push(SessionRow { first_frame, ..SessionRow::default() });
        }
        self.judge.next_frame(from, At { number: self.number, place });
    }

    fn report(
        &mut self,
        from: Role,
        place: Place,
        mut report: FrameReport<'_>,
        bytes: Option<&[u8]>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let number = self.number;
        let answered = self.judge.answered().cloned();
        let line = place.line.or(report.line);
        if self.options.order == Order::Causal {
            for message in messages(&mut report) {
                message.findings.retain(|finding| !depends_on_order(finding, from));
            }
        }
        if from == Role::Server
            && let Some(bytes) = bytes
        {
            messages(&mut report).for_each(|message| name_pollution(message, bytes));
        }
        for message in messages(&mut report) {
            message.findings.retain(|finding| self.losses.allow(finding.rule));
        }
        self.tally.count(&Seen {
            number,
            from,
            line,
            revision: self.judge.revision(),
            report: &report,
            bytes: bytes.unwrap_or_default(),
            answered: answered.as_ref().map(|answered| answered.method.as_str()),
        });
        if let Some(answered) = &answered {
            self.tally.latencies.add(from.other(), answered);
        }
        let called = answered.as_ref().map(|answered| answered.method.clone());
        let method = report.message.method.as_deref().map(short).or(called);
        let mut findings = Vec::new();
        for message in messages(&mut report) {
            let called = message.method.as_deref().map(short).or_else(|| method.clone());
            message.findings.retain_mut(|finding| {
                let row = Finding {
                    frame: Some(number),
                    from: Some(from.name()),
                    method: called.clone(),
                    source: place.source,
                    line,
                    // Without a line of its own, the place in the stream is that in the file.
                    offset: finding.offset.filter(|_| place.line.is_none()),
                    length: marked(bytes, finding),
                    ..Finding::new(finding)
                };
                let row = self.admit(row);
                if let Some(row) = &row {
                    finding.severity = row.severity;
                    findings.push(row.clone());
                }
                row.is_some()
            });
            let options = &self.options;
            message.left_out.retain_mut(|left_out| {
                let last = &mut left_out.last;
                let severity = options.policy.severity(last.rule, last.severity);
                last.severity = severity.unwrap_or(last.severity);
                severity.is_some()
            });
            for left_out in &message.left_out {
                *self.tally.severities.entry(left_out.last.severity).or_default() += left_out.count;
                self.findings_left_out += left_out.count;
            }
        }
        let audited = Audited { number, from, place, report: &report, bytes, findings: &findings };
        sink.frame(&audited)?;
        let time_ms = self.milliseconds(place.time);
        self.keep_frame(&audited, method, time_ms, answered.as_ref(), line);
        for finding in findings {
            self.keep(finding);
        }
        Ok(())
    }

    /// Decides whether to report a finding: completes and counts it, if so.
    fn admit(&mut self, mut finding: Finding) -> Option<Finding> {
        let rule = Named::from_name(finding.rule).ok()?;
        finding.severity = self.options.policy.severity(rule, finding.severity)?;
        finding.fingerprint = fingerprint(
            finding.rule,
            finding.from.unwrap_or_default(),
            finding.method.as_deref().unwrap_or_default(),
            &finding.path,
            &finding.stable_words,
        );
        if self.accepting.accepts(&finding.fingerprint) {
            self.tally.accepted += 1;
            return None;
        }
        *self.tally.severities.entry(finding.severity).or_default() += 1;
        Some(finding)
    }

    /// Keeps a finding for the document. Errors come first: they take the place of others.
    fn keep(&mut self, finding: Finding) {
        if self.findings.len() < self.options.findings {
            return self.findings.push(finding);
        }
        self.findings_left_out += 1;
        if finding.severity == Severity::Error
            && let Some(other) = self
                .findings
                .iter_mut()
                .rev()
                .take(1000)
                .find(|other| other.severity != Severity::Error)
        {
            *other = finding;
        }
    }

    fn keep_frame(
        &mut self,
        audited: &Audited<'_>,
        method: Option<String>,
        time_ms: Option<f64>,
        answered: Option<&crate::judge::Answered>,
        line: Option<u64>,
    ) {
        if self.frames.len() >= self.options.frames || self.frame_bytes >= MOST_BYTES {
            return;
        }
        let number = audited.number;
        if let Some(answered) = answered
            && let Some(at) = usize::try_from(answered.frame).ok().and_then(|at| at.checked_sub(1))
            && let Some(request) = self.frames.get_mut(at)
        {
            request.pair = Some(number);
        }
        let message = &audited.report.message;
        let places = audited.findings.iter().map(|finding| finding.column - 1);
        let bytes = audited.bytes.map(|bytes| Bytes::of(bytes, places)).unwrap_or_default();
        let row = FrameRow {
            number,
            from: audited.from.name(),
            kind: message.kind,
            method,
            id: message.id.as_deref().map(short),
            time_ms,
            pair: answered.map(|answered| answered.frame),
            latency_ms: answered
                .and_then(|answered| answered.latency)
                .map(|latency| latency.milliseconds()),
            line,
            length: audited.report.length,
            session: self.sessions.len().saturating_sub(1),
            bytes,
        };
        self.frame_bytes += row.bytes.iter().map(Bytes::len).sum::<usize>() + 512;
        self.frames.push(row);
    }

    fn stderr(&mut self, text: &[u8], place: Place) {
        let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        for line in lines {
            if self.last_lines.len() >= LAST_LINES {
                self.last_lines.pop_front();
            }
            let line = line.get(..LONGEST_LINE).unwrap_or(line);
            self.last_lines.push_back(String::from_utf8_lossy(line).into_owned());
        }
        if self.options.frames > 0 && self.stderr_bytes < MOST_STDERR {
            let text = String::from_utf8_lossy(text).into_owned();
            self.stderr_bytes += text.len() + 64;
            let time_ms = self.milliseconds(place.time);
            self.stderr.push(StderrRow { time_ms, text, after_frame: self.number });
        }
    }

    /// Ends a session, if one has begun: reports what was not answered.
    fn end(
        &mut self,
        how: Option<(String, bool)>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let has_failed = how.as_ref().is_some_and(|(_, has_failed)| *has_failed);
        if self.is_in_session
            && let Some(session) = self.sessions.last_mut()
        {
            let peers = self.judge.peers();
            session.client = peers.client.clone();
            session.server = peers.server.clone();
            session.revision = self.judge.negotiated().map(|revision| revision.name());
            session.end = how.as_ref().map(|(how, _)| how.clone());
        }
        self.is_in_session = false;
        self.has_lost_requests |= !self.judge.has_kept_all();
        for request in self.judge.end() {
            if self.losses.may_hold_answers_to(request.from) {
                continue;
            }
            let words = match request.method.as_str() {
                "" => format!("the request with the id {} was not answered", request.id),
                method => {
                    format!("the request {method:?} with the id {} was not answered", request.id)
                }
            };
            let mut finding =
                FindingReport::new(Named::Rule(Rule::UnansweredRequest), 0).with_words(words);
            // A recording may stop in the middle. This one tells its end, and the receiver was not just busy.
            if how.is_some() && request.is_passed_over {
                finding.severity = Severity::Error;
            }
            let finding = Finding {
                frame: Some(request.at.number),
                from: Some(request.from.name()),
                method: Some(request.method),
                source: request.at.place.source,
                line: request.at.place.line,
                ..Finding::new(&finding)
            };
            self.session_finding(finding, sink)?;
        }
        if has_failed {
            let how = how.map(|(how, _)| how).unwrap_or_default();
            let rule = Named::Session(SessionRule::ProcessFailed);
            let words = format!("the server's process has {how}");
            let finding = FindingReport::new(rule, 0).with_words(words);
            let finding =
                Finding { from: Some("server"), line: place.line, ..Finding::new(&finding) };
            self.session_finding(finding, sink)?;
        }
        self.losses.end_session();
        Ok(())
    }

    fn session_finding(&mut self, finding: Finding, sink: &mut dyn Sink) -> io::Result<()> {
        if let Some(finding) = self.admit(finding) {
            sink.finding(&finding)?;
            self.keep(finding);
        }
        Ok(())
    }

    fn milliseconds(&self, time: Option<i64>) -> Option<f64> {
        let elapsed = time?.checked_sub(self.start?)?;
        #[expect(clippy::cast_precision_loss, reason = "2^53 microseconds are 285 years")]
        Some(elapsed as f64 / 1000.0)
    }

    fn into_document(self, sources: Vec<SourceRow>) -> Document {
        let Self { tally, options, .. } = self;
        let count = |severity| tally.severities.get(&severity).copied().unwrap_or(0);
        let mut truncated = Vec::new();
        if self.findings_left_out > 0 {
            let (kept, left) = (self.findings.len(), self.findings_left_out);
            truncated.push(format!("{left} findings were left out; {kept} are here"));
        }
        let kept = self.frames.len() as u64;
        if options.frames > 0 && kept < tally.frames {
            truncated.push(format!("the first {kept} of {} frames are here", tally.frames));
        }
        if self.stderr_bytes >= MOST_STDERR {
            truncated.push("the end of the standard error was left out".to_owned());
        }
        if self.has_lost_requests {
            truncated.push(
                "more requests were pending than can be remembered, so some answers were not judged"
                    .to_owned(),
            );
        }
        let mut requirements = tally.requirements.rows();
        self.losses.correct(&mut requirements);
        Document {
            tautline: env!("CARGO_PKG_VERSION"),
            format: FORMAT,
            sources,
            rules: options.rules,
            order: options.order,
            sessions: self.sessions,
            totals: Totals {
                frames: tally.frames,
                bytes: tally.bytes,
                messages: [Role::Client, Role::Server]
                    .map(|from| message_counts(&tally.kinds, from))
                    .into(),
                errors: count(Severity::Error),
                warnings: count(Severity::Warning),
                notes: count(Severity::Note),
                baseline: tally.accepted,
            },
            audits: tally.audits.rows(),
            requirements,
            latency: tally.latencies.rows(),
            findings: self.findings,
            frames: self.frames,
            stderr: self.stderr,
            last_lines: self.last_lines.into(),
            stale: self.accepting.stale().cloned().collect(),
            notes: self.losses.into_notes(),
            truncated,
        }
    }
}

impl Finding {
    fn new(finding: &FindingReport) -> Self {
        Self {
            rule: finding.rule.name(),
            severity: finding.severity,
            frame: None,
            from: None,
            method: None,
            source: 0,
            line: None,
            offset: None,
            column: finding.column,
            length: 1,
            path: short(&finding.path),
            message: finding.message.to_string(),
            spec_ref: finding.spec_ref,
            help: finding.rule.help(),
            fingerprint: String::new(),
            stable_words: finding.stable_words(),
        }
    }
}

/// Returns a text from the wire, cut where nobody would read on.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => text.get(..end).unwrap_or(text).to_owned() + "…",
        None => text.to_owned(),
    }
}

/// Names a line of text from the server as such: the standard output is for messages alone.
fn name_pollution(message: &mut MessageReport<'_>, bytes: &[u8]) {
    let is_of = |rule| move |finding: &FindingReport| finding.rule == Named::Rule(rule);
    if !message.findings.iter().any(is_of(Rule::LogLine)) {
        return;
    }
    for finding in message.findings.iter_mut().filter(|finding| is_of(Rule::NotJson)(finding)) {
        let start = printable(bytes.get(..POLLUTION).unwrap_or(bytes));
        finding.explain(format!("the server has written text where its messages are: {start:?}"));
    }
}

/// Returns the number of bytes that a finding marks.
fn marked(bytes: Option<&[u8]>, finding: &FindingReport) -> u64 {
    let at = usize::try_from(finding.column - 1).unwrap_or(usize::MAX);
    let rest = bytes.and_then(|bytes| bytes.get(at..)).unwrap_or_default();
    token_length(rest).max(1) as u64
}

fn messages<'a, 'buf>(
    report: &'a mut FrameReport<'buf>,
) -> impl Iterator<Item = &'a mut MessageReport<'buf>> {
    std::iter::once(&mut report.message).chain(report.batch.iter_mut().flatten())
}

/// Returns the place at which this byte of a stream was recorded, and forgets those before it.
fn place_of(places: &mut VecDeque<(u64, Place)>, offset: u64) -> Place {
    while places.get(1).is_some_and(|&(start, _)| start <= offset) {
        places.pop_front();
    }
    places.front().map(|&(_, place)| place).unwrap_or_default()
}

/// Returns whether a finding depends on which of two messages in opposite directions came first.
fn depends_on_order(finding: &FindingReport, from: Role) -> bool {
    let Named::Rule(rule) = finding.rule else { return false };
    match rule {
        Rule::ResponseLate
        | Rule::CancelUnknown
        | Rule::TaskCancelEnded
        | Rule::LogNotRequested
        | Rule::SubscriptionUnknown => true,
        Rule::RequestBeforeInitialized => from == Role::Server,
        _ => false,
    }
}
