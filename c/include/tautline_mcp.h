/*
 * tautline: sessions of MCP. What a message means, given the messages before it, for servers, clients and gateways: who
 * may send it, which request it answers, which error it is owed. The archive is the same. This file is generated.
 *
 * A server shows each event of its stream to tl_session_observe, serves the requests that are left, lets
 * tl_session_refuse answer the others, and sends what tl_session_take returns:
 *
 *   while (tl_push(&stream, &input, &event) > 0) {
 *     if (tl_session_observe(&session, TL_ROLE_CLIENT, &event, &seen, NULL) != TL_MEANING_REQUEST)
 *       tl_session_refuse(&session, &out, &event, &seen);               // writes what is owed, if anything is
 *     else if (serve(&session, &out, &event, &seen) != 0)               // writes a result or an error
 *       tl_write_error(&out, mcp, event.id, -32603, tl_text("Internal error"), tl_none());   // it did not fit
 *     if (tl_session_take(&session, TL_ROLE_SERVER, &out, &bytes, NULL) == 0)    // shows the answers to the session
 *       send(bytes);
 *   }
 *
 * Memory, results, checks, threads: as in tautline.h. A session has no clock, does no I/O and never ends a connection.
 */

#ifndef TAUTLINE_MCP_H
#define TAUTLINE_MCP_H

#include "tautline.h"

/** The rules that a session reports, besides those of `tl_rule`, with their numbers, which never change. */
enum tl_mcp_rule {
  /** a request method was sent as a notification, or a notification method as a request. */
  TL_MCP_RULE_METHOD_KIND = 256,
  /** the method belongs to another revision of the protocol. */
  TL_MCP_RULE_METHOD_NOT_IN_REVISION = 257,
  /** initialize is part of a batch. */
  TL_MCP_RULE_INITIALIZE_IN_BATCH = 258,
  /** the params that the method requires are missing. */
  TL_MCP_RULE_MISSING_PARAMS = 259,
  /** the request lacks metadata that it must carry. */
  TL_MCP_RULE_MISSING_META = 260,
  /** a member that the protocol uses has the wrong type. */
  TL_MCP_RULE_META_TYPE = 261,
  /** the member resultType is missing. */
  TL_MCP_RULE_MISSING_RESULT_TYPE = 262,
  /** the resultType is not one that the client knows. */
  TL_MCP_RULE_UNKNOWN_RESULT_TYPE = 263,
  /** the revision reserves this error code and does not define it, or has retired it. */
  TL_MCP_RULE_ERROR_CODE_FORBIDDEN = 264,
  /** no revision of the protocol defines this method. */
  TL_MCP_RULE_UNKNOWN_METHOD = 294,
  /** this side must not send the message. */
  TL_MCP_RULE_WRONG_DIRECTION = 295,
  /** the message comes before the session is initialized. */
  TL_MCP_RULE_REQUEST_BEFORE_INITIALIZE = 296,
  /** the request comes before notifications/initialized. */
  TL_MCP_RULE_REQUEST_BEFORE_INITIALIZED = 297,
  /** initialize was already sent. */
  TL_MCP_RULE_INITIALIZE_AGAIN = 298,
  /** notifications/initialized does not follow the response to initialize. */
  TL_MCP_RULE_INITIALIZED_UNEXPECTED = 299,
  /** the request uses a different versioning scheme than the session. */
  TL_MCP_RULE_ERA_MIXED = 300,
  /** the version is not supported here. */
  TL_MCP_RULE_VERSION_UNSUPPORTED = 301,
  /** the message needs a capability that was not declared. */
  TL_MCP_RULE_UNDECLARED_CAPABILITY = 302,
  /** the request asks for a task, but the receiver did not declare tasks for this method. */
  TL_MCP_RULE_UNDECLARED_TASK = 303,
  /** another pending request has this id. */
  TL_MCP_RULE_ID_IN_USE = 304,
  /** an earlier request of this session had the same id. */
  TL_MCP_RULE_ID_REUSED = 305,
  /** another pending request has the same progress token. */
  TL_MCP_RULE_PROGRESS_TOKEN_IN_USE = 306,
  /** the request is not tracked: its id is too long, or too many requests are pending. */
  TL_MCP_RULE_UNTRACKED_REQUEST = 307,
  /** the response answers no request. */
  TL_MCP_RULE_RESPONSE_UNEXPECTED = 308,
  /** the request was already answered. */
  TL_MCP_RULE_RESPONSE_DUPLICATE = 309,
  /** the id of the response is written differently from that of the request. */
  TL_MCP_RULE_RESPONSE_ID_REWRITTEN = 310,
  /** the request was cancelled before this response. */
  TL_MCP_RULE_RESPONSE_LATE = 311,
  /** several pending requests have this id, and the response may answer any of them. */
  TL_MCP_RULE_RESPONSE_AMBIGUOUS = 312,
  /** the result of this method must not ask for input. */
  TL_MCP_RULE_INPUT_REQUIRED_UNEXPECTED = 313,
  /** the notification cancels initialize. */
  TL_MCP_RULE_CANCEL_INITIALIZE = 314,
  /** no pending request has this id. */
  TL_MCP_RULE_CANCEL_UNKNOWN = 315,
  /** no pending request has this progress token. */
  TL_MCP_RULE_PROGRESS_UNKNOWN = 316,
  /** the notification belongs to no open subscription. */
  TL_MCP_RULE_SUBSCRIPTION_UNKNOWN = 317,
  /** the subscription has not been acknowledged. */
  TL_MCP_RULE_SUBSCRIPTION_UNACKNOWLEDGED = 318
};

