//! What a frame is, and which reply it is owed, cell by cell.
//!
//! All combinations of members that are present, absent, twice there or of a wrong type go through every
//! preset. What each of them is comes from an oracle that knows the frame as the list of members that
//! it was built from, and never reads JSON.

#[path = "support/reference/json.rs"]
#[expect(dead_code, reason = "what is needed of it here is whether a text is JSON")]
mod json;
#[path = "support/reference/reply.rs"]
mod reply;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use reply::{Facts, Family, IdKind, Protocol, owed, protocols};
use serde_json::value::RawValue;
use tautline::envelope::{Ids, ReplyId, Uncorrelated, Unparseable};
use tautline::{
    Fault, Finding, Message, Outcome, RawJson, RawStr, Revision, Rule, Rules, Severity,
};

/// A member, as it is written.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// The name after unescaping.
    name: &'static str,
    /// The name as it is spelled, without its quotes.
    spelling: &'static str,
    value: &'static str,
}

const fn member(name: &'static str, value: &'static str) -> Member {
    Member { name, spelling: name, value }
}

/// The names that mean something, and other ways to spell them.
const NAMES: &[(&str, &[&str])] = &[
    ("jsonrpc", &[r"\u006asonrpc", r"json\u0072pc", r"\u006A\u0073onrpc"]),
    ("id", &[r"\u0069d", r"i\u0064", r"\u0069\u0064"]),
    ("method", &[r"\u006dethod", r"metho\u0064", r"m\u0065t\u0068od"]),
    ("params", &[r"\u0070arams", r"param\u0073", r"p\u0061r\u0061ms"]),
    ("result", &[r"\u0072esult", r"resul\u0074", r"res\u0075lt"]),
    ("error", &[r"\u0065rror", r"erro\u0072", r"e\u0072\u0072or"]),
];

