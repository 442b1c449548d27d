//! Responses: each answers one request in flight, once.

use tautline::{ErrorCode, Id, Response};

use super::{Completion, Event, Phase, Requests, Session};
use crate::ledger::{Head, Part, Same, Seen, State, Subscription};
use crate::{KnownMethod, Notice, ResultKind, ResultView, Revision, Role, rule};

/// The known facts about the request that a response answers.
#[derive(Clone, Copy)]
struct Asked {
    method: Option<KnownMethod>,
    /// True if it is a modern request.
    claimed: bool,
    /// True if a task may answer it.
    takes_task: bool,
    /// True if an extension that the request declares may have results of its own type.
    is_extended: bool,
}

impl<S: Requests> Session<S> {
    #[inline(never)]
    pub(super) fn response<'buf>(
        &mut self,
        from: Role,
        response: &Response<'buf>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        if from == Role::Client && self.server_is_modern() {
            notice.at_id(rule::WRONG_DIRECTION, &response.id().unwrap_or(Id::Null));
        }
        // Without an id, it does not show which request it answers.
        let Some(id) = response.id().filter(|id| !matches!(id, Id::Null)) else {
            return Event::Unmatched;
        };
        let result = response.result().and_then(ResultView::of);
        let asker = from.other();
        let number = self.ledger.count_answer();
        let (place, rule) = self.ledger.answered_by(asker, &id);
        if let Some(rule) = rule {
            notice.at_id(rule, &id);
        }
        let request = place.and_then(|place| Some((place, *self.ledger.head(place)?)));
        let Some((place, head)) = request else {
            if rule.is_some() {
                return Event::Unmatched;
            }
            let others = self.ledger.look(asker, &id, Same::Equal, Part::Id);
            self.advance_by_untracked(from, &others, response, result.as_ref(), notice);
            return Event::Untracked;
        };
        let Head { method, claimed, takes_task, is_extended, .. } = head;
        let asked = Asked { method, claimed, takes_task, is_extended };
        // A server that ends a subscription sends a notification and answers the request, in either order.
        let late = head.state == State::Cancelled && head.subscription != Subscription::Ended;
        // Progress continues until the task ends (2025-11-25, utilities, progress).
        let makes_task = self.revision == Some(Revision::V2025_11_25)
            && head.has_token
            && result.as_ref().is_some_and(|result| result.task().is_some());
        self.ledger.change(place, |head| {
            head.state = if makes_task { State::Task } else { State::Answered };
            head.answered = number;
        });
        if late {
            notice.at_id(rule::RESPONSE_LATE, &id);
        }
        let completion = self.complete(from, asked, response, result.as_ref(), notice);
        Event::Response { method, completion, late }
    }

    fn complete(
        &mut self,
        from: Role,
        asked: Asked,
        response: &Response<'_>,
        result: Option<&ResultView<'_>>,
        notice: &mut Notice<'_>,
    ) -> Completion {
        let Asked { method, claimed, takes_task, is_extended } = asked;
        let revision = self.revision_of_result(claimed);
        if let Some(raw_code) = response.raw_code() {
            let code = raw_code.as_i64().map(ErrorCode::new);
            revision.check_error(code, raw_code, notice);
            self.advance_by_error(from, method, code.filter(|_| claimed));
            return Completion::Failed(code);
        }
        let Some(result) = result else { return Completion::Done };
        let kind = revision.check_result(result, notice);
        if matches!(method, Some(KnownMethod::Initialize | KnownMethod::ServerDiscover)) {
            result.check_declaration(notice);
        }
        if from == Role::Server {
            self.advance_by_result(method, claimed, result, kind, notice);
        }
        match kind {
            _ if !claimed => {}
            ResultKind::Complete => {}
            ResultKind::InputRequired => {
                match method {
                    None
                    | Some(
                        KnownMethod::ToolsCall
                        | KnownMethod::PromptsGet
                        | KnownMethod::ResourcesRead,
                    ) => {}
                    _ => notice.at(rule::INPUT_REQUIRED_UNEXPECTED, result.object().as_bytes()),
                }
                return Completion::InputRequired;
            }
            ResultKind::Task if takes_task => return Completion::TaskCreated,
            ResultKind::Task => {
                let place = result.raw_result_type().unwrap_or(result.object());
                notice.at(rule::UNKNOWN_RESULT_TYPE, place.as_bytes());
                return Completion::Invalid;
            }
            ResultKind::Unknown if is_extended => return Completion::Extended,
            ResultKind::Unknown => {
                revision.note_unknown(result, notice);
                return Completion::Invalid;
            }
        }
        match method {
            Some(KnownMethod::ToolsCall) if result.is_error() => Completion::ToolFailed,
            _ => Completion::Done,
        }
    }

    /// Advances the session after a server has answered an untracked request. If the request for the handshake is
    /// untracked too, the answer counts as its answer in two cases: it is a result that names a version, or it is an
    /// error and no other request can be the one that it answers. There will be no other answer to wait for. `others`
    /// describes the requests that may have the same id.
    fn advance_by_untracked(
        &mut self,
        from: Role,
        others: &Seen,
        response: &Response<'_>,
        result: Option<&ResultView<'_>>,
        notice: &mut Notice<'_>,
    ) {
        let method = Some(KnownMethod::Initialize);
        if from == Role::Client
            || self.phase != Phase::Initializing
            || self.ledger.store.has_initialize(others.hash)
        {
            return;
        }
        let was_last = !others.is_long() && !self.ledger.has_untracked(from.other());
        match result {
            None if was_last && response.raw_code().is_some() => {
                self.advance_by_error(from, method, None);
            }
            Some(result) if result.protocol_version().is_some() => {
                self.advance_by_result(method, false, result, ResultKind::Complete, notice);
            }
            _ => {}
        }
    }
}