/** The methods of all revisions. */
enum tl_method {
  /** `initialize` */
  TL_METHOD_INITIALIZE = 1,
  /** `server/discover` */
  TL_METHOD_SERVER_DISCOVER = 2,
  /** `ping` */
  TL_METHOD_PING = 3,
  /** `tools/list` */
  TL_METHOD_TOOLS_LIST = 4,
  /** `tools/call` */
  TL_METHOD_TOOLS_CALL = 5,
  /** `prompts/list` */
  TL_METHOD_PROMPTS_LIST = 6,
  /** `prompts/get` */
  TL_METHOD_PROMPTS_GET = 7,
  /** `resources/list` */
  TL_METHOD_RESOURCES_LIST = 8,
  /** `resources/templates/list` */
  TL_METHOD_RESOURCES_TEMPLATES_LIST = 9,
  /** `resources/read` */
  TL_METHOD_RESOURCES_READ = 10,
  /** `resources/subscribe` */
  TL_METHOD_RESOURCES_SUBSCRIBE = 11,
  /** `resources/unsubscribe` */
  TL_METHOD_RESOURCES_UNSUBSCRIBE = 12,
  /** `subscriptions/listen` */
  TL_METHOD_SUBSCRIPTIONS_LISTEN = 13,
  /** `completion/complete` */
  TL_METHOD_COMPLETION_COMPLETE = 14,
  /** `logging/setLevel` */
  TL_METHOD_LOGGING_SET_LEVEL = 15,
  /** `tasks/get` */
  TL_METHOD_TASKS_GET = 16,
  /** `tasks/result` */
  TL_METHOD_TASKS_RESULT = 17,
  /** `tasks/list` */
  TL_METHOD_TASKS_LIST = 18,
  /** `tasks/cancel` */
  TL_METHOD_TASKS_CANCEL = 19,
  /** `tasks/update` */
  TL_METHOD_TASKS_UPDATE = 20,
  /** `sampling/createMessage` */
  TL_METHOD_SAMPLING_CREATE_MESSAGE = 21,
  /** `roots/list` */
  TL_METHOD_ROOTS_LIST = 22,
  /** `elicitation/create` */
  TL_METHOD_ELICITATION_CREATE = 23,
  /** `notifications/initialized` */
  TL_METHOD_NOTIFICATIONS_INITIALIZED = 24,
  /** `notifications/cancelled` */
  TL_METHOD_NOTIFICATIONS_CANCELLED = 25,
  /** `notifications/progress` */
  TL_METHOD_NOTIFICATIONS_PROGRESS = 26,
  /** `notifications/message` */
  TL_METHOD_NOTIFICATIONS_MESSAGE = 27,
  /** `notifications/tools/list_changed` */
  TL_METHOD_NOTIFICATIONS_TOOLS_LIST_CHANGED = 28,
  /** `notifications/prompts/list_changed` */
  TL_METHOD_NOTIFICATIONS_PROMPTS_LIST_CHANGED = 29,
  /** `notifications/resources/list_changed` */
  TL_METHOD_NOTIFICATIONS_RESOURCES_LIST_CHANGED = 30,
  /** `notifications/resources/updated` */
  TL_METHOD_NOTIFICATIONS_RESOURCES_UPDATED = 31,
  /** `notifications/roots/list_changed` */
  TL_METHOD_NOTIFICATIONS_ROOTS_LIST_CHANGED = 32,
  /** `notifications/elicitation/complete` */
  TL_METHOD_NOTIFICATIONS_ELICITATION_COMPLETE = 33,
  /** `notifications/tasks/status` */
  TL_METHOD_NOTIFICATIONS_TASKS_STATUS = 34,
  /** `notifications/tasks` */
  TL_METHOD_NOTIFICATIONS_TASKS = 35,
  /** `notifications/subscriptions/acknowledged` */
  TL_METHOD_NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED = 36
};

