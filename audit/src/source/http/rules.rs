//! The rules of HTTP, applied to the heads and the messages of an exchange.

use tautline::{ErrorCode, Message, Outcome, RawJson, Rule, Severity};
use tautline_mcp::http::{Allowed, Content, Exchange, Field, Finding, Policy, Sessions, Verdict};
use tautline_mcp::{Era, KnownMethod, MetaView, ParamsView, Revision, Role, rule};

use super::checks::{self, Check, Checked};
use super::known::Known;
use super::part::{self, lines, value_of};
use super::report::HeadReport;
use super::words::report_of;
use crate::frame::FindingReport;
use crate::redaction;

/// A recording does not show which origins and hosts the operator allows.
const OPTIONAL: Policy<'static> = Policy::new(Revision::ALL, Allowed::Any, Allowed::Any)
    .with_sessions(Sessions::Optional)
    .with_streams()
    .with_session_end();
const REQUIRED: Policy<'static> = OPTIONAL.with_sessions(Sessions::Required);

/// The head of a request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub method: String,
    pub headers: Vec<part::Field>,
}

impl Request {
    pub fn header(&self, field: Field) -> Option<&[u8]> {
        value_of(&self.headers, field.name())
    }

    /// Returns the revision that the header names.
    pub fn revision(&self) -> Option<Revision> {
        let name = self.header(Field::ProtocolVersion)?;
        Revision::ALL.iter().copied().find(|revision| revision.name().as_bytes() == name)
    }
}

/// Judges the head of a request with its body, if it is known, and returns the revision of the request, too.
pub(super) fn request(
    request: &Request,
    body: Option<&[u8]>,
    known: &Known,
) -> (HeadReport, Revision) {
    let mut report = HeadReport::of(Role::Client);
    let policy = if known.gives_ids { &REQUIRED } else { &OPTIONAL };
    let mut found = Vec::new();
    let method = request.method.as_bytes();
    let head = policy.head(method, lines(&request.headers), known, |finding| found.push(finding));
    let message = body.map(|body| Message::parse(body, &head.profile()));
    let call = message.as_ref().and_then(|message| message.as_ref().ok()).and_then(Called::of);
    let verdict = match message {
        Some(message) => Some(head.judge(known, message, |finding| found.push(finding))),
        None => head.verdict(|finding| found.push(finding)),
    };
    let revision = match verdict {
        Some(Verdict::Accepted(accepted)) => accepted.revision(),
        _ => revision_of(request, call.as_ref(), known),
    };
    // The recorder did not see the headers.
    if request.headers.is_empty() {
        return (report, revision);
    }
    let bytes = body.unwrap_or_default();
    let (hidden, found): (Vec<_>, Vec<_>) = found
        .into_iter()
        .filter(|finding| is_of_http(finding.rule()))
        .partition(|finding| is_redacted(finding, request, bytes));
    let due = match &call {
        Some(call) => call.checks(request, revision, known),
        None if method != b"POST" => legacy_version(request, known).into_iter().collect(),
        None => Vec::new(),
    };
    for check in due {
        let is_broken = found.iter().any(|finding| check.is_broken_by(finding));
        if is_broken || !hidden.iter().any(|finding| check.is_broken_by(finding)) {
            report.check(check, revision, !is_broken);
        }
    }
    report.method = call.and_then(|call| call.name);
    report.findings = found.iter().map(|one| report_of(one, &request.headers, bytes)).collect();
    (report, revision)
}

/// Returns whether a rule is about HTTP. The other rules about messages are applied to the session.
fn is_of_http(rule: Rule) -> bool {
    (rule::HTTP_METHOD..=rule::EVENTS_BUFFERED).contains(&rule)
}

