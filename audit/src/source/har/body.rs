//! The bytes of bodies, which archives store as text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::document::PostData;
use super::exchange::Exchange;
use crate::source::text;

/// A body.
pub(super) enum Body {
    Bytes {
        bytes: Vec<u8>,
        /// True if the tool has decoded them with the wrong encoding, which was undone.
        is_restored: bool,
    },
    /// There was none.
    Empty,
    /// The archive lacks it.
    Missing,
}

/// Returns the body of a request.
pub(super) fn of_request(sent: &PostData<'_>) -> Body {
    let encoding = sent.encoding.as_ref().map(|encoding| encoding.0.as_str());
    match decoded(sent.text, encoding) {
        Some(bytes) => of_bytes(bytes),
        None => Body::Missing,
    }
}

/// Returns the body of a response.
pub(super) fn of_response(exchange: &Exchange<'_>) -> Body {
    let Some(content) = &exchange.content else { return Body::Missing };
    let encoding = content.encoding.as_ref().map(|encoding| encoding.0.as_str());
    let Some(bytes) = decoded(content.text, encoding) else { return Body::Missing };
    if exchange.is_stream && !exchange.has_charset && encoding != Some("base64") {
        let size = content.size.and_then(|size| usize::try_from(size).ok());
        if let Some(bytes) = std::str::from_utf8(&bytes).ok().and_then(|text| restored(text, size))
        {
            return Body::Bytes { bytes, is_restored: true };
        }
    }
    of_bytes(bytes)
}

fn of_bytes(bytes: Vec<u8>) -> Body {
    match bytes.trim_ascii() {
        b"" => Body::Empty,
        _ => Body::Bytes { bytes, is_restored: false },
    }
}

fn decoded(text: Option<&RawValue>, encoding: Option<&str>) -> Option<Vec<u8>> {
    let bytes = text::unescaped(text?)?;
    match encoding {
        Some("base64") => STANDARD.decode(bytes.trim_ascii()).ok(),
        _ => Some(bytes),
    }
}

/// Returns the bytes of a text that was decoded as windows-1252 or Latin-1, or `None` if it was not. `size` is the
/// number of bytes on the wire, in archives that record it.
fn restored(text: &str, size: Option<usize>) -> Option<Vec<u8>> {
    if text.is_ascii() {
        return None;
    }
    let bytes: Vec<u8> = text.chars().map(byte_of).collect::<Option<_>>()?;
    // If there is one character per byte, the bytes are certain even if they are not UTF-8.
    let is_certain = size == Some(bytes.len());
    (is_certain || std::str::from_utf8(&bytes).is_ok()).then_some(bytes)
}

/// The characters of windows-1252 for bytes from 0x80, each with its byte.
const WINDOWS_1252: [(char, u8); 27] = [
    ('€', 0x80),
    ('‚', 0x82),
    ('ƒ', 0x83),
    ('„', 0x84),
    ('…', 0x85),
    ('†', 0x86),
    ('‡', 0x87),
    ('ˆ', 0x88),
    ('‰', 0x89),
    ('Š', 0x8A),
    ('‹', 0x8B),
    ('Œ', 0x8C),
    ('Ž', 0x8E),
    ('\u{2018}', 0x91),
    ('\u{2019}', 0x92),
    ('\u{201C}', 0x93),
    ('\u{201D}', 0x94),
    ('•', 0x95),
    ('–', 0x96),
    ('—', 0x97),
    ('\u{2DC}', 0x98),
    ('™', 0x99),
    ('š', 0x9A),
    ('›', 0x9B),
    ('œ', 0x9C),
    ('ž', 0x9E),
    ('Ÿ', 0x9F),
];

fn byte_of(c: char) -> Option<u8> {
    u8::try_from(u32::from(c))
        .ok()
        .or_else(|| WINDOWS_1252.iter().find(|&&(other, _)| other == c).map(|&(_, byte)| byte))
}

/// Returns the end of the last event that is a request of the server. The client may have answered it while the stream
/// was still open. Returns 0 if there is no such event.
pub(super) fn end_of_requests(stream: &[u8]) -> usize {
    let stream = text::masked(stream);
    let mut end = 0;
    let mut at = 0;
    let mut data = String::new();
    for line in stream.split_inclusive('\n') {
        at += line.len();
        let content = line.trim_end_matches(['\n', '\r']);
        if let Some(value) = content.strip_prefix("data:") {
            data.push_str(value);
            data.push('\n');
        }
        if content.is_empty() {
            if is_request(&data) {
                end = at;
            }
            data.clear();
        }
    }
    end
}

fn is_request(data: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Message<'a> {
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
        #[serde(borrow, default)]
        method: Option<&'a RawValue>,
    }
    serde_json::from_str::<Message<'_>>(data)
        .is_ok_and(|message| message.id.is_some() && message.method.is_some())
}

#[cfg(test)]
mod tests {
    use super::{end_of_requests, restored};

    #[test]
    fn wrongly_decoded_text_is_restored() {
        for (text, size, expected) in [
            ("Ã©", None, Some("é".as_bytes())),
            ("â€¨", None, Some("\u{2028}".as_bytes())),
            ("â\u{80}\u{A8}", None, Some("\u{2028}".as_bytes())),
            ("ÿþ", Some(2), Some(&b"\xFF\xFE"[..])),
            ("ÿþ", Some(4), None),
            ("é", Some(2), None),
            ("日", None, None),
            ("plain", Some(5), None),
        ] {
            assert_eq!(restored(text, size).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn requests_of_the_server_come_early() {
        let request = "data: {\"id\":1,\r\ndata: \"method\":\"roots/list\"}\r\n\r\n";
        let stream = format!(": hi\n\n{request}data: {{\"id\":1,\"result\":{{}}}}\n\n");
        assert_eq!(end_of_requests(stream.as_bytes()), 6 + request.len());
        assert_eq!(end_of_requests(b"data: {\"method\":\"a\"}\n\n"), 0);
    }
}
