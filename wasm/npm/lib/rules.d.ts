// Generated from the tables of the Rust crate by tests/texts.rs.

/** The name of a rule. */
export type RuleName =
  /** the frame is not one JSON value */
  | "not-json"
  /** the frame is not valid UTF-8 */
  | "invalid-utf8"
  /** arrays and objects are nested deeper than the limit */
  | "too-deep"
  /** the frame is longer than the limit, and was discarded */
  | "frame-too-long"
  /** the stream ends without a newline after this frame */
  | "unterminated-frame"
  /** the line contains a raw carriage return */
  | "raw-carriage-return"
  /** a string contains a raw line separator (U+0085, U+2028 or U+2029) */
  | "line-separator"
  /** the frame is a batch, and this protocol does not allow batches */
  | "batch-not-allowed"
  /** the batch is empty */
  | "batch-empty"
  /** the batch has more messages than the limit */
  | "batch-too-long"
  /** the batch contains both calls and responses */
  | "batch-mixed"
  /** the message is not a JSON object */
  | "not-an-object"
  /** the same member appears twice, and peers differ in which value they use */
  | "duplicate-member"
  /** a name or an id that peers compare contains an unpaired surrogate */
  | "lone-surrogate"
  /** the member "jsonrpc" is missing */
  | "missing-jsonrpc"
  /** the version is not the string "2.0" */
  | "wrong-version"
  /** the response has both a result and an error */
  | "result-and-error"
  /** the message has a method, like a request, and a result or an error, like a response */
  | "method-in-response"
  /** the object has neither a method, nor a result, nor an error */
  | "no-shape"
  /** the id is neither a string nor a number */
  | "id-type"
  /** the id is null, so no response can be matched to its request */
  | "id-null"
  /** the id is a number with a fractional part */
  | "id-fraction"
  /** the response has no id */
  | "response-without-id"
  /** the method is not a string */
  | "method-type"
  /** params has a type that is not allowed */
  | "params-type"
  /** the result is not an object */
  | "result-type"
  /** the error is not an object */
  | "error-type"
  /** the error has no code */
  | "error-code-missing"
  /** the error code is not an integer */
  | "error-code-type"
  /** the error has no message */
  | "error-message-missing"
  /** the error message is not a string */
  | "error-message-type"
  /** the id is an integer, in a notation that peers rewrite */
  | "id-not-plain-integer"
  /** the id is beyond 2^53 - 1, so peers that use doubles round it */
  | "id-unsafe-integer"
  /** the method begins with "rpc.", which is reserved for extensions of JSON-RPC */
  | "method-reserved"
  /** the error code looks like an HTTP status code */
  | "error-code-http"
  /** the error code is in a reserved range, and this protocol does not define it */
  | "error-code-reserved"
  /** the name of this member resembles that of a standard member */
  | "member-lookalike"
  /** the protocol does not define this member */
  | "unknown-member"
  /** the name of this member resembles one that peers and gateways act on */
  | "nested-member-lookalike"
  /** the line looks like log output */
  | "log-line"
  /** the line looks like a header of the Language Server Protocol */
  | "content-length-header"
  /** the text looks like UTF-16 */
  | "utf16"
  /** the line looks like part of a message that spans several lines */
  | "embedded-newline"
  /** a request method was sent as a notification, or the reverse */
  | "method-kind"
  /** the method belongs to another revision of the protocol */
  | "method-not-in-revision"
  /** initialize is part of a batch */
  | "initialize-in-batch"
  /** a member that peers and gateways act on appears twice */
  | "duplicate-nested-member"
  /** an object in the payload has two members with the same name */
  | "duplicate-inner-member"
  /** the params that the method requires are missing */
  | "missing-params"
  /** the request lacks metadata that it must carry */
  | "missing-meta"
  /** a member that the protocol uses has the wrong type */
  | "meta-type"
  /** the member resultType is missing */
  | "missing-result-type"
  /** the resultType is not one that the client knows */
  | "unknown-result-type"
  /** the revision reserves this error code and does not define it, or has retired it */
  | "error-code-forbidden"
  /** a member that the schema requires is missing */
  | "missing-member"
  /** the value has a type that the schema does not allow */
  | "member-type"
  /** the value is not one of those that the schema allows */
  | "member-value"
  /** the number, or the number of elements, is outside the range that the schema allows */
  | "member-range"
  /** the string is not a URI */
  | "uri-syntax"
  /** the string is not a URI template */
  | "uri-template-syntax"
  /** the string is not Base64 */
  | "base64-syntax"
  /** a key of _meta is not a name with an optional prefix */
  | "meta-key"
  /** a key of _meta has a prefix that is reserved for MCP */
  | "meta-prefix-reserved"
  /** the URI of a root is not a file:// URI */
  | "root-uri"
  /** the source of an icon is not an http:, https: or data: URI */
  | "icon-uri"
  /** the string is not a media type */
  | "media-type-syntax"
  /** the name of a tool is empty, longer than 128 characters, or contains special characters */
  | "tool-name"
  /** the string is not a timestamp */
  | "timestamp-syntax"
  /** the time of the last modification is not a timestamp */
  | "last-modified-syntax"
  /** the result requires input, but has neither inputRequests nor requestState */
  | "input-required-empty"
  /** the error lacks the data that its code requires */
  | "missing-error-data"
  /** tool uses and tool results in the messages are not paired */
  | "tool-result-unpaired"
  /** the result of a ping has members */
  | "ping-result"
  /** the value does not follow W3C Trace Context */
  | "trace-context-syntax"
  /** the value does not follow W3C Baggage */
  | "baggage-syntax"
  /** the id of an extension is not a name with a prefix */
  | "extension-id"
  /** the failed task has no statusMessage */
  | "task-failure-unexplained"
  /** the request asks for the context of servers, which is deprecated */
  | "sampling-context-deprecated"
  /** the URL of the elicitation has the scheme http */
  | "elicitation-url-insecure"
  /** the form contains a URL */
  | "elicitation-form-link"
  /** the embedded resource has no mimeType */
  | "resource-media-type-missing"
  /** the schema uses a dialect other than 2020-12 */
  | "schema-dialect"
  /** an x-mcp-header breaks the rules for its name or its place */
  | "header-annotation"
  /** no revision of the protocol defines this method */
  | "unknown-method"
  /** this side must not send the message */
  | "wrong-direction"
  /** the request comes before the session is initialized */
  | "request-before-initialize"
  /** the request comes before notifications/initialized */
  | "request-before-initialized"
  /** initialize was already sent */
  | "initialize-again"
  /** notifications/initialized does not follow the response to initialize */
  | "initialized-unexpected"
  /** the request uses a different versioning scheme than the session */
  | "era-mixed"
  /** the version is not supported here */
  | "version-unsupported"
  /** the message needs a capability that was not declared */
  | "undeclared-capability"
  /** the request asks for a task, but the receiver did not declare tasks for this method */
  | "undeclared-task"
  /** another pending request has this id */
  | "id-in-use"
  /** an earlier request of this session had the same id */
  | "id-reused"
  /** another pending request has the same progress token */
  | "progress-token-in-use"
  /** the request is not tracked: its id is too long, or too many requests are pending */
  | "untracked-request"
  /** the response answers no request */
  | "response-unexpected"
  /** the request was already answered */
  | "response-duplicate"
  /** the id of the response is written differently from that of the request */
  | "response-id-rewritten"
  /** the request was cancelled before this response */
  | "response-late"
  /** several pending requests have this id, and the response may answer any of them */
  | "response-ambiguous"
  /** the result of this method must not ask for input */
  | "input-required-unexpected"
  /** the notification cancels initialize */
  | "cancel-initialize"
  /** no pending request has this id */
  | "cancel-unknown"
  /** no pending request has this progress token */
  | "progress-unknown"
  /** the notification belongs to no open subscription */
  | "subscription-unknown"
  /** the subscription has not been acknowledged */
  | "subscription-unacknowledged"
  /** the progress does not exceed the progress of the previous notification */
  | "progress-not-increasing"
  /** the cursor is not one that a result of this method gave */
  | "cursor-unknown"
  /** the tool declares an output schema, but the result has no structuredContent */
  | "structured-content-missing"
  /** the tool does not support being called this way: with a task, or without one */
  | "tool-task-support"
  /** the result is a task although the request asks for none, or the reverse */
  | "task-unexpected"
  /** another task already has the id of the new task */
  | "task-id-reused"
  /** the task cannot have this status now */
  | "task-transition"
  /** the result of a task does not name the task in its metadata */
  | "task-unrelated"
  /** the message names its task in its metadata as well */
  | "task-related-repeated"
  /** the notification cancels a request that became a task */
  | "task-cancelled-by-notification"
  /** tasks/cancel succeeded although the task had ended */
  | "task-cancel-ended"
  /** the requestState is not the one that the server gave for this request */
  | "request-state-changed"
  /** the retry lacks the response to an input request */
  | "input-response-missing"
  /** the subscription does not include notifications of this type */
  | "subscription-type"
  /** the server acknowledges something that the client did not ask for */
  | "subscription-filter"
  /** the message does not name its subscription */
  | "subscription-id"
  /** the server has ended the subscription, but not answered its request */
  | "subscription-unclosed"
  /** the server ends the subscription without notifications/cancelled */
  | "subscription-end-unannounced"
  /** the request of the notification was cancelled, and the server knows it */
  | "notification-after-cancel"
  /** the list has changed without the notification that its owner declares */
  | "list-change-unannounced"
  /** two tools of the server have the same name */
  | "tool-name-repeated"
  /** the same tools were previously listed in a different order */
  | "tool-order"
  /** no text block of the result contains the structuredContent as JSON */
  | "structured-content-not-in-text"
  /** the integer goes into a header, and is beyond 2^53 - 1 */
  | "header-integer-range"
  /** the page has a different cacheScope than the previous page */
  | "cache-scope-mixed"
  /** the server refused a cursor, and the client continues with an earlier one */
  | "cursor-stale"
  /** the progress of the task has a different token than the request that created it */
  | "task-progress-token"
  /** the task of this progress has ended */
  | "progress-after-task"
  /** the task has required input, but no request names it */
  | "task-input-unrelated"
  /** the task requires input, and the requestor does not ask for its result */
  | "task-input-not-fetched"
  /** the task exists, but was not in the list */
  | "task-unlisted"
  /** no elicitation of this session has the id */
  | "elicitation-unknown"
  /** the model uses a tool although the request forbids it, or the reverse */
  | "tool-choice-ignored"
  /** the server has refused the version of the client, and does not offer this one */
  | "version-not-offered"
  /** the first request is not server/discover */
  | "no-probe"
  /** the request does not name the client */
  | "client-unnamed"
  /** the result does not name the server */
  | "server-unnamed"
  /** the feature is deprecated */
  | "deprecated-feature"
  /** no pending request asks for log messages of this level */
  | "log-not-requested"
  /** the session ended before the request was answered */
  | "unanswered-request";

/** Why the start of the next frame is unknown. */
export type DesyncCause =
  /** this is not a header, which is a name, a colon and a value in visible ASCII */
  | "header-malformed"
  /** a line of a header does not end with CR and LF */
  | "header-line-end"
  /** the headers of one frame are longer than the limit */
  | "header-too-long"
  /** the headers do not state the length of the body */
  | "content-length-missing"
  /** a length is decimal digits and less than 2^64 */
  | "content-length-invalid"
  /** the header Content-Length appears twice, and peers differ in which value they use */
  | "content-length-conflict"
  /** the header Content-Type names a charset other than UTF-8 */
  | "charset-unsupported"
  /** this begins no JSON value */
  | "value-expected";

/** How bad a finding is. */
export type Severity = "error" | "warning" | "note";
