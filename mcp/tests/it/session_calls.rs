//! The rules for a call in a session: its direction, the capabilities declared for it, its duplicate members, the
//! kind of its result, and the subscription it belongs to.

use tautline::Severity;
use tautline_mcp::session::{Capability, Early, Phase, SLOT_TEXT};
use tautline_mcp::{CallKind, Era, KnownMethod, Revision, Role, rule};

use crate::support::talk::{self, DISCOVERY, HANDSHAKE, after, handshake, see, session, talk};

/// The permitted callers of each method, revision by revision: the client, the server, both, or neither.
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
    assert_eq!(words.len(), 2 * KnownMethod::ALL.len());
    for &method in KnownMethod::ALL {
        let row = words.chunks(2).find(|row| row[0] == method.name()).unwrap();
        for (&revision, cell) in Revision::ALL.iter().zip(row[1].chars()) {
            for peer in [Role::Client, Role::Server] {
                let may = cell == 'b' || cell == if peer == Role::Client { 'c' } else { 's' };
                assert_eq!(method.use_in(revision).is_some(), cell != '-', "{method:?}");
                assert_eq!(method.use_in(revision).is_some_and(|u| u.is_for(peer)), may);
                check_direction(method, revision, peer, cell != '-', may);
            }
        }
    }
}

fn check_direction(method: KnownMethod, revision: Revision, peer: Role, is_there: bool, may: bool) {
    let mut session = session(4);
    let modern = revision.era() == Era::Modern;
    match modern {
        true => talk(&mut session, DISCOVERY),
        false => talk(&mut session, &handshake(revision.name(), "$client", "$server")),
    }
    let side = if peer == Role::Client { '>' } else { '<' };
    let (id, params) = match (method.kind(), modern) {
        (CallKind::Request, true) => ("1 ", "{$meta}"),
        (CallKind::Request, false) => ("1 ", "{}"),
        (CallKind::Notification, _) => ("", "{}"),
    };
    let seen = see(&mut session, &format!("{side} {id}{} {params}", method.name()));
    let has = |rule| seen.rules().contains(&rule);
    let is_request = method.kind() == CallKind::Request;
    if is_request && modern && peer == Role::Server {
        // The client must not respond, whatever the method is.
        assert_eq!(seen.event, "ignored: wrong-direction", "{method:?}");
        assert_eq!(seen.rules(), ["wrong-direction"], "{method:?}");
        return;
    }
    // These two are of the modern era, even without metadata.
    let claims = matches!(method, KnownMethod::ServerDiscover | KnownMethod::SubscriptionsListen);
    let mixed = peer == Role::Client && !modern && claims;
    for rule in ["era-mixed", "missing-meta"] {
        assert_eq!(has(rule), mixed, "{rule}: {method:?} in {revision} by {peer:?}: {seen:?}");
    }
    let absent = !is_there && !mixed;
    assert_eq!(has("method-not-in-revision"), absent, "{method:?} in {revision} by {peer:?}");
    let wrong = is_there && !may;
    assert_eq!(has("wrong-direction"), wrong, "{method:?} in {revision} by {peer:?}: {seen:?}");
    let refused = is_request && (mixed || absent || wrong);
    assert_eq!(seen.event.starts_with("refused"), refused, "{method:?} in {revision}: {seen:?}");
}

