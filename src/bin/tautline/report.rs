//! What is to be said of one frame, before anybody has chosen a format.

use std::borrow::Cow;

use serde::Serialize;
use tautline::envelope::{Fault, Finding, Outcome, Reply, Severity, Skimmed};
use tautline::frame::{Desynchronised, Frame, Oversized, Unfinished};
use tautline::{Envelope, Message, Revision, Rule, Rules};

use crate::args::NamedRules;
use crate::finding::{FindingReport, Named};

/// So many findings of one message are reported; there may be one for every few bytes of it, and the
/// report is to fit into memory.
const MOST_FINDINGS: usize = 100;

/// A frame, or what was there instead of one.
#[derive(Debug, Serialize)]
pub struct FrameReport<'buf> {
    /// The line, or the number of the frame where there are no lines; `None` where there is no frame.
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

/// The error reply that is owed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReplyReport<'buf> {
    pub code: i64,
    pub id: Option<&'buf str>,
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
            let rule = Named::Rule(Rule::UnterminatedFrame);
            let finding = FindingReport::new(rule, frame.offset(), length);
            message.findings.push(finding);
            message.findings.sort_by_key(|finding| finding.rule);
        }
        Self { line: Some(frame.line()), offset: frame.offset(), length, message, batch }
    }

    /// Says that the lines of this frame, but for the first, do not lie in the file as they do here.
    pub fn lines_were_joined(&mut self, frame: &[u8]) {
        let first = frame.iter().take_while(|byte| **byte != b'\n').count() as u64;
        let messages = std::iter::once(&mut self.message).chain(self.batch.iter_mut().flatten());
        for finding in messages.flat_map(|message| &mut message.findings) {
            finding.offset = finding.offset.filter(|_| finding.column <= first + 1);
        }
    }

    /// What the rules say of a frame over the limit, of which this was skimmed.
    pub fn of_oversized(oversized: &Oversized, skimmed: &Skimmed<'buf>, rules: &Rules) -> Self {
        let finding = |rule, at| FindingReport::new(rule, oversized.offset(), at);
        let mut findings = vec![finding(Named::Rule(Rule::FrameTooLong), 0)];
        if !oversized.is_terminated() {
            findings.push(finding(Named::Rule(Rule::UnterminatedFrame), oversized.length()));
        }
        let mut message = MessageReport::of_no_message(findings);
        let reply = Fault::of_skimmed(oversized, skimmed, rules).reply();
        message.reply = reply.map(|reply| ReplyReport::new(&reply, skimmed.text()));
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

    /// What is to be said of a frame that is not all there.
    pub fn of_unfinished(unfinished: &Unfinished) -> Self {
        let (offset, length) = (unfinished.offset(), unfinished.length());
        let findings = vec![FindingReport::new(Named::Unfinished, offset, length)];
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset, length, message, batch: None }
    }

    /// What is to be said where the framing has lost its place.
    pub fn of_desynchronised(lost: &Desynchronised) -> Self {
        let offset = lost.offset();
        let findings = vec![FindingReport::new(Named::Desync(lost.cause()), offset, 0)];
        let message = MessageReport::of_no_message(findings);
        Self { line: None, offset, length: 0, message, batch: None }
    }

    /// The message of the frame, and those in it.
    pub fn messages(&self) -> impl Iterator<Item = &MessageReport<'buf>> {
        std::iter::once(&self.message).chain(self.batch.iter().flatten())
    }
}

impl<'buf> MessageReport<'buf> {
    /// Findings on what was no frame, which nobody owes a reply.
    fn of_no_message(findings: Vec<FindingReport>) -> Self {
        let kind = Kind::Invalid;
        Self { kind, method: None, id: None, findings, reply: None, unreported: 0 }
    }

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

impl<'buf> ReplyReport<'buf> {
    fn new(reply: &Reply, frame: &'buf [u8]) -> Self {
        let id = reply.id_in(frame).and_then(|id| std::str::from_utf8(id).ok());
        Self { code: reply.code().value(), id }
    }
}
