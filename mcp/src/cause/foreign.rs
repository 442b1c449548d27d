//! Text of other origins: other protocols, and values as programming languages print them.

use alloc::format;
use alloc::string::String;

use tautline::frame::FramingKind;

use super::message::{find, of_loose, quote};
use super::{Cause, rule};

/// The number of fields before the data of an event that are read, and the length of each, in bytes.
const FIELDS: usize = 8;
const FIELD: usize = 256;

/// The names of the fields of a server-sent event.
const NAMES: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// Recognises a text by its beginning. The known bytes that follow it are in `behind`.
pub(super) fn recognize(text: &[u8], framing: FramingKind, behind: &[u8]) -> Option<Cause> {
    let whole = text.trim_ascii_start();
    let text = text.trim_ascii();
    marker(text)
        .or_else(|| page(text))
        .or_else(|| head(text))
        .or_else(|| fields(whole, behind).filter(|_| framing == FramingKind::Ndjson))
        .or_else(|| field(whole, behind).filter(|_| framing != FramingKind::Sse))
        .or_else(|| repr(text))
}

/// Recognises the marker of the end of a stream.
fn marker(text: &[u8]) -> Option<Cause> {
    let data = text.strip_prefix(b"data:").unwrap_or(text).trim_ascii();
    (data == b"[DONE]").then(|| Cause::new(rule::DONE_MARKER, 0, String::new()))
}

/// Recognises a page of HTML.
fn page(text: &[u8]) -> Option<Cause> {
    let starts = |name: &[u8]| {
        let (start, rest) = text.split_at_checked(name.len())?;
        let is_whole = match rest.first() {
            Some(byte) => byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'),
            None => true,
        };
        Some(is_whole && start.eq_ignore_ascii_case(name))
    };
    let names = [&b"<!doctype html"[..], b"<html", b"<head", b"<body"];
    let is_page = names.iter().any(|name| starts(name) == Some(true));
    let words = || format!("this is an HTML page: {}", quote(text));
    is_page.then(|| Cause::new(rule::HTML_PAGE, 0, words()))
}

/// Recognises the first line of an HTTP message.
fn head(text: &[u8]) -> Option<Cause> {
    let line = text.split(|&byte| matches!(byte, b'\r' | b'\n')).next()?;
    let status = line
        .strip_prefix(b"HTTP/")
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit) && rest.contains(&b' '));
    let methods = [&b"GET "[..], b"POST ", b"PUT ", b"DELETE ", b"HEAD ", b"OPTIONS "];
    let is_request = methods.iter().any(|method| line.starts_with(method))
        && [&b" HTTP/1.1"[..], b" HTTP/1.0"].iter().any(|version| line.ends_with(version));
    let words = || format!("this is the head of an HTTP message: {}", quote(line));
    (status || is_request).then(|| Cause::new(rule::HTTP_HEAD, 0, words()))
}

/// The number of lines of a head that are read, and the length of each, in bytes.
const HEAD_LINES: usize = 64;
const HEAD_LINE: usize = 1024;

/// The names of fields that show a head of HTTP or CGI, in lower case. The base protocol of LSP has only `Content-Length`
/// and `Content-Type`.
const HTTP_NAMES: [&[u8]; 20] = [
    b"access-control-allow-origin",
    b"cache-control",
    b"connection",
    b"content-encoding",
    b"content-language",
    b"date",
    b"etag",
    b"expires",
    b"keep-alive",
    b"last-modified",
    b"location",
    b"mcp-protocol-version",
    b"mcp-session-id",
    b"pragma",
    b"server",
    b"set-cookie",
    b"transfer-encoding",
    b"vary",
    b"x-content-type-options",
    b"x-powered-by",
];

/// Recognises the fields of an HTTP head without its first line, as a CGI program writes them. The empty line at their end
/// distinguishes them from log output, unless the first is one that only a head has.
fn fields(text: &[u8], behind: &[u8]) -> Option<Cause> {
    let first = text.split(|&byte| byte == b'\n').next()?.trim_ascii_end();
    let (name, value) = header(first)?;
    let is_own = is_media_type(name, value) || is_status(name, value);
    // The rest of the text are lines of a frame that is no line.
    let rest = text.iter().position(|&byte| byte == b'\n').and_then(|end| text.get(end + 1..));
    if !is_own && !ends_head(first, rest.unwrap_or(behind)) {
        return None;
    }
    let words =
        format!("this is the head of an HTTP message, without its first line: {}", quote(first));
    Some(Cause::new(rule::HTTP_HEAD, 0, words))
}