/// Members that mean nothing; the second ones look as if they did.
const STRANGERS: &[Member] = &[
    member("x", r#"{"id":7,"method":"m","result":1,"error":null,"jsonrpc":"1.0"}"#),
    member("", "null"),
];
const LOOKALIKES: &[Member] = &[
    member("Method", "\"m\""),
    member("ID", "1"),
    member(r"result\u0000", "{}"),
    member(r"param\u017f", "[]"),
];

/// An error object, and what is wrong with it, with the place in its text.
const ERRORS: &[(&str, &[(Rule, usize)])] = &[
    (r#"{"code":1,"message":"no"}"#, &[]),
    ("{}", &[(Rule::ErrorCodeMissing, 0), (Rule::ErrorMessageMissing, 0)]),
    (r#"{"code":1,"message":"no","code":2}"#, &[(Rule::DuplicateMember, 25)]),
    (r#"{"message":null,"code":1}"#, &[(Rule::ErrorMessageType, 11)]),
];

/// Not an error object, wherever it stands but in `error`.
const LOOKS_LIKE_AN_ERROR: &str = r#"{"code":1,"message":"no","data":{},"code":2}"#;

/// A frame that was built, with the place of each member's name and value.
struct Built {
    text: String,
    /// Where the object's brace is.
    start: usize,
    members: Vec<(Member, usize, usize)>,
}

/// Numbers that look like chance and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Writes the members in an order, in spellings and with whitespace that the dice decide.
fn build(members: &[Member], dice: &mut Dice) -> Built {
    const SPACES: [&str; 8] = ["", "", "", "", "", " ", "\t", "\r\n"];
    let mut members = members.to_vec();
    for i in (1..members.len()).rev() {
        members.swap(i, dice.roll(i + 1));
    }
    let mut space = SPACES[dice.roll(8)];
    let mut built = Built { text: space.into(), start: space.len(), members: Vec::new() };
    built.text.push('{');
    for (i, mut member) in members.into_iter().enumerate() {
        let known = NAMES.iter().find(|(name, _)| *name == member.name);
        if let Some((_, spellings)) = known.filter(|_| dice.roll(8) == 0) {
            member.spelling = spellings[dice.roll(spellings.len())];
        }
        let comma = if i > 0 { "," } else { "" };
        built.text.push_str(comma);
        built.text.push_str(space);
        let name_at = built.text.len();
        built.text.push_str(&format!("\"{}\"{space}:{space}", member.spelling));
        let value_at = built.text.len();
        built.text.push_str(member.value);
        built.text.push_str(space);
        built.members.push((member, name_at, value_at));
        space = SPACES[dice.roll(8)];
    }
    built.text.push('}');
    built.text.push_str(space);
    built
}

/// What is to be said of a frame.
#[derive(Debug, PartialEq)]
struct Verdict<'a> {
    /// All findings, in the order of the rules and then of their places.
    findings: Vec<(Rule, Severity, usize)>,
    /// What the message is; or the first rule that is broken, and the reply that is owed.
    message: Result<String, (Rule, Option<reply::Reply<'a>>)>,
}

fn id_kind(value: &str) -> IdKind {
    match value.as_bytes()[0] {
        b'"' if value.contains(r"\ud800") => IdKind::BrokenString,
        b'"' => IdKind::String,
        b'n' => IdKind::Null,
        b't' | b'f' | b'{' | b'[' => IdKind::Illegal,
        _ if value.parse::<f64>().unwrap().fract() == 0.0 => IdKind::Integer,
        _ => IdKind::Fraction,
    }
}

fn severity(rule: Rule, family: Family) -> Severity {
    match rule {
        Rule::IdNull | Rule::IdFraction if family == Family::JsonRpc => Severity::Warning,
        Rule::IdNotPlainInteger | Rule::IdUnsafeInteger | Rule::MemberLookalike => {
            Severity::Warning
        }
        Rule::ErrorCodeHttp | Rule::ErrorCodeReserved => Severity::Warning,
        Rule::MethodReserved | Rule::UnknownMember => Severity::Note,
        _ => Severity::Error,
    }
}

/// The oracle.
fn expected<'a>(built: &'a Built, protocol: &Protocol) -> Verdict<'a> {
    let Built { start, members: ref all, .. } = *built;
    let revision = match protocol.family {
        Family::Mcp(revision) => Some(revision),
        Family::JsonRpc | Family::Lsp => None,
    };
    let first = |name| all.iter().find(|(member, ..)| member.name == name);
    let has = |name| first(name).is_some();
    let value = |name| first(name).map(|(member, ..)| member.value);
    let place = |name| first(name).unwrap().2;
    let begins = |name, with: &str| value(name).is_none_or(|value| with.contains(&value[..1]));
    let mut findings = Vec::new();
    let mut find = |rule, at| findings.push((rule, severity(rule, protocol.family), at));

    for (i, &(member, name_at, value_at)) in all.iter().enumerate() {
        let known = NAMES.iter().any(|(name, _)| *name == member.name);
        let compared = ["jsonrpc", "method", "id"].contains(&member.name);
        if known && all[..i].iter().any(|(other, ..)| other.name == member.name) {
            find(Rule::DuplicateMember, name_at);
        } else if let Some(at) = member.value.find(r"\ud800").filter(|_| compared) {
            find(Rule::LoneSurrogate, value_at + at);
        } else if let Some(at) = member.spelling.find(r"\ud800") {
            find(Rule::LoneSurrogate, name_at + 1 + at);
        }
        if LOOKALIKES.iter().any(|alike| alike.name == member.name) {
            find(Rule::MemberLookalike, name_at);
        } else if !known {
            find(Rule::UnknownMember, name_at);
        }
    }
    match value("jsonrpc") {
        None => find(Rule::MissingJsonrpc, start),
        Some(r#""2.0""# | r#""2\u002e0""#) => {}
        Some(_) => find(Rule::WrongVersion, place("jsonrpc")),
    }

    // A result, an error or a call; and a response needs an id.
    let response = has("result") || has("error");
    let error_alone = has("error") && !has("result");
    if has("result") && has("error") {
        find(Rule::ResultAndError, place("result").max(place("error")));
    }
    if has("method") && response {
        find(Rule::MethodInResponse, place("method"));
    }
    if !has("method") && !response {
        find(Rule::NoShape, start);
    }
    let ids = all.iter().filter(|(member, ..)| member.name == "id");
    let ids: Vec<_> = ids.map(|(id, ..)| (id.value, id_kind(id.value))).collect();
    match ids.first() {
        None if error_alone && revision >= Some(Revision::V2025_11_25) => {}
        None if response => find(Rule::ResponseWithoutId, start),
        Some((_, IdKind::Illegal)) => find(Rule::IdType, place("id")),
        Some((_, IdKind::Null)) if error_alone && revision.is_none() => {}
        Some((_, IdKind::Null)) => find(Rule::IdNull, place("id")),
        Some((_, IdKind::Fraction)) => find(Rule::IdFraction, place("id")),
        Some(&(id, IdKind::Integer)) => {
            if id == "-0" || id.contains(['.', 'e', 'E']) {
                find(Rule::IdNotPlainInteger, place("id"));
            }
            // Sixteen digits are enough for 2^53, and the table has nothing between it and ten times it.
            if id.trim_start_matches('-').len() > 15 && id != "9007199254740991" {
                find(Rule::IdUnsafeInteger, place("id"));
            }
        }
        None | Some((_, IdKind::String | IdKind::BrokenString)) => {}
    }

    if !begins("method", "\"") {
        find(Rule::MethodType, place("method"));
    }
    if value("method").is_some_and(|method| method.starts_with("\"rpc.")) {
        find(Rule::MethodReserved, place("method"));
    }
    let params = match protocol.family {
        Family::JsonRpc => "{[",
        Family::Lsp => "{[n",
        Family::Mcp(_) => "{",
    };
    if !begins("params", params) {
        find(Rule::ParamsType, place("params"));
    }
    if revision.is_some() && !begins("result", "{") {
        find(Rule::ResultType, place("result"));
    }
    if !begins("error", "{") {
        find(Rule::ErrorType, place("error"));
    } else if let Some(error) = value("error") {
        let (_, faults) = ERRORS.iter().find(|(text, _)| *text == error).unwrap();
        for &(rule, at) in *faults {
            find(rule, place("error") + at);
        }
    }

    findings.sort_by_key(|&(rule, _, at)| (rule, at));
    let facts = Facts {
        has_result_or_error: response,
        has_string_method: all.iter().any(|(m, ..)| m.name == "method" && m.value.starts_with('"')),
        ids,
    };
    let errors = findings.iter().find(|found| found.1 == Severity::Error);
    let message = match errors {
        Some(&(rule, ..)) => Err((rule, owed(Some(&facts), protocol))),
        None => Ok(match (value("id"), has("result"), has("error")) {
            (id, true, _) => format!("result {} {}", id.unwrap(), value("result").unwrap()),
            (id, _, true) => format!("error {} {}", id.unwrap_or("no id"), value("error").unwrap()),
            (Some(id), ..) => format!("request {id} {:?} {:?}", value("method"), value("params")),
            (None, ..) => format!("notification {:?} {:?}", value("method"), value("params")),
        }),
    };
    Verdict { findings, message }
}

/// What holds of any frame, whatever is in it: how `parse` and `parse_with` hang together.
fn judge<'a>(frame: &'a [u8], protocol: &Protocol) -> (Vec<Finding>, Result<Message<'a>, Fault>) {
    let rules = &protocol.rules;
    let mut findings = Vec::new();
    let message = Message::parse_with(frame, rules, |finding| findings.push(finding));
    assert_eq!(message, Message::parse(frame, rules));

    assert!(findings.is_sorted_by_key(Finding::rule), "{findings:?}");
    for finding in &findings {
        assert_eq!(finding.severity(), rules.severity(finding.rule()));
        assert!(usize::try_from(finding.offset()).unwrap() <= frame.len());
    }
    let mut errors = findings.iter().filter(|found| found.severity() == Severity::Error);
    match (&message, errors.next()) {
        (Ok(_), None) => {}
        (Err(fault), Some(error)) => {
            assert_eq!(fault.rule(), error.rule());
            assert_eq!(fault.offset(), error.offset());
            assert_eq!(fault.syntax(), error.syntax());
            assert_eq!(fault.message(), error.message());
            assert_eq!(fault.to_string(), error.to_string());
        }
        (message, error) => panic!("{message:?} with {error:?}"),
    }
    (findings, message)
}

/// The reply that a fault is owed, as a code and the text of an id.
fn reply_in<'a>(fault: &Fault, frame: &'a str) -> Option<reply::Reply<'a>> {
    let reply = fault.reply()?;
    let id = reply.id_in(frame.as_bytes());
    Some((reply.code().value(), id.map(|id| std::str::from_utf8(id).unwrap())))
}

