//! The report of one frame, independent of the output format.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use tautline::envelope::{Fault, Outcome, Reply, Skimmed};
use tautline::frame::{Desynchronised, Frame, Oversized, Unfinished};
use tautline::json::Paths;
use tautline::rule::{Finding, Severity};
use tautline::shape::{Expected, Shapes};
use tautline::{Envelope, ErrorCode, Message, Revision, Rule, Rules};

use crate::args::{MaxFindings, NamedRules};
use crate::finding::{FindingReport, Named};
use crate::findings::{Findings, LeftOut};
use crate::pending::Pending;

/// A frame, or what took its place.
#[derive(Debug, Serialize)]
pub struct FrameReport<'buf> {
    /// The line, or the number of the frame in framings without lines; `None` if there is no frame.
    pub line: Option<u64>,
    pub offset: u64,
    pub length: u64,
    #[serde(flatten)]
    pub message: MessageReport<'buf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Vec<MessageReport<'buf>>>,
}

/// A message: that of a frame, or an element of a batch.
#[derive(Debug, Serialize)]
pub struct MessageReport<'buf> {
    pub kind: Kind,
    pub method: Option<Cow<'buf, str>>,
    pub id: Option<&'buf str>,
    pub findings: Vec<FindingReport>,
    pub reply: Option<ReplyReport<'buf>>,
    /// The number of findings beyond the limit.
    #[serde(
        rename = "unreported",
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "total"
    )]
    pub left_out: Vec<LeftOut>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Request,
    Notification,
    Result,
    Error,
    Batch,
    Invalid,
}

/// The error reply due for the message.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReplyReport<'buf> {
    pub code: i64,
    pub id: Option<&'buf str>,
}

impl<'buf> FrameReport<'buf> {
    /// Validates a frame and reports up to this many findings per message. With `pending`, it validates payloads, too.
    pub fn of_frame(
        frame: Frame<'buf>,
        rules: &NamedRules,
        mut pending: Option<&mut Pending>,
        limit: MaxFindings,
    ) -> Self {
        let envelope = Envelope::read_frame(&frame, &rules.rules);
        let mut of_envelope = |envelope: &Envelope<'buf>, end: Option<FindingReport>| {
            let pending = pending.as_deref_mut();
            MessageReport::of_envelope(envelope, rules.revision, pending, &frame, limit, end)
        };
        let length = frame.bytes().len() as u64;
        let end = (!frame.is_terminated()).then(|| {
            FindingReport::new(Named::Rule(Rule::UnterminatedFrame), frame.offset(), length)
        });
        let (message, parsed) = of_envelope(&envelope, end);
        let batch = match parsed {
            Some(Message::Batch(batch)) => {
                Some(batch.iter().map(|element| of_envelope(&element, None).0).collect())
            }
            _ => None,
        };
        let mut report =
            Self { line: Some(frame.line()), offset: frame.offset(), length, message, batch };
        report.locate(frame.bytes());
        report
    }

    /// Adds the paths of findings, in one pass over the frame.
    fn locate(&mut self, frame: &[u8]) {
        let messages = std::iter::once(&mut self.message).chain(self.batch.iter_mut().flatten());
        let mut findings: Vec<_> = messages.flat_map(|message| &mut message.findings).collect();
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
        let messages = std::iter::once(&mut self.message).chain(self.batch.iter_mut().flatten());
        for message in messages {
            let others = message.left_out.iter_mut().map(|left_out| &mut left_out.last);
            for finding in message.findings.iter_mut().chain(others) {
                finding.offset = finding.offset.filter(|_| finding.column <= first + 1);
            }
        }
    }

    /// Reports an oversized frame from what was skimmed of it.
    pub fn of_oversized(
        oversized: &Oversized,
        skimmed: &Skimmed<'buf>,
        rules: &Rules,
        limit: MaxFindings,
    ) -> Self {
        let finding = |rule, at| FindingReport::new(rule, oversized.offset(), at);
        let mut findings = Findings::new(limit);
        findings.push(finding(Named::Rule(Rule::FrameTooLong), 0));
        if !oversized.is_terminated() {
            findings.push(finding(Named::Rule(Rule::UnterminatedFrame), oversized.length()));
        }
        let mut message = MessageReport::of_no_message(findings);
        let reply = Fault::of_skimmed(oversized, skimmed, rules).reply();
        message.reply = reply.map(|reply| ReplyReport::new(&reply));
        message.id = skimmed.id().and_then(|id| id.as_str());
        message.method = skimmed.method().and_then(|method| method.decode().ok());
        Self {
            line: Some(oversized.line()),
            offset: oversized.offset(),
            length: oversized.length(),
            message,
            batch: None,
        }
    }

    /// Reports an incomplete frame.
    pub fn of_unfinished(unfinished: &Unfinished, limit: MaxFindings) -> Self {
        let (offset, length) = (unfinished.offset(), unfinished.length());
        let mut findings = Findings::new(limit);
        findings.push(FindingReport::new(Named::Unfinished, offset, length));
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset, length, message, batch: None }
    }

    /// Reports the place where the framing lost track.
    pub fn of_desynchronised(lost: &Desynchronised, limit: MaxFindings) -> Self {
        let offset = lost.offset();
        let mut findings = Findings::new(limit);
        findings.push(FindingReport::new(Named::Desync(lost.cause()), offset, 0));
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset, length: 0, message, batch: None }
    }

    /// Returns the message of the frame, and the messages in it.
    pub fn messages(&self) -> impl Iterator<Item = &MessageReport<'buf>> {
        std::iter::once(&self.message).chain(self.batch.iter().flatten())
    }
}

