//! The code for MCP and its sessions does not use the heap either, whatever is found.

use std::fmt::{self, Write};
use std::hint::black_box;

use tautline::encode::Slice;
use tautline::{Message, RawJson, RawStr, Rule};
use tautline_mcp::http::{self, Server};
use tautline_mcp::session::{Event, Session, Slot};
use tautline_mcp::{Finding, KnownMethod, MetaView, ParamsView, ResultView, Revision, Role, rule};

use crate::support::allocator::{Heap, measure};

/// Lines of a legacy session, each after the side that sends it.
const LEGACY: &[&str] = &[
    r#"C {"jsonrpc":"2.0","id":0,"method":"tools/list"}"#,
    r#"C [{"jsonrpc":"2.0","id":"b","method":"initialize","params":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
    r#"C {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{}}}"#,
    r#"C {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"S {"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"no"}}"#,
    r#"S {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{}}}"#,
    r#"C {"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"C {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"C {"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"C {"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}"#,
    r#"C {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\u0061","name":"b","_meta":{"progressToken":"t"}}}"#,
    r#"C {"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"_meta":{"progressToken":"t","progressToken":1}}}"#,
    r#"C {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"t"}}}"#,
    r#"C {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a","task":{}}}"#,
    r#"C {"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientInfo":1}}}"#,
    r#"C {"jsonrpc":"2.0","id":7,"method":"prompts/list"}"#,
    r#"C {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
    r#"S {"jsonrpc":"2.0","id":"a","method":"tools/list"}"#,
    r#"S {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"u","progress":1}}"#,
    r#"S {"jsonrpc":"2.0","method":"notifications/progress"}"#,
    r#"S {"jsonrpc":"2.0","id":4,"result":{"content":[],"isError":true}}"#,
    r#"S {"jsonrpc":"2.0","id":"4","result":{"content":[],"isError":true,"isError":true}}"#,
    r#"C {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
    r#"S {"jsonrpc":"2.0","id":5,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{}}}}"#,
    r#"S {"jsonrpc":"2.0","id":5,"result":{}}"#,
    r#"C {"jsonrpc":"2.0","id":"nobody's","result":{}}"#,
    r#"C {"jsonrpc":"2.0","id":5,"method":"notifications/initialized"}"#,
    r#"C {"jsonrpc":"2.0","id":"an id that is longer than any of the slots of a session has room for","method":"vendor/x"}"#,
];

/// Lines of a modern one.
const MODERN: &[&str] = &[
    r#"C {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"S {"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"no"}}"#,
    r#"C {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"S {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}"#,
    r#"C {"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}"#,
    r#"C {"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"S {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#,
    r#"S {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"r"}}}"#,
    r#"S {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#,
    r#"C {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"S {"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required"}}"#,
    r#"C {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{}}"#,
    r#"S {"jsonrpc":"2.0","id":4,"result":{"resultType":"partial"}}"#,
    r#"C {"jsonrpc":"2.0","id":5,"method":"tools/call"}"#,
    r#"S {"jsonrpc":"2.0","id":5,"result":{}}"#,
    r#"C {"jsonrpc":"2.0","id":6,"method":"tools/call"}"#,
    r#"S {"jsonrpc":"2.0","id":6,"error":{"code":-32042,"message":"no"}}"#,
];

