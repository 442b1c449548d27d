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
];

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
  const [name, summary, clause, help] = RULES[rule];
  return { rule: name, message: syntax === 0 ? summary : SYNTAX[syntax - 1], clause, help };
}
