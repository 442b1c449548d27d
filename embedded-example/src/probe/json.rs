//! The calls of the modules `scan` and `json`.

use super::{Show, hide};
use tautline::json::{DecodeError, LoneSurrogate};
use tautline::scan::{self, Span, SyntaxError};
use tautline::{RawJson, RawNumber, RawStr};

/// Scans a text that does not come from a message.
#[inline(never)]
pub fn text(text: &[u8]) {
    match RawJson::parse(text) {
        Ok(json) => value(json),
        Err(error) => show_syntax_error(error),
    }
    if let Err(error) = scan::validate(text, hide(8)) {
        show_syntax_error(error);
    }
}

/// Reads a value, and its contents one level down.
#[inline(never)]
pub fn value(json: RawJson<'_>) {
    scalar(json);
    for member in json.members().into_iter().flatten() {
        string(member.name);
        scalar(member.value);
    }
    for element in json.elements().into_iter().flatten() {
        scalar(element);
    }
    if let Some(member) = json.member(hide("name")) {
        scalar(member);
    }
    (json == hide(json)).show();
}

#[inline(never)]
fn scalar(json: RawJson<'_>) {
    json.as_bytes().show();
    json.as_str().show();
    (json.kind() as u32).show();
    json.is_null().show();
    json.bool().show();
    if let Some(found) = json.number() {
        number(found);
    }
    if let Some(found) = json.string() {
        string(found);
    }
}

#[inline(never)]
pub fn number(number: RawNumber<'_>) {
    number.as_bytes().show();
    number.as_str().show();
    number.as_i64().show();
    number.as_u64().show();
    number.is_integer().show();
    number.is_plain_integer().show();
}

#[inline(never)]
pub fn string(string: RawStr<'_>) {
    string.escaped_bytes().show();
    string.unescaped().show();
    string.has_escapes().show();
    for char in string.chars() {
        match char {
            Ok(char) => char.show(),
            Err(lone) => show_lone_surrogate(lone),
        }
    }
    match string.decoded_len() {
        Ok(len) => len.show(),
        Err(lone) => show_lone_surrogate(lone),
    }
    let mut buffer = [0; 16];
    match string.decode_into(&mut buffer) {
        Ok(text) => text.show(),
        Err(DecodeError::BufferTooSmall { needed }) => needed.show(),
        Err(DecodeError::LoneSurrogate(lone)) => show_lone_surrogate(lone),
        Err(_) => {}
    }
    if let Some(lone) = string.lone_surrogate() {
        show_lone_surrogate(lone);
    }
    (string == *hide("name")).show();
    (string == hide(string)).show();
}

fn show_lone_surrogate(lone: LoneSurrogate) {
    u32::from(lone.unit()).show();
    lone.offset().show();
}

#[inline(never)]
fn show_syntax_error(error: SyntaxError) {
    (error.kind() as u32).show();
    error.kind().description().show();
    error.offset().show();
}

pub fn show_span(span: Span, frame: &[u8]) {
    span.start().show();
    span.end().show();
    span.len().show();
    span.is_empty().show();
    span.of(frame).show();
}
