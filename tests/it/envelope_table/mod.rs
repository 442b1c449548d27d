//! The verdict on a frame and the reply due, cell by cell.
//!
//! All combinations of members that are present, absent, duplicated or of a wrong type go through every preset. An
//! oracle gives the expected verdicts. It knows the list of members that the frame was built from, and never reads
//! JSON.

mod combinations;
mod error_objects;
mod mutated;
mod names;
mod oracle;

use tautline::encode::{Encoder, Slice};
use tautline::envelope::{Batches, Ids, Uncorrelated, Unparseable};
use tautline::{Envelope, Fault, Finding, Message, Profile, Rule, Severity};

use crate::support::presets::Revision;
use crate::support::reference::reply::{self, Facts, Protocol, owed, protocols};

/// Checks what holds for any frame: the relations between the verdict and the findings.
fn judge<'a>(
    frame: &'a [u8],
    protocol: &Protocol,
) -> (Vec<Finding>, Result<Message<'a>, Fault<'a>>) {
    let profile = &protocol.profile;
    let mut findings = Vec::new();
    let envelope = Envelope::read(frame, profile);
    envelope.findings(|finding| findings.push(finding));
    let message = envelope.message();
    assert_eq!(message, Message::parse(frame, profile));

    assert!(findings.is_sorted_by_key(Finding::rule), "{findings:?}");
    for finding in &findings {
        assert_eq!(finding.severity(), profile.severity(finding.rule()));
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

/// Returns the reply due for a fault, as a code and the text of an id.
fn reply_to<'a>(fault: &Fault<'a>) -> Option<reply::Reply<'a>> {
    let reply = fault.reply()?;
    let id = reply.raw_id().map(|id| id.as_bytes());
    Some((reply.code().value(), id.map(|id| std::str::from_utf8(id).unwrap())))
}

/// Only an object has members to check.
#[test]
fn frames_that_are_no_objects() {
    let facts = Facts::default();
    for protocol in &protocols() {
        let check = |frame: &str, profile: &[Rule], offset| {
            let (findings, message) = judge(frame.as_bytes(), protocol);
            let found: Vec<_> = findings.iter().map(Finding::rule).collect();
            assert_eq!(found, profile, "{frame} under {}", protocol.name);
            let fault = message.unwrap_err();
            assert_eq!(fault.offset(), offset, "{frame}");
            assert_eq!(fault.id(), None);
            let json = profile[0] != Rule::NOT_JSON && profile[0] != Rule::INVALID_UTF8;
            let expected = owed(json.then_some(&facts), protocol);
            assert_eq!(reply_to(&fault), expected, "{frame} under {}", protocol.name);
        };
        for scalar in ["null", "true", "1", "-1.5e7", "\"{}\"", "\"\\ud800\""] {
            check(scalar, &[Rule::NOT_AN_OBJECT], 0);
            check(&format!(" {scalar} "), &[Rule::NOT_AN_OBJECT], 1);
        }
        let batches = protocol.profile.batches() != Batches::Forbidden;
        if batches {
            check(" []", &[Rule::BATCH_EMPTY], 1);
            check("[ ]", &[Rule::BATCH_EMPTY], 0);
        } else {
            check(" []", &[Rule::BATCH_NOT_ALLOWED, Rule::BATCH_EMPTY], 1);
            check("[1]", &[Rule::BATCH_NOT_ALLOWED], 0);
        }
        for (elements, too_long) in [(1024, false), (1025, true)] {
            let frame = format!("[{}0]", "0,".repeat(elements - 1));
            let mut profile = Vec::new();
            profile.extend((!batches).then_some(Rule::BATCH_NOT_ALLOWED));
            profile.extend(too_long.then_some(Rule::BATCH_TOO_LONG));
            if profile.is_empty() {
                assert!(matches!(judge(frame.as_bytes(), protocol).1, Ok(Message::Batch(_))));
            } else {
                check(&frame, &profile, 0);
            }
        }
        let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
        check(&deep, &[Rule::TOO_DEEP], 127);
        // Text that is not JSON may be recognised as something else.
        check("{\"id\":1,\"method\":\"m\"", &[Rule::NOT_JSON], 20);
        check("{\"id\":1,\"result\":1 x", &[Rule::NOT_JSON], 19);
        check("[{\"id\":1}", &[Rule::NOT_JSON], 9);
        check("ready", &[Rule::NOT_JSON, Rule::LOG_LINE], 0);
        check("Content-Length: 2", &[Rule::NOT_JSON, Rule::CONTENT_LENGTH_HEADER], 0);
        check("{", &[Rule::NOT_JSON, Rule::EMBEDDED_NEWLINE], 1);
        check("{\0}\0", &[Rule::NOT_JSON, Rule::UTF16], 1);
    }
}

