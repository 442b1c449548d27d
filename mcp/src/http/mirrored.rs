//! The headers that a client adds to a request because they repeat its body (2026-07-28,
//! basic/transports/streamable-http, request metadata).

use core::fmt::{self, Write as _};

use tautline::json::Kind;
use tautline::{Message, RawJson, RawNumber, RawStr};

use super::encoding::{PREFIX, SUFFIX};
use super::parameter::Argument;
use super::{Body, Field, Parameter, Parts};

/// The value of a header that repeats a value of the body.
///
/// [`Display`](fmt::Display) writes it as it travels. A string goes as it is if it has only visible ASCII with spaces or
/// tabs inside, and otherwise as `=?base64?…?=`, in the Base64 of its UTF-8. An integer goes in decimal, whatever its
/// notation in the body, and a Boolean as `true` or `false`.
///
/// ```
/// use tautline_mcp::RawJson;
/// use tautline_mcp::http::Mirrored;
///
/// let header = |json: &'static str| Mirrored::of(RawJson::parse(json.as_bytes()).unwrap()).unwrap().to_string();
/// assert_eq!(header(r#""us-west1""#), "us-west1");
/// assert_eq!(header(r#"" padded ""#), "=?base64?IHBhZGRlZCA=?=");
/// assert_eq!(header("4.2e1"), "42");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mirrored<'a>(Source<'a>);

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    /// A string that is encoded if need be.
    Text(RawStr<'a>),
    /// A string that has no encoding.
    Plain(RawStr<'a>),
    Number(RawNumber<'a>),
    Bool(bool),
}

impl<'a> Mirrored<'a> {
    /// Returns the value for a header, if there is one: null, arrays and objects have none, and neither has a string with an
    /// unpaired surrogate.
    #[must_use]
    pub fn of(value: RawJson<'a>) -> Option<Self> {
        match value.kind() {
            Kind::String => Self::text(value.string()?),
            Kind::Number => Some(Self(Source::Number(value.number()?))),
            Kind::Bool => Some(Self(Source::Bool(value.bool()?))),
            Kind::Null | Kind::Array | Kind::Object => None,
        }
    }

    fn text(text: RawStr<'a>) -> Option<Self> {
        text.lone_surrogate().is_none().then_some(Self(Source::Text(text)))
    }
}

impl fmt::Display for Mirrored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Source::Text(text) if !travels_plain(text) => {
                f.write_str("=?base64?")?;
                write_base64(bytes_of(text), f)?;
                f.write_str("?=")
            }
            Source::Text(text) | Source::Plain(text) => text
                .chars()
                .filter_map(Result::ok)
                .try_for_each(|character| f.write_char(character)),
            Source::Number(number) => match number.as_i64() {
                Some(integer) => fmt::Display::fmt(&integer, f),
                None => fmt::Display::fmt(&number, f),
            },
            Source::Bool(value) => f.write_str(if value { "true" } else { "false" }),
        }
    }
}

/// Calls a function with each standard header that repeats a part of a request or a notification of the modern era:
/// `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name`, with their values.
///
/// A message without `_meta` has no version to repeat. The headers for the parameters of a tool are those of
/// [`Parameter::mirrored`].
///
/// ```
/// use tautline_mcp::http::mirrored;
/// use tautline_mcp::{Message, Revision};
///
/// let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{
///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
/// let message = Message::parse(body, &Revision::V2026_07_28.profile().http_request_body()).unwrap();
/// let mut lines = Vec::new();
/// mirrored(&message, |field, value| lines.push(format!("{field}: {value}")));
/// assert_eq!(lines, ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: read"]);
/// ```
pub fn mirrored<'a>(message: &Message<'a>, mut visit: impl FnMut(Field, Mirrored<'a>)) {
    if let Some(body) = Body::of(message) {
        body.parts().visit(&mut visit);
    }
}

impl<'a> Parts<'a> {
    /// Calls a function with each header that repeats one of them.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(Field, Mirrored<'a>)) {
        if let Some(version) = self.version {
            visit(Field::ProtocolVersion, Mirrored(Source::Plain(version)));
        }
        visit(Field::Method, Mirrored(Source::Plain(self.method)));
        if let Some(name) = self.name.and_then(Mirrored::text) {
            visit(Field::Name, name);
        }
    }
}

impl Parameter<'_> {
    /// Returns the value of the header for this parameter, if the `arguments` of a call have one. A parameter that is absent
    /// or null has no header, and neither has one that is there twice.
    ///
    /// ```
    /// use tautline_mcp::RawJson;
    /// use tautline_mcp::http::{Name, Parameter};
    ///
    /// let path = [Name::new("place"), Name::new("region")];
    /// let parameter = Parameter::new(Name::new("Region"), &path);
    /// let arguments = RawJson::parse(r#"{"place":{"region":"Zürich"}}"#.as_bytes()).unwrap();
    /// assert_eq!(parameter.mirrored(arguments).unwrap().to_string(), "=?base64?WsO8cmljaA==?=");
    /// ```
    #[must_use]
    pub fn mirrored<'b>(&self, arguments: RawJson<'b>) -> Option<Mirrored<'b>> {
        match Argument::at(Some(arguments), self.path()) {
            Argument::Value(value) => Mirrored::of(value),
            Argument::Absent | Argument::Repeated(_) => None,
        }
    }
}

