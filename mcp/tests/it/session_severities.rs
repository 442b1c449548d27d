//! The severity of findings: a violated "MUST" of the specification is an error, a "SHOULD" a warning. A fault below
//! the envelope does not withhold a message from its recipient.

use tautline::Severity::{self, Error, Note, Warning};
use tautline::{Envelope, Message, Rule};
use tautline_mcp::{Finding, Revision, rule};

use crate::support::talk::{DISCOVERY, HANDSHAKE, frame, see, session, talk};

/// The opening of the session, a message, its event, and its finding.
const TABLE: &[(&str, &str, &str, Rule, Severity)] = &[
    // "MUST NOT have been previously used by the requestor within the same session".
    (HANDSHAKE, "> 1 prompts/list", "request", rule::ID_REUSED, Error),
    // "A `resultType` of any value unrecognized by the client MUST be considered invalid".
    (
        DISCOVERY,
        r#"< 2 = {"resultType":"vendor"}"#,
        "invalid: tools/call",
        rule::UNKNOWN_RESULT_TYPE,
        Error,
    ),
    // "Implementations MUST NOT emit any code from this sub-range that is not defined".
    (DISCOVERY, "< 2 ! -32042", "failed -32042: tools/call", rule::ERROR_CODE_FORBIDDEN, Error),
    (DISCOVERY, "< 2 ! -32002", "failed -32002: tools/call", rule::ERROR_CODE_FORBIDDEN, Error),
    (DISCOVERY, "< 2 ! -32099", "failed -32099: tools/call", rule::ERROR_CODE_FORBIDDEN, Error),
    // "The server MUST include `io.modelcontextprotocol/subscriptionId`".
    (
        DISCOVERY,
        "< notifications/tools/list_changed {}",
        "notification",
        rule::SUBSCRIPTION_UNKNOWN,
        Error,
    ),
    // "Progress notifications MUST only reference tokens that were provided in an active request".
    (
        HANDSHAKE,
        r#"< notifications/progress {"progressToken":9}"#,
        "notification",
        rule::PROGRESS_UNKNOWN,
        Error,
    ),
    (DISCOVERY, "< 9 ping", "ignored: wrong-direction", rule::WRONG_DIRECTION, Error),
    // "SHOULD NOT send requests other than pings" before `initialized`.
    (
        "> 0 initialize $initialize\n< 0 = $initialized",
        "> 9 tools/list",
        "request",
        rule::REQUEST_BEFORE_INITIALIZED,
        Warning,
    ),
    // "A dual-era server MAY serve both eras concurrently on the same endpoint or process".
    (HANDSHAKE, "> 9 tools/list {$meta}", "request", rule::ERA_MIXED, Warning),
    (DISCOVERY, "> 9 initialize $initialize", "request", rule::ERA_MIXED, Warning),
    // A message that may have crossed another on the wire.
    (
        HANDSHAKE,
        r#"> notifications/cancelled {"requestId":9}"#,
        "notification",
        rule::CANCEL_UNKNOWN,
        Note,
    ),
];

#[test]
fn in_a_session() {
    for (opening, message, event, rule, severity) in TABLE {
        let mut session = session(8);
        talk(&mut session, opening);
        for before in ["> 1 tools/list {$meta}", "< 1 = $complete", "> 2 tools/call {$meta}"] {
            let of_handshake = before.replace(" {$meta}", " {}");
            see(&mut session, if *opening == DISCOVERY { before } else { &of_handshake });
        }
        let seen = see(&mut session, message);
        assert_eq!(seen.event, *event, "{message}");
        let found: Vec<_> = seen.findings.iter().map(|f| (f.rule(), f.severity())).collect();
        assert_eq!(found, [(*rule, *severity)], "{message}");
    }
}

/// An error below the envelope is not a fault: the response still reaches its recipient.
#[test]
fn codes_that_a_revision_forbids() {
    for (code, legacy, modern) in [
        (-32002, None, Some(Error)),
        (-32042, None, Some(Error)),
        (-32023, None, Some(Error)),
        (-32099, None, Some(Error)),
        (-32022, None, None),
        (-32000, None, Some(Warning)),
        (-32019, None, Some(Warning)),
        (-32100, Some(Warning), Some(Warning)),
        (-32604, Some(Warning), Some(Warning)),
        (-31999, None, None),
    ] {
        for &revision in Revision::ALL {
            let (profile, frame) = (revision.profile(), frame(&format!("< 1 ! {code}")).1);
            let mut found: Vec<Finding> = Vec::new();
            Envelope::read(frame.as_bytes(), &profile)
                .findings(|finding| found.push(finding.into()));
            let message = Message::parse(frame.as_bytes(), &profile).unwrap();
            revision.findings(&message, |finding| found.push(finding));
            let Message::Response(response) = message else { panic!("{message:?}") };
            assert_eq!(response.error().unwrap().code().unwrap().value(), code);
            let expected = if revision == Revision::V2026_07_28 { modern } else { legacy };
            let severities: Vec<_> = found.iter().map(|finding| finding.severity()).collect();
            assert_eq!(severities, Vec::from_iter(expected), "{code} in {revision}");
            let at = frame.find(&code.to_string()).unwrap();
            assert!(
                found
                    .iter()
                    .all(|finding| usize::try_from(finding.offset().unwrap()).unwrap() == at)
            );
        }
    }
}
