//! Messages among other bytes: where one begins and ends, and what can be known of it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tautline::frame::{Concatenated, FrameEvent, Frames};

use super::lost::{LostKind, LostMessage};

/// The number of places at which a message is tried. It bounds the work.
const TRIES: usize = 8;

/// The longest method or id that is read in the notation of a language, in bytes.
const LONGEST_NAME: usize = 100;

/// The number of messages that are found one after another.
const MOST: usize = 64;

/// The longest text that is quoted, in bytes.
const LONGEST_QUOTE: usize = 60;

/// A message among other bytes.
pub(super) struct Found {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// Its kind, id and method, as far as they are known.
    pub lost: LostMessage,
}

/// Returns the first message in the bytes.
pub(super) fn find(bytes: &[u8]) -> Option<Found> {
    let (mut from, mut tries) = (0, 0);
    while tries < TRIES {
        let start = from + bytes.get(from..)?.iter().position(|&byte| byte == b'{')?;
        let (candidates, rest) = (bytes.get(start..)?, bytes.get(start + 1..)?);
        if begins_as_message(rest) {
            tries += 1;
            if let Some(length) = value_length(candidates)
                && let Some(lost) = candidates.get(..length).and_then(LostMessage::of)
            {
                return Some(Found { start, end: start + length, lost });
            }
        }
        from = start + 1;
    }
    None
}

