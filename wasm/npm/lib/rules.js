// Generated from the tables of the Rust crate by tests/texts.rs.

export const SEVERITIES = ["error", "warning", "note"];

/** Name, summary, section of the specification, advice for the sender. */
export const RULES = [
  [],
  ["not-json", "the frame is not one JSON value", "RFC 8259, section 2; JSON-RPC 2.0, section 5.1", "write one complete JSON value, with nothing before or after it"],
  ["invalid-utf8", "the frame is not valid UTF-8", "RFC 8259, section 8.1; MCP, basic/transports", "encode the text as UTF-8, and do not cut a character in two"],
  ["too-deep", "arrays and objects are nested deeper than the limit", "RFC 8259, section 9", "flatten the payload, or raise the receiver's limit"],
  ["frame-too-long", "the frame is longer than the limit, and was discarded", "RFC 8259, section 9", "send less at once, or raise the receiver's limit"],
  ["unterminated-frame", "the stream ends without a newline after this frame", "MCP, basic/transports, stdio", "end every message with a newline, including the last one: some receivers drop it otherwise"],
  ["raw-carriage-return", "the line contains a raw carriage return", "MCP, basic/transports, stdio (no embedded newlines)", "remove the CR: some receivers split the line there and read its parts as messages"],
  ["line-separator", "a string contains a raw line separator (U+0085, U+2028 or U+2029)", "RFC 8259, section 7", "escape it, as in \"\\u2028\": some receivers split the line there"],
  ["batch-not-allowed", "the frame is a batch, and this protocol does not allow batches", "MCP, basic (batches: only in 2025-03-26); LSP, base protocol", "send each message on its own line"],
  ["batch-empty", "the batch is empty", "JSON-RPC 2.0, section 6", "if there is nothing to send, send nothing"],
  ["batch-too-long", "the batch has more messages than the limit", "JSON-RPC 2.0, section 6", "split the batch, or raise the receiver's limit"],
  ["batch-mixed", "the batch contains both calls and responses", "MCP 2025-03-26, schema and basic/transports", "send calls and responses in separate batches"],
  ["not-an-object", "the message is not a JSON object", "JSON-RPC 2.0, sections 4 and 5", "wrap the value in a request, a notification or a response"],
  ["duplicate-member", "the same member appears twice, and peers differ in which value they use", "RFC 8259, section 4; RFC 7493, section 2.3", "write each member once"],
  ["lone-surrogate", "a name or an id that peers compare contains an unpaired surrogate", "RFC 8259, section 8.2; RFC 7493, section 2.1", "escape characters beyond U+FFFF as a pair of surrogates, or write them as UTF-8"],
  ["missing-jsonrpc", "the member \"jsonrpc\" is missing", "JSON-RPC 2.0, sections 4 and 5", "add the member \"jsonrpc\":\"2.0\""],
  ["wrong-version", "the version is not the string \"2.0\"", "JSON-RPC 2.0, sections 4 and 5", "write \"jsonrpc\":\"2.0\", as a string"],
  ["result-and-error", "the response has both a result and an error", "JSON-RPC 2.0, section 5", "leave out the one that does not apply; null does not stand for absent"],
  ["method-in-response", "the message has a method, like a request, and a result or an error, like a response", "JSON-RPC 2.0, sections 4 and 5", "send the call and the answer as two messages"],
  ["no-shape", "the object has neither a method, nor a result, nor an error", "JSON-RPC 2.0, sections 4 and 5", "add the method to call, or the result or error of the response"],
  ["id-type", "the id is neither a string nor a number", "JSON-RPC 2.0, section 4; MCP, basic", "use a string or an integer; leave the id out of a notification"],
  ["id-null", "the id is null, so no response can be matched to its request", "JSON-RPC 2.0, section 4 (SHOULD NOT); MCP, basic (MUST NOT)", "use a string or an integer; leave the id out of a notification"],
  ["id-fraction", "the id is a number with a fractional part", "JSON-RPC 2.0, section 4 (SHOULD NOT); MCP, basic (string or integer)", "use an integer or a string"],
  ["response-without-id", "the response has no id", "JSON-RPC 2.0, section 5; MCP, basic", "add the id of the request, exactly as received"],
  ["method-type", "the method is not a string", "JSON-RPC 2.0, section 4", "write the method's name as a string"],
  ["params-type", "params has a type that is not allowed", "JSON-RPC 2.0, section 4.2 (array or object); MCP, basic (object)", "pass params as an object, or leave the member out: null does not stand for absent"],
  ["result-type", "the result is not an object", "MCP, basic, responses", "wrap the value in an object; use {} if there is no value"],
  ["error-type", "the error is not an object", "JSON-RPC 2.0, section 5.1", "write an object with a code and a message"],
  ["error-code-missing", "the error has no code", "JSON-RPC 2.0, section 5.1", "add an integer member \"code\""],
  ["error-code-type", "the error code is not an integer", "JSON-RPC 2.0, section 5.1", "write the code as an integer, without quotes"],
  ["error-message-missing", "the error has no message", "JSON-RPC 2.0, section 5.1", "add a string member \"message\""],
  ["error-message-type", "the error message is not a string", "JSON-RPC 2.0, section 5.1", "write the message as a string, and anything else as \"data\""],
  ["id-not-plain-integer", "the id is an integer, in a notation that peers rewrite", "JSON-RPC 2.0, section 4", "write the id in plain digits, without a point, an exponent or minus zero"],
  ["id-unsafe-integer", "the id is beyond 2^53 - 1, so peers that use doubles round it", "RFC 8259, section 6; RFC 7493, section 2.2", "use a smaller integer or a string"],
  ["method-reserved", "the method begins with \"rpc.\", which is reserved for extensions of JSON-RPC", "JSON-RPC 2.0, section 4", "choose another name, unless this is such an extension"],
  ["error-code-http", "the error code looks like an HTTP status code", "JSON-RPC 2.0, section 5.1", "use a code of JSON-RPC or of the protocol, and put the status into \"data\""],
  ["error-code-reserved", "the error code is in a reserved range, and this protocol does not define it", "JSON-RPC 2.0, section 5.1; MCP 2026-07-28, basic, error codes", "use a code outside the range -32768 to -32000"],
  ["member-lookalike", "the name of this member resembles that of a standard member", "JSON-RPC 2.0, section 2 (names are case-sensitive)", "spell the name exactly: some peers read this as the standard member"],
  ["unknown-member", "the protocol does not define this member", "JSON-RPC 2.0, sections 4 and 5", "move it into params, result or data: strict peers drop the message"],
  ["nested-member-lookalike", "the name of this member resembles one that peers and gateways act on", "JSON-RPC 2.0, section 4.2 (names match exactly, including case)", "spell the name exactly, or choose one that differs by more than case and invisible characters"],
  ["log-line", "the line looks like log output", "MCP, basic/transports, stdio", "log to stderr or to a file: stdout carries the messages"],
  ["content-length-header", "the line looks like a header of the Language Server Protocol", "LSP, base protocol; MCP, basic/transports, stdio", "send each message on its own line, without headers"],
  ["utf16", "the text looks like UTF-16", "RFC 8259, section 8.1", "write UTF-8; on Windows, set the encoding of the pipe"],
  ["embedded-newline", "the line looks like part of a message that spans several lines", "MCP, basic/transports, stdio (no embedded newlines)", "serialize without indentation, on one line"],
  ["duplicate-nested-member", "a member that peers and gateways act on appears twice", "RFC 8259, section 4; RFC 7493, section 2.3", "write each member once"],
  ["duplicate-inner-member", "an object in the payload has two members with the same name", "RFC 8259, section 4 (SHOULD); RFC 7493, section 2.3", "write each member once: peers differ in which value they use"],
  ["unfinished-frame", "the wire ends before this frame does", "LSP, base protocol; HTML, server-sent events; RFC 8259, section 2", "write all of the body, the blank line after the event, or the last bracket"],
  ["header-malformed", "this is not a header, which is a name, a colon and a value in visible ASCII", "LSP, base protocol, header part; RFC 9110, section 5", "write nothing but headers and bodies, and count the length of bodies in bytes"],
  ["header-line-end", "a line of a header does not end with CR and LF", "LSP, base protocol, header part", "end each header with \\r\\n, and the header block with an empty line"],
  ["header-too-long", "the headers of one frame are longer than the limit", "LSP, base protocol, header part", "send fewer headers, or raise the receiver's limit on them"],
  ["content-length-missing", "the headers do not state the length of the body", "LSP, base protocol, header part", "send the header Content-Length with every message, and nothing after its body"],
  ["content-length-invalid", "a length is decimal digits and less than 2^64", "LSP, base protocol, header part; RFC 9110, section 8.6", "write the number of bytes in the body, in decimal digits and nothing else"],
  ["content-length-conflict", "the header Content-Length appears twice, and peers differ in which value they use", "RFC 9110, section 8.6", "send the header once"],
  ["charset-unsupported", "the header Content-Type names a charset other than UTF-8", "LSP, base protocol, content part; RFC 8259, section 8.1", "encode bodies in UTF-8, and write charset=utf-8 or no charset"],
  ["value-expected", "this begins no JSON value", "RFC 8259, section 2", "write nothing but values with whitespace between them; log to stderr, or to a file"],
  ["nul-character", "an id, a method or a value that peers act on contains U+0000", "RFC 8259, sections 7 and 9", "leave the character out: parsers written in C read the text up to it"],
  ["too-many-names", "the objects of the payload have more names than can be compared", "RFC 8259, section 9 (limits of an implementation)", "send the members in several messages, or as elements of an array"],
  ["lone-inner-surrogate", "a string in the payload contains an unpaired surrogate", "RFC 8259, section 8.2; RFC 7493, section 2.1", "escape characters beyond U+FFFF as a pair of surrogates, or write them as UTF-8"],
  ["number-out-of-range", "a number in the payload is beyond the range of doubles", "RFC 8259, section 6; RFC 7493, section 2.2", "send a smaller number, or a string: peers refuse it or read infinity"],
];

