//! The judgement of the head of a request: its method and its headers.

use core::fmt;

use tautline::Profile;

use super::field::{Fields, Single};
use super::finding::Place;
use super::media::{Acceptance, EVENTS, JSON, Media};
use super::verdict::{Bench, Data};
use super::{
    Action, Allowed, Each, Field, Finding, Head, Opening, Parameters, Policy, Refusal, Report,
    Server, Session, Sessions, Verb, Verdict, is_session_id, status,
};
use crate::{Era, Revision, rule};

impl<I> fmt::Debug for Head<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fields, verb, session, refusal, .. } = self;
        let mut head = f.debug_struct("Head");
        head.field("fields", fields).field("verb", verb).field("session", session);
        head.field("refusal", refusal).finish_non_exhaustive()
    }
}

impl<'a> Policy<'a> {
    /// Judges the method and the headers of a request. Names and values are those of the field lines, in the order in which
    /// they came; with HTTP/2, pass `:authority` as `host`.
    ///
    /// The method is case-sensitive (RFC 9110, section 9.1). All headers are read once here. With `Mcp-Param-*` headers to
    /// compare, [`Head::judge`] reads them once more for each parameter of the tool.
    pub fn head<I>(
        &'a self,
        method: &[u8],
        headers: I,
        server: &dyn Server,
        mut report: impl FnMut(Finding),
    ) -> Head<'a, I>
    where
        I: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
    {
        let each = |visit: &mut dyn FnMut(&'a [u8], &'a [u8])| {
            headers.clone().for_each(|(name, value)| visit(name, value));
        };
        let (fields, verb, session, refusal) = self.judge_head(method, &each, server, &mut report);
        Head { policy: self, headers, fields, verb, session, refusal }
    }

    /// Returns the value of `Allow` (RFC 9110, section 10.2.1).
    fn methods(&self) -> &'static str {
        let is_legacy = self.serves(Era::Legacy);
        match (is_legacy && self.has_streams, is_legacy && self.ends_sessions) {
            (true, true) => "POST, GET, DELETE",
            (true, false) => "POST, GET",
            (false, true) => "POST, DELETE",
            (false, false) => "POST",
        }
    }

    fn judge_head(
        &self,
        method: &[u8],
        each: Each<'_, 'a>,
        server: &dyn Server,
        report: Report<'_>,
    ) -> (Fields<'a>, Verb, Option<Session>, Option<Refusal<'a>>) {
        let fields = Fields::of(each);
        let mut bench = Bench::new(report, None);
        let is_modern = fields
            .single(Field::ProtocolVersion)
            .value()
            .and_then(|name| self.revision(name))
            .is_some_and(|revision| revision.era() == Era::Modern);
        let serves_legacy = self.serves(Era::Legacy) && !is_modern;
        let verb = match method {
            b"POST" => Verb::Post,
            b"GET" if self.has_streams && serves_legacy => Verb::Get,
            b"DELETE" if self.ends_sessions && serves_legacy => Verb::Delete,
            _ => {
                let methods = if is_modern { "POST" } else { self.methods() };
                let place = Place::default();
                bench.refuse_with(
                    rule::HTTP_METHOD,
                    place,
                    status::METHOD_NOT_ALLOWED,
                    Data::Methods(methods),
                );
                Verb::Other
            }
        };
        let host = match fields.single(Field::Host) {
            Single::Absent if matches!(self.hosts, Allowed::Any) => None,
            // RFC 9112, section 3.2.
            Single::Absent | Single::Repeated => Some(status::BAD_REQUEST),
            Single::Value(host) if !Allowed::Any.has_host(host) => Some(status::BAD_REQUEST),
            Single::Value(host) if !self.hosts.has_host(host) => Some(status::FORBIDDEN),
            Single::Value(_) => None,
        };
        if let Some(status) = host {
            bench.refuse(rule::HTTP_HOST, Field::Host, status);
        }
        let is_allowed = match fields.single(Field::Origin) {
            Single::Absent => true,
            Single::Value(origin) => self.origins.has_origin(origin),
            Single::Repeated => false,
        };
        if !is_allowed {
            bench.refuse(rule::HTTP_ORIGIN, Field::Origin, status::FORBIDDEN);
        }
        if verb == Verb::Post {
            let content = fields.single(Field::ContentType).value().and_then(Media::parse);
            if !content.is_some_and(|content| content.is_json_text()) {
                bench.refuse(
                    rule::HTTP_CONTENT_TYPE,
                    Field::ContentType,
                    status::UNSUPPORTED_MEDIA_TYPE,
                );
            }
        }
        let (mut json, mut events) = (Acceptance::new(JSON), Acceptance::new(EVENTS));
        each(&mut |name, value| {
            if name.eq_ignore_ascii_case(Field::Accept.name().as_bytes()) {
                json.add(value);
                events.add(value);
            }
        });
        let is_acceptable = match verb {
            Verb::Post => json.is_accepted() && events.is_accepted(),
            Verb::Get => events.is_accepted(),
            Verb::Delete | Verb::Other => true,
        };
        if !is_acceptable {
            bench.refuse(rule::HTTP_ACCEPT, Field::Accept, status::NOT_ACCEPTABLE);
        }
        let id = fields.single(Field::SessionId).value().filter(|id| is_session_id(id));
        let session = id
            .filter(|_| serves_legacy && self.sessions != Sessions::None)
            .map(|id| server.session(id));
        let refusal = bench.refusal();
        (fields, verb, session, refusal)
    }
}

