//! A session, seen from both sides in the order of the wire.

use std::collections::VecDeque;

use memchr::memmem;
use tautline::envelope::Batches;
use tautline::frame::FramingKind;
use tautline::{Envelope, ErrorCode, Fault, Id, Message, Profile, Reply, Response, Rule, Severity};
use tautline_mcp::judge::{self, BEFORE, Followed};
use tautline_mcp::protocol::{Protocol, Sign};
use tautline_mcp::session::{Event, Pairing};
use tautline_mcp::{Finding, KnownMethod, ParamsView, ResultView, Revision, Role, rule};

use super::asked::{Asked, At};
use super::correlation::{Blame, Correlation, Expected, Unanswered};
use super::expectation::Expectations;
use super::late::{Element, Late, Queue};
use super::nearest::Recent;
use super::opening::Opening;
use super::payload::{Names, offset_of_repeated};
use super::peers::Peers;
use super::refusal::{Cause, Failure};
use super::{Answered, Judge, schema};
use crate::frame::{FindingReport, FrameReport, MaxFindings, Piece, params_of};

/// The most bytes of a frame that are searched for the start of its result.
const LONGEST_HEAD: usize = 1024;

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
    /// The sign that has shown the protocol, and the number of its frame.
    protocol: Option<(Sign, u64)>,
    /// The sign that suggests a protocol, and the number of its frame.
    hint: Option<(Sign, u64)>,
    /// The frames that wait until the protocol and the revision are known.
    pub(super) waiting: Queue,
    pub(super) late: Vec<Late>,
    /// The profile for the envelope of the next frame, if it is not the usual one.
    lenient: Option<Profile>,
    /// True if the frame is to be judged late.
    waits: bool,
    /// The messages of the frame so far, and what is no message in it.
    elements: VecDeque<Element>,
    /// True if the frame is a batch.
    is_batch: bool,
    /// True if the messages are those of a batch that must not be sent.
    is_nested: bool,
    pub(super) opening: Opening,
    /// True if an error was found that the server's refusal of the session explains.
    has_named_refusal: bool,
    /// True if `initialize` was sent in a way in which the server may not have been able to read it.
    pub(super) has_unread_opening: bool,
    /// The revision by which messages were judged although the two sides have not agreed on it.
    assumed: Option<Revision>,
    pub(super) judge: judge::Judge,
    pub(super) correlation: Correlation,
    recent: Recent,
    expectations: Expectations,
    pub(super) peers: Peers,
    names: Names,
    /// The frame that is being judged.
    from: Role,
    pub(super) at: At,
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
            elements: VecDeque::new(),
            is_batch: false,
            is_nested: false,
            opening: Opening::default(),
            has_named_refusal: false,
            has_unread_opening: false,
            assumed: None,
            judge: judge::Judge::new(),
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
        self.judge.set_http();
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
        self.elements.clear();
    }

    /// Keeps the last frame if it is to be judged late. Returns whether it was kept.
    pub(crate) fn keep(&mut self, piece: &Piece<'_>, report: &FrameReport<'_>) -> bool {
        if !self.waits {
            return false;
        }
        let elements = std::mem::take(&mut self.elements);
        self.waiting.add((self.from, self.at), piece, report, elements)
    }

    /// Returns the frames that were judged late since the last call.
    pub(crate) fn take_late(&mut self) -> Vec<Late> {
        std::mem::take(&mut self.late)
    }

    /// Decides on the protocol and the revision of a session that ends, and judges the frames that wait.
    pub(crate) fn conclude(&mut self) {
        self.decide_by_hint();
        if self.mode() == Mode::Mcp {
            self.catch_up(self.judge.likely_revision());
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
        if is_early(finding.rule)
            && let Some(refusal) = self.opening.refusal()
        {
            finding.explain(format!("{}: {refusal}", finding.message));
        }
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
        if sign.protocol() == Protocol::Mcp {
            // The frames wait for the revision.
            return;
        }
        for waiting in self.waiting.take() {
            self.late.push(waiting.into_late(is_of_every_protocol));
        }
    }

    /// Returns the revision of the session, once it is certain or cannot become certain.
    fn settled(&self) -> Option<Revision> {
        let judge = &self.judge;
        let is_full = || Some(judge.likely_revision()).filter(|_| self.waiting.is_full());
        judge.session().revision().or_else(|| judge.unsettled_revision()).or_else(is_full)
    }

    /// Notes that the receiver of a frame that must not be sent need not answer the requests in it.
    pub(super) fn excuse_frame(&mut self, from: Role, frame: &[u8]) {
        match Message::parse(frame, &Profile::JSON_RPC) {
            Ok(Message::Request(request)) => self.excuse(from, &request.id()),
            Ok(Message::Batch(batch)) => {
                for element in batch.iter() {
                    if let Ok(Message::Request(request)) = element.message() {
                        self.excuse(from, &request.id());
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

    /// Lets the session observe a message. Returns what the message means, and what the session finds.
    fn follow<'buf>(&mut self, message: &Message<'buf>) -> (Event<'buf>, Followed) {
        let (event, mut followed) = self.judge.follow(self.from, message);
        let is_unread = self.opening.is_answered_badly() || self.has_unread_opening;
        // The messages of a client after a refusal have one cause.
        let is_refused = self.opening.is_refused();
        let is_repeated = is_refused && self.has_named_refusal;
        let is_excused = |rule: Rule| (is_unread || is_repeated) && is_early(rule);
        let has_lost = !self.correlation.has_kept_all();
        followed.retain(|finding| match finding.rule() {
            rule::UNTRACKED_REQUEST => false,
            rule::RESPONSE_UNEXPECTED => !has_lost,
            rule => !is_excused(rule),
        });
        let errs = |one: &Finding| is_early(one.rule()) && one.severity() == Severity::Error;
        self.has_named_refusal = is_repeated || is_refused && followed.findings().iter().any(errs);

        match event {
            // The session still waits for the handshake, but both sides may have read it and continue.
            Event::Refused(refusal) if is_excused(refusal.rule()) => (Event::Request, followed),
            event => (event, followed),
        }
    }

    /// Judges a message by a revision, after the session has followed it.
    pub(super) fn judge_by(
        &mut self,
        revision: Revision,
        from: Role,
        message: &Message<'_>,
        followed: Followed,
    ) -> Vec<FindingReport> {
        if self.judge.session().revision().is_none() && matches!(self.selection, Selection::Auto) {
            self.assumed = Some(revision);
        }
        let mut reports = Vec::new();
        self.judge.judge(from, message, revision, followed, |finding| {
            reports.push(report_of(&finding));
        });
        self.add_repeated_names(message, &mut reports);
        reports
    }

    /// Adds a message of the frame, or what is no message in it.
    fn add_element(&mut self, element: Element) {
        if !self.is_nested {
            self.elements.push_back(element);
        }
    }

    /// Records that the answer to a request of this side is not owed.
    fn excuse(&mut self, from: Role, id: &Id<'_>) {
        self.judge.session_mut().excuse(from, id);
    }

    fn add_repeated_names(&mut self, message: &Message<'_>, reports: &mut Vec<FindingReport>) {
        let repeated: Vec<u64> = reports.iter().filter_map(offset_of_repeated).collect();
        self.names.report_repeated(message, &repeated, &mut |finding| reports.push(finding));
    }

    /// Takes the request that the last message answers.
    pub(crate) const fn take_answered(&mut self) -> Option<Answered> {
        self.answered.take()
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
        self.judge.session().revision()
    }

    /// Notes that this side has sent something that can't be read, and may be answered with an error without an id.
    pub fn unreadable(&mut self, from: Role) {
        self.correlation.blame(from, Blame::Other);
        self.judge.session_mut().observe_unreadable(from, None);
    }

    /// Notes that this side has answered the request with this id, as it was written, in a frame that the recording
    /// lacks.
    pub(crate) fn answered_unseen(&mut self, from: Role, id: &str) {
        if let Some(id) = Id::parse(id.as_bytes()).filter(|id| *id != Id::Null) {
            self.excuse(from.other(), &id);
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
    pub(super) fn answered_badly(&mut self, from: Role, id: &Id<'_>) {
        let opening = &mut self.opening;
        let session = self.judge.session_mut();
        session.excuse_alike(from.other(), id, |number| opening.answered_badly(number));
    }

    /// Notes that this side has sent an answer without the id of a request, which is reported. It is meant for the one
    /// request that waits, or for the requests of the one batch that waits.
    fn answered_without_id(&mut self) {
        let (from, asker) = (self.from, self.from.other());
        if self.correlation.is_blamed(asker) {
            return;
        }
        let session = self.judge.session();
        for id in self.recent.waiting_in_one_frame(asker, |id| session.is_owed(asker, id)) {
            if let Some(id) = Id::parse(id.as_bytes()) {
                self.answered_badly(from, &id);
            }
        }
    }

    /// Judges a response of this side by its request. An error that answers nothing is meant for a request that waits.
    fn respond(
        &mut self,
        response: &Response<'_>,
        pairing: &Pairing,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<Answered> {
        let mut is_stray = false;
        let mut report = |finding: FindingReport| {
            is_stray |= finding.rule == rule::ERROR_WITHOUT_CAUSE;
            report(finding);
        };
        let answered =
            self.correlation.response(self.from, response, (self.at, pairing), &mut report);
        if is_stray {
            self.answered_without_id();
        }
        answered
    }

    /// Returns the messages that should have been sent in the session that ends, and were not: the broken rule, the
    /// side that owed the message, and the method that it is about.
    pub(crate) fn omissions(&self) -> Vec<(Rule, Role, KnownMethod)> {
        let mut omissions = Vec::new();
        self.judge.finish(|finding| {
            let owed = finding.expected().and_then(|expected| expected.message());
            omissions.extend(owed.map(|(from, method)| (finding.rule(), from, method)));
        });
        omissions
    }

    /// Ends the session, and returns the requests that were not answered.
    pub(crate) fn end(&mut self) -> Vec<Unanswered> {
        let unanswered = self.correlation.end(self.judge.owed());
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
        self.correlation.has_kept_all() && self.judge.has_kept_all()
    }

    /// Returns the revision that a message is checked against, after the session has observed it.
    fn revision_of(&self, message: &Message<'_>) -> Option<Revision> {
        match self.selection {
            Selection::Auto => self.judge.revision_of(self.from, message),
            Selection::Revision(revision) => Some(revision),
            Selection::Other(_) => None,
        }
    }

    /// Observes the messages of a batch that must not be sent, which is the one thing that is reported. Its receiver may
    /// serve them or refuse the batch.
    fn observe_elements(&mut self, frame: &[u8]) {
        let profile = self.profile().with_batches(Batches::Allowed);
        let Ok(Message::Batch(batch)) = Message::parse(frame, &profile) else { return };
        // The frame counts as one element.
        self.is_nested = true;
        for element in batch.iter().filter_map(|element| element.message().ok()) {
            self.message(&element, params_of(&element).as_ref(), &mut |_| {});
            if let Message::Request(request) = &element {
                self.excuse(self.from, &request.id());
            }
        }
        self.is_nested = false;
    }

    /// Matches requests with their answers.
    fn correlate(
        &mut self,
        message: &Message<'_>,
        params: Option<&ParamsView<'_>>,
        pairing: &Pairing,
        found: &[FindingReport],
        report: &mut dyn FnMut(FindingReport),
    ) {
        let (from, at) = (self.from, self.at);
        match message {
            Message::Request(request) => {
                let asked = Asked {
                    from,
                    request,
                    params,
                    method: KnownMethod::named(request.method()),
                    at,
                    frame: message.frame(),
                    found,
                    revision: self.revision,
                    is_mcp: self.mode() == Mode::Mcp,
                };
                let expected = self.expectations.request(&asked);
                self.met.extend(self.expectations.check_poll(&asked, report));
                if from == Role::Server && asked.is_mcp {
                    schema::check_form(&asked, report);
                }
                if from == Role::Client {
                    self.met.extend(self.expectations.check_input(&asked, report));
                }
                let method = request.method().decode().unwrap_or_default();
                if request.id() == Id::Null {
                    // Its response has a null id as well, like that to a frame that could not be read.
                    self.excuse(from, &Id::Null);
                    self.correlation.blame(from, Blame::Other);
                } else {
                    self.correlation.request(pairing, &method, at, expected);
                }
            }
            Message::Notification(note) => {
                let method = KnownMethod::named(note.method());
                if method == Some(KnownMethod::Cancelled)
                    && let Some(id) = params.and_then(ParamsView::request_id)
                {
                    self.excuse(from, &id);
                }
                self.expectations.notification(from, note, &mut self.correlation);
            }
            Message::Response(response) => {
                self.answered = self.respond(response, pairing, report);
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
    fn prepare(&mut self, frame: &[u8]) {
        self.is_batch = is_batch(frame);
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
            // Before the protocol is known, everything is legal that a protocol allows.
            Mode::Undecided => Profile::JSON_RPC,
            Mode::Mcp
                if is_auto && self.judge.session().revision().is_none() && is_batch(frame) =>
            {
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
            Selection::Auto => self.judge.session().revision().unwrap_or(BEFORE).profile(),
            Selection::Revision(revision) => revision.profile(),
            Selection::Other(profile) => profile,
        }
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        params: Option<&ParamsView<'_>>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode> {
        self.peers.observe(self.from, message);
        let mode = self.mode();
        let (mut reports, mut refusal) = (Vec::new(), None);
        let (event, followed) = self.follow(message);
        let mut element = Element::Done;
        let pairing = *followed.pairing();
        if mode == Mode::Mcp {
            if let Event::Refused(refused) = event {
                refusal = Some(refused.code());
            }
            if !self.waiting.is_empty()
                && let Some(settled) = self.settled()
            {
                self.catch_up(settled);
            }
            // A message is judged after those before it.
            self.revision = self.revision_of(message).filter(|_| self.waiting.is_empty());
            // The other side ignores requests of a modern server, and responses to it, so that nothing else about them
            // matters.
            let is_ignored = matches!(event, Event::Ignored(_) | Event::Unmatched)
                && !matches!(message, Message::Notification(_));
            let misdirected = |finding: &&Finding| finding.rule() == rule::WRONG_DIRECTION;
            if let Some(finding) =
                followed.findings().iter().find(misdirected).filter(|_| is_ignored)
            {
                report(FindingReport::of(finding));
                self.add_element(element);
                return None;
            }
            match self.revision {
                Some(revision) => {
                    reports = self.judge_by(revision, self.from, message, followed);
                }
                None => {
                    self.waits = true;
                    // A batch may be illegal as a whole.
                    if !self.is_batch {
                        reports.extend(followed.findings().iter().map(report_of));
                    }
                    element = Element::Waits(followed);
                    self.add_repeated_names(message, &mut reports);
                }
            }
        } else {
            if mode == Mode::Undecided {
                self.waits = true;
                element = Element::Waits(followed);
            } else {
                let strays = followed.findings().iter().filter(|one| is_of_every_protocol(one));
                reports.extend(strays.map(report_of));
            }
            self.add_repeated_names(message, &mut reports);
        }
        self.add_element(element);
        self.correlate(message, params, &pairing, &reports, report);
        // A receiver may treat it as the notification that its method names.
        if let Message::Request(request) = message
            && reports.iter().any(|one| one.rule == rule::METHOD_KIND)
        {
            self.excuse(self.from, &request.id());
        }
        let token = self.judge.session().progress_token();
        self.recent.observe(self.from, self.at.number, message, (&pairing, token));
        let cancels = |one: &FindingReport| one.rule == rule::CANCEL_INITIALIZE;
        if reports.iter().any(cancels) {
            self.opening.excuse();
        }
        self.opening.observe(self.from, self.at, message, &pairing);
        reports.into_iter().for_each(report);
        refusal
    }

    fn fault(&mut self, fault: &Fault<'_>, text: &[u8], report: &mut dyn FnMut(FindingReport)) {
        self.add_element(Element::Done);
        // In JSON-RPC, an error with null as its id answers a message that could not be read.
        if fault.rule() == Rule::ID_NULL
            && let Ok(Message::Response(response)) = Message::parse(text, &Profile::JSON_RPC)
            && response.error().is_some()
        {
            self.respond(&response, &Pairing::default(), report);
            return;
        }
        self.waits |= match self.mode() {
            Mode::Mcp => {
                let session = self.judge.session();
                session.revision().is_none() && matches!(self.selection, Selection::Auto)
            }
            Mode::Undecided => true,
            Mode::Other => false,
        };
        if matches!(fault.rule(), Rule::NOT_JSON | Rule::INVALID_UTF8) {
            self.note_broken_payload(fault.frame());
        }
        let id = fault.id().and_then(Id::of);
        self.judge.session_mut().observe_unreadable(self.from, id.as_ref());
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
            let waits = self.judge.session().is_owed(self.from.other(), &id);
            if !text.is_empty() && waits && !has_method() {
                // It calls nothing, so that it is the answer to the request with its id.
                self.answered_badly(self.from, &id);
                return;
            }
            self.judge.session_mut().observe_fault(self.from, fault);
            let pairing = self.judge.session().pairing();
            let mut failure = Failure::default();
            let words = || format!("the request breaks the rule {}", rule::name(fault.rule()));
            failure.add(Cause::Invalid, None, self.revision, words);
            if fault.rule() == Rule::PARAMS_TYPE {
                // It is a request of JSON-RPC, but for the params of MCP.
                failure.may_be(ErrorCode::INVALID_PARAMS.value());
            }
            let expected = Expected { failure: failure.into_option(), ..Expected::default() };
            self.correlation.request(&pairing, "", self.at, expected);
            // An error may answer it. But it is no request that has to be answered.
            self.excuse(self.from, &id);
        }
    }
}

/// Reports a finding of a judge. A client may ask for any version, and the versions that the server supports are not
/// known here, so that one that is not supported is a note. A response is ambiguous only after two requests with its id,
/// which is the fault.
fn report_of(finding: &Finding) -> FindingReport {
    let mut report = FindingReport::of(finding);
    if matches!(report.rule, rule::VERSION_UNSUPPORTED | rule::RESPONSE_AMBIGUOUS) {
        report.severity = Severity::Note;
    }
    report
}

/// Returns whether a finding is about the ids of JSON-RPC, whatever protocol is built on that.
fn is_of_every_protocol(finding: &Finding) -> bool {
    let rules = [rule::RESPONSE_UNEXPECTED, rule::RESPONSE_DUPLICATE, rule::RESPONSE_ID_REWRITTEN];
    rules.contains(&finding.rule())
}

/// Returns whether the rule is that a message came before the handshake was complete.
fn is_early(rule: Rule) -> bool {
    matches!(rule, rule::REQUEST_BEFORE_INITIALIZE | rule::INITIALIZED_UNEXPECTED)
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
        message => judge::revision_named_in(&message),
    })
}