/** The codes of MCP for errors, besides those of `tl_code`. */
enum tl_mcp_code {
  /** Resource not found: 2024-11-05 to 2025-11-25. */
  TL_MCP_CODE_RESOURCE_NOT_FOUND = -32002,
  /** HeaderMismatch: 2026-07-28. */
  TL_MCP_CODE_HEADER_MISMATCH = -32020,
  /** MissingRequiredClientCapability: 2026-07-28. */
  TL_MCP_CODE_MISSING_REQUIRED_CLIENT_CAPABILITY = -32021,
  /** UnsupportedProtocolVersion: 2026-07-28. */
  TL_MCP_CODE_UNSUPPORTED_PROTOCOL_VERSION = -32022,
  /** URL elicitation required: 2025-11-25. */
  TL_MCP_CODE_URL_ELICITATION_REQUIRED = -32042
};

/** The revisions, each a bit, so that they make sets. */
enum tl_revision {
  /** 2024-11-05 */
  TL_REVISION_2024_11_05 = 1,
  /** 2025-03-26 */
  TL_REVISION_2025_03_26 = 2,
  /** 2025-06-18 */
  TL_REVISION_2025_06_18 = 4,
  /** 2025-11-25 */
  TL_REVISION_2025_11_25 = 8,
  /** 2026-07-28 */
  TL_REVISION_2026_07_28 = 16,
  /** All revisions which begin with a handshake. */
  TL_REVISIONS_LEGACY = 15,
  /** All revisions in which every request has its version. */
  TL_REVISIONS_MODERN = 16,
  /** All revisions. */
  TL_REVISIONS_ALL = 31
};

/** The capabilities that a side can declare, each a bit, so that they make sets. */
enum tl_capability {
  /** `tools` */
  TL_CAPABILITY_TOOLS = 0x1,
  /** `tools.listChanged` */
  TL_CAPABILITY_TOOLS_LIST_CHANGED = 0x2,
  /** `prompts` */
  TL_CAPABILITY_PROMPTS = 0x4,
  /** `prompts.listChanged` */
  TL_CAPABILITY_PROMPTS_LIST_CHANGED = 0x8,
  /** `resources` */
  TL_CAPABILITY_RESOURCES = 0x10,
  /** `resources.listChanged` */
  TL_CAPABILITY_RESOURCES_LIST_CHANGED = 0x20,
  /** `resources.subscribe` */
  TL_CAPABILITY_RESOURCES_SUBSCRIBE = 0x40,
  /** `completions` */
  TL_CAPABILITY_COMPLETIONS = 0x80,
  /** `logging` */
  TL_CAPABILITY_LOGGING = 0x100,
  /** `roots` */
  TL_CAPABILITY_ROOTS = 0x200,
  /** `roots.listChanged` */
  TL_CAPABILITY_ROOTS_LIST_CHANGED = 0x400,
  /** `sampling` */
  TL_CAPABILITY_SAMPLING = 0x800,
  /** `elicitation` */
  TL_CAPABILITY_ELICITATION = 0x1000,
  /** `elicitation.url` */
  TL_CAPABILITY_ELICITATION_URL = 0x2000,
  /** `tasks` */
  TL_CAPABILITY_TASKS = 0x4000,
  /** `tasks.list` */
  TL_CAPABILITY_TASKS_LIST = 0x8000,
  /** `tasks.cancel` */
  TL_CAPABILITY_TASKS_CANCEL = 0x10000,
  /** `tasks.requests.tools.call` */
  TL_CAPABILITY_TASKS_REQUESTS_TOOLS_CALL = 0x20000,
  /** `tasks.requests.sampling.createMessage` */
  TL_CAPABILITY_TASKS_REQUESTS_SAMPLING_CREATE_MESSAGE = 0x40000,
  /** `tasks.requests.elicitation.create` */
  TL_CAPABILITY_TASKS_REQUESTS_ELICITATION_CREATE = 0x80000
};