/** The causes of faults, whose numbers begin here. */
const CAUSES_FROM = 512;
const CAUSES = [
  ["byte-order-mark", "a byte order mark stands before the text", "RFC 8259, section 8.1 (MUST NOT)", "write UTF-8 without a byte order mark: many receivers do not skip it"],
  ["legacy-encoding", "the text is in a legacy code page, and not in UTF-8", "RFC 8259, section 8.1", "write UTF-8 whatever the code page of the system is"],
  ["terminal-escape", "a terminal escape sequence stands beside the message", "RFC 8259, section 2", "write no colours, titles or cursor shapes where the messages are"],
  ["stray-text", "text stands beside a message, which is lost with it", "RFC 8259, section 2", "write nothing but messages where the messages are, and log elsewhere"],
  ["glued-messages", "several messages follow each other without a delimiter", "MCP, basic/transports, stdio; RFC 8259, section 2", "end each message with its delimiter, and write both in one call"],
  ["interleaved-messages", "another message begins inside this one: two writers share the stream", "RFC 8259, section 2", "let one writer send each message whole, or hold a lock from its first byte to its last"],
  ["message-cut", "the message is cut at the size of a buffer", "RFC 8259, section 2", "write until all bytes of the message are accepted: a call may accept fewer"],
  ["non-finite-number", "NaN and Infinity are not numbers of JSON", "RFC 8259, section 6", "write null or a string instead, and have the serializer refuse them"],
  ["language-repr", "this is how a programming language prints a value, and not JSON", "RFC 8259, section 2", "write the message with a JSON serializer"],
  ["encoded-twice", "the frame is a string that contains a message: it was encoded twice", "JSON-RPC 2.0, sections 4 and 5", "serialize the message once, and do not pass the text to a serializer again"],
  ["log-record", "this is a log record in JSON", "JSON-RPC 2.0, sections 4 and 5", "log elsewhere: this stream carries the messages"],
  ["jsonrpc-1", "this is a message of JSON-RPC 1.0", "JSON-RPC 2.0, sections 4 and 5", "add \"jsonrpc\":\"2.0\", and send either a result or an error"],
  ["debug-adapter-protocol", "this is a message of the Debug Adapter Protocol", "JSON-RPC 2.0, sections 4 and 5; DAP, base protocol", "connect the client to a server that speaks its protocol: this one is not JSON-RPC"],
  ["wrapped-message", "the message is wrapped in a member of another object", "JSON-RPC 2.0, sections 4 and 5", "send the inner object alone"],
  ["html-page", "this is an HTML page", "JSON-RPC 2.0, sections 4 and 5", "check the address: a server or a proxy has answered for people"],
  ["http-head", "this is the head of an HTTP message", "JSON-RPC 2.0, sections 4 and 5", "pass on the bodies alone, or speak HTTP on both sides"],
  ["sse-field", "this is a field of a server-sent event", "HTML, server-sent events; MCP, basic/transports", "send the data alone, one message on each line"],
  ["done-marker", "[DONE] marks the end of a stream in other APIs, and is not a message", "JSON-RPC 2.0, sections 4 and 5", "end the stream without it"],
  ["events-without-data", "no event has data", "HTML, server-sent events", "write each message as the field data, as in data: {…}, with an empty line after it"],
  ["content-length-wrong", "the header does not state the length of the body", "LSP, base protocol, header part", "count the bytes of the body as it is sent, in UTF-8, and not its characters"],
  ["text-before-header", "text stands where a header is due", "LSP, base protocol", "write nothing but headers and bodies where the messages are, and log elsewhere"],
  ["bytes-after-body", "more bytes follow the body than the header states", "LSP, base protocol", "write nothing after the body, not even a newline"],
  ["header-missing", "the message has no header", "LSP, base protocol, header part", "send the header Content-Length and an empty line before each message"],
  ["double-carriage-return", "the line of a header ends with CR CR LF", "LSP, base protocol, header part", "open the stream in binary mode: in text mode, Windows adds a CR"],
  ["terminal-echo", "the line is one that the other side has sent: a terminal between the two writes it back", "MCP, basic/transports, stdio", "connect both sides by pipes, or turn off the echo of the terminal, as stty -echo does"],
];

/** The rule for responses whose id is equal to that of the request only in value. */
export const REWRITTEN = ["response-id-rewritten", "the id of the response is written differently from that of the request", "JSON-RPC 2.0, section 5; MCP, basic, responses", "return the id exactly as received: a string stays a string, and 1 is not 1.0"];

const SYNTAX = [
  "a JSON value was expected here",
  "a member name in double quotes was expected here",
  "a colon was expected after the member name",
  "a comma or the closing bracket was expected here",
  "the JSON value ends before this byte, and more follows it",
  "only true, false and null are words in JSON",
  "a digit was expected in the number here",
  "a control character in a string has to be escaped",
  "this is not an escape that JSON knows",
  "the string is not closed",
  "the bytes are not valid UTF-8",
  "arrays and objects are nested deeper than the limit",
];

/** What a rule says. A syntax error, if there is one, says more; 0 is none. */
export function describe(rule, syntax) {
  const [name, summary, clause, help] = rule < CAUSES_FROM ? RULES[rule] : CAUSES[rule - CAUSES_FROM];
  return { rule: name, message: syntax === 0 ? summary : SYNTAX[syntax - 1], clause, help };
}
