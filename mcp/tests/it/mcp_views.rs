//! Views and findings below the envelope, against `serde_json`: by hand, on the files of this repository, and on
//! messages with mutated members.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use tautline::{Id, Message, RawJson, RawStr};
use tautline_mcp::{MetaView, ParamsView, ResultView, Revision, rule};

use crate::support::dice::Dice;
use crate::support::mutate;
use crate::support::reference::mcp::{META, Methods, Object, Oracle, PARAMS, RESULT, is_of_type};
use crate::support::volume::volume;

/// The number of mutated messages.
const MUTATED: u32 = 20_000;

/// The answer of a view about a member.
enum Answer<'a> {
    Text(Option<RawStr<'a>>),
    Object(Option<RawJson<'a>>),
    Token(Option<Id<'a>>),
    Flag(bool),
}

impl Answer<'_> {
    fn is_nothing(&self) -> bool {
        matches!(
            self,
            Self::Text(None) | Self::Object(None) | Self::Token(None) | Self::Flag(false)
        )
    }
}

/// Counts of what was compared, to prove that something was.
#[derive(Debug, Default)]
struct Tally(BTreeMap<(&'static str, &'static str), u32>);

impl Tally {
    fn add(&mut self, of: &'static str, what: &'static str) {
        *self.0.entry((of, what)).or_default() += 1;
    }

    fn count(&self, of: &'static str, what: &'static str) -> u32 {
        self.0.get(&(of, what)).copied().unwrap_or_default()
    }
}

/// An object as `serde_json` sees it, in two ways.
struct Seen<'a> {
    object: Object<'a>,
    value: Value,
    text: &'a str,
}

impl<'a> Seen<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let object = Object::of(text)?;
        let value: Value = serde_json::from_str(text).unwrap();
        Some(Self { object, value, text })
    }
}

