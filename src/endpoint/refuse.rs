//! Answers to requests that a session refuses.

use super::{Answer, Answered};
use crate::encode::{NewError, Payload, Value, Written, array, object};
use crate::mcp::Revision;
use crate::session::Refusal;

impl Answer<'_, '_> {
    /// The call was refused by a session that supports these revisions.
    ///
    /// ```
    /// use tautline::endpoint::{Answer, Answered, Endpoint};
    /// use tautline::mcp::Peer;
    /// use tautline::session::{Event, Session, Slot};
    /// use tautline::{Message, Revision};
    ///
    /// type Server = Session<[Slot; 4]>;
    ///
    /// fn guard<'a, 'out>(
    ///     session: &mut Server,
    ///     frame: &[u8],
    ///     message: &Message<'_>,
    ///     answer: Answer<'a, 'out>,
    /// ) -> Result<Answer<'a, 'out>, Answered> {
    ///     match session.see(Peer::Client, frame, message, |_| {}) {
    ///         Event::Refused(refusal) => Err(answer.refuse(&refusal, session.supported())),
    ///         _ => Ok(answer),
    ///     }
    /// }
    ///
    /// let endpoint = Endpoint::new(&[], &Revision::LATEST.rules()).guarded_by(guard);
    /// let mut session = Session::new([Slot::EMPTY; 4]);
    /// let mut room = [0; 256];
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let reply = endpoint.handle(frame, &mut session, &mut room).unwrap();
    /// assert!(reply.starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#));
    /// ```
    pub fn refuse(self, refusal: &Refusal<'_>, supported: &[Revision]) -> Answered {
        let error = NewError::new(refusal.code(), refusal.rule().meaning());
        match refusal.requested() {
            None => self.error(error),
            Some(requested) => self.error(error.with_data(object(|data| {
                data.member("supported", Names(supported));
                data.member("requested", requested);
            }))),
        }
    }
}

/// The names of revisions, as an array.
struct Names<'a>(&'a [Revision]);

impl Payload for Names<'_> {
    fn write(self, value: Value<'_, '_>) -> Written {
        let names = array(|array| {
            for revision in self.0 {
                array.element(revision.name());
            }
        });
        names.write(value)
    }
}
