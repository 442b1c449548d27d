//! The report of one frame, independent of the output format.

use std::borrow::Cow;

use serde::Serialize;
use tautline::envelope::Skimmed;
use tautline::frame::{Desynchronised, Frame, Oversized, Unfinished};
use tautline::json::Paths;
use tautline::rule::CodeClass;
use tautline::stream::Received;
use tautline::{Envelope, ErrorCode, Fault, Message, Outcome, Profile, Reply, Rule, Severity};
use tautline_mcp::cause::{Cause, rule as cause_rule};
use tautline_mcp::{KnownMethod, ParamsView, Revision};

use super::findings::Findings;
use super::judge::{Judge, params_of};
use super::{FindingReport, LeftOut, MaxFindings};
use crate::judge::echo::Echoed;
use crate::wire::WireEvent;

/// The bytes of a frame, and where they come from.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'buf> {
    bytes: &'buf [u8],
    is_line: bool,
    line: u64,
    offset: u64,
    is_terminated: bool,
}

impl<'buf> Piece<'buf> {
    /// Creates a piece from a frame.
    #[must_use]
    pub const fn of_frame(frame: &Frame<'buf>) -> Self {
        Self {
            bytes: frame.bytes(),
            is_line: frame.is_line(),
            line: frame.line(),
            offset: frame.offset(),
            is_terminated: frame.is_terminated(),
        }
    }

    /// Returns the same bytes at this offset in the stream.
    #[cfg(test)]
    pub(super) const fn at_offset(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// Creates a piece that is complete on its own, such as a message in a recording. `line` is its line there, from 1.
    #[must_use]
    pub const fn whole(bytes: &'buf [u8], line: u64) -> Self {
        Self { bytes, is_line: false, line, offset: 0, is_terminated: true }
    }

    /// Returns the same place with these bytes, which are a copy.
    pub(crate) const fn with_bytes<'copy>(&self, bytes: &'copy [u8]) -> Piece<'copy> {
        let Self { is_line, line, offset, is_terminated, .. } = *self;
        Piece { bytes, is_line, line, offset, is_terminated }
    }

    /// Returns the frame, without its delimiter.
    #[must_use]
    pub const fn bytes(&self) -> &'buf [u8] {
        self.bytes
    }

    /// Returns the number of its line or, in framings without lines, of the frame, from 1.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Returns the offset of its first byte in the stream, in bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) const fn is_line(&self) -> bool {
        self.is_line
    }
}

/// A frame, or what took its place.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FrameReport<'buf> {
    /// The line, or the number of the frame in framings without lines; `None` if there is no frame.
    pub line: Option<u64>,
    /// The offset of its first byte in the stream, in bytes.
    pub offset: u64,
    /// In bytes.
    pub length: u64,
    /// The line of an earlier frame whose findings explain this one: it is a part of the same value, or of the same page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<u64>,
    /// The message of the frame.
    #[serde(flatten)]
    pub message: MessageReport<'buf>,
    /// The messages of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Vec<MessageReport<'buf>>>,
}

/// A message: a whole frame, or an element of a batch.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MessageReport<'buf> {
    /// The kind of the message.
    pub kind: Kind,
    /// The method that it calls.
    pub method: Option<Cow<'buf, str>>,
    /// The tool or prompt that it names, or the URI of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Cow<'buf, str>>,
    /// The id, as it was written.
    pub id: Option<Cow<'buf, str>>,
    /// Its faults and oddities.
    pub findings: Vec<FindingReport>,
    /// The error reply due for it.
    pub reply: Option<ReplyReport<'buf>>,
    /// The findings beyond the limit; serialized as their number.
    #[serde(
        rename = "unreported",
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "total"
    )]
    pub left_out: Vec<LeftOut>,
    /// The code of the error, if there is one, and whether the protocol defines it.
    #[serde(skip)]
    pub(crate) code: Option<(ErrorCode, bool)>,
    /// The kind of an invalid message that would be a response if its id could be null, as in JSON-RPC.
    #[serde(skip)]
    pub(crate) null_id: Option<Kind>,
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, clippy::exhaustive_enums, reason = "the words of the specification")]
pub enum Kind {
    Request,
    Notification,
    Result,
    Error,
    Batch,
    Invalid,
}

