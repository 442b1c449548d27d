//! Requests in flight: their ids, their answers, their progress and their end.

use tautline::Severity;
use tautline_mcp::session::{Phase, SLOT_TEXT};
use tautline_mcp::{KnownMethod, Role, rule};

use crate::support::talk::{self, DISCOVERY, HANDSHAKE, after, see, session, talk};

fn in_flight(session: &talk::Watched) -> Vec<String> {
    let mut ids: Vec<_> = session.in_flight().map(|request| request.id().to_string()).collect();
    ids.sort();
    ids
}

#[test]
fn ids_are_equal_by_what_they_mean_and_each_side_has_its_own() {
    let session = after(
        HANDSHAKE,
        r#"> 1 tools/list | request
        > "1" tools/list | request
        < 1 ping | request
        > "a" prompts/list | request
        > "\u0061" prompts/get {} | request | id-in-use
        < "a" roots/list | request
        > 1 resources/list | request | id-in-use
        < "1" = {} | done: tools/list
        < "1" = {} | unmatched | response-duplicate
        > 1 = {} | done: ping
        > 1 = {} | unmatched | response-duplicate
        > "\u0061" = {} | done: roots/list
        > "b" = {} | unmatched | response-unexpected"#,
    );
    assert_eq!(in_flight(&session), [r#""\u0061""#, r#""a""#, "1", "1"]);
    let of_client = session.in_flight().all(|request| request.from() == Role::Client);
    assert!(of_client, "{session:?}");
}

#[test]
fn an_id_that_was_answered_is_not_used_again_in_a_legacy_session() {
    let again = r#"> "a" tools/list {$meta}
        < "a" = $complete | done: tools/list
        > "\u0061" tools/list {$meta} | request
        < "a" ! 1 | failed 1: tools/list
        < "a" ! 1 | unmatched | response-duplicate"#;
    after(DISCOVERY, again);
    let again = again.replace("$meta", "").replace("| request", "| request | id-reused");
    after(HANDSHAKE, &again);
    after(HANDSHAKE, "> 1 ping\n< 1 = {}\n< 1 ping\n> 1 = {}\n< 1 ping | request | id-reused");
    // The probe is not part of the session that the handshake opens.
    after("> 0 server/discover {$meta}\n< 0 ! -32601", HANDSHAKE);
}

#[test]
fn an_id_that_was_rewritten_is_still_that_of_the_request() {
    for (id, answer, plain) in
        [("1", r#""1""#, "1"), (r#""1""#, "1", "1"), ("1", "1.0", "1"), (r#""\u0031""#, "1", "1")]
    {
        after(
            HANDSHAKE,
            &format!(
                "> {id} tools/call {{}}
                < {answer} = {{\"isError\":true}} | tool failed: tools/call | response-id-rewritten
                < {id} = {{}} | unmatched | response-duplicate
                < {plain}2 = {{}} | unmatched | response-unexpected"
            ),
        );
    }
    // The equal id goes first, in flight or answered.
    let session = after(
        HANDSHAKE,
        r#"> "1" tools/list
        > 1 prompts/list
        < 1 = {} | done: prompts/list
        < 1 = {} | unmatched | response-duplicate
        < 1.0 = {} | done: tools/list | response-id-rewritten"#,
    );
    assert_eq!(session.in_flight().count(), 0);
}

/// A second answer to one request does not complete another one with a similar id.
#[test]
fn an_answer_with_the_id_of_an_answered_request_is_a_duplicate_whatever_waits() {
    for (id, like) in [("1", "1.0"), ("1.0", "1"), ("1", r#""1""#), (r#""1""#, "1.0")] {
        // Numbers of one value count as one id of a request.
        let reused = if like.starts_with('"') || id.starts_with('"') { "" } else { " | id-reused" };
        after(
            HANDSHAKE,
            &format!(
                "> {id} tools/list
                < {id} = {{}} | done: tools/list
                < {like} = {{}} | unmatched | response-unexpected
                > {like} prompts/list | request{reused}
                < {id} = {{}} | unmatched | response-duplicate
                < {like} = {{}} | done: prompts/list"
            ),
        );
    }
}

#[test]
fn a_response_without_an_id_answers_nothing() {
    let session =
        after(HANDSHAKE, "> 1 tools/list\n< ! -32700 | unmatched\n> ! -32700 | unmatched");
    assert_eq!(in_flight(&session), ["1"]);
}

#[test]
fn a_modern_client_sends_no_responses_not_even_without_an_id() {
    after(DISCOVERY, "> ! -32600 | unmatched | wrong-direction");
}

/// A modern client sends no responses, so it owes none: neither to a request, nor to a faulty one.
#[test]
fn a_modern_server_is_not_answered() {
    use tautline::Message;
    use tautline_mcp::Revision;
    let mut session = after(DISCOVERY, "< 1 ping | ignored: wrong-direction | wrong-direction");
    let profile = Revision::LATEST.profile();
    let broken = br#"{"jsonrpc":"2.0","id":2,"method":"ping","params":[]}"#;
    let fault = Message::parse(broken, &profile).unwrap_err();
    session.observe_fault(Role::Server, &fault);
    assert_eq!(session.in_flight().count(), 0);
    session.end(|request, finding| panic!("{request:?}: {finding}"));
    talk(&mut session, "> 1 ! -32601 | unmatched | wrong-direction, response-unexpected");
}

#[test]
fn a_null_id_answers_nothing_where_it_is_legal() {
    use tautline::{Message, Profile};
    use tautline_mcp::session::{Event, Session, Slot};
    let mut session = Session::new([Slot::EMPTY; 2]);
    let mut see = |from, frame: &'static str| {
        let message = Message::parse(frame.as_bytes(), &Profile::JSON_RPC).unwrap();
        session.observe(from, &message, |_| {})
    };
    let request = r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#;
    assert_eq!(see(Role::Client, request), Event::Request);
    let answer = r#"{"jsonrpc":"2.0","id":null,"result":{}}"#;
    assert_eq!(see(Role::Server, answer), Event::Unmatched);
}

/// Returns an id with as many bytes as a slot holds, and one with one more.
fn longest_and_longer() -> [String; 2] {
    [0, 1].map(|more| format!("\"{}\"", "x".repeat(SLOT_TEXT - 2 + more)))
}

#[test]
fn an_id_that_is_too_long_is_not_tracked_and_its_answer_not_unexpected() {
    let [longest, longer] = longest_and_longer();
    let session = after(
        HANDSHAKE,
        &format!(
            "> {longest} tools/list | request
            < {longest} = {{}} | done: tools/list
            > {longer} tools/list | request | untracked-request
            < 5 ping | request
            > 6 = {{}} | unmatched | response-unexpected
            < notifications/progress {{\"progressToken\":\"t\"}} | notification
            > notifications/cancelled {{\"requestId\":{longer}}} | notification
            < {longer} = {{}} | untracked
            < {longer} = {{}} | unmatched | response-unexpected"
        ),
    );
    assert_eq!(in_flight(&session), ["5"]);
}

/// Long ids are distinguished, so an unmatched answer does not take the place of another.
#[test]
fn a_long_id_makes_no_other_answer_unexpected() {
    let long = |first: char| format!("\"{first}{}\"", "x".repeat(SLOT_TEXT));
    let (a, b, c) = (long('a'), long('b'), long('c'));
    let again = format!(
        r#"> {a} tools/list | request | untracked-request
        > {b} tools/list | request | untracked-request
        > 1 tools/list
        < 7 = {{}} | unmatched | response-unexpected
        < {c} = {{}} | unmatched | response-unexpected
        < "1" = {{}} | done: tools/list | response-id-rewritten
        < {b} = {{}} | untracked
        < {b} = {{}} | unmatched | response-unexpected
        < {a} = {{}} | untracked
        < {a} = {{}} | unmatched | response-unexpected"#
    );
    after(HANDSHAKE, &again);
    // Without a slot for it, only a hint of its id is kept.
    let mut few = session(1);
    talk(&mut few, HANDSHAKE);
    talk(
        &mut few,
        &format!(
            "> 1 tools/list
            > {a} tools/list | request | untracked-request
            < 7 = {{}} | unmatched | response-unexpected
            < {a} = {{}} | untracked
            < {a} = {{}} | unmatched | response-unexpected"
        ),
    );
    // A cancelled request need not be answered, and makes room.
    let mut few = session(2);
    talk(&mut few, HANDSHAKE);
    for _ in 0..9 {
        let cancel = format!(r#"> notifications/cancelled {{"requestId":{a}}} | notification"#);
        talk(&mut few, &format!("> {a} tools/list | request | untracked-request\n{cancel}"));
    }
    talk(&mut few, "> 1 ping | request\n> 2 ping | request");
}

#[test]
fn a_handshake_opens_the_session_whatever_the_length_of_its_id() {
    let [_, longer] = longest_and_longer();
    let mut session = session(4);
    for line in HANDSHAKE.replace(" 0 ", &format!(" {longer} ")).lines().skip(1) {
        see(&mut session, line.trim());
    }
    talk(&mut session, "> 1 tools/list | request");
    assert_eq!(session.phase(), Phase::Operating);
}

/// No other request with a long id is mistaken for the handshake, unless its id begins in the same way. In that case,
/// the handshake counts as failed once both were answered with an error.
#[test]
fn a_handshake_fails_whatever_the_length_of_its_id() {
    use Phase::{AwaitingInitialized, Initializing, Opening};
    let long = |first: char, last: char| format!("\"{first}{}{last}\"", "x".repeat(SLOT_TEXT));
    let id = long('a', '1');
    let (other, alike) = (long('b', '1'), long('a', '2'));
    for (ping, answers) in [
        (&other, [(&id, "! -32602", Opening), (&other, "= {}", Opening)]),
        (&other, [(&other, "! -32601", Initializing), (&id, "! -32602", Opening)]),
        (
            &other,
            [
                (&other, "= $initialized", Initializing),
                (&id, "= $initialized", AwaitingInitialized),
            ],
        ),
        (&alike, [(&id, "! -32602", Initializing), (&alike, "! -32601", Opening)]),
        (
            &alike,
            [(&alike, "! -32601", Initializing), (&id, "= $initialized", AwaitingInitialized)],
        ),
        (
            &alike,
            [(&id, "= $initialized", AwaitingInitialized), (&alike, "= {}", AwaitingInitialized)],
        ),
    ] {
        for ping_first in [true, false] {
            let mut session = session(4);
            let mut lines = [format!("> {ping} ping"), format!("> {id} initialize $initialize")];
            if !ping_first {
                lines.reverse();
            }
            talk(
                &mut session,
                &lines.map(|line| line + " | request | untracked-request").join("\n"),
            );
            for (id, answer, phase) in answers {
                talk(&mut session, &format!("< {id} {answer} | untracked"));
                assert_eq!(session.phase(), phase, "{answers:?}");
            }
        }
    }
}

#[test]
fn a_progress_token_that_fits_in_no_slot_is_not_unknown() {
    let id = format!("\"{}\"", "0".repeat(36));
    let token = format!("\"{}\"", "1".repeat(36));
    let session = after(
        HANDSHAKE,
        &format!(
            "> {id} tools/call {{\"_meta\":{{\"progressToken\":{token}}}}}
            < notifications/progress {{\"progressToken\":{token}}} | notification"
        ),
    );
    assert_eq!(session.in_flight().count(), 1);
}

#[test]
fn a_full_table_lets_the_rest_through() {
    let mut session = session(2);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        r#"> 1 tools/list
        < 1 ping
        > 2 tools/list | request | untracked-request
        > 3 tools/list | request | untracked-request
        > 4 = {} | unmatched | response-unexpected
        < 3 = {} | untracked
        < 1 = {} | done: tools/list
        > 4 tools/list | request
        < 2 = {} | untracked
        < 2 = {} | unmatched | response-unexpected
        < 4 = {} | done: tools/list"#,
    );
}

/// "1" is not 1, and both may be in flight.
#[test]
fn what_is_not_tracked_is_not_taken_for_something_alike() {
    let mut session = session(1);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        r#"> "1" tools/call {}
        > 1 prompts/list | request | untracked-request
        < 1 = {} | untracked
        < "1" = {} | done: tools/call"#,
    );
}

#[test]
fn the_slot_that_was_answered_the_longest_ago_is_used_first() {
    let mut session = session(3);
    talk(
        &mut session,
        "> 1 ping
        > 2 ping
        > 3 ping
        < 2 = {}
        < 1 = {}
        < 3 = {}
        > 4 ping
        < 1 = {} | unmatched | response-duplicate
        < 2 = {} | unmatched | response-unexpected
        > 5 ping
        < 3 = {} | unmatched | response-duplicate
        < 1 = {} | unmatched | response-unexpected",
    );
}

#[test]
fn a_request_is_cancelled_by_the_side_that_sent_it() {
    let session = after(
        HANDSHAKE,
        r#"> "a" tools/call {}
        < "a" sampling/createMessage {}
        < 2 ping
        > notifications/cancelled {"requestId":2} | notification | cancel-unknown
        > notifications/cancelled {"requestId":"\u0061"} | cancelled tools/call
        < 2 ping | request | id-in-use
        < "a" = {"isError":true} | late tool failed: tools/call | response-late
        < "a" = {} | unmatched | response-duplicate
        > notifications/cancelled {"requestId":"a"} | notification | cancel-unknown
        > notifications/cancelled {"requestId":"b"} | notification | cancel-unknown
        > notifications/cancelled {"reason":"none"} | notification | missing-params
        > notifications/cancelled {"requestId":null} | notification | meta-type
        < notifications/cancelled {"requestId":"a"} | cancelled sampling/createMessage"#,
    );
    let cancelled = session.in_flight().filter(|request| request.is_cancelled());
    assert_eq!(cancelled.map(|request| request.id().to_string()).collect::<Vec<_>>(), [r#""a""#]);
    after(
        "> 0 initialize $initialize",
        r#"> notifications/cancelled {"requestId":0} | notification | cancel-initialize
        < 0 = $initialized | done: initialize"#,
    );
}

/// A cancelled request need not be answered, and must not keep others out.
#[test]
fn what_was_cancelled_makes_room() {
    let mut session = session(2);
    talk(&mut session, HANDSHAKE);
    for id in 1..9 {
        talk(&mut session, &format!("> {id} tools/call {{}} | request"));
        let cancel = format!(r#"> notifications/cancelled {{"requestId":{id}}}"#);
        talk(&mut session, &format!("{cancel} | cancelled tools/call"));
    }
    talk(&mut session, "< 1 ping | request\n> 9 ping | request\n> 1 = {} | done: ping");
}

#[test]
fn of_two_with_one_id_the_one_that_is_waited_for_is_answered_first() {
    after(
        HANDSHAKE,
        r#"> 1 tools/list
        > notifications/cancelled {"requestId":1} | cancelled tools/list
        > 1 prompts/list | request | id-reused
        < 1 = {} | done: prompts/list | response-ambiguous
        < 1 = {} | late done: tools/list | response-late"#,
    );
}

/// A modern id is not free while the answer may come, and a legacy one is never free again.
#[test]
fn an_id_is_not_free_after_a_cancellation() {
    let again = r#"> "a" tools/call {$meta}
        > notifications/cancelled {"requestId":"a"} | cancelled tools/call
        > "\u0061" tools/list {$meta} | request | id-in-use
        < "a" = $complete | done: tools/list | response-ambiguous
        > "b" tools/call {$meta}
        > notifications/cancelled {"requestId":"b"}
        < "b" = $complete | late done: tools/call | response-late
        > "b" tools/list {$meta} | request"#;
    after(DISCOVERY, again);
    let again = again.replace("id-in-use", "id-reused").replace("$meta", "");
    after(HANDSHAKE, &format!("{again} | id-reused"));
}

/// Peers that store numbers as numbers treat these as one id. A string is not a number.
#[test]
fn ids_and_tokens_of_the_same_value_are_not_used_together() {
    for other in ["1.0", "1e0", "10E-1", "1.00"] {
        after(
            HANDSHAKE,
            &format!(
                r#"> 1 tools/list
                > {other} prompts/list | request | id-in-use
                > "1" resources/list | request
                > "{other}" resources/list | request
                < {other} = {{}} | done: prompts/list
                < 1 = {{}} | done: tools/list
                > 1e+0 tools/list | request | id-reused"#
            ),
        );
        let asks = |id, token| {
            format!(r#"> {id} tools/call {{"_meta":{{"progressToken":{token}}}}} | request"#)
        };
        after(HANDSHAKE, &format!("{}\n{} | progress-token-in-use", asks(1, "1"), asks(2, other)));
    }
    after(HANDSHAKE, "> 0 tools/list | request | id-reused\n> -0 ping | request | id-in-use");
    after(HANDSHAKE, "> 12 tools/list\n> 120 ping | request\n> -12 ping | request");
}

/// The client writes no answer to it, and no finding asks for one.
#[test]
fn a_request_of_a_modern_server_is_ignored() {
    let session = after(
        DISCOVERY,
        r#"< 1 roots/list {} | ignored: wrong-direction | wrong-direction
        < 2 ping | ignored: wrong-direction | wrong-direction
        < 2 ping | ignored: wrong-direction | wrong-direction
        < 3 vendor/method {$meta} | ignored: wrong-direction | wrong-direction
        > 1 ! -32601 | unmatched | wrong-direction, response-unexpected"#,
    );
    assert_eq!(session.in_flight().count(), 0);
    session.end(|request, finding| panic!("{request:?} {finding}"));
}

#[test]
fn progress_is_made_by_the_other_side_until_the_answer() {
    let asked = r#"> 1 tools/call {"_meta":{"progressToken":"a",$modern}}
        < notifications/progress {"progressToken":"\u0061"} | notification
        < notifications/progress {"progressToken":1} | notification | progress-unknown
        > "t" tools/call {"_meta":{"progressToken":"\u0074",$modern}}
        < notifications/progress {"progressToken":"t"} | notification
        > 2 tools/call {"_meta":{"progressToken":"\u0061",$modern}} | request | progress-token-in-use
        > 3 tools/call {"_meta":{"progressToken":3,$modern}} | request
        > 4 tools/call {"_meta":{"progressToken":"3",$modern}} | request
        > notifications/cancelled {"requestId":4}
        < notifications/progress {"progressToken":"3"} | notification
        < "t" = $complete
        < notifications/progress {"progressToken":"t"} | notification | progress-unknown
        < notifications/progress {} | notification | missing-params
        < notifications/progress {"progressToken":null} | notification | meta-type
        < 3 = $complete
        > 5 tools/call {"_meta":{"progressToken":3,$modern}} | request"#;
    after(DISCOVERY, asked);
    after(HANDSHAKE, &asked.replace(",$modern", ""));
    let wrong_side = r#"> notifications/progress {"progressToken":"a"}"#;
    let asked = asked.replace(",$modern", "");
    after(HANDSHAKE, &format!("{asked}\n{wrong_side} | notification | progress-unknown"));
    after(DISCOVERY, &format!("{wrong_side} | ignored: wrong-direction | wrong-direction"));
    after(
        HANDSHAKE,
        r#"< 1 roots/list {"_meta":{"progressToken":9}}
        > 1 tools/call {"_meta":{"progressToken":9}} | request
        > notifications/progress {"progressToken":9} | notification"#,
    );
}

#[test]
fn what_is_not_answered_at_the_end_is_said() {
    let session = after(
        DISCOVERY,
        r#"> 1 tools/list {$meta}
        > 2 tools/list {$meta}
        > 3 subscriptions/listen {$meta}
        > 4 ping {$meta} | refused -32601 method-not-in-revision | method-not-in-revision
        > 5 tools/call {$meta}
        > notifications/cancelled {"requestId":2}
        < 5 ! 1"#,
    );
    let mut left = Vec::new();
    session.end(|request, finding| {
        assert_eq!(
            (finding.rule(), finding.severity()),
            (rule::UNANSWERED_REQUEST, Severity::Warning)
        );
        left.push((request.id().to_string(), request.from(), request.method()));
    });
    left.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        left,
        [
            ("1".to_owned(), Role::Client, Some(KnownMethod::ToolsList)),
            ("4".to_owned(), Role::Client, Some(KnownMethod::Ping)),
        ]
    );
    after(HANDSHAKE, "> 1 ping\n< 1 = {}").end(|_, finding| panic!("{finding}"));
}

#[test]
fn new_ids_count_up() {
    let mut session = session(1);
    assert_eq!([session.next_id(), session.next_id(), session.next_id()], [1, 2, 3]);
}

/// Findings point at the relevant bytes of the frame.
#[test]
fn offsets() {
    for (message, rule, part) in [
        (r#"> "\u0061" tools/list"#, "id-in-use", r#""\u0061""#),
        ("> 2 server/discover {$meta}", "era-mixed", r#""server/discover""#),
        (r#"> 2 tools/call {"_meta":{"progressToken":77}}"#, "progress-token-in-use", "77}"),
        ("< 99 = {}", "response-unexpected", "99,"),
        (r#"> notifications/cancelled {"requestId":33}"#, "cancel-unknown", "33}"),
        ("< 3 tools/list {}", "wrong-direction", r#""tools/list""#),
    ] {
        let mut session = after(HANDSHAKE, r#"> "a" tools/call {"_meta":{"progressToken":77}}"#);
        let seen = see(&mut session, message);
        let finding = seen.findings.iter().find(|found| rule::name(found.rule()) == rule).unwrap();
        let frame = talk::frame(message).1;
        let offset = usize::try_from(finding.offset().unwrap()).unwrap();
        assert!(frame[offset..].starts_with(part), "{message}: {}", &frame[offset..]);
    }
}
