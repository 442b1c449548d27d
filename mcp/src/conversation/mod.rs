//! Conversations: checks each payload against everything both sides have already said.
//!
//! A [`Conversation`] observes the messages of both sides after a [`Session`](crate::session::Session) has observed them,
//! and remembers facts from their payloads. It reports progress that runs backwards, cursors that the other side never
//! gave, results that lack the structured content that their tool declares, tasks that change after their end, retries
//! that lose the server's state, and notifications that the client did not subscribe to. It compares each list with the
//! one before, and the answers of models, tools and tasks with the requests. It also validates each payload against the
//! [shapes](crate::shape) of its revision, because it knows which method a response answers.
//!
//! Messages may cross. So a side is only blamed for what it sent after it must have read the other side's message: a
//! server must have read a cancellation once it has answered a later request on the same stream. At the end of a
//! session, [`Conversation::finish`] reports the messages that were due but not sent.
//!
//! Writing the [path](Finding::path) of a finding reads the frame up to its place. If a frame may have many, collect
//! their offsets, sort them, and find all paths in one pass with [`Paths`](tautline::json::Paths).
//!
//! A session decides what to answer, and runs on a microcontroller. A conversation serves tools, gateways and tests: it
//! needs a heap, and never changes what a message means. A [`Judge`](crate::judge::Judge) uses both to check everything
//! that can be seen on the wire.
//!
//! ```
//! use tautline_mcp::conversation::Conversation;
//! use tautline_mcp::session::{Heap, Session};
//! use tautline_mcp::{Message, Revision, Role};
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
//! let mut session = Session::new(Heap::new());
//! let mut conversation = Conversation::new();
//! let mut found = Vec::new();
//! for (from, frame) in frames {
//!     let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
//!     session.observe(from, &message, |_| {});
//!     conversation.observe(from, &message, revision, &session.pairing(), |finding| {
//!         found.push(format!("{}: {}", finding.path(frame.as_bytes()), finding.message()));
//!     });
//! }
//! assert_eq!(found, ["params.progress: the progress does not exceed the progress of the previous notification"]);
//! ```
//!
//! # What is remembered
//!
//! As many requests are kept as on the [heap](crate::session::Heap) of a session, up to 16,384 facts of each kind, and up to 256 subscriptions with 256 resources each. If there are more,
//! findings that depend on having seen all of them are no longer reported. Texts of more than 128 bytes are kept as
//! hashes. So memory is bounded, whatever the sides send. Use one conversation for each session.
//!
//! A conversation may [join](Conversation::joined) a session in the middle. Cursors, log messages and states of
//! requests are then not checked before a handshake, because they may depend on messages that the conversation has not
//! seen.
//!
//! For each list, the hashes of up to 16,384 names are kept. The first 256 tasks that were found by their id are kept,
//! and the requests for input of 256 tasks.

mod call;
mod cursor;
mod declared;
mod dispatch;
mod elicited;
mod extension;
mod header;
mod input;
mod issued;
mod known;
mod lists;
mod once;
mod progress;
mod same_value;
mod subscription;
mod task;
mod task_list;
mod tool;
mod tool_choice;
mod version;

use alloc::string::String;
use alloc::vec::Vec;

use tautline::internal::cast::u32_from;
use tautline::{Call as CallOf, Message, Rule, Severity};

use self::call::Call;
use self::declared::Declared;
use self::known::Known;
use crate::hash::name_of;
use crate::places::Member;
use crate::session::{Capabilities, Pairing};
use crate::shape::{Expected, Missed, Shapes};
use crate::{Finding, KnownMethod, Revision, Role, rule};

/// The number of facts of one kind that are kept.
const MOST: usize = 1 << 14;

/// The number of requests that are kept: as many as a session keeps, and those of messages that are observed later.
const MOST_CALLS: usize = MOST + (1 << 10);