/// The error reply due for a message.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ReplyReport<'buf> {
    /// The code of the error.
    pub code: i64,
    /// The id, as it was written.
    pub id: Option<Cow<'buf, str>>,
}

impl<'buf> FrameReport<'buf> {
    /// Validates a frame. The reporter of its stream explains faults.
    pub(super) fn of_frame(
        piece: &Piece<'buf>,
        judge: &mut impl Judge,
        limit: MaxFindings,
        explain: &mut dyn FnMut(&Envelope<'buf>, &Fault<'buf>) -> Explanation,
    ) -> Self {
        judge.prepare(piece.bytes);
        let profile = judge.profile();
        let envelope = if piece.is_line {
            Envelope::read(Frame::from_line(piece.bytes), &profile)
        } else {
            Envelope::read(piece.bytes, &profile)
        };
        let mut part_of = None;
        let mut of_envelope = |envelope: &Envelope<'buf>, end: Option<FindingReport>| {
            let verdict = envelope.message();
            let explanation = match &verdict {
                Err(fault) => explain(envelope, fault),
                Ok(_) => Explanation::Fault,
            };
            if let Explanation::PartOf(line) = explanation {
                part_of = Some(line);
            }
            let report = MessageReport::of_envelope(
                envelope,
                &verdict,
                explanation,
                judge,
                piece.offset,
                limit,
                end,
            );
            (report, verdict.ok())
        };
        let length = piece.bytes.len() as u64;
        let end =
            (!piece.is_terminated).then(|| FindingReport::new(Rule::UNTERMINATED_FRAME, length));
        let (message, parsed) = of_envelope(&envelope, end);
        let batch = match parsed {
            Some(Message::Batch(batch)) => {
                Some(batch.iter().map(|element| of_envelope(&element, None).0).collect())
            }
            _ => None,
        };
        let (line, offset) = (Some(piece.line), piece.offset);
        let mut report = Self { line, offset, length, part_of, message, batch };
        report.locate(piece.bytes);
        report
    }

    /// Adds the paths of findings, in one pass over the frame.
    fn locate(&mut self, frame: &[u8]) {
        let mut findings: Vec<_> =
            self.messages_mut().flat_map(|message| &mut message.findings).collect();
        if findings.is_empty() {
            return;
        }
        findings.sort_by_key(|finding| finding.column);
        let mut paths = Paths::new(frame);
        for finding in findings {
            finding.locate(&mut paths);
        }
    }

    /// Removes the offsets of findings after the first line: the lines of this frame were joined, so their positions
    /// in the file differ.
    pub fn lines_were_joined(&mut self, frame: &[u8]) {
        let first = frame.iter().take_while(|byte| **byte != b'\n').count() as u64;
        for message in self.messages_mut() {
            let others = message.left_out.iter_mut().map(|left_out| &mut left_out.last);
            for finding in message.findings.iter_mut().chain(others) {
                finding.offset = finding.offset.filter(|_| finding.column <= first + 1);
            }
        }
    }

    /// Removes all findings, and returns their number.
    pub fn take_findings(&mut self) -> u64 {
        let mut count = 0;
        for message in self.messages_mut() {
            count += message.findings.len() as u64;
            count += message.left_out.iter().map(|one| one.count).sum::<u64>();
            message.findings.clear();
            message.left_out.clear();
        }
        count
    }

    /// Reports an event that is not a whole frame. Returns `None` for a frame: reporting it takes a [`Judge`].
    #[must_use]
    pub fn of_event(
        event: &WireEvent<'buf>,
        profile: &Profile,
        limit: MaxFindings,
    ) -> Option<Self> {
        let WireEvent::Other(event) = event else { return None };
        match event {
            Received::Oversized { oversized, skimmed, .. } => {
                Some(Self::of_oversized(oversized, skimmed.as_ref(), profile, limit))
            }
            Received::Unfinished(unfinished) => Some(Self::of_unfinished(unfinished, limit)),
            Received::Desynchronised(lost) => Some(Self::of_desynchronised(lost, limit)),
            // A later version of the library may have more events.
            _ => None,
        }
    }

    /// Adds the findings of another report of the same frame that no message has.
    pub(crate) fn add_missing(&mut self, other: &FrameReport<'_>) {
        for finding in other.messages().flat_map(|message| &message.findings) {
            let is_it =
                |one: &FindingReport| one.rule == finding.rule && one.column == finding.column;
            if !self.messages().any(|message| message.findings.iter().any(is_it)) {
                self.message.findings.push(finding.clone());
            }
        }
    }

    /// Creates a report without a message or findings.
    pub(crate) fn nothing() -> Self {
        let message = MessageReport::of_no_message(Findings::new(MaxFindings::AtMost(0)));
        Self { line: None, offset: 0, length: 0, part_of: None, message, batch: None }
    }

    /// Reports a finding whose bytes are not available.
    pub(crate) fn of_rule(rule: Rule, words: String) -> Self {
        let mut findings = Findings::new(MaxFindings::AtMost(1));
        findings.push(FindingReport::new(rule, 0).with_words(words));
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset: 0, length: 0, part_of: None, message, batch: None }
    }

    /// Reports an oversized frame from the parts that the skimmer read.
    fn of_oversized(
        oversized: &Oversized,
        skimmed: Option<&Skimmed<'buf>>,
        profile: &Profile,
        limit: MaxFindings,
    ) -> Self {
        let finding = |rule, at| FindingReport::new(rule, at).in_frame_at(oversized.offset());
        let mut findings = Findings::new(limit);
        findings.push(finding(Rule::FRAME_TOO_LONG, 0));
        if !oversized.is_terminated() {
            findings.push(finding(Rule::UNTERMINATED_FRAME, oversized.length()));
        }
        let mut message = MessageReport::of_no_message(findings);
        // Its own fault is by the profile at the start of the stream, which a handshake may have changed.
        let fault = match skimmed {
            Some(skimmed) => Fault::of_skimmed(oversized, skimmed, profile),
            None => Fault::of_oversized(oversized, profile),
        };
        message.reply = fault.reply().map(|reply| ReplyReport::new(&reply));
        let (id, method) =
            skimmed.map(|skimmed| (skimmed.id(), skimmed.method())).unwrap_or_default();
        message.id = id.and_then(|id| id.as_str()).map(Cow::Borrowed);
        message.method = method.and_then(|method| method.decode().ok());
        Self {
            line: Some(oversized.line()),
            offset: oversized.offset(),
            length: oversized.length(),
            part_of: None,
            message,
            batch: None,
        }
    }

    /// Reports an incomplete frame.
    fn of_unfinished(unfinished: &Unfinished, limit: MaxFindings) -> Self {
        let (offset, length) = (unfinished.offset(), unfinished.length());
        let mut findings = Findings::new(limit);
        findings.push(FindingReport::new(Rule::UNFINISHED_FRAME, length).in_frame_at(offset));
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset, length, part_of: None, message, batch: None }
    }

    /// Reports the place where the framing lost track.
    fn of_desynchronised(lost: &Desynchronised, limit: MaxFindings) -> Self {
        Self::of_place(FindingReport::new(lost.rule(), 0), lost.offset(), limit)
    }

    /// Reports a finding at this offset in the stream, where there is no frame.
    pub(super) fn of_place(finding: FindingReport, offset: u64, limit: MaxFindings) -> Self {
        let mut findings = Findings::new(limit);
        findings.push(finding.in_frame_at(offset));
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset, length: 0, part_of: None, message, batch: None }
    }

    /// Reports a line that has come back to its sender. The first has the finding.
    pub(super) fn of_echo(
        piece: &Piece<'buf>,
        finding: FindingReport,
        echoed: &Echoed,
        limit: MaxFindings,
    ) -> Self {
        let mut findings = Findings::new(limit);
        let part_of = match echoed {
            Echoed::First => {
                findings.push(finding.in_frame_at(piece.offset));
                None
            }
            Echoed::After(line) => Some(*line),
        };
        let message = MessageReport::of_no_message(findings);
        let (offset, length) = (piece.offset, piece.bytes.len() as u64);
        Self { line: Some(piece.line), offset, length, part_of, message, batch: None }
    }

    /// Detaches the report from its frame.
    #[must_use]
    pub fn into_owned(self) -> FrameReport<'static> {
        let Self { line, offset, length, part_of, message, batch } = self;
        let message = message.into_owned();
        let batch = batch.map(|batch| batch.into_iter().map(MessageReport::into_owned).collect());
        FrameReport { line, offset, length, part_of, message, batch }
    }

    /// Returns the message of the frame, and the messages in it.
    pub fn messages(&self) -> impl Iterator<Item = &MessageReport<'buf>> {
        std::iter::once(&self.message).chain(self.batch.iter().flatten())
    }

    /// Returns the message of the frame, and the messages in it.
    pub(crate) fn messages_mut(&mut self) -> impl Iterator<Item = &mut MessageReport<'buf>> {
        std::iter::once(&mut self.message).chain(self.batch.iter_mut().flatten())
    }
}

