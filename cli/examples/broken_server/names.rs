//! Defects of servers in how they find the members of a message.

use crate::defect::{Act, Memory, defects, go};
use crate::members::{Member, Members, quoted};

const STANDARD: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

defects! { Message {
    "last-duplicate-wins" => |line, _| change(line, Members::keep_last),
    "first-duplicate-wins" => |line, _| change(line, Members::keep_first),
    "ignores-duplicates" => |line, _| {
        let repeats = |members: &Members| members.clone().keep_first().0.len() < members.0.len();
        Act::Lose.if_so(is(line, repeats), line)
    },
    "case-insensitive-names" => |line, _| renamed(line, |member| member.name.to_ascii_lowercase()),
    "folds-names" => |line, _| renamed(line, |member| member.name.chars().map(folded).collect()),
    "truncates-names-at-nul" => |line, _| renamed(line, |member| up_to_nul(&member.name)),
    "trims-names" => |line, _| renamed(line, |member| member.name.trim().to_owned()),
    // The server does not recognise a name with an escape.
    "compares-raw-names" => raw_names,
    "compares-raw-methods" => |line, _| raw_value(line, "method"),
    "compares-raw-version" => |line, _| raw_value(line, "jsonrpc"),
    "truncates-strings-at-nul" => |line, _| change(line, |mut members| {
        for member in &mut members.0 {
            if let Ok(text) = serde_json::from_str::<String>(&member.value) {
                member.value = quoted(&up_to_nul(&text));
            }
        }
        members
    }),
    // The members of `__proto__` are inherited.
    "merges-proto" => |line, _| change(line, |mut members| {
        let inherited = members.inner("__proto__").map_or(Vec::new(), |inner| inner.0);
        for member in inherited {
            if members.get(&member.name).is_none() {
                members.0.push(member);
            }
        }
        members.remove("__proto__");
        members
    }),
    "ignores-messages-with-extra-members" => |line, _| {
        let has_extra = |members: &Members| {
            let is_extra = |member: &Member| !STANDARD.contains(&&*member.name);
            members.0.iter().any(is_extra) || members.inner("params").is_some_and(|params| params.get("unknown").is_some())
        };
        Act::Lose.if_so(is(line, has_extra), line)
    },
    "ignores-lookalikes" => |line, _| {
        let resembles = |member: &Member| {
            let name = &*member.name;
            !STANDARD.contains(&name) && (!name.is_ascii() || STANDARD.contains(&&*name.to_ascii_lowercase()))
        };
        Act::Lose.if_so(is(line, |members| members.0.iter().any(resembles)), line)
    },
    // Members are found by a search through the whole text, so members of inner objects count too.
    "reads-nested-members" => |line, _| change(line, |mut members| {
        for name in ["id", "method"] {
            let nested = members.inner("params").and_then(|params| nested(&params, name));
            if let Some(value) = nested {
                members.set(name, value);
            }
        }
        members
    }),
    "takes-token-for-id" => |line, _| change(line, |mut members| {
        let meta = members.inner("params").and_then(|params| params.inner("_meta"));
        if let Some(token) = meta.as_ref().and_then(|meta| meta.get("progressToken")) {
            members.set("id", token);
        }
        members
    }),
    // The first `_meta` in the text counts, wherever it is.
    "reads-first-meta" => |line, _| {
        let first = |text: &str| text.find("\"_meta\":{}").filter(|&at| Some(at) < text.rfind("\"_meta\":{\""));
        let text = String::from_utf8_lossy(line);
        change(line, |mut members| {
            if let (Some(_), Some(mut params)) = (first(&text), members.inner("params")) {
                params.set("_meta", "{}");
                members.set("params", String::from_utf8_lossy(&params.text()));
            }
            members
        })
    },
    "refuses-unknown-meta" => |line, _| {
        let meta = Members::of(line).and_then(|members| members.inner("params")?.inner("_meta"));
        let is_unknown = |member: &Member| !member.name.starts_with("io.modelcontextprotocol/");
        Act::Lose.if_so(meta.is_some_and(|meta| meta.0.iter().any(is_unknown)), line)
    },
    "ignores-version" => |line, _| change(line, |mut members| {
        members.set("jsonrpc", "\"2.0\"");
        members
    }),
    "accepts-any-params" => |line, _| change(line, |mut members| {
        if members.get("params").is_some_and(|params| !params.starts_with('{')) {
            members.remove("params");
        }
        complete(&mut members);
        members
    }),
} }

/// Adds the metadata that this revision demands.
pub fn complete(members: &mut Members) {
    let method = members.method();
    if method == "server/discover" {
        let meta = concat!(
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientCapabilities":{}}}"#
        );
        members.set("params", meta);
    }
}

pub fn change(line: &[u8], change: impl FnOnce(Members) -> Members) -> Act {
    Members::of(line).map_or_else(|| go(line), |members| Act::Go(change(members).text()))
}

fn is(line: &[u8], is_so: impl FnOnce(&Members) -> bool) -> bool {
    Members::of(line).is_some_and(|members| is_so(&members))
}

fn renamed(line: &[u8], new: impl Fn(&Member) -> String) -> Act {
    change(line, |mut members| {
        members.rename(new);
        members.keep_last()
    })
}

fn folded(one: char) -> char {
    match one {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(one) - 0xfee0).unwrap_or(one),
        other => other.to_ascii_lowercase(),
    }
}

pub fn up_to_nul(text: &str) -> String {
    text.split('\0').next().unwrap_or_default().to_owned()
}

fn raw_names(line: &[u8], _: &mut Memory) -> Act {
    let raw = |member: &Member| match member.raw_name.contains('\\') {
        true => member.raw_name.replace(['"', '\\'], "?"),
        false => member.name.clone(),
    };
    change(line, |mut members| {
        members.rename(raw);
        if let Some(mut params) = members.inner("params") {
            params.rename(raw);
            members.set("params", String::from_utf8_lossy(&params.text()));
        }
        members
    })
}

fn raw_value(line: &[u8], name: &str) -> Act {
    change(line, |mut members| {
        let raw = members.get(name).filter(|value| value.contains('\\'));
        if let Some(raw) = raw.map(|raw| raw.replace('\\', "?")) {
            members.set(name, raw);
        }
        members
    })
}

fn nested(members: &Members, name: &str) -> Option<String> {
    let here = members.get(name).map(str::to_owned);
    here.or_else(|| {
        members.0.iter().find_map(|member| nested(&Members::of(member.value.as_bytes())?, name))
    })
}
