//! A session, seen from both sides in the order of the wire.

use tautline::envelope::Batches;
use tautline::{ErrorCode, Fault, Message, Profile, Rule, Severity};
use tautline_mcp::conversation::Conversation;
use tautline_mcp::session::{Event, Session, Slot};
use tautline_mcp::{Era, Finding, KnownMethod, ParamsView, ResultView, Revision, Role, rule};

use super::correlation::{At, Correlation, Expected, Unanswered};
use super::expectation::{Asked, Expectations};
use super::payload::{Names, is_part_of_a_shape, offset_of_repeated};
use super::peers::Peers;
use super::refusal::{Cause, Failure};
use super::{Answered, Judge, schema};
use crate::frame::FindingReport;

/// The maximum number of open requests whose answers the state of the session depends on.
const SLOTS: usize = 64;

/// The revision whose profile applies until a session has settled on one.
const BEFORE: Revision = Revision::V2025_11_25;

/// The rules that messages are checked against.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is MCP, and what it is built on")]
pub enum Selection {
    /// The rules of the revision that the two sides agree on.
    Auto,
    /// The rules of this revision of MCP, whatever the two sides agree on.
    Revision(Revision),
    /// The rules of another protocol on top of JSON-RPC 2.0.
    Other(Profile),
}

/// A judge of both sides of a session.
#[derive(Debug)]
pub struct TwoSides {
    selection: Selection,
    session: Session<Vec<Slot>>,
    conversation: Conversation,
    correlation: Correlation,
    expectations: Expectations,
    peers: Peers,
    names: Names,
    /// The frame that is being judged.
    from: Role,
    at: At,
    /// True if the frame is an error with null as its id.
    is_null_error: bool,
    /// The request that the frame answers.
    answered: Option<Answered>,
    /// The requirements on answers that the frame meets.
    met: Vec<&'static str>,
    /// The revision that the last message was checked against.
    revision: Option<Revision>,
    /// True if the sessions use HTTP.
    is_http: bool,
}

impl TwoSides {
    /// Creates a judge of a session that has not begun.
    #[must_use]
    pub fn new(selection: Selection) -> Self {
        Self {
            selection,
            session: Session::new(vec![Slot::EMPTY; SLOTS]),
            conversation: Conversation::new(),
            correlation: Correlation::default(),
            expectations: Expectations::default(),
            peers: Peers::default(),
            names: Names::default(),
            from: Role::Client,
            at: At::default(),
            is_null_error: false,
            answered: None,
            met: Vec::new(),
            revision: None,
            is_http: false,
        }
    }

    /// Notes that the sessions use HTTP.
    pub(crate) const fn set_http(&mut self) {
        self.is_http = true;
        self.conversation.set_http();
    }

    /// Prepares for the next frame.
    pub(crate) fn next_frame(&mut self, from: Role, at: At) {
        self.from = from;
        self.at = at;
        self.answered = None;
        self.met.clear();
        self.is_null_error = false;
    }

    /// Returns the request that the last message answers.
    #[must_use]
    pub const fn answered(&self) -> Option<&Answered> {
        self.answered.as_ref()
    }

    /// Returns the requirements on answers that the last frame meets.
    pub(crate) fn met(&self) -> &[&'static str] {
        &self.met
    }

    /// Returns the revision that the last message was checked against.
    #[must_use]
    pub const fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// Returns whether the last frame is an error with null as its id.
    pub(crate) const fn is_null_error(&self) -> bool {
        self.is_null_error
    }

    /// Returns the programs on both sides, as far as they are known.
    pub(crate) const fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Returns the revision that the two sides have agreed on.
    #[must_use]
    pub const fn negotiated(&self) -> Option<Revision> {
        self.session.revision()
    }

    /// Notes that this side has sent something that can't be read, and may be answered with an error without an id.
    pub fn unreadable(&mut self, from: Role) {
        self.correlation.blame(from, None);
        self.conversation.observe_unreadable(from, None);
    }

