//! Responses: each answers one request in flight, once.

use super::slot::State;
use super::table::Known;
use super::{Completion, Event, Phase, Session, Slot};
use crate::envelope::{Id, Outcome, Response, Rule};
use crate::mcp::{INPUT_REQUIRED, Method, Notice, Peer, ResultView};

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Session<S> {
    pub(super) fn response<'buf>(
        &mut self,
        from: Peer,
        response: &Response<'buf>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        if from == Peer::Client && self.phase == Phase::Modern {
            notice.at_id(Rule::WrongDirection, &response.id().unwrap_or(Id::Null));
        }
        // Without an id it says that something was wrong with something.
        let Some(id) = response.id().filter(|id| !matches!(id, Id::Null)) else {
            return Event::Unmatched;
        };
        let asker = from.other();
        let number = self.table.count_answer();
        let slot = match self.table.known(asker, &id) {
            Known::InFlight(slot) => slot,
            Known::Alike(slot) => {
                notice.at_id(Rule::ResponseIdRewritten, &id);
                slot
            }
            Known::Untracked => {
                let was_last = self.table.forget_untracked(asker);
                self.advance_by_untracked(from, was_last, response.outcome(), notice);
                return Event::Untracked;
            }
            Known::Answered => {
                notice.at_id(Rule::ResponseDuplicate, &id);
                return Event::Unmatched;
            }
            Known::Unknown => {
                notice.at_id(Rule::ResponseUnexpected, &id);
                return Event::Unmatched;
            }
        };
        let (method, claimed) = (slot.method, slot.claimed);
        let late = slot.state == State::Cancelled;
        slot.state = State::Answered;
        slot.answered = number;
        if late {
            notice.at_id(Rule::ResponseLate, &id);
        }
        let completion = self.complete(from, method, claimed, response.outcome(), notice);
        Event::Response { method, completion, late }
    }

    fn complete(
        &mut self,
        from: Peer,
        method: Option<Method>,
        claimed: bool,
        outcome: Outcome<'_>,
        notice: &mut Notice<'_>,
    ) -> Completion {
        let result = match outcome {
            Outcome::Error(error) => {
                self.advance_by_error(from, method);
                return Completion::Failed(error.code());
            }
            Outcome::Result(result) => ResultView::of(result),
        };
        let Some(result) = &result else { return Completion::Done };
        self.revision_of_result(claimed).check_result(result, notice);
        if from == Peer::Server {
            self.advance_by_result(method, claimed, result, notice);
        }
        if claimed && result.result_type().is_some_and(|t| t == INPUT_REQUIRED) {
            match method {
                None | Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead) => {}
                _ => notice.at(Rule::InputRequiredUnexpected, result.object().as_bytes()),
            }
            return Completion::InputRequired;
        }
        match method {
            Some(Method::ToolsCall) if result.is_error() => Completion::ToolFailed,
            _ => Completion::Done,
        }
    }

    /// A server has answered a request that is not kept in mind. If the one for the handshake is not
    /// either, and the answer settles on a revision, or there is no other that it could be of, it is that:
    /// there will be no other to wait for.
    fn advance_by_untracked(
        &mut self,
        from: Peer,
        was_last: bool,
        outcome: Outcome<'_>,
        notice: &mut Notice<'_>,
    ) {
        let method = Some(Method::Initialize);
        let mut slots = self.table.slots.as_ref().iter();
        if from == Peer::Client
            || self.phase != Phase::Initializing
            || slots.any(|slot| slot.is_in_flight() && slot.method == method)
        {
            return;
        }
        match outcome {
            Outcome::Error(_) if was_last => self.advance_by_error(from, method),
            Outcome::Error(_) => {}
            Outcome::Result(result) => {
                if let Some(result) = ResultView::of(result)
                    && result.protocol_version().is_some()
                {
                    self.advance_by_result(method, false, &result, notice);
                }
            }
        }
    }
}
