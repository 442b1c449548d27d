//! The reporter of a stream: the reports of its frames, with the causes of their faults.

use tautline::frame::FramingKind;
use tautline::stream::Received;
use tautline::{Envelope, Fault, Profile, Rule, Severity};
use tautline_mcp::cause::{Cause, Surroundings, rule};

use super::judge::Judge;
use super::report::Explanation;
use super::run::{Run, Taken};
use super::{FindingReport, FrameReport, MaxFindings, MessageReport, Piece};
use crate::judge::echo::Echoed;
use crate::wire::{Around, WireEvent};

/// The length of a byte order mark, in bytes.
const MARK: u64 = 3;

/// Reports the frames of one stream.
///
/// The cause of a fault may span frames: a value that is printed over several lines, a page, or two writers. Then the
/// first frame has the finding, and the others [refer](FrameReport::part_of) to it.
#[derive(Debug)]
pub struct Reporter {
    framing: FramingKind,
    limit: MaxFindings,
    is_http: bool,
    run: Run,
    /// The last cause that is another protocol, and the line of its first frame.
    other_protocol: Option<(Rule, u64)>,
    /// True if the last frame has a finding that names another framing.
    names_framing: bool,
    /// True if the last frame explains why the framing is lost.
    explains_loss: bool,
    /// True if the last event was a frame, even one that is too long.
    follows_frame: bool,
}

impl Reporter {
    /// Creates the reporter of a stream at its start, which reports up to this many findings for each message.
    #[must_use]
    pub const fn new(framing: FramingKind, limit: MaxFindings) -> Self {
        Self {
            framing,
            limit,
            is_http: false,
            run: Run::new(),
            other_protocol: None,
            names_framing: false,
            explains_loss: false,
            follows_frame: false,
        }
    }

    /// Notes that the frames were sent over HTTP, so that remedies for standard output do not apply.
    pub const fn set_http(&mut self) {
        self.is_http = true;
    }