/// Returns whether the lines that begin with this one are the fields of a head up to an empty line, and one of them is not
/// of LSP.
fn ends_head(first: &[u8], mut rest: &[u8]) -> bool {
    let mut line = first;
    let mut is_http = false;
    for _ in 0..HEAD_LINES {
        let Some((name, value)) = header(line) else { return line.is_empty() && is_http };
        is_http |= is_media_type(name, value) || is_status(name, value);
        is_http |= HTTP_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
        let window = rest.get(..HEAD_LINE).unwrap_or(rest);
        let Some(end) = window.iter().position(|&byte| byte == b'\n') else { return false };
        line = window.get(..end).unwrap_or_default().trim_ascii_end();
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    false
}

/// Returns the name and the value of a field of a head.
fn header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (name, value) = line.split_at_checked(colon)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_field = !name.is_empty() && name.iter().all(is_name);
    is_field.then(|| (name, value.get(1..).unwrap_or_default().trim_ascii()))
}

/// Returns whether a field states the type of a body of HTTP. LSP has one of its own.
fn is_media_type(name: &[u8], value: &[u8]) -> bool {
    let is_lsp = value.starts_with(b"application/vscode-jsonrpc");
    let types = [&b"application/"[..], b"text/"];
    let is_type = types.iter().any(|start| value.starts_with(start));
    name.eq_ignore_ascii_case(b"content-type") && is_type && !is_lsp
}

/// Returns whether a field states the status of an answer (RFC 3875, section 6.3.3).
fn is_status(name: &[u8], value: &[u8]) -> bool {
    let is_code = matches!(
        value,
        [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'] | [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9', b' ', ..]
    );
    name.eq_ignore_ascii_case(b"status") && is_code
}

/// Recognises a field of a server-sent event, which may carry a message. Log output may look like a field: the data is a
/// message, and other fields stand before data.
fn field(text: &[u8], behind: &[u8]) -> Option<Cause> {
    let name = field_name(text)?;
    let value = text.get(name.len() + 1..)?;
    let found = find(value);
    let is_field = match name {
        b"data" => found.is_some() || loose_message(value),
        _ => precedes_data(text, behind),
    };
    if !is_field {
        return None;
    }
    let name = String::from_utf8_lossy(name);
    let words = format!("this is the field \"{name}\" of a server-sent event");
    let cause = Cause::new(rule::SSE_FIELD, 0, words).in_framing(FramingKind::Sse);
    Some(cause.losing(found.map(|found| found.lost)))
}

/// Returns the name of the field that a line begins with.
fn field_name(line: &[u8]) -> Option<&'static [u8]> {
    let is_name =
        |name: &&[u8]| line.strip_prefix(*name).is_some_and(|rest| rest.starts_with(b":"));
    NAMES.into_iter().find(is_name)
}

/// Returns whether the data of an event is the start of a message, or a message with a fault.
fn loose_message(value: &[u8]) -> bool {
    let value = value.trim_ascii_start();
    matches!(value.first(), Some(b'{' | b'[')) && of_loose(value).is_some()
}

/// Returns whether a field with data follows the first line of the text in the same event.
fn precedes_data(text: &[u8], behind: &[u8]) -> bool {
    let newline = text.iter().position(|&byte| byte == b'\n');
    let mut rest = newline.and_then(|newline| text.get(newline + 1..)).unwrap_or(behind);
    for _ in 0..FIELDS {
        let window = rest.get(..FIELD).unwrap_or(rest);
        if window.starts_with(b"data:") {
            return true;
        }
        let is_field = window.starts_with(b":") || field_name(window).is_some();
        let Some(newline) = window.iter().position(|&byte| byte == b'\n').filter(|_| is_field)
        else {
            return false;
        };
        rest = rest.get(newline + 1..).unwrap_or_default();
    }
    false
}

/// Recognises a value as a programming language prints it.
fn repr(text: &[u8]) -> Option<Cause> {
    let language = language_of(text)?;
    let message = find(text).map(|found| found.lost).or_else(|| of_loose(text));
    let words = format!("this is how {language} prints a value, and not JSON");
    Some(Cause::new(rule::LANGUAGE_REPR, 0, words).losing(message))
}