/// Returns the messages at the front that follow each other, with nothing but whitespace between them.
pub(super) fn messages(mut bytes: &[u8]) -> Vec<LostMessage> {
    let mut messages = Vec::new();
    while messages.len() < MOST
        && let Some(length) = value_length(bytes)
        && let Some(message) = bytes.get(..length).and_then(LostMessage::of)
    {
        messages.push(message);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    messages
}

/// Returns where a message begins that another one was interrupted by, if the fault at `at` is the sign of it. A brace where
/// none may stand is the fault. In a string, the brace belongs to it, and the quote after the brace ends it, so that the
/// fault follows that quote.
pub(super) fn start_of_interruption(frame: &[u8], at: usize) -> Option<usize> {
    let (before, rest) = frame.split_at_checked(at)?;
    let start = if rest.starts_with(b"{") {
        at
    } else {
        let text = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
        text.len().checked_sub(1).filter(|_| text.ends_with(b"{"))?
    };
    begins_as_message(frame.get(start + 1..)?).then_some(start)
}

/// Returns whether the text after a brace begins with the name of a member of a message.
fn begins_as_message(text: &[u8]) -> bool {
    let names =
        [&b"\"jsonrpc\""[..], b"\"id\"", b"\"method\"", b"\"result\"", b"\"error\"", b"\"params\""];
    let text = text.trim_ascii_start();
    names.iter().any(|name| text.starts_with(name))
}

/// Returns the length of the JSON value at the front, in bytes.
pub(super) fn value_length(bytes: &[u8]) -> Option<usize> {
    let mut frames = Frames::with_framing(bytes, Concatenated::new(u32::MAX));
    match frames.next()? {
        FrameEvent::Frame(frame) if frame.is_terminated() => {
            usize::try_from(frame.offset()).ok()?.checked_add(frame.bytes().len())
        }
        _ => None,
    }
}

/// Quotes bytes: as text, without control characters, and cut if they are many.
pub(super) fn quote(bytes: &[u8]) -> String {
    let text = bytes.get(..LONGEST_QUOTE).unwrap_or(bytes);
    let more = if text.len() < bytes.len() { "…" } else { "" };
    format!("\"{}{more}\"", String::from_utf8_lossy(text).escape_debug())
}

/// Returns what is known of a message that is not valid JSON, by its members as far as they can be recognised in the
/// notation of a language.
pub(super) fn of_loose(text: &[u8]) -> Option<LostMessage> {
    let members = Members::of(text);
    let value = |at: Option<usize>| loose_value(text, at?).map(|(value, _)| value);
    let (method, id) = (value(members.method).map(unquoted), value(members.id));
    let kind = match (method, id) {
        (Some(_), Some(_)) => LostKind::Request,
        (Some(_), None) => LostKind::Notification,
        (None, Some(_)) => LostKind::Response,
        (None, None) => return None,
    };
    Some(LostMessage::new(kind, id, method))
}

/// Returns the kind, id and method in the start of a message. Its other members may follow.
pub(super) fn of_start(text: &[u8]) -> Option<LostMessage> {
    let members = Members::of(text);
    let value = |at: Option<usize>| loose_value(text, at?).filter(|&(_, end)| end < text.len());
    let value = |at| value(at).map(|(value, _)| value);
    let (method, id) = (value(members.method).map(unquoted), value(members.id));
    let kind = match (method, id, members.outcome) {
        (Some(_), Some(_), _) => LostKind::Request,
        (None, _, Some(_)) => LostKind::Response,
        (None, None, None) => return None,
        _ => LostKind::Unknown,
    };
    Some(LostMessage::new(kind, id, method))
}

/// The places where the values of members of the outermost object begin, the first of each name.
#[derive(Default)]
struct Members {
    method: Option<usize>,
    id: Option<usize>,
    /// The result or the error.
    outcome: Option<usize>,
}

impl Members {
    fn of(text: &[u8]) -> Self {
        let mut members = Self::default();
        let mut depth = 0_u32;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'{' | b'[' | b'(' => depth = depth.saturating_add(1),
                b'}' | b']' | b')' => depth = depth.saturating_sub(1),
                b'"' | b'\'' => {
                    let end = string_end(text, at);
                    let name = text.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
                    members.keep(text, name, end, depth);
                    at = end;
                    continue;
                }
                b'a'..=b'z' if !is_word(text, at.wrapping_sub(1)) => {
                    let rest = text.get(at..).unwrap_or_default();
                    let length =
                        rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                    let name = rest.get(..length).unwrap_or_default();
                    members.keep(text, name, at + length, depth);
                    at += length;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        members
    }

    /// Keeps the place of a value, if the name before this index is that of a member of the outermost object.
    fn keep(&mut self, text: &[u8], name: &[u8], end: usize, depth: u32) {
        let place = match name {
            b"method" => &mut self.method,
            b"id" => &mut self.id,
            b"result" | b"error" => &mut self.outcome,
            _ => return,
        };
        let rest = text.get(end..).unwrap_or_default().trim_ascii_start();
        let separators = [&b"=>"[..], b":", b"="];
        let value = separators.iter().find_map(|separator| rest.strip_prefix(*separator));
        if let (1, None, Some(value)) = (depth, &place, value) {
            *place = Some(text.len() - value.len());
        }
    }
}

fn is_word(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Returns the index after the string that begins here.
fn string_end(text: &[u8], start: usize) -> usize {
    let quote = text.get(start).copied();
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            byte if Some(byte) == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Returns the scalar at this index, as it is written, and the index after it.
fn loose_value(text: &[u8], at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..)?.trim_ascii_start();
    let length = match rest.first()? {
        b'"' | b'\'' => string_end(rest, 0),
        _ => rest.iter().take_while(|byte| !b",}] )".contains(byte)).count(),
    };
    let value = core::str::from_utf8(rest.get(..length)?).ok()?;
    let is_short = !value.is_empty() && value.len() <= LONGEST_NAME;
    let is_scalar = !value.starts_with(['{', '[', '(']) && value.chars().all(|c| !c.is_control());
    (is_short && is_scalar).then_some((value, text.len() - rest.len() + length))
}

fn unquoted(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::{find, messages, of_loose, of_start};

    #[test]
    fn a_message_is_found_among_other_bytes() {
        for (bytes, expected) in [
            (
                r#"x {"jsonrpc":"2.0","id":1,"method":"a\"b"} y"#,
                Some((2, 42, r#"the request "a\"b" with the id 1"#)),
            ),
            (r#"{"a":{"jsonrpc":"2.0","method":"m"}}"#, Some((5, 35, r#"the notification "m""#))),
            (
                r#"{ "id" : "x" , "jsonrpc":"2.0","result":[]}"#,
                Some((0, 43, r#"the response with the id "x""#)),
            ),
            (r#"{"id":1}{"jsonrpc":"2.0","id":1}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m""#, None),
        ] {
            let found = find(bytes.as_bytes());
            let found = found.map(|found| (found.start, found.end, found.lost.to_string()));
            let expected = expected.map(|(start, end, name)| (start, end, name.to_string()));
            assert_eq!(found, expected, "{bytes}");
        }
    }

    #[test]
    fn a_member_is_found_in_the_notation_of_a_language() {
        for (text, expected) in [
            (
                "{'id': 7, 'method': 'sum', 'params': {'id': 8}}",
                Some(r#"the request "sum" with the id 7"#),
            ),
            (
                "{'params': {'id': 8, 'method': 'x'}, 'id': 'a b'}",
                Some("the response with the id 'a b'"),
            ),
            (r#"{:id=>3, :method=>"sum"}"#, Some(r#"the request "sum" with the id 3"#)),
            ("map[id:4 jsonrpc:2.0 method:sum]", Some(r#"the request "sum" with the id 4"#)),
            ("Request(method='sum', id=2)", Some(r#"the request "sum" with the id 2"#)),
            ("{ jsonrpc: '2.0', method: 'sum' }", Some(r#"the notification "sum""#)),
            ("[object Object]", None),
            ("{'id': {", None),
            ("{'id", None),
        ] {
            let found = of_loose(text.as_bytes()).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_start_of_a_message_shows_no_more_than_it_has() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":12,"met"#, Some("the message with the id 12")),
            (r#"{"jsonrpc":"2.0","id":12"#, None),
            (r#"{"jsonrpc":"2.0","id":"a"#, None),
            (r#"{"jsonrpc":"2.0","method":"sum","par"#, Some(r#"the message "sum""#)),
            (
                r#"{"jsonrpc":"2.0","method":"sum","id":3,"#,
                Some(r#"the request "sum" with the id 3"#),
            ),
            (r#"{"jsonrpc":"2.0","id":4,"result":{"id":7,"#, Some("the response with the id 4")),
            (r#"{"result":{"method":"x"},"jsonr"#, Some("the response")),
            (r#"{"error":{"#, Some("the response")),
            (r#"{"jsonrpc":"2.0""#, None),
        ] {
            let found = of_start(text.as_bytes()).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn messages_that_follow_each_other_are_found() {
        let one = r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#;
        for (text, count) in [
            (one.repeat(3), 3),
            (alloc::format!("{one} {one}"), 2),
            (alloc::format!("{one},{one}"), 1),
            (alloc::format!("{one}{{\"jsonrpc\":\"2.0\""), 1),
            (one.repeat(100), super::MOST),
            ("x".to_string(), 0),
        ] {
            assert_eq!(messages(text.as_bytes()).len(), count, "{text}");
        }
    }
}
