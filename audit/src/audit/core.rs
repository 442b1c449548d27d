//! The audit of frames, whatever stream they come from.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use tautline::frame::FramingKind;
use tautline::stream::Received;
use tautline::{Fault, Rule, Severity};
use tautline_mcp::{KnownMethod, Revision, Role, rule};

use super::kept::Kept;
use super::repeated_ids::RepeatedIds;
use super::{Audited, Sink};
use crate::baseline::{Accepting, fingerprint};
use crate::document::{
    Bytes, Document, FORMAT, Finding, FrameRow, LOST_REQUESTS, Order, RuleCount, SessionRow,
    SourceRow, Totals, message_counts,
};
use crate::excerpt::token_length;
use crate::frame::{FindingReport, FrameReport, Kind, MessageReport, Piece, Reporter};
use crate::judge::echo::Echo;
use crate::judge::{Answered, At, Judge, TwoSides, Unanswered, Verdict, is_certain};
use crate::losses::Losses;
use crate::options::Options;
use crate::source::http::HeadReport;
use crate::source::{Ending, Place};
use crate::tally::{Seen, Tally};
use crate::visible::printable;
use crate::wire::{Around, WireEvent};

/// The number of characters that are kept of a method, an id or a path.
const LONGEST_NAME: usize = 300;

/// The number of bytes shown of a line that is not a message.
const POLLUTION: usize = 80;

/// The number of requests whose targets are remembered for their responses.
const TARGETS: usize = 4096;

/// The wait after which a client is not in a hurry, in microseconds. Within the same time, an answer is an effect of
/// what came before.
const LONG_WAIT: i64 = 1_000_000;

/// The number of sessions that a document lists.
const SESSIONS: usize = 1000;

/// A frame whose findings become rows.
#[derive(Clone, Copy)]
struct Framed<'a> {
    number: u64,
    from: Role,
    place: Place,
    line: Option<u64>,
    bytes: Option<&'a [u8]>,
}

/// The part that does not depend on the streams of bytes.
#[derive(Debug)]
pub(super) struct Core {
    pub options: Options,
    pub judge: TwoSides,
    tally: Tally,
    accepting: Accepting,
    number: u64,
    /// The time of the first event of the recording, in microseconds.
    pub start: Option<i64>,
    sessions: Vec<SessionRow>,
    /// The session that has begun.
    session: SessionRow,
    session_count: usize,
    kept: Kept,
    has_lost_requests: bool,
    /// The targets of the last requests, by the number of their frame.
    targets: BTreeMap<u64, String>,
    repeated_ids: RepeatedIds,
    /// The number of findings about the side that is not judged.
    other_side: u64,
    /// The losses and changes that the source reported.
    pub losses: Losses,
    /// True if frames were seen since the session began.
    is_in_session: bool,
    /// True if the client has closed its side of the session.
    pub is_client_done: bool,
    /// The time at which the client closed its side while `initialize` had waited long for its answer, in microseconds.
    closed_waiting: Option<i64>,
    /// True if `initialize` was answered because the client closed its side.
    is_opened_by_close: bool,
    /// True if the server has sent a message since the session began.
    has_server_spoken: bool,
    /// The revision of the session that ends.
    revision: Option<Revision>,
    /// True if the source has only the beginning of the current frame.
    is_start: bool,
    /// The lines of the client that may come back from the server.
    echo: Echo,
    /// What was found around the next frame of a side.
    head: Option<HeadReport>,
}

impl Core {
    pub fn new(mut options: Options) -> Self {
        let mut judge = TwoSides::new(options.selection);
        judge.set_framing(options.framing);
        judge.set_limit(options.max_findings);
        Self {
            judge,
            tally: Tally::default(),
            accepting: options.baseline.take().map(Accepting::new).unwrap_or_default(),
            number: 0,
            start: None,
            sessions: Vec::new(),
            session: SessionRow::default(),
            session_count: 0,
            kept: Kept::new(options.findings, options.frames),
            has_lost_requests: false,
            targets: BTreeMap::new(),
            repeated_ids: RepeatedIds::default(),
            other_side: 0,
            losses: Losses::default(),
            is_in_session: false,
            is_client_done: false,
            closed_waiting: None,
            is_opened_by_close: false,
            has_server_spoken: false,
            revision: None,
            is_start: false,
            echo: Echo::default(),
            head: None,
            options,
        }
    }

