//! Judges: everything that can be seen on the wire, checked against everything that both sides have sent before.
//!
//! A [`Judge`] is a [`Session`] that keeps its requests on the heap, and a [`Conversation`] that knows from it which
//! request each message is about. It reports each fault once: what the schema of a payload says as well, or what only
//! follows from another fault of the message, is left out.
//!
//! ```
//! use tautline_mcp::judge::Judge;
//! use tautline_mcp::{Message, Revision, Role};
//!
//! let frames = [
//!     (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},
//!         "protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}"#),
//!     (Role::Server, r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},
//!         "protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}"#),
//!     (Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
//!     (Role::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#),
//!     (Role::Server, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"copy"}]}}"#),
//!     (Role::Server, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#),
//! ];
//! let profile = Revision::V2025_11_25.profile();
//! let mut judge = Judge::new();
//! let mut found = Vec::new();
//! for (from, frame) in frames {
//!     match Message::parse(frame.as_bytes(), &profile) {
//!         Ok(message) => judge.observe(from, &message, |finding| found.push(finding.to_string())),
//!         Err(fault) => judge.observe_fault(from, &fault),
//!     }
//! }
//! assert_eq!(found, [
//!     "missing-member at byte 43: the required member \"inputSchema\" is missing",
//!     "response-duplicate at byte 22: the request was already answered",
//! ]);
//! ```
//!
//! # Messages that are judged late
//!
//! Until both sides have agreed on a revision, a message is judged by the revision that it names, or not at all. To judge
//! it later, let the session [follow](Judge::follow) it at once and keep what that returns, together with the frame.
//! [`Judge::judge`] does the rest, in the order of the messages, as soon as [`Judge::revision_of`] or the end of the
//! recording tells the revision.

use alloc::vec::Vec;

use tautline::{Fault, Id, Message, Rule};

use crate::conversation::Conversation;
use crate::session::{Event, Heap, InFlight, Pairing, Phase, Session};
use crate::{Era, Finding, KnownMethod, ParamsView, Revision, Role, rule};

/// The revision of an `initialize` that names no known one, and of a session that has shown none.
pub const BEFORE: Revision = Revision::V2025_11_25;

/// A judge of both sides of a session, in the order of the wire.
///
/// See the [module](self) for an example. Memory is bounded, whatever the sides send.
#[derive(Debug)]
pub struct Judge {
    session: Session<Heap>,
    conversation: Conversation,
    /// The legacy revision that the client has asked for.
    asked: Option<Revision>,
    /// The revision that a request of the client has named last.
    named: Option<Revision>,
}

/// The findings of the session in a message that is not [judged](Judge::judge) yet.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    found: Vec<Finding>,
    pairing: Pairing,
    /// True if the session has judged the type of the result.
    knows_kind: bool,
}

impl Followed {
    /// Returns the findings of the session, in the order of its checks.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.found
    }

    /// Removes the findings of the session for which `is_kept` is false.
    pub fn retain(&mut self, is_kept: impl FnMut(&Finding) -> bool) {
        self.found.retain(is_kept);
    }

    /// Returns which request the message is about.
    #[must_use]
    pub const fn pairing(&self) -> &Pairing {
        &self.pairing
    }
}

impl Default for Judge {
    fn default() -> Self {
        Self::new()
    }
}

