//! The parts of a record that need more than JSON.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
    let rest = rest.strip_prefix(b"\",\"text\":\"")?;
    // A record on one line ends with it. Serde reads one with other whitespace.
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let text = rest.strip_suffix(b"\r").unwrap_or(rest).strip_suffix(b"\"}")?;
    let is_number = us.iter().all(u8::is_ascii_digit) && (us.len() == 1 || !us.starts_with(b"0"));
    if !is_number || !from.iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    let text = decoded(text, room)?;
    let us = std::str::from_utf8(us).ok()?.parse().ok()?;
    let (from, text) = (std::str::from_utf8(from).ok()?.into(), text.into());
    Some(Record { us: Some(us), from: Some(from), text: Some(text), ..Record::default() })
}

/// The number of bytes that are examined at once.
const BLOCK: usize = 64;

/// The number of bytes that are copied at once.
const PIECE: usize = 16;

/// Decodes the content of a string. Returns `None` if it is not the content of one string of JSON, or if it has an escape
/// of a code unit, which may be half a character.
fn decoded<'a>(content: &[u8], room: &'a mut Vec<u8>) -> Option<&'a str> {
    // Text never becomes longer. The last piece may be written as a whole.
    let most = content.len() + PIECE;
    if room.len() < most {
        room.resize(most, 0);
    }
    // The index of the first byte that was not copied, and the number of bytes that were decoded.
    let (mut at, mut length) = (0, 0);
    let mut start = 0;
    while let Some(rest @ [_, ..]) = content.get(start..) {
        let mut stops = match rest.first_chunk() {
            Some(block) => stops_in(block),
            None => stops_in(&std::array::from_fn(|at| rest.get(at).copied().unwrap_or(b' '))),
        };
        if at > start {
            // The block before it ends with the backslash.
            stops &= !1;
        }
        while stops != 0 {
            let place = stops.trailing_zeros();
            stops &= !(0b11 << place);
            let stop = start + usize::try_from(place).ok()?;
            // A string ends at a quote, and has no control characters.
            let [b'\\', escape] = *content.get(stop..)?.first_chunk()? else { return None };
            copy(content, at..stop, room.get_mut(length..)?)?;
            length += stop - at;
            *room.get_mut(length)? = match escape {
                b'"' | b'\\' | b'/' => escape,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 0x08,
                b'f' => 0x0C,
                _ => return None,
            };
            length += 1;
            at = stop + 2;
        }
        start += BLOCK;
    }
    copy(content, at..content.len(), room.get_mut(length..)?)?;
    length += content.len() - at;
    // An escape does not complete or cut a character, so that the content is UTF-8 if this is.
    std::str::from_utf8(room.get(..length)?).ok()
}

/// Copies a run of bytes to the start of `room`, and may copy some bytes after it.
fn copy(content: &[u8], run: Range<usize>, room: &mut [u8]) -> Option<()> {
    let rest = content.get(run.start..)?;
    match rest.first_chunk::<PIECE>() {
        // Messages have an escape every few bytes.
        Some(piece) if run.len() <= PIECE => *room.first_chunk_mut()? = *piece,
        _ => room.get_mut(..run.len())?.copy_from_slice(rest.get(..run.len())?),
    }
    Some(())
}

/// Returns a bit for each byte, from the lowest: whether it is a backslash, a quote or a control character.
fn stops_in(block: &[u8; BLOCK]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = ONES << 7;
    /// Gathers the lowest bits of all bytes in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (words, _) = block.as_chunks();
    words.iter().rev().fold(0, |stops, word| {
        let word = u64::from_le_bytes(*word);
        // The highest bit of each byte that is at least `least`, below which none carries into another.
        let reaches = |word: u64, least: u64| ((word & !HIGHEST) + (0x80 - least) * ONES) | word;
        let others = reaches(word, 0x20)
            & reaches(word ^ (u64::from(b'"') * ONES), 1)
            & reaches(word ^ (u64::from(b'\\') * ONES), 1);
        let found = (!others & HIGHEST) >> 7;
        stops << 8 | found.wrapping_mul(GATHER) >> 56
    })
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
    #[test]
    fn escapes_are_decoded_wherever_they_are() {
        let mut room = Vec::new();
        for piece in
            [r"\n", r"\\", r#"\""#, r#"\\\""#, r"a\tbc", "\u{F6}", r#"\"0123456789abcdef\""#]
        {
            for (before, count) in (0..70).flat_map(|before| [(before, 1), (before, 40)]) {
                for behind in [0, 1, 15, 16, 17, 63, 64, 65] {
                    let ends = ["x".repeat(before), "y".repeat(behind)];
                    let text = ends.join(&piece.repeat(count));
                    let line = format!("{{\"us\":1,\"from\":\"server\",\"text\":\"{text}\"}}\n");
                    let record = usual(line.as_bytes(), &mut room);
                    assert!(record.is_some(), "{line}");
                    assert_eq!(record, serde_json::from_str(&line).ok(), "{line}");
                }
            }
        }
    }

    #[test]
    fn no_byte_makes_a_record_that_serde_does_not_read() {
        const LINE: &[u8] =
            b"{\"us\":10,\"from\":\"client\",\"text\":\"0123\\\"567\\n \xC3\xB6 89\"}\r\n";
        let mut room = Vec::new();
        let mut check = |line: &[u8]| {
            if let Some(record) = usual(line, &mut room) {
                let shown = line.escape_ascii();
                assert_eq!(Some(record), serde_json::from_slice(line).ok(), "{shown}");
            }
        };
        for at in 0..LINE.len() {
            let (before, behind) = LINE.split_at(at);
            for byte in 0..=u8::MAX {
                check(&[before, &[byte], &behind[1..]].concat());
                check(&[before, &[byte], behind].concat());
            }
            check(&[before, &behind[1..]].concat());
        }
    }
}