impl<'buf> MessageReport<'buf> {
    /// Reports findings on something that is not a frame and gets no reply.
    fn of_no_message(findings: Findings) -> Self {
        let kind = Kind::Invalid;
        let (findings, left_out) = findings.finish();
        let (method, target, id, reply) = (None, None, None, None);
        let (code, null_id) = (None, None);
        Self { kind, method, target, id, findings, reply, left_out, code, null_id }
    }

    fn of_envelope(
        envelope: &Envelope<'buf>,
        verdict: &Result<Message<'buf>, Fault<'buf>>,
        explanation: Explanation,
        judge: &mut impl Judge,
        offset: u64,
        limit: MaxFindings,
        end: Option<FindingReport>,
    ) -> Self {
        let mut findings = Findings::new(limit);
        let mut report = |finding: FindingReport| findings.push(finding.in_frame_at(offset));
        let is_log = matches!(&explanation, Explanation::Cause(cause, _) if cause.rule() == cause_rule::LOG_RECORD);
        match explanation {
            Explanation::Fault => {
                envelope.findings(|finding| report(FindingReport::of(&finding.into())))
            }
            Explanation::PartOf(_) => {}
            Explanation::Cause(cause, finding) => {
                report(*finding);
                envelope.findings(|finding| {
                    if !cause.replaces(finding.rule()) {
                        report(FindingReport::of(&finding.into()));
                    }
                });
            }
        }
        let text = envelope.span().of(envelope.frame()).unwrap_or_default();
        let params = verdict.as_ref().ok().and_then(params_of);
        let reply = match verdict {
            Err(fault) => {
                // The id in a log record is that of the message that the record is about.
                if !is_log || fault.id().is_none() {
                    judge.fault(fault, text, &mut report);
                }
                fault.reply().map(|reply| ReplyReport::new(&reply))
            }
            // Each message of a batch has its own report.
            Ok(Message::Batch(_)) => None,
            Ok(message) => {
                judge.message(message, params.as_ref(), &mut report).map(|code| ReplyReport {
                    code: code.value(),
                    id: envelope.id().and_then(|id| id.as_str()).map(Cow::Borrowed),
                })
            }
        };
        let unread = match verdict {
            Err(fault) if fault.rule() == Rule::ID_NULL => {
                Message::parse(text, &Profile::JSON_RPC).ok()
            }
            _ => None,
        };
        let null_id = unread.as_ref().map(Kind::of);
        let code = match verdict.as_ref().ok().or(unread.as_ref()) {
            Some(Message::Response(response)) => response.error().and_then(|error| error.code()),
            _ => None,
        };
        let is_unterminated = end.is_some();
        if let Some(end) = end {
            report(end);
        }
        let (mut findings, left_out) = findings.finish();
        if is_unterminated {
            findings.sort_by_key(|finding| (finding.fault.is_none(), finding.rule));
        }
        Self {
            kind: verdict.as_ref().map_or(Kind::Invalid, Kind::of),
            method: envelope.method().and_then(|method| method.decode().ok()),
            target: verdict.as_ref().ok().and_then(|message| target(message, params)),
            id: envelope.id().and_then(|id| id.as_str()).map(Cow::Borrowed),
            findings,
            reply,
            left_out,
            code: code.map(|code| (code, is_defined(judge.profile(), code))),
            null_id,
        }
    }

