//! A session, seen from both sides in the order of the wire.

use memchr::memmem;
use tautline::envelope::Batches;
use tautline::frame::FramingKind;
use tautline::{Envelope, ErrorCode, Fault, Id, Message, Profile, Reply, Rule, Severity};
use tautline_mcp::conversation::Conversation;
use tautline_mcp::protocol::{Protocol, Sign};
use tautline_mcp::session::{Event, Phase, Session, Slot};
use tautline_mcp::{Era, Finding, KnownMethod, ParamsView, ResultView, Revision, Role, rule};

use super::correlation::{At, Blame, Correlation, Expected, Unanswered};
use super::expectation::{Asked, Expectations};
use super::late::{Followed, Late, Queue};
use super::nearest::Recent;
use super::opening::Opening;
use super::payload::{Names, is_part_of_a_shape, offset_of_repeated};
use super::peers::Peers;
use super::refusal::{Cause, Failure};
use super::{Answered, Judge, schema};
use crate::frame::{FindingReport, FrameReport, MaxFindings, Piece};

/// The maximum number of open requests whose answers the state of the session depends on.
const SLOTS: usize = 64;

/// The most bytes of a frame that are searched for the start of its result.
const LONGEST_HEAD: usize = 1024;

/// The maximum number of stray responses that are kept until the protocol is known.
const STRAYS: usize = 1024;

/// The revision whose profile applies until a session has settled on one.
const BEFORE: Revision = Revision::V2025_11_25;

/// The rules that messages are checked against.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is MCP, and what it is built on")]
pub enum Selection {
    /// The rules of the protocol that the two sides speak and, if that is MCP, of the revision that they agree on.
    Auto,
    /// The rules of this revision of MCP, whatever the two sides agree on.
    Revision(Revision),
    /// The rules of another protocol on top of JSON-RPC 2.0.
    Other(Profile),
}

/// The rules that apply to a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Those of MCP.
    Mcp,
    /// Those of another protocol.
    Other,
    /// The protocol is not known yet.
    Undecided,
}

/// A judge of both sides of a session.
#[derive(Debug)]
pub struct TwoSides {
    selection: Selection,
    pub(super) framing: FramingKind,
    /// The maximum number of findings of each message that is judged late.
    pub(super) limit: MaxFindings,
    /// What has shown the protocol, and the number of the frame.
    protocol: Option<(Sign, u64)>,
    /// What suggests a protocol, and the number of the frame.
    hint: Option<(Sign, u64)>,
    /// The frames that wait until the protocol and the revision are known.
    pub(super) waiting: Queue,
    pub(super) late: Vec<Late>,
    /// The profile for the envelope of the next frame, if it is not the usual one.
    lenient: Option<Profile>,
    /// True if the frame is to be judged late.
    waits: bool,
    /// What the session has found in the frame, if the frame is to be judged late.
    followed: Option<Followed>,
    opening: Opening,
    /// The legacy revision that the client has asked for.
    asked: Option<Revision>,
    /// The revision that a request of the client has named last.
    named: Option<Revision>,
    /// Responses that answer nothing, with the numbers of their frames, until the protocol is known.
    strays: Vec<(u64, FindingReport)>,
    /// The revision by which messages were judged although the two sides have not agreed on it.
    assumed: Option<Revision>,
    session: Session<Vec<Slot>>,
    /// True if more requests were in flight than the session has slots.
    has_overflowed: bool,
    conversation: Conversation,
    correlation: Correlation,
    recent: Recent,
    expectations: Expectations,
    peers: Peers,
    names: Names,
    /// The frame that is being judged.
    from: Role,
    at: At,
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
            framing: FramingKind::Ndjson,
            limit: MaxFindings::AtMost(100),
            protocol: None,
            hint: None,
            waiting: Queue::default(),
            late: Vec::new(),
            lenient: None,
            waits: false,
            followed: None,
            opening: Opening::default(),
            asked: None,
            named: None,
            strays: Vec::new(),
            assumed: None,
            session: Session::new(vec![Slot::EMPTY; SLOTS]),
            has_overflowed: false,
            conversation: Conversation::new(),
            correlation: Correlation::default(),
            recent: Recent::default(),
            expectations: Expectations::default(),
            peers: Peers::default(),
            names: Names::default(),
            from: Role::Client,
            at: At::default(),
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

