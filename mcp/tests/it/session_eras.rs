//! Both eras in one session: each declares, subscribes and cancels by its own rules (2026-07-28, basic/versioning).

use tautline_mcp::session::{Capability, Phase};
use tautline_mcp::{Revision, Role};

use crate::support::talk::{self, DISCOVERY, HANDSHAKE, after, handshake, session, talk};

#[test]
fn a_modern_session_may_have_a_handshake_too() {
    let mut session = session(8);
    talk(&mut session, DISCOVERY);
    talk(
        &mut session,
        "> 1 initialize $initialize | request | era-mixed
        < 1 ! -32603 | failed -32603: initialize",
    );
    assert_eq!(session.phase(), Phase::Modern);
    talk(
        &mut session,
        "> 2 initialize $initialize | request | era-mixed
        > 3 tools/list {$meta} | request
        < 2 = $initialized | done: initialize
        > notifications/initialized | notification
        < 3 = $complete | done: tools/list
        > 4 tools/list | request
        > 5 tools/list {$meta} | request | era-mixed
        < 4 = {} | done: tools/list
        < 5 = $complete | done: tools/list
        < 6 roots/list | request
        > 6 = {} | done: roots/list",
    );
    assert_eq!(
        (session.phase(), session.revision()),
        (Phase::Operating, Some(Revision::V2025_06_18))
    );
}

/// The server is not blamed for details of a request that the session did not keep.
#[test]
fn a_subscription_of_which_not_all_is_kept() {
    let long = "L".repeat(70);
    let notifications = |id: &str| {
        format!(
            r#"< notifications/subscriptions/acknowledged {{"_meta":{{"$subscription":{id}}}}} | notification
            < notifications/tools/list_changed {{"_meta":{{"$subscription":{id}}}}} | notification"#
        )
    };
    let mut session = session(16);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        &format!(
            "> \"{long}\" subscriptions/listen {{$meta}} | request | era-mixed, untracked-request
            {}",
            notifications(&format!("\"{long}\""))
        ),
    );
    // The only slot is taken.
    let mut session = talk::session(1);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        &format!(
            "> 1 tools/list | request
            > 2 subscriptions/listen {{$meta}} | request | era-mixed, untracked-request
            {}",
            notifications("2")
        ),
    );
}

/// Only a complete result of `server/discover` declares anything.
#[test]
fn a_discovery_that_is_not_complete_declares_nothing() {
    let session = after(
        DISCOVERY,
        r#"> 7 server/discover {$meta} | request
        < 7 = {"resultType":"input_required","inputRequests":{}} | input required: server/discover | input-required-unexpected
        > 8 tools/list {$meta} | request"#,
    );
    assert!(session.declared(Role::Server).is_some_and(|declared| declared.has(Capability::Tools)));
}

#[test]
fn a_subscription_in_a_session_with_a_handshake() {
    let session = after(
        HANDSHAKE,
        r#"< notifications/subscriptions/acknowledged {"_meta":{"$subscription":1}} | ignored: method-not-in-revision | method-not-in-revision
        > 1 subscriptions/listen {$meta} | request | era-mixed
        < notifications/subscriptions/acknowledged {"_meta":{"$subscription":1}} | notification
        < notifications/tools/list_changed {"_meta":{"$subscription":1}} | notification
        < notifications/tools/list_changed {"_meta":{"$subscription":2}} | notification | subscription-unknown
        < notifications/tools/list_changed | notification
        < notifications/elicitation/complete {} | ignored: method-not-in-revision | method-not-in-revision
        < 2 roots/list | request"#,
    );
    assert_eq!(session.phase(), Phase::Operating);
}

/// A modern server declares its capabilities in the result of `server/discover`.
#[test]
fn what_a_handshake_declares_says_nothing_of_modern_requests() {
    let discovered = r#"= {"resultType":"complete","capabilities":{"prompts":{}}}"#;
    let session = after(
        &handshake("2025-11-25", "{}", r#"{"tools":{}}"#),
        &format!(
            "> 1 prompts/list {{$meta}} | request | era-mixed
            < 1 = $complete | done: prompts/list
            > 2 server/discover {{$meta}} | request | era-mixed
            < 2 {discovered} | done: server/discover
            > 3 prompts/list {{$meta}} | request | era-mixed
            > 4 tools/list {{$meta}} | refused -32601 undeclared-capability | era-mixed, undeclared-capability
            > 5 tools/list | request
            > 6 prompts/list | refused -32601 undeclared-capability | undeclared-capability"
        ),
    );
    assert_eq!(session.phase(), Phase::Operating);
    assert!(session.declared(Role::Server).unwrap().has(Capability::Tools));
    assert!(!session.declared(Role::Server).unwrap().has(Capability::Prompts));

    // The same, in the order of a session that begins as a modern one.
    let session = after(
        &format!("> 0 server/discover {{$meta}}\n< 0 {discovered}"),
        &format!(
            "> 1 tools/list {{$meta}} | refused -32601 undeclared-capability | undeclared-capability
            > 2 initialize $initialize | request | era-mixed
            < 2 = {} | done: initialize
            > notifications/initialized
            > 3 prompts/list {{$meta}} | request | era-mixed
            > 4 tools/list {{$meta}} | refused -32601 undeclared-capability | era-mixed, undeclared-capability
            > 5 tools/list | request
            > 6 prompts/list | refused -32601 undeclared-capability | undeclared-capability",
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}"#
        ),
    );
    assert!(session.declared(Role::Server).unwrap().has(Capability::Tools));
}

