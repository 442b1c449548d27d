//! The error that answers a request that a session refuses.

use super::{Array, NewError, Payload, array, object};
use crate::mcp::{Revision, rule};
use crate::session::Refusal;

impl Refusal<'_> {
    /// Returns the error that answers the request, for a session that supports these revisions. The data lists
    /// them if the request asked for another one (2026-07-28, basic/versioning).
    ///
    /// ```
    /// use tautline::encode::{Encoder, Slice};
    /// use tautline::mcp::Role;
    /// use tautline::session::{Event, Session, Slot};
    /// use tautline::{Message, Revision};
    ///
    /// let rules = Revision::V2025_11_25.rules();
    /// let mut session = Session::new([Slot::EMPTY; 4]);
    /// let mut room = [0; 256];
    /// let mut encoder = Encoder::with_rules(Slice::new(&mut room), &rules);
    ///
    /// let early = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let message = Message::parse(early, &rules).unwrap();
    /// let event = session.observe(Role::Client, &message, |_| {});
    /// if let (Message::Request(request), Event::Refused(refusal)) = (&message, event) {
    ///     encoder.error(request.id(), refusal.error(session.supported()))?;
    /// }
    /// assert!(encoder.output().written().starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#));
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    pub fn error(&self, supported: &[Revision]) -> NewError<'static, impl Payload> {
        let names_versions = self.rule() == rule::VERSION_UNSUPPORTED;
        let data = names_versions.then(move || {
            object(move |data| {
                data.member(
                    "supported",
                    array(move |names: &mut Array<'_, '_>| {
                        for revision in supported {
                            names.element(revision.name());
                        }
                    }),
                );
                if let Some(requested) = self.requested() {
                    data.member("requested", requested);
                }
            })
        });
        NewError::of(self.code(), rule::request_message(self.rule()), data)
    }
}