/// The mechanism, apart from the presets. Three settings are independent: which ids are legal, what happens to a
/// reply without an id, and whether text that is not JSON is answered.
#[test]
fn settings_of_the_reply_are_independent() {
    let null_id = r#"{"jsonrpc":"2.0","id":null,"method":1}"#;
    let no_legal_id = r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#;
    let not_json = r#"{"jsonrpc":"2.0","id":1"#;
    let reply = |frame, profile: &Profile| {
        let fault = Message::parse(str::as_bytes(frame), profile).unwrap_err();
        reply_to(&fault)
    };
    for (uncorrelated, id) in [
        (Uncorrelated::NullId, Some(Some("null"))),
        (Uncorrelated::NoId, Some(None)),
        (Uncorrelated::Silent, None),
    ] {
        let profile = Profile::JSON_RPC.with_uncorrelated(uncorrelated);
        // A null id is legal in JSON-RPC, so it is echoed like any other.
        assert_eq!(reply(null_id, &profile), Some((-32600, Some("null"))));
        let fault = Message::parse(null_id.as_bytes(), &profile).unwrap_err();
        assert_eq!(fault.reply().unwrap().raw_id(), fault.id());
        assert_eq!(reply(no_legal_id, &profile), id.map(|id| (-32600, id)));
        assert_eq!(reply(not_json, &profile), id.map(|id| (-32700, id)));

        let strict = profile.with_ids(Ids::StringOrInteger);
        assert_eq!(reply(null_id, &strict), id.map(|id| (-32600, id)));

        let silent = profile.with_unparseable(Unparseable::Silent);
        assert_eq!(reply(not_json, &silent), None);
        assert_eq!(reply(no_legal_id, &silent), id.map(|id| (-32600, id)));
    }
}

/// A preset that has null ids and answers everything on a stream is the same for an HTTP request.
#[test]
fn presets_that_are_the_same_in_http_requests() {
    for profile in [Profile::JSON_RPC, Profile::LSP] {
        assert_eq!(profile.http_request_body(), profile);
    }
    assert_eq!(protocols().len(), 2 + 2 * Revision::ALL.len() + 3);
}

/// The client can read the server's answer to a faulty body.
#[test]
fn a_reply_to_a_request_body_is_a_response_body() {
    let revisions = Revision::ALL.iter().map(|revision| revision.profile());
    for profile in [Profile::JSON_RPC, Profile::LSP].into_iter().chain(revisions) {
        let (requests, responses) = (profile.http_request_body(), profile.http_response_body());
        for (body, is_owed) in [
            ("", true),
            ("{", true),
            ("\"\\", true),
            ("7", true),
            ("[]", true),
            (r#"{"jsonrpc":"2.0","id":1,"method":2}"#, true),
            (r#"{"jsonrpc":"2.0","id":[],"method":"m"}"#, true),
            (r#"{"jsonrpc":"2.0","id":"\ud800","method":"m"}"#, true),
            (r#"{"id":1}"#, true),
            (r#"{"jsonrpc":"2.0","method":"m","params":1}"#, false),
            (r#"{"jsonrpc":"2.0","id":[],"result":{}}"#, false),
        ] {
            let fault = Message::parse(body.as_bytes(), &requests).unwrap_err();
            let mut room = [0; 256];
            let mut encoder = Encoder::with_profile(Slice::new(&mut room), &requests);
            encoder.fault(&fault).unwrap();
            let written = encoder.output().written();
            assert_eq!(!written.is_empty(), is_owed, "{body}");
            if is_owed {
                let read = Message::parse(written, &responses);
                assert!(matches!(read, Ok(Message::Response(_))), "{}", written.escape_ascii());
            }
            // A client does not answer the faulty body, unless its id makes it a request.
            if let Err(fault) = Message::parse(body.as_bytes(), &responses) {
                assert!(fault.reply().is_none_or(|reply| reply.raw_id() == fault.id()));
            }
        }
        for absent in
            [r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, r#"{"jsonrpc":"2.0","method":"m"}"#]
        {
            assert!(Message::parse(absent.as_bytes(), &requests).is_ok());
        }
    }
}

#[test]
fn calls_and_responses_in_one_batch() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
    let notification = r#"{"jsonrpc":"2.0","method":"m"}"#;
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let error = r#"{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":1}"#;
    let escaped = r#"{"jsonrpc":"2.0","id":1,"re\u0073ult":{}}"#;
    let both = r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#;
    let nested = r#"{"jsonrpc":"2.0","method":"m","params":{"result":1,"error":[2]}}"#;
    let repeated = r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#;
    let profile = Revision::V2025_03_26.profile();
    let all = [profile, profile.http_request_body(), profile.http_response_body()];
    for (elements, other) in [
        (&[call, notification, nested][..], None),
        (&[result, error, escaped], None),
        (&[call, result], Some(1)),
        (&[notification, call, error], Some(2)),
        (&[error, result, notification], Some(2)),
        (&[call, escaped], Some(1)),
        (&[result, nested], Some(1)),
        // A faulty frame may have a kind, or none.
        (&[result, both], None),
        (&[call, both], Some(1)),
        (&[result, repeated], Some(1)),
        (&["1", call, "{}", "[]", call, result], Some(5)),
        (&["1", "{}", result, "null"], None),
    ] {
        let frame = format!("[ {} ]", elements.join(" ,"));
        for profile in &all {
            let protocol =
                protocols().into_iter().find(|protocol| protocol.profile == *profile).unwrap();
            let (findings, message) = judge(frame.as_bytes(), &protocol);
            let Some(other) = other else {
                assert!(matches!(message, Ok(Message::Batch(_))), "{frame}");
                assert!(findings.is_empty());
                continue;
            };
            let fault = message.unwrap_err();
            let at = 2 + elements[..other].iter().map(|element| element.len() + 2).sum::<usize>();
            assert_eq!((fault.rule(), fault.offset() as usize), (Rule::BATCH_MIXED, at), "{frame}");
            assert_eq!(reply_to(&fault), owed(Some(&Facts::default()), &protocol));
        }
        // JSON-RPC 2.0 does not forbid it.
        assert!(matches!(
            Message::parse(frame.as_bytes(), &Profile::JSON_RPC),
            Ok(Message::Batch(_))
        ));
    }
}
