//! The naive reference for server-sent events: the whole stream at once, line by line, in the order of the HTML
//! standard (section 9.2.6).

use crate::support::framings::Seen;

/// The numbers of bytes kept of a type and of an id.
const LONGEST_TYPE: usize = 32;
const LONGEST_ID: usize = 128;

/// A line without its line end.
struct Line<'stream> {
    offset: usize,
    text: &'stream [u8],
    is_ended: bool,
}

fn lines(stream: &[u8]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut offset = if stream.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    while offset < stream.len() {
        let rest = &stream[offset..];
        let length = rest.iter().take_while(|byte| !b"\r\n".contains(byte)).count();
        let (text, end) = rest.split_at(length);
        lines.push(Line { offset, text, is_ended: !end.is_empty() });
        offset += length + if end.starts_with(b"\r\n") { 2 } else { 1 };
    }
    lines
}

pub fn split(stream: &[u8], limit: u32) -> Vec<Seen> {
    let mut seen = Vec::new();
    // The lines of data, each with its position.
    let mut data: Vec<(usize, u64, &[u8])> = Vec::new();
    let (mut kind, mut id): (&[u8], &[u8]) = (b"", b"");
    let mut retry = None;
    let mut start = None;
    for (number, Line { offset, text, is_ended }) in (1..).zip(lines(stream)) {
        if text.is_empty() {
            let kind = std::mem::take(&mut kind);
            start = None;
            seen.extend(event(&std::mem::take(&mut data), limit, about(kind, id, retry)));
            continue;
        }
        if text.starts_with(b":") {
            continue;
        }
        start.get_or_insert(offset);
        let colon = text.iter().position(|&byte| byte == b':');
        let name = &text[..colon.unwrap_or(text.len())];
        let value = colon.map_or(&b""[..], |colon| &text[colon + 1..]);
        let spaceless = value.strip_prefix(b" ").unwrap_or(value);
        if !is_ended {
            // A partial line counts once part of its data is there.
            if name == b"data" && !spaceless.is_empty() {
                data.push((stream.len() - spaceless.len(), number, spaceless));
            }
            continue;
        }
        match name {
            b"data" => data.push((offset + text.len() - spaceless.len(), number, spaceless)),
            b"event" => kind = spaceless,
            b"id" if !spaceless.contains(&0) => id = spaceless,
            b"retry" if !spaceless.is_empty() && spaceless.iter().all(u8::is_ascii_digit) => {
                let text = std::str::from_utf8(spaceless).unwrap();
                retry = Some(text.parse::<u64>().unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }
    let Some(start) = start else { return seen };
    let (offset, length) = (start as u64, (stream.len() - start) as u64);
    seen.push(Seen::Unfinished { offset, length, dropped: joined(&data) });
    seen
}

fn joined(data: &[(usize, u64, &[u8])]) -> Vec<u8> {
    data.iter().map(|(_, _, text)| *text).collect::<Vec<_>>().join(&b'\n')
}

/// Returns the event of these lines of data.
fn event(data: &[(usize, u64, &[u8])], limit: u32, about: String) -> Option<Seen> {
    let &(offset, line, _) = data.first()?;
    let bytes = joined(data);
    let (offset, length, terminated) = (offset as u64, bytes.len() as u64, true);
    Some(match length > u64::from(limit) {
        true => Seen::Oversized { offset, line, length, terminated, dropped: bytes, about },
        false => Seen::Frame { offset, line, bytes, terminated, about },
    })
}

/// Formats the state of the framing after a frame.
fn about(kind: &[u8], last_id: &[u8], retry: Option<u64>) -> String {
    let kept = |text: &[u8], longest| match text.len() > longest {
        true => "TooLong".to_owned(),
        false => text.escape_ascii().to_string(),
    };
    let kind = if kind.is_empty() { b"message" } else { kind };
    let (kind, id) = (kept(kind, LONGEST_TYPE), kept(last_id, LONGEST_ID));
    format!("type {kind}\nid {id}\nretry {retry:?}")
}
