//! The audit of frames, whatever stream they come from.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use tautline::stream::Received;
use tautline::{Rule, Severity};
use tautline_mcp::{Role, rule};

use super::kept::Kept;
use super::{Audited, Sink};
use crate::baseline::{Accepting, fingerprint};
use crate::document::{
    Bytes, Document, FORMAT, Finding, FrameRow, Order, RuleCount, SessionRow, SourceRow, Totals,
    message_counts,
};
use crate::excerpt::token_length;
use crate::frame::{FindingReport, FrameReport, Kind, MessageReport, Piece};
use crate::judge::{Answered, At, Judge, TwoSides};
use crate::losses::Losses;
use crate::options::Options;
use crate::source::{Ending, Place};
use crate::tally::{Seen, Tally};
use crate::visible::printable;

/// The number of characters that are kept of a method, an id or a path.
const LONGEST_NAME: usize = 300;

/// The number of bytes shown of a line that is not a message.
const POLLUTION: usize = 80;

/// The number of requests whose targets are remembered for their responses.
const TARGETS: usize = 4096;

/// The number of sessions that a document lists.
const SESSIONS: usize = 1000;

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
    session_count: usize,
    kept: Kept,
    has_lost_requests: bool,
    /// The targets of the last requests, by the number of their frame.
    targets: BTreeMap<u64, String>,
    /// The number of findings about the side that is not judged.
    other_side: u64,
    /// The losses and changes that the source reported.
    pub losses: Losses,
    /// True if frames were seen since the session began.
    is_in_session: bool,
    /// True if the client has closed its side of the session.
    pub is_client_done: bool,
}

impl Core {
    pub fn new(mut options: Options) -> Self {
        Self {
            judge: TwoSides::new(options.selection),
            tally: Tally::default(),
            accepting: options.baseline.take().map(Accepting::new).unwrap_or_default(),
            number: 0,
            start: None,
            sessions: Vec::new(),
            session_count: 0,
            kept: Kept::new(options.findings, options.frames),
            has_lost_requests: false,
            targets: BTreeMap::new(),
            other_side: 0,
            losses: Losses::default(),
            is_in_session: false,
            is_client_done: false,
            options,
        }
    }

    /// Processes an event that the framing cut from a stream. `time` is the time of the event's last byte.
    pub fn cut(
        &mut self,
        from: Role,
        event: &Received<'_>,
        places: &mut VecDeque<(u64, Place)>,
        time: Option<i64>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        if let Some(frame) = event.frame() {
            let piece = Piece::of_frame(frame);
            let place = Place { time, ..place_of(places, piece.offset()) };
            return self.frame(from, place, &piece, sink);
        }
        let (profile, limit) = (self.judge.profile(), self.options.max_findings);
        match FrameReport::of_event(event, &profile, limit) {
            Some(report) => {
                let place = Place { time, ..place_of(places, report.offset) };
                self.broken(from, place, report.into_owned(), sink)
            }
            None => Ok(()),
        }
    }

    pub fn frame(
        &mut self,
        from: Role,
        place: Place,
        piece: &Piece<'_>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let place_of_request = Place { line: place.line.or(Some(piece.line())), ..place };
        self.begin(from, place_of_request);
        let report = FrameReport::of_frame(piece, &mut self.judge, self.options.max_findings);
        self.report(from, place, report, Some(piece.bytes()), sink)
    }

