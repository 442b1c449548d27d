//! The judgement of the message in a request.

use tautline::{ErrorCode, Fault, Message, Request};

use super::code::{HEADER_MISMATCH, MISSING_CAPABILITY};
use super::encoding::Value;
use super::field::{Single, is_plain};
use super::finding::Place;
use super::verdict::{Bench, Data};
use super::{
    Action, Body, Each, Field, Finding, Head, Named, Opening, Parameters, Server, Verdict, status,
};
use crate::{Era, KnownMethod, ParamsView, Revision, Role, rule};

impl Body<'_> {
    fn is_request(&self) -> bool {
        matches!(self.message, Message::Request(_))
    }

    /// Returns whether the request belongs to the modern era, even if it is malformed.
    fn is_modern(&self) -> bool {
        self.call.claims_version
    }
}

impl<'a, I> Head<'a, I>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
{
    /// Judges a POST with its body, which was parsed under the [profile](Self::profile).
    ///
    /// The body of a frame that is too long is its [fault](Fault::of_skimmed): the refusal then has the status 413, and the
    /// id that skimming has found. All findings are reported, also those after the one that the request is refused for. A
    /// head that was refused stays refused.
    #[must_use]
    pub fn judge(
        &self,
        server: &'a dyn Server,
        body: Result<Message<'a>, Fault<'a>>,
        mut report: impl FnMut(Finding),
    ) -> Verdict<'a> {
        let each = |visit: &mut dyn FnMut(&'a [u8], &'a [u8])| {
            self.headers.clone().for_each(|(name, value)| visit(name, value));
        };
        let mut bench = Bench::new(&mut report, self.refusal);
        let message = match body {
            Ok(message) => message,
            Err(fault) => return bench.fault(&fault),
        };
        let (revision, parameters) = self.judge_message(server, &message, &each, &mut bench);
        let action = match &message {
            Message::Request(request) if request.method() == *"subscriptions/listen" => {
                Action::Listen
            }
            Message::Request(_) => Action::Answer,
            Message::Batch(batch) => {
                let is_owed = batch.iter().any(|element| match element.message() {
                    Ok(message) => matches!(message, Message::Request(_)),
                    Err(fault) => fault.reply().is_some(),
                });
                if is_owed { Action::Answer } else { Action::Acknowledge }
            }
            _ => Action::Acknowledge,
        };
        bench.verdict(revision, action, Some(message), parameters)
    }
}

impl<'a, I> Head<'a, I> {
    /// Judges the message of a POST. Returns its revision, and whether the headers of parameters were judged.
    fn judge_message(
        &self,
        server: &'a dyn Server,
        message: &Message<'a>,
        each: Each<'_, 'a>,
        bench: &mut Bench<'a, '_>,
    ) -> (Revision, Parameters) {
        let body = Body::of(message);
        bench.of(message, body.as_ref().map(Body::parts));
        let era = self.era(body.as_ref());
        if era == Era::Modern {
            let Some(revision) = self.modern_revision(body.as_ref(), bench) else {
                return (self.policy.latest(era).unwrap_or_default(), Parameters::NotDue);
            };
            let parameters = match &body {
                Some(body) => self.judge_modern(server, body, revision, each, bench),
                None => {
                    // "The client MUST NOT send JSON-RPC responses" (2026-07-28, sending messages).
                    let finding = Finding::new(rule::WRONG_DIRECTION, Place::in_body(Some(0)));
                    bench.fail(
                        finding,
                        status::BAD_REQUEST,
                        ErrorCode::INVALID_REQUEST,
                        Data::None,
                    );
                    Parameters::NotDue
                }
            };
            return (revision, parameters);
        }
        let opening = match &body {
            Some(body)
                if body.is_request() && body.call.method == Some(KnownMethod::Initialize) =>
            {
                Opening::Yes
            }
            _ => Opening::No,
        };
        let requested = body.as_ref().and_then(|body| body.call.params?.protocol_version());
        let requested = requested.and_then(Revision::named);
        let revision = self.legacy_revision(opening == Opening::Yes, requested, bench);
        self.check_session(revision, opening, bench);
        if let Message::Batch(_) = message {
            check_batch(message, revision, bench);
        }
        (revision, Parameters::NotDue)
    }

    /// Determines the era of a request (2026-07-28, basic/versioning, backward compatibility).
    fn era(&self, body: Option<&Body<'a>>) -> Era {
        if !self.policy.serves(Era::Modern) {
            return Era::Legacy;
        }
        if !self.policy.serves(Era::Legacy) {
            return Era::Modern;
        }
        let named = self.fields.single(Field::ProtocolVersion).value();
        match named.and_then(|name| self.policy.revision(name)) {
            Some(revision) if revision.era() == Era::Modern => Era::Modern,
            // The version in the body differs from that of the header.
            _ if body.is_some_and(Body::is_modern) => Era::Modern,
            Some(_) => Era::Legacy,
            // A version that is not supported: the two eras refuse it in the same way.
            None => Era::Legacy,
        }
    }