/**
 * A side of a session.
 */
enum tl_role
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The client, which opens the connection.
   */
  TL_ROLE_CLIENT = 1,
  /**
   * The server.
   */
  TL_ROLE_SERVER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_role tl_role;
#else
typedef int32_t tl_role;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The meaning of a message, given the messages before it. `tl_session_observe` returns it. Negative results are of
 * `tl_error`.
 */
enum tl_meaning
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No message: a fault, an oversized frame, or another event that is no message. If its sender is owed an error,
   * `code` is not 0, and `tl_session_refuse` writes it.
   */
  TL_MEANING_NONE = 0,
  /**
   * A request that its receiver is to serve.
   */
  TL_MEANING_REQUEST = 1,
  /**
   * A request that its receiver is to answer with the error `code`: `tl_session_refuse` writes it. `rule` and
   * `place` say why.
   */
  TL_MEANING_REFUSED = 2,
  /**
   * A notification. If `method` is `TL_METHOD_NOTIFICATIONS_CANCELLED`, it cancels a request that the session does
   * not track, or none: compare `request_id` with the ids of the requests that you serve.
   */
  TL_MEANING_NOTIFICATION = 3,
  /**
   * A call that its receiver is to ignore, because it breaks `rule`. It gets no answer. If the rule is
   * `TL_MCP_RULE_ID_IN_USE`, it is a request that would be refused, and the error would answer another request with
   * its id, whose sender waits.
   */
  TL_MEANING_IGNORED = 4,
  /**
   * A notification that cancels a request in flight, whose sender no longer waits for the answer. `method` is that
   * of the request, and `request_id` its id as the notification spells it: `tl_id_eq` compares ids.
   */
  TL_MEANING_CANCELLED = 5,
  /**
   * The answer to a request in flight. `method` is that of the request, and `completion` its outcome. It may be a
   * fault or an oversized frame, of which the session can tell only that no other answer will come: the outcome is
   * then `TL_COMPLETION_INVALID`, and `kind` of the event shows it.
   */
  TL_MEANING_RESPONSE = 6,
  /**
   * A response that may answer a request that has found no slot. Only the sender of the request can tell.
   */
  TL_MEANING_UNTRACKED = 7,
  /**
   * A response that answers no request in flight. It must not be treated as the answer to another request.
   */
  TL_MEANING_UNMATCHED = 8,
  /**
   * A batch. Show its messages one by one, as `tl_batch_next` yields them: the session has not looked into it. Show
   * them once: to answer the batch again after `TL_ERROR_FULL`, iterate again without showing them.
   */
  TL_MEANING_BATCH = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_meaning tl_meaning;
#else
typedef int32_t tl_meaning;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The outcome of a request.
 */
enum tl_completion
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The message is no response to a request in flight.
   */
  TL_COMPLETION_NONE = 0,
  /**
   * The request succeeded.
   */
  TL_COMPLETION_DONE = 1,
  /**
   * The tool that it called reports that it failed. The model is meant to read the result.
   */
  TL_COMPLETION_TOOL_FAILED = 2,
  /**
   * More input is needed: the client sends the request again, with another id (2026-07-28).
   */
  TL_COMPLETION_INPUT_REQUIRED = 3,
  /**
   * A task was created. The client gets the outcome from the task (2026-07-28, extension for tasks).
   */
  TL_COMPLETION_TASK_CREATED = 4,
  /**
   * The result is of a type that the revision does not define, and that an extension may define.
   */
  TL_COMPLETION_EXTENDED = 5,
  /**
   * The client does not know this kind of result, and must consider it invalid, or the answer is no message.
   */
  TL_COMPLETION_INVALID = 6,
  /**
   * The request failed, with the error `code`.
   */
  TL_COMPLETION_FAILED = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_completion tl_completion;
#else
typedef int32_t tl_completion;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The phase of a session.
 */
