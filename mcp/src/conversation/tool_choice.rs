//! The choice of tools in sampling (since 2025-11-25, client/sampling, tool choice modes).

use tautline::RawJson;
use tautline::json::Kind;

use super::Notice;
use crate::places::{self, Member};
use crate::rule;

/// The choice of tools that a request for sampling leaves to the model.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// It uses no tool.
    None,
    /// It uses a tool before it completes, and has not used one yet.
    Required,
}

impl Choice {
    /// Reads the params at this offset.
    pub(super) fn of(frame: &[u8], params: usize) -> Option<Self> {
        let [choice, messages] = places::pick(frame, params, ["toolChoice", "messages"]);
        let mode = places::member(frame, choice?.object()?.at, "mode")?.string()?;
        if mode == *"none" {
            return Some(Self::None);
        }
        let uses_tool =
            |at| places::member(frame, at, "content").is_some_and(|all| has_tool_use(frame, all));
        let is_open = mode == *"required" && !places::objects(frame, messages).any(uses_tool);
        is_open.then_some(Self::Required)
    }

    /// Checks the answer of the model, an object at this offset.
    pub(super) fn check(self, answer: usize, notice: &mut Notice<'_, '_>) {
        let [content, reason] = places::pick(notice.frame, answer, ["content", "stopReason"]);
        let Some(content) = content else { return };
        let uses_tool = has_tool_use(notice.frame, content);
        // A model that was stopped has not completed.
        let reason = reason.and_then(Member::string);
        let is_complete = reason.is_none_or(|reason| reason == *"endTurn");
        let is_ignored = match self {
            Self::None => uses_tool,
            Self::Required => !uses_tool && is_complete,
        };
        if is_ignored {
            notice.at(rule::TOOL_CHOICE_IGNORED, content.at);
        }
    }
}

/// Returns whether the content is or has a use of a tool.
fn has_tool_use(frame: &[u8], content: Member<'_>) -> bool {
    let is_use = |at, value: &RawJson<'_>| {
        places::is_object(value)
            && places::member(frame, at, "type")
                .and_then(Member::string)
                .is_some_and(|kind| kind == *"tool_use")
    };
    match content.value.kind() {
        Kind::Array => places::elements(frame, content.at).any(|(at, value)| is_use(at, &value)),
        _ => is_use(content.at, &content.value),
    }
}
