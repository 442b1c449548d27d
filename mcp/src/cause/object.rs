//! Objects that are valid JSON, but no messages of JSON-RPC 2.0.

use alloc::format;
use alloc::string::String;

use tautline::json::Member;
use tautline::{RawJson, Rule};

use super::message::{lost, name_of};
use super::rule;

/// The number of members that are looked at.
const MEMBERS: usize = 64;

/// The names of members of log records: the severity, the text and the time.
const LEVELS: &[&str] = &["level", "severity", "lvl", "levelname", "log.level", "loglevel", "@l"];
const TEXTS: &[&str] = &["msg", "message", "text", "event", "@m", "@mt"];
const TIMES: &[&str] = &["time", "timestamp", "ts", "@timestamp", "datetime", "asctime", "@t"];

/// Recognises an object. Returns the rule, the words, and the offset in the object.
pub(super) fn recognize(object: RawJson<'_>) -> Option<(Rule, String, usize)> {
    // A log record may have the members of the message that it is about.
    debug_adapter_protocol(object)
        .or_else(|| wrapped(object))
        .or_else(|| log_record(object))
        .or_else(|| json_rpc_1(object))
}

fn debug_adapter_protocol(object: RawJson<'_>) -> Option<(Rule, String, usize)> {
    object.member("seq")?.number()?;
    let kind = object.member("type")?.string()?;
    let kind = ["request", "response", "event"].into_iter().find(|&one| kind == one)?;
    let member = if kind == "event" { "event" } else { "command" };
    let name =
        object.member(member).and_then(|name| name.string()).and_then(|name| name.unescaped());
    let name =
        name.filter(|name| name.len() <= 100).map(|name| format!(" \"{}\"", name.escape_debug()));
    let words =
        format!("this is the {kind}{} of the Debug Adapter Protocol", name.unwrap_or_default());
    Some((rule::DEBUG_ADAPTER_PROTOCOL, words, 0))
}

fn json_rpc_1(object: RawJson<'_>) -> Option<(Rule, String, usize)> {
    let has = |name| object.member(name).is_some();
    let is_null = |name| object.member(name).is_some_and(|value| value.is_null());
    if has("jsonrpc") || has("version") || !has("id") {
        return None;
    }
    let kind = if object.member("method").is_some_and(|method| method.string().is_some()) {
        // The params of each call are an array.
        let is_call = object.member("params").is_some_and(|params| params.elements().is_some());
        let what = if is_null("id") { "a notification" } else { "a request" };
        is_call.then_some(what)
    } else {
        let has_both = has("result") && has("error");
        (has_both && (is_null("result") || is_null("error"))).then_some("a response")
    }?;
    Some((rule::JSONRPC_1, format!("this is {kind} of JSON-RPC 1.0, and not of 2.0"), 0))
}

fn wrapped(object: RawJson<'_>) -> Option<(Rule, String, usize)> {
    if object.member("jsonrpc").is_some() {
        return None;
    }
    let mut members = object.members()?;
    for _ in 0..MEMBERS {
        let Member { name, value } = members.next()?;
        let inner = match value.string() {
            Some(text) => text.decode().ok().and_then(|text| message_in_text(&text)),
            None => value.member("jsonrpc").and_then(|_| name_of(value.as_bytes())),
        };
        if let Some(inner) = inner {
            let at = tautline::scan::offset_of(value.as_bytes(), object.as_bytes()).unwrap_or(0);
            let name = name.decode().unwrap_or_default();
            let name: String = name.chars().take(100).collect();
            let words = format!(
                "the message is wrapped in the member \"{}\"{}",
                name.escape_debug(),
                lost(Some(&inner))
            );
            return Some((rule::WRAPPED_MESSAGE, words, at));
        }
    }
    None
}

fn log_record(object: RawJson<'_>) -> Option<(Rule, String, usize)> {
    let first = |names: &[&str]| names.iter().find_map(|name| object.member(name));
    let (level, text, time) = (first(LEVELS), first(TEXTS), first(TIMES));
    let has_text = text.is_some_and(|text| text.string().is_some());
    let count = [level.is_some(), has_text, time.is_some()].into_iter().filter(|&is| is).count();
    if count < 2 || object.member("jsonrpc").is_some() {
        return None;
    }
    let quoted = text.and_then(|text| text.string()).map(|text| text.decode());
    let words = match quoted {
        Some(Ok(text)) => {
            format!("this is a log record in JSON: {}", super::message::quote(text.as_bytes()))
        }
        _ => String::new(),
    };
    Some((rule::LOG_RECORD, words, 0))
}

/// Recognises a string whose content is a message.
pub(super) fn encoded_twice(value: RawJson<'_>) -> Option<(Rule, String)> {
    let inner = message_in_text(&value.string()?.decode().ok()?)?;
    let words =
        format!("the frame is a string, and its content is a message{}", lost(Some(&inner)));
    Some((rule::ENCODED_TWICE, words))
}

fn message_in_text(text: &str) -> Option<String> {
    let text = text.trim_ascii();
    (text.starts_with('{') && text.contains("jsonrpc")).then(|| name_of(text.as_bytes())).flatten()
}
