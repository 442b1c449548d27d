//! Messages that share a frame with other text, or with each other.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tautline::frame::FramingKind;
use tautline::internal::envelope::is_header;
use tautline::{Rule, scan};

use super::encoding::{NUL_HELP, escapes_length};
use super::message::{find, messages, of_start, quote, start_of_interruption};
use super::{Cause, LostMessage, rule};
use crate::rule::summary;

/// Recognises a mixture. `at` is the offset of the fault, which is the first byte after a whole value if `is_trailing`.
/// If `is_log`, the frame does not begin as a message would.
pub(super) fn recognize(
    frame: &[u8],
    at: usize,
    (is_trailing, is_log): (bool, bool),
    framing: FramingKind,
) -> Option<Cause> {
    if is_trailing && let Some(cause) = behind_value(frame, at, framing) {
        return Some(cause);
    }
    match frame.trim_ascii_start().first()? {
        b'{' | b'[' if !is_log => {
            inside(frame, at, framing).or_else(|| alternating(frame, at)).or_else(|| cut(frame, at))
        }
        _ => after_text(frame),
    }
}

/// Recognises what follows a whole value in its frame.
fn behind_value(frame: &[u8], at: usize, framing: FramingKind) -> Option<Cause> {
    let (value, rest) = frame.split_at_checked(at)?;
    let first = LostMessage::of(value);
    let next = find(rest);
    let begins_object = rest.starts_with(b"{");
    let is_object = value.trim_ascii_start().starts_with(b"{");
    let end = value.trim_ascii_end().len();
    if let Some(cr) = value.get(end..)?.iter().position(|&byte| byte == b'\r')
        && framing == FramingKind::Ndjson
        && let Some(first) = &first
    {
        let words = format!("{}, after a complete message", summary(Rule::RAW_CARRIAGE_RETURN));
        let lost = [first.clone()].into_iter().chain(next.map(|next| next.lost));
        return Some(Cause::new(Rule::RAW_CARRIAGE_RETURN, end + cr, words).losing(lost));
    }
    if begins_object && (is_object || first.is_some()) {
        let words = format!(
            "another {} begins here, without a delimiter before it",
            if next.is_some() || first.is_some() { "message" } else { "value" },
        );
        let mut others = messages(rest);
        if others.is_empty() {
            others.extend(next.map(|next| next.lost));
        }
        let cause = Cause::new(rule::GLUED_MESSAGES, at, words);
        let lost = first.into_iter().chain(others);
        return Some(cause.losing(lost).in_framing(FramingKind::Concatenated));
    }
    let first = first?;
    if is_header(rest) {
        let words = String::from("a header follows a message on the same line");
        let cause = Cause::new(Rule::CONTENT_LENGTH_HEADER, at, words);
        let lost = [first].into_iter().chain(next.map(|next| next.lost));
        return Some(cause.losing(lost).in_framing(FramingKind::ContentLength));
    }
    if rest.iter().all(|byte| b"}] ,;\t\r\n".contains(byte)) {
        return None;
    }
    if rest.iter().all(|&byte| byte == 0) {
        let subject = if rest.len() == 1 { "a NUL byte follows" } else { "NUL bytes follow" };
        let words = format!("{subject} the message: the terminator of a C string was written");
        let cause = Cause::new(rule::STRAY_TEXT, at, words).with_help(NUL_HELP);
        return Some(cause.losing([first]));
    }
    if escapes_length(rest) == rest.len() {
        let words = format!("a terminal escape sequence stands after the message: {}", quote(rest));
        return Some(Cause::new(rule::TERMINAL_ESCAPE, at, words).losing([first]));
    }
    let text = next.as_ref().and_then(|next| rest.get(..next.start)).unwrap_or(rest);
    let words = format!("text follows the message: {}", quote(text));
    let lost = [first].into_iter().chain(next.map(|next| next.lost));
    Some(Cause::new(rule::STRAY_TEXT, at, words).losing(lost))
}

