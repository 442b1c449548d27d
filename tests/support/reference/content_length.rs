//! The naive reference for Content-Length: the whole stream at once, header by header.

use crate::support::framings::{Behind, Seen};

/// The outcome of reading headers.
enum Headers {
    /// They end where the body begins, which has this length.
    Body { start: usize, length: u64 },
    /// The stream ends in them.
    Cut,
    /// This byte is not allowed here.
    Fault { at: usize, offset: usize, cause: &'static str },
}

pub fn split(stream: &[u8], limit: u32, header_limit: usize, behind: Behind) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut at = 0;
    let mut line = 0;
    while at < stream.len() {
        match limited(stream, at, header_limit) {
            Headers::Body { start, length } => {
                line += 1;
                let there = &stream[start..];
                let whole = usize::try_from(length).ok().and_then(|length| there.get(..length));
                let bytes = whole.unwrap_or(there).to_vec();
                at = start + bytes.len();
                let (offset, arrived) = (start as u64, bytes.len() as u64);
                let terminated = whole.is_some();
                let about = String::new();
                seen.push(if !terminated {
                    Seen::Unfinished { offset, length: arrived, dropped: bytes }
                } else if length > u64::from(limit) {
                    Seen::Oversized { offset, line, length, terminated, dropped: bytes, about }
                } else {
                    Seen::Frame { offset, line, bytes, terminated, about }
                });
            }
            Headers::Cut => {
                let length = (stream.len() - at) as u64;
                seen.push(Seen::Unfinished { offset: at as u64, length, dropped: Vec::new() });
                break;
            }
            Headers::Fault { at: fault, offset, cause } => {
                seen.push(Seen::Desynchronised { offset: offset as u64, cause });
                if behind == Behind::Stop {
                    break;
                }
                let name = b"content-length:";
                let next = stream[fault..]
                    .windows(name.len())
                    .position(|window| window.eq_ignore_ascii_case(name));
                let Some(next) = next else {
                    let length = (stream.len() - fault) as u64;
                    let offset = fault as u64;
                    seen.push(Seen::Unfinished { offset, length, dropped: Vec::new() });
                    break;
                };
                at = fault + next;
            }
        }
    }
    seen
}

/// Reads the headers, unless their limit comes first.
fn limited(stream: &[u8], start: usize, limit: usize) -> Headers {
    let headers = headers(stream, start);
    let seen = match headers {
        Headers::Body { start, .. } => start,
        Headers::Cut => stream.len(),
        Headers::Fault { at, .. } => at + 1,
    };
    match seen > start + limit {
        true => {
            let at = start + limit;
            Headers::Fault { at, offset: at, cause: "header-too-long" }
        }
        false => headers,
    }
}

fn headers(stream: &[u8], start: usize) -> Headers {
    let fault = |at, cause| Headers::Fault { at, offset: at, cause };
    let mut known = None;
    let mut foreign = None;
    let mut at = start;
    loop {
        let rest = &stream[at..];
        let length = rest.iter().take_while(|byte| !b"\r\n".contains(byte)).count();
        let (line, end) = rest.split_at(length);
        let line_end = at + length;
        if !line.is_empty() {
            let name = line.iter().take_while(|&&byte| is_tchar(byte)).count();
            match line.get(name) {
                Some(b':') if name > 0 => {}
                None if end.is_empty() => return Headers::Cut,
                _ => return fault(at + name, "header-malformed"),
            }
            let value = &line[name + 1..];
            let value_start = at + name + 1;
            if line[..name].eq_ignore_ascii_case(b"content-length") {
                match number(value) {
                    Err(bad) => return fault(value_start + bad, "content-length-invalid"),
                    Ok(_) if end.first() != Some(&b'\r') => {}
                    Ok(None) => return fault(line_end, "content-length-invalid"),
                    Ok(Some(number)) => {
                        if known.is_some_and(|known| known != number) {
                            let cause = "content-length-conflict";
                            return Headers::Fault { at: line_end, offset: at, cause };
                        }
                        known = Some(number);
                    }
                }
            } else if let Some(bad) =
                value.iter().position(|byte| !b"\t".contains(byte) && !(b' '..=b'~').contains(byte))
            {
                return fault(value_start + bad, "header-malformed");
            } else if line[..name].eq_ignore_ascii_case(b"content-type")
                && foreign.is_none()
                && charsets(value).iter().any(|charset| charset != "utf-8" && charset != "utf8")
            {
                foreign = Some(at);
            }
        }
        match end {
            [] | [b'\r'] => return Headers::Cut,
            [b'\r', b'\n', ..] => {}
            [b'\r', ..] => return fault(line_end + 1, "header-line-end"),
            _ => return fault(line_end, "header-line-end"),
        }
        at = line_end + 2;
        if line.is_empty() {
            return match (known, foreign) {
                (Some(length), None) => Headers::Body { start: at, length },
                (Some(_), Some(header)) => {
                    let cause = "charset-unsupported";
                    Headers::Fault { at: at - 1, offset: header, cause }
                }
                (None, _) => {
                    let cause = "content-length-missing";
                    Headers::Fault { at: at - 1, offset: start, cause }
                }
            };
        }
    }
}

/// Returns the charsets of a media type, in lower case and without their quotes.
fn charsets(value: &[u8]) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let (mut is_quoted, mut is_escaped) = (false, false);
    for character in std::str::from_utf8(value).unwrap().chars() {
        if character == ';' && !is_quoted {
            pieces.push(String::new());
            continue;
        }
        is_quoted ^= character == '"' && !is_escaped;
        is_escaped = is_quoted && character == '\\' && !is_escaped;
        pieces.last_mut().unwrap().push(character.to_ascii_lowercase());
    }
    let parameters = pieces[1..].iter().filter_map(|piece| piece.split_once('='));
    let charsets = parameters.filter(|(name, _)| name.trim() == "charset");
    let unquoted = |text: &str| Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    charsets
        .map(|(_, charset)| unquoted(charset.trim()).unwrap_or_else(|| charset.trim().to_owned()))
        .collect()
}

/// Returns the number, if there is one so far, or the offset where the value is invalid.
fn number(value: &[u8]) -> Result<Option<u64>, usize> {
    let is_space = |byte: &&u8| b" \t".contains(byte);
    let before = value.iter().take_while(is_space).count();
    let digits = value[before..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = &value[before..before + digits];
    for end in 1..=digits {
        let text = std::str::from_utf8(&number[..end]).unwrap();
        if text.trim_start_matches('0').len() > 20
            || text.parse::<u128>().unwrap_or(u128::MAX) > u128::from(u64::MAX)
        {
            return Err(before + end - 1);
        }
    }
    let behind = before + digits;
    match value[behind..].iter().position(|byte| !b" \t".contains(byte)) {
        Some(bad) => Err(behind + bad),
        None if digits == 0 => Ok(None),
        None => Ok(std::str::from_utf8(number).unwrap().parse().ok()),
    }
}

/// RFC 9110, section 5.6.2.
fn is_tchar(byte: u8) -> bool {
    b"!#$%&'*+-.^_`|~".contains(&byte) || byte.is_ascii_alphanumeric()
}
