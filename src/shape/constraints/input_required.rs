//! Results that require input (2026-07-28, basic/patterns/mrtr).

use super::sampling;
use crate::json::places::{is_object, member, members};
use crate::mcp::KnownMethod;
use crate::rule::Rule;

/// Checks the result at this offset.
pub(super) fn check(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    let kind = member(frame, result, "resultType");
    if kind.and_then(|kind| kind.value.string()).is_none_or(|kind| kind != *"input_required") {
        return;
    }
    let requests = member(frame, result, "inputRequests");
    if requests.is_none() && member(frame, result, "requestState").is_none() {
        report(Rule::InputRequiredEmpty, result);
    }
    let Some(requests) = requests.filter(|requests| is_object(&requests.value)) else { return };
    for request in members(frame, requests.at).filter(|request| is_object(&request.value)) {
        let method = member(frame, request.at, "method").and_then(|method| method.value.string());
        let is_sampling = method.is_some_and(|method| {
            KnownMethod::named(method) == Some(KnownMethod::SamplingCreateMessage)
        });
        let params = member(frame, request.at, "params").filter(|_| is_sampling);
        if let Some(params) = params.filter(|params| is_object(&params.value)) {
            sampling::check(frame, params.at, report);
        }
    }
}
