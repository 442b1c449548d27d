//! Every message in every phase of a session, from either side.

use tautline::Severity;
use tautline_mcp::session::{Early, Phase};

use crate::support::talk::{Watched, see, session};

/// The messages that lead to each phase. In all phases a `ping` of each side is in flight: "p" of the client, and "q"
/// of the server.
const PHASES: &[(Phase, &str)] = &[
    (Phase::Opening, r#"> "p" ping; < "q" ping"#),
    (Phase::Initializing, r#"> "p" ping; < "q" ping; > 0 initialize $initialize"#),
    (
        Phase::AwaitingInitialized,
        r#"> "p" ping; < "q" ping; > 0 initialize $initialize; < 0 = $initialized"#,
    ),
    (
        Phase::Operating,
        r#"> "p" ping; < "q" ping; > 0 initialize $initialize; < 0 = $initialized;
            > notifications/initialized"#,
    ),
    (
        Phase::Probing,
        r#"> "d" server/discover {$meta}; > "e" tools/list {$meta}; > "p" ping; < "q" ping"#,
    ),
    (
        Phase::Modern,
        r#"> "d" server/discover {$meta}; > "e" tools/list {$meta}; > "p" ping; < "q" ping;
            < "d" = $discovered"#,
    ),
];

/// A message, and below it its event in each of the phases: `phases: event -> the next phase, if it changes |
/// findings`. `early`, `open` and `modern` stand for two phases each, and `legacy` for the first four.
const TRANSITIONS: &str = r#"
> 7 initialize $initialize
    Opening, Probing: request -> Initializing
    Initializing, open: request | initialize-again
    Modern: request | era-mixed
> 7 initialize
    Opening, Probing: refused -32602 missing-params | missing-params
    Initializing, open: refused -32602 missing-params | initialize-again, missing-params
    Modern: refused -32602 missing-params | era-mixed, missing-params
> initialize $initialize
    legacy, modern: ignored: method-kind | method-kind
< 7 initialize $initialize
    legacy, Probing: refused -32601 wrong-direction | wrong-direction
    Modern: ignored: wrong-direction | wrong-direction
< 0 = $initialized
    Opening, modern: unmatched | response-unexpected
    Initializing: done: initialize -> AwaitingInitialized
    open: unmatched | response-duplicate
< 0 ! -32602
    Opening, modern: unmatched | response-unexpected
    Initializing: failed -32602: initialize -> Opening
    open: unmatched | response-duplicate
> notifications/initialized
    early, Operating: notification | initialized-unexpected
    AwaitingInitialized: notification -> Operating
    modern: ignored: method-not-in-revision | method-not-in-revision
< notifications/initialized
    legacy, Probing: ignored: wrong-direction | wrong-direction
    Modern: ignored: method-not-in-revision | method-not-in-revision
> 7 notifications/initialized
    early: refused -32600 request-before-initialize | request-before-initialize
    AwaitingInitialized: refused -32601 method-kind -> Operating | method-kind
    Operating: refused -32601 method-kind | method-kind
    modern: refused -32601 method-kind | method-kind, method-not-in-revision
> 7 ping
    legacy: request
    modern: refused -32601 method-not-in-revision | method-not-in-revision
< 7 ping
    legacy, Probing: request
    Modern: ignored: wrong-direction | wrong-direction
> 7 ping {$meta}
    Opening, modern: refused -32601 method-not-in-revision | method-not-in-revision
    Initializing, open: refused -32601 method-not-in-revision | era-mixed, method-not-in-revision
> 7 tools/list {}
    early: refused -32600 request-before-initialize | request-before-initialize
    AwaitingInitialized: request | request-before-initialized
    Operating: request
    modern: refused -32602 missing-meta | missing-meta
< 7 roots/list
    early, Probing: refused -32600 request-before-initialize | request-before-initialize
    AwaitingInitialized: request | request-before-initialized
    Operating: request
    Modern: ignored: wrong-direction | wrong-direction
> 7 vendor/method
    early: refused -32600 request-before-initialize | request-before-initialize
    AwaitingInitialized: request | request-before-initialized, unknown-method
    Operating: request | unknown-method
    modern: refused -32602 missing-meta | missing-meta, unknown-method
> 7 vendor/method {$meta}
    Opening: request -> Probing | unknown-method
    Initializing, open: request | era-mixed, unknown-method
    modern: request | unknown-method
> 7 tools/list {$meta}
    Opening: request -> Probing
    Initializing, open: request | era-mixed
    modern: request
> 7 subscriptions/listen {$meta}
    Opening: request -> Probing
    Initializing, open: request | era-mixed
    modern: request
> 7 server/discover {$meta}
    Opening: request -> Probing
    Initializing, open: request | era-mixed
    modern: request
> 7 server/discover
    Opening, modern: refused -32602 missing-params | missing-params
    Initializing, open: refused -32602 missing-params | era-mixed, missing-params
> 7 server/discover {"_meta":{"$version":"1999-01-01","$capabilities":{}}}
    Opening, modern: refused -32022 version-unsupported | version-unsupported
    Initializing, open: refused -32022 version-unsupported | era-mixed, version-unsupported
> 7 tools/list {"_meta":{"$version":"2025-06-18","$capabilities":{}}}
    Opening, modern: refused -32022 version-unsupported | version-unsupported
    Initializing, open: refused -32022 version-unsupported | era-mixed, version-unsupported
> 7 tools/list {"_meta":{"$version":"2026-07-28"}}
    Opening, modern: refused -32602 missing-meta | missing-meta
    Initializing, open: refused -32602 missing-meta | era-mixed, missing-meta
> 7 tools/list {"_meta":{"$info":{}}}
    Opening, modern: refused -32602 missing-meta | missing-meta
    Initializing, open: refused -32602 missing-meta | era-mixed, missing-meta
> 7 tools/list {"_meta":{"$level":"info"}}
    Opening, modern: refused -32602 missing-meta | missing-meta
    Initializing, open: refused -32602 missing-meta | era-mixed, missing-meta
> 7 tools/list {"_meta":{"$capabilities":{}}}
    Opening, modern: refused -32602 missing-meta | missing-meta
    Initializing, open: refused -32602 missing-meta | era-mixed, missing-meta
> 7 tools/list {"_meta":{"$version":20260728,"$capabilities":{}}}
    Opening, modern: refused -32602 meta-type | meta-type
    Initializing, open: refused -32602 meta-type | era-mixed, meta-type
< 7 tools/list {$meta}
    legacy, Probing: refused -32601 wrong-direction | wrong-direction
    Modern: ignored: wrong-direction | wrong-direction
< "d" = $discovered
    legacy: unmatched | response-unexpected
    Probing: done: server/discover -> Modern
    Modern: unmatched | response-duplicate
< "d" ! -32601
    legacy: unmatched | response-unexpected
    Probing: failed -32601: server/discover
    Modern: unmatched | response-duplicate
< "e" = {}
    legacy: unmatched | response-unexpected
    modern: done: tools/list | missing-result-type
< "e" ! -32022
    legacy: unmatched | response-unexpected
    Probing: failed -32022: tools/list -> Modern
    Modern: failed -32022: tools/list
< "e" ! -32021
    legacy: unmatched | response-unexpected
    Probing: failed -32021: tools/list -> Modern
    Modern: failed -32021: tools/list
< "e" ! -32023
    legacy: unmatched | response-unexpected
    modern: failed -32023: tools/list | error-code-forbidden
< "e" ! -32000
    legacy: unmatched | response-unexpected
    modern: failed -32000: tools/list
< "p" ! -32022
    legacy, modern: failed -32022: ping
< "p" = {}
    legacy, modern: done: ping
> "q" = {}
    legacy, Probing: done: ping
    Modern: done: ping | wrong-direction
> "q" ! -32601
    legacy, Probing: failed -32601: ping
    Modern: failed -32601: ping | wrong-direction
> 7 = {}
    legacy, Probing: unmatched | response-unexpected
    Modern: unmatched | wrong-direction, response-unexpected
< ! -32600
    legacy, modern: unmatched
> notifications/cancelled {"requestId":"p"}
    legacy, modern: cancelled ping
< notifications/cancelled {"requestId":"q"}
    legacy, modern: cancelled ping
< notifications/cancelled {"requestId":"p"}
    legacy: notification | cancel-unknown
    modern: notification | wrong-direction
> notifications/cancelled {"requestId":0}
    Opening, open, modern: notification | cancel-unknown
    Initializing: notification | cancel-initialize
> notifications/roots/list_changed
    Opening: notification | request-before-initialize
    Initializing, open: notification
    modern: ignored: method-not-in-revision | method-not-in-revision
< notifications/message {}
    legacy, modern: notification
< notifications/tools/list_changed
    legacy, Probing: notification
    Modern: notification | subscription-unknown
< notifications/tools/list_changed {"_meta":{"$subscription":"e"}}
    legacy: notification
    modern: notification | subscription-unknown
< notifications/subscriptions/acknowledged {"_meta":{"$subscription":"e"}}
    legacy: ignored: method-not-in-revision | method-not-in-revision
    modern: notification | subscription-unknown
< notifications/tasks {}
    legacy: ignored: method-not-in-revision | method-not-in-revision
    modern: notification
< notifications/elicitation/complete {}
    early, Probing: notification
    open, Modern: ignored: method-not-in-revision | method-not-in-revision
< notifications/vendor
    legacy, modern: notification | unknown-method
"#;

#[test]
fn every_message_in_every_phase() {
    let mut message = "";
    let mut seen_in = Vec::new();
    let mut differ = Vec::new();
    for line in TRANSITIONS.lines().skip(1) {
        let Some(row) = line.strip_prefix("    ") else {
            assert!(message.is_empty() || seen_in.len() == PHASES.len(), "{message}");
            message = line;
            seen_in.clear();
            continue;
        };
        let (phases, expected) = row.split_once(": ").unwrap();
        let phases = phases
            .replace("legacy", "early, open")
            .replace("early", "Opening, Initializing")
            .replace("open", "AwaitingInitialized, Operating")
            .replace("modern", "Probing, Modern");
        for name in phases.split(", ") {
            let find = |(phase, _): &&(Phase, &str)| format!("{phase:?}") == name;
            let (phase, opening) = PHASES.iter().find(find).unwrap();
            assert!(!seen_in.contains(phase), "{message} is in {phase:?} twice");
            seen_in.push(*phase);
            let mut session = session(8);
            for before in opening.split(';') {
                see(&mut session, before.trim());
            }
            assert_eq!(session.phase(), *phase);
            let seen = see(&mut session, message);
            let next = if session.phase() == *phase {
                String::new()
            } else {
                format!(" -> {:?}", session.phase())
            };
            let rules = seen.rules().join(", ");
            let bar = if rules.is_empty() { "" } else { " | " };
            let found = format!("{}{next}{bar}{rules}", seen.event);
            if found != expected {
                differ.push(format!("{message} in {phase:?}: {found}, and not {expected}"));
            }
            assert_era(&session);
        }
    }
    assert_eq!(seen_in.len(), PHASES.len(), "{message}");
    assert!(differ.is_empty(), "{differ:#?}");
}

/// Checks that the revision is of the session's era, and settled when the phase requires it.
fn assert_era(session: &Watched) {
    let settled =
        matches!(session.phase(), Phase::AwaitingInitialized | Phase::Operating | Phase::Modern);
    assert_eq!(session.revision().is_some(), settled, "{session:?}");
    if let Some(revision) = session.revision() {
        assert_eq!(session.era(), Some(revision.era()));
    }
}

#[test]
fn what_comes_early_is_served_or_refused_as_the_caller_says() {
    for before in [Early::Serve, Early::Refuse] {
        for after in [Early::Serve, Early::Refuse] {
            for (phase, opening) in &PHASES[..4] {
                for (method, request) in [("ping", "> 7 ping"), ("ping", "< 7 ping")]
                    .into_iter()
                    .chain([("list", "> 7 tools/list"), ("list", "< 7 roots/list")])
                {
                    let mut session =
                        session(4).before_initialize(before).before_initialized(after);
                    for line in opening.split(';') {
                        see(&mut session, line.trim());
                    }
                    let (rule, early) = match phase {
                        Phase::Opening | Phase::Initializing => {
                            ("request-before-initialize", before)
                        }
                        _ => ("request-before-initialized", after),
                    };
                    let seen = see(&mut session, request);
                    let is_early = method != "ping" && *phase != Phase::Operating;
                    let expected = if is_early { vec![rule] } else { vec![] };
                    assert_eq!(seen.rules(), expected, "{request} in {phase:?}");
                    let severity = match early {
                        Early::Serve => Severity::Warning,
                        Early::Refuse => Severity::Error,
                    };
                    assert!(seen.findings.iter().all(|found| found.severity() == severity));
                    let refused = is_early && early == Early::Refuse;
                    let event =
                        if refused { format!("refused -32600 {rule}") } else { "request".into() };
                    assert_eq!(seen.event, event, "{request} in {phase:?}");
                    assert_eq!(session.phase(), *phase);
                }
            }
        }
    }
}
