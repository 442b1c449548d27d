//! The checks of a revision below the envelope of a message, and what they report.

use tautline::{
    Call, ErrorCode, Id, Message, Outcome, RawJson, RawNumber, RawStr, Request, Rule, Severity,
};

use super::{
    CallKind, Era, Finding, KnownMethod, MetaView, MethodUse, ParamsView, ResultView, Revision,
    Role, meta,
};
use crate::rule;
#[cfg(feature = "shapes")]
use crate::shape::{Expected, Missed};

impl Revision {
    /// Reports what this revision finds wrong or worth knowing in a message below the envelope. The checks do
    /// not depend on the sender or on earlier messages. They cover the method, the `params` that the method
    /// requires, the [metadata](super::meta) that a request must carry, `resultType`, and repeated members
    /// that peers act on.
    ///
    /// A message with such a finding is still a message. A request is answered with the [code of the
    /// rule](super::request_error).
    ///
    /// ```
    /// use tautline_mcp::{Message, Revision};
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    /// let revision = Revision::V2026_07_28;
    /// let message = Message::parse(frame, &revision.profile()).unwrap();
    /// let mut found = Vec::new();
    /// revision.findings(&message, |finding| found.push(finding.to_string()));
    /// assert_eq!(found, ["missing-meta at byte 55: the request lacks metadata that it must carry"]);
    /// ```
    ///
    /// Offsets refer to the [frame](Message::frame) of the message. You can pass an element of a batch on its
    /// own.
    pub fn findings(self, message: &Message<'_>, mut report: impl FnMut(Finding)) {
        let mut notice = Notice::new(message, &mut report);
        match message {
            Message::Batch(batch) => {
                for message in batch.iter().filter_map(|element| element.message().ok()) {
                    self.check(&message, &mut notice);
                }
            }
            message => self.check(message, &mut notice),
        }
    }

    /// Returns the first [finding](Self::findings) for which a request is refused, and the code of the answer. Its text
    /// is the [message](Finding::message) of the finding.
    ///
    /// A notification with such a finding is ignored, and never answered. A response has none. Neither has a batch: look
    /// at its elements. A [session](super::session) refuses for more reasons.
    ///
    /// ```
    /// use tautline_mcp::encode::{Encoder, NewError, Slice};
    /// use tautline_mcp::{Message, Revision};
    ///
    /// let revision = Revision::V2025_11_25;
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
    /// let message = Message::parse(frame, &revision.profile()).unwrap();
    /// let mut room = [0; 256];
    /// let mut encoder = Encoder::new(Slice::new(&mut room));
    /// if let (Some((code, finding)), Message::Request(request)) = (revision.refusal(&message), message) {
    ///     encoder.error(request.id(), NewError::new(code, finding.message()))?;
    /// }
    /// assert!(encoder.output().written().starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#));
    /// # Ok::<(), tautline_mcp::encode::EncodeError>(())
    /// ```
    #[must_use]
    pub fn refusal(self, message: &Message<'_>) -> Option<(ErrorCode, Finding)> {
        if !matches!(message, Message::Request(_) | Message::Notification(_)) {
            return None;
        }
        let mut ignore = |_| {};
        let mut notice = Notice::new(message, &mut ignore);
        self.check(message, &mut notice);
        let (rule, offset) = notice.refusal()?;
        Some((super::request_error(rule)?, Finding::new(rule, Severity::Error, offset)))
    }
}

/// A call, and the parts of its `params` that are checked.
#[derive(Clone, Copy, Debug)]
#[expect(unnameable_types, reason = "a store of requests, which is sealed, reads calls")]
pub struct CallView<'buf> {
    pub(crate) kind: CallKind,
    pub(crate) name: RawStr<'buf>,
    pub(crate) method: Option<KnownMethod>,
    has_params: bool,
    pub(crate) params: Option<ParamsView<'buf>>,
    pub(crate) meta: Option<MetaView<'buf>>,
    /// True if the request belongs to the modern era: either it carries modern metadata, even if malformed,
    /// or only the modern era has its method.
    pub(crate) claims_version: bool,
}

