//! What a revision asks of a message below the envelope.

use super::view::request_id;
use super::{CallKind, Era, MetaView, Method, ParamsView, ResultView, Revision};
use crate::bytes::offset_in;
use crate::envelope::{Finding, Message, Outcome, Rule, Severity};
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
        let mut checker = Checker { revision: self, frame, report: &mut report };
        match message {
            Message::Batch(batch) => {
                for message in batch.iter().filter_map(|element| element.message().ok()) {
                    checker.batched(&message);
                    checker.message(&message);
                }
            }
            message => checker.message(message),
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
}

impl<'buf> CallView<'buf> {
    pub(crate) fn new(kind: CallKind, name: RawStr<'buf>, params: Option<RawJson<'buf>>) -> Self {
        let view = params.and_then(ParamsView::of);
        Self {
            kind,
            name,
            method: Method::named(name),
            has_params: params.is_some(),
            params: view,
            meta: view.and_then(|params| params.meta()),
        }
    }
}

/// Holds messages to a revision.
pub(crate) struct Checker<'a> {
    pub(crate) revision: Revision,
    pub(crate) frame: &'a [u8],
    pub(crate) report: &'a mut dyn FnMut(Finding),
}

impl Checker<'_> {
    fn message(&mut self, message: &Message<'_>) {
        match message {
            Message::Request(request) => {
                self.call(&CallView::new(CallKind::Request, request.method(), request.params()));
            }
            Message::Notification(call) => {
                self.call(&CallView::new(CallKind::Notification, call.method(), call.params()));
            }
            Message::Response(response) => {
                if let Outcome::Result(result) = response.outcome()
                    && let Some(result) = ResultView::of(result)
                {
                    self.result(&result);
                }
            }
            // There are no batches in batches.
            Message::Batch(_) => {}
        }
    }

    /// What is wrong with a message because it is in a batch.
    pub(crate) fn batched(&mut self, message: &Message<'_>) {
        if let Message::Request(request) = message
            && request.method() == Method::Initialize.name()
        {
            self.at_string(Rule::InitializeInBatch, request.method());
        }
    }

    pub(crate) fn call(&mut self, call: &CallView<'_>) {
        let method_use = call.method.and_then(|method| method.use_in(self.revision));
        if call.method.is_some_and(|method| method.kind() != call.kind) {
            self.at_string(Rule::MethodKind, call.name);
        }
        if call.method.is_some() && method_use.is_none() {
            self.at_string(Rule::MethodNotInRevision, call.name);
        }
        self.repeated(call.params.and_then(|params| params.repeated()));
        self.repeated(call.meta.and_then(|meta| meta.repeated()));
        if !call.has_params && method_use.is_some_and(|method| method.requires_params()) {
            self.at_string(Rule::MissingParams, call.name);
        } else if call.kind == CallKind::Request && self.revision.era() == Era::Modern {
            self.required_meta(call);
        }
        if let Some(value) = wrong_type(call) {
            self.at(Rule::MetaType, value.as_bytes());
        }
        if call.method.is_none() {
            self.at_string(Rule::UnknownMethod, call.name);
        }
    }

    /// Every request carries its version and what its client can do (2026-07-28, basic, `_meta`).
    fn required_meta(&mut self, call: &CallView<'_>) {
        let Some(params) = call.params else {
            return self.at_string(Rule::MissingMeta, call.name);
        };
        if !params.has_meta() {
            return self.at(Rule::MissingMeta, params.object().as_bytes());
        }
        if let Some(meta) = call.meta
            && !meta.has_required()
        {
            self.at(Rule::MissingMeta, meta.object().as_bytes());
        }
    }

    pub(crate) fn result(&mut self, result: &ResultView<'_>) {
        let meta = result.meta();
        self.repeated(result.repeated());
        self.repeated(meta.and_then(|meta| meta.repeated()));
        if let (Some(value), None) = (result.raw_meta(), meta) {
            self.at(Rule::MetaType, value.as_bytes());
        }
        if self.revision.era() == Era::Legacy {
            return;
        }
        match result.raw_result_type().map(|value| (value, value.string())) {
            None if !result.has_result_type() => {
                self.at(Rule::MissingResultType, result.object().as_bytes());
            }
            Some((value, None)) => self.at(Rule::MetaType, value.as_bytes()),
            Some((value, Some(kind))) if kind != "complete" && kind != INPUT_REQUIRED => {
                self.at(Rule::UnknownResultType, value.as_bytes());
            }
            _ => {}
        }
    }

    fn repeated(&mut self, name: Option<RawStr<'_>>) {
        if let Some(name) = name {
            self.at_string(Rule::DuplicateNestedMember, name);
        }
    }

    fn at(&mut self, rule: Rule, part: &[u8]) {
        self.say(rule, rule.severity(), offset_in(self.frame, part));
    }

    /// At the opening quote of a string.
    pub(crate) fn at_string(&mut self, rule: Rule, string: RawStr<'_>) {
        self.say(rule, rule.severity(), string.quote_in(self.frame));
    }

    pub(crate) fn say(&mut self, rule: Rule, severity: Severity, offset: u32) {
        (self.report)(Finding::new(rule, severity, offset));
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
