//! The parts of a record that need more than JSON.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tautline::{RawJson, RawStr};
use tautline_mcp::Role;

use super::Record;

/// Reads a record with a time, a writer and a text, as most records are, and each of them once. The text is decoded into
/// `room`. Returns `None` for other records, and for what is not a record: Serde reads or rejects them.
pub(super) fn usual<'a>(line: &'a [u8], room: &'a mut Vec<u8>) -> Option<Record<'a>> {
    let (mut us, mut from, mut text) = (None, None, None);
    for member in RawJson::parse(line).ok()?.members()? {
        let is_first = match member.name.unescaped()? {
            "us" => {
                let number = member.value.number()?;
                let is_plain = number.as_bytes().iter().all(u8::is_ascii_digit);
                us.replace(number.as_i64().filter(|_| is_plain)?).is_none()
            }
            "from" => from.replace(member.value.string()?.unescaped()?).is_none(),
            "text" => text.replace(member.value.string()?).is_none(),
            _ => false,
        };
        if !is_first {
            return None;
        }
    }
    let text = decoded(text?, room)?;
    let (from, text) = (Some(Cow::Borrowed(from?)), Some(Cow::Borrowed(text)));
    Some(Record { us: Some(us?), from, text, ..Record::default() })
}

/// Decodes a string, run by run. Returns `None` if it has an escape of a code unit, which may be half a character.
fn decoded<'a>(text: RawStr<'a>, room: &'a mut Vec<u8>) -> Option<&'a str> {
    room.clear();
    let mut rest = text.escaped_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (run, [_, escape, behind @ ..]) = rest.split_at_checked(at)? else { return None };
        room.extend_from_slice(run);
        room.push(match escape {
            b'"' | b'\\' | b'/' => *escape,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 0x08,
            b'f' => 0x0C,
            _ => return None,
        });
        rest = behind;
    }
    room.extend_from_slice(rest);
    std::str::from_utf8(room).ok()
}

/// Why a record was not passed on.
pub(super) enum Failure {
    Receive(std::io::Error),
    Record(String),
}

/// Returns the bytes of a record, if it has any.
pub(super) fn bytes_of<'a>(record: &'a Record<'_>) -> Result<Option<Cow<'a, [u8]>>, Failure> {
    match (&record.text, &record.base64) {
        (Some(text), None) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
        (None, Some(encoded)) => match STANDARD.decode(encoded.as_bytes()) {
            Ok(bytes) => Ok(Some(Cow::Owned(bytes))),
            Err(error) => Err(Failure::Record(format!("the Base64 is invalid: {error}"))),
        },
        (None, None) => Ok(None),
        _ => Err(Failure::Record("a record has either text or base64".to_owned())),
    }
}

pub(super) fn role(name: &str) -> Result<Role, Failure> {
    match name {
        "client" => Ok(Role::Client),
        "server" => Ok(Role::Server),
        _ => Err(Failure::Record(format!(
            "unknown writer {name:?}: expected client, server or stderr"
        ))),
    }
}
