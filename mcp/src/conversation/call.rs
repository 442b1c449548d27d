//! Requests and results: the members that are used, and what is kept of them.

use alloc::format;
use alloc::string::{String, ToString};

use tautline::internal::cast::index;
use tautline::{Call as CallOf, Id, RawStr, Response};

use super::declared::Declared;
use super::{Answer, Call, Params, text};
use crate::hash::{self, name_of, shortened};
use crate::places::{self, Member};
use crate::{KnownMethod, Role};

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
            cancelled: None,
            task: None,
            progress: None,
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
            declared: declared.map(|object| Declared::of(frame, object)).unwrap_or_default(),
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
        (Id::Number(number), None) => shortened(number.as_str().unwrap_or_default()).into_owned(),
        (Id::Null, None) => String::new(),
    }
}