    /// Notes that this side has answered the request with this id, as it was written, in a frame that the recording
    /// lacks.
    pub(crate) fn answered_unseen(&mut self, from: Role, id: &str) {
        let response = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        if let Ok(Message::Response(response)) =
            Message::parse(response.as_bytes(), &self.profile())
            && let Some(id) = response.id()
        {
            self.correlation.cancel(from.other(), &id);
        }
    }

    /// Returns the messages that should have been sent in the session that ends, and were not: the broken rule, the
    /// side that owed the message, and the method that it is about.
    pub(crate) fn omissions(&self) -> Vec<(Rule, Role, KnownMethod)> {
        let mut omissions = Vec::new();
        self.conversation.finish(|finding| {
            let owed = finding.expected().and_then(|expected| expected.message());
            omissions.extend(owed.map(|(from, method)| (finding.rule(), from, method)));
        });
        omissions
    }

    /// Ends the session, and returns the requests that were not answered.
    pub(crate) fn end(&mut self) -> Vec<Unanswered> {
        let unanswered = self.correlation.end();
        let selection = self.selection;
        let has_lost = !self.correlation.has_kept_all();
        let is_http = self.is_http;
        *self = Self::new(selection);
        if is_http {
            self.set_http();
        }
        if has_lost {
            self.correlation.lose();
        }
        unanswered
    }

    /// Returns whether every request could be remembered.
    #[must_use]
    pub const fn has_kept_all(&self) -> bool {
        self.correlation.has_kept_all() && self.conversation.has_kept_all()
    }

    /// Returns the revision that a message is checked against, after the session has observed it.
    fn revision_of(&self, message: &Message<'_>) -> Option<Revision> {
        match self.selection {
            Selection::Auto => self.session.revision().or_else(|| named_in(message)),
            Selection::Revision(revision) => Some(revision),
            Selection::Other(_) => None,
        }
    }

    /// Observes the messages of a batch that must not be sent, which is the one thing that is reported. Its receiver may
    /// serve them or refuse the batch.
    fn observe_elements(&mut self, frame: &[u8]) {
        let profile = self.profile().with_batches(Batches::Allowed);
        let Ok(Message::Batch(batch)) = Message::parse(frame, &profile) else { return };
        for element in batch.iter().filter_map(|element| element.message().ok()) {
            self.message(&element, &mut |_| {});
            if let Message::Request(request) = &element {
                self.correlation.cancel(self.from, &request.id());
            }
        }
    }

    /// Matches requests with their answers.
    fn correlate(
        &mut self,
        message: &Message<'_>,
        found: &[FindingReport],
        report: &mut dyn FnMut(FindingReport),
    ) {
        let (from, at) = (self.from, self.at);
        match message {
            Message::Request(request) => {
                let asked = Asked {
                    from,
                    request,
                    at,
                    frame: message.frame(),
                    found,
                    revision: self.revision,
                    is_mcp: !matches!(self.selection, Selection::Other(_)),
                };
                let expected = self.expectations.request(&asked);
                self.met.extend(self.expectations.check_poll(&asked, report));
                if from == Role::Server && asked.is_mcp {
                    schema::check_form(request, self.revision, report);
                }
                if from == Role::Client {
                    self.met.extend(self.expectations.check_input(request, report));
                }
                let method = request.method().decode().unwrap_or_default();
                self.correlation.request(from, &request.id(), &method, at, expected);
            }
            Message::Notification(note) => {
                let method = KnownMethod::named(note.method());
                if method == Some(KnownMethod::Cancelled)
                    && let Some(id) = note
                        .params()
                        .and_then(ParamsView::of)
                        .and_then(|params| params.request_id())
                {
                    self.correlation.cancel(from, &id);
                }
                self.expectations.notification(from, note, &mut self.correlation);
            }
            Message::Response(response) => {
                let is_other = matches!(self.selection, Selection::Other(_));
                let is_rewritten = found.iter().any(|one| one.rule == rule::RESPONSE_ID_REWRITTEN);
                if is_rewritten && let Some(id) = response.id() {
                    self.correlation.cancel_like(from.other(), &id);
                }
                self.answered = self.correlation.response(from, response, at, is_other, report);
                self.met.extend(self.answered.as_ref().and_then(|answered| answered.met));
                let (answered, correlation) = (self.answered.as_ref(), &mut self.correlation);
                let revision = self.revision;
                self.expectations.response(from, response, answered, revision, correlation, report);
            }
            Message::Batch(_) => {}
        }
    }
}

