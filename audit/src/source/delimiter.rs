//! Logs of one direction, and how they delimit their messages.

use tautline::frame::FramingKind;

use super::{detect, text};

/// How a log of one direction delimits its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the messages are framed, or they are in a list")]
pub enum Delimiter {
    /// By a framing.
    Framing(FramingKind),
    /// By the commas of one JSON array, which [`Elements`](super::Elements) reads.
    Array,
}

/// The names of the fields of server-sent events. Comments begin with a colon.
const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

const HEADER: &[u8] = b"content-length";

impl Delimiter {
    /// Returns how a file delimits its messages that starts with these bytes, as [`read_start`](super::read_start)
    /// returns them. Returns `None` if it has no messages, or if another tool has written it in a format of its own.
    ///
    /// ```
    /// use tautline_audit::source::Delimiter;
    /// use tautline::frame::FramingKind;
    ///
    /// let lines = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    /// assert_eq!(Delimiter::detect(lines), Some(Delimiter::Framing(FramingKind::Ndjson)));
    /// assert_eq!(Delimiter::detect(b"[{\"jsonrpc\":\"2.0\"}]"), Some(Delimiter::Array));
    /// assert_eq!(Delimiter::detect(b"Dear reader,"), None);
    /// ```
    #[must_use]
    pub fn detect(start: &[u8]) -> Option<Self> {
        let framing = |kind| Some(Self::Framing(kind));
        if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
            // The judge explains UTF-16.
            return framing(FramingKind::Ndjson);
        }
        let content = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
        if content.get(..HEADER.len()).is_some_and(|name| name.eq_ignore_ascii_case(HEADER)) {
            return framing(FramingKind::ContentLength);
        }
        if detect::is_something_else(start) {
            return None;
        }
        match content.first() {
            Some(b'[') => match Value::of(content) {
                // Nothing but the array, as far as can be seen.
                Value { rest: Some([]), .. } => Some(Self::Array),
                Value { rest: None, lines: 2.., .. } => Some(Self::Array),
                Value { rest: None, .. } if begins_with_object(content) => Some(Self::Array),
                _ => framing(FramingKind::Ndjson),
            },
            Some(b'{') => {
                let is_printed = Value::of(content).lines > 1;
                framing(if is_printed { FramingKind::Concatenated } else { FramingKind::Ndjson })
            }
            Some(_) if FIELDS.iter().any(|name| content.starts_with(name)) => {
                framing(FramingKind::Sse)
            }
            // Messages among other lines.
            _ => text::mentions_jsonrpc(content).then_some(Self::Framing(FramingKind::Ndjson)),
        }
    }

    /// Returns the name: that of the framing, or `array`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Framing(kind) => kind.name(),
            Self::Array => "array",
        }
    }

    /// Returns the framing. The bytes between the [`Elements`](super::Elements) of an array are white space.
    #[must_use]
    pub const fn framing(self) -> FramingKind {
        match self {
            Self::Framing(kind) => kind,
            Self::Array => FramingKind::Concatenated,
        }
    }
}

/// Returns whether a text begins with an array whose first element is an object.
fn begins_with_object(content: &[u8]) -> bool {
    let rest = content.strip_prefix(b"[").unwrap_or_default();
    rest.trim_ascii_start().starts_with(b"{")
}

/// The extent of the value with which a text begins.
struct Value<'a> {
    /// The bytes after it, without white space. `None` if it has no end in the text.
    rest: Option<&'a [u8]>,
    /// The number of lines, as far as they certainly belong to it.
    lines: usize,
}

impl<'a> Value<'a> {
    /// Finds the end of an object or an array by its brackets, whether it is valid or not.
    fn of(content: &'a [u8]) -> Self {
        let (mut depth, mut lines) = (0_usize, 1);
        let (mut in_string, mut is_escaped) = (false, false);
        for (at, &byte) in content.iter().enumerate() {
            match byte {
                // A string has no newlines: it was cut, and another line begins.
                b'\n' if in_string => break,
                _ if is_escaped => is_escaped = false,
                b'\\' if in_string => is_escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'\n' => {
                    let rest = content.get(at + 1..).unwrap_or_default();
                    if lines == 1 && depth == 1 && is_next_message(content, rest) {
                        break;
                    }
                    lines += 1;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let rest = content.get(at + 1..).unwrap_or_default();
                        return Self { rest: Some(rest.trim_ascii_start()), lines };
                    }
                }
                _ => {}
            }
        }
        Self { rest: None, lines }
    }
}