impl<'buf> MessageReport<'buf> {
    /// Reports findings on something that is not a frame and gets no reply.
    fn of_no_message(findings: Findings) -> Self {
        let kind = Kind::Invalid;
        let (findings, left_out) = findings.finish();
        Self { kind, method: None, id: None, findings, reply: None, left_out }
    }

    fn of_envelope(
        envelope: &Envelope<'buf>,
        revision: Option<Revision>,
        pending: Option<&mut Pending>,
        frame: &Frame<'buf>,
        limit: MaxFindings,
        end: Option<FindingReport>,
    ) -> (Self, Option<Message<'buf>>) {
        let mut findings = Findings::new(limit);
        envelope.findings(|finding| findings.push(FindingReport::of(&finding, frame.offset())));
        let verdict = envelope.message();
        let checks_payload = pending.is_some();
        let mut repeated = HashSet::new();
        let refusal = match (revision, &verdict) {
            // Each message of a batch has its own report.
            (Some(_), Ok(Message::Batch(_))) => None,
            (Some(revision), Ok(message)) => {
                of_revision(message, revision, pending, |finding, expected| {
                    if finding.rule() == Rule::DuplicateNestedMember {
                        repeated.insert(u64::from(finding.offset()));
                    }
                    findings.push(FindingReport::of_payload(finding, expected, frame.offset()));
                })
            }
            _ => None,
        };
        if let Ok(message) = &verdict
            && checks_payload
        {
            for at in repeated_names(message) {
                // Peers act on some members, whose repetition is an error.
                if !repeated.contains(&at) {
                    findings.push(FindingReport::of_repeated_name(frame.offset(), at));
                }
            }
        }
        let reply = match &verdict {
            Err(fault) => fault.reply().map(|reply| ReplyReport::new(&reply)),
            Ok(Message::Request(_)) => refusal.map(|code| ReplyReport {
                code: code.value(),
                id: envelope.id().and_then(|id| id.as_str()),
            }),
            Ok(_) => None,
        };
        let is_unterminated = end.is_some();
        if let Some(end) = end {
            findings.push(end);
        }
        let (mut findings, left_out) = findings.finish();
        if is_unterminated {
            findings.sort_by_key(|finding| finding.rule);
        }
        let report = Self {
            kind: verdict.as_ref().map_or(Kind::Invalid, Kind::of),
            method: envelope.method().and_then(|method| method.decode().ok()),
            id: envelope.id().and_then(|id| id.as_str()),
            findings,
            reply,
            left_out,
        };
        (report, verdict.ok())
    }
}

/// Reports what a revision finds in a message, below the envelope and, with `pending`, against its schema. Returns the
/// error for which a request is refused.
fn of_revision(
    message: &Message<'_>,
    revision: Revision,
    pending: Option<&mut Pending>,
    mut report: impl FnMut(&Finding, Option<Expected>),
) -> Option<ErrorCode> {
    let mut found = Vec::new();
    revision.findings(message, |finding| found.push(finding));
    let errors = found.iter().filter(|finding| finding.severity() == Severity::Error);
    let refusal = errors.filter_map(|finding| finding.rule().request_error()).next();
    if let Some(pending) = pending {
        let shapes = Shapes::of(revision);
        let answered = pending.observe(message, revision);
        shapes.check(message, answered, |violation| {
            let finding = violation.finding();
            let is_same = |other: &Finding| {
                is_part_of_a_shape(other.rule()) && other.offset() == finding.offset()
            };
            found.retain(|other| !is_same(other));
            report(&finding, Some(violation.expected()));
        });
    }
    found.iter().for_each(|finding| report(finding, None));
    refusal
}

/// Returns the offsets of the names that an object in the payload has again, at any depth.
fn repeated_names(message: &Message<'_>) -> Vec<u64> {
    let (payload, span) = match message {
        Message::Request(request) => (request.params(), request.call().params_span()),
        Message::Notification(note) => (note.params(), note.call().params_span()),
        Message::Response(response) => match response.outcome() {
            Outcome::Result(result) => (Some(result), response.result_span()),
            Outcome::Error(error) => (error.data(), error.data_span()),
        },
        Message::Batch(_) => (None, None),
    };
    let names = payload.map(|payload| payload.repeated_names()).unwrap_or_default();
    let start = span.map_or(0, |span| span.start());
    names.iter().map(|name| u64::from(start) + u64::from(name.offset())).collect()
}

/// Returns whether the schema has the same rule, for each member by itself.
fn is_part_of_a_shape(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::MissingParams
            | Rule::MissingMeta
            | Rule::MetaType
            | Rule::MissingResultType
            | Rule::DuplicateNestedMember
    )
}

fn total<S: serde::Serializer>(left_out: &[LeftOut], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(left_out.iter().map(|left_out| left_out.count).sum())
}

impl Kind {
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
        let id = reply.raw_id().and_then(|id| id.as_str());
        Self { code: reply.code().value(), id }
    }
}
