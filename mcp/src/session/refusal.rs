//! The error that answers a request that a session refuses.

use tautline::Message;
use tautline::encode::{Array, NewError, Object, Payload, array, object};
use tautline::json::Path;

use super::Refusal;
use crate::{Revision, rule};

impl Refusal<'_> {
    /// Returns the error that answers the request, for a session that supports these revisions. The data lists
    /// them if the request asked for another one (2026-07-28, basic/versioning).
    ///
    /// ```
    /// use tautline_mcp::encode::{Encoder, Slice};
    /// use tautline_mcp::session::{Event, Session, Slot};
    /// use tautline_mcp::{Message, Revision, Role};
    ///
    /// let profile = Revision::V2025_11_25.profile();
    /// let mut session = Session::new([Slot::EMPTY; 4]);
    /// let mut room = [0; 256];
    /// let mut encoder = Encoder::with_profile(Slice::new(&mut room), &profile);
    ///
    /// let early = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let message = Message::parse(early, &profile).unwrap();
    /// let event = session.observe(Role::Client, &message, |_| {});
    /// if let (Message::Request(request), Event::Refused(refusal)) = (&message, event) {
    ///     encoder.error(request.id(), refusal.error(session.supported()))?;
    /// }
    /// assert!(encoder.output().written().starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#));
    /// # Ok::<(), tautline_mcp::encode::EncodeError>(())
    /// ```
    ///
    /// [`Session::guard`](super::Session::guard) does this for an endpoint.
    pub fn error(&self, supported: &[Revision]) -> NewError<'static, impl Payload> {
        let names_versions = self.rule() == rule::VERSION_UNSUPPORTED;
        let data = names_versions.then(move || object(move |data| self.versions(supported, data)));
        NewError::new(self.code(), crate::request_message(self.rule())).with_optional_data(data)
    }

    /// Returns the same error, with the place in its data: the `rule` that is broken, the `path` of the place in the
    /// frame, and the `offset` in bytes. The path of a member that is missing is its own path, and the offset that of what
    /// is there instead. If the [version is not supported](rule::VERSION_UNSUPPORTED), the data is that of
    /// [`error`](Self::error).
    ///
    /// `message` is the refused request. The error is longer than what
    /// [`min_reply_len`](tautline::endpoint::Endpoint::min_reply_len) has room for: by the name of the rule, the path, and
    /// 50 bytes.
    ///
    /// ```
    /// use tautline_mcp::encode::{Encoder, Slice};
    /// use tautline_mcp::session::{Early, Event, Session, Slot};
    /// use tautline_mcp::{Message, Revision, Role};
    ///
    /// let profile = Revision::V2025_11_25.profile();
    /// let mut session = Session::new([Slot::EMPTY; 4]).before_initialize(Early::Serve);
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"prompts/get"}"#;
    /// let message = Message::parse(frame, &profile).unwrap();
    /// let Event::Refused(refusal) = session.observe(Role::Client, &message, |_| {}) else { panic!() };
    /// let mut room = [0; 256];
    /// let mut encoder = Encoder::new(Slice::new(&mut room));
    /// encoder.error(1, refusal.explained_error(session.supported(), &message))?;
    /// assert!(encoder.output().written().ends_with(b"\"data\":{\"rule\":\"missing-params\",\"path\":\"params\",\"offset\":33}}}\n"));
    /// # Ok::<(), tautline_mcp::encode::EncodeError>(())
    /// ```
    pub fn explained_error(
        &self,
        supported: &[Revision],
        message: &Message<'_>,
    ) -> NewError<'static, impl Payload> {
        let rule = self.rule();
        let data = object(move |data| {
            if rule == rule::VERSION_UNSUPPORTED {
                return self.versions(supported, data);
            }
            data.member("rule", rule::name(rule));
            let path = Path::at(message.frame(), self.offset());
            match rule {
                // The offset is that of the method, or of the object that lacks the member.
                rule::MISSING_PARAMS => data.member("path", "params"),
                rule::MISSING_META => data.member("path", "params._meta"),
                _ => data.member("path", format_args!("{path}")),
            }
            data.member("offset", self.offset());
        });
        NewError::new(self.code(), crate::request_message(rule)).with_data(data)
    }

    /// Writes the versions that are supported, and the one that was requested.
    fn versions(&self, supported: &[Revision], data: &mut Object<'_, '_>) {
        data.member(
            "supported",
            array(|names: &mut Array<'_, '_>| {
                for revision in supported {
                    names.element(revision.name());
                }
            }),
        );
        if let Some(requested) = self.requested() {
            data.member("requested", requested);
        }
    }
}