    /// Sets how both sides delimit their messages.
    pub(crate) const fn set_framing(&mut self, framing: FramingKind) {
        self.framing = framing;
    }

    /// Sets the maximum number of findings of each message that is judged late.
    pub(crate) const fn set_limit(&mut self, limit: MaxFindings) {
        self.limit = limit;
    }

    /// Prepares for the next frame.
    pub(crate) fn next_frame(&mut self, from: Role, at: At) {
        self.from = from;
        self.at = at;
        self.answered = None;
        self.met.clear();
        self.lenient = None;
        self.waits = false;
        self.followed = None;
    }

    /// Keeps the last frame if it is to be judged late. Returns whether it was kept.
    pub(crate) fn keep(&mut self, piece: &Piece<'_>, report: &FrameReport<'_>) -> bool {
        self.waits && self.waiting.add((self.from, self.at), piece, report, self.followed.take())
    }

    /// Returns the frames that were judged late since the last call.
    pub(crate) fn take_late(&mut self) -> Vec<Late> {
        std::mem::take(&mut self.late)
    }

    /// Decides on the protocol and the revision of a session that ends, and judges the frames that wait.
    pub(crate) fn conclude(&mut self) {
        self.decide_by_hint();
        if self.mode() == Mode::Mcp {
            self.catch_up(Some(self.likely()));
        }
    }

    /// Returns the protocol of the session, what shows it, and the number of the frame that shows it.
    pub(crate) fn protocol(&self) -> Option<(Protocol, &'static str, u64)> {
        self.protocol.map(|(sign, frame)| (sign.protocol(), sign.reason(), frame))
    }

    /// Returns how the session began, if it is one of MCP.
    pub(crate) fn opening(&self) -> Option<&Opening> {
        (self.mode() == Mode::Mcp).then_some(&self.opening)
    }

    /// Returns the revision by which messages were judged although the two sides have not agreed on it.
    pub(crate) const fn assumed(&self) -> Option<Revision> {
        self.assumed
    }

    /// Returns the number of frames that were not judged beyond the envelope, because too many waited.
    pub(crate) const fn unjudged(&self) -> u64 {
        self.waiting.left_out()
    }

    /// Returns whether a frame is one of a protocol that is not JSON-RPC 2.0, after the session was found to speak it.
    pub(crate) fn is_known_stranger(&self, frame: &[u8]) -> bool {
        let Some((sign, first)) = self.protocol else { return false };
        matches!(sign.protocol(), Protocol::JsonRpc1 | Protocol::Dap)
            && first != self.at.number
            && Sign::of(frame, self.framing).is_some_and(|own| own.protocol() == sign.protocol())
    }

    /// Adds to a finding on a frame of this side what its message was probably meant for. Returns whether it was meant
    /// for a notification.
    pub(crate) fn explain(&self, finding: &mut FindingReport, from: Role, frame: &[u8]) -> bool {
        self.recent.explain(finding, from, frame)
    }

    /// Gives up a protocol other than MCP that no `initialize` has shown, if this frame names a version of MCP.
    fn reconsider(&mut self, frame: &[u8]) {
        let is_open = |sign: &Sign| sign.protocol() != Protocol::Mcp && !sign.is_handshake();
        if matches!(self.selection, Selection::Auto)
            && self.protocol.as_ref().is_some_and(|(sign, _)| is_open(sign))
            && memmem::find(frame, b"rotocolVersion").is_some()
            && Sign::of(frame, self.framing).is_some_and(|sign| sign.protocol() == Protocol::Mcp)
        {
            self.protocol = None;
        }
    }

