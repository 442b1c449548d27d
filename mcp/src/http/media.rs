//! Media types in `Content-Type`, and ranges of them with qualities in `Accept` (RFC 9110, sections 8.3.1, 12.4.2 and
//! 12.5.1), read in place.

use super::field::trim;
use crate::token::is_of_token;

/// `application/json`.
pub(super) const JSON: Media<'_> = Media::new(b"application", b"json");
/// `text/event-stream`.
pub(super) const EVENTS: Media<'_> = Media::new(b"text", b"event-stream");

/// A media type without its parameters, or a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Media<'h> {
    kind: &'h [u8],
    subtype: &'h [u8],
    /// False if a parameter names another charset. JSON has none (RFC 8259, section 11), but there are servers that decode
    /// the body by it, and so read another message than one that does not.
    is_utf8: bool,
}

impl<'h> Media<'h> {
    const fn new(kind: &'h [u8], subtype: &'h [u8]) -> Self {
        Self { kind, subtype, is_utf8: true }
    }

    /// Reads the value of `Content-Type`. Returns `None` if any part of it is malformed.
    pub(super) fn parse(value: &'h [u8]) -> Option<Self> {
        let mut cursor = Cursor(value);
        let mut media = cursor.media()?;
        cursor.parameters(|name, value| {
            media.is_utf8 &= !name.eq_ignore_ascii_case(b"charset") || is_utf8(value);
            Some(())
        })?;
        cursor.0.is_empty().then_some(media)
    }

    /// Returns whether this is the type of a JSON text in UTF-8.
    pub(super) fn is_json_text(&self) -> bool {
        self.is(JSON) && self.is_utf8
    }

    pub(super) fn is(&self, other: Media<'_>) -> bool {
        self.kind.eq_ignore_ascii_case(other.kind)
            && self.subtype.eq_ignore_ascii_case(other.subtype)
    }

    /// Returns how specific this range is, from 1 to 3, if it contains the type. Parameters make no difference: the two
    /// types of MCP have none.
    fn specificity(&self, of: Media<'_>) -> Option<u8> {
        match (self.kind, self.subtype) {
            (b"*", b"*") => Some(1),
            (kind, b"*") if kind.eq_ignore_ascii_case(of.kind) => Some(2),
            _ => self.is(of).then_some(3),
        }
    }
}

/// Returns whether the value of a charset is UTF-8, also without the hyphen, which is common.
fn is_utf8(value: &[u8]) -> bool {
    let name = match value {
        [b'"', name @ .., b'"'] => name,
        name => name,
    };
    name.eq_ignore_ascii_case(b"utf-8") || name.eq_ignore_ascii_case(b"utf8")
}

/// The answer of `Accept` for one type. Every line of the field is added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acceptance<'m> {
    of: Media<'m>,
    specificity: u8,
    /// In thousandths.
    quality: u16,
}

impl<'m> Acceptance<'m> {
    pub(super) const fn new(of: Media<'m>) -> Self {
        Self { of, specificity: 0, quality: 0 }
    }

    /// Adds a line. An element that is malformed counts for nothing.
    pub(super) fn add(&mut self, line: &[u8]) {
        let mut rest = Some(line);
        while let Some(list) = rest {
            let element;
            (element, rest) = split(list);
            let Some((range, quality)) = range(trim(element)) else { continue };
            let Some(specificity) = range.specificity(self.of) else { continue };
            // The most specific range decides, and the best one of several that are as specific.
            if (specificity, quality) > (self.specificity, self.quality)
                || specificity > self.specificity
            {
                (self.specificity, self.quality) = (specificity, quality);
            }
        }
    }

    pub(super) const fn is_accepted(&self) -> bool {
        self.quality > 0
    }
}

/// Splits a list at its first comma that is not in a quoted string.
fn split(list: &[u8]) -> (&[u8], Option<&[u8]>) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = list.iter().position(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ => {}
        }
        *byte == b',' && !is_quoted
    });
    match end.and_then(|end| list.split_at_checked(end)) {
        Some((element, rest)) => (element, rest.get(1..)),
        None => (list, None),
    }
}