enum tl_phase
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * No era is chosen yet.
   */
  TL_PHASE_OPENING = 1,
  /**
   * `initialize` is on its way.
   */
  TL_PHASE_INITIALIZING = 2,
  /**
   * `initialize` was answered; `notifications/initialized` is to follow.
   */
  TL_PHASE_AWAITING_INITIALIZED = 3,
  /**
   * The session is open, after a handshake.
   */
  TL_PHASE_OPERATING = 4,
  /**
   * Requests with their version were sent, and the server has not shown its era.
   */
  TL_PHASE_PROBING = 5,
  /**
   * The server is modern: every request has its version.
   */
  TL_PHASE_MODERN = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_phase tl_phase;
#else
typedef int32_t tl_phase;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How bad a finding is.
 */
enum tl_severity
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Information that a person may want.
   */
  TL_SEVERITY_NOTE = 1,
  /**
   * The message is legal, but some peers handle it wrongly.
   */
  TL_SEVERITY_WARNING = 2,
  /**
   * The message breaks a rule.
   */
  TL_SEVERITY_ERROR = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_severity tl_severity;
#else
typedef int32_t tl_severity;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The way to handle a request that comes too early.
 */
enum tl_early
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * It is served, with a warning.
   */
  TL_EARLY_SERVE = 1,
  /**
   * It is refused, with the error -32600.
   */
  TL_EARLY_REFUSE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tl_early tl_early;
#else
typedef int32_t tl_early;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The state of a session. The caller owns it, and must not look inside.
 *
 * It may be moved in memory between two calls, but not copied: two copies would share the slots.
 */
typedef struct tl_session {
  /**
   * Private.
   */
  uint64_t words[14];
  /**
   * Private.
   */
  size_t pointers[6];
} tl_session;

/**
 * Room for one request in flight. The caller owns it, and must not look inside. Its size is the same everywhere.
 */
typedef struct tl_slot {
  /**
   * Private.
   */
  uint32_t words[25];
} tl_slot;

/**
 * The meaning of a message. `tl_session_observe` sets all of it.
 *
 * The views are members of the parameters of a call, or of its `_meta`, and live as long as the views of the event. A
 * view is NULL if its member is absent, repeated, or of another type than the protocol says. To answer a request
 * later, copy `id` of the event, `progress_token` and `modern`.
 */
typedef struct tl_session_event {
  /**
   * The meaning, of `tl_meaning`.
   */
  int32_t kind;
  /**
   * The method, of `tl_method`, or 0 if no revision of MCP defines it. For a response or a cancellation, that of the
   * request.
   */
  int32_t method;
  /**
   * The outcome of the request that a response answers, of `tl_completion`, or 0.
   */
  int32_t completion;
  /**
   * 1 if the request is of the modern era, so that its result has a `resultType`. Otherwise 0.
   */
  uint8_t modern;
  /**
   * 1 if the request that a response answers was cancelled before. Otherwise 0.
   */
  uint8_t late;
  /**
   * The rule for which a call is refused or ignored, of `tl_mcp_rule` or `tl_rule`, or 0.
   */
  uint16_t rule;
  /**
   * The code of the error: the one to answer with, also for a fault, or the one of a response, if it fits. Otherwise
   * 0.
   */
  int64_t code;
  /**
   * The place in the frame where `rule` is broken, as an offset in bytes.
   */
  uint32_t place;
  /**
   * Private: shows which event it belongs to.
   */
  uint32_t mark;
  /**
   * `name`, a string: the tool to call, or the prompt to get.
   */
  tl_view name;
  /**
   * `arguments` for the tool or the prompt, an object.
   */
  tl_view arguments;
  /**
   * `uri` of the resource, a string.
   */
  tl_view uri;
  /**
   * The revision that the call names, a string: in `initialize`, the one asked for, for `tl_session_negotiate`.
   */
  tl_view version;
  /**
   * The capabilities of the client, an object, for `tl_capabilities_of`: in `initialize` and in modern requests.
   */
  tl_view capabilities;
  /**
   * The progress token: that of a request which wants progress, or of the progress that a notification reports.
   */
  tl_view progress_token;
  /**
   * The id of the request that a notification cancels, as the notification spells it.
   */
  tl_view request_id;
} tl_session_event;

/**
 * A rule that a message breaks, or something worth knowing about it.
 */