/// A call, its sender, the capability that it requires, and one that is not enough.
const NEEDS: &[(&str, char, &str, &str)] = &[
    ("tools/list", '>', r#"{"tools":{}}"#, r#"{"tools":null,"prompts":{}}"#),
    ("tools/call", '>', r#"{"tools":{}}"#, "{}"),
    ("tools/call", '>', r#"{"tools":{}}"#, r#"{"tools":false}"#),
    ("tools/call", '>', r#"{"tools":{}}"#, r#"{"tools":true}"#),
    ("tools/call", '>', r#"{"tools":{}}"#, r#"{"tools":[]}"#),
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
    ("tasks/get", '>', r#"{"tasks":{}}"#, r#"{"tasks":false}"#),
    ("tasks/get", '<', r#"{"tasks":{}}"#, "{}"),
    ("tasks/result", '>', r#"{"tasks":{}}"#, "{}"),
    ("tasks/result", '<', r#"{"tasks":{}}"#, "{}"),
    ("tasks/list", '>', r#"{"tasks":{"list":{}}}"#, r#"{"tasks":{"cancel":{}}}"#),
    ("tasks/list", '<', r#"{"tasks":{"list":{}}}"#, r#"{"tasks":{}}"#),
    ("tasks/cancel", '>', r#"{"tasks":{"cancel":{}}}"#, r#"{"tasks":{"list":{}},"cancel":{}}"#),
    ("tasks/cancel", '<', r#"{"tasks":{"cancel":{}}}"#, r#"{"tasks":{"cancel":true}}"#),
    ("notifications/tasks/status", '<', r#"{"tasks":{}}"#, "{}"),
    ("notifications/tasks/status", '>', r#"{"tasks":{}}"#, "{}"),
    (
        "notifications/elicitation/complete",
        '<',
        r#"{"elicitation":{"url":{}}}"#,
        r#"{"elicitation":{"form":{}}}"#,
    ),
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
        let method = KnownMethod::ALL.iter().find(|method| method.name() == name).unwrap();
        for &revision in Revision::ALL {
            let from = if side == '>' { Role::Client } else { Role::Server };
            let of_client = Capability::needed_for(*method, revision, from)
                .is_some_and(|(peer, _)| peer == Role::Client);
            let is_extension = method.use_in(revision).is_none_or(|method| method.is_extension());
            if is_extension || of_client && revision.era() == Era::Modern {
                continue;
            }
            // The capability is younger than the method.
            let unneeded =
                *method == KnownMethod::CompletionComplete && revision == Revision::ALL[0];
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

/// Returns the severity of a call with only this declared.
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
            see(
                &mut session,
                &format!(r#"< 0 = {{"resultType":"complete","capabilities":{declared}}}"#),
            );
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
    let mut found = seen.findings.iter().filter(|one| one.rule() == rule::UNDECLARED_CAPABILITY);
    let severity = found.next().map(|finding| finding.severity());
    let refused = is_call && severity == Some(Severity::Error);
    assert_eq!(seen.event == "refused -32601 undeclared-capability", refused, "{seen:?}");
    severity
}

#[test]
fn what_is_declared_is_known_once_it_was_said() {
    let mut session = session(4).before_initialize(Early::Serve);
    assert_eq!(session.declared(Role::Client), None);
    // Nothing is known of the server yet.
    talk(&mut session, "> 0 tools/list | request | request-before-initialize");
    talk(
        &mut session,
        r#"> 1 initialize {"protocolVersion":"2025-06-18","capabilities":{"roots":{}}}"#,
    );
    assert_eq!(session.declared(Role::Client), None, "the handshake may fail yet");
    assert_eq!(session.declared(Role::Server), None);
    talk(&mut session, r#"< 1 = {"protocolVersion":"2025-06-18","capabilities":{}}"#);
    assert!(session.declared(Role::Client).unwrap().has(Capability::Roots));
    assert!(!session.declared(Role::Client).unwrap().has(Capability::Sampling));
    assert!(!session.declared(Role::Server).unwrap().has(Capability::Tools));
}

/// A member that is missing or no object is an error of its own.
#[test]
fn what_is_declared_is_unknown_without_an_object() {
    for (capabilities, found) in [
        ("", ""),
        (r#","capabilities":null"#, " | done: initialize | meta-type"),
        (r#","capabilities":["tools"]"#, " | done: initialize | meta-type"),
    ] {
        let mut session = session(4);
        talk(&mut session, r#"> 1 initialize {"protocolVersion":"2025-06-18"}"#);
        let result = format!(r#"{{"protocolVersion":"2025-06-18"{capabilities}}}"#);
        talk(&mut session, &format!("< 1 = {result}{found}"));
        assert_eq!(session.declared(Role::Client), None, "{capabilities}");
        assert_eq!(session.declared(Role::Server), None, "{capabilities}");
    }
}

/// Duplicate members of `params`, `_meta` and `result` are not trusted.
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
        < notifications/progress {"progressToken":1,"progressToken":1} | notification | duplicate-nested-member
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
        < 1 = {"resultType":"complete","resultType":"complete"} | invalid: tools/list | duplicate-nested-member
        > 2 tools/list {$meta,$meta} | refused -32602 duplicate-nested-member | duplicate-nested-member"#,
    );
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
            < notifications/resources/updated {b} | notification | subscription-unknown
            < notifications/subscriptions/acknowledged {b} | notification | subscription-unknown
            < 2 = $complete | done: subscriptions/listen
            > notifications/cancelled {{"requestId":1}} | cancelled tools/list"#
        ),
    );
    assert_eq!(session.in_flight().count(), 1);
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

/// Patterns, cancellation and graceful closure: a server that ends a subscription does both, in either order. The
/// server is not to blame for a message that crosses a cancellation by the client.
#[test]
fn a_server_ends_a_subscription_with_a_cancellation_and_an_answer() {
    let open = r#"> 1 subscriptions/listen {$meta}
        < notifications/subscriptions/acknowledged {"_meta":{"$subscription":1}}"#;
    let changed =
        r#"< notifications/tools/list_changed {"_meta":{"$subscription":1}} | notification"#;
    let cancelled = r#"notifications/cancelled {"requestId":1} |"#;
    let answered = "< 1 = $complete |";
    after(
        DISCOVERY,
        &format!(
            "{open}
            < {cancelled} cancelled subscriptions/listen
            {answered} done: subscriptions/listen
            {changed} | subscription-unknown"
        ),
    );
    after(
        DISCOVERY,
        &format!(
            "{open}
            {answered} done: subscriptions/listen
            < {cancelled} notification
            < notifications/cancelled {{\"requestId\":0}} | notification | cancel-unknown"
        ),
    );
    after(
        DISCOVERY,
        &format!(
            "{open}
            > {cancelled} cancelled subscriptions/listen
            {changed}
            {answered} late done: subscriptions/listen | response-late"
        ),
    );
}

/// A request that asks for a task is served, declared or not: a peer without tasks must ignore `task`.
#[test]
fn tasks_are_declared_for_each_method() {
    let calls = [
        ('>', "tools/call", r#"{"tools":{"call":{}}}"#),
        ('<', "sampling/createMessage", r#"{"sampling":{"createMessage":{}}}"#),
        ('<', "elicitation/create", r#"{"elicitation":{"create":{}}}"#),
    ];
    for (at, (side, method, enough)) in calls.into_iter().enumerate() {
        let (_, _, other) = calls[(at + 1) % 3];
        for (version, requests, is_enough) in [
            ("2025-11-25", enough, true),
            ("2025-11-25", other, false),
            ("2025-11-25", "{}", false),
            // There, `task` has no meaning.
            ("2025-06-18", "{}", true),
        ] {
            let declared = format!(
                r#"{{"tools":{{}},"sampling":{{}},"elicitation":{{}},"tasks":{{"requests":{requests}}}}}"#
            );
            let mut session = session(4);
            talk(&mut session, &handshake(version, &declared, &declared));
            let seen = see(&mut session, &format!(r#"{side} 1 {method} {{"task":{{"ttl":1}}}}"#));
            assert_eq!(seen.event, "request", "{method}");
            let expected: &[&str] = if is_enough { &[] } else { &["undeclared-task"] };
            assert_eq!(seen.rules(), expected, "{method} with {requests}");
            let plain = see(&mut session, &format!(r#"{side} 2 {method} {{"task":null}}"#));
            assert!(plain.findings.is_empty(), "{plain:?}");
        }
    }
}

/// 2025-11-25, utilities, progress: the token is valid until the task ends.
#[test]
fn a_task_makes_progress_after_its_request_was_answered() {
    let task = r#"{"task":{"taskId":"t","status":"working"}}"#;
    let open = handshake(
        "2025-11-25",
        "$client",
        r#"{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#,
    );
    let call = r#"> 1 tools/call {"task":{},"_meta":{"progressToken":"p"}}"#;
    let progress = r#"< notifications/progress {"progressToken":"p"} | notification"#;
    let started = format!("{call}\n< 1 = {task} | done: tools/call\n{progress}");
    after(
        &open,
        &format!(
            "{started}
            < 1 = {task} | unmatched | response-duplicate
            > 1 tools/call {{}} | request | id-reused"
        ),
    );
    // A result without a task ends it, also if tasks are not supported.
    after(&open, &format!("{call}\n< 1 = {{}}\n{progress} | progress-unknown"));
    let earlier = handshake("2025-06-18", "$client", "$server");
    after(&earlier, &format!("{call}\n< 1 = {task}\n{progress} | progress-unknown"));
    // A token forgotten for lack of slots is not reported as unknown.
    let mut session = session(2);
    talk(&mut session, &open);
    talk(&mut session, &started);
    talk(&mut session, &format!("> 2 tools/list\n> 3 tools/list\n{progress}"));
}

/// The answers that declare the server's properties.
#[test]
fn declarations_of_a_wrong_type() {
    for (opening, answer) in [
        ("> 0 initialize $initialize", r#"{"protocolVersion":"2025-06-18","capabilities":[]}"#),
        ("> 0 initialize $initialize", r#"{"protocolVersion":"2025-06-18","serverInfo":1}"#),
        ("> 0 initialize $initialize", r#"{"protocolVersion":7,"capabilities":{}}"#),
        ("> 0 server/discover {$meta}", r#"{"resultType":"complete","capabilities":[]}"#),
    ] {
        let mut session = session(4);
        talk(&mut session, opening);
        let seen = see(&mut session, &format!("< 0 = {answer}"));
        assert_eq!(seen.rules(), ["meta-type"], "{answer}");
    }
    let mut session = session(4);
    talk(
        &mut session,
        r#"> 0 initialize {"protocolVersion":"2025-06-18","capabilities":[]} | refused -32602 meta-type | meta-type"#,
    );
    assert_eq!(session.phase(), Phase::Opening);
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
        < 4 = {"resultType":"vendor","isError":true} | invalid: tools/list | unknown-result-type
        < 5 = {"resultType":5} | invalid: ? | meta-type"#,
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
        > 4 tools/call {}
        < 4 = {"resultType":"vendor"} | done: tools/call
        < 1 = {"resultType":"input_required","isError":true} | tool failed: tools/call
        < 2 = {"resultType":7} | done: tools/list
        < 3 = {"isError":false} | done: tools/call"#,
    );
}

/// A kind is reported at its own position.
#[test]
fn a_kind_of_result_is_reported_where_it_stands() {
    for kind in [r#""task""#, r#""vendor""#] {
        let mut session = after(DISCOVERY, "> 1 tools/call {$meta}");
        let seen = see(&mut session, &format!(r#"< 1 = {{"a":1,"resultType":{kind}}}"#));
        let at =
            talk::frame(&format!(r#"< 1 = {{"a":1,"resultType":{kind}}}"#)).1.find(kind).unwrap();
        let offsets: Vec<_> =
            seen.findings.iter().map(|finding| finding.offset().unwrap()).collect();
        assert_eq!(offsets, [u32::try_from(at).unwrap()], "{kind}");
    }
}

/// Extension for tasks, capability negotiation: the request declares it, for `tools/call` only.
#[test]
fn a_task_answers_a_call_whose_client_takes_one() {
    let with = |extensions: &str| {
        format!(r#"{{"_meta":{{"$version":"2026-07-28","$capabilities":{{{extensions}}}}}}}"#)
    };
    let declared = with(r#""extensions":{"io.modelcontextprotocol/tasks":{}}"#);
    let created = "task created: tools/call";
    let invalid = "invalid: tools/call | unknown-result-type";
    for (method, params, expected) in [
        ("tools/call", &declared, created),
        ("vendor/method", &declared, "task created: ?"),
        ("prompts/get", &declared, "invalid: prompts/get | unknown-result-type"),
        ("tools/call", &with(""), invalid),
        ("tools/call", &with(r#""extensions":{"io.modelcontextprotocol/ui":{}}"#), invalid),
        ("tools/call", &with(r#""extensions":{"io.modelcontextprotocol/tasks":null}"#), invalid),
        ("tools/call", &with(r#""tasks":{}"#), invalid),
    ] {
        let mut session = session(4);
        talk(&mut session, DISCOVERY);
        see(&mut session, &format!("> 1 {method} {params}"));
        talk(
            &mut session,
            &format!(r#"< 1 = {{"resultType":"task","isError":true}} | {expected}"#),
        );
        // The slot is reused, without its old contents.
        see(&mut session, "> 1 tools/call {$meta}");
        talk(&mut session, &format!(r#"< 1 = {{"resultType":"task"}} | {invalid}"#));
    }
    let legacy = r#"> 1 tools/call {"task":{}}
        < 1 = {"task":{},"resultType":"task"} | done: tools/call"#;
    after(HANDSHAKE, legacy);
}

/// `server/discover` is optional: the acknowledgement shows that the server is modern.
#[test]
fn a_subscription_may_open_the_session() {
    let mut session = session(4);
    talk(
        &mut session,
        r#"> "s" subscriptions/listen {$meta} | request
        < notifications/tools/list_changed {"_meta":{"$subscription":"s"}} | notification | subscription-unacknowledged
        < notifications/subscriptions/acknowledged {"_meta":{"$subscription":"s"}} | notification
        < notifications/tools/list_changed {"_meta":{"$subscription":"s"}} | notification
        < notifications/resources/updated {"uri":"a:b","_meta":{"$subscription":"s"}} | notification
        < notifications/tasks {"taskId":"t","_meta":{"$subscription":"s"}} | notification
        < notifications/tools/list_changed | notification | subscription-unknown
        < 1 ping | ignored: wrong-direction | wrong-direction
        < "s" = $complete | done: subscriptions/listen"#,
    );
    assert_eq!(session.phase(), Phase::Modern);
    assert_eq!(session.revision(), Some(Revision::V2026_07_28));
}