/// Reads an element of `Accept`: a range, and its quality in thousandths.
fn range(element: &[u8]) -> Option<(Media<'_>, u16)> {
    let mut cursor = Cursor(element);
    let media = cursor.media()?;
    if media.kind == b"*" && media.subtype != b"*" {
        return None;
    }
    let mut quality = None;
    cursor.parameters(|name, value| {
        if quality.is_none() && name.eq_ignore_ascii_case(b"q") {
            quality = Some(thousandths(value)?);
        }
        Some(())
    })?;
    cursor.0.is_empty().then_some((media, quality.unwrap_or(1000)))
}

/// Reads a weight: a number from 0 to 1 with up to three digits after the point.
fn thousandths(value: &[u8]) -> Option<u16> {
    let (whole, digits) = match value {
        [whole @ (b'0' | b'1')] => (whole, &b""[..]),
        [whole @ (b'0' | b'1'), b'.', digits @ ..] if digits.len() <= 3 => (whole, digits),
        _ => return None,
    };
    let mut quality = u16::from(whole.wrapping_sub(b'0'));
    for place in 0..3 {
        let digit = digits.get(place).copied().unwrap_or(b'0');
        if !digit.is_ascii_digit() {
            return None;
        }
        quality = quality.wrapping_mul(10).wrapping_add(digit.wrapping_sub(b'0').into());
    }
    (quality <= 1000).then_some(quality)
}

/// The rest of a value.
struct Cursor<'h>(&'h [u8]);

impl<'h> Cursor<'h> {
    fn media(&mut self) -> Option<Media<'h>> {
        let kind = self.token()?;
        self.byte(b'/')?;
        let subtype = self.token()?;
        Some(Media::new(kind, subtype))
    }

    /// Reads parameters, which may be empty, and passes each to a function. A quoted value keeps its quotes.
    fn parameters(&mut self, mut each: impl FnMut(&[u8], &[u8]) -> Option<()>) -> Option<()> {
        loop {
            self.0 = skip(self.0);
            if self.byte(b';').is_none() {
                return Some(());
            }
            self.0 = skip(self.0);
            if let Some(name) = self.token() {
                self.byte(b'=')?;
                let value =
                    if self.0.first() == Some(&b'"') { self.quoted()? } else { self.token()? };
                each(name, value)?;
            }
        }
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        (*first == byte).then(|| self.0 = rest)
    }

    fn token(&mut self) -> Option<&'h [u8]> {
        let end = self.0.iter().position(|byte| !is_of_token((*byte).into()));
        let (token, rest) = self.0.split_at_checked(end.unwrap_or(self.0.len()))?;
        self.0 = rest;
        (!token.is_empty()).then_some(token)
    }

    /// Reads a quoted string (RFC 9110, section 5.6.4).
    fn quoted(&mut self) -> Option<&'h [u8]> {
        let mut is_escaped = false;
        let inside = self.0.get(1..)?;
        let is_end = |byte: &u8| {
            let is_end = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            is_end || !matches!(byte, b'\t' | b' '..=b'~' | 0x80..)
        };
        let end = inside.iter().position(is_end)?;
        let (quoted, rest) = self.0.split_at_checked(end.checked_add(2)?)?;
        self.0 = rest;
        quoted.ends_with(b"\"").then_some(quoted)
    }
}

