//! A reply that the filter sends itself.

use tautline::encode::{Encoder, NewError, object};
use tautline::envelope::ErrorIds;
use tautline::{Batch, ErrorCode, Id, Message, Profile, Rule};
use tautline_mcp::http::Refusal;

use crate::report::rule;
use crate::settings::Denial;

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
    /// Creates the reply to a request whose body cannot be judged. Its id is not known.
    #[must_use]
    pub fn unjudged(cause: Rule) -> Self {
        let is_encoded = cause == rule::BODY_ENCODED;
        let (status, accept_encoding) = if is_encoded {
            (UNSUPPORTED_MEDIA_TYPE, Some("identity"))
        } else {
            (UNAVAILABLE, None)
        };
        let (code, message) = if is_encoded {
            (ErrorCode::INVALID_REQUEST, "the body has a content encoding, so it cannot be judged")
        } else {
            (ErrorCode::INTERNAL_ERROR, "the body cannot be judged")
        };
        let mut body = Vec::new();
        let error = NewError::new(code, message);
        let error = error.with_data(object(move |data| data.member("rule", rule::name(cause))));
        if Encoder::with_profile(&mut body, &PROFILE).error_without_id(error).is_err() {
            body = Vec::new();
        }
        Self { status, allow: None, accept_encoding, body }
    }

    /// Creates the reply to a message that the settings deny. A batch is answered by a batch with an error for each request,
    /// because each of them has a caller that waits.
    #[must_use]
    pub fn denied(message: &Message<'_>, denial: &Denial, cause: Rule) -> Self {
        let error = || {
            let data = object(move |data| data.member("rule", rule::name(cause)));
            NewError::new(denial.code, &denial.message).with_data(data)
        };
        let mut body = Vec::new();
        let mut encoder = Encoder::with_profile(&mut body, &PROFILE);
        let ids = |batch: &Batch<'_>, visit: &mut dyn FnMut(Id<'_>)| {
            for element in batch.iter() {
                if let Ok(Message::Request(request)) = element.message() {
                    visit(request.id());
                }
            }
        };
        let written = match message {
            Message::Request(request) => encoder.error(request.id(), error()),
            Message::Batch(batch) => {
                encoder.batch(|out| ids(batch, &mut |id| out.error(id, error())))
            }
            _ => encoder.error_without_id(error()),
        };
        if written.is_err() {
            body = Vec::new();
        }
        Self { status: denial.status, allow: None, accept_encoding: None, body }
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

/// The statuses of a body that cannot be judged.
const UNSUPPORTED_MEDIA_TYPE: u16 = 415;
const UNAVAILABLE: u16 = 503;

/// The ids are those of requests, whatever they are.
const PROFILE: Profile = Profile::JSON_RPC.with_error_ids(ErrorIds::OrAbsent);

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
