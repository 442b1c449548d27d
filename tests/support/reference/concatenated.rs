//! The naive reference for concatenated JSON: the whole stream at once, value by value.

use crate::support::framings::{Behind, Seen};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

pub fn split(stream: &[u8], limit: u32, behind: Behind) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut at = 0;
    let mut line = 0;
    let mark = stream.iter().zip(BYTE_ORDER_MARK).take_while(|(a, b)| a == b).count();
    if mark == BYTE_ORDER_MARK.len() {
        at = mark;
    } else if mark > 0 && mark == stream.len() {
        return vec![Seen::Unfinished { offset: 0, length: mark as u64, dropped: Vec::new() }];
    } else if mark > 0 {
        seen.push(Seen::Desynchronised { offset: 0, cause: "value-expected" });
        match skipped(stream, mark, behind, &mut seen) {
            Some(next) => at = next,
            None => return seen,
        }
    }
    loop {
        at += stream[at..].iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        let Some(&first) = stream.get(at) else { return seen };
        if !b"{[\"-0123456789tfn".contains(&first) {
            seen.push(Seen::Desynchronised { offset: at as u64, cause: "value-expected" });
            match skipped(stream, at, behind, &mut seen) {
                Some(next) => at = next,
                None => return seen,
            }
            continue;
        }
        line += 1;
        let rest = &stream[at..];
        let (length, is_whole) = match first {
            b'"' => string(rest),
            b'{' | b'[' => brackets(rest),
            _ => {
                let is_of_it = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
                let length = rest.iter().take_while(is_of_it).count();
                (length, length < rest.len())
            }
        };
        let bytes = rest[..length].to_vec();
        let offset = at as u64;
        let (is_long, terminated, about) = (length > limit as usize, is_whole, String::new());
        let arrived = length as u64;
        seen.push(if !is_whole && b"{[\"".contains(&first) {
            Seen::Unfinished { offset, length: arrived, dropped: bytes }
        } else if is_long {
            Seen::Oversized { offset, line, length: arrived, terminated, dropped: bytes, about }
        } else {
            Seen::Frame { offset, line, bytes, terminated, about }
        });
        at += length;
    }
}

/// Returns the length of the string that begins here, and whether it ends.
fn string(text: &[u8]) -> (usize, bool) {
    let mut at = 1;
    loop {
        match text.get(at) {
            None => return (text.len(), false),
            Some(b'"') => return (at + 1, true),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

fn brackets(text: &[u8]) -> (usize, bool) {
    let mut depth = 0;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string(&text[at..]).0;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (at, true);
        }
    }
    (text.len(), false)
}

/// Returns where to continue: at a line that begins with a bracket.
fn skipped(stream: &[u8], from: usize, behind: Behind, seen: &mut Vec<Seen>) -> Option<usize> {
    if behind == Behind::Stop {
        return None;
    }
    let mut start = from;
    for line in stream[from..].split_inclusive(|&byte| byte == b'\n') {
        let blank = line.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        if start > from && matches!(line.get(blank), Some(b'{' | b'[')) {
            return Some(start + blank);
        }
        start += line.len();
    }
    let length = (stream.len() - from) as u64;
    seen.push(Seen::Unfinished { offset: from as u64, length, dropped: Vec::new() });
    None
}