    fn mode(&self) -> Mode {
        match (self.selection, self.protocol) {
            (Selection::Revision(_), _) => Mode::Mcp,
            (Selection::Other(_), _) => Mode::Other,
            (Selection::Auto, None) => Mode::Undecided,
            (Selection::Auto, Some((sign, _))) if sign.protocol() == Protocol::Mcp => Mode::Mcp,
            (Selection::Auto, Some(_)) => Mode::Other,
        }
    }

    fn decide(&mut self, sign: Sign, frame: u64) {
        self.protocol = Some((sign, frame));
        let strays = std::mem::take(&mut self.strays);
        if sign.protocol() == Protocol::Mcp {
            // The session reports them.
            self.catch_up(None);
            return;
        }
        for waiting in self.waiting.take() {
            let number = waiting.at.number;
            let own = |stray: &&(u64, FindingReport)| stray.0 == number;
            let strays = strays.iter().filter(own).map(|(_, stray)| stray.clone());
            self.late.push(waiting.into_late(strays));
        }
    }

    /// Returns the revision by which a session is judged that has not settled on one: the one that the client asked for,
    /// or that it named last.
    fn likely(&self) -> Revision {
        let settled = self.session.revision().or(self.asked);
        settled.or(self.named).or(self.assumed).unwrap_or(BEFORE)
    }

    /// Returns the revision of the session, once it is certain or cannot become certain.
    fn settled(&self) -> Option<Revision> {
        let is_full = || Some(self.likely()).filter(|_| self.waiting.is_full());
        self.session.revision().or_else(|| self.unsettled()).or_else(is_full)
    }

    /// Notes that the receiver of a frame that must not be sent need not answer the requests in it.
    pub(super) fn excuse(&mut self, from: Role, frame: &[u8]) {
        match Message::parse(frame, &Profile::JSON_RPC) {
            Ok(Message::Request(request)) => self.correlation.cancel(from, &request.id()),
            Ok(Message::Batch(batch)) => {
                for element in batch.iter() {
                    if let Ok(Message::Request(request)) = element.message() {
                        self.correlation.cancel(from, &request.id());
                    }
                }
            }
            _ => {}
        }
    }

    /// Decides on the protocol without a certain sign: MCP, unless something suggests another one.
    fn decide_by_hint(&mut self) {
        if self.mode() == Mode::Undecided {
            let (sign, frame) = self.hint.unwrap_or((Sign::NONE, 0));
            self.decide(sign, frame);
        }
    }

