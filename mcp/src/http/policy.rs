//! The policy of an endpoint, and the knowledge of its server.

use tautline::{Profile, RawJson, RawStr, Request};

use super::{Allowed, Parameter, Policy};
use crate::{Era, Revision};

impl<'a> Policy<'a> {
    /// Creates the policy of an endpoint that accepts POST requests of these revisions, from these origins and for these
    /// hosts. A request without `Origin` does not come from a web page, and is allowed.
    ///
    /// It has no [sessions](Self::with_sessions), no [streams](Self::with_streams), and no
    /// [DELETE](Self::with_session_end).
    #[must_use]
    pub const fn new(supported: &'a [Revision], origins: Allowed<'a>, hosts: Allowed<'a>) -> Self {
        Self {
            supported,
            origins,
            hosts,
            sessions: Sessions::None,
            has_streams: false,
            ends_sessions: false,
            profile: Revision::profile,
        }
    }

    /// Sets whether clients of the legacy era have sessions.
    #[must_use]
    pub const fn with_sessions(self, sessions: Sessions) -> Self {
        Self { sessions, ..self }
    }

    /// Accepts GET requests of the legacy era, which open streams. Without it they are answered with 405.
    #[must_use]
    pub const fn with_streams(self) -> Self {
        Self { has_streams: true, ..self }
    }

    /// Accepts DELETE requests of the legacy era, which end sessions. Without it they are answered with 405.
    #[must_use]
    pub const fn with_session_end(self) -> Self {
        Self { ends_sessions: true, ..self }
    }

    /// Removes what has to do with sessions: [they](Self::with_sessions), [streams](Self::with_streams) and
    /// [DELETE](Self::with_session_end).
    #[must_use]
    pub const fn without_sessions(self) -> Self {
        Self { profile: self.profile, ..Self::new(self.supported, self.origins, self.hosts) }
    }

    /// Refuses a body that another peer could read differently: [`Revision::strict_profile`] says which. A gateway needs
    /// this if it decides by the body, and its server does not read it with this library.
    ///
    /// ```
    /// use tautline_mcp::http::{Allowed, Policy};
    /// use tautline_mcp::{Message, Revision, Rule};
    ///
    /// let policy = Policy::new(&[Revision::V2025_11_25], Allowed::Any, Allowed::Any).strict();
    /// let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","Name":"rm"}}"#;
    /// let fault = Message::parse(body, &policy.profile(Revision::V2025_11_25)).unwrap_err();
    /// assert_eq!(fault.rule(), Rule::NESTED_MEMBER_LOOKALIKE);
    /// ```
    #[must_use]
    pub const fn strict(self) -> Self {
        Self { profile: Revision::strict_profile, ..self }
    }

    /// Returns the profile for the body of a POST in this revision.
    #[must_use]
    pub fn profile(&self, revision: Revision) -> Profile {
        (self.profile)(revision).http_request_body()
    }

    /// Returns the revisions that the endpoint serves.
    #[must_use]
    pub const fn supported(&self) -> &'a [Revision] {
        self.supported
    }

    pub(super) fn serves(&self, era: Era) -> bool {
        self.supported.iter().any(|revision| revision.era() == era)
    }

    /// Returns the supported revision with this name.
    pub(super) fn revision(&self, name: &[u8]) -> Option<Revision> {
        self.supported.iter().copied().find(|revision| revision.name().as_bytes() == name)
    }

    /// Returns the latest supported revision of an era.
    pub(super) fn latest(&self, era: Era) -> Option<Revision> {
        self.supported.iter().copied().filter(|revision| revision.era() == era).max()
    }
}

/// The use of sessions, which `Mcp-Session-Id` names, by clients of the legacy era.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sessions {
    /// The server gives no session ids. The header is ignored.
    None,
    /// Some clients have sessions: the header may be absent.
    Optional,
    /// Every request but `initialize` belongs to a session.
    Required,
}

/// The knowledge of the server of an endpoint. Each method has an answer for a server that does not know. A caller that
/// judges the head twice, before and after it reads the body, asks twice.
pub trait Server {
    /// Returns what is known of the session with this id, which is visible ASCII.
    fn session(&self, id: &[u8]) -> Session {
        let _ = id;
        Session::Unjudged
    }

    /// Returns whether the server has this method, or `None` if that is not known. A method that the revision does not
    /// define is refused without a question.
    fn has_method(&self, method: RawStr<'_>) -> Option<bool> {
        let _ = method;
        None
    }

    /// Calls the function with each parameter that the tool marks with `x-mcp-header`, and returns whether the tool is
    /// known. [`parameters_of`](super::parameters_of) finds them in the tool's schema.
    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        let _ = (tool, visit);
        Tool::Unknown
    }

    /// Returns the capabilities that the request needs and its client has not declared: an object of the kind of
    /// `io.modelcontextprotocol/clientCapabilities`.
    fn missing_capabilities(&self, request: &Request<'_>) -> Option<RawJson<'_>> {
        let _ = request;
        None
    }
}

/// A server that knows nothing.
impl Server for () {}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Session {
    /// It is open, in the revision that `initialize` has negotiated.
    Open(Revision),
    /// It has ended, or never was.
    Unknown,
    /// The caller keeps no sessions, and so the id is not judged.
    Unjudged,
}

/// The answer about the parameters of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tool {
    /// The function has received all parameters, which may be none.
    Known,
    /// The tool, or one of its parameters, is not known. Its `Mcp-Param-*` headers are not judged.
    Unknown,
}

#[cfg(test)]
mod tests {
    use crate::Revision;
    use crate::http::{Allowed, Policy};

    const POLICY: Policy<'_> = Policy::new(Revision::ALL, Allowed::Any, Allowed::Any);

    #[test]
    fn the_profile_of_a_head_is_as_strict_as_its_policy() {
        let strict = POLICY.strict();
        for &revision in Revision::ALL {
            let headers = [(&b"mcp-protocol-version"[..], revision.name().as_bytes())];
            let profile = |policy: Policy<'_>| {
                policy.head(b"POST", headers.iter().copied(), &(), |_| {}).profile()
            };
            let expected = revision.profile().http_request_body();
            assert_eq!(profile(POLICY), expected, "{revision}");
            let expected = revision.strict_profile().http_request_body();
            assert_eq!(profile(strict), expected, "{revision}");
            assert_eq!(profile(strict.with_streams().without_sessions()), expected, "{revision}");
        }
    }
}
