//! The types of the second header, `tautline_mcp.h`.
#![allow(non_camel_case_types, reason = "these are their names in C")]

use crate::abi::tl_view;

/// A side of a session.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_role {
    /// The client, which opens the connection.
    Client = 1,
    /// The server.
    Server = 2,
}

/// The meaning of a message, given the messages before it. `tl_session_observe` returns it. Negative results are of
/// `tl_error`.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_meaning {
    /// No message: a fault, an oversized frame, or another event that is no message. If its sender is owed an error,
    /// `code` is not 0, and `tl_session_refuse` writes it.
    None = 0,
    /// A request that its receiver is to serve.
    Request = 1,
    /// A request that its receiver is to answer with the error `code`: `tl_session_refuse` writes it. `rule` and
    /// `place` say why.
    Refused = 2,
    /// A notification. If `method` is `TL_METHOD_NOTIFICATIONS_CANCELLED`, it cancels a request that the session does
    /// not track, or none: compare `request_id` with the ids of the requests that you serve.
    Notification = 3,
    /// A call that its receiver is to ignore, because it breaks `rule`. It gets no answer. If the rule is
    /// `TL_MCP_RULE_ID_IN_USE`, it is a request that would be refused, and the error would answer another request with
    /// its id, whose sender waits.
    Ignored = 4,
    /// A notification that cancels a request in flight, whose sender no longer waits for the answer. `method` is that
    /// of the request, and `request_id` its id as the notification spells it: `tl_id_eq` compares ids.
    Cancelled = 5,
    /// The answer to a request in flight. `method` is that of the request, and `completion` its outcome. It may be a
    /// fault or an oversized frame, of which the session can tell only that no other answer will come: the outcome is
    /// then `TL_COMPLETION_INVALID`, and `kind` of the event shows it.
    Response = 6,
    /// A response that may answer a request that has found no slot. Only the sender of the request can tell.
    Untracked = 7,
    /// A response that answers no request in flight. It must not be treated as the answer to another request.
    Unmatched = 8,
    /// A batch. Show its messages one by one, as `tl_batch_next` yields them: the session has not looked into it. Show
    /// them once: to answer the batch again after `TL_ERROR_FULL`, iterate again without showing them.
    Batch = 9,
}

/// The outcome of a request.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_completion {
    /// The message is no response to a request in flight.
    None = 0,
    /// The request succeeded.
    Done = 1,
    /// The tool that it called reports that it failed. The model is meant to read the result.
    ToolFailed = 2,
    /// More input is needed: the client sends the request again, with another id (2026-07-28).
    InputRequired = 3,
    /// A task was created. The client gets the outcome from the task (2026-07-28, extension for tasks).
    TaskCreated = 4,
    /// The result is of a type that the revision does not define, and that an extension may define.
    Extended = 5,
    /// The client does not know this kind of result, and must consider it invalid, or the answer is no message.
    Invalid = 6,
    /// The request failed, with the error `code`.
    Failed = 7,
}

/// The phase of a session.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_phase {
    /// No era is chosen yet.
    Opening = 1,
    /// `initialize` is on its way.
    Initializing = 2,
    /// `initialize` was answered; `notifications/initialized` is to follow.
    AwaitingInitialized = 3,
    /// The session is open, after a handshake.
    Operating = 4,
    /// Requests with their version were sent, and the server has not shown its era.
    Probing = 5,
    /// The server is modern: every request has its version.
    Modern = 6,
}

/// How bad a finding is.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_severity {
    /// Information that a person may want.
    Note = 1,
    /// The message is legal, but some peers handle it wrongly.
    Warning = 2,
    /// The message breaks a rule.
    Error = 3,
}

/// The way to handle a request that comes too early.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tl_early {
    /// It is served, with a warning.
    Serve = 1,
    /// It is refused, with the error -32600.
    Refuse = 2,
}

/// A rule that a message breaks, or something worth knowing about it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct tl_finding {
    /// The rule, of `tl_mcp_rule` or `tl_rule`.
    pub rule: u16,
    /// How bad it is, of `tl_severity`.
    pub severity: u8,
    /// Always 0.
    pub reserved: u8,
    /// The place, as an offset in the frame of the event, or in the bytes that `tl_session_take` returns.
    pub place: u32,
}

