//! Names of members: in any order, misspelled, and with unpaired surrogates.

use std::collections::BTreeSet;

use tautline::{Finding, Message, Rule};

use super::judge;
use super::oracle::{LOOKALIKES, Member, STRANGERS, member};
use crate::support::reference::reply::protocols;

/// The order of members does not matter to a message.
#[test]
fn every_order_of_six_members() {
    let members = [
        member("jsonrpc", "\"2.0\""),
        member("id", "\"a\""),
        member("method", "\"m\""),
        member("params", "{\"jsonrpc\":0,\"id\":0,\"method\":0,\"result\":0,\"error\":0}"),
        STRANGERS[0],
        LOOKALIKES[0],
    ];
    let protocols = protocols();
    let mut orders = BTreeSet::new();
    for mut number in 0..720 {
        let mut rest = members.to_vec();
        let mut text = String::new();
        for left in (1..=6).rev() {
            let Member { name, value, .. } = rest.remove(number % left);
            number /= left;
            text.push_str(&format!(",\"{name}\":{value}"));
        }
        text.replace_range(..1, "{");
        text.push('}');
        for protocol in &protocols {
            let Ok(Message::Request(request)) = judge(text.as_bytes(), protocol).1 else {
                panic!("{text}")
            };
            assert_eq!(request.id().to_string(), "\"a\"");
            assert_eq!(request.method(), "m");
            assert_eq!(request.params().unwrap().as_bytes(), members[3].value.as_bytes());
            assert_eq!(request.call().unknown_members(), 2);
        }
        orders.insert(text);
    }
    assert_eq!(orders.len(), 720);
}

/// Names that a careless peer confuses with a standard name, and names that no peer confuses.
#[test]
fn names_that_are_near_misses() {
    #[rustfmt::skip]
    let table: &[(&str, Option<Rule>)] = &[
        // The name itself, in any spelling.
        ("id", None),
        (r"\u0069d", None),
        (r"\u0069\u0064", None),
        (r"\u0049d", Some(Rule::MEMBER_LOOKALIKE)),
        // In another case.
        ("Id", Some(Rule::MEMBER_LOOKALIKE)),
        ("ID", Some(Rule::MEMBER_LOOKALIKE)),
        ("iD", Some(Rule::MEMBER_LOOKALIKE)),
        ("Method", Some(Rule::MEMBER_LOOKALIKE)),
        ("METHOD", Some(Rule::MEMBER_LOOKALIKE)),
        ("JsonRpc", Some(Rule::MEMBER_LOOKALIKE)),
        ("JSONRPC", Some(Rule::MEMBER_LOOKALIKE)),
        ("Params", Some(Rule::MEMBER_LOOKALIKE)),
        ("Result", Some(Rule::MEMBER_LOOKALIKE)),
        ("eRRor", Some(Rule::MEMBER_LOOKALIKE)),
        // With letters that case folding changes.
        ("param\u{17F}", Some(Rule::MEMBER_LOOKALIKE)),
        (r"param\u017f", Some(Rule::MEMBER_LOOKALIKE)),
        ("re\u{17F}ult", Some(Rule::MEMBER_LOOKALIKE)),
        ("j\u{17F}onrpc", Some(Rule::MEMBER_LOOKALIKE)),
        // With an invisible character.
        (r"method\u0000", Some(Rule::MEMBER_LOOKALIKE)),
        (r"\u0000method", Some(Rule::MEMBER_LOOKALIKE)),
        (r"me\u0000thod", Some(Rule::MEMBER_LOOKALIKE)),
        ("method ", Some(Rule::MEMBER_LOOKALIKE)),
        (" method", Some(Rule::MEMBER_LOOKALIKE)),
        (r"method\n", Some(Rule::MEMBER_LOOKALIKE)),
        ("\u{FEFF}id", Some(Rule::MEMBER_LOOKALIKE)),
        ("i\u{200B}d", Some(Rule::MEMBER_LOOKALIKE)),
        // Other names.
        ("", Some(Rule::UNKNOWN_MEMBER)),
        ("i", Some(Rule::UNKNOWN_MEMBER)),
        ("idd", Some(Rule::UNKNOWN_MEMBER)),
        ("di", Some(Rule::UNKNOWN_MEMBER)),
        ("_id", Some(Rule::UNKNOWN_MEMBER)),
        ("ids", Some(Rule::UNKNOWN_MEMBER)),
        ("methods", Some(Rule::UNKNOWN_MEMBER)),
        ("jsonrpc2", Some(Rule::UNKNOWN_MEMBER)),
        ("json-rpc", Some(Rule::UNKNOWN_MEMBER)),
        ("res", Some(Rule::UNKNOWN_MEMBER)),
        ("errors", Some(Rule::UNKNOWN_MEMBER)),
        ("error.", Some(Rule::UNKNOWN_MEMBER)),
        (r"i\u00dd", Some(Rule::UNKNOWN_MEMBER)),
        // Members of other objects have no meaning in this one.
        ("code", Some(Rule::UNKNOWN_MEMBER)),
        ("message", Some(Rule::UNKNOWN_MEMBER)),
        ("data", Some(Rule::UNKNOWN_MEMBER)),
        ("_meta", Some(Rule::UNKNOWN_MEMBER)),
    ];
    for protocol in &protocols() {
        for &(name, rule) in table {
            // Beside the real ones, it changes only the findings.
            let frame = format!(r#"{{"jsonrpc":"2.0","method":"m","{name}":1}}"#);
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let found: Vec<_> = findings.iter().map(Finding::rule).collect();
            assert_eq!(found, Vec::from_iter(rule), "{frame}");
            match (rule, message) {
                (None, Ok(Message::Request(request))) => {
                    assert_eq!(request.call().unknown_members(), 0);
                }
                (Some(_), Ok(Message::Notification(notification))) => {
                    assert_eq!(notification.call().unknown_members(), 1);
                    assert_eq!(findings[0].offset(), 30);
                }
                (_, other) => panic!("{frame}: {other:?}"),
            }
        }
    }
}

/// Every name with an unpaired surrogate, which peers cannot compare, is reported.
#[test]
fn every_name_with_half_a_character_is_reported() {
    for (frame, places) in [
        (r#"{"jsonrpc":"2.0","\ud800":1,"method":"m","a\udfff":2}"#, &[18, 43][..]),
        // A valid name before or after it makes no difference.
        (r#"{"jsonrpc":"2.0","\ud800":1,"method":"m","x":2}"#, &[18]),
        (r#"{"jsonrpc":"2.0","x":1,"method":"m","\ud800":2}"#, &[37]),
        // Payload has its own names.
        (r#"{"jsonrpc":"2.0","method":"m","params":{"\ud800":1}}"#, &[]),
    ] {
        for protocol in &protocols() {
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let fault = message.err().map(|fault| fault.rule());
            assert_eq!(fault, (!places.is_empty()).then_some(Rule::LONE_SURROGATE));
            let lone = findings.iter().filter(|finding| finding.rule() == Rule::LONE_SURROGATE);
            assert!(lone.map(Finding::offset).eq(places.iter().copied()), "{frame}");
        }
    }
}
