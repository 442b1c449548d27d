//! What a call is worth in a session: its direction, what was declared for it, what is in it twice, what
//! kind of result it has, and which subscription it is for.

#[path = "support/talk.rs"]
mod talk;

use talk::{DISCOVERY, HANDSHAKE, handshake, see, session, talk};
use tautline::mcp::{CallKind, Era, Method, Peer};
use tautline::session::{Capability, Early, SLOT_TEXT};
use tautline::{Revision, Rule, Severity};

/// Who may call a method, revision by revision: the client, the server, both, or nobody.
const DIRECTIONS: &str = "
    initialize cccc-                              ping bbbb-
    server/discover ----c                         subscriptions/listen ----c
    tools/list ccccc                              tools/call ccccc
    prompts/list ccccc                            prompts/get ccccc
    resources/list ccccc                          resources/templates/list ccccc
    resources/read ccccc                          completion/complete ccccc
    resources/subscribe cccc-                     resources/unsubscribe cccc-
    logging/setLevel cccc-                        tasks/update ----c
    tasks/get ---bc                               tasks/cancel ---bc
    tasks/result ---b-                            tasks/list ---b-
    sampling/createMessage ssss-                  roots/list ssss-
    elicitation/create --ss-                      notifications/elicitation/complete ---s-
    notifications/initialized cccc-               notifications/roots/list_changed cccc-
    notifications/cancelled bbbbb                 notifications/progress bbbbs
    notifications/message sssss                   notifications/tools/list_changed sssss
    notifications/prompts/list_changed sssss      notifications/resources/list_changed sssss
    notifications/resources/updated sssss         notifications/tasks/status ---b-
    notifications/tasks ----s                     notifications/subscriptions/acknowledged ----s";

#[test]
fn the_direction_of_every_method_in_every_revision() {
    let words: Vec<_> = DIRECTIONS.split_whitespace().collect();
    assert_eq!(words.len(), 2 * Method::ALL.len());
    for &method in Method::ALL {
        let row = words.chunks(2).find(|row| row[0] == method.name()).unwrap();
        for (&revision, cell) in Revision::ALL.iter().zip(row[1].chars()) {
            for peer in [Peer::Client, Peer::Server] {
                let may = cell == 'b' || cell == if peer == Peer::Client { 'c' } else { 's' };
                assert_eq!(method.use_in(revision).is_some(), cell != '-', "{method:?}");
                assert_eq!(method.use_in(revision).is_some_and(|u| u.is_for(peer)), may);
                check_direction(method, revision, peer, cell != '-', may);
            }
        }
    }
}

fn check_direction(method: Method, revision: Revision, peer: Peer, is_there: bool, may: bool) {
    let mut session = session(4);
    let modern = revision.era() == Era::Modern;
    match modern {
        true => talk(&mut session, DISCOVERY),
        false => talk(&mut session, &handshake(revision.name(), "$client", "$server")),
    }
    let side = if peer == Peer::Client { '>' } else { '<' };
    let (id, params) = match (method.kind(), modern) {
        (CallKind::Request, true) => ("1 ", "{$meta}"),
        (CallKind::Request, false) => ("1 ", "{}"),
        (CallKind::Notification, _) => ("", "{}"),
    };
    let seen = see(&mut session, &format!("{side} {id}{} {params}", method.name()));
    let has = |rule| seen.rules().contains(&rule);
    let is_request = method.kind() == CallKind::Request;
    // These two are of the modern era, even without metadata.
    let claims = matches!(method, Method::ServerDiscover | Method::SubscriptionsListen);
    let mixed = peer == Peer::Client && !modern && claims;
    assert_eq!(has("era-mixed"), mixed, "{method:?} in {revision} by {peer:?}: {seen:?}");
    let absent = !mixed && !is_there && !claims;
    assert_eq!(has("method-not-in-revision"), absent, "{method:?} in {revision} by {peer:?}");
    let server_request = peer == Peer::Server && is_request && (modern || claims);
    let wrong = !mixed && (is_there && !may || server_request);
    assert_eq!(has("wrong-direction"), wrong, "{method:?} in {revision} by {peer:?}: {seen:?}");
    let refused = is_request && (mixed || absent || wrong);
    assert_eq!(seen.event.starts_with("refused"), refused, "{method:?} in {revision}: {seen:?}");
}

