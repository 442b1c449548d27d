//! The verdict on a request, the reply that refuses it, and the bench that reaches the verdict.

use tautline::encode::{Array, EncodeError, Encoder, NewError, Output, array, object};
use tautline::{ErrorCode, Fault, Id, Message, RawJson, Rule, Severity};

use super::code::{HEADER_MISMATCH, UNSUPPORTED_VERSION};
use super::finding::Place;
use super::{Field, Finding, Mirrored, Parts, Policy, Report, status};
use crate::{Era, Revision, rule};

/// The verdict on a request.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a request is accepted or refused")]
pub enum Verdict<'a> {
    /// The request is to be served.
    Accepted(Accepted<'a>),
    /// The request is to be refused.
    Refused(Refusal<'a>),
}

/// A request that is to be served.
#[derive(Clone, Copy, Debug)]
pub struct Accepted<'a> {
    revision: Revision,
    action: Action,
    message: Option<Message<'a>>,
    parameters: Parameters,
    parts: Option<Parts<'a>>,
}

/// The action that an accepted request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Answer with one JSON body or a stream of events: there is a request in the body, or a batch has an element that is
    /// owed an error.
    Answer,
    /// Answer with a stream of events that stays open: the request is `subscriptions/listen`.
    Listen,
    /// Answer with [202](status::ACCEPTED) and no body: there are only notifications or responses.
    Acknowledge,
    /// Open a stream of events for a GET request (up to 2025-11-25).
    Stream,
    /// End the session for a DELETE request (up to 2025-11-25).
    EndSession,
}

/// The state of the `Mcp-Param-*` headers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parameters {
    /// The revision or the method has no such headers.
    NotDue,
    /// They agree.
    Judged,
    /// They were not judged, because the caller does not know [the tool](super::Tool::Unknown).
    NotJudged,
}

impl<'a> Accepted<'a> {
    /// Returns the revision of the request: that of its header, or else of its session, or else the one that a server
    /// assumes. For `initialize` it is the requested one if the server supports it, or else the latest of the
    /// legacy era that it supports, unless a header names another one.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns what the request asks for.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// Returns the message in the body of a POST.
    #[must_use]
    pub const fn message(&self) -> Option<&Message<'a>> {
        self.message.as_ref()
    }

    /// Calls a function with each standard header that repeats a part of the message, as [`mirrored`](super::mirrored()) does.
    /// The verdict has found the parts already, so the message is not searched for them again.
    pub fn mirrored(&self, mut visit: impl FnMut(Field, Mirrored<'a>)) {
        if let Some(parts) = &self.parts {
            parts.visit(&mut visit);
        }
    }

    /// Returns whether the `Mcp-Param-*` headers were judged.
    #[must_use]
    pub const fn parameters(&self) -> Parameters {
        self.parameters
    }
}

/// The reason why a request is to be refused, and the reply: the first of the errors that forbid to serve it.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'a> {
    status: u16,
    code: Option<ErrorCode>,
    id: Option<Id<'a>>,
    finding: Finding,
    data: Data<'a>,
}