    /// Processes an event that the framing cut from a stream. `time` is the time of the event's last byte.
    pub fn cut(
        &mut self,
        from: Role,
        (event, around): (&WireEvent<'_>, &Around<'_>),
        reporter: &mut Reporter,
        places: &mut VecDeque<(u64, Place)>,
        time: Option<i64>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        if let Some(frame) = event.frame() {
            let piece = Piece::of_frame(frame);
            let place = Place { time, ..place_of(places, piece.offset()) };
            if frame.is_line()
                && let Some(report) = self.echo(from, &piece, reporter)
            {
                self.begin(from, place);
                return self.report(from, place, report, (Some(piece.bytes()), false), sink);
            }
            return self.frame(from, place, (&piece, around.behind), reporter, sink);
        }
        let profile = self.judge.profile();
        let Some(report) = reporter.event(event, &profile, around) else { return Ok(()) };
        let place = Place { time, ..place_of(places, report.offset) };
        let report = report.into_owned();
        let WireEvent::Other(Received::Oversized { oversized, skimmed, .. }) = event else {
            return self.broken(from, place, report, sink);
        };
        self.begin(from, place);
        // Its id and its method may be known, so that it is owed an answer, or is one.
        let fault = match skimmed {
            Some(skimmed) => Fault::of_skimmed(oversized, skimmed, &profile),
            None => Fault::of_oversized(oversized, &profile),
        };
        self.judge.fault(&fault, b"", &mut |_| {});
        self.report(from, place, report, (None, false), sink)
    }

