//! The error that answers a request that a session refuses.

use tautline::encode::{Array, NewError, Payload, array, object};

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
    /// # With an endpoint
    ///
    /// The session must observe all traffic: received messages in the guard, and replies and faults in the observer. It
    /// must also observe messages sent elsewhere, such as answers given [later](tautline::endpoint::Responder::later).
    ///
    /// ```
    /// use tautline_mcp::encode::object;
    /// use tautline_mcp::endpoint::{Responder, Responded, Endpoint, Failure, Method, Traffic};
    /// use tautline_mcp::session::{Event, Phase, Session, Slot};
    /// use tautline_mcp::{Message, ParamsView, Revision, Role, Profile};
    ///
    /// type Server = Session<[Slot; 4]>;
    ///
    /// const PROFILE: Profile = Revision::V2025_11_25.profile();
    ///
    /// fn guard<'a, 'out>(
    ///     session: &mut Server,
    ///     message: &Message<'_>,
    ///     responder: Responder<'a, 'out>,
    /// ) -> Result<Responder<'a, 'out>, Responded> {
    ///     match session.observe(Role::Client, message, |_| {}) {
    ///         Event::Refused(refusal) => Err(responder.error(refusal.error(session.supported()))),
    ///         Event::Ignored(_) => Err(responder.ignore()),
    ///         _ => Ok(responder),
    ///     }
    /// }
    ///
    /// fn observe(session: &mut Server, traffic: Traffic<'_>) {
    ///     match traffic {
    ///         Traffic::In(Err(fault)) | Traffic::Element(fault) => {
    ///             session.observe_fault(Role::Client, fault);
    ///         }
    ///         Traffic::Out(reply) => {
    ///             if let Ok(message) = Message::parse(reply, &PROFILE) {
    ///                 session.observe(Role::Server, &message, |_| {});
    ///             }
    ///         }
    ///         _ => {}
    ///     }
    /// }
    ///
    /// let methods: &[Method<Server>] = &[
    ///     Method::new("initialize", |session, call, responder| {
    ///         let params = call.params().and_then(ParamsView::of).ok_or(Failure::INVALID_PARAMS)?;
    ///         let revision = session.negotiate(params.protocol_version()).ok_or(Failure::INTERNAL)?;
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
    /// let endpoint = Endpoint::new(methods, &PROFILE).guarded_by(guard).observed_by(observe);
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
        NewError::new(self.code(), crate::request_message(self.rule())).with_optional_data(data)
    }
}