impl Judge {
    /// Creates a judge of a session that has not begun.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            session: Session::new(Heap::new()),
            conversation: Conversation::new(),
            asked: None,
            named: None,
        }
    }

    /// Declares that the session uses HTTP, as [`Conversation::set_http`] does.
    pub const fn set_http(&mut self) {
        self.conversation.set_http();
    }

    /// Returns the session.
    #[must_use]
    pub const fn session(&self) -> &Session<Heap> {
        &self.session
    }

    /// Returns the session, to excuse requests from being answered.
    pub const fn session_mut(&mut self) -> &mut Session<Heap> {
        &mut self.session
    }

    /// Observes a message of one side, and reports what is wrong with it. Until the session has settled on a revision, the
    /// message is judged by the [likely](Self::likely_revision) one.
    pub fn observe(&mut self, from: Role, message: &Message<'_>, mut report: impl FnMut(Finding)) {
        if let Message::Batch(batch) = message {
            for element in batch.iter() {
                match element.message() {
                    Ok(message) => self.observe_one(from, &message, &mut report),
                    Err(fault) => self.observe_fault(from, &fault),
                }
            }
        } else {
            self.observe_one(from, message, &mut report);
        }
    }

    fn observe_one(&mut self, from: Role, message: &Message<'_>, report: &mut dyn FnMut(Finding)) {
        let (_, followed) = self.follow(from, message);
        let revision = self.revision_of(from, message).unwrap_or_else(|| self.likely_revision());
        self.judge(from, message, revision, followed, report);
    }

    /// Observes a frame that is not a message: its answer is not unexpected, and a notification may cancel it.
    pub fn observe_fault(&mut self, from: Role, fault: &Fault<'_>) {
        self.session.observe_fault(from, fault);
        let id = fault.id().and_then(Id::of);
        self.session.observe_unreadable(from, id.as_ref());
    }

    /// Lets the session observe a message that is not a batch. Returns what it means, and what [`judge`](Self::judge)
    /// needs.
    pub fn follow<'buf>(&mut self, from: Role, message: &Message<'buf>) -> (Event<'buf>, Followed) {
        self.note_asked(from, message);
        let mut found = Vec::new();
        let event = self.session.observe(from, message, |finding| found.push(finding));
        let knows_kind = matches!(event, Event::Response { .. });
        (event, Followed { found, pairing: self.session.pairing(), knows_kind })
    }

    /// Judges a message that the session has followed, under a revision. Judge all messages in the order of the wire.
    ///
    /// The findings come in this order: the payload against the shapes of the revision, the payload against the messages
    /// before it, and the message in its session. Those about the payload [have a path](Finding::has_path).
    pub fn judge(
        &mut self,
        from: Role,
        message: &Message<'_>,
        revision: Revision,
        followed: Followed,
        report: impl FnMut(Finding),
    ) {
        let Followed { mut found, pairing, knows_kind } = followed;
        revision.findings(message, |finding| {
            let is_known = knows_kind && finding.rule() == rule::UNKNOWN_RESULT_TYPE;
            if !is_known && !found.iter().any(|other| is_same(other, &finding)) {
                found.push(finding);
            }
        });
        let mut judged = Vec::new();
        self.conversation.observe(from, message, revision, &pairing, |finding| {
            let mut part = None;
            found.retain(|other| {
                // Without params, there is no place for the name of a subscription.
                let is_part = is_part_of_a_shape(other.rule())
                    && finding.rule() != rule::SUBSCRIPTION_ID
                    && other.offset() == finding.offset();
                part = part.or_else(|| is_part.then(|| other.rule()));
                !(is_part || is_same(other, &finding))
            });
            judged.push(finding.in_payload().standing_for(part));
        });
        judged.append(&mut found);
        // A call from the wrong side is wrong, whatever its params are.
        if !matches!(message, Message::Response(_))
            && judged.iter().any(|finding| finding.rule() == rule::WRONG_DIRECTION)
        {
            let causes = [rule::WRONG_DIRECTION, rule::METHOD_NOT_IN_REVISION];
            judged.retain(|finding| causes.contains(&finding.rule()));
        }
        leave_out_consequences(&mut judged);
        judged.into_iter().for_each(report);
    }

    /// Returns the revision by which a message is judged that the session has followed: the one in force, the one that the
    /// request names, or else the one that the client has asked for if the session was opened without one. Returns `None`
    /// if the revision is not known yet.
    #[must_use]
    pub fn revision_of(&self, from: Role, message: &Message<'_>) -> Option<Revision> {
        let named = || revision_named_in(message).filter(|_| from == Role::Client);
        self.session.revision().or_else(named).or_else(|| self.unsettled_revision())
    }

    /// Returns the revision for the messages of a session that was opened without one: the server has answered
    /// `initialize` with no version, or with one that is not known.
    #[must_use]
    pub fn unsettled_revision(&self) -> Option<Revision> {
        let phase = self.session.phase();
        let is_open = matches!(phase, Phase::AwaitingInitialized | Phase::Operating);
        self.asked.filter(|_| is_open)
    }

    /// Returns the revision in force, or else the one that the client asked for or named last, or else 2025-11-25.
    #[must_use]
    pub fn likely_revision(&self) -> Revision {
        self.session.revision().or(self.asked).or(self.named).unwrap_or(BEFORE)
    }

    /// Records the revision that a request names, until the session has settled on one.
    fn note_asked(&mut self, from: Role, message: &Message<'_>) {
        if let Message::Request(request) = message
            && from == Role::Client
        {
            let initializes = KnownMethod::named(request.method()) == Some(KnownMethod::Initialize);
            if self.session.revision().is_some() && !initializes {
                return;
            }
            let named = revision_named_in(message);
            self.named = named.or(self.named);
            if initializes {
                let legacy = named.filter(|revision| revision.era() == Era::Legacy);
                self.asked = legacy.or(Some(BEFORE));
            }
        }
    }

    /// Ends the session, and reports the messages that were due, as [`Conversation::finish`] does.
    pub fn finish(&self, report: impl FnMut(Finding)) {
        self.conversation.finish(report);
    }

    /// Returns the requests whose answers are owed, with their numbers, as [`Session::owed`] does.
    pub fn owed(&self) -> impl Iterator<Item = (u64, InFlight<'_>)> {
        self.session.owed()
    }

    /// Returns whether every request could be kept. If not, some findings are missing.
    #[must_use]
    pub const fn has_kept_all(&self) -> bool {
        self.conversation.has_kept_all()
    }
}

