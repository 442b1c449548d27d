//! Messages with random mutations.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use serde_json::value::RawValue;
use tautline::{RawJson, Rule};

use super::{judge, reply_to};
use crate::support::reference::json;
use crate::support::reference::reply::{
    Facts, IdKind, misspelled_id, owed, protocols, strict_protocols,
};
use crate::support::volume::volume;

/// Messages, and near misses.
const MESSAGES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":[1,2]}}"#,
    r#"{"method":"ping","params":{},"jsonrpc":"2.0","id":"a\u0062"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"result":{"content":[{"type":"text","text":"\ud83d\ude00"}]},"jsonrpc":"2.0","id":-7}"#,
    r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":-32601,"message":"no","data":{"id":2}}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"?"},"id":null}"#,
    r#" { "jsonrpc" : "2.0" , "method" : "m" , "params" : [ 1 , null ] , "x" : { } } "#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},3]"#,
];

/// Pieces to insert into a message, some with commas that make them fit.
const PIECES: &[&str] = &[
    "\"id\":2,",
    "\"id\":null,",
    "\"id\":1.5,",
    "\"id\":true,",
    "\"id\":\"\\ud800\",",
    ",\"id\":{}",
    "\"method\":\"n\",",
    "\"method\":1,",
    ",\"method\":\"rpc.x\"",
    "\"params\":[],",
    "\"params\":null,",
    "\"result\":{},",
    "\"result\":1,",
    "\"error\":null,",
    "\"error\":{\"code\":404,\"message\":\"\"},",
    "\"jsonrpc\":\"2.0\",",
    "\"jsonrpc\":2,",
    "\"Method\":0,",
    "\"name\":0,",
    "\"Name\":0,",
    "\"_meta\":{\"ProgressToken\":1},",
    "\"\\u0069d\":3,",
    "\"\\ud800\":0,",
    "\"code\":1,",
    "\"message\":\"m\",",
    "\"x\":[[[]]],",
    "null",
    "true",
    "1",
    "{}",
    "[]",
    "\"\"",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\\",
    " ",
    "\n",
    "-",
    ".0",
    "e5",
    "\u{e9}",
    "\u{FEFF}",
    "\0",
];

/// However a message is mutated, the findings are in order, the first error is the fault, and the reply is the one
/// due. The frame is a message if and only if there is no error.
#[test]
fn mutated_messages() {
    let config = Config { cases: volume(5_000), failure_persistence: None, ..Config::default() };
    let protocols: Vec<_> = protocols().into_iter().chain(strict_protocols()).collect();
    let [valid, replies, unparseable] = [const { Cell::new(0_u64) }; 3];
    let count = |counter: &Cell<u64>| counter.set(counter.get() + 1);
    let result = TestRunner::new(config).run(&mutated_message(), |frame| {
        let json = json::recognise(frame.as_bytes(), 127).is_ok();
        let facts = facts_by_serde(&frame);
        for protocol in &protocols {
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let Err(fault) = message else {
                count(&valid);
                continue;
            };
            let not_json = matches!(fault.rule(), Rule::NOT_JSON | Rule::INVALID_UTF8);
            prop_assert_eq!(json, !not_json);
            if not_json {
                count(&unparseable);
                prop_assert_eq!(reply_to(&fault), owed(None, protocol));
                prop_assert_eq!(fault.id(), None);
                prop_assert!(findings.len() <= 2);
            } else if let Some(facts) = &facts {
                count(&replies);
                prop_assert_eq!(reply_to(&fault), owed(Some(facts), protocol));
                let misspelled = misspelled_id(facts).filter(|_| protocol.is_strict);
                let only = facts.ids.first().map(|(text, _)| *text).or(misspelled);
                let only = only.map(str::as_bytes);
                prop_assert_eq!(fault.id().map(|id| id.as_bytes()), only);
            }
        }
        Ok(())
    });
    result.unwrap();
    let counts = [valid.get(), replies.get(), unparseable.get()];
    println!("{counts:?} valid, with a reply that was checked, not JSON");
    let all: u64 = counts.iter().sum();
    assert!(counts.iter().all(|count| count * 10 > all));
}

/// Generates messages with pieces inserted and stretches removed.
fn mutated_message() -> impl Strategy<Value = String> {
    let put = (any::<Index>(), select(PIECES)).prop_map(|(at, piece)| (Some(at), 0, piece));
    let behind_brace = select(PIECES).prop_map(|piece| (None, 0, piece));
    let take = (any::<Index>(), 1_usize..12).prop_map(|(at, length)| (Some(at), length, ""));
    let replace =
        (any::<Index>(), select(PIECES)).prop_map(|(at, piece)| (Some(at), piece.len(), piece));
    let edits = prop_oneof![3 => put, 4 => behind_brace, 1 => take, 1 => replace];
    let edits = proptest::collection::vec(edits, 0..4);
    (select(MESSAGES), edits).prop_map(|(message, edits)| {
        let mut text = message.to_owned();
        for (at, length, piece) in edits {
            let boundaries: Vec<_> =
                (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            let start = match at {
                Some(at) => boundaries[at.index(boundaries.len())],
                None => text.find('{').map_or(0, |brace| brace + 1),
            };
            let end = boundaries.into_iter().find(|&end| end >= start + length);
            text.replace_range(start..end.unwrap_or(text.len()), piece);
        }
        text
    })
}

/// Returns the facts of a frame from `serde_json`, or `None` if it is an object with a duplicate member, or if
/// `serde_json` can't tell.
fn facts_by_serde(frame: &str) -> Option<Facts<'_>> {
    if !frame.trim_start().starts_with('{') {
        return Some(Facts::default());
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(frame).ok()?;
    let written = RawJson::parse(frame.as_bytes()).ok()?.members()?.count();
    if members.len() != written {
        return None;
    }
    let visible = |name: &str| -> String {
        let seen = name.chars().take_while(|c| *c != '\0');
        seen.filter(|c| !c.is_whitespace() && !c.is_control() && *c != '\u{FEFF}').collect()
    };
    let misspelled = members
        .iter()
        .filter(|(name, _)| *name != "id" && visible(name).eq_ignore_ascii_case("id"));
    Some(Facts {
        has_result_or_error: members.contains_key("result") || members.contains_key("error"),
        has_string_method: members.get("method").is_some_and(|m| m.get().starts_with('"')),
        ids: members.get("id").map(|id| id_of(id)).into_iter().collect(),
        misspelled: misspelled.map(|(_, id)| id_of(id)).collect(),
    })
}

/// Returns the text and the kind of an id.
fn id_of(id: &RawValue) -> (&str, IdKind) {
    let text = id.get();
    let kind = match text.as_bytes()[0] {
        b'"' if json::lone_surrogates(&text.as_bytes()[1..]).is_empty() => IdKind::String,
        b'"' => IdKind::BrokenString,
        b'n' => IdKind::Null,
        b't' | b'f' | b'{' | b'[' => IdKind::Illegal,
        _ if json::Decimal::of(text.as_bytes()).is_integer() => IdKind::Integer,
        _ => IdKind::Fraction,
    };
    (text, kind)
}