/// Returns whether a finding may be about a value that was replaced in the recording.
fn is_redacted(finding: &Finding, request: &Request, body: &[u8]) -> bool {
    let Some(field) = finding.field() else { return false };
    let is_marked = |(name, value): &part::Field| {
        Field::named(name) == Some(field) && redaction::is_marked(value)
    };
    // A well-formed session id is replaced by one, and a malformed one by one that is malformed.
    let is_kept = finding.rule() == rule::HTTP_HEADER_REPEATED || field == Field::SessionId;
    let at = finding.offset().and_then(|at| body.get(usize::try_from(at).ok()?..));
    !is_kept && request.headers.iter().any(is_marked)
        || at.is_some_and(|rest| rest.strip_prefix(b"\"").is_some_and(redaction::is_marked))
}

/// Returns the revision of a request that a server should have refused.
fn revision_of(request: &Request, call: Option<&Called>, known: &Known) -> Revision {
    let of_session = || known.revision_of(request.header(Field::SessionId)?);
    let of_body = call.and_then(|call| call.version);
    of_body.or_else(|| request.revision()).or_else(of_session).unwrap_or(Revision::V2025_03_26)
}

/// A request or notification in a body, as far as the headers depend on it.
struct Called {
    name: Option<String>,
    method: Option<KnownMethod>,
    is_request: bool,
    version: Option<Revision>,
    /// The tool that it calls.
    tool: Option<String>,
}

impl Called {
    fn of(message: &Message<'_>) -> Option<Self> {
        let (call, is_request) = match message {
            Message::Request(request) => (request.call(), true),
            Message::Notification(notification) => (notification.call(), false),
            _ => return None,
        };
        let method = KnownMethod::named(call.method());
        let params = call.params().and_then(ParamsView::of);
        let meta = params.as_ref().and_then(ParamsView::meta);
        let version = meta.as_ref().and_then(MetaView::protocol_version);
        let tool = params.and_then(|params| params.name());
        let tool = tool.filter(|_| method == Some(KnownMethod::ToolsCall));
        Some(Self {
            name: call.method().decode().ok().map(Into::into),
            method,
            is_request,
            version: version.and_then(Revision::named),
            tool: tool.and_then(|name| Some(name.decode().ok()?.into_owned())),
        })
    }

    /// Returns the requirements that a request shows to be met or broken.
    fn checks(&self, request: &Request, revision: Revision, known: &Known) -> Vec<&'static Check> {
        let mut due = Vec::new();
        if !self.is_request {
            return due;
        }
        due.push(&checks::ACCEPT);
        if revision.era() == Era::Modern {
            due.extend([&checks::VERSION, &checks::STANDARD]);
            let tool = self.tool.as_ref().filter(|tool| known.has_marks(tool));
            due.extend(tool.map(|_| &checks::PARAMETERS));
        } else if self.method != Some(KnownMethod::Initialize) {
            due.extend(legacy_version(request, known));
        }
        due
    }
}

/// Returns the requirement on the version header of a request in a session, if its revision has one.
fn legacy_version(request: &Request, known: &Known) -> Option<&'static Check> {
    let negotiated = known.revision_of(request.header(Field::SessionId)?)?;
    (negotiated >= Revision::V2025_06_18).then_some(&checks::LEGACY_VERSION)
}

/// Applies the rules to the head of a response.
pub(super) fn response(
    exchange: &mut Exchange<'_>,
    revision: Revision,
    has_request: Option<bool>,
    status: u16,
    headers: &[part::Field],
) -> (HeadReport, Content) {
    let mut report = HeadReport::of(Role::Server);
    let mut found = Vec::new();
    let content = exchange.head(status, lines(headers), |finding| found.push(finding));
    let is_broken = |check: &Check| found.iter().any(|finding| check.is_broken_by(finding));
    match has_request {
        Some(true) if status == 200 => {
            report.check(&checks::REPLY, revision, !is_broken(&checks::REPLY));
        }
        Some(false) if matches!(status, 200..=299) => {
            report.check(&checks::ACCEPTED, revision, !is_broken(&checks::ACCEPTED));
        }
        _ => {}
    }
    for finding in found.iter().filter(|finding| is_of_http(finding.rule())) {
        let mut one = report_of(finding, headers, b"");
        if finding.rule() == rule::HTTP_STATUS {
            one.explain(format!("{}: {status}", finding.message()));
        }
        report.findings.push(one);
    }
    (report, content)
}

