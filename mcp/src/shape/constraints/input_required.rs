//! Results that require input (2026-07-28, basic/patterns/mrtr).

use tautline::Rule;

use crate::places::{is_object, member, members};
use crate::{KnownMethod, Revision, rule};

/// Checks the result at this offset.
pub(super) fn check(
    frame: &[u8],
    result: usize,
    revision: Revision,
    report: &mut impl FnMut(Rule, usize),
) {
    let kind = member(frame, result, "resultType");
    if kind.and_then(|kind| kind.value.string()).is_none_or(|kind| kind != *"input_required") {
        return;
    }
    let requests = member(frame, result, "inputRequests");
    if requests.is_none() && member(frame, result, "requestState").is_none() {
        report(rule::INPUT_REQUIRED_EMPTY, result);
    }
    let Some(requests) = requests.filter(|requests| is_object(&requests.value)) else { return };
    for request in members(frame, requests.at).filter(|request| is_object(&request.value)) {
        let method = member(frame, request.at, "method").and_then(|method| method.value.string());
        let method = method.and_then(KnownMethod::named);
        let params = member(frame, request.at, "params");
        if let Some(method) = method
            && let Some(params) = params.filter(|params| is_object(&params.value))
        {
            super::check_asked(frame, method, params.at, revision, report);
        }
    }
}
