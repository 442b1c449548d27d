//! Members that results ought to have or not to have, although the schemas leave that open.

use tautline::Rule;

use crate::places::{Member, is_object, member, members, objects};
use crate::rule;

/// Checks that the result of a ping, at this offset, has nothing but metadata (up to 2025-11-25, utilities/ping).
pub(super) fn check_ping(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    if let Some(other) = members(frame, result).find(|member| member.name != *"_meta") {
        report(rule::PING_RESULT, other.name_at);
    }
}

/// Checks that a failed task, at this offset, says why (2025-11-25, utilities/tasks, task execution errors).
pub(super) fn check_task(frame: &[u8], task: usize, report: &mut impl FnMut(Rule, usize)) {
    let status = member(frame, task, "status");
    let has_failed =
        |status: &Member<'_>| status.value.string().is_some_and(|status| status == *"failed");
    if let Some(status) = status.filter(has_failed)
        && member(frame, task, "statusMessage").is_none()
    {
        report(rule::TASK_FAILURE_UNEXPLAINED, status.at);
    }
}

/// Checks that resources in the messages of a prompt, at this offset, have a media type (server/prompts, embedded
/// resources).
pub(super) fn check_prompt(frame: &[u8], result: usize, report: &mut impl FnMut(Rule, usize)) {
    for message in objects(frame, member(frame, result, "messages")) {
        let content = member(frame, message, "content");
        let Some(content) = content.filter(|content| is_object(&content.value)) else { continue };
        let kind = member(frame, content.at, "type").and_then(|kind| kind.value.string());
        if kind.is_none_or(|kind| kind != *"resource") {
            continue;
        }
        let resource = member(frame, content.at, "resource");
        if let Some(resource) = resource.filter(|resource| is_object(&resource.value))
            && member(frame, resource.at, "mimeType").is_none()
        {
            report(rule::RESOURCE_MEDIA_TYPE_MISSING, resource.at);
        }
    }
}