    /// Returns the report of a line of the server that is one of the client.
    fn echo<'buf>(
        &mut self,
        from: Role,
        piece: &Piece<'buf>,
        reporter: &Reporter,
    ) -> Option<FrameReport<'buf>> {
        match from {
            Role::Client => {
                self.echo.sent(piece.bytes());
                None
            }
            Role::Server => {
                let echoed = self.echo.recognize(piece.bytes(), piece.line())?;
                Some(reporter.echo(piece, &echoed))
            }
        }
    }

    /// Processes a frame, which these bytes follow.
    pub fn frame(
        &mut self,
        from: Role,
        place: Place,
        (piece, behind): (&Piece<'_>, &[u8]),
        reporter: &mut Reporter,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let place_of_request = Place { line: place.line.or(Some(piece.line())), ..place };
        self.begin(from, place_of_request);
        if self.losses.is_http() {
            reporter.set_http();
        }
        let mut report = reporter.frame(piece, &mut self.judge, behind);
        if self.judge.is_known_stranger(piece.bytes()) {
            // The first such frame was reported.
            report.messages_mut().for_each(|message| message.findings.clear());
        }
        if self.options.framing == FramingKind::Sse {
            report.lines_were_joined(piece.bytes());
        }
        let waits = self.judge.keep(piece, &report);
        if waits {
            let is_batch = report.batch.is_some();
            let is_certain = |finding: &mut FindingReport| is_certain(finding, is_batch);
            report.messages_mut().for_each(|message| message.findings.retain_mut(is_certain));
        }
        self.add_head(from, &mut report);
        self.report_late(sink)?;
        self.report(from, place, report, (Some(piece.bytes()), waits), sink)
    }

    /// Reports the new findings of frames that were judged late.
    fn report_late(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        for mut late in self.judge.take_late() {
            let (from, At { number, place }) = (late.from, late.at);
            let line = place.line.or(late.report.line);
            let bytes = Some(&*late.bytes);
            late.report.messages_mut().for_each(|message| {
                self.adjust(message, from, (bytes, true));
                self.repeated_ids.observe(from, message);
            });
            self.tally.judge(&Seen {
                number,
                from,
                line,
                revision: late.revision,
                report: &late.report,
                bytes: &late.bytes,
                answered: None,
                met: &[],
            });
            let frame = Framed { number, from, place, line, bytes: Some(&late.bytes) };
            let mut report = std::mem::replace(&mut late.report, FrameReport::nothing());
            let mut rows = Vec::new();
            for message in report.messages_mut() {
                message.findings.retain(|finding| late.is_new(finding));
                let method = message.method.as_deref().map(short);
                let target = message.target.as_deref().map(short);
                rows.extend(self.rows(&frame, message, method, target));
            }
            for finding in rows {
                sink.finding(&finding)?;
                self.kept.finding(finding);
            }
        }
        Ok(())
    }

    /// Processes the beginning of a frame that the source does not have as a whole.
    pub fn start_of_frame(
        &mut self,
        from: Role,
        place: Place,
        piece: &Piece<'_>,
        reporter: &mut Reporter,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        self.is_start = true;
        let result = self.frame(from, place, (piece, b""), reporter, sink);
        self.is_start = false;
        result
    }

    /// Processes something that does not form a frame.
    pub fn broken(
        &mut self,
        from: Role,
        place: Place,
        mut report: FrameReport<'static>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        self.begin(from, place);
        self.judge.unreadable(from);
        self.add_head(from, &mut report);
        self.report(from, place, report, (None, false), sink)
    }

    /// Processes what was found around the next frame of a side, or around none.
    pub fn head(
        &mut self,
        mut head: HeadReport,
        place: Place,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        head.findings.retain(|finding| self.losses.allow(finding));
        for checked in &head.checked {
            self.tally.requirements.note_checked(checked);
        }
        if head.has_frame {
            self.head = Some(head);
            return Ok(());
        }
        for finding in &head.findings {
            let finding = Finding {
                from: Some(head.from.name()),
                method: head.method.as_deref().map(short),
                source: place.source,
                line: place.line,
                ..Finding::new(finding)
            };
            if let Some(finding) = self.admit(finding) {
                sink.finding(&finding)?;
                self.kept.finding(finding);
            }
        }
        Ok(())
    }

    /// Adds what was found around a frame. What was found in the frame itself is not repeated.
    fn add_head(&mut self, from: Role, report: &mut FrameReport<'_>) {
        let Some(head) = self.head.take_if(|head| head.from == from) else { return };
        let is_new = |finding: &FindingReport| {
            let mut own = report.messages().flat_map(|message| &message.findings);
            own.all(|own| own.rule != finding.rule)
        };
        let new: Vec<_> = head.findings.into_iter().filter(is_new).collect();
        report.message.findings.extend(new);
    }

    fn begin(&mut self, from: Role, place: Place) {
        self.number += 1;
        if !self.is_in_session {
            self.is_in_session = true;
            let first_frame = self.number;
            self.session_count += 1;
            self.session = SessionRow { first_frame, ..SessionRow::default() };
        }
        self.judge.next_frame(from, At { number: self.number, place });
    }

    fn report(
        &mut self,
        from: Role,
        place: Place,
        mut report: FrameReport<'_>,
        (bytes, waits): (Option<&[u8]>, bool),
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let number = self.number;
        self.judge.note_unread(from, &mut report, bytes.unwrap_or_default());
        let answered = self.judge.take_answered();
        if from == Role::Server {
            self.note_server_frame(place, &report);
        }
        let line = place.line.or(report.line);
        report.messages_mut().for_each(|message| {
            self.adjust(message, from, (bytes, false));
            self.repeated_ids.observe(from, message);
        });
        let seen = Seen {
            number,
            from,
            line,
            revision: self.judge.revision(),
            report: &report,
            bytes: bytes.unwrap_or_default(),
            answered: answered.as_ref(),
            met: self.judge.met(),
        };
        self.tally.count(&seen);
        if !waits {
            self.tally.judge(&seen);
        }
        if let Some(answered) = &answered {
            self.tally.latencies.add(from.other(), answered);
        }
        let called = answered.as_ref().map(|answered| &*answered.method);
        let has_rows = report.messages().any(|message| !message.findings.is_empty());
        let is_named = has_rows || self.kept.has_room();
        let method = report.message.method.as_deref().or(called).filter(|_| is_named).map(short);
        let target = self.target(&report, answered.as_ref());
        let frame = Framed { number, from, place, line, bytes };
        let mut findings = Vec::new();
        for message in report.messages_mut() {
            if !message.findings.is_empty() {
                let called = message.method.as_deref().map(short).or_else(|| method.clone());
                let target = message.target.as_deref().map(short).or_else(|| target.clone());
                findings.extend(self.rows(&frame, message, called, target));
            }
            let options = &self.options;
            if options.side.is_some_and(|side| side != from) {
                let left_out = std::mem::take(&mut message.left_out);
                self.other_side += left_out.iter().map(|one| one.count).sum::<u64>();
            }
            message.left_out.retain_mut(|left_out| {
                let last = &mut left_out.last;
                let severity = options.policy.severity(last.rule, last.severity);
                last.severity = severity.unwrap_or(last.severity);
                severity.is_some()
            });
            for left_out in &message.left_out {
                let (severity, rule) = (left_out.last.severity, rule::name(left_out.last.rule));
                *self.tally.rules.entry((severity, rule)).or_default() += left_out.count;
                self.kept.leave_out(left_out.count);
            }
        }
        let audited = Audited {
            number,
            from,
            place,
            report: &report,
            answered: answered.as_ref(),
            target: target.as_deref(),
            bytes,
            findings: &findings,
        };
        sink.frame(&audited)?;
        let time_ms = self.milliseconds(place.time);
        self.keep_frame(&audited, method, time_ms, answered.as_ref(), line);
        for finding in findings {
            self.kept.finding(finding);
        }
        Ok(())
    }

    /// Notes that the client has closed its side.
    pub fn client_closed(&mut self, place: Place) {
        if !std::mem::replace(&mut self.is_client_done, true)
            && let Some(opening) = self.judge.opening().filter(|opening| opening.is_owed())
            && let Some((asked, closed)) = opening.asked_at().zip(place.time)
            && closed.saturating_sub(asked) >= LONG_WAIT
        {
            self.closed_waiting = Some(closed);
        }
    }

    /// Notes a frame of the server: whether it is a message, and whether it opens the session too late.
    fn note_server_frame(&mut self, place: Place, report: &FrameReport<'_>) {
        self.has_server_spoken |= report.messages().any(|message| message.kind != Kind::Invalid);
        if let Some(closed) = self.closed_waiting
            && self.judge.opening().is_some_and(|opening| opening.verdict != Verdict::Unanswered)
        {
            self.closed_waiting = None;
            let wait = place.time.map(|time| time.saturating_sub(closed));
            self.is_opened_by_close = wait.is_some_and(|wait| (0..LONG_WAIT).contains(&wait));
        }
    }

    /// Returns the rows of the findings of a message, and removes those that are not reported.
    fn rows(
        &mut self,
        frame: &Framed<'_>,
        message: &mut MessageReport<'_>,
        called: Option<String>,
        target: Option<String>,
    ) -> Vec<Finding> {
        let Framed { number, from, place, line, bytes } = *frame;
        let mut rows = Vec::new();
        message.findings.retain_mut(|finding| {
            let row = Finding {
                frame: Some(number),
                from: Some(from.name()),
                method: called.clone(),
                target: target.clone(),
                source: place.source,
                line,
                // Without a line, the offset in the stream is also the offset in the file.
                offset: finding.offset.filter(|_| place.line.is_none()),
                length: marked(bytes, finding),
                ..Finding::new(finding)
            };
            let row = self.admit(row);
            if let Some(row) = &row {
                finding.severity = row.severity;
                rows.push(row.clone());
            }
            row.is_some()
        });
        rows
    }

    /// Removes findings that this recording can't support, and adapts others to what only the audit knows.
    fn adjust(
        &self,
        message: &mut MessageReport<'_>,
        from: Role,
        (bytes, is_late): (Option<&[u8]>, bool),
    ) {
        if self.options.order == Order::Causal {
            message.findings.retain(|finding| !depends_on_order(finding.rule, from));
        }
        if message.null_id == Some(Kind::Error) {
            excuse_null(message);
        }
        let mut answers_notification = false;
        // What came after the frame explains nothing.
        let explained = message.findings.iter_mut().filter(|_| !is_late);
        for finding in explained {
            answers_notification |= self.judge.explain(finding, from, bytes.unwrap_or_default());
        }
        if answers_notification {
            // With another id or result, it would be as wrong.
            message
                .findings
                .retain(|finding| !matches!(finding.rule, Rule::ID_NULL | Rule::RESULT_TYPE));
        }
        if let (Role::Server, Some(bytes)) = (from, bytes) {
            name_pollution(message, bytes);
        }
        if self.is_start {
            name_quote(message, bytes.unwrap_or_default());
        }
        message.findings.retain(|finding| self.losses.allow(finding));
    }

    /// Returns the target of a frame, and remembers that of a request for its response.
    fn target(&mut self, report: &FrameReport<'_>, answered: Option<&Answered>) -> Option<String> {
        let Some(target) = report.message.target.as_deref().map(short) else {
            return self.targets.remove(&answered?.frame);
        };
        if report.message.kind == Kind::Request {
            if self.targets.len() >= TARGETS {
                self.targets.pop_first();
            }
            self.targets.insert(self.number, target.clone());
        }
        Some(target)
    }

    /// Decides whether to report a finding. If so, completes and counts it.
    fn admit(&mut self, mut finding: Finding) -> Option<Finding> {
        let is_of = |side: Role| finding.from.is_none_or(|from| from == side.name());
        if !self.options.side.is_none_or(is_of) {
            self.other_side += 1;
            return None;
        }
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
        finding.severity = self.options.policy.severity(finding.named, finding.severity)?;
        *self.tally.rules.entry((finding.severity, finding.rule)).or_default() += 1;
        Some(finding)
    }

    fn keep_frame(
        &mut self,
        audited: &Audited<'_>,
        method: Option<String>,
        time_ms: Option<f64>,
        answered: Option<&Answered>,
        line: Option<u64>,
    ) {
        if !self.kept.has_room() {
            return;
        }
        let message = &audited.report.message;
        let places = audited.findings.iter().map(|finding| finding.column - 1);
        let bytes = audited.bytes.map(|bytes| Bytes::of(bytes, places)).unwrap_or_default();
        let row = FrameRow {
            number: audited.number,
            from: audited.from.name(),
            kind: message.kind,
            method,
            target: audited.target.map(str::to_owned),
            id: message.id.as_deref().map(short),
            time_ms,
            // The line of its request may not have ended.
            pair: answered.map(|answered| answered.frame).filter(|&frame| frame > 0),
            latency_ms: answered
                .and_then(|answered| answered.latency)
                .map(|latency| latency.milliseconds()),
            line,
            length: audited.report.length,
            session: self.session_count.saturating_sub(1),
            bytes,
        };
        self.kept.frame(row);
    }

    pub fn stderr(&mut self, text: &[u8], place: Place) {
        let time_ms = self.milliseconds(place.time);
        self.kept.stderr(text, time_ms, self.number);
    }

    /// Ends the session, if one has begun, and reports its unanswered requests.
    pub fn end(
        &mut self,
        how: Option<(String, Ending)>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        self.judge.conclude();
        self.report_late(sink)?;
        self.repeated_ids = RepeatedIds::default();
        // The findings about the session come after its state is gone.
        self.revision = self.judge.negotiated().or(self.judge.assumed());
        let (how, ending) = how.unzip();
        let has_failed = match ending {
            None | Some(Ending::Normal) => false,
            Some(Ending::Failed) => true,
            // A client that has closed its side may end the process by a signal.
            Some(Ending::Signal) => !self.is_client_done,
        };
        self.is_client_done = false;
        self.closed_waiting = None;
        self.echo = Echo::default();
        let has_server_spoken = std::mem::take(&mut self.has_server_spoken);
        let is_in_session = std::mem::take(&mut self.is_in_session);
        if is_in_session {
            let session = &mut self.session;
            let peers = self.judge.peers();
            session.client = peers.client.clone();
            session.server = peers.server.clone();
            session.revision = self.judge.negotiated().map(|revision| revision.name());
            if let Some((protocol, reason, frame)) = self.judge.protocol() {
                session.protocol = Some(protocol.name());
                let place = if frame == 0 { String::new() } else { format!(" (frame {frame})") };
                session.protocol_reason = Some(format!("{reason}{place}"));
            }
            session.assumed_revision = self.judge.assumed().map(|revision| revision.name());
            session.opening = self.judge.opening().cloned();
            let unjudged = self.judge.unjudged();
            if unjudged > 0 {
                self.losses.say(format!(
                    "{unjudged} frames came before the protocol and its revision were known, and were judged by their \
                     envelopes only"
                ));
            }
            session.end.clone_from(&how);
        }
        self.has_lost_requests |= !self.judge.has_kept_all();
        for (rule, from, method) in self.judge.omissions() {
            let is_inferred = self.options.order == Order::Causal && depends_on_order(rule, from);
            let finding = FindingReport::new(rule, 0);
            if is_inferred || !self.losses.allow(&finding) {
                continue;
            }
            let finding = Finding {
                from: Some(from.name()),
                method: Some(method.name().to_owned()),
                line: place.line,
                ..Finding::new(&finding)
            };
            self.session_finding(finding, sink)?;
        }
        self.opening_finding(how.as_deref().filter(|_| has_failed), place, sink)?;
        let whole = self.judge.opening().cloned().unwrap_or_default();
        let opening = whole.is_owed().then_some(whole.frame);
        // The calls that were lost with the process: the first of them, and the number of others.
        let mut lost: Option<(Unanswered, u64)> = None;
        for request in self.judge.end() {
            // It was reported as a session that did not open.
            if opening == Some(request.at.number) {
                continue;
            }
            if self.losses.may_hold_answers_to(request.from) {
                continue;
            }
            let is_of_client = request.from == Role::Client;
            let is_probe = is_of_client && request.method == KnownMethod::ServerDiscover.name();
            if is_probe && whole.has_fallen_back(request.at.number) {
                self.fallback_finding(request, sink)?;
                continue;
            }
            if has_failed && is_of_client && !request.is_passed_over && opening.is_none() {
                // It is a consequence.
                let requirements = &mut self.tally.requirements;
                let rule = rule::UNANSWERED_REQUEST;
                let about = (request.method.as_str(), Some(request.at.number));
                requirements.note_session(rule, Role::Server, about, self.revision);
                match &mut lost {
                    Some((_, others)) => *others += 1,
                    None => lost = Some((request, 0)),
                }
                continue;
            }
            self.unanswered_finding(request, has_failed, sink)?;
        }
        // The reason why the session did not open was reported.
        if has_failed && opening.is_none() {
            let is_mute = !has_server_spoken && !self.losses.may_hold_answers_to(Role::Client);
            let is_error = ending == Some(Ending::Failed) && (lost.is_some() || is_mute);
            let mut words = format!("the server's process has {}", how.unwrap_or_default());
            if let Some((request, others)) = &lost {
                let call = match request.method.as_str() {
                    "" => "the request",
                    method => method,
                };
                words = format!("{words} before it answered {call} (id {})", request.id);
                words += &match others {
                    0 => String::new(),
                    1 => " and 1 more request".to_owned(),
                    others => format!(" and {others} more requests"),
                };
            } else if is_mute {
                words += " before it sent a message";
            }
            self.failure_finding(words, is_error, lost.map(|(request, _)| request), place, sink)?;
        }
        self.losses.end_session();
        if is_in_session {
            sink.session(&self.session)?;
            if self.sessions.len() < SESSIONS {
                self.sessions.push(std::mem::take(&mut self.session));
            }
        }
        Ok(())
    }

    /// Reports that the session did not open. `failure` says how the server's process has failed.
    fn opening_finding(
        &mut self,
        failure: Option<&str>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let is_opened_by_close = std::mem::take(&mut self.is_opened_by_close);
        let Some(opening) = self.judge.opening() else { return Ok(()) };
        let (rule, from) = match opening.verdict {
            _ if is_opened_by_close => (rule::OPENING_UNANSWERED, Role::Server),
            Verdict::Unanswered if self.losses.may_hold_answers_to(Role::Client) => return Ok(()),
            Verdict::Unanswered if opening.is_owed() && opening.is_unended() => {
                (rule::OPENING_UNANSWERED, Role::Client)
            }
            Verdict::Unanswered if opening.is_owed() => (rule::OPENING_UNANSWERED, Role::Server),
            Verdict::Refused => (rule::OPENING_REFUSED, Role::Server),
            Verdict::GivenUp => (rule::VERSION_NOT_AGREED, Role::Client),
            _ => return Ok(()),
        };
        let frame = opening.frame;
        let words = match (opening.verdict, failure) {
            _ if is_opened_by_close => {
                "initialize was answered only after the client closed its side: standard output is not flushed, or the \
                 server reads to the end of its input"
                    .to_owned()
            }
            (Verdict::Unanswered, Some(failure)) => {
                let mut words = format!(
                    "the server's process has {failure} before it answered the first request"
                );
                self.add_last_line(&mut words);
                words
            }
            _ => opening.words(),
        };
        let finding = Finding {
            frame: Some(frame),
            from: Some(from.name()),
            line: place.line,
            help: match from {
                Role::Client if rule == rule::OPENING_UNANSWERED => {
                    rule::help(Rule::UNTERMINATED_FRAME)
                }
                _ => rule::help(rule),
            },
            ..Finding::new(&FindingReport::new(rule, 0).with_words(words))
        };
        self.session_finding(finding, sink)
    }

    /// Reports a request that was not answered. `has_failed` is true if the server's process has failed.
    fn unanswered_finding(
        &mut self,
        request: Unanswered,
        has_failed: bool,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let words = match request.method.as_str() {
            "" => format!("the request with the id {} was not answered", request.id),
            method => {
                format!("the request {method:?} with the id {} was not answered", request.id)
            }
        };
        let mut finding = FindingReport::new(rule::UNANSWERED_REQUEST, 0).with_words(words);
        // Answers may come in any order, and a client may leave before they arrive. But here a later request was
        // answered, and the process failed.
        if has_failed && request.is_passed_over {
            finding.severity = Severity::Error;
        }
        let finding = Finding { from: Some(request.from.name()), ..Finding::new(&finding) };
        let finding = self.on_request(finding, request);
        self.session_finding(finding, sink)
    }

    /// Reports a request that the server has not answered, after which the client fell back to `initialize`. A server of
    /// the legacy era does not know it (2026-07-28, basic/versioning, backward compatibility).
    fn fallback_finding(&mut self, request: Unanswered, sink: &mut dyn Sink) -> io::Result<()> {
        let words = format!(
            "the request {:?} with the id {} was not answered, and the client fell back to initialize",
            request.method, request.id
        );
        let mut finding = FindingReport::new(rule::UNANSWERED_REQUEST, 0).with_words(words);
        finding.severity = Severity::Note;
        let finding = Finding {
            from: Some(request.from.name()),
            help: "answer a method that is not known with the error -32601, so that the client need not wait",
            ..Finding::new(&finding)
        };
        let finding = self.on_request(finding, request);
        self.session_finding(finding, sink)
    }

    /// Reports in these words that the server's process has failed. `lost` is the call that it was to answer.
    fn failure_finding(
        &mut self,
        mut words: String,
        is_error: bool,
        lost: Option<Unanswered>,
        place: Place,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        self.add_last_line(&mut words);
        let mut finding = FindingReport::new(rule::PROCESS_FAILED, 0).with_words(words);
        if is_error {
            finding.severity = Severity::Error;
        }
        let finding = Finding { from: Some("server"), line: place.line, ..Finding::new(&finding) };
        let finding = match lost {
            Some(request) => self.on_request(finding, request),
            None => finding,
        };
        self.session_finding(finding, sink)
    }

    /// Places a finding on a request.
    fn on_request(&mut self, finding: Finding, request: Unanswered) -> Finding {
        Finding {
            frame: Some(request.at.number),
            target: self.targets.remove(&request.at.number),
            method: Some(request.method),
            source: request.at.place.source,
            line: request.at.place.line,
            ..finding
        }
    }

    /// Adds the last line of the server's standard error to the words about its end.
    fn add_last_line(&mut self, words: &mut String) {
        if let Some(line) = self.kept.last_line() {
            *words = format!("{words}; its standard error ends with {:?}", short(line));
        }
    }

    fn session_finding(&mut self, finding: Finding, sink: &mut dyn Sink) -> io::Result<()> {
        if finding.severity != Severity::Note
            && let Some(from) = finding.from.and_then(|from| from.parse::<Role>().ok())
        {
            // It is the other side that did not answer.
            let breaks = match finding.named {
                rule::UNANSWERED_REQUEST => from.other(),
                _ => from,
            };
            let about = (finding.method.as_deref().unwrap_or_default(), finding.frame);
            self.tally.requirements.note_session(finding.named, breaks, about, self.revision);
        }
        if let Some(finding) = self.admit(finding) {
            sink.finding(&finding)?;
            self.kept.finding(finding);
        }
        Ok(())
    }

    /// Returns the time since the first event of the recording, unless it is before that.
    fn milliseconds(&self, time: Option<i64>) -> Option<f64> {
        let elapsed = time?.checked_sub(self.start?).filter(|&elapsed| elapsed >= 0)?;
        #[expect(clippy::cast_precision_loss, reason = "2^53 microseconds are 285 years")]
        Some(elapsed as f64 / 1000.0)
    }

    pub fn into_document(mut self, sources: Vec<SourceRow>) -> Document {
        let last_lines = self.kept.take_last_lines();
        let Self { tally, options, .. } = self;
        let mut truncated = self.kept.truncated(tally.frames);
        if self.session_count > self.sessions.len() {
            let (kept, all) = (self.sessions.len(), self.session_count);
            truncated.push(format!("the first {kept} of {all} sessions are listed"));
        }
        if self.has_lost_requests {
            truncated.push(LOST_REQUESTS.to_owned());
        }
        let mut requirements = tally.requirements.rows();
        self.losses.correct(&mut requirements);
        Document {
            tautline: env!("CARGO_PKG_VERSION"),
            format: FORMAT,
            sources,
            rules: options.selection.name().to_owned(),
            order: options.order,
            sessions: self.sessions,
            totals: Totals {
                frames: tally.frames,
                bytes: tally.bytes,
                messages: [Role::Client, Role::Server]
                    .map(|from| message_counts(&tally.kinds, from))
                    .into(),
                errors: tally.of_severity(Severity::Error),
                warnings: tally.of_severity(Severity::Warning),
                notes: tally.of_severity(Severity::Note),
                baseline: tally.accepted,
                other_side: options.side.map(|_| self.other_side),
                rules: tally
                    .rules
                    .iter()
                    .rev()
                    .map(|(&(severity, rule), &count)| RuleCount { rule, severity, count })
                    .collect(),
            },
            audits: tally.audits.rows(),
            requirements,
            latency: tally.latencies.rows(),
            findings: self.kept.findings,
            frames: self.kept.frames,
            stderr: self.kept.stderr,
            last_lines,
            stale: self.accepting.stale().cloned().collect(),
            notes: self.losses.into_notes(),
            truncated,
        }
    }
}

