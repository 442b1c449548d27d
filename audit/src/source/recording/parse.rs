//! The parts of a record that need more than JSON.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tautline::RawJson;
use tautline_mcp::Role;

use super::Record;

/// Reads a record with a time, a writer and a text, as [the writer of recordings](super::RecordingWriter) writes most of
/// them. The text is decoded into `room`. Returns `None` for other records, and for what is not a record: Serde reads or
/// rejects them.
pub(super) fn usual<'a>(line: &'a [u8], room: &'a mut Vec<u8>) -> Option<Record<'a>> {
    let rest = line.strip_prefix(b"{\"us\":")?;
    let (us, rest) = rest.split_at_checked(memchr::memchr(b',', rest)?)?;
    let rest = rest.strip_prefix(b",\"from\":\"")?;
    let (from, rest) = rest.split_at_checked(memchr::memchr(b'"', rest)?)?;
    let text = rest.strip_prefix(b"\",\"text\":\"")?.trim_ascii_end().strip_suffix(b"\"}")?;
    if !us.iter().all(u8::is_ascii_digit) || from.contains(&b'\\') || RawJson::parse(line).is_err()
    {
        return None;
    }
    let text = decoded(text, room)?;
    let us = std::str::from_utf8(us).ok()?.parse().ok()?;
    let (from, text) = (std::str::from_utf8(from).ok()?.into(), text.into());
    Some(Record { us: Some(us), from: Some(from), text: Some(text), ..Record::default() })
}

/// Decodes the content of a string. Returns `None` if the string ends in it, or if it has an escape of a code unit, which
/// may be half a character.
fn decoded<'a>(content: &[u8], room: &'a mut Vec<u8>) -> Option<&'a str> {
    room.clear();
    room.reserve(content.len().saturating_add(8));
    let mut rest = content;
    loop {
        let run = match rest.first_chunk() {
            // Messages have an escape every few bytes, so that a search by longer steps would not be faster. All bytes are
            // copied, and those from the escape on are given up again, because that takes the same time for any number.
            Some(eight) => {
                let run = run_in(*eight);
                let length = room.len();
                room.extend_from_slice(eight);
                room.truncate(length.saturating_add(run));
                run
            }
            None => {
                let run = rest.iter().take_while(|&&byte| !matches!(byte, b'\\' | b'"')).count();
                room.extend_from_slice(rest.get(..run)?);
                run
            }
        };
        match rest.get(run..)? {
            [] => break,
            [b'\\', escape, behind @ ..] => {
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
            [b'\\' | b'"', ..] => return None,
            behind => rest = behind,
        }
    }
    std::str::from_utf8(room).ok()
}

/// Returns the number of bytes before the first backslash or quote.
fn run_in(bytes: [u8; 8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let bytes = u64::from_le_bytes(bytes);
    // The first byte that is 0 has its highest bit set in the result, and no byte before it has.
    let zeros = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes & (ONES << 7);
    let found = zeros(bytes ^ u64::from_le_bytes([b'\\'; 8]))
        | zeros(bytes ^ u64::from_le_bytes([b'"'; 8]));
    let bits = found.trailing_zeros();
    usize::try_from(bits / 8).unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::{Record, usual};

    #[test]
    fn a_usual_record_is_read_as_serde_reads_it() {
        for (line, is_usual) in [
            (r#"{"us":7,"from":"client","text":"{\"a\":\"\\\"\\\\\"}\n"}"#, true),
            (r#"{"us":0,"from":"stderr","text":"\t\r\b\f\/ ö"}"#, true),
            (r#"{"us":1,"from":"other","text":""}"#, true),
            (r#"{"us":1,"from":"client","text":"0123456\"01234567\n012345678\t"}"#, true),
            (r#"{"us":1,"from":"client","text":"\n\n\n\n\n\n\n\n\n!#[]"}"#, true),
            (r#"{"us":9223372036854775807,"from":"server","text":"a"}"#, true),
            (r#"{"us":9223372036854775808,"from":"server","text":"a"}"#, false),
            (r#"{"us":-1,"from":"server","text":"a"}"#, false),
            (r#"{"us":1.0,"from":"server","text":"a"}"#, false),
            (r#"{"us":01,"from":"server","text":"a"}"#, false),
            (r#"{"us":,"from":"server","text":"a"}"#, false),
            (r#"{"us":1,"from":"server","text":"\u0061"}"#, false),
            (r#"{"us":1,"from":"server","text":"\ud800"}"#, false),
            (r#"{"us":1,"from":"serv\u0065r","text":"a"}"#, false),
            (r#"{"us":1,"from":"server","text":"a","why":"b"}"#, false),
            (r#"{"us":1,"from":"server","text":"a","text":"b"}"#, false),
            (r#"{"us":1,"from":"server","text":"a\"}"#, false),
            (r#"{"us":1,"from":"server","text":"\x"}"#, false),
            (r#"{"from":"server","us":1,"text":"a"}"#, false),
            (r#"{ "us": 1, "from": "server", "text": "a" }"#, false),
            ("{\"us\":1,\"from\":\"server\",\"text\":\"\t\"}", false),
            ("[]", false),
        ] {
            for end in ["", "\n", "\r\n"] {
                let line = format!("{line}{end}");
                let mut room = b"old".to_vec();
                let record = usual(line.as_bytes(), &mut room);
                assert_eq!(record.is_some(), is_usual, "{line}");
                if is_usual {
                    assert_eq!(record, serde_json::from_str::<Record<'_>>(&line).ok(), "{line}");
                }
            }
        }
        assert_eq!(
            usual(b"{\"us\":1,\"from\":\"server\",\"text\":\"\xFF\"}", &mut Vec::new()),
            None
        );
    }
}
