//! Subscriptions and log messages (2026-07-28, basic/patterns/subscriptions and server/utilities/logging).

use alloc::collections::BTreeSet;
use alloc::string::String;

use tautline::json::Kind;
use tautline::{Call as CallOf, Id};

use super::{Answer, Call, Conversation, FEW, Notice, Params, call, method_at, missing, text};
use crate::hash::name_of;
use crate::places::{self, Member};
use crate::session::Pairing;
use crate::{Finding, KnownMethod, Role, rule};

/// A subscription: what the client has asked for, and what the server has acknowledged.
#[derive(Debug)]
pub(super) struct Subscription {
    asked: Filter,
    acknowledged: Option<Filter>,
    /// The number of messages up to its request, and to its acknowledgment.
    begun: u64,
    acknowledged_at: u64,
    /// The number of messages up to the one with which the client has cancelled it.
    cancelled: Option<u64>,
    /// True if the server has announced its end.
    is_ended: bool,
}

impl Subscription {
    /// Returns whether the changes of a list were to be delivered since that many messages.
    pub(super) fn has_delivered(&self, list: &str, since: u64) -> bool {
        let is_open = self.cancelled.is_none() && !self.is_ended && self.acknowledged_at < since;
        is_open && self.acknowledged.as_ref().is_some_and(|filter| filter.lists.contains(list))
    }
}

/// The notifications that a subscription includes.
#[derive(Debug, Default)]
struct Filter {
    /// The members that are `true`.
    lists: BTreeSet<&'static str>,
    resources: BTreeSet<String>,
    /// True if there were more resources.
    has_lost: bool,
}

/// The notifications of changed lists, and the members of a filter for them.
const LISTS: [(KnownMethod, &str); 3] = [
    (KnownMethod::ToolsListChanged, "toolsListChanged"),
    (KnownMethod::PromptsListChanged, "promptsListChanged"),
    (KnownMethod::ResourcesListChanged, "resourcesListChanged"),
];

impl Filter {
    /// Reads a filter, and reports what `asked` does not have.
    fn of(filter: Option<Member<'_>>, asked: Option<&Self>, notice: &mut Notice<'_, '_>) -> Self {
        let mut read = Self::default();
        let Some(filter) = filter.and_then(Member::object) else { return read };
        for member in places::members(notice.frame, filter.at) {
            let list = LISTS.iter().find(|(_, name)| member.name == **name);
            if let Some((_, name)) = list.filter(|_| member.value.as_bytes() == b"true") {
                if asked.is_some_and(|asked| !asked.lists.contains(name)) {
                    notice.at(rule::SUBSCRIPTION_FILTER, member.name_at);
                }
                read.lists.insert(name);
            }
            if member.name == *"resourceSubscriptions" && member.value.kind() == Kind::Array {
                for (at, uri) in places::elements(notice.frame, member.at) {
                    let Some(uri) = uri.string().map(name_of) else { continue };
                    let lacks = |asked: &Self| !asked.has_lost && !asked.resources.contains(&uri);
                    if asked.is_some_and(lacks) {
                        notice.at(rule::SUBSCRIPTION_FILTER, at);
                    }
                    if read.resources.len() < FEW {
                        read.resources.insert(uri);
                    } else {
                        read.has_lost = true;
                    }
                }
            }
        }
        read
    }

    /// Returns whether the resource in these params may be one that was asked for, or within one of them. The server
    /// decides which resources contain others, so only the schemes of the URIs are compared.
    fn includes_resource(&self, params: &Params<'_>) -> bool {
        let Some(uri) = text(params.uri) else { return !self.resources.is_empty() };
        // The name of a long URI is a hash.
        let scheme = |uri: &str| uri.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let is_same = |asked: &String| {
            asked.starts_with('#') || uri.starts_with('#') || scheme(asked) == scheme(&uri)
        };
        self.has_lost || self.resources.iter().any(is_same)
    }
}

impl Conversation {
    /// Keeps a request for a subscription.
    pub(super) fn subscribe(
        &mut self,
        number: u64,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let asked = Filter::of(params.notifications, None, notice);
        let subscription = Subscription {
            asked,
            acknowledged: None,
            begun: self.messages,
            acknowledged_at: 0,
            cancelled: None,
            is_ended: false,
        };
        self.subscriptions.insert(number, subscription);
    }

