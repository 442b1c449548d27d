//! A session as the guard and the observer of an endpoint.

use tautline::endpoint::{Responded, Responder, Traffic};
use tautline::envelope::Batches;
use tautline::{Fault, Message, Profile};

use super::{Event, Requests, Session};
use crate::{Finding, Role};

impl<S: Requests> Session<S> {
    /// Observes what the peer with this role has sent. Passes a message to its handler unless the session refuses or ignores
    /// it, and lets a fault be answered unless the error would [answer another request](Self::receive_fault). It is the
    /// whole [guard](tautline::endpoint::Endpoint::guarded_by) of an endpoint that [observes](Self::observe_traffic) the
    /// session as well.
    ///
    /// A request that is served although its id is in use reaches its handler. An endpoint that answers calls
    /// [later](Responder::later) has to ignore it in its own guard, if an error for it, such as that for an unknown method,
    /// must not answer the other request.
    ///
    /// ```
    /// use tautline_mcp::encode::object;
    /// use tautline_mcp::endpoint::{Endpoint, Failure, Method};
    /// use tautline_mcp::session::{Phase, Session, Slot};
    /// use tautline_mcp::{Profile, RawStr, Revision, Role};
    ///
    /// type Server = Session<[Slot; 4]>;
    ///
    /// const PROFILE: Profile = Revision::V2025_11_25.profile();
    ///
    /// const METHODS: &[Method<Server>] = &[
    ///     Method::new("initialize", |session, call, responder| {
    ///         let requested: RawStr<'_> = call.param(0, "protocolVersion")?;
    ///         let revision = session.negotiate(Some(requested)).ok_or(Failure::INTERNAL)?;
    ///         Ok(responder.result(object(|result| {
    ///             result.member("protocolVersion", revision.name());
    ///             result.member("capabilities", object(|_| {}));
    ///             result.member("serverInfo", object(|info| {
    ///                 info.member("name", "an example");
    ///                 info.member("version", "1");
    ///             }));
    ///         })))
    ///     }),
    ///     Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {})))),
    /// ];
    ///
    /// let endpoint = Endpoint::new(METHODS, &PROFILE)
    ///     .guarded_by(|session, received, responder| {
    ///         session.guard(Role::Client, received, responder, |_| {})
    ///     })
    ///     .observed_by(|session, traffic| {
    ///         session.observe_traffic(Role::Client, traffic, &PROFILE, |_| {});
    ///     });
    /// let mut session = Session::new([Slot::EMPTY; 4]).supporting(&[Revision::V2025_11_25]);
    /// let mut room = [0; 256];
    ///
    /// let early = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let reply = endpoint.answer(early, &mut session, &mut room).unwrap().bytes();
    /// assert!(reply.starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#));
    ///
    /// let open = br#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"capabilities":{},
    ///     "protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}"#;
    /// endpoint.answer(open, &mut session, &mut room).unwrap().bytes();
    /// let initialized = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    /// assert!(endpoint.answer(initialized, &mut session, &mut room).unwrap().is_empty());
    /// assert_eq!(session.phase(), Phase::Operating);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the confirmation that the message was answered or ignored, so that no handler sees it.
    // Inlined, so that code for batches is not linked if its caller excludes them.
    #[inline]
    pub fn guard<'a, 'out>(
        &mut self,
        from: Role,
        received: Result<&Message<'_>, &Fault<'_>>,
        responder: Responder<'a, 'out>,
        report: impl FnMut(Finding),
    ) -> Result<Responder<'a, 'out>, Responded> {
        match received.map(|message| self.receive(from, message, report)) {
            Ok(Event::Refused(refusal)) => Err(responder.error(refusal.error(self.supported))),
            Ok(Event::Ignored(_)) => Err(responder.ignore()),
            Err(fault) if !self.receive_fault(from, fault) => Err(responder.ignore()),
            _ => Ok(responder),
        }
    }

    /// Does the same as [`guard`](Self::guard), with [errors that say where](super::Refusal::explained_error). It is for
    /// an endpoint that is [explaining](tautline::endpoint::Endpoint::explaining).
    ///
    /// # Errors
    ///
    /// Returns the confirmation that the message was answered or ignored, so that no handler sees it.
    pub fn explaining_guard<'a, 'out>(
        &mut self,
        from: Role,
        received: Result<&Message<'_>, &Fault<'_>>,
        responder: Responder<'a, 'out>,
        report: impl FnMut(Finding),
    ) -> Result<Responder<'a, 'out>, Responded> {
        match received.map(|message| (message, self.receive(from, message, report))) {
            Ok((message, Event::Refused(refusal))) => {
                Err(responder.error(refusal.explained_error(self.supported, message)))
            }
            Ok((_, Event::Ignored(_))) => Err(responder.ignore()),
            Err(fault) if !self.receive_fault(from, fault) => Err(responder.ignore()),
            _ => Ok(responder),
        }
    }

    /// Observes the replies of an endpoint to the peer with this role, for its
    /// [observer](tautline::endpoint::Endpoint::observed_by). They are parsed under `profile`. Reports what is wrong with
    /// them. A reply that is not a message under the profile is left out, and its request stays in flight.
    ///
    /// Messages that are sent elsewhere, such as answers given [later](Responder::later), still have to be
    /// [observed](Self::observe).
    // Inlined for the same reason.
    #[inline]
    pub fn observe_traffic(
        &mut self,
        from: Role,
        traffic: Traffic<'_>,
        profile: &Profile,
        report: impl FnMut(Finding),
    ) {
        if let Traffic::Out(reply) = traffic
            && let Ok(message) = Message::parse(reply, profile)
            && (profile.batches() != Batches::Forbidden || !matches!(message, Message::Batch(_)))
        {
            self.observe(from.other(), &message, report);
        }
    }
}
