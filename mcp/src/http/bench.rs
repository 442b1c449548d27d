//! The findings about a request, and its first refusal.

use tautline::{ErrorCode, Fault, Id, Message, Rule, Severity};

use super::code::{HEADER_MISMATCH, UNSUPPORTED_VERSION};
use super::parts::Parts;
use super::place::Place;
use super::verdict::{Data, status};
use super::{Accepted, Action, Field, Finding, Parameters, Policy, Refusal, Verdict};
use crate::{Era, Revision, rule};

/// The function that receives findings.
pub(super) type Report<'r> = &'r mut dyn FnMut(Finding);

/// Collects the findings about a request, and the first refusal.
pub(super) struct Bench<'a, 'r> {
    report: Report<'r>,
    pub(super) refusal: Option<Refusal<'a>>,
    /// The id of the request in the body. An error answers nothing else.
    id: Option<Id<'a>>,
    /// The parts of the message that headers repeat.
    pub(super) parts: Option<Parts<'a>>,
}

impl<'a, 'r> Bench<'a, 'r> {
    pub(super) fn new(report: Report<'r>) -> Self {
        Self { report, refusal: None, id: None, parts: None }
    }

    /// Records which request is judged.
    pub(super) fn of(&mut self, message: &Message<'a>) {
        if let Message::Request(request) = message {
            self.id = Some(request.id());
        }
    }

    /// Reports a finding that the request is not refused for.
    pub(super) fn note(&mut self, rule: Rule, place: Place) {
        (self.report)(Finding::new(rule, place));
    }

    /// Reports a finding about the body.
    pub(super) fn note_body(&mut self, finding: &crate::Finding) {
        (self.report)(Finding::in_body(finding.rule(), finding.severity(), finding.offset()));
    }

    /// Refuses the request with a status. If the body is a request that was read, an error answers it.
    pub(super) fn refuse(&mut self, rule: Rule, field: Field, status: u16) {
        self.refuse_with(rule, field.into(), status, Data::None);
    }

    pub(super) fn refuse_with(&mut self, rule: Rule, place: Place, status: u16, data: Data<'a>) {
        self.note(rule, place);
        let code = self.id.map(|_| ErrorCode::INVALID_REQUEST);
        self.keep(Finding::new(rule, place), status, code, data);
    }

    /// Refuses the request with an error, if it is a request.
    pub(super) fn fail(&mut self, finding: Finding, status: u16, code: ErrorCode, data: Data<'a>) {
        (self.report)(finding);
        self.keep(finding, status, self.id.map(|_| code), data);
    }

    /// Refuses the request because of a header that mirrors the body.
    pub(super) fn mismatch(&mut self, policy: &Policy<'_>, rule: Rule, place: Place) {
        let modern = policy.serves(Era::Modern);
        let code = if modern { HEADER_MISMATCH } else { ErrorCode::INVALID_REQUEST };
        self.fail(Finding::new(rule, place), status::BAD_REQUEST, code, Data::None);
    }

    /// Refuses a version that is not supported.
    pub(super) fn unsupported(&mut self, policy: &Policy<'a>, name: &'a [u8]) {
        let modern = policy.serves(Era::Modern);
        let code = if modern { UNSUPPORTED_VERSION } else { ErrorCode::INVALID_REQUEST };
        let requested = core::str::from_utf8(name).ok();
        let data = Data::Versions(policy.supported, requested);
        let finding = Finding::new(rule::VERSION_UNSUPPORTED, Field::ProtocolVersion.into());
        self.fail(finding, status::BAD_REQUEST, code, data);
    }

    /// Refuses the request for a finding that was reported.
    pub(super) fn keep_failure(&mut self, finding: Finding, status: u16, code: ErrorCode) {
        self.keep(finding, status, self.id.map(|_| code), Data::None);
    }

    /// Refuses a body that is no single request with an error without an id.
    pub(super) fn fail_uncorrelated(&mut self, finding: Finding, status: u16, code: ErrorCode) {
        (self.report)(finding);
        self.keep(finding, status, Some(code), Data::None);
    }

    fn keep(&mut self, finding: Finding, status: u16, code: Option<ErrorCode>, data: Data<'a>) {
        if self.refusal.is_none() {
            self.refusal = Some(Refusal { status, code, id: self.id, finding, data });
        }
    }

    /// Refuses a body that is not a message.
    pub(super) fn fault(mut self, fault: &Fault<'a>) -> Verdict<'a> {
        let finding = Finding::in_body(fault.rule(), Severity::Error, Some(fault.offset()));
        (self.report)(finding);
        let reply = fault.reply();
        let is_long = fault.rule() == Rule::FRAME_TOO_LONG;
        let status = if is_long { status::CONTENT_TOO_LARGE } else { status::BAD_REQUEST };
        self.id = reply.and_then(|reply| reply.id());
        self.keep(finding, status, reply.map(|reply| reply.code()), Data::None);
        Verdict::Refused(self.into_refusal(finding))
    }

    fn into_refusal(self, finding: Finding) -> Refusal<'a> {
        let none = Refusal {
            status: status::BAD_REQUEST,
            code: None,
            id: None,
            finding,
            data: Data::None,
        };
        self.refusal.unwrap_or(none)
    }

    pub(super) fn verdict(
        self,
        revision: Revision,
        action: Action,
        message: Option<Message<'a>>,
        parameters: Parameters,
    ) -> Verdict<'a> {
        match self.refusal {
            Some(refusal) => Verdict::Refused(refusal),
            None => {
                let parts = self.parts;
                Verdict::Accepted(Accepted { revision, action, message, parameters, parts })
            }
        }
    }
}