impl<'a, I> Head<'a, I>
where
    I: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
{
    /// Returns the verdict if the body makes no difference to a caller that only reports. It is that of
    /// [`verdict`](Self::verdict), but a POST that is refused here and may have a message in its body is
    /// [judged](Self::judge) with it: the body may break rules as well.
    #[must_use]
    pub fn verdict_in_report(&self, report: impl FnMut(Finding)) -> Option<Verdict<'a>> {
        let content = self.fields.single(Field::ContentType).value().unwrap_or_default();
        let names_json = content.get(..JSON_TYPE.len());
        let may_be_message = self.verb == Verb::Post
            && names_json.is_some_and(|name| name.eq_ignore_ascii_case(JSON_TYPE));
        if self.refusal.is_some() && may_be_message {
            return None;
        }
        self.verdict(report)
    }

    /// Returns the verdict if the body makes no difference: the head is refused, or the request is a GET or a DELETE. The
    /// findings about its session are reported.
    ///
    /// A caller that only reports calls [`verdict_in_report`](Self::verdict_in_report).
    #[must_use]
    pub fn verdict(&self, mut report: impl FnMut(Finding)) -> Option<Verdict<'a>> {
        if let Some(refusal) = self.refusal {
            return Some(Verdict::Refused(refusal));
        }
        let action = match self.verb {
            Verb::Get => Action::Stream,
            Verb::Delete => Action::EndSession,
            Verb::Post | Verb::Other => return None,
        };
        let mut bench = Bench::new(&mut report, None);
        let revision = self.legacy_revision(false, None, &mut bench);
        self.check_session(revision, Opening::No, &mut bench);
        if action == Action::Stream && self.fields.single(Field::LastEventId) == Single::Repeated {
            bench.refuse(rule::HTTP_HEADER_REPEATED, Field::LastEventId, status::BAD_REQUEST);
        }
        // Without a session there is none to end.
        if action == Action::EndSession
            && bench.refusal().is_none()
            && self.fields.single(Field::SessionId) == Single::Absent
        {
            bench.refuse(rule::SESSION_ID_MISSING, Field::SessionId, status::BAD_REQUEST);
        }
        Some(bench.verdict(revision, action, None, Parameters::NotDue))
    }

    /// Returns the profile to parse the body of a POST under: [that of the policy](Policy::profile) for the revision that the
    /// headers name or imply.
    #[must_use]
    pub fn profile(&self) -> Profile {
        let named = self.fields.single(Field::ProtocolVersion).value();
        let revision = match (named, self.session) {
            (Some(name), _) => self.policy.revision(name),
            (None, Some(Session::Open(revision))) => Some(revision),
            (None, _) => self.policy.revision(Revision::V2025_03_26.name().as_bytes()),
        };
        let latest = || self.policy.supported.iter().copied().max();
        self.policy.profile(revision.or_else(latest).unwrap_or_default())
    }

    /// Returns the id of the session that the request names, if it is well-formed.
    #[must_use]
    pub fn session_id(&self) -> Option<&'a [u8]> {
        self.fields.single(Field::SessionId).value().filter(|id| is_session_id(id))
    }

    /// Returns the id of the last event that the client has received, which a GET request resumes a stream after.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&'a [u8]> {
        self.fields.single(Field::LastEventId).value()
    }
}