/// Returns the revision that a request names: in its metadata, or as the one that `initialize` asks for. An `initialize`
/// without a known version is one of the latest revision that has it.
#[must_use]
pub fn revision_named_in(message: &Message<'_>) -> Option<Revision> {
    let Message::Request(request) = message else { return None };
    let params = request.params().and_then(ParamsView::of)?;
    let meta = params.meta().and_then(|meta| meta.protocol_version());
    if let Some(revision) = meta.and_then(Revision::named) {
        return Some(revision).filter(|revision| revision.era() == Era::Modern);
    }
    let is_initialize = KnownMethod::named(request.method()) == Some(KnownMethod::Initialize);
    is_initialize.then(|| params.protocol_version().and_then(Revision::named).unwrap_or(BEFORE))
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.rule() == other.rule() && one.offset() == other.offset()
}

/// Returns whether the [shapes](crate::shape) of a revision include the rule, so that a judge reports the finding on the
/// shape alone.
#[must_use]
pub fn is_part_of_a_shape(rule: Rule) -> bool {
    matches!(
        rule,
        rule::MISSING_PARAMS
            | rule::MISSING_META
            | rule::META_TYPE
            | rule::MISSING_RESULT_TYPE
            | Rule::DUPLICATE_NESTED_MEMBER
    )
}

/// Removes findings that others at the same place imply, so that each cause is reported once.
fn leave_out_consequences(findings: &mut Vec<Finding>) {
    const CONSEQUENCES: [(Rule, Rule); 7] = [
        // A result of another type lacks the members of the method's result.
        (rule::INPUT_REQUIRED_UNEXPECTED, rule::MISSING_MEMBER),
        (rule::SUBSCRIPTION_ID, rule::SUBSCRIPTION_UNKNOWN),
        (rule::MISSING_PARAMS, rule::SUBSCRIPTION_ID),
        (rule::TASK_PROGRESS_TOKEN, rule::PROGRESS_UNKNOWN),
        // The method belongs to another revision, and so do its metadata and its direction.
        (rule::METHOD_NOT_IN_REVISION, rule::MISSING_META),
        (rule::METHOD_NOT_IN_REVISION, rule::WRONG_DIRECTION),
        // A server of both eras may serve it.
        (rule::ERA_MIXED, rule::METHOD_NOT_IN_REVISION),
    ];
    for (cause, consequence) in CONSEQUENCES {
        let mut causes = findings.iter().filter(|finding| finding.rule() == cause);
        let Some(offset) = causes.next().map(Finding::offset) else { continue };
        // The id of a subscription is missing in params, and the method is that of no subscription without it.
        let is_anywhere = cause == rule::SUBSCRIPTION_ID;
        findings
            .retain(|one| !(one.rule() == consequence && (is_anywhere || one.offset() == offset)));
    }
}