/// Compares each answer with the member of this name: with its count, and with what a pointer finds.
fn compare(
    seen: &Seen<'_>,
    names: &[&'static str],
    answers: &[Answer<'_>],
    repeated: Option<RawStr<'_>>,
    tally: &mut Tally,
) {
    let Seen { object, value, text } = seen;
    assert_eq!(names.len(), answers.len());
    for (name, answer) in names.iter().zip(answers) {
        if object.count(name) == 0 {
            assert!(value.get(name).is_none() && answer.is_nothing(), "{name} in {text}");
            continue;
        }
        // Of duplicate members, the pointer finds the last.
        let pointed = value.pointer(&format!("/{}", name.replace('/', "~1"))).unwrap();
        let once = object.once(name);
        let of = |wanted| once.filter(|_| is_of_type(pointed, wanted));
        let expected = match answer {
            Answer::Text(seen) => {
                let expected = of("string");
                let value = expected.and(pointed.as_str());
                assert_eq!(seen.map(|s| s.to_string()).as_deref(), value, "{name} in {text}");
                expected
            }
            Answer::Object(seen) => {
                let expected = of("object");
                assert_eq!(seen.and_then(|s| s.as_str()), expected.map(|e| e.get()), "{text}");
                expected
            }
            Answer::Token(seen) => {
                let expected = of("token");
                let value = expected.map(|e| pointed.as_str().unwrap_or(e.get()).to_owned());
                let seen = seen.map(|seen| match seen {
                    Id::String(string) => string.to_string(),
                    Id::Number(number) => number.to_string(),
                    Id::Null => panic!("no token is null"),
                });
                assert_eq!(seen, value, "{name} in {text}");
                expected
            }
            Answer::Flag(seen) => {
                let expected = once.filter(|value| value.get() == "true");
                assert_eq!(*seen, expected.is_some(), "{name} in {text}");
                expected
            }
        };
        let what = match (object.count(name), expected) {
            (1, Some(_)) => "seen",
            (1, None) => "of another type",
            _ => "repeated",
        };
        tally.add(name, what);
    }
    let spelled = object.repeated(names);
    assert_eq!(repeated.map(|name| name.escaped_bytes()), spelled.map(unquoted), "{text}");
}

fn unquoted(text: &str) -> &[u8] {
    &text.as_bytes()[1..text.len() - 1]
}

fn check_params(value: RawJson<'_>, seen: &Seen<'_>, tally: &mut Tally) {
    use Answer::{Object, Text, Token};
    let view = ParamsView::of(value).unwrap();
    assert_eq!(view.object(), value);
    let answers = [
        Text(view.name()),
        Text(view.uri()),
        Token(view.request_id()),
        Text(view.protocol_version()),
        Object(view.capabilities()),
        Token(view.progress_token()),
        Object(view.meta().map(|meta| meta.object())),
        Object(view.arguments()),
        Object(view.task()),
        Object(view.client_info()),
    ];
    compare(seen, PARAMS, &answers, view.repeated(), tally);
}

fn check_meta(value: RawJson<'_>, seen: &Seen<'_>, tally: &mut Tally) {
    use Answer::{Object, Text, Token};
    let view = MetaView::of(value).unwrap();
    assert_eq!(view.object(), value);
    let answers = [
        Text(view.protocol_version()),
        Object(view.client_capabilities()),
        Object(view.client_info()),
        Text(view.log_level()),
        Token(view.progress_token()),
        Token(view.subscription_id()),
        Object(view.server_info()),
    ];
    compare(seen, META, &answers, view.repeated(), tally);
}

fn check_result(value: RawJson<'_>, seen: &Seen<'_>, tally: &mut Tally) {
    use Answer::{Flag, Object, Text};
    let view = ResultView::of(value).unwrap();
    assert_eq!(view.object(), value);
    let answers = [
        Text(view.result_type()),
        Flag(view.is_error()),
        Text(view.protocol_version()),
        Object(view.capabilities()),
        Object(view.meta().map(|meta| meta.object())),
        Object(view.server_info()),
        Object(view.task()),
    ];
    compare(seen, RESULT, &answers, view.repeated(), tally);
}

/// Checks all values of these names, of any type.
fn check_pick<const N: usize>(value: RawJson<'_>, seen: &Seen<'_>, names: &[&str; N]) {
    let (picked, Seen { object, text, .. }) = (value.pick(names).unwrap(), seen);
    let expected = names.map(|name| object.once(name).map(|value| value.get()));
    assert_eq!(picked.values().map(|v| v.and_then(|v| v.as_str())), expected, "{text}");
    let repeated = picked.repeated().map(|name| name.escaped_bytes());
    assert_eq!(repeated, object.repeated(names).map(unquoted), "{text}");
}

/// Checks every value in it with every kind of view.
fn check_everywhere(text: &str, tally: &mut Tally) {
    let value = RawJson::parse(text.as_bytes()).unwrap();
    let Some(seen) = Seen::of(text) else {
        assert_eq!(ParamsView::of(value), None);
        assert_eq!(MetaView::of(value), None);
        assert_eq!(ResultView::of(value), None);
        assert_eq!(value.pick(&["name"]), None);
        if text.starts_with('[') {
            let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap();
            elements.iter().for_each(|element| check_everywhere(element.get(), tally));
        }
        return;
    };
    check_params(value, &seen, tally);
    check_meta(value, &seen, tally);
    check_result(value, &seen, tally);
    check_pick(value, &seen, &[]);
    check_pick(value, &seen, &["name"]);
    check_pick(value, &seen, &["jsonrpc", "id", "method", "params", "result", "_meta", "nothing"]);
    seen.object.values().for_each(|value| check_everywhere(value, tally));
}

/// Compares the findings of every revision in a frame with the oracle.
fn check_findings(frame: &str, methods: &Methods, tally: &mut Tally) {
    for &revision in Revision::ALL {
        let profile = revision.profile();
        let is_message = |text: &str| {
            let parsed = Message::parse(text.as_bytes(), &profile);
            parsed.is_ok_and(|message| !matches!(message, Message::Batch(_)))
        };
        let Ok(message) = Message::parse(frame.as_bytes(), &profile) else { continue };
        let mut oracle = Oracle { methods, revision: revision.name(), frame, broken: Vec::new() };
        oracle.frame(is_message);
        let mut found = Vec::new();
        revision.findings(&message, |finding| found.push(finding));
        let (said, mut left) = (found.iter(), oracle.broken.iter());
        let same = { said }.all(|found| {
            let offset = usize::try_from(found.offset().unwrap()).unwrap();
            left.next().is_some_and(|broken| {
                rule::name(found.rule()) == broken.rule && broken.offsets.contains(&offset)
            })
        });
        let (same, expected) = (same && left.next().is_none(), &oracle.broken);
        assert!(same, "{frame} in {revision}: found {found:#?}, expected {expected:#?}");
        for finding in &found {
            assert_eq!(finding.severity(), rule::severity(finding.rule()));
            tally.add("found", rule::name(finding.rule()));
        }
        tally.add("checked", "messages");
    }
}

#[test]
fn by_hand() {
    let mut tally = Tally::default();
    for text in [
        "{}",
        "[]",
        "null",
        "7",
        "\"name\"",
        "[{\"name\":1}]",
        r#"{"name":"a","uri":"b","requestId":1,"protocolVersion":"c","capabilities":{},"progressToken":"d","_meta":{},"arguments":{}}"#,
        // Names that are escaped in part and whole, and similar ones.
        r#"{"n\u0061me":"a","\u005fmeta":{"progress\u0054oken":1},"\u0075\u0072\u0069":"u"}"#,
        r#"{"io.modelcontextprotocol\/protocolVersion":"x","io.modelcontextprotocol\u002fclientInfo":{}}"#,
        r#"{"Name":"a","name ":"b","name\u0000":"c","nam":"d","names":"e","_Meta":{},"n\\u0061me":"f"}"#,
        "{\"n\u{430}me\":\"a\",\"\u{FEFF}name\":\"b\"}",
        // Each of the wrong type.
        r#"{"name":null,"uri":[],"requestId":null,"protocolVersion":1,"capabilities":[],"progressToken":{},"_meta":[],"arguments":[]}"#,
        r#"{"requestId":1.5,"progressToken":true,"capabilities":"{}","_meta":"{}","name":{"name":"a"}}"#,
        r#"{"requestId":1.0,"progressToken":1e2}"#,
        r#"{"requestId":-0,"progressToken":123456789012345678901234567890}"#,
        r#"{"requestId":"","progressToken":"\u0000\ud83d\ude00"}"#,
        // Inside another object they have another meaning.
        r#"{"arguments":{"name":"a","_meta":{"progressToken":1}},"x":[{"uri":"u"}],"y":"\"name\":\"a\""}"#,
        r#"{"_meta":{"_meta":{"progressToken":1},"name":"a"},"result":{"isError":true}}"#,
        // Twice, and more often; with the same spelling and others; of one type and of two.
        r#"{"name":"a","name":"a"}"#,
        r#"{"arguments":{"on":true},"arguments":{"on":false}}"#,
        r#"{"name":"a","n\u0061me":"b","uri":"u"}"#,
        r#"{"name":1,"name":"b"}"#,
        r#"{"name":"a","name":"b","name":"c","uri":1,"uri":2}"#,
        r#"{"uri":"u","name":"a","name":"b","uri":"v"}"#,
        r#"{"_meta":{},"_meta":{"progressToken":1}}"#,
        r#"{"_meta":{"progressToken":1,"progressToken":1}}"#,
        r#"{"cursor":1,"cursor":2,"name":"a"}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/logLevel":"info","progressToken":1,"io.modelcontextprotocol/subscriptionId":"s","io.modelcontextprotocol/serverInfo":{}}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":[],"io.modelcontextprotocol/clientInfo":"","io.modelcontextprotocol/logLevel":{},"progressToken":null,"io.modelcontextprotocol/subscriptionId":0.5,"io.modelcontextprotocol/serverInfo":null}"#,
        r#"{"protocolVersion":"not that of _meta","clientCapabilities":{},"clientInfo":{},"logLevel":"info"}"#,
        r#"{"isError":true}"#,
        r#"{"isError":false}"#,
        r#"{"isError":"true","resultType":"complete"}"#,
        r#"{"isError":true,"isError":true,"resultType":7}"#,
        " { \"name\"\t:\r\n\"a\" , \"uri\" : \"u\" } ",
    ] {
        check_everywhere(text, &mut tally);
    }
}

/// A duplicate of an unrelated member does not hide missing ones.
#[test]
fn a_member_twice_hides_nothing_that_is_missing() {
    for (frame, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            "duplicate-nested-member at 67, missing-meta at 55",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true,"isError":false}}"#,
            "duplicate-nested-member at 49, missing-result-type at 33",
        ),
        // Peers differ in which of the two they use, but the member is not missing.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{},"_meta":{}}}"#,
            "duplicate-nested-member at 67",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"a","resultType":"b"}}"#,
            "duplicate-nested-member at 51",
        ),
    ] {
        let message = Message::parse(frame.as_bytes(), &Revision::V2026_07_28.profile()).unwrap();
        let mut found = Vec::new();
        Revision::V2026_07_28.findings(&message, |finding| {
            found.push(format!("{} at {}", rule::name(finding.rule()), finding.offset().unwrap()));
        });
        assert_eq!(found.join(", "), expected, "{frame}");
    }
}

