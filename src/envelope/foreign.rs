//! Guesses at what bytes that are not JSON may be. Each guess is a note that helps to find the mistake.

use crate::bytes::{BYTE_ORDER_MARK, is_whitespace};
use crate::rule::Rule;

/// Recognizes things that are known to end up on the wire by mistake.
pub(super) fn recognize(frame: &[u8]) -> Option<Rule> {
    if is_utf16(frame) {
        return Some(Rule::UTF16);
    }
    // A byte order mark at the start of the stream was skipped. One that is left is the reason why the text is not
    // JSON.
    let text = frame.strip_prefix(BYTE_ORDER_MARK).unwrap_or(frame).trim_ascii();
    if is_header(text) {
        return Some(Rule::CONTENT_LENGTH_HEADER);
    }
    if is_piece_of_json(text) {
        return Some(Rule::EMBEDDED_NEWLINE);
    }
    is_log_line(text).then_some(Rule::LOG_LINE)
}

/// Returns whether the frame begins with a byte order mark of UTF-16, or has a NUL beside one of the first two
/// characters. A line of UTF-16 that was split after the byte 0x0A begins with the NUL that belongs to it.
fn is_utf16(frame: &[u8]) -> bool {
    matches!(frame, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, ..] | [1..=0x7F, 0, ..])
}

/// Returns whether the text is a header of LSP's base protocol.
pub fn is_header(text: &[u8]) -> bool {
    [&b"content-length"[..], b"content-type"].iter().any(|name| {
        let (start, rest) = text.split_at_checked(name.len()).unwrap_or_default();
        start.eq_ignore_ascii_case(name) && rest.trim_ascii_start().first() == Some(&b':')
    })
}

/// Returns whether the text is a line of JSON that was printed over several lines: a bracket and little else, or
/// `"name": ...`.
fn is_piece_of_json(text: &[u8]) -> bool {
    match text {
        [b'{' | b'['] | [b'}' | b']'] | [b'}' | b']', b','] => true,
        [b'"', rest @ ..] => {
            // After the string, a colon makes it a member, a comma or nothing an element.
            let end = rest.iter().position(|&byte| byte == b'"').map_or(rest.len(), |at| at + 1);
            let behind = rest.get(end..).unwrap_or(b"").trim_ascii_start();
            matches!(behind, [b':', ..] | [b','])
        }
        // An element of an array, on a line of its own.
        [.., b','] => crate::RawJson::parse(text.strip_suffix(b",").unwrap_or(text)).is_ok(),
        _ => false,
    }
}

/// Returns whether the text does not begin as a message would: with a brace, or with a bracket and then something that
/// can be an element of a batch.
fn is_log_line(text: &[u8]) -> bool {
    let mut visible = text.iter().filter(|&&byte| !is_whitespace(byte));
    match (visible.next(), visible.next()) {
        (Some(b'{' | b'"'), _) | (Some(b'['), None | Some(b'{' | b'[' | b']' | b'"')) => false,
        (first, _) => first.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::recognize;
    use crate::rule::Rule;

    #[test]
    fn names_what_people_put_on_the_wire_by_mistake() {
        let cases: &[(&[u8], Option<Rule>)] = &[
            (b"Server listening on stdio", Some(Rule::LOG_LINE)),
            (b"[INFO] ready", Some(Rule::LOG_LINE)),
            (b"[2026-11-21T10:00:00Z] ready", Some(Rule::LOG_LINE)),
            (b"2026-11-21 10:00:00 ready", Some(Rule::LOG_LINE)),
            (b"\x1b[32mINFO\x1b[0m ready", Some(Rule::LOG_LINE)),
            (b"true story", Some(Rule::LOG_LINE)),
            (b"> node server.js", Some(Rule::LOG_LINE)),
            (b"Content-Length: 119", Some(Rule::CONTENT_LENGTH_HEADER)),
            (b"content-length :119", Some(Rule::CONTENT_LENGTH_HEADER)),
            (
                b"Content-Type: application/vscode-jsonrpc; charset=utf-8",
                Some(Rule::CONTENT_LENGTH_HEADER),
            ),
            (b"\xFF\xFE{\0\"\0", Some(Rule::UTF16)),
            (b"{\0\"\0j\0", Some(Rule::UTF16)),
            (b"\0{\0\"", Some(Rule::UTF16)),
            (b"\0", Some(Rule::UTF16)),
            (b"{", Some(Rule::EMBEDDED_NEWLINE)),
            (b"  \"jsonrpc\": \"2.0\",", Some(Rule::EMBEDDED_NEWLINE)),
            (b"  \"params\": {", Some(Rule::EMBEDDED_NEWLINE)),
            (b"  \"last\" : 1", Some(Rule::EMBEDDED_NEWLINE)),
            (b"  },", Some(Rule::EMBEDDED_NEWLINE)),
            (b"}", Some(Rule::EMBEDDED_NEWLINE)),
            (b"    \"element\",", Some(Rule::EMBEDDED_NEWLINE)),
            (b"    42,", Some(Rule::EMBEDDED_NEWLINE)),
            (b"{\"jsonrpc\":\"2.0\",\"method\"", None),
            (b"{\"a\":1}{\"b\":2}", None),
            (b"[{\"jsonrpc\":\"2.0\"", None),
            (b"\"unfinished", None),
            (b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\"}", None),
        ];
        for (frame, expected) in cases {
            assert_eq!(recognize(frame), *expected, "{}", frame.escape_ascii());
        }
    }
}