impl<'buf> CallView<'buf> {
    /// Returns the parts of a message that is a request or a notification.
    pub(crate) fn of(message: &Message<'buf>) -> Option<Self> {
        match message {
            Message::Request(request) => Some(Self::new(CallKind::Request, request.call())),
            Message::Notification(notification) => {
                Some(Self::new(CallKind::Notification, notification.call()))
            }
            Message::Response(_) | Message::Batch(_) => None,
        }
    }

    pub(crate) fn new(kind: CallKind, call: &Call<'buf>) -> Self {
        let (name, params) = (call.method(), call.params());
        let has_params = params.is_some();
        let params = params.and_then(ParamsView::of);
        let meta = params.as_ref().and_then(ParamsView::meta);
        let method = KnownMethod::named(name);
        let modern =
            matches!(method, Some(KnownMethod::ServerDiscover | KnownMethod::SubscriptionsListen));
        let claims = modern || meta.as_ref().is_some_and(MetaView::has_claim);
        let claims_version = kind == CallKind::Request && claims;
        Self { kind, name, method, has_params, params, meta, claims_version }
    }

    /// Reports `initialize` in a batch.
    pub(crate) fn check_batch(&self, request: &Request<'_>, notice: &mut Notice<'_>) {
        if self.method == Some(KnownMethod::Initialize) && request.call().is_in_batch() {
            notice.at_string(rule::INITIALIZE_IN_BATCH, self.name);
        }
    }

    /// Returns whether only the other side may call the method, in this revision.
    pub(crate) fn is_misdirected(&self, from: Role, revision: Revision) -> bool {
        let method_use = self.method.and_then(|method| method.use_in(revision));
        method_use.is_some_and(|method| !method.is_for(from))
    }

    /// Returns whether the request declares that the client accepts a task as the answer (extension for
    /// tasks, capability negotiation). An unknown method may allow tasks.
    pub(crate) fn takes_task(&self) -> bool {
        let declared = || self.extensions()?.member(meta::TASKS)?.members();
        matches!(self.method, None | Some(KnownMethod::ToolsCall)) && declared().is_some()
    }

    /// Returns whether the request declares an extension other than the one for tasks. Extensions may add types of
    /// results (2026-07-28, basic, responses).
    pub(crate) fn is_extended(&self) -> bool {
        let mut declared = self.extensions().and_then(|all| all.members()).into_iter().flatten();
        declared.any(|extension| extension.name != *meta::TASKS)
    }

    /// Returns the extensions that the request declares.
    fn extensions(&self) -> Option<RawJson<'buf>> {
        self.meta.as_ref()?.client_capabilities()?.member("extensions")
    }
}

/// The type of a result (2026-07-28, basic, responses).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultKind {
    Complete,
    InputRequired,
    /// Defined by the extension for tasks.
    Task,
    Unknown,
}

impl ResultKind {
    pub(crate) fn of(result: &ResultView<'_>) -> Self {
        match result.result_type() {
            // Older servers do not send `resultType`, and clients must treat its absence as `complete`.
            None if !result.has_result_type() => Self::Complete,
            Some(kind) => {
                let known = [
                    ("complete", Self::Complete),
                    ("input_required", Self::InputRequired),
                    ("task", Self::Task),
                ];
                let known = known.iter().find(|(name, _)| kind == *name);
                known.map_or(Self::Unknown, |(_, known)| *known)
            }
            None => Self::Unknown,
        }
    }
}

/// Checks of messages, independent of earlier messages.
impl Revision {
    fn check(self, message: &Message<'_>, notice: &mut Notice<'_>) {
        match message {
            Message::Request(_) | Message::Notification(_) => {
                if let Some(call) = CallView::of(message) {
                    self.check_call_in(message, &call, notice);
                }
            }
            Message::Response(response) => match response.outcome() {
                Outcome::Error(error) => self.check_error(error.code(), error.raw_code(), notice),
                Outcome::Result(result) => {
                    if let Some(result) = ResultView::of(result)
                        && self.check_result(&result, notice) == ResultKind::Unknown
                    {
                        self.note_unknown(&result, notice);
                    }
                }
            },
            // A batch never contains batches.
            Message::Batch(_) => {}
        }
    }

