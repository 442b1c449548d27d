//! The requirements that the rules of HTTP check, by the side that is bound and by what shows a breach.

use tautline::Rule;
use tautline_mcp::http::{Field, Finding};
use tautline_mcp::{Revision, Role, rule};

/// A requirement that the rules of HTTP check.
#[derive(Debug)]
pub(crate) struct Check {
    /// Its id in the table.
    pub id: &'static str,
    rules: &'static [Rule],
    /// The headers that it is about. If empty, it is about any place.
    fields: &'static [Field],
}

/// The rules of a header that repeats the body.
const MIRROR: &[Rule] = &[
    rule::HTTP_HEADER_MISSING,
    rule::HTTP_HEADER_REPEATED,
    rule::HTTP_HEADER_CHARACTERS,
    rule::HTTP_HEADER_ENCODING,
    rule::HTTP_HEADER_MISMATCH,
    rule::HTTP_HEADER_UNEXPECTED,
];

const fn check(id: &'static str, rules: &'static [Rule], fields: &'static [Field]) -> Check {
    Check { id, rules, fields }
}

pub(super) static ACCEPT: Check =
    check("http-reply-type-both", &[rule::HTTP_ACCEPT], &[Field::Accept]);
pub(super) static VERSION: Check = check("http-version-header", MIRROR, &[Field::ProtocolVersion]);
pub(super) static LEGACY_VERSION: Check = check(
    "lifecycle-version-header",
    &[rule::HTTP_HEADER_MISSING, rule::VERSION_HEADER_CHANGED],
    &[Field::ProtocolVersion],
);
pub(super) static STANDARD: Check =
    check("http-standard-headers", MIRROR, &[Field::Method, Field::Name]);
pub(super) static PARAMETERS: Check = check("http-param-headers", MIRROR, &[Field::Parameter]);
pub(super) static REPLY: Check = check("http-reply-type", &[rule::HTTP_RESPONSE_TYPE], &[]);
pub(super) static ACCEPTED: Check =
    check("http-notification-accepted", &[rule::HTTP_STATUS, rule::HTTP_BODY_UNEXPECTED], &[]);
pub(super) static LAST: Check = check("http-stream-ends", &[rule::MESSAGE_AFTER_RESPONSE], &[]);
pub(super) static GET: Check = check("http-get-no-response", &[rule::RESPONSE_UNEXPECTED], &[]);
pub(super) static STREAM_RESPONSE: Check =
    check("http-stream-response", &[rule::RESPONSE_UNEXPECTED], &[]);
pub(super) static UNKNOWN_METHOD: Check = check("http-method-unknown", &[rule::HTTP_STATUS], &[]);
pub(super) static MISMATCH: Check = check("http-header-mismatch", &[rule::HTTP_STATUS], &[]);
pub(super) static CAPABILITY: Check =
    check("meta-capability-error-status", &[rule::HTTP_STATUS], &[]);

static ALL: [&Check; 13] = [
    &ACCEPT,
    &VERSION,
    &LEGACY_VERSION,
    &STANDARD,
    &PARAMETERS,
    &REPLY,
    &ACCEPTED,
    &LAST,
    &GET,
    &STREAM_RESPONSE,
    &UNKNOWN_METHOD,
    &MISMATCH,
    &CAPABILITY,
];

/// Returns whether the rules of HTTP check a requirement, so that no message alone shows that it is met.
pub(crate) fn checks(requirement: &str) -> bool {
    ALL.iter().any(|check| check.id == requirement)
}

impl Check {
    /// Returns whether a finding shows a breach of the requirement.
    pub(super) fn is_broken_by(&self, finding: &Finding) -> bool {
        self.rules.contains(&finding.rule())
            && (self.fields.is_empty()
                || finding.field().is_some_and(|field| self.fields.contains(&field)))
    }
}

/// A requirement that the heads of an exchange show to be met or broken, under this revision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    pub check: &'static Check,
    pub revision: Revision,
    /// The side that is bound.
    pub by: Role,
    pub is_met: bool,
}
