//! Constraints that the text of the specification states and the schemas do not express: relations between members.

mod header;
mod input_required;
mod sampling;

use super::violation::{Missed, Violation};
use crate::cast::{index, u32_from};
use crate::envelope::{ErrorObject, Message};
use crate::mcp::KnownMethod;
use crate::rule::Rule;

/// Checks a message that is not a batch. `answered` is the method that a response answers, and `is_modern` tells
/// whether the revision is 2026-07-28 or later.
pub(super) fn check<'buf>(
    message: &Message<'buf>,
    answered: Option<KnownMethod>,
    is_modern: bool,
    report: &mut dyn FnMut(Violation<'buf>),
) {
    let frame = message.frame();
    let mut report = |rule: Rule, at: usize| {
        let offset = u32_from(at);
        report(Violation::new(frame, rule, offset, Missed::Rule(rule)));
    };
    match message {
        Message::Request(request) => {
            let is_sampling = request.method() == *KnownMethod::SamplingCreateMessage.name();
            if let Some(span) = request.call().params_span().filter(|_| is_sampling) {
                sampling::check(frame, index(span.start()), &mut report);
            }
        }
        Message::Response(response) => {
            let Some(span) = response.result_span() else { return };
            let result = index(span.start());
            if is_modern {
                input_required::check(frame, result, &mut report);
            }
            if is_modern && answered == Some(KnownMethod::ToolsList) {
                header::check(frame, result, &mut report);
            }
        }
        Message::Notification(_) | Message::Batch(_) => {}
    }
}

/// Reports an error without the data that its code requires.
pub(super) fn check_data<'buf>(
    frame: &'buf [u8],
    error: &ErrorObject<'buf>,
    report: &mut dyn FnMut(Violation<'buf>),
) {
    if error.data().is_none() {
        let rule = Rule::MissingErrorData;
        report(Violation::new(frame, rule, error.code_span().start(), Missed::Member("data")));
    }
}
