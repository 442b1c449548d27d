//! Notifications: of what is in flight, and of the session.

use super::slot::State;
use super::{Event, Session, Slot};
use crate::envelope::{ErrorCode, Notification, Rule};
use crate::mcp::{CallKind, CallView, Era, Method, Notice, Peer};

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Session<S> {
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub(super) fn notification<'buf>(
        &mut self,
        from: Peer,
        notification: &Notification<'buf>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        let (method, params) = (notification.method(), notification.params());
        let call = CallView::new(CallKind::Notification, method, params);
        self.check_call(from, self.revision_for(from, &call), &call, notice);
        if let Some(rule) = notice.refusal()
            && rule.request_error() == Some(ErrorCode::METHOD_NOT_FOUND)
            && rule != Rule::UndeclaredCapability
        {
            return Event::Ignored(rule);
        }
        match call.method {
            Some(Method::Initialized) => self.advance_by_initialized(from, &call, notice),
            Some(Method::Cancelled) => return self.cancel(from, &call, notice),
            Some(Method::Progress) => self.progress(from, &call, notice),
            Some(_) if from == Peer::Server => self.subscription(&call, notice),
            _ => {}
        }
        Event::Notification
    }

    fn cancel<'buf>(
        &mut self,
        from: Peer,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        let Some(id) = call.params.and_then(|params| params.request_id()) else {
            return Event::Notification;
        };
        // A modern server has sent no requests; it ends the subscriptions of the client
        // (2026-07-28, patterns, cancellation).
        let ends_subscription = from == Peer::Server && self.era() == Some(Era::Modern);
        let asker = if ends_subscription { Peer::Client } else { from };
        let has_untracked = self.table.has_untracked(asker);
        match self.table.in_flight(asker, &id) {
            Some(slot) if slot.method == Some(Method::Initialize) => {
                notice.at_id(Rule::CancelInitialize, &id);
            }
            Some(slot) if ends_subscription && slot.method != Some(Method::SubscriptionsListen) => {
                notice.at_id(Rule::WrongDirection, &id);
            }
            Some(slot) => {
                slot.state = State::Cancelled;
                return Event::Cancelled { method: slot.method };
            }
            None if has_untracked => {}
            None => notice.at_id(Rule::CancelUnknown, &id),
        }
        Event::Notification
    }

    fn progress(&mut self, from: Peer, call: &CallView<'_>, notice: &mut Notice<'_>) {
        let asker = from.other();
        match call.params.and_then(|params| params.progress_token()) {
            None => notice.at_string(Rule::ProgressUnknown, call.name),
            Some(token) => {
                let known = self.table.with_token(asker, &token).is_some();
                if !known && !self.table.has_lost_tokens(asker) {
                    notice.at_id(Rule::ProgressUnknown, &token);
                }
            }
        }
    }

    /// What a modern server sends without being asked it sends for a subscription (2026-07-28,
    /// patterns, subscriptions).
    fn subscription(&mut self, call: &CallView<'_>, notice: &mut Notice<'_>) {
        let acknowledges = match call.method {
            Some(Method::SubscriptionsAcknowledged) => true,
            Some(
                Method::ToolsListChanged
                | Method::PromptsListChanged
                | Method::ResourcesListChanged
                | Method::ResourcesUpdated,
            ) => false,
            _ => return,
        };
        if self.era() != Some(Era::Modern) {
            return;
        }
        let has_untracked = self.table.has_untracked(Peer::Client);
        let id = call.meta.and_then(|meta| meta.subscription_id());
        let slot = id.and_then(|id| self.table.in_flight(Peer::Client, &id));
        match slot.filter(|slot| slot.method == Some(Method::SubscriptionsListen)) {
            Some(slot) if acknowledges => slot.acknowledged = true,
            Some(slot) if !slot.acknowledged => {
                notice.at_string(Rule::SubscriptionUnacknowledged, call.name);
            }
            Some(_) => {}
            None if has_untracked && id.is_some() => {}
            None => notice.at_string(Rule::SubscriptionUnknown, call.name),
        }
    }
}
