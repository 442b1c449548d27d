//! Defects of servers in how they read and write ids.

use crate::defect::{Act, Memory, defects, go};
use crate::members::{Members, error, quoted, result};
use crate::names::change;

defects! {
    Message {
        "fraction-truncated" => |line, _| number(line, |text| match text.parse::<f64>() {
            Ok(number) if number.fract() != 0.0 => format!("{:.0}", number.trunc()),
            _ => text.to_owned(),
        }),
        "id-through-i32" => |line, _| number(line, |text| match text.parse::<i128>() {
            // The low 32 bits, as in a conversion in C.
            Ok(number) => number.to_le_bytes().first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes)).to_string(),
            Err(_) => text.to_owned(),
        }),
        "id-through-i64" => |line, _| number(line, |text| match text.parse::<i128>() {
            Ok(number) => number.clamp(i64::MIN.into(), i64::MAX.into()).to_string(),
            Err(_) => text.to_owned(),
        }),
        // As with `strtol`, a text without a number becomes 0.
        "reads-ids-as-numbers" => |line, _| string(line, |text| {
            text.trim_matches(|one: char| !one.is_ascii_digit()).parse::<u64>().unwrap_or(0).to_string()
        }),
        "echoes-string-id-as-number" => |line, _| string(line, |text| match text.parse::<u64>() {
            Ok(number) => number.to_string(),
            Err(_) => quoted(text),
        }),
        "trims-ids" => |line, _| string(line, |text| quoted(text.trim())),
        "truncates-long-ids" => |line, _| string(line, |text| quoted(&text.chars().take(64).collect::<String>())),
        "takes-texts-for-values" => |line, _| string(line, |text| match text {
            "null" | "true" | "false" => text.to_owned(),
            _ => quoted(text),
        }),
        // Escapes stay in the string, and are escaped again.
        "keeps-escapes-twice" => |line, _| change(line, |mut members| {
            if let Some(id) = members.get("id").filter(|id| id.starts_with('"')) {
                members.set("id", id.replace('\\', "\\\\"));
            }
            members
        }),
        "answers-id-null" => |line, _| answered(line, |id| id == "null"),
        "answers-any-id" => |line, _| answered(line, |id| id.starts_with(['t', 'f', '{', '['])),
        // If an id can't be read, the id of the last request is used.
        "answers-with-previous-id" => previous,
        // These ids are falsy, so `if id` skips them.
        "falsy-id-is-notification" => |line, _| change(line, |mut members| {
            if matches!(members.get("id"), Some("0" | "\"\"" | "false" | "null")) {
                members.remove("id");
            }
            members
        }),
        "reads-digits-only" => |line, _| lost(line, |id| id.starts_with('-')),
        "ignores-float-ids" => |line, _| lost(line, |id| !id.starts_with('"') && id.contains(['.', 'e', 'E'])),
        "confuses-number-and-string-ids" => confused,
        "needs-growing-ids" => growing,
        "dies-on-used-id" => |line, memory| Act::Die.if_so(is_used(line, memory), line),
        "ignores-used-ids" => |line, memory| Act::Lose.if_so(is_used(line, memory), line),
    }
    Answer {
        // A number that a double can't represent is written as another number, or as null.
        "id-through-f64" => |line, _| number(line, |text| match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number.fract() == 0.0 => format!("{number:.0}"),
            Ok(number) if number.is_finite() => number.to_string(),
            _ => "null".to_owned(),
        }),
        "echoes-number-id-as-string" => |line, _| number(line, quoted),
        "id-lost-in-error" => |line, _| change(line, |mut members| {
            if members.get("error").is_some() {
                members.set("id", "null");
            }
            members
        }),
        "id-missing-in-error" => |line, _| change(line, |mut members| {
            if members.get("error").is_some() {
                members.remove("id");
            }
            members
        }),
        "writes-ids-unescaped" => |line, _| change(line, |mut members| {
            if let Some(id) = members.string("id") {
                members.set("id", format!("\"{id}\""));
            }
            members
        }),
    }
}

fn id_changed(line: &[u8], new: impl Fn(&Members, &str) -> Option<String>) -> Act {
    change(line, |mut members| {
        let id = members.get("id").and_then(|id| new(&members, id));
        if let Some(id) = id {
            members.set("id", id);
        }
        members
    })
}

fn number(line: &[u8], new: impl Fn(&str) -> String) -> Act {
    id_changed(line, |_, id| {
        id.starts_with(|first: char| first == '-' || first.is_ascii_digit()).then(|| new(id))
    })
}

fn string(line: &[u8], new: impl Fn(&str) -> String) -> Act {
    id_changed(line, |members, _| Some(new(&members.string("id")?)))
}

fn answered(line: &[u8], is_so: impl Fn(&str) -> bool) -> Act {
    let members = Members::of(line).filter(Members::is_request);
    match members.as_ref().and_then(|members| members.get("id")) {
        Some(id) if is_so(id) => Act::Say(result(id)),
        _ => go(line),
    }
}

fn lost(line: &[u8], is_so: impl Fn(&str) -> bool) -> Act {
    let members = Members::of(line);
    Act::Lose.if_so(members.as_ref().and_then(|members| members.get("id")).is_some_and(is_so), line)
}

fn previous(line: &[u8], memory: &mut Memory) -> Act {
    let id = Members::of(line).and_then(|members| members.get("id").map(str::to_owned));
    match id {
        Some(id) if id.starts_with(['n', 't', 'f', '{', '[']) => {
            Act::Say(error(memory.last_id.as_deref().unwrap_or("0"), -32600))
        }
        id => {
            memory.last_id = id.or(memory.last_id.take());
            go(line)
        }
    }
}

/// A table of requests with texts as keys: the first spelling of a key is kept.
fn confused(line: &[u8], memory: &mut Memory) -> Act {
    id_changed(line, |_, id| {
        let other = if id.starts_with('"') { id.trim_matches('"').to_owned() } else { quoted(id) };
        memory.ids.contains(&other).then_some(other)
    })
    .noting(line, memory)
}

impl Act {
    fn noting(self, line: &[u8], memory: &mut Memory) -> Self {
        let id = Members::of(line).and_then(|members| members.get("id").map(str::to_owned));
        memory.ids.extend(id);
        self
    }
}

fn growing(line: &[u8], memory: &mut Memory) -> Act {
    let id = Members::of(line).and_then(|members| members.get("id")?.parse::<u64>().ok());
    let last = memory.last_id.as_deref().and_then(|last| last.parse::<u64>().ok());
    match id {
        Some(id) if last.is_some_and(|last| id <= last) => Act::Lose,
        Some(id) => {
            memory.last_id = Some(id.to_string());
            go(line)
        }
        None => go(line),
    }
}

fn is_used(line: &[u8], memory: &mut Memory) -> bool {
    let members = Members::of(line).filter(Members::is_request);
    let id = members.and_then(|members| members.get("id").map(str::to_owned));
    id.is_some_and(|id| !memory.ids.insert(id))
}