/// Returns whether the second line is a message of its own: the first one was cut, or lacks its last bracket.
fn is_next_message(content: &[u8], rest: &[u8]) -> bool {
    content.starts_with(b"{") && rest.starts_with(b"{")
}

#[cfg(test)]
mod tests {
    use tautline::frame::FramingKind;

    use super::Delimiter;

    const LINES: Option<Delimiter> = Some(Delimiter::Framing(FramingKind::Ndjson));
    const VALUES: Option<Delimiter> = Some(Delimiter::Framing(FramingKind::Concatenated));
    const HEADERS: Option<Delimiter> = Some(Delimiter::Framing(FramingKind::ContentLength));
    const EVENTS: Option<Delimiter> = Some(Delimiter::Framing(FramingKind::Sse));
    const ARRAY: Option<Delimiter> = Some(Delimiter::Array);

    #[test]
    fn the_start_shows_how_messages_are_delimited() {
        for (start, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, LINES),
            ("\u{FEFF}{\"jsonrpc\":\"2.0\"}\n{\"jsonrpc\":\"2.0\"}\n", LINES),
            // Cut, and glued.
            ("{\"jsonrpc\":\"2.0\",\"method\":\"to", LINES),
            ("{\"jsonrpc\":\"2.0\",\"method\":\"to\n{\"jsonrpc\":\"2.0\"}\n", LINES),
            ("{\"jsonrpc\":\"2.0\",\"params\":{}\n{\"jsonrpc\":\"2.0\"}\n", LINES),
            ("{\"jsonrpc\":\"2.0\"}{\"jsonrpc\":\"2.0\"}\n", LINES),
            ("started\n{\"jsonrpc\":\"2.0\"}\n", LINES),
            ("{jsonrpc: '2.0'}", LINES),
            // Printed over several lines.
            ("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1\n}\n", VALUES),
            ("{ \"jsonrpc\": \"2.0\",\n  \"id", VALUES),
            ("{\"jsonrpc\":\"2.0\",\"params\":{\"a\\\"\":[\n1]}}\n\n{}", VALUES),
            // Arrays of messages, and lines of batches.
            ("[{\"jsonrpc\":\"2.0\"},{\"jsonrpc\":\"2.0\"}]\n", ARRAY),
            ("[{\"jsonrpc\":\"2.0\",\"method\":\"x\"},{\"json", ARRAY),
            ("[\n  {\n    \"jsonrpc\": \"2.0\"\n  },\n", ARRAY),
            ("[]", ARRAY),
            ("[{\"jsonrpc\":\"2.0\"}]\n[{\"jsonrpc\":\"2.0\"}]\n", LINES),
            ("[{\"jsonrpc\":\"2.0\"}]\n{\"jsonrpc\":\"2.0\"}\n", LINES),
            ("[info] ready\n{\"jsonrpc\":\"2.0\"}\n", LINES),
            ("Content-Length: 2\r\n\r\n{}", HEADERS),
            ("content-length: 2\n\n{}", HEADERS),
            ("event: message\ndata: {\"jsonrpc\":\"2.0\"}\n\n", EVENTS),
            (": ping\n\ndata: {}\n\n", EVENTS),
            ("", None),
            ("Dear reader,\nthis is a letter.\n", None),
            ("Params:\n{\n    \"a\": 1\n}\n", None),
            ("\u{7F}ELF", None),
        ] {
            assert_eq!(Delimiter::detect(start.as_bytes()), expected, "{start:?}");
        }
        assert_eq!(Delimiter::detect(b"\xFF\xFE{\0"), LINES);
        assert_eq!(Delimiter::detect(b"\x1F\x8B{"), None);
    }

    #[test]
    fn every_way_has_a_name_and_a_framing() {
        assert_eq!(
            (Delimiter::Array.name(), Delimiter::Array.framing().name()),
            ("array", "concatenated")
        );
        for kind in FramingKind::ALL {
            assert_eq!(Delimiter::Framing(*kind).name(), kind.name());
        }
    }
}