    /// Detaches the report from its frame.
    #[must_use]
    pub fn into_owned(self) -> MessageReport<'static> {
        MessageReport {
            kind: self.kind,
            method: self.method.map(owned),
            target: self.target.map(owned),
            id: self.id.map(owned),
            findings: self.findings,
            reply: self
                .reply
                .map(|reply| ReplyReport { code: reply.code, id: reply.id.map(owned) }),
            left_out: self.left_out,
            code: self.code,
            null_id: self.null_id,
        }
    }

    /// Returns whether a finding has severity error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        let left_out = self.left_out.iter().map(|left_out| &left_out.last);
        self.findings.iter().chain(left_out).any(|finding| finding.severity == Severity::Error)
    }
}

/// The explanation of a frame, or an element of a batch, that is not a message.
#[derive(Clone, Debug)]
pub(super) enum Explanation {
    /// Its faults.
    Fault,
    /// Their cause, and the finding that replaces them.
    Cause(Cause, Box<FindingReport>),
    /// Nothing: the frame on this line explains it.
    PartOf(u64),
}

/// Returns the name of the tool or prompt in `params`, or the URI of the resource, if the method is about one of them.
fn target<'buf>(
    message: &Message<'buf>,
    params: Option<ParamsView<'buf>>,
) -> Option<Cow<'buf, str>> {
    let method = match message {
        Message::Request(request) => request.method(),
        Message::Notification(notification) => notification.method(),
        _ => return None,
    };
    let name = match KnownMethod::named(method)? {
        KnownMethod::ToolsCall | KnownMethod::PromptsGet => params?.name(),
        KnownMethod::ResourcesRead
        | KnownMethod::ResourcesSubscribe
        | KnownMethod::ResourcesUnsubscribe
        | KnownMethod::ResourcesUpdated => params?.uri(),
        _ => return None,
    };
    name?.decode().ok()
}

