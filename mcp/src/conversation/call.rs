//! Requests and results: the members that are used, and what is kept of them.

use alloc::format;
use alloc::string::{String, ToString};

use tautline::internal::cast::index;
use tautline::{Call as CallOf, Id, RawJson, RawNumber, RawStr, Response};

use super::declared::Declared;

use super::text;
use super::tool_choice::Choice;
use crate::hash::{self, name_of, shortened};
use crate::places::{self, Member};
use crate::{KnownMethod, Role};

/// The length of the number of a progress that is kept, in bytes.
const LONGEST: usize = 64;

/// The progress of a request.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The last number.
    last: Option<String>,
    /// The key of the task that the request became.
    pub(super) task: Option<String>,
    /// The number of messages up to the one that cancelled the request.
    pub(super) cancelled: Option<u64>,
}

impl Progress {
    /// Returns whether a number does not exceed the last one. Numbers that floats cannot tell apart are compared by
    /// their text, which shows only whether they are equal.
    pub(super) fn is_at_least(&self, next: RawNumber<'_>) -> bool {
        let Some(text) = &self.last else { return false };
        let last = RawJson::parse(text.as_bytes()).ok().and_then(|last| last.number());
        let float = |number: RawNumber<'_>| number.as_str()?.parse::<f64>().ok();
        match (last.and_then(float), float(next)) {
            (Some(before), Some(now)) if before == now => {
                last.is_some_and(|last| last.is_worth(&next))
            }
            (Some(before), Some(now)) => now < before,
            _ => false,
        }
    }

    /// Keeps a number, unless it is long.
    pub(super) fn keep(&mut self, number: RawNumber<'_>) {
        let text = number.as_str().filter(|text| text.len() <= LONGEST);
        self.last = text.map(Into::into);
    }
}

/// The parts of a request that are kept.
#[derive(Debug)]
pub(super) struct Call {
    /// The sender.
    pub(super) from: Role,
    pub(super) method: Option<KnownMethod>,
    /// The method, and the name or URI in its params: a retry has the same.
    pub(super) about: String,
    /// The name of the tool.
    pub(super) name: Option<String>,
    pub(super) token: Option<String>,
    /// True if it asks for a task.
    pub(super) takes_task: bool,
    /// True if a task has answered it.
    pub(super) is_task: bool,
    pub(super) is_cancelled: bool,
    pub(super) progress: Progress,
    /// True if the tool that it calls has an output schema.
    pub(super) needs_structured_content: bool,
    /// The number of messages before it.
    pub(super) number: u64,
    /// The cursor of the page that it asks for.
    pub(super) cursor: Option<String>,
    /// The choice of tools that it leaves to the model.
    pub(super) choice: Option<Choice>,
    /// The task that it is about.
    pub(super) task_id: Option<String>,
    /// The task that its metadata names.
    pub(super) related_task: Option<String>,
    /// True if it cancels a task that has ended.
    pub(super) cancels_ended: bool,
    /// The lowest level of the log messages that it asks for (2026-07-28).
    pub(super) log_level: Option<usize>,
    /// The kinds of input that the client declares in it (2026-07-28).
    pub(super) declared: Declared,
    /// A hash of all that the client declares in it.
    pub(super) declared_hash: u64,
    /// A hash of the params that a retry repeats (2026-07-28).
    pub(super) repeated: u64,
}

impl Call {
    pub(super) fn new(from: Role, method: Option<KnownMethod>, params: &Params<'_>) -> Self {
        let name = text(params.name);
        let object = name.clone().or_else(|| text(params.uri)).unwrap_or_default();
        Self {
            from,
            method,
            about: format!("{}\n{object}", method.map_or("", KnownMethod::name)),
            name,
            token: params.token.as_ref().map(|token| key_of(token)),
            takes_task: params.task.is_some() && takes_task(method),
            is_task: false,
            is_cancelled: false,
            progress: Progress::default(),
            needs_structured_content: false,
            number: 0,
            cursor: text(params.cursor),
            choice: None,
            task_id: text(params.task_id),
            related_task: None,
            cancels_ended: false,
            log_level: params.log_level.and_then(Member::string).and_then(level),
            declared: params.declared,
            declared_hash: params.declared_hash,
            repeated: 0,
        }
    }
}

