//! Severities that a caller changes, and the replies that follow them.

use tautline::envelope::{Batches, CarriageReturns, GuardedNames, Ids};
use tautline::frame::Frame;
use tautline::{Fault, Finding, Message, Profile, Rule, Severity, rule};

use crate::support::presets::{GUARDED_NAMES, Revision};

const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

fn parse<'a>(frame: &'a [u8], profile: &Profile) -> (Vec<Finding>, Result<Message<'a>, Fault<'a>>) {
    let plain = Message::parse(Frame::from_line(frame), profile);
    let mut findings = Vec::new();
    let envelope = tautline::Envelope::read(Frame::from_line(frame), profile);
    envelope.findings(|finding| findings.push(finding));
    assert_eq!(envelope.message(), plain, "{}", frame.escape_ascii());
    (findings, plain)
}

/// A frame that breaks each rule alone, with whether it is owed an error reply once it is a fault.
const BREAKS: &[(Rule, &str, bool)] = &[
    (Rule::RAW_CARRIAGE_RETURN, "{\"jsonrpc\":\"2.0\",\r\"method\":\"a\",\"id\":1}", true),
    (Rule::LINE_SEPARATOR, "{\"jsonrpc\":\"2.0\",\"method\":\"a\u{2028}\",\"id\":1}", true),
    (Rule::MISSING_JSONRPC, r#"{"id":1,"method":"a"}"#, true),
    (Rule::WRONG_VERSION, r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, true),
    (Rule::ID_NULL, r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, true),
    (Rule::ID_FRACTION, r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, true),
    (Rule::ID_NOT_PLAIN_INTEGER, r#"{"jsonrpc":"2.0","id":1.0,"method":"a"}"#, true),
    (Rule::ID_UNSAFE_INTEGER, r#"{"jsonrpc":"2.0","id":9007199254740992,"method":"a"}"#, true),
    (Rule::METHOD_RESERVED, r#"{"jsonrpc":"2.0","id":1,"method":"rpc.a"}"#, true),
    (Rule::ERROR_CODE_HTTP, r#"{"jsonrpc":"2.0","id":1,"error":{"code":404,"message":""}}"#, false),
    (
        Rule::ERROR_CODE_RESERVED,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32500,"message":""}}"#,
        false,
    ),
    (Rule::MEMBER_LOOKALIKE, r#"{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}"#, true),
    (Rule::UNKNOWN_MEMBER, r#"{"jsonrpc":"2.0","method":"a","x":1}"#, false),
    (Rule::NESTED_MEMBER_LOOKALIKE, r#"{"jsonrpc":"2.0","method":"a","params":{"URI":1}}"#, false),
    (Rule::DUPLICATE_INNER_MEMBER, r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#, false),
];

/// The rules that have the severity of [`Rule::DUPLICATE_INNER_MEMBER`].
const WITH_REPEATED: [Rule; 3] =
    [Rule::TOO_MANY_NAMES, Rule::LONE_INNER_SURROGATE, Rule::NUMBER_OUT_OF_RANGE];

#[test]
fn every_severity_of_every_rule_that_can_be_changed() {
    for &(rule, frame, is_answered) in BREAKS {
        for severity in ALL {
            static NAMES: GuardedNames = GuardedNames::new(&["uri"]);
            let profile = Profile::JSON_RPC.guarding(&NAMES);
            let profile = profile.with_severity(rule, severity).unwrap();
            assert_eq!(profile.severity(rule), severity);
            let (findings, message) = parse(frame.as_bytes(), &profile);
            let found: Vec<_> = findings.iter().map(|f| (f.rule(), f.severity())).collect();
            assert_eq!(found, [(rule, severity)], "{frame}");
            let Err(fault) = message else {
                assert_ne!(severity, Severity::Error, "{frame}");
                continue;
            };
            assert_eq!((fault.rule(), severity), (rule, Severity::Error), "{frame}");
            assert_eq!(fault.finding(), findings[0]);
            assert_eq!(fault.reply().is_some(), is_answered, "{frame}");
            if let Some(reply) = fault.reply() {
                assert_eq!(reply.code().value(), -32600);
                assert_eq!(reply.raw_id(), fault.id(), "the id is legal, and is repeated");
            }
        }
        // A rule that was changed changes no other.
        for severity in ALL {
            let profile = Profile::JSON_RPC.with_severity(rule, severity).unwrap();
            // What is found together with repeated names is as severe.
            let is_same = |other| other == rule || WITH_REPEATED.contains(&other);
            for &other in rule::ALL.iter().filter(|&&other| !is_same(other)) {
                assert_eq!(profile.severity(other), Profile::JSON_RPC.severity(other), "{rule:?}");
            }
        }
    }
}

#[test]
fn what_leaves_no_message_stays_an_error() {
    for profile in [Profile::JSON_RPC, Profile::LSP, Revision::V2025_11_25.profile()] {
        for &rule in rule::ALL {
            let is = profile.severity(rule);
            for severity in ALL {
                let changed = profile.with_severity(rule, severity);
                let can_change = WITH_REPEATED.contains(&rule)
                    || BREAKS.iter().any(|(other, ..)| *other == rule);
                let is_id = matches!(rule, Rule::ID_NULL | Rule::ID_FRACTION);
                let allowed = match profile.ids() {
                    Ids::StringOrInteger if is_id => severity == Severity::Error,
                    _ => can_change || severity == is,
                };
                assert_eq!(changed.is_some(), allowed, "{rule:?} {severity}");
                assert!(changed.is_none_or(|changed| changed.severity(rule) == severity));
            }
        }
    }
}

/// A protocol reports its rules itself, and may report one with several severities.
#[test]
fn the_severity_of_a_rule_of_a_protocol_can_not_be_set() {
    let rule = Rule::from_number(300.try_into().unwrap());
    for severity in ALL {
        assert_eq!(Profile::JSON_RPC.with_severity(rule, severity), None);
    }
}

#[test]
fn settings_replace_the_severities_of_their_rules() {
    let set = |profile: Profile, rule, severity| profile.with_severity(rule, severity).unwrap();
    let noted = set(Profile::JSON_RPC, Rule::RAW_CARRIAGE_RETURN, Severity::Note);
    assert_eq!(noted.carriage_returns(), CarriageReturns::Tolerated);
    let forbidden = noted.with_carriage_returns(CarriageReturns::Forbidden);
    assert_eq!(forbidden.severity(Rule::RAW_CARRIAGE_RETURN), Severity::Error);
    let raised = set(Profile::JSON_RPC, Rule::RAW_CARRIAGE_RETURN, Severity::Error);
    assert_eq!(raised.carriage_returns(), CarriageReturns::Forbidden);

    let noted = set(Profile::JSON_RPC, Rule::ID_NULL, Severity::Note);
    let strings = noted.with_ids(Ids::StringOrInteger);
    assert_eq!(strings.severity(Rule::ID_NULL), Severity::Error);
    assert!(Message::parse(br#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, &strings).is_err());

    // Batches are still checked against their rules, whichever is set first.
    let mixed = br#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":1}]"#;
    for profile in [
        Profile::JSON_RPC.strict(&GUARDED_NAMES).with_batches(Batches::Unmixed),
        Profile::JSON_RPC.with_batches(Batches::Unmixed).strict(&GUARDED_NAMES),
    ] {
        assert_eq!(Message::parse(mixed, &profile).unwrap_err().rule(), Rule::BATCH_MIXED);
        let profile = profile.with_batches(Batches::Allowed);
        assert!(Message::parse(mixed, &profile).is_ok());
        let lookalike = br#"{"jsonrpc":"2.0","method":"a","ID":1}"#;
        assert_eq!(Message::parse(lookalike, &profile).unwrap_err().rule(), Rule::MEMBER_LOOKALIKE);
    }
}

#[test]
fn the_first_error_in_the_order_of_the_table_is_the_fault() {
    let frame = "{\"jsonrpc\":\"2.0\",\"x\":\"\u{2028}\",\"id\":[],\"Id\":1,\"method\":\"a\"}";
    let with = |rules: &[Rule]| {
        let raise = |all: Profile, &rule| all.with_severity(rule, Severity::Error).unwrap();
        let profile = rules.iter().fold(Profile::JSON_RPC, raise);
        parse(frame.as_bytes(), &profile).1.unwrap_err().rule()
    };
    assert_eq!(with(&[]), Rule::ID_TYPE);
    assert_eq!(with(&[Rule::UNKNOWN_MEMBER, Rule::MEMBER_LOOKALIKE]), Rule::ID_TYPE);
    assert_eq!(with(&[Rule::LINE_SEPARATOR]), Rule::LINE_SEPARATOR);
}

#[test]
fn elements_of_a_batch_follow_the_rules_of_the_frame() {
    let profile = Profile::JSON_RPC.with_severity(Rule::UNKNOWN_MEMBER, Severity::Error).unwrap();
    let profile = profile.with_severity(Rule::MISSING_JSONRPC, Severity::Note).unwrap();
    let frame = br#"[{"jsonrpc":"2.0","id":1,"method":"a","x":1},{"id":2,"method":"a"}]"#;
    let Ok(Message::Batch(batch)) = Message::parse(frame, &profile) else { panic!() };
    let messages: Vec<_> = batch.iter().map(|element| element.message()).collect();
    assert_eq!(messages[0].unwrap_err().rule(), Rule::UNKNOWN_MEMBER);
    assert!(matches!(messages[1], Ok(Message::Request(_))));
}
