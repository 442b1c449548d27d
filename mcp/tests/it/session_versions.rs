//! Versions and eras: which version a session settles on, how a client falls back, and mixed eras.

use tautline::{Message, RawJson};
use tautline_mcp::session::{Early, Event, Phase};
use tautline_mcp::{Era, Revision};

use crate::support::talk::{DISCOVERY, HANDSHAKE, frame, see, session, talk};

const LEGACY: &[Revision] = &[Revision::V2025_03_26, Revision::V2024_11_05];
const MODERN: &[Revision] = &[Revision::V2026_07_28];
const BOTH: &[Revision] = &[Revision::V2026_07_28, Revision::V2025_06_18];

#[test]
fn the_version_asked_for_or_else_the_latest_with_a_handshake() {
    let cases = [
        (r#""2024-11-05""#, [Some("2024-11-05"), Some("2024-11-05"), None, Some("2025-06-18")]),
        (r#""2025-03-26""#, [Some("2025-03-26"), Some("2025-03-26"), None, Some("2025-06-18")]),
        (
            r#""2025\u002d06-18""#,
            [Some("2025-06-18"), Some("2025-03-26"), None, Some("2025-06-18")],
        ),
        (r#""2026-07-28""#, [Some("2025-11-25"), Some("2025-03-26"), None, Some("2025-06-18")]),
        (r#""1999-01-01""#, [Some("2025-11-25"), Some("2025-03-26"), None, Some("2025-06-18")]),
    ];
    for (requested, expected) in cases {
        for (supported, expected) in [Revision::ALL, LEGACY, MODERN, BOTH].into_iter().zip(expected)
        {
            let session = session(1).supporting(supported);
            let requested = RawJson::parse(requested.as_bytes()).unwrap().string();
            let revision = session.negotiate(requested).map(Revision::name);
            assert_eq!(revision, expected, "{requested:?} of {supported:?}");
            assert_eq!(session.supported(), supported);
            assert_eq!(session.negotiate(None).is_none(), supported == MODERN);
        }
    }
}

#[test]
fn a_version_that_is_not_supported_is_refused_and_repeated() {
    let unsupported = "refused -32022 version-unsupported";
    for (supported, handshake, request) in [
        (Revision::ALL, "request", "request"),
        // With the error for versions, a client of both eras would not fall back to the handshake.
        (LEGACY, "request", "refused -32600 request-before-initialize"),
        (MODERN, unsupported, "request"),
        (BOTH, "request", "request"),
    ] {
        let first = |line: &str| see(&mut session(1).supporting(supported), line).event;
        assert_eq!(first("> 1 initialize $initialize"), handshake, "{supported:?}");
        assert_eq!(first("> 1 tools/list {$meta}"), request, "{supported:?}");
    }
    for (line, supported) in [
        (r#"> 1 ping {"_meta":{"$version":"2025\u002d06-18","$capabilities":{}}}"#, BOTH),
        ("> 1 initialize $initialize", MODERN),
    ] {
        let (from, frame) = frame(line);
        let message = Message::parse(frame.as_bytes(), &Revision::LATEST.profile()).unwrap();
        let mut session = session(1).supporting(supported);
        let event = session.observe(from, &message, |_| {});
        let Event::Refused(refusal) = event else { panic!("{event:?}") };
        assert_eq!(refusal.requested().unwrap(), "2025-06-18");
        assert_eq!(session.phase(), Phase::Opening);
    }
}

#[test]
fn the_answer_to_initialize_settles_the_revision() {
    for &revision in Revision::ALL.iter().filter(|revision| revision.era() == Era::Legacy) {
        let mut session = session(2);
        talk(&mut session, "> 0 initialize $initialize");
        talk(
            &mut session,
            &format!(r#"< 0 = {{"protocolVersion":"{revision}"}} | done: initialize"#),
        );
        assert_eq!(session.revision(), Some(revision));
    }
    let mut session = session(2);
    talk(
        &mut session,
        r#"> 0 initialize $initialize
        < 0 = {"protocolVersion":"2099-01-01","capabilities":{}} | done: initialize | version-unsupported
        > notifications/initialized
        > 1 tools/list | refused -32601 undeclared-capability | undeclared-capability"#,
    );
    assert_eq!(session.revision(), None);
}

/// A handshake can't settle on a version without a handshake.
#[test]
fn a_handshake_does_not_settle_on_a_modern_revision() {
    let mut session = session(4);
    talk(
        &mut session,
        r#"> 0 initialize $initialize
        < 0 = {"protocolVersion":"2026-07-28","capabilities":$server} | done: initialize | version-unsupported
        > notifications/initialized
        > 1 ping
        > 2 tools/list"#,
    );
    assert_eq!(session.phase(), Phase::Operating);
}

/// A client that speaks both eras asks first, and falls back on any error or timeout.
#[test]
fn a_client_of_both_eras_falls_back_to_the_handshake() {
    for answer in ["< 0 ! -32601 | failed -32601: server/discover", "< 0 ! 0", "< ! -32600", ""] {
        let mut session = session(4);
        talk(&mut session, "> 0 server/discover {$meta} | request");
        talk(&mut session, answer);
        assert_eq!((session.phase(), session.revision()), (Phase::Probing, None));
        talk(&mut session, "> 1 initialize $initialize | request");
        assert_eq!(session.era(), Some(Era::Legacy));
        talk(
            &mut session,
            "< 1 = $initialized | done: initialize
            > notifications/initialized | notification
            > 2 tools/list | request
            < 2 = {} | done: tools/list
            > 3 tools/list {$meta} | request | era-mixed
            < 3 = {} | done: tools/list | missing-result-type
            > 4 tools/list | request
            < 4 = {} | done: tools/list",
        );
        assert_eq!(session.revision(), Some(Revision::V2025_06_18));
    }
}

#[test]
fn an_answer_to_the_question_that_comes_after_the_fallback_changes_nothing() {
    for answer in ["= $discovered", "! -32601"] {
        let mut session = session(4);
        talk(&mut session, "> 0 server/discover {$meta}\n> 1 initialize $initialize");
        talk(&mut session, &format!("< 0 {answer}"));
        assert_eq!(session.phase(), Phase::Initializing);
        talk(&mut session, "< 1 = $initialized\n> notifications/initialized\n> 2 tools/list");
        assert_eq!(session.phase(), Phase::Operating);
    }
}

/// The three outcomes of a probe (2026-07-28, basic/transports, stdio, backward compatibility).
#[test]
fn a_client_does_not_fall_back_from_a_modern_error() {
    for code in [-32020, -32021, -32022] {
        let mut session = session(4);
        talk(&mut session, "> 0 server/discover {$meta}");
        talk(&mut session, &format!("< 0 ! {code} | failed {code}: server/discover"));
        assert_eq!(session.phase(), Phase::Modern);
        assert_eq!(session.revision(), Some(Revision::V2026_07_28));
        talk(&mut session, "> 1 initialize $initialize | request | era-mixed");
    }
    // As the answer to a legacy request, such an error shows nothing.
    let mut session = session(4);
    talk(&mut session, "> 0 server/discover {$meta}\n> 1 initialize $initialize\n< 1 ! -32022");
    assert_eq!(session.phase(), Phase::Opening);
}

/// A request with an unsupported version was refused, and the answer shows that.
#[test]
fn the_answer_to_a_version_that_is_not_supported_shows_a_modern_server() {
    let mut session = session(4);
    talk(
        &mut session,
        r#"> 0 tools/list {"_meta":{"$version":"2099-01-01","$capabilities":{}}} | refused -32022 version-unsupported | version-unsupported
        < 0 ! -32022 | failed -32022: tools/list
        > 1 initialize $initialize | request | era-mixed"#,
    );
    assert_eq!(session.phase(), Phase::Modern);
}

#[test]
fn a_server_of_legacy_revisions_alone_takes_no_request_for_a_modern_one() {
    for early in [Early::Serve, Early::Refuse] {
        let mut session = session(8).supporting(LEGACY).before_initialize(early);
        let (listed, discovered) = match early {
            Early::Serve => ("request", "refused -32601 method-not-in-revision"),
            Early::Refuse => (
                "refused -32600 request-before-initialize",
                "refused -32600 request-before-initialize",
            ),
        };
        for (line, expected) in [
            ("> 0 server/discover {$meta}", discovered),
            (
                r#"> 1 server/discover {"_meta":{"$version":"2099-01-01","$capabilities":{}}}"#,
                discovered,
            ),
            ("> 2 tools/list {$meta}", listed),
        ] {
            assert_eq!(see(&mut session, line).event, expected, "{line}");
        }
        // The client may fall back after any answer.
        talk(&mut session, "< 0 ! -32601\n< 1 ! -32600\n< 2 ! -32022");
        assert_eq!(session.phase(), Phase::Opening);
        talk(
            &mut session,
            r#"> 3 initialize {"protocolVersion":"2025-03-26","capabilities":{},$meta} | request
            < 3 = {"protocolVersion":"2025-03-26","capabilities":{"tools":{}}}
            > notifications/initialized
            > 4 tools/list {$meta} | request
            < 4 = {} | done: tools/list
            > 5 server/discover {$meta} | refused -32601 method-not-in-revision | method-not-in-revision"#,
        );
        assert_eq!(session.phase(), Phase::Operating);
    }
}

/// It has shown its era before anything was sent.
#[test]
fn notifications_of_a_server_of_modern_revisions_alone() {
    let mut session = session(2).supporting(MODERN);
    talk(
        &mut session,
        "< notifications/tools/list_changed | notification | subscription-unknown
        < notifications/tasks {} | notification
        < notifications/elicitation/complete {} | ignored: method-not-in-revision | method-not-in-revision",
    );
}

#[test]
fn a_server_of_modern_revisions_alone_takes_every_request_for_a_modern_one() {
    for opening in ["", DISCOVERY] {
        let mut session = session(16).supporting(MODERN);
        talk(&mut session, opening);
        let phase = session.phase();
        talk(
            &mut session,
            r#"> 0 tools/list | refused -32602 missing-params | missing-params
            > 1 tools/list {} | refused -32602 missing-meta | missing-meta
            > 2 tools/list {"_meta":{"$info":{}}} | refused -32602 missing-meta | missing-meta
            > 3 ping | refused -32601 method-not-in-revision | method-not-in-revision
            > 4 ping {$meta} | refused -32601 method-not-in-revision | method-not-in-revision
            > 5 vendor/method | refused -32602 missing-meta | missing-meta, unknown-method
            > 6 tools/call | refused -32602 missing-params | missing-params
            > notifications/initialized | ignored: method-not-in-revision | method-not-in-revision
            < 1 ping | ignored: wrong-direction | wrong-direction
            > 1 ! -32601 | unmatched | wrong-direction, response-unexpected
            < notifications/elicitation/complete {} | ignored: method-not-in-revision | method-not-in-revision
            < notifications/tools/list_changed | notification | subscription-unknown"#,
        );
        assert_eq!(session.phase(), phase);
    }
}

/// Such a client has no other way to learn the supported versions (2026-07-28, basic/versioning).
#[test]
fn a_server_of_modern_revisions_alone_names_them_to_whoever_sends_initialize() {
    let unsupported = "refused -32022 version-unsupported";
    for opening in ["", "> 8 tools/list {$meta}", DISCOVERY] {
        for (params, expected) in [
            ("$initialize", unsupported),
            (r#"{"protocolVersion":"2025-06-18","capabilities":{},$meta}"#, unsupported),
            ("{}", "refused -32602 version-unsupported"),
            ("", "refused -32602 version-unsupported"),
        ] {
            let mut session = session(4).supporting(MODERN);
            talk(&mut session, opening);
            let phase = session.phase();
            let line = format!("> 9 initialize {params}").trim().to_owned();
            talk(&mut session, &format!("{line} | {expected} | version-unsupported"));
            assert_eq!(session.phase(), phase);
        }
    }
}

/// The client knows the version, which has no handshake.
#[test]
fn a_server_of_modern_revisions_alone_has_no_initialize() {
    for opening in ["", "> 8 tools/list {$meta}", DISCOVERY] {
        let mut session = session(4).supporting(MODERN);
        talk(&mut session, opening);
        let phase = session.phase();
        talk(
            &mut session,
            r#"> 9 initialize {"protocolVersion":"2026-07-28","capabilities":{},$meta} | refused -32601 method-not-in-revision | method-not-in-revision
            > 10 initialize {"protocolVersion":"2026-07-28","capabilities":{}} | refused -32601 method-not-in-revision | method-not-in-revision"#,
        );
        assert_eq!(session.phase(), phase);
    }
}

/// Only a request with a version is a modern one.
#[test]
fn an_early_legacy_request_that_is_served_does_not_choose_the_modern_era() {
    let mut session = session(4).before_initialize(Early::Serve);
    talk(
        &mut session,
        "> 0 tools/list | request | request-before-initialize
        > 1 server/discover {$meta}",
    );
    see(&mut session, "< 0 = {}");
    talk(&mut session, "< 1 ! -32601\n> 2 initialize $initialize | request");
    assert_eq!(session.phase(), Phase::Initializing);
}

/// Servers exist that serve any request.
#[test]
fn an_answer_to_what_was_refused_chooses_no_era() {
    let mut session = session(4);
    talk(
        &mut session,
        "> 0 tools/list | refused -32600 request-before-initialize | request-before-initialize
        < 0 = {} | done: tools/list",
    );
    assert_eq!((session.phase(), session.era()), (Phase::Opening, None));
    talk(&mut session, &HANDSHAKE.replace(" 0 ", " 1 "));
    assert_eq!(session.phase(), Phase::Operating);
    talk(
        &mut session,
        "> 2 server/discover {$meta} | request | era-mixed
        < 2 = $discovered | done: server/discover",
    );
    assert_eq!((session.phase(), session.era()), (Phase::Operating, Some(Era::Legacy)));
}

#[test]
fn a_handshake_that_failed_can_be_tried_again_in_either_era() {
    let failed = "> 0 initialize $initialize\n< 0 ! -32602 | failed -32602: initialize";
    for (then, phase) in [(HANDSHAKE, Phase::Operating), (DISCOVERY, Phase::Modern)] {
        let mut session = session(4);
        talk(&mut session, failed);
        assert_eq!((session.phase(), session.revision()), (Phase::Opening, None));
        talk(&mut session, &then.replace(" 0 ", " 1 "));
        assert_eq!(session.phase(), phase);
    }
}

#[test]
fn a_second_handshake_does_not_close_what_the_first_has_opened() {
    let mut session = session(4);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        "> 1 initialize $initialize | request | initialize-again
        > 2 tools/list
        < 1 = $initialized | done: initialize
        > 3 tools/list
        > 4 initialize $initialize | request | initialize-again
        < 4 ! -32600 | failed -32600: initialize
        > 5 tools/list",
    );
    assert_eq!(session.phase(), Phase::Operating);
}

/// A version in `_meta` makes the request a modern one of that version.
#[test]
fn an_initialize_with_metadata_is_not_refused_for_a_version_that_is_supported() {
    let line = r#"> 1 initialize {"protocolVersion":"2025-06-18","capabilities":{},$meta}"#;
    let seen = see(&mut session(4), line);
    assert!(!seen.rules().contains(&"version-unsupported"), "{seen:?}");
}

/// Only 2025-03-26 has batches.
#[test]
fn each_message_of_a_batch_is_seen_and_initialize_is_refused_there() {
    let in_batch = |notations: &[&str]| {
        let frames: Vec<_> = notations.iter().map(|notation| frame(notation).1).collect();
        format!("{} [{}]", &notations[0][..1], frames.join(","))
    };
    let mut session = session(4);
    let ping_and_initialize = in_batch(&["> 0 ping", "> 1 initialize $initialize"]);
    talk(&mut session, &format!("{ping_and_initialize} | batch | initialize-in-batch"));
    // The server may serve it nevertheless.
    assert_eq!(session.phase(), Phase::Initializing);
    assert_eq!(session.in_flight().count(), 2);
    talk(&mut session, "< 1 ! -32600 | failed -32600: initialize");
    assert_eq!(session.phase(), Phase::Opening);
    talk(
        &mut session,
        r#"> 2 initialize $initialize
        < 2 = {"protocolVersion":"2025-03-26","capabilities":{"tools":{}}}
        > notifications/initialized"#,
    );
    let calls = in_batch(&["> 3 tools/list", "> 3 prompts/list", "> notifications/vendor"]);
    talk(
        &mut session,
        &format!("{calls} | batch | undeclared-capability, id-in-use, unknown-method"),
    );
    let faulty = in_batch(&["< 3 = {}", "< [1]", "< 3 = {}", "< 3 = {}"]);
    talk(&mut session, &format!("{faulty} | batch | response-ambiguous, response-duplicate"));
    talk(
        &mut session,
        &format!(
            "{ping_and_initialize} | batch | id-in-use, initialize-in-batch, initialize-again"
        ),
    );
}