/// Returns whether the profile or any revision of MCP defines the code of an error: a server may refuse a client of
/// another revision by a code of its own.
fn is_defined(profile: Profile, code: ErrorCode) -> bool {
    let defines = |profile: Profile| {
        matches!(profile.code_class(code), CodeClass::Standard | CodeClass::Protocol)
    };
    defines(profile) || Revision::ALL.iter().any(|one| defines(one.profile()))
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

fn total<S: serde::Serializer>(left_out: &[LeftOut], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(left_out.iter().map(|left_out| left_out.count).sum())
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Request, Self::Notification, Self::Result, Self::Error, Self::Batch, Self::Invalid];

    fn of(message: &Message<'_>) -> Self {
        match message {
            Message::Request(_) => Self::Request,
            Message::Notification(_) => Self::Notification,
            Message::Response(response) => match response.outcome() {
                Outcome::Result(_) => Self::Result,
                Outcome::Error(_) => Self::Error,
            },
            Message::Batch(_) => Self::Batch,
        }
    }

    /// Returns its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.name(1)
    }

    /// Returns its name, in the singular or plural for this count.
    pub fn name(self, count: u64) -> &'static str {
        match (self, count) {
            (Self::Request, 1) => "request",
            (Self::Request, _) => "requests",
            (Self::Notification, 1) => "notification",
            (Self::Notification, _) => "notifications",
            (Self::Result, 1) => "result",
            (Self::Result, _) => "results",
            (Self::Error, 1) => "error",
            (Self::Error, _) => "errors",
            (Self::Batch, 1) => "batch",
            (Self::Batch, _) => "batches",
            (Self::Invalid, _) => "invalid",
        }
    }
}

impl<'buf> ReplyReport<'buf> {
    fn new(reply: &Reply<'buf>) -> Self {
        let id = reply.raw_id().and_then(|id| id.as_str()).map(Cow::Borrowed);
        Self { code: reply.code().value(), id }
    }
}