/// Lines with values that no schema allows.
const PAYLOADS: &[&str] = &[
    r#"C {"jsonrpc":"2.0","id":20,"method":"logging/setLevel","params":{"level":"loud"}}"#,
    r#"C {"jsonrpc":"2.0","id":21,"method":"resources/read","params":{"uri":"a b"}}"#,
    r#"C {"jsonrpc":"2.0","id":22,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"{"},"argument":{"name":"n","value":"v"}}}"#,
    r#"S {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"image","data":"?","mimeType":"m"}}],"modelPreferences":{"speedPriority":2}}}"#,
    r#"S {"jsonrpc":"2.0","id":"t","method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"assistant","content":{"type":"tool_use","id":"u","name":"n","input":{}}}]}}"#,
    r#"C {"jsonrpc":"2.0","id":23,"method":"tools/list","params":{"_meta":{"-":1,"a.mcp/b":1}}}"#,
    r#"S {"jsonrpc":"2.0","id":23,"result":{"tools":[{"name":"","inputSchema":{"type":"object"},"icons":[{"src":"a:b"}]}]}}"#,
    r#"C {"jsonrpc":"2.0","id":26,"method":"tools/list"}"#,
    r#"S {"jsonrpc":"2.0","id":26,"result":{"tools":[{"name":"n","inputSchema":{"type":"object","x-mcp-header":"H"}}]}}"#,
    r#"S {"jsonrpc":"2.0","id":"u","method":"roots/list"}"#,
    r#"C {"jsonrpc":"2.0","id":"u","result":{"roots":[{"uri":"a:b"}]}}"#,
    r#"C {"jsonrpc":"2.0","id":24,"method":"resources/list"}"#,
    r#"S {"jsonrpc":"2.0","id":24,"result":{"resources":[{"name":"n","uri":"a:b","annotations":{"lastModified":""}}]}}"#,
    r#"C {"jsonrpc":"2.0","id":27,"method":"tools/list","params":{"_meta":{"traceparent":"","baggage":"","io.modelcontextprotocol/clientCapabilities":{"extensions":{"e":{}}}}}}"#,
    r#"S {"jsonrpc":"2.0","id":27,"result":{"tools":[{"name":"n","inputSchema":{"type":"object","$schema":"s"}}]}}"#,
    r#"C {"jsonrpc":"2.0","id":28,"method":"ping"}"#,
    r#"S {"jsonrpc":"2.0","id":28,"result":{"pong":1}}"#,
    r#"C {"jsonrpc":"2.0","id":29,"method":"prompts/get","params":{"name":"p"}}"#,
    r#"S {"jsonrpc":"2.0","id":29,"result":{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":"t"}}}]}}"#,
    r#"S {"jsonrpc":"2.0","id":"v","method":"sampling/createMessage","params":{"maxTokens":1,"messages":[],"includeContext":"allServers"}}"#,
    r#"S {"jsonrpc":"2.0","id":"w","method":"elicitation/create","params":{"mode":"url","message":"m","elicitationId":"e","url":"http://a"}}"#,
    r#"S {"jsonrpc":"2.0","id":"x","method":"elicitation/create","params":{"message":"http://a","requestedSchema":{"type":"object","properties":{}}}}"#,
    r#"C {"jsonrpc":"2.0","id":30,"method":"tasks/get","params":{"taskId":"f"}}"#,
    r#"S {"jsonrpc":"2.0","id":30,"result":{"taskId":"f","status":"failed","ttl":null,"createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:30:00Z"}}"#,
    r#"C {"jsonrpc":"2.0","id":25,"method":"tasks/get","params":{"taskId":"t"}}"#,
    r#"S {"jsonrpc":"2.0","id":25,"result":{"taskId":"t","status":"working","ttl":null,"createdAt":"","lastUpdatedAt":""}}"#,
];

/// Requests over HTTP: the method, the headers, and after an empty line the body.
const REQUESTS: &[&str] = &[
    "PUT\nHost: a b\nOrigin: x\nContent-Type: text/plain\nAccept: text/plain",
    "POST\n\n{",
    "POST\nMcp-Method: x\nMcp-Method: y\nMcp-Name: \u{7f}\nMCP-Protocol-Version: 2026-07-28\nMcp-Param-A: b\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"n\"}}",
    "POST\nMcp-Method: tools/list\nMcp-Name: =?base64?a?=\nMCP-Protocol-Version: 2026-07-28\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"n\",\"arguments\":{\"a\":\"=\"}}}",
    "POST\nMcp-Method: tools/call\nMcp-Name: =?base64?bg==?=\nMcp-Param-A: 9007199254740993\nMCP-Protocol-Version: 2026-07-28\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"n\",\"arguments\":{\"a\":9007199254740993}}}",
    "POST\nMcp-Method: vendor/x\nMCP-Protocol-Version: 2026-07-28\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"vendor/x\"}",
    "POST\nMCP-Protocol-Version: 2099-01-01\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    "POST\nMCP-Protocol-Version: 2025-11-25\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    "POST\nMCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: a b\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    "POST\nMCP-Protocol-Version: 2025-06-18\nMcp-Session-Id: gone\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    "GET\nHost: localhost\nAccept: */*\nMCP-Protocol-Version: 2025-06-18\nMcp-Session-Id: open\nLast-Event-ID: 1",
];