    /// Lets the session observe a message. Returns what it finds, and what the message means.
    pub(super) fn follow<'buf>(
        &mut self,
        from: Role,
        message: &Message<'buf>,
    ) -> (Vec<Finding>, Event<'buf>) {
        let mut found: Vec<Finding> = Vec::new();
        let event = self.session.observe(from, message, |finding| found.push(finding));
        // The correlation remembers more requests than the session. Once the session has missed one, only the correlation
        // can say which response answers none.
        self.has_overflowed |=
            found.iter().any(|finding| finding.rule() == rule::UNTRACKED_REQUEST);
        let is_known_better = |rule| match rule {
            rule::UNTRACKED_REQUEST => true,
            rule::RESPONSE_UNEXPECTED | rule::RESPONSE_DUPLICATE => self.has_overflowed,
            _ => false,
        };
        found.retain(|finding| !is_known_better(finding.rule()));
        if !self.opening.is_answered_badly() {
            return (found, event);
        }
        // The session still waits for the answer, but both sides may have read it and continue.
        let is_early = |rule: Rule| {
            matches!(rule, rule::REQUEST_BEFORE_INITIALIZE | rule::INITIALIZED_UNEXPECTED)
        };
        found.retain(|finding| !is_early(finding.rule()));
        let event = match event {
            Event::Refused(refusal) if is_early(refusal.rule()) => Event::Request,
            event => event,
        };
        (found, event)
    }

    /// Lets the session observe a frame that is not a message.
    pub(super) fn follow_fault(&mut self, from: Role, fault: &Fault<'_>) {
        self.session.observe_fault(from, fault);
    }

    /// Judges a message by a revision. `found` is what the session has found; `knows_kind` is true if that includes the
    /// type of a result.
    pub(super) fn judge_by(
        &mut self,
        revision: Revision,
        from: Role,
        (message, knows_kind): (&Message<'_>, bool),
        mut found: Vec<Finding>,
    ) -> Vec<FindingReport> {
        if self.session.revision().is_none() && matches!(self.selection, Selection::Auto) {
            self.assumed = Some(revision);
        }
        let mut reports = Vec::new();
        revision.findings(message, |finding| {
            if knows_kind && finding.rule() == rule::UNKNOWN_RESULT_TYPE {
                return;
            }
            if !found.iter().any(|other| is_same(other, &finding)) {
                found.push(finding);
            }
        });
        self.conversation.observe(from, message, revision, |finding| {
            let mut report = FindingReport::of(&finding).in_payload();
            found.retain(|other| {
                let is_part =
                    is_part_of_a_shape(other.rule()) && other.offset() == finding.offset();
                report.part = report.part.or_else(|| is_part.then(|| other.rule()));
                !(is_part || is_same(other, &finding))
            });
            reports.push(report);
        });
        reports.extend(found.iter().map(report_of_session));
        // What only the other side may call is wrong whatever its params are.
        if !matches!(message, Message::Response(_))
            && reports.iter().any(|finding| finding.rule == rule::WRONG_DIRECTION)
        {
            let causes = [rule::WRONG_DIRECTION, rule::METHOD_NOT_IN_REVISION];
            reports.retain(|finding| causes.contains(&finding.rule));
        }
        leave_out_consequences(&mut reports);
        self.add_repeated_names(message, &mut reports);
        reports
    }

    fn add_repeated_names(&mut self, message: &Message<'_>, reports: &mut Vec<FindingReport>) {
        let repeated: Vec<u64> = reports.iter().filter_map(offset_of_repeated).collect();
        self.names.report_repeated(message, &repeated, &mut |finding| reports.push(finding));
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
        self.correlation.blame(from, Blame::Other);
        self.conversation.observe_unreadable(from, None);
    }

    /// Notes that this side has answered the request with this id, as it was written, in a frame that the recording
    /// lacks.
    pub(crate) fn answered_unseen(&mut self, from: Role, id: &str) {
        if let Some(id) = Id::parse(id.as_bytes()).filter(|id| *id != Id::Null) {
            self.correlation.cancel(from.other(), &id);
        }
    }

    /// Notes the responses of this side that a report names as lost: their requests were answered, but not readably.
    pub(crate) fn note_lost(&mut self, from: Role, report: &FrameReport<'_>) {
        let findings = report.messages().flat_map(|message| &message.findings);
        for finding in findings.filter(|finding| finding.fault.is_some()) {
            for id in lost_responses(&finding.message.to_string()) {
                if let Some(id) = Id::parse(id.as_bytes()).filter(|id| *id != Id::Null) {
                    self.answered_badly(from, &id);
                }
            }
        }
    }

    /// Notes that the client sends after the server has begun a line, which may be an answer that never ends.
    pub(crate) fn note_begun_line(&mut self) {
        self.opening.answer_begun();
    }

    /// Notes the request that a frame answers whose result or error is not JSON, if the members before that are those of a
    /// response.
    fn note_broken_payload(&mut self, frame: &[u8]) {
        let frame = frame.trim_ascii_start();
        let inner = frame.get(1..).unwrap_or_default().iter().take(LONGEST_HEAD);
        let Some(end) = inner.copied().position(|byte| matches!(byte, b'{' | b'[')) else { return };
        // With another payload, the frame is as good as its head.
        let head = [frame.get(..=end).unwrap_or_default(), b"null}"].concat();
        let envelope = Envelope::read(head.as_slice(), &Profile::JSON_RPC);
        let is_response = match envelope.message() {
            Ok(message) => matches!(message, Message::Response(_)),
            Err(fault) => fault.reply().is_none(),
        };
        if let Some(id) = envelope.id().and_then(Id::of).filter(|_| is_response) {
            self.answered_badly(self.from, &id);
        }
    }

    /// Notes that this side has answered the request with this id in a form that breaks a rule, which is reported. The
    /// request must not be reported as unanswered as well.
    fn answered_badly(&mut self, from: Role, id: &Id<'_>) {
        self.correlation.cancel_like(from.other(), id);
        self.opening.answered_badly(from.other(), id);
    }

    /// Notes that this side has sent an answer without the id of a request, which is reported. It is meant for the one
    /// request that waits, or for the requests of the one batch that waits.
    fn answered_without_id(&mut self) {
        let (from, asker) = (self.from, self.from.other());
        if self.correlation.is_blamed(asker) {
            return;
        }
        let waits = |id: &str| self.correlation.waits_for(asker, id);
        for id in self.recent.waiting_in_one_frame(asker, waits) {
            let id = id
                .strip_prefix('"')
                .map_or_else(|| id.clone(), |text| serde_json::Value::from(text).to_string());
            if let Some(id) = Id::parse(id.as_bytes()) {
                self.answered_badly(from, &id);
            }
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
        let (is_http, framing, limit) = (self.is_http, self.framing, self.limit);
        *self = Self::new(selection);
        (self.framing, self.limit) = (framing, limit);
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
            Selection::Auto => {
                let named = || named_in(message).filter(|_| self.from == Role::Client);
                self.session.revision().or_else(named).or_else(|| self.unsettled())
            }
            Selection::Revision(revision) => Some(revision),
            Selection::Other(_) => None,
        }
    }

    /// Returns the revision for the messages of a session that was opened without one: the server has answered
    /// `initialize` with no version, or with one that is not known.
    fn unsettled(&self) -> Option<Revision> {
        let is_open = matches!(self.session.phase(), Phase::AwaitingInitialized | Phase::Operating);
        self.asked.filter(|_| is_open)
    }

    /// Remembers the revision that `initialize` asks for.
    fn note_asked(&mut self, message: &Message<'_>) {
        if let Message::Request(request) = message
            && self.from == Role::Client
        {
            let named = named_in(message);
            self.named = named.or(self.named);
            if KnownMethod::named(request.method()) == Some(KnownMethod::Initialize) {
                let legacy = named.filter(|revision| revision.era() == Era::Legacy);
                self.asked = legacy.or(Some(BEFORE));
            }
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
                    is_mcp: self.mode() == Mode::Mcp,
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
                let is_alone = self.mode() != Mode::Mcp || self.has_overflowed;
                let is_undecided = self.mode() == Mode::Undecided;
                let (strays, number) = (&mut self.strays, at.number);
                let mut is_stray = false;
                let report = &mut |finding: FindingReport| {
                    is_stray |= finding.rule == rule::ERROR_WITHOUT_CAUSE;
                    match finding.rule {
                        rule::RESPONSE_UNEXPECTED | rule::RESPONSE_DUPLICATE if is_undecided => {
                            if strays.len() < STRAYS {
                                strays.push((number, finding));
                            }
                        }
                        _ => report(finding),
                    }
                };
                let is_rewritten = found.iter().any(|one| one.rule == rule::RESPONSE_ID_REWRITTEN);
                if is_rewritten && let Some(id) = response.id() {
                    self.correlation.cancel_like(from.other(), &id);
                }
                self.answered = self.correlation.response(from, response, at, is_alone, report);
                self.met.extend(self.answered.as_ref().and_then(|answered| answered.met));
                let (answered, correlation) = (self.answered.as_ref(), &mut self.correlation);
                let revision = self.revision;
                self.expectations.response(from, response, answered, revision, correlation, report);
                if is_stray {
                    self.answered_without_id();
                }
            }
            Message::Batch(_) => {}
        }
    }
}

