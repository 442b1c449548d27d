//! Every combination of members, with the values that each may have.

use tautline::{Finding, Message, Outcome, Profile, RawJson, RawStr, Rule};

use super::oracle::{Built, Dice, ERRORS, LOOKALIKES, STRANGERS, Verdict, build, expected, member};
use super::{judge, reply_to};
use crate::support::presets::Revision;
use crate::support::reference::reply::{
    Facts, Family, Protocol, owed, protocols, strict_protocols,
};
use crate::support::volume::volume;

/// An error object only as the value of `error`.
const LOOKS_LIKE_AN_ERROR: &str = r#"{"code":1,"message":"no","data":{},"code":2}"#;

#[test]
fn every_combination_of_members() {
    let frames = run(&[
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
    assert_eq!(frames, 6 * 12 * 5 * 6 * 4 * 5);
}

/// Every form of id and of version, with and without the members that make the frame a call or a response.
#[test]
fn every_id_with_every_version() {
    let frames = run(&[
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
    assert_eq!(frames, 17 * 33 * 3 * 2 * 2);
}

/// Every form of method, of params, of a result and of an error.
#[test]
fn every_value_of_the_other_members() {
    let frames = run(&[
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
    assert_eq!(frames, 3 * 16 * 10 * 9 * 10);
}

/// A table of frames: for each name, its possible values, none, one or two at a time.
type Table<'t> = [(&'static str, &'t [&'t [&'static str]])];

/// The number of presets that each frame meets, of the 15 that are not strict.
const PRESETS: u32 = 5;

/// Puts every frame of a table through presets that are drawn, and returns the number of frames. With three times the
/// default volume, these are all presets.
fn run(table: &Table<'_>) -> usize {
    let (protocols, strict) = (protocols(), strict_protocols());
    assert_eq!(protocols.len(), 15);
    let presets = protocols.len().min(volume(PRESETS) as usize);
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
        // All strict variants differ in the same way, so each frame meets one of them.
        let one_strict = &strict[dice.roll(strict.len())];
        let drawn = protocols.iter().cycle().skip(dice.roll(protocols.len())).take(presets);
        for protocol in drawn.chain([one_strict]) {
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
            check_in_batch(&built.text, &strict);
        }
    }
    println!("{frames} frames, {} combinations", frames * presets);
    frames
}

/// Returns the actual verdict.
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
        Err(fault) => Err((fault.rule(), reply_to(&fault))),
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

/// Checks that a fault has the span of the id if there is exactly one, legal or not.
fn check_id(built: &Built) {
    let Err(fault) = Message::parse(built.text.as_bytes(), &Profile::JSON_RPC) else {
        return;
    };
    let mut ids = built.members.iter().filter(|(member, ..)| member.name == "id");
    let only = ids.next().filter(|_| ids.next().is_none());
    let id = only.map(|(member, ..)| member.value.as_bytes());
    assert_eq!(fault.id().map(|id| id.as_bytes()), id, "{}", built.text);
    let at = fault.id_span().map(|span| usize::try_from(span.start()).unwrap());
    assert_eq!(at, only.map(|(_, _, at)| *at), "{}", built.text);
}

/// Checks that a message in a batch has the same verdict as alone, whatever its neighbours.
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
            assert_eq!(fault.rule(), Rule::BATCH_NOT_ALLOWED);
            assert_eq!(reply_to(&fault), owed(Some(&Facts::default()), protocol));
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
                assert_eq!((fault.rule(), fault.offset()), (Rule::NOT_AN_OBJECT, start));
                assert_eq!(reply_to(&fault), owed(Some(&Facts::default()), protocol));
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
                    assert_eq!(
                        in_batch.id().map(|id| id.as_bytes()),
                        alone.id().map(|id| id.as_bytes())
                    );
                    assert_eq!(reply_to(&in_batch), reply_to(&alone));
                }
                (in_batch, alone) => panic!("{in_batch:?} and alone {alone:?}"),
            }
        }
    }
}
