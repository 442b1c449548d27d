//! A reply that the filter sends itself.

use tautline_mcp::http::Refusal;

/// A reply that the filter sends in place of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The value of the header `Allow`, if the reply has one.
    pub allow: Option<&'static str>,
    /// The body, whose type is `application/json`. It may be empty.
    pub body: Vec<u8>,
}

impl From<&Refusal<'_>> for Reply {
    fn from(refusal: &Refusal<'_>) -> Self {
        let mut body = Vec::new();
        if refusal.write(&mut body).is_err() {
            // Only memory can be short. The status alone says enough.
            body = Vec::new();
        }
        Self { status: refusal.status(), allow: refusal.allow(), body }
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
        let reply = Reply { status: 405, allow: Some("POST"), body: Vec::new() };
        assert_eq!(Reply::from(&refusal), reply);
    }
}
