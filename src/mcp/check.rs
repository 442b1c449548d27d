//! What a revision asks of a message below the envelope.

use super::notice::Notice;
use super::view::request_id;
use super::{CallKind, Era, MetaView, Method, MethodUse, ParamsView, ResultView, Revision};
use crate::envelope::{Finding, Message, Outcome, Rule};
use crate::json::{RawJson, RawStr};

impl Revision {
    /// Reports what this revision finds wrong or worth knowing in a message below the envelope,
    /// whoever sent it and whatever came before: whether it has the method, `params` that the method
    /// requires, [metadata](super::meta) that a request must carry, `resultType`, and members twice
    /// that peers act on.
    ///
    /// A message with such a fault is a message still. A request is answered with the
    /// [code of the rule](Rule::request_error).
    ///
    /// ```
    /// use tautline::{Message, Revision};
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    /// let revision = Revision::V2026_07_28;
    /// let message = Message::parse(frame, &revision.rules()).unwrap();
    /// let mut found = Vec::new();
    /// revision.findings(frame, &message, |finding| found.push(finding.to_string()));
    /// assert_eq!(found, ["missing-meta at byte 55: the request lacks metadata that it must carry"]);
    /// ```
    ///
    /// The offsets are those in `frame`, which the message was parsed from.
    pub fn findings(self, frame: &[u8], message: &Message<'_>, mut report: impl FnMut(Finding)) {
        let mut notice = Notice::new(frame, &mut report);
        match message {
            Message::Batch(batch) => {
                for message in batch.iter().filter_map(|element| element.message().ok()) {
                    if let Message::Request(request) = message
                        && request.method() == Method::Initialize.name()
                    {
                        notice.at_string(Rule::InitializeInBatch, request.method());
                    }
                    self.check(&message, &mut notice);
                }
            }
            message => self.check(message, &mut notice),
        }
    }
}

/// A call, and what is looked at in its `params`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallView<'buf> {
    pub(crate) kind: CallKind,
    pub(crate) name: RawStr<'buf>,
    pub(crate) method: Option<Method>,
    has_params: bool,
    pub(crate) params: Option<ParamsView<'buf>>,
    pub(crate) meta: Option<MetaView<'buf>>,
    /// Whether it is a request of the modern era: by what it carries, well-formed or not, or because no
    /// other has the method.
    pub(crate) claims_version: bool,
}

impl<'buf> CallView<'buf> {
    pub(crate) fn new(kind: CallKind, name: RawStr<'buf>, params: Option<RawJson<'buf>>) -> Self {
        let has_params = params.is_some();
        let params = params.and_then(ParamsView::of);
        let meta = params.and_then(|params| params.meta());
        let method = Method::named(name);
        let modern = matches!(method, Some(Method::ServerDiscover | Method::SubscriptionsListen));
        let claims = modern || meta.is_some_and(|meta| meta.has_claim());
        let claims_version = kind == CallKind::Request && claims;
        Self { kind, name, method, has_params, params, meta, claims_version }
    }
}

/// Holding messages to a revision, whatever came before.
impl Revision {
    fn check(self, message: &Message<'_>, notice: &mut Notice<'_>) {
        match message {
            Message::Request(request) => {
                let call = CallView::new(CallKind::Request, request.method(), request.params());
                self.check_call(&call, notice);
            }
            Message::Notification(call) => {
                let call = CallView::new(CallKind::Notification, call.method(), call.params());
                self.check_call(&call, notice);
            }
            Message::Response(response) => {
                if let Outcome::Result(result) = response.outcome()
                    && let Some(result) = ResultView::of(result)
                {
                    self.check_result(&result, notice);
                }
            }
            // There are no batches in batches.
            Message::Batch(_) => {}
        }
    }

    /// Holds a call to the revision, and gives what that says of the method.
    pub(crate) fn check_call(
        self,
        call: &CallView<'_>,
        notice: &mut Notice<'_>,
    ) -> Option<MethodUse> {
        let method_use = call.method.and_then(|method| method.use_in(self));
        if call.method.is_some_and(|method| method.kind() != call.kind) {
            notice.at_string(Rule::MethodKind, call.name);
        }
        if call.method.is_some() && method_use.is_none() {
            notice.at_string(Rule::MethodNotInRevision, call.name);
        }
        repeated(notice, call.params.and_then(|params| params.repeated()));
        repeated(notice, call.meta.and_then(|meta| meta.repeated()));
        if !call.has_params && method_use.is_some_and(|method| method.requires_params()) {
            notice.at_string(Rule::MissingParams, call.name);
        } else if call.kind == CallKind::Request && self.era() == Era::Modern {
            required_meta(call, notice);
        }
        if let Some(value) = wrong_type(call) {
            notice.at(Rule::MetaType, value.as_bytes());
        }
        if call.method.is_none() {
            notice.at_string(Rule::UnknownMethod, call.name);
        }
        method_use
    }

    pub(crate) fn check_result(self, result: &ResultView<'_>, notice: &mut Notice<'_>) {
        let meta = result.meta();
        repeated(notice, result.repeated());
        repeated(notice, meta.and_then(|meta| meta.repeated()));
        if let (Some(value), None) = (result.raw_meta(), meta) {
            notice.at(Rule::MetaType, value.as_bytes());
        }
        if self.era() == Era::Legacy {
            return;
        }
        match result.raw_result_type().map(|value| (value, value.string())) {
            None if !result.has_result_type() => {
                notice.at(Rule::MissingResultType, result.object().as_bytes());
            }
            Some((value, None)) => notice.at(Rule::MetaType, value.as_bytes()),
            Some((value, Some(kind))) if kind != "complete" && kind != INPUT_REQUIRED => {
                notice.at(Rule::UnknownResultType, value.as_bytes());
            }
            _ => {}
        }
    }
}

/// Every request carries its version and what its client can do (2026-07-28, basic, `_meta`).
fn required_meta(call: &CallView<'_>, notice: &mut Notice<'_>) {
    let Some(params) = call.params else {
        return notice.at_string(Rule::MissingMeta, call.name);
    };
    if !params.has_meta() {
        return notice.at(Rule::MissingMeta, params.object().as_bytes());
    }
    if let Some(meta) = call.meta
        && !meta.has_required()
    {
        notice.at(Rule::MissingMeta, meta.object().as_bytes());
    }
}

fn repeated(notice: &mut Notice<'_>, name: Option<RawStr<'_>>) {
    if let Some(name) = name {
        notice.at_string(Rule::DuplicateNestedMember, name);
    }
}

/// The `resultType` of a result that asks for input.
pub(crate) const INPUT_REQUIRED: &str = "input_required";

/// The first piece of metadata that is not of its type.
fn wrong_type<'buf>(call: &CallView<'buf>) -> Option<RawJson<'buf>> {
    let Some(meta) = &call.meta else {
        return call.params?.raw_meta();
    };
    meta.values().iter().zip(MetaView::KINDS).find_map(|(value, kind)| {
        value.filter(|value| match kind {
            Some(kind) => value.kind() != kind,
            None => request_id(*value).is_none(),
        })
    })
}
