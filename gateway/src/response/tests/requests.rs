//! The memory of a request.

use proptest::prelude::*;
use tautline::Message;
use tautline_mcp::http::{Exchange, Resuming};
use tautline_mcp::rule;

use super::{BATCHES, NEW, NOTE, OLD, PROGRESS, accepted, post, request, result};
use crate::response::Asked;

const IDS: &[&str] = &[
    "0",
    "7",
    "-1",
    "18446744073709551616",
    "123456789012345678901234567890",
    r#""""#,
    r#""7""#,
    r#""a\u0062\n\"\\\/""#,
    "\"ü🦀\"",
    r#""\ud83e\udd80""#,
];

const METHODS: &[&str] = &["ping", "tools\\u002flist", "x", "", "notifications/x", "ü"];

#[test]
fn each_id_is_kept_byte_for_byte_with_each_method() {
    let long = format!("\"{}\"", "i".repeat(10_000));
    for id in IDS.iter().copied().chain([long.as_str()]) {
        for method in METHODS {
            let asked = post(OLD, &request(OLD, id, method));
            let Some(Message::Request(kept)) = asked.requests() else { panic!("{id} {method}") };
            assert_eq!(kept.id().to_string(), id);
        }
    }
    for method in ["tools/list", "tools\\/list", "subscriptions/listen"] {
        let asked = post(NEW, &request(NEW, "1", method));
        let Some(Message::Request(kept)) = asked.requests() else { panic!("{method}") };
        assert_eq!(kept.method(), *method.replace('\\', ""));
        assert_eq!(asked.listens(), method == "subscriptions/listen");
    }
}

#[test]
fn ids_that_are_too_long_are_not_kept() {
    let long = format!("\"{}\"", "i".repeat(20_000));
    let asked = post(OLD, &request(OLD, &long, "ping"));
    assert!(asked.has_long_ids() && asked.requests().is_none());
}

#[test]
fn of_a_batch_as_many_requests_are_kept_as_are_looked_at() {
    let batch = |count: u32| {
        let requests = (0..count).map(|id| request(BATCHES, &id.to_string(), "ping"));
        let asked = post(BATCHES, &format!("[{},{NOTE}]", requests.collect::<Vec<_>>().join(",")));
        let mut ids = Vec::new();
        asked.each_id(&mut |id| ids.push(id.to_string()));
        (ids.len(), asked.is_long_batch())
    };
    assert_eq!([1, 64, 65, 1000].map(batch), [(1, false), (64, false), (65, true), (65, true)]);
}

/// Returns the findings of an exchange about this response, and the kinds of its messages.
fn found(mut exchange: Exchange<'_>, status: u16, json: bool, messages: &[String]) -> String {
    let kind: &[u8] = if json { b"application/json" } else { b"text/event-stream" };
    let headers: [(&[u8], &[u8]); 1] = [(b"content-type", kind)];
    let mut found = Vec::new();
    let content =
        exchange.head(status, headers.into_iter(), |finding| found.push(finding.to_string()));
    found.push(format!("{content:?}"));
    for message in messages {
        let message = Message::parse(message, &exchange.profile());
        let mut findings = Vec::new();
        let received = exchange.message(message, |finding| findings.push(finding.to_string()));
        found.push(format!("{received:?} {}", findings.join(", ")));
    }
    exchange.end(|finding| found.push(rule::name(finding.rule()).to_owned()));
    found.join("; ")
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..4_u8).prop_map(|id| id.to_string()),
        (0..4_u8).prop_map(|id| format!("\"{id}\"")),
        prop::sample::select(IDS).prop_map(str::to_owned),
    ]
}

fn method() -> impl Strategy<Value = &'static str> {
    prop_oneof![prop::sample::select(METHODS), Just("ping"), Just("subscriptions/listen")]
}

proptest! {
    #[test]
    fn an_exchange_finds_the_same_with_the_stub(
        which in 0..4_u8,
        ids in prop::collection::vec(id(), 1..6),
        count in 0..80_usize,
        method in method(),
        status in prop::sample::select(&[200_u16, 202, 400, 404][..]),
        json: bool,
        answered in prop::collection::vec((0..8_u8, id()), 0..8),
    ) {
        let (revision, body) = match which {
            0 => (NEW, request(NEW, &ids[0], "tools/list")),
            1 => (OLD, request(OLD, &ids[0], method)),
            2 => (OLD, NOTE.to_owned()),
            _ => {
                let numbers = (100..count + 100).map(|id| id.to_string());
                let all = ids.iter().cloned().chain(numbers);
                let requests = all.map(|id| request(BATCHES, &id, method));
                let all: Vec<_> = requests.chain([NOTE.to_owned(), "{}".to_owned()]).collect();
                (BATCHES, format!("[{}]", all.join(",")))
            }
        };
        let messages: Vec<_> = answered.iter().map(|(kind, id)| match kind {
            0 => PROGRESS.to_owned(),
            1 => request(OLD, id, "ping"),
            2 => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":""}}}}"#),
            3 => format!("[{},{}]", result(id), result(&ids[0])),
            4 => result("170"),
            5 => result(&ids[0]),
            _ => result(id),
        }).collect();
        accepted(revision, "POST", &body, |accepted| {
            let asked = Asked::new(accepted, Resuming::No);
            let whole = Exchange::post(accepted.revision(), *accepted.message().unwrap());
            let due = found(whole, status, json, &messages);
            assert_eq!(found(asked.exchange(), status, json, &messages), due, "{body}");
        });
    }
}