fn skip(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{Acceptance, EVENTS, JSON, Media, thousandths};

    fn accepts(value: &str) -> (bool, bool) {
        let of = |media| {
            let mut acceptance = Acceptance::new(media);
            value.split('\n').for_each(|line| acceptance.add(line.as_bytes()));
            acceptance.is_accepted()
        };
        (of(JSON), of(EVENTS))
    }

    #[test]
    fn accept_has_ranges_with_qualities() {
        for (value, expected) in [
            ("application/json, text/event-stream", (true, true)),
            ("Application/JSON;q=0.001,TEXT/event-stream ; q=1.000", (true, true)),
            ("*/*", (true, true)),
            ("text/*", (false, true)),
            ("application/json", (true, false)),
            ("application/json\ntext/event-stream", (true, true)),
            (", ,application/json,,", (true, false)),
            // The most specific range decides (RFC 9110, section 12.5.1).
            ("*/*, application/json;q=0", (false, true)),
            ("application/json;q=0, */*", (false, true)),
            ("text/*;q=0, text/event-stream;q=0.5", (false, true)),
            ("text/event-stream;q=0, text/*, */*;q=0.1", (true, false)),
            // The parameters of other elements may contain commas.
            (r#"text/plain;a="x, application/json", text/event-stream"#, (false, true)),
            (r#"text/plain;a="\", */*", text/event-stream"#, (false, true)),
            // Malformed elements count for nothing.
            ("application/json;q=2, text/event-stream", (false, true)),
            ("application/json;q=0.0001", (false, false)),
            ("application/json;q=", (false, false)),
            ("*/json, text /event-stream", (false, false)),
            ("application/jsonx, xtext/event-stream", (false, false)),
            ("application/json text/event-stream", (false, false)),
            ("", (false, false)),
        ] {
            assert_eq!(accepts(value), expected, "{value}");
        }
    }

    #[test]
    fn weights_have_three_places() {
        for (value, expected) in [
            ("0", Some(0)),
            ("1", Some(1000)),
            ("0.", Some(0)),
            ("1.000", Some(1000)),
            ("0.25", Some(250)),
            ("0.999", Some(999)),
            ("1.001", None),
            ("2", None),
            (".5", None),
            ("0.5a", None),
            ("0,5", None),
            ("-0", None),
            ("", None),
        ] {
            assert_eq!(thousandths(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn only_utf_8_is_json() {
        for (value, expected) in [
            ("application/json", true),
            ("application/json;charset=UTF-8", true),
            ("application/json; Charset=\"utf8\"", true),
            ("application/json; charset=utf-7", false),
            ("application/json; a=b; CHARSET=\"utf-16\"", false),
            ("application/json; charset=\"ut\\f-8\"", false),
            ("application/json; charset=\"\"", false),
            ("application/json; charset=utf-8; charset=gbk", false),
            ("application/json; charset=gbk; charset=utf-8", false),
            ("application/json; xcharset=gbk", true),
        ] {
            let media = Media::parse(value.as_bytes()).unwrap();
            assert!(media.is(JSON));
            assert_eq!(media.is_json_text(), expected, "{value}");
        }
    }

    /// The values on which `mime` differs from RFC 9110, which allows all of them.
    const DIFFERENCES: [&str; 6] = [
        // Parameters may be empty, and have whitespace before the semicolon (section 5.6.6).
        "application/json;",
        "application/json ; charset=utf-8",
        "application/json;;a=b",
        "application/json\t;\ta=b; ",
        "application/json; a=b;",
        // A quoted string may contain quoted pairs (section 5.6.4).
        r#"application/json;a="\"""#,
    ];

    #[test]
    fn content_types_are_those_that_mime_reads() {
        const PARTS: [&str; 18] = [
            "application/json",
            "APPLICATION/Json",
            "text/event-stream",
            "application",
            "/",
            ";",
            ";a=b",
            "; charset=utf-8",
            ";charset=\"utf-8\"",
            ";a=\"b c\"",
            ";a=\"",
            ";a",
            ";=",
            " ",
            "x/y+json",
            "a b/c",
            "application/json, text/event-stream",
            "é",
        ];
        let mut compared = 0;
        let texts = PARTS.iter().flat_map(|first| PARTS.iter().map(move |second| (first, second)));
        for ((first, second), third) in
            texts.flat_map(|two| ["", ";b=c", "; q=1"].map(|third| (two, third)))
        {
            let value = [first, second, third].concat();
            let is_spaced = [" ;", ";;", "; ;"].iter().any(|part| value.contains(part));
            if is_spaced || value.ends_with(' ') || value.ends_with(';') {
                continue;
            }
            let kinds = |media: Media<'_>| (media.is(JSON), media.is(EVENTS));
            // `mime` allows an empty subtype.
            let own = Media::parse(value.as_bytes()).map(kinds).unwrap_or_default();
            let other = value.parse::<mime::Mime>().ok();
            let other = other.map(|of| {
                (of.essence_str() == "application/json", of.essence_str() == "text/event-stream")
            });
            assert_eq!(own, other.unwrap_or_default(), "{value}");
            compared += 1;
        }
        assert!(compared > 500, "{compared}");
        for value in DIFFERENCES {
            assert!(Media::parse(value.as_bytes()).is_some_and(|media| media.is(JSON)), "{value}");
        }
    }
}
