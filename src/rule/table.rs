//! The one table of rules: everything that can be reported.
//!
//! Code, documentation and the command line all read it. The order of the table is the order in which
//! findings are reported, and a name that was released is never changed.

use super::Severity;
use crate::name::named;
use crate::table::table;

/// Defines [`Rule`]. Each part of the table begins with the configuration that has its rules.
macro_rules! rules {
    ($(
        [$present:meta]
        $($variant:ident $name:literal $severity:ident $summary:literal $spec_ref:literal $help:literal)*
    )*) => {
        table! {
            /// A rule that a message or a session can break, or a hint about one.
            ///
            /// Rules that only a feature checks exist only with that feature, so that other programs do not pay for
            /// their texts.
            #[cfg_attr(feature = "defmt", derive(defmt::Format))]
            pub enum Rule { $([$present] $($variant $name $summary $spec_ref $help)*)* }
        }

        impl Rule {
            /// Returns the severity, unless the [`Rules`](crate::Rules) in force change it.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $($(#[cfg($present)] Self::$variant => Severity::$severity,)*)* }
            }
        }
    };
}

// A "MUST" of the specification makes an error, a "SHOULD" a warning. A comment at the row gives the reason for any
// other severity.
rules! {
    [all()]
    // The frame as a text: the first of these errors, by offset, is the fault, and nothing else is checked.
    NotJson "not-json" Error
        "the frame is not one JSON value"
        "RFC 8259, section 2; JSON-RPC 2.0, section 5.1"
        "write one complete JSON value, with nothing before or after it"
    InvalidUtf8 "invalid-utf8" Error
        "the frame is not valid UTF-8"
        "RFC 8259, section 8.1; MCP, basic/transports"
        "encode the text as UTF-8, and do not cut a character in two"
    // No clause forbids it, but the receiver can't take it.
    TooDeep "too-deep" Error
        "arrays and objects are nested deeper than the limit"
        "RFC 8259, section 9"
        "flatten the payload, or raise the receiver's limit"

    // The frame on the wire.
    // No clause forbids it, but the receiver can't take it.
    FrameTooLong "frame-too-long" Error
        "the frame is longer than the limit, and was discarded"
        "RFC 8259, section 9"
        "send less at once, or raise the receiver's limit"
    // No clause demands the newline of the last frame, which may be complete.
    UnterminatedFrame "unterminated-frame" Warning
        "the stream ends without a newline after this frame"
        "MCP, basic/transports, stdio"
        "end every message with a newline, including the last one: some receivers drop it otherwise"
    RawCarriageReturn "raw-carriage-return" Error
        "the line contains a raw carriage return"
        "MCP, basic/transports, stdio (no embedded newlines)"
        "remove the CR: some receivers split the line there and read its parts as messages"
    LineSeparator "line-separator" Note
        "a string contains a raw line separator (U+0085, U+2028 or U+2029)"
        "RFC 8259, section 7"
        "escape it, as in \"\\u2028\": some receivers split the line there"

    // Batches.
    BatchNotAllowed "batch-not-allowed" Error
        "the frame is a batch, and this protocol does not allow batches"
        "MCP, basic (batches: only in 2025-03-26); LSP, base protocol"
        "send each message on its own line"
    BatchEmpty "batch-empty" Error
        "the batch is empty"
        "JSON-RPC 2.0, section 6"
        "if there is nothing to send, send nothing"
    // No clause forbids it, but the receiver can't take it.
    BatchTooLong "batch-too-long" Error
        "the batch has more messages than the limit"
        "JSON-RPC 2.0, section 6"
        "split the batch, or raise the receiver's limit"
    BatchMixed "batch-mixed" Error
        "the batch contains both calls and responses"
        "MCP 2025-03-26, schema and basic/transports"
        "send calls and responses in separate batches"

    // The object and its members.
    NotAnObject "not-an-object" Error
        "the message is not a JSON object"
        "JSON-RPC 2.0, sections 4 and 5"
        "wrap the value in a request, a notification or a response"
    // RFC 8259 has "SHOULD", RFC 7493 has "MUST". An error, because two peers can act on different values.
    DuplicateMember "duplicate-member" Error
        "the same member appears twice, and peers differ in which value they use"
        "RFC 8259, section 4; RFC 7493, section 2.3"
        "write each member once"
    LoneSurrogate "lone-surrogate" Error
        "a name or an id that peers compare contains an unpaired surrogate"
        "RFC 8259, section 8.2; RFC 7493, section 2.1"
        "escape characters beyond U+FFFF as a pair of surrogates, or write them as UTF-8"
    MissingJsonrpc "missing-jsonrpc" Error
        "the member \"jsonrpc\" is missing"
        "JSON-RPC 2.0, sections 4 and 5"
        "add the member \"jsonrpc\":\"2.0\""
    WrongVersion "wrong-version" Error
        "the version is not the string \"2.0\""
        "JSON-RPC 2.0, sections 4 and 5"
        "write \"jsonrpc\":\"2.0\", as a string"
    ResultAndError "result-and-error" Error
        "the response has both a result and an error"
        "JSON-RPC 2.0, section 5"
        "leave out the one that does not apply; null does not stand for absent"
    MethodInResponse "method-in-response" Error
        "the message has a method, like a request, and a result or an error, like a response"
        "JSON-RPC 2.0, sections 4 and 5"
        "send the call and the answer as two messages"
    NoShape "no-shape" Error
        "the object has neither a method, nor a result, nor an error"
        "JSON-RPC 2.0, sections 4 and 5"
        "add the method to call, or the result or error of the response"

    // The id.
    IdType "id-type" Error
        "the id is neither a string nor a number"
        "JSON-RPC 2.0, section 4; MCP, basic"
        "use a string or an integer; leave the id out of a notification"
    IdNull "id-null" Error
        "the id is null, so no response can be matched to its request"
        "JSON-RPC 2.0, section 4 (SHOULD NOT); MCP, basic (MUST NOT)"
        "use a string or an integer; leave the id out of a notification"
    IdFraction "id-fraction" Error
        "the id is a number with a fractional part"
        "JSON-RPC 2.0, section 4 (SHOULD NOT); MCP, basic (string or integer)"
        "use an integer or a string"
    ResponseWithoutId "response-without-id" Error
        "the response has no id"
        "JSON-RPC 2.0, section 5; MCP, basic"
        "add the id of the request, exactly as received"

    // The other members.
    MethodType "method-type" Error
        "the method is not a string"
        "JSON-RPC 2.0, section 4"
        "write the method's name as a string"
    ParamsType "params-type" Error
        "params has a type that is not allowed"
        "JSON-RPC 2.0, section 4.2 (array or object); MCP, basic (object)"
        "pass params as an object, or leave the member out: null does not stand for absent"
    ResultType "result-type" Error
        "the result is not an object"
        "MCP, basic, responses"
        "wrap the value in an object; use {} if there is no value"
    ErrorType "error-type" Error
        "the error is not an object"
        "JSON-RPC 2.0, section 5.1"
        "write an object with a code and a message"
    ErrorCodeMissing "error-code-missing" Error
        "the error has no code"
        "JSON-RPC 2.0, section 5.1"
        "add an integer member \"code\""
    ErrorCodeType "error-code-type" Error
        "the error code is not an integer"
        "JSON-RPC 2.0, section 5.1"
        "write the code as an integer, without quotes"
    ErrorMessageMissing "error-message-missing" Error
        "the error has no message"
        "JSON-RPC 2.0, section 5.1"
        "add a string member \"message\""
    ErrorMessageType "error-message-type" Error
        "the error message is not a string"
        "JSON-RPC 2.0, section 5.1"
        "write the message as a string, and anything else as \"data\""

    // Legal, but handled wrongly by some peers.
    IdNotPlainInteger "id-not-plain-integer" Warning
        "the id is an integer, in a notation that peers rewrite"
        "JSON-RPC 2.0, section 4"
        "write the id in plain digits, without a point, an exponent or minus zero"
    IdUnsafeInteger "id-unsafe-integer" Warning
        "the id is beyond 2^53 - 1, so peers that use doubles round it"
        "RFC 8259, section 6; RFC 7493, section 2.2"
        "use a smaller integer or a string"
    // "MUST NOT", unless it is an extension of JSON-RPC, which the frame does not show.
    MethodReserved "method-reserved" Note
        "the method begins with \"rpc.\", which is reserved for extensions of JSON-RPC"
        "JSON-RPC 2.0, section 4"
        "choose another name, unless this is such an extension"
    ErrorCodeHttp "error-code-http" Warning
        "the error code looks like an HTTP status code"
        "JSON-RPC 2.0, section 5.1"
        "use a code of JSON-RPC or of the protocol, and put the status into \"data\""
    ErrorCodeReserved "error-code-reserved" Warning
        "the error code is in a reserved range, and this protocol does not define it"
        "JSON-RPC 2.0, section 5.1; MCP 2026-07-28, basic, error codes"
        "use a code outside the range -32768 to -32000"
    MemberLookalike "member-lookalike" Warning
        "the name of this member resembles that of a standard member"
        "JSON-RPC 2.0, section 2 (names are case-sensitive)"
        "spell the name exactly: some peers read this as the standard member"
    UnknownMember "unknown-member" Note
        "the protocol does not define this member"
        "JSON-RPC 2.0, sections 4 and 5"
        "move it into params, result or data: strict peers drop the message"
    // Reported only under rules that ask for it: any method may have parameters of its own.
    NestedMemberLookalike "nested-member-lookalike" Warning
        "the name of this member resembles one that peers and gateways act on"
        "JSON-RPC 2.0, section 4.2 (names match exactly, including case)"
        "spell the name exactly, or choose one that differs by more than case and invisible characters"

    // Hints about bytes that are not JSON.
    LogLine "log-line" Note
        "the line looks like log output"
        "MCP, basic/transports, stdio"
        "log to stderr or to a file: stdout carries the messages"
    ContentLengthHeader "content-length-header" Note
        "the line looks like a header of the Language Server Protocol"
        "LSP, base protocol; MCP, basic/transports, stdio"
        "send each message on its own line, without headers"
    Utf16 "utf16" Note
        "the text looks like UTF-16"
        "RFC 8259, section 8.1"
        "write UTF-8; on Windows, set the encoding of the pipe"
    // A hint beside the error that the piece is not JSON.
    EmbeddedNewline "embedded-newline" Note
        "the line looks like part of a message that spans several lines"
        "MCP, basic/transports, stdio (no embedded newlines)"
        "serialize without indentation, on one line"

    // Below the envelope: what a revision of MCP requires of a message from either side.
    MethodKind "method-kind" Error
        "a request method was sent as a notification, or the reverse"
        "MCP, basic; schema of the revision"
        "send requests with an id, and notifications without one"
    // "MUST" respect the version since 2025-06-18, "SHOULD" before. An error, because it has to be answered with one.
    MethodNotInRevision "method-not-in-revision" Error
        "the method belongs to another revision of the protocol"
        "MCP, schema of the revision"
        "use a method of the revision that both sides agreed on"
    InitializeInBatch "initialize-in-batch" Error
        "initialize is part of a batch"
        "MCP 2025-03-26, basic/lifecycle, initialization"
        "send initialize alone, and wait for its response"
    // As for `duplicate-member`.
    DuplicateNestedMember "duplicate-nested-member" Error
        "a member that peers and gateways act on appears twice"
        "RFC 8259, section 4; RFC 7493, section 2.3"
        "write each member once"
    // As for `duplicate-member`, but it is not known what peers do with it.
    DuplicateInnerMember "duplicate-inner-member" Warning
        "an object in the payload has two members with the same name"
        "RFC 8259, section 4 (SHOULD); RFC 7493, section 2.3"
        "write each member once: peers differ in which value they use"
    MissingParams "missing-params" Error
        "the params that the method requires are missing"
        "MCP, schema of the revision"
        "add params, with the members that the method requires"
    MissingMeta "missing-meta" Error
        "the request lacks metadata that it must carry"
        "MCP 2026-07-28, basic, _meta"
        "add io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities to params._meta"
    MetaType "meta-type" Error
        "a member that the protocol uses has the wrong type"
        "MCP, basic, _meta; utilities, progress; schema of the revision"
        "write _meta, capabilities, clientInfo and serverInfo as objects, versions and resultType as strings, requestId and tokens as strings or integers"
    MissingResultType "missing-result-type" Error
        "the member resultType is missing"
        "MCP 2026-07-28, basic, responses"
        "add \"resultType\":\"complete\""
    UnknownResultType "unknown-result-type" Error
        "the resultType is not one that the client knows"
        "MCP 2026-07-28, basic, responses; extension for tasks"
        "use \"complete\" or \"input_required\"; \"task\" requires the client's capability, and answers only tools/call"
    ErrorCodeForbidden "error-code-forbidden" Error
        "the revision reserves this error code and does not define it, or has retired it"
        "MCP 2026-07-28, basic, error codes"
        "use a code that the revision defines, or one outside the range -32768 to -32000"
    // The payload: what the schema and the text of a revision require of it.
    [feature = "shapes"]
    MissingMember "missing-member" Error
        "a member that the schema requires is missing"
        "MCP, schema of the revision"
        "add the member"
    MemberType "member-type" Error
        "the value has a type that the schema does not allow"
        "MCP, schema of the revision"
        "write a value of the expected type"
    MemberValue "member-value" Error
        "the value is not one of those that the schema allows"
        "MCP, schema of the revision"
        "use one of the expected values, spelled exactly"
    MemberRange "member-range" Error
        "the number, or the number of elements, is outside the range that the schema allows"
        "MCP, schema of the revision"
        "use a value within the range"
    // The `format` of a schema is an annotation (JSON Schema, validation, section 7.2.1). A "MUST" holds for custom
    // schemes alone.
    UriSyntax "uri-syntax" Warning
        "the string is not a URI"
        "MCP, schema of the revision; RFC 3986, section 3"
        "begin with a scheme, and percent-encode spaces and characters beyond ASCII"
    // As for `uri-syntax`.
    UriTemplateSyntax "uri-template-syntax" Warning
        "the string is not a URI template"
        "MCP, schema of the revision; RFC 6570, section 2"
        "close each brace, and percent-encode spaces"
    // "The image data MUST be base64-encoded".
    Base64Syntax "base64-syntax" Error
        "the string is not Base64"
        "MCP, server/prompts, image content; schema of the revision; RFC 4648, section 4"
        "encode with the standard alphabet and padding, and without line breaks"
    MetaKey "meta-key" Error
        "a key of _meta is not a name with an optional prefix"
        "MCP, basic, _meta"
        "use letters, digits, and inside them hyphens, underscores and dots, after a prefix such as com.example/"
    // No "MUST" or "SHOULD" is there: the prefixes are "reserved".
    MetaPrefixReserved "meta-prefix-reserved" Warning
        "a key of _meta has a prefix that is reserved for MCP"
        "MCP, basic, _meta"
        "use a prefix made from a domain that you own, such as com.example/"
    RootUri "root-uri" Error
        "the URI of a root is not a file:// URI"
        "MCP, client/roots, data types; RFC 8089"
        "begin with file://"
    // It is the client that "MUST" reject others.
    IconUri "icon-uri" Warning
        "the source of an icon is not an http:, https: or data: URI"
        "MCP, basic, icons"
        "serve the icon over https, or put it into a data: URI: clients reject other schemes"
    // As for `uri-syntax`.
    MediaTypeSyntax "media-type-syntax" Warning
        "the string is not a media type"
        "MCP, schema of the revision; RFC 6838, section 4.2"
        "write a type and a subtype, as in text/plain"
    ToolName "tool-name" Warning
        "the name of a tool is empty, longer than 128 characters, or contains special characters"
        "MCP, server/tools, tool names (SHOULD)"
        "use letters, digits, underscores, hyphens and dots"
    TimestampSyntax "timestamp-syntax" Error
        "the string is not a timestamp"
        "MCP 2025-11-25, utilities/tasks; RFC 3339, section 5"
        "write an ISO 8601 timestamp, as in 2025-11-25T10:30:00Z"
    LastModifiedSyntax "last-modified-syntax" Warning
        "the time of the last modification is not a timestamp"
        "MCP, schema of the revision, annotations (should); RFC 3339, section 5"
        "write an ISO 8601 timestamp, as in 2025-11-25T10:30:00Z"
    InputRequiredEmpty "input-required-empty" Error
        "the result requires input, but has neither inputRequests nor requestState"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "add inputRequests, requestState, or both"
    MissingErrorData "missing-error-data" Error
        "the error lacks the data that its code requires"
        "MCP, schema of the revision"
        "add data, with the members that the code requires"
    ToolResultUnpaired "tool-result-unpaired" Error
        "tool uses and tool results in the messages are not paired"
        "MCP, client/sampling, tool use"
        "answer each tool use with one result in the next message, which contains results alone"
    PingResult "ping-result" Error
        "the result of a ping has members"
        "MCP up to 2025-11-25, utilities/ping"
        "answer a ping with {}"
    TraceContextSyntax "trace-context-syntax" Error
        "the value does not follow W3C Trace Context"
        "MCP 2026-07-28, basic, _meta; W3C Trace Context, section 3"
        "copy the headers traceparent and tracestate as they are, in lower-case hexadecimal digits"
    BaggageSyntax "baggage-syntax" Error
        "the value does not follow W3C Baggage"
        "MCP 2026-07-28, basic, _meta; W3C Baggage, section 3"
        "write key=value pairs with commas between them, and percent-encode other characters"
    ExtensionId "extension-id" Error
        "the id of an extension is not a name with a prefix"
        "MCP 2026-07-28, basic/versioning, extension negotiation"
        "use a prefix and a name, as in com.example/feature"
    TaskFailureUnexplained "task-failure-unexplained" Warning
        "the failed task has no statusMessage"
        "MCP 2025-11-25, utilities/tasks, task execution errors"
        "describe the failure in statusMessage"
    // Deprecated, not forbidden: a capability of the client allows it.
    SamplingContextDeprecated "sampling-context-deprecated" Note
        "the request asks for the context of servers, which is deprecated"
        "MCP since 2025-11-25, client/sampling, capabilities"
        "omit includeContext, and put what the model needs into the messages"
    ElicitationUrlInsecure "elicitation-url-insecure" Warning
        "the URL of the elicitation has the scheme http"
        "MCP since 2025-11-25, client/elicitation, safe URL handling"
        "serve the page over https"
    // The clause is only about URLs to click on, which cannot be told from examples in the text.
    ElicitationFormLink "elicitation-form-link" Note
        "the form contains a URL"
        "MCP since 2025-11-25, client/elicitation, safe URL handling"
        "use the mode url for pages that the user has to visit"
    // A "MUST" of the page, but the schema leaves it optional.
    ResourceMediaTypeMissing "resource-media-type-missing" Warning
        "the embedded resource has no mimeType"
        "MCP, server/prompts, embedded resources"
        "add the media type of the content as mimeType"
    // Another dialect "MAY" be declared, and 2020-12 is "RECOMMENDED".
    SchemaDialect "schema-dialect" Note
        "the schema uses a dialect other than 2020-12"
        "MCP since 2025-11-25, basic, JSON Schema usage"
        "write schemas in 2020-12: clients need not support others"
    HeaderAnnotation "header-annotation" Error
        "an x-mcp-header breaks the rules for its name or its place"
        "MCP 2026-07-28, server/tools, x-mcp-header; RFC 9110, section 5.6.2"
        "use a token that is unique in the schema, on a string, integer or boolean reached by properties alone"

    [all()]
    UnknownMethod "unknown-method" Note
        "no revision of the protocol defines this method"
        "MCP, schema of the revision"
        "check the spelling, unless both sides agreed on an extension"

    // The session: the meaning of a message, given the messages before it.
    WrongDirection "wrong-direction" Error
        "this side must not send the message"
        "MCP, basic; schema of the revision"
        "only the other side may send it"
    // "SHOULD NOT", but `initialize` "MUST" be the first interaction. A warning where it is served anyway.
    RequestBeforeInitialize "request-before-initialize" Error
        "the request comes before the session is initialized"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "send initialize first, and wait for its response"
    RequestBeforeInitialized "request-before-initialized" Warning
        "the request comes before notifications/initialized"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "send notifications/initialized after the response to initialize"
    // No clause forbids it, and servers answer it.
    InitializeAgain "initialize-again" Warning
        "initialize was already sent"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "initialize a session once; open another session for another handshake"
    // No clause forbids it, and servers ignore it.
    InitializedUnexpected "initialized-unexpected" Warning
        "notifications/initialized does not follow the response to initialize"
        "MCP up to 2025-11-25, basic/lifecycle, initialization"
        "send it once, after the response to initialize"
    // A server "MAY" serve both eras in one process. The clause against falling back after a modern error has no
    // keyword, and the error can name a legacy version.
    EraMixed "era-mixed" Warning
        "the request uses a different versioning scheme than the session"
        "MCP 2026-07-28, basic/versioning"
        "use either the handshake or metadata in every request, whichever opened the session"
    // A client may try any version. An error, because the server "MUST" refuse the request; a warning in an answer.
    VersionUnsupported "version-unsupported" Error
        "the version is not supported here"
        "MCP 2026-07-28, basic/versioning; up to 2025-11-25, basic/lifecycle, version negotiation"
        "choose a version that both sides support"
    // "MUST" since 2025-06-18, "SHOULD" before: the session makes a warning of it there.
    UndeclaredCapability "undeclared-capability" Error
        "the message needs a capability that was not declared"
        "MCP, basic/lifecycle, operation"
        "declare the capability, or do not use it"
    UndeclaredTask "undeclared-task" Error
        "the request asks for a task, but the receiver did not declare tasks for this method"
        "MCP 2025-11-25, utilities, tasks, capability negotiation"
        "omit task unless the receiver declared the method in tasks.requests"
    IdInUse "id-in-use" Error
        "another pending request has this id"
        "MCP, basic, requests"
        "give each request a new id, for example by counting up"
    IdReused "id-reused" Error
        "an earlier request of this session had the same id"
        "MCP up to 2025-11-25, basic, requests"
        "give each request a new id, for example by counting up"
    ProgressTokenInUse "progress-token-in-use" Error
        "another pending request has the same progress token"
        "MCP, utilities, progress"
        "use a token for each request, such as its id"
    UntrackedRequest "untracked-request" Note
        "the request is not tracked: its id is too long, or too many requests are pending"
        "MCP, basic, requests"
        "give the session more slots, or use shorter ids"
    ResponseUnexpected "response-unexpected" Error
        "the response answers no request"
        "JSON-RPC 2.0, section 5; MCP, basic, responses"
        "answer with the id of the request, once"
    ResponseDuplicate "response-duplicate" Error
        "the request was already answered"
        "JSON-RPC 2.0, section 5; MCP, basic, responses"
        "answer each request once"
    ResponseIdRewritten "response-id-rewritten" Error
        "the id of the response is written differently from that of the request"
        "JSON-RPC 2.0, section 5; MCP, basic, responses"
        "return the id exactly as received: a string stays a string, and 1 is not 1.0"
    // It "MUST NOT" follow a cancellation, but the two may have crossed.
    ResponseLate "response-late" Note
        "the request was cancelled before this response"
        "MCP, utilities, cancellation"
        "ignore the response: the two messages crossed"
    ResponseAmbiguous "response-ambiguous" Warning
        "several pending requests have this id, and the response may answer any of them"
        "MCP, basic, requests"
        "give each request its own id, even after a cancellation"
    InputRequiredUnexpected "input-required-unexpected" Error
        "the result of this method must not ask for input"
        "MCP 2026-07-28, patterns, multi round-trip requests"
        "ask for input only in responses to tools/call, prompts/get and resources/read"
    CancelInitialize "cancel-initialize" Error
        "the notification cancels initialize"
        "MCP up to 2025-11-25, utilities, cancellation"
        "close the connection instead"
    // It "MUST" name a request in flight, but may have crossed the answer.
    CancelUnknown "cancel-unknown" Note
        "no pending request has this id"
        "MCP, utilities, cancellation"
        "ignore the notification: it may have crossed the response"
    ProgressUnknown "progress-unknown" Error
        "no pending request has this progress token"
        "MCP, utilities, progress"
        "report progress with the request's token, and before its response"
    SubscriptionUnknown "subscription-unknown" Error
        "the notification belongs to no open subscription"
        "MCP 2026-07-28, patterns, subscriptions"
        "add the id of the subscriptions/listen request as io.modelcontextprotocol/subscriptionId"
    SubscriptionUnacknowledged "subscription-unacknowledged" Error
        "the subscription has not been acknowledged"
        "MCP 2026-07-28, patterns, subscriptions"
        "send notifications/subscriptions/acknowledged first"
    // The conversation: the payload of a message, given the messages before it.
    [all(feature = "alloc", feature = "shapes")]
    ProgressNotIncreasing "progress-not-increasing" Error
        "the progress does not exceed the progress of the previous notification"
        "MCP, utilities, progress"
        "report a larger progress each time, even if the total is not known"
    CursorUnknown "cursor-unknown" Error
        "the cursor is not one that a result of this method gave"
        "MCP, server/utilities/pagination"
        "return nextCursor exactly as received, in the same session"
    StructuredContentMissing "structured-content-missing" Error
        "the tool declares an output schema, but the result has no structuredContent"
        "MCP since 2025-06-18, server/tools, output schema"
        "add structuredContent, or omit outputSchema from the tool"
    ToolTaskSupport "tool-task-support" Error
        "the tool does not support being called this way: with a task, or without one"
        "MCP 2025-11-25, utilities/tasks, tool-level negotiation"
        "add or omit task, as execution.taskSupport of the tool says"
    TaskUnexpected "task-unexpected" Error
        "the result is a task although the request asks for none, or the reverse"
        "MCP 2025-11-25, utilities/tasks, creating tasks"
        "answer with a task exactly if the request has the member task"
    TaskIdReused "task-id-reused" Error
        "another task already has the id of the new task"
        "MCP 2025-11-25, utilities/tasks, task ids"
        "give each task an id of its own"
    TaskTransition "task-transition" Error
        "the task cannot have this status now"
        "MCP 2025-11-25, utilities/tasks, status lifecycle"
        "begin with working, and keep completed, failed and cancelled; the result of tasks/cancel has cancelled"
    TaskUnrelated "task-unrelated" Error
        "the result of a task does not name the task in its metadata"
        "MCP 2025-11-25, utilities/tasks, associating task-related messages"
        "add io.modelcontextprotocol/related-task to _meta of the result of tasks/result"
    TaskRelatedRepeated "task-related-repeated" Warning
        "the message names its task in its metadata as well"
        "MCP 2025-11-25, utilities/tasks, associating task-related messages"
        "omit io.modelcontextprotocol/related-task where the message itself has taskId"
    TaskCancelledByNotification "task-cancelled-by-notification" Error
        "the notification cancels a request that became a task"
        "MCP 2025-11-25, utilities/cancellation; utilities/tasks"
        "send tasks/cancel instead"
    TaskCancelEnded "task-cancel-ended" Error
        "tasks/cancel succeeded although the task had ended"
        "MCP 2025-11-25, utilities/tasks, cancelling tasks"
        "answer with -32602 if the task has ended"
    RequestStateChanged "request-state-changed" Error
        "the requestState is not the one that the server gave for this request"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "return requestState exactly as received, and none if there was none"
    InputResponseMissing "input-response-missing" Error
        "the retry lacks the response to an input request"
        "MCP 2026-07-28, basic/patterns/mrtr"
        "add a member to inputResponses for each member of inputRequests"
    SubscriptionType "subscription-type" Error
        "the subscription does not include notifications of this type"
        "MCP 2026-07-28, basic/patterns/subscriptions"
        "send only what the client asked for and the server acknowledged"
    SubscriptionFilter "subscription-filter" Error
        "the server acknowledges something that the client did not ask for"
        "MCP 2026-07-28, basic/patterns/subscriptions"
        "acknowledge a part of the filter that the client sent"
    SubscriptionId "subscription-id" Error
        "the message does not name its subscription"
        "MCP 2026-07-28, basic/patterns/subscriptions"
        "add io.modelcontextprotocol/subscriptionId to _meta, with the id of the subscriptions/listen request"
    SubscriptionUnclosed "subscription-unclosed" Warning
        "the server has ended the subscription, but not answered its request"
        "MCP 2026-07-28, basic/patterns/subscriptions, graceful closure"
        "send the result of subscriptions/listen when the subscription ends"
    // A "MUST" of one page; another one asks for the result alone.
    SubscriptionEndUnannounced "subscription-end-unannounced" Note
        "the server ends the subscription without notifications/cancelled"
        "MCP 2026-07-28, basic/patterns/cancellation"
        "send notifications/cancelled for the subscription before its result"
    NotificationAfterCancel "notification-after-cancel" Error
        "the request of the notification was cancelled, and the server knows it"
        "MCP 2026-07-28, basic/transports/stdio, cancellation"
        "send nothing more for a request that was cancelled"
    // A "MUST" for roots, a "SHOULD" for other lists.
    ListChangeUnannounced "list-change-unannounced" Warning
        "the list has changed without the notification that its owner declares"
        "MCP, server/tools, server/prompts, server/resources and client/roots, list changes"
        "send the list_changed notification when the list changes, or do not declare listChanged"
    ToolNameRepeated "tool-name-repeated" Warning
        "two tools of the server have the same name"
        "MCP since 2025-11-25, server/tools, tool names"
        "give each tool a name of its own"
    ToolOrder "tool-order" Warning
        "the same tools were previously listed in a different order"
        "MCP 2026-07-28, server/tools, capabilities"
        "list tools in the same order each time, so that clients can cache what they make of them"
    StructuredContentNotInText "structured-content-not-in-text" Warning
        "no text block of the result contains the structuredContent as JSON"
        "MCP since 2025-06-18, server/tools, structured content"
        "add a text block with the same value as JSON, for clients that do not know structuredContent"
    HeaderIntegerRange "header-integer-range" Error
        "the integer goes into a header, and is beyond 2^53 - 1"
        "MCP 2026-07-28, server/tools, x-mcp-header"
        "use an integer within that range, or a string"
    CacheScopeMixed "cache-scope-mixed" Error
        "the page has a different cacheScope than the previous page"
        "MCP 2026-07-28, server/utilities/caching, interaction with pagination"
        "give all pages of a list the same cacheScope"
    CursorStale "cursor-stale" Warning
        "the server refused a cursor, and the client continues with an earlier one"
        "MCP 2026-07-28, server/utilities/caching, interaction with pagination"
        "drop the pages, and begin with the first one again"
    TaskProgressToken "task-progress-token" Error
        "the progress of the task has a different token than the request that created it"
        "MCP 2025-11-25, utilities/progress"
        "report progress of a task with the progressToken of its request"
    ProgressAfterTask "progress-after-task" Error
        "the task of this progress has ended"
        "MCP 2025-11-25, utilities/progress"
        "report no progress after the task is completed, failed or cancelled"
    // A "MUST", but the input may have come another way.
    TaskInputUnrelated "task-input-unrelated" Warning
        "the task has required input, but no request names it"
        "MCP 2025-11-25, utilities/tasks, input required status"
        "add io.modelcontextprotocol/related-task to _meta of the request for input"
    TaskInputNotFetched "task-input-not-fetched" Warning
        "the task requires input, and the requestor does not ask for its result"
        "MCP 2025-11-25, utilities/tasks, input required status"
        "send tasks/result when a task requires input: the request for it may come there"
    TaskUnlisted "task-unlisted" Error
        "the task exists, but was not in the list"
        "MCP 2025-11-25, utilities/tasks, task listing"
        "list each task that tasks/get finds"
    ElicitationUnknown "elicitation-unknown" Error
        "no elicitation of this session has the id"
        "MCP 2025-11-25, client/elicitation, completion notifications"
        "notify the client that was asked when an elicitation ends, with the elicitationId of its request"
    ToolChoiceIgnored "tool-choice-ignored" Error
        "the model uses a tool although the request forbids it, or the reverse"
        "MCP since 2025-11-25, client/sampling, tool choice modes"
        "hold the model to toolChoice: none forbids tools, and required asks for one before the end"
    VersionNotOffered "version-not-offered" Warning
        "the server has refused the version of the client, and does not offer this one"
        "MCP 2026-07-28, basic/versioning, protocol version negotiation"
        "choose one of data.supported, or give up"
    // Only clients that can meet a legacy server need it.
    NoProbe "no-probe" Note
        "the first request is not server/discover"
        "MCP 2026-07-28, basic/transports/stdio, backward compatibility"
        "send server/discover first, to find out whether the server is modern"
    // A "SHOULD", unless it is switched off.
    ClientUnnamed "client-unnamed" Note
        "the request does not name the client"
        "MCP 2026-07-28, basic, _meta"
        "add io.modelcontextprotocol/clientInfo to params._meta"
    // As for `client-unnamed`.
    ServerUnnamed "server-unnamed" Note
        "the result does not name the server"
        "MCP 2026-07-28, basic, _meta"
        "add io.modelcontextprotocol/serverInfo to result._meta"
    // Deprecated, not forbidden.
    DeprecatedFeature "deprecated-feature" Note
        "the feature is deprecated"
        "MCP 2026-07-28, deprecated"
        "avoid roots, sampling and logging in new programs"
    LogNotRequested "log-not-requested" Error
        "no pending request asks for log messages of this level"
        "MCP 2026-07-28, server/utilities/logging"
        "send log messages only while a request with io.modelcontextprotocol/logLevel is pending, at that level or above"

    [all()]
    // An answer is a "MUST", but the session may have ended before it was due.
    UnansweredRequest "unanswered-request" Warning
        "the session ended before the request was answered"
        "JSON-RPC 2.0, section 5"
        "answer each request, if necessary with an error"
}

named!(Rule, "a rule");

#[cfg(test)]
mod tests {
    use super::{Rule, Severity};
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let names: HashSet<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        assert_eq!(names.len(), Rule::ALL.len());
        for name in names {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(kebab), "{name}");
        }
    }

    #[test]
    fn texts_are_one_line_and_there() {
        for rule in Rule::ALL {
            for text in [rule.summary(), rule.spec_ref(), rule.help()] {
                assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'), "{rule}");
            }
        }
    }

    #[test]
    fn the_table_is_in_order_and_errors_of_the_envelope_come_before_its_traps() {
        assert!(Rule::ALL.is_sorted());
        let first_trap = Rule::IdNotPlainInteger;
        for &rule in Rule::ALL.iter().filter(|&&rule| rule < Rule::MethodKind) {
            let is_milder = matches!(rule, Rule::UnterminatedFrame | Rule::LineSeparator);
            let is_error = rule < first_trap && !is_milder;
            assert_eq!(rule.severity() == Severity::Error, is_error, "{rule}");
        }
    }
}
