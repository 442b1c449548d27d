//! Notifications about requests in flight, and about the session.

use tautline::{ErrorCode, Notification};

use super::{Event, Phase, Requests, Session};
use crate::ledger::{Head, Part, Same, State, Subscription};
use crate::{CallKind, CallView, Era, KnownMethod, Notice, Role, rule};

impl<S: Requests> Session<S> {
    #[inline(never)]
    pub(super) fn notification<'buf>(
        &mut self,
        from: Role,
        notification: &Notification<'buf>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        let call = CallView::new(CallKind::Notification, notification.call());
        self.ledger.store.pair_notification(from, &call);
        self.check_call(from, self.revision_for(from, &call), &call, notice);
        if let Some((rule, _)) = notice.refusal()
            && crate::request_error(rule) == Some(ErrorCode::METHOD_NOT_FOUND)
            && rule != rule::UNDECLARED_CAPABILITY
        {
            return Event::Ignored(rule);
        }
        self.note_early_notification(from, &call, notice);
        match call.method {
            Some(KnownMethod::Initialized) => self.advance_by_initialized(from, &call, notice),
            Some(KnownMethod::Cancelled) => return self.cancel(from, &call, notice),
            Some(KnownMethod::Progress) => self.progress(from, &call, notice),
            Some(_) if from == Role::Server => self.subscription(&call, notice),
            _ => {}
        }
        Event::Notification
    }

    fn cancel<'buf>(
        &mut self,
        from: Role,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) -> Event<'buf> {
        let Some(id) = call.params.as_ref().and_then(|params| params.request_id()) else {
            return Event::Notification;
        };
        let mut seen = self.ledger.look(from, &id, Same::Equal, Part::Id);
        let mut ends_subscription = false;
        if from == Role::Server && !seen.waits() {
            // A modern server has sent no requests; it ends the subscriptions of the client
            // (2026-07-28, patterns, cancellation).
            let of_client = self.ledger.look(Role::Client, &id, Same::Equal, Part::Id);
            let is_modern = self.era() == Some(Era::Modern) && seen.is_nothing();
            ends_subscription = of_client.subscribes || is_modern;
            if ends_subscription {
                seen = of_client;
            }
        }
        let place = self.ledger.in_flight(&seen);
        let request = place.and_then(|place| Some((place, self.ledger.head(place)?.method)));
        match request {
            Some((_, Some(KnownMethod::Initialize))) => {
                notice.at_id(rule::CANCEL_INITIALIZE, &id);
            }
            Some((place, method))
                if !ends_subscription || method == Some(KnownMethod::SubscriptionsListen) =>
            {
                self.ledger.change(place, |head| {
                    head.state = State::Cancelled;
                    if ends_subscription {
                        head.subscription = Subscription::Ended;
                    }
                });
                return Event::Cancelled { method };
            }
            // The server answered the request first, which ends the subscription as well.
            _ if ends_subscription && seen.subscribes => {}
            Some(_) => notice.at_id(rule::WRONG_DIRECTION, &id),
            None if seen.may_be_lost => {
                if let Some(place) = self.ledger.with_long_id(&seen) {
                    self.ledger.change(place, |head| head.state = State::Cancelled);
                }
            }
            None => notice.at_id(rule::CANCEL_UNKNOWN, &id),
        }
        Event::Notification
    }

    fn progress(&mut self, from: Role, call: &CallView<'_>, notice: &mut Notice<'_>) {
        let asker = from.other();
        // An absent or invalid token was already reported.
        if let Some(token) = call.params.as_ref().and_then(|params| params.progress_token())
            && !self.ledger.may_progress(asker, &token)
        {
            notice.at_id(rule::PROGRESS_UNKNOWN, &token);
        }
    }

    /// Checks that a notification belongs to a subscription. A modern server sends unsolicited notifications only for
    /// subscriptions (2026-07-28, patterns, subscriptions).
    fn subscription(&mut self, call: &CallView<'_>, notice: &mut Notice<'_>) {
        let acknowledges = match call.method {
            Some(KnownMethod::SubscriptionsAcknowledged) => true,
            Some(
                KnownMethod::ToolsListChanged
                | KnownMethod::PromptsListChanged
                | KnownMethod::ResourcesListChanged
                | KnownMethod::ResourcesUpdated,
            ) => false,
            _ => return,
        };
        let id = call.meta.as_ref().and_then(|meta| meta.subscription_id());
        // Without an id, it is a notification of a legacy server, unless the server is known to be modern.
        let is_legacy = id.is_none() && !acknowledges && !self.server_is_modern();
        if is_legacy || !self.may_be_modern() {
            return;
        }
        let seen = id.map(|id| self.ledger.look(Role::Client, &id, Same::Equal, Part::Id));
        let place = seen.and_then(|seen| self.ledger.in_flight(&seen));
        let request = place.and_then(|place| Some((place, *self.ledger.head(place)?)));
        let is_open = |(_, head): &(usize, Head)| {
            head.method == Some(KnownMethod::SubscriptionsListen)
                && head.subscription != Subscription::Ended
        };
        match request.filter(is_open) {
            Some((place, _)) if acknowledges => {
                let acknowledged = Subscription::Acknowledged;
                self.ledger.change(place, |head| head.subscription = acknowledged);
                if self.phase == Phase::Probing {
                    self.settle_modern();
                }
            }
            Some((_, head)) if head.subscription == Subscription::Requested => {
                notice.at_string(rule::SUBSCRIPTION_UNACKNOWLEDGED, call.name);
            }
            Some(_) => {}
            None if seen.is_some_and(|seen| seen.may_be_lost) => {}
            None => notice.at_string(rule::SUBSCRIPTION_UNKNOWN, call.name),
        }
    }

    /// Reports a notification of a client that has not opened the session: `initialize` must be the first interaction
    /// (up to 2025-11-25, basic/lifecycle, initialization). Those about requests or the handshake have rules of their
    /// own.
    fn note_early_notification(&self, from: Role, call: &CallView<'_>, notice: &mut Notice<'_>) {
        let is_judged_elsewhere = matches!(
            call.method,
            Some(KnownMethod::Initialized | KnownMethod::Cancelled | KnownMethod::Progress)
        );
        if from == Role::Client
            && self.phase == Phase::Opening
            && self.only != Some(Era::Modern)
            && !is_judged_elsewhere
        {
            let severity = self.before_initialize.severity();
            notice.string_with(rule::REQUEST_BEFORE_INITIALIZE, severity, call.name);
        }
    }
}
