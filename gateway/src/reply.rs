//! A reply that the filter sends itself.

use tautline::encode::{Encoder, NewError, Payload, object};
use tautline::envelope::ErrorIds;
use tautline::{ErrorCode, Id, Message, Profile, Rule};
use tautline_mcp::http::Refusal;

use crate::report::rule;

/// A reply that the filter sends in place of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The value of the header `Allow`, if the reply has one.
    pub allow: Option<&'static str>,
    /// The value of the header `Accept-Encoding`, if the reply has one (RFC 9110, section 12.5.3).
    pub accept_encoding: Option<&'static str>,
    /// The body, whose type is `application/json`. It may be empty.
    pub body: Vec<u8>,
}

impl Reply {
    /// Creates a reply with an error for each request in a message, because each of them has a caller that waits. Without a
    /// request, the error has no id.
    #[must_use]
    pub fn errors(
        status: u16,
        message: Option<&Message<'_>>,
        code: ErrorCode,
        text: &str,
        cause: Rule,
    ) -> Self {
        let mut body = Vec::new();
        let mut encoder = Encoder::with_profile(&mut body, &PROFILE);
        let written = match message {
            Some(Message::Request(request)) => {
                encoder.error(request.id(), error(code, text, cause))
            }
            Some(Message::Batch(batch)) => encoder.batch(|errors| {
                for element in batch.iter() {
                    if let Ok(Message::Request(request)) = element.message() {
                        errors.error(request.id(), error(code, text, cause));
                    }
                }
            }),
            _ => encoder.error_without_id(error(code, text, cause)),
        };
        if written.is_err() {
            // Only memory can be short. The status alone says enough.
            body = Vec::new();
        }
        Self { status, allow: None, accept_encoding: None, body }
    }

    /// Creates the reply to a request whose body cannot be judged. Its id is not known.
    #[must_use]
    pub fn unjudged(cause: Rule) -> Self {
        if cause == rule::BODY_ENCODED {
            let text = "the body has a content encoding, so it cannot be judged";
            let reply = Self::errors(415, None, ErrorCode::INVALID_REQUEST, text, cause);
            return Self { accept_encoding: Some("identity"), ..reply };
        }
        Self::errors(503, None, ErrorCode::INTERNAL_ERROR, "the body cannot be judged", cause)
    }

    /// Returns the headers of the reply. The proxy adds the length.
    #[must_use]
    pub fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let json = (!self.body.is_empty()).then_some(("content-type", "application/json"));
        let allow = self.allow.map(|allow| ("allow", allow));
        let encoding = self.accept_encoding.map(|encoding| ("accept-encoding", encoding));
        json.into_iter().chain(allow).chain(encoding).collect()
    }
}

/// The ids are those of requests, whatever they are.
const PROFILE: Profile = Profile::JSON_RPC.with_error_ids(ErrorIds::OrAbsent);

fn error(code: ErrorCode, text: &str, cause: Rule) -> NewError<'_, impl Payload> {
    NewError::new(code, text).with_data(object(move |data| data.member("rule", rule::name(cause))))
}

/// Writes an error that answers the request with this id, as a line.
pub(crate) fn line(id: Id<'_>, code: ErrorCode, text: &str, cause: Rule) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    Encoder::with_profile(&mut line, &PROFILE).error(id, error(code, text, cause)).ok()?;
    Some(line)
}

impl From<&Refusal<'_>> for Reply {
    fn from(refusal: &Refusal<'_>) -> Self {
        let mut body = Vec::new();
        if refusal.write(&mut body).is_err() {
            // Only memory can be short. The status alone says enough.
            body = Vec::new();
        }
        Self { status: refusal.status(), allow: refusal.allow(), accept_encoding: None, body }
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::Revision;
    use tautline_mcp::http::{Allowed, Policy, Verdict};

    use super::Reply;

    #[test]
    fn a_refusal_becomes_a_reply() {
        let policy = Policy::new(&[Revision::V2026_07_28], Allowed::Any, Allowed::Any);
        let head = policy.head(b"PUT", [].into_iter(), &(), |_| {});
        let Some(Verdict::Refused(refusal)) = head.verdict(|_| {}) else { panic!() };
        let reply =
            Reply { status: 405, allow: Some("POST"), accept_encoding: None, body: Vec::new() };
        assert_eq!(Reply::from(&refusal), reply);
    }
}