typedef struct tl_finding {
  /**
   * The rule, of `tl_mcp_rule` or `tl_rule`.
   */
  uint16_t rule;
  /**
   * How bad it is, of `tl_severity`.
   */
  uint8_t severity;
  /**
   * Always 0.
   */
  uint8_t reserved;
  /**
   * The place, as an offset in the frame of the event, or in the bytes that `tl_session_take` returns.
   */
  uint32_t place;
} tl_finding;

/**
 * An array of yours for findings.
 */
typedef struct tl_findings {
  /**
   * The array, which need not be initialised.
   */
  struct tl_finding *ptr;
  /**
   * The number of its elements.
   */
  size_t room;
  /**
   * The number of findings of the last call. If it is more than `room`, only the first ones are in the array.
   */
  size_t count;
} tl_findings;

/**
 * A request that was not answered.
 */
typedef struct tl_in_flight {
  /**
   * The side that has sent it, of `tl_role`.
   */
  int32_t from;
  /**
   * The method, of `tl_method`, or 0 if no revision of MCP defines it.
   */
  int32_t method;
  /**
   * 1 if it was cancelled, so that it need not be answered. Otherwise 0.
   */
  uint8_t cancelled;
  /**
   * 1 if its sender waits for the answer: it was not cancelled, and is no subscription, which is open until the end.
   */
  uint8_t waits;
  /**
   * The id, as it was written.
   */
  tl_view id;
} tl_in_flight;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Begins a session. It needs no end: just stop using it.
 *
 * `abi` is `TL_ABI`, and `size` is that of `*session`. `profile` is the one that messages are written under, and is
 * usually that of the stream. The session supports all revisions, but 2025-03-26 only if the profile allows batches:
 * that revision has them. `tl_session_support` chooses others. `slots` has room for each request in flight, of both
 * sides together, and belongs to the session for as long as the session is used. It need not be initialised.
 *
 * Returns 0, or `TL_ERROR_VERSION`, `TL_ERROR_NULL`, `TL_ERROR_STATE` (the session or the slots are misaligned, or the
 * session is too small), or `TL_ERROR_LENGTH` (no slots, or more than memory can hold).
 */
int32_t tl_session_init(uint32_t abi,
                        struct tl_session *session,
                        size_t size,
                        const tl_profile *profile,
                        struct tl_slot *slots,
                        size_t count);

/**
 * Sets the revisions that the server supports, a set of `tl_revision` such as `TL_REVISIONS_LEGACY`, and begins the
 * session anew. Requests of other revisions are refused.
 *
 * Returns 0, `TL_ERROR_RANGE` (no revision, or an unknown one), `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_support(struct tl_session *session,
                           int32_t revisions);

/**
 * Sets what happens to requests other than `ping` that come too early, of `tl_early`, and begins the session anew:
 * before `initialize` is answered (`TL_EARLY_REFUSE` by default), and between the answer and
 * `notifications/initialized` (`TL_EARLY_SERVE` by default, because clients race there).
 *
 * Returns 0, `TL_ERROR_RANGE`, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_set_early(struct tl_session *session,
                             int32_t before_initialize,
                             int32_t before_initialized);

/**
 * Sets the profile that messages are written under from now on, as `tl_stream_set_profile` does for those that are
 * read. The session continues, and the revisions that it supports stay the same.
 *
 * A server that serves all revisions begins with `tl_mcp_2026_07_28` and `tl_session_support`. If it answers
 * `initialize` with 2025-03-26, it then sets `tl_mcp_2025_03_26` for both, and serves batches.
 *
 * Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_set_profile(struct tl_session *session,
                               const tl_profile *profile);

/**
 * Begins the session anew, with the same slots, profile and choices: another client has connected. Drop the answers
 * that you still owe to the one before, and the messages in your buffer: the session no longer knows the requests.
 * `tl_session_next_id` begins with 1 again.
 *
 * Returns 0, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_reset(struct tl_session *session);

/**
 * Shows an event to the session, and sets `seen` to what it means: a message, a fault, an oversized frame, a message
 * of a batch. `from` is the side that has sent it, of `tl_role`. Show every event of that side's stream, in order,
 * once.
 *
 * `findings` gets the rules that the message breaks below the envelope and in this session, and what is worth knowing
 * about it. It can be NULL. A message with findings is still a message.
 *
 * Returns what the event means, of `tl_meaning`, or an error: `TL_ERROR_NULL`, `TL_ERROR_LENGTH`, `TL_ERROR_RANGE`
 * (`from` is no `tl_role`), or `TL_ERROR_STATE` (the session was not initialised, or the event is not as the library
 * has set it).
 */
