//! Messages among other bytes: where one begins and ends, and how it is called in words.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};

use tautline::frame::{Concatenated, FrameEvent, Frames};
use tautline::{Envelope, Message, Profile, RawJson};

/// The number of places at which a message is tried. It bounds the work.
const TRIES: usize = 8;

/// The longest method or id in words, in bytes.
const LONGEST_NAME: usize = 100;

/// The longest text that is quoted, in bytes.
const LONGEST_QUOTE: usize = 60;

/// A message among other bytes.
pub(super) struct Found {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// How it is called.
    pub name: String,
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
                && let Some(name) = candidates.get(..length).and_then(name_of)
            {
                return Some(Found { start, end: start + length, name });
            }
        }
        from = start + 1;
    }
    None
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

/// Returns how a message is called, or `None` if the bytes are not a valid message.
pub(super) fn name_of(bytes: &[u8]) -> Option<String> {
    let envelope = Envelope::read(bytes, &Profile::JSON_RPC);
    let id = || envelope.id().map(|id| short(id)).unwrap_or_default();
    Some(match envelope.message().ok()? {
        Message::Request(request) => {
            format!("the request {} with the id {}", method(&request.method().to_string()), id())
        }
        Message::Notification(notification) => {
            format!("the notification {}", method(&notification.method().to_string()))
        }
        Message::Response(_) => format!("the response with the id {}", id()),
        Message::Batch(batch) => format!("a batch of {} messages", batch.len()),
    })
}

fn method(name: &str) -> String {
    format!("\"{}\"", cut(name, LONGEST_NAME).escape_debug())
}

fn short(id: RawJson<'_>) -> String {
    cut(id.as_str().unwrap_or_default(), LONGEST_NAME).to_owned()
}

/// Returns the start of a text, up to this many bytes.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

/// Returns the words for what a message in these words has become.
pub(super) fn lost(name: Option<&str>) -> String {
    name.map(|name| format!("; {name} is lost")).unwrap_or_default()
}

/// Quotes bytes: as text, without control characters, and cut if they are many.
pub(super) fn quote(bytes: &[u8]) -> String {
    let text = bytes.get(..LONGEST_QUOTE).unwrap_or(bytes);
    let more = if text.len() < bytes.len() { "…" } else { "" };
    format!("\"{}{more}\"", String::from_utf8_lossy(text).escape_debug())
}

/// Returns how a message is called that is not valid JSON, by its members `method` and `id` as far as they can be
/// recognised in the notation of a language.
pub(super) fn name_of_loose(text: &[u8]) -> Option<String> {
    let (mut method_at, mut id_at) = (None, None);
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' | b'[' | b'(' => depth = depth.saturating_add(1),
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => {
                let end = string_end(text, at);
                let name = text.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
                keep(text, name, end, depth, &mut method_at, &mut id_at);
                at = end;
                continue;
            }
            b'a'..=b'z' if !is_word(text, at.wrapping_sub(1)) => {
                let rest = text.get(at..).unwrap_or_default();
                let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let name = rest.get(..length).unwrap_or_default();
                keep(text, name, at + length, depth, &mut method_at, &mut id_at);
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let value = |at: Option<usize>| at.and_then(|at| loose_value(text, at));
    match (value(method_at), value(id_at)) {
        (Some(name), Some(id)) => {
            Some(format!("the request {} with the id {id}", method(unquoted(name))))
        }
        (Some(name), None) => Some(format!("the notification {}", method(unquoted(name)))),
        (None, Some(id)) => Some(format!("the response with the id {id}")),
        (None, None) => None,
    }
}

/// Keeps the place of the value of a member of the outermost object, the first of each name.
fn keep(
    text: &[u8],
    name: &[u8],
    end: usize,
    depth: u32,
    method: &mut Option<usize>,
    id: &mut Option<usize>,
) {
    let place = match name {
        b"method" => method,
        b"id" => id,
        _ => return,
    };
    let rest = text.get(end..).unwrap_or_default().trim_ascii_start();
    let value = [&b"=>"[..], b":", b"="].iter().find_map(|separator| rest.strip_prefix(*separator));
    if let (1, None, Some(value)) = (depth, &place, value) {
        *place = Some(text.len() - value.len());
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

/// Returns the scalar at this index, as it is written.
fn loose_value(text: &[u8], at: usize) -> Option<&str> {
    let rest = text.get(at..)?.trim_ascii_start();
    let length = match rest.first()? {
        b'"' | b'\'' => string_end(rest, 0),
        _ => rest.iter().take_while(|byte| !b",}] )".contains(byte)).count(),
    };
    let value = core::str::from_utf8(rest.get(..length)?).ok()?;
    let is_short = !value.is_empty() && value.len() <= LONGEST_NAME;
    let is_scalar = !value.starts_with(['{', '[', '(']) && value.chars().all(|c| !c.is_control());
    (is_short && is_scalar).then_some(value)
}

fn unquoted(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{find, name_of_loose};

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
            let found = found.as_ref().map(|found| (found.start, found.end, found.name.as_str()));
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
            assert_eq!(name_of_loose(text.as_bytes()).as_deref(), expected, "{text}");
        }
    }
}