/// Responses over HTTP to a request with the id 1: the status, the headers, and after empty lines the messages.
const RESPONSES: &[&str] = &[
    "201\nContent-Type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}",
    "200\nContent-Type: text/html",
    "200\nContent-Type: text/event-stream\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
];

/// A server with one tool, whose argument `a` is repeated, and with one session.
struct OneTool;

impl Server for OneTool {
    fn session(&self, id: &[u8]) -> http::Session {
        match id {
            b"open" => http::Session::Open(Revision::V2025_11_25),
            _ => http::Session::Unknown,
        }
    }

    fn has_method(&self, _: RawStr<'_>) -> Option<bool> {
        Some(false)
    }

    fn parameters(&self, _: RawStr<'_>, visit: &mut dyn FnMut(&http::Parameter<'_>)) -> http::Tool {
        let schema = br#"{"properties":{"a":{"x-mcp-header":"A"}}}"#;
        http::parameters_of(RawJson::parse(schema).unwrap(), visit);
        http::Tool::Known
    }
}

/// For each rule, true if something has broken it.
type Broken = [bool; PROFILE];

/// The number of rules in all tables.
const PROFILE: usize =
    tautline::rule::ALL.len() + tautline_mcp::cause::rule::ALL.len() + rule::ALL.len();

/// A sink that discards text.
struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        black_box(text);
        Ok(())
    }
}

fn note(finding: Finding, broken: &mut Broken) {
    write!(Nowhere, "{finding} {finding:?} {}", rule::help(finding.rule())).unwrap();
    let at = rule::all().position(|rule| rule == finding.rule());
    broken[at.unwrap()] = true;
}

fn note_http(finding: http::Finding, broken: &mut Broken) {
    write!(Nowhere, "{finding} {finding:?} {}", rule::help(finding.rule())).unwrap();
    let at = rule::all().position(|rule| rule == finding.rule());
    broken[at.unwrap()] = true;
}

/// Judges requests and responses over HTTP.
fn run_http(broken: &mut Broken) {
    fn split(text: &str) -> (&str, &str) {
        text.split_once("\n\n").unwrap_or((text, ""))
    }
    fn lines(head: &str) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        let lines = head.lines().skip(1).map(|line| line.split_once(": ").unwrap());
        lines.map(|(name, value)| (name.as_bytes(), value.as_bytes()))
    }
    let supported = [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];
    let policy = http::Policy::new(&supported, http::Allowed::Loopback, http::Allowed::Loopback)
        .with_sessions(http::Sessions::Required)
        .with_streams();
    for text in REQUESTS {
        let (head, body) = split(text);
        let method = head.lines().next().unwrap().as_bytes();
        let head = policy.head(method, lines(head), &OneTool, |finding| note_http(finding, broken));
        write!(Nowhere, "{head:?} {:?}", head.verdict(|finding| note_http(finding, broken)))
            .unwrap();
        let message = Message::parse(body.as_bytes(), &head.profile());
        let verdict = head.judge(&OneTool, message, |finding| note_http(finding, broken));
        write!(Nowhere, "{verdict:?}").unwrap();
        if let http::Verdict::Refused(refusal) = verdict {
            let mut room = [0; 512];
            black_box(refusal.write(Slice::new(&mut room)).unwrap());
        }
    }
    let request = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let note = br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    for text in RESPONSES {
        let (head, messages) = split(text);
        let status = head.lines().next().unwrap().parse().unwrap();
        for sent in [&request[..], note] {
            let sent = Message::parse(sent, &Revision::V2026_07_28.profile()).unwrap();
            let mut exchange = http::Exchange::post(Revision::V2026_07_28, sent);
            black_box(exchange.head(status, lines(head), |finding| note_http(finding, broken)));
            for message in messages.split("\n\n") {
                let message = Message::parse(message.as_bytes(), &exchange.profile());
                black_box(exchange.message(message, |finding| note_http(finding, broken)));
            }
            exchange.end(|finding| note_http(finding, broken));
        }
    }
}