/// Returns whether a request may be run as a task (2025-11-25, utilities/tasks).
pub(super) const fn takes_task(method: Option<KnownMethod>) -> bool {
    matches!(
        method,
        Some(
            KnownMethod::ToolsCall
                | KnownMethod::SamplingCreateMessage
                | KnownMethod::ElicitationCreate
        )
    )
}

/// The members of params that are used.
pub(super) struct Params<'buf> {
    /// The offset of params, or of the method if there are none.
    pub(super) at: usize,
    is_object: bool,
    pub(super) name: Option<Member<'buf>>,
    pub(super) uri: Option<Member<'buf>>,
    pub(super) cursor: Option<Member<'buf>>,
    pub(super) capabilities: Option<Member<'buf>>,
    pub(super) task: Option<Member<'buf>>,
    pub(super) task_id: Option<Member<'buf>>,
    pub(super) status: Option<Member<'buf>>,
    pub(super) request_id: Option<Member<'buf>>,
    pub(super) progress_token: Option<Member<'buf>>,
    pub(super) progress: Option<Member<'buf>>,
    pub(super) level: Option<Member<'buf>>,
    pub(super) tools: Option<Member<'buf>>,
    pub(super) tool_choice: Option<Member<'buf>>,
    pub(super) mode: Option<Member<'buf>>,
    pub(super) notifications: Option<Member<'buf>>,
    pub(super) input_responses: Option<Member<'buf>>,
    pub(super) request_state: Option<Member<'buf>>,
    pub(super) meta: Option<Member<'buf>>,
    /// The progress token in the metadata.
    pub(super) token: Option<Id<'buf>>,
    pub(super) log_level: Option<Member<'buf>>,
    pub(super) related_task: Option<Member<'buf>>,
    pub(super) subscription_id: Option<Member<'buf>>,
    /// The capabilities in the metadata, and a hash of their text.
    pub(super) declared: Declared,
    pub(super) declared_hash: u64,
}

impl<'buf> Params<'buf> {
    pub(super) fn of(frame: &'buf [u8], call: &CallOf<'buf>) -> Self {
        let span = call.params_span();
        let at = span.map_or_else(|| super::method_at(call), |span| index(span.start()));
        let is_object = call.params().is_some_and(|params| places::is_object(&params));
        let names = [
            "name",
            "uri",
            "cursor",
            "capabilities",
            "task",
            "taskId",
            "status",
            "requestId",
            "progressToken",
            "progress",
            "level",
            "tools",
            "toolChoice",
            "mode",
            "notifications",
            "inputResponses",
            "requestState",
            "_meta",
        ];
        let [
            name,
            uri,
            cursor,
            capabilities,
            task,
            task_id,
            status,
            request_id,
            progress_token,
            progress,
            level,
            tools,
            tool_choice,
            mode,
            notifications,
            input_responses,
            request_state,
            meta,
        ] = if is_object { places::pick(frame, at, names) } else { [None; 18] };
        let [token, log_level, related_task, subscription_id, declared] = in_meta(frame, meta);
        let declared = declared.and_then(Member::object);
        Self {
            at,
            is_object,
            name,
            uri,
            cursor,
            capabilities,
            task,
            task_id,
            status,
            request_id,
            progress_token,
            progress,
            level,
            tools,
            tool_choice,
            mode,
            notifications,
            input_responses,
            request_state,
            meta,
            token: token.and_then(|token| Id::of(token.value)),
            log_level,
            related_task,
            subscription_id,
            declared: declared.map_or(Declared::NOTHING, |object| Declared::of(frame, object)),
            declared_hash: declared.map_or(0, |object| hash::of_bytes(object.value.as_bytes())),
        }
    }

    /// Returns the offset of the object.
    pub(super) fn object_at(&self) -> Option<usize> {
        self.is_object.then_some(self.at)
    }