/// Returns whether a string needs no encoding.
fn travels_plain(text: RawStr<'_>) -> bool {
    let is_edge = |byte: Option<u8>| byte.is_none_or(|byte| !matches!(byte, b' ' | b'\t'));
    let (mut first, mut last, mut before) = (None, None, None);
    for byte in bytes_of(text) {
        if !matches!(byte, b' '..=b'~' | b'\t') {
            return false;
        }
        first = first.or(Some(byte));
        before = last.replace(byte);
    }
    let is_marked = bytes_of(text).take(PREFIX.len()).eq(PREFIX.iter().copied())
        && before.into_iter().chain(last).eq(SUFFIX.iter().copied());
    is_edge(first) && is_edge(last) && !is_marked
}

/// Returns the UTF-8 of a string without unpaired surrogates.
fn bytes_of(text: RawStr<'_>) -> impl Iterator<Item = u8> {
    text.chars().filter_map(Result::ok).flat_map(|character| {
        let mut room = [0; 4];
        let length = character.encode_utf8(&mut room).len();
        room.into_iter().take(length)
    })
}

/// Writes bytes in Base64 with the standard alphabet and padding (RFC 4648, section 4).
fn write_base64(mut bytes: impl Iterator<Item = u8>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    loop {
        let group = [bytes.next(), bytes.next(), bytes.next()];
        let count = group.iter().flatten().count();
        if count == 0 {
            return Ok(());
        }
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(byte.unwrap_or(0)));
        for place in 0..4_usize {
            let digit = match place {
                0 => bits >> 18,
                1 => bits >> 12,
                2 => bits >> 6,
                _ => bits,
            };
            f.write_char(if place <= count { symbol(digit & 63) } else { '=' })?;
        }
        if count < group.len() {
            return Ok(());
        }
    }
}

/// Returns the digit of Base64 with this value.
fn symbol(value: u32) -> char {
    let [.., value] = value.to_be_bytes();
    char::from(match value {
        0..=25 => b'A'.wrapping_add(value),
        26..=51 => b'a'.wrapping_add(value.wrapping_sub(26)),
        52..=61 => b'0'.wrapping_add(value.wrapping_sub(52)),
        62 => b'+',
        _ => b'/',
    })
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use tautline::RawJson;

    use super::super::encoding::Value;
    use super::Mirrored;

    fn header(json: &str) -> Option<String> {
        Mirrored::of(RawJson::parse(json.as_bytes()).unwrap()).map(|value| value.to_string())
    }

    #[test]
    fn the_examples_of_the_specification() {
        for (json, value) in [
            (r#""us-west1""#, "us-west1"),
            ("\"Hello, 世界\"", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (r#"" padded ""#, "=?base64?IHBhZGRlZCA=?="),
            (r#""line1\nline2""#, "=?base64?bGluZTEKbGluZTI=?="),
            (r#""=?base64?literal?=""#, "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            (r#""""#, ""),
            (r#""=?base64?=""#, "=?base64?PT9iYXNlNjQ/PQ==?="),
            (r#""=?BASE64?YQ==?=""#, "=?BASE64?YQ==?="),
            (r#""=?base64?YQ==""#, "=?base64?YQ=="),
            (r#""a b\tc""#, "a b\tc"),
            (r#""\ta""#, "=?base64?CWE=?="),
            (r#""\u007f""#, "=?base64?fw==?="),
            ("42", "42"),
            ("42.0", "42"),
            ("-7", "-7"),
            ("-0", "0"),
            ("1e400", "1e400"),
            ("3.5", "3.5"),
            ("18446744073709551615", "18446744073709551615"),
            ("true", "true"),
            ("false", "false"),
        ] {
            assert_eq!(header(json).as_deref(), Some(value), "{json}");
        }
        for json in ["null", "[1]", "{}", r#""\ud800""#] {
            assert_eq!(header(json), None, "{json}");
        }
    }

    #[test]
    fn the_decoder_reads_what_the_encoder_writes() {
        let pieces =
            ["", " ", "\t", "a", "=?base64?", "?=", "é", "世", "\n", "\u{7f}", "~", "😀", "b c"];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let text = format!("{first}{second}{third}");
                    let json = serde_json::to_string(&text).unwrap();
                    let json = RawJson::parse(json.as_bytes()).unwrap();
                    let header = Mirrored::of(json).unwrap().to_string();
                    let value = Value::parse(header.as_bytes()).unwrap();
                    assert!(value.is_string(json.string().unwrap()), "{text:?} as {header:?}");
                    // A receiver removes the whitespace around a value.
                    assert_eq!(header.trim_matches([' ', '\t']), header, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn base64_is_that_of_the_crate_base64() {
        for length in 0..40_usize {
            // A character that needs Base64, and then any.
            let text: String = ('\u{1}'..).step_by(7).take(length).chain(['é']).collect();
            let json = serde_json::to_string(&text).unwrap();
            let expected = format!("=?base64?{}?=", STANDARD.encode(&text));
            assert_eq!(header(&json), Some(expected));
        }
        let all: Vec<char> = (' '..='\u{2ff}').collect();
        let json = serde_json::to_string(&all.iter().collect::<String>()).unwrap();
        let digits = header(&json).unwrap();
        assert!(digits.contains('+') && digits.contains('/'));
    }
}