/// A call, who makes it, what was to be declared for it, and what is not enough.
const NEEDS: &[(&str, char, &str, &str)] = &[
    ("tools/list", '>', r#"{"tools":{}}"#, r#"{"tools":null,"prompts":{}}"#),
    ("tools/call", '>', r#"{"tools":{}}"#, "{}"),
    ("prompts/list", '>', r#"{"prompts":{}}"#, "{}"),
    ("prompts/get", '>', r#"{"prompts":{}}"#, "{}"),
    ("resources/list", '>', r#"{"resources":{}}"#, "{}"),
    ("resources/templates/list", '>', r#"{"resources":{}}"#, "{}"),
    ("resources/read", '>', r#"{"resources":{}}"#, "{}"),
    ("resources/subscribe", '>', r#"{"resources":{"subscribe":true}}"#, r#"{"resources":{}}"#),
    ("resources/unsubscribe", '>', r#"{"resources":{"subscribe":true}}"#, r#"{"resources":{}}"#),
    ("completion/complete", '>', r#"{"completions":{}}"#, r#"{"completion":{}}"#),
    ("logging/setLevel", '>', r#"{"l\u006fgging":{}}"#, "{}"),
    ("notifications/message", '<', r#"{"logging":{}}"#, "{}"),
    (
        "notifications/tools/list_changed",
        '<',
        r#"{"tools":{"listChanged":true}}"#,
        r#"{"tools":{"listChanged":1}}"#,
    ),
    (
        "notifications/prompts/list_changed",
        '<',
        r#"{"prompts":{"listChanged":true}}"#,
        r#"{"prompts":{}}"#,
    ),
    (
        "notifications/resources/list_changed",
        '<',
        r#"{"resources":{"listChanged":true}}"#,
        r#"{"resources":{"listChanged":false}}"#,
    ),
    (
        "notifications/resources/updated",
        '<',
        r#"{"resources":{"subscribe":true}}"#,
        r#"{"resources":{}}"#,
    ),
    ("roots/list", '<', r#"{"roots":{}}"#, "{}"),
    ("sampling/createMessage", '<', r#"{"sampling":{}}"#, "{}"),
    ("elicitation/create", '<', r#"{"elicitation":{}}"#, "{}"),
    (
        "notifications/roots/list_changed",
        '>',
        r#"{"roots":{"listChanged":true}}"#,
        r#"{"roots":{}}"#,
    ),
];

#[test]
fn what_was_not_declared_is_a_warning_up_to_2025_03_26_and_an_error_since() {
    for &(name, side, enough, too_little) in NEEDS {
        let method = Method::ALL.iter().find(|method| method.name() == name).unwrap();
        for &revision in Revision::ALL {
            let of_client = Capability::needed_for(*method, revision)
                .is_some_and(|(peer, _)| peer == Peer::Client);
            if method.use_in(revision).is_none() || of_client && revision.era() == Era::Modern {
                continue;
            }
            // The capability is younger than the method.
            let unneeded = *method == Method::CompletionComplete && revision == Revision::ALL[0];
            for (declared, is_enough) in [(enough, true), (too_little, unneeded)] {
                let seen = undeclared(side, name, revision, of_client, declared);
                assert_eq!(seen.is_none(), is_enough, "{name} in {revision} with {declared}");
                let must = revision >= Revision::V2025_06_18;
                let severity = if must { Severity::Error } else { Severity::Warning };
                assert!(seen.is_none_or(|seen| seen == severity), "{name} in {revision}");
            }
        }
    }
}

/// How bad it is that this was called with no more declared.
fn undeclared(
    side: char,
    method: &str,
    revision: Revision,
    of_client: bool,
    declared: &str,
) -> Option<Severity> {
    let mut session = session(4);
    let (params, id) = match revision.era() {
        Era::Modern => {
            talk(&mut session, "> 0 server/discover {$meta}");
            see(&mut session, &format!(r#"< 0 = {{"resultType":"x","capabilities":{declared}}}"#));
            ("{$meta}", 1)
        }
        Era::Legacy => {
            let (client, server) = if of_client { (declared, "{}") } else { ("{}", declared) };
            talk(&mut session, &handshake(revision.name(), client, server));
            ("{}", 1)
        }
    };
    let is_call = !method.starts_with("notifications/");
    let id = if is_call { format!("{id} ") } else { String::new() };
    let seen = see(&mut session, &format!("{side} {id}{method} {params}"));
    let mut found = seen.findings.iter().filter(|one| one.rule() == Rule::UndeclaredCapability);
    let severity = found.next().map(|finding| finding.severity());
    let refused = is_call && severity == Some(Severity::Error);
    assert_eq!(seen.event == "refused -32601 undeclared-capability", refused, "{seen:?}");
    severity
}

#[test]
fn what_is_declared_is_known_once_it_was_said() {
    let mut session = session(4).before_initialize(Early::Serve);
    assert_eq!(session.declared(Peer::Client), None);
    // Nothing is known of the server yet.
    talk(&mut session, "> 0 tools/list | request | request-before-initialize");
    talk(
        &mut session,
        r#"> 1 initialize {"protocolVersion":"2025-06-18","capabilities":{"roots":{}}}"#,
    );
    assert_eq!(session.declared(Peer::Client), None, "the handshake may fail yet");
    assert_eq!(session.declared(Peer::Server), None);
    talk(&mut session, r#"< 1 = {"protocolVersion":"2025-06-18"}"#);
    assert!(session.declared(Peer::Client).unwrap().has(Capability::Roots));
    assert!(!session.declared(Peer::Client).unwrap().has(Capability::Sampling));
    assert!(!session.declared(Peer::Server).unwrap().has(Capability::Tools));
}

/// The contents of `params`, `_meta` and `result` that are there twice are not believed.
#[test]
fn members_that_are_there_twice() {
    let mut session = session(9);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        r#"> 1 tools/call {"name":"a","n\u0061me":"b"} | refused -32602 duplicate-nested-member | duplicate-nested-member
        > notifications/cancelled {"requestId":1,"requestId":1} | notification | duplicate-nested-member
        > 2 tools/call {"_meta":{"progressToken":5,"progressToken":5}} | refused -32602 duplicate-nested-member | duplicate-nested-member
        < notifications/progress {"progressToken":5} | notification | progress-unknown
        < notifications/progress {"progressToken":1,"progressToken":1} | notification | duplicate-nested-member, progress-unknown
        < 1 = {"isError":true,"isError":true} | done: tools/call | duplicate-nested-member
        < 2 = {"_meta":{},"_meta":{}} | done: tools/call | duplicate-nested-member
        < 3 ping {"_meta":1} | refused -32602 meta-type | meta-type"#,
    );
}

#[test]
fn members_that_are_there_twice_in_the_result_of_a_client() {
    let mut session = session(2);
    talk(&mut session, HANDSHAKE);
    talk(
        &mut session,
        r#"< 1 roots/list
        > 1 = {"roots":[],"_meta":{},"_meta":{}} | done: roots/list | duplicate-nested-member"#,
    );
}

#[test]
fn members_that_are_there_twice_in_a_modern_session() {
    let mut session = session(9);
    talk(
        &mut session,
        r#"> 0 tools/list {"_meta":{"$version":"2026-07-28","$version":"1999-01-01","$capabilities":{}}} | refused -32602 duplicate-nested-member | duplicate-nested-member
        > 1 tools/list {$meta}
        < 1 = {"resultType":"complete","resultType":"complete"} | done: tools/list | duplicate-nested-member
        > 2 tools/list {$meta,$meta} | refused -32602 duplicate-nested-member | duplicate-nested-member"#,
    );
}

/// Opens a session, and has the conversation in it.
fn after(opening: &str, conversation: &str) -> talk::Watched {
    let mut session = session(16);
    talk(&mut session, opening);
    talk(&mut session, conversation);
    session
}

#[test]
fn subscriptions_are_acknowledged_first() {
    let of = |id| format!(r#"{{"uri":"a:b","_meta":{{"$subscription":{id}}}}}"#);
    let (a, b, other) = (of(r#""\u0061""#), of("2"), of("1"));
    let session = after(
        DISCOVERY,
        &format!(
            r#"> "a" subscriptions/listen {{$meta}}
            > 2 subscriptions/listen {{$meta}}
            > 1 tools/list {{$meta}}
            < notifications/tools/list_changed {a} | notification | subscription-unacknowledged
            < notifications/subscriptions/acknowledged {a} | notification
            < notifications/tools/list_changed {a} | notification
            < notifications/prompts/list_changed {b} | notification | subscription-unacknowledged
            < notifications/subscriptions/acknowledged {b} | notification
            < notifications/resources/list_changed {b} | notification
            < notifications/resources/updated {b} | notification
            < notifications/resources/updated {other} | notification | subscription-unknown
            < notifications/resources/updated {{}} | notification | subscription-unknown
            < notifications/subscriptions/acknowledged {other} | notification | subscription-unknown
            < notifications/message {{}} | notification
            < notifications/cancelled {{"requestId":1}} | notification | wrong-direction
            < notifications/cancelled {{"requestId":7}} | notification | cancel-unknown
            < notifications/cancelled {{"requestId":2}} | cancelled subscriptions/listen
            < "a" = $complete | done: subscriptions/listen
            < notifications/tools/list_changed {a} | notification | subscription-unknown
            > notifications/cancelled {{"requestId":1}} | cancelled tools/list"#
        ),
    );
    assert_eq!(session.in_flight().count(), 2);
    let longer = format!("\"{}\"", "x".repeat(SLOT_TEXT));
    after(
        DISCOVERY,
        &format!(
            "> {longer} subscriptions/listen {{$meta}} | request | untracked-request
            < notifications/tools/list_changed {} | notification
            < notifications/tools/list_changed {{}} | notification | subscription-unknown",
            of(&longer)
        ),
    );
}

#[test]
fn kinds_of_results() {
    let ask = "> 1 tools/call {$meta}\n> 2 prompts/get {$meta}\n> 3 resources/read {$meta}
        > 4 tools/list {$meta}\n> 5 vendor/method {$meta} | request | unknown-method";
    let in_modern = |rest: &str| after(DISCOVERY, &format!("{ask}\n{rest}"));
    in_modern(
        r#"< 1 = {"resultType":"input_required"} | input required: tools/call
        < 2 = {"resultType":"input_\u0072equired"} | input required: prompts/get
        < 3 = {"resultType":"input_required"} | input required: resources/read
        < 4 = {"resultType":"input_required"} | input required: tools/list | input-required-unexpected
        < 5 = {"resultType":"input_required"} | input required: ?"#,
    );
    in_modern(
        r#"< 1 = {"resultType":"complete","isError":true} | tool failed: tools/call
        < 2 = {"resultType":"complete","isError":true} | done: prompts/get
        < 3 = {"isError":true} | done: resources/read | missing-result-type
        < 4 = {"resultType":"task"} | done: tools/list | unknown-result-type
        < 5 = {"resultType":5} | done: ? | meta-type"#,
    );
    in_modern(
        r#"< 1 = {"resultType":"complete","isError":"true"} | done: tools/call
        < 2 ! -32602 | failed -32602: prompts/get"#,
    );
    after(
        HANDSHAKE,
        r#"> 1 tools/call {}
        > 2 tools/list {}
        > 3 tools/call {}
        < 1 = {"resultType":"input_required","isError":true} | tool failed: tools/call
        < 2 = {"resultType":7} | done: tools/list
        < 3 = {"isError":false} | done: tools/call"#,
    );
}
