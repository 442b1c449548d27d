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
mod input;
mod known;
mod lists;
mod once;
mod progress;
mod same_value;
mod subscription;
mod task;
mod tool;
mod tool_choice;
mod version;

use alloc::string::String;
use alloc::vec::Vec;

use tautline::internal::cast::u32_from;
use tautline::{Call as CallOf, Id, RawStr, Rule, Severity};

use self::declared::Declared;
use self::known::Known;
use crate::hash::name_of;
use crate::places::Member;
use crate::session::Capabilities;
use crate::shape::{Expected, Missed};
use crate::{Finding, KnownMethod, Role, rule};

/// The number of facts of one kind that are kept.
const MOST: usize = 1 << 14;

/// The number of requests that are kept: as many as a session keeps, and those of messages that are observed later.
const MOST_CALLS: usize = MOST + (1 << 10);

/// The number of subscriptions, of resources in one, and of other rare facts that are kept.
const FEW: usize = 256;

/// A conversation between a client and a server, observed by one of them or by a third party.
///
/// See the [module](self) for what it reports.
#[derive(Debug)]
pub struct Conversation {
    /// Requests without an answer, and those that became tasks, by their [number](crate::session::Pairing::number).
    calls: Known<Call, u64>,
    cursors: Known<()>,
    /// The same cursors, without their encoding.
    cursor_forms: Known<()>,
    lists: lists::Lists,
    tools: Known<tool::Tool>,
    tasks: Known<task::Task>,
    /// The tasks that were found by their id.
    found_tasks: Known<lists::Found>,
    /// The ids of elicitations in the browser, with hashes of their URLs.
    elicited: Known<u64>,
    /// True if the server has declared the extension for tasks, if its capabilities were seen.
    server_has_tasks: Option<bool>,
    /// The versions from which a client has to choose, after its own was refused.
    offered: Option<Vec<String>>,
    /// The advice that was given, as bits.
    given: u8,
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

/// The parts of a request that are kept.
#[derive(Debug)]
struct Call {
    /// The sender.
    from: Role,
    method: Option<KnownMethod>,
    /// The method, and the name or URI in its params: a retry has the same.
    about: String,
    /// The name of the tool.
    name: Option<String>,
    token: Option<String>,
    /// True if it asks for a task.
    takes_task: bool,
    /// True if a task has answered it.
    is_task: bool,
    /// The number of messages up to the one that cancelled it.
    cancelled: Option<u64>,
    /// The key of the task that it became.
    task: Option<String>,
    /// The last number of its progress.
    progress: Option<String>,
    /// True if the tool that it calls has an output schema.
    needs_structured_content: bool,
    /// The number of messages before it.
    number: u64,
    /// The cursor of the page that it asks for.
    cursor: Option<String>,
    /// The choice of tools that it leaves to the model.
    choice: Option<tool_choice::Choice>,
    /// The task that it is about.
    task_id: Option<String>,
    /// The task that its metadata names.
    related_task: Option<String>,
    /// True if it cancels a task that has ended.
    cancels_ended: bool,
    /// The lowest level of the log messages that it asks for (2026-07-28).
    log_level: Option<usize>,
    /// The kinds of input that the client declares in it (2026-07-28).
    declared: Declared,
    /// A hash of all that the client declares in it.
    declared_hash: u64,
    /// A hash of the params that a retry repeats (2026-07-28).
    repeated: u64,
}

/// The members of params that are used.
struct Params<'buf> {
    /// The offset of params, or of the method if there are none.
    at: usize,
    is_object: bool,
    name: Option<Member<'buf>>,
    uri: Option<Member<'buf>>,
    cursor: Option<Member<'buf>>,
    capabilities: Option<Member<'buf>>,
    task: Option<Member<'buf>>,
    task_id: Option<Member<'buf>>,
    status: Option<Member<'buf>>,
    request_id: Option<Member<'buf>>,
    progress_token: Option<Member<'buf>>,
    progress: Option<Member<'buf>>,
    level: Option<Member<'buf>>,
    tools: Option<Member<'buf>>,
    tool_choice: Option<Member<'buf>>,
    mode: Option<Member<'buf>>,
    notifications: Option<Member<'buf>>,
    input_responses: Option<Member<'buf>>,
    request_state: Option<Member<'buf>>,
    meta: Option<Member<'buf>>,
    /// The progress token in the metadata.
    token: Option<Id<'buf>>,
    log_level: Option<Member<'buf>>,
    related_task: Option<Member<'buf>>,
    subscription_id: Option<Member<'buf>>,
    /// The capabilities in the metadata, and a hash of their text.
    declared: Declared,
    declared_hash: u64,
}

/// The members of a result that are used.
struct Answer<'buf> {
    /// The offset of the result.
    at: usize,
    is_object: bool,
    meta: Option<Member<'buf>>,
    /// The value of `resultType`.
    kind: Option<RawStr<'buf>>,
    next_cursor: Option<Member<'buf>>,
    tools: Option<Member<'buf>>,
    structured_content: Option<Member<'buf>>,
    is_error: bool,
    task: Option<Member<'buf>>,
    tasks: Option<Member<'buf>>,
    task_id: Option<Member<'buf>>,
    status: Option<Member<'buf>>,
    related_task: Option<Member<'buf>>,
    subscription_id: Option<Member<'buf>>,
    input_requests: Option<Member<'buf>>,
    request_state: Option<Member<'buf>>,
    capabilities: Option<Member<'buf>>,
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
            found_tasks: Known::new(FEW),
            elicited: Known::new(MOST),
            server_has_tasks: None,
            offered: None,
            given: 0,
            header_integers: 0,
            inputs: Known::new(FEW),
            task_inputs: Known::new(FEW),
            subscriptions: Known::new(FEW),
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

    /// Returns whether no other request of a kind waits for its answer. If many requests wait, returns false, to save
    /// time.
    fn has_none_waiting(&self, is_of_kind: impl Fn(&Call) -> bool) -> bool {
        const FEW: usize = 64;
        self.calls.len() <= FEW
            && !self.calls.values().any(|call| call.cancelled.is_none() && is_of_kind(call))
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