impl Judge for TwoSides {
    fn prepare(&mut self, frame: &[u8]) {
        let is_auto = matches!(self.selection, Selection::Auto);
        self.reconsider(frame);
        if is_auto && self.protocol.is_none() {
            let number = self.at.number;
            match Sign::of(frame, self.framing) {
                Some(sign) if sign.is_certain() => self.decide(sign, number),
                Some(sign) => self.hint = self.hint.or(Some((sign, number))),
                None => {}
            }
            if self.waiting.is_full() {
                self.decide_by_hint();
            }
        }
        let is_message = |profile: &Profile| Envelope::read(frame, profile).message().is_ok();
        let lenient = match self.mode() {
            // What every protocol allows is not blamed before the protocol is known.
            Mode::Undecided => Profile::JSON_RPC,
            Mode::Mcp if is_auto && self.session.revision().is_none() && is_batch(frame) => {
                // A handshake in a batch names the revision by which batches are judged. One revision has them.
                let named = revision_in_batch(frame);
                self.lenient = named.map(Revision::profile);
                if named.is_some() {
                    return;
                }
                Revision::V2025_03_26.profile()
            }
            _ => return,
        };
        self.lenient = Some(lenient).filter(is_message);
    }

    fn profile(&self) -> Profile {
        if let Some(lenient) = self.lenient {
            return lenient;
        }
        let shown = self.protocol.and_then(|(sign, _)| sign.protocol().profile());
        match self.selection {
            Selection::Auto if self.mode() == Mode::Other => shown.unwrap_or(Profile::JSON_RPC),
            Selection::Auto => self.session.revision().unwrap_or(BEFORE).profile(),
            Selection::Revision(revision) => revision.profile(),
            Selection::Other(profile) => profile,
        }
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode> {
        self.peers.observe(self.from, message);
        let mode = self.mode();
        let (mut reports, mut refusal) = (Vec::new(), None);
        if mode == Mode::Mcp {
            self.note_asked(message);
            let (found, event) = self.follow(self.from, message);
            if let Event::Refused(refused) = event {
                refusal = Some(refused.code());
            }
            if !self.waiting.is_empty()
                && let Some(settled) = self.settled()
            {
                self.catch_up(Some(settled));
            }
            // A message is judged after those before it.
            self.revision = self.revision_of(message).filter(|_| self.waiting.is_empty());
            // The other side ignores requests of a modern server, and responses to it, so that nothing else about them
            // matters.
            let is_ignored = matches!(event, Event::Ignored(_) | Event::Unmatched)
                && !matches!(message, Message::Notification(_));
            let misdirected = |finding: &&Finding| finding.rule() == rule::WRONG_DIRECTION;
            if let Some(finding) = found.iter().find(misdirected).filter(|_| is_ignored) {
                report(FindingReport::of_revision(finding));
                return None;
            }
            match self.revision {
                Some(revision) => {
                    // The session knows which extensions may have results of their own type.
                    let knows_kind = matches!(event, Event::Response { .. });
                    reports = self.judge_by(revision, self.from, (message, knows_kind), found);
                }
                None => {
                    self.waits = true;
                    reports.extend(found.iter().map(report_of_session));
                    self.followed.get_or_insert_default().push_back(found);
                    self.add_repeated_names(message, &mut reports);
                }
            }
        } else {
            self.waits = mode == Mode::Undecided;
            self.add_repeated_names(message, &mut reports);
        }
        self.correlate(message, &reports, report);
        self.recent.observe(self.from, self.at.number, message, self.answered.as_ref());
        let cancels = |one: &FindingReport| one.rule == rule::CANCEL_INITIALIZE;
        if reports.iter().any(cancels) {
            self.opening.excuse();
        }
        self.opening.observe(self.from, self.at, message);
        reports.into_iter().for_each(report);
        refusal
    }

    fn fault(&mut self, fault: &Fault<'_>, text: &[u8], report: &mut dyn FnMut(FindingReport)) {
        // In JSON-RPC, an error with null as its id answers a message that could not be read.
        if fault.rule() == Rule::ID_NULL
            && let Ok(Message::Response(response)) = Message::parse(text, &Profile::JSON_RPC)
            && response.error().is_some()
        {
            let mut is_stray = false;
            let report = &mut |finding: FindingReport| {
                is_stray |= finding.rule == rule::ERROR_WITHOUT_CAUSE;
                report(finding);
            };
            self.correlation.response(self.from, &response, self.at, false, report);
            if is_stray {
                self.answered_without_id();
            }
            return;
        }
        match self.mode() {
            Mode::Mcp => {
                self.follow_fault(self.from, fault);
                if self.session.revision().is_none() && matches!(self.selection, Selection::Auto) {
                    self.waits = true;
                    self.followed.get_or_insert_default();
                }
            }
            Mode::Undecided => self.waits = true,
            Mode::Other => {}
        }
        if matches!(fault.rule(), Rule::NOT_JSON | Rule::INVALID_UTF8) {
            self.note_broken_payload(fault.frame());
        }
        let id = fault.id().and_then(Id::of);
        self.conversation.observe_unreadable(self.from, id.as_ref());
        if matches!(fault.rule(), Rule::BATCH_MIXED | Rule::BATCH_NOT_ALLOWED) {
            self.observe_elements(fault.frame());
        }
        let reply = fault.reply();
        let has_id = |reply: &Reply<'_>| reply.id().is_some_and(|id| id != Id::Null);
        if !reply.as_ref().is_some_and(has_id) {
            let blame = match fault.rule() {
                Rule::NOT_JSON | Rule::INVALID_UTF8 => Blame::Unparsed,
                Rule::FRAME_TOO_LONG | Rule::TOO_DEEP => Blame::Other,
                _ => Blame::Invalid,
            };
            self.correlation.blame(self.from, blame);
        }
        // A broken response is reported as such. Its request must not be reported as unanswered as well.
        if reply.is_none()
            && let Some(id) = fault.id().and_then(Id::of)
        {
            self.answered_badly(self.from, &id);
        }
        let lacks_id = [Rule::RESPONSE_WITHOUT_ID, Rule::ID_NULL, Rule::ID_TYPE];
        if reply.is_none() && lacks_id.contains(&fault.rule()) {
            self.answered_without_id();
        }
        if let Some(reply) = &reply
            && let Some(id) = reply.id().filter(|id| !matches!(id, Id::Null))
        {
            let has_method = || Envelope::read(text, &Profile::JSON_RPC).method().is_some();
            if !text.is_empty() && self.correlation.waits(self.from.other(), &id) && !has_method() {
                // It calls nothing, so that it is the answer to the request with its id.
                self.answered_badly(self.from, &id);
                return;
            }
            let mut failure = Failure::default();
            let words = || format!("the request breaks the rule {}", rule::name(fault.rule()));
            failure.add(Cause::Invalid, None, self.revision, words);
            if fault.rule() == Rule::PARAMS_TYPE {
                // It is a request of JSON-RPC, but for the params of MCP.
                failure.may_be(ErrorCode::INVALID_PARAMS.value());
            }
            let expected = Expected { failure: failure.into_option(), ..Expected::default() };
            self.correlation.request(self.from, &id, "", self.at, expected);
            // An error may answer it. But it is no request that has to be answered.
            self.correlation.cancel(self.from, &id);
        }
    }
}

/// Returns the ids of the responses that the words for a cause name as lost, as they were written, with the quotes of
/// JSON. The names come last, after what the words quote.
fn lost_responses(words: &str) -> impl Iterator<Item = String> {
    const NAME: &str = "the response with the id ";
    let (_, names) = words.rsplit_once("; ").unwrap_or_default();
    let is_lost = names.ends_with(" is lost") || names.contains(" is lost, and so is ");
    let names = names.split(NAME).skip(1).filter(move |_| is_lost);
    names.filter_map(|rest| {
        let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
        let Some(quote) = quote else {
            let end = rest.find([' ', ',', ';']).unwrap_or(rest.len());
            return rest.get(..end).map(str::to_owned);
        };
        let inner = rest.get(1..)?;
        let mut is_escaped = false;
        let end = inner.find(|c| {
            let is_end = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        })?;
        Some(format!("\"{}\"", inner.get(..end)?))
    })
}

/// Reports a finding of the session or revision. A client may ask for any version, and the versions that the server
/// supports are not known here, so that one that is not supported is a note. A response is ambiguous only after two
/// requests with its id, which is the fault.
fn report_of_session(finding: &Finding) -> FindingReport {
    let mut report = FindingReport::of_revision(finding);
    if matches!(report.rule, rule::VERSION_UNSUPPORTED | rule::RESPONSE_AMBIGUOUS) {
        report.severity = Severity::Note;
    }
    report
}

/// Removes findings that others at the same place imply, so that each cause is reported once.
fn leave_out_consequences(reports: &mut Vec<FindingReport>) {
    const CONSEQUENCES: [(Rule, Rule); 6] = [
        // A result of another type lacks the members of the method's result.
        (rule::INPUT_REQUIRED_UNEXPECTED, rule::MISSING_MEMBER),
        (rule::SUBSCRIPTION_ID, rule::SUBSCRIPTION_UNKNOWN),
        (rule::TASK_PROGRESS_TOKEN, rule::PROGRESS_UNKNOWN),
        // The method belongs to another revision, and so do its metadata and its direction.
        (rule::METHOD_NOT_IN_REVISION, rule::MISSING_META),
        (rule::METHOD_NOT_IN_REVISION, rule::WRONG_DIRECTION),
        // A server of both eras may serve it.
        (rule::ERA_MIXED, rule::METHOD_NOT_IN_REVISION),
    ];
    for (cause, consequence) in CONSEQUENCES {
        let is_of = |rule| move |finding: &&FindingReport| finding.rule == rule;
        let Some(column) = reports.iter().find(is_of(cause)).map(|finding| finding.column) else {
            continue;
        };
        reports.retain(|finding| !(finding.rule == consequence && finding.column == column));
    }
}

/// Returns whether a frame begins as a batch does.
fn is_batch(frame: &[u8]) -> bool {
    frame.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// Returns the revision that a handshake in a batch names.
fn revision_in_batch(frame: &[u8]) -> Option<Revision> {
    let Ok(Message::Batch(batch)) = Message::parse(frame, &Profile::JSON_RPC) else { return None };
    let mut messages = batch.iter().filter_map(|element| element.message().ok());
    messages.find_map(|message| match message {
        Message::Response(response) => {
            ResultView::of(response.result()?)?.protocol_version().and_then(Revision::named)
        }
        message => named_in(&message),
    })
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.rule() == other.rule() && one.offset() == other.offset()
}

/// Returns the revision that a request names: in its metadata, or as the one that `initialize` asks for. An `initialize`
/// without a known version is one of the latest revision that has it.
fn named_in(message: &Message<'_>) -> Option<Revision> {
    let Message::Request(request) = message else { return None };
    let params = request.params().and_then(ParamsView::of)?;
    let meta = params.meta().and_then(|meta| meta.protocol_version());
    if let Some(revision) = meta.and_then(Revision::named) {
        return Some(revision).filter(|revision| revision.era() == Era::Modern);
    }
    let is_initialize = KnownMethod::named(request.method()) == Some(KnownMethod::Initialize);
    is_initialize.then(|| params.protocol_version().and_then(Revision::named).unwrap_or(BEFORE))
}

#[cfg(test)]
mod tests {
    use super::lost_responses;

    #[test]
    fn what_words_quote_is_not_lost() {
        for (words, lost) in [
            ("it is cut; the response with the id 7 is lost", &["7"][..]),
            ("it is cut; the response with the id \"a b\" is lost", &["\"a b\""]),
            (
                "two are mixed; the response with the id 2 is lost, and so is the response with the id 1",
                &["2", "1"],
            ),
            ("text: \"the response with the id 5 is lost\"", &[]),
            (
                "text: \"x; the response with the id 5 is lost\"; the response with the id 6 is lost",
                &["6"],
            ),
            ("text: \"x; the response with the id 5 is lost\"", &[]),
            ("it is cut; the request \"ping\" with the id 3 is lost", &[]),
        ] {
            assert_eq!(lost_responses(words).collect::<Vec<_>>(), lost, "{words}");
        }
    }
}