    /// Returns the first member with this name.
    pub(super) fn member(&self, frame: &'buf [u8], name: &str) -> Option<Member<'buf>> {
        places::member(frame, self.object_at()?, name)
    }

    /// Returns the first member of the metadata with this name.
    pub(super) fn in_meta(&self, frame: &'buf [u8], name: &str) -> Option<Member<'buf>> {
        places::member(frame, self.meta?.object()?.at, name)
    }
}

/// The members of a result that are used.
pub(super) struct Answer<'buf> {
    /// The offset of the result.
    pub(super) at: usize,
    pub(super) is_object: bool,
    pub(super) meta: Option<Member<'buf>>,
    /// The value of `resultType`.
    pub(super) kind: Option<RawStr<'buf>>,
    pub(super) next_cursor: Option<Member<'buf>>,
    pub(super) tools: Option<Member<'buf>>,
    pub(super) structured_content: Option<Member<'buf>>,
    pub(super) is_error: bool,
    pub(super) task: Option<Member<'buf>>,
    pub(super) tasks: Option<Member<'buf>>,
    pub(super) task_id: Option<Member<'buf>>,
    pub(super) status: Option<Member<'buf>>,
    pub(super) related_task: Option<Member<'buf>>,
    pub(super) subscription_id: Option<Member<'buf>>,
    pub(super) input_requests: Option<Member<'buf>>,
    pub(super) request_state: Option<Member<'buf>>,
    pub(super) capabilities: Option<Member<'buf>>,
}

impl<'buf> Answer<'buf> {
    /// Reads a response, if it has a result.
    pub(super) fn of(frame: &'buf [u8], response: &Response<'buf>) -> Option<Self> {
        let at = index(response.result_span()?.start());
        let names = [
            "resultType",
            "nextCursor",
            "tools",
            "structuredContent",
            "isError",
            "task",
            "tasks",
            "taskId",
            "status",
            "inputRequests",
            "requestState",
            "capabilities",
            "_meta",
        ];
        let is_object = response.result().is_some_and(|result| places::is_object(&result));
        let [
            kind,
            next_cursor,
            tools,
            structured_content,
            is_error,
            task,
            tasks,
            task_id,
            status,
            input_requests,
            request_state,
            capabilities,
            meta,
        ] = if is_object { places::pick(frame, at, names) } else { [None; 13] };
        let [_, _, related_task, subscription_id, _] = in_meta(frame, meta);
        Some(Self {
            at,
            is_object,
            meta,
            kind: kind.and_then(Member::string),
            next_cursor,
            tools,
            structured_content,
            is_error: is_error.is_some_and(|member| member.value.as_bytes() == b"true"),
            task: task.and_then(Member::object),
            tasks,
            task_id,
            status,
            related_task,
            subscription_id,
            input_requests,
            request_state,
            capabilities,
        })
    }

    /// Returns the first member with this name.
    pub(super) fn member(&self, frame: &'buf [u8], name: &str) -> Option<Member<'buf>> {
        places::member(frame, self.is_object.then_some(self.at)?, name)
    }
}

/// Returns the members of `_meta` that are used.
fn in_meta<'buf>(frame: &'buf [u8], meta: Option<Member<'buf>>) -> [Option<Member<'buf>>; 5] {
    let names = [
        "progressToken",
        "io.modelcontextprotocol/logLevel",
        "io.modelcontextprotocol/related-task",
        "io.modelcontextprotocol/subscriptionId",
        "io.modelcontextprotocol/clientCapabilities",
    ];
    match meta.and_then(Member::object) {
        Some(meta) => places::pick(frame, meta.at, names),
        None => [None; 5],
    }
}

/// Returns the position of a level in the order of RFC 5424, section 6.2.1, from the lowest.
pub(super) fn level(name: RawStr<'_>) -> Option<usize> {
    crate::LogLevel::ALL.iter().position(|level| name == level.name())
}

/// Returns a key for an id: equal for ids with the same meaning.
pub(super) fn key_of(id: &Id<'_>) -> String {
    match (id, id.integer()) {
        (_, Some((true, magnitude))) => format!("-{magnitude}"),
        (_, Some((false, magnitude))) => magnitude.to_string(),
        (Id::String(text), None) => format!("\"{}", name_of(*text)),
        (Id::Number(number), None) => shortened(number.as_str().unwrap_or_default()),
        (Id::Null, None) => String::new(),
    }
}