/// Applies the rules to a message of a response.
pub(super) fn answer(
    exchange: &mut Exchange<'_>,
    (revision, is_get, status): (Revision, bool, u16),
    content: Content,
    bytes: &[u8],
) -> HeadReport {
    let mut report = HeadReport::of(Role::Server);
    let message = Message::parse(bytes, &exchange.profile());
    let Ok(message) = message else {
        // A broken message is judged with the session.
        return report;
    };
    let code = match &message {
        Message::Response(response) => match response.outcome() {
            Outcome::Error(error) => error.code(),
            Outcome::Result(_) => None,
        },
        _ => None,
    };
    let is_response = matches!(message, Message::Response(_));
    let mut found = Vec::new();
    exchange.message(Ok(message), |finding| found.push(finding));
    let is_legacy = revision.era() == Era::Legacy;
    let mut due = Vec::new();
    due.extend((is_legacy && !is_get && is_response).then_some(&checks::STREAM_RESPONSE));
    if let (Some(code), Content::Message, false) = (code, content, is_legacy) {
        due.extend(check_of(code));
    }
    if content == Content::Events {
        due.extend(is_get.then_some(&checks::GET));
        due.extend((!is_get).then_some(&checks::LAST));
    }
    for check in due {
        report.check(check, revision, !found.iter().any(|finding| check.is_broken_by(finding)));
    }
    for finding in &found {
        let is_stray = finding.rule() == rule::RESPONSE_UNEXPECTED;
        if !is_of_http(finding.rule()) && !is_stray {
            continue;
        }
        let mut one = report_of(finding, &[], bytes);
        match finding.rule() {
            rule::HTTP_STATUS => {
                let code = code.map(|code| format!(", with the code {}", code.value()));
                one.explain(format!("{}: {status}{}", finding.message(), code.unwrap_or_default()));
            }
            rule::RESPONSE_UNEXPECTED => {
                one.explain("the response answers no request of its own HTTP exchange".to_owned());
                // "The SSE stream SHOULD eventually include one JSON-RPC response per each JSON-RPC request" of its POST.
                if is_legacy && !is_get {
                    one.severity = Severity::Warning;
                }
            }
            _ => {}
        }
        report.findings.push(one);
    }
    report
}

/// Returns the requirement on the status of an error with this code.
fn check_of(code: ErrorCode) -> Option<&'static Check> {
    match code.value() {
        -32601 => Some(&checks::UNKNOWN_METHOD),
        -32020 => Some(&checks::MISMATCH),
        -32021 => Some(&checks::CAPABILITY),
        _ => None,
    }
}

/// Returns whether a body is one JSON value.
pub(super) fn is_json(body: &[u8]) -> bool {
    RawJson::parse(body.trim_ascii()).is_ok()
}

/// Returns the method of a request in a body.
pub(super) fn method_of(body: &[u8]) -> Option<KnownMethod> {
    let profile = Revision::LATEST.profile();
    match Message::parse(body, &profile) {
        Ok(Message::Request(request)) => KnownMethod::named(request.method()),
        _ => None,
    }
}

impl HeadReport {
    fn check(&mut self, check: &'static Check, revision: Revision, is_met: bool) {
        self.checked.push(Checked { check, revision, by: self.from, is_met });
    }

    /// Notes that a requirement is broken after all.
    pub(super) fn fail(&mut self, check: &'static Check, revision: Revision) {
        self.checked.retain(|checked| checked.check.id != check.id);
        self.check(check, revision, false);
    }
}

/// Returns the findings on a body where none belongs.
pub(super) fn unexpected(exchange: &mut Exchange<'_>) -> Vec<FindingReport> {
    let mut found = Vec::new();
    let nothing = Message::parse(b"", &exchange.profile());
    exchange.message(nothing, |finding| found.push(finding));
    found
        .iter()
        .filter(|finding| finding.rule() == rule::HTTP_BODY_UNEXPECTED)
        .map(|finding| report_of(finding, &[], b""))
        .collect()
}
