//! Objects that are valid JSON, but no messages of JSON-RPC 2.0.

use alloc::format;
use alloc::string::String;

use tautline::RawJson;
use tautline::json::Member;

use super::message::quote;
use super::{Cause, LostMessage, rule};

/// The number of members that are looked at.
const MEMBERS: usize = 64;

/// The names of members of log records: the severity, the text and the time.
const LEVELS: &[&str] = &["level", "severity", "lvl", "levelname", "log.level", "loglevel", "@l"];
const TEXTS: &[&str] = &["msg", "message", "text", "event", "@m", "@mt"];
const TIMES: &[&str] = &["time", "timestamp", "ts", "@timestamp", "datetime", "asctime", "@t"];

/// Recognises an object. Offsets are those in the object.
pub(super) fn recognize(object: RawJson<'_>) -> Option<Cause> {
    // A log record may have the members of the message that it is about.
    debug_adapter_protocol(object)
        .or_else(|| wrapped(object))
        .or_else(|| log_record(object))
        .or_else(|| json_rpc_1(object))
}

fn debug_adapter_protocol(object: RawJson<'_>) -> Option<Cause> {
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
    Some(Cause::new(rule::DEBUG_ADAPTER_PROTOCOL, 0, words))
}

fn json_rpc_1(object: RawJson<'_>) -> Option<Cause> {
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
    Some(Cause::new(rule::JSONRPC_1, 0, format!("this is {kind} of JSON-RPC 1.0, and not of 2.0")))
}

fn wrapped(object: RawJson<'_>) -> Option<Cause> {
    if object.member("jsonrpc").is_some() {
        return None;
    }
    let mut members = object.members()?;
    for _ in 0..MEMBERS {
        let Member { name, value } = members.next()?;
        let inner = match value.string() {
            Some(text) => text.decode().ok().and_then(|text| message_in_text(&text)),
            None => value.member("jsonrpc").and_then(|_| LostMessage::of(value.as_bytes())),
        };
        if let Some(inner) = inner {
            let at = tautline::scan::offset_of(value.as_bytes(), object.as_bytes()).unwrap_or(0);
            let name = name.decode().unwrap_or_default();
            let name: String = name.chars().take(100).collect();
            let words = format!("the message is wrapped in the member \"{}\"", name.escape_debug());
            return Some(Cause::new(rule::WRAPPED_MESSAGE, at, words).losing([inner]));
        }
    }
    None
}

fn log_record(object: RawJson<'_>) -> Option<Cause> {
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
            format!("this is a log record in JSON: {}", quote(text.as_bytes()))
        }
        _ => String::new(),
    };
    Some(Cause::new(rule::LOG_RECORD, 0, words))
}

/// Recognises a string whose content is a message.
pub(super) fn encoded_twice(value: RawJson<'_>) -> Option<Cause> {
    let inner = message_in_text(&value.string()?.decode().ok()?)?;
    let words = String::from("the frame is a string, and its content is a message");
    Some(Cause::new(rule::ENCODED_TWICE, 0, words).losing([inner]))
}

fn message_in_text(text: &str) -> Option<LostMessage> {
    let text = text.trim_ascii();
    let may_be = text.starts_with('{') && text.contains("jsonrpc");
    may_be.then(|| LostMessage::of(text.as_bytes())).flatten()
}
