//! Frames that are no messages: the request that one fails to answer, and whether an error may be sent for it.

use tautline::{Fault, Id};

use super::{Requests, Session};
use crate::ledger::{Head, Part, Same, Seen, State};
use crate::{KnownMethod, Role};

/// The meaning of a frame that has an id and is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
#[expect(clippy::exhaustive_enums, reason = "it is not part of the interface")]
pub enum Broken {
    /// Its sender is owed an error with its id.
    Owed,
    /// Nothing must be sent for it.
    Silent,
    /// It is the only answer that a request will get. The request is no longer in flight.
    Answer {
        /// The method called, or `None` if MCP does not define it.
        method: Option<KnownMethod>,
        /// True if the request was cancelled before.
        late: bool,
    },
}

impl<S: Requests> Session<S> {
    /// Observes a frame that this side has received, or an element of a batch, that is not a message. Returns whether the
    /// [reply](Fault::reply) that it is owed may be sent.
    ///
    /// An answer is matched with its request by the id alone (JSON-RPC 2.0, section 5; MCP, basic, responses). So no reply
    /// may be sent if it has the id of a request of the sender in flight, which it would answer. If requests of the sender
    /// have found no slot, one of them may have the id. The sender has broken a rule too: it must not use an id again
    /// (MCP, basic, requests). A reply without the id of the frame may always be sent.
    ///
    /// A broken response ends the request that it answers, because no other response will follow. No reply may be sent
    /// then, and a later response is [unmatched](super::Event::Unmatched).
    ///
    /// ```
    /// use tautline_mcp::session::{Early, Session, Slot};
    /// use tautline_mcp::{Message, Revision, Role};
    ///
    /// let profile = Revision::V2025_11_25.profile();
    /// let mut session = Session::new([Slot::EMPTY; 4]).before_initialize(Early::Serve);
    /// let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    /// session.receive(Role::Client, &Message::parse(call, &profile)?, |_| {});
    /// for (frame, is_answered) in [
    ///     (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}"#, false),
    ///     (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":7}"#, true),
    /// ] {
    ///     let fault = Message::parse(frame, &profile).unwrap_err();
    ///     assert_eq!(session.receive_fault(Role::Client, &fault), is_answered);
    /// }
    /// # Ok::<(), tautline_mcp::Fault<'_>>(())
    /// ```
    #[must_use = "the reply may answer another request"]
    pub fn receive_fault(&mut self, from: Role, fault: &Fault<'_>) -> bool {
        let is_owed = fault.reply().is_some();
        let id = match fault.id().and_then(Id::of) {
            Some(id) if id != Id::Null && (fault.echoes_id() || !is_owed) => id,
            _ => return is_owed,
        };
        self.observe_broken(from, &id, is_owed, fault.is_no_call()) == Broken::Owed
    }

    /// Records a frame, or an element of a batch, that is not a message but has this id. `is_owed` says whether its
    /// [reply](tautline::Fault::reply) repeats the id, and `is_no_call` whether it has neither a method nor parameters.
    ///
    /// An error with the id of a request in flight would answer that request, so no error may be sent then.
    #[doc(hidden)]
    pub fn observe_broken(
        &mut self,
        from: Role,
        id: &Id<'_>,
        is_owed: bool,
        is_no_call: bool,
    ) -> Broken {
        self.ledger.store.pair(None);
        if (!is_owed || is_no_call)
            && let Some(head) = self.give_up(from.other(), id)
        {
            let Head { method, state, .. } = head;
            return Broken::Answer { method, late: state == State::Cancelled };
        }
        // A client never answers a modern server.
        if !is_owed || from == Role::Server && self.server_is_modern() {
            return Broken::Silent;
        }
        // The answer to a request that was cancelled may still come.
        let seen = self.ledger.look(from, id, Same::Worth, Part::Id);
        if seen.is_in_flight() || self.may_have(from, &seen) {
            return Broken::Silent;
        }
        self.observe_echo(from, Some(id));
        Broken::Owed
    }

    /// Returns whether an error with this id would answer, or may answer, another request of this side that waits. Peers
    /// confuse numbers of the same value.
    pub(super) fn would_answer(&self, from: Role, id: &Id<'_>) -> bool {
        let seen = self.ledger.look(from, id, Same::Worth, Part::Id);
        seen.waits() || self.may_have(from, &seen)
    }

    /// Returns whether a request whose id did not fit, or that found no slot, may have the id that was looked for.
    fn may_have(&self, from: Role, seen: &Seen) -> bool {
        seen.is_long() || self.ledger.may_be_untracked(from, seen)
    }

    /// Gives up a request that a side has sent, for example because its time is up: it is no longer in flight, and a
    /// response to it is [unmatched](super::Event::Unmatched). Returns whether it was in flight.
    ///
    /// A `notifications/cancelled` that the session observes has the same effect, except that the peer learns of it.
    pub fn forget(&mut self, from: Role, id: &Id<'_>) -> bool {
        self.give_up(from, id).is_some() || self.ledger.forget_if_untracked(from, id)
    }

