//! Requests: served or refused, and in flight until they are answered.

use super::slot::State;
use super::{Event, Refusal, Session, Slot, lifecycle};
use crate::envelope::{Id, Request, Rule};
use crate::mcp::{CallKind, CallView, Era, Method, Notice, Peer};

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Session<S> {
    pub(super) fn request<'buf>(
        &mut self,
        from: Peer,
        request: &Request<'buf>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        let call = CallView::new(CallKind::Request, request.method(), request.params());
        if call.method == Some(Method::Initialize) && notice.is_batch() {
            notice.at_string(Rule::InitializeInBatch, call.name);
        }
        self.note_early_or_mixed(from, &call, notice);
        let revision = self.revision_for(from, &call);
        // What is wrong with the request of another era by the rules of this one is nobody's concern.
        if notice.refusal().is_none() {
            self.check_call(from, revision, &call, notice);
        }
        self.track(from, revision.era(), request.id(), &call, notice);
        match notice.refusal().and_then(|rule| Some((rule, rule.request_error()?))) {
            None => {
                self.advance_by_request(from, &call);
                Event::Request
            }
            Some((rule, code)) => {
                let requested = match rule {
                    Rule::VersionUnsupported => lifecycle::requested_version(&call),
                    _ => None,
                };
                Event::Refused(Refusal { rule, code, requested })
            }
        }
    }

    /// Puts the request among those in flight, refused or not: it will be answered.
    fn track(
        &mut self,
        from: Peer,
        era: Era,
        id: Id<'_>,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) {
        // What was cancelled need not be answered, and its id and token are free.
        let waits = |slot: &Slot| slot.state == State::InFlight;
        if self.table.in_flight(from, &id).is_some_and(|slot| waits(slot)) {
            notice.at_id(Rule::IdInUse, &id);
        } else if era == Era::Legacy && self.table.was_answered(from, &id) {
            // Modern ids are to differ from those in flight alone (2026-07-28, basic, requests).
            notice.at_id(Rule::IdReused, &id);
        }
        let token = call.meta.and_then(|meta| meta.progress_token());
        if let Some(token) = &token
            && self.table.with_token(from, token).is_some_and(|slot| waits(slot))
        {
            notice.at_id(Rule::ProgressTokenInUse, token);
        }
        match self.table.insert(from, call.method, &id, token.as_ref()) {
            Some(slot) => slot.claimed = call.claims_version,
            None => notice.at_id(Rule::UntrackedRequest, &id),
        }
    }
}