/// What is said of it.
fn verdict<'a>(frame: &'a str, protocol: &Protocol) -> Verdict<'a> {
    let (findings, message) = judge(frame.as_bytes(), protocol);
    let at = |offset| usize::try_from(offset).unwrap();
    let mut findings: Vec<_> = findings
        .iter()
        .map(|finding| (finding.rule(), finding.severity(), at(finding.offset())))
        .collect();
    findings.sort_by_key(|&(rule, _, at)| (rule, at));
    let params = |params: Option<RawJson<'a>>| params.and_then(|params| params.as_str());
    let method = |method: RawStr<'a>| Some(format!("\"{method}\""));
    let message = match message {
        Err(fault) => Err((fault.rule(), reply_in(&fault, frame))),
        Ok(Message::Request(request)) => Ok(format!(
            "request {} {:?} {:?}",
            request.id(),
            method(request.method()),
            params(request.params())
        )),
        Ok(Message::Notification(notification)) => Ok(format!(
            "notification {:?} {:?}",
            method(notification.method()),
            params(notification.params())
        )),
        Ok(Message::Response(response)) => Ok(match response.outcome() {
            Outcome::Result(result) => format!("result {} {result}", response.id().unwrap()),
            Outcome::Error(error) => {
                let id = response.id().map_or("no id".into(), |id| id.to_string());
                let (code, message) = (error.raw_code(), error.message());
                format!("error {id} {{\"code\":{code},\"message\":\"{message}\"}}")
            }
        }),
        Ok(Message::Batch(_)) => panic!("{frame} is no batch"),
    };
    Verdict { findings, message }
}