impl Finding {
    pub(super) fn new(finding: &FindingReport) -> Self {
        Self {
            rule: rule::name(finding.rule),
            severity: finding.severity,
            frame: None,
            from: None,
            method: None,
            target: None,
            source: 0,
            line: None,
            offset: None,
            column: finding.column,
            length: 1,
            path: short(&finding.path),
            message: finding.message.to_string(),
            spec_ref: finding.spec_ref,
            help: finding.help,
            fingerprint: String::new(),
            named: finding.rule,
            stable_words: finding.stable_words(),
        }
    }
}

/// Returns a text from the wire, truncated to [`LONGEST_NAME`] characters.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => text.get(..end).unwrap_or(text).to_owned() + "…",
        None => text.to_owned(),
    }
}

/// Lowers `id-null` to a note: JSON-RPC uses a null id when the request could not be read (section 5), where MCP omits
/// the id.
fn excuse_null(message: &mut MessageReport<'_>) {
    for finding in &mut message.findings {
        if finding.rule == Rule::ID_NULL {
            finding.severity = Severity::Note;
            finding.explain("the error has null as its id, and MCP leaves that id out".to_owned());
        }
    }
}

/// Rewords the finding on a line of plain text from the server: its standard output is for messages only.
fn name_pollution(message: &mut MessageReport<'_>, bytes: &[u8]) {
    for finding in message.findings.iter_mut().filter(|finding| finding.rule == Rule::LOG_LINE) {
        let start = printable(bytes.get(..POLLUTION).unwrap_or(bytes));
        finding.explain(format!("the server has written text where its messages are: {start:?}"));
    }
}