    /// Treats a request as answered if it is in flight, and returns what was known about it.
    #[inline(never)]
    fn give_up(&mut self, from: Role, id: &Id<'_>) -> Option<Head> {
        let seen = self.ledger.look(from, id, Same::Equal, Part::Id);
        let place = self.ledger.in_flight(&seen).or_else(|| self.ledger.with_long_id(&seen))?;
        let head = *self.ledger.head(place)?;
        let number = self.ledger.count_answer();
        self.ledger.change(place, |head| {
            head.state = State::Answered;
            head.answered = number;
        });
        self.advance_by_error(from.other(), head.method, None);
        Some(head)
    }
}

#[cfg(test)]
mod tests {
    use tautline::envelope::Skimmer;
    use tautline::{Message, Profile};

    use super::*;
    use crate::Revision;
    use crate::session::{Completion, Early, Event, Phase, Slot};

    const PROFILE: Profile = Revision::V2025_11_25.profile();

    fn show<'buf>(session: &mut Session<[Slot; 2]>, from: Role, text: &'buf str) -> Event<'buf> {
        session.observe(from, &Message::parse(text.as_bytes(), &PROFILE).unwrap(), |_| {})
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    fn id(text: &str) -> Id<'_> {
        Id::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn an_error_never_answers_another_request() {
        let mut session = Session::new([Slot::EMPTY; 2]).before_initialize(Early::Serve);
        assert_eq!(show(&mut session, Role::Client, CALL), Event::Request);
        assert_eq!(session.observe_broken(Role::Client, &id("1"), true, false), Broken::Silent);
        assert_eq!(session.observe_broken(Role::Client, &id("1"), true, true), Broken::Silent);
        assert_eq!(session.observe_broken(Role::Client, &id("2"), true, true), Broken::Owed);
        // A second one is owed nothing until the first one is answered.
        assert_eq!(session.observe_broken(Role::Client, &id("2"), true, true), Broken::Silent);
        // One that has no slot may be any.
        let other = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
        assert_eq!(show(&mut session, Role::Client, other), Event::Request);
        assert_eq!(session.observe_broken(Role::Client, &id("3"), true, false), Broken::Silent);
        assert!(session.forget(Role::Client, &id("3")) && !session.forget(Role::Client, &id("3")));
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert!(matches!(show(&mut session, Role::Server, answer), Event::Response { .. }));
    }

    #[test]
    fn a_broken_answer_ends_its_request() {
        let mut session = Session::new([Slot::EMPTY; 2]).before_initialize(Early::Serve);
        let method = Some(KnownMethod::Ping);
        for (is_owed, is_no_call) in [(false, false), (true, true)] {
            assert_eq!(show(&mut session, Role::Server, PING), Event::Request);
            let broken = session.observe_broken(Role::Client, &id("1"), is_owed, is_no_call);
            assert_eq!(broken, Broken::Answer { method, late: false });
            assert_eq!(session.in_flight().count(), 0);
        }
        // A broken request answers nothing, although a request of ours has its id.
        assert_eq!(show(&mut session, Role::Server, PING), Event::Request);
        assert_eq!(session.observe_broken(Role::Client, &id("1"), true, false), Broken::Owed);
        assert_eq!(session.in_flight().count(), 2);
    }

    /// Nothing is left of it but its id, and which members it has.
    #[test]
    fn an_oversized_answer_ends_its_request() {
        for (rest, is_call) in [
            ("", false),
            (r#","Result":{}"#, false),
            (r#","result":{}"#, false),
            (r#","method":"ping""#, true),
            (r#","method":7"#, true),
            (r#","params":{}"#, true),
        ] {
            let mut session = Session::new([Slot::EMPTY; 2]);
            assert_eq!(show(&mut session, Role::Server, PING), Event::Request);
            let mut skimmer = Skimmer::new(&PROFILE);
            for piece in [r#"{"jsonrpc":"2.0","id":1"#, rest, "}"] {
                skimmer.push(piece.as_bytes());
            }
            let skimmed = skimmer.finish();
            let fault = skimmed.too_long(&PROFILE);
            assert_eq!(session.receive_fault(Role::Client, &fault), is_call, "{rest}");
            assert_eq!(session.in_flight().count(), if is_call { 2 } else { 0 }, "{rest}");
        }
    }

    #[test]
    fn a_request_is_given_up() {
        let mut session = Session::new([Slot::EMPTY; 2]);
        let open = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},
            "protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}"#;
        assert_eq!(show(&mut session, Role::Client, open), Event::Request);
        assert!(!session.forget(Role::Server, &id("1")));
        assert!(session.forget(Role::Client, &id("1")));
        assert!(!session.forget(Role::Client, &id("1")));
        assert_eq!((session.phase(), session.in_flight().count()), (Phase::Opening, 0));
        let failed = r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#;
        assert_eq!(show(&mut session, Role::Server, failed), Event::Unmatched);
        assert_eq!(show(&mut session, Role::Server, PING), Event::Request);
        let pong = show(&mut session, Role::Client, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        let Event::Response { completion, .. } = pong else { panic!() };
        assert_eq!(completion, Completion::Done);
    }
}
