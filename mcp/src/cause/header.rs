//! Causes in framings that can be desynchronised: `Content-Length` headers, and values back to back.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tautline::Rule;
use tautline::frame::FramingKind;
use tautline::internal::envelope::is_header;

use super::encoding::BYTE_ORDER_MARK;
use super::foreign;
use super::message::{find, of_start, quote, value_length};
use super::{Cause, LostMessage, rule};

/// The number of bytes after a frame that are read to find the end of its value.
const AHEAD: usize = 64 * 1024;

/// The number of bytes after a frame that are read to recognise a header.
const HEADER: usize = 32;

/// Recognises a body that is not a message, by what follows it.
pub(super) fn of_body(body: &[u8], at: usize, behind: &[u8]) -> Option<Cause> {
    let joined = || -> Vec<u8> { [body, behind.get(..AHEAD).unwrap_or(behind)].concat() };
    if is_header(body.trim_ascii_start()) {
        let found = find(&joined());
        let words = "a header stands where a body is due: two writers share the stream".into();
        let cause = Cause::new(rule::INTERLEAVED_MESSAGES, 0, words).explaining_loss();
        return Some(cause.losing(found.map(|found| found.lost)));
    }
    let stated = body.len();
    let (value, rest) = body.split_at_checked(at)?;
    // The body may end inside the next header.
    let next = || [rest, behind.get(..HEADER).unwrap_or(behind)].concat();
    if let Some(message) = LostMessage::of(value)
        && !rest.is_empty()
        && is_header(&next())
    {
        let early = rest.len();
        let unit = if early == 1 { "byte" } else { "bytes" };
        let words =
            format!("the header states {stated} bytes, and the value ends {early} {unit} earlier");
        let cause = Cause::new(rule::CONTENT_LENGTH_WRONG, at, words).explaining_loss();
        return Some(cause.losing([message]));
    }
    let window = [body, behind.get(..HEADER).unwrap_or(behind)].concat();
    if let Some(start) = interruption(&window, at).filter(|&start| start < stated) {
        let joined = joined();
        let (outer, inner) = joined.split_at_checked(start)?;
        let found = find(inner);
        let words =
            "the header of another message begins inside this one: two writers share the stream";
        let cause = Cause::new(rule::INTERLEAVED_MESSAGES, start, words.into()).explaining_loss();
        return Some(cause.losing(of_start(outer).into_iter().chain(found.map(|one| one.lost))));
    }
    // The body ends inside its value, perhaps inside a character.
    if rest.len() > 3 || !body.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let joined = joined();
    let length = value_length(&joined)?;
    let late = length.checked_sub(stated).filter(|&late| late > 0)?;
    let value = joined.get(..length)?;
    let message = LostMessage::of(value)?;
    let words = format!(
        "the header states {stated} bytes, and the value ends {late} {} later{}",
        if late == 1 { "byte" } else { "bytes" },
        counted(value, stated)
    );
    let cause = Cause::new(rule::CONTENT_LENGTH_WRONG, stated, words).explaining_loss();
    Some(cause.losing([message]))
}

/// Returns where a header begins that interrupts a body, if the fault at `at` is the sign of it. In a string, that is the
/// line end after the header.
fn interruption(body: &[u8], at: usize) -> Option<usize> {
    let start = next_header(body)?;
    let line = body.get(start..)?.iter().position(|&byte| matches!(byte, b'\r' | b'\n'))?;
    (start > 0 && (start..=start + line).contains(&at)).then_some(start)
}

/// Returns the words for what was counted instead of bytes.
fn counted(value: &[u8], stated: usize) -> &'static str {
    match core::str::from_utf8(value) {
        Ok(text) if text.chars().count() == stated => ": the header counts characters",
        Ok(text) if text.encode_utf16().count() == stated => {
            ": the header counts UTF-16 code units"
        }
        _ => "",
    }
}

/// Recognises the text at which a framing is desynchronised.
pub(super) fn of_loss(
    rule: Rule,
    framing: FramingKind,
    text: &[u8],
    at: usize,
    follows_frame: bool,
) -> Option<Cause> {
    if text.starts_with(BYTE_ORDER_MARK) {
        let words = String::from("a byte order mark (EF BB BF) stands before the text");
        return Some(Cause::new(rule::BYTE_ORDER_MARK, 0, words));
    }
    if let Some(found) = foreign::recognize(text, framing, b"").filter(|_| !is_header(text)) {
        return Some(found);
    }
    match framing {
        FramingKind::ContentLength => of_header(rule, text, at, follows_frame),
        FramingKind::Concatenated => of_value(text),
        _ => None,
    }
}

fn of_header(rule: Rule, text: &[u8], at: usize, follows_frame: bool) -> Option<Cause> {
    let around = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    if rule == Rule::HEADER_LINE_END && around(at.saturating_sub(1), at + 2) == b"\r\r\n" {
        return Some(Cause::new(rule::DOUBLE_CARRIAGE_RETURN, at.saturating_sub(1), String::new()));
    }
    if !matches!(
        rule,
        Rule::HEADER_MALFORMED | Rule::HEADER_LINE_END | Rule::CONTENT_LENGTH_MISSING
    ) {
        return None;
    }
    let start = text.trim_ascii_start();
    if matches!(start.first(), Some(b'{' | b'[')) {
        let found = find(start).filter(|found| found.start == 0);
        let framing = match found.as_ref().and_then(|found| start.get(found.end..)) {
            Some([b'\n' | b'\r', ..]) | None => FramingKind::Ndjson,
            Some(_) => FramingKind::Concatenated,
        };
        let words = "a JSON value stands where a header is due".into();
        let cause = Cause::new(rule::HEADER_MISSING, text.len() - start.len(), words);
        return Some(cause.in_framing(framing).losing(found.map(|found| found.lost)));
    }
    let next = next_header(text);
    let stray = text.get(..next.unwrap_or(text.len()))?;
    if stray.is_empty() {
        return None;
    }
    if stray.trim_ascii().is_empty() {
        let is_newline = matches!(stray, b"\n" | b"\r\n");
        let words = match (is_newline, follows_frame, stray.len()) {
            (true, true, _) => {
                "a newline follows the body, and the header does not count it".into()
            }
            (true, false, _) => "a newline stands before the header".into(),
            (false, _, 1) => "1 byte of whitespace stands where a header is due".into(),
            (false, _, count) => format!("{count} bytes of whitespace stand where a header is due"),
        };
        let rule = if follows_frame { rule::BYTES_AFTER_BODY } else { rule::TEXT_BEFORE_HEADER };
        return Some(Cause::new(rule, 0, words));
    }
    let line = stray.trim_ascii_start().split(|&byte| byte == b'\n').next()?.trim_ascii();
    // If no header follows, the text may be a malformed header.
    let is_text = next.is_some() || !line.contains(&b':');
    let words = format!("text stands where a header is due: {}", quote(line));
    is_text.then(|| Cause::new(rule::TEXT_BEFORE_HEADER, 0, words))
}

/// Returns the index of the next header with a length.
fn next_header(text: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    text.windows(NAME.len()).position(|part| part.eq_ignore_ascii_case(NAME))
}

fn of_value(text: &[u8]) -> Option<Cause> {
    is_header(text).then(|| {
        Cause::new(Rule::CONTENT_LENGTH_HEADER, 0, String::new())
            .in_framing(FramingKind::ContentLength)
    })
}
