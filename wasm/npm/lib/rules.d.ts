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
  /** a member that peers and gateways act on appears twice */
  | "duplicate-nested-member"
  /** an object in the payload has two members with the same name */
  | "duplicate-inner-member"
  /** the wire ends before this frame does */
  | "unfinished-frame"
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
  | "value-expected"
  /** an id, a method or a value that peers act on contains U+0000 */
  | "nul-character"
  /** the objects of the payload have more names than can be compared */
  | "too-many-names"
  /** a string in the payload contains an unpaired surrogate */
  | "lone-inner-surrogate"
  /** a number in the payload is beyond the range of doubles */
  | "number-out-of-range"
  /** a byte order mark stands before the text */
  | "byte-order-mark"
  /** the text is in a legacy code page, and not in UTF-8 */
  | "legacy-encoding"
  /** a terminal escape sequence stands beside the message */
  | "terminal-escape"
  /** text stands beside a message, which is lost with it */
  | "stray-text"
  /** several messages follow each other without a delimiter */
  | "glued-messages"
  /** another message begins inside this one: two writers share the stream */
  | "interleaved-messages"
  /** the message is cut at the size of a buffer */
  | "message-cut"
  /** NaN and Infinity are not numbers of JSON */
  | "non-finite-number"
  /** this is how a programming language prints a value, and not JSON */
  | "language-repr"
  /** the frame is a string that contains a message: it was encoded twice */
  | "encoded-twice"
  /** this is a log record in JSON */
  | "log-record"
  /** this is a message of JSON-RPC 1.0 */
  | "jsonrpc-1"
  /** this is a message of the Debug Adapter Protocol */
  | "debug-adapter-protocol"
  /** the message is wrapped in a member of another object */
  | "wrapped-message"
  /** this is an HTML page */
  | "html-page"
  /** this is the head of an HTTP message */
  | "http-head"
  /** this is a field of a server-sent event */
  | "sse-field"
  /** [DONE] marks the end of a stream in other APIs, and is not a message */
  | "done-marker"
  /** no event has data */
  | "events-without-data"
  /** the header does not state the length of the body */
  | "content-length-wrong"
  /** text stands where a header is due */
  | "text-before-header"
  /** more bytes follow the body than the header states */
  | "bytes-after-body"
  /** the message has no header */
  | "header-missing"
  /** the line of a header ends with CR CR LF */
  | "double-carriage-return"
  /** the line is one that the other side has sent: a terminal between the two writes it back */
  | "terminal-echo";

/** How bad a finding is. */
export type Severity = "error" | "warning" | "note";
