//! Defects of servers in how they split their input into lines.

use crate::defect::{Act, Memory, defects, go};

/// The size of a buffer that is too small.
const BUFFER: usize = 1 << 16;

defects! {
    Read {
        // Universal newlines: a CR ends a line, too.
        "splits-at-cr" => |chunk, _| replaced(chunk, b'\r', b'\n'),
        "drops-crlf-lines" => drop_crlf,
        // Each read is a message.
        "cuts-messages-at-reads" => |chunk, _| match chunk {
            [.., b'\n'] => go(chunk),
            _ => Act::Go([chunk, b"\n"].concat()),
        },
        // Only lines that are complete within one read are found.
        "loses-split-messages" => whole_lines,
        // Each read is one message.
        "loses-joined-messages" => first_line,
        // A full buffer is treated as a line, and the rest of the line as the next one.
        "serves-tail-of-long-line" => cut_long,
        "dies-on-long-line" => |chunk, memory| Act::Die.if_so(is_long(chunk, memory), chunk),
        "hangs-on-long-line" => |chunk, memory| Act::Hang.if_so(is_long(chunk, memory), chunk),
        "drops-long-lines" => drop_long,
        "hangs-on-blank-line" => |chunk, memory| Act::Hang.if_so(has_blank_line(chunk, memory), chunk),
        "dies-on-blank-line" => |chunk, memory| Act::Die.if_so(has_blank_line(chunk, memory), chunk),
        "dies-on-byte-order-mark" => |chunk, _| Act::Die.if_so(chunk.starts_with(b"\xef\xbb\xbf"), chunk),
        // A message ends where its last bracket is closed, even if there are newlines before.
        "waits-for-balanced-braces" => balanced,
        // A NUL ends the text of a line, as in C.
        "truncates-lines-at-nul" => up_to_nul,
        // A lead byte consumes the next byte, whatever it is.
        "swallows-newline-in-character" => swallow,
        // Each read is decoded separately, so a character that is split across two reads becomes two invalid ones.
        "decodes-reads-separately" => |chunk, _| Act::Go(String::from_utf8_lossy(chunk).into_owned().into_bytes()),
        "splits-at-line-separator" => |chunk, _| {
            let text = String::from_utf8_lossy(chunk);
            Act::Go(text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n").into_bytes())
        },
    }
    End {
        "survives-end-of-input" => |_, _| Act::Hang,
        "aborts-at-end-of-input" => |_, _| Act::Abort,
        "hangs-on-unfinished-line" => |rest, _| Act::Hang.if_so(!rest.is_empty(), rest),
    }
}

fn replaced(chunk: &[u8], from: u8, to: u8) -> Act {
    Act::Go(chunk.iter().map(|&byte| if byte == from { to } else { byte }).collect())
}

fn drop_crlf(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for &byte in chunk {
        if byte == b'\n' && memory.held {
            // This byte makes the text invalid JSON.
            out.push(0);
        }
        memory.held = byte == b'\r';
        out.push(byte);
    }
    Act::Go(out)
}

fn whole_lines(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for line in chunk.split_inclusive(|&byte| byte == b'\n') {
        let is_whole = line.ends_with(b"\n");
        if is_whole && !memory.skipping {
            out.extend_from_slice(line);
        }
        memory.skipping = !is_whole;
    }
    Act::Go(out)
}

fn first_line(chunk: &[u8], _: &mut Memory) -> Act {
    go(chunk.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default())
}

fn cut_long(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::with_capacity(chunk.len() + 1);
    for &byte in chunk {
        memory.length = if byte == b'\n' { 0 } else { memory.length + 1 };
        out.push(byte);
        if memory.length == BUFFER {
            memory.length = 0;
            out.push(b'\n');
        }
    }
    Act::Go(out)
}

fn is_long(chunk: &[u8], memory: &mut Memory) -> bool {
    let mut longest = 0;
    for line in chunk.split_inclusive(|&byte| byte == b'\n') {
        memory.length += line.len();
        longest = longest.max(memory.length);
        if line.ends_with(b"\n") {
            memory.length = 0;
        }
    }
    longest > BUFFER
}

fn drop_long(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for line in chunk.split_inclusive(|&byte| byte == b'\n') {
        memory.length += line.len();
        if memory.length > BUFFER && !memory.skipping {
            memory.skipping = true;
            // This byte makes the text invalid JSON.
            out.push(0);
        }
        match line.ends_with(b"\n") {
            true if memory.skipping => out.push(b'\n'),
            _ if memory.skipping => continue,
            _ => out.extend_from_slice(line),
        }
        if line.ends_with(b"\n") {
            (memory.length, memory.skipping) = (0, false);
        }
    }
    Act::Go(out)
}

fn has_blank_line(chunk: &[u8], memory: &Memory) -> bool {
    let mut lines = chunk.split_inclusive(|&byte| byte == b'\n');
    let is_blank = |line: &[u8]| line.ends_with(b"\n") && line.trim_ascii().is_empty();
    let first = lines.next().unwrap_or_default();
    is_blank(&[&memory.line, first].concat()) || lines.any(is_blank)
}

fn balanced(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for &byte in chunk {
        let is_open = memory.depth > 0 || memory.in_string;
        match byte {
            _ if memory.escaped => memory.escaped = false,
            b'\\' if memory.in_string => memory.escaped = true,
            b'"' => memory.in_string = !memory.in_string,
            b'{' | b'[' if !memory.in_string => memory.depth += 1,
            b'}' | b']' if !memory.in_string => memory.depth = memory.depth.saturating_sub(1),
            _ => {}
        }
        out.push(if byte == b'\n' && is_open { b' ' } else { byte });
    }
    Act::Go(out)
}

fn up_to_nul(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for &byte in chunk {
        memory.skipping = byte != b'\n' && (memory.skipping || byte == 0);
        if !memory.skipping {
            out.push(byte);
        }
    }
    Act::Go(out)
}

fn swallow(chunk: &[u8], memory: &mut Memory) -> Act {
    let mut out = Vec::new();
    for &byte in chunk {
        out.push(if memory.held && byte == b'\n' { b'?' } else { byte });
        memory.held = matches!(byte, 0xc2..=0xdf);
    }
    Act::Go(out)
}