    /// Checks a notification of the server: that a subscription includes it, or that a request asks for the log
    /// message.
    pub(super) fn check_subscribed(
        &mut self,
        call: &CallOf<'_>,
        params: &Params<'_>,
        pairing: &Pairing,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(method) = KnownMethod::named(call.method()) else { return };
        let is_acknowledgment = method == KnownMethod::SubscriptionsAcknowledged;
        let list = LISTS.iter().find(|(known, _)| *known == method).map(|(_, name)| *name);
        if method == KnownMethod::LoggingMessage {
            self.check_log(call, params, notice);
        }
        if !is_acknowledgment && list.is_none() && method != KnownMethod::ResourcesUpdated {
            return;
        }
        if params.subscription_id.is_none_or(|id| Id::of(id.value).is_none()) {
            notice.at(rule::SUBSCRIPTION_ID, params.at);
            return;
        }
        let (messages, answered) = (self.messages, self.answered_by(Role::Server));
        let subscription = pairing.number().and_then(|it| self.subscriptions.get_mut(&it));
        // A session reports unknown subscriptions.
        let Some(subscription) = subscription else { return };
        // The server has read the cancellation if it has answered a request after it.
        let is_cancelled = subscription.cancelled.is_some_and(|number| answered > number);
        if let Some(place) = params.subscription_id.filter(|_| is_cancelled && !self.is_http) {
            notice.at(rule::NOTIFICATION_AFTER_CANCEL, place.at);
        }
        if is_acknowledgment {
            let asked = Some(&subscription.asked);
            let filter = Filter::of(params.notifications, asked, notice);
            subscription.acknowledged = Some(filter);
            subscription.acknowledged_at = messages;
            return;
        }
        let filter = subscription.acknowledged.as_ref().unwrap_or(&subscription.asked);
        let is_included = match list {
            Some(name) => filter.lists.contains(name),
            None => filter.includes_resource(params),
        };
        if !is_included {
            notice.at(rule::SUBSCRIPTION_TYPE, method_at(call));
        }
    }

    /// Records the cancellation of a subscription.
    pub(super) fn end_subscription(&mut self, from: Role, number: u64) {
        let messages = self.messages;
        if let Some(subscription) = self.subscriptions.get_mut(&number) {
            match from {
                Role::Client => subscription.cancelled = Some(messages),
                Role::Server => subscription.is_ended = true,
            }
            self.forget_changes();
        }
    }

    /// Reports subscriptions that were never acknowledged, although the server has answered a later request, and
    /// subscriptions that the server has ended without an answer.
    pub(super) fn finish_subscriptions(&self, report: &mut dyn FnMut(Finding)) {
        for subscription in self.subscriptions.values() {
            let is_left = subscription.cancelled.is_some();
            let was_read = self.answered_by(Role::Server) > subscription.begun;
            let rule = match subscription {
                _ if is_left => continue,
                subscription if subscription.is_ended => rule::SUBSCRIPTION_UNCLOSED,
                subscription if subscription.acknowledged.is_none() && was_read => {
                    rule::SUBSCRIPTION_UNACKNOWLEDGED
                }
                _ => continue,
            };
            report(missing(Role::Server, KnownMethod::SubscriptionsListen, rule));
        }
    }

    /// Checks the result that closes a subscription: that the subscription was acknowledged, and its end announced, and
    /// that the result names it.
    pub(super) fn check_closing(
        &self,
        id: &Id<'_>,
        call: &Call,
        subscription: Option<&Subscription>,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(KnownMethod::SubscriptionsListen) = call.method else { return };
        if let Some(subscription) = subscription.filter(|one| one.cancelled.is_none()) {
            if subscription.acknowledged.is_none() {
                notice.at(rule::SUBSCRIPTION_UNACKNOWLEDGED, answer.at);
            }
            if !subscription.is_ended && !self.is_http {
                notice.at(rule::SUBSCRIPTION_END_UNANNOUNCED, answer.at);
            }
        }
        let Some(member) = answer.subscription_id else { return };
        if Id::of(member.value).is_some_and(|named| !named.is_worth(id)) {
            notice.at(rule::SUBSCRIPTION_ID, member.at);
        }
    }

    /// Checks that a request that is not answered asks for log messages of this level.
    fn check_log(&self, call: &CallOf<'_>, params: &Params<'_>, notice: &mut Notice<'_, '_>) {
        if let Some(subscription) = params.subscription_id {
            notice.at(rule::SUBSCRIPTION_TYPE, subscription.at);
        }
        let level = params.level.and_then(Member::string).and_then(call::level);
        let mut wanted = (0..).zip(&self.log_levels).filter(|(_, count)| **count > 0);
        let is_wanted = wanted.any(|(wanted, _)| level.is_none_or(|level| level >= wanted));
        if !is_wanted && self.is_whole {
            let place = params.level.map_or_else(|| method_at(call), |level| level.at);
            notice.at(rule::LOG_NOT_REQUESTED, place);
        }
    }
}