    /// Processes something that does not form a frame.
    pub fn broken(
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
            self.session_count += 1;
            if self.sessions.len() < SESSIONS {
                self.sessions.push(SessionRow { first_frame, ..SessionRow::default() });
            }
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
        report.messages_mut().for_each(|message| self.adjust(message, from, bytes));
        self.tally.count(&Seen {
            number,
            from,
            line,
            revision: self.judge.revision(),
            report: &report,
            bytes: bytes.unwrap_or_default(),
            answered: answered.as_ref().map(|answered| answered.method.as_str()),
            met: self.judge.met(),
        });
        if let Some(answered) = &answered {
            self.tally.latencies.add(from.other(), answered);
        }
        let called = answered.as_ref().map(|answered| answered.method.clone());
        let method = report.message.method.as_deref().map(short).or(called);
        let target = self.target(&report, answered.as_ref());
        let mut findings = Vec::new();
        for message in report.messages_mut() {
            let called = message.method.as_deref().map(short).or_else(|| method.clone());
            let target = message.target.as_deref().map(short).or_else(|| target.clone());
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
                    findings.push(row.clone());
                }
                row.is_some()
            });
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

    /// Removes findings that this recording can't support, and adapts others to what only the audit knows.
    fn adjust(&self, message: &mut MessageReport<'_>, from: Role, bytes: Option<&[u8]>) {
        if self.options.order == Order::Causal {
            message.findings.retain(|finding| !depends_on_order(finding.rule, from));
        }
        if self.judge.is_null_error() {
            excuse_null(message);
        }
        if let (Role::Server, Some(bytes)) = (from, bytes) {
            name_pollution(message, bytes);
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
            pair: answered.map(|answered| answered.frame),
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
        let (how, ending) = how.unzip();
        let has_failed = match ending {
            None | Some(Ending::Normal) => false,
            Some(Ending::Failed) => true,
            // A client that has closed its side may end the process by a signal.
            Some(Ending::Signal) => !self.is_client_done,
        };
        self.is_client_done = false;
        if self.is_in_session
            && let Some(session) = self.sessions.get_mut(self.session_count.wrapping_sub(1))
        {
            let peers = self.judge.peers();
            session.client = peers.client.clone();
            session.server = peers.server.clone();
            session.revision = self.judge.negotiated().map(|revision| revision.name());
            session.end.clone_from(&how);
        }
        self.is_in_session = false;
        self.has_lost_requests |= !self.judge.has_kept_all();
        for (rule, from, method) in self.judge.omissions() {
            let is_inferred = self.options.order == Order::Causal && depends_on_order(rule, from);
            let finding = FindingReport::new(rule, 0);
            if is_inferred || !self.losses.allow(&finding) {
                continue;
            }
            self.tally.requirements.note_omission(rule, from, method, self.judge.negotiated());
            let finding = Finding {
                from: Some(from.name()),
                method: Some(method.name().to_owned()),
                line: place.line,
                ..Finding::new(&finding)
            };
            self.session_finding(finding, sink)?;
        }
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
            let mut finding = FindingReport::new(rule::UNANSWERED_REQUEST, 0).with_words(words);
            // Answers may come in any order, and a client may leave before they arrive. But here a later request was
            // answered, and the process failed.
            if has_failed && request.is_passed_over {
                finding.severity = Severity::Error;
            }
            let finding = Finding {
                frame: Some(request.at.number),
                from: Some(request.from.name()),
                target: self.targets.remove(&request.at.number),
                method: Some(request.method),
                source: request.at.place.source,
                line: request.at.place.line,
                ..Finding::new(&finding)
            };
            self.session_finding(finding, sink)?;
        }
        if has_failed {
            let how = how.unwrap_or_default();
            let rule = rule::PROCESS_FAILED;
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

    pub fn into_document(self, sources: Vec<SourceRow>) -> Document {
        let Self { tally, options, .. } = self;
        let mut truncated = self.kept.truncated(tally.frames);
        if self.session_count > self.sessions.len() {
            let (kept, all) = (self.sessions.len(), self.session_count);
            truncated.push(format!("the first {kept} of {all} sessions are listed"));
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
            last_lines: self.kept.last_lines.into(),
            stale: self.accepting.stale().cloned().collect(),
            notes: self.losses.into_notes(),
            truncated,
        }
    }
}

impl Finding {
    fn new(finding: &FindingReport) -> Self {
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
            help: rule::help(finding.rule),
            fingerprint: String::new(),
            named: finding.rule,
            stable_words: finding.stable_words(),
        }
    }
}

/// Returns a text from the wire, truncated to [`LONGEST_NAME`] characters.
fn short(text: &str) -> String {
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
    let is_of = |rule| move |finding: &FindingReport| finding.rule == rule;
    if !message.findings.iter().any(is_of(Rule::LOG_LINE)) {
        return;
    }
    for finding in message.findings.iter_mut().filter(|finding| is_of(Rule::NOT_JSON)(finding)) {
        let start = printable(bytes.get(..POLLUTION).unwrap_or(bytes));
        finding.explain(format!("the server has written text where its messages are: {start:?}"));
    }
}

/// Returns the number of bytes to mark for a finding.
fn marked(bytes: Option<&[u8]>, finding: &FindingReport) -> u64 {
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
