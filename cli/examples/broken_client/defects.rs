//! The defects of the client.

use std::thread;
use std::time::Duration;

use tautline::{Message, RawJson};
use tautline_mcp::Revision;

/// A defect, which acts at one stage of the client.
pub struct Defect {
    pub name: &'static str,
    pub stage: Stage,
    pub does: fn(&[u8], &mut Memory) -> Act,
}

/// The stage at which a defect acts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// On the bytes of one read.
    Read,
    /// On a line.
    Line,
    /// On the answer to the last request.
    Response,
    /// On another response.
    Stray,
    /// On a request of the server.
    Request,
    /// After an answer that is not valid.
    Invalid,
    /// After a handshake for a version that is not known.
    Version,
    /// After a tool that has failed.
    Failed,
    /// At the end of the server's output.
    End,
    /// Before the end of the session.
    Exit,
}

/// The action of a stage.
pub enum Act {
    /// It passes these bytes on.
    Go(Vec<u8>),
    /// It loses them.
    Lose,
    /// It ends the process.
    Die,
    /// It never returns.
    Hang,
}

impl Act {
    /// Returns this act if the condition holds. Otherwise the bytes are passed on.
    fn if_so(self, condition: bool, bytes: &[u8]) -> Self {
        if condition { self } else { Self::Go(bytes.to_vec()) }
    }
}

/// The state that defects keep.
#[derive(Default)]
pub struct Memory {
    /// The time that the client waits, if it differs from the usual time.
    pub patience: Option<Duration>,
    length: usize,
    notifications: u32,
    /// True if the last read ended inside a line.
    skipping: bool,
}

macro_rules! defects {
    ($($stage:ident { $($name:literal => $does:expr,)* })*) => {
        pub const DEFECTS: &[Defect] = &[$($(Defect { name: $name, stage: Stage::$stage, does: $does },)*)*];
    };
}

defects! {
    Read {
        "cuts-messages-at-reads" => |chunk, _| match chunk {
            [.., b'\n'] => Act::Go(chunk.to_vec()),
            _ => Act::Go([chunk, b"\n"].concat()),
        },
        "loses-split-messages" => whole_lines,
        "loses-joined-messages" => |chunk, _| {
            Act::Go(chunk.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default().to_vec())
        },
        "drops-crlf-lines" => |chunk, _| Act::Lose.if_so(chunk.ends_with(b"\r\n"), chunk),
        "dies-on-split-characters" => |chunk, _| Act::Die.if_so(str::from_utf8(chunk).is_err(), chunk),
        "hangs-on-byte-order-mark" => |chunk, _| Act::Hang.if_so(chunk.starts_with(b"\xef\xbb\xbf"), chunk),
        "hangs-on-blank-line" => |chunk, _| Act::Hang.if_so(has_blank_line(chunk), chunk),
        "dies-on-blank-line" => |chunk, _| Act::Die.if_so(has_blank_line(chunk), chunk),
        "hangs-on-long-line" => |chunk, memory| {
            memory.length = if chunk.contains(&b'\n') { 0 } else { memory.length + chunk.len() };
            Act::Hang.if_so(memory.length > 1 << 18, chunk)
        },
        "gives-up-at-once" => |chunk, memory| {
            memory.patience = Some(Duration::from_millis(500));
            Act::Go(chunk.to_vec())
        },
    }
    Line {
        "hangs-on-log-line" => |line, _| Act::Hang.if_so(is_no_json(line), line),
        "dies-on-log-line" => |line, _| Act::Die.if_so(is_no_json(line), line),
        "dies-on-invalid-utf8" => |line, _| Act::Die.if_so(str::from_utf8(line).is_err(), line),
        "dies-on-invalid-message" => |line, _| Act::Die.if_so(is_no_message(line), line),
        "needs-member-order" => |line, _| Act::Lose.if_so(!line.starts_with(br#"{"jsonrpc":"#), line),
        "hangs-on-extra-members" => |line, _| Act::Hang.if_so(has_extra_members(line), line),
        "hangs-on-batches" => |line, _| Act::Hang.if_so(line.starts_with(b"[") && !is_no_json(line), line),
        "dies-on-unknown-notifications" => |line, _| Act::Die.if_so(is_notification(line), line),
        "dies-on-floods" => |line, memory| {
            memory.notifications += u32::from(is_notification(line));
            Act::Die.if_so(memory.notifications > 1000, line)
        },
        "dies-on-error-without-id" => |line, _| Act::Die.if_so(is_error_with_id(line, None), line),
        "hangs-on-error-with-null-id" => |line, _| Act::Hang.if_so(is_error_with_id(line, Some("null")), line),
        "recursive-depth-dies" => recurse,
    }
    Response {
        "hangs-on-error" => |line, _| {
            // Servers that do not know `server/discover` answer it with this error, which is normal.
            let error = RawJson::parse(line).ok().and_then(|value| value.member("error")?.member("code"));
            Act::Hang.if_so(error.is_some_and(|code| code.to_string() != "-32601"), line)
        },
    }
    Stray {
        "hangs-on-wrong-id" => |_, _| Act::Hang,
        "dies-on-unexpected-response" => |_, _| Act::Die,
    }
    Request { "hangs-on-requests" => |_, _| Act::Hang, }
    Invalid {
        "hangs-on-invalid-response" => |_, _| Act::Hang,
    }
    Version { "hangs-on-unknown-version" => |_, _| Act::Hang, }
    Failed { "hangs-on-failed-tool" => |_, _| Act::Hang, }
    End { "hangs-on-end-of-output" => |_, _| Act::Hang, }
    Exit { "hangs-on-exit" => |_, _| Act::Hang, }
}

fn whole_lines(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for line in chunk.split_inclusive(|&byte| byte == b'\n') {
        if line.ends_with(b"\n") && !memory.skipping {
            out.extend_from_slice(line);
        }
        memory.skipping = !line.ends_with(b"\n");
    }
    Act::Go(out)
}

fn has_blank_line(chunk: &[u8]) -> bool {
    let mut lines = chunk.split_inclusive(|&byte| byte == b'\n');
    lines.any(|line| line.ends_with(b"\n") && line.trim_ascii().is_empty())
}

fn is_no_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
}

fn is_no_message(line: &[u8]) -> bool {
    !is_no_json(line) && Message::parse(line, &Revision::LATEST.profile()).is_err()
}

fn is_notification(line: &[u8]) -> bool {
    matches!(Message::parse(line, &Revision::LATEST.profile()), Ok(Message::Notification(_)))
}

fn has_extra_members(line: &[u8]) -> bool {
    let members = RawJson::parse(line).ok().and_then(|value| value.members());
    let known = ["jsonrpc", "id", "method", "params", "result", "error"];
    members.is_some_and(|mut members| {
        members.any(|member| !known.iter().any(|name| member.name == **name))
    })
}

fn is_error_with_id(line: &[u8], id: Option<&str>) -> bool {
    let Ok(value) = RawJson::parse(line) else { return false };
    let has = value.member("id").map(|id| id.to_string());
    value.member("error").is_some() && has.as_deref() == id
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
    walk.map(thread::JoinHandle::join).map_or(Act::Die, |_| Act::Go(line.to_vec()))
}