    /// Checks the version of a request of the modern era. Returns `None` if it is not supported, so that nothing is known
    /// about the rest.
    fn modern_revision(
        &self,
        body: Option<&Body<'a>>,
        bench: &mut Bench<'a, '_>,
    ) -> Option<Revision> {
        let field = Field::ProtocolVersion;
        let latest = self.policy.latest(Era::Modern).unwrap_or_default();
        let version = body.and_then(Body::version);
        match self.fields.single(field) {
            Single::Repeated => {
                bench.mismatch(self.policy, rule::HTTP_HEADER_REPEATED, field.into())
            }
            Single::Absent => {
                // A client of the legacy era can only show this error to its user.
                let is_initialize =
                    body.is_some_and(|body| body.call.method == Some(KnownMethod::Initialize));
                let requested =
                    body.and_then(|body| body.call.params?.protocol_version()?.unescaped());
                let data = if is_initialize {
                    Data::Versions(self.policy.supported, requested)
                } else {
                    Data::None
                };
                let finding = Finding::new(rule::HTTP_HEADER_MISSING, field.into());
                bench.fail(finding, status::BAD_REQUEST, HEADER_MISMATCH, data);
            }
            Single::Value(name) if !is_plain(name) => {
                bench.mismatch(self.policy, rule::HTTP_HEADER_CHARACTERS, field.into());
            }
            Single::Value(name) => {
                let differs = version.filter(|version| !Value::Plain(name).is_string(*version));
                if let (Some(version), Some(body)) = (differs, body) {
                    let place = Place::of_both(field, body.string_offset(version));
                    bench.mismatch(self.policy, rule::HTTP_HEADER_MISMATCH, place);
                } else {
                    match self.policy.revision(name) {
                        Some(revision) if revision.era() == Era::Modern => return Some(revision),
                        // The version of the other era, and a request of this one that names none.
                        Some(_) => {
                            bench.mismatch(self.policy, rule::HTTP_HEADER_MISMATCH, field.into())
                        }
                        None => {
                            bench.unsupported(self.policy, name);
                            return None;
                        }
                    }
                }
            }
        }
        Some(latest)
    }

    fn judge_modern(
        &self,
        server: &'a dyn Server,
        body: &Body<'a>,
        revision: Revision,
        each: Each<'_, 'a>,
        bench: &mut Bench<'a, '_>,
    ) -> Parameters {
        // Notifications have no header requirements. A header that contradicts them is refused nevertheless.
        let method = self.fields.single(Field::Method);
        if body.is_request() || method != Single::Absent {
            self.compare(body, Field::Method, method, body.call.name, bench);
        }
        let name = self.fields.single(Field::Name);
        match body.name() {
            Named::By(due) if body.is_request() => {
                self.compare(body, Field::Name, name, due, bench)
            }
            _ => {}
        }
        self.check_message(body, revision, bench);
        let Message::Request(request) = &body.message else { return Parameters::NotDue };
        // The methods of other revisions were refused above.
        if body.call.method.is_none_or(|method| method.use_in(revision).is_some()) {
            check_server(server, request, bench);
        }
        match (body.call.method, body.call.params.as_ref().and_then(ParamsView::name)) {
            (Some(KnownMethod::ToolsCall), Some(tool)) => {
                self.compare_parameters(server, body, tool, each, bench)
            }
            _ => Parameters::NotDue,
        }
    }

    /// Checks the message below its envelope.
    fn check_message(&self, body: &Body<'a>, revision: Revision, bench: &mut Bench<'a, '_>) {
        let mut refusal = None;
        revision.findings_of_call(&body.message, &body.call, |finding| {
            bench.note_body(&finding);
            let code = crate::request_error(finding.rule());
            refusal = refusal.or(code.map(|code| (finding, code)));
        });
        let method_use = body.call.method.and_then(|method| method.use_in(revision));
        if method_use.is_some_and(|method| !method.is_for(Role::Client)) {
            let place = Place::in_body(body.string_offset(body.call.name));
            let finding = Finding::new(rule::WRONG_DIRECTION, place);
            let status = if body.is_request() { status::NOT_FOUND } else { status::BAD_REQUEST };
            bench.fail(finding, status, ErrorCode::METHOD_NOT_FOUND, Data::None);
        }
        if let Some((finding, code)) = refusal {
            let finding = Finding::in_body(finding.rule(), finding.severity(), finding.offset());
            let is_unknown = code == ErrorCode::METHOD_NOT_FOUND && body.is_request();
            let status = if is_unknown { status::NOT_FOUND } else { status::BAD_REQUEST };
            bench.keep_failure(finding, status, code);
        }
    }
}

/// Asks the server whether it can serve the request.
fn check_server<'a>(server: &'a dyn Server, request: &Request<'a>, bench: &mut Bench<'a, '_>) {
    let method = request.method();
    let offset = Message::Request(*request).offset_of(method.escaped_bytes());
    let place = Place::in_body(offset.map(|offset| offset.saturating_sub(1)));
    if server.has_method(method) == Some(false) {
        let finding = Finding::new(rule::METHOD_NOT_SERVED, place);
        bench.fail(finding, status::NOT_FOUND, ErrorCode::METHOD_NOT_FOUND, Data::None);
    } else if let Some(missing) = server.missing_capabilities(request) {
        let finding = Finding::new(rule::UNDECLARED_CAPABILITY, place);
        bench.fail(finding, status::BAD_REQUEST, MISSING_CAPABILITY, Data::Capabilities(missing));
    }
}

/// Checks a batch: `initialize` is never part of one (2025-03-26, basic/lifecycle, initialization).
fn check_batch<'a>(message: &Message<'a>, revision: Revision, bench: &mut Bench<'a, '_>) {
    let mut found = None;
    revision.findings(message, |finding| {
        if finding.rule() == rule::INITIALIZE_IN_BATCH {
            found = found.or(Some(finding));
        }
    });
    if let Some(finding) = found {
        let finding = Finding::in_body(finding.rule(), finding.severity(), finding.offset());
        bench.fail_uncorrelated(finding, status::BAD_REQUEST, ErrorCode::INVALID_REQUEST);
    }
}