int32_t tl_session_observe(struct tl_session *session,
                           int32_t from,
                           const tl_event *event,
                           struct tl_session_event *seen,
                           struct tl_findings *findings);

/**
 * Writes the error that the sender of an event is owed as a line: for a refused request, a fault or an oversized
 * frame. Others are owed nothing, so they may be passed too, and nothing is written. `seen` is what
 * `tl_session_observe` has set for this event.
 *
 * A fault is owed nothing if it has the id of a request in flight, which the error would answer: of another request of
 * its sender, or of a request of yours that it may be meant to answer. If requests of its sender have found no slot,
 * one of them may have the id, so nothing is owed either. Nor is a request that would be refused, if another request
 * of its sender with the id waits: it is `TL_MEANING_IGNORED`.
 *
 * Returns 0, `TL_ERROR_FULL` (`out->needed` is set; call it again with more room), `TL_ERROR_STATE` (the session was
 * not initialised, or `seen` is that of another event), `TL_ERROR_ID`, `TL_ERROR_OVERLAP`, `TL_ERROR_ORDER`,
 * `TL_ERROR_NULL` or `TL_ERROR_LENGTH`.
 */
int32_t tl_session_refuse(const struct tl_session *session,
                          tl_out *out,
                          const tl_event *event,
                          const struct tl_session_event *seen);

/**
 * Takes the messages of a buffer, to be sent: shows each to the session as one of `from`, sets `sent` to all of them,
 * and `out->used` to 0. So the session knows the answers, and no message is shown twice. `from` is your role.
 *
 * The bytes live until the next message is written into `out`. After an error, `sent` is not set: send nothing. A
 * message that is being written piece by piece into `out` ends, with `TL_ERROR_ORDER`. `findings` gets the rules that
 * the messages break, such as a result that the revision does not allow. It can be NULL. A line that is no message
 * under the profile of the session is a finding, and its request stays in flight. So is a batch:
 * `TL_RULE_BATCH_NOT_ALLOWED`.
 *
 * Returns 0, `TL_ERROR_ORDER` (a batch has begun, and not ended), `TL_ERROR_RANGE` (no `tl_role`), `TL_ERROR_NULL`,
 * `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
 */
int32_t tl_session_take(struct tl_session *session,
                        int32_t from,
                        tl_out *out,
                        tl_view *sent,
                        struct tl_findings *findings);

/**
 * Does the same as `tl_session_take`, for a buffer that may contain batches, and shows the session their messages. It
 * is for 2025-03-26, and links more.
 */
int32_t tl_session_take_batches(struct tl_session *session,
                                int32_t from,
                                tl_out *out,
                                tl_view *sent,
                                struct tl_findings *findings);

/**
 * Returns the phase of the session, of `tl_phase`, or `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_phase(const struct tl_session *session);

/**
 * Returns the revision in force, of `tl_revision`, 0 if it is not settled, or `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_revision(const struct tl_session *session);

/**
 * Returns the revisions that the server supports, a set of `tl_revision`, or `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_supported(const struct tl_session *session);

/**
 * Returns the revision to answer `initialize` with, of `tl_revision`: the one that is asked for if it is supported,
 * and otherwise the latest supported one that has a handshake. `requested` is `version` of the request, a string in
 * quotes, and can be NULL. For any other text, the result is the latest one, and `TL_ERROR_JSON` in the checked build
 * if the text is no JSON.
 *
 * Returns 0 if no revision with a handshake is supported, or `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
 */
int32_t tl_session_negotiate(const struct tl_session *session,
                             tl_view requested);

/**
 * Sets `capabilities` to those that a side has declared for the whole session, a set of `tl_capability`. A client of
 * 2026-07-28 declares its capabilities in each request instead.
 *
 * Returns 1, 0 (the side has not declared any; `capabilities` is set to 0), `TL_ERROR_RANGE` (no `tl_role`),
 * `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_declared(const struct tl_session *session,
                            int32_t side,
                            uint32_t *capabilities);

/**
 * Sets `request` to a request that was not answered. Count `index` up from 0. They are in no particular order. At the
 * end of a session, those that `waits` marks were due.
 *
 * The view lives until the next call that changes the session.
 *
 * Returns 1, 0 after the last one, `TL_ERROR_NULL` or `TL_ERROR_STATE`.
 */
