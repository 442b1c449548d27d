//! Metadata and capabilities (2026-07-28, basic, `_meta`, and basic/versioning, extension negotiation).

use tautline::{RawStr, Rule};

use crate::places::{Member, is_object, member, members};
use crate::rule;
use crate::shape::syntax::{is_baggage, is_extension_id, is_traceparent, is_tracestate};

/// Checks the metadata in the params at this offset.
pub(super) fn check(frame: &[u8], params: usize, report: &mut impl FnMut(Rule, usize)) {
    let Some(meta) = object(member(frame, params, "_meta")) else { return };
    for member in members(frame, meta.at) {
        let (rule, is_right): (Rule, fn(RawStr<'_>) -> bool) = match () {
            () if member.name == *"traceparent" => (rule::TRACE_CONTEXT_SYNTAX, is_traceparent),
            () if member.name == *"tracestate" => (rule::TRACE_CONTEXT_SYNTAX, is_tracestate),
            () if member.name == *"baggage" => (rule::BAGGAGE_SYNTAX, is_baggage),
            () if member.name == *"io.modelcontextprotocol/clientCapabilities" => {
                check_extensions(frame, Some(member), report);
                continue;
            }
            () => continue,
        };
        if !member.value.string().is_some_and(is_right) {
            report(rule, member.at);
        }
    }
}

/// Checks the ids of extensions in an object of capabilities.
pub(super) fn check_extensions(
    frame: &[u8],
    capabilities: Option<Member<'_>>,
    report: &mut impl FnMut(Rule, usize),
) {
    let extensions = object(capabilities).and_then(|all| member(frame, all.at, "extensions"));
    let Some(extensions) = object(extensions) else { return };
    for extension in members(frame, extensions.at) {
        if !is_extension_id(extension.name) {
            report(rule::EXTENSION_ID, extension.name_at);
        }
    }
}

fn object(member: Option<Member<'_>>) -> Option<Member<'_>> {
    member.filter(|member| is_object(&member.value))
}
