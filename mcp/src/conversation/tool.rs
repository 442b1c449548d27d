//! Tools: facts from their lists, and their calls (server/tools).

use alloc::vec::Vec;

use super::call::{Answer, Call, Params};
use super::{Conversation, Notice, header, text};
use crate::places::{self, Member};
use crate::{KnownMethod, Role, rule};

/// The facts that a list gives about a tool.
#[derive(Debug)]
pub(super) struct Tool {
    has_output_schema: bool,
    support: TaskSupport,
    /// The paths of the integers that go into headers (2026-07-28).
    pub(super) integers: Vec<header::Path>,
}

/// The ways in which a tool may be called: as a task, or without one (2025-11-25, utilities/tasks, tool-level
/// negotiation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskSupport {
    Forbidden,
    Optional,
    Required,
}

impl Conversation {
    /// Keeps the facts in a result of `tools/list`.
    pub(super) fn keep_tools(&mut self, frame: &[u8], answer: &Answer<'_>) {
        for at in places::objects(frame, answer.tools) {
            let [name, schema, execution, input] =
                places::pick(frame, at, ["name", "outputSchema", "execution", "inputSchema"]);
            let Some(name) = text(name) else { continue };
            let support = execution
                .and_then(Member::object)
                .and_then(|execution| places::member(frame, execution.at, "taskSupport"))
                .and_then(Member::string);
            let support = match support {
                Some(support) if support == *"required" => TaskSupport::Required,
                Some(support) if support == *"optional" => TaskSupport::Optional,
                _ => TaskSupport::Forbidden,
            };
            let before = self.tools.get(&name).map_or(0, |tool| tool.integers.len());
            let others = self.header_integers.saturating_sub(before);
            let mut integers = header::integers(frame, input);
            integers.truncate(header::MOST.saturating_sub(others));
            if self.tools.is_full() && self.tools.get(&name).is_none() {
                integers.clear();
            }
            self.header_integers = others.saturating_add(integers.len());
            self.tools
                .insert(name, Tool { has_output_schema: schema.is_some(), support, integers });
        }
    }

    /// Checks that a tool is called with a task or without one, as it requires. If the server does not run tasks, a
    /// task has no effect.
    pub(super) fn check_tool_call(
        &self,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(KnownMethod::ToolsCall) = method else { return };
        if self.runs_tasks(Role::Server, KnownMethod::ToolsCall) != Some(true) {
            return;
        }
        let tool = text(params.name).and_then(|name| self.tools.get(&name));
        match (tool.map(|tool| tool.support), params.task, params.name) {
            (Some(TaskSupport::Forbidden), Some(task), _) => {
                notice.at(rule::TOOL_TASK_SUPPORT, task.name_at);
            }
            (Some(TaskSupport::Required), None, Some(name)) => {
                notice.at(rule::TOOL_TASK_SUPPORT, name.at);
            }
            _ => {}
        }
    }

    /// Returns whether a call is of a tool with an output schema, according to the lists before it.
    pub(super) fn needs_structured_content(&self, call: &Call) -> bool {
        let name = call.name.as_ref().filter(|_| call.method == Some(KnownMethod::ToolsCall));
        let tool = name.and_then(|name| self.tools.get(name));
        tool.is_some_and(|tool| tool.has_output_schema)
    }
}

/// Checks that the result of a tool with an output schema has structured content, unless the call has failed.
pub(super) fn check_structured_content(
    call: &Call,
    answer: &Answer<'_>,
    notice: &mut Notice<'_, '_>,
) {
    if call.needs_structured_content && !answer.is_error && answer.structured_content.is_none() {
        notice.at(rule::STRUCTURED_CONTENT_MISSING, answer.at);
    }
}

/// Reports embedded resources in the result of a tool, of a server that has not declared resources (since 2025-06-18,
/// server/tools, embedded resources).
pub(super) fn check_resources(answer: &Answer<'_>, notice: &mut Notice<'_, '_>) {
    let Some(content) = answer.member(notice.frame, "content") else { return };
    for at in places::objects(notice.frame, Some(content)) {
        let kind = places::member(notice.frame, at, "type");
        if let Some(kind) = kind.filter(|kind| kind.string().is_some_and(|of| of == *"resource")) {
            notice.warn(rule::UNDECLARED_CAPABILITY, kind.at);
        }
    }
}
