//! Conversations: what the payload of a message is worth after those before it.
//!
//! A [`Conversation`] observes the messages of both sides, as a [`Session`](crate::session::Session) does, and goes
//! further: it remembers what the payloads have told. It reports progress that runs backwards, cursors that nobody
//! gave, results that lack the structured content that their tool declares, tasks that change after their end, retries
//! that lose the server's state, and notifications that nobody subscribed to. It also validates each payload against the
//! [shapes](crate::shape) of its revision, because it knows which method a response answers.
//!
//! To write the path of a [`Violation`], the frame is read up to its place. If a frame may have many, collect their
//! offsets, sort them, and find all paths in one pass with [`Paths`](crate::json::Paths).
//!
//! A session decides what to answer, and runs on a microcontroller. A conversation serves tools, gateways and tests: it
//! needs a heap, and never changes what a message means. Use both for everything that can be seen on the wire.
//!
//! ```
//! use tautline::conversation::Conversation;
//! use tautline::mcp::Role;
//! use tautline::{Message, Revision};
//!
//! let frames = [
//!     (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call",
//!         "params":{"name":"copy","_meta":{"progressToken":"p"}}}"#),
//!     (Role::Server, r#"{"jsonrpc":"2.0","method":"notifications/progress",
//!         "params":{"progressToken":"p","progress":10}}"#),
//!     (Role::Server, r#"{"jsonrpc":"2.0","method":"notifications/progress",
//!         "params":{"progressToken":"p","progress":9}}"#),
//! ];
//! let revision = Revision::V2025_11_25;
//! let mut conversation = Conversation::new();
//! let mut found = Vec::new();
//! for (from, frame) in frames {
//!     let message = Message::parse(frame.as_bytes(), &revision.rules()).unwrap();
//!     conversation.observe(from, &message, revision, |violation| {
//!         found.push(format!("{}: {}", violation.path(), violation.expected()));
//!     });
//! }
//! assert_eq!(found, ["params.progress: the progress does not exceed that of the notification before"]);
//! ```
//!
//! # What is remembered
//!
//! Each kind of fact is kept up to 16,384 times, subscriptions up to 256 times with 256 resources each. If more is told,
//! what depends on having seen all of it is not reported any more. Of texts with more than 128 bytes, a hash is kept. So
//! memory has a bound, whatever the sides send. Use a conversation for each session.
//!
//! A conversation may [join](Conversation::joined) a session in the middle. Cursors, log messages and states of requests
//! are then not judged before a handshake, because what they depend on may have been told before.

mod call;
mod cursor;
mod declared;
mod input;
mod known;
mod progress;
mod subscription;
mod task;
mod tool;

use alloc::string::String;

use call::{Answer, Call, Params};
use declared::Declared;
use known::{Known, name_of};

use crate::cast::u32_from;
use crate::envelope::{Call as CallOf, Id, Message, Notification, Request, Response};
use crate::json::places::Member;
use crate::mcp::{Era, KnownMethod, Revision, Role};
use crate::rule::Rule;
use crate::session::Capabilities;
use crate::shape::{Shapes, Violation};

/// The number of facts of one kind that are kept.
const MOST: usize = 1 << 14;

/// A conversation between a client and a server, seen by a third, or by one of them.
///
/// See the [module](self) for what it reports.
#[derive(Debug)]
pub struct Conversation {
    /// Requests without an answer, and those that became tasks, by [`Key`](call::key) of the sender and id.
    calls: Known<Call>,
    progress: Known<progress::Progress>,
    cursors: Known<()>,
    tools: Known<tool::Tool>,
    tasks: Known<task::Task>,
    /// The results that require input, by what their request is about.
    inputs: Known<input::Waiting>,
    subscriptions: Known<subscription::Subscription>,
    /// For each level, the number of pending requests that ask for log messages from it on.
    log_levels: [u32; 8],
    /// The number of messages so far.
    messages: u64,
    /// The number of calls that were cancelled or became tasks, which make room for others.
    idle_calls: usize,
    /// The kinds of input that the client has declared in the handshake, if that was seen.
    client: Option<Declared>,
    /// The capabilities that the sides have declared in the handshake, if that was seen.
    client_capabilities: Option<Capabilities>,
    server_capabilities: Option<Capabilities>,
    /// True if all messages of the session were seen, and all requests have been kept.
    is_whole: bool,
}

/// The frame of a message, and the receiver of its findings.
struct Notice<'a, 'buf> {
    frame: &'buf [u8],
    report: &'a mut dyn FnMut(Violation<'buf>),
}