/// Members of the wrong type, and missing members by which a notification names a request.
#[test]
fn what_the_method_acts_on_is_there_and_of_its_type() {
    use Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
    let about = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
    };
    let initialize = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#)
    };
    let result = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    let legal = r#""io.modelcontextprotocol/serverInfo":{}"#;
    for (frame, revision, expected) in [
        (about("cancelled", r#"{"requestId":null}"#), V2025_11_25, "meta-type null}}"),
        (about("cancelled", r#"{"requestId":1.5}"#), V2025_11_25, "meta-type 1.5}}"),
        (about("cancelled", r#"{"requestId":{}}"#), V2026_07_28, "meta-type {}}}"),
        (about("cancelled", r#"{"requestId":1.0}"#), V2025_11_25, ""),
        (about("cancelled", r#"{"requestId":"a"}"#), V2026_07_28, ""),
        // One revision does not require it.
        (about("cancelled", r#"{"reason":"r"}"#), V2025_11_25, ""),
        (about("cancelled", r#"{"reason":"r"}"#), V2026_07_28, r#"missing-params {"reason":"r"}}"#),
        (about("cancelled", "{}"), V2025_06_18, "missing-params {}}"),
        (about("progress", r#"{"progressToken":null}"#), V2025_11_25, "meta-type null}}"),
        (about("progress", r#"{"progressToken":0.5}"#), V2026_07_28, "meta-type 0.5}}"),
        (about("progress", r#"{"progress":1}"#), V2025_11_25, r#"missing-params {"progress":1}}"#),
        (about("tools/list_changed", r#"{"requestId":null}"#), V2025_11_25, ""),
        (initialize(r#"{"capabilities":[]}"#), V2025_11_25, "meta-type []}}"),
        (initialize(r#"{"capabilities":null}"#), V2025_06_18, "meta-type null}}"),
        (initialize(r#"{"clientInfo":1}"#), V2025_11_25, "meta-type 1}}"),
        (initialize(r#"{"protocolVersion":1}"#), V2025_11_25, "meta-type 1}}"),
        (
            initialize(r#"{"capabilities":{},"clientInfo":{},"protocolVersion":"x"}"#),
            V2025_11_25,
            "",
        ),
        (
            result(r#"{"_meta":{"io.modelcontextprotocol/serverInfo":1}}"#),
            V2025_11_25,
            "meta-type 1}}}",
        ),
        (result(&format!(r#"{{"_meta":{{{legal}}}}}"#)), V2025_11_25, ""),
        // It is unknown which method it answers, and that method may have a member of this name.
        (result(r#"{"capabilities":[],"serverInfo":1}"#), V2025_11_25, ""),
    ] {
        let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
        let mut found = Vec::new();
        revision.findings(&message, |finding| {
            let at = usize::try_from(finding.offset().unwrap()).unwrap();
            found.push(format!("{} {}", rule::name(finding.rule()), &frame[at..]));
        });
        assert_eq!(found.join(", "), expected, "{frame}");
    }
}

/// Every line of the examples and of the fuzzer's seeds.
#[test]
fn every_message_of_this_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (methods, mut tally) = (Methods::read(), Tally::default());
    let mut lines = 0;
    let seeds =
        fs::read_dir(root.join("tests/fuzz/seeds")).unwrap().map(|entry| entry.unwrap().path());
    for directory in seeds.chain([root.join("examples")]) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let bytes = fs::read(path).unwrap();
            for line in bytes.split(|&byte| byte == b'\n') {
                let line = std::str::from_utf8(line).unwrap_or("").trim();
                if line.is_empty() || serde_json::from_str::<Value>(line).is_err() {
                    continue;
                }
                check_everywhere(line, &mut tally);
                check_findings(line, &methods, &mut tally);
                lines += 1;
            }
        }
    }
    println!("{lines} lines: {tally:?}");
    assert!(lines > 70 && tally.count("checked", "messages") > 100);
}

/// Returns whether this count is more than one in two thousand of the mutated messages.
fn is_frequent(count: u32) -> bool {
    count > MUTATED / 2000
}

/// Runs a check on messages with mutated members, and counts.
fn on_mutated(check: impl Fn(&str, &mut Tally)) -> Tally {
    let mut tally = Tally::default();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut frame = String::new();
    let mut checked = 0;
    let wanted = volume(MUTATED);
    while checked < wanted {
        mutate::mutated(&mut dice, &mut frame);
        // Legal messages of at least one revision: the envelope has its own tests.
        let is_legal = |r: &Revision| Message::parse(frame.as_bytes(), &r.profile()).is_ok();
        if Revision::ALL.iter().rev().any(is_legal) {
            check(&frame, &mut tally);
            checked += 1;
        }
    }
    for ((of, what), count) in &tally.0 {
        println!("{of} {what}: {count}");
    }
    tally
}

#[test]
fn views_of_members_that_were_moved_about() {
    let tally = on_mutated(check_everywhere);
    for name in PARAMS.iter().chain(META).chain(RESULT) {
        for what in ["seen", "of another type", "repeated"] {
            assert!(is_frequent(tally.count(name, what)), "{name} {what} is rare");
        }
    }
}

#[test]
fn findings_in_members_that_were_moved_about() {
    let methods = Methods::read();
    let tally = on_mutated(|frame, tally| check_findings(frame, &methods, tally));
    for rule in [
        "method-kind",
        "method-not-in-revision",
        "initialize-in-batch",
        "duplicate-nested-member",
        "missing-params",
        "missing-meta",
        "meta-type",
        "missing-result-type",
        "unknown-result-type",
        "error-code-forbidden",
        "unknown-method",
    ] {
        assert!(is_frequent(tally.count("found", rule)), "{rule} is rare");
    }
}