/// Adds to the errors of a frame that the source has only the beginning of it.
fn name_quote(message: &mut MessageReport<'_>, quote: &[u8]) {
    let quote = printable(quote);
    let is_error = |finding: &&mut FindingReport| finding.severity == Severity::Error;
    for finding in message.findings.iter_mut().filter(is_error) {
        let words = finding.message.to_string();
        let shown = if words.contains(&quote) { String::new() } else { format!(", {quote:?}") };
        finding.explain(format!("{words} (the log quotes only the beginning of the line{shown})"));
    }
}

/// Returns the number of bytes to mark for a finding.
pub(super) fn marked(bytes: Option<&[u8]>, finding: &FindingReport) -> u64 {
    let at = usize::try_from(finding.column - 1).unwrap_or(usize::MAX);
    let rest = bytes.and_then(|bytes| bytes.get(at..)).unwrap_or_default();
    token_length(rest).max(1) as u64
}

/// Returns whether a finding on this side depends on which of two messages in opposite directions came first.
fn depends_on_order(rule: Rule, from: Role) -> bool {
    match rule {
        rule::RESPONSE_LATE
        | rule::CANCEL_UNKNOWN
        | rule::TASK_CANCEL_ENDED
        | rule::LOG_NOT_REQUESTED
        | rule::SUBSCRIPTION_UNKNOWN
        | rule::SUBSCRIPTION_END_UNANNOUNCED
        | rule::LIST_CHANGE_UNANNOUNCED
        | rule::TOOL_NAME_REPEATED
        | rule::CURSOR_STALE
        | rule::TASK_INPUT_NOT_FETCHED
        | rule::TASK_UNLISTED
        | rule::VERSION_NOT_OFFERED => true,
        rule::REQUEST_BEFORE_INITIALIZED => from == Role::Server,
        _ => false,
    }
}

/// Returns the place at which this byte of a stream was recorded, and forgets those before it.
fn place_of(places: &mut VecDeque<(u64, Place)>, offset: u64) -> Place {
    while places.get(1).is_some_and(|&(start, _)| start <= offset) {
        places.pop_front();
    }
    places.front().map(|&(_, place)| place).unwrap_or_default()
}
