//! Error objects: their members and their codes.

use tautline::{Finding, Message, Rule};

use super::judge;
use super::oracle::Dice;
use crate::support::presets::Revision;
use crate::support::reference::reply::{Family, protocols};

/// An error object's members: every fault of each, in any order and spelling.
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
        &[("x", Rule::UNKNOWN_MEMBER)],
        &[("Code", Rule::MEMBER_LOOKALIKE), ("id", Rule::UNKNOWN_MEMBER)],
        &[(r"data\u0000", Rule::MEMBER_LOOKALIKE), (r"\ud800", Rule::UNKNOWN_MEMBER)],
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
                Some(Some(_)) => findings.push((Rule::DUPLICATE_MEMBER, name_at)),
                Some(first) => *first = Some((value, value_at)),
                None => {}
            }
        }
        frame.push_str("}}");
        match seen[0] {
            None => findings.push((Rule::ERROR_CODE_MISSING, brace)),
            Some((code, at)) => {
                let integer =
                    code.parse::<f64>().is_ok_and(|n| n.fract() == 0.0 || n.is_infinite());
                findings.extend((!integer).then_some((Rule::ERROR_CODE_TYPE, at)));
                // 1e2 is 100, which is an HTTP status.
                findings.extend((code == "1e2").then_some((Rule::ERROR_CODE_HTTP, at)));
            }
        }
        match seen[1] {
            None => findings.push((Rule::ERROR_MESSAGE_MISSING, brace)),
            Some((message, at)) if !message.starts_with('"') => {
                findings.push((Rule::ERROR_MESSAGE_TYPE, at));
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
                    let message = error.message().escaped_bytes();
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
    assert_eq!(combinations, 16 * 9 * 5 * 4 * 15);
}

/// Legal error codes that a peer may misinterpret.
#[test]
fn codes_that_draw_a_warning() {
    type Draws = fn(Family) -> Option<Rule>;
    let table: &[(&str, Draws)] = &[
        // Codes that are defined or free to define.
        ("-32700", |_| None),
        ("-32600", |_| None),
        ("-32603", |_| None),
        ("-32769", |_| None),
        ("-31999", |_| None),
        ("0", |_| None),
        ("1", |_| None),
        ("99", |_| None),
        ("600", |_| None),
        ("1e400", |_| None),
        ("-9223372036854775809", |_| None),
        // An HTTP status.
        ("100", |_| Some(Rule::ERROR_CODE_HTTP)),
        ("404", |_| Some(Rule::ERROR_CODE_HTTP)),
        ("599", |_| Some(Rule::ERROR_CODE_HTTP)),
        ("4.04e2", |_| Some(Rule::ERROR_CODE_HTTP)),
        // JSON-RPC 2.0, section 5.1: reserved, and not defined.
        ("-32768", |_| Some(Rule::ERROR_CODE_RESERVED)),
        ("-32701", |_| Some(Rule::ERROR_CODE_RESERVED)),
        ("-32699", |_| Some(Rule::ERROR_CODE_RESERVED)),
        ("-32604", |_| Some(Rule::ERROR_CODE_RESERVED)),
        ("-32599", |_| Some(Rule::ERROR_CODE_RESERVED)),
        ("-32100", |_| Some(Rule::ERROR_CODE_RESERVED)),
        // Free for implementations to define; since MCP 2026-07-28 they "SHOULD NOT" use it.
        ("-32000", |family| since_2026_07_28(family).then_some(Rule::ERROR_CODE_RESERVED)),
        ("-32001", |family| since_2026_07_28(family).then_some(Rule::ERROR_CODE_RESERVED)),
        ("-32019", |family| since_2026_07_28(family).then_some(Rule::ERROR_CODE_RESERVED)),
        // Free for implementations to define, until MCP 2026-07-28 forbids it: an error below the envelope.
        ("-32099", |_| None),
        ("-32042", |_| None),
        ("-32023", |_| None),
        ("-32022", |_| None),
        ("-32020", |_| None),
        ("-32002", |_| None),
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
