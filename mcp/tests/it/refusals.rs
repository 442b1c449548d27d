//! The errors that answer requests that a session refuses.

use tautline::Message;
use tautline::encode::{Encoder, object};
use tautline::endpoint::{Endpoint, Method};
use tautline_mcp::session::{Early, Event, Session, Slot};
use tautline_mcp::{Revision, Role, rule};

fn line(
    write: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, tautline::encode::EncodeError>,
) -> String {
    let mut encoder = Encoder::new(Vec::new());
    write(&mut encoder).unwrap();
    String::from_utf8(encoder.output().clone()).unwrap()
}

#[test]
fn a_refusal_is_answered_without_an_endpoint() {
    let profile = Revision::LATEST.profile();
    let supported = &[Revision::V2025_11_25, Revision::V2026_07_28];
    let mut session = Session::new([Slot::EMPTY; 4]).supporting(supported);
    for (method, version, expected) in [
        (
            "tools/list",
            "2027-01-01",
            r#""code":-32022,"message":"the revision is not supported","data":{"supported":["2025-11-25","2026-07-28"],"requested":"2027-01-01"}"#,
        ),
        ("roots/list", "2026-07-28", r#""code":-32601,"message":""#),
    ] {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        let message = Message::parse(frame.as_bytes(), &profile).unwrap();
        let Event::Refused(refusal) = session.observe(Role::Client, &message, |_| {}) else {
            panic!("{frame}")
        };
        let reply = line(|to| to.error(1, refusal.error(session.supported())));
        let summary = rule::summary(refusal.rule());
        let start = r#"{"jsonrpc":"2.0","id":1,"error":{"#;
        let expected = expected.replace("the revision is not supported", summary);
        assert!(reply.starts_with(&format!("{start}{expected}")), "{reply}");
        let batch = line(|to| to.batch(|batch| batch.error(1, refusal.error(supported))));
        assert_eq!(batch, format!("[{}]\n", reply.trim_end()));
    }
}

/// The refused requests, with the rule, the path and the text at the offset.
const PLACES: &[(&str, &str, &str, &str)] = &[
    (r#""method":"initialize""#, "missing-params", "params", r#""initialize""#),
    (r#""method":"roots/list""#, "wrong-direction", "method", r#""roots/list""#),
    (r#""params":{},"method":"tools/list""#, "request-before-initialize", "method", r#""tools/"#),
    (
        r#""method":"ping","params":{"_meta":{"progressToken":[3]}}"#,
        "meta-type",
        "params._meta.progressToken",
        "[3]",
    ),
    (
        r#""method":"initialize","params":{"clientInfo":{},"clientInfo":{}}"#,
        "duplicate-nested-member",
        "params.clientInfo",
        r#""clientInfo":{}}"#,
    ),
    (
        r#""method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
        "missing-meta",
        "params._meta",
        r#"{"io.model"#,
    ),
    (
        r#""method":"server/discover","params":{"a":1}"#,
        "missing-meta",
        "params._meta",
        r#"{"a":1}"#,
    ),
];

#[test]
fn an_explaining_endpoint_says_where() {
    type Server = Session<[Slot; 4]>;
    let methods: &[Method<Server>] =
        &[Method::new("ping", |_, _, responder| Ok(responder.result(object(|_| {}))))];
    let profile = Revision::LATEST.profile();
    let endpoint = Endpoint::new(methods, &profile)
        .guarded_by(|session, received, responder| {
            session.explaining_guard(Role::Client, received, responder, |_| {})
        })
        .explaining();
    for (members, rule, path, part) in PLACES {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,{members}}}"#);
        let mut session = Session::new([Slot::EMPTY; 4]);
        if *rule == "wrong-direction" {
            session = session.before_initialize(Early::Serve);
        }
        let mut room = [0; 512];
        let reply = endpoint.answer(frame.as_bytes(), &mut session, &mut room).unwrap();
        let reply = str::from_utf8(reply.bytes()).unwrap();
        let offset = frame.rfind(part).unwrap();
        let data = format!(r#""data":{{"rule":"{rule}","path":"{path}","offset":{offset}}}}}}}"#);
        assert!(reply.trim_end().ends_with(&data), "{frame}: {reply} {data}");
    }
}

/// The findings for which a request is refused, whatever the session: without the versions and the lifecycle.
#[test]
fn the_first_finding_that_refuses_a_request_is_its_refusal() {
    for (members, rule, _, part) in PLACES {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,{members}}}"#);
        let revision = match *rule {
            "missing-meta" => Revision::V2026_07_28,
            _ => Revision::V2025_11_25,
        };
        let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
        let refusal = revision.refusal(&message);
        if matches!(*rule, "wrong-direction" | "request-before-initialize") {
            assert_eq!(refusal, None, "{frame}");
            continue;
        }
        let (code, finding) = refusal.unwrap();
        assert_eq!(code.value(), -32602, "{frame}");
        assert_eq!(rule::name(finding.rule()), *rule, "{frame}");
        assert_eq!(finding.offset(), u32::try_from(frame.rfind(part).unwrap()).ok(), "{frame}");
        let mut findings = Vec::new();
        revision.findings(&message, |finding| findings.push(finding));
        assert!(findings.contains(&finding), "{frame}: {findings:?}");
    }
    let refusal = |revision: Revision, frame: &str| {
        let message = Message::parse(frame.as_bytes(), &revision.profile()).unwrap();
        revision.refusal(&message).map(|(code, finding)| (code.value(), rule::name(finding.rule())))
    };
    let legacy = Revision::V2025_03_26;
    let note = r#"{"jsonrpc":"2.0","method":"tools/list"}"#;
    assert_eq!(refusal(legacy, note), Some((-32601, "method-kind")));
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":7}}"#;
    assert_eq!(refusal(legacy, response), None);
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]"#;
    assert_eq!(refusal(legacy, batch), None);
    assert_eq!(refusal(legacy, r#"{"jsonrpc":"2.0","id":1,"method":"vendor/x"}"#), None);
}