    /// Reports the [findings](Self::findings) in a message that is this call.
    pub(crate) fn findings_of_call(
        self,
        message: &Message<'_>,
        call: &CallView<'_>,
        mut report: impl FnMut(Finding),
    ) {
        self.check_call_in(message, call, &mut Notice::new(message, &mut report));
    }

    fn check_call_in(self, message: &Message<'_>, call: &CallView<'_>, notice: &mut Notice<'_>) {
        if let Message::Request(request) = message {
            call.check_batch(request, notice);
        }
        self.check_call(call, notice);
    }

    /// Checks a call against the revision, and returns the use of its method.
    pub(crate) fn check_call(
        self,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) -> Option<MethodUse> {
        let method_use = call.method.and_then(|method| method.use_in(self));
        if let Some(method) = call.method.filter(|method| method.kind() != call.kind) {
            notice.of_kind(method.kind(), call.name);
        }
        if call.method.is_some() && method_use.is_none() {
            notice.at_string(rule::METHOD_NOT_IN_REVISION, call.name);
        }
        repeated(notice, call.params.as_ref().and_then(ParamsView::repeated));
        repeated(notice, call.meta.as_ref().and_then(MetaView::repeated));
        if !call.has_params && method_use.is_some_and(|method| method.requires_params()) {
            notice.at_string(rule::MISSING_PARAMS, call.name);
        } else if let Some(params) = &call.params
            && !params.has_subject(call.method, self)
        {
            notice.at(rule::MISSING_PARAMS, params.object().as_bytes());
        } else if call.kind == CallKind::Request
            && self.era() == Era::Modern
            && (method_use.is_some() || call.method.is_none())
        {
            // A method of another revision has the metadata of that revision.
            required_meta(call, notice);
        }
        if let Some(value) = wrong_type(call) {
            notice.at(rule::META_TYPE, value.as_bytes());
        }
        if call.method.is_none() {
            notice.at_string(rule::UNKNOWN_METHOD, call.name);
        }
        method_use
    }

    /// Checks a result against the revision, and returns its kind. An unknown kind is reported by the caller, who may
    /// know that an extension defines it.
    pub(crate) fn check_result(
        self,
        result: &ResultView<'_>,
        notice: &mut Notice<'_>,
    ) -> ResultKind {
        let kind = ResultKind::of(result);
        let meta = result.meta();
        repeated(notice, result.repeated());
        repeated(notice, meta.as_ref().and_then(MetaView::repeated));
        let wrong = match &meta {
            Some(meta) => meta.wrong_server_info(),
            None => result.raw_meta(),
        };
        if let Some(value) = wrong {
            notice.at(rule::META_TYPE, value.as_bytes());
        }
        match result.raw_result_type() {
            _ if self.era() == Era::Legacy => {}
            None if !result.has_result_type() => {
                notice.at(rule::MISSING_RESULT_TYPE, result.object().as_bytes());
            }
            Some(value) if value.string().is_none() => notice.at(rule::META_TYPE, value.as_bytes()),
            _ => {}
        }
        kind
    }

    /// Reports the type of a result of an unknown kind. A value that is not a string was reported before.
    pub(crate) fn note_unknown(self, result: &ResultView<'_>, notice: &mut Notice<'_>) {
        if let Some(value) = result.raw_result_type()
            && self.era() == Era::Modern
            && value.string().is_some()
        {
            notice.at(rule::UNKNOWN_RESULT_TYPE, value.as_bytes());
        }
    }

    pub(crate) fn check_error(
        self,
        code: Option<ErrorCode>,
        raw_code: RawNumber<'_>,
        notice: &mut Notice<'_>,
    ) {
        if code.is_some_and(|code| self.forbids(code)) {
            notice.at(rule::ERROR_CODE_FORBIDDEN, raw_code.as_bytes());
        }
    }
}

/// Checks that a request carries its version and its client's capabilities (2026-07-28, basic, `_meta`).
fn required_meta(call: &CallView<'_>, notice: &mut Notice<'_>) {
    let Some(params) = &call.params else {
        return notice.at_string(rule::MISSING_META, call.name);
    };
    if !params.has_meta() {
        return notice.at(rule::MISSING_META, params.object().as_bytes());
    }
    if let Some(meta) = &call.meta
        && !meta.has_required()
    {
        notice.at(rule::MISSING_META, meta.object().as_bytes());
    }
}

