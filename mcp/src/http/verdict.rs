//! The verdict on a request, and the reply that refuses it.

use core::fmt;

use tautline::encode::{Array, EncodeError, Encoder, NewError, Output, array, object};
use tautline::{ErrorCode, Id, Message, RawJson, Rule, Severity};

use super::parts::Parts;
use super::place::Place;
use super::{Field, Mirrored};
use crate::{Revision, rule};

/// A rule that an HTTP message breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    pub(super) place: Place,
}

impl Finding {
    pub(super) const fn new(rule: Rule, place: Place) -> Self {
        Self { rule, severity: rule::severity(rule), place }
    }

    pub(super) const fn in_body(rule: Rule, severity: Severity, offset: Option<u32>) -> Self {
        Self { rule, severity, place: Place { field: None, offset } }
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the severity.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the header that is at fault, or that is missing.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        self.place.field
    }

    /// Returns the place in the body, in bytes. If a header differs from the body, this is the member that it should
    /// repeat, such as the argument of an `Mcp-Param-*`: [`Path::at`](tautline::json::Path::at) returns the path.
    #[must_use]
    pub const fn offset(&self) -> Option<u32> {
        self.place.offset
    }

    /// Returns what is wrong in general, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        rule::summary(self.rule)
    }
}

/// Writes the name of the rule, the place and the [message](Finding::message).
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(rule::name(self.rule))?;
        if let Some(field) = self.place.field {
            write!(f, " in {field}")?;
        }
        if let Some(offset) = self.place.offset {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {}", self.message())
    }
}

impl core::error::Error for Finding {}

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
    pub(super) revision: Revision,
    pub(super) action: Action,
    pub(super) message: Option<Message<'a>>,
    pub(super) parameters: Parameters,
    pub(super) parts: Option<Parts<'a>>,
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
    pub(super) status: u16,
    pub(super) code: Option<ErrorCode>,
    pub(super) id: Option<Id<'a>>,
    pub(super) finding: Finding,
    pub(super) data: Data<'a>,
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
        self.finding.rule
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
        let text = TEXTS.iter().find(|text| text.rule == finding.rule);
        let message = match text {
            Some(text) => text.summary,
            None => crate::request_message(finding.rule),
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

/// The statuses of HTTP that the rules use (RFC 9110, section 15).
pub mod status {
    use tautline::ErrorCode;

    use crate::{Era, Revision};

    /// 200: the reply has a body or events.
    pub const OK: u16 = 200;
    /// 202: a notification or a response was accepted.
    pub const ACCEPTED: u16 = 202;
    /// 400: the body or a header is wrong.
    pub const BAD_REQUEST: u16 = 400;
    /// 403: the `Origin` or the `Host` is not allowed.
    pub const FORBIDDEN: u16 = 403;
    /// 404: the session or the method is not known.
    pub const NOT_FOUND: u16 = 404;
    /// 405: the endpoint does not have this HTTP method.
    pub const METHOD_NOT_ALLOWED: u16 = 405;
    /// 406: the client does not accept the media types of MCP.
    pub const NOT_ACCEPTABLE: u16 = 406;
    /// 413: the body is longer than the limit.
    pub const CONTENT_TOO_LARGE: u16 = 413;
    /// 415: the body is not `application/json`.
    pub const UNSUPPORTED_MEDIA_TYPE: u16 = 415;

    /// Returns the status of a reply whose body is an error with this code, as a handler returns it. It is [`OK`] unless the
    /// revision names another one: 2026-07-28 has [`NOT_FOUND`] for -32601 and [`BAD_REQUEST`] for its own codes.
    ///
    /// For -32602 it is [`OK`]: only if `_meta` is malformed the status is 400, and such a request is
    /// [refused](super::Verdict::Refused) before any handler sees it.
    #[must_use]
    pub const fn of_error(revision: Revision, code: ErrorCode) -> u16 {
        match (revision.era(), code.value()) {
            (Era::Modern, -32601) => NOT_FOUND,
            (Era::Modern, -32022..=-32020) => BAD_REQUEST,
            (_, -32700 | -32600) => BAD_REQUEST,
            _ => OK,
        }
    }
}