/// A table of frames: for each name, the values that it may have, none, one or two at a time.
type Table<'t> = [(&'static str, &'t [&'t [&'static str]])];

/// Puts every frame of a table through every preset, and says how many that were.
fn run(table: &Table<'_>) -> usize {
    let protocols = protocols();
    let mut dice = Dice(1);
    let frames: usize = table.iter().map(|(_, choices)| choices.len()).product();
    for number_of_frame in 0..frames {
        let mut number = number_of_frame;
        let mut members = Vec::new();
        for (name, choices) in table {
            members.extend(choices[number % choices.len()].iter().map(|value| member(name, value)));
            number /= choices.len();
        }
        match dice.roll(8) {
            0 => members.extend(STRANGERS),
            1 => members.push(LOOKALIKES[dice.roll(LOOKALIKES.len())]),
            _ => {}
        }
        let built = build(&members, &mut dice);
        for protocol in &protocols {
            assert_eq!(
                verdict(&built.text, protocol),
                expected(&built, protocol),
                "{} under {}",
                built.text,
                protocol.name
            );
        }
        check_id(&built);
        if number_of_frame % 16 == 0 {
            check_in_batch(&built.text, &protocols);
        }
    }
    let combinations = frames * protocols.len();
    println!("{frames} frames, {combinations} combinations");
    combinations
}

/// A fault has the span of the id if there is exactly one, legal or not.
fn check_id(built: &Built) {
    let Err(fault) = Message::parse(built.text.as_bytes(), &Rules::JSON_RPC) else {
        return;
    };
    let mut ids = built.members.iter().filter(|(member, ..)| member.name == "id");
    let only = ids.next().filter(|_| ids.next().is_none());
    let id = only.map(|(member, ..)| member.value.as_bytes());
    assert_eq!(fault.id_in(built.text.as_bytes()), id, "{}", built.text);
    let at = fault.id().map(|span| usize::try_from(span.start()).unwrap());
    assert_eq!(at, only.map(|(_, _, at)| *at), "{}", built.text);
}

/// In a batch, a message is what it is alone, and its neighbours do not matter.
fn check_in_batch(text: &str, protocols: &[Protocol]) {
    let frame = format!("[ {text},0 ,{text} ]");
    let starts = [2, text.len() + 3, text.len() + 6];
    for protocol in protocols {
        let allowed = match protocol.family {
            Family::JsonRpc => true,
            Family::Lsp => false,
            Family::Mcp(revision) => revision == Revision::V2025_03_26,
        };
        let (_, message) = judge(frame.as_bytes(), protocol);
        let Ok(Message::Batch(batch)) = message else {
            let fault = message.unwrap_err();
            assert!(!allowed);
            assert_eq!(fault.rule(), Rule::BatchNotAllowed);
            assert_eq!(reply_in(&fault, &frame), owed(Some(&Facts::default()), protocol));
            continue;
        };
        assert!(allowed);
        assert_eq!((batch.len(), batch.iter().len()), (3, 3));
        let (findings, alone) = judge(text.as_bytes(), protocol);
        for (element, start) in batch.iter().zip(starts) {
            let start = u32::try_from(start).unwrap();
            let mut found = Vec::new();
            element.findings(|finding| found.push(finding));
            let message = element.message();
            if element.span().len() == 1 {
                let fault = message.unwrap_err();
                assert_eq!((fault.rule(), fault.offset()), (Rule::NotAnObject, start));
                assert_eq!(reply_in(&fault, &frame), owed(Some(&Facts::default()), protocol));
                continue;
            }
            let places = |findings: &[Finding], shift| {
                let places = findings.iter().map(|f| (f.rule(), f.severity(), f.offset() + shift));
                places.collect::<Vec<_>>()
            };
            assert_eq!(places(&found, 0), places(&findings, start), "{frame}");
            match (message, alone) {
                (Ok(in_batch), Ok(alone)) => assert_eq!(in_batch, alone),
                (Err(in_batch), Err(alone)) => {
                    assert_eq!(in_batch.rule(), alone.rule());
                    assert_eq!(in_batch.offset(), alone.offset() + start);
                    assert_eq!(in_batch.id_in(frame.as_bytes()), alone.id_in(text.as_bytes()));
                    assert_eq!(reply_in(&in_batch, &frame), reply_in(&alone, text));
                }
                (in_batch, alone) => panic!("{in_batch:?} and alone {alone:?}"),
            }
        }
    }
}

#[test]
fn every_combination_of_members() {
    let combinations = run(&[
        (
            "jsonrpc",
            &[
                &[],
                &["\"2.0\""],
                &["\"1.0\""],
                &["2.0"],
                &["\"2.0\"", "\"2.0\""],
                &["\"2.0\"", "\"1.0\""],
            ],
        ),
        (
            "id",
            &[
                &[],
                &["1"],
                &["\"a\""],
                &["1.0"],
                &["1.5"],
                &["null"],
                &["true"],
                &["{}"],
                &[r#""\ud800""#],
                &["1", "1"],
                &["1", "\"x\""],
                &["null", "2"],
            ],
        ),
        ("method", &[&[], &["\"m\""], &["1"], &["\"m\"", "\"m\""], &["1", "\"m\""]]),
        ("params", &[&[], &[LOOKS_LIKE_AN_ERROR], &["[]"], &["null"], &["\"x\""], &["{}", "[1]"]]),
        ("result", &[&[], &["{}"], &["19"], &["{}", "null"]]),
        ("error", &[&[], &[ERRORS[0].0], &[ERRORS[1].0], &["null"], &[ERRORS[0].0, "null"]]),
    ]);
    assert_eq!(combinations, 6 * 12 * 5 * 6 * 4 * 5 * 12);
}

/// Every form of id and of version, with and without what makes the frame a call or a response.
#[test]
fn every_id_with_every_version() {
    let combinations = run(&[
        (
            "jsonrpc",
            &[
                &[],
                &["\"2.0\""],
                &[r#""2\u002e0""#],
                &["\"2.0 \""],
                &["\"2\""],
                &["\"\""],
                &["\"1.0\""],
                &["\"2.00\""],
                &[r#""2.0\u0000""#],
                &[r#""2.0\ud800""#],
                &["2.0"],
                &["2"],
                &["null"],
                &["true"],
                &["[\"2.0\"]"],
                &["{}"],
                &["\"2.0\"", "\"2.0\"", "\"2.0\""],
            ],
        ),
        (
            "id",
            &[
                &[],
                &["0"],
                &["1"],
                &["-7"],
                &["\"\""],
                &["\"1\""],
                &["\"a b\u{e9}\""],
                &[r#""\u0061\"\\""#],
                &[r#""\ud83d\ude00""#],
                &[r#""\ud800""#],
                &[r#""a\ud800b""#],
                &["-0"],
                &["1.0"],
                &["1e2"],
                &["-0.0"],
                &["9007199254740991"],
                &["9007199254740992"],
                &["-9007199254740993"],
                &["18446744073709551616"],
                &["100000000000000000000000000000000000000000"],
                &["0.5"],
                &["-1.5"],
                &["1e-2"],
                &["null"],
                &["true"],
                &["false"],
                &["[]"],
                &["[1]"],
                &["{}"],
                &["{\"id\":1}"],
                &["true", "1"],
                &["1", "1", "1"],
                &["\"a\"", r#""\u0061""#],
            ],
        ),
        ("method", &[&[], &["\"m\""], &["null"]]),
        ("result", &[&[], &["{}"]]),
        ("error", &[&[], &[ERRORS[0].0]]),
    ]);
    assert_eq!(combinations, 17 * 33 * 3 * 2 * 2 * 12);
}

/// Every form of method, of params, of a result and of an error.
#[test]
fn every_value_of_the_other_members() {
    let combinations = run(&[
        ("jsonrpc", &[&["\"2.0\""]]),
        ("id", &[&[], &["1"], &["null"]]),
        (
            "method",
            &[
                &[],
                &["\"m\""],
                &["\"\""],
                &[r#""m\ud800""#],
                &["\"rpc.discover\""],
                &["\"rpc\""],
                &["\"Rpc.x\""],
                &["\"tools/call\""],
                &["\"\u{e9}\u{1F600}\""],
                &["1"],
                &["null"],
                &["true"],
                &["{}"],
                &["[\"m\"]"],
                &["null", "\"m\""],
                &["\"m\"", "null", "\"m\""],
            ],
        ),
        (
            "params",
            &[
                &[],
                &["{}"],
                &["{\"a\":{\"b\":[\"\\ud800\",1e400]}}"],
                &["[]"],
                &["[[],{}]"],
                &["null"],
                &["true"],
                &["0"],
                &["\"\""],
                &["null", "{}"],
            ],
        ),
        (
            "result",
            &[
                &[],
                &["{}"],
                &["{\"error\":{},\"id\":2}"],
                &["[]"],
                &["null"],
                &["false"],
                &["19"],
                &["\"\\ud800\""],
                &["null", "{}"],
            ],
        ),
        (
            "error",
            &[
                &[],
                &[ERRORS[0].0],
                &[ERRORS[2].0],
                &[ERRORS[3].0],
                &["null"],
                &["true"],
                &["-32600"],
                &["\"no\""],
                &["[]"],
                &["null", ERRORS[0].0],
            ],
        ),
    ]);
    assert_eq!(combinations, 3 * 16 * 10 * 9 * 10 * 12);
}

/// What is no object has no members that could be looked at.
#[test]
fn frames_that_are_no_objects() {
    let facts = Facts::default();
    for protocol in &protocols() {
        let check = |frame: &str, rules: &[Rule], offset| {
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let found: Vec<_> = findings.iter().map(Finding::rule).collect();
            assert_eq!(found, rules, "{frame} under {}", protocol.name);
            let fault = message.unwrap_err();
            assert_eq!(fault.offset(), offset, "{frame}");
            assert_eq!(fault.id(), None);
            let json = rules[0] != Rule::NotJson && rules[0] != Rule::InvalidUtf8;
            let expected = owed(json.then_some(&facts), protocol);
            assert_eq!(reply_in(&fault, frame), expected, "{frame} under {}", protocol.name);
        };
        for scalar in ["null", "true", "1", "-1.5e7", "\"{}\"", "\"\\ud800\""] {
            check(scalar, &[Rule::NotAnObject], 0);
            check(&format!(" {scalar} "), &[Rule::NotAnObject], 1);
        }
        let batches = protocol.rules.batches() == tautline::envelope::Batches::Allowed;
        if batches {
            check(" []", &[Rule::BatchEmpty], 1);
            check("[ ]", &[Rule::BatchEmpty], 0);
        } else {
            check(" []", &[Rule::BatchNotAllowed, Rule::BatchEmpty], 1);
            check("[1]", &[Rule::BatchNotAllowed], 0);
        }
        for (elements, too_long) in [(1024, false), (1025, true)] {
            let frame = format!("[{}0]", "0,".repeat(elements - 1));
            let mut rules = Vec::new();
            rules.extend((!batches).then_some(Rule::BatchNotAllowed));
            rules.extend(too_long.then_some(Rule::BatchTooLong));
            if rules.is_empty() {
                assert!(matches!(judge(frame.as_bytes(), protocol).1, Ok(Message::Batch(_))));
            } else {
                check(&frame, &rules, 0);
            }
        }
        let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
        check(&deep, &[Rule::TooDeep], 127);
        // What is not JSON may be recognised as something else.
        check("{\"id\":1,\"method\":\"m\"", &[Rule::NotJson], 20);
        check("{\"id\":1,\"result\":1 x", &[Rule::NotJson], 19);
        check("[{\"id\":1}", &[Rule::NotJson], 9);
        check("ready", &[Rule::NotJson, Rule::LogLine], 0);
        check("Content-Length: 2", &[Rule::NotJson, Rule::ContentLengthHeader], 0);
        check("{", &[Rule::NotJson, Rule::EmbeddedNewline], 1);
        check("{\0}\0", &[Rule::NotJson, Rule::Utf16], 1);
    }
}

/// The mechanism, apart from the presets: which ids are legal, and what becomes of a reply without one,
/// are two settings, and so is whether what is not JSON is answered.
#[test]
fn settings_of_the_reply_are_independent() {
    let null_id = r#"{"jsonrpc":"2.0","id":null,"method":1}"#;
    let no_legal_id = r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#;
    let not_json = r#"{"jsonrpc":"2.0","id":1"#;
    let reply = |frame, rules: &Rules| {
        let fault = Message::parse(str::as_bytes(frame), rules).unwrap_err();
        reply_in(&fault, frame)
    };
    for (uncorrelated, id) in [
        (Uncorrelated::NullId, Some(Some("null"))),
        (Uncorrelated::NoId, Some(None)),
        (Uncorrelated::Silent, None),
    ] {
        let rules = Rules::JSON_RPC.with_uncorrelated(uncorrelated);
        // A null id is legal in JSON-RPC, so it is echoed like any other.
        assert_eq!(reply(null_id, &rules), Some((-32600, Some("null"))));
        let fault = Message::parse(null_id.as_bytes(), &rules).unwrap_err();
        assert_eq!(fault.reply().unwrap().id(), ReplyId::Echo(fault.id().unwrap()));
        assert_eq!(reply(no_legal_id, &rules), id.map(|id| (-32600, id)));
        assert_eq!(reply(not_json, &rules), id.map(|id| (-32700, id)));

        let strict = rules.with_ids(Ids::StringOrInteger);
        assert_eq!(reply(null_id, &strict), id.map(|id| (-32600, id)));

        let silent = rules.with_unparseable(Unparseable::Silent);
        assert_eq!(reply(not_json, &silent), None);
        assert_eq!(reply(no_legal_id, &silent), id.map(|id| (-32600, id)));
    }
}

/// What has null ids and answers everything on a stream has nothing to change over HTTP.
#[test]
fn presets_that_are_the_same_over_http() {
    for rules in [Rules::JSON_RPC, Rules::LSP] {
        assert_eq!(rules.http(), rules);
    }
    assert_eq!(protocols().len(), 2 + 2 * Revision::ALL.len());
}

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
    let mut orders = std::collections::BTreeSet::new();
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
            assert_eq!(request.unknown_members(), 2);
        }
        orders.insert(text);
    }
    assert_eq!(orders.len(), 720);
}

/// Names that a careless peer takes for others, and names that nobody does.
#[test]
fn names_that_are_near_misses() {
    #[rustfmt::skip]
    let table: &[(&str, Option<Rule>)] = &[
        // The name itself, however it is spelled.
        ("id", None),
        (r"\u0069d", None),
        (r"\u0069\u0064", None),
        (r"\u0049d", Some(Rule::MemberLookalike)),
        // In another case.
        ("Id", Some(Rule::MemberLookalike)),
        ("ID", Some(Rule::MemberLookalike)),
        ("iD", Some(Rule::MemberLookalike)),
        ("Method", Some(Rule::MemberLookalike)),
        ("METHOD", Some(Rule::MemberLookalike)),
        ("JsonRpc", Some(Rule::MemberLookalike)),
        ("JSONRPC", Some(Rule::MemberLookalike)),
        ("Params", Some(Rule::MemberLookalike)),
        ("Result", Some(Rule::MemberLookalike)),
        ("eRRor", Some(Rule::MemberLookalike)),
        // With letters that fold to others.
        ("param\u{17F}", Some(Rule::MemberLookalike)),
        (r"param\u017f", Some(Rule::MemberLookalike)),
        ("re\u{17F}ult", Some(Rule::MemberLookalike)),
        ("j\u{17F}onrpc", Some(Rule::MemberLookalike)),
        // With something that can't be seen.
        (r"method\u0000", Some(Rule::MemberLookalike)),
        (r"\u0000method", Some(Rule::MemberLookalike)),
        (r"me\u0000thod", Some(Rule::MemberLookalike)),
        ("method ", Some(Rule::MemberLookalike)),
        (" method", Some(Rule::MemberLookalike)),
        (r"method\n", Some(Rule::MemberLookalike)),
        ("\u{FEFF}id", Some(Rule::MemberLookalike)),
        ("i\u{200B}d", Some(Rule::MemberLookalike)),
        // Other names.
        ("", Some(Rule::UnknownMember)),
        ("i", Some(Rule::UnknownMember)),
        ("idd", Some(Rule::UnknownMember)),
        ("di", Some(Rule::UnknownMember)),
        ("_id", Some(Rule::UnknownMember)),
        ("ids", Some(Rule::UnknownMember)),
        ("methods", Some(Rule::UnknownMember)),
        ("jsonrpc2", Some(Rule::UnknownMember)),
        ("json-rpc", Some(Rule::UnknownMember)),
        ("res", Some(Rule::UnknownMember)),
        ("errors", Some(Rule::UnknownMember)),
        ("error.", Some(Rule::UnknownMember)),
        (r"i\u00dd", Some(Rule::UnknownMember)),
        // Members of other objects mean nothing in this one.
        ("code", Some(Rule::UnknownMember)),
        ("message", Some(Rule::UnknownMember)),
        ("data", Some(Rule::UnknownMember)),
        ("_meta", Some(Rule::UnknownMember)),
    ];
    for protocol in &protocols() {
        for &(name, rule) in table {
            // Beside the real ones, it changes nothing but the findings.
            let frame = format!(r#"{{"jsonrpc":"2.0","method":"m","{name}":1}}"#);
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let found: Vec<_> = findings.iter().map(Finding::rule).collect();
            assert_eq!(found, Vec::from_iter(rule), "{frame}");
            match (rule, message) {
                (None, Ok(Message::Request(request))) => {
                    assert_eq!(request.unknown_members(), 0);
                }
                (Some(_), Ok(Message::Notification(notification))) => {
                    assert_eq!(notification.unknown_members(), 1);
                    assert_eq!(findings[0].offset(), 30);
                }
                (_, other) => panic!("{frame}: {other:?}"),
            }
        }
    }
}

/// An error object's members: what may be wrong with each, in any order and spelling.
#[test]
fn every_error_object() {
    const CODES: &[&[&str]] = &[
        &[],
        &["1"],
        &["-32600"],
        &["0"],
        &["1.0"],
        &["1e2"],
        &["1e400"],
        &["9223372036854775808"],
        &["1.5"],
        &["1e-2"],
        &["\"1\""],
        &["null"],
        &["true"],
        &["[]"],
        &["1", "1"],
        &["\"1\"", "1"],
    ];
    const MESSAGES: &[&[&str]] = &[
        &[],
        &["\"no\""],
        &["\"\""],
        &[r#""\ud800""#],
        &["1"],
        &["null"],
        &["{}"],
        &["\"a\"", "\"b\""],
        &["null", "\"b\""],
    ];
    const DATA: &[&[&str]] =
        &[&[], &["null"], &["{\"code\":\"x\",\"message\":1}"], &["[1,{\"data\":2}]"], &["1", "2"]];
    const OTHERS: &[&[(&str, Rule)]] = &[
        &[],
        &[("x", Rule::UnknownMember)],
        &[("Code", Rule::MemberLookalike), ("id", Rule::UnknownMember)],
        &[(r"data\u0000", Rule::MemberLookalike), (r"\ud800", Rule::UnknownMember)],
    ];
    const SPELLINGS: [[&str; 3]; 2] =
        [["code", "message", "data"], [r"c\u006fde", r"\u006dessage", r"dat\u0061"]];
    let protocols = protocols();
    let mut dice = Dice(2);
    let mut combinations = 0;
    for number in 0..CODES.len() * MESSAGES.len() * DATA.len() * OTHERS.len() {
        let (code, number) = (CODES[number % CODES.len()], number / CODES.len());
        let (message, number) = (MESSAGES[number % MESSAGES.len()], number / MESSAGES.len());
        let (data, number) = (DATA[number % DATA.len()], number / DATA.len());
        let mut members = Vec::new();
        for (which, values) in [code, message, data].into_iter().enumerate() {
            members.extend(
                values.iter().map(|value| (Some(which), SPELLINGS[0][which], *value, None)),
            );
        }
        let strangers = OTHERS[number].iter();
        members.extend(strangers.map(|&(name, rule)| (None, name, "[]", Some(rule))));
        for i in (1..members.len()).rev() {
            members.swap(i, dice.roll(i + 1));
        }

        let mut frame = String::from(r#"{"jsonrpc":"2.0","id":1,"error":"#);
        let brace = frame.len();
        let mut findings = Vec::new();
        let mut seen: [Option<(&str, usize)>; 3] = [None; 3];
        frame.push('{');
        for (i, (which, name, value, stranger)) in members.into_iter().enumerate() {
            frame.push_str(if i > 0 { ", " } else { "" });
            let name_at = frame.len();
            let name = which.map_or(name, |which| SPELLINGS[dice.roll(2)][which]);
            frame.push_str(&format!("\"{name}\" : "));
            let value_at = frame.len();
            frame.push_str(value);
            findings.extend(stranger.map(|rule| (rule, name_at)));
            match which.map(|which| &mut seen[which]) {
                Some(Some(_)) => findings.push((Rule::DuplicateMember, name_at)),
                Some(first) => *first = Some((value, value_at)),
                None => {}
            }
        }
        frame.push_str("}}");
        match seen[0] {
            None => findings.push((Rule::ErrorCodeMissing, brace)),
            Some((code, at)) => {
                let integer =
                    code.parse::<f64>().is_ok_and(|n| n.fract() == 0.0 || n.is_infinite());
                findings.extend((!integer).then_some((Rule::ErrorCodeType, at)));
                // 1e2 is 100, which is a status of HTTP.
                findings.extend((code == "1e2").then_some((Rule::ErrorCodeHttp, at)));
            }
        }
        match seen[1] {
            None => findings.push((Rule::ErrorMessageMissing, brace)),
            Some((message, at)) if !message.starts_with('"') => {
                findings.push((Rule::ErrorMessageType, at));
            }
            Some(_) => {}
        }
        findings.sort();
        for protocol in &protocols {
            let (found, parsed) = judge(frame.as_bytes(), protocol);
            let place = |at| usize::try_from(at).unwrap();
            let mut found: Vec<_> = found.iter().map(|f| (f.rule(), place(f.offset()))).collect();
            found.sort();
            assert_eq!(found, findings, "{frame}");
            match parsed {
                Err(fault) => assert_eq!(fault.reply(), None, "silence for what may be a response"),
                Ok(Message::Response(response)) => {
                    let error = response.error().unwrap();
                    assert_eq!(Some(error.raw_code().to_string().as_str()), seen[0].map(|s| s.0));
                    let message = error.message().as_bytes();
                    let quoted = [b"\"", message, b"\""].concat();
                    assert_eq!(Some(&*quoted), seen[1].map(|s| s.0.as_bytes()));
                    let data = error.data().map(|data| data.as_bytes());
                    assert_eq!(data, seen[2].map(|s| s.0.as_bytes()));
                }
                other => panic!("{frame}: {other:?}"),
            }
            combinations += 1;
        }
    }
    println!("{combinations} combinations");
    assert_eq!(combinations, 16 * 9 * 5 * 4 * 12);
}

/// Codes of errors that are legal, and that a peer may take for something else.
#[test]
fn codes_that_draw_a_warning() {
    use Rule::{ErrorCodeHttp, ErrorCodeReserved};
    type Draws = fn(Family) -> Option<Rule>;
    let table: &[(&str, Draws)] = &[
        // What is defined, or for anyone to define.
        ("-32700", |_| None),
        ("-32600", |_| None),
        ("-32603", |_| None),
        ("-32000", |_| None),
        ("-32001", |_| None),
        ("-32019", |_| None),
        ("-32769", |_| None),
        ("-31999", |_| None),
        ("0", |_| None),
        ("1", |_| None),
        ("99", |_| None),
        ("600", |_| None),
        ("1e400", |_| None),
        ("-9223372036854775809", |_| None),
        // The status of a response of HTTP.
        ("100", |_| Some(ErrorCodeHttp)),
        ("404", |_| Some(ErrorCodeHttp)),
        ("599", |_| Some(ErrorCodeHttp)),
        ("4.04e2", |_| Some(ErrorCodeHttp)),
        // JSON-RPC 2.0, section 5.1: reserved, and not defined.
        ("-32768", |_| Some(ErrorCodeReserved)),
        ("-32701", |_| Some(ErrorCodeReserved)),
        ("-32699", |_| Some(ErrorCodeReserved)),
        ("-32604", |_| Some(ErrorCodeReserved)),
        ("-32599", |_| Some(ErrorCodeReserved)),
        ("-32100", |_| Some(ErrorCodeReserved)),
        // For implementations to define, until MCP 2026-07-28 has reserved it or given it up.
        ("-32099", |family| since_2026_07_28(family).then_some(ErrorCodeReserved)),
        ("-32042", |family| since_2026_07_28(family).then_some(ErrorCodeReserved)),
        ("-32023", |family| since_2026_07_28(family).then_some(ErrorCodeReserved)),
        ("-32022", |_| None),
        ("-32020", |_| None),
        ("-32002", |family| since_2026_07_28(family).then_some(ErrorCodeReserved)),
    ];
    for protocol in &protocols() {
        for (code, draws) in table {
            let error = format!(r#"{{"code":{code},"message":""}}"#);
            let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#);
            let (findings, message) = judge(frame.as_bytes(), protocol);
            assert!(matches!(message, Ok(Message::Response(_))));
            let found: Vec<_> = findings.iter().map(Finding::rule).collect();
            let expected = Vec::from_iter(draws(protocol.family));
            assert_eq!(found, expected, "{code} under {}", protocol.name);
        }
    }
}

fn since_2026_07_28(family: Family) -> bool {
    matches!(family, Family::Mcp(revision) if revision >= Revision::V2026_07_28)
}

/// Everything that is found is reported: each name of the message that no peer can compare.
#[test]
fn every_name_with_half_a_character_is_reported() {
    for (frame, places) in [
        (r#"{"jsonrpc":"2.0","\ud800":1,"method":"m","a\udfff":2}"#, &[18, 43][..]),
        // A name behind it that is whole does not make up for it, and neither does one before it.
        (r#"{"jsonrpc":"2.0","\ud800":1,"method":"m","x":2}"#, &[18]),
        (r#"{"jsonrpc":"2.0","x":1,"method":"m","\ud800":2}"#, &[37]),
        // Payload has names of its own.
        (r#"{"jsonrpc":"2.0","method":"m","params":{"\ud800":1}}"#, &[]),
    ] {
        for protocol in &protocols() {
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let fault = message.err().map(|fault| fault.rule());
            assert_eq!(fault, (!places.is_empty()).then_some(Rule::LoneSurrogate));
            let lone = findings.iter().filter(|finding| finding.rule() == Rule::LoneSurrogate);
            assert!(lone.map(Finding::offset).eq(places.iter().copied()), "{frame}");
        }
    }
}

/// Messages, and what is almost one.
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

/// What may be put into a message, with commas that make it fit, or not.
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

/// Messages with pieces put in, and stretches taken out.
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

/// The facts of a frame that is no object with a member twice, by way of `serde_json`; `None` if it is
/// one, or `serde_json` can't say.
fn facts_by_serde(frame: &str) -> Option<Facts<'_>> {
    if !frame.trim_start().starts_with('{') {
        return Some(Facts::default());
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(frame).ok()?;
    let written = RawJson::parse(frame.as_bytes()).ok()?.members()?.count();
    if members.len() != written {
        return None;
    }
    let id = members.get("id").map(|id| {
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
    });
    Some(Facts {
        has_result_or_error: members.contains_key("result") || members.contains_key("error"),
        has_string_method: members.get("method").is_some_and(|m| m.get().starts_with('"')),
        ids: Vec::from_iter(id),
    })
}

/// Whatever is done to a message: the findings are in order, the first error is the fault, there is a
/// message if and only if there is no error, and the reply is the one that is owed.
#[test]
fn mutated_messages() {
    let config = Config {
        cases: match std::env::var_os("PROPTEST_CASES") {
            Some(_) => Config::default().cases,
            None => 20_000,
        },
        failure_persistence: None,
        ..Config::default()
    };
    let protocols = protocols();
    let [valid, replies, unparseable] = [const { std::cell::Cell::new(0_u64) }; 3];
    let count = |counter: &std::cell::Cell<u64>| counter.set(counter.get() + 1);
    let result = TestRunner::new(config).run(&mutated_message(), |frame| {
        let json = json::recognise(frame.as_bytes(), 127).is_ok();
        let facts = facts_by_serde(&frame);
        for protocol in &protocols {
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let Err(fault) = message else {
                count(&valid);
                continue;
            };
            let not_json = matches!(fault.rule(), Rule::NotJson | Rule::InvalidUtf8);
            prop_assert_eq!(json, !not_json);
            if not_json {
                count(&unparseable);
                prop_assert_eq!(reply_in(&fault, &frame), owed(None, protocol));
                prop_assert_eq!(fault.id(), None);
                prop_assert!(findings.len() <= 2);
            } else if let Some(facts) = &facts {
                count(&replies);
                prop_assert_eq!(reply_in(&fault, &frame), owed(Some(facts), protocol));
                let only = facts.ids.first().map(|(text, _)| text.as_bytes());
                prop_assert_eq!(fault.id_in(frame.as_bytes()), only);
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
