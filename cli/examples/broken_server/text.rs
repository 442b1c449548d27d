//! Defects of servers in how they decode the text of a line.

use crate::defect::{Act, Memory, defects, go};

defects! { Line {
    "dies-on-invalid-utf8" => |line, _| Act::Die.if_so(str::from_utf8(line).is_err(), line),
    "replaces-invalid-utf8" => |line, _| Act::Go(String::from_utf8_lossy(line).into_owned().into_bytes()),
    "drops-invalid-bytes" => |line, _| {
        Act::Go(line.utf8_chunks().map(|chunk| chunk.valid()).collect::<String>().into_bytes())
    },
    "decodes-latin-1" => |line, _| Act::Go(line.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()),
    "decodes-overlong-utf8" => overlong,
    "normalizes-unicode" => |line, _| changed(line, |text| text.replace("e\u{301}", "\u{e9}")),
    "removes-invisible-characters" => |line, _| changed(line, |text| text.replace(['\u{200b}', '\u{202e}', '\u{feff}'], "")),
    // As in a database column with at most three bytes per character.
    "loses-wide-characters" => |line, _| changed(line, |text| text.replace(|one: char| one > '\u{ffff}', "?")),
    "rejects-noncharacters" => |line, _| {
        let is_one = |one: char| matches!(one, '\u{fdd0}'..='\u{fdef}') || u32::from(one) & 0xfffe == 0xfffe;
        Act::Lose.if_so(String::from_utf8_lossy(line).contains(is_one), line)
    },
    "rejects-delete" => |line, _| Act::Lose.if_so(line.contains(&0x7f), line),
    "dies-on-carriage-return" => |line, _| Act::Die.if_so(line.contains(&b'\r'), line),
    // Escapes are decoded in the whole text before it is split into lines.
    "splits-at-escaped-newline" => |line, _| changed(line, |text| text.replace("\\n", "\n")),
    // The two escapes of a character beyond U+FFFF are decoded separately.
    "loses-surrogate-pairs" => |line, _| replace_surrogates(line, Pairs::Too),
    "replaces-lone-surrogates" => |line, _| replace_surrogates(line, Pairs::Not),
    "dies-on-lone-surrogates" => |line, memory| match replace_surrogates(line, Pairs::Not) {
        Act::Go(other) if other != line => { memory.useless += 1; Act::Die }
        _ => go(line),
    },
} }

fn changed(line: &[u8], change: impl Fn(&str) -> String) -> Act {
    match str::from_utf8(line) {
        Ok(text) => Act::Go(change(text).into_bytes()),
        Err(_) => go(line),
    }
}

fn overlong(line: &[u8], _: &mut Memory) -> Act {
    let (mut out, mut rest) = (Vec::new(), line);
    while let Some((&first, others)) = rest.split_first() {
        match (first, others.first()) {
            (0xc0 | 0xc1, Some(&second @ 0x80..=0xbf)) => {
                out.push((first & 1) << 6 | second & 0x3f);
                rest = &others[1..];
            }
            _ => {
                out.push(first);
                rest = others;
            }
        }
    }
    Act::Go(out)
}

#[derive(PartialEq, Eq)]
enum Pairs {
    Too,
    Not,
}

/// Replaces escaped surrogates with the replacement character.
fn replace_surrogates(line: &[u8], pairs: Pairs) -> Act {
    let unit = |at: usize| {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut out, mut at) = (Vec::new(), 0);
    while at < line.len() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) if pairs == Pairs::Not => {
                out.extend_from_slice(&line[at..at + 12]);
                12
            }
            (Some(0xd800..=0xdfff), _) => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                6
            }
            _ => {
                out.push(line[at]);
                1
            }
        };
        at += length;
    }
    Act::Go(out)
}