/// The type of a message, as a `Content-Type` that is malformed after it may still begin.
const JSON_TYPE: &[u8] = b"application/json";

impl<'a, I> Head<'a, I> {
    /// Determines the revision of a request of the legacy era. Its version header, if there is one, is refused if it is
    /// unsupported.
    pub(super) fn legacy_revision(
        &self,
        opens: bool,
        requested: Option<Revision>,
        bench: &mut Bench<'a, '_>,
    ) -> Revision {
        let field = Field::ProtocolVersion;
        let latest = self.policy.latest(Era::Legacy);
        match self.fields.single(field) {
            Single::Value(name) => {
                if let Some(revision) = self.policy.revision(name) {
                    return revision;
                }
                bench.unsupported(self.policy, name);
            }
            Single::Repeated => {
                bench.mismatch(self.policy, rule::HTTP_HEADER_REPEATED, field.into())
            }
            Single::Absent => {
                if let Some(Session::Open(revision)) = self.session {
                    return revision;
                }
                let assumed = self.policy.revision(Revision::V2025_03_26.name().as_bytes());
                if opens {
                    let requested = requested.filter(|one| self.policy.supported.contains(one));
                    return requested.or(latest).unwrap_or_default();
                }
                if let Some(assumed) = assumed {
                    return assumed;
                }
                // A session that is unknown is refused below, and one that is not judged may have any revision.
                if self.session.is_none() {
                    bench.mismatch(self.policy, rule::HTTP_HEADER_MISSING, field.into());
                }
            }
        }
        latest.unwrap_or_default()
    }

    /// Checks the session of a request of the legacy era.
    pub(super) fn check_session(
        &self,
        revision: Revision,
        opening: Opening,
        bench: &mut Bench<'a, '_>,
    ) {
        let field = Field::SessionId;
        if self.policy.sessions == Sessions::None {
            return;
        }
        match self.fields.single(field) {
            Single::Repeated => {
                bench.refuse(rule::HTTP_HEADER_REPEATED, field, status::BAD_REQUEST)
            }
            Single::Value(id) if !is_session_id(id) => {
                bench.refuse(rule::SESSION_ID_SYNTAX, field, status::BAD_REQUEST);
            }
            Single::Value(_) => {}
            Single::Absent
                if self.policy.sessions == Sessions::Required && opening == Opening::No =>
            {
                bench.refuse(rule::SESSION_ID_MISSING, field, status::BAD_REQUEST);
            }
            Single::Absent => {}
        }
        match self.session {
            Some(Session::Unknown) => {
                bench.refuse(rule::SESSION_ID_UNKNOWN, field, status::NOT_FOUND)
            }
            Some(Session::Open(negotiated)) => {
                let is_absent = self.fields.single(Field::ProtocolVersion) == Single::Absent;
                // "MUST" since 2025-06-18, but the server knows the version.
                if is_absent && opening == Opening::No && negotiated >= Revision::V2025_06_18 {
                    bench.note(rule::HTTP_HEADER_MISSING, Field::ProtocolVersion.into());
                }
                if !is_absent && negotiated != revision {
                    bench.note(rule::VERSION_HEADER_CHANGED, Field::ProtocolVersion.into());
                }
            }
            Some(Session::Unjudged) | None => {}
        }
    }
}