/// The data of the error of a refusal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Data<'a> {
    None,
    /// The versions that are supported, and the one that was requested.
    Versions(&'a [Revision], Option<&'a str>),
    /// The capabilities that are missing.
    Capabilities(RawJson<'a>),
    /// The value of `Allow`.
    Methods(&'static str),
}

/// The texts of a rule. A program that writes refusals links those of the rules below, and not the whole table.
struct Text {
    rule: Rule,
    name: &'static str,
    summary: &'static str,
}

impl Text {
    const fn of(rule: Rule) -> Self {
        Self { rule, name: rule::name(rule), summary: rule::summary(rule) }
    }
}

/// The texts of the rules that a request is refused for, apart from [those](crate::request_error) below the envelope.
const TEXTS: &[Text] = &[
    Text::of(rule::HTTP_HEADER_MISSING),
    Text::of(rule::HTTP_HEADER_REPEATED),
    Text::of(rule::HTTP_HEADER_CHARACTERS),
    Text::of(rule::HTTP_HEADER_ENCODING),
    Text::of(rule::HTTP_HEADER_MISMATCH),
    Text::of(rule::HTTP_HEADER_UNEXPECTED),
    Text::of(rule::METHOD_NOT_SERVED),
    Text::of(rule::SESSION_ID_MISSING),
    Text::of(rule::SESSION_ID_UNKNOWN),
    Text::of(rule::SESSION_ID_SYNTAX),
];

impl<'a> Refusal<'a> {
    /// Returns the status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Returns the value of the header `Allow`, which a reply with [405](status::METHOD_NOT_ALLOWED) must have (RFC 9110,
    /// section 15.5.6).
    #[must_use]
    pub const fn allow(&self) -> Option<&'static str> {
        match self.data {
            Data::Methods(methods) => Some(methods),
            _ => None,
        }
    }

    /// Returns the error code. `None` means that the reply has no body.
    #[must_use]
    pub const fn code(&self) -> Option<ErrorCode> {
        self.code
    }

    /// Returns the id of the request. An error that answers no request has none.
    #[must_use]
    pub const fn id(&self) -> Option<Id<'a>> {
        self.id
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.finding.rule()
    }

    /// Returns the rule with its place.
    #[must_use]
    pub const fn finding(&self) -> Finding {
        self.finding
    }

    /// Writes the body of the reply, whose `Content-Type` is `application/json`, and returns its length in bytes. The length
    /// is 0 if the reply has no body.
    ///
    /// The error describes the rule. Its data has the name of the rule and the header, or lists what the code requires. An
    /// error about a body that is no message has the name of its code. Nothing of the request is repeated but its id and the
    /// version that it asks for.
    ///
    /// # Errors
    ///
    /// Returns an [`EncodeError`]. Nothing has been written, unless it is [`Output`](EncodeError::Output).
    pub fn write(&self, out: impl Output) -> Result<usize, EncodeError> {
        let Some(code) = self.code else { return Ok(0) };
        let Self { finding, data, .. } = *self;
        let text = TEXTS.iter().find(|text| text.rule == finding.rule());
        let message = match text {
            Some(text) => text.summary,
            None => crate::request_message(finding.rule()),
        };
        // The error that a fault is owed has the name of its code.
        let name = code.name().filter(|_| message.is_empty());
        let has_data = text.is_some() || !matches!(data, Data::None | Data::Methods(_));
        let data = object(move |object| match data {
            Data::Versions(supported, requested) => {
                object.member(
                    "supported",
                    array(|names: &mut Array<'_, '_>| {
                        supported.iter().for_each(|revision| names.element(revision.name()));
                    }),
                );
                object.member("requested", requested.unwrap_or_default());
            }
            Data::Capabilities(capabilities) => object.member("requiredCapabilities", capabilities),
            Data::None | Data::Methods(_) => {
                object.member("rule", text.map(|text| text.name).unwrap_or_default());
                if let Some(field) = finding.field() {
                    object.member("header", field.name());
                }
            }
        });
        let error = NewError::new(code, name.unwrap_or(message));
        let error = error.with_optional_data(has_data.then_some(data));
        // The profile of the latest revision allows an error without an id.
        let profile = Revision::LATEST.profile().http_response_body();
        let mut encoder = Encoder::with_profile(out, &profile);
        match self.id {
            Some(id) => encoder.error(id, error),
            None => encoder.error_without_id(error),
        }
    }
}

/// Collects the findings about a request, and the first refusal.
pub(super) struct Bench<'a, 'r> {
    report: Report<'r>,
    refusal: Option<Refusal<'a>>,
    /// The id of the request in the body. An error answers nothing else.
    id: Option<Id<'a>>,
    /// The parts of the message that headers repeat.
    parts: Option<Parts<'a>>,
}

impl<'a, 'r> Bench<'a, 'r> {
    /// Creates a bench for a request that may have been refused before.
    pub(super) fn new(report: Report<'r>, refusal: Option<Refusal<'a>>) -> Self {
        Self { report, refusal, id: None, parts: None }
    }

    /// Returns the first refusal so far.
    pub(super) const fn refusal(&self) -> Option<Refusal<'a>> {
        self.refusal
    }

    /// Records which request is judged, and the parts of it that headers repeat.
    pub(super) fn of(&mut self, message: &Message<'a>, parts: Option<Parts<'a>>) {
        self.parts = parts;
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
