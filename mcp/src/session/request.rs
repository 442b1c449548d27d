//! Requests: served or refused, and in flight until they are answered.

use tautline::{ErrorCode, Id, RawStr, Request};

use super::{Event, Phase, Refusal, Requests, Seat, Session};
use crate::ledger::{Incoming, Part, Remembered, Same};
use crate::{CallKind, CallView, Era, KnownMethod, Notice, Revision, Role, rule};

impl<S: Requests> Session<S> {
    #[inline(never)]
    pub(super) fn request<'buf>(
        &mut self,
        from: Role,
        request: &Request<'buf>,
        seat: Seat,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        let mut call = CallView::new(CallKind::Request, request.call());
        if from == Role::Server && self.server_is_modern() {
            // The client must not respond, so nothing waits for an answer.
            notice.at_string(rule::WRONG_DIRECTION, call.name);
            return Event::Ignored(rule::WRONG_DIRECTION);
        }
        call.claims_version = self.is_modern(from, &call);
        call.check_batch(request, notice);
        let revision = self.revision_for(from, &call);
        // With an id by mistake, it opens the session as it would without.
        let opens = from == Role::Client
            && call.method == Some(KnownMethod::Initialized)
            && self.phase == Phase::AwaitingInitialized;
        if opens {
            self.phase = Phase::Operating;
        }
        // A request that only the other side may send is never in time.
        if !opens && !call.is_misdirected(from, revision) {
            self.note_early_or_mixed(from, &call, notice);
        }
        // The rules of this era don't apply to a request of the other era.
        if notice.refusal().is_none() {
            self.check_call(from, revision, &call, notice);
        }
        let refusal = notice.refusal();
        if seat == Seat::Receiver && refusal.is_some() && self.would_answer(from, &request.id()) {
            notice.at_id(rule::ID_IN_USE, &request.id());
            return Event::Ignored(rule::ID_IN_USE);
        }
        self.track(from, revision.era(), request.id(), &call, notice);
        match refusal.and_then(|(rule, offset)| Some((rule, offset, crate::request_error(rule)?))) {
            None => {
                self.advance_by_request(from, &call);
                Event::Request
            }
            Some((rule, offset, code)) => {
                // The server may serve it nevertheless, which opens the session.
                if rule == rule::INITIALIZE_IN_BATCH {
                    self.advance_by_request(from, &call);
                }
                let (requested, code) = match rule {
                    rule::VERSION_UNSUPPORTED => match self.requested_version(&call) {
                        // The error for versions must repeat the requested version, and there is none.
                        None => (None, ErrorCode::INVALID_PARAMS),
                        requested => (requested, code),
                    },
                    _ => (None, code),
                };
                Event::Refused(Refusal::of_parts(rule, offset, code, requested))
            }
        }
    }

    /// Adds the request to the requests in flight, refused or not: it will be answered.
    fn track(
        &mut self,
        from: Role,
        era: Era,
        id: Id<'_>,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) {
        // A legacy id must never be used again. A modern id must not be used again until its request is answered, and a
        // cancelled request may never be answered (basic, requests).
        let seen = self.ledger.look(from, &id, Same::Worth, Part::Id);
        if seen.waits() || seen.is_in_flight() && era == Era::Modern {
            notice.at_id(rule::ID_IN_USE, &id);
        } else if era == Era::Legacy && (seen.is_in_flight() || seen.is_answered_unclaimed) {
            // A modern request does not belong to the session that a handshake opens.
            notice.at_id(rule::ID_REUSED, &id);
        }
        let token = call.meta.as_ref().and_then(|meta| meta.progress_token());
        if let Some(token) = &token
            && self.ledger.is_token_in_use(from, token)
        {
            notice.at_id(rule::PROGRESS_TOKEN_IN_USE, token);
        }
        let (method, token) = (call.method, token.as_ref());
        let incoming = Incoming { from, method, id: &id, token, is_message: true };
        let is_tracked = self.ledger.insert(&incoming).is_some_and(|place| {
            self.ledger.change(place, |head| {
                head.claimed = call.claims_version;
                head.takes_task = call.takes_task();
                head.is_extended = call.is_extended();
            });
            self.ledger.store.get(place).is_some_and(|request| !request.has_lost(Part::Id))
        });
        if !is_tracked {
            notice.at_id(rule::UNTRACKED_REQUEST, &id);
        }
    }

    /// Returns whether the server treats a request as modern. If the server supports both eras, the contents of the
    /// request decide.
    fn is_modern(&self, from: Role, call: &CallView<'_>) -> bool {
        let modern = match self.only {
            Some(era) => era == Era::Modern,
            None => call.claims_version,
        };
        modern && from == Role::Client
    }

    /// Reports a request that does not fit the phase or the era of the session, or whose version is not supported.
    fn note_early_or_mixed(&self, from: Role, call: &CallView<'_>, notice: &mut Notice<'_>) {
        let initializes = from == Role::Client && call.method == Some(KnownMethod::Initialize);
        let is_modern = self.only == Some(Era::Modern);
        if initializes && is_modern && self.requested_version(call).is_none() {
            // Its client has no other way to learn which versions are supported.
            return notice.at_string(rule::VERSION_UNSUPPORTED, call.name);
        }
        let early = match (from, self.phase, call.claims_version) {
            (Role::Client, phase, true) => {
                if phase.era() == Some(Era::Legacy) {
                    notice.at_string(rule::ERA_MIXED, call.name);
                }
                return self.note_version(call, notice);
            }
            (_, Phase::Modern, false) if initializes => {
                return notice.at_string(rule::ERA_MIXED, call.name);
            }
            // A request without a version lacks required metadata, which is reported elsewhere.
            (_, Phase::Modern, _) => return,
            (_, Phase::Opening | Phase::Probing, false) if initializes => return,
            (_, _, false) if initializes => {
                return notice.at_string(rule::INITIALIZE_AGAIN, call.name);
            }
            (Role::Client, Phase::Probing, _) | (_, Phase::Operating, _) => return,
            (_, Phase::Opening | Phase::Initializing | Phase::Probing, _) => {
                (rule::REQUEST_BEFORE_INITIALIZE, self.before_initialize)
            }
            (_, Phase::AwaitingInitialized, _) => {
                (rule::REQUEST_BEFORE_INITIALIZED, self.before_initialized)
            }
        };
        if call.method != Some(KnownMethod::Ping) {
            let (rule, early) = early;
            notice.string_with(rule, early.severity(), call.name);
        }
    }

    /// Reports the version that a request names, if it is not supported.
    fn note_version(&self, call: &CallView<'_>, notice: &mut Notice<'_>) {
        if let Some(version) = self.requested_version(call) {
            let revision = Revision::named(version).filter(|r| r.era() == Era::Modern);
            if !revision.is_some_and(|revision| self.supported().contains(&revision)) {
                notice.at_string(rule::VERSION_UNSUPPORTED, version);
            }
        }
    }

    /// Returns the version that a modern request names, or that a handshake asks for.
    fn requested_version<'buf>(&self, call: &CallView<'buf>) -> Option<RawStr<'buf>> {
        let is_handshake = !call.claims_version || self.only == Some(Era::Modern);
        match call.method {
            Some(KnownMethod::Initialize) if is_handshake => {
                call.params.as_ref()?.protocol_version()
            }
            _ => call.meta.as_ref()?.protocol_version(),
        }
    }
}
