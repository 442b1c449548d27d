//! Messages that share a frame with other text, or with each other.

use alloc::format;
use alloc::string::String;

use tautline::Rule;
use tautline::frame::FramingKind;
use tautline::internal::envelope::is_header;

use super::encoding::{NUL_HELP, escapes_length};
use super::message::{Found, find, lost, name_of, name_of_loose, quote};
use super::{Cause, rule};
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
        b'{' | b'[' if !is_log => inside(frame, at, framing).or_else(|| cut(frame, at)),
        _ => after_text(frame),
    }
}

/// Recognises what follows a whole value in its frame.
fn behind_value(frame: &[u8], at: usize, framing: FramingKind) -> Option<Cause> {
    let (value, rest) = frame.split_at_checked(at)?;
    let first = name_of(value);
    let next = find(rest);
    let begins_object = rest.starts_with(b"{");
    let is_object = value.trim_ascii_start().starts_with(b"{");
    let end = value.trim_ascii_end().len();
    if let Some(cr) = value.get(end..)?.iter().position(|&byte| byte == b'\r')
        && framing == FramingKind::Ndjson
        && first.is_some()
    {
        let words = format!(
            "{}, after a complete message{}",
            summary(Rule::RAW_CARRIAGE_RETURN),
            both(first, next)
        );
        return Some(Cause::new(Rule::RAW_CARRIAGE_RETURN, end + cr, words));
    }
    if begins_object && (is_object || first.is_some()) {
        let words = format!(
            "another {} begins here, without a delimiter before it{}",
            if next.is_some() || first.is_some() { "message" } else { "value" },
            both(first, next)
        );
        return Some(
            Cause::new(rule::GLUED_MESSAGES, at, words).in_framing(FramingKind::Concatenated),
        );
    }
    let first = first?;
    if is_header(rest) {
        let words =
            format!("a header follows a message on the same line{}", both(Some(first), next));
        let cause = Cause::new(Rule::CONTENT_LENGTH_HEADER, at, words);
        return Some(cause.in_framing(FramingKind::ContentLength));
    }
    if rest.iter().all(|byte| b"}] ,;\t\r\n".contains(byte)) {
        return None;
    }
    if rest.iter().all(|&byte| byte == 0) {
        let subject = if rest.len() == 1 { "a NUL byte follows" } else { "NUL bytes follow" };
        let words = format!(
            "{subject} the message: the terminator of a C string was written{}",
            lost(Some(&first))
        );
        return Some(Cause::new(rule::STRAY_TEXT, at, words).with_help(NUL_HELP));
    }
    if escapes_length(rest) == rest.len() {
        let words = format!(
            "a terminal escape sequence stands after the message: {}{}",
            quote(rest),
            lost(Some(&first))
        );
        return Some(Cause::new(rule::TERMINAL_ESCAPE, at, words));
    }
    let text = next.as_ref().and_then(|next| rest.get(..next.start)).unwrap_or(rest);
    let words = format!("text follows the message: {}{}", quote(text), both(Some(first), next));
    Some(Cause::new(rule::STRAY_TEXT, at, words))
}

/// Recognises a message that begins inside another one.
fn inside(frame: &[u8], at: usize, framing: FramingKind) -> Option<Cause> {
    let blank = frame.len() - frame.trim_ascii_start().len();
    let found = find(frame.get(blank + 1..)?)?;
    let start = blank + 1 + found.start;
    let end = blank + 1 + found.end;
    let (before, behind) = (frame.get(..start)?, frame.get(end..)?);
    // The quote after the brace ends the string that was interrupted, so the fault follows that quote.
    let is_broken_there = (start..=start + 2).contains(&at);
    // If a value was due, the message is that value, and the end of the outer message is missing.
    let is_value = behind.trim_ascii().is_empty() && at >= end;
    if !is_broken_there && !is_value && !is_whole([before, behind]) {
        return None;
    }
    let outer = outer_name(before, behind);
    let is_cut = framing == FramingKind::Ndjson && is_buffer_size(start);
    if is_cut {
        let words = format!(
            "the message is cut after {start} bytes, and another one follows{}",
            both(outer, Some(found))
        );
        return Some(Cause::new(rule::MESSAGE_CUT, start, words));
    }
    let words = format!(
        "another message begins inside this one: two writers share the stream{}",
        both(outer, Some(found))
    );
    Some(Cause::new(rule::INTERLEAVED_MESSAGES, start, words))
}

/// Returns whether two parts are a message together.
fn is_whole(parts: [&[u8]; 2]) -> bool {
    name_of(&parts.concat()).is_some()
}

fn outer_name(before: &[u8], behind: &[u8]) -> Option<String> {
    name_of(&[before, behind].concat()).or_else(|| name_of_loose(before))
}

/// Recognises a message that ends at the size of a buffer.
fn cut(frame: &[u8], at: usize) -> Option<Cause> {
    if at < frame.len() || !is_buffer_size(frame.len()) {
        return None;
    }
    let length = frame.len();
    let words =
        format!("the message is cut after {length} bytes{}", lost(name_of_loose(frame).as_deref()));
    Some(Cause::new(rule::MESSAGE_CUT, at, words))
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
        let words =
            format!("a header stands before a message on the same line{}", lost(Some(&found.name)));
        let cause = Cause::new(Rule::CONTENT_LENGTH_HEADER, 0, words);
        return Some(cause.in_framing(FramingKind::ContentLength));
    }
    let words =
        format!("text stands before the message: {}{}", quote(text), lost(Some(&found.name)));
    Some(Cause::new(rule::STRAY_TEXT, 0, words))
}

/// Returns the words for two messages that are lost, the first of them perhaps unnamed.
fn both(first: Option<String>, second: Option<Found>) -> String {
    let second = second.map(|found| found.name);
    match (first, second) {
        (Some(first), Some(second)) => format!("; {second} is lost, and so is {first}"),
        (first, second) => lost(second.or(first).as_deref()),
    }
}