#[test]
fn what_a_modern_server_declares_is_what_was_declared_in_a_modern_session() {
    let session = after(DISCOVERY, "");
    assert!(session.declared(Role::Server).unwrap().has(Capability::Tools));
    assert_eq!(session.declared(Role::Client), None);
}

/// A server that does not know the eras answers as it would to `initialize`.
#[test]
fn a_result_without_its_kind_declares_nothing() {
    let session = after(
        "> 0 server/discover {$meta}",
        "< 0 = {} | done: server/discover | missing-result-type
        > 1 tools/list {$meta} | request",
    );
    assert_eq!((session.phase(), session.declared(Role::Server)), (Phase::Probing, None));
}

#[test]
fn what_a_subscription_delivers_was_not_declared_by_the_handshake() {
    let changed = |method| {
        format!(r#"< notifications/{method}/list_changed {{"_meta":{{"$subscription":1}}}}"#)
    };
    let (tools, prompts) = (changed("tools"), changed("prompts"));
    let open = r#"> 1 subscriptions/listen {$meta} | request | era-mixed
        < notifications/subscriptions/acknowledged {"_meta":{"$subscription":1}} | notification"#;
    let legacy = handshake("2025-06-18", "{}", "{}");
    after(
        &legacy,
        &format!(
            "{open}
            {tools} | notification
            {prompts} | notification
            < notifications/tools/list_changed | notification | undeclared-capability"
        ),
    );
    let discovered = r#"{"resultType":"complete","capabilities":{"tools":{"listChanged":true}}}"#;
    after(
        &legacy,
        &format!(
            "> 0 server/discover {{$meta}} | request | era-mixed
            < 0 = {discovered} | done: server/discover
            {open}
            {tools} | notification
            {prompts} | notification | undeclared-capability"
        ),
    );
}

/// A log message does not say which request it is for.
#[test]
fn a_log_message_may_be_for_a_request_of_either_era() {
    let log = "< notifications/message {} | notification";
    let call = "> 1 tools/call {$meta} | request | era-mixed";
    let undeclared = handshake("2025-06-18", "{}", "{}");
    after(
        &undeclared,
        &format!(
            "{log} | undeclared-capability
            {call}
            {log}
            < 1 = $complete | done: tools/call
            {log} | undeclared-capability"
        ),
    );
    let discovery = r#"> 0 server/discover {$meta} | request | era-mixed
        < 0 = {"resultType":"complete","capabilities":{"tools":{}}} | done: server/discover"#;
    after(&undeclared, &format!("{discovery}\n{call}\n{log} | undeclared-capability"));
    let declared = handshake("2025-06-18", "{}", r#"{"logging":{}}"#);
    after(&declared, &format!("{discovery}\n{call}\n{log}"));
}

/// 2026-07-28, patterns, cancellation: the server uses it to end the client's subscriptions, and for nothing else.
#[test]
fn a_server_ends_a_subscription_in_a_session_with_a_handshake() {
    let open = r#"> 1 subscriptions/listen {$meta} | request | era-mixed
        < notifications/subscriptions/acknowledged {"_meta":{"$subscription":1}} | notification"#;
    let cancelled = r#"< notifications/cancelled {"requestId":1} |"#;
    let answered = "< 1 = $complete | done: subscriptions/listen";
    for opening in [HANDSHAKE, "> 0 initialize $initialize"] {
        after(opening, &format!("{open}\n{cancelled} cancelled subscriptions/listen\n{answered}"));
        after(opening, &format!("{open}\n{answered}\n{cancelled} notification"));
    }
    // The server's own request of that id comes first, as long as its answer is awaited.
    after(
        HANDSHAKE,
        &format!(
            "{open}
            < 1 roots/list | request
            {cancelled} cancelled roots/list
            {cancelled} cancelled subscriptions/listen
            {answered}
            > 1 = {{}} | late done: roots/list | response-late"
        ),
    );
    after(
        HANDSHAKE,
        r#"> 1 tools/list {$meta} | request | era-mixed
        < notifications/cancelled {"requestId":1} | notification | cancel-unknown
        < notifications/cancelled {"requestId":0} | notification | cancel-unknown"#,
    );
}

/// While the client probes, the server may be a legacy one.
#[test]
fn a_server_cancels_its_own_request_before_its_era_is_known() {
    let cancelled = r#"< notifications/cancelled {"requestId":1} |"#;
    for client in ["> 1 tools/list {$meta} | request", "> 1 subscriptions/listen {$meta} | request"]
    {
        after(
            client,
            &format!(
                "< 1 ping | request
                {cancelled} cancelled ping
                > 1 = {{}} | late done: ping | response-late"
            ),
        );
    }
    let ping = "< 1 ping | request\n> 1 = {} | done: ping";
    let list = "> 1 tools/list {$meta} | request";
    after(list, &format!("{ping}\n{cancelled} notification | cancel-unknown"));
    after(list, &format!("{cancelled} notification | wrong-direction"));
}