/// An array of yours for findings.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_findings {
    /// The array, which need not be initialised.
    pub ptr: *mut tl_finding,
    /// The number of its elements.
    pub room: usize,
    /// The number of findings of the last call. If it is more than `room`, only the first ones are in the array.
    pub count: usize,
}

/// The meaning of a message. `tl_session_observe` sets all of it.
///
/// The views are members of the parameters of a call, or of its `_meta`, and live as long as the views of the event. A
/// view is NULL if its member is absent, repeated, or of another type than the protocol says. To answer a request
/// later, copy `id` of the event, `progress_token` and `modern`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_session_event {
    /// The meaning, of `tl_meaning`.
    pub kind: i32,
    /// The method, of `tl_method`, or 0 if no revision of MCP defines it. For a response or a cancellation, that of the
    /// request.
    pub method: i32,
    /// The outcome of the request that a response answers, of `tl_completion`, or 0.
    pub completion: i32,
    /// 1 if the request is of the modern era, so that its result has a `resultType`. Otherwise 0.
    pub modern: u8,
    /// 1 if the request that a response answers was cancelled before. Otherwise 0.
    pub late: u8,
    /// The rule for which a call is refused or ignored, of `tl_mcp_rule` or `tl_rule`, or 0.
    pub rule: u16,
    /// The code of the error: the one to answer with, also for a fault, or the one of a response, if it fits. Otherwise
    /// 0.
    pub code: i64,
    /// The place in the frame where `rule` is broken, as an offset in bytes.
    pub place: u32,
    /// Private: shows which event it belongs to.
    pub mark: u32,
    /// `name`, a string: the tool to call, or the prompt to get.
    pub name: tl_view,
    /// `arguments` for the tool or the prompt, an object.
    pub arguments: tl_view,
    /// `uri` of the resource, a string.
    pub uri: tl_view,
    /// The revision that the call names, a string: in `initialize`, the one asked for, for `tl_session_negotiate`.
    pub version: tl_view,
    /// The capabilities of the client, an object, for `tl_capabilities_of`: in `initialize` and in modern requests.
    pub capabilities: tl_view,
    /// The progress token: that of a request which wants progress, or of the progress that a notification reports.
    pub progress_token: tl_view,
    /// The id of the request that a notification cancels, as the notification spells it.
    pub request_id: tl_view,
}

impl tl_session_event {
    /// No message.
    ///
    /// cbindgen:ignore
    pub const NONE: Self = Self {
        kind: 0,
        method: 0,
        completion: 0,
        modern: 0,
        late: 0,
        rule: 0,
        code: 0,
        place: 0,
        mark: 0,
        name: tl_view::NONE,
        arguments: tl_view::NONE,
        uri: tl_view::NONE,
        version: tl_view::NONE,
        capabilities: tl_view::NONE,
        progress_token: tl_view::NONE,
        request_id: tl_view::NONE,
    };
}

/// A request that was not answered.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tl_in_flight {
    /// The side that has sent it, of `tl_role`.
    pub from: i32,
    /// The method, of `tl_method`, or 0 if no revision of MCP defines it.
    pub method: i32,
    /// 1 if it was cancelled, so that it need not be answered. Otherwise 0.
    pub cancelled: u8,
    /// 1 if its sender waits for the answer: it was not cancelled, and is no subscription, which is open until the end.
    pub waits: u8,
    /// The id, as it was written.
    pub id: tl_view,
}

/// Room for one request in flight. The caller owns it, and must not look inside. Its size is the same everywhere.
#[repr(C)]
#[derive(Debug)]
pub struct tl_slot {
    /// Private.
    pub words: [u32; 25],
}

/// The state of a session. The caller owns it, and must not look inside.
///
/// It may be moved in memory between two calls, but not copied: two copies would share the slots.
#[repr(C)]
#[derive(Debug)]
pub struct tl_session {
    /// Private.
    pub words: [u64; 14],
    /// Private.
    pub pointers: [usize; 6],
}
