//! Defects of servers in how they handle a message whose members were parsed correctly.

use crate::defect::{Act, Memory, defects, go};
use crate::members::{Members, error, quoted, result};
use crate::names::change;

/// The methods of the server.
const KNOWN: &[&str] = &[
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "logging/setLevel",
];

defects! { Message {
    "lacks-ping" => |line, _| respond(line, |method| method == "ping", |id| error(id, -32601)),
    "lacks-discover" => |line, _| respond(line, |method| method == "server/discover", |id| error(id, -32601)),
    "ignores-unknown-methods" => |line, _| {
        Act::Lose.if_so(with(line, |members| members.is_request() && !KNOWN.contains(&&*members.method())), line)
    },
    "case-insensitive-methods" => |line, _| method(line, str::to_lowercase),
    "trims-methods" => |line, _| method(line, |name| name.trim().to_owned()),
    "matches-prefixes" => |line, _| method(line, |name| {
        let known = KNOWN.iter().find(|known| name.starts_with(**known));
        known.map_or_else(|| name.to_owned(), |known| (*known).to_owned())
    }),
    "takes-first-of-array" => |line, _| change(line, |mut members| {
        if let Some(method) = members.get("method").and_then(|method| Some(method.strip_prefix('[')?.trim_end_matches(']').to_owned())) {
            members.set("method", method);
        }
        members
    }),
    // Methods are properties of an object, which also inherits properties.
    "looks-up-inherited-names" => |line, _| respond(
        line,
        |method| ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"].contains(&method),
        |id| error(id, -32603),
    ),
    "dies-on-unicode-methods" => |line, _| Act::Die.if_so(with(line, |members| !members.method().is_ascii()), line),
    // An empty method counts as absent, so the message is treated as a response.
    "takes-empty-method-for-response" => |line, _| Act::Lose.if_so(with(line, |members| members.string("method").as_deref() == Some("")), line),
    "answers-notifications" => |line, _| {
        Act::Say(error("null", -32601)).if_so(with(line, |members| members.string("method").is_some() && members.get("id").is_none()), line)
    },
    "answers-requests-for-notifications" => |line, _| respond(line, |method| method.starts_with("notifications/"), result),
    "dies-on-unknown-notifications" => |line, _| {
        let known = ["notifications/initialized", "notifications/cancelled"];
        let is_unknown = |members: &Members| members.get("method").is_some() && members.get("id").is_none() && !known.contains(&&*members.method());
        Act::Die.if_so(with(line, is_unknown), line)
    },
    "answers-responses" => |line, _| match Members::of(line) {
        Some(members) if members.is_response() => Act::Say(error(members.get("id").unwrap_or("null"), -32603)),
        _ => go(line),
    },
    "dies-on-responses" => |line, _| Act::Die.if_so(with(line, Members::is_response), line),
    "dies-on-error-without-id" => |line, _| {
        let lacks = |members: &Members| members.get("error").is_some() && members.get("id").is_none_or(|id| id == "null");
        Act::Die.if_so(with(line, lacks), line)
    },
    "answers-cancellations" => |line, _| match cancels(line) {
        Some(_) => Act::Say(error("null", -32602)),
        None => go(line),
    },
    "dies-on-unknown-cancellation" => |line, _| Act::Die.if_so(cancels(line).is_some_and(|id| id.is_some()), line),
    "dies-on-bad-cancellation" => |line, _| {
        let is_bad = |id: Option<String>| id.is_none_or(|id| id == "null" || id.starts_with('{') || id.contains('.'));
        Act::Die.if_so(cancels(line).is_some_and(is_bad), line)
    },
    // Ids are compared as texts, and every request can be cancelled.
    "cancels-by-text" => cancel,
} }

fn with(line: &[u8], is_so: impl FnOnce(&Members) -> bool) -> bool {
    Members::of(line).is_some_and(|members| is_so(&members))
}

/// Answers requests for some methods.
pub fn respond(line: &[u8], is_so: impl Fn(&str) -> bool, answer: impl Fn(&str) -> String) -> Act {
    let members =
        Members::of(line).filter(|members| members.is_request() && is_so(&members.method()));
    match members.as_ref().and_then(|members| members.get("id")) {
        Some(id) => Act::Say(answer(id)),
        None => go(line),
    }
}

fn method(line: &[u8], new: impl Fn(&str) -> String) -> Act {
    change(line, |mut members| {
        if let Some(method) = members.string("method") {
            members.set("method", quoted(&new(&method)));
        }
        members
    })
}

/// Returns the id that a cancellation names, if it names one. Returns `None` for any other message.
fn cancels(line: &[u8]) -> Option<Option<String>> {
    let members = Members::of(line)?;
    let is_one = members.method() == "notifications/cancelled" && members.get("id").is_none();
    let id = || members.inner("params")?.get("requestId").map(str::to_owned);
    is_one.then(id)
}

fn cancel(line: &[u8], memory: &mut Memory) -> Act {
    if let Some(Some(id)) = cancels(line) {
        memory.cancelled.push(id.trim_matches('"').to_owned());
    }
    go(line)
}