fn language_of(text: &[u8]) -> Option<&'static str> {
    if [&b"b'{"[..], b"b\"{", b"b'[", b"b\"["].iter().any(|start| text.starts_with(start)) {
        return Some("Python");
    }
    if text.starts_with(b"[object ") {
        return Some("JavaScript");
    }
    if text.starts_with(b"map[") || text.starts_with(b"&map[") || text.starts_with(b"&{") {
        return Some("Go");
    }
    if let Some(language) = named_type(text) {
        return Some(language);
    }
    let inner = text.trim_ascii_start();
    let inner = inner.strip_prefix(b"[").unwrap_or(inner).trim_ascii_start();
    let inner = inner.strip_prefix(b"{")?.trim_ascii_start();
    match inner.first()? {
        b'\'' => after_string(inner).and_then(|rest| match rest {
            [b':', ..] => Some("Python"),
            [b'=', b'>', ..] => Some("Ruby"),
            _ => None,
        }),
        b'"' => after_string(inner).filter(|rest| rest.starts_with(b"=>")).map(|_| "Ruby"),
        b':' => inner.get(1).filter(|byte| byte.is_ascii_alphabetic()).map(|_| "Ruby"),
        byte if byte.is_ascii_alphabetic() || *byte == b'_' => {
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = inner.iter().take_while(is_name).count();
            let rest = inner.get(length..).unwrap_or_default().trim_ascii_start();
            let name = inner.get(..length).unwrap_or_default();
            match rest.first() {
                Some(b':') if MEMBERS.contains(&name) => Some("JavaScript"),
                Some(b'=') if MEMBERS.contains(&name) => Some("Java"),
                // Fields of a struct begin with a capital.
                Some(b':') if byte.is_ascii_uppercase() => Some("Go"),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The names of the members of messages.
const MEMBERS: [&[u8]; 6] = [b"jsonrpc", b"id", b"method", b"params", b"result", b"error"];

/// Recognises an object that is printed with the name of its type: `Name(id=1)` or `Name { id: 1 }`.
fn named_type(text: &[u8]) -> Option<&'static str> {
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let (name, rest) = text.split_at_checked(text.iter().take_while(is_of_name).count())?;
    if !name.first()?.is_ascii_alphabetic() {
        return None;
    }
    let (inner, separator, language) = match rest {
        [b'(', inner @ ..] => (inner, b'=', "Python"),
        [b' ', b'{', inner @ ..] => (inner, b':', "Rust"),
        _ => return None,
    };
    let inner = inner.trim_ascii_start();
    let (member, rest) = inner.split_at_checked(inner.iter().take_while(is_of_name).count())?;
    (MEMBERS.contains(&member) && rest.first() == Some(&separator)).then_some(language)
}

/// Returns the text after the string at the front, without whitespace.
fn after_string(text: &[u8]) -> Option<&[u8]> {
    let (quote, rest) = text.split_first()?;
    let end = rest.iter().position(|byte| byte == quote)?;
    Some(rest.get(end + 1..)?.trim_ascii_start())
}

/// Recognises a word that is no literal of JSON, at the place where a value is due.
pub(super) fn word(frame: &[u8], at: usize) -> Option<Cause> {
    let rest = frame.get(at..)?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    // A literal of JSON may begin like the word, so that the fault is inside it.
    let before = frame.get(..at)?.iter().rev();
    let start = at - before.take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = core::str::from_utf8(frame.get(start..at + length)?).ok()?;
    let is_value = frame.get(..start)?.iter().rev().find(|byte| !byte.is_ascii_whitespace());
    if !matches!(is_value, Some(b':' | b',' | b'[' | b'-')) {
        return None;
    }
    let number = ["nan", "infinity", "inf"].iter().any(|one| word.eq_ignore_ascii_case(one));
    if number {
        let sign = if is_value == Some(&b'-') { "-" } else { "" };
        let words = format!("{sign}{word} is not a number of JSON");
        return Some(Cause::new(rule::NON_FINITE_NUMBER, at, words).losing(of_loose(frame)));
    }
    let language = match word {
        "True" | "False" | "None" => "Python",
        "undefined" => "JavaScript",
        "nil" => "Ruby or Go",
        _ => return None,
    };
    let words = format!("{word} is how {language} prints a value, and not JSON");
    Some(Cause::new(rule::LANGUAGE_REPR, at, words).losing(of_loose(frame)))
}

#[cfg(test)]
mod tests {
    use super::language_of;

    #[test]
    fn languages_are_recognised_by_how_they_print_an_object() {
        for (text, expected) in [
            ("{'jsonrpc': '2.0'}", Some("Python")),
            ("[{'id': 1}]", Some("Python")),
            ("b'{\"id\":1}'", Some("Python")),
            ("{:jsonrpc=>\"2.0\"}", Some("Ruby")),
            ("{\"jsonrpc\" => \"2.0\"}", Some("Ruby")),
            ("map[id:1 jsonrpc:2.0]", Some("Go")),
            ("&{JSONRPC:2.0 ID:1}", Some("Go")),
            ("{Jsonrpc:2.0 Id:1}", Some("Go")),
            ("{ jsonrpc: '2.0', id: 1 }", Some("JavaScript")),
            ("[object Object]", Some("JavaScript")),
            ("{jsonrpc=2.0, id=1}", Some("Java")),
            ("JSONRPCResponse(jsonrpc='2.0', id=1)", Some("Python")),
            ("Response { jsonrpc: \"2.0\", id: Number(1) }", Some("Rust")),
            ("Server(port=1)", None),
            ("Server { port: 1 }", None),
            ("{\"id\":1}", None),
            ("{}", None),
            ("{", None),
            ("{status: ok}", None),
            ("map of things", None),
        ] {
            assert_eq!(language_of(text.as_bytes()), expected, "{text}");
        }
    }
}