impl Notice<'_, '_> {
    /// Reports a rule that is broken at this offset.
    fn at(&mut self, rule: Rule, at: usize) {
        (self.report)(Violation::of_rule(self.frame, rule, u32_from(at)));
    }
}

impl Default for Conversation {
    fn default() -> Self {
        Self::new()
    }
}

impl Conversation {
    /// Creates a conversation that has not begun: the next message is the first of its session.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_all_messages(true)
    }

    /// Creates a conversation in the middle of a session.
    #[must_use]
    pub const fn joined() -> Self {
        Self::with_all_messages(false)
    }

    const fn with_all_messages(is_whole: bool) -> Self {
        Self {
            calls: Known::new(MOST),
            progress: Known::new(MOST),
            cursors: Known::new(MOST),
            tools: Known::new(MOST),
            tasks: Known::new(MOST),
            inputs: Known::new(subscription::MOST),
            subscriptions: Known::new(subscription::MOST),
            log_levels: [0; 8],
            messages: 0,
            idle_calls: 0,
            client: None,
            client_capabilities: None,
            server_capabilities: None,
            is_whole,
        }
    }

    /// Returns whether every request could be kept. If not, results of some were not validated, because it is not known
    /// which method they answer.
    #[must_use]
    pub const fn has_kept_all(&self) -> bool {
        !self.calls.has_lost()
    }

    /// Observes a message of one side under a revision, and reports what is wrong with its payload: first against the
    /// shapes of the revision, in the order of [`Shapes::check`], then against the messages before it.
    ///
    /// Observe all messages of both sides in the order of the wire. The revision is the one in force, as
    /// [`Session::revision`](crate::session::Session::revision) returns it after it has observed the message. Until that
    /// is settled, use the revision that the message names: `protocolVersion` in the params of `initialize`, or in the
    /// metadata of a request.
    pub fn observe<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
        revision: Revision,
        mut report: impl FnMut(Violation<'buf>),
    ) {
        match message {
            Message::Batch(batch) => {
                for message in batch.iter().filter_map(|element| element.message().ok()) {
                    self.observe_one(from, &message, revision, &mut report);
                }
            }
            message => self.observe_one(from, message, revision, &mut report),
        }
    }

    fn observe_one<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
        revision: Revision,
        report: &mut dyn FnMut(Violation<'buf>),
    ) {
        self.messages = self.messages.saturating_add(1);
        let answered = match message {
            Message::Response(response) => {
                response.id().and_then(|id| self.calls.get(&call::key(from.other(), &id)))
            }
            _ => None,
        };
        let method = answered.and_then(|call| call.method);
        Shapes::of(revision).check(message, method, &mut *report);
        let mut notice = Notice { frame: message.frame(), report };
        match message {
            Message::Request(request) => self.request(from, request, revision, &mut notice),
            Message::Notification(note) => self.notification(from, note, revision, &mut notice),
            Message::Response(response) => self.response(from, response, revision, &mut notice),
            Message::Batch(_) => {}
        }
    }

    fn request(
        &mut self,
        from: Role,
        request: &Request<'_>,
        revision: Revision,
        notice: &mut Notice<'_, '_>,
    ) {
        let params = Params::of(notice.frame, request.call());
        let method = KnownMethod::named(request.method());
        let key = call::key(from, &request.id());
        if let Some(token) = &params.token {
            self.progress.insert(call::key(from, token), progress::Progress::default());
        }
        let mut call = Call::new(method, &params);
        call.number = self.messages;
        call.needs_structured_content =
            revision >= Revision::V2025_06_18 && self.needs_structured_content(&call);
        match revision.era() {
            Era::Legacy => {
                if method == Some(KnownMethod::Initialize) && from == Role::Client {
                    self.is_whole = true;
                    let object = params.capabilities.and_then(Member::object);
                    let declared = object.map(|object| Declared::of(notice.frame, object));
                    self.client = Some(declared.unwrap_or(Declared::NOTHING));
                    self.client_capabilities = Some(capabilities(params.capabilities));
                }
                self.check_cursor(from, method, &params, notice);
                if revision == Revision::V2025_11_25 {
                    self.check_asked(from, method, &params, notice);
                    self.check_tool_call(method, &params, notice);
                    self.begin_task_request(from, &mut call, &params, notice);
                }
            }
            Era::Modern => {
                self.check_retry(request, &call, &params, notice);
                if method == Some(KnownMethod::SubscriptionsListen) {
                    self.subscribe(&key, &params, notice);
                }
            }
        }
        self.keep_call(key, call);
        // Nobody sees the result of a request that was not kept.
        self.is_whole &= !self.calls.has_lost();
    }

    fn notification(
        &mut self,
        from: Role,
        note: &Notification<'_>,
        revision: Revision,
        notice: &mut Notice<'_, '_>,
    ) {
        let params = Params::of(notice.frame, note.call());
        let method = KnownMethod::named(note.method());
        if method == Some(KnownMethod::Progress) {
            self.check_progress(from, &params, notice);
        }
        let cancelled = params.request_id.filter(|_| method == Some(KnownMethod::Cancelled));
        let cancelled = cancelled.and_then(|member| Id::of(member.value));
        let cancelled = cancelled.map(|id| call::key(from, &id));
        match revision.era() {
            Era::Legacy if revision == Revision::V2025_11_25 => {
                if let Some(key) = &cancelled {
                    self.check_cancelled(from, key, &params, notice);
                }
                self.check_task_notification(from, method, &params, notice);
            }
            Era::Legacy => {}
            Era::Modern => self.check_subscribed(method, note.call(), &params, notice),
        }
        if let Some(call) = cancelled.and_then(|key| self.calls.get_mut(&key))
            && !call.is_cancelled
            && !call.is_task
        {
            call.is_cancelled = true;
            self.idle_calls = self.idle_calls.saturating_add(1);
        }
    }

    /// Keeps a request. If there is no room, those that were cancelled or became tasks are forgotten, if they are many.
    fn keep_call(&mut self, key: String, call: Call) {
        if self.calls.is_full() && self.idle_calls > MOST / 4 {
            let log_levels = &mut self.log_levels;
            self.calls.retain(|call| {
                let is_kept = !call.is_cancelled && !call.is_task;
                if !is_kept {
                    count_level(log_levels, call, false);
                }
                is_kept
            });
            self.idle_calls = 0;
        }
        if !self.calls.is_full() || self.calls.get(&key).is_some() {
            count_level(&mut self.log_levels, &call, true);
        }
        if let Some(before) = self.calls.insert(key, call) {
            count_level(&mut self.log_levels, &before, false);
        }
    }

    fn response(
        &mut self,
        from: Role,
        response: &Response<'_>,
        revision: Revision,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(key) = response.id().map(|id| call::key(from.other(), &id)) else { return };
        let Some(mut call) = self.calls.remove(&key) else { return };
        count_level(&mut self.log_levels, &call, false);
        self.subscriptions.remove(&key);
        let Some(answer) = Answer::of(notice.frame, response) else {
            Self::check_task_error(&call, response, notice);
            self.forget_progress(from, &call);
            return;
        };
        if call.method == Some(KnownMethod::Initialize) {
            self.server_capabilities = Some(capabilities(answer.capabilities));
        }
        self.keep_cursor(from.other(), call.method, &answer);
        if call.method == Some(KnownMethod::ToolsList) {
            self.keep_tools(notice.frame, &answer);
        }
        let is_complete = answer.kind.is_none_or(|kind| kind == *"complete");
        if is_complete && answer.task.is_none() {
            tool::check_structured_content(&call, &answer, notice);
        }
        let mut has_task = false;
        match revision.era() {
            Era::Legacy if revision == Revision::V2025_11_25 => {
                has_task = self.check_task_result(from, &call, &answer, notice);
            }
            Era::Legacy => {}
            Era::Modern => {
                self.check_input_required(&key, &call, &answer, notice);
                Self::check_closing(&key, &call, &answer, notice);
            }
        }
        if has_task {
            call.is_task = true;
            self.idle_calls = self.idle_calls.saturating_add(1);
            self.keep_call(key, call);
        } else {
            self.forget_progress(from, &call);
        }
    }
}

/// Returns a name for a thing of one side, made of parts.
fn name(parts: &[&str]) -> String {
    parts.join("\n")
}

/// Returns a text that stands for the string in a member.
fn text(member: Option<Member<'_>>) -> Option<String> {
    member?.string().map(name_of)
}

/// Counts the level of log messages that a request asks for, or no longer. A subscription gets none.
fn count_level(levels: &mut [u32; 8], call: &Call, is_new: bool) {
    let level = call.log_level.filter(|_| call.method != Some(KnownMethod::SubscriptionsListen));
    if let Some(count) = level.and_then(|level| levels.get_mut(level)) {
        *count = if is_new { count.saturating_add(1) } else { count.saturating_sub(1) };
    }
}

/// Reads an object of capabilities.
fn capabilities(member: Option<Member<'_>>) -> Capabilities {
    member.map_or(Capabilities::default(), |member| Capabilities::of(member.value))
}

/// Returns the offset of the method of a call.
const fn method_at(call: &CallOf<'_>) -> usize {
    crate::cast::index(call.method_span().start())
}
