//! The path of a message through a conversation: the checks for its kind and revision.

use tautline::{Id, Message, Notification, Request, Response, Severity};

use super::declared::{Declared, has_tasks};
use super::tool_choice::Choice;
use super::{Answer, Call, Conversation, Notice, Params, u32_from};
use crate::places::Member;
use crate::session::{Capabilities, Pairing};
use crate::shape::Shapes;
use crate::{Era, Finding, KnownMethod, Revision, Role, rule};

impl Conversation {
    /// Observes a message of one side under a revision, and reports what is wrong with its payload: first against the
    /// shapes of the revision, in the order of [`Shapes::check`], then against the messages before it.
    ///
    /// Observe all messages of both sides in the order of the wire, and a batch message by message. The `pairing` is that
    /// of the session after it has observed the message. The revision is the one in force, as
    /// [`Session::revision`](crate::session::Session::revision) returns it after it has observed the message. Until
    /// that is settled, use the revision that the message names: `protocolVersion` in the params of `initialize`, or in
    /// the metadata of a request.
    pub fn observe<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
        revision: Revision,
        pairing: &Pairing,
        mut report: impl FnMut(Finding),
    ) {
        let report: &mut dyn FnMut(Finding) = &mut report;
        if let Some(forgotten) = pairing.forgotten() {
            self.forget_call(forgotten);
        }
        self.messages = self.messages.saturating_add(1);
        let answers = matches!(message, Message::Response(_)) && !pairing.is_shared();
        let answered = pairing.number().filter(|_| answers).and_then(|it| self.calls.get(&it));
        let method = answered.and_then(|call| {
            let of_task = || self.method_of_task(from, call.task_id.as_ref()?);
            let is_of_task = call.method == Some(KnownMethod::TasksResult);
            // The result of a task has the shape of the result of the request that has created the task.
            is_of_task.then(of_task).flatten().or(call.method)
        });
        Shapes::of(revision).check(message, method, &mut *report);
        let mut notice = Notice { frame: message.frame(), report };
        match message {
            Message::Request(request) => {
                self.request(from, request, (revision, pairing), &mut notice);
            }
            Message::Notification(note) => {
                self.notification(from, note, (revision, pairing), &mut notice);
            }
            Message::Response(response) => {
                self.response(from, response, (revision, pairing), &mut notice);
            }
            Message::Batch(_) => {}
        }
    }

    fn request(
        &mut self,
        from: Role,
        request: &Request<'_>,
        (revision, pairing): (Revision, &Pairing),
        notice: &mut Notice<'_, '_>,
    ) {
        let params = Params::of(notice.frame, request.call());
        let method = KnownMethod::named(request.method());
        let mut call = Call::new(from, method, &params);
        if from == Role::Server
            && method == Some(KnownMethod::SamplingCreateMessage)
            && revision >= Revision::V2025_11_25
        {
            call.choice = params.object_at().and_then(|at| Choice::of(notice.frame, at));
        }
        call.number = self.messages;
        call.needs_structured_content =
            revision >= Revision::V2025_06_18 && self.needs_structured_content(&call);
        match revision.era() {
            Era::Legacy => {
                if method == Some(KnownMethod::Initialize) && from == Role::Client {
                    self.is_whole = true;
                    let object = params.capabilities.and_then(Member::object);
                    self.client = object.map(|object| Declared::of(notice.frame, object));
                    self.client_capabilities = capabilities(params.capabilities);
                }
                self.check_cursor(from, (method, Era::Legacy), &params, notice);
                if revision == Revision::V2025_11_25 {
                    self.check_asked(from, method, &params, notice);
                    self.keep_elicitation(from, method, &params, notice);
                    self.check_tool_call(method, &params, notice);
                    self.begin_task_request(from, &mut call, &params, notice);
                }
            }
            Era::Modern => {
                self.check_retry(request, &mut call, &params, notice);
                if from == Role::Client {
                    self.advise_client(method, &params, notice);
                    self.check_offer(&params, notice);
                }
                self.check_cursor(from, (method, Era::Modern), &params, notice);
                self.check_first_page(from, method, &params, notice);
                self.check_header_integers(method, &params, notice);
                self.check_extension_request(from, method, request.call(), &params, notice);
                if let Some(number) = pairing.number()
                    && method == Some(KnownMethod::SubscriptionsListen)
                {
                    self.subscribe(number, &params, notice);
                }
            }
        }
        match pairing.number() {
            Some(number) => self.keep_call(number, call),
            None => self.has_lost = true,
        }
        // The result of a request that was not kept is not checked, so facts in it are missed.
        self.is_whole &= self.has_kept_all();
    }

    fn notification(
        &mut self,
        from: Role,
        note: &Notification<'_>,
        (revision, pairing): (Revision, &Pairing),
        notice: &mut Notice<'_, '_>,
    ) {
        let params = Params::of(notice.frame, note.call());
        let method = KnownMethod::named(note.method());
        if method == Some(KnownMethod::Progress) {
            self.check_progress(from, &params, (revision.era(), pairing), notice);
        }
        let cancelled = params.request_id.filter(|_| method == Some(KnownMethod::Cancelled));
        let cancelled = cancelled.and_then(|member| Id::of(member.value));
        self.note_change(from, method);
        if let (Some(_), Some(place)) = (&cancelled, params.request_id) {
            self.check_issued(from, (place.at, revision.era()), pairing, notice);
        }
        let cancelled = cancelled.and(pairing.number());
        if let Some(number) = cancelled {
            self.end_subscription(from, number);
        }
        // A server ends a subscription by cancelling the request of the client.
        let is_own = |number: &u64| self.calls.get(number).is_some_and(|call| call.from == from);
        let cancelled = cancelled.filter(is_own);
        match revision.era() {
            Era::Legacy if revision == Revision::V2025_11_25 => {
                if let Some(number) = cancelled {
                    self.check_cancelled(from, number, &params, notice);
                }
                self.check_task_notification(from, method, &params, notice);
                self.check_elicited(method, &params, notice);
            }
            Era::Legacy => {}
            Era::Modern => {
                self.check_subscribed(note.call(), &params, pairing, notice);
                self.check_extension_notification(method, note.call(), &params, notice);
            }
        }
        if let Some(call) = cancelled.and_then(|number| self.calls.get_mut(&number))
            && call.cancelled.is_none()
            && !call.is_task
        {
            call.cancelled = Some(self.messages);
        }
    }

    /// Checks that the cancelled request was issued in the same direction (utilities/cancellation, behavior
    /// requirements). A session cannot tell an id that was never issued from one that was answered long ago, and
    /// reports both as a note.
    fn check_issued(
        &self,
        from: Role,
        (at, era): (usize, Era),
        pairing: &Pairing,
        notice: &mut Notice<'_, '_>,
    ) {
        // A modern server sends no requests, and ends the subscriptions of the client.
        let asker = if era == Era::Modern { Role::Client } else { from };
        if self.is_whole && pairing.is_never_issued(asker) {
            let severity = Severity::Error;
            (notice.report)(Finding::new(rule::CANCEL_UNKNOWN, severity, u32_from(at)));
        }
    }

    /// Keeps a request.
    fn keep_call(&mut self, number: u64, call: Call) {
        if !self.calls.is_full() || self.calls.get(&number).is_some() {
            count_level(&mut self.log_levels, &call, true);
        }
        if let Some(before) = self.calls.insert(number, call) {
            count_level(&mut self.log_levels, &before, false);
        }
    }

    /// Forgets a request that the session has forgotten.
    fn forget_call(&mut self, number: u64) {
        self.subscriptions.remove(&number);
        if let Some(call) = self.calls.remove(&number) {
            count_level(&mut self.log_levels, &call, false);
        }
    }

    fn response(
        &mut self,
        from: Role,
        response: &Response<'_>,
        (revision, pairing): (Revision, &Pairing),
        notice: &mut Notice<'_, '_>,
    ) {
        let Some((number, id)) = pairing.number().zip(response.id()) else { return };
        // A response may answer any of the requests with this id, so it is judged by none of them.
        if pairing.is_shared() && !pairing.is_last() {
            return;
        }
        let Some(mut call) = self.calls.remove(&number) else { return };
        count_level(&mut self.log_levels, &call, false);
        let subscription = self.subscriptions.remove(&number);
        if pairing.is_shared() {
            return;
        }
        self.note_answer(from, call.number);
        let Some(answer) = Answer::of(notice.frame, response) else {
            if revision == Revision::V2025_11_25 {
                self.check_task_error(from, &call, response, notice);
            }
            self.observe_error(from, &call, response, revision, notice);
            return;
        };
        if matches!(call.method, Some(KnownMethod::Initialize | KnownMethod::ServerDiscover)) {
            self.server_capabilities = capabilities(answer.capabilities);
            let object = answer.capabilities.and_then(Member::object);
            self.server_has_tasks = object.map(|object| has_tasks(notice.frame, object));
        }
        self.keep_cursor(from.other(), call.method, &answer);
        self.check_page(from, &call, &answer, revision, notice);
        if call.method == Some(KnownMethod::ToolsList) {
            self.keep_tools(notice.frame, &answer);
        }
        let is_complete = answer.kind.is_none_or(|kind| kind == *"complete");
        if is_complete && answer.task.is_none() {
            self.check_tool_result(&call, &answer, revision, notice);
        }
        if let Some(choice) = call.choice.filter(|_| answer.is_object) {
            choice.check(answer.at, notice);
        }
        let mut has_task = false;
        match revision.era() {
            Era::Legacy if revision == Revision::V2025_11_25 => {
                has_task = self.check_task_result(from, &mut call, &answer, notice);
            }
            Era::Legacy => {}
            Era::Modern => {
                self.advise_server(from, call.method, &answer, notice);
                self.check_extension_result(&call, &answer, notice);
                self.check_input_required(&id, &call, &answer, notice);
                self.check_closing(&id, &call, subscription.as_ref(), &answer, notice);
            }
        }
        if has_task {
            call.is_task = true;
            self.keep_call(number, call);
        }
    }

    /// Records a request that a side has answered.
    fn note_answer(&mut self, from: Role, number: u64) {
        let [client, server] = &mut self.answered;
        let last = match from {
            Role::Client => client,
            Role::Server => server,
        };
        *last = number.max(*last);
    }

    /// Keeps the facts in an error.
    fn observe_error(
        &mut self,
        from: Role,
        call: &Call,
        response: &Response<'_>,
        revision: Revision,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(error) = response.error() else { return };
        match revision.era() {
            Era::Legacy if from == Role::Server && revision == Revision::V2025_11_25 => {
                self.keep_elicitations_of(&error, notice);
            }
            Era::Legacy => {}
            Era::Modern => {
                self.keep_offer(from, &error);
                self.note_refused_page(from, call, error.code());
            }
        }
    }
}

/// Adds or removes the level of log messages that a request asks for. A subscription gets no log messages.
fn count_level(levels: &mut [u32; 8], call: &Call, is_new: bool) {
    let level = call.log_level.filter(|_| call.method != Some(KnownMethod::SubscriptionsListen));
    if let Some(count) = level.and_then(|level| levels.get_mut(level)) {
        *count = if is_new { count.saturating_add(1) } else { count.saturating_sub(1) };
    }
}

/// Reads an object of capabilities.
fn capabilities(member: Option<Member<'_>>) -> Option<Capabilities> {
    member.and_then(Member::object).map(|member| Capabilities::of(member.value))
}