/// A conversation between a client and a server, observed by one of them or by a third party.
///
/// See the [module](self) for what it reports.
#[derive(Debug)]
pub struct Conversation {
    /// Requests without an answer, and those that became tasks, by their [number](Pairing::number).
    calls: Known<Call, u64>,
    cursors: Known<()>,
    /// The same cursors, without their encoding.
    cursor_forms: Known<()>,
    lists: lists::Lists,
    tools: Known<tool::Tool>,
    tasks: Known<task::Task>,
    /// The tasks that were found by their id.
    found_tasks: Known<task_list::Found>,
    /// The ids of elicitations in the browser.
    elicited: Known<elicited::Elicited>,
    /// True if the server has declared the extension for tasks, if its capabilities were seen.
    server_has_tasks: Option<bool>,
    /// The versions from which a client has to choose, after its own was refused.
    offered: Option<Vec<String>>,
    given: once::Given,
    /// The number of integers in headers, of all tools together.
    header_integers: usize,
    /// The results that require input, by what their request is about.
    inputs: Known<input::Waiting>,
    /// The requests for input of tasks, by the id of the task (2026-07-28).
    task_inputs: Known<Vec<input::InputRequest>>,
    subscriptions: Known<subscription::Subscription, u64>,
    /// For each level, the number of pending requests that ask for log messages from it on.
    log_levels: [u32; 8],
    /// The number of messages so far.
    messages: u64,
    /// The numbers of the last requests that the client and the server have answered. Each side has read everything
    /// before that request on the same stream.
    answered: [u64; 2],
    is_http: bool,
    /// The kinds of input that the client has declared in the handshake, if that was seen.
    client: Option<Declared>,
    /// The capabilities that the sides have declared in the handshake, if that was seen.
    client_capabilities: Option<Capabilities>,
    server_capabilities: Option<Capabilities>,
    /// True if a request was not kept.
    has_lost: bool,
    /// True if all messages of the session were seen, and all requests have been kept.
    is_whole: bool,
}

/// The frame of a message, and the receiver of its findings.
struct Notice<'a, 'buf> {
    frame: &'buf [u8],
    report: &'a mut dyn FnMut(Finding),
}

impl Notice<'_, '_> {
    /// Reports a rule that is broken at this offset.
    fn at(&mut self, rule: Rule, at: usize) {
        (self.report)(Finding::new(rule, rule::severity(rule), u32_from(at)));
    }

    /// Reports a rule that is broken at this offset, as a warning, because only a "SHOULD" requires it here.
    fn warn(&mut self, rule: Rule, at: usize) {
        (self.report)(Finding::new(rule, Severity::Warning, u32_from(at)));
    }
}

/// Returns the finding about a message that a side should have sent before the session ended.
const fn missing(from: Role, method: KnownMethod, rule: Rule) -> Finding {
    Finding::expecting(rule, 0, Some(Expected(Missed::Message(from, method))))
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
            calls: Known::new(MOST_CALLS),
            cursors: Known::new(MOST),
            cursor_forms: Known::new(MOST),
            lists: lists::Lists::NONE,
            tools: Known::new(MOST),
            tasks: Known::new(MOST),
            found_tasks: Known::new(subscription::MOST),
            elicited: Known::new(MOST),
            server_has_tasks: None,
            offered: None,
            given: once::Given::NONE,
            header_integers: 0,
            inputs: Known::new(subscription::MOST),
            task_inputs: Known::new(subscription::MOST),
            subscriptions: Known::new(subscription::MOST),
            log_levels: [0; 8],
            messages: 0,
            answered: [0; 2],
            is_http: false,
            client: None,
            client_capabilities: None,
            server_capabilities: None,
            has_lost: false,
            is_whole,
        }
    }

    /// Returns whether every request could be kept. If not, results of some were not validated, because it is not known
    /// which method they answer.
    #[must_use]
    pub const fn has_kept_all(&self) -> bool {
        !self.has_lost && !self.calls.has_lost()
    }

    /// Declares that the session uses HTTP, where each request has a stream of its own. The rules for stdio are then
    /// left out, and so are rules that depend on the order of messages on one stream.
    pub const fn set_http(&mut self) {
        self.is_http = true;
    }

    /// Ends the session, and reports what should have been sent but was not.
    ///
    /// Requests without an answer are reported by a [`Session`](crate::session::Session::end).
    pub fn finish(&self, mut report: impl FnMut(Finding)) {
        self.finish_lists(&mut report);
        self.finish_subscriptions(&mut report);
    }

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

    /// Returns whether no other request of a kind waits for its answer. If many requests wait, returns false, to save
    /// time.
    fn has_none_waiting(&self, is_of_kind: impl Fn(&Call) -> bool) -> bool {
        const FEW: usize = 64;
        self.calls.len() <= FEW
            && !self.calls.values().any(|call| !call.is_cancelled && is_of_kind(call))
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

    /// Returns the number of the last request that a side has answered.
    const fn answered_by(&self, side: Role) -> u64 {
        let [client, server] = self.answered;
        match side {
            Role::Client => client,
            Role::Server => server,
        }
    }
}

/// Returns a key for a fact about one side, made of these parts.
fn name(parts: &[&str]) -> String {
    parts.join("\n")
}

/// Returns a text that stands for the string in a member.
fn text(member: Option<Member<'_>>) -> Option<String> {
    member?.string().map(name_of)
}

/// Returns the offset of the method of a call.
const fn method_at(call: &CallOf<'_>) -> usize {
    tautline::internal::cast::index(call.method_span().start())
}