    /// Validates a frame. The known bytes that follow it are in `behind`.
    #[must_use]
    pub fn frame<'buf>(
        &mut self,
        piece: &Piece<'buf>,
        judge: &mut impl Judge,
        behind: &[u8],
    ) -> FrameReport<'buf> {
        self.explains_loss = false;
        self.follows_frame = true;
        let (limit, mut has_fault) = (self.limit, false);
        let mut explain = |envelope: &Envelope<'buf>, fault: &Fault<'buf>| {
            has_fault = true;
            self.explain(piece, envelope, fault, behind)
        };
        let mut report = FrameReport::of_frame(piece, judge, limit, &mut explain);
        if !has_fault {
            self.run.end();
        }
        let is_glued = report.message.findings.iter().any(|one| one.rule == rule::GLUED_MESSAGES);
        let names_framing = |message: &MessageReport<'_>| {
            message.findings.iter().any(|finding| finding.framing.is_some())
        };
        let names_framing = report.messages().any(names_framing);
        if is_glued || names_framing || self.names_framing {
            // The frame, or what follows its header, ends differently there. The newline after the last of glued messages
            // is missing like those before it.
            let is_other = |finding: &FindingReport| finding.rule != Rule::UNTERMINATED_FRAME;
            report.messages_mut().for_each(|message| message.findings.retain(is_other));
        }
        self.names_framing = names_framing;
        if self.has_mark(piece) {
            // The mark is not in the frame.
            report.message.findings.insert(0, FindingReport::new(rule::BYTE_ORDER_MARK, 0));
        }
        report
    }

    /// Reports a line that the other side has sent, and that has come back.
    pub(crate) fn echo<'buf>(&self, piece: &Piece<'buf>, echoed: &Echoed) -> FrameReport<'buf> {
        let finding = FindingReport::new(rule::TERMINAL_ECHO, 0);
        FrameReport::of_echo(piece, finding, echoed, self.limit)
    }

    /// Reports an event that is not a whole frame, and what is known around it. Returns `None` for a frame.
    #[must_use]
    pub fn event<'buf>(
        &mut self,
        event: &WireEvent<'buf>,
        profile: &Profile,
        around: &Around<'_>,
    ) -> Option<FrameReport<'buf>> {
        if matches!(event, WireEvent::Other(Received::Unfinished(_)))
            && !around.other_fields.is_empty()
        {
            // The stream has no event that could be finished.
            return None;
        }
        let follows_frame = self.follows_frame;
        self.follows_frame = matches!(event, WireEvent::Other(Received::Oversized { .. }));
        let WireEvent::Other(Received::Desynchronised(lost)) = event else {
            return FrameReport::of_event(event, profile, self.limit);
        };
        if self.explains_loss {
            let mut finding = FindingReport::new(lost.rule(), 0).with_words(
                "the end of the frame before is unknown, and so is the next start".into(),
            );
            finding.severity = Severity::Note;
            return Some(FrameReport::of_place(finding, lost.offset(), self.limit));
        }
        let since = usize::try_from(lost.offset().saturating_sub(around.start)).ok()?;
        let text = [around.since, around.behind].concat();
        match Cause::of_loss(lost.rule(), self.framing, &text, since, follows_frame) {
            Some(cause) => {
                let finding = self.finding(&cause, lost.rule()).at_start();
                let start = around.start + u64::from(cause.offset());
                Some(FrameReport::of_place(finding, start, self.limit))
            }
            None => FrameReport::of_event(event, profile, self.limit),
        }
    }

    /// Reports the events of a stream that has ended, if none of them had data, but these fields.
    #[must_use]
    pub fn end(&self, other_fields: &[String]) -> Option<FrameReport<'static>> {
        if other_fields.is_empty() {
            return None;
        }
        let is_object = |name: &String| name.starts_with(['{', '[']);
        let mut finding = FindingReport::new(rule::EVENTS_WITHOUT_DATA, 0);
        let first = other_fields.first().map(String::as_bytes).unwrap_or_default();
        if let Some(cause) =
            Cause::of_loss(rule::EVENTS_WITHOUT_DATA, self.framing, first, 0, false)
        {
            finding = self.finding(&cause, rule::EVENTS_WITHOUT_DATA);
        } else if first.eq_ignore_ascii_case(b"content-length") {
            finding.explain("no event has data: these are headers, and not events".to_owned());
            finding.framing = Some(FramingKind::ContentLength);
        } else if other_fields.iter().all(is_object) {
            finding
                .explain("no event has data: these are lines of JSON, and not events".to_owned());
            finding.framing = Some(FramingKind::Ndjson);
        } else {
            let (verb, field) = match other_fields {
                [_] => ("does", "field"),
                _ => ("do", "fields"),
            };
            let names: Vec<_> = other_fields.iter().map(|name| format!("{name:?}")).collect();
            finding.explain(format!(
                "no event has data: the {field} {} {verb} not exist",
                names.join(", ")
            ));
        }
        Some(FrameReport::of_place(finding, 0, self.limit))
    }

    /// Returns whether a byte order mark stood before the frame, which the framing has skipped. Server-sent events may
    /// begin with one.
    fn has_mark(&self, piece: &Piece<'_>) -> bool {
        let is_skipped = match self.framing {
            FramingKind::Ndjson => piece.is_line(),
            FramingKind::Concatenated => true,
            _ => false,
        };
        is_skipped && piece.line() == 1 && piece.offset() == MARK
    }

    /// Explains a fault: by its cause, or by an earlier line.
    fn explain<'buf>(
        &mut self,
        piece: &Piece<'buf>,
        envelope: &Envelope<'buf>,
        fault: &Fault<'buf>,
        behind: &[u8],
    ) -> Explanation {
        // In a framing of lines, a frame that is no line is a body.
        let is_body = self.framing == FramingKind::Ndjson && !piece.is_line();
        let framing = if is_body { FramingKind::Concatenated } else { self.framing };
        let cause = Cause::of(envelope, &Surroundings { framing, behind });
        let other = cause.as_ref().map(Cause::rule).filter(|rule| is_of_protocol(*rule));
        match (other, self.other_protocol) {
            (Some(rule), Some((first, line))) if rule == first => {
                return Explanation::PartOf(line);
            }
            (Some(rule), _) => self.other_protocol = Some((rule, piece.line())),
            _ => {}
        }
        let is_line = piece.is_line();
        let cause = if is_line {
            match self.run.takes(piece, fault, cause.as_ref()) {
                Taken::Line(line) => return Explanation::PartOf(line),
                Taken::UpTo(end) => Some(self.run.begin_at(piece, end, behind)),
                Taken::Nothing => self.run.begin(piece, fault, cause, behind),
            }
        } else {
            cause
        };
        let Some(cause) = cause else { return Explanation::Fault };
        self.explains_loss = cause.explains_loss();
        let mut finding = self.finding(&cause, fault.rule());
        if is_body {
            finding.framing = None;
        }
        Explanation::Cause(cause, Box::new(finding))
    }

    /// Returns the finding of a cause, with a remedy for this stream.
    fn finding(&self, cause: &Cause, fault: Rule) -> FindingReport {
        let mut finding = FindingReport::of_cause(cause, fault);
        let is_of_bodies = self.is_http || self.framing == FramingKind::Sse;
        if is_of_bodies {
            finding.help = match cause.rule() {
                Rule::LOG_LINE => "send nothing but messages here, and log elsewhere",
                Rule::UTF16 => "write UTF-8",
                _ => finding.help,
            };
        }
        finding
    }
}

/// Returns whether a cause is that the sender speaks another protocol.
const fn is_of_protocol(rule: Rule) -> bool {
    matches!(rule, rule::DEBUG_ADAPTER_PROTOCOL | rule::JSONRPC_1)
}