/// Recognises a message that begins inside another one.
fn inside(frame: &[u8], at: usize, framing: FramingKind) -> Option<Cause> {
    let blank = frame.len() - frame.trim_ascii_start().len();
    let found = find(frame.get(blank + 1..)?)?;
    let start = blank + 1 + found.start;
    let end = blank + 1 + found.end;
    let (before, behind) = (frame.get(..start)?, frame.get(end..)?);
    let is_broken_there = start_of_interruption(frame, at) == Some(start);
    // If a value was due, the message is that value, and the end of the outer message is missing.
    let is_value = behind.trim_ascii().is_empty() && at >= end;
    if !is_broken_there && !is_value && !is_whole([before, behind]) {
        return None;
    }
    if is_quoted(before) && behind.starts_with(b"\"") {
        return None;
    }
    let outer = LostMessage::of(&[before, behind].concat()).or_else(|| of_start(before));
    let is_cut = framing == FramingKind::Ndjson && is_buffer_size(start);
    let lost = outer.into_iter().chain([found.lost]);
    if is_cut {
        let words = format!("the message is cut after {start} bytes, and another one follows");
        return Some(Cause::new(rule::MESSAGE_CUT, start, words).losing(lost));
    }
    let words =
        String::from("another message begins inside this one: two writers share the stream");
    Some(Cause::new(rule::INTERLEAVED_MESSAGES, start, words).losing(lost))
}

/// Recognises a message that begins inside another one, if neither is whole: their parts alternate.
fn alternating(frame: &[u8], at: usize) -> Option<Cause> {
    let start = start_of_interruption(frame, at)?;
    let (outer, inner) = frame.split_at_checked(start)?;
    if !outer.trim_ascii_start().starts_with(b"{") || is_quoted(outer) {
        return None;
    }
    // The first writer may continue at the next place that is not JSON.
    let end = scan::validate(inner, scan::DEFAULT_MAX_DEPTH).err()?.offset();
    let inner = inner.get(..tautline::internal::cast::index(end)).unwrap_or(inner);
    let lost = [of_start(outer), of_start(inner)];
    let lost: Vec<_> = lost.into_iter().flatten().collect();
    (!lost.is_empty()).then(|| {
        let words = String::from(
            "another message begins inside this one, and neither is whole: two writers share the stream",
        );
        Cause::new(rule::INTERLEAVED_MESSAGES, start, words).losing(lost)
    })
}

/// Returns whether a string begins at the end of this text. The message after it is the content of that string, and its
/// quotes are not escaped.
fn is_quoted(before: &[u8]) -> bool {
    let text = before.strip_suffix(b"\"").map(<[u8]>::trim_ascii_end);
    text.is_some_and(|text| matches!(text.last(), Some(b':' | b'[')))
}

/// Returns whether two parts are a message together.
fn is_whole(parts: [&[u8]; 2]) -> bool {
    LostMessage::of(&parts.concat()).is_some()
}

/// Recognises a message that ends at the size of a buffer.
fn cut(frame: &[u8], at: usize) -> Option<Cause> {
    if at < frame.len() || !is_buffer_size(frame.len()) {
        return None;
    }
    let length = frame.len();
    let words = format!("the message is cut after {length} bytes");
    Some(Cause::new(rule::MESSAGE_CUT, at, words).losing(of_start(frame)))
}

/// Returns whether programs have buffers of this size: a power of two, or some pages.
fn is_buffer_size(length: usize) -> bool {
    length >= 512 && (length.is_power_of_two() || length.is_multiple_of(4096))
}

/// Recognises a message that follows other text.
fn after_text(frame: &[u8]) -> Option<Cause> {
    let found = find(frame)?;
    let text = frame.get(..found.start)?.trim_ascii();
    if is_header(text) {
        let words = String::from("a header stands before a message on the same line");
        let cause = Cause::new(Rule::CONTENT_LENGTH_HEADER, 0, words);
        return Some(cause.losing([found.lost]).in_framing(FramingKind::ContentLength));
    }
    let words = format!("text stands before the message: {}", quote(text));
    Some(Cause::new(rule::STRAY_TEXT, 0, words).losing([found.lost]))
}
