//! What is to be said of one frame, before anybody has chosen a format.

use std::borrow::Cow;

use serde::Serialize;
use tautline::envelope::{Fault, Finding, Outcome, Reply, Severity};
use tautline::frame::{Frame, Oversized};
use tautline::{Envelope, Message, Revision, Rule, Rules};

use crate::args::NamedRules;

/// So many findings of one message are reported; there may be one for every few bytes of it, and the
/// report is to fit into memory.
const MOST_FINDINGS: usize = 100;

/// A frame, or a line that was too long to be one.
#[derive(Debug, Serialize)]
pub struct FrameReport<'buf> {
    pub line: u64,
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
    /// How many findings there are besides.
    #[serde(skip)]
    pub unreported: u64,
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

/// A finding, and where it is in the file.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FindingReport {
    #[serde(serialize_with = "rule_name")]
    pub rule: Rule,
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// In bytes, from the start of the file.
    pub offset: u64,
    /// In bytes, from 1 at the start of the frame.
    pub column: u64,
    pub message: &'static str,
    pub clause: &'static str,
}

/// The error reply that is owed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReplyReport<'buf> {
    pub code: i64,
    pub id: Option<&'buf str>,
}

fn rule_name<S: serde::Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.name())
}

fn severity_name<S: serde::Serializer>(
    severity: &Severity,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

impl<'buf> FrameReport<'buf> {
    /// What the rules say of a frame.
    pub fn of_frame(frame: Frame<'buf>, rules: &NamedRules) -> Self {
        let envelope = Envelope::read(frame.bytes(), &rules.rules);
        let of_envelope = |envelope: &Envelope<'buf>| {
            MessageReport::of_envelope(envelope, rules.revision, frame.offset())
        };
        let (mut message, parsed) = of_envelope(&envelope);
        let batch = match parsed {
            Some(Message::Batch(batch)) => {
                Some(batch.iter().map(|element| of_envelope(&element).0).collect())
            }
            _ => None,
        };
        let length = frame.bytes().len() as u64;
        if !frame.is_terminated() {
            let finding = FindingReport::new(Rule::UnterminatedFrame, frame.offset(), length);
            message.findings.push(finding);
            message.findings.sort_by_key(|finding| finding.rule);
        }
        Self { line: frame.line(), offset: frame.offset(), length, message, batch }
    }

    /// What the rules say of a line over the limit.
    pub fn of_oversized(oversized: &Oversized, rules: &Rules) -> Self {
        let fault = Fault::of_oversized(oversized, rules);
        let finding = |rule, at| FindingReport::new(rule, oversized.offset(), at);
        let mut findings = vec![finding(Rule::FrameTooLong, 0)];
        if !oversized.is_terminated() {
            findings.push(finding(Rule::UnterminatedFrame, oversized.length()));
        }
        let message = MessageReport {
            kind: Kind::Invalid,
            method: None,
            id: None,
            findings,
            reply: fault.reply().map(|reply| ReplyReport::new(&reply, b"")),
            unreported: 0,
        };
        Self {
            line: oversized.line(),
            offset: oversized.offset(),
            length: oversized.length(),
            message,
            batch: None,
        }
    }

    /// The message of the frame, and those in it.
    pub fn messages(&self) -> impl Iterator<Item = &MessageReport<'buf>> {
        std::iter::once(&self.message).chain(self.batch.iter().flatten())
    }
}

impl<'buf> MessageReport<'buf> {
    fn of_envelope(
        envelope: &Envelope<'buf>,
        revision: Option<Revision>,
        frame_offset: u64,
    ) -> (Self, Option<Message<'buf>>) {
        let mut findings: Vec<FindingReport> = Vec::new();
        let mut unreported = 0;
        let mut refusal = None;
        let mut report = |finding: Finding| {
            if finding.severity() == Severity::Error {
                refusal = refusal.or(finding.rule().request_error());
            }
            if findings.len() == MOST_FINDINGS {
                unreported += 1;
                // What matters more comes later if it is below the envelope.
                let less = |had: &FindingReport| had.severity < finding.severity();
                let Some(place) = findings.iter().rposition(less) else { return };
                findings.remove(place);
            }
            findings.push(FindingReport::of(&finding, frame_offset));
        };
        envelope.findings(&mut report);
        let verdict = envelope.message();
        if let (Some(revision), Ok(message)) = (revision, &verdict) {
            // Each message of a batch is reported on by itself, but for what is wrong with being there.
            let is_batch = matches!(message, Message::Batch(_));
            revision.findings(envelope.frame(), message, |finding| {
                if !is_batch || finding.rule() == Rule::InitializeInBatch {
                    report(finding);
                }
            });
        }
        let reply = match &verdict {
            Err(fault) => fault.reply().map(|reply| ReplyReport::new(&reply, envelope.frame())),
            Ok(Message::Request(_)) => refusal.map(|code| ReplyReport {
                code: code.value(),
                id: envelope.id().and_then(|id| id.as_str()),
            }),
            Ok(_) => None,
        };
        let report = Self {
            kind: verdict.as_ref().map_or(Kind::Invalid, Kind::of),
            method: envelope.method().and_then(|method| method.decode().ok()),
            id: envelope.id().and_then(|id| id.as_str()),
            findings,
            reply,
            unreported,
        };
        (report, verdict.ok())
    }
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

    /// Its name, for so many of them.
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

impl FindingReport {
    fn of(finding: &Finding, frame_offset: u64) -> Self {
        let at = u64::from(finding.offset());
        Self {
            severity: finding.severity(),
            message: finding.message(),
            ..Self::new(finding.rule(), frame_offset, at)
        }
    }

    fn new(rule: Rule, frame_offset: u64, at: u64) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            offset: frame_offset + at,
            column: at + 1,
            message: rule.meaning(),
            clause: rule.clause(),
        }
    }
}

impl<'buf> ReplyReport<'buf> {
    fn new(reply: &Reply, frame: &'buf [u8]) -> Self {
        let id = reply.id_in(frame).and_then(|id| std::str::from_utf8(id).ok());
        Self { code: reply.code().value(), id }
    }
}
