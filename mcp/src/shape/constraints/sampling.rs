//! Tool uses and their results in the messages for sampling (since 2025-11-25, client/sampling).

use tautline::json::Kind;
use tautline::{RawJson, Rule};

use crate::places::{elements, is_object, member, members};
use crate::{Revision, hash, rule};

/// The content of one message.
#[derive(Clone, Copy, Default)]
struct Content {
    uses: Ids,
    results: Ids,
    has_other: bool,
    is_of_user: bool,
}

/// The ids of tool uses or results, kept as their number and the sum of their hashes. This is enough to tell whether
/// there is one result for each use, in any order, without storing the ids.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Ids {
    count: u32,
    hashes: u64,
}

impl Ids {
    fn add(&mut self, id: Option<RawJson<'_>>) {
        let hash = id.and_then(|id| id.string()).map_or(0, hash::of_text);
        self.count = self.count.saturating_add(1);
        self.hashes = self.hashes.wrapping_add(hash);
    }
}

/// Checks the messages in the params at this offset. Reports each message whose tool results do not match the tool uses
/// of the message before, that mixes tool results with other content, or that has tool uses or results of the wrong
/// role. Also reports the last message if it has tool uses.
// Not inlined, so that its variables are not on the stack of other checks.
#[inline(never)]
pub(super) fn check(
    frame: &[u8],
    params: usize,
    revision: Revision,
    report: &mut impl FnMut(Rule, usize),
) {
    if revision >= Revision::V2025_11_25 {
        check_context(frame, params, report);
    }
    let messages = member(frame, params, "messages");
    let Some(messages) = messages.filter(|messages| messages.value.kind() == Kind::Array) else {
        return;
    };
    let mut waiting = Ids::default();
    let mut last = None;
    for (at, message) in elements(frame, messages.at) {
        let content = if is_object(&message) { content_of(frame, at) } else { Content::default() };
        let is_mixed = content.results.count > 0 && (content.has_other || !content.is_of_user)
            || content.uses.count > 0 && content.is_of_user;
        let is_answer = content.results == waiting && !(waiting.count > 0 && content.has_other);
        if is_mixed || !is_answer {
            report(rule::TOOL_RESULT_UNPAIRED, at);
        }
        waiting = content.uses;
        last = Some(at);
    }
    if let Some(at) = last.filter(|_| waiting.count > 0) {
        report(rule::TOOL_RESULT_UNPAIRED, at);
    }
}

/// Reports that the params at this offset ask for the context of servers.
fn check_context(frame: &[u8], params: usize, report: &mut impl FnMut(Rule, usize)) {
    let Some(context) = member(frame, params, "includeContext") else { return };
    let is_deprecated = |text| text == *"thisServer" || text == *"allServers";
    if context.value.string().is_some_and(is_deprecated) {
        report(rule::SAMPLING_CONTEXT_DEPRECATED, context.at);
    }
}

/// Returns what the message at this offset contains.
fn content_of(frame: &[u8], message: usize) -> Content {
    let role = member(frame, message, "role").and_then(|role| role.value.string());
    let is_of_user = role.is_some_and(|role| role == *"user");
    let mut content = Content { is_of_user, ..Content::default() };
    let Some(blocks) = member(frame, message, "content") else { return content };
    match blocks.value.kind() {
        Kind::Array => {
            for (at, block) in elements(frame, blocks.at) {
                content.add(frame, at, block);
            }
        }
        _ => content.add(frame, blocks.at, blocks.value),
    }
    content
}

impl Content {
    /// Adds the block at this offset.
    fn add(&mut self, frame: &[u8], at: usize, block: RawJson<'_>) {
        let (mut kind, mut id, mut used) = (None, None, None);
        if is_object(&block) {
            for member in members(frame, at) {
                let wanted = match () {
                    () if member.name == *"type" => &mut kind,
                    () if member.name == *"id" => &mut id,
                    () if member.name == *"toolUseId" => &mut used,
                    () => continue,
                };
                *wanted = Some(member.value);
            }
        }
        match kind.and_then(|kind| kind.string()) {
            Some(kind) if kind == *"tool_use" => {
                self.uses.add(id);
                self.has_other = true;
            }
            Some(kind) if kind == *"tool_result" => self.results.add(used),
            _ => self.has_other = true,
        }
    }
}