fn repeated(notice: &mut Notice<'_>, name: Option<RawStr<'_>>) {
    if let Some(name) = name {
        notice.at_string(Rule::DUPLICATE_NESTED_MEMBER, name);
    }
}

/// Returns the first value of the wrong type, in the metadata or else in the members that the method acts on.
fn wrong_type<'buf>(call: &CallView<'buf>) -> Option<RawJson<'buf>> {
    let params = call.params.as_ref()?;
    let wrong = match &call.meta {
        Some(meta) => meta.wrong_type(),
        None => params.raw_meta(),
    };
    wrong.or_else(|| params.wrong_type(call.method))
}

impl ResultView<'_> {
    /// Checks the types in the answer to `initialize` or `server/discover`.
    pub(crate) fn check_declaration(&self, notice: &mut Notice<'_>) {
        if let Some(value) = self.wrong_declaration() {
            notice.at(rule::META_TYPE, value.as_bytes());
        }
    }
}

/// Reports the findings of one message, and keeps the first one for which a request is refused.
pub(crate) struct Notice<'a> {
    message: &'a Message<'a>,
    report: &'a mut dyn FnMut(Finding),
    refusal: Option<(Rule, u32)>,
}

impl<'a> Notice<'a> {
    pub(crate) fn new(message: &'a Message<'a>, report: &'a mut dyn FnMut(Finding)) -> Self {
        Self { message, report, refusal: None }
    }

    /// Returns the first rule for which a request is [refused](super::request_error), and the offset of its finding.
    pub(crate) const fn refusal(&self) -> Option<(Rule, u32)> {
        self.refusal
    }

    /// Reports a finding at the start of a part of the frame.
    pub(crate) fn at(&mut self, rule: Rule, part: &[u8]) {
        self.say(rule, rule::severity(rule), self.offset_of(part));
    }

    /// Reports a finding at the opening quote of a string.
    pub(crate) fn at_string(&mut self, rule: Rule, string: RawStr<'_>) {
        self.string_with(rule, rule::severity(rule), string);
    }

    /// Reports a call of the wrong kind. A call of its method has the other one.
    fn of_kind(&mut self, due: CallKind, name: RawStr<'_>) {
        let offset = self.offset_of(name.escaped_bytes()).saturating_sub(1);
        #[cfg(feature = "shapes")]
        let expected = Some(Expected(Missed::Kind(due)));
        #[cfg(feature = "shapes")]
        self.add(Finding::expecting(rule::METHOD_KIND, offset, expected));
        #[cfg(not(feature = "shapes"))]
        {
            let _ = due;
            self.say(rule::METHOD_KIND, rule::severity(rule::METHOD_KIND), offset);
        }
    }

    pub(crate) fn string_with(&mut self, rule: Rule, severity: Severity, string: RawStr<'_>) {
        self.say(rule, severity, self.offset_of(string.escaped_bytes()).saturating_sub(1));
    }

    pub(crate) fn at_id(&mut self, rule: Rule, id: &Id<'_>) {
        match id {
            Id::String(text) => self.at_string(rule, *text),
            Id::Number(number) => self.at(rule, number.as_bytes()),
            // MCP ids are never null.
            Id::Null => self.at(rule, self.message.frame()),
        }
    }

    /// Returns the offset of a part of the message, and 0 for any other slice.
    fn offset_of(&self, part: &[u8]) -> u32 {
        self.message.offset_of(part).unwrap_or(0)
    }

    fn say(&mut self, rule: Rule, severity: Severity, offset: u32) {
        self.add(Finding::new(rule, severity, offset));
    }

    fn add(&mut self, finding: Finding) {
        let rule = finding.rule();
        let is_error = finding.severity() == Severity::Error;
        if is_error && super::request_error(rule).is_some() && self.refusal.is_none() {
            self.refusal = finding.offset().map(|offset| (rule, offset));
        }
        (self.report)(finding);
    }
}
