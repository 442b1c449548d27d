//! The table of causes: what the bytes are that should have been a message.

use tautline::internal::rule::rules;
use tautline::{Rule, Severity, rule as others};

rules! {
    others, [mod]
    // The encoding of the text.
    // "MUST NOT add". A warning if the receiver skips it, and an error if a message is lost with it.
    512 BYTE_ORDER_MARK "byte-order-mark" Warning
        "a byte order mark stands before the text"
        "RFC 8259, section 8.1 (MUST NOT)"
        "write UTF-8 without a byte order mark: many receivers do not skip it"
    513 LEGACY_ENCODING "legacy-encoding" Error
        "the text is in a legacy code page, and not in UTF-8"
        "RFC 8259, section 8.1"
        "write UTF-8 whatever the code page of the system is"

    // Other bytes beside a message.
    514 TERMINAL_ESCAPE "terminal-escape" Error
        "a terminal escape sequence stands beside the message"
        "RFC 8259, section 2"
        "write no colours, titles or cursor shapes where the messages are"
    515 STRAY_TEXT "stray-text" Error
        "text stands beside a message, which is lost with it"
        "RFC 8259, section 2"
        "write nothing but messages where the messages are, and log elsewhere"
    516 GLUED_MESSAGES "glued-messages" Error
        "several messages follow each other without a delimiter"
        "MCP, basic/transports, stdio; RFC 8259, section 2"
        "end each message with its delimiter, and write both in one call"
    517 INTERLEAVED_MESSAGES "interleaved-messages" Error
        "another message begins inside this one: two writers share the stream"
        "RFC 8259, section 2"
        "let one writer send each message whole, or hold a lock from its first byte to its last"
    518 MESSAGE_CUT "message-cut" Error
        "the message is cut at the size of a buffer"
        "RFC 8259, section 2"
        "write until all bytes of the message are accepted: a call may accept fewer"

    // JSON, or nearly, from another serializer.
    519 NON_FINITE_NUMBER "non-finite-number" Error
        "NaN and Infinity are not numbers of JSON"
        "RFC 8259, section 6"
        "write null or a string instead, and have the serializer refuse them"
    520 LANGUAGE_REPR "language-repr" Error
        "this is how a programming language prints a value, and not JSON"
        "RFC 8259, section 2"
        "write the message with a JSON serializer"
    521 ENCODED_TWICE "encoded-twice" Error
        "the frame is a string that contains a message: it was encoded twice"
        "JSON-RPC 2.0, sections 4 and 5"
        "serialize the message once, and do not pass the text to a serializer again"

    // Objects that are no messages of JSON-RPC 2.0.
    522 LOG_RECORD "log-record" Error
        "this is a log record in JSON"
        "JSON-RPC 2.0, sections 4 and 5"
        "log elsewhere: this stream carries the messages"
    523 JSONRPC_1 "jsonrpc-1" Error
        "this is a message of JSON-RPC 1.0"
        "JSON-RPC 2.0, sections 4 and 5"
        "add \"jsonrpc\":\"2.0\", and send either a result or an error"
    524 DEBUG_ADAPTER_PROTOCOL "debug-adapter-protocol" Error
        "this is a message of the Debug Adapter Protocol"
        "JSON-RPC 2.0, sections 4 and 5; DAP, base protocol"
        "connect the client to a server that speaks its protocol: this one is not JSON-RPC"
    525 WRAPPED_MESSAGE "wrapped-message" Error
        "the message is wrapped in a member of another object"
        "JSON-RPC 2.0, sections 4 and 5"
        "send the inner object alone"

    // Other protocols, and other framings.
    526 HTML_PAGE "html-page" Error
        "this is an HTML page"
        "JSON-RPC 2.0, sections 4 and 5"
        "check the address: a server or a proxy has answered for people"
    527 HTTP_HEAD "http-head" Error
        "this is the head of an HTTP message"
        "JSON-RPC 2.0, sections 4 and 5"
        "pass on the bodies alone, or speak HTTP on both sides"
    528 SSE_FIELD "sse-field" Error
        "this is a field of a server-sent event"
        "HTML, server-sent events; MCP, basic/transports"
        "send the data alone, one message on each line"
    529 DONE_MARKER "done-marker" Error
        "[DONE] marks the end of a stream in other APIs, and is not a message"
        "JSON-RPC 2.0, sections 4 and 5"
        "end the stream without it"
    530 EVENTS_WITHOUT_DATA "events-without-data" Error
        "no event has data"
        "HTML, server-sent events"
        "write each message as the field data, as in data: {…}, with an empty line after it"

    // Content-Length headers.
    531 CONTENT_LENGTH_WRONG "content-length-wrong" Error
        "the header does not state the length of the body"
        "LSP, base protocol, header part"
        "count the bytes of the body as it is sent, in UTF-8, and not its characters"
    532 TEXT_BEFORE_HEADER "text-before-header" Error
        "text stands where a header is due"
        "LSP, base protocol"
        "write nothing but headers and bodies where the messages are, and log elsewhere"
    533 BYTES_AFTER_BODY "bytes-after-body" Error
        "more bytes follow the body than the header states"
        "LSP, base protocol"
        "write nothing after the body, not even a newline"
    534 HEADER_MISSING "header-missing" Error
        "the message has no header"
        "LSP, base protocol, header part"
        "send the header Content-Length and an empty line before each message"
    535 DOUBLE_CARRIAGE_RETURN "double-carriage-return" Error
        "the line of a header ends with CR CR LF"
        "LSP, base protocol, header part"
        "open the stream in binary mode: in text mode, Windows adds a CR"

    // Between the two sides.
    536 TERMINAL_ECHO "terminal-echo" Error
        "the line is one that the other side has sent: a terminal between the two writes it back"
        "MCP, basic/transports, stdio"
        "connect both sides by pipes, or turn off the echo of the terminal, as stty -echo does"
}

#[cfg(test)]
mod tests {
    use super::{ALL, help, spec_ref, summary};

    #[test]
    fn numbers_have_their_range_and_texts_are_one_line() {
        for &rule in ALL {
            assert!((512..768).contains(&rule.number()), "{rule:?}");
            for text in [summary(rule), spec_ref(rule), help(rule)] {
                assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'));
            }
        }
    }
}
