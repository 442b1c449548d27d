//! Constraints that the text of the specification states and the schemas do not express: relations between members.

mod elicitation;
mod header;
mod input_required;
mod metadata;
mod result;
mod sampling;
mod schema;

use tautline::internal::cast::{index, u32_from};
use tautline::{ErrorObject, Message, Rule};

use super::expected::{Expected, Missed};
use super::table::Type;
use crate::places::member;
use crate::{Era, Finding, KnownMethod, Revision, rule};

/// Checks a message that is not a batch. `method` is the method of the call, or of the answered request.
pub(super) fn check(
    message: &Message<'_>,
    method: Option<KnownMethod>,
    revision: Revision,
    report: &mut dyn FnMut(Finding),
) {
    let frame = message.frame();
    let mut report = |rule: Rule, at: usize| {
        report(Finding::new(rule, rule::severity(rule), u32_from(at)));
    };
    match message {
        Message::Request(request) => {
            let Some(span) = request.call().params_span() else { return };
            let params = index(span.start());
            if let Some(method) = method {
                check_asked(frame, method, params, revision, &mut report);
            }
            if revision.era() == Era::Modern {
                metadata::check(frame, params, &mut report);
            }
        }
        Message::Response(response) => {
            let Some(span) = response.result_span() else { return };
            let result = index(span.start());
            if revision.era() == Era::Modern {
                input_required::check(frame, result, revision, &mut report);
            }
            if let Some(method) = method {
                check_answer(frame, method, result, revision, &mut report);
            }
        }
        Message::Notification(_) | Message::Batch(_) => {}
    }
}

/// Checks the params at this offset, which ask a client for input.
fn check_asked(
    frame: &[u8],
    method: KnownMethod,
    params: usize,
    revision: Revision,
    report: &mut impl FnMut(Rule, usize),
) {
    match method {
        KnownMethod::SamplingCreateMessage => sampling::check(frame, params, revision, report),
        KnownMethod::ElicitationCreate if revision >= Revision::V2025_11_25 => {
            elicitation::check(frame, params, report);
        }
        _ => {}
    }
}

/// Checks the result at this offset, which answers a request with this method.
fn check_answer(
    frame: &[u8],
    method: KnownMethod,
    result: usize,
    revision: Revision,
    report: &mut impl FnMut(Rule, usize),
) {
    match method {
        KnownMethod::ToolsList if revision >= Revision::V2025_11_25 => {
            schema::check_tools(frame, result, report);
            if revision.era() == Era::Modern {
                header::check(frame, result, report);
            }
        }
        KnownMethod::PromptsGet => result::check_prompt(frame, result, report),
        KnownMethod::TasksGet if revision == Revision::V2025_11_25 => {
            result::check_task(frame, result, report);
        }
        KnownMethod::Ping if revision.era() == Era::Legacy => {
            result::check_ping(frame, result, report);
        }
        KnownMethod::ServerDiscover => {
            let capabilities = member(frame, result, "capabilities");
            metadata::check_extensions(frame, capabilities, report);
        }
        _ => {}
    }
}

/// Reports an error without the data that its code requires, which is of this type.
pub(super) fn check_data(
    error: &ErrorObject<'_>,
    of: &'static Type,
    report: &mut dyn FnMut(Finding),
) {
    if error.data().is_none() {
        let expected = Some(Expected(Missed::Data(of)));
        report(Finding::expecting(rule::MISSING_ERROR_DATA, error.code_span().start(), expected));
    }
}
