//! Defects of servers in how they parse a line.

use std::thread;

use tautline::envelope::Uncorrelated;
use tautline::frame::Frame;
use tautline::{Fault, Message, RawJson, Rule};

use crate::defect::{Act, Memory, defects, go};
use crate::members::{Members, error};

defects! {
    Line {
        "dies-on-bad-json" => |line, memory| Act::Die.if_so(is_text(line, memory) == Some(false), line),
        "dies-on-invalid-request" => |line, memory| Act::Die.if_so(is_text(line, memory) == Some(true), line),
        "ignores-invalid-requests" => |line, memory| Act::Lose.if_so(is_text(line, memory) == Some(true), line),
        "logs-to-stdout" => |line, memory| {
            Act::Say("ERROR cannot parse the line".into()).if_so(is_text(line, memory) == Some(false), line)
        },
        "wrong-code-parse-error" => |line, memory| {
            Act::Say(error("null", -32603)).if_so(is_text(line, memory) == Some(false), line)
        },
        "wrong-code-invalid-request" => wrong_code,
        "wrong-code-invalid-notification" => wrong_notification,
        "dies-on-scalars" => |line, _| {
            Act::Die.if_so(RawJson::parse(line).is_ok_and(|value| value.members().is_none() && value.elements().is_none()), line)
        },
        "recursive-depth-dies" => recurse,
        "ignores-deep-messages" => |line, _| Act::Lose.if_so(depth(line) > Some(128), line),
        "ignores-messages-deeper-than-32" => |line, _| Act::Lose.if_so(depth(line) > Some(32), line),
        "dies-on-deep-messages" => |line, _| Act::Die.if_so(depth(line) > Some(512), line),
        "counts-depth-below-zero" => |line, _| Act::Die.if_so(depth(line).is_none(), line),
        "needs-brace-first" => |line, _| Act::Lose.if_so(!line.starts_with(b"{") && !line.starts_with(b"["), line),
        "needs-brace-last" => |line, _| Act::Lose.if_so(!line.ends_with(b"}") && !line.ends_with(b"]"), line),
        "needs-compact-json" => |line, _| Act::Lose.if_so(!has(line, br#","method":""#), line),
        "needs-member-order" => |line, _| Act::Lose.if_so(!line.starts_with(br#"{"jsonrpc":"2.0","#), line),
        // The first value is served, and the rest of the line is ignored.
        "reads-first-value-of-line" => |line, _| Act::Go(line[..end_of_value(line)].to_vec()),
        // The part of the line that looks like an object is extracted.
        "extracts-object" => |line, _| {
            let start = line.iter().position(|&byte| byte == b'{').unwrap_or(0);
            let object = &line[start..];
            Act::Go(object[..end_of_value(object)].to_vec())
        },
        "takes-events" => |line, _| go(line.strip_prefix(b"data: ").unwrap_or(line)),
        "switches-to-content-length" => |line, memory| {
            memory.has_seen_header |= line.starts_with(b"Content-Length:");
            match memory.has_seen_header && line.starts_with(b"{") {
                true => Act::Say(format!("Content-Length: 36\r\n\r\n{}", error("null", -32700))),
                false => go(line),
            }
        },
        "reads-octal-ids" => |line, _| {
            let text = String::from_utf8_lossy(line);
            match text.split_once("\"id\":0") {
                Some((before, after)) if after.starts_with(|digit: char| digit.is_ascii_digit()) => {
                    Act::Go(format!("{before}\"id\":{after}").into_bytes())
                }
                _ => go(line),
            }
        },
        "rejects-escapes" => |line, _| Act::Lose.if_so(has(line, b"\\b") || has(line, b"\\f") || has(line, b"\\/"), line),
        "ignores-large-numbers" => |line, _| {
            let reading = serde_json::from_slice::<serde_json::Value>(line);
            Act::Lose.if_so(reading.is_err_and(|error| error.to_string().starts_with("number out of range")), line)
        },
        "dies-on-floods" => flood,
    }
    Message {
        "reads-integers-only" => |line, _| Act::Lose.if_so(any_number(line, |number| number.contains(['.', 'e', 'E'])), line),
        "rejects-empty-names" => |line, _| Act::Lose.if_so(has(line, br#""":"#), line),
        "rejects-nested-arrays" => |line, _| Act::Lose.if_so(has(line, b"[["), line),
        "rejects-repeated-names-anywhere" => |line, _| Act::Lose.if_so(has_repeated_text_names(line), line),
        "dies-on-repeated-names" => |line, _| Act::Die.if_so(has_repeated_params(line), line),
    }
}

/// Returns whether a line that is not a message is at least JSON.
fn is_text(line: &[u8], memory: &Memory) -> Option<bool> {
    let fault = fault(line, memory)?;
    Some(!matches!(fault.rule(), Rule::NOT_JSON | Rule::INVALID_UTF8))
}

fn fault<'a>(line: &'a [u8], memory: &Memory) -> Option<Fault<'a>> {
    Message::parse(Frame::from_line(line), &memory.profile.with_uncorrelated(Uncorrelated::NullId))
        .err()
}

fn wrong_code(line: &[u8], memory: &mut Memory) -> Act {
    let reply = fault(line, memory).filter(|_| is_text(line, memory) == Some(true));
    match reply.and_then(|fault| Some(fault.reply()?.raw_id()?.to_string())) {
        Some(id) => Act::Say(error(&id, -32603)),
        None => go(line),
    }
}

fn wrong_notification(line: &[u8], memory: &mut Memory) -> Act {
    let lacks_id = || Members::of(line).is_some_and(|members| members.get("id").is_none());
    Act::Say(error("null", -32603)).if_so(fault(line, memory).is_some() && lacks_id(), line)
}

/// Visits the brackets like a recursive parser, on a small stack.
fn recurse(line: &[u8], _: &mut Memory) -> Act {
    fn value(text: &[u8], mut at: usize) -> usize {
        while at < text.len() {
            at = match text[at] {
                b'[' | b'{' => value(text, std::hint::black_box(at + 1)),
                b']' | b'}' => return at + 1,
                _ => at + 1,
            };
        }
        at
    }
    let text = line.to_vec();
    let walk = thread::Builder::new().stack_size(1 << 20).spawn(move || value(&text, 0));
    walk.map(thread::JoinHandle::join).map_or(Act::Die, |_| go(line))
}

/// Returns the maximum number of open brackets, or `None` if more are closed than were opened.
fn depth(line: &[u8]) -> Option<usize> {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in line {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    Some(deepest)
}

/// Returns where the first bracket is closed.
fn end_of_value(line: &[u8]) -> usize {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    line.len()
}

fn flood(line: &[u8], memory: &mut Memory) -> Act {
    memory.useless += u32::from(
        !Members::of(line)
            .is_some_and(|members| members.is_request() && members.get("id") != Some("null")),
    );
    Act::Die.if_so(memory.useless > 500, line)
}

fn any_number(line: &[u8], is_so: impl Fn(&str) -> bool) -> bool {
    let text = String::from_utf8_lossy(line);
    let numbers = text.split(|one: char| !(one.is_ascii_alphanumeric() || "+-.".contains(one)));
    numbers
        .filter(|word| word.starts_with(|one: char| one.is_ascii_digit() || one == '-'))
        .any(|word| is_so(word) && word != "2.0")
}

/// Returns whether a name occurs twice in the text, in one object or in two, as a naive text search finds it.
fn has_repeated_text_names(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    ["\"id\":", "\"a\":"].iter().any(|name| text.matches(name).count() > 1)
}

fn has_repeated_params(line: &[u8]) -> bool {
    let params = Members::of(line).and_then(|members| members.inner("params"));
    params.is_some_and(|params| params.clone().keep_first().0.len() < params.0.len())
}

fn has(line: &[u8], piece: &[u8]) -> bool {
    line.windows(piece.len()).any(|window| window == piece)
}
