//! Tools: facts from their lists, and their calls (server/tools).

use alloc::string::String;
use alloc::vec::Vec;

use tautline::RawJson;
use tautline::json::Kind;

use super::{Answer, Call, Conversation, Notice, Params, same_value, text};
use crate::hash::name_of;
use crate::places::{self, Member};
use crate::session::Capability;
use crate::{KnownMethod, Revision, Role, rule};

/// The maximum number of integers that are remembered, of all tools together and of one tool.
const MOST_INTEGERS: usize = 1024;
const MOST_INTEGERS_OF_TOOL: usize = 32;

/// The maximum depth of the integers that are found, and the maximum number of objects that wait to be searched.
const DEEPEST: usize = 8;
const MOST_OBJECTS: usize = 64;

/// The largest integer that a double and its neighbours tell apart.
const LARGEST: f64 = 9_007_199_254_740_991.0;

/// The names that lead to an argument.
type Path = Vec<String>;

/// The facts that a list gives about a tool.
#[derive(Debug)]
pub(super) struct Tool {
    has_output_schema: bool,
    support: TaskSupport,
    /// The paths of the integers that go into headers (2026-07-28).
    integers: Vec<Path>,
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
            let mut integers = integers(frame, input);
            integers.truncate(MOST_INTEGERS.saturating_sub(others));
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

    /// Checks the integers in the arguments of a tool that go into headers.
    pub(super) fn check_header_integers(
        &self,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(KnownMethod::ToolsCall) = method else { return };
        let Some(tool) = text(params.name).and_then(|name| self.tools.get(&name)) else { return };
        for path in &tool.integers {
            let mut place = params.member(notice.frame, "arguments");
            for name in path {
                let object = place.and_then(Member::object);
                // A long name is kept as a hash, so it is not found.
                place = object.and_then(|object| places::member(notice.frame, object.at, name));
            }
            let Some(argument) = place else { continue };
            let number = argument.value.number().filter(|number| number.is_integer());
            let number = number.and_then(|number| number.as_str()?.parse::<f64>().ok());
            if number.is_some_and(|number| !(-LARGEST..=LARGEST).contains(&number)) {
                notice.at(rule::HEADER_INTEGER_RANGE, argument.at);
            }
        }
    }

    /// Checks the complete result of a tool.
    pub(super) fn check_tool_result(
        &self,
        call: &Call,
        answer: &Answer<'_>,
        revision: Revision,
        notice: &mut Notice<'_, '_>,
    ) {
        check_structured_content(call, answer, notice);
        if call.method != Some(KnownMethod::ToolsCall) || revision < Revision::V2025_06_18 {
            return;
        }
        same_value::check_text(answer, notice);
        let declared = self.server_capabilities;
        if declared.is_some_and(|declared| !declared.has(Capability::Resources)) {
            check_resources(answer, notice);
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
fn check_structured_content(call: &Call, answer: &Answer<'_>, notice: &mut Notice<'_, '_>) {
    if call.needs_structured_content && !answer.is_error && answer.structured_content.is_none() {
        notice.at(rule::STRUCTURED_CONTENT_MISSING, answer.at);
    }
}

/// Reports embedded resources in the result of a tool, of a server that has not declared resources (since 2025-06-18,
/// server/tools, embedded resources).
fn check_resources(answer: &Answer<'_>, notice: &mut Notice<'_, '_>) {
    let Some(content) = answer.member(notice.frame, "content") else { return };
    for at in places::objects(notice.frame, Some(content)) {
        let kind = places::member(notice.frame, at, "type");
        if let Some(kind) = kind.filter(|kind| kind.string().is_some_and(|of| of == *"resource")) {
            notice.warn(rule::UNDECLARED_CAPABILITY, kind.at);
        }
    }
}

/// Returns the paths of the integers in a schema that have the annotation.
fn integers(frame: &[u8], schema: Option<Member<'_>>) -> Vec<Path> {
    let mut found = Vec::new();
    let mut waiting: Vec<(usize, Path)> = Vec::new();
    waiting.extend(schema.and_then(Member::object).map(|schema| (schema.at, Path::new())));
    while let Some((at, path)) = waiting.pop() {
        let properties = places::member(frame, at, "properties").and_then(Member::object);
        let Some(properties) = properties.filter(|_| path.len() < DEEPEST) else { continue };
        for property in places::members(frame, properties.at).filter_map(Member::object) {
            let names = ["type", "x-mcp-header", "properties"];
            let [kind, annotation, inner] = places::pick(frame, property.at, names);
            let is_integer = kind.is_some_and(|kind| is_integer(frame, kind));
            if annotation.is_none() && inner.is_none() {
                continue;
            }
            let mut path = path.clone();
            path.push(name_of(property.name));
            if annotation.is_some() && is_integer && found.len() < MOST_INTEGERS_OF_TOOL {
                found.push(path.clone());
            }
            if inner.is_some() && waiting.len() < MOST_OBJECTS {
                waiting.push((property.at, path));
            }
        }
    }
    found
}

/// Returns whether a value of `type` allows integers.
fn is_integer(frame: &[u8], kind: Member<'_>) -> bool {
    let is_one = |value: RawJson<'_>| value.string().is_some_and(|of| of == *"integer");
    match kind.value.kind() {
        Kind::Array => places::elements(frame, kind.at).any(|(_, value)| is_one(value)),
        _ => is_one(kind.value),
    }
}
