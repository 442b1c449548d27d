//! The verdict that the inner service receives.

use bytes::Bytes;
use tautline::{Fault, Message, Profile};
use tautline_mcp::http::{Action, Parameters};
use tautline_mcp::{KnownMethod, Revision};

/// The verdict on a request, in its [extensions](http::Request::extensions).
#[derive(Clone, Debug)]
pub struct Judged {
    pub(crate) revision: Revision,
    pub(crate) action: Action,
    pub(crate) parameters: Parameters,
    pub(crate) body: Bytes,
    pub(crate) profile: Profile,
    /// The method of a request that the revision defines.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only the server reads it"))]
    pub(crate) method: Option<KnownMethod>,
}

impl Judged {
    /// Returns the revision of the request.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns what the request asks for: an answer, an acknowledgement, a stream, or the end of a session.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// Returns whether the `Mcp-Param-*` headers were judged.
    #[must_use]
    pub const fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Returns the body of a POST.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the profile of the body.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Reads the message in the body of a POST. It is valid under the profile of the revision, so this is fast.
    ///
    /// # Errors
    ///
    /// Returns the fault of an empty text, if the request is not a POST.
    pub fn message(&self) -> Result<Message<'_>, Fault<'_>> {
        Message::parse(self.body.as_ref(), &self.profile)
    }
}