impl Judge for TwoSides {
    fn profile(&self) -> Profile {
        match self.selection {
            Selection::Auto => self.session.revision().unwrap_or(BEFORE).profile(),
            Selection::Revision(revision) => revision.profile(),
            Selection::Other(profile) => profile,
        }
    }

    fn profile_of(&self, frame: &[u8]) -> Profile {
        let is_batch = frame.trim_ascii_start().first() == Some(&b'[');
        if !is_batch || !matches!(self.selection, Selection::Auto) {
            return self.profile();
        }
        // A handshake in a batch names the revision by which batches are judged.
        let Ok(Message::Batch(batch)) = Message::parse(frame, &Profile::JSON_RPC) else {
            return self.profile();
        };
        let mut messages = batch.iter().filter_map(|element| element.message().ok());
        let named = self.session.revision().or_else(|| {
            messages.find_map(|message| match message {
                Message::Response(response) => {
                    ResultView::of(response.result()?)?.protocol_version().and_then(Revision::named)
                }
                message => named_in(&message),
            })
        });
        named.map_or_else(|| self.profile(), Revision::profile)
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode> {
        let mut found: Vec<Finding> = Vec::new();
        let mut reports = Vec::new();
        let mut refusal = None;
        let mut event = None;
        if !matches!(self.selection, Selection::Other(_)) {
            event = Some(self.session.observe(self.from, message, |finding| found.push(finding)));
            if let Some(Event::Refused(refused)) = event {
                refusal = Some(refused.code());
            }
            // The correlation remembers more requests than the session.
            found.retain(|finding| finding.rule() != rule::UNTRACKED_REQUEST);
            // A client may ask for any version. The versions that the server supports are not known here.
            for finding in extract_unsupported(&mut found) {
                reports.push(finding);
            }
        }
        self.peers.observe(self.from, message);
        self.revision = self.revision_of(message);
        // The other side ignores requests of a modern server, and responses to it, so that nothing else about them matters.
        let is_ignored = matches!(event, Some(Event::Ignored(_) | Event::Unmatched))
            && !matches!(message, Message::Notification(_));
        let misdirected = |finding: &&Finding| finding.rule() == rule::WRONG_DIRECTION;
        if let Some(finding) = found.iter().find(misdirected).filter(|_| is_ignored) {
            report(FindingReport::of_revision(finding));
            return None;
        }
        if let Some(revision) = self.revision {
            // The session knows which extensions may have results of their own type.
            let knows_kind = matches!(event, Some(Event::Response { .. }));
            revision.findings(message, |finding| {
                if knows_kind && finding.rule() == rule::UNKNOWN_RESULT_TYPE {
                    return;
                }
                if !found.iter().any(|other| is_same(other, &finding)) {
                    found.push(finding);
                }
            });
            self.conversation.observe(self.from, message, revision, |finding| {
                found.retain(|other| {
                    let is_part = is_part_of_a_shape(other.rule());
                    !(is_part && other.offset() == finding.offset() || is_same(other, &finding))
                });
                reports.push(FindingReport::of(&finding).in_payload());
            });
        }
        reports.extend(found.iter().map(FindingReport::of_revision));
        // What only the other side may call is wrong whatever its params are.
        if !matches!(message, Message::Response(_))
            && reports.iter().any(|finding| finding.rule == rule::WRONG_DIRECTION)
        {
            let causes = [rule::WRONG_DIRECTION, rule::METHOD_NOT_IN_REVISION];
            reports.retain(|finding| causes.contains(&finding.rule));
        }
        leave_out_consequences(&mut reports);
        let repeated: Vec<u64> = reports.iter().filter_map(offset_of_repeated).collect();
        self.names.report_repeated(message, &repeated, &mut |finding| reports.push(finding));
        self.correlate(message, &reports, report);
        reports.into_iter().for_each(report);
        refusal
    }

    fn fault(&mut self, fault: &Fault<'_>, report: &mut dyn FnMut(FindingReport)) {
        // In JSON-RPC, an error with null as its id answers a message that could not be read.
        if fault.rule() == Rule::ID_NULL
            && let Ok(Message::Response(response)) =
                Message::parse(fault.frame(), &Profile::JSON_RPC)
        {
            self.is_null_error = true;
            self.correlation.response(self.from, &response, self.at, false, report);
            return;
        }
        if !matches!(self.selection, Selection::Other(_)) {
            self.session.observe_fault(self.from, fault);
        }
        let id = fault.id().and_then(tautline::Id::of);
        self.conversation.observe_unreadable(self.from, id.as_ref());
        if matches!(fault.rule(), Rule::BATCH_MIXED | Rule::BATCH_NOT_ALLOWED) {
            self.observe_elements(fault.frame());
        }
        let reply = fault.reply();
        self.correlation.blame(self.from, reply.as_ref());
        // A broken response is reported as such. Its request must not be reported as unanswered as well.
        if reply.is_none()
            && let Some(id) = fault.id().and_then(tautline::Id::of)
        {
            self.correlation.cancel(self.from.other(), &id);
        }
        if let Some(reply) = &reply
            && let Some(id) = reply.id().filter(|id| !matches!(id, tautline::Id::Null))
        {
            let mut failure = Failure::default();
            let words = || format!("the request breaks the rule {}", rule::name(fault.rule()));
            failure.add(Cause::Invalid, None, self.revision, words);
            if fault.rule() == Rule::PARAMS_TYPE {
                // It is a request of JSON-RPC, but for the params of MCP.
                failure.may_be(ErrorCode::INVALID_PARAMS.value());
            }
            let expected = Expected { failure: failure.into_option(), ..Expected::default() };
            self.correlation.request(self.from, &id, "", self.at, expected);
        }
    }
}

/// Removes the findings on versions that are not supported, and returns them as notes.
fn extract_unsupported(found: &mut Vec<Finding>) -> Vec<FindingReport> {
    let is_one = |finding: &mut Finding| finding.rule() == rule::VERSION_UNSUPPORTED;
    let note = |finding: Finding| {
        let mut report = FindingReport::of(&finding);
        report.severity = Severity::Note;
        report
    };
    found.extract_if(.., is_one).map(note).collect()
}

/// Removes findings that others at the same place imply, so that each cause is reported once.
fn leave_out_consequences(reports: &mut Vec<FindingReport>) {
    const CONSEQUENCES: [(Rule, Rule); 5] = [
        // A result of another type lacks the members of the method's result.
        (rule::INPUT_REQUIRED_UNEXPECTED, rule::MISSING_MEMBER),
        (rule::SUBSCRIPTION_ID, rule::SUBSCRIPTION_UNKNOWN),
        (rule::TASK_PROGRESS_TOKEN, rule::PROGRESS_UNKNOWN),
        // The method belongs to another revision, and so do its metadata and its direction.
        (rule::METHOD_NOT_IN_REVISION, rule::MISSING_META),
        (rule::METHOD_NOT_IN_REVISION, rule::WRONG_DIRECTION),
    ];
    for (cause, consequence) in CONSEQUENCES {
        let is_of = |rule| move |finding: &&FindingReport| finding.rule == rule;
        let Some(column) = reports.iter().find(is_of(cause)).map(|finding| finding.column) else {
            continue;
        };
        reports.retain(|finding| !(finding.rule == consequence && finding.column == column));
    }
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.rule() == other.rule() && one.offset() == other.offset()
}

/// Returns the revision that a request names: in its metadata, or as the one that `initialize` asks for.
fn named_in(message: &Message<'_>) -> Option<Revision> {
    let Message::Request(request) = message else { return None };
    let params = request.params().and_then(ParamsView::of)?;
    let meta = params.meta().and_then(|meta| meta.protocol_version());
    if let Some(revision) = meta.and_then(Revision::named) {
        return Some(revision).filter(|revision| revision.era() == Era::Modern);
    }
    let is_initialize = KnownMethod::named(request.method()) == Some(KnownMethod::Initialize);
    params.protocol_version().filter(|_| is_initialize).and_then(Revision::named)
}