/// Calls every accessor of each view.
fn visit(value: RawJson<'_>) {
    if let Some(view) = ParamsView::of(value) {
        write!(Nowhere, "{view:?}").unwrap();
        black_box((view.name(), view.uri(), view.request_id(), view.protocol_version()));
        black_box((view.capabilities(), view.progress_token(), view.repeated()));
        black_box(view.meta());
    }
    if let Some(view) = MetaView::of(value) {
        write!(Nowhere, "{view:?}").unwrap();
        black_box((view.protocol_version(), view.client_capabilities(), view.client_info()));
        black_box((view.log_level(), view.progress_token(), view.subscription_id()));
        black_box((view.server_info(), view.repeated()));
    }
    if let Some(view) = ResultView::of(value) {
        write!(Nowhere, "{view:?}").unwrap();
        black_box((view.result_type(), view.is_error(), view.protocol_version()));
        black_box((view.capabilities(), view.meta(), view.repeated()));
    }
    if let Some(method) = value.string().and_then(KnownMethod::named) {
        black_box(Revision::ALL.iter().filter_map(|&r| method.use_in(r)).count());
    }
    black_box(value.pick(&["jsonrpc", "id", "method", "params", "result"]));
    value.members().into_iter().flatten().for_each(|member| visit(member.value));
    value.elements().into_iter().flatten().for_each(visit);
}

fn run(lines: &[&str], session: &mut Session<[Slot; 12]>, broken: &mut Broken) -> u32 {
    let mut refused = 0;
    for line in lines {
        let (from, frame) = line.split_once(' ').unwrap();
        let (from, frame) = match from {
            "C" => (Role::Client, frame.as_bytes()),
            _ => (Role::Server, frame.as_bytes()),
        };
        visit(RawJson::parse(frame).unwrap());
        // The rules that have batches.
        let message = Message::parse(frame, &Revision::V2025_03_26.profile()).unwrap();
        for revision in Revision::ALL {
            revision.findings(&message, |finding| note(finding, broken));
            #[cfg(feature = "shapes")]
            for answered in KnownMethod::ALL {
                use tautline_mcp::shape::Shapes;
                Shapes::of(*revision).check(&message, Some(*answered), |finding| {
                    let expected = finding.expected();
                    write!(Nowhere, "{finding} {expected:?}").unwrap();
                    write!(Nowhere, "{}", finding.path(message.frame())).unwrap();
                    note(finding, broken);
                });
            }
        }
        let event = session.observe(from, &message, |finding| note(finding, broken));
        write!(Nowhere, "{event:?} {session:?}").unwrap();
        refused += u32::from(matches!(event, Event::Refused(_)));
        black_box((session.phase(), session.revision(), session.declared(from), session.era()));
        session.in_flight().for_each(|request| write!(Nowhere, "{request:?}").unwrap());
        black_box((session.negotiate(None), session.next_id()));
    }
    session.end(|_, finding| note(finding, broken));
    refused
}

#[test]
fn nothing_is_allocated_for_a_session() {
    let mut broken = [false; PROFILE];
    let (refused, heap) = measure(|| {
        let mut session = Session::new([Slot::EMPTY; 12]);
        run_http(&mut broken);
        run(LEGACY, &mut session, &mut broken)
            + run(MODERN, &mut Session::new([Slot::EMPTY; 12]), &mut broken)
            + run(PAYLOADS, &mut Session::new([Slot::EMPTY; 12]), &mut broken)
    });
    assert_eq!(heap, Heap::default());
    assert!(refused > 5);

    // Every rule below the envelope was violated.
    let is_checked = |rule: &Rule| {
        // A conversation and an audit find these, on the heap.
        (rule.number() >= 256 || *rule == Rule::DUPLICATE_NESTED_MEMBER)
            && !(rule::PROGRESS_NOT_INCREASING..=rule::LOG_NOT_REQUESTED).contains(rule)
            && !(rule::UNKNOWN_METHOD_CODE..=rule::PARSE_ERROR_CODE).contains(rule)
            // Causes are found in frames that are not messages.
            && !tautline_mcp::cause::rule::ALL.contains(rule)
            && !(rule::TASK_ID_MISMATCH..=rule::TASK_POLLED_EARLY).contains(rule)
            && (cfg!(feature = "shapes")
                || !(rule::MISSING_MEMBER..=rule::HEADER_ANNOTATION).contains(rule))
    };
    let rules = rule::all().enumerate().filter(|(_, rule)| is_checked(rule));
    let unbroken: Vec<_> = rules.filter(|(at, _)| !broken[*at]).collect();
    assert!(unbroken.is_empty(), "{unbroken:?}");
}