int32_t tl_session_in_flight(const struct tl_session *session,
                             size_t index,
                             struct tl_in_flight *request);

/**
 * Gives up a request, for example because its time is up. `from` is the side that has sent it. It is no longer in
 * flight, so that a response to it is `TL_MEANING_UNMATCHED`. If you tell the peer with `notifications/cancelled`, you
 * need not call this: the session then knows.
 *
 * Returns 1, 0 (no such request is in flight), `TL_ERROR_RANGE` (`from` is no `tl_role`), `TL_ERROR_ID`,
 * `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or `TL_ERROR_STATE`.
 */
int32_t tl_session_forget(struct tl_session *session,
                          int32_t from,
                          tl_view id);

/**
 * Returns whether two ids are the same, as the session compares them: 1 or 0. `"\u0061"` and `"a"` are the same
 * string, while `1` and `1.0` are different ids. `TL_ERROR_ID` (one is no id), `TL_ERROR_NULL` and `TL_ERROR_LENGTH`
 * are negative.
 */
int32_t tl_id_eq(tl_view a,
                 tl_view b);

/**
 * Chooses an id for a request of yours, which no earlier call has chosen since the session has begun: 1, 2, 3 and so
 * on. It is written into `buffer`, and `id` is set to it, for `tl_write_request` or `tl_begin_request`. The buffer
 * must have 20 bytes, also for a short id.
 *
 * Returns 0, `TL_ERROR_FULL` (no 20 bytes, and no id is chosen), `TL_ERROR_NULL`, `TL_ERROR_LENGTH` or
 * `TL_ERROR_STATE`.
 */
int32_t tl_session_next_id(struct tl_session *session,
                           char *buffer,
                           size_t size,
                           tl_view *id);

/**
 * Returns the name of a rule of `tl_mcp_rule` or `tl_rule`, such as `missing-meta`, which never changes. The view
 * lives as long as the program, and is
 * NULL for any other number.
 */
tl_view tl_mcp_rule_name(uint16_t rule);

/**
 * Returns what is wrong if a rule of `tl_mcp_rule` or `tl_rule` is broken, in one line. The view lives as long as the
 * program, and is
 * NULL for any other number.
 */
tl_view tl_mcp_rule_summary(uint16_t rule);

/**
 * Returns advice for the sender who broke a rule of `tl_mcp_rule` or `tl_rule`. The view lives as long as the program,
 * and is NULL for any other number.
 */
tl_view tl_mcp_rule_help(uint16_t rule);

/**
 * Returns the name of a revision of `tl_revision`, such as `2025-11-25`. The view lives as long as the program, and is
 * NULL for any other number.
 */
tl_view tl_revision_name(int32_t revision);

/**
 * Returns the name of a method of `tl_method`, such as `tools/call`. The view lives as long as the program, and is
 * NULL for any other number.
 */
tl_view tl_method_name(int32_t method);

/**
 * Returns the name of a phase of `tl_phase`, such as `awaiting-initialized`. The view lives as long as the program,
 * and is NULL for any other number.
 */
tl_view tl_phase_name(int32_t phase);

/**
 * Returns the capabilities that an object declares, a set of `tl_capability`: `capabilities` of a `tl_session_event`.
 * It is 0 for NULL and for values of other types. In other text, it finds what it can: the checked build returns 0.
 */
uint32_t tl_capabilities_of(tl_view object);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* Fails to compile if the compiler lays out the states in another way than the library. */
typedef char tl_assert_slot[sizeof(tl_slot) == 100 ? 1 : -1];
typedef char tl_assert_session[sizeof(tl_session) == 14 * 8 + 6 * sizeof(size_t) ? 1 : -1];
typedef char tl_assert_finding[sizeof(tl_finding) == 8 ? 1 : -1];
typedef char tl_assert_session_event[sizeof(tl_session_event) == 32 + 14 * sizeof(size_t) ? 1 : -1];

/** An array for findings. */
static inline tl_findings tl_findings_of(tl_finding *ptr, size_t room) {
  tl_findings findings;
  findings.ptr = ptr;
  findings.room = room;
  findings.count = 0;
  return findings;
}

#endif
