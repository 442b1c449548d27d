//! The rules of MCP: below the envelope, in the payload, the session and the conversation.
//!
//! The functions of this module have the texts of these rules, of the [causes](crate::cause::rule), and of
//! [`rule`](tautline::rule).

use tautline::internal::rule::rules;
use tautline::{Rule, Severity, rule as envelope};

use crate::cause::rule as others;

/// Returns all rules: first those of [`rule`](tautline::rule), then the [causes](crate::cause::rule) why a frame is
/// not a message, and then those of MCP.
pub fn all() -> impl Iterator<Item = Rule> {
    envelope::ALL.iter().chain(others::ALL).chain(ALL).copied()
}

rules! {
    others, [mod]
    // Below the envelope: what a revision of MCP requires of a message from either side.
    256 METHOD_KIND "method-kind" Error
        "a request method was sent as a notification, or a notification method as a request"
        "MCP, basic; schema of the revision"
        "send requests with an id, and notifications without one"
    // "MUST" respect the version since 2025-06-18, "SHOULD" before. An error, because it has to be answered with one.
    257 METHOD_NOT_IN_REVISION "method-not-in-revision" Error
        "the method belongs to another revision of the protocol"
        "MCP, schema of the revision"
        "use a method of the revision that both sides agreed on"
    258 INITIALIZE_IN_BATCH "initialize-in-batch" Error
        "initialize is part of a batch"
        "MCP 2025-03-26, basic/lifecycle, initialization"
        "send initialize alone, and wait for its response"
    259 MISSING_PARAMS "missing-params" Error
        "the params that the method requires are missing"
        "MCP, schema of the revision"
        "add params, with the members that the method requires"
    260 MISSING_META "missing-meta" Error
        "the request lacks metadata that it must carry"
        "MCP 2026-07-28, basic, _meta"
        "add io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities to params._meta"
    261 META_TYPE "meta-type" Error
        "a member that the protocol uses has the wrong type"
        "MCP, basic, _meta; utilities, progress; schema of the revision"
        "write _meta, capabilities, clientInfo and serverInfo as objects, versions and resultType as strings, requestId and tokens as strings or integers"
    262 MISSING_RESULT_TYPE "missing-result-type" Error
        "the member resultType is missing"
        "MCP 2026-07-28, basic, responses"
        "add \"resultType\":\"complete\""
    263 UNKNOWN_RESULT_TYPE "unknown-result-type" Error
        "the resultType is not one that the client knows"
        "MCP 2026-07-28, basic, responses; extension for tasks"
        "use \"complete\" or \"input_required\"; \"task\" requires the client's capability, and answers only tools/call"
    264 ERROR_CODE_FORBIDDEN "error-code-forbidden" Error
        "the revision reserves this error code and does not define it, or has retired it"
        "MCP 2026-07-28, basic, error codes"
        "use a code that the revision defines, or one outside the range -32768 to -32000"
    // The payload: what the schema and the text of a revision require of it.
    265 MISSING_MEMBER "missing-member" Error
        "a member that the schema requires is missing"
        "MCP, schema of the revision"
        "add the member"
    266 MEMBER_TYPE "member-type" Error
        "the value has a type that the schema does not allow"
        "MCP, schema of the revision"
        "write a value of the expected type"
    267 MEMBER_VALUE "member-value" Error
        "the value is not one of those that the schema allows"
        "MCP, schema of the revision"
        "use one of the expected values, spelled exactly"
    268 MEMBER_RANGE "member-range" Error
        "the number, or the number of elements, is outside the range that is allowed"
        "MCP, schema or text of the revision"
        "use a value within the range"
    // The `format` of a schema is an annotation (JSON Schema, validation, section 7.2.1). A "MUST" holds for custom
    // schemes alone.
    269 URI_SYNTAX "uri-syntax" Warning
        "the string is not a URI"
        "MCP, schema of the revision; RFC 3986, section 3"
        "begin with a scheme, and percent-encode spaces and characters beyond ASCII"
    // As for `uri-syntax`.
    270 URI_TEMPLATE_SYNTAX "uri-template-syntax" Warning
        "the string is not a URI template"
        "MCP, schema of the revision; RFC 6570, section 2"
        "close each brace, and percent-encode spaces"
    // "The image data MUST be base64-encoded".
    271 BASE64_SYNTAX "base64-syntax" Error
        "the string is not Base64"
        "MCP, server/prompts, image content; schema of the revision; RFC 4648, section 4"
        "encode with the standard alphabet and padding, and without line breaks"
    272 META_KEY "meta-key" Error
        "a key of _meta is not a name with an optional prefix"
        "MCP, basic, _meta"
        "use letters, digits, and inside them hyphens, underscores and dots, after a prefix such as com.example/"
    // No "MUST" or "SHOULD" is there: the prefixes are "reserved".
    273 META_PREFIX_RESERVED "meta-prefix-reserved" Warning
        "a key of _meta has a prefix that is reserved for MCP"
        "MCP, basic, _meta"
        "use a prefix made from a domain that you own, such as com.example/"
    274 ROOT_URI "root-uri" Error
        "the URI of a root is not a file:// URI"
        "MCP, client/roots, data types; RFC 8089"
        "begin with file://"
    // It is the client that "MUST" reject others.
    275 ICON_URI "icon-uri" Warning
        "the source of an icon is not an http:, https: or data: URI"
        "MCP, basic, icons"
        "serve the icon over https, or put it into a data: URI: clients reject other schemes"
    // As for `uri-syntax`.
    276 MEDIA_TYPE_SYNTAX "media-type-syntax" Warning
        "the string is not a media type"
        "MCP, schema of the revision; RFC 6838, section 4.2"
        "write a type and a subtype, as in text/plain"
    277 TOOL_NAME "tool-name" Warning
        "the name of a tool is empty, longer than 128 characters, or contains special characters"
        "MCP, server/tools, tool names (SHOULD)"
        "use letters, digits, underscores, hyphens and dots"
    278 TIMESTAMP_SYNTAX "timestamp-syntax" Error
        "the string is not a timestamp"
        "MCP 2025-11-25, utilities/tasks; RFC 3339, section 5"
        "write an ISO 8601 timestamp, as in 2025-11-25T10:30:00Z"
    279 LAST_MODIFIED_SYNTAX "last-modified-syntax" Warning
        "the time of the last modification is not a timestamp"
        "MCP, schema of the revision, annotations (should); RFC 3339, section 5"
        "write an ISO 8601 timestamp, as in 2025-11-25T10:30:00Z"
    280 INPUT_REQUIRED_EMPTY "input-required-empty" Error
        "the result requires input, but has neither inputRequests nor requestState"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "add inputRequests, requestState, or both"
    281 MISSING_ERROR_DATA "missing-error-data" Error
        "the error lacks the data that its code requires"
        "MCP, schema of the revision"
        "add data, with the members that the code requires"
    282 TOOL_RESULT_UNPAIRED "tool-result-unpaired" Error
        "tool uses and tool results in the messages are not paired"
        "MCP, client/sampling, tool use"
        "answer each tool use with one result in the next message, which contains results alone"
    283 PING_RESULT "ping-result" Error
        "the result of a ping has members"
        "MCP up to 2025-11-25, utilities/ping"
        "answer a ping with {}"
    284 TRACE_CONTEXT_SYNTAX "trace-context-syntax" Error
        "the value does not follow W3C Trace Context"
        "MCP 2026-07-28, basic, _meta; W3C Trace Context, section 3"
        "copy the headers traceparent and tracestate as they are, in lower-case hexadecimal digits"
    285 BAGGAGE_SYNTAX "baggage-syntax" Error
        "the value does not follow W3C Baggage"
        "MCP 2026-07-28, basic, _meta; W3C Baggage, section 3"
        "write key=value pairs with commas between them, and percent-encode other characters"
    286 EXTENSION_ID "extension-id" Error
        "the id of an extension is not a name with a prefix"
        "MCP 2026-07-28, basic/versioning, extension negotiation"
        "use a prefix and a name, as in com.example/feature"
    287 TASK_FAILURE_UNEXPLAINED "task-failure-unexplained" Warning
        "the failed task has no statusMessage"
        "MCP 2025-11-25, utilities/tasks, task execution errors"
        "describe the failure in statusMessage"
    // Deprecated, not forbidden: a capability of the client allows it.
    288 SAMPLING_CONTEXT_DEPRECATED "sampling-context-deprecated" Note
        "the request asks for the context of servers, which is deprecated"
        "MCP since 2025-11-25, client/sampling, capabilities"
        "omit includeContext, and put what the model needs into the messages"
    289 ELICITATION_URL_INSECURE "elicitation-url-insecure" Warning
        "the URL of the elicitation has the scheme http"
        "MCP since 2025-11-25, client/elicitation, safe URL handling"
        "serve the page over https"
    // The clause is only about URLs to click on, which cannot be told from examples in the text.
    290 ELICITATION_FORM_LINK "elicitation-form-link" Note
        "the form contains a URL"
        "MCP since 2025-11-25, client/elicitation, safe URL handling"
        "use the mode url for pages that the user has to visit"
    // A "MUST" of the page, but the schema leaves it optional.
    291 RESOURCE_MEDIA_TYPE_MISSING "resource-media-type-missing" Warning
        "the embedded resource has no mimeType"
        "MCP, server/prompts, embedded resources"
        "add the media type of the content as mimeType"
    // Another dialect "MAY" be declared, and 2020-12 is "RECOMMENDED".
    292 SCHEMA_DIALECT "schema-dialect" Note
        "the schema uses a dialect other than 2020-12"
        "MCP since 2025-11-25, basic, JSON Schema usage"
        "write schemas in 2020-12: clients need not support others"
    293 HEADER_ANNOTATION "header-annotation" Error
        "an x-mcp-header breaks the rules for its name or its place"
        "MCP 2026-07-28, server/tools, x-mcp-header; RFC 9110, section 5.6.2"
        "use a token that is unique in the schema, on a string, integer or boolean reached by properties alone"

    294 UNKNOWN_METHOD "unknown-method" Note
        "no revision of the protocol defines this method"
        "MCP, schema of the revision"
        "check the spelling, unless both sides agreed on an extension"

    // The session: the meaning of a message, given the messages before it.
    295 WRONG_DIRECTION "wrong-direction" Error
        "this side must not send the message"
        "MCP, basic; schema of the revision"
        "only the other side may send it"
    // "SHOULD NOT", but `initialize` "MUST" be the first interaction. A warning where it is served anyway.
    296 REQUEST_BEFORE_INITIALIZE "request-before-initialize" Error
        "the message comes before the session is initialized"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "send initialize first, and wait for its response"
    297 REQUEST_BEFORE_INITIALIZED "request-before-initialized" Warning
        "the request comes before notifications/initialized"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "send notifications/initialized after the response to initialize"
    // No clause forbids it, and servers answer it.
    298 INITIALIZE_AGAIN "initialize-again" Warning
        "initialize was already sent"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "initialize a session once; open another session for another handshake"
    // No clause forbids it, and servers ignore it.
    299 INITIALIZED_UNEXPECTED "initialized-unexpected" Warning
        "notifications/initialized does not follow the response to initialize"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "send it once, after the response to initialize"
    // A server "MAY" serve both eras in one process. The clause against falling back after a modern error has no
    // keyword, and the error can name a legacy version.
    300 ERA_MIXED "era-mixed" Warning
        "the request uses a different versioning scheme than the session"
        "MCP 2026-07-28, basic/versioning"
        "use either the handshake or metadata in every request, whichever opened the session"
    // A client may try any version. An error, because the server "MUST" refuse the request; a warning in an answer.
    301 VERSION_UNSUPPORTED "version-unsupported" Error
        "the version is not supported here"
        "MCP 2026-07-28, basic/versioning; up to 2025-11-25, basic/lifecycle, version negotiation"
        "choose a version that both sides support"
    // "MUST" since 2025-06-18, "SHOULD" before: the session makes a warning of it there.
    302 UNDECLARED_CAPABILITY "undeclared-capability" Error
        "the message needs a capability that was not declared"
        "MCP, basic/lifecycle, operation"
        "declare the capability, or do not use it"
    303 UNDECLARED_TASK "undeclared-task" Error
        "the request asks for a task, but the receiver did not declare tasks for this method"
        "MCP 2025-11-25, utilities, tasks, capability negotiation"
        "omit task unless the receiver declared the method in tasks.requests"
    304 ID_IN_USE "id-in-use" Error
        "another pending request has this id"
        "MCP, basic, requests"
        "give each request a new id, for example by counting up"
    305 ID_REUSED "id-reused" Error
        "an earlier request of this session had the same id"
        "MCP up to 2025-11-25, basic, requests"
        "give each request a new id, for example by counting up"
    306 PROGRESS_TOKEN_IN_USE "progress-token-in-use" Error
        "another pending request has the same progress token"
        "MCP, utilities, progress"
        "use a token for each request, such as its id"
    307 UNTRACKED_REQUEST "untracked-request" Note
        "the request is not tracked: its id is too long, or too many requests are pending"
        "MCP, basic, requests"
        "give the session more slots, or use shorter ids"
    308 RESPONSE_UNEXPECTED "response-unexpected" Error
        "the response answers no request"
        "JSON-RPC 2.0, section 5; MCP, basic, responses"
        "answer with the id of the request, once"
    309 RESPONSE_DUPLICATE "response-duplicate" Error
        "the request was already answered"
        "JSON-RPC 2.0, section 5; MCP, basic, responses"
        "answer each request once"
    310 RESPONSE_ID_REWRITTEN "response-id-rewritten" Error
        "the id of the response is written differently from that of the request"
        "JSON-RPC 2.0, section 5; MCP, basic, responses"
        "return the id exactly as received: a string stays a string, and 1 is not 1.0"
    // It "MUST NOT" follow a cancellation, but the two may have crossed.
    311 RESPONSE_LATE "response-late" Note
        "the request was cancelled before this response"
        "MCP, utilities, cancellation"
        "ignore the response: the two messages crossed"
    312 RESPONSE_AMBIGUOUS "response-ambiguous" Warning
        "several pending requests have this id, and the response may answer any of them"
        "MCP, basic, requests"
        "give each request its own id, even after a cancellation"
    313 INPUT_REQUIRED_UNEXPECTED "input-required-unexpected" Error
        "the result of this method must not ask for input"
        "MCP 2026-07-28, patterns, multi round-trip requests"
        "ask for input only in responses to tools/call, prompts/get and resources/read"
    314 CANCEL_INITIALIZE "cancel-initialize" Error
        "the notification cancels initialize"
        "MCP up to 2025-11-25, utilities, cancellation"
        "close the connection instead"
    // It "MUST" name a request in flight, but may have crossed the answer. An error if the id was never issued.
    315 CANCEL_UNKNOWN "cancel-unknown" Note
        "no pending request has this id"
        "MCP, utilities, cancellation"
        "ignore the notification: it may have crossed the response"
    316 PROGRESS_UNKNOWN "progress-unknown" Error
        "no pending request has this progress token"
        "MCP, utilities, progress"
        "report progress with the request's token, and before its response"
    317 SUBSCRIPTION_UNKNOWN "subscription-unknown" Error
        "the notification belongs to no open subscription"
        "MCP 2026-07-28, patterns, subscriptions"
        "add the id of the subscriptions/listen request as io.modelcontextprotocol/subscriptionId"
    318 SUBSCRIPTION_UNACKNOWLEDGED "subscription-unacknowledged" Error
        "the subscription has not been acknowledged"
        "MCP 2026-07-28, patterns, subscriptions"
        "send notifications/subscriptions/acknowledged first"
    // The conversation: the payload of a message, given the messages before it.
    319 PROGRESS_NOT_INCREASING "progress-not-increasing" Error
        "the progress does not exceed the progress of the previous notification"
        "MCP, utilities, progress"
        "report a larger progress each time, even if the total is not known"
    320 CURSOR_UNKNOWN "cursor-unknown" Error
        "the cursor is not one that a result of this method gave"
        "MCP, server/utilities/pagination"
        "return nextCursor exactly as received, in the same session"
    321 STRUCTURED_CONTENT_MISSING "structured-content-missing" Error
        "the tool declares an output schema, but the result has no structuredContent"
        "MCP since 2025-06-18, server/tools, output schema"
        "add structuredContent, or omit outputSchema from the tool"
    322 TOOL_TASK_SUPPORT "tool-task-support" Error
        "the tool does not support being called this way: with a task, or without one"
        "MCP 2025-11-25, utilities/tasks, tool-level negotiation"
        "add or omit task, as execution.taskSupport of the tool says"
    323 TASK_UNEXPECTED "task-unexpected" Error
        "the result is a task although the request asks for none, or the reverse"
        "MCP 2025-11-25, utilities/tasks, creating tasks"
        "answer with a task exactly if the request has the member task"
    324 TASK_ID_REUSED "task-id-reused" Error
        "another task already has the id of the new task"
        "MCP 2025-11-25, utilities/tasks, task ids"
        "give each task an id of its own"
    325 TASK_TRANSITION "task-transition" Error
        "the task cannot have this status now"
        "MCP 2025-11-25, utilities/tasks, status lifecycle"
        "begin with working, and keep completed, failed and cancelled; the result of tasks/cancel has cancelled"
    326 TASK_UNRELATED "task-unrelated" Error
        "the result of a task does not name the task in its metadata"
        "MCP 2025-11-25, utilities/tasks, associating task-related messages"
        "add io.modelcontextprotocol/related-task to _meta of the result of tasks/result"
    327 TASK_RELATED_REPEATED "task-related-repeated" Warning
        "the message names its task in its metadata as well"
        "MCP 2025-11-25, utilities/tasks, associating task-related messages"
        "omit io.modelcontextprotocol/related-task where the message itself has taskId"
    328 TASK_CANCELLED_BY_NOTIFICATION "task-cancelled-by-notification" Error
        "the notification cancels a request that became a task"
        "MCP 2025-11-25, utilities/cancellation; utilities/tasks"
        "send tasks/cancel instead"
    329 TASK_CANCEL_ENDED "task-cancel-ended" Error
        "tasks/cancel succeeded although the task had ended"
        "MCP 2025-11-25, utilities/tasks, cancelling tasks"
        "answer with -32602 if the task has ended"
    330 REQUEST_STATE_CHANGED "request-state-changed" Error
        "the requestState is not the one that the server gave for this request"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "return requestState exactly as received, and none if there was none"
    331 INPUT_RESPONSE_MISSING "input-response-missing" Error
        "the retry lacks the response to an input request"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "add a member to inputResponses for each member of inputRequests"
    332 SUBSCRIPTION_TYPE "subscription-type" Error
        "the subscription does not include notifications of this type"
        "MCP 2026-07-28, basic/patterns/subscriptions"
        "send only what the client asked for and the server acknowledged"
    333 SUBSCRIPTION_FILTER "subscription-filter" Error
        "the server acknowledges something that the client did not ask for"
        "MCP 2026-07-28, basic/patterns/subscriptions"
        "acknowledge a part of the filter that the client sent"
    334 SUBSCRIPTION_ID "subscription-id" Error
        "the message does not name its subscription"
        "MCP 2026-07-28, basic/patterns/subscriptions"
        "add io.modelcontextprotocol/subscriptionId to _meta, with the id of the subscriptions/listen request"
    335 SUBSCRIPTION_UNCLOSED "subscription-unclosed" Warning
        "the server has ended the subscription, but not answered its request"
        "MCP 2026-07-28, basic/patterns/subscriptions, graceful closure"
        "send the result of subscriptions/listen when the subscription ends"
    // A "MUST" of one page; another one asks for the result alone.
    336 SUBSCRIPTION_END_UNANNOUNCED "subscription-end-unannounced" Note
        "the server ends the subscription without notifications/cancelled"
        "MCP 2026-07-28, basic/patterns/cancellation"
        "send notifications/cancelled for the subscription before its result"
    337 NOTIFICATION_AFTER_CANCEL "notification-after-cancel" Error
        "the request of the notification was cancelled, and the server knows it"
        "MCP 2026-07-28, basic/transports/stdio, cancellation"
        "send nothing more for a request that was cancelled"
    // A "MUST" for roots, a "SHOULD" for other lists.
    338 LIST_CHANGE_UNANNOUNCED "list-change-unannounced" Warning
        "the list has changed without the notification that its owner declares"
        "MCP, server/tools, server/prompts, server/resources and client/roots, list changes"
        "send the list_changed notification when the list changes, or do not declare listChanged"
    339 TOOL_NAME_REPEATED "tool-name-repeated" Warning
        "two tools of the server have the same name"
        "MCP since 2025-11-25, server/tools, tool names"
        "give each tool a name of its own"
    340 TOOL_ORDER "tool-order" Warning
        "the same tools were previously listed in a different order"
        "MCP 2026-07-28, server/tools, capabilities"
        "list tools in the same order each time, so that clients can cache what they make of them"
    341 STRUCTURED_CONTENT_NOT_IN_TEXT "structured-content-not-in-text" Warning
        "no text block of the result contains the structuredContent as JSON"
        "MCP since 2025-06-18, server/tools, structured content"
        "add a text block with the same value as JSON, for clients that do not know structuredContent"
    342 HEADER_INTEGER_RANGE "header-integer-range" Error
        "the integer goes into a header, and is beyond 2^53 - 1"
        "MCP 2026-07-28, server/tools, x-mcp-header"
        "use an integer within that range, or a string"
    343 CACHE_SCOPE_MIXED "cache-scope-mixed" Error
        "the page has a different cacheScope than the previous page"
        "MCP 2026-07-28, server/utilities/caching, interaction with pagination"
        "give all pages of a list the same cacheScope"
    344 CURSOR_STALE "cursor-stale" Warning
        "the server refused a cursor, and the client continues with an earlier one"
        "MCP 2026-07-28, server/utilities/caching, interaction with pagination"
        "drop the pages, and begin with the first one again"
    345 TASK_PROGRESS_TOKEN "task-progress-token" Error
        "the progress of the task has a different token than the request that created it"
        "MCP 2025-11-25, utilities/progress"
        "report progress of a task with the progressToken of its request"
    346 PROGRESS_AFTER_TASK "progress-after-task" Error
        "the task of this progress has ended"
        "MCP 2025-11-25, utilities/progress"
        "report no progress after the task is completed, failed or cancelled"
    // A "MUST", but the input may have come another way.
    347 TASK_INPUT_UNRELATED "task-input-unrelated" Warning
        "the task has required input, but no request names it"
        "MCP 2025-11-25, utilities/tasks, input required status"
        "add io.modelcontextprotocol/related-task to _meta of the request for input"
    348 TASK_INPUT_NOT_FETCHED "task-input-not-fetched" Warning
        "the task requires input, and the requestor does not ask for its result"
        "MCP 2025-11-25, utilities/tasks, input required status"
        "send tasks/result when a task requires input: the request for it may come there"
    349 TASK_UNLISTED "task-unlisted" Error
        "the task exists, but was not in the list"
        "MCP 2025-11-25, utilities/tasks, task listing"
        "list each task that tasks/get finds"
    350 ELICITATION_UNKNOWN "elicitation-unknown" Error
        "no elicitation of this session has the id"
        "MCP 2025-11-25, client/elicitation, completion notifications"
        "notify the client that was asked when an elicitation ends, with the elicitationId of its request"
    351 TOOL_CHOICE_IGNORED "tool-choice-ignored" Error
        "the model uses a tool although the request forbids it, or the reverse"
        "MCP since 2025-11-25, client/sampling, tool choice modes"
        "hold the model to toolChoice: none forbids tools, and required asks for one before the end"
    460 TASK_ID_MISMATCH "task-id-mismatch" Error
        "the result is about another task than the one that was asked for"
        "MCP 2025-11-25, utilities/tasks, associating task-related messages; MCP 2026-07-28, extension for tasks"
        "answer with the task whose taskId is in the params of the request"
    461 TASK_RESULT_CHANGED "task-result-changed" Error
        "tasks/result has returned something else for this task before"
        "MCP 2025-11-25, utilities/tasks, result retrieval"
        "return exactly what the original request would have returned, each time"
    462 ELICITATION_ID_REUSED "elicitation-id-reused" Error
        "another elicitation of this session has the id"
        "MCP 2025-11-25, client/elicitation, URL mode elicitation requests"
        "give each elicitation an elicitationId of its own"
    463 RETRY_CHANGED "retry-changed" Error
        "the request returns input or state, but its params are not those of the request that was to be retried"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "retry the original request: add inputResponses and requestState, and change nothing else"
    352 VERSION_NOT_OFFERED "version-not-offered" Warning
        "the server has refused the version of the client, and does not offer this one"
        "MCP 2026-07-28, basic/versioning, protocol version negotiation"
        "choose one of data.supported, or give up"
    // Only clients that can meet a legacy server need it.
    353 NO_PROBE "no-probe" Note
        "the first request is not server/discover"
        "MCP 2026-07-28, basic/transports/stdio, backward compatibility"
        "send server/discover first, to find out whether the server is modern"
    // A "SHOULD", unless it is switched off.
    354 CLIENT_UNNAMED "client-unnamed" Note
        "the request does not name the client"
        "MCP 2026-07-28, basic, _meta"
        "add io.modelcontextprotocol/clientInfo to params._meta"
    // As for `client-unnamed`.
    355 SERVER_UNNAMED "server-unnamed" Note
        "the result does not name the server"
        "MCP 2026-07-28, basic, _meta"
        "add io.modelcontextprotocol/serverInfo to result._meta"
    // Deprecated, not forbidden.
    356 DEPRECATED_FEATURE "deprecated-feature" Note
        "the feature is deprecated"
        "MCP 2026-07-28, deprecated"
        "avoid roots, sampling and logging in new programs"
    357 LOG_NOT_REQUESTED "log-not-requested" Error
        "no pending request asks for log messages of this level"
        "MCP 2026-07-28, server/utilities/logging"
        "send log messages only while a request with io.modelcontextprotocol/logLevel is pending, at that level or above"

    // An answer is a "MUST", but the session may have ended before it was due.
    358 UNANSWERED_REQUEST "unanswered-request" Warning
        "the session ended before the request was answered"
        "JSON-RPC 2.0, section 5"
        "answer each request, if necessary with an error"

    // Both sides of a session: only the request and its answer show the breach.
    359 UNKNOWN_METHOD_CODE "unknown-method-code" Error
        "a request for an unknown method is answered with an error other than -32601"
        "JSON-RPC 2.0, section 5.1"
        "answer a method that you do not implement with -32601 (Method not found)"
    // The specification shows the error, and has no "MUST" or "SHOULD".
    360 UNKNOWN_TOOL_CODE "unknown-tool-code" Warning
        "a call of an unknown tool is answered with an error other than -32602"
        "MCP, server/tools, error handling"
        "answer the name of an unknown tool with -32602 (Invalid params)"
    // The specification shows the error for unknown tools, and does not forbid a result.
    361 UNKNOWN_TOOL_RESULT "unknown-tool-result" Note
        "a call of an unknown tool is answered with a result"
        "MCP, server/tools, error handling"
        "answer the name of an unknown tool with the error -32602 (Invalid params)"
    362 UNKNOWN_PROMPT_CODE "unknown-prompt-code" Warning
        "a request for an unknown prompt is answered with an error other than -32602"
        "MCP, server/prompts, error handling; server/utilities/completion, error handling"
        "answer the name of an unknown prompt with -32602 (Invalid params)"
    // MCP has "SHOULD" for most of the cases. The finding of a "MUST" is an error.
    363 INVALID_PARAMS_CODE "invalid-params-code" Warning
        "a request with invalid params is answered with an error other than -32602"
        "JSON-RPC 2.0, section 5.1"
        "answer params that do not fit the method with -32602 (Invalid params)"
    // JSON-RPC defines the code, and no clause demands that a receiver looks at the envelope first.
    364 INVALID_REQUEST_CODE "invalid-request-code" Warning
        "an invalid request is answered with an error other than -32600"
        "JSON-RPC 2.0, section 5.1"
        "answer JSON that is not a valid request with -32600 (Invalid Request)"
    // The finding of a "MUST" is an error.
    365 UNSUPPORTED_CODE "unsupported-code" Warning
        "a request for what the receiver does not support is answered with an error other than -32601"
        "MCP, client/roots, error handling; server/utilities/completion, error handling; 2025-11-25, utilities/tasks"
        "answer what you do not support with -32601 (Method not found)"
    366 UNSUPPORTED_VERSION_CODE "unsupported-version-code" Error
        "a request in a version that the server does not support is answered with an error other than -32022"
        "MCP 2026-07-28, basic/versioning, protocol version negotiation"
        "answer a version that you do not list with -32022, and list those that you support"
    // The finding of a "MUST" is an error.
    367 FAULTY_REQUEST_SERVED "faulty-request-served" Warning
        "a request that is to be refused is answered with a result"
        "MCP, the clauses on error handling"
        "refuse the request with the error that the clause names"
    368 DECLARED_METHOD_REFUSED "declared-method-refused" Error
        "a method that has to be served is refused"
        "MCP up to 2025-11-25, utilities/ping; MCP 2026-07-28, basic/versioning; server/tools, prompts and resources, capabilities"
        "implement the method, or do not declare its capability"
    369 VERSIONS_UNNAMED "versions-unnamed" Warning
        "an error refuses initialize, and does not name the versions that the server supports"
        "MCP 2026-07-28, basic/versioning, backward compatibility"
        "list the versions in data.supported, or name them in the message"
    370 ELICITATION_CONTENT "elicitation-content" Warning
        "the content of an accepted elicitation is not what the form asks for"
        "MCP, client/elicitation, form mode security"
        "hold what the user has entered to requestedSchema before you send it"
    371 INPUT_SCHEMA_INVALID "input-schema-invalid" Error
        "the inputSchema of a tool is no valid JSON Schema"
        "MCP since 2025-11-25, server/tools, tool"
        "give the keyword the kind of value that its meta-schema demands"
    372 SCHEMA_INVALID "schema-invalid" Error
        "the schema is no valid JSON Schema"
        "MCP since 2025-11-25, basic, JSON Schema usage"
        "give the keyword the kind of value that its meta-schema demands"
    373 STRUCTURED_CONTENT_DIFFERS "structured-content-differs" Error
        "the structuredContent does not follow the outputSchema of its tool"
        "MCP since 2025-06-18, server/tools, output schema"
        "hold results to the outputSchema before you send them, or correct the schema"
    374 ERROR_WITHOUT_CAUSE "error-without-cause" Error
        "the error has no id, but every frame of the other side could be read"
        "JSON-RPC 2.0, sections 4.1 and 5"
        "do not answer notifications, and send the id of the request with each error"
    // A "MUST" since 2026-07-28, and in 2025-11-25 for -32042.
    464 ERROR_CODE_MISUSED "error-code-misused" Error
        "the error has a code whose meaning the request contradicts"
        "MCP 2026-07-28, basic, error codes; basic/versioning; basic, _meta"
        "use a code that the specification defines only for what it is defined for"
    465 TASK_POLLED_EARLY "task-polled-early" Warning
        "the status of the task is requested again before its pollInterval has passed"
        "MCP 2025-11-25, utilities/tasks, getting tasks"
        "wait for as many milliseconds as pollInterval says between two requests for the status"
    // A fact about a process, which no clause forbids.
    375 PROCESS_FAILED "process-failed" Warning
        "the server's process has failed"
        "MCP, basic/lifecycle, shutdown"
        "look at the end of its standard error for the reason"
    // How a session begins: a session that never opens is not a clean session.
    376 OPENING_UNANSWERED "opening-unanswered" Error
        "the server never answered the request that opens the session"
        "MCP, basic/lifecycle, initialization; 2026-07-28, basic/versioning; JSON-RPC 2.0, section 5"
        "answer initialize, if necessary with an error; look at the end of the server's standard error for the reason"
    // A server may refuse, and a client may leave. Neither is wrong, but there was no session.
    377 OPENING_REFUSED "opening-refused" Note
        "the server refused the session, and the client did not find a version that it supports"
        "MCP, basic/lifecycle, version negotiation; 2026-07-28, basic/versioning"
        "support a version in common, and answer initialize with the latest supported version instead of an error"
    // The client "SHOULD" disconnect.
    378 VERSION_NOT_AGREED "version-not-agreed" Note
        "the client left, because the server chose another version"
        "MCP, basic/lifecycle, version negotiation"
        "support a version in common"
    // No "MUST" is there: the code is defined, and another one says less.
    379 PARSE_ERROR_CODE "parse-error-code" Warning
        "the frame that the error answers is not JSON, and the code does not say so"
        "JSON-RPC 2.0, section 5.1"
        "answer what is not JSON with -32700 (Parse error)"

    // Streamable HTTP: the method, the headers and the status around a message.
    700 HTTP_METHOD "http-method" Error
        "the endpoint does not have this HTTP method"
        "MCP, basic/transports, Streamable HTTP"
        "send each message as a POST; GET and DELETE exist up to 2025-11-25, if the server has streams and sessions"
    701 HTTP_ORIGIN "http-origin" Error
        "the Origin is malformed, or not allowed"
        "MCP, basic/transports, Streamable HTTP, security; RFC 6454, section 7"
        "allow the origin of the page in the server's policy, or do not call it from a page"
    // MCP demands protection from DNS rebinding, and names `Origin` alone. An error, because a server that ignores `Host`
    // serves every site that resolves to it.
    702 HTTP_HOST "http-host" Error
        "the Host is missing, repeated, malformed, or not one that the server answers for"
        "RFC 9110, section 7.2; RFC 9112, section 3.2"
        "use a name that the server's policy lists"
    // The examples show it, and no clause of MCP has a "MUST". A body of another type would pass the checks of browsers.
    703 HTTP_CONTENT_TYPE "http-content-type" Error
        "the body is not declared as application/json"
        "MCP, basic/transports, Streamable HTTP, sending messages; RFC 9110, section 8.3"
        "send Content-Type: application/json"
    704 HTTP_ACCEPT "http-accept" Error
        "the client does not accept the media types of the transport"
        "MCP, basic/transports, Streamable HTTP, sending messages; RFC 9110, section 12.5.1"
        "send Accept: application/json, text/event-stream with a POST, and at least text/event-stream with a GET"
    705 HTTP_HEADER_MISSING "http-header-missing" Error
        "a header that the message must have is missing"
        "MCP 2026-07-28, basic/transports/streamable-http, server validation; since 2025-06-18, protocol version header"
        "repeat what the body says in MCP-Protocol-Version, Mcp-Method, Mcp-Name and the Mcp-Param-* of the tool"
    // RFC 9110, section 5.3: a sender "MUST NOT" generate them. A receiver that picks one disagrees with another.
    706 HTTP_HEADER_REPEATED "http-header-repeated" Error
        "a header that has one value is there more than once"
        "RFC 9110, section 5.3; MCP 2026-07-28, basic/transports/streamable-http, server validation"
        "send the header once"
    707 HTTP_HEADER_CHARACTERS "http-header-characters" Error
        "the value of a header has characters other than visible ASCII, spaces and tabs"
        "MCP 2026-07-28, basic/transports/streamable-http, value encoding"
        "encode the value as =?base64?...?="
    708 HTTP_HEADER_ENCODING "http-header-encoding" Error
        "the value of a header has the form =?base64?...?=, but its payload is not Base64"
        "MCP 2026-07-28, basic/transports/streamable-http, value encoding; RFC 4648, section 4"
        "encode the UTF-8 with the standard alphabet and padding"
    709 HTTP_HEADER_MISMATCH "http-header-mismatch" Error
        "a header differs from the value in the body that it repeats"
        "MCP 2026-07-28, basic/transports/streamable-http, server validation"
        "take the value of the header from the body; encode what is not plain ASCII as =?base64?...?="
    710 HTTP_HEADER_UNEXPECTED "http-header-unexpected" Error
        "a header repeats a parameter that the arguments do not have"
        "MCP 2026-07-28, basic/transports/streamable-http, server behavior for custom headers"
        "omit the header of a parameter that is absent or null"
    // A client may ask for any method of the revision.
    711 METHOD_NOT_SERVED "method-not-served" Note
        "the server does not have the method"
        "MCP 2026-07-28, basic/transports/streamable-http, protocol version header"
        "use what the capabilities of the server declare"
    712 SESSION_ID_MISSING "session-id-missing" Error
        "the request names no session"
        "MCP 2025-03-26 to 2025-11-25, basic/transports, session management"
        "send the Mcp-Session-Id of the response to initialize with each request"
    // The server may have ended the session, which the client learns from the refusal.
    713 SESSION_ID_UNKNOWN "session-id-unknown" Note
        "the session has ended, or never was"
        "MCP 2025-03-26 to 2025-11-25, basic/transports, session management"
        "send initialize without a session id to open another session"
    714 SESSION_ID_SYNTAX "session-id-syntax" Error
        "the id of the session has characters other than visible ASCII"
        "MCP 2025-03-26 to 2025-11-25, basic/transports, session management"
        "use characters from 0x21 to 0x7E, as in a UUID"
    715 VERSION_HEADER_CHANGED "version-header-changed" Warning
        "the version in the header is not the one that was negotiated for the session"
        "MCP 2025-06-18 to 2025-11-25, basic/transports, protocol version header"
        "send the protocolVersion of the response to initialize"
    716 HTTP_STATUS "http-status" Error
        "the status does not fit the request, or the error in the body"
        "MCP, basic/transports, Streamable HTTP, sending messages; 2026-07-28, basic, error codes"
        "answer a request with 200, notifications and responses with 202, and an error with the status that its code has"
    717 HTTP_RESPONSE_TYPE "http-response-type" Error
        "the response to a request is neither application/json nor text/event-stream"
        "MCP, basic/transports, Streamable HTTP, sending messages"
        "declare one JSON object as application/json, and events as text/event-stream"
    718 HTTP_BODY_UNEXPECTED "http-body-unexpected" Error
        "the response has a body where none belongs"
        "MCP, basic/transports, Streamable HTTP, sending messages"
        "answer notifications and responses with 202 and no body"
    719 MESSAGE_AFTER_RESPONSE "message-after-response" Warning
        "the stream continues after the response to its request"
        "MCP, basic/transports, Streamable HTTP, receiving messages"
        "end the stream with the response"
    720 EVENTS_BUFFERED "events-buffered" Warning
        "the stream of events does not tell proxies that they must not buffer it"
        "MCP 2026-07-28, basic/transports/streamable-http, receiving messages"
        "send X-Accel-Buffering: no with a stream of events"
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{ALL, all, from_name, help, name, spec_ref, summary};

    #[test]
    fn names_and_numbers_are_unique_in_all_tables() {
        let numbers: HashSet<_> = all().map(|rule| rule.number()).collect();
        let names: HashSet<_> = all().map(name).collect();
        assert_eq!((names.len(), numbers.len()), (all().count(), all().count()));
        for name in names {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(kebab), "{name}");
            assert_eq!(from_name(name).map(super::name), Some(name));
        }
        assert!(ALL.iter().all(|rule| rule.number() >= 256));
    }

    #[test]
    fn texts_are_one_line_and_there() {
        for &rule in ALL {
            for text in [summary(rule), spec_ref(rule), help(rule)] {
                assert!(
                    !text.is_empty() && !text.contains('\n') && !text.ends_with('.'),
                    "{rule:?}"
                );
            }
        }
    }
}
